//! What a failure leads to: skip the message, begin anew, give up, or pass it on. And two actors that fall together.
//!
//! `cargo run -p playhouse --example supervision`

use playhouse::{Event, Group, prelude::*};
use std::io;
use std::num::ParseIntError;

/// Adds up the numbers it is told.
#[derive(Default)]
struct Sum(u32);

enum Msg {
    Add(&'static str),
    Total(Reply<u32>),
}

impl Actor for Sum {
    type Msg = Msg;

    async fn receive(&mut self, _ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        match msg {
            Msg::Add("disk") => return Err(io::Error::other("the disk is gone").into()),
            Msg::Add("bug") => panic!("a bug"),
            Msg::Add(text) => self.0 += text.parse::<u32>()?,
            Msg::Total(reply) => reply.send(self.0),
        }
        Ok(())
    }

    async fn signal(&mut self, _ctx: &mut Context<Msg>, signal: Signal) -> Outcome {
        if let Signal::PreRestart(cause) = &signal {
            println!("    a sum of {} is lost: {cause}", self.0);
        }
        signal.unhandled()
    }
}

/// A wrong number is skipped, a device may come back, and nobody trusts what a panic left behind.
fn how() -> Supervise {
    Supervise::stop()
        .when::<ParseIntError>(Supervise::resume())
        .when::<io::Error>(
            Supervise::restart()
                .backoff(millis(10)..=secs(1), 0.2)
                .limit(3, secs(60)),
        )
        .when_panic(Supervise::escalate())
}

async fn total(sum: &ActorRef<Msg>) -> Result<u32, AskError> {
    sum.ask(Msg::Total).within(secs(5)).await
}

/// Has the sum as its child, and hears of its end.
async fn accountant(ctx: &mut Context<Exit>) -> Outcome {
    let sum = ctx.spawn("sum", Props::new(Sum::default).supervise(how()))?;
    for text in ["1", "two", "3"] {
        sum.tell(Msg::Add(text));
    }
    println!(
        "resumed: the sum without the word is {}",
        total(&sum).await?
    );

    sum.tell(Msg::Add("disk"));
    sum.tell(Msg::Add("5")); // waits for the next incarnation
    println!("restarted: the sum is {}", total(&sum).await?);

    println!("two that depend on each other:");
    let group = Group::one_for_all(Supervise::restart().at_once());
    let group = ctx.spawn_group("books", group)?;
    let (income, costs) = (
        group.spawn("income", Sum::default)?,
        group.spawn("costs", Sum::default)?,
    );
    income.tell(Msg::Add("7"));
    costs.tell(Msg::Add("2"));
    println!("    {} and {}", total(&income).await?, total(&costs).await?);
    costs.tell(Msg::Add("nothing")); // it is not supervised by itself, so the group decides
    while total(&income).await? != 0 {} // until the group has seen it
    println!("    {} and {}", total(&income).await?, total(&costs).await?);
    group.stop();
    group.terminated().await;

    sum.tell(Msg::Add("bug"));
    while ctx.recv().await.is_some() {} // the escalated panic ends this actor
    Ok(())
}

#[tokio::main]
async fn main() -> Outcome {
    std::panic::set_hook(Box::new(|_| ())); // the runtime says it better
    let system = ActorSystem::builder("shop")
        .on_event(|event| match event {
            Event::Failed { .. } | Event::Restarted { .. } => println!("  {event}"),
            _ => {}
        })
        .build()?;
    let accountant = system.spawn("accountant", Props::func(accountant))?;
    println!(
        "escalated: the accountant {}",
        accountant.terminated().await
    );
    assert_eq!(system.shutdown().await.ledger.balance(), 0);
    Ok(())
}
