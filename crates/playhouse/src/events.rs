//! One hook for logs, metrics and observers. Called off the hot path only.

use crate::actor::Exit;
use crate::address::Address;
use crate::clock::in_words;
use crate::failure::Failure;
use crate::limits;
use crate::sync::{AtomicBool, Mutex, Ordering, run_quietly};
use crate::waits::Cycle;
use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

/// Something worth knowing about a running system. Displayed, it is one line that says who, what, and what to do.
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
    /// A handler holds a shared worker, and everybody whose turn it is next waits for it. Reported once for each turn,
    /// while the handler is still at it; see [`SystemBuilder::slow_handler`](crate::SystemBuilder::slow_handler).
    SlowHandler {
        /// Whose handler.
        who: Address,
        /// The type of its messages.
        message: &'static str,
        /// For how long it has held the worker, at least.
        age: Duration,
        /// The dispatcher whose worker it is.
        dispatcher: String,
        /// Which of its workers, counted from 1.
        worker: usize,
        /// Messages that wait in the actor's mailbox.
        queued: u64,
        /// Actors that wait for a turn on this worker. Other workers may take them over.
        waiting: usize,
    },
    /// Actors wait for each other.
    Cycle {
        /// Which, in order, and with what.
        path: Cycle,
        /// Nobody on it can move, and the waits were failed. Otherwise somebody may: a handler that waits for several
        /// things, or actors that stash until their own [`Context::ask`](crate::Context::ask) is answered.
        certain: bool,
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

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeadLetter { to, message, why } => why.explain(f, to, message),
            Self::Failed { who, failure } => write!(f, "{who} failed: {failure}"),
            Self::Ended { who, exit } => write!(f, "{who} has ended: {exit}"),
            Self::SlowHandler {
                who,
                message,
                age,
                dispatcher,
                worker,
                queued,
                waiting,
            } => write!(
                f,
                "{who} has held worker {worker} of the shared dispatcher `{dispatcher}` for {} with a `{message}`, \
                 {queued} messages wait in its mailbox and {waiting} actors behind it; move it to a dispatcher that may \
                 block, `.dispatcher(&system.dispatcher(\"blocking\")?)`, or give the work to `Context::pipe_blocking`",
                in_words(*age)
            ),
            Self::Cycle {
                path,
                certain: true,
            } => write!(
                f,
                "actors wait for each other in their handlers, so their waits were failed: {path}; let one of them use \
                 `Context::ask`, which waits outside of the handler, or `try_send`"
            ),
            Self::Cycle {
                path,
                certain: false,
            } => write!(
                f,
                "actors seem to wait for each other: {path}; nothing was failed, because one of them waits for several \
                 things, or stashes what it is sent until it has an answer; let one of them answer before it asks"
            ),
            Self::TooManyCompletions { who } => write!(
                f,
                "{who} has {} asks, pipes and timers under way, as many as one actor may have; start the next when one \
                 has come back",
                limits::COMPLETIONS_PER_ACTOR
            ),
        }
    }
}

impl DeadLetterReason {
    fn explain(
        self,
        f: &mut fmt::Formatter<'_>,
        to: &Address,
        message: &'static str,
    ) -> fmt::Result {
        match self {
            Self::Full => write!(
                f,
                "{to} is full, a `{message}` told to it is lost; wait with `send`, refuse with `try_send`, or give it a \
                 larger `Mailbox::bounded`"
            ),
            Self::Gone => write!(
                f,
                "{to} has ended or takes nothing more, a `{message}` for it is lost; `watch` tells of an end, and \
                 `send` hands back what is not accepted"
            ),
            Self::Stopped => write!(
                f,
                "{to} stopped, a `{message}` that waited in its mailbox is lost; `drain` handles what was accepted \
                 before it ends"
            ),
            Self::Unhandled => write!(f, "{to} did not handle a `{message}`"),
            Self::LateReply => write!(
                f,
                "{to} answered a `{message}` too late, nobody waits any more; ask with a longer limit, or look at \
                 `Reply::is_abandoned` before the work"
            ),
            Self::UnansweredReply => write!(
                f,
                "the `Reply` to a `{message}` asked of {to} was dropped without an answer; answer on every path, also \
                 after an error"
            ),
            Self::JobFailed => write!(
                f,
                "a `{message}` given to {to} was dropped without `done` as often as it may be tried"
            ),
        }
    }
}

impl Overfull {
    fn print(&self, event: &Event) {
        let must_not_be_missed = match event {
            Event::Failed { .. }
            | Event::TooManyCompletions { .. }
            | Event::SlowHandler { .. }
            | Event::Cycle { .. } => true,
            Event::DeadLetter { to, why, .. } => {
                *why == DeadLetterReason::Full && self.is_first(to)
            }
            Event::Ended { .. } => false,
        };
        if must_not_be_missed {
            eprintln!("playhouse: {event}");
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
