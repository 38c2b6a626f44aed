//! Work pulling while a worker dies.

use crate::common::seeds::{end, for_a_few_seeds, stepped};
use crate::common::{journal, read};
use playhouse::prelude::*;
use playhouse::{DeadLetterReason, Job, WorkPool};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::mpsc;

const WORKERS: usize = 3;
const JOBS: u32 = 10_000;

#[derive(Clone)]
struct Floor {
    hired: mpsc::UnboundedSender<ActorRef<Job<u32>>>,
    done: mpsc::UnboundedSender<u32>,
    in_flight: Arc<AtomicUsize>,
}

struct Worker(Floor);

impl Actor for Worker {
    type Msg = Job<u32>;

    async fn started(&mut self, ctx: &mut Context<Job<u32>>) -> Outcome {
        Ok(self.0.hired.send(ctx.me().clone())?)
    }

    async fn receive(&mut self, _ctx: &mut Context<Job<u32>>, job: Job<u32>) -> Outcome {
        let at_work = AtWork::begin(&self.0.in_flight);
        tokio::task::yield_now().await; // where a kill finds it
        self.0.done.send(*job)?;
        drop(at_work);
        job.done();
        Ok(())
    }
}

struct AtWork(Arc<AtomicUsize>);

impl AtWork {
    fn begin(in_flight: &Arc<AtomicUsize>) -> Self {
        assert!(in_flight.fetch_add(1, Ordering::SeqCst) < WORKERS);
        Self(in_flight.clone())
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[test]
fn own_05_a_worker_killed_at_a_random_point_loses_no_job() {
    for_a_few_seeds(6, |seed| {
        let (system, world, events) = stepped(seed);
        let ((hired, mut has_hired), (done, mut has_done)) = (journal(), journal());
        let floor = Floor {
            hired,
            done,
            in_flight: Arc::default(),
        };
        let pool = WorkPool::new(WORKERS, move || Worker(floor)).attempts(2);
        let pool = system.spawn("pool", pool).unwrap();
        let producer = pool.clone();
        let produces = async move |_: &mut Context<()>| {
            for job in 0..JOBS {
                producer.send(job).await?;
            }
            producer.drain();
            Ok(())
        };
        drop(system.spawn_anonymous(Props::func(produces)));
        let point = (seed + 1) * 7_919 % 15_000; // the whole takes more steps
        (0..point).for_each(|_| assert!(world.step()));
        let workers = read(&mut has_hired);
        assert_eq!(workers.len(), WORKERS);
        workers[seed as usize % WORKERS].kill();
        assert!(matches!(world.block_on(pool.terminated()), Exit::Drained));
        assert_eq!(read(&mut has_hired).len(), 1, "the dead one was replaced");
        let mut confirmed = read(&mut has_done);
        confirmed.sort_unstable();
        confirmed.dedup();
        assert_eq!(confirmed, (0..JOBS).collect::<Vec<_>>());
        assert_eq!(events.dead(DeadLetterReason::JobFailed), 0);
        end(&system, &world);
    });
}
