//! `cargo xtask bench`: the runtime beside the same programs written with Tokio's tasks and channels by hand.
//!
//! A sample is one process. The two sides of a workload run one after the other, and change their order from round to
//! round, so that what else the machine does falls on both alike; the ratio is taken within a round and its median is what
//! counts. No bench fails because of a time: time is for people to judge. The one gate is `instructions`, which counts.

mod fairness;
mod figures;
mod goals;
mod instructions;
mod latency;
mod program;
mod table;

use crate::machine;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub use figures::{median, spread};
pub use goals::{Goal, WORKLOADS, Workload};
pub use instructions::RING_HOP_INSTRUCTIONS_MAX;
pub use program::{Program, built};
pub use table::{Pair, Side, table};

/// `cargo xtask bench [NAME.. | latency | fairness | instructions] [--rounds N] [--quick] [--workers N] [--idle N]
/// [--json FILE]`.
///
/// # Errors
/// When an argument is not understood, the workloads cannot be built, or one of them fails.
pub fn run(arguments: &[String]) -> Result<ExitCode, String> {
    let wish = Wish::from(arguments)?;
    let mut bench = Bench {
        program: built()?,
        samples: Vec::new(),
        wish,
    };
    let outcome = match bench.wish.what {
        What::Workloads => workloads(&mut bench)?,
        What::Latency => latency::run(&mut bench)?,
        What::Fairness => fairness::run(&mut bench)?,
        What::Instructions => instructions::run(&mut bench)?,
    };
    bench.keep()?;
    Ok(outcome)
}

/// What the command line asked for.
#[derive(Debug, PartialEq, Eq)]
struct Wish {
    what: What,
    /// Names of workloads; all of them when there is none.
    names: Vec<String>,
    rounds: Option<u64>,
    /// A tenth of the operations and fewer rounds: to see that everything runs, not to learn how fast.
    quick: bool,
    workers: u64,
    /// How many actors the workload `idle` keeps.
    idle: Option<u64>,
    json: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Workloads,
    Latency,
    Fairness,
    Instructions,
}

impl What {
    fn of(name: &str) -> Option<Self> {
        match name {
            "latency" => Some(Self::Latency),
            "fairness" => Some(Self::Fairness),
            "instructions" => Some(Self::Instructions),
            _ => None,
        }
    }

    /// The name of the file that the samples are kept in.
    fn name(self) -> &'static str {
        match self {
            Self::Workloads => "workloads",
            Self::Latency => "latency",
            Self::Fairness => "fairness",
            Self::Instructions => "instructions",
        }
    }
}

impl Wish {
    fn from(arguments: &[String]) -> Result<Self, String> {
        let mut wish = Self {
            what: What::Workloads,
            names: Vec::new(),
            rounds: None,
            quick: false,
            workers: goals::WORKERS,
            idle: None,
            json: None,
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if argument == "--quick" {
                wish.quick = true;
            } else if argument.starts_with("--") {
                let value = rest
                    .next()
                    .ok_or_else(|| format!("{argument} needs a value"))?;
                wish.set(argument, value)?;
            } else if let Some(what) = What::of(argument) {
                wish.what = what;
            } else if WORKLOADS.iter().any(|workload| workload.name == argument) {
                wish.names.push(argument.clone());
            } else {
                return Err(unknown(argument));
            }
        }
        if wish.what != What::Workloads && !wish.names.is_empty() {
            return Err(format!(
                "{} takes no workload; leave {} out",
                wish.what.name(),
                wish.names.join(", ")
            ));
        }
        Ok(wish)
    }

    fn set(&mut self, option: &str, value: &str) -> Result<(), String> {
        let number = || match value.parse::<u64>() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(format!("{option} needs a number above 0, not {value:?}")),
        };
        match option {
            "--rounds" => self.rounds = Some(number()?),
            "--workers" => self.workers = number()?,
            "--idle" => self.idle = Some(number()?),
            "--json" => self.json = Some(value.into()),
            other => {
                return Err(format!(
                    "there is no option {other}; there are --rounds, --quick, --workers, --idle and --json"
                ));
            }
        }
        Ok(())
    }

    fn rounds(&self, usual: u64) -> u64 {
        self.rounds.unwrap_or(if self.quick { 1 } else { usual })
    }

    fn wants(&self, workload: &Workload) -> bool {
        self.names.is_empty() || self.names.iter().any(|name| name == workload.name)
    }

    fn operations(&self, workload: &Workload) -> u64 {
        match self.idle {
            Some(actors) if workload.name == goals::IDLE => actors,
            _ if self.quick => workload.operations / 10,
            _ => workload.operations,
        }
    }
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> = WORKLOADS.iter().map(|workload| workload.name).collect();
    format!(
        "there is no workload {name}; there are {}; and latency, fairness, instructions",
        names.join(", ")
    )
}

/// What is measured, and everything measured so far.
struct Bench {
    program: Program,
    samples: Vec<Value>,
    wish: Wish,
}

impl Bench {
    /// One process; its sample is kept.
    fn sample(
        &mut self,
        round: u64,
        workload: &str,
        side: Side,
        operations: u64,
    ) -> Result<Value, String> {
        let mut sample =
            self.program
                .sample(workload, side.name(), operations, self.wish.workers)?;
        sample["round"] = round.into();
        self.samples.push(sample.clone());
        Ok(sample)
    }

    /// One process of each side, in the order of the round.
    fn pair(&mut self, round: u64, workload: &str, operations: u64) -> Result<Pair, String> {
        let mut take = |side| self.sample(round, workload, side, operations);
        if round % 2 == 1 {
            let playhouse = take(Side::Playhouse)?;
            Ok(Pair {
                playhouse,
                tokio: take(Side::Tokio)?,
            })
        } else {
            let tokio = take(Side::Tokio)?;
            Ok(Pair {
                playhouse: take(Side::Playhouse)?,
                tokio,
            })
        }
    }

    /// Writes every sample where the next reader looks for it, and where the command line said.
    fn keep(&self) -> Result<(), String> {
        let kept = json!({ "machine": machine::shape(), "samples": self.samples });
        let usual = crate::target()
            .join("bench")
            .join(self.wish.what.name())
            .with_extension("json");
        for path in std::iter::once(&usual).chain(&self.wish.json) {
            written(path, &kept)?;
        }
        println!("\nevery sample: {}", usual.display());
        Ok(())
    }
}

/// Writes `value` as indented JSON, and the folder around it.
pub(crate) fn written(path: &Path, value: &Value) -> Result<(), String> {
    let told = |error: std::io::Error| format!("cannot write {}: {error}", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(told)?;
    }
    std::fs::write(path, format!("{value:#}\n")).map_err(told)
}

fn workloads(bench: &mut Bench) -> Result<ExitCode, String> {
    let wanted: Vec<&Workload> = WORKLOADS
        .iter()
        .filter(|workload| bench.wish.wants(workload))
        .collect();
    let mut all: Vec<Vec<Pair>> = vec![Vec::new(); wanted.len()];
    let rounds = bench.wish.rounds(goals::ROUNDS);
    println!("{}", machine::load());
    for round in 1..=rounds {
        eprint!("round {round} of {rounds}:");
        for (workload, pairs) in wanted.iter().zip(&mut all) {
            eprint!(" {}", workload.name);
            pairs.push(bench.pair(round, workload.name, bench.wish.operations(workload))?);
        }
        eprintln!();
    }
    println!("{}\n", machine::load());
    print!("{}", table(&wanted, &all));
    println!(
        "\n{rounds} rounds of one process per side, {} workers; {}",
        bench.wish.workers,
        machine::shape()
    );
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(arguments: &[&str]) -> Result<Wish, String> {
        Wish::from(&crate::words(arguments))
    }

    #[test]
    fn names_and_options_may_be_mixed() {
        let wish = wish(&[
            "ring-100",
            "--rounds",
            "3",
            "ask",
            "--workers",
            "1",
            "--json",
            "a.json",
        ])
        .unwrap();
        assert_eq!(wish.names, ["ring-100", "ask"]);
        assert_eq!(
            (wish.rounds(5), wish.workers, wish.what),
            (3, 1, What::Workloads)
        );
        assert_eq!(wish.json, Some("a.json".into()));
        let wanted = WORKLOADS
            .iter()
            .filter(|workload| wish.wants(workload))
            .count();
        assert_eq!(wanted, 2);
    }

    #[test]
    fn without_a_name_everything_is_wanted() {
        let wish = wish(&["--quick"]).unwrap();
        assert!(WORKLOADS.iter().all(|workload| wish.wants(workload)));
        assert_eq!(wish.rounds(5), 1);
        assert_eq!(wish.operations(&WORKLOADS[0]), WORKLOADS[0].operations / 10);
    }

    #[test]
    fn the_number_of_idle_actors_is_not_that_of_other_operations() {
        let wish = wish(&["--idle", "2000000"]).unwrap();
        for workload in WORKLOADS {
            let expected = if workload.name == goals::IDLE {
                2_000_000
            } else {
                workload.operations
            };
            assert_eq!(wish.operations(workload), expected);
        }
    }

    #[test]
    fn what_is_not_understood_is_refused_with_what_there_is() {
        assert!(wish(&["rong"]).unwrap_err().contains("ring-100"));
        assert!(wish(&["--speed", "1"]).unwrap_err().contains("--rounds"));
        assert!(wish(&["--rounds", "0"]).unwrap_err().contains("above 0"));
        assert!(wish(&["--rounds"]).unwrap_err().contains("needs a value"));
        assert!(
            wish(&["latency", "ask"])
                .unwrap_err()
                .contains("takes no workload")
        );
    }
}
