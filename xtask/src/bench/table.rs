//! The table of the workloads, as pure functions of the samples.

use super::figures::{median, spread};
use super::goals::{Goal, IDLE, Workload};
use serde_json::Value;
use std::fmt::Write as _;

/// Above this many CPU nanoseconds per nanosecond of wall time both workers shared the load. One worker alone uses one;
/// the margin is for the threads that start and wait.
const SPREAD_FROM: f64 = 1.3;

/// Who did the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The runtime.
    Playhouse,
    /// Tasks and channels by hand.
    Tokio,
}

impl Side {
    /// What the programs call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Playhouse => "playhouse",
            Self::Tokio => "tokio",
        }
    }
}

/// The samples of one round.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Ours.
    pub playhouse: Value,
    /// Tokio's.
    pub tokio: Value,
}

/// A figure of a sample; zero when it is missing, which no median hides.
pub(super) fn figure(sample: &Value, name: &str) -> f64 {
    sample[name].as_f64().unwrap_or_default()
}

/// One figure of one side in each round.
pub(super) fn rounds(pairs: &[Pair], side: Side, name: &str) -> Vec<f64> {
    let of = |pair: &Pair| match side {
        Side::Playhouse => figure(&pair.playhouse, name),
        Side::Tokio => figure(&pair.tokio, name),
    };
    pairs.iter().map(of).collect()
}

/// Tokio's figure divided by ours, within each round.
fn ratios(pairs: &[Pair], name: &str) -> Vec<f64> {
    let of = |pair: &Pair| figure(&pair.tokio, name) / figure(&pair.playhouse, name);
    pairs.iter().map(of).collect()
}

/// What the rounds of one workload come to.
struct Row<'a> {
    workload: &'a Workload,
    ours: f64,
    wall: f64,
    tokio: f64,
    ratio: f64,
    noise: f64,
}

impl<'a> Row<'a> {
    fn of(workload: &'a Workload, pairs: &[Pair]) -> Self {
        let ours = rounds(pairs, Side::Playhouse, workload.figure);
        let tokio = rounds(pairs, Side::Tokio, workload.figure);
        Self {
            workload,
            ours: median(&ours),
            wall: median(&rounds(pairs, Side::Playhouse, "wall_ns")),
            tokio: median(&tokio),
            ratio: median(&ratios(pairs, workload.figure)),
            noise: spread(&ours).max(spread(&tokio)),
        }
    }

    /// The bound that holds for this run.
    fn at_most(&self, goal: &Goal) -> f64 {
        match goal.when_spread {
            Some(spread) if self.ours > SPREAD_FROM * self.wall => spread,
            _ => goal.at_most,
        }
    }

    fn verdict(&self, goal: &Goal) -> &'static str {
        match (self.ours <= self.at_most(goal), self.ratio >= goal.ratio) {
            (true, true) => "yes",
            (true, false) => "ratio not",
            (false, true) => "CPU not",
            (false, false) => "no",
        }
    }

    fn line(&self) -> String {
        let goal = self.workload.goal.as_ref();
        let (at_most, least, met) = match goal {
            Some(goal) => (
                format!("{:.0}", self.at_most(goal)),
                format!("{:.1}", goal.ratio),
                self.verdict(goal),
            ),
            None => ("–".into(), "–".into(), "–"),
        };
        let wall = match self.workload.figure {
            "bytes" => "–".to_owned(),
            _ => short(self.wall),
        };
        format!(
            "| {:<15} | {:>13} | {wall:>7} | {:>12} | {:>5.2} | {at_most:>7} | {least:>10} | {met:<9} | {:>5.0} % |",
            self.workload.name,
            short(self.ours),
            short(self.tokio),
            self.ratio,
            self.noise * 100.0
        )
    }
}

/// Three digits are what a round repeats; below ten one of them is behind the point.
pub(super) fn short(value: f64) -> String {
    if value < 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

/// The rows, what an operation is in each, and how much the rounds moved.
///
/// # Panics
/// When a workload has no round.
#[must_use]
pub fn table(workloads: &[&Workload], all: &[Vec<Pair>]) -> String {
    let rows: Vec<Row<'_>> = workloads
        .iter()
        .zip(all)
        .map(|(workload, pairs)| Row::of(workload, pairs))
        .collect();
    let mut text = format!(
        "| {:<15} | Playhouse CPU | wall ns | {:>12} | ratio | goal ns | goal ratio | {:<9} | {:>7} |\n",
        "workload", "Tokio CPU ns", "met?", "noise"
    );
    text.push_str("|-----------------|--------------:|--------:|-------------:|------:|--------:|-----------:|-----------|--------:|\n");
    for row in &rows {
        let _ = writeln!(text, "{}", row.line());
    }
    text.push_str("\nMedians, per operation; ratio is Tokio's CPU time to ours within a round. An operation:\n");
    for row in &rows {
        let unit = if row.workload.figure == "bytes" {
            ", in resident bytes instead of CPU ns"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "  {:<15} {}{unit}",
            row.workload.name, row.workload.operation
        );
    }
    for (workload, pairs) in workloads
        .iter()
        .zip(all)
        .filter(|(workload, _)| workload.name == IDLE)
    {
        let peak = |side| median(&rounds(pairs, side, "peak_mib"));
        let _ = writeln!(
            text,
            "{:.0} {}s: at most {:.0} MiB resident, Tokio {:.0} MiB",
            figure(&pairs[0].playhouse, "operations"),
            workload.operation,
            peak(Side::Playhouse),
            peak(Side::Tokio)
        );
    }
    match all.first() {
        Some(pairs) if pairs.len() > 1 => text + &noise(&rows),
        _ => text + "noise: one round says nothing about it\n",
    }
}

fn noise(rows: &[Row<'_>]) -> String {
    let Some(worst) = rows
        .iter()
        .max_by(|one, other| one.noise.total_cmp(&other.noise))
    else {
        return String::new();
    };
    let all: Vec<f64> = rows.iter().map(|row| row.noise).collect();
    format!(
        "noise: between its rounds the noisier side moved by {:.0} % of its median, {:.0} % at most ({})\n",
        median(&all) * 100.0,
        worst.noise * 100.0,
        worst.workload.name
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const RING: Workload = Workload {
        name: "ring",
        operation: "hop",
        operations: 1,
        figure: "cpu_ns",
        goal: Some(Goal {
            at_most: 27.0,
            when_spread: Some(50.0),
            ratio: 4.0,
        }),
    };

    fn pair(ours: f64, wall: f64, tokio: f64) -> Pair {
        Pair {
            playhouse: json!({ "cpu_ns": ours, "wall_ns": wall }),
            tokio: json!({ "cpu_ns": tokio, "wall_ns": tokio }),
        }
    }

    fn verdict(ours: f64, wall: f64, tokio: f64) -> &'static str {
        let row = Row::of(&RING, &[pair(ours, wall, tokio)]);
        row.verdict(RING.goal.as_ref().unwrap())
    }

    #[test]
    fn a_goal_is_met_by_the_time_and_by_the_ratio() {
        assert_eq!(verdict(25.0, 25.0, 100.0), "yes");
        assert_eq!(verdict(25.0, 25.0, 99.0), "ratio not");
        assert_eq!(verdict(28.0, 28.0, 112.0), "CPU not");
        assert_eq!(verdict(28.0, 28.0, 100.0), "no");
    }

    #[test]
    fn when_both_workers_share_the_load_the_other_bound_holds() {
        assert_eq!(verdict(48.0, 40.0, 200.0), "CPU not");
        assert_eq!(verdict(48.0, 30.0, 200.0), "yes");
    }

    #[test]
    fn the_ratio_is_taken_within_the_rounds() {
        // The medians are 20 and 100; the rounds say 5, 5 and 2.
        let pairs = [
            pair(20.0, 20.0, 100.0),
            pair(10.0, 10.0, 50.0),
            pair(60.0, 60.0, 120.0),
        ];
        let row = Row::of(&RING, &pairs);
        assert!((row.ratio - 5.0).abs() < 1e-12);
        assert!((row.noise - 2.5).abs() < 1e-12, "{}", row.noise);
    }

    #[test]
    fn the_table_has_a_row_with_the_figures_and_the_goals() {
        let text = table(&[&RING], &[vec![pair(20.4, 21.0, 100.0); 2]]);
        let row = text.lines().nth(2).unwrap();
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        assert_eq!(
            cells[1..10],
            ["ring", "20", "21", "100", "4.90", "27", "4.0", "yes", "0 %"]
        );
        assert!(text.contains("  ring            hop\n"), "{text}");
        assert!(text.contains("0 % at most (ring)"), "{text}");
    }
}
