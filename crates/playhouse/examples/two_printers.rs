//! Two actors of one behaviour: each has state of its own, so there is no lock, and they print at the same time. The
//! program ends when the work is done, not when a sleep is over.
//!
//! `cargo run -p playhouse --example two_printers`

use playhouse::prelude::*;

enum Msg {
    Print { page: u32 },
    HowMany(Reply<u32>),
}

/// A printer that has printed so many pages. A message yields the printer that takes the next one.
fn printer(printed: u32) -> Behavior<Msg> {
    Behavior::receive(move |ctx, msg| match msg {
        Msg::Print { page } => {
            println!("{} prints page {page}", ctx.me().address());
            Ok(printer(printed + 1))
        }
        Msg::HowMany(reply) => {
            reply.send(printed);
            Ok(printer(printed))
        }
    })
}

#[tokio::main]
async fn main() -> Outcome {
    let system = ActorSystem::builder("office").build()?;
    let recipe = || printer(0); // one for both: what it makes is not shared
    let upstairs = system.spawn("upstairs", recipe)?;
    let downstairs = system.spawn("downstairs", recipe)?;

    for page in 1..=10 {
        let printer = match page % 3 {
            0 => &downstairs,
            _ => &upstairs,
        };
        printer.tell(Msg::Print { page });
    }

    // Asked after the last page, answered after the last page: messages of one sender keep their order.
    let up = upstairs.ask(Msg::HowMany).within(secs(5)).await?;
    let down = downstairs.ask(Msg::HowMany).within(secs(5)).await?;
    println!("{up} pages upstairs, {down} downstairs");
    assert_eq!((up, down), (7, 3));

    let report = system.shutdown().await;
    assert_eq!((report.ledger.handled, report.ledger.balance()), (12, 0));
    Ok(())
}
