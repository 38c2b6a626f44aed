//! Many messages under way.

use crate::measure::{Sample, Stopwatch};
use crate::rival::{Logic, Rival, Room, Then};
use crate::tally::Tally;

/// How many send at once in a fan-in.
pub(crate) const PRODUCERS: u64 = 8;

struct Counter {
    sum: u64,
    expected: u64,
    tally: Tally,
}

impl<R: Rival> Logic<R> for Counter {
    type Msg = u64;
    async fn receive(&mut self, number: u64, _me: &R::Ref<Self>) -> Then {
        self.sum += number;
        self.expected -= 1;
        if self.expected == 0 {
            self.tally.report(self.sum);
        }
        Then::Next
    }
}

struct Producer<R: Rival> {
    counter: R::Ref<Counter>,
}

impl<R: Rival> Logic<R> for Producer<R> {
    type Msg = u64;
    async fn receive(&mut self, numbers: u64, _me: &R::Ref<Self>) -> Then {
        for number in 0..numbers {
            R::tell::<Counter>(&self.counter, number);
        }
        Then::Next
    }
}

struct PatientProducer<R: Rival> {
    counter: R::Ref<Counter>,
}

impl<R: Rival> Logic<R> for PatientProducer<R> {
    type Msg = u64;
    async fn receive(&mut self, numbers: u64, _me: &R::Ref<Self>) -> Then {
        for number in 0..numbers {
            R::send::<Counter>(&self.counter, number).await;
        }
        Then::Next
    }
}

pub(crate) async fn unbounded<R: Rival>(messages: u64, producing: u64) -> Sample {
    let make = |counter| Producer::<R> { counter };
    streamed(messages / producing, producing, Room::Unbounded, make).await
}

pub(crate) async fn bounded<R: Rival>(messages: u64) -> Sample {
    let make = |counter| PatientProducer::<R> { counter };
    streamed(messages / PRODUCERS, PRODUCERS, Room::Bounded, make).await
}

async fn streamed<R: Rival, P: Logic<R, Msg = u64>>(
    each: u64,
    producing: u64,
    room: Room,
    make: impl Fn(R::Ref<Counter>) -> P,
) -> Sample {
    let tally = Tally::of(1);
    let counter = R::spawn(
        Counter {
            sum: 0,
            expected: each * producing,
            tally: tally.clone(),
        },
        room,
    );
    let producers: Vec<_> = (0..producing)
        .map(|_| R::spawn(make(counter.clone()), Room::Bounded))
        .collect();
    let watch = Stopwatch::start();
    producers.iter().for_each(|to| R::tell::<P>(to, each));
    let sum = tally.sum().await;
    let sample = watch.stop(each * producing);
    assert_eq!(sum, producing * (each * (each - 1) / 2));
    sample
}
