//! One message under way at a time.

use crate::measure::{Sample, Stopwatch};
use crate::rival::{Later, Logic, Rival, Room, Then};
use crate::tally::Tally;

struct Ping<R: Rival> {
    pong: Later<R::Ref<Pong<R>>>,
    returned: u64,
    tally: Tally,
}

impl<R: Rival> Logic<R> for Ping<R> {
    type Msg = u64;
    async fn receive(&mut self, rounds_left: u64, _me: &R::Ref<Self>) -> Then {
        if rounds_left == 0 {
            self.tally.report(self.returned);
        } else {
            self.returned += 1;
            R::tell::<Pong<R>>(self.pong.get(), rounds_left);
        }
        Then::Next
    }
}

struct Pong<R: Rival> {
    ping: R::Ref<Ping<R>>,
}

impl<R: Rival> Logic<R> for Pong<R> {
    type Msg = u64;
    async fn receive(&mut self, rounds_left: u64, _me: &R::Ref<Self>) -> Then {
        R::tell::<Ping<R>>(&self.ping, rounds_left - 1);
        Then::Next
    }
}

pub(crate) async fn ping_pong<R: Rival>(rounds: u64) -> Sample {
    let tally = Tally::of(1);
    let pong = Later::new();
    let ping = R::spawn(
        Ping::<R> {
            pong: pong.clone(),
            returned: 0,
            tally: tally.clone(),
        },
        Room::Bounded,
    );
    pong.set(R::spawn(Pong::<R> { ping: ping.clone() }, Room::Bounded));
    let watch = Stopwatch::start();
    R::tell::<Ping<R>>(&ping, rounds);
    let returned = tally.sum().await;
    let sample = watch.stop(rounds);
    assert_eq!(returned, rounds);
    sample
}

struct Node<R: Rival> {
    next: Later<R::Ref<Node<R>>>,
    hops: u64,
    tally: Tally,
}

impl<R: Rival> Logic<R> for Node<R> {
    type Msg = u64;
    async fn receive(&mut self, hops_left: u64, _me: &R::Ref<Self>) -> Then {
        self.hops += 1;
        if hops_left == 0 {
            self.tally.report(self.hops);
        } else {
            R::tell::<Node<R>>(self.next.get(), hops_left - 1);
        }
        Then::Next
    }
}

pub(crate) async fn ring<R: Rival>(hops: u64, size: u64) -> Sample {
    let tally = Tally::of(1);
    let nexts: Vec<Later<R::Ref<Node<R>>>> = (0..size).map(|_| Later::new()).collect();
    let spawn = |next: &Later<_>| {
        R::spawn(
            Node::<R> {
                next: next.clone(),
                hops: 0,
                tally: tally.clone(),
            },
            Room::Bounded,
        )
    };
    let nodes: Vec<_> = nexts.iter().map(spawn).collect();
    for (place, next) in nexts.iter().enumerate() {
        next.set(nodes[(place + 1) % nodes.len()].clone());
    }
    let watch = Stopwatch::start();
    R::tell::<Node<R>>(&nodes[0], hops);
    let visits = tally.sum().await;
    let sample = watch.stop(hops);
    assert_eq!(visits, hops / size + 1);
    sample
}
