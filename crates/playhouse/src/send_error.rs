//! What a sender gets back. Variants and questions answer "what should I do now?".

use crate::address::Address;
use crate::sync::Mutex;
use crate::waits::Cycle;
use std::error::Error;
use std::fmt;

/// Not delivered, and here it is again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrySendError<M> {
    /// No place: try later, or refuse.
    Full(M),
    /// The actor takes nothing more: give up.
    Closed(M),
}

impl<M> TrySendError<M> {
    /// The message.
    pub fn into_message(self) -> M {
        match self {
            Self::Full(msg) | Self::Closed(msg) => msg,
        }
    }
}

impl<M> fmt::Display for TrySendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "the mailbox is full",
            Self::Closed(_) => "the actor takes nothing more",
        })
    }
}

impl<M: fmt::Debug> Error for TrySendError<M> {}

/// Why waiting for a place ended without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoWait {
    Closed,
    SelfSend,
    Cancelled,
    Cycle(Cycle),
}

/// The message was not accepted: the actor takes nothing more, or is oneself and full
/// ([`is_self_send`](SendError::is_self_send): waiting would never end), or waits for the one that waits
/// ([`cycle`](SendError::cycle)), or the waiting actor was itself asked to stop
/// ([`is_cancelled`](SendError::is_cancelled)).
pub struct SendError<M> {
    why: NoWait,
    /// Behind a lock only so that it is `Sync` and `?` works for every message.
    message: Mutex<M>,
}

impl<M> SendError<M> {
    pub(crate) fn new(why: NoWait, message: M) -> Self {
        Self {
            why,
            message: Mutex::new(message),
        }
    }

    /// The message.
    pub fn into_message(self) -> M {
        self.message.into_inner()
    }

    /// The target is the actor whose turn this is, and it is full. See [`Context::again`](crate::Context::again).
    pub fn is_self_send(&self) -> bool {
        self.why == NoWait::SelfSend
    }

    /// The actors that wait for each other's full mailboxes, if that is why: in order, beginning and ending with the one
    /// that got this error.
    pub fn cycle(&self) -> Option<&[Address]> {
        match &self.why {
            NoWait::Cycle(cycle) => Some(cycle.path()),
            _ => None,
        }
    }

    /// A blocking wait ended because the actor that waits was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.why == NoWait::Cancelled
    }
}

impl<M> fmt::Display for SendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.why {
            NoWait::Cycle(cycle) => {
                return write!(
                    f,
                    "actors wait for places in each other's full mailboxes: {cycle}; let one of them use `try_send`, or \
                     bound what is under way by a `Budget`"
                );
            }
            NoWait::Closed => "the actor takes nothing more",
            NoWait::SelfSend => {
                "an actor cannot wait for a place in its own full mailbox; use `Context::again` or a larger mailbox"
            }
            NoWait::Cancelled => "the wait for a place was given up",
        })
    }
}

impl<M> fmt::Debug for SendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SendError({:?})", self.why)
    }
}

impl<M> Error for SendError<M> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.is_cancelled()
            .then_some(&Cancelled as &(dyn Error + 'static))
    }
}

/// A blocking wait ended by itself, because the actor that waits was asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cancelled;

impl fmt::Display for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the waiting actor was asked to stop")
    }
}

impl Error for Cancelled {}
