//! What goes wrong, and what a person and a script are told: the thing, the reason, the next step, the exit code.

mod common;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{extract, folio, run, sample};

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn written(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// Runs `extract INPUT`, expects this exit code and all these words on standard error, on lines of their own accord.
fn refused(input: &Path, extra: &[&str], code: i32, says: &[&str]) -> common::Ended {
    let out = scratch();
    let ended = run(extract(input, &out.path().join("out")).args(extra), code);
    for words in says {
        assert!(
            ended.said.contains(words),
            "'{words}' is not in:\n{}",
            ended.said
        );
    }
    assert!(!ended.said.contains("panicked"), "{}", ended.said);
    ended
}

#[test]
fn wrong_usage_is_exit_2_and_names_the_option() {
    for (arguments, says) in [
        (vec!["--dpi", "5"], "18 to 1200"),
        (vec!["--image", "gif"], "jpeg, png or none"),
        (vec!["--pages", "0"], "counted from 1"),
        (vec!["--qualty", "3"], "--quality"),
        (
            vec!["--password-env", "FOLIO_NO_SUCH_VARIABLE"],
            "FOLIO_NO_SUCH_VARIABLE",
        ),
        (vec!["--password-file", "/no/such/file"], "--password-file"),
    ] {
        refused(&sample(), &arguments, 2, &[says]);
    }
    let ended = run(&mut folio(["extract"]), 2);
    assert!(ended.said.contains("<INPUT>"), "{}", ended.said);
}

#[test]
fn a_missing_file_is_exit_2_alone_and_exit_1_beside_others() {
    refused(
        Path::new("no-such.pdf"),
        &[],
        2,
        &["no-such.pdf: there is no such file"],
    );
    let ended = refused(
        &sample(),
        &["no-such.pdf"],
        1,
        &["no-such.pdf: there is no such file"],
    );
    assert_eq!(ended.the("summary")["completed"], 1);
}

#[test]
fn a_folder_without_pdfs_is_exit_2() {
    let folder = scratch();
    written(folder.path(), "notes.txt", b"no");
    refused(folder.path(), &[], 2, &["no PDF in this folder"]);
}

#[test]
fn what_is_no_pdf_is_named_by_what_it_looks_like() {
    let folder = scratch();
    let pdf = fs::read(sample()).unwrap();
    for (name, bytes, says) in [
        (
            "page.pdf",
            &b"<!DOCTYPE html><html><body>Not found</body></html>"[..],
            "HTML",
        ),
        ("empty.pdf", b"", "empty"),
        ("noise.pdf", &[7; 4000], "not a readable PDF"),
        ("cut.pdf", &pdf[..pdf.len() / 3], "not a readable PDF"),
    ] {
        let path = written(folder.path(), name, bytes);
        let ended = refused(&path, &[], 1, &[name, says]);
        let finished = ended.the("finished");
        assert_eq!(finished["outcome"], "failed");
        assert!(
            finished["reason"].as_str().unwrap().contains(says),
            "{finished}"
        );
        assert_eq!(ended.of("page").count(), 0, "no page rows for {name}");
    }
}

#[test]
fn a_document_without_pages_fails_by_name() {
    let folder = scratch();
    let path = written(folder.path(), "none.pdf", &xtask::bombs::no_pages());
    refused(&path, &[], 1, &["none.pdf", "no pages"]);
}

#[test]
fn a_locked_document_names_the_password_options_and_opens_with_the_password() {
    let folder = scratch();
    let path = written(folder.path(), "locked.pdf", &xtask::bombs::locked());
    refused(
        &path,
        &[],
        1,
        &[
            "locked.pdf",
            "password is needed",
            "--password-file",
            "--password-env",
        ],
    );
    let wrong = written(folder.path(), "wrong.txt", b"open sesame\n");
    let ended = refused(
        &path,
        &["--password-file", wrong.to_str().unwrap()],
        1,
        &["does not open it", "--password-file"],
    );
    assert!(
        !ended.said.contains("sesame"),
        "a password is never printed"
    );
    let right = written(
        folder.path(),
        "right.txt",
        format!("{}\n", xtask::bombs::PASSWORD).as_bytes(),
    );
    let ended = refused(&path, &["--password-file", right.to_str().unwrap()], 0, &[]);
    assert_eq!(ended.the("summary")["pages"], 1);
    let out = folder.path().join("out");
    let mut command = extract(&path, &out);
    command
        .args(["--password-env", "FOLIO_TEST_SECRET"])
        .env("FOLIO_TEST_SECRET", xtask::bombs::PASSWORD);
    run(&mut command, 0);
}

#[test]
fn one_bad_page_fails_alone_and_is_tried_again_alone() {
    let folder = scratch();
    let path = written(
        folder.path(),
        "two.pdf",
        &xtask::bombs::second_page_missing(),
    );
    let out = folder.path().join("out");
    let first = run(&mut extract(&path, &out), 1);
    let outcomes: Vec<_> = first
        .of("page")
        .map(|page| {
            (
                page["page"].as_u64().unwrap(),
                page["outcome"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    assert!(
        outcomes.contains(&(1, "completed".into())) && outcomes.contains(&(2, "failed".into())),
        "{outcomes:?}"
    );
    assert!(first.said.contains("page 2 failed"), "{}", first.said);
    let second = run(&mut extract(&path, &out), 1);
    let tried: Vec<_> = second
        .of("page")
        .map(|page| page["page"].as_u64().unwrap())
        .collect();
    assert_eq!(tried, [2]);
}

#[test]
fn a_page_too_large_fails_with_its_size_before_anything_is_allocated() {
    let folder = scratch();
    let path = written(folder.path(), "huge.pdf", &xtask::bombs::huge_page());
    let ended = refused(&path, &[], 1, &["too large", "pixels"]);
    assert_eq!(ended.the("summary")["pages_failed"], 1);
}

#[test]
fn hostile_but_honest_documents_complete() {
    let folder = scratch();
    for (name, bytes) in [
        ("image.pdf", xtask::bombs::huge_image()),
        ("count.pdf", xtask::bombs::page_count()),
        ("outline.pdf", xtask::bombs::circular_outline()),
        ("cycle.pdf", xtask::bombs::circular_form()),
        ("control.pdf", xtask::bombs::control_characters()),
    ] {
        let path = written(folder.path(), name, &bytes);
        let out = folder.path().join(format!("{name}-out"));
        let ended = run(&mut extract(&path, &out), 0);
        assert_eq!(
            ended.the("finished")["outcome"],
            "completed",
            "{name}: {}",
            ended.said
        );
    }
}

#[test]
fn pages_that_are_not_there_are_named() {
    refused(
        &sample(),
        &["--pages", "3,99"],
        1,
        &["page 99 was asked for", "12 pages", "--pages"],
    );
}

#[test]
fn an_output_folder_that_cannot_be_used_is_exit_2() {
    let folder = scratch();
    let file = written(folder.path(), "taken", b"a file");
    let ended = run(&mut extract(&sample(), &file), 2);
    assert!(
        ended.said.contains("cannot be used") && ended.said.contains("--out"),
        "{}",
        ended.said
    );
    let broken = folder.path().join("broken");
    fs::create_dir_all(&broken).unwrap();
    written(
        &broken,
        "folio.db",
        "not a database at all, whatever its name"
            .repeat(50)
            .as_bytes(),
    );
    let ended = run(&mut extract(&sample(), &broken), 2);
    assert!(
        ended.said.contains("folio.db is not a database"),
        "{}",
        ended.said
    );
}

#[test]
fn two_runs_on_one_folder_the_second_is_refused_by_name() {
    let folder = scratch();
    let path = written(folder.path(), "big.pdf", &xtask::big_pdf::document(200));
    let out = folder.path().join("out");
    let (mut first, mut lines) = common::start(&mut extract(&path, &out));
    lines.next().expect("the first run is under way");
    let ended = run(&mut extract(&sample(), &out), 2);
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(
        ended
            .said
            .contains(&format!("another run (process {})", first.id())),
        "{}",
        ended.said
    );
    assert!(ended.said.contains("--out"), "{}", ended.said);
}

#[test]
fn standard_input_is_a_document_too() {
    let out = scratch();
    let mut command = extract(Path::new("-"), out.path());
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(&fs::read(sample()).unwrap())
        .unwrap();
    let done = child.wait_with_output().unwrap();
    assert_eq!(
        done.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let folders: Vec<_> = fs::read_dir(out.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(
        folders.iter().any(|name| name.starts_with("stdin-")),
        "{folders:?}"
    );
}

#[test]
fn without_the_engine_and_offline_it_says_where_it_looked_and_what_to_paste() {
    let home = scratch();
    let binary = home.path().join("folio");
    fs::copy(common::binary(), &binary).unwrap();
    let mut command = Command::new(binary);
    command
        .args(["extract", "--offline", "--out"])
        .arg(home.path().join("out"))
        .arg(sample());
    command
        .env_remove("FOLIO_PDFIUM")
        .env("XDG_DATA_HOME", home.path())
        .env("HOME", home.path());
    let ended = run(&mut command, 2);
    assert!(
        ended.said.contains("--offline") && ended.said.contains(home.path().to_str().unwrap()),
        "{}",
        ended.said
    );
    assert!(
        ended.said.contains("pip") || ended.said.contains("curl"),
        "one command to paste: {}",
        ended.said
    );
}

#[cfg(unix)]
#[test]
fn a_signal_finishes_the_pages_in_flight_and_says_how_to_go_on() {
    let folder = scratch();
    let path = written(folder.path(), "big.pdf", &xtask::big_pdf::document(150));
    for name in ["INT", "TERM", "HUP"] {
        let out = folder.path().join(name);
        let (child, rest) = signalled(&mut extract(&path, &out), name);
        let done = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(130), "SIG{name}: {said}");
        assert!(
            said.contains("Run the same command again"),
            "SIG{name}: {said}"
        );
        assert!(
            rest.iter().any(|line| line.contains("\"interrupted\"")),
            "SIG{name}: {rest:?}"
        );
    }
    let ended = run(&mut extract(&path, &folder.path().join("INT")), 0);
    assert!(
        ended.the("finished")["skipped"].as_u64().unwrap() > 0,
        "what was done stays done"
    );
}

#[cfg(unix)]
#[test]
fn what_was_not_started_is_counted() {
    let folder = scratch();
    let inputs = folder.path().join("inputs");
    fs::create_dir(&inputs).unwrap();
    for number in 1..=12 {
        written(
            &inputs,
            &format!("{number}.pdf"),
            &xtask::big_pdf::document(20 + number),
        );
    }
    let (child, rest) = signalled(&mut extract(&inputs, &folder.path().join("out")), "INT");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    let summary: serde_json::Value = serde_json::from_str(rest.last().unwrap()).unwrap();
    let count = |what: &str| summary[what].as_u64().unwrap();
    assert_eq!(count("documents") + count("not_started"), 12, "{summary}");
    assert!(count("not_started") > 0, "{summary}");
}

#[cfg(unix)]
#[test]
fn a_second_signal_ends_it_at_once() {
    let folder = scratch();
    // A page that takes many times as long as the test: who waits for it has not ended at once.
    let path = written(folder.path(), "slow.pdf", &xtask::bombs::slow_page());
    let mut command = extract(&path, &folder.path().join("out"));
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stderr.take().unwrap()))
        .map_while(Result::ok);
    lines
        .by_ref()
        .find(|line| line.contains("2 pages"))
        .expect("it is open");
    send(&child, "INT");
    lines
        .by_ref()
        .find(|line| line.contains("once more to end at once"))
        .expect("it was heard");
    send(&child, "INT");
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(130));
    let events = String::from_utf8_lossy(&done.stdout);
    assert!(
        !events.contains("\"summary\""),
        "it did not wait for the page: {events}"
    );
}

/// Starts a run, sends it a signal at its first page, and reads the rest of its lines.
#[cfg(unix)]
fn signalled(command: &mut Command, signal: &str) -> (std::process::Child, Vec<String>) {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()))
        .map_while(Result::ok);
    lines
        .by_ref()
        .find(|line| line.contains("\"page\""))
        .expect("a first page");
    send(&child, signal);
    (child, lines.collect())
}

#[cfg(unix)]
fn send(child: &std::process::Child, signal: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{signal}"), &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
}
