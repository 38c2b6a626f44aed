//! Rules about the whole tree: what one file must say about another.

use std::collections::BTreeMap;

use super::Finding;
use super::code::{blanked, line_of, words};

/// The text files of the tree by path, and the paths of all others with an empty text.
pub(super) type Tree = BTreeMap<String, String>;

/// Every rule of this kind.
pub(super) const RULES: &[fn(&Tree) -> Vec<Finding>] = &[
    unsafe_is_listed,
    the_rest_forbids_unsafe,
    examples_are_listed,
    links_lead_somewhere,
    changelog_is_open,
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
