//! The steps of a world, as a hash of all of them and the text of the last.

use crate::address::Address;
use crate::limits;
use crate::sync::Arc;
use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

/// Whose step it was.
#[derive(Clone)]
pub(super) enum Label {
    Actor(Address),
    /// One of many with this name, by the order of their making.
    Task(&'static str, u64),
    /// Given to the dispatcher of this name.
    Closure(Arc<str>),
    Guest,
}

impl Label {
    fn parts(&self) -> (&'static str, &str, u64) {
        match self {
            Self::Actor(address) => ("actor", address.path(), address.uid()),
            Self::Task(name, number) => ("task", name, *number),
            Self::Closure(dispatcher) => ("closure", dispatcher, 0),
            Self::Guest => ("block_on", "", 0),
        }
    }
}

struct Step {
    time: Duration,
    number: u64,
    label: Label,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, name, which) = self.label.parts();
        write!(f, "{:?} #{} {kind} {name}", self.time, self.number)?;
        if which > 0 {
            write!(f, " ({which})")
        } else {
            Ok(())
        }
    }
}

pub(super) struct Trace {
    hash: u64,
    steps: u64,
    last: VecDeque<Step>,
    is_kept: bool,
}

/// The hash is FNV-1a.
impl Default for Trace {
    fn default() -> Self {
        Self {
            hash: 0xcbf2_9ce4_8422_2325,
            steps: 0,
            last: VecDeque::new(),
            is_kept: false,
        }
    }
}

impl Trace {
    pub(super) fn note(&mut self, time: Duration, number: u64, label: Label) {
        self.steps += 1;
        let (kind, name, which) = label.parts();
        self.mix(&time.as_nanos().to_le_bytes());
        self.mix(&number.to_le_bytes());
        self.mix(kind.as_bytes());
        self.mix(name.as_bytes());
        self.mix(&which.to_le_bytes());
        if !self.is_kept && self.last.len() == limits::STEPS_REMEMBERED {
            self.last.pop_front();
        }
        self.last.push_back(Step {
            time,
            number,
            label,
        });
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    /// From now on nothing is forgotten.
    pub(super) fn keep(&mut self) {
        self.is_kept = true;
    }

    pub(super) fn lines(&self) -> Vec<String> {
        self.last.iter().map(Step::to_string).collect()
    }

    fn mix(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
