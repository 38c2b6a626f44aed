//! A mailbox has two lanes.
//!
//! 1. *Control* ([`signals`]): stop, drain, kill. No capacity, ahead of messages, never lost.
//! 2. *Messages* ([`queue`]): first in, first out. A message holds a place from the moment it is admitted until its
//!    handler takes it; a permit holds one without a message. Whoever finds no place stands in the [`line`].
//!    Completions and notices of ended actors travel in the same lane, in order, but hold no place: an actor is never
//!    locked out by its own results.
//!
//! With [`Mailbox::by_priority`] the turn takes everything out of the lane, still on its places, and orders it in
//! [`ranks`].
//!
//! What the rest of the crate relies on:
//!
//! * A push into a closed lane hands the slot back; whoever pushed says what became of it.
//! * Closing yields everything that was queued, once.
//! * A freed place wakes the oldest waiter that was not woken yet, and is claimed by whoever polls first. No actor goes
//!   idle, and no handler waits, while there is room and an unwoken waiter.

pub(crate) mod queue;
pub(crate) mod ranks;
pub(crate) mod signals;

mod chunk;
mod line;
#[cfg(all(test, not(playhouse_loom)))]
mod twin;
mod word;

pub(crate) use line::Ticket;
pub(crate) use queue::NoPlace;

use crate::actor::{Exit, Message};
use crate::address::Address;
use crate::ask::handles::Question;
use crate::failure::Failure;
use crate::limits;
use crate::timers::Tick;
use ranks::Level;

/// How many messages may wait, and in which order they are taken. Bounded by [`limits::MAILBOX`], first in, first out,
/// unless said otherwise.
#[derive(Debug)]
#[must_use = "it is a setting, for `Props::mailbox`"]
pub struct Mailbox<M> {
    pub(crate) places: usize,
    /// `None`: first in, first out.
    pub(crate) level: Option<Level<M>>,
}

impl<M> Clone for Mailbox<M> {
    fn clone(&self) -> Self {
        Self {
            places: self.places,
            level: self.level,
        }
    }
}

impl<M: Message> Mailbox<M> {
    /// At most `places` messages and permits. A full mailbox makes `send` wait, `try_send` fail, and a `tell` a dead
    /// letter.
    ///
    /// # Panics
    /// If `places` is zero: no message could ever pass.
    pub fn bounded(places: usize) -> Self {
        assert!(
            places > 0,
            "a mailbox without a place would never take a message; the least is 1"
        );
        Self {
            places,
            level: None,
        }
    }

    /// As many as fit in memory. Only for actors whose senders are bounded by something else.
    pub fn unbounded() -> Self {
        Self {
            places: usize::MAX,
            level: None,
        }
    }

    /// Messages of level 0 first, then of level 1, up to 255; first in, first out within a level, and so from one sender
    /// only within a level. A level is starved for as long as messages of a lower number keep coming. Calling it again
    /// replaces the function.
    ///
    /// ```
    /// use playhouse::prelude::*;
    ///
    /// enum Job { Cancel, Page(u32) }
    ///
    /// let mailbox = Mailbox::bounded(64).by_priority(|job| match job {
    ///     Job::Cancel => 0,
    ///     Job::Page(_) => 1,
    /// });
    /// # let _ = mailbox;
    /// ```
    ///
    /// * **Capacity.** As without levels: a message holds its place until its handler takes it, so a full mailbox refuses
    ///   an urgent message like any other.
    /// * **Own results.** Answers to the actor's own asks, pipes and ticks come before messages, in their own order.
    /// * **Ends.** [`Signal::Terminated`](crate::Signal) still comes after everything that arrived before it, and before
    ///   everything that arrives later, of any level.
    /// * **Adapters.** An adapter's message has the level of what its function makes, which is called in the actor's turn
    ///   when the message is ranked.
    /// * **Stash.** What is unstashed comes before the mailbox, in the order in which it was stashed.
    /// * **Panics.** `level` runs in the actor's turn, once for each message. If it panics, the message has level 255.
    pub fn by_priority(self, level: fn(&M) -> u8) -> Self {
        Self {
            level: Some(level),
            ..self
        }
    }
}

impl<M> Default for Mailbox<M> {
    fn default() -> Self {
        Self {
            places: limits::MAILBOX,
            level: None,
        }
    }
}

/// A message on its way, with the question it answers, if it is one.
pub(crate) struct Envelope<M> {
    pub(crate) msg: M,
    pub(crate) question: Option<Question>,
}

/// What the message lane holds. Small, because it is moved twice for each message: what is rare or large is boxed.
pub(crate) enum Slot<M> {
    /// A message. Holds a place.
    Plain(M),
    /// A question. Holds a place.
    Asked(Envelope<M>),
    /// A foreign message with the function of that incarnation's adapter around it, called in the receiver's turn. Holds
    /// a place.
    Adapted(u32, Box<dyn Foreign<M>>),
    /// The result of an own ask or pipe of that incarnation. Outside the capacity.
    Completion(u32, Make<M>),
    Rare(Box<Rare<M>>),
}

/// The rest of what the lane holds.
pub(crate) enum Rare<M> {
    /// A foreign question. Holds a place.
    AdaptedQuestion {
        incarnation: u32,
        make: Box<dyn Foreign<M>>,
        question: Question,
    },
    /// An own timer is due. Outside the capacity.
    Tick(Tick),
    /// Perhaps the receive timeout of that setting is over. Outside the capacity.
    Idle(u64),
    /// An own pipe that panicked or could not run. Outside the capacity.
    BrokenPipe { incarnation: u32, failure: Failure },
    /// An adapter's function that panicked when its message was ranked. Outside the capacity.
    BrokenAdapter(Failure),
    /// A watched actor ended. Outside the capacity.
    Terminated { who: Address, exit: Exit },
}

/// A message of another protocol, with the adapter's function around it.
pub(crate) trait Foreign<M>: Send {
    fn make(self: Box<Self>) -> M;
    /// Its type, as its sender knows it.
    fn message(&self) -> &'static str;
}

/// Makes the message in its receiver's turn.
pub(crate) type Make<M> = Box<dyn FnOnce() -> M + Send>;

impl<M> Slot<M> {
    #[inline]
    pub(crate) fn holding(Envelope { msg, question }: Envelope<M>) -> Self {
        match question {
            None => Slot::Plain(msg),
            question => Slot::Asked(Envelope { msg, question }),
        }
    }

    pub(crate) fn rare(rare: Rare<M>) -> Self {
        Slot::Rare(Box::new(rare))
    }

    /// The type of a message that is not of the actor's own protocol.
    pub(crate) fn foreign_message(&self) -> Option<&'static str> {
        match self {
            Slot::Adapted(_, foreign) => Some(foreign.message()),
            Slot::Rare(rare) => match &**rare {
                Rare::AdaptedQuestion { make, .. } => Some(make.message()),
                _ => None,
            },
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn holds_place(&self) -> bool {
        match self {
            Slot::Plain(_) | Slot::Asked(_) | Slot::Adapted(..) => true,
            Slot::Completion(..) => false,
            Slot::Rare(rare) => matches!(**rare, Rare::AdaptedQuestion { .. }),
        }
    }
}
