//! How one tests one's own actors: with a probe and a clock that stands still, message by message, under many schedules.
//! In a crate of your own each function is a `#[test]`, and `playhouse` a dev-dependency with the feature `testkit`.
//!
//! `cargo run -p playhouse --example testing`

use playhouse::TimerKey;
use playhouse::prelude::*;
use playhouse::testkit::{BehaviorKit, Effect, EventPattern, Explore, TestKit, explore};

/// The last seat. Who holds it has ten minutes to pay.
#[derive(Clone, Debug, PartialEq)]
enum Seat {
    Free,
    Held,
    Sold,
}

enum Desk {
    IsFree(Reply<bool>),
    Hold(Reply<bool>),
    Pay,
    Lapsed,
}

impl Actor for Seat {
    type Msg = Desk;
    async fn receive(&mut self, ctx: &mut Context<Desk>, msg: Desk) -> Outcome {
        match msg {
            Desk::IsFree(reply) => reply.send(*self == Seat::Free),
            Desk::Hold(reply) if *self != Seat::Free => reply.send(false),
            Desk::Hold(reply) => {
                *self = Seat::Held;
                ctx.timers().once("lapse", secs(600), Desk::Lapsed);
                reply.send(true);
            }
            Desk::Pay => {
                *self = Seat::Sold;
                ctx.timers().cancel("lapse");
            }
            Desk::Lapsed => *self = Seat::Free,
        }
        Ok(())
    }
}

/// A probe stands for whoever is told; the clock moves when the test says so.
fn what_is_not_paid_is_free_again_after_ten_minutes() {
    let kit = TestKit::new();
    let seat = kit.spawn("seat", || Seat::Free);
    let mut buyer = kit.probe();
    seat.tell(Desk::Hold(Reply::to(buyer.actor_ref())));
    assert!(buyer.expect());
    let is_free = || kit.block_on(seat.ask(Desk::IsFree).within(secs(1)));
    kit.advance(secs(599));
    assert!(matches!(is_free(), Ok(false)));
    kit.advance(secs(1));
    assert!(matches!(is_free(), Ok(true)));
}

/// One actor alone: what it did is data.
fn paying_cancels_the_timer() -> Outcome {
    let mut kit = BehaviorKit::new(|| Seat::Free);
    let (reply, mut held) = kit.reply();
    kit.run(Desk::Hold(reply))?;
    assert!(held.take()?);
    let set = kit.effects();
    assert!(matches!(&set[..], [Effect::TimerSet { after, .. }] if *after == secs(600)));
    kit.run(Desk::Pay)?;
    let cancelled = Effect::TimerCancelled(TimerKey::Name("lapse"));
    assert_eq!(kit.effects(), [cancelled]);
    assert_eq!(*kit.state(), Seat::Sold);
    Ok(())
}

/// Every order of who comes first.
fn the_last_seat_is_held_by_one() {
    explore(0..500, |kit| {
        let seat = kit.spawn("seat", || Seat::Free);
        let mut buyers = [kit.probe(), kit.probe()];
        for buyer in &buyers {
            seat.tell(Desk::Hold(Reply::to(buyer.actor_ref())));
        }
        let [tom, ann] = &mut buyers;
        assert!(tom.expect() != ann.expect());
    });
}

/// Looks first and takes then, as if nobody came in between.
async fn buy_in_haste(seat: ActorRef<Desk>) -> Outcome {
    if seat.ask(Desk::IsFree).within(secs(1)).await? {
        let is_ours = seat.ask(Desk::Hold).within(secs(1)).await?;
        is_ours.then_some(()).ok_or("it was free a moment ago")?;
    }
    Ok(())
}

fn two_in_haste(kit: &TestKit) {
    let seat = kit.spawn("seat", || Seat::Free);
    for name in ["tom", "ann"] {
        let seat = seat.clone();
        let buyer = Props::func(async move |_: &mut Context<()>| buy_in_haste(seat).await);
        kit.spawn(name, buyer);
    }
    kit.settle();
    let late = kit.events_like(&EventPattern::failure());
    assert!(late.is_empty(), "somebody was too late");
}

fn main() -> Outcome {
    what_is_not_paid_is_free_again_after_ten_minutes();
    paying_cancels_the_timer()?;
    println!(
        "ten minutes passed in no time, the seat was free again, and paying cancelled the timer"
    );
    the_last_seat_is_held_by_one();
    println!("the last seat was held by one under each of 500 schedules");
    std::panic::set_hook(Box::new(|_| ())); // what comes now is meant to fail
    let found = Explore::seeds(0..1_000).find(two_in_haste);
    println!("two in haste: {}", found.ok_or("they never met")?);
    Ok(())
}
