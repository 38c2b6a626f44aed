//! Time comes only from here.

use crate::sync::catch;
use std::future::Future;
use std::time::{Duration, Instant};
use tokio::runtime::{Handle, RuntimeFlavor};

/// Milliseconds.
pub const fn millis(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Seconds.
pub const fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// The time of one system: that of its Tokio runtime, so a test that pauses Tokio's clock pauses this one.
#[derive(Clone, Debug)]
pub struct Clock {
    runtime: Handle,
    /// Tokio pauses the clock of no other kind of runtime. Where it may, only the inside of the runtime knows the time, and
    /// to enter it costs as much as to look at the clock.
    may_be_paused: bool,
}

impl Clock {
    pub(crate) fn new(runtime: Handle) -> Self {
        Self {
            may_be_paused: runtime.runtime_flavor() == RuntimeFlavor::CurrentThread,
            runtime,
        }
    }

    /// The present.
    #[inline]
    pub fn now(&self) -> Instant {
        match self.may_be_paused {
            true => self.now_inside(),
            false => Instant::now(),
        }
    }

    #[cold]
    fn now_inside(&self) -> Instant {
        let _time = self.runtime.enter();
        tokio::time::Instant::now().into_std()
    }

    /// The moment `limit` from now. A limit that no clock can hold counts as thirty years.
    pub fn deadline(&self, limit: Duration) -> Deadline {
        Deadline(self.now()).later(limit)
    }

    /// The time left; zero when it has passed.
    pub fn remaining(&self, deadline: Deadline) -> Duration {
        deadline.0.saturating_duration_since(self.now())
    }

    /// Waits. Cancel safe.
    pub async fn sleep(&self, time: Duration) {
        self.sleep_until(self.deadline(time)).await
    }

    /// Tokio says only by a panic that a runtime has none.
    pub(crate) fn has_timers(&self) -> bool {
        catch(|| drop(self.sleep_until(Deadline(Instant::now())))).is_ok()
    }

    /// Works on any thread: the timer belongs to the runtime, wherever it is polled.
    pub(crate) fn sleep_until(
        &self,
        deadline: Deadline,
    ) -> impl Future<Output = ()> + Send + use<> {
        let _time = self.runtime.enter();
        tokio::time::sleep_until(deadline.0.into())
    }
}

/// A moment by which something must be done; several asks may share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Instant);

impl Deadline {
    #[cfg(all(test, playhouse_loom))]
    pub(crate) fn at(moment: Instant) -> Deadline {
        Deadline(moment)
    }

    #[inline]
    pub(crate) fn later(self, time: Duration) -> Deadline {
        const NEVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);
        Deadline(self.0.checked_add(time.min(NEVER)).unwrap_or(self.0))
    }

    /// Zero when it is not after `now`.
    #[inline]
    pub(crate) fn since(self, now: Deadline) -> Duration {
        self.0.saturating_duration_since(now.0)
    }

    /// The first moment after `now` of a schedule that has this one; those missed are skipped.
    pub(crate) fn next_on_schedule(self, every: Duration, now: Instant) -> Deadline {
        let missed = now.saturating_duration_since(self.0).as_nanos() / every.as_nanos();
        let ahead = (missed + 1) * every.as_nanos();
        let ahead = Duration::from_nanos(u64::try_from(ahead).unwrap_or(u64::MAX));
        Deadline(self.0.checked_add(ahead).unwrap_or(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_keeps_its_beat_and_skips_what_was_missed() {
        let begin = Instant::now();
        let due = Deadline(begin);
        let next = |late| due.next_on_schedule(secs(10), begin + late).0 - begin;
        assert_eq!(next(secs(0)), secs(10));
        assert_eq!(next(secs(9)), secs(10));
        assert_eq!(next(secs(10)), secs(20));
        assert_eq!(next(secs(35)), secs(40));
    }
}
