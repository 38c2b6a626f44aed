//! Why there is no answer, for the program and for the person who reads it.

use crate::address::Address;
use crate::cell::Core;
use crate::clock::in_words;
use crate::failure::Failure;
use crate::send_error::Cancelled;
use crate::waits::{Chain, Cycle};
use std::error::Error;
use std::fmt;
use std::time::Duration;

/// Why there is no answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AskError {
    /// The limit, or the deadline of the message being handled, has passed.
    Timeout(TimedOut),
    /// No room, and the ask would not or must not wait for it.
    Full,
    /// The actor has ended, or takes nothing more.
    Gone(Fate),
    /// The reply was dropped.
    NoReply {
        /// Who dropped it: the actor that was asked, or the one to whom the duty was passed on.
        by: Address,
        /// The type of the request.
        message: &'static str,
        /// Why it was dropped.
        why: NoReply,
    },
    /// The actor that was asked waits, directly or through others, for the one that asks, in a handler each.
    Cycle(Cycle),
    /// A blocking wait ended because the actor that asks was itself asked to stop.
    Cancelled(Fate),
}

impl AskError {
    /// May I ask again? [`Fate::Started`] means: only if the request is idempotent.
    pub fn fate(&self) -> Fate {
        match self {
            Self::Timeout(late) => late.fate(),
            Self::Gone(fate) | Self::Cancelled(fate) => *fate,
            Self::Full => Fate::NotSent,
            Self::Cycle(_) => Fate::Started, // or not: whoever was asked may still take it
            Self::NoReply {
                why: NoReply::Unsent,
                ..
            } => Fate::NotSent,
            Self::NoReply { .. } => Fate::Started,
        }
    }
}

/// An ask that ended without an answer: whose, how long it was given, and how far the request came.
#[derive(Clone)]
pub struct TimedOut(Box<Late>);

#[derive(Clone)]
struct Late {
    fate: Fate,
    to: Address,
    message: &'static str,
    limit: Duration,
    /// Messages that were in the mailbox of whoever was asked, that of this ask too.
    queued: usize,
    /// For whom that one waited at the end.
    waits: Option<Chain>,
}

impl TimedOut {
    pub(super) fn new(
        fate: Fate,
        to: &Core,
        message: &'static str,
        limit: Duration,
        waits: Option<Chain>,
    ) -> Self {
        Self(Box::new(Late {
            fate,
            to: to.address.clone(),
            message,
            limit,
            queued: to.queued(),
            waits,
        }))
    }

    /// How far the request came, so whether it may be asked again.
    pub fn fate(&self) -> Fate {
        self.0.fate
    }

    /// Who was asked.
    pub fn to(&self) -> &Address {
        &self.0.to
    }

    /// The type of the request.
    pub fn message(&self) -> &'static str {
        self.0.message
    }

    /// The time it was given: its own limit, or what was left until the deadline of the message being handled.
    pub fn limit(&self) -> Duration {
        self.0.limit
    }
}

impl fmt::Display for TimedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Late {
            fate,
            to,
            message,
            limit,
            queued,
            waits,
        } = &*self.0;
        write!(
            f,
            "{to} did not answer a `{message}` within {}: ",
            in_words(*limit)
        )?;
        match fate {
            Fate::NotSent => write!(
                f,
                "its mailbox was full with {queued} messages; nothing was sent, so asking again is safe"
            ),
            Fate::Waiting => write!(
                f,
                "no handler has taken it yet, it is among {queued} in the mailbox; asking again is safe if the handler \
                 skips what `Reply::is_abandoned`"
            ),
            Fate::Started => {
                f.write_str("a handler has it in hand; ask again only if it may be done twice")
            }
        }?;
        match waits {
            Some(waits) => write!(f, "; {waits}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for TimedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TimedOut({:?}: {self})", self.fate())
    }
}

/// How far a request came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// No mailbox accepted it.
    NotSent,
    /// It was accepted; no handler had it in hand.
    Waiting,
    /// A handler had it in hand.
    Started,
}

/// Why a reply was dropped.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NoReply {
    /// The handler let it go.
    Dropped,
    /// The handler failed.
    Failed(Failure),
    /// The actor ended.
    Stopped,
    /// Whoever made the request dropped it before any mailbox had room for the request, which was therefore not sent.
    Unsent,
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout(late) => write!(f, "{late}"),
            Self::Full => f.write_str("the mailbox is full; nothing was sent, so asking again is safe"),
            Self::Gone(Fate::Started) => f.write_str(
                "the actor is gone: it has ended with the request in hand; ask its successor only if the request may be \
                 done twice",
            ),
            Self::Gone(fate) => write!(
                f,
                "the actor is gone: it has ended, or takes nothing more; the request was {fate}, so asking its successor \
                 is safe"
            ),
            Self::Cycle(cycle) => write!(
                f,
                "actors wait for each other in their handlers: {cycle}; let one of them use `Context::ask`, which waits \
                 outside of the handler"
            ),
            Self::NoReply { by, message, why } => {
                write!(f, "{by} will not answer a `{message}`: {why}")
            }
            Self::Cancelled(fate) => write!(
                f,
                "the asking actor was asked to stop; the request was {fate}"
            ),
        }
    }
}

impl Error for AskError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Cancelled(_) => Some(&Cancelled),
            _ => None,
        }
    }
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fate::NotSent => "not sent",
            Fate::Waiting => "waiting in the mailbox",
            Fate::Started => "started",
        })
    }
}

impl fmt::Display for NoReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoReply::Dropped => f.write_str("it dropped the reply"),
            NoReply::Failed(failure) => write!(f, "it failed: {failure}"),
            NoReply::Stopped => f.write_str("it ended"),
            NoReply::Unsent => f.write_str("the reply was dropped before the request was sent"),
        }
    }
}
