//! Time comes only from here.

use crate::host::Host;
use crate::sync::catch;
use std::future::Future;
use std::time::{Duration, Instant};

/// Milliseconds.
pub const fn millis(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Seconds.
pub const fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// For people: `10 ms`, `1.5 s`, to the millisecond where that says enough.
pub(crate) fn in_words(time: Duration) -> String {
    let whole = Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    let text = format!("{:?}", if whole.is_zero() { time } else { whole });
    let unit = text.find(char::is_alphabetic).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit);
    format!("{number} {unit}")
}

/// The time of one system: that of its Tokio runtime, so a test that pauses Tokio's clock pauses this one;
/// in a stepped system the test moves it.
#[derive(Clone, Debug)]
pub struct Clock {
    host: Host,
    /// No test can pause it: the clock of the machine is the time.
    is_real: bool,
}

impl Clock {
    pub(crate) fn new(host: Host) -> Self {
        Self {
            is_real: host.has_real_time(),
            host,
        }
    }

    /// The present.
    #[inline]
    pub fn now(&self) -> Instant {
        if self.is_real {
            return Instant::now();
        }
        self.host.now()
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

    pub(crate) fn sleep_until(
        &self,
        deadline: Deadline,
    ) -> impl Future<Output = ()> + Send + use<> {
        self.host.sleep_until(deadline.0)
    }
}

/// A moment by which something must be done; several asks may share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Instant);

impl Deadline {
    #[cfg(test)]
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
    fn a_time_in_words_is_a_number_and_a_unit() {
        assert_eq!(in_words(millis(10)), "10 ms");
        assert_eq!(in_words(millis(1_500)), "1.5 s");
        assert_eq!(in_words(Duration::from_micros(299_700)), "299 ms");
        assert_eq!(in_words(Duration::from_micros(7)), "7 µs");
        assert_eq!(in_words(Duration::ZERO), "0 ns");
    }

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
