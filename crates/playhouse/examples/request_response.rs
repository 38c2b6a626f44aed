//! A request carries the address to answer to, so each answer finds whoever asked.
//!
//! `cargo run -p playhouse --example request_response`

use playhouse::prelude::*;
use std::collections::HashMap;

enum Inventory {
    Reserve {
        sku: &'static str,
        qty: u32,
        reply: Reply<Answer>,
    },
}

#[derive(Debug, PartialEq)]
enum Answer {
    Reserved { sku: &'static str, left: u32 },
    OutOfStock { sku: &'static str, available: u32 },
}

struct Stock(HashMap<&'static str, u32>);

impl Actor for Stock {
    type Msg = Inventory;
    async fn receive(&mut self, _ctx: &mut Context<Inventory>, msg: Inventory) -> Outcome {
        let Inventory::Reserve { sku, qty, reply } = msg;
        let available = self.0.get(sku).copied().unwrap_or(0);
        reply.send(match available.checked_sub(qty) {
            Some(left) => {
                self.0.insert(sku, left);
                Answer::Reserved { sku, left }
            }
            None => Answer::OutOfStock { sku, available },
        });
        Ok(())
    }
}

/// The buyer speaks `Answer`, so it is told the answers directly. It has one life, and ends when it has them all.
fn buyer(inventory: ActorRef<Inventory>) -> playhouse::FuncProps<Answer> {
    Props::func(async move |ctx| {
        let orders = [("tea", 3), ("tea", 3), ("coffee", 1)];
        for (sku, qty) in orders {
            let reply = Reply::to(ctx.me());
            inventory.tell(Inventory::Reserve { sku, qty, reply });
        }
        for _ in orders {
            match ctx.recv().await {
                Some(Answer::Reserved { sku, left }) => println!("{sku} is reserved, {left} left"),
                Some(Answer::OutOfStock { sku, available }) => {
                    println!("no {sku}: {available} available")
                }
                None => return Ok(()),
            }
        }
        Ok(())
    })
}

#[tokio::main]
async fn main() -> Outcome {
    let system = ActorSystem::builder("shop").build()?;
    let stock = HashMap::from([("tea", 5)]);
    let inventory = system.spawn("inventory", || Stock(stock))?;
    let buyer = system.spawn("buyer", buyer(inventory))?;

    let exit = buyer.terminated().await;
    assert!(matches!(exit, Exit::Stopped), "{exit}");
    let ledger = system.shutdown().await.ledger;
    println!(
        "{} messages handled: 3 requests and 3 answers",
        ledger.handled
    );
    assert_eq!((ledger.handled, ledger.balance()), (6, 0));
    Ok(())
}
