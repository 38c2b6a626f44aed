//! What a sample is: CPU time and wall time of the measured part, or bytes, as one JSON line.
//!
//! CPU time, user and system of the whole process, is the figure that goals are set in: on a machine that does other
//! things as well, wall time moves several times as much between rounds.

use rustix::time::{ClockId, clock_gettime};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Named figures of one run.
#[derive(Debug)]
pub(crate) struct Sample(pub(crate) Vec<(&'static str, f64)>);

impl Sample {
    /// The sample as one line. No name has a character that JSON would escape.
    pub(crate) fn line(&self, workload: &str, side: &str, workers: usize) -> String {
        let mut line =
            format!("{{\"workload\":\"{workload}\",\"side\":\"{side}\",\"workers\":{workers}");
        for (name, value) in &self.0 {
            let _ = write!(line, ",\"{name}\":{value}"); // a string takes everything
        }
        line + "}"
    }
}

/// Runs from the start of the measured part to its end.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    cpu: Duration,
    wall: Instant,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self {
            cpu: cpu(),
            wall: Instant::now(),
        }
    }

    /// Nanoseconds per operation since the start.
    pub(crate) fn stop(self, operations: u64) -> Sample {
        let (cpu, wall) = (cpu() - self.cpu, self.wall.elapsed());
        let each = |time: Duration| time.as_nanos() as f64 / operations as f64;
        Sample(vec![
            ("operations", operations as f64),
            ("cpu_ns", each(cpu)),
            ("wall_ns", each(wall)),
        ])
    }
}

/// User and system time of this process, all its threads together.
fn cpu() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}
