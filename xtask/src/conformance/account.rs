//! The account: how each case stands, area by area, and what is wrong.

use super::cases::{Case, Id};
use super::claims::{Claim, Claims, Kind};
use std::collections::BTreeMap;
use std::fmt;

/// Cases that may not be set aside: they are what this runtime is for.
const OURS: &str = "OWN";

/// How a case stands.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Standing {
    Covered,
    Differs(String),
    DoesNotCompile(String),
    SetAside(String),
}

/// How all of them stand.
#[derive(Debug)]
pub(super) struct Account {
    /// In the order of the list.
    standings: Vec<(Id, Standing)>,
    problems: Vec<String>,
}

/// Holds the list against what the tests say. `refused` is the text of the programs that must not compile.
pub(super) fn taken(cases: &[Case], claims: Claims, refused: &str) -> Account {
    let refused = refused.replace('\\', ""); // brackets that are no link are escaped in documentation
    let mut problems = claims.problems;
    let mut by_id: BTreeMap<Id, Vec<Claim>> = BTreeMap::new();
    for claim in claims.all {
        by_id.entry(claim.id.clone()).or_default().push(claim);
    }
    let mut standings = Vec::new();
    for case in cases {
        let claims = by_id.remove(&case.id).unwrap_or_default();
        problems.extend(claims.iter().filter_map(|claim| complaint(claim, &refused)));
        match standing(&claims) {
            Ok(standing) => standings.push((case.id.clone(), standing)),
            Err(why) => problems.push(format!("{}: {why} ({})", case.id, case.behaviour)),
        }
    }
    for Claim { id, place, .. } in by_id.into_values().flatten() {
        problems.push(format!("{place}: the list of cases has no {id}"));
    }
    Account {
        standings,
        problems,
    }
}

/// What is wrong with one claim on its own.
fn complaint(claim: &Claim, refused: &str) -> Option<String> {
    let Claim { id, place, kind } = claim;
    let says = match kind {
        Kind::SetAside(_) if id.area() == OURS => {
            format!("{id} is our own and cannot be set aside; write its test")
        }
        Kind::DoesNotCompile(_) if !refused.contains(&format!("[{id}]")) => {
            format!("must_not_compile.rs has no program of [{id}]")
        }
        Kind::IgnoredTest => format!("the test of {id} is ignored, so nobody runs it"),
        _ => return None,
    };
    Some(format!("{place}: {says}"))
}

/// How a case stands of which all this is said. A test says most, a reason to leave it out least.
fn standing(claims: &[Claim]) -> Result<Standing, &'static str> {
    let (mut is_tested, mut differs, mut refused, mut aside) = (false, None, None, None);
    for claim in claims {
        match claim.kind.clone() {
            Kind::Test => is_tested = true,
            Kind::IgnoredTest => {}
            Kind::Differs(why) => differs = Some(why),
            Kind::DoesNotCompile(why) => refused = Some(why),
            Kind::SetAside(why) => aside = Some(why),
        }
    }
    match (is_tested, differs, refused, aside) {
        (true, _, _, Some(_)) | (_, _, Some(_), Some(_)) => Err("is shown and set aside as well"),
        (true, Some(why), ..) => Ok(Standing::Differs(why)),
        (true, None, ..) => Ok(Standing::Covered),
        (false, _, Some(why), None) => Ok(Standing::DoesNotCompile(why)),
        (false, _, None, Some(why)) => Ok(Standing::SetAside(why)),
        (false, _, None, None) => Err("is nowhere; write its test, or say why it does not apply"),
    }
}

impl Account {
    /// Whether every case stands somewhere and nothing is wrong.
    pub(super) fn is_whole(&self) -> bool {
        self.problems.is_empty()
    }

    fn areas(&self) -> Vec<&str> {
        let mut areas: Vec<&str> = self.standings.iter().map(|(id, _)| id.area()).collect();
        areas.dedup();
        areas
    }

    fn write_area(&self, formatter: &mut fmt::Formatter<'_>, area: &str) -> fmt::Result {
        let of_area = || self.standings.iter().filter(|(id, _)| id.area() == area);
        let count: Count = of_area().map(|(_, standing)| standing).collect();
        writeln!(formatter, "{area}  {count}")?;
        for (id, standing) in of_area() {
            match standing {
                Standing::Covered => {}
                Standing::Differs(why) => writeln!(formatter, "  {id} differs: {why}")?,
                Standing::DoesNotCompile(why) => {
                    writeln!(formatter, "  {id} does not compile: {why}")?;
                }
                Standing::SetAside(why) => writeln!(formatter, "  {id} set aside: {why}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Account {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for area in self.areas() {
            self.write_area(formatter, area)?;
        }
        let all = self.standings.iter().map(|(_, standing)| standing);
        writeln!(formatter, "\ntotal  {}", all.collect::<Count>())?;
        if !self.is_whole() {
            writeln!(formatter, "\nproblems: {}", self.problems.len())?;
        }
        self.problems
            .iter()
            .try_for_each(|problem| writeln!(formatter, "  {problem}"))
    }
}

/// How many stand how. What the compiler refuses is covered: its program shows it.
#[derive(Default)]
struct Count {
    covered: usize,
    differing: usize,
    set_aside: usize,
}

impl<'account> FromIterator<&'account Standing> for Count {
    fn from_iter<I: IntoIterator<Item = &'account Standing>>(standings: I) -> Self {
        let mut count = Self::default();
        for standing in standings {
            match standing {
                Standing::Covered | Standing::DoesNotCompile(_) => count.covered += 1,
                Standing::Differs(_) => count.differing += 1,
                Standing::SetAside(_) => count.set_aside += 1,
            }
        }
        count
    }
}

impl fmt::Display for Count {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} covered, {} differing, {} set aside",
            self.covered, self.differing, self.set_aside
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::cases;
    use super::*;

    const LIST: &str = "| SUP-01 | a |\n| SUP-02 | b |\n| OWN-01 | c |\n";
    const WHOLE: &str = "#[test]\nfn own_01_a() {}\n// set aside: SUP-02: not here\n";

    fn of(tests: &str, refused: &str) -> Account {
        let mut claims = Claims::default();
        claims.read("a.rs", tests);
        taken(&cases::parse(LIST).unwrap(), claims, refused)
    }

    #[test]
    fn every_way_to_stand_is_counted_and_its_reason_printed() {
        let account = of(
            "// differs: OWN-01: ours\n#[test]\nfn own_01_a() {}\n// set aside: SUP-02: not here\n\n\
             // does not compile: SUP-01: it is borrowed\n",
            "//! It does not \\[SUP-01\\].",
        );
        assert!(account.is_whole(), "{account}");
        assert_eq!(
            account.to_string(),
            "SUP  1 covered, 0 differing, 1 set aside\n  SUP-01 does not compile: it is borrowed\n  \
             SUP-02 set aside: not here\nOWN  0 covered, 1 differing, 0 set aside\n  OWN-01 differs: ours\n\n\
             total  1 covered, 1 differing, 1 set aside\n"
        );
    }

    #[test]
    fn a_case_that_is_nowhere_is_named_with_what_it_is_about() {
        let account = of(WHOLE, "");
        let says = "SUP-01: is nowhere; write its test, or say why it does not apply (a)";
        assert_eq!(account.problems, [says]);
        let shown = account.to_string();
        assert!(
            shown.contains(&format!("\nproblems: 1\n  {says}")),
            "{shown}"
        );
    }

    #[test]
    fn what_is_wrong_is_a_problem() {
        let test = "#[test]\nfn sup_01_a() {}\n";
        for (more, says) in [
            (
                "#[test]\nfn sup_07_a() {}",
                "a.rs:7: the list of cases has no SUP-07",
            ),
            (
                "// set aside: OWN-01: no",
                "OWN-01 is our own and cannot be set aside",
            ),
            (
                "#[test]\nfn sup_02_a() {}",
                "SUP-02: is shown and set aside as well",
            ),
            ("// does not compile: SUP-01: no", "no program of [SUP-01]"),
            (
                "#[test]\n#[ignore]\nfn sup_01_b() {}",
                "the test of SUP-01 is ignored",
            ),
            ("#[test]\nfn works() {}", "the test `works` names no case"),
            ("// set aside: SUP-02", "SUP-02 has no reason"),
        ] {
            let account = of(&format!("{WHOLE}{test}{more}"), "[SUP-02] SUP-01");
            let found = account
                .problems
                .iter()
                .any(|problem| problem.contains(says));
            assert!(found, "{says}: {:?}", account.problems);
        }
    }

    #[test]
    fn one_test_per_case_is_enough_and_more_are_welcome() {
        let more = "#[test]\nfn sup_01_a() {}\n#[test]\nfn sup_01_b() {}\n";
        assert!(of(&format!("{WHOLE}{more}"), "").is_whole());
    }
}
