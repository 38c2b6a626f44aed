//! The actor that many programs have already, a channel and a task, and what it takes to make a Playhouse actor of it.
//! `before.rs` and `after.rs` differ in fewer than twenty lines (a test counts them), and the handle keeps its face.
//!
//! What the lines buy: an answer that never came is an error within its limit, a panic is reported with the actor's name,
//! and the shutdown waits for the account and says what happened to every message.
//!
//! `cargo run -p playhouse --example from_mpsc`

mod after;
mod before;

use playhouse::prelude::*;

#[tokio::main]
async fn main() -> Outcome {
    let by_hand = before::Bank::open();
    for amount in 1..=100 {
        assert!(by_hand.deposit(amount).await);
    }
    let expected = by_hand.balance().await;
    println!("a channel and a task say {expected:?}");

    let system = ActorSystem::builder("bank").build()?;
    let bank = after::Bank::open(&system);
    for amount in 1..=100 {
        assert!(bank.deposit(amount).await);
    }
    let balance = bank.balance().await;
    println!("a Playhouse actor says {balance:?}");
    assert_eq!((balance, expected), (Some(5_050), Some(5_050)));

    let report = system.shutdown().await;
    assert_eq!((report.ledger.handled, report.ledger.balance()), (101, 0));
    println!("and accounts for all {} messages", report.ledger.handled);
    Ok(())
}
