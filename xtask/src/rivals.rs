//! `cargo xtask compare`: the runtime and Tokio beside other actor runtimes, on the workloads that each can express.
//!
//! The rivals live in `comparisons/`, a workspace of its own. All sides of a workload run one after the other, a process
//! each, and the order is turned round from round to round. The table goes into the README as it is printed; the samples
//! behind it are kept in `comparisons/results/`.

use crate::bench::{Program, WORKLOADS, Workload, built, median, spread, written};
use crate::machine;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::process::ExitCode;

const ROUNDS: u64 = 5;
const WORKERS: u64 = 2;

/// Somebody who plays the workloads.
#[derive(Debug)]
struct Side {
    name: &'static str,
    /// How the table names it.
    title: &'static str,
    /// What it cannot express.
    cannot: &'static [&'static str],
    is_rival: bool,
    /// It does one of so many operations of the others.
    one_of: u64,
}

/// The first is the measure of the others.
const SIDES: &[Side] = &[
    Side {
        name: "playhouse",
        title: "Playhouse",
        cannot: &[],
        is_rival: false,
        one_of: 1,
    },
    Side {
        name: "tokio",
        title: "Tokio by hand",
        cannot: &[],
        is_rival: false,
        one_of: 1,
    },
    Side {
        name: "actix",
        title: "actix 0.13.5",
        // No await with state in hand, and no back-pressure in a tell.
        cannot: &["fan-in-bounded", "ask", "ask-16", "ask-in-handler"],
        is_rival: true,
        one_of: 1,
    },
    Side {
        name: "kameo",
        title: "kameo 0.22.2",
        cannot: &[],
        is_rival: true,
        one_of: 1,
    },
    // Its mailboxes have no bound.
    Side {
        name: "ractor",
        title: "ractor 0.16.5",
        cannot: &["fan-in-bounded"],
        is_rival: true,
        one_of: 1,
    },
    Side {
        name: "xtra",
        title: "xtra 0.6.0",
        cannot: &[],
        is_rival: true, // Where two threads meet on its spin lock an operation can take half a millisecond.
        one_of: 20,
    },
];

/// `cargo xtask compare [NAME..] [--rounds N] [--quick]`.
///
/// # Errors
/// When an argument is not understood, a side cannot be built, or a workload fails.
pub fn run(arguments: &[String]) -> Result<ExitCode, String> {
    let wish = Wish::from(arguments)?;
    let ours = built()?;
    let rivals = Program::from_cargo(&crate::root().join("comparisons"), &["build", "--release"])?;
    let mut results = Results::new(&wish);
    for round in 1..=wish.rounds {
        eprint!("round {round} of {}:", wish.rounds);
        for workload in &wish.workloads {
            eprint!(" {}", workload.name);
            for side in order(round) {
                if side.cannot.contains(&workload.name) {
                    continue;
                }
                let program = if side.is_rival { &rivals } else { &ours };
                let sample = program.sample(
                    workload.name,
                    side.name,
                    wish.operations(workload, side),
                    WORKERS,
                )?;
                results.add(round, sample);
            }
        }
        eprintln!();
    }
    print!("{}", results.table());
    println!(
        "\nmedians of {} rounds, {WORKERS} workers; {}",
        wish.rounds,
        machine::shape()
    );
    if !wish.quick {
        results.keep()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// There and back, so that nobody always runs after the same neighbour or on the same end.
fn order(round: u64) -> Vec<&'static Side> {
    let mut sides: Vec<&Side> = SIDES.iter().collect();
    if round.is_multiple_of(2) {
        sides.reverse();
    }
    sides
}

/// What the command line asked for.
#[derive(Debug)]
struct Wish {
    workloads: Vec<&'static Workload>,
    rounds: u64,
    quick: bool,
}

impl Wish {
    fn from(arguments: &[String]) -> Result<Self, String> {
        let mut wish = Self {
            workloads: Vec::new(),
            rounds: ROUNDS,
            quick: false,
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--quick" => (wish.quick, wish.rounds) = (true, 1),
                "--rounds" => {
                    let value = rest.next().ok_or("--rounds needs a value")?;
                    let rounds = value.parse().ok().filter(|rounds| *rounds > 0);
                    wish.rounds = rounds
                        .ok_or_else(|| format!("--rounds needs a number above 0, not {value:?}"))?;
                }
                name => {
                    let known = WORKLOADS.iter().find(|workload| workload.name == name);
                    let known = known.ok_or_else(|| {
                        format!("there is no workload or option {name}; there are --rounds, --quick and the workloads of bench")
                    })?;
                    wish.workloads.push(known);
                }
            }
        }
        if wish.workloads.is_empty() {
            wish.workloads = WORKLOADS.iter().collect();
        }
        Ok(wish)
    }

    /// Fewer than `bench` takes: the slowest rival needs twenty times as long for one.
    fn operations(&self, workload: &Workload, side: &Side) -> u64 {
        let all = workload.operations / if self.quick { 50 } else { 5 };
        match workload.figure {
            "bytes" => all,
            _ => all / side.one_of,
        }
    }
}

/// Every sample, and which workloads the table has.
struct Results {
    workloads: Vec<&'static Workload>,
    samples: Vec<Value>,
}

impl Results {
    fn new(wish: &Wish) -> Self {
        Self {
            workloads: wish.workloads.clone(),
            samples: Vec::new(),
        }
    }

    fn add(&mut self, round: u64, mut sample: Value) {
        sample["round"] = round.into();
        self.samples.push(sample);
    }

    /// The figure of one side in each round.
    fn rounds(&self, workload: &Workload, side: &Side) -> Vec<f64> {
        let of =
            |sample: &&Value| sample["workload"] == workload.name && sample["side"] == side.name;
        self.samples
            .iter()
            .filter(of)
            .filter_map(|sample| sample[workload.figure].as_f64())
            .collect()
    }

    /// Markdown: a row per workload, a column per side, and how many times ours each figure is.
    fn table(&self) -> String {
        let titles: Vec<&str> = SIDES.iter().map(|side| side.title).collect();
        let mut text = format!(
            "| CPU ns per operation | {} | noise |\n|---|",
            titles.join(" | ")
        );
        text.push_str(&"---:|".repeat(SIDES.len() + 1));
        text.push('\n');
        for workload in &self.workloads {
            let all: Vec<Vec<f64>> = SIDES
                .iter()
                .map(|side| self.rounds(workload, side))
                .collect();
            let cells: Vec<String> = all.iter().map(|rounds| cell(rounds, &all[0])).collect();
            let noise = all
                .iter()
                .filter(|rounds| !rounds.is_empty())
                .map(|rounds| spread(rounds))
                .fold(0.0, f64::max);
            let _ = writeln!(
                text,
                "| {} | {} | {:.0} % |",
                label(workload),
                cells.join(" | "),
                noise * 100.0
            );
        }
        text
    }

    fn keep(&self) -> Result<(), String> {
        let path = crate::root().join("comparisons/results/latest.json");
        written(
            &path,
            &json!({ "machine": machine::shape(), "samples": self.samples }),
        )?;
        println!("every sample: {}", path.display());
        Ok(())
    }
}

fn label(workload: &Workload) -> String {
    match workload.figure {
        "bytes" => format!("{} (bytes per {})", workload.name, workload.operation),
        _ => format!("{} ({})", workload.name, workload.operation),
    }
}

/// The median, and the median of the ratios to ours within the rounds.
fn cell(rounds: &[f64], ours: &[f64]) -> String {
    if rounds.is_empty() {
        return "–".to_owned();
    }
    let figure = median(rounds);
    let figure = if figure < 10.0 {
        format!("{figure:.1}")
    } else {
        format!("{figure:.0}")
    };
    if rounds == ours {
        return figure;
    }
    let ratios: Vec<f64> = rounds
        .iter()
        .zip(ours)
        .map(|(rival, ours)| rival / ours)
        .collect();
    format!("{figure} ({:.1}×)", median(&ratios))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_turned_round() {
        let names = |round| {
            order(round)
                .iter()
                .map(|side| side.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(names(1)[0], "playhouse");
        assert_eq!(names(2).last(), names(1).first());
    }

    #[test]
    fn a_cell_has_the_median_and_the_ratio_within_the_rounds() {
        let ours = [10.0, 20.0, 30.0];
        assert_eq!(cell(&ours, &ours), "20");
        assert_eq!(cell(&[30.0, 60.0, 60.0], &ours), "60 (3.0×)");
        assert_eq!(cell(&[], &ours), "–");
    }

    #[test]
    fn the_table_has_a_row_for_each_workload_and_a_dash_for_what_a_rival_cannot() {
        let wish = Wish::from(&crate::words(&["fan-in-bounded"])).unwrap();
        let mut results = Results::new(&wish);
        for (side, figure) in [
            ("playhouse", 20.0),
            ("tokio", 100.0),
            ("kameo", 400.0),
            ("xtra", 500.0),
        ] {
            results.add(
                1,
                json!({ "workload": "fan-in-bounded", "side": side, "cpu_ns": figure }),
            );
        }
        let table = results.table();
        let row = table.lines().nth(2).unwrap();
        assert_eq!(
            row,
            "| fan-in-bounded (message) | 20 | 100 (5.0×) | – | 400 (20.0×) | – | 500 (25.0×) | 0 % |"
        );
    }

    #[test]
    fn the_command_line_is_understood() {
        let wish = Wish::from(&crate::words(&["ask", "--rounds", "3"])).unwrap();
        assert_eq!((wish.workloads.len(), wish.rounds), (1, 3));
        assert_eq!(Wish::from(&[]).unwrap().workloads.len(), WORKLOADS.len());
        assert!(
            Wish::from(&crate::words(&["--rounds", "0"]))
                .unwrap_err()
                .contains("above 0")
        );
        assert!(
            Wish::from(&crate::words(&["--fast"]))
                .unwrap_err()
                .contains("--fast")
        );
    }
}
