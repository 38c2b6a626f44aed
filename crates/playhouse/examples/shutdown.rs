//! An orderly end: the system closes with its guardian, phase by phase, and its books add up. Ctrl-C or SIGTERM would begin
//! the same shutdown earlier, and a second one would end the program at once.
//!
//! `cargo run -p playhouse --example shutdown`

use playhouse::{Phase, ShutdownReason, prelude::*};

struct Order(u32);

/// Cooks one order after the other. It has some waiting when the house closes, and no guest goes home hungry.
#[derive(Default)]
struct Kitchen {
    cooked: u32,
}

impl Actor for Kitchen {
    type Msg = Order;

    async fn receive(&mut self, _ctx: &mut Context<Order>, Order(guest): Order) -> Outcome {
        tokio::task::yield_now().await; // stands for the cooking
        self.cooked += 1;
        println!("  cooked for guest {guest}");
        Ok(())
    }

    async fn signal(&mut self, _ctx: &mut Context<Order>, signal: Signal) -> Outcome {
        match signal {
            Signal::PostStop => println!("  the kitchen is cold after {} meals", self.cooked),
            other => return other.unhandled(),
        }
        Ok(())
    }
}

/// Lets guests in, and goes home after the eighth: with it the system ends.
fn doorkeeper() -> impl playhouse::IntoProps<Msg = u32> {
    Props::func(async |ctx: &mut Context<u32>| {
        let kitchen = ctx.system().spawn("kitchen", Kitchen::default)?;
        closes_in_order(ctx.system(), &kitchen);
        while let Some(guest) = ctx.recv().await {
            kitchen.tell(Order(guest));
            if guest == 8 {
                break;
            }
        }
        Ok(())
    })
}

/// Tasks of one phase run together, the phases one after the other, each within its deadline.
fn closes_in_order(system: &ActorSystem, kitchen: &ActorRef<Order>) {
    system.on_shutdown(Phase::CloseDoors, "door", async || {
        println!("1. the door is closed");
        Ok(())
    });
    let kitchen = kitchen.clone();
    system.on_shutdown(Phase::FinishRequests, "kitchen", async move || {
        println!("2. what was ordered is cooked");
        kitchen.drain();
        kitchen.terminated().await;
        Ok(())
    });
    system.on_shutdown(Phase::StopActors, "actors", async || {
        println!("3. every actor stops, children before their parents");
        Ok(())
    });
    system.on_shutdown(Phase::ReleaseResources, "key", async || {
        println!("4. the key is turned");
        Ok(())
    });
    let sign = system.on_shutdown(Phase::CloseDoors, "sign", async || {
        println!("the sign is taken in");
        Ok(())
    });
    assert!(sign.cancel(), "it rains: the sign stays inside today");
}

fn main() -> Outcome {
    let (system, doorkeeper) = ActorSystem::builder("restaurant")
        .phase_deadline(Phase::FinishRequests, secs(5))
        .shutdown_on_signals()
        .build_with(doorkeeper())?;
    for guest in 1..=8 {
        doorkeeper.tell(guest);
    }

    let report = system.blocking_terminated();
    println!("the restaurant has closed: {}", report.reason);
    assert!(matches!(
        report.reason,
        ShutdownReason::GuardianEnded(Exit::Stopped)
    ));
    assert!(report.failed_tasks.is_empty() && report.overran.is_empty());
    assert_eq!((report.ledger.handled, report.ledger.dead), (16, 0));
    assert_eq!(report.ledger.balance(), 0);
    Ok(())
}
