//! The control lane: what others want of an actor's life. Orders only add up; none is ever taken back but an escalation and a
//! renewal, which concern one incarnation. They travel as one
//! byte of the core, which the turn reads before each message.

/// What has been ordered so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Orders {
    pub(crate) stop: Option<StopCause>,
    pub(crate) drain: bool,
    pub(crate) kill: bool,
    /// A child has failed, and wants that its parent does. Taken back when the parent has.
    pub(crate) escalated: bool,
    /// The group wants a fresh incarnation. Taken back when that begins.
    pub(crate) renew: bool,
    /// And does not wait for the handler that is running. Taken back together.
    pub(crate) hurry: bool,
}

/// Who wants the stop; the first one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopCause {
    Asked,
    Shutdown,
}

const ASKED: u8 = 1;
const SHUTDOWN: u8 = 1 << 1;
const DRAIN: u8 = 1 << 2;
const KILL: u8 = 1 << 3;
const ESCALATED: u8 = 1 << 4;
const RENEW: u8 = 1 << 5;
const HURRY: u8 = 1 << 6;

impl Orders {
    pub(crate) fn stop(cause: StopCause) -> Self {
        Self {
            stop: Some(cause),
            ..Self::default()
        }
    }

    pub(crate) fn drain() -> Self {
        Self {
            drain: true,
            ..Self::default()
        }
    }

    pub(crate) fn kill() -> Self {
        Self {
            kill: true,
            ..Self::default()
        }
    }

    pub(crate) fn escalated() -> Self {
        Self {
            escalated: true,
            ..Self::default()
        }
    }

    pub(crate) fn renew() -> Self {
        Self {
            renew: true,
            ..Self::default()
        }
    }

    pub(crate) fn renew_in_a_hurry() -> Self {
        Self {
            hurry: true,
            ..Self::renew()
        }
    }

    /// Both.
    pub(crate) fn and(self, later: Self) -> Self {
        Self {
            stop: self.stop.or(later.stop),
            drain: self.drain || later.drain,
            kill: self.kill || later.kill,
            escalated: self.escalated || later.escalated,
            renew: self.renew || later.renew,
            hurry: self.hurry || later.hurry,
        }
    }

    /// Wants the end at once, not after what was accepted.
    #[inline]
    pub(crate) fn is_stopping(self) -> bool {
        self.stop.is_some() || self.kill
    }

    #[inline]
    pub(crate) fn from_bits(bits: u8) -> Self {
        Self {
            stop: match bits & (ASKED | SHUTDOWN) {
                0 => None,
                ASKED => Some(StopCause::Asked),
                _ => Some(StopCause::Shutdown),
            },
            drain: bits & DRAIN != 0,
            kill: bits & KILL != 0,
            escalated: bits & ESCALATED != 0,
            renew: bits & RENEW != 0,
            hurry: bits & HURRY != 0,
        }
    }

    pub(crate) fn into_bits(self) -> u8 {
        let stop = match self.stop {
            None => 0,
            Some(StopCause::Asked) => ASKED,
            Some(StopCause::Shutdown) => SHUTDOWN,
        };
        let bit = |is_set, bit| if is_set { bit } else { 0 };
        stop | bit(self.drain, DRAIN)
            | bit(self.kill, KILL)
            | bit(self.escalated, ESCALATED)
            | bit(self.renew, RENEW)
            | bit(self.hurry, HURRY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_survive_being_a_byte_and_the_first_stop_counts() {
        let all = [
            Orders::stop(StopCause::Asked),
            Orders::stop(StopCause::Shutdown),
            Orders::drain(),
            Orders::kill(),
            Orders::escalated(),
            Orders::renew(),
            Orders::renew_in_a_hurry(),
        ];
        for first in all {
            assert_eq!(Orders::from_bits(first.into_bits()), first);
            for second in all {
                let both = first.and(second);
                assert_eq!(Orders::from_bits(both.into_bits()), both);
                assert_eq!(both.stop, first.stop.or(second.stop));
            }
        }
    }
}
