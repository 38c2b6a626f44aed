//! The committed expectations: one row per file and password.

/// The table, as it is committed.
const TABLE: &str = include_str!("../../corpus.tsv");

/// What is expected of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The file's name without its extension.
    pub file: String,
    /// The password to give.
    pub password: Option<String>,
    /// The outcomes that are right.
    pub outcomes: Vec<Outcome>,
    /// How many pages the document has.
    pub pages: Option<u64>,
    /// The pages that must fail; no others may.
    pub failed: Vec<u64>,
    /// The exit code.
    pub exit: i32,
    /// What else must hold.
    pub checks: Vec<Check>,
    /// Why the file is in the table.
    pub why: String,
}

/// How a document ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every page is there.
    Completed,
    /// At least one page, or the document, failed.
    Failed,
    /// It needs a password that was not given, or was given wrongly.
    Password,
    /// It is not a PDF that can be read.
    Unreadable,
}

/// A further expectation; `corpus.tsv` says what each means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// These words are in the text.
    Text(String),
    /// These words are not in the text.
    Absent(String),
    /// These words are in the reason.
    Reason(String),
    /// Percent of the words whose box ends at its ink.
    Ink(u64),
    /// Percent of the words whose box lies on ink.
    Touch(u64),
    /// Dark pixels on page 1.
    Dark(u64),
    /// Characters flagged as unmapped.
    Unmapped(u64),
    /// Words in all.
    Words(u64),
    /// A second run does the failed pages only.
    Again,
    /// Runs only where it may end the process.
    Isolated,
}

impl Row {
    /// Whether the file may end the process that draws it.
    #[must_use]
    pub fn needs_isolation(&self) -> bool {
        self.checks.contains(&Check::Isolated)
    }

    /// Whether judging needs the pixels of the pages.
    #[must_use]
    pub fn needs_pixels(&self) -> bool {
        self.checks
            .iter()
            .any(|check| matches!(check, Check::Ink(_) | Check::Touch(_) | Check::Dark(_)))
    }

    fn parse(line: &str) -> Result<Self, String> {
        let columns: Vec<&str> = line.split('\t').collect();
        let [file, password, outcomes, pages, failed, exit, checks, why] = columns[..] else {
            return Err(format!("has {} columns, not 8", columns.len()));
        };
        let number = |text: &str| {
            text.parse::<u64>()
                .map_err(|_| format!("{text:?} is not a number"))
        };
        let list = |text: &str| -> Result<Vec<u64>, String> {
            dash(text).map_or(Ok(Vec::new()), |text| text.split(',').map(number).collect())
        };
        Ok(Self {
            file: file.to_owned(),
            password: dash(password).map(str::to_owned),
            outcomes: outcomes
                .split('|')
                .map(Outcome::parse)
                .collect::<Result<_, _>>()?,
            pages: dash(pages).map(number).transpose()?,
            failed: list(failed)?,
            exit: exit
                .parse()
                .map_err(|_| format!("{exit:?} is not an exit code"))?,
            checks: dash(checks).map_or(Ok(Vec::new()), |checks| {
                checks.split(';').map(Check::parse).collect()
            })?,
            why: why.to_owned(),
        })
    }
}

impl Outcome {
    fn parse(text: &str) -> Result<Self, String> {
        Ok(match text {
            "completed" => Self::Completed,
            "failed" => Self::Failed,
            "password" => Self::Password,
            "unreadable" => Self::Unreadable,
            other => return Err(format!("{other:?} is not an outcome")),
        })
    }
}

impl Check {
    fn parse(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let number = || {
            value
                .parse::<u64>()
                .map_err(|_| format!("{name} needs a number, not {value:?}"))
        };
        Ok(match name {
            "text" => Self::Text(value.to_owned()),
            "absent" => Self::Absent(value.to_owned()),
            "reason" => Self::Reason(value.to_owned()),
            "ink" => Self::Ink(number()?),
            "touch" => Self::Touch(number()?),
            "dark" => Self::Dark(number()?),
            "unmapped" => Self::Unmapped(number()?),
            "words" => Self::Words(number()?),
            "again" => Self::Again,
            "isolated" => Self::Isolated,
            other => return Err(format!("{other:?} is not a check")),
        })
    }
}

/// All rows.
///
/// # Errors
/// When a line of the table cannot be understood; the text names it.
pub fn rows() -> Result<Vec<Row>, String> {
    parse(TABLE)
}

fn parse(table: &str) -> Result<Vec<Row>, String> {
    let lines = table
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(index, line)| {
            Row::parse(line).map_err(|error| format!("corpus.tsv:{}: {error}", index + 1))
        })
        .collect()
}

fn dash(text: &str) -> Option<&str> {
    (text != "-").then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_table_is_understood_and_has_no_row_twice() {
        let rows = rows().unwrap();
        assert!(rows.len() > 70);
        let keys: std::collections::BTreeSet<_> =
            rows.iter().map(|row| (&row.file, &row.password)).collect();
        assert_eq!(keys.len(), rows.len());
    }

    #[test]
    fn outcomes_and_exit_codes_of_the_committed_table_agree() {
        for row in rows().unwrap() {
            let completes = row.outcomes == [Outcome::Completed];
            assert_eq!(
                row.exit == 0,
                completes && row.failed.is_empty(),
                "{}",
                row.file
            );
        }
    }

    #[test]
    fn a_line_becomes_a_row() {
        let rows =
            parse("# comment\n\na\tpw\tfailed|password\t3\t1,2\t1\ttext=b c;again\twhy not\n")
                .unwrap();
        assert_eq!(
            rows,
            [Row {
                file: "a".into(),
                password: Some("pw".into()),
                outcomes: vec![Outcome::Failed, Outcome::Password],
                pages: Some(3),
                failed: vec![1, 2],
                exit: 1,
                checks: vec![Check::Text("b c".into()), Check::Again],
                why: "why not".into(),
            }]
        );
    }

    #[test]
    fn a_line_that_makes_no_sense_is_named() {
        let refused = |line: &str| parse(&format!("#\n{line}")).unwrap_err();
        assert_eq!(refused("a\tb"), "corpus.tsv:2: has 2 columns, not 8");
        assert!(refused("a\t-\tdone\t1\t-\t0\t-\tx").contains("\"done\" is not an outcome"));
        assert!(refused("a\t-\tfailed\t1\t-\t0\tinkk=3\tx").contains("\"inkk\" is not a check"));
        assert!(refused("a\t-\tfailed\t1\t-\t0\tink=all\tx").contains("ink needs a number"));
    }
}
