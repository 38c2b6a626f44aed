//! What comes next in the life of an actor: control first, then what it set aside, then the message lane. Each slot of the
//! lane becomes what it stands for here, in the actor's own turn, where cancelled ticks and revoked watches vanish.

use super::turn::Played;
use super::{Core, status};
use crate::actor::{Exit, Message, Signal};
use crate::ask::{NoReply, Question};
use crate::clock::Deadline;
use crate::context::Context;
use crate::dead_letters;
use crate::failure::Failure;
use crate::here;
use crate::mailbox::{Envelope, Make, Slot};
use crate::stash::Stashed;
use crate::sync::{Arc, catch, yield_now};
use std::future::poll_fn;
use std::task::Poll;

/// Who wants to know what comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asking {
    /// The actor's loop, which takes signals too.
    Turn,
    /// A handler, which takes messages only.
    Handler,
}

/// What comes next in the life of an actor.
pub(crate) enum Arrival<M> {
    Message(M),
    Signal(Signal),
    Failed(Failure),
    End(Exit),
}

impl<M: Message> Context<M> {
    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.cell.core
    }

    pub(crate) fn become_function(&mut self) {
        self.is_function = true;
    }

    /// Nothing comes any more.
    pub(crate) fn finish(&mut self) {
        self.is_finished = true;
    }

    /// Waits for what comes next. After `throughput` messages, others on the dispatcher go first.
    pub(crate) async fn next(&mut self, asking: Asking) -> Arrival<M> {
        if self.messages_left_in_turn == 0 {
            yield_now().await;
            self.messages_left_in_turn = self.core().dispatcher.throughput();
        }
        poll_fn(|context| self.poll_next(asking, context)).await
    }

    /// Writes down what became of the messages in hand.
    pub(crate) fn settle<T>(&mut self, played: &Played<T>) {
        self.timers.handled();
        let in_hand = self.core().give_up_all();
        *self.core().deadline.lock() = None;
        if in_hand > 0 {
            self.core().books.note(|ledger| match played {
                Played::Done(_) => ledger.handled += in_hand,
                Played::Failed(_) => ledger.failed += in_hand,
                Played::Interrupted => ledger.interrupted += in_hand,
            });
        }
    }

    pub(crate) fn bury_stash(&mut self) {
        self.stash.bury();
    }

    /// The oldest watch first, because a drop of the user's may send.
    pub(crate) fn unwatch_all(&mut self) {
        let mut watched: Vec<_> = self.watched.drain().map(|(_, watch)| watch).collect();
        watched.sort_unstable_by_key(|watch| watch.number);
        for mut watch in watched {
            watch.who.watchers.remove(&self.cell.core);
            dead_letters::drop_in_turn(&self.cell.core, watch.make.take()); // the user's
        }
    }

    fn poll_next(&mut self, asking: Asking, context: &std::task::Context<'_>) -> Poll<Arrival<M>> {
        if let Some(arrival) = self.look(asking) {
            return Poll::Ready(arrival);
        }
        // Nothing to do: the turn is over. Listen, then look again, for what came in between rang to nobody.
        self.messages_left_in_turn = self.core().dispatcher.throughput();
        self.core().places.rest();
        self.core().bell.listen(context.waker());
        self.core().signals.listen(context.waker());
        match self.look(asking) {
            Some(arrival) => Poll::Ready(arrival),
            None => Poll::Pending,
        }
    }

    /// Control first, then the message lane.
    fn look(&mut self, asking: Asking) -> Option<Arrival<M>> {
        loop {
            let orders = self.core().signals.orders();
            if self.is_finished {
                return Some(Arrival::End(status::exit_of_a_finished_function(orders)));
            }
            let takes_signals = asking == Asking::Turn;
            let may_drain = || {
                (!takes_signals || self.set_aside.is_empty())
                    && self.stash.is_settled()
                    && self.cell.is_drained(self.stash.len())
            };
            if let Some(exit) = status::exit_now(orders, may_drain) {
                return Some(Arrival::End(exit));
            }
            if takes_signals && let Some(signal) = self.set_aside.pop_front() {
                return Some(Arrival::Signal(signal));
            }
            if let Some(Stashed { msg, deadline }) = self.stash.next() {
                self.messages_left_in_turn = self.messages_left_in_turn.saturating_sub(1);
                return Some(self.take_in_hand(msg, deadline));
            }
            if let Some(arrival) = self.open(self.cell.pop()?) {
                return Some(arrival);
            }
        }
    }

    /// Makes of a slot what it stands for. `None`: it stands for nothing any more.
    fn open(&mut self, slot: Slot<M>) -> Option<Arrival<M>> {
        self.messages_left_in_turn = self.messages_left_in_turn.saturating_sub(1);
        match slot {
            Slot::Plain(Envelope { msg, question }) => Some(self.take_question(msg, question)),
            Slot::Adapted { make, question } => Some(match self.call(make) {
                Ok(msg) => self.take_question(msg, question),
                Err(failure) => {
                    self.core().books.note(|ledger| ledger.failed += 1);
                    Arrival::Signal(Signal::AdapterFailed(failure))
                }
            }),
            Slot::Completion(make) => Some(self.take_own_result(make)),
            Slot::Tick(tick) => {
                let make = self.timers.take(tick)?;
                Some(self.take_own_result(make))
            }
            Slot::BrokenPipe(failure) => Some(Arrival::Failed(failure)),
            Slot::Terminated { who, exit } => match self.watched.remove(&who)?.make.take() {
                Some(make) => Some(self.take_own_result(Box::new(move || make(exit)))),
                None => Some(Arrival::Signal(Signal::Terminated { who, exit })),
            },
        }
    }

    fn take_question(&mut self, msg: M, question: Option<Arc<Question>>) -> Arrival<M> {
        if let Some(question) = &question {
            question.start();
        }
        self.take_in_hand(msg, question.and_then(|question| question.deadline()))
    }

    fn take_in_hand(&mut self, msg: M, deadline: Option<Deadline>) -> Arrival<M> {
        self.core().take_in_hand();
        *self.core().deadline.lock() = deadline;
        Arrival::Message(msg)
    }

    fn take_own_result(&mut self, make: Make<M>) -> Arrival<M> {
        self.core().books.note(|ledger| ledger.accepted += 1);
        match self.call(make) {
            Ok(msg) => self.take_in_hand(msg, None),
            Err(failure) => {
                self.core().books.note(|ledger| ledger.failed += 1);
                Arrival::Failed(failure)
            }
        }
    }

    /// Runs the user's function that makes the message.
    fn call(&self, make: Make<M>) -> Result<M, Failure> {
        let (made, forsaken) = here::turn(self.core(), || catch(make));
        let made = made.map_err(Failure::from_panic);
        forsaken.answer(&match &made {
            Ok(_) => NoReply::Dropped,
            Err(failure) => NoReply::Failed(failure.clone()),
        });
        made
    }
}
