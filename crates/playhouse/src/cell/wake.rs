//! The wake byte: who gives an actor its next turn when it is not the lane's own word that does.
//!
//! What it promises:
//!
//! * A wake is not lost: whatever was done before it is seen by a poll that begins after it.
//! * Of all who wake an actor that waits, one wins its turn.
//!
//! | state | meaning | a wake makes it |
//! |---|---|---|
//! | `Running` | it is in a queue or in its turn, or idle with nothing that could wake it | `Woken` |
//! | `Waiting` | its handler waits; messages do not disturb it | `Woken`, and wins the turn |
//! | `Listening` | idle, inside user code that waits for a message and perhaps for more | `Woken`, and nudges the lane |
//! | `Woken` | a wake came while it ran: it is polled once more | stays |
//!
//! Only the turn leads away from `Running` and `Woken`:
//!
//! | transition | from | to |
//! |---|---|---|
//! | [`begin_poll`](Wake::begin_poll) | any | `Running` |
//! | [`try_wait`](Wake::try_wait) | `Running` | `Waiting` |
//! | [`try_listen`](Wake::try_listen) | `Running` | `Listening` |

use crate::sync::{AtomicU8, Ordering};

/// Every write but the first is a read-modify-write, so whoever reads a wake synchronizes with all the wakes before it.
pub(crate) struct Wake(AtomicU8);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum State {
    Running,
    Waiting,
    Listening,
    Woken,
}

impl From<u8> for State {
    #[inline]
    fn from(state: u8) -> Self {
        match state {
            0 => Self::Running,
            1 => Self::Waiting,
            2 => Self::Listening,
            _ => Self::Woken,
        }
    }
}

const _: () = assert!(
    cfg!(playhouse_loom) || size_of::<Wake>() == 1,
    "every actor has one, idle ones too"
);

/// For any thread.
impl Wake {
    /// An actor begins with a turn that its creator owns.
    pub(crate) fn new() -> Self {
        Self(AtomicU8::new(State::Running as u8))
    }

    /// The actor's waker was called. `nudge` is the lane's, and is called if the lane is to decide. True: the caller has
    /// won the turn.
    #[inline]
    #[must_use = "whoever wins the turn has to schedule it"]
    pub(crate) fn wake(&self, nudge: impl FnOnce() -> bool) -> bool {
        match self.swap_woken() {
            State::Waiting => true,
            State::Listening => nudge(),
            State::Running | State::Woken => false,
        }
    }

    /// Is the handler waiting now? Read by a read-modify-write, so the answer is not of an earlier wait. Acquire pairs
    /// with `try_wait`, for what the turn wrote before.
    pub(crate) fn is_waiting(&self) -> bool {
        let waiting = State::Waiting as u8;
        self.0
            .compare_exchange(waiting, waiting, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }

    /// Makes the turn look again, after a nudge that told whether it `was_idle`. It ends like any wake: the turn may have
    /// taken that nudge and begun to listen since, and a listener that is `Woken` without a nudge hears no later wake.
    /// True: the caller has won the turn.
    #[inline]
    #[must_use = "whoever wins the turn has to schedule it"]
    pub(crate) fn rouse(&self, was_idle: bool, nudge: impl FnOnce() -> bool) -> bool {
        was_idle || self.wake(nudge)
    }

    #[inline]
    fn swap_woken(&self) -> State {
        // Release pairs with the swap in `begin_poll`, for what was done before this wake. Acquire pairs with the
        // exchange in `leave_running`: whoever wins the turn has all that the turn before it wrote.
        State::from(self.0.swap(State::Woken as u8, Ordering::AcqRel))
    }
}

/// For the owner of the turn.
impl Wake {
    /// Between a wake and the poll that sees what it was for.
    #[inline]
    pub(crate) fn begin_poll(&self) {
        // Relaxed: a wake that this misses is found when the poll pends.
        if self.0.load(Ordering::Relaxed) != State::Running as u8 {
            // Acquire pairs with the swap in `swap_woken`. Release is for nobody: the turn goes on.
            self.0.swap(State::Running as u8, Ordering::AcqRel);
        }
    }

    /// The handler waits, and the turn is given up. False: a wake has come, and it is not.
    #[inline]
    #[must_use = "the turn is given up if it is true"]
    pub(crate) fn try_wait(&self) -> bool {
        self.leave_running(State::Waiting)
    }

    /// From now on a wake nudges the lane, so that the actor may go idle. False: one has come already.
    #[inline]
    #[must_use = "a wake that has come means one more poll"]
    pub(crate) fn try_listen(&self) -> bool {
        self.leave_running(State::Listening)
    }

    #[inline]
    fn leave_running(&self, to: State) -> bool {
        // Release pairs with the swap in `swap_woken` of whoever wins the turn by it. Relaxed: after a failure the next
        // poll begins with `begin_poll`.
        self.0
            .compare_exchange(
                State::Running as u8,
                to as u8,
                Ordering::AcqRel,
                Ordering::Relaxed,
            )
            .is_ok()
    }
}

#[cfg(all(test, playhouse_loom))]
mod models;
