//! One hook for logs, metrics and observers. Called off the hot path only.

use crate::actor::Exit;
use crate::address::Address;
use crate::clock::{Clock, in_words};
use crate::dead_letter_log::{Pace, Verdict};
use crate::failure::Failure;
use crate::limits;
use crate::sync::{AtomicBool, Mutex, Ordering, run_quietly, thread_local};
use crate::system::SpawnError;
use crate::waits::Cycle;
use std::cell::RefCell;
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
    /// The next incarnation of a failed actor begins.
    Restarted {
        /// Which one.
        who: Address,
        /// What the incarnation before failed with.
        failure: Failure,
        /// How often it was restarted, this time included, without a quiet time in between.
        in_a_row: u32,
        /// How long it waited for that.
        after: Duration,
    },
    /// A message that failed its actor in each of its incarnations is given up; see
    /// [`Props::redeliver`](crate::Props::redeliver).
    Quarantined {
        /// Whose.
        who: Address,
        /// The message's type.
        message: &'static str,
        /// What each delivery failed with, the first one first.
        failures: Vec<Failure>,
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
        queued: usize,
        /// Actors that wait for a turn on this worker. Other workers may take them over.
        waiting: usize,
    },
    /// More and more messages wait in a mailbox: the actor is sent more than it handles. Reported from
    /// [`limits::MAILBOX_GROWS`](crate::limits::MAILBOX_GROWS) on, each time they have doubled.
    MailboxGrows {
        /// Whose.
        who: Address,
        /// The type of its messages.
        message: &'static str,
        /// How many wait.
        queued: usize,
    },
    /// At the shutdown: actors with [`Lifetime::Handles`](crate::Lifetime::Handles) that were alive because they hold
    /// each other's handles.
    HandleCycle {
        /// In the order in which each holds the last handle of the next one, the first of them once more at the end.
        path: Vec<Address>,
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
    /// A job of a work pool was not begun, because whoever asked for it had stopped waiting.
    JobAbandoned,
}

type Hook = Box<dyn Fn(&Event) + Send + Sync>;
type Write = Box<dyn Fn(&str) + Send + Sync>;

/// Where events go: to the hook, and as lines of text to the log.
pub(crate) struct Events {
    hook: Option<Hook>,
    log: Log,
}

/// What an operator must not miss, as lines: failures, and messages that were lost; of those lost to a full mailbox the
/// first of each actor, of all the others so many at a time.
pub(crate) struct Log {
    /// `None`: standard error, unless there is a hook.
    write: Option<Write>,
    pace: Mutex<Pace>,
    /// The system's; there is none before the system.
    clock: Option<Clock>,
    overfull: Overfull,
}

/// Actors that have lost a message to their full mailbox. Bounded by the actors alive: an entry goes with its end.
#[derive(Default)]
struct Overfull {
    actors: Mutex<HashSet<Address>>,
    /// Whether there was ever one: an end is not worth a lock as long as there was none.
    any: AtomicBool,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            hook: None,
            log: Log {
                write: None,
                pace: Mutex::new(Pace::new(
                    limits::DEAD_LETTERS_LOGGED,
                    limits::DEAD_LETTER_PAUSE,
                )),
                clock: None,
                overfull: Overfull::default(),
            },
        }
    }
}

impl Events {
    pub(crate) fn set_hook(&mut self, hook: Hook) {
        self.hook = Some(hook);
    }

    pub(crate) fn set_write(&mut self, write: Write) {
        self.log.write = Some(write);
    }

    pub(crate) fn set_pace(&mut self, limit: u32, pause: Duration) {
        self.log.pace = Mutex::new(Pace::new(limit, pause));
    }

    pub(crate) fn set_clock(&mut self, clock: Clock) {
        self.log.clock = Some(clock);
    }

    /// Tells a second hook what it tells the first. The default prints nothing more: a test looks for itself.
    #[cfg(feature = "testkit")]
    pub(crate) fn add_hook(&mut self, second: impl Fn(&Event) + Send + Sync + 'static) {
        self.hook = Some(match self.hook.take() {
            None => Box::new(second),
            Some(first) => Box::new(move |event| {
                run_quietly(|| first(event));
                second(event);
            }),
        });
    }

    /// A hook that panics harms nobody but itself.
    pub(crate) fn publish(&self, event: &Event) {
        self.tell(event);
        if self.hook.is_none() || self.log.write.is_some() {
            self.log.note(event);
        }
    }

    /// An actor has ended.
    pub(crate) fn publish_end(&self, who: &Address, exit: &Exit) {
        if self.hook.is_some() {
            let (who, exit) = (who.clone(), exit.clone());
            self.tell(&Event::Ended { who, exit });
        }
        self.log.overfull.forget(who);
    }

    /// What a hook causes while it runs is not told to it: one that tells of dead letters to an actor which is gone would
    /// never come to an end. The books have it all the same.
    fn tell(&self, event: &Event) {
        let Some(hook) = &self.hook else {
            return;
        };
        once(hook, || run_quietly(|| hook(event)));
    }
}

thread_local! {
    /// The hooks that run on this thread, by their addresses.
    static RUNNING: RefCell<Vec<*const ()>> = const { RefCell::new(Vec::new()) };
}

/// Runs a hook, unless it runs on this thread already.
fn once<T>(hook: &T, run: impl FnOnce()) {
    let hook = std::ptr::from_ref(hook).cast();
    let enter = |running: &RefCell<Vec<*const ()>>| {
        let mut running = running.borrow_mut();
        let is_new = !running.contains(&hook);
        running.extend(is_new.then_some(hook));
        is_new
    };
    // A thread that ends has lost its list, and what it still causes then is no loop.
    match RUNNING.try_with(enter) {
        Ok(true) => {
            run();
            let _ = RUNNING.try_with(|running| running.borrow_mut().pop());
        }
        Ok(false) => {}
        Err(_) => run(),
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeadLetter { to, message, why } => why.explain(f, to, message),
            Self::Failed { who, failure } => write!(f, "{who} failed: {failure}"),
            Self::Restarted {
                who,
                failure,
                in_a_row,
                after,
            } => write!(
                f,
                "{who} begins again after {after:?}, restart {in_a_row} in a row: {failure}"
            ),
            Self::Quarantined {
                who,
                message,
                failures,
            } => explain_quarantine(f, who, message, failures),
            Self::SpawnFailed { who, why } => write!(f, "{who} was not started: {why}"),
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
            Self::MailboxGrows {
                who,
                message,
                queued,
            } => write!(
                f,
                "{who} has {queued} messages of `{message}` waiting in its mailbox, and they grow; give it a \
                 `Mailbox::bounded` and `send` to it, which waits, bound what is under way by a `Budget`, or share the \
                 work in a `WorkPool`"
            ),
            Self::HandleCycle { path } => explain_handles(f, path),
            Self::Cycle { path, certain } => explain_cycle(f, path, *certain),
            Self::TooManyCompletions { who } => write!(
                f,
                "{who} has {} asks, pipes and timers under way, as many as one actor may have; start the next when one \
                 has come back",
                limits::COMPLETIONS_PER_ACTOR
            ),
        }
    }
}

fn explain_quarantine(
    f: &mut fmt::Formatter<'_>,
    who: &Address,
    message: &'static str,
    failures: &[Failure],
) -> fmt::Result {
    let times = failures.len();
    write!(
        f,
        "{who} failed {times} times with the same `{message}`, which is given up"
    )?;
    let last = failures.last();
    last.map_or(Ok(()), |last| write!(f, "; the last time: {last}"))
}

fn explain_handles(f: &mut fmt::Formatter<'_>, path: &[Address]) -> fmt::Result {
    f.write_str("actors were kept alive until the shutdown by each other's handles: ")?;
    for (n, actor) in path.iter().enumerate() {
        write!(f, "{}{actor}", if n == 0 { "" } else { " -> " })?;
    }
    f.write_str("; let one of them hold a `WeakRef`, from `ActorRef::downgrade`")
}

fn explain_cycle(f: &mut fmt::Formatter<'_>, path: &Cycle, is_certain: bool) -> fmt::Result {
    match is_certain {
        true => write!(
            f,
            "actors wait for each other in their handlers, so their waits were failed: {path}; let one of them use \
             `Context::ask`, which waits outside of the handler, or `try_send`"
        ),
        false => write!(
            f,
            "actors seem to wait for each other: {path}; nothing was failed, because one of them waits for several \
             things, or stashes what it is sent until it has an answer; let one of them answer before it asks"
        ),
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
            Self::JobAbandoned => write!(
                f,
                "a `{message}` given to {to} was not begun, because nobody waits for it any more"
            ),
        }
    }
}

impl Log {
    fn note(&self, event: &Event) {
        let must_not_be_missed = match event {
            Event::Failed { .. }
            | Event::Quarantined { .. }
            | Event::SpawnFailed { .. }
            | Event::SlowHandler { .. }
            | Event::Cycle { .. }
            | Event::MailboxGrows { .. }
            | Event::HandleCycle { .. }
            | Event::TooManyCompletions { .. } => true,
            Event::DeadLetter { to, why, .. } => return self.note_dead_letter(event, to, *why),
            Event::Restarted { .. } | Event::Ended { .. } => false,
        };
        if must_not_be_missed {
            self.write(&format!("playhouse: {event}"));
        }
    }

    fn note_dead_letter(&self, event: &Event, to: &Address, why: DeadLetterReason) {
        match why {
            // Whoever asked has been told already, and has given up or been answered.
            DeadLetterReason::LateReply | DeadLetterReason::JobAbandoned => return,
            DeadLetterReason::Full if self.overfull.is_first(to) => {
                return self.write(&format!("playhouse: {event}"));
            }
            _ => {}
        }
        let Some(clock) = &self.clock else {
            return;
        };
        let verdict = self.pace.lock().next(|| clock.deadline(Duration::ZERO));
        match verdict {
            Verdict::LeaveOut => {}
            Verdict::Write => self.write(&format!("playhouse: {event}")),
            Verdict::WriteThenPause(pause) => self.write(&format!(
                "playhouse: {event}; no more lost messages are logged for {pause:?}"
            )),
            Verdict::WriteAfterPause(left_out) => self.write(&format!(
                "playhouse: {event}; {left_out} lost messages before it were not logged"
            )),
        }
    }

    fn write(&self, line: &str) {
        match &self.write {
            Some(write) => once(write, || run_quietly(|| write(line))),
            None => eprintln!("{line}"),
        }
    }
}

impl Overfull {
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
