//! Every interleaving of a few operations. Chunks have one slot here, so that each message crosses a boundary and the
//! chunk that was left serves again two messages later.

use super::*;
use crate::mailbox::Ticket;
use crate::sync::Arc;
use loom::thread::{self, JoinHandle};
use std::sync::atomic::{AtomicUsize as Plain, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};

/// A lane, and how many turns are owned. That is counted with a plain atomic, which loom does not see, so it orders
/// nothing for the code under test.
struct Actor {
    queue: Lone<Message>,
    turns: Plain,
    dropped: Arc<Plain>,
}

/// Knows its producer and its number, and counts its drop.
struct Message {
    producer: usize,
    number: usize,
    dropped: Arc<Plain>,
}

impl Drop for Message {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, SeqCst);
    }
}

impl Actor {
    fn new(capacity: usize) -> Arc<Self> {
        Arc::new(Self {
            queue: Lone::new(capacity),
            turns: Plain::new(1),
            dropped: Arc::default(),
        })
    }

    /// One that is idle.
    fn idle(capacity: usize) -> Arc<Self> {
        let actor = Self::new(capacity);
        assert!(actor.give_up());
        actor
    }

    fn message(&self, producer: usize, number: usize) -> Message {
        Message {
            producer,
            number,
            dropped: self.dropped.clone(),
        }
    }

    fn win(&self) {
        assert_eq!(self.turns.fetch_add(1, SeqCst), 0, "scheduled exactly once");
    }

    fn give_up(&self) -> bool {
        self.turns.store(0, SeqCst);
        // SAFETY: every model has the turn where it calls this.
        let is_idle = unsafe { self.queue.try_idle() };
        if !is_idle {
            self.turns.store(1, SeqCst);
        }
        is_idle
    }

    /// A turn: takes what there is until the actor is idle.
    fn run(&self) -> Vec<(usize, usize)> {
        let mut seen = Vec::new();
        loop {
            // SAFETY: every model has the turn where it calls this.
            while let Some(message) = unsafe { self.queue.pop() } {
                // SAFETY: as above.
                unsafe { self.queue.free() };
                seen.push((message.producer, message.number));
            }
            // SAFETY: as above.
            let _ = unsafe { self.queue.take_nudge() };
            if self.give_up() {
                return seen;
            }
            loom::thread::yield_now();
        }
    }

    /// What a push that found the actor idle leads to: the turn is had right here.
    fn act(&self, pushed: Pushed) -> Vec<(usize, usize)> {
        match pushed {
            Pushed::Queued | Pushed::Swollen => Vec::new(),
            Pushed::WasIdle => {
                self.win();
                self.run()
            }
        }
    }
}

fn spawn<R: 'static>(actor: &Arc<Actor>, act: impl FnOnce(&Actor) -> R + 'static) -> JoinHandle<R> {
    let actor = actor.clone();
    thread::spawn(move || act(&actor))
}

fn model(code: impl Fn() + Sync + Send + 'static) {
    loom::model(code);
}

/// With three threads there are too many interleavings to see all of them.
fn model_of_three(code: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(code);
}

/// Somebody who asks for a place once, on a thread of its own.
struct Waiting(JoinHandle<(bool, Arc<Rung>)>);

impl Waiting {
    fn spawn(actor: &Arc<Actor>) -> Self {
        Self(spawn(actor, |actor| {
            let (mut ticket, rung) = (None, Arc::new(Rung::default()));
            let answer = poll(actor, &mut ticket, &rung);
            (answer.is_pending(), rung)
        }))
    }

    fn is_called_if_it_waits(self) {
        let (is_waiting, rung) = self.0.join().unwrap();
        assert_eq!(is_waiting, rung.count() == 1);
    }
}

#[derive(Default)]
struct Rung(Plain);

impl Wake for Rung {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

impl Rung {
    fn count(&self) -> usize {
        self.0.load(SeqCst)
    }
}

fn poll(actor: &Actor, ticket: &mut Ticket, rung: &Arc<Rung>) -> Poll<Result<(), NoPlace>> {
    let waker = Waker::from(rung.clone());
    actor
        .queue
        .poll_reserve(ticket, &Context::from_waker(&waker))
}

#[test]
fn two_producers_and_an_actor_that_goes_idle_lose_nothing() {
    model_of_three(|| {
        let actor = Actor::new(usize::MAX);
        let produce = |producer, messages: usize| {
            spawn(&actor, move |actor| {
                let mut seen = Vec::new();
                for number in 0..messages {
                    let message = actor.message(producer, number);
                    let Ok(pushed) = actor.queue.try_push(message) else {
                        panic!("it has room");
                    };
                    seen.extend(actor.act(pushed));
                }
                seen
            })
        };
        let producers = [produce(0, 1), produce(1, 1)];
        let mut seen = actor.run();
        for producer in producers {
            seen.extend(producer.join().unwrap());
        }
        assert_eq!(seen.len(), 2);
        let all: std::collections::HashSet<_> = seen.iter().collect();
        assert_eq!(all.len(), 2);
        assert_eq!(actor.turns.load(SeqCst), 0);
        assert_eq!(actor.dropped.load(SeqCst), 2);
    });
}

#[test]
fn messages_of_one_producer_stay_in_order() {
    model(|| {
        let actor = Actor::new(usize::MAX);
        let producer = spawn(&actor, |actor| {
            let pushes = (0..4).map(|number| actor.queue.try_push(actor.message(0, number)));
            pushes
                .filter(|pushed| matches!(pushed, Ok(Pushed::Queued)))
                .count()
        });
        let mut next = 0;
        for _ in 0..3 {
            // SAFETY: the turn is this thread's all the time.
            if let Some(message) = unsafe { actor.queue.pop() } {
                assert_eq!(message.number, next);
                next += 1;
            }
        }
        assert_eq!(producer.join().unwrap(), 4, "the actor was never idle");
        let rest: Vec<_> = actor.run().iter().map(|&(_, number)| number).collect();
        assert_eq!(rest, (next..4).collect::<Vec<_>>());
    });
}

#[test]
fn a_nudge_is_seen_by_the_turn_or_wins_one() {
    model(|| {
        let actor = Actor::new(usize::MAX);
        let nudging = spawn(&actor, |actor| {
            let was_idle = actor.queue.nudge();
            if was_idle {
                actor.win();
                // SAFETY: it was just won.
                assert!(unsafe { actor.queue.take_nudge() });
            }
            was_idle
        });
        // SAFETY: the turn is this thread's.
        let was_seen_early = unsafe { actor.queue.take_nudge() };
        let is_idle = actor.give_up();
        let was_idle = nudging.join().unwrap();
        if !is_idle {
            // SAFETY: the turn is still this thread's.
            assert!(unsafe { actor.queue.take_nudge() }, "why else");
        }
        assert_eq!(was_idle, is_idle && !was_seen_early);
    });
}

#[test]
fn a_message_that_meets_the_end_comes_back_or_comes_out() {
    model(|| {
        let actor = Actor::new(usize::MAX);
        assert!(actor.queue.try_reserve().is_ok());
        let pushing = spawn(&actor, |actor| {
            let reserved = actor.queue.push_reserved(actor.message(0, 0)).is_ok();
            let outside = actor.queue.push_outside(actor.message(0, 1)).is_ok();
            usize::from(reserved) + usize::from(outside)
        });
        // SAFETY: the turn is this thread's for ever.
        let popped = usize::from(unsafe { actor.queue.pop() }.is_some());
        // SAFETY: as above.
        let rest = unsafe { actor.queue.end() }.len();
        assert_eq!(popped + rest, pushing.join().unwrap());
        assert_eq!(actor.queue.permits(), 0);
        assert_eq!(actor.dropped.load(SeqCst), 2);
    });
}

#[test]
fn a_claim_and_a_push_do_not_both_win_an_idle_actor() {
    model(|| {
        let actor = Actor::idle(usize::MAX);
        let pushing = spawn(&actor, |actor| {
            match actor.queue.try_push(actor.message(0, 0)) {
                Ok(pushed) => actor.act(pushed).len(),
                Err(_) => panic!("it has room"),
            }
        });
        let mut seen = 0;
        if actor.queue.try_claim() {
            actor.win();
            seen += actor.run().len();
        }
        seen += pushing.join().unwrap();
        assert_eq!(seen, 1);
        assert_eq!(actor.turns.load(SeqCst), 0);
    });
}

#[test]
fn no_actor_goes_idle_with_room_and_an_unwoken_waiter() {
    model(|| {
        let actor = Actor::new(1);
        assert!(actor.queue.try_push(actor.message(0, 0)).is_ok());
        let waiting = Waiting::spawn(&actor);
        assert_eq!(actor.run(), [(0, 0)]);
        waiting.is_called_if_it_waits();
    });
}

#[test]
fn no_handler_waits_with_room_and_an_unwoken_waiter() {
    model(|| {
        let actor = Actor::new(1);
        assert!(actor.queue.try_push(actor.message(0, 0)).is_ok());
        let waiting = Waiting::spawn(&actor);
        // SAFETY: the turn is this thread's.
        unsafe {
            assert!(actor.queue.pop().is_some());
            actor.queue.free();
            assert!(!actor.queue.suspend());
        }
        waiting.is_called_if_it_waits();
    });
}

#[test]
fn a_fenced_free_misses_nobody() {
    model(|| {
        let actor = Actor::new(1);
        assert!(actor.queue.try_push(actor.message(0, 0)).is_ok());
        let waiting = Waiting::spawn(&actor);
        // SAFETY: the turn is this thread's.
        unsafe {
            assert!(actor.queue.pop().is_some());
            actor.queue.free_fenced();
        }
        waiting.is_called_if_it_waits();
    });
}

#[test]
fn a_permit_that_is_released_reaches_whoever_registers_just_then() {
    model(|| {
        let actor = Actor::idle(1);
        assert!(actor.queue.try_reserve().is_ok());
        let waiting = Waiting::spawn(&actor);
        actor.queue.release();
        waiting.is_called_if_it_waits();
    });
}

#[test]
fn a_waiter_that_leaves_passes_its_wake_up_on() {
    model(|| {
        let actor = Actor::new(1);
        assert!(actor.queue.try_push(actor.message(0, 0)).is_ok());
        let (mut first, mut second) = (None, None);
        let rungs = [Arc::new(Rung::default()), Arc::new(Rung::default())];
        assert!(poll(&actor, &mut first, &rungs[0]).is_pending());
        assert!(poll(&actor, &mut second, &rungs[1]).is_pending());
        let leaving = spawn(&actor, move |actor| actor.queue.leave(&mut first));
        // SAFETY: the turn is this thread's.
        unsafe {
            assert!(actor.queue.pop().is_some());
            actor.queue.free();
        }
        leaving.join().unwrap();
        assert_eq!(rungs[1].count(), 1, "the place is for the one that stayed");
    });
}

#[test]
fn a_closed_lane_keeps_nobody_waiting() {
    model(|| {
        let actor = Actor::new(1);
        assert!(actor.queue.try_push(actor.message(0, 0)).is_ok());
        let waiting = Waiting::spawn(&actor);
        actor.queue.close_admission();
        waiting.is_called_if_it_waits();
    });
}
