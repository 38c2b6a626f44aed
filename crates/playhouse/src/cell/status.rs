//! The states of an actor, and what it does next, as pure decisions.

use crate::actor::Exit;
use crate::failure::Failure;
use crate::mailbox::signals::{Orders, StopCause};

/// Kill before stop before the rest; a drain ends an actor only when `is_drained`, which is asked last because it
/// looks at the whole mailbox.
pub(crate) fn exit_now(orders: Orders, is_drained: impl FnOnce() -> bool) -> Option<Exit> {
    match orders {
        Orders { kill: true, .. } => Some(Exit::Killed),
        Orders {
            stop: Some(StopCause::Asked),
            ..
        } => Some(Exit::Stopped),
        Orders {
            stop: Some(StopCause::Shutdown),
            ..
        } => Some(Exit::Shutdown),
        Orders { drain: true, .. } if is_drained() => Some(Exit::Drained),
        _ => None,
    }
}

/// The exit of a function that returned `Ok` by itself.
pub(crate) fn exit_of_a_finished_function(orders: Orders) -> Exit {
    exit_now(orders, || true).unwrap_or(Exit::Stopped)
}

/// The order that interrupted decides; there is one, or nothing would have been interrupted.
pub(crate) fn interrupted(orders: Orders) -> Exit {
    exit_now(orders, || true).unwrap_or(Exit::Killed)
}

/// What a future that pends waits for, as far as the runtime knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum WaitsFor {
    /// Something of the user's.
    Anything,
    /// A message, in the actor's own loop.
    Message,
    /// A message, asked for by user code, which may wait for something else beside it.
    MessageOrMore,
    /// As above, from inside of something that has a waker of its own.
    MessageBehindAWaker,
    /// The other actors of the dispatcher: its turn is used up.
    Others,
}

impl From<u8> for WaitsFor {
    #[inline]
    fn from(state: u8) -> Self {
        match state {
            1 => Self::Message,
            2 => Self::MessageOrMore,
            3 => Self::MessageBehindAWaker,
            4 => Self::Others,
            _ => Self::Anything,
        }
    }
}

/// How far an incarnation has come. It only grows; the next one begins anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Phase {
    /// The factory, then `started`.
    Beginning,
    /// Messages and signals.
    Living,
    /// It has failed, and hears so.
    PreRestart,
    /// Its children end, then its state; then the next one is waited for.
    Renewing,
    /// The lane is closed; the children are waited for.
    Ending,
    /// Post-stop.
    PostStop,
    /// State dropped, name freed, everybody told.
    Over,
}

impl From<u8> for Phase {
    #[inline]
    fn from(phase: u8) -> Self {
        match phase {
            0 => Self::Beginning,
            1 => Self::Living,
            2 => Self::PreRestart,
            3 => Self::Renewing,
            4 => Self::Ending,
            5 => Self::PostStop,
            _ => Self::Over,
        }
    }
}

/// An exit without its cause, as a byte.
pub(crate) struct Ending;

impl Ending {
    pub(crate) const NOT: u8 = 0;
    const STOPPED: u8 = 1;
    const DRAINED: u8 = 2;
    pub(crate) const FAILED: u8 = 3;
    const KILLED: u8 = 4;
    const SHUTDOWN: u8 = 5;
    /// No exit: the incarnation alone is over. Never in the byte that others read.
    pub(crate) const RENEWAL: u8 = 6;
    /// The bits of the exit.
    pub(crate) const MASK: u8 = 0b111;
    /// Beside them: somebody else may have the name.
    pub(crate) const NAMELESS: u8 = 1 << 6;
    /// Beside them: the books are in the system's.
    pub(crate) const FOLDED: u8 = 1 << 7;

    pub(crate) fn of(exit: &Exit) -> u8 {
        match exit {
            Exit::Stopped => Self::STOPPED,
            Exit::Drained => Self::DRAINED,
            Exit::Failed(_) => Self::FAILED,
            Exit::Killed => Self::KILLED,
            Exit::Shutdown => Self::SHUTDOWN,
        }
    }

    /// `None`: it has not ended.
    pub(crate) fn exit(ending: u8, cause: impl FnOnce() -> Option<Failure>) -> Option<Exit> {
        match ending & Self::MASK {
            Self::STOPPED => Some(Exit::Stopped),
            Self::DRAINED => Some(Exit::Drained),
            Self::FAILED => Some(cause().map_or(Exit::Stopped, Exit::Failed)), // a failure always has its cause
            Self::KILLED => Some(Exit::Killed),
            Self::SHUTDOWN => Some(Exit::Shutdown),
            _ => None,
        }
    }
}

/// What the turn keeps in mind.
pub(crate) struct Flags;

impl Flags {
    /// Something was set aside that comes before the lane: a signal, or messages that return from the stash. Always up if
    /// the actor always looks closer, and as long as there is a receive timeout, which has to see what is taken.
    pub(crate) const ASIDE: u8 = 1;
    /// A failure was found outside of the handler's outcome.
    pub(crate) const VERDICT: u8 = 1 << 1;
    /// The function has returned, or the actor is ending: nothing comes any more.
    pub(crate) const FINISHED: u8 = 1 << 2;
    /// The question in hand has a deadline.
    pub(crate) const DEADLINE: u8 = 1 << 3;
    /// What is in hand has more to it than its handler: the next wait of a timer, a copy to deliver again.
    pub(crate) const HOOKED: u8 = 1 << 4;
    /// Others on the dispatcher come first now.
    pub(crate) const USED_UP: u8 = 1 << 5;
    /// The stage holds the factory.
    pub(crate) const HAS_CASTING: u8 = 1 << 6;
    /// The stage holds the state.
    pub(crate) const HAS_ROLE: u8 = 1 << 7;

    pub(crate) const LOOK_CLOSER: u8 = Self::ASIDE | Self::FINISHED | Self::USED_UP;
    pub(crate) const TO_SETTLE: u8 = Self::VERDICT | Self::HOOKED;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_rank_kill_stop_drain() {
        let all = Orders {
            stop: Some(StopCause::Shutdown),
            drain: true,
            kill: true,
            ..Orders::default()
        };
        assert!(matches!(exit_now(all, || true), Some(Exit::Killed)));
        let stopped = Orders { kill: false, ..all };
        assert!(matches!(exit_now(stopped, || true), Some(Exit::Shutdown)));
        let draining = Orders {
            stop: None,
            ..stopped
        };
        assert!(matches!(exit_now(draining, || true), Some(Exit::Drained)));
        assert!(exit_now(draining, || false).is_none());
        assert!(exit_now(Orders::default(), || true).is_none());
        assert!(matches!(
            exit_of_a_finished_function(Orders::default()),
            Exit::Stopped
        ));
    }

    #[test]
    fn an_exit_survives_being_a_byte() {
        let cause = || Some(Failure::from("cause"));
        for exit in [
            Exit::Stopped,
            Exit::Drained,
            Exit::Failed("cause".into()),
            Exit::Killed,
            Exit::Shutdown,
        ] {
            let byte = Ending::of(&exit) | Ending::FOLDED | Ending::NAMELESS;
            assert_eq!(
                Ending::exit(byte, cause).map(|exit| exit.to_string()),
                Some(exit.to_string())
            );
        }
        assert!(Ending::exit(Ending::FOLDED, cause).is_none());
    }
}
