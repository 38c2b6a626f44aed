//! One hook for logs, metrics and observers. Called off the hot path only.

use crate::actor::Exit;
use crate::address::Address;
use crate::failure::Failure;
use crate::sync::{AtomicBool, Mutex, Ordering, run_quietly};
use crate::system::SpawnError;
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
    /// An actor with a generated name could not be started; the reference to it was gone from the beginning.
    SpawnFailed {
        /// Which one.
        who: Address,
        /// Why.
        why: SpawnError,
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
pub(crate) enum Events {
    Hook(Hook),
    StandardError(Overfull),
}

/// Actors that have lost a message to their full mailbox. Bounded by the actors alive: an entry goes with its end.
#[derive(Default)]
pub(crate) struct Overfull {
    actors: Mutex<HashSet<Address>>,
    /// Whether there was ever one: an end is not worth a lock as long as there was none.
    any: AtomicBool,
}

impl Events {
    pub(crate) fn new(hook: Hook) -> Self {
        Self::Hook(hook)
    }

    /// A hook that panics harms nobody but itself.
    pub(crate) fn publish(&self, event: &Event) {
        match self {
            Self::Hook(hook) => run_quietly(|| hook(event)),
            Self::StandardError(overfull) => overfull.print(event),
        }
    }

    /// An actor has ended.
    pub(crate) fn publish_end(&self, who: &Address, exit: &Exit) {
        match self {
            Self::Hook(hook) => {
                let (who, exit) = (who.clone(), exit.clone());
                run_quietly(|| hook(&Event::Ended { who, exit }));
            }
            Self::StandardError(overfull) => overfull.forget(who),
        }
    }
}

/// Without a hook, what an operator must not miss goes to standard error; of the messages lost to one full mailbox, the
/// first.
impl Default for Events {
    fn default() -> Self {
        Self::StandardError(Overfull::default())
    }
}

impl Overfull {
    fn print(&self, event: &Event) {
        match event {
            Event::Failed { who, failure } => eprintln!("playhouse: {who} failed: {failure}"),
            Event::SpawnFailed { who, why } => eprintln!("playhouse: {who} was not started: {why}"),
            Event::DeadLetter {
                to,
                message,
                why: DeadLetterReason::Full,
            } if self.is_first(to) => {
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
            _ => {}
        }
    }

    fn is_first(&self, who: &Address) -> bool {
        self.any.store(true, Ordering::Release); // pairs with the load in `forget`
        self.actors.lock().insert(who.clone())
    }

    fn forget(&self, who: &Address) {
        if self.any.load(Ordering::Acquire) {
            self.actors.lock().remove(who);
        }
    }
}
