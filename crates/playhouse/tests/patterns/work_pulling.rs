//! A pool whose jobs are asked for, under many orders: every asker hears the truth about its job, once.

use crate::common::seeds::{end, for_each_seed, stepped};
use crate::common::{journal, read};
use playhouse::prelude::*;
use playhouse::{DeadLetterReason, Job, Submission, WorkPool};
use std::collections::BTreeMap;
use tokio::sync::mpsc;

const JOBS: u32 = 24;

/// Every fifth job always fails, every seventh kills whoever has it; a third takes a second.
struct Worker {
    done: mpsc::UnboundedSender<u32>,
}

impl Actor for Worker {
    type Msg = Job<u32>;
    async fn receive(&mut self, ctx: &mut Context<Job<u32>>, job: Job<u32>) -> Outcome {
        match *job {
            n if n % 5 == 4 => return Err("as every fifth".into()),
            n if n % 7 == 6 => {
                ctx.me().kill();
                std::future::pending::<()>().await;
            }
            // sleeps: in virtual time
            n if n % 3 == 2 => ctx.clock().sleep(secs(1)).await,
            _ => tokio::task::yield_now().await,
        }
        self.done.send(*job)?;
        job.done();
        Ok(())
    }
}

fn is_good(job: u32) -> bool {
    job % 5 != 4 && job % 7 != 6
}

/// Asks for the job; every eighth asker gives up after a tenth of a second.
fn asker(
    pool: ActorRef<Submission<u32>>,
    job: u32,
    heard: mpsc::UnboundedSender<(u32, Result<(), AskError>)>,
) -> playhouse::FuncProps<()> {
    let limit = match job % 8 {
        7 => millis(100),
        _ => secs(600),
    };
    Props::func(async move |_: &mut Context<()>| {
        let submitted = pool.ask(|reply| Submission::confirmed(job, reply));
        heard.send((job, submitted.within(limit).await))?;
        Ok(())
    })
}

#[test]
fn every_asker_hears_the_truth_about_its_job_once() {
    for_each_seed(300, |seed| {
        let (system, world, events) = stepped(seed);
        let ((done, mut has_done), (heard, mut has_heard)) = (journal(), journal());
        let recipe = WorkPool::new(3, move || Worker { done }).attempts(2);
        let pool = system.spawn("pool", recipe.confirming()).unwrap();
        for job in 0..JOBS {
            drop(system.spawn_anonymous(asker(pool.clone(), job, heard.clone())));
        }
        world.advance(secs(100));
        let done = read(&mut has_done);
        let answers: BTreeMap<_, _> = read(&mut has_heard).into_iter().collect();
        assert_eq!(answers.len(), JOBS as usize, "each of them, once");
        for (job, answer) in answers {
            match answer {
                Ok(()) => assert!(is_good(job) && done.contains(&job), "{job}"),
                Err(AskError::NoReply { by, .. }) => assert!(!is_good(job) && by == pool, "{job}"),
                Err(AskError::Timeout(_)) => assert_eq!(job % 8, 7),
                Err(other) => panic!("{job}: {other:?}"),
            }
        }
        let failed = (0..JOBS).filter(|job| !is_good(*job)).count();
        assert_eq!(events.dead(DeadLetterReason::JobFailed), failed);
        assert!(events.dead(DeadLetterReason::JobAbandoned) <= 3);
        end(&system, &world);
    });
}
