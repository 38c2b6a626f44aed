//! Resident memory of this process.

use crate::measure::Sample;

/// What the kernel says of this process, in KiB.
pub(crate) struct Memory {
    resident: f64,
    peak: f64,
}

impl Memory {
    pub(crate) fn now() -> Self {
        let status =
            std::fs::read_to_string("/proc/self/status").expect("memory is measured on Linux");
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
            number.expect("the kernel names it")
        };
        Self {
            resident: field("VmRSS:"),
            peak: field("VmHWM:"),
        }
    }

    pub(crate) fn since(&self, before: &Self, actors: u64, Sample(mut figures): Sample) -> Sample {
        let bytes = (self.resident - before.resident) * 1_024.0 / actors as f64;
        figures.extend([("bytes", bytes), ("peak_mib", self.peak / 1_024.0)]);
        Sample(figures)
    }
}
