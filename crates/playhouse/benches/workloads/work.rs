//! Messages that cost something: how much of a microsecond of computing the runtime adds.

use crate::measure::{Sample, Stopwatch};
use crate::stage;
use crate::tally::Tally;
use crate::worker::{WORKERS, Worker};
use playhouse::prelude::*;
use tokio::sync::mpsc;

impl Actor for Worker {
    type Msg = u64;
    async fn receive(&mut self, _ctx: &mut Context<u64>, seed: u64) -> Outcome {
        self.take(seed);
        Ok(())
    }
}

pub(crate) async fn playhouse(messages: u64) -> Sample {
    let system = stage::system();
    let tally = Tally::of(WORKERS);
    let each = (messages / WORKERS).max(1);
    let spawn = |place| {
        let tally = tally.clone();
        let props = Props::new(move || Worker::new(each, tally)).mailbox(Mailbox::unbounded());
        system
            .spawn(format!("worker-{place}"), props)
            .expect("the name is free")
    };
    let workers: Vec<_> = (0..WORKERS).map(spawn).collect();
    let send = |seed| workers.iter().for_each(|to| to.tell(seed));
    let sample = worked(each, &tally, send).await;
    stage::close(system).await;
    sample
}

pub(crate) async fn tokio(messages: u64) -> Sample {
    let tally = Tally::of(WORKERS);
    let each = (messages / WORKERS).max(1);
    let spawn = |_| {
        let (sender, mut seeds) = mpsc::unbounded_channel();
        let mut worker = Worker::new(each, tally.clone());
        tokio::spawn(async move {
            while let Some(seed) = seeds.recv().await {
                worker.take(seed);
            }
        });
        sender
    };
    let workers: Vec<_> = (0..WORKERS).map(spawn).collect();
    let send = |seed| {
        workers
            .iter()
            .for_each(|to| to.send(seed).expect("it lives"))
    };
    worked(each, &tally, send).await
}

async fn worked(each: u64, tally: &Tally, send: impl Fn(u64)) -> Sample {
    let watch = Stopwatch::start();
    (0..each).for_each(send);
    let done = tally.sum().await;
    let sample = watch.stop(each * WORKERS);
    assert_eq!(done, each * WORKERS);
    sample
}
