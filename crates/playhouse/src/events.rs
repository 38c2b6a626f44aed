//! One hook for logs, metrics and observers. Called off the hot path only.

use crate::actor::Exit;
use crate::address::Address;
use crate::failure::Failure;
use crate::sync::{Mutex, run_quietly};
use std::collections::HashSet;

/// Something worth knowing about a running system.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A message nobody handled, or an answer nobody got.
    DeadLetter {
        /// For whom it was.
        to: Address,
        /// Its type.
        message: &'static str,
        /// Why.
        why: DeadLetterReason,
    },
    /// A handler returned `Err` or panicked.
    Failed {
        /// Whose.
        who: Address,
        /// With what.
        failure: Failure,
    },
    /// An actor has ended, and its name is free again.
    Ended {
        /// Which one.
        who: Address,
        /// Why.
        exit: Exit,
    },
    /// An ask, pipe or timer over [`limits::COMPLETIONS_PER_ACTOR`](crate::limits::COMPLETIONS_PER_ACTOR); it was
    /// answered with an error, or not started.
    TooManyCompletions {
        /// Whose.
        who: Address,
    },
}

/// Why nobody handled it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeadLetterReason {
    /// Told to a full mailbox.
    Full,
    /// The actor had ended, or takes nothing more.
    Gone,
    /// The actor stopped with the message still waiting.
    Stopped,
    /// The handler gave it to `Context::unhandled`.
    Unhandled,
    /// An answer that came when nobody waited for it any more.
    LateReply,
    /// A `Reply` was dropped without an answer.
    UnansweredReply,
    /// A job of a work pool was dropped without `done`, as often as it may be tried.
    JobFailed,
}

type Hook = Box<dyn Fn(&Event) + Send + Sync>;

/// Where events go.
pub(crate) struct Events(Hook);

impl Events {
    pub(crate) fn new(hook: Hook) -> Self {
        Self(hook)
    }

    /// A hook that panics harms nobody but itself.
    pub(crate) fn publish(&self, event: &Event) {
        run_quietly(|| (self.0)(event));
    }
}

/// Without a hook, what an operator must not miss goes to standard error; of the messages lost to one full mailbox, the
/// first.
impl Default for Events {
    fn default() -> Self {
        // Bounded by the actors alive: an actor's entry goes with its end.
        let overfull = Mutex::new(HashSet::new());
        Self(Box::new(move |event| match event {
            Event::Failed { who, failure } => eprintln!("playhouse: {who} failed: {failure}"),
            Event::DeadLetter {
                to,
                message,
                why: DeadLetterReason::Full,
            } if overfull.lock().insert(to.clone()) => {
                eprintln!(
                    "playhouse: {to} is full, a `{message}` told to it is lost; wait with `send`, refuse with \
                     `try_send`, or give it a larger `Mailbox::bounded`"
                );
            }
            Event::TooManyCompletions { who } => {
                eprintln!(
                    "playhouse: {who} has more asks and pipes under way than one actor may have"
                );
            }
            Event::Ended { who, .. } => drop(overfull.lock().remove(who)),
            _ => {}
        }))
    }
}
