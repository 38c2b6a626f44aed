//! Rules about the whole tree: what one file must say about another.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::code::{blanked, functions, line_of, words};

/// The text files of the tree by path, and the paths of all others with an empty text.
pub(super) type Tree = BTreeMap<String, String>;

/// Every rule of this kind.
pub(super) const RULES: &[fn(&Tree) -> Vec<Finding>] = &[
    unsafe_is_listed,
    the_rest_forbids_unsafe,
    examples_are_listed,
    links_lead_somewhere,
    changelog_is_open,
    conformance_tests_assert,
];

const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// Every file with `unsafe` in its code is named in ARCHITECTURE.md.
pub(super) fn unsafe_is_listed(tree: &Tree) -> Vec<Finding> {
    let architecture = text(tree, ARCHITECTURE);
    let unlisted = tree
        .iter()
        .filter(|(path, text)| has_unsafe(path, text) && !architecture.contains(path.as_str()));
    unlisted
        .map(|(path, text)| {
            let line = words(&blanked(text), "unsafe")
                .next()
                .map_or(1, |at| line_of(text, at));
            Finding::at(
                path,
                line,
                format!("has unsafe code and is not listed in {ARCHITECTURE}"),
            )
        })
        .collect()
}

/// Every crate without unsafe code forbids it at its root.
pub(super) fn the_rest_forbids_unsafe(tree: &Tree) -> Vec<Finding> {
    let roots = tree
        .keys()
        .filter(|path| path.ends_with("src/lib.rs") || path.ends_with("src/main.rs"));
    let safe = roots.filter(|root| {
        let source = root.trim_end_matches("lib.rs").trim_end_matches("main.rs");
        !tree
            .iter()
            .any(|(path, text)| path.starts_with(source) && has_unsafe(path, text))
    });
    let open = safe.filter(|root| !text(tree, root).contains("#![forbid(unsafe_code)]"));
    open.map(|root| {
        Finding::at(
            root,
            1,
            "has no unsafe code: say #![forbid(unsafe_code)]".into(),
        )
    })
    .collect()
}

/// Every example is named in README.md or ARCHITECTURE.md.
pub(super) fn examples_are_listed(tree: &Tree) -> Vec<Finding> {
    let told = format!("{}\n{}", text(tree, "README.md"), text(tree, ARCHITECTURE));
    let examples = tree
        .keys()
        .filter_map(|path| example(path).map(|name| (path, name)));
    let untold = examples.filter(|(_, name)| words(&told, name).next().is_none());
    untold
        .map(|(path, name)| {
            Finding::at(
                path,
                1,
                format!("the example {name} is named in neither README.md nor {ARCHITECTURE}"),
            )
        })
        .collect()
}

/// Every relative link of a Markdown file leads to a file or folder of the tree.
pub(super) fn links_lead_somewhere(tree: &Tree) -> Vec<Finding> {
    let pages = tree.iter().filter(|(path, _)| path.ends_with(".md"));
    let links = pages.flat_map(|(path, text)| {
        links(text)
            .into_iter()
            .map(move |(line, target)| (path, line, target))
    });
    let dead = links.filter(|(path, _, target)| !leads_somewhere(tree, path, target));
    dead.map(|(path, line, target)| {
        Finding::at(path, line, format!("the link to {target} leads nowhere"))
    })
    .collect()
}

/// CHANGELOG.md has a section for what is not released.
pub(super) fn changelog_is_open(tree: &Tree) -> Vec<Finding> {
    let open = text(tree, "CHANGELOG.md")
        .lines()
        .any(|line| line.starts_with("## ") && line.contains("Unreleased"));
    if open {
        Vec::new()
    } else {
        vec![Finding::at(
            "CHANGELOG.md",
            1,
            "has no section \"## Unreleased\"".into(),
        )]
    }
}

/// Every conformance test says what must come out: itself, or by a helper of its file or of the common ones.
pub(super) fn conformance_tests_assert(tree: &Tree) -> Vec<Finding> {
    const TESTS: &str = "crates/playhouse/tests/conformance/";
    const COMMON: &str = "crates/playhouse/tests/common/";
    let is_shared = |path: &str| path.starts_with(COMMON) || path == format!("{TESTS}main.rs");
    let of = |which: &dyn Fn(&str) -> bool| -> Vec<(&String, String)> {
        let files = tree
            .iter()
            .filter(|(path, _)| path.ends_with(".rs") && which(path));
        files.map(|(path, text)| (path, blanked(text))).collect()
    };
    let mut shared = BTreeSet::new();
    for (_, code) in of(&is_shared) {
        add_asserting(&code, &mut shared);
    }
    let mut findings = Vec::new();
    for (path, code) in of(&|path| path.starts_with(TESTS)) {
        let mut asserting = shared.clone();
        add_asserting(&code, &mut asserting);
        let silent = functions(&code)
            .into_iter()
            .filter(|function| function.is_test && !asserting.contains(&function.name));
        findings.extend(silent.map(|function| {
            let says = format!("`{}` asserts nothing, so it cannot fail", function.name);
            Finding::at(path, function.line, says)
        }));
    }
    findings
}

/// Adds the functions of `code` that assert, or call one that is known to.
fn add_asserting(code: &str, known: &mut BTreeSet<String>) {
    let functions = functions(code);
    loop {
        let before = known.len();
        for function in &functions {
            let body = &code[function.body.clone()];
            let calls_one = known.iter().any(|name| has_call(body, name));
            if calls_one || asserts(body) {
                known.insert(function.name.clone());
            }
        }
        if known.len() == before {
            return;
        }
    }
}

/// Whether code claims something that may turn out false: `assert..!`, `panic!`, `expect..(`, `unwrap_err(`.
fn asserts(code: &str) -> bool {
    let begins = |start: &str, ends: &[char]| {
        code.match_indices(start).any(|(at, _)| {
            let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
            !code[..at].ends_with(is_word)
                && code[at..].trim_start_matches(is_word).starts_with(ends)
        })
    };
    let fails = ["assert", "panic", "unreachable"];
    fails.iter().any(|name| begins(name, &['!']))
        || begins("expect", &['(', ':'])
        || has_call(code, "unwrap_err")
}

fn has_call(code: &str, name: &str) -> bool {
    words(code, name).any(|at| code[at + name.len()..].starts_with(['(', ':']))
}

fn text<'tree>(tree: &'tree Tree, path: &str) -> &'tree str {
    tree.get(path).map_or("", String::as_str)
}

fn has_unsafe(path: &str, text: &str) -> bool {
    path.ends_with(".rs") && words(&blanked(text), "unsafe").next().is_some()
}

/// The name of the example that `path` is the root of: `examples/name.rs` or `examples/name/main.rs`.
fn example(path: &str) -> Option<&str> {
    let (_, inside) = path.split_once("/examples/")?;
    let name = inside
        .strip_suffix("/main.rs")
        .or_else(|| inside.strip_suffix(".rs"))?;
    (!name.contains('/')).then_some(name)
}

/// The targets of the links in a Markdown text, with their lines; what stands in fences or ticks is no link.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut links = Vec::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        for (at, opening) in line.match_indices("](") {
            let ticks = line[..at].matches('`').count();
            let target = line[at + opening.len()..]
                .split(')')
                .next()
                .unwrap_or_default();
            if ticks % 2 == 0 {
                links.push((index + 1, target));
            }
        }
    }
    links
}

fn leads_somewhere(tree: &Tree, page: &str, target: &str) -> bool {
    let file = target.split(['#', ' ']).next().unwrap_or_default();
    if file.is_empty() || file.contains("://") || file.starts_with("mailto:") {
        return true;
    }
    let Some(path) = resolved(page, file) else {
        return false;
    };
    path.is_empty()
        || tree.contains_key(&path)
        || tree
            .keys()
            .any(|known| known.starts_with(&format!("{path}/")))
}

/// `target` as seen from `page`, without dots; `None` when it leaves the tree.
fn resolved(page: &str, target: &str) -> Option<String> {
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect()
    }

    #[test]
    fn unsafe_code_must_be_listed() {
        let files = [
            ("crates/a/src/b.rs", "unsafe fn f() {}"),
            ("crates/a/src/lib.rs", "// unsafe\n"),
        ];
        assert_eq!(unsafe_is_listed(&tree(&files)).len(), 1);
        let listed = [
            files[0],
            files[1],
            ("ARCHITECTURE.md", "- `crates/a/src/b.rs`"),
        ];
        assert_eq!(unsafe_is_listed(&tree(&listed)).len(), 0);
    }

    #[test]
    fn a_safe_crate_must_say_so_and_an_unsafe_one_need_not() {
        assert_eq!(
            the_rest_forbids_unsafe(&tree(&[("crates/a/src/lib.rs", "//! A.")])).len(),
            1
        );
        assert_eq!(
            the_rest_forbids_unsafe(&tree(&[("crates/a/src/lib.rs", "#![forbid(unsafe_code)]")]))
                .len(),
            0
        );
        let files = [
            ("crates/a/src/lib.rs", "mod b;"),
            ("crates/a/src/b.rs", "fn f() { unsafe {} }"),
        ];
        assert_eq!(the_rest_forbids_unsafe(&tree(&files)).len(), 0);
    }

    #[test]
    fn an_example_must_be_told_of() {
        let files = [
            ("crates/a/examples/handle.rs", ""),
            ("crates/a/examples/wide/main.rs", ""),
            ("README.md", "`handle`"),
        ];
        let found = examples_are_listed(&tree(&files));
        assert_eq!(found.len(), 1);
        assert!(found[0].to_string().contains("the example wide"));
    }

    #[test]
    fn dead_links_are_found_and_others_are_not() {
        let page = "[a](docs/a.md#part) [b](https://host/x) [c](../c.md)\n`[d](e)`\n```\n[f](g)\n```\n[h](docs) [i](gone.md)";
        let found = links_lead_somewhere(&tree(&[
            ("README.md", page),
            ("docs/a.md", "[up](../README.md)"),
        ]));
        let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(
            lines[0].starts_with("README.md:1:") && lines[1].starts_with("README.md:6:"),
            "{lines:?}"
        );
    }

    #[test]
    fn a_conformance_test_without_an_assertion_is_found() {
        let silent = |test: &str| {
            let files = [
                (
                    "crates/playhouse/tests/common/mod.rs",
                    "fn end() { deeper(); }\nfn deeper() { assert!(true); }\nfn journal() {}",
                ),
                ("crates/playhouse/tests/conformance/a.rs", test),
                ("crates/playhouse/tests/other.rs", "#[test]\nfn b() {}"),
            ];
            conformance_tests_assert(&tree(&files)).len()
        };
        for test in [
            "#[test]\nfn a() { assert_eq!(1, 1); }",
            "#[test]\nfn a() { let Some(b) = c else { panic!() }; }",
            "#[test]\nfn a() { probe.expect_terminated(&b); }",
            "#[test]\nfn a() { probe.expect::<B>(); }\nfn b() {}",
            "#[test]\nfn a() { b.unwrap_err(); }",
            "#[tokio::test]\nasync fn a() { end().await; }",
            "#[test]\nfn a() { run::<B>(c); }\nfn run<B>(b: B) { end(); }",
        ] {
            assert_eq!(silent(test), 0, "{test}");
        }
        for test in [
            "#[test]\nfn a() {}",
            "#[test]\nfn a() { journal(); let expected = 1; // assert!(b)\n}",
            "#[tokio::test]\nasync fn a() { b().unwrap(); }\nfn c() { assert!(d); }",
        ] {
            assert_eq!(silent(test), 1, "{test}");
        }
    }

    #[test]
    fn the_changelog_must_have_room_for_the_next_entry() {
        assert_eq!(
            changelog_is_open(&tree(&[("CHANGELOG.md", "# Changelog\n\n## Unreleased\n")])).len(),
            0
        );
        assert_eq!(
            changelog_is_open(&tree(&[("CHANGELOG.md", "## 1.0\n")])).len(),
            1
        );
        assert_eq!(changelog_is_open(&tree(&[])).len(), 1);
    }
}
