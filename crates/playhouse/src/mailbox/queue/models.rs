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
fn own_09_a_woken_sender_that_is_dropped_passes_its_wake_up_on() {
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

/// Two senders at once, into a turn that takes what it finds meanwhile.
#[test]
fn own_01_the_messages_of_each_sender_stay_in_order() {
    model_of_three(|| {
        let actor = Actor::new(usize::MAX);
        let send = |sender, messages: usize| {
            spawn(&actor, move |actor| {
                for number in 0..messages {
                    let pushed = actor.queue.try_push(actor.message(sender, number));
                    assert!(matches!(pushed, Ok(Pushed::Queued)), "it is never idle");
                }
            })
        };
        let senders = [send(0, 2), send(1, 2)];
        let mut seen = Vec::new();
        for _ in 0..2 {
            // SAFETY: the turn is this thread's all the time.
            seen.extend(unsafe { actor.queue.pop() }.map(|one| (one.producer, one.number)));
        }
        for sender in senders {
            sender.join().unwrap();
        }
        seen.extend(actor.run());
        for sender in 0..2 {
            let of_one = seen.iter().filter(|(who, _)| *who == sender);
            assert!(of_one.map(|&(_, number)| number).eq(0..2), "{seen:?}");
        }
    });
}

/// The one place is taken all the time. Whoever has a result for the actor, and whoever orders it to stop, waits for
/// nobody; and none of it takes or gives a place.
#[test]
fn own_03_a_full_mailbox_takes_completions_and_orders() {
    model_of_three(|| {
        let actor = Actor::new(1);
        assert!(actor.queue.try_reserve().is_ok());
        let completes = spawn(&actor, |actor| {
            let Ok(pushed) = actor.queue.push_outside(actor.message(0, 0)) else {
                panic!("it has not ended");
            };
            if pushed == Pushed::WasIdle {
                actor.win();
            }
            pushed == Pushed::WasIdle
        });
        let orders = spawn(&actor, |actor| {
            let was_idle = actor.queue.nudge();
            if was_idle {
                actor.win();
            }
            was_idle
        });
        // SAFETY: the turn is this thread's until it is given up. The message holds no place, so none is freed.
        let (mut was_noticed, mut seen) = unsafe {
            let seen = actor.queue.pop().map(|one| one.number);
            (actor.queue.take_nudge(), Vec::from_iter(seen))
        };
        let is_idle = actor.give_up();
        let won = [completes.join().unwrap(), orders.join().unwrap()];
        if !is_idle || won.contains(&true) {
            // SAFETY: the turn was kept or won, and nobody else is left.
            unsafe {
                was_noticed |= actor.queue.take_nudge();
                seen.extend(actor.queue.pop().map(|one| one.number));
            }
        }
        assert!(was_noticed, "the order, by one turn or the other");
        assert_eq!(seen, [0], "the completion, once");
        assert!(matches!(actor.queue.try_reserve(), Err(NoPlace::Full)));
        assert_eq!(actor.queue.taken(), 1, "neither took a place nor gave one");
    });
}

/// One message may be handled before the stop is seen; of the others, each is buried or handed back.
#[test]
fn own_08_a_stop_buries_what_was_accepted_each_once() {
    model(|| {
        let actor = Actor::new(2);
        assert!(actor.queue.try_reserve().is_ok());
        let sends = spawn(&actor, |actor| {
            let plain = actor.queue.try_push(actor.message(0, 0)).is_ok();
            let reserved = actor.queue.push_reserved(actor.message(0, 1)).is_ok();
            usize::from(plain) + usize::from(reserved)
        });
        let mut is_ordered = false;
        let was_idle = actor.queue.close_and_nudge(&mut || is_ordered = true);
        assert!(is_ordered && !was_idle);
        // SAFETY: the turn is this thread's for ever.
        let handled = usize::from(unsafe { actor.queue.pop() }.is_some());
        // SAFETY: as above.
        let buried = unsafe { actor.queue.end() };
        assert!(buried.is_sorted_by_key(|message| message.number));
        assert_eq!(handled + buried.len(), sends.join().unwrap(), "accepted");
        drop(buried);
        assert_eq!(actor.dropped.load(SeqCst), 2, "each once, wherever it went");
    });
}

/// A message and a permit are out when the drain begins: it ends only after both have come.
#[test]
fn own_08_a_drain_handles_what_was_accepted() {
    model(|| {
        let actor = Actor::new(2);
        assert!(actor.queue.try_reserve().is_ok());
        let sends = spawn(&actor, |actor| {
            let plain = actor.queue.try_push(actor.message(0, 0)).is_ok();
            assert!(actor.queue.push_reserved(actor.message(0, 1)).is_ok());
            usize::from(plain) + 1
        });
        actor.queue.close_admission();
        let (mut handled, mut sends) = (0, Some(sends));
        let mut accepted = 0;
        let is_drained = || actor.queue.taken() == 0 && actor.queue.is_empty();
        // A few looks while the sender is at it, and one more when it is done.
        for look in 0..4 {
            if is_drained() {
                break;
            }
            if look == 2 {
                accepted = sends.take().map_or(0, |sends| sends.join().unwrap());
            }
            // SAFETY: the turn is this thread's for ever.
            while unsafe { actor.queue.pop() }.is_some() {
                handled += 1;
                // SAFETY: as above.
                unsafe { actor.queue.free() };
            }
        }
        assert!(is_drained());
        // SAFETY: as above.
        assert!(unsafe { actor.queue.end() }.is_empty(), "nothing is buried");
        accepted += sends.map_or(0, |sends| sends.join().unwrap());
        assert_eq!(handled, accepted);
        assert_eq!(actor.dropped.load(SeqCst), 2);
    });
}

/// They stand in front, are woken for the only place, and neither come nor go.
#[test]
fn own_09_senders_that_are_woken_and_never_polled_keep_nobody_out() {
    model(|| {
        let actor = Actor::new(1);
        assert!(actor.queue.try_push(actor.message(0, 0)).is_ok());
        let rungs = [Arc::new(Rung::default()), Arc::new(Rung::default())];
        for rung in &rungs {
            assert!(poll(&actor, &mut None, rung).is_pending());
        }
        let asks = spawn(&actor, |actor| {
            let (mut ticket, rung) = (None, Arc::new(Rung::default()));
            let answer = poll(actor, &mut ticket, &rung);
            (answer, ticket, rung)
        });
        assert_eq!(actor.run(), [(0, 0)]);
        let (answer, mut ticket, other) = asks.join().unwrap();
        if answer.is_pending() {
            assert!(rungs.iter().all(|rung| rung.count() == 1), "they were told");
            assert_eq!(other.count(), 1, "so was the one behind them");
            let again = poll(&actor, &mut ticket, &other);
            assert!(matches!(again, Poll::Ready(Ok(()))), "the place is free");
        }
        assert_eq!(actor.queue.permits(), 1);
    });
}
