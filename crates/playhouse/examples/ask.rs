//! One question, one answer, one deadline: from outside, and from inside an actor without waiting.
//!
//! `cargo run -p playhouse --example ask`

use playhouse::{Fate, prelude::*};

enum Inventory {
    Reserve {
        sku: &'static str,
        qty: u32,
        reply: Reply<Answer>,
    },
    /// A question that this inventory never answers.
    Recount(Reply<u32>),
}

type Answer = Result<Reserved, OutOfStock>;

#[derive(Debug)]
struct Reserved(&'static str);

#[derive(Debug)]
struct OutOfStock {
    available: u32,
}

struct Stock {
    tea: u32,
    recounts: Vec<Reply<u32>>,
}

impl Actor for Stock {
    type Msg = Inventory;
    async fn receive(&mut self, _ctx: &mut Context<Inventory>, msg: Inventory) -> Outcome {
        match msg {
            Inventory::Recount(reply) => self.recounts.push(reply),
            Inventory::Reserve { sku, qty, reply } => {
                let available = if sku == "tea" { self.tea } else { 0 };
                // A caller's error is no failure of the actor: it travels in the answer.
                reply.send(match available.checked_sub(qty) {
                    Some(left) => {
                        self.tea = left;
                        Ok(Reserved(sku))
                    }
                    None => Err(OutOfStock { available }),
                });
            }
        }
        Ok(())
    }
}

/// Asks from inside: it goes on with other messages, and the answer is one of them.
fn customer(inventory: ActorRef<Inventory>) -> playhouse::FuncProps<Result<Answer, AskError>> {
    Props::func(async move |ctx| {
        let make = |reply| Inventory::Reserve {
            sku: "tea",
            qty: 3,
            reply,
        };
        ctx.ask(&inventory, secs(3), make, |answer| answer);
        match ctx.recv().await {
            Some(Ok(Ok(Reserved(sku)))) => println!("from inside: {sku} is reserved"),
            Some(Ok(Err(OutOfStock { available }))) => {
                println!("from inside: {available} available")
            }
            Some(Err(error)) => println!("from inside: {error}"),
            None => {}
        }
        Ok(())
    })
}

#[tokio::main]
async fn main() -> Outcome {
    let system = ActorSystem::builder("shop").build()?;
    let stock = || Stock {
        tea: 5,
        recounts: Vec::new(),
    };
    let inventory = system.spawn("inventory", stock)?;

    let reserve = |sku, qty| inventory.ask(move |reply| Inventory::Reserve { sku, qty, reply });
    let first = reserve("tea", 3).within(secs(3)).await?;
    println!("from outside: {first:?}");

    let customer = system.spawn("customer", customer(inventory.clone()))?;
    customer.terminated().await;

    let Err(late) = inventory.ask(Inventory::Recount).within(millis(20)).await else {
        return Err("nobody answers that".into());
    };
    println!("too late: {late}");
    assert_eq!(late.fate(), Fate::Started); // it may have been done, so ask again only if that does no harm

    inventory.stop();
    inventory.terminated().await;
    let Err(gone) = reserve("tea", 1).within(secs(3)).await else {
        return Err("it has ended".into());
    };
    println!("gone: {gone}");
    assert_eq!(gone.fate(), Fate::NotSent);

    assert_eq!(system.shutdown().await.ledger.balance(), 0);
    Ok(())
}
