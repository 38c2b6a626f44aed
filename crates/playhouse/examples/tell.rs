//! Two messages to an actor, fire and forget, and an orderly end.
//!
//! `cargo run -p playhouse --example tell`

use playhouse::prelude::*;

enum Stock {
    Delivered { sku: &'static str, qty: u32 },
    Sold { sku: &'static str, qty: u32 },
}

#[derive(Default)]
struct Shelf {
    tea: u32,
    other: u32,
}

impl Shelf {
    fn of(&mut self, sku: &str) -> &mut u32 {
        match sku {
            "tea" => &mut self.tea,
            _ => &mut self.other,
        }
    }
}

impl Actor for Shelf {
    type Msg = Stock;

    /// One message at a time, so the state needs no lock.
    async fn receive(&mut self, _ctx: &mut Context<Stock>, msg: Stock) -> Outcome {
        match msg {
            Stock::Delivered { sku, qty } => {
                *self.of(sku) += qty;
                println!("{qty} {sku} delivered, {} on the shelf", self.of(sku));
            }
            Stock::Sold { sku, qty } => {
                let left = self
                    .of(sku)
                    .checked_sub(qty)
                    .ok_or("more sold than there was")?;
                *self.of(sku) = left;
                println!("{qty} {sku} sold, {left} on the shelf");
            }
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let system = ActorSystem::builder("shop").build()?;
    let shelf = system.spawn("shelf", Shelf::default)?;

    shelf.tell(Stock::Delivered { sku: "tea", qty: 5 }); // never waits
    shelf.tell(Stock::Delivered {
        sku: "milk",
        qty: 2,
    });
    shelf.tell(Stock::Sold { sku: "tea", qty: 3 }); // comes after both: one sender's messages keep their order
    shelf.drain(); // takes nothing more, handles what it has

    let ledger = system.blocking_shutdown().ledger;
    println!(
        "{} messages accepted, {} handled",
        ledger.accepted, ledger.handled
    );
    assert_eq!(
        (ledger.accepted, ledger.handled, ledger.balance()),
        (3, 3, 0)
    );
    Ok(())
}
