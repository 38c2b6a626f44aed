//! Three shops are asked for a price, each in its own protocol. Whoever is too slow is left out; what comes later is a dead
//! letter. Time is virtual here, so that nobody waits for the slow one.
//!
//! `cargo run -p playhouse --example aggregator`

use playhouse::{Aggregator, DeadLetterReason, Event, FuncProps, prelude::*};
use std::time::Duration;

/// What two of the shops are asked.
struct Quote(Reply<u32>);
/// What the third is asked; it answers in words.
struct Enquiry(Reply<&'static str>);

/// Answers after so much time.
fn shop(price: u32, time: Duration) -> FuncProps<Quote> {
    Props::func(async move |ctx: &mut Context<Quote>| {
        while let Some(Quote(reply)) = ctx.recv().await {
            ctx.clock().sleep(time).await;
            reply.send(price);
        }
        Ok(())
    })
}

fn old_shop() -> FuncProps<Enquiry> {
    Props::func(async |ctx: &mut Context<Enquiry>| {
        while let Some(Enquiry(reply)) = ctx.recv().await {
            reply.send("seventeen");
        }
        Ok(())
    })
}

#[derive(Debug, PartialEq)]
struct Best {
    price: Option<u32>,
    silent: usize,
}

/// Asks everybody, collects for a second, and answers with the best price.
fn buyer(shops: Vec<ActorRef<Quote>>, old: ActorRef<Enquiry>) -> FuncProps<Reply<Best>> {
    Props::func(async move |ctx: &mut Context<Reply<Best>>| {
        while let Some(reply) = ctx.recv().await {
            let prices = Aggregator::new(shops.len() + 1, secs(1), move |answers| {
                let silent = answers.missing();
                let price = answers.into_vec().into_iter().min();
                reply.send(Best { price, silent });
            });
            let prices = ctx.spawn_anonymous(prices);
            for shop in &shops {
                shop.tell(Quote(Reply::to(&prices)));
            }
            let in_words = prices.contramap(|words: &str| match words {
                "seventeen" => 17,
                _ => u32::MAX,
            });
            old.tell(Enquiry(Reply::to(&in_words)));
        }
        Ok(())
    })
}

fn main() -> Outcome {
    let (system, world) = ActorSystem::builder("market")
        .on_event(|event| {
            if let Event::DeadLetter {
                why: DeadLetterReason::Gone,
                to,
                ..
            } = event
            {
                println!("an answer for {to} came too late");
            }
        })
        .build_stepped(1)?;
    let shops = vec![
        system.spawn("quick", shop(20, millis(10)))?,
        system.spawn("slow", shop(10, secs(5)))?,
    ];
    let old = system.spawn("old", old_shop())?;
    let buyer = system.spawn("buyer", buyer(shops, old))?;

    let best = world.block_on_timed(buyer.ask(|reply| reply).within(secs(60)))?;
    println!("after {:?}: {best:?}", world.elapsed());
    let expected = Best {
        price: Some(17),
        silent: 1,
    };
    assert_eq!((best, world.elapsed()), (expected, secs(1)));

    world.advance(secs(10)); // the slow one answers, to nobody
    let report = world.block_on(system.shutdown());
    assert_eq!((report.ledger.dead, report.ledger.balance()), (1, 0));
    Ok(())
}
