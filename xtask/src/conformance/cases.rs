//! The list of cases: Markdown tables of ids and what each is about.

use std::collections::BTreeSet;
use std::fmt;

/// The name of a case: its area and its number, as in `SUP-09`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Id(String);

impl Id {
    /// `SUP-09`; what is written otherwise is no id.
    pub(super) fn written(text: &str) -> Option<Self> {
        let (area, number) = text.split_once('-')?;
        let is_id = is_all(area, 3, |letter| letter.is_ascii_uppercase())
            && is_all(number, 2, |digit| digit.is_ascii_digit());
        is_id.then(|| Self(text.to_owned()))
    }

    /// The id that a function's name begins with: `sup_09_a_limit_of_two`.
    pub(super) fn of_function(name: &str) -> Option<Self> {
        let mut parts = name.splitn(3, '_');
        let (area, number, _title) = (parts.next()?, parts.next()?, parts.next()?);
        let is_lower = area.chars().all(|letter| letter.is_ascii_lowercase());
        let id = format!("{}-{number}", area.to_ascii_uppercase());
        is_lower.then(|| Self::written(&id)).flatten()
    }

    pub(super) fn area(&self) -> &str {
        &self.0[..3]
    }
}

impl fmt::Display for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) id: Id,
    pub(super) behaviour: String,
}

/// The cases in the tables of `text`, in their order.
pub(super) fn parse(text: &str) -> Result<Vec<Case>, String> {
    let cases: Vec<Case> = text.lines().filter_map(case).collect();
    if cases.is_empty() {
        return Err("the list of cases is empty".to_owned());
    }
    let mut seen = BTreeSet::new();
    match cases.iter().find(|case| !seen.insert(&case.id)) {
        Some(twice) => Err(format!("the list of cases has {} twice", twice.id)),
        None => Ok(cases),
    }
}

fn case(line: &str) -> Option<Case> {
    let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
    let id = Id::written(cells.next()?)?;
    let behaviour = cells.next().filter(|text| !text.is_empty())?.to_owned();
    Some(Case { id, behaviour })
}

fn is_all(text: &str, length: usize, which: impl Fn(char) -> bool) -> bool {
    text.len() == length && text.chars().all(which)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_three_letters_and_two_digits() {
        let id = Id::written("SUP-09").unwrap();
        assert_eq!((id.area(), id.to_string().as_str()), ("SUP", "SUP-09"));
        for no_id in ["sup-09", "SUP-9", "SUPER-09", "SUP09", "SUP-0x", "id", ""] {
            assert_eq!(Id::written(no_id), None, "{no_id}");
        }
    }

    #[test]
    fn a_function_names_its_case_at_its_beginning() {
        assert_eq!(Id::of_function("sup_09_a_limit"), Id::written("SUP-09"));
        for none in ["sup_09", "SUP_09_a", "a_sup_09_b", "sup_9_a", "counter"] {
            assert_eq!(Id::of_function(none), None, "{none}");
        }
    }

    #[test]
    fn the_list_is_every_row_that_begins_with_an_id() {
        let text = "# Cases\n\n| id | behaviour |\n|---|---|\n| SUP-02 | b |\n| SUP-01 | a |\ntext SUP-03\n";
        let cases = parse(text).unwrap();
        let read = cases
            .iter()
            .map(|case| format!("{} {}", case.id, case.behaviour));
        assert_eq!(read.collect::<Vec<_>>(), ["SUP-02 b", "SUP-01 a"]);
    }

    #[test]
    fn a_list_without_cases_or_with_one_twice_is_refused() {
        assert!(parse("| id |\n").unwrap_err().contains("empty"));
        let twice = parse("| SUP-01 | a |\n| SUP-01 | b |\n").unwrap_err();
        assert!(twice.contains("SUP-01 twice"), "{twice}");
    }
}
