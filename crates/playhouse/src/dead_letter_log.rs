//! How many lost messages are worth a line: so many, then a pause, then how many were left out. A flood of them says
//! nothing that the first few did not, and writing it costs more than losing it.

use crate::clock::Deadline;
use std::time::Duration;

/// Where the count stands.
#[derive(Debug)]
pub(crate) struct Pace {
    /// Lines before a pause. Nought: never a line.
    limit: u32,
    pause: Duration,
    written: u32,
    paused_until: Option<Deadline>,
    left_out: u64,
}

/// What becomes of one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Write,
    /// And say that there is nothing more for so long.
    WriteThenPause(Duration),
    /// And say how many were left out.
    WriteAfterPause(u64),
    LeaveOut,
}

impl Pace {
    pub(crate) fn new(limit: u32, pause: Duration) -> Self {
        Self {
            limit,
            pause,
            written: 0,
            paused_until: None,
            left_out: 0,
        }
    }

    /// One more is lost. `now` is looked at only where a pause depends on it.
    pub(crate) fn next(&mut self, now: impl FnOnce() -> Deadline) -> Verdict {
        if self.limit == 0 {
            return Verdict::LeaveOut;
        }
        match self.paused_until {
            None => self.write(now),
            Some(end) if now() < end => {
                self.left_out += 1;
                Verdict::LeaveOut
            }
            Some(_) => {
                let left_out = self.left_out;
                *self = Self::new(self.limit, self.pause);
                Verdict::WriteAfterPause(left_out)
            }
        }
    }

    fn write(&mut self, now: impl FnOnce() -> Deadline) -> Verdict {
        self.written += 1;
        if self.written < self.limit {
            return Verdict::Write;
        }
        self.paused_until = Some(now().later(self.pause));
        Verdict::WriteThenPause(self.pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::secs;
    use std::time::Instant;

    #[test]
    fn after_so_many_there_is_a_pause_and_then_a_sum() {
        let begin = Deadline::at(Instant::now());
        let mut pace = Pace::new(4, secs(2));
        let mut at = |seconds: u64| pace.next(|| begin.later(secs(seconds)));
        let pause = Verdict::WriteThenPause(secs(2));
        let first = [at(0), at(0), at(0), at(0)];
        assert_eq!(
            first,
            [Verdict::Write, Verdict::Write, Verdict::Write, pause]
        );
        assert_eq!([at(0), at(1)], [Verdict::LeaveOut; 2]);
        assert_eq!(at(2), Verdict::WriteAfterPause(2));
        assert_eq!(
            [at(2), at(2), at(2), at(2)],
            [Verdict::Write, Verdict::Write, Verdict::Write, pause]
        );
    }

    #[test]
    fn with_a_limit_of_one_each_line_is_followed_by_a_pause_or_by_a_sum() {
        let begin = Deadline::at(Instant::now());
        let mut pace = Pace::new(1, secs(2));
        let mut at = |seconds: u64| pace.next(|| begin.later(secs(seconds)));
        assert_eq!(at(0), Verdict::WriteThenPause(secs(2)));
        assert_eq!(at(1), Verdict::LeaveOut);
        assert_eq!(at(3), Verdict::WriteAfterPause(1));
        assert_eq!(at(3), Verdict::WriteThenPause(secs(2)));
    }

    #[test]
    fn a_limit_of_nought_writes_nothing() {
        let mut pace = Pace::new(0, secs(0));
        assert_eq!(pace.next(|| unreachable!()), Verdict::LeaveOut);
    }
}
