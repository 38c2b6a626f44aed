//! An actor that is not ready yet sets aside what it is told, loads its stock, and then handles all of it in order.
//!
//! `cargo run -p playhouse --example stash_while_loading`

use playhouse::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Notify;

type Stock = HashMap<&'static str, u32>;

enum Inventory {
    Reserve {
        sku: &'static str,
        qty: u32,
        reply: Reply<Answer>,
    },
    Loaded(Stock),
}

#[derive(Debug, PartialEq)]
enum Answer {
    Reserved { left: u32 },
    OutOfStock { available: u32 },
}

/// Loading goes on beside the actor, which takes messages meanwhile.
fn starting(loader: impl Future<Output = Stock> + Send + 'static) -> Behavior<Inventory> {
    Behavior::setup(move |ctx| {
        ctx.pipe_to_self(loader, Inventory::Loaded);
        Ok(loading())
    })
}

/// The first state: the stock is on its way.
fn loading() -> Behavior<Inventory> {
    Behavior::receive(|ctx, msg| match msg {
        Inventory::Loaded(stock) => {
            println!("loaded; {} requests were set aside", ctx.stashed());
            ctx.unstash_all(); // they come next, before newer ones
            Ok(open(stock))
        }
        early => {
            ctx.stash(early)?; // keeps its place in the mailbox
            println!("{} set aside", ctx.stashed());
            Ok(loading())
        }
    })
}

/// The second state: every request is answered.
fn open(mut stock: Stock) -> Behavior<Inventory> {
    Behavior::receive(move |ctx, msg| {
        match msg {
            Inventory::Reserve { sku, qty, reply } => {
                let available = stock.entry(sku).or_default();
                reply.send(match available.checked_sub(qty) {
                    Some(left) => {
                        *available = left;
                        Answer::Reserved { left }
                    }
                    None => Answer::OutOfStock {
                        available: *available,
                    },
                });
            }
            again @ Inventory::Loaded(_) => ctx.unhandled(again),
        }
        Ok(open(stock))
    })
}

#[tokio::main]
async fn main() -> Outcome {
    let system = ActorSystem::builder("shop").build()?;
    let lorry = Arc::new(Notify::new());
    let arrival = lorry.clone();
    let unloading = move || {
        starting(async move {
            arrival.notified().await;
            Stock::from([("tea", 5)])
        })
    };
    let inventory = system.spawn("inventory", unloading)?;

    let reserve = |qty| {
        let make = move |reply| Inventory::Reserve {
            sku: "tea",
            qty,
            reply,
        };
        inventory.ask(make).within(secs(3))
    };
    // Both requests are in the mailbox before the lorry arrives.
    let arrive = async { lorry.notify_one() };
    let (first, second, ()) = tokio::join!(reserve(3), reserve(3), arrive);
    let (first, second) = (first?, second?);
    println!("first: {first:?}, second: {second:?}");
    assert_eq!(first, Answer::Reserved { left: 2 });
    assert_eq!(second, Answer::OutOfStock { available: 2 });

    assert_eq!(system.shutdown().await.ledger.balance(), 0);
    Ok(())
}
