//! What the test files say of the cases: their tests, and the reasons written as comments.
//!
//! ```text
//! // differs: SUP-09: we count from the first failure          directly above the test it belongs to
//! #[test]
//! fn sup_09_a_limit_of_two() { .. }
//!
//! // does not compile: CTX-20: the context is borrowed         the program is in must_not_compile.rs
//! // set aside: ROU-01: there are no routers                   anywhere in the file
//! ```
//! A reason may go on over further comment lines.

use super::cases::Id;
use crate::tidy::code::blanked;

/// A place in a test file and what is said there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) id: Id,
    /// `path:line`.
    pub(super) place: String,
    pub(super) kind: Kind,
}

/// What is said of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// There is a test.
    Test,
    /// There is a test, which nobody runs.
    IgnoredTest,
    /// Its test shows something else, and why.
    Differs(String),
    /// The misuse is refused by the compiler, and why.
    DoesNotCompile(String),
    /// It does not apply, and why.
    SetAside(String),
}

/// All that the files say.
#[derive(Debug, Default)]
pub(super) struct Claims {
    pub(super) all: Vec<Claim>,
    /// What cannot be understood, with its place.
    pub(super) problems: Vec<String>,
}

/// What begins each kind of reason.
const MARKERS: [(&str, fn(String) -> Kind); 3] = [
    ("// differs:", Kind::Differs),
    ("// does not compile:", Kind::DoesNotCompile),
    ("// set aside:", Kind::SetAside),
];

impl Claims {
    /// Adds what the file at `path` says.
    pub(super) fn read(&mut self, path: &str, text: &str) {
        let code = blanked(text);
        let mut reader = Reader {
            path,
            claims: self,
            test: Attributes::default(),
            differs: Vec::new(),
            open_reason: None,
        };
        for (index, (line, code)) in text.lines().zip(code.lines()).enumerate() {
            reader.line(index + 1, line.trim(), code.trim());
        }
        reader.forget_test();
    }
}

/// The attributes above a function, as far as they have been read.
#[derive(Default)]
struct Attributes {
    is_test: bool,
    is_ignored: bool,
    /// Brackets that are still open, when one attribute takes several lines.
    open: usize,
}

struct Reader<'file> {
    path: &'file str,
    claims: &'file mut Claims,
    test: Attributes,
    /// The differences that wait for their test, as places among the claims.
    differs: Vec<usize>,
    /// The claim whose reason may go on in the next line.
    open_reason: Option<usize>,
}

impl Reader<'_> {
    fn line(&mut self, number: usize, line: &str, code: &str) {
        let goes_on = self.open_reason.take();
        if line.starts_with("//") {
            self.comment(number, line, goes_on);
        } else if self.test.open > 0 || code.starts_with("#[") {
            self.attribute(code);
        } else if let Some(name) = function_name(code) {
            self.function(number, name);
        } else {
            self.forget_test();
        }
    }

    fn comment(&mut self, number: usize, line: &str, goes_on: Option<usize>) {
        for (marker, kind) in MARKERS {
            if let Some(said) = line.strip_prefix(marker) {
                return self.marker(number, said, kind);
            }
        }
        if let (Some(claim), Some(more)) = (goes_on, line.strip_prefix("// ")) {
            let reason = self.reason(claim);
            reason.push(' ');
            reason.push_str(more.trim());
            self.open_reason = goes_on;
        }
    }

    fn marker(&mut self, number: usize, said: &str, kind: fn(String) -> Kind) {
        let place = format!("{}:{number}", self.path);
        let (id, reason) = said.split_once(':').unwrap_or((said, ""));
        let Some(id) = Id::written(id.trim()) else {
            self.problem(&place, &format!("{:?} is no id of a case", id.trim()));
            return;
        };
        if reason.trim().is_empty() {
            self.problem(&place, &format!("{id} has no reason; write `{id}: why`"));
        }
        let kind = kind(reason.trim().to_owned());
        let claim = self.claims.all.len();
        if matches!(kind, Kind::Differs(_)) {
            self.differs.push(claim);
        }
        self.claims.all.push(Claim { id, place, kind });
        self.open_reason = Some(claim);
    }

    fn reason(&mut self, claim: usize) -> &mut String {
        match &mut self.claims.all[claim].kind {
            Kind::Differs(reason) | Kind::DoesNotCompile(reason) | Kind::SetAside(reason) => reason,
            Kind::Test | Kind::IgnoredTest => unreachable!("only markers have reasons"),
        }
    }

    fn attribute(&mut self, code: &str) {
        self.test.is_test |= code.starts_with("#[test]") || code.starts_with("#[tokio::test");
        self.test.is_ignored |= code.starts_with("#[ignore");
        for character in code.chars() {
            match character {
                '[' => self.test.open += 1,
                ']' => self.test.open = self.test.open.saturating_sub(1),
                _ => {}
            }
        }
    }

    fn function(&mut self, number: usize, name: &str) {
        let test = std::mem::take(&mut self.test);
        let place = format!("{}:{number}", self.path);
        let id = Id::of_function(name).filter(|_| test.is_test);
        if test.is_test && id.is_none() {
            self.problem(&place, &format!("the test `{name}` names no case"));
        }
        let claims = &self.claims.all;
        self.differs
            .retain(|claim| Some(&claims[*claim].id) != id.as_ref());
        self.forget_test();
        if let Some(id) = id {
            let kind = match test.is_ignored {
                true => Kind::IgnoredTest,
                false => Kind::Test,
            };
            self.claims.all.push(Claim { id, place, kind });
        }
    }

    /// What stood here is no test: what was said above it belongs to nothing.
    fn forget_test(&mut self) {
        self.test = Attributes::default();
        for claim in std::mem::take(&mut self.differs) {
            let Claim { id, place, .. } = self.claims.all[claim].clone();
            let says = format!("the difference of {id} does not stand above a test of {id}");
            self.problem(&place, &says);
        }
    }

    fn problem(&mut self, place: &str, says: &str) {
        self.claims.problems.push(format!("{place}: {says}"));
    }
}

/// The name in a line of code that begins a function.
fn function_name(code: &str) -> Option<&str> {
    let code = code.strip_prefix("pub(crate) ").unwrap_or(code);
    let code = code.strip_prefix("async ").unwrap_or(code);
    let name = code.strip_prefix("fn ")?;
    let end = name.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
    Some(&name[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<(String, Kind)>, Vec<String>) {
        let mut claims = Claims::default();
        claims.read("a.rs", text);
        let all = claims.all.into_iter();
        let all = all.map(|claim| (claim.id.to_string(), claim.kind));
        (all.collect(), claims.problems)
    }

    fn one(id: &str, kind: Kind) -> Vec<(String, Kind)> {
        vec![(id.to_owned(), kind)]
    }

    #[test]
    fn a_test_is_a_function_with_the_attribute() {
        for text in [
            "#[test]\nfn sup_09_a() {}",
            "mod a {\n    #[tokio::test(flavor = \"multi_thread\")]\n    async fn sup_09_a() {}\n}",
            "#[cfg(a)]\n#[tokio::test(\n    flavor = \"[\",\n    worker_threads = 2\n)]\nasync fn sup_09_a() {}",
            "/// Words.\n#[test]\n// more\nfn sup_09_a() {}",
        ] {
            assert_eq!(read(text), (one("SUP-09", Kind::Test), vec![]), "{text}");
        }
        for text in [
            "fn sup_09_a() {}",
            "#[inline]\nfn sup_09_a() {}",
            "// #[test]\nfn sup_09_a() {}",
            "#[test]\nconst A: u8 = 1;\nfn sup_09_a() {}",
            "/*\n#[test]\n*/\nfn sup_09_a() {}",
        ] {
            assert_eq!(read(text), (vec![], vec![]), "{text}");
        }
    }

    #[test]
    fn an_ignored_test_is_told_apart_and_a_nameless_one_is_a_problem() {
        let ignored = "#[test]\n#[ignore = \"slow\"]\nfn sup_09_a() {}";
        assert_eq!(read(ignored).0, one("SUP-09", Kind::IgnoredTest));
        let (claims, problems) = read("#[test]\nfn it_works() {}");
        assert!(claims.is_empty());
        assert_eq!(problems, ["a.rs:2: the test `it_works` names no case"]);
    }

    #[test]
    fn a_reason_may_take_several_lines() {
        let text = "// set aside: ROU-01: there are\n// no routers\n\n// set aside: ROU-02: same\n";
        let (claims, problems) = read(text);
        let aside = |id: &str, why: &str| (id.to_owned(), Kind::SetAside(why.to_owned()));
        let expected = [
            aside("ROU-01", "there are no routers"),
            aside("ROU-02", "same"),
        ];
        assert_eq!((claims, problems), (expected.to_vec(), vec![]));
    }

    #[test]
    fn a_difference_stands_directly_above_its_test() {
        let good = "// differs: SUP-09: ours\n// is better\n#[test]\nfn sup_09_a() {}";
        let (claims, problems) = read(good);
        assert_eq!(claims[0].1, Kind::Differs("ours is better".to_owned()));
        assert!(problems.is_empty(), "{problems:?}");
        for bad in [
            "// differs: SUP-09: ours\n\n#[test]\nfn sup_09_a() {}",
            "// differs: SUP-10: ours\n#[test]\nfn sup_09_a() {}",
            "// differs: SUP-09: ours\nfn sup_09_a() {}",
            "// differs: SUP-09: ours",
        ] {
            let (_, problems) = read(bad);
            assert_eq!(problems.len(), 1, "{bad}");
            assert!(problems[0].starts_with("a.rs:1: the difference of SUP-"));
        }
    }

    #[test]
    fn a_marker_needs_an_id_and_a_reason() {
        for bad in [
            "// set aside: ROU-01",
            "// set aside: ROU-01: ",
            "// does not compile: CTX20: it is borrowed",
            "// differs: sup-09: ours\n#[test]\nfn sup_09_a() {}",
        ] {
            assert_eq!(read(bad).1.len(), 1, "{bad}");
        }
    }
}
