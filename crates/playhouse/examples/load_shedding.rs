//! Three bounds at the edge, each with an answer that a caller can act on: too fast (429), too many at once (503), and a
//! full mailbox (503). Whoever is refused costs next to nothing. Time is virtual, so the run is the same every time.
//!
//! `cargo run -p playhouse --example load_shedding`

use playhouse::{Admission, Admitted, Rate, RateLimiter, prelude::*};
use std::collections::BTreeMap;

/// A request, and the right of its caller to be inside; given back when this is dropped, wherever that is.
struct Request(#[allow(dead_code)] Admitted);

/// What an HTTP door would answer.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Status {
    Accepted202,
    TooManyRequests429 { retry_after_s: u64 },
    Unavailable503(&'static str),
}

#[derive(Clone)]
struct Edge {
    limiter: RateLimiter,
    door: Admission,
    service: ActorRef<Request>,
}

impl Edge {
    /// From the cheapest question to the dearest. Nothing here waits.
    fn handle(&self) -> Status {
        if let Err(too_fast) = self.limiter.try_acquire() {
            let retry_after_s = too_fast.retry_after().as_secs_f64().ceil() as u64;
            return Status::TooManyRequests429 { retry_after_s };
        }
        let Ok(admitted) = self.door.try_enter() else {
            return Status::Unavailable503("as many inside as may be");
        };
        match self.service.try_send(Request(admitted)) {
            Ok(()) => Status::Accepted202,
            Err(TrySendError::Full(_)) => Status::Unavailable503("the service is full"),
            Err(TrySendError::Closed(_)) => Status::Unavailable503("the service is ending"),
        }
    }
}

fn main() -> Outcome {
    let (system, world) = ActorSystem::builder("shop").build_stepped(1)?;
    let service = Props::func(async |ctx: &mut Context<Request>| {
        while let Some(request) = ctx.recv().await {
            ctx.clock().sleep(millis(500)).await; // two per second
            drop(request);
        }
        Ok(())
    });
    let service = system.spawn("service", service.mailbox(Mailbox::bounded(3)))?;
    let edge = Edge {
        limiter: RateLimiter::new(system.clock(), Rate::new(10, secs(1)).burst(10), 0),
        door: Admission::new(6, 0),
        service,
    };

    // A flood of 1,000 at once, and then five callers per second.
    let mut answers = BTreeMap::<Status, u32>::new();
    for _ in 0..1_000 {
        *answers.entry(edge.handle()).or_default() += 1;
    }
    println!("the flood:");
    for (status, times) in &answers {
        println!("{times:>5} {status:?}");
    }
    // The bucket let ten through, and the mailbox took three of them.
    assert_eq!(answers[&Status::Accepted202], 3);
    assert_eq!(answers[&Status::Unavailable503("the service is full")], 7);
    let refused = Status::TooManyRequests429 { retry_after_s: 1 };
    assert_eq!(answers[&refused], 990);

    let mut accepted = 0;
    for _ in 0..50 {
        world.advance(millis(200));
        accepted += u32::from(edge.handle() == Status::Accepted202);
    }
    println!("then, in ten seconds: {accepted} of 50 accepted");
    assert!((19..=24).contains(&accepted), "what the service can do");

    edge.door.close(); // the first step of a shutdown: nobody new
    world.advance(secs(10));
    assert_eq!(edge.door.inside(), 0);
    let report = world.block_on(system.shutdown());
    assert_eq!((report.ledger.dead, report.ledger.balance()), (0, 0));
    println!("{} served, none lost", report.ledger.handled);
    Ok(())
}
