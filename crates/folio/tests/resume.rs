//! Killed at any moment, run again: every page once, nothing done twice that was completed.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::{extract, files, run, start};
use folio_core::limits::default_budget;
use serde_json::Value;

/// Pages of the document; the acceptance run uses 1,500 and an optimised build.
fn pages() -> u32 {
    std::env::var("FOLIO_RESUME_PAGES")
        .ok()
        .and_then(|pages| pages.parse().ok())
        .unwrap_or(120)
}

fn seed() -> u64 {
    std::env::var("FOLIO_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(1623)
}

const STORERS: usize = 2;
const KILLS: u32 = 10;

/// A long document in `folder`: one that the environment names, or one of our own.
fn big(folder: &Path) -> PathBuf {
    if let Some(path) = std::env::var_os("FOLIO_RESUME_PDF") {
        return path.into();
    }
    let path = folder.join("big.pdf");
    fs::write(&path, xtask::big_pdf::document(pages())).unwrap();
    path
}

/// Where in each tenth of the run it is killed, as a page count: a small generator is enough, and its seed is printed.
fn moments(seed: u64, pages: u32) -> Vec<u32> {
    let mut state = seed;
    let mut next = |below: u32| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(state >> 33).expect("31 bits") % below
    };
    let tenth = pages / KILLS;
    (0..KILLS)
        .map(|kill| kill * tenth + next(tenth.max(1)))
        .collect()
}

fn by_document(input: &Path, out: &Path) -> std::process::Command {
    let mut command = extract(input, out);
    command.args(["--jobs", &STORERS.to_string()]);
    command
}

#[test]
fn killed_in_each_tenth_of_the_run_it_ends_as_if_undisturbed() {
    let scratch = tempfile::tempdir().unwrap();
    let input = big(scratch.path());
    let undisturbed = run(
        &mut by_document(&input, &scratch.path().join("undisturbed")),
        0,
    );
    let pages = u32::try_from(undisturbed.the("document")["pages"].as_u64().unwrap()).unwrap();

    let out = scratch.path().join("killed");
    let (seed, mut completed) = (seed(), BTreeMap::<u64, u32>::new());
    for moment in moments(seed, pages) {
        let drawn_for_nothing =
            killed_after(&mut by_document(&input, &out), moment, &mut completed);
        let in_flight = default_budget(STORERS) as u64 / 8_700_000 + 1;
        assert!(
            drawn_for_nothing <= in_flight,
            "seed {seed}: {drawn_for_nothing} pages were drawn and lost, {in_flight} may be in flight"
        );
    }
    let last = run(&mut by_document(&input, &out), 0);
    for page in last.of("page") {
        *completed.entry(page["page"].as_u64().unwrap()).or_default() += 1;
    }
    println!(
        "seed {seed}, {pages} pages, {KILLS} kills: {} pages were reported twice",
        completed.values().filter(|times| **times > 1).count()
    );

    assert_eq!(last.the("finished")["outcome"], "completed");
    let again = run(&mut by_document(&input, &out), 0);
    assert_eq!(
        (
            again.the("finished")["skipped"].as_u64(),
            again.of("page").count()
        ),
        (Some(u64::from(pages)), 0)
    );
    let (whole, parts) = (files(&undisturbed.folder()), files(&last.folder()));
    let names = |files: &[(String, Vec<u8>)]| {
        files
            .iter()
            .map(|(name, _)| name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&whole), names(&parts), "seed {seed}");
    assert_eq!(
        whole.len(),
        2 * pages as usize + 1,
        "an image and a layout for every page, and the text"
    );
    for ((name, expected), (_, found)) in whole.iter().zip(&parts) {
        assert!(
            expected == found,
            "seed {seed}: {name} differs from that of an undisturbed run"
        );
    }
}

/// Kills a run with SIGKILL once `moment` pages are done in all; answers how many it had drawn and not reported.
fn killed_after(
    command: &mut std::process::Command,
    moment: u32,
    completed: &mut BTreeMap<u64, u32>,
) -> u64 {
    let (mut child, lines) = start(command);
    let (mut drawn, mut reported) = (0, 0);
    for line in lines.filter(|line: &Value| line["event"] == "page") {
        reported += 1;
        drawn = line["drawn"].as_u64().expect("how far the owner is");
        *completed.entry(line["page"].as_u64().unwrap()).or_default() += 1;
        if completed.len() >= moment as usize {
            break;
        }
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it is gone");
    drawn - reported
}

#[test]
fn a_page_whose_file_was_removed_is_done_again_and_no_other() {
    let out = tempfile::tempdir().unwrap();
    let first = run(&mut extract(&common::sample(), out.path()), 0);
    fs::remove_file(first.folder().join("pages/00003.jpg")).unwrap();
    let second = run(&mut extract(&common::sample(), out.path()), 0);
    let redone: Vec<_> = second
        .of("page")
        .map(|page| page["page"].as_u64().unwrap())
        .collect();
    assert_eq!(redone, [3]);
}

#[test]
fn a_completed_document_is_a_no_op_and_force_is_not() {
    let out = tempfile::tempdir().unwrap();
    run(&mut extract(&common::sample(), out.path()), 0);
    let second = run(&mut extract(&common::sample(), out.path()), 0);
    assert_eq!(second.of("document").count(), 0, "it is not even opened");
    let forced = run(extract(&common::sample(), out.path()).arg("--force"), 0);
    assert_eq!(forced.of("page").count(), 12);
}

#[test]
fn pages_can_be_added_to_the_same_folder_later() {
    let out = tempfile::tempdir().unwrap();
    let some = run(
        extract(&common::sample(), out.path()).args(["--pages", "2,4-5"]),
        0,
    );
    assert_eq!(
        (
            some.the("finished")["outcome"].as_str(),
            some.of("page").count()
        ),
        (Some("partial"), 3)
    );
    let rest = run(&mut extract(&common::sample(), out.path()), 0);
    assert_eq!(
        (
            rest.the("finished")["outcome"].as_str(),
            rest.of("page").count()
        ),
        (Some("completed"), 9)
    );
    assert_eq!(rest.folder(), some.folder());
}
