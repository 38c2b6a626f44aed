//! Rules about one file, each a pure function of its path and text.

use super::Finding;
use super::code::{blanked, functions, line_of, words};

/// The most lines a function may have.
///
/// What is longer no longer fits a screen, and is two things.
pub const FUNCTION_LINES_MAX: usize = 70;

/// The most bytes a file may have outside `samples/`. Every clone carries it for good.
pub const FILE_BYTES_MAX: usize = 500_000;

/// The most lines an example of the runtime may have. It is read from top to bottom by somebody who is new.
pub const EXAMPLE_LINES_MAX: usize = 120;

/// Every rule of this kind.
pub(super) const RULES: &[fn(&str, &str) -> Vec<Finding>] = &[
    nothing_unfinished,
    short_functions,
    opens_with_its_reason,
    no_unexplained_sleep,
    no_registry_host,
    no_workplace_path,
    no_trailing_space,
    small_file,
    one_door_to_threads,
    short_examples,
];

/// No `todo!`, `unimplemented!` or `dbg!`.
pub(super) fn nothing_unfinished(path: &str, text: &str) -> Vec<Finding> {
    if !is_rust(path) {
        return Vec::new();
    }
    let code = blanked(text);
    let found = ["todo", "unimplemented", "dbg"]
        .into_iter()
        .flat_map(|name| {
            let code = &code;
            let calls = words(code, name).filter(|at| code[at + name.len()..].starts_with('!'));
            calls.map(move |at| {
                Finding::at(
                    path,
                    line_of(code, at),
                    format!("{name}! is left over; finish it or take it out"),
                )
            })
        });
    found.collect()
}

/// No function in `src` longer than [`FUNCTION_LINES_MAX`].
pub(super) fn short_functions(path: &str, text: &str) -> Vec<Finding> {
    if !is_rust(path) || !path.contains("src/") {
        return Vec::new();
    }
    let long = functions(&blanked(text))
        .into_iter()
        .filter(|function| function.lines > FUNCTION_LINES_MAX);
    long.map(|function| {
        let says = format!(
            "`{}` has {} lines, more than {FUNCTION_LINES_MAX}",
            function.name, function.lines
        );
        Finding::at(path, function.line, says)
    })
    .collect()
}

/// Every source file begins with a `//!` paragraph; inner attributes may stand before it.
pub(super) fn opens_with_its_reason(path: &str, text: &str) -> Vec<Finding> {
    if !is_rust(path) {
        return Vec::new();
    }
    let first = text
        .lines()
        .enumerate()
        .find(|(_, line)| !line.trim().is_empty() && !line.starts_with("#!["));
    match first {
        Some((_, line)) if line.starts_with("//! ") => Vec::new(),
        found => {
            let line = found.map_or(1, |(index, _)| index + 1);
            vec![Finding::at(
                path,
                line,
                "the file does not say why it exists: begin it with a //! paragraph".into(),
            )]
        }
    }
}

/// No test sleeps without a reason in a `// sleeps:` comment on the line or the one above. In a stepped test time is what
/// the test makes it: only a thread can really sleep there.
pub(super) fn no_unexplained_sleep(path: &str, text: &str) -> Vec<Finding> {
    if !is_rust(path) {
        return Vec::new();
    }
    let lines: Vec<&str> = text.lines().collect();
    let explained = |index: usize| {
        lines[index.saturating_sub(1)..=index]
            .iter()
            .any(|line| line.contains("// sleeps:"))
    };
    let first = first_test_line(path, text);
    let code = blanked(text);
    let is_stepped = path.contains("/tests/stepped_");
    let sleeping = code.lines().enumerate().skip(first).filter(|(_, line)| {
        let is_real = !is_stepped || line.contains("thread::sleep");
        is_real && words(line, "sleep").any(|at| line[at + "sleep".len()..].starts_with('('))
    });
    sleeping
        .filter(|(index, _)| !explained(*index))
        .map(|(index, _)| {
            let says =
                "a test sleeps; use a channel or a paused clock, or give the reason: // sleeps: ..";
            Finding::at(path, index + 1, says.into())
        })
        .collect()
}

/// No name of a package registry's host: the project must not depend on where its packages come from.
pub(super) fn no_registry_host(path: &str, text: &str) -> Vec<Finding> {
    // A lock file names its registry by design of its format.
    if path == "Cargo.lock" || path.ends_with("/Cargo.lock") {
        return Vec::new();
    }
    // Put together here so that this file does not break its own rule.
    let hosts = [
        ["crates", "io"],
        ["pypi", "org"],
        ["pythonhosted", "org"],
        ["npmjs", "org"],
        ["npmjs", "com"],
    ];
    let hosts = hosts.map(|parts| parts.join("."));
    let found = hosts.iter().flat_map(|host| {
        let says = move || format!("names the registry host {host}");
        text.match_indices(host.as_str())
            .map(move |(at, _)| Finding::at(path, line_of(text, at), says()))
    });
    found.collect()
}

/// No absolute path of the place where the project happens to be worked on.
pub(super) fn no_workplace_path(path: &str, text: &str) -> Vec<Finding> {
    let places = ["work", "root"].map(|folder| format!("/{folder}"));
    let mut findings = Vec::new();
    for place in &places {
        for (at, _) in text.match_indices(place.as_str()) {
            let before = text[..at].chars().next_back();
            let after = text[at + place.len()..].chars().next();
            let starts = before.is_none_or(|character| {
                character.is_whitespace() || "\"'`(=:[<".contains(character)
            });
            let ends = after
                .is_none_or(|character| !character.is_alphanumeric() && !"_-".contains(character));
            if starts && ends {
                findings.push(Finding::at(
                    path,
                    line_of(text, at),
                    format!("names the folder {place} of one machine"),
                ));
            }
        }
    }
    findings
}

/// No white space at the end of a line.
pub(super) fn no_trailing_space(path: &str, text: &str) -> Vec<Finding> {
    let trailing = text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.ends_with([' ', '\t']));
    trailing
        .map(|(index, _)| Finding::at(path, index + 1, "white space at the end of the line".into()))
        .collect()
}

/// No file over [`FILE_BYTES_MAX`] outside `samples/`. A file that is no text is judged by the caller, by its size.
pub(super) fn small_file(path: &str, text: &str) -> Vec<Finding> {
    large(path, text.len()).into_iter().collect()
}

/// What [`small_file`] says of a file of `bytes` bytes.
pub(super) fn large(path: &str, bytes: usize) -> Option<Finding> {
    let says = format!("{bytes} bytes, more than {FILE_BYTES_MAX}");
    (bytes > FILE_BYTES_MAX && !path.starts_with("samples/")).then(|| Finding::at(path, 1, says))
}

/// In the runtime only `sync.rs` names the standard library's atomics and threads, so that a model checker can take
/// their place. Tests beside the code are free.
pub(super) fn one_door_to_threads(path: &str, text: &str) -> Vec<Finding> {
    const SOURCE: &str = "crates/playhouse/src/";
    // What a model counts for itself must be out of the checker's sight, or it would order what it watches.
    let may = path == "crates/playhouse/src/sync.rs" || path.ends_with("/models.rs");
    if !is_rust(path) || !path.starts_with(SOURCE) || may {
        return Vec::new();
    }
    let code = blanked(text);
    let tests = first_test_line(path, text);
    let named = ["atomic", "thread"]
        .into_iter()
        .flat_map(|name| words(&code, name));
    let findings = named
        .filter(|at| is_of_the_standard_library(&code, *at))
        .map(|at| line_of(&code, at));
    let says = "names a thread or an atomic of the standard library; only sync.rs may";
    findings
        .filter(|line| *line <= tests)
        .map(|line| Finding::at(path, line, says.into()))
        .collect()
}

/// No example of the runtime longer than [`EXAMPLE_LINES_MAX`].
pub(super) fn short_examples(path: &str, text: &str) -> Vec<Finding> {
    let lines = text.lines().count();
    let is_long = is_rust(path)
        && path.starts_with("crates/playhouse/examples/")
        && lines > EXAMPLE_LINES_MAX;
    let says = format!("the example has {lines} lines, more than {EXAMPLE_LINES_MAX}");
    is_long
        .then(|| Finding::at(path, EXAMPLE_LINES_MAX + 1, says))
        .into_iter()
        .collect()
}

/// Whether the word at `at` is reached through `std` or `core`, directly or in the braces of a `use`.
fn is_of_the_standard_library(code: &str, at: usize) -> bool {
    let statement = code[..at].rfind([';', '}']).map_or(0, |end| end + 1);
    let before = code[statement..at].trim_start();
    let path = before
        .rsplit(|character: char| !character.is_alphanumeric() && !"_:".contains(character))
        .next();
    let direct = path.is_some_and(|path| matches!(path, "std::" | "std::sync::" | "core::sync::"));
    let used = before
        .trim_start_matches("pub ")
        .trim_start_matches("pub(crate) ");
    direct || used.starts_with("use std::{") || used.starts_with("use std::sync::{")
}

/// The index of the first line that is test code: the whole file in a `tests` folder, else from `#[cfg(test)]` on.
fn first_test_line(path: &str, text: &str) -> usize {
    if path.starts_with("tests/") || path.contains("/tests/") {
        return 0;
    }
    text.lines()
        .position(|line| line.trim() == "#[cfg(test)]")
        .unwrap_or(usize::MAX)
}

fn is_rust(path: &str) -> bool {
    path.ends_with(".rs")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many findings `rule` has.
    fn found(rule: fn(&str, &str) -> Vec<Finding>, path: &str, text: &str) -> usize {
        rule(path, text).len()
    }

    #[test]
    fn a_left_over_macro_is_found_and_a_mention_is_not() {
        assert_eq!(
            found(
                nothing_unfinished,
                "a.rs",
                "fn f() { todo!() }\nfn g() { dbg!(1); }"
            ),
            2
        );
        assert_eq!(
            found(
                nothing_unfinished,
                "a.rs",
                "// todo!()\nlet s = \"dbg!\"; let todo = 1;"
            ),
            0
        );
        assert_eq!(found(nothing_unfinished, "a.md", "todo!()"), 0);
    }

    #[test]
    fn a_function_of_seventy_lines_passes_and_one_more_does_not() {
        let function = |lines: usize| format!("fn f() {{\n{}}}\n", "    a();\n".repeat(lines - 2));
        assert_eq!(
            found(short_functions, "crates/a/src/lib.rs", &function(70)),
            0
        );
        assert_eq!(
            found(short_functions, "crates/a/src/lib.rs", &function(71)),
            1
        );
        assert_eq!(
            found(short_functions, "crates/a/tests/long.rs", &function(71)),
            0
        );
    }

    #[test]
    fn a_file_needs_its_opening_paragraph() {
        assert_eq!(
            found(
                opens_with_its_reason,
                "a.rs",
                "#![forbid(unsafe_code)]\n\n//! Why.\nuse a;"
            ),
            0
        );
        assert_eq!(found(opens_with_its_reason, "a.rs", "use a;\n//! Late."), 1);
        assert_eq!(found(opens_with_its_reason, "a.rs", ""), 1);
    }

    #[test]
    fn a_stepped_test_may_sleep_in_its_own_time() {
        let path = "crates/a/tests/stepped_b.rs";
        assert_eq!(found(no_unexplained_sleep, path, "clock.sleep(d);"), 0);
        assert_eq!(found(no_unexplained_sleep, path, "thread::sleep(d);"), 1);
    }

    #[test]
    fn a_test_that_sleeps_needs_a_reason() {
        assert_eq!(
            found(
                no_unexplained_sleep,
                "crates/a/tests/b.rs",
                "fn f() { sleep(d); }"
            ),
            1
        );
        assert_eq!(
            found(
                no_unexplained_sleep,
                "crates/a/tests/b.rs",
                "sleep(d); // sleeps: the disk is slow"
            ),
            0
        );
        assert_eq!(
            found(
                no_unexplained_sleep,
                "crates/a/tests/b.rs",
                "// sleeps: a reason\nsleep(d);"
            ),
            0
        );
        assert_eq!(
            found(
                no_unexplained_sleep,
                "crates/a/src/b.rs",
                "sleep(d);\n#[cfg(test)]\nmod t { sleep(d); }"
            ),
            1
        );
        assert_eq!(
            found(no_unexplained_sleep, "crates/a/src/b.rs", "sleep(d);"),
            0
        );
    }

    #[test]
    fn a_registry_host_is_found_everywhere_but_in_the_lock_file() {
        let text = format!("see {}", ["crates", "io"].join("."));
        assert_eq!(found(no_registry_host, "README.md", &text), 1);
        assert_eq!(found(no_registry_host, "Cargo.lock", &text), 0);
        assert_eq!(found(no_registry_host, "comparisons/Cargo.lock", &text), 0);
        assert_eq!(found(no_registry_host, "README.md", "crates of apples"), 0);
    }

    #[test]
    fn a_path_of_the_workplace_is_found_and_a_longer_word_is_not() {
        let work = format!("/{}", "work");
        assert_eq!(
            found(no_workplace_path, "a.md", &format!("in {work}/main")),
            1
        );
        assert_eq!(found(no_workplace_path, "a.md", &format!("`{work}`")), 1);
        assert_eq!(
            found(
                no_workplace_path,
                "a.md",
                &format!("net{work}/main {work}ers /Root 1 0 R")
            ),
            0
        );
    }

    #[test]
    fn white_space_at_the_end_is_found() {
        assert_eq!(found(no_trailing_space, "a.md", "a \nb\nc\t\n"), 2);
    }

    #[test]
    fn a_large_file_passes_only_as_a_sample() {
        let text = "x".repeat(FILE_BYTES_MAX + 1);
        assert_eq!(found(small_file, "docs/a.txt", &text), 1);
        assert_eq!(found(small_file, "samples/a.txt", &text), 0);
        assert_eq!(found(small_file, "docs/a.txt", &text[1..]), 0);
    }

    #[test]
    fn an_example_of_the_runtime_fits_a_hundred_and_twenty_lines() {
        let path = "crates/playhouse/examples/a.rs";
        let text = "a();\n".repeat(EXAMPLE_LINES_MAX);
        assert_eq!(found(short_examples, path, &text), 0);
        let longer = text + "b();\n";
        assert_eq!(found(short_examples, path, &longer), 1);
        assert_eq!(
            found(short_examples, "crates/folio/examples/a.rs", &longer),
            0
        );
    }

    #[test]
    fn threads_and_atomics_enter_the_runtime_by_one_door() {
        let rule = one_door_to_threads;
        for text in [
            "use std::sync::atomic::AtomicU64;",
            "fn f() { std::thread::spawn(g); }",
            "use std::{mem, thread};",
            "use std::sync::{Arc, atomic::Ordering};",
        ] {
            assert_eq!(
                found(rule, "crates/playhouse/src/cell.rs", text),
                1,
                "{text}"
            );
            assert_eq!(
                found(rule, "crates/playhouse/src/sync.rs", text),
                0,
                "{text}"
            );
            assert_eq!(found(rule, "crates/folio/src/main.rs", text), 0, "{text}");
        }
        for text in [
            "use crate::sync::atomic::AtomicU64;",
            "// std::thread\nlet thread = 1;",
            "use std::sync::Arc;\nuse crate::sync::thread;",
            "#[cfg(test)]\nmod tests { use std::thread; }",
        ] {
            assert_eq!(
                found(rule, "crates/playhouse/src/cell.rs", text),
                0,
                "{text}"
            );
        }
    }
}
