//! Work pulling: a job leaves the producer only when a worker will want it, and belongs to the pool until it is done. One
//! worker dies with a job in its hands; another finishes that job.
//!
//! `cargo run -p playhouse --example work_pulling`

use playhouse::{DeadLetterReason, Event, Job, Submission, WorkPool, prelude::*};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Resizes pictures. The first one to see picture 3 dies of it.
struct Resizer {
    is_cursed: Arc<AtomicBool>,
}

impl Actor for Resizer {
    type Msg = Job<u32>;
    async fn receive(&mut self, ctx: &mut Context<Job<u32>>, picture: Job<u32>) -> Outcome {
        if *picture == 3 && self.is_cursed.swap(false, Ordering::Relaxed) {
            println!("{} dies with picture 3", ctx.me());
            return Err("out of memory".into()); // the job is dropped without `done`
        }
        if *picture == 13 {
            return Err("not a picture".into()); // whoever tries
        }
        picture.done(); // and now the next one
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Outcome {
    let system = ActorSystem::builder("studio")
        .on_event(|event| {
            if let Event::DeadLetter {
                why: DeadLetterReason::JobFailed,
                ..
            } = event
            {
                println!("a job failed as often as it may be tried");
            }
        })
        .build()?;
    let is_cursed = Arc::new(AtomicBool::new(true));
    let recipe = WorkPool::new(2, move || Resizer { is_cursed }).attempts(2);
    let backlog = recipe.backlog();
    let pool = system.spawn("resizers", recipe.confirming())?;

    // Sent on: `reserve` waits until there is room for one more job, and only then the picture is loaded.
    for picture in 0..10 {
        let place = pool.reserve().await?;
        assert!(backlog.at_work() <= 2);
        place.send(picture.into());
    }

    // Asked for: the answer comes when a worker has said `done`.
    let resized = pool.ask(|reply| Submission::confirmed(12, reply));
    resized.within(secs(5)).await?;
    println!("picture 12 is resized");
    let resized = pool.ask(|reply| Submission::confirmed(13, reply));
    let error = resized.within(secs(5)).await.expect_err("nobody can");
    println!("picture 13 is not: {error}");

    pool.drain(); // every job first, then the workers
    println!("the pool has ended: {}", pool.terminated().await);
    let report = system.shutdown().await;
    assert_eq!(report.ledger.balance(), 0);
    // 12 submissions came to the pool. Workers handled 11 jobs, and failed three times.
    assert_eq!((report.ledger.handled, report.ledger.failed), (23, 3));
    println!(
        "{} messages handled, {} failed",
        report.ledger.handled, report.ledger.failed
    );
    Ok(())
}
