//! The arithmetic and the table of a comparison, as pure functions.

use std::fmt::Write as _;

/// What one program took in each round.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// Its name in the table.
    pub name: String,
    /// CPU milliseconds per page, user and system, one for each round.
    pub rounds: Vec<f64>,
}

impl Figures {
    /// The middle of the rounds.
    ///
    /// # Panics
    /// When there was no round.
    #[must_use]
    pub fn median(&self) -> f64 {
        crate::bench::median(&self.rounds)
    }
}

/// CPU seconds of one run, as bash's `time` wrote them with `TIMEFORMAT='%3U %3S'`: user and system.
#[must_use]
pub fn cpu_seconds(said: &str) -> Option<f64> {
    let line = said.lines().rev().find(|line| !line.trim().is_empty())?;
    let (user, system) = line.trim().split_once(' ')?;
    Some(user.parse::<f64>().ok()? + system.parse::<f64>().ok()?)
}

/// The table: one line per program, the first of which is the measure of the others, and the verdict on the second.
#[must_use]
pub fn table(all: &[Figures], goal: f64) -> String {
    let mut text = format!(
        "{:<28} {:>12} {:>8}   rounds\n",
        "CPU ms per page", "median", "ratio"
    );
    let Some(peer) = all.first().map(Figures::median) else {
        return text;
    };
    for figures in all {
        let rounds: Vec<String> = figures
            .rounds
            .iter()
            .map(|round| format!("{round:.1}"))
            .collect();
        let median = figures.median();
        let _ = writeln!(
            text,
            "{:<28} {median:>12.1} {:>8.2}   {}",
            figures.name,
            median / peer,
            rounds.join(" ")
        );
    }
    if let Some(ours) = all.get(1) {
        let ratio = ours.median() / peer;
        let verdict = if ratio <= goal { "reached" } else { "missed" };
        let _ = writeln!(
            text,
            "the goal is at most {goal:.2} of the peer: {verdict} with {ratio:.2}"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(rounds: &[f64]) -> Figures {
        Figures {
            name: "x".into(),
            rounds: rounds.to_vec(),
        }
    }

    #[test]
    fn the_shell_s_words_become_seconds() {
        assert_eq!(cpu_seconds("a warning\n1.250 0.500\n"), Some(1.75));
        assert_eq!(cpu_seconds("no figures"), None);
        assert_eq!(cpu_seconds(""), None);
    }

    #[test]
    fn the_verdict_follows_the_medians() {
        let all = [figures(&[10.0, 30.0, 20.0]), figures(&[14.0, 16.0, 15.0])];
        assert!(
            table(&all, 0.75).contains("reached with 0.75"),
            "{}",
            table(&all, 0.75)
        );
        assert!(table(&all, 0.74).contains("missed with 0.75"));
    }
}
