//! One of many that do a microsecond of work per message: the same for every runtime.

use crate::tally::Tally;
use std::hint::black_box;

pub(crate) const WORKERS: u64 = 32;

/// About one microsecond on the machine that the goals were set on. A fixed number of steps, not a clock, so that all
/// sides do the same.
const STEPS: u64 = 700;

/// A chain of multiplications, which no compiler can shorten and no processor can overlap.
fn compute(seed: u64) -> u64 {
    let step = |number: u64, _| {
        black_box(
            number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1),
        )
    };
    (0..STEPS).fold(seed, step)
}

/// Counts its messages and keeps a digest of what it computed.
pub(crate) struct Worker {
    done: u64,
    expected: u64,
    digest: u64,
    tally: Tally,
}

impl Worker {
    pub(crate) fn new(expected: u64, tally: Tally) -> Self {
        Self {
            done: 0,
            expected,
            digest: 0,
            tally,
        }
    }

    pub(crate) fn take(&mut self, seed: u64) {
        self.digest ^= compute(seed);
        self.done += 1;
        if self.done == self.expected {
            black_box(self.digest);
            self.tally.report(self.done);
        }
    }
}
