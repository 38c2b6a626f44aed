//! Actors as cheap things.

use crate::measure::{Sample, Stopwatch};
use crate::memory::Memory;
use crate::rival::{Logic, Rival, Room, Then};
use crate::tally::Tally;

/// So many are made before they are waited for.
const FORK: u64 = 1_000;

struct Parent<R: Rival> {
    forks_left: u64,
    tally: Tally,
    rival: std::marker::PhantomData<R>,
}

impl<R: Rival> Logic<R> for Parent<R> {
    type Msg = ();
    async fn receive(&mut self, (): (), me: &R::Ref<Self>) -> Then {
        if self.forks_left == 0 {
            return Then::Next;
        }
        self.forks_left -= 1;
        let fork = Tally::of(FORK);
        for number in 0..FORK {
            let child = Child::<R> {
                parent: me.clone(),
                fork: fork.clone(),
                all: self.tally.clone(),
            };
            R::tell::<Child<R>>(&R::spawn(child, Room::Bounded), number);
        }
        Then::Next
    }
}

struct Child<R: Rival> {
    parent: R::Ref<Parent<R>>,
    fork: Tally,
    all: Tally,
}

impl<R: Rival> Logic<R> for Child<R> {
    type Msg = u64;
    async fn receive(&mut self, number: u64, _me: &R::Ref<Self>) -> Then {
        if self.fork.report(number) {
            R::tell::<Parent<R>>(&self.parent, ());
        }
        self.all.report(number);
        Then::Stop
    }
}

pub(crate) async fn spawn<R: Rival>(children: u64) -> Sample {
    let forks = (children / FORK).max(1);
    let tally = Tally::of(forks * FORK);
    let parent = Parent::<R> {
        forks_left: forks,
        tally: tally.clone(),
        rival: std::marker::PhantomData,
    };
    let parent = R::spawn(parent, Room::Bounded);
    let watch = Stopwatch::start();
    R::tell::<Parent<R>>(&parent, ());
    let sum = tally.sum().await;
    let sample = watch.stop(forks * FORK);
    assert_eq!(sum, forks * (FORK * (FORK - 1) / 2));
    sample
}

struct Idle {
    tally: Tally,
}

impl<R: Rival> Logic<R> for Idle {
    type Msg = u64;
    fn started(&mut self) {
        self.tally.report(1);
    }
    async fn receive(&mut self, number: u64, _me: &R::Ref<Self>) -> Then {
        self.tally.report(number);
        Then::Next
    }
}

pub(crate) async fn idle<R: Rival>(actors: u64) -> Sample {
    let tally = Tally::of(actors);
    let before = Memory::now();
    let watch = Stopwatch::start();
    let all: Vec<R::Ref<Idle>> = (0..actors)
        .map(|_| {
            R::spawn(
                Idle {
                    tally: tally.clone(),
                },
                Room::Bounded,
            )
        })
        .collect();
    assert_eq!(tally.sum().await, actors);
    let sample = Memory::now().since(&before, actors, watch.stop(actors));
    drop(all);
    sample
}
