//! Every interleaving of wakes, nudges and messages with a turn that pends, with the lane and the waits as they are.
//!
//! 1. The turn is the creator's at first, and then whoever's was told that it has won it. That there is never a second
//!    one is what is checked: a toy's `seen` is not atomic, so the checker reports two turns at once, and a turn that does
//!    not know what the one before it wrote.
#![allow(unsafe_code)]

use super::Wake;
use crate::cell::body::{Next, Pause, idle, listen, wait};
use crate::mailbox::queue::{Lone, Pushed};
use crate::sync::{Arc, AtomicBool, Ordering, UnsafeCell};
use loom::thread::{self, JoinHandle};
use std::sync::atomic::{AtomicUsize as Plain, Ordering::SeqCst};

/// What a toy's poll pends for.
#[derive(Clone, Copy)]
enum PendsFor {
    Message,
    MessageOrMore,
    Anything,
}

/// An actor that does nothing but look.
struct Toy {
    wake: Wake,
    lane: Lone<()>,
    pends_for: PendsFor,
    /// What wakes and orders are about. Relaxed, so nothing but the wake orders it.
    news: [AtomicBool; 2],
    seen: UnsafeCell<Seen>,
    /// Turns owned. The checker does not see it, so it orders nothing.
    turns: Plain,
}

// SAFETY: rule 1 for `seen`; the rest is shared by its types.
unsafe impl Sync for Toy {}
// SAFETY: as above.
unsafe impl Send for Toy {}

/// What its last poll knew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    news: [bool; 2],
    messages: usize,
}

impl Toy {
    fn new(pends_for: PendsFor) -> Arc<Self> {
        Arc::new(Self {
            wake: Wake::new(),
            lane: Lone::new(usize::MAX),
            pends_for,
            news: [AtomicBool::new(false), AtomicBool::new(false)],
            seen: UnsafeCell::new(Seen::default()),
            turns: Plain::new(1),
        })
    }

    /// Something that a wake or a rouse tells of.
    fn write(&self, which: usize) {
        self.news[which].store(true, Ordering::Relaxed);
    }

    fn wake(&self) {
        let is_won = self.wake.wake(|| self.lane.nudge());
        self.schedule_if(is_won);
    }

    fn rouse(&self) {
        let was_idle = self.lane.nudge();
        let is_won = self.wake.rouse(was_idle, || self.lane.nudge());
        self.schedule_if(is_won);
    }

    fn push(&self) {
        let pushed = self.lane.try_push(());
        self.schedule_if(matches!(pushed, Ok(Pushed::WasIdle)));
    }

    /// The turn is had right here.
    fn schedule_if(&self, is_won: bool) {
        if is_won {
            assert_eq!(self.turns.fetch_add(1, SeqCst), 0, "scheduled once");
            self.run();
        }
    }

    /// Turns, until it rests. Called by whoever owns the first of them.
    fn run(&self) {
        self.wake.begin_poll();
        loop {
            self.poll();
            self.turns.store(0, SeqCst);
            match self.pause() {
                Pause::Over(Next::Rest) => return,
                Pause::Over(_) => {
                    self.turns.store(1, SeqCst);
                    self.wake.begin_poll();
                }
                _ => self.poll_again(),
            }
        }
    }

    /// The turn was kept. What made it so may not be visible yet; that it will be, the checker must be told. Yielding each
    /// time would hide from it whatever comes of a thread that is late.
    fn poll_again(&self) {
        self.turns.store(1, SeqCst);
        if !self.lane.is_empty() {
            thread::yield_now();
        }
    }

    fn poll(&self) {
        let mut popped = 0;
        if !matches!(self.pends_for, PendsFor::Anything) {
            // SAFETY: rule 1.
            while unsafe { self.lane.pop() }.is_some() {
                popped += 1;
            }
        }
        let news = [0, 1].map(|which: usize| self.news[which].load(Ordering::Relaxed));
        // SAFETY: rule 1.
        self.seen.with_mut(|seen| unsafe {
            (*seen).news = news;
            (*seen).messages += popped;
        });
    }

    fn pause(&self) -> Pause {
        // SAFETY: rule 1.
        unsafe {
            match self.pends_for {
                PendsFor::Message => idle(&self.lane),
                PendsFor::MessageOrMore => listen(&self.wake, &self.lane),
                PendsFor::Anything => wait(&self.wake, &self.lane),
            }
        }
    }

    /// Everybody is done, and it rests.
    fn check(&self, messages: usize) {
        assert_eq!(self.turns.load(SeqCst), 0, "it rests");
        let news = [0, 1].map(|which: usize| self.news[which].load(Ordering::Relaxed));
        // SAFETY: the threads have ended.
        let seen = self.seen.with(|seen| unsafe { *seen });
        assert_eq!(seen, Seen { news, messages });
    }
}

fn spawn(toy: &Arc<Toy>, act: impl FnOnce(&Toy) + 'static) -> JoinHandle<()> {
    let toy = toy.clone();
    thread::spawn(move || act(&toy))
}

/// There are too many interleavings to see all of them.
fn bounded(preemptions: usize) -> loom::model::Builder {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 10_000;
    builder
}

/// All of these, each in a thread of its own, against a toy that begins to rest.
fn model(pends_for: PendsFor, acts: &'static [fn(&Toy)], messages: usize) {
    let builder = match acts.len() {
        1 => bounded(3),
        _ => bounded(2),
    };
    builder.check(move || {
        let toy = Toy::new(pends_for);
        let acting: Vec<_> = acts.iter().map(|act| spawn(&toy, act)).collect();
        toy.run();
        for thread in acting {
            thread.join().unwrap();
        }
        toy.check(messages);
    });
}

fn write_and_wake(toy: &Toy) {
    toy.write(0);
    toy.wake();
}

fn write_more_and_wake(toy: &Toy) {
    toy.write(1);
    toy.wake();
}

fn write_and_rouse(toy: &Toy) {
    toy.write(1);
    toy.rouse();
}

#[test]
fn a_waiting_handler_sees_what_a_wake_was_for() {
    model(PendsFor::Anything, &[write_and_wake], 0);
}

#[test]
fn a_waiting_handler_sees_what_two_wakes_were_for_and_is_scheduled_once() {
    model(
        PendsFor::Anything,
        &[write_and_wake, write_more_and_wake],
        0,
    );
}

#[test]
fn a_rouse_reaches_a_handler_that_begins_to_wait() {
    model(PendsFor::Anything, &[write_and_rouse], 0);
}

#[test]
fn a_rouse_reaches_user_code_that_begins_to_listen() {
    model(PendsFor::MessageOrMore, &[write_and_rouse], 0);
}

#[test]
fn a_rouse_reaches_an_actor_that_goes_idle() {
    model(PendsFor::Message, &[write_and_rouse], 0);
}

#[test]
fn a_rouse_and_a_wake_schedule_a_waiting_handler_once() {
    model(PendsFor::Anything, &[write_and_wake, write_and_rouse], 0);
}

#[test]
fn user_code_that_listens_sees_a_push_and_a_wake() {
    model(PendsFor::MessageOrMore, &[write_and_wake, Toy::push], 1);
}

#[test]
fn a_rouse_does_not_swallow_the_wake_of_user_code_that_listens() {
    model(
        PendsFor::MessageOrMore,
        &[write_and_wake, write_and_rouse],
        0,
    );
}

/// Its nudge came early, and was taken by the turn before the rest of it happens.
#[test]
fn a_rouse_that_comes_late_leaves_a_listener_its_wake() {
    bounded(3).check(|| {
        let toy = Toy::new(PendsFor::MessageOrMore);
        let was_idle = toy.lane.nudge();
        let rousing = spawn(&toy, move |toy| {
            let is_won = toy.wake.rouse(was_idle, || toy.lane.nudge());
            toy.schedule_if(is_won);
        });
        toy.run();
        write_and_wake(&toy);
        rousing.join().unwrap();
        toy.check(0);
    });
}
