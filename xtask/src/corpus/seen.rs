//! What a run of `folio extract --json` showed, and where it differs from a row of the table.

use std::collections::BTreeMap;

use serde_json::Value;

use super::table::{Check, Outcome, Row};

/// What came out for one document.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The exit code; none when a signal or the time limit ended the program.
    pub exit: Option<i32>,
    /// The status by name, when the document was brought to an end.
    pub status: Option<String>,
    /// The document's reason, when it gave one.
    pub reason: Option<String>,
    /// How many pages the document has.
    pub pages: Option<u64>,
    /// How many pages are there, also from earlier runs.
    pub there: u64,
    /// The pages done in this run, with the reason of those that failed.
    pub done: BTreeMap<u64, Option<String>>,
    /// Where the output is.
    pub folder: Option<String>,
    /// The text of all pages.
    pub text: String,
    /// What was measured on pages and their pictures.
    pub measures: Measures,
    /// The pages that a second run did.
    pub again: Option<Vec<u64>>,
}

/// What was measured on the stored pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measures {
    /// Words in all.
    pub words: u64,
    /// Characters flagged as unmapped.
    pub unmapped: u64,
    /// Words on pages with a picture.
    pub placed: u64,
    /// Of these, words that end at their ink.
    pub fitting: u64,
    /// Of these, words that lie on ink.
    pub touching: u64,
    /// Dark pixels on page 1.
    pub dark: u64,
}

impl Seen {
    /// Reads the lines that the program printed.
    #[must_use]
    pub fn from_lines(exit: Option<i32>, output: &str) -> Self {
        let mut seen = Self {
            exit,
            ..Self::default()
        };
        for event in output
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        {
            seen.hear(&event);
        }
        seen
    }

    fn hear(&mut self, event: &Value) {
        let number = |key: &str| event[key].as_u64();
        let text = |key: &str| event[key].as_str().map(str::to_owned);
        match event["event"].as_str() {
            Some("document") => {
                self.pages = number("pages");
                self.folder = text("folder");
            }
            Some("page") => {
                let failed = event["outcome"] == "failed";
                let reason = failed.then(|| text("reason").unwrap_or_default());
                self.done.insert(number("page").unwrap_or_default(), reason);
            }
            Some("finished") => {
                self.status = text("outcome");
                self.reason = text("reason");
                self.there =
                    number("completed").unwrap_or_default() + number("skipped").unwrap_or_default();
                self.pages = self.pages.or(number("pages"));
                self.folder = text("folder").or(self.folder.take());
            }
            _ => {}
        }
    }

    /// The outcome in the table's words; none when the document never came to an end.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        let reason = self.reason.as_deref().unwrap_or_default();
        Some(match self.status.as_deref()? {
            "completed" => Outcome::Completed,
            _ if reason.contains("password") => Outcome::Password,
            _ if reason.contains("not a readable PDF") => Outcome::Unreadable,
            _ => Outcome::Failed,
        })
    }

    fn failed(&self) -> Vec<u64> {
        self.done
            .iter()
            .filter(|(_, reason)| reason.is_some())
            .map(|(page, _)| *page)
            .collect()
    }

    /// One line for a file that the table does not know.
    #[must_use]
    pub fn summary(&self) -> String {
        let outcome = self.outcome().map_or("no end".to_owned(), |outcome| {
            format!("{outcome:?}").to_lowercase()
        });
        let pages = self.pages.map_or("?".to_owned(), |pages| pages.to_string());
        let reason = self.reason.as_ref().or(self.done.values().flatten().next());
        let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
        format!(
            "{outcome}, {} of {pages} pages, exit code {}{reason}",
            self.there,
            shown(self.exit)
        )
    }
}

/// Every way in which `seen` is not what `row` expects; empty when all is well.
#[must_use]
pub fn differences(row: &Row, seen: &Seen) -> Vec<String> {
    let mut differences = Vec::new();
    let mut expect = |holds: bool, says: String| {
        if !holds {
            differences.push(says);
        }
    };
    let right = seen
        .outcome()
        .is_some_and(|outcome| row.outcomes.contains(&outcome));
    expect(
        right,
        format!(
            "the document came out as {:?} ({}), not {:?}",
            seen.outcome(),
            seen.summary(),
            row.outcomes
        ),
    );
    expect(
        seen.exit == Some(row.exit),
        format!("the exit code is {}, not {}", shown(seen.exit), row.exit),
    );
    if let Some(pages) = row.pages {
        expect(
            seen.pages == Some(pages),
            format!("the document has {:?} pages, not {pages}", seen.pages),
        );
        let there = pages.saturating_sub(row.failed.len() as u64);
        expect(
            seen.there == there,
            format!("{} pages are there, not {there}", seen.there),
        );
    }
    expect(
        seen.failed() == row.failed,
        format!("pages {:?} failed, not {:?}", seen.failed(), row.failed),
    );
    let unreadable = [Outcome::Password, Outcome::Unreadable];
    if seen
        .outcome()
        .is_some_and(|outcome| unreadable.contains(&outcome))
    {
        expect(
            seen.done.is_empty(),
            format!("a document that did not open has {} pages", seen.done.len()),
        );
    }
    for check in &row.checks {
        if let Some(says) = broken(check, row, seen) {
            differences.push(says);
        }
    }
    differences
}

/// What `check` has to complain about.
fn broken(check: &Check, row: &Row, seen: &Seen) -> Option<String> {
    let measures = seen.measures;
    let at_least = |least: u64, found: u64, what: &str| {
        (found < least).then(|| format!("{found} {what}, fewer than {least}"))
    };
    let percent = |least: u64, part: u64, what: &str| {
        let found = (part * 100)
            .checked_div(measures.placed)
            .unwrap_or_default();
        (found < least).then(|| {
            format!(
                "{found} % of {} words {what}, less than {least} %",
                measures.placed
            )
        })
    };
    match check {
        Check::Text(words) => {
            (!spaced(&seen.text).contains(words)).then(|| format!("the text lacks {words:?}"))
        }
        Check::Absent(words) => spaced(&seen.text)
            .contains(words)
            .then(|| format!("the text has {words:?}")),
        Check::Reason(words) => {
            let reasons: Vec<&String> = seen.done.values().flatten().chain(&seen.reason).collect();
            let said = reasons.iter().any(|reason| reason.contains(words));
            (!said).then(|| format!("no reason says {words:?}: {reasons:?}"))
        }
        Check::Ink(least) => percent(*least, measures.fitting, "end at their ink"),
        Check::Touch(least) => percent(*least, measures.touching, "lie on ink"),
        Check::Dark(least) => at_least(*least, measures.dark, "dark pixels on page 1"),
        Check::Unmapped(least) => {
            at_least(*least, measures.unmapped, "characters flagged as unmapped")
        }
        Check::Words(least) => at_least(*least, measures.words, "words"),
        Check::Again => {
            let again = seen.again.clone().unwrap_or_default();
            (again != row.failed)
                .then(|| format!("a second run did pages {again:?}, not {:?}", row.failed))
        }
        Check::Isolated => None,
    }
}

/// `text` with every run of white space as one space, so that a line break is no difference.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shown(exit: Option<i32>) -> String {
    exit.map_or("none (a signal or the time limit)".to_owned(), |exit| {
        exit.to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
{"event":"document","document":"ab","input":"a.pdf","folder":"out/a-ab","pages":2,"title":null}
{"event":"page","document":"ab","page":1,"outcome":"completed","needs_ocr":false,"words":3}
{"event":"page","document":"ab","page":2,"outcome":"failed","reason":"the page is too large: .."}
{"event":"finished","document":"ab","input":"a.pdf","outcome":"failed","pages":2,"completed":1,"failed":1,"skipped":0,"folder":"out/a-ab"}
{"event":"summary","documents":1,"completed":0,"failed":1}
"#;

    fn row(checks: Vec<Check>) -> Row {
        Row {
            file: "a".into(),
            password: None,
            outcomes: vec![Outcome::Failed],
            pages: Some(2),
            failed: vec![2],
            exit: 1,
            checks,
            why: String::new(),
        }
    }

    #[test]
    fn a_run_as_expected_has_no_difference() {
        let mut seen = Seen::from_lines(Some(1), GOOD);
        seen.text = "one\n two".into();
        seen.again = Some(vec![2]);
        let checks = vec![
            Check::Text("one two".into()),
            Check::Reason("too large".into()),
            Check::Again,
        ];
        assert_eq!(differences(&row(checks), &seen), Vec::<String>::new());
        assert_eq!(seen.folder.as_deref(), Some("out/a-ab"));
    }

    #[test]
    fn each_broken_expectation_is_told() {
        let seen = Seen::from_lines(Some(0), GOOD);
        let mut row = row(vec![
            Check::Text("gone".into()),
            Check::Words(9),
            Check::Ink(90),
            Check::Again,
        ]);
        row.outcomes = vec![Outcome::Completed];
        row.pages = Some(3);
        row.failed = Vec::new();
        row.checks.push(Check::Reason("deadline".into()));
        let told = differences(&row, &seen).join("\n");
        for says in [
            "came out as Some(Failed)",
            "exit code is 0, not 1",
            "has Some(2) pages, not 3",
            "1 pages are there, not 3",
            "pages [2] failed, not []",
            "lacks \"gone\"",
            "0 words, fewer than 9",
            "0 % of 0 words end at their ink",
            "no reason says \"deadline\"",
        ] {
            assert!(told.contains(says), "{says} is missing in\n{told}");
        }
    }

    #[test]
    fn reasons_decide_between_the_ways_to_fail() {
        let ended = |reason: &str| {
            let line = format!(r#"{{"event":"finished","outcome":"failed","reason":"{reason}"}}"#);
            Seen::from_lines(Some(1), &line).outcome()
        };
        assert_eq!(
            ended("the document is encrypted: a password is needed"),
            Some(Outcome::Password)
        );
        assert_eq!(
            ended("not a readable PDF: the file is empty"),
            Some(Outcome::Unreadable)
        );
        assert_eq!(ended("the disk is full"), Some(Outcome::Failed));
    }

    #[test]
    fn a_program_that_was_killed_has_no_outcome() {
        let seen = Seen::from_lines(None, "{\"event\":\"docu");
        assert_eq!(seen.outcome(), None);
        assert!(
            differences(&row(Vec::new()), &seen)
                .join("\n")
                .contains("exit code is none")
        );
    }

    #[test]
    fn pages_of_a_document_that_did_not_open_are_a_difference() {
        let lines = r#"{"event":"page","page":1,"outcome":"completed"}
{"event":"finished","outcome":"failed","reason":"a password is needed"}"#;
        let mut row = row(Vec::new());
        (row.outcomes, row.pages, row.failed) = (vec![Outcome::Password], None, Vec::new());
        let told = differences(&row, &Seen::from_lines(Some(1), lines));
        assert_eq!(told, ["a document that did not open has 1 pages"]);
    }
}
