//! An actor that talks to another one whose answers are not in its own protocol: an adapter makes them so.
//!
//! `cargo run -p playhouse --example adapter`

use playhouse::prelude::*;

/// The inventory knows nothing of orders.
enum Inventory {
    Reserve {
        sku: &'static str,
        qty: u32,
        reply: Reply<Answer>,
    },
}

enum Answer {
    Reserved(&'static str),
    OutOfStock { sku: &'static str, available: u32 },
}

fn inventory(tea: u32) -> Behavior<Inventory> {
    Behavior::receive(move |_ctx, Inventory::Reserve { sku, qty, reply }| {
        let available = if sku == "tea" { tea } else { 0 };
        if available < qty {
            reply.send(Answer::OutOfStock { sku, available });
            return Ok(inventory(tea));
        }
        reply.send(Answer::Reserved(sku));
        Ok(inventory(tea - qty))
    })
}

/// What the world may send.
struct Place {
    sku: &'static str,
    qty: u32,
}

/// What the actor handles: the public part, and the answers it asked for.
enum Msg {
    Place(Place),
    Answered(Answer),
}

impl From<Place> for Msg {
    fn from(place: Place) -> Self {
        Msg::Place(place)
    }
}

struct Orders {
    inventory: ActorRef<Inventory>,
    answers: ActorRef<Answer>,
    open: u32,
}

impl Actor for Orders {
    type Msg = Msg;
    async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        match msg {
            Msg::Place(Place { sku, qty }) => {
                let reply = Reply::to(&self.answers);
                self.inventory.tell(Inventory::Reserve { sku, qty, reply });
                return Ok(());
            }
            Msg::Answered(Answer::Reserved(sku)) => println!("{sku} is on its way"),
            Msg::Answered(Answer::OutOfStock { sku, available }) => {
                println!("{sku} is out of stock, {available} available");
            }
        }
        self.open -= 1;
        if self.open == 0 {
            ctx.stop();
        }
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Outcome {
    let system = ActorSystem::builder("shop").build()?;
    let inventory = system.spawn("inventory", || inventory(5))?;
    // The adapter is made once, where there is a context; its function runs in the actor's own turn.
    let orders = Props::setup(async move |ctx| {
        let answers = ctx.adapter(Msg::Answered);
        Ok(Orders {
            inventory,
            answers,
            open: 3,
        })
    });
    let orders = system.spawn("orders", orders)?;

    let public = orders.narrow::<Place>(); // others cannot send `Answered`
    public.send(Place { sku: "tea", qty: 3 }).await?;
    public.send(Place { sku: "tea", qty: 3 }).await?;
    public
        .send(Place {
            sku: "milk",
            qty: 1,
        })
        .await?;

    println!("all orders are answered: {}", orders.terminated().await);
    assert_eq!(system.shutdown().await.ledger.balance(), 0);
    Ok(())
}
