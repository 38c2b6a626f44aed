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
    let done_before = completed.clone();
    let (mut drawn, mut reported) = (0, 0);
    for line in lines.filter(|line: &Value| line["event"] == "page") {
        reported += 1;
        drawn = line["drawn"].as_u64().expect("how far the owner is");
        let page = line["page"].as_u64().unwrap();
        assert!(
            !done_before.contains_key(&page),
            "page {page} was completed before the last kill and is done again"
        );
        *completed.entry(page).or_default() += 1;
        if completed.len() >= moment as usize {
            break;
        }
    }
    child.kill().expect("it can be killed");
    let status = child.wait().expect("it is gone");
    assert_eq!(
        status.code(),
        None,
        "it was killed, and had not ended by itself: {status}"
    );
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

#[test]
fn a_damaged_page_file_is_done_again() {
    let out = tempfile::tempdir().unwrap();
    let first = run(&mut extract(&common::sample(), out.path()), 0);
    let whole = files(&first.folder());
    fs::write(first.folder().join("pages/00002.jpg"), "").unwrap();
    fs::write(first.folder().join("pages/00005.json"), "{").unwrap();
    let second = run(&mut extract(&common::sample(), out.path()), 0);
    assert_eq!(second.of("page").count(), 2);
    assert_eq!(files(&second.folder()), whole);
}

#[test]
fn a_text_that_is_behind_its_pages_is_brought_up_to_date() {
    let out = tempfile::tempdir().unwrap();
    let some = run(
        extract(&common::sample(), out.path()).args(["--pages", "1-3"]),
        0,
    );
    let partial = fs::read(some.folder().join("text.txt")).unwrap();
    let all = run(&mut extract(&common::sample(), out.path()), 0);
    let whole = fs::read(all.folder().join("text.txt")).unwrap();
    assert!(partial.len() < whole.len());
    assert_eq!(
        partial.iter().filter(|byte| **byte == 0x0c).count(),
        12,
        "the nth form feed ends page n"
    );
    // As a run leaves it that is killed after its last page and before its end.
    fs::write(all.folder().join("text.txt"), partial).unwrap();
    run(&mut extract(&common::sample(), out.path()), 0);
    assert_eq!(fs::read(all.folder().join("text.txt")).unwrap(), whole);
}

#[test]
fn a_forced_run_killed_half_way_goes_on_without_force_and_does_no_page_twice() {
    let scratch = tempfile::tempdir().unwrap();
    let input = scratch.path().join("big.pdf");
    fs::write(&input, xtask::big_pdf::document(40)).unwrap();
    let out = scratch.path().join("out");
    let first = run(&mut by_document(&input, &out), 0);
    let whole = files(&first.folder());
    let mut forced = BTreeMap::new();
    killed_after(by_document(&input, &out).arg("--force"), 15, &mut forced);
    let rest = run(&mut by_document(&input, &out), 0);
    let done = u64::try_from(rest.of("page").count()).unwrap();
    assert!(
        done > 0 && done <= 40 - u64::try_from(forced.len()).unwrap(),
        "{done} pages after {} forced ones",
        forced.len()
    );
    assert_eq!(files(&rest.folder()), whole);
}

#[test]
fn the_same_content_twice_is_two_documents_and_done_once() {
    let scratch = tempfile::tempdir().unwrap();
    let copy = scratch.path().join("copy.pdf");
    fs::copy(common::sample(), &copy).unwrap();
    let out = scratch.path().join("out");
    let both = run(extract(&common::sample(), &out).arg(&copy), 0);
    assert_eq!(
        (both.of("page").count(), both.of("finished").count()),
        (12, 2)
    );
    assert_eq!(both.the("summary")["documents"], 2);
    assert_eq!(both.the("summary")["skipped"], 12);
    assert!(both.said.contains("copy.pdf: completed"), "{}", both.said);
}

#[test]
fn many_copies_of_a_document_hold_no_more_files_open_than_a_few() {
    let scratch = tempfile::tempdir().unwrap();
    let copies = scratch.path().join("copies");
    fs::create_dir(&copies).unwrap();
    for number in 0..80 {
        fs::copy(common::sample(), copies.join(format!("{number}.pdf"))).unwrap();
    }
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", r#"ulimit -n 64 && exec "$@""#, "sh"])
        .arg(common::binary());
    command
        .args(["extract", "--json", "--image", "none", "--out"])
        .arg(scratch.path().join("out"))
        .arg(&copies);
    let ended = run(&mut command, 0);
    assert_eq!(
        (ended.of("finished").count(), ended.of("page").count()),
        (80, 12)
    );
}

#[test]
fn a_file_written_to_while_it_is_read_does_not_count() {
    let scratch = tempfile::tempdir().unwrap();
    let input = scratch.path().join("big.pdf");
    let original = xtask::big_pdf::document(60);
    fs::write(&input, &original).unwrap();
    let out = scratch.path().join("out");
    let (mut child, mut lines) = start(&mut by_document(&input, &out));
    lines.next().expect("it is open");
    let mut changed = original.clone();
    let middle = changed.len() / 2;
    changed[middle..].fill(b' ');
    fs::write(&input, &changed).unwrap();
    let rest: Vec<Value> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let finished = rest
        .iter()
        .find(|line| line["event"] == "finished")
        .unwrap();
    assert!(
        finished["reason"]
            .as_str()
            .unwrap()
            .contains("changed while it was read"),
        "{finished}"
    );
    fs::write(&input, &original).unwrap();
    let again = run(&mut by_document(&input, &out), 0);
    assert_eq!(again.of("page").count(), 60, "none of its pages counted");
}
