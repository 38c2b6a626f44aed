//! `cargo xtask bench fairness`: what is left for a hundred actors when one of the same dispatcher floods itself.

use super::figures::median;
use super::table::{Pair, Side, rounds};
use super::{Bench, machine};
use std::process::ExitCode;

const ROUNDS: u64 = 5;

/// Long against a slice of the operating system, so that two busy workers get about the same of the machine.
const MILLIS: u64 = 1_000;

pub(super) fn run(bench: &mut Bench) -> Result<ExitCode, String> {
    let count = bench.wish.rounds(ROUNDS);
    let millis = if bench.wish.quick {
        MILLIS / 10
    } else {
        MILLIS
    };
    let mut pairs = Vec::new();
    for round in 1..=count {
        pairs.push(bench.pair(round, "fairness", millis)?);
    }
    print!("{}", table(&pairs));
    println!(
        "\nmedians of {count} rounds, {} workers; {}",
        bench.wish.workers,
        machine::shape()
    );
    Ok(ExitCode::SUCCESS)
}

fn table(pairs: &[Pair]) -> String {
    let row = |side, name| {
        let share = |figure| median(&rounds(pairs, side, figure)) * 100.0;
        format!(
            "| {name:<9} | {:>9.0} % | {:>10.0} % | {:>9.0} % |\n",
            share("min_share"),
            share("median_share"),
            share("flood_share")
        )
    };
    let head = "Share of an equal division of all messages handled, 100 actors beside one that floods itself:\n\n\
        | side      | the least   | the median   | the flood   |\n|-----------|------------:|-------------:|------------:|\n";
    [
        head.to_owned(),
        row(Side::Playhouse, "Playhouse"),
        row(Side::Tokio, "Tokio"),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn shares_are_printed_as_percentages_side_by_side() {
        let shares =
            |least: f64| json!({ "min_share": least, "median_share": 1.0, "flood_share": 1.25 });
        let text = table(&[Pair {
            playhouse: shares(0.9),
            tokio: shares(0.5),
        }]);
        assert!(
            text.contains("| Playhouse |        90 % |        100 % |       125 % |"),
            "{text}"
        );
        assert!(text.contains("| Tokio     |        50 % |"), "{text}");
    }
}
