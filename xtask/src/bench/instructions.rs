//! `cargo xtask bench instructions`: instructions per hop of a ring, and the gate on them.
//!
//! On a shared machine CPU time moves by 10 to 30 % between rounds, and a gate that wide lets everything through. A count of
//! instructions hardly moves at all: callgrind runs the same ring twice with one worker, over two lengths, and the
//! difference is what the hops between them cost, without the start and the end of the process.

use super::{Bench, Side};
use serde_json::json;
use std::process::{Command, ExitCode};

/// Instructions that one hop of a ring may cost: what it takes today, 450, and a little air. (424 before there was a
/// watchdog, growing mailboxes and priorities; most of the difference is that the compiler calls `tell` now instead of
/// inlining it, and forcing it to inline costs more elsewhere.) The goal is 300; a bare
/// scheduler and mailbox need about 210. A Tokio task with its channel takes about 840 for the same hop.
pub const RING_HOP_INSTRUCTIONS_MAX: f64 = 460.0;

const WORKLOAD: &str = "ring-100";

/// Both long enough that every actor of the ring has started and taken many turns.
const HOPS: [u64; 2] = [20_000, 120_000];

const INSTALL: &str =
    "valgrind is needed to count instructions: apt-get install valgrind, dnf install valgrind";

pub(super) fn run(bench: &mut Bench) -> Result<ExitCode, String> {
    bench.wish.workers = 1; // several would take turns at callgrind's mercy
    let ours = per_hop(bench, Side::Playhouse)?;
    let tokio = per_hop(bench, Side::Tokio)?;
    let passes = ours <= RING_HOP_INSTRUCTIONS_MAX;
    println!(
        "instructions per hop: Playhouse {ours:.0}, Tokio {tokio:.0}, limit {RING_HOP_INSTRUCTIONS_MAX:.0}"
    );
    if passes {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("a hop takes more than RING_HOP_INSTRUCTIONS_MAX instructions");
    Ok(ExitCode::FAILURE)
}

fn per_hop(bench: &mut Bench, side: Side) -> Result<f64, String> {
    let mut counted = [0; 2];
    for (hops, count) in HOPS.iter().zip(&mut counted) {
        *count = instructions(&bench.program.command(
            WORKLOAD,
            side.name(),
            *hops,
            bench.wish.workers,
        ))?;
        bench.samples.push(json!({ "workload": WORKLOAD, "side": side.name(), "operations": hops, "instructions": *count }));
    }
    Ok(difference(HOPS, counted))
}

/// What one hop more costs.
fn difference(hops: [u64; 2], instructions: [u64; 2]) -> f64 {
    let more = instructions[1].saturating_sub(instructions[0]);
    more as f64 / (hops[1] - hops[0]) as f64
}

/// Runs `command` under callgrind.
fn instructions(command: &Command) -> Result<u64, String> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(command.get_program())
        .args(command.get_args())
        .output()
        .map_err(|error| format!("{INSTALL} ({error})"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("valgrind ended with {}: {said}", output.status));
    }
    collected(&said).ok_or_else(|| format!("callgrind did not say what it collected: {said}"))
}

/// The total that callgrind prints at the end: `==12== Collected : 123`.
fn collected(said: &str) -> Option<u64> {
    let line = said.lines().find_map(|line| line.split_once("Collected :"));
    line.and_then(|(_, number)| number.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callgrind_s_total_is_found() {
        assert_eq!(
            collected("==7== Events    : Ir\n==7== Collected : 61234\n"),
            Some(61_234)
        );
        assert_eq!(collected("==7== nothing\n"), None);
    }

    #[test]
    fn start_and_end_of_the_process_do_not_count() {
        assert!((difference([10, 30], [1_000_000, 1_004_000]) - 200.0).abs() < 1e-12);
        assert!(difference([10, 30], [5, 4]).abs() < 1e-12);
    }
}
