//! The commands beside the main one: `info`, `status`, `setup`.

mod common;

use std::fs;
use std::process::{Command, Stdio};

use common::{extract, folio, run, sample};

fn text(command: &mut Command, code: i32) -> (String, String) {
    let done = command.output().unwrap();
    let read = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(done.status.code(), Some(code), "{}", read(&done.stderr));
    (read(&done.stdout), read(&done.stderr))
}

#[test]
fn info_shows_pages_sizes_encryption_and_metadata() {
    let (shown, _) = text(folio(["info"]).arg(sample()), 0);
    for words in [
        "first-folio.pdf: 12 pages",
        "x 842 pt",
        "encrypted: no",
        "form: acroform",
        "pdf version: ",
    ] {
        assert!(shown.contains(words), "'{words}' is not in:\n{shown}");
    }
    let info = run(folio(["info", "--json"]).arg(sample()), 0);
    assert_eq!(
        (&info.events[0]["pages"], &info.events[0]["encrypted"]),
        (&12.into(), &false.into())
    );
}

#[test]
fn info_opens_an_encrypted_document_with_its_password_and_names_the_option_without() {
    let folder = tempfile::tempdir().unwrap();
    let (locked, password) = (
        folder.path().join("locked.pdf"),
        folder.path().join("password"),
    );
    fs::write(&locked, xtask::bombs::locked()).unwrap();
    fs::write(&password, xtask::bombs::PASSWORD).unwrap();
    let (_, said) = text(folio(["info"]).arg(&locked), 1);
    assert!(
        said.contains("locked.pdf") && said.contains("--password-file"),
        "{said}"
    );
    let (shown, _) = text(
        folio(["info", "--password-file"])
            .arg(&password)
            .arg(&locked),
        0,
    );
    assert!(shown.contains("encrypted: yes"), "{shown}");
}

#[test]
fn status_tells_what_is_done_and_why_the_rest_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let two = folder.path().join("two.pdf");
    fs::write(&two, xtask::bombs::second_page_missing()).unwrap();
    let out = folder.path().join("out");
    run(extract(&two, &out).arg(sample()), 1);
    let (shown, _) = text(folio(["status", "--out"]).arg(&out), 1);
    assert!(
        shown.contains("12 of 12 pages completed")
            && shown.contains("2 of 3 pages completed, 1 failed"),
        "{shown}"
    );
    assert!(shown.contains("page 2 failed: "), "{shown}");
}

#[test]
fn status_of_a_folder_without_a_catalog_is_exit_2_with_the_next_step() {
    let folder = tempfile::tempdir().unwrap();
    let (_, said) = text(folio(["status", "--out"]).arg(folder.path()), 2);
    assert!(
        said.contains("nothing was extracted there yet") && said.contains("--out"),
        "{said}"
    );
}

#[test]
fn setup_says_where_the_engine_is() {
    let (_, said) = text(&mut folio(["setup"]), 0);
    assert!(said.contains("PDFium is at "), "{said}");
}

#[cfg(unix)]
#[test]
fn a_reader_that_hangs_up_is_no_panic() {
    let out = tempfile::tempdir().unwrap();
    run(extract(&sample(), out.path()).args(["--pages", "1"]), 0);
    let mut commands = [
        folio(["status"]),
        folio(["info"]),
        extract(&sample(), out.path()),
    ];
    commands[0].arg("--out").arg(out.path());
    commands[1].arg(sample());
    for command in &mut commands {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop((child.stdout.take(), child.stderr.take()));
        assert_eq!(child.wait().unwrap().code(), Some(0), "{command:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn standard_output_that_cannot_be_written_is_said_and_is_exit_1() {
    let out = tempfile::tempdir().unwrap();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let (_, said) = text(extract(&sample(), out.path()).stdout(full), 1);
    assert!(
        said.contains("standard output lost some of the JSON lines"),
        "{said}"
    );
    assert!(said.contains("completed"), "people are still told: {said}");
}
