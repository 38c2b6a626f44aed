//! Messages that cost something.

use crate::measure::{Sample, Stopwatch};
use crate::rival::{Logic, Rival, Room, Then};
use crate::tally::Tally;
use crate::worker::{WORKERS, Worker};

impl<R: Rival> Logic<R> for Worker {
    type Msg = u64;
    async fn receive(&mut self, seed: u64, _me: &R::Ref<Self>) -> Then {
        self.take(seed);
        Then::Next
    }
}

pub(crate) async fn work<R: Rival>(messages: u64) -> Sample {
    let tally = Tally::of(WORKERS);
    let each = (messages / WORKERS).max(1);
    let spawn = |_| R::spawn(Worker::new(each, tally.clone()), Room::Unbounded);
    let workers: Vec<R::Ref<Worker>> = (0..WORKERS).map(spawn).collect();
    let watch = Stopwatch::start();
    (0..each).for_each(|seed| workers.iter().for_each(|to| R::tell::<Worker>(to, seed)));
    let done = tally.sum().await;
    let sample = watch.stop(each * WORKERS);
    assert_eq!(done, each * WORKERS);
    sample
}
