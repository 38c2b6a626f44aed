//! `cargo xtask bench latency`: how long messages take when the load is fixed and below what either side can carry.

use super::figures::median;
use super::table::{Pair, Side, rounds};
use super::{Bench, machine};
use std::fmt::Write as _;
use std::process::ExitCode;

/// A tail needs more rounds than a mean does.
const ROUNDS: u64 = 9;

/// Our delay is to be at most so many times Tokio's, at the median and at the 99th percentile.
const GOAL: f64 = 1.5;

/// The workload of each load, and its messages per second, which is also how many a sample sends.
const LOADS: &[(&str, u64)] = &[
    ("latency-10k", 10_000),
    ("latency-100k", 100_000),
    ("latency-1m", 1_000_000),
];

/// The percentiles; the last is printed without a goal, because it is made of the machine's other work.
const PERCENTILES: &[(&str, &str, bool)] = &[
    ("p50", "p50_ns", true),
    ("p99", "p99_ns", true),
    ("p99.9", "p999_ns", false),
];

pub(super) fn run(bench: &mut Bench) -> Result<ExitCode, String> {
    let count = bench.wish.rounds(ROUNDS);
    let mut all: Vec<Vec<Pair>> = vec![Vec::new(); LOADS.len()];
    println!("{}", machine::load());
    for round in 1..=count {
        eprintln!("round {round} of {count}");
        for ((workload, messages), pairs) in LOADS.iter().zip(&mut all) {
            let messages = if bench.wish.quick {
                messages / 10
            } else {
                *messages
            };
            pairs.push(bench.pair(round, workload, messages)?);
        }
    }
    println!("{}\n", machine::load());
    print!("{}", table(&all));
    println!(
        "\nmedians of {count} rounds, {} workers; {}",
        bench.wish.workers,
        machine::shape()
    );
    Ok(ExitCode::SUCCESS)
}

fn table(all: &[Vec<Pair>]) -> String {
    let mut text = String::from(
        "| messages/s | delay | Playhouse ns | Tokio ns | ratio | goal | met? |\n|-----------:|-------|-------------:|---------:|------:|-----:|------|\n",
    );
    for ((_, load), pairs) in LOADS.iter().zip(all) {
        for (name, field, has_goal) in PERCENTILES {
            let (ours, tokio) = (
                rounds(pairs, Side::Playhouse, field),
                rounds(pairs, Side::Tokio, field),
            );
            let ratios: Vec<f64> = ours
                .iter()
                .zip(&tokio)
                .map(|(ours, tokio)| ours / tokio)
                .collect();
            let ratio = median(&ratios);
            let (goal, met) = match (has_goal, ratio <= GOAL) {
                (true, true) => (format!("{GOAL:.1}"), "yes"),
                (true, false) => (format!("{GOAL:.1}"), "no"),
                (false, _) => ("–".into(), "–"),
            };
            let _ = writeln!(
                text,
                "| {load:>10} | {name:<5} | {:>12.0} | {:>8.0} | {ratio:>5.2} | {goal:>4} | {met:<4} |",
                median(&ours),
                median(&tokio)
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_delay_has_a_goal_up_to_the_99th_percentile() {
        let delays = |p50: u64, p99: u64, p999: u64| json!({ "p50_ns": p50, "p99_ns": p99, "p999_ns": p999 });
        let pair = Pair {
            playhouse: delays(150, 320, 9_000),
            tokio: delays(100, 200, 1_000),
        };
        let text = table(&[vec![pair]]);
        let verdicts: Vec<&str> = text
            .lines()
            .skip(2)
            .filter_map(|row| row.rsplit('|').nth(1))
            .map(str::trim)
            .collect();
        assert_eq!(verdicts, ["yes", "no", "–"], "{text}");
    }
}
