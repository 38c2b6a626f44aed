//! Messages that cost something.

use crate::measure::{Sample, Stopwatch};
use crate::rival::{Logic, Rival, Room, Then};
use crate::tally::Tally;
use std::hint::black_box;

const WORKERS: u64 = 32;

/// About one microsecond on the machine that the goals were set on. A fixed number of steps, not a clock, so that all
/// sides do the same.
const STEPS: u64 = 700;

/// A chain of multiplications, which no compiler can shorten and no processor can overlap.
fn compute(seed: u64) -> u64 {
    let step = |number: u64, _| {
        black_box(
            number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1),
        )
    };
    (0..STEPS).fold(seed, step)
}

/// Counts its messages and keeps a digest of what it computed.
struct Worker {
    done: u64,
    expected: u64,
    digest: u64,
    tally: Tally,
}

impl Worker {
    fn new(expected: u64, tally: Tally) -> Self {
        Self {
            done: 0,
            expected,
            digest: 0,
            tally,
        }
    }

    fn take(&mut self, seed: u64) {
        self.digest ^= compute(seed);
        self.done += 1;
        if self.done == self.expected {
            black_box(self.digest);
            self.tally.report(self.done);
        }
    }
}

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
