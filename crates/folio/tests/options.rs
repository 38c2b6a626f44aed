//! Every option does what it says: each test fails when its option is ignored.

mod common;

use std::fs;

use common::{extract, folio, layout, run, sample};
use serde_json::Value;

fn out() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn image_bytes(arguments: &[&str]) -> u64 {
    let out = out();
    let ended = run(
        extract(&sample(), out.path())
            .args(["--pages", "1"])
            .args(arguments),
        0,
    );
    fs::metadata(ended.folder().join("pages/00001.jpg"))
        .unwrap()
        .len()
}

#[test]
fn dpi_sets_the_pixels() {
    let out = out();
    let ended = run(
        extract(&sample(), out.path()).args(["--dpi", "72", "--pages", "1"]),
        0,
    );
    let image = layout(&ended.folder(), 1).image.unwrap();
    assert_eq!((image.width_px, image.height_px), (595, 842));
}

#[test]
fn quality_sets_the_size_and_no_grey_encodes_colour() {
    let usual = image_bytes(&[]);
    assert!(image_bytes(&["--quality", "30"]) < usual);
    assert!(image_bytes(&["--no-grey"]) > usual);
}

#[test]
fn image_chooses_the_format() {
    for (format, extension) in [("png", Some("png")), ("none", None)] {
        let out = out();
        let ended = run(
            extract(&sample(), out.path()).args(["--image", format, "--pages", "1"]),
            0,
        );
        let files: Vec<String> = common::files(&ended.folder())
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        let mut expected = vec!["pages/00001.json".to_owned(), "text.txt".to_owned()];
        expected.extend(extension.map(|extension| format!("pages/00001.{extension}")));
        expected.sort();
        assert_eq!(files, expected);
    }
}

#[test]
fn without_json_standard_output_is_empty_and_with_it_every_line_is_an_object() {
    let out = out();
    let plain = run(
        folio(["extract", "--pages", "1", "--out"])
            .arg(out.path())
            .arg(sample()),
        0,
    );
    assert!(plain.events.is_empty());
    let json = run(extract(&sample(), out.path()).args(["--pages", "2"]), 0);
    let kinds: Vec<&str> = json
        .events
        .iter()
        .map(|event| event["event"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["document", "page", "finished", "summary"]);
}

#[test]
fn quiet_says_nothing_but_failures() {
    let out = out();
    let good = run(
        extract(&sample(), out.path()).args(["--quiet", "--pages", "1"]),
        0,
    );
    assert_eq!(good.said, "");
    let page = out.path().join("page.pdf");
    fs::write(&page, "<html>").unwrap();
    let bad = run(extract(&page, &out.path().join("out")).arg("--quiet"), 1);
    assert_eq!(bad.said.lines().count(), 1, "{}", bad.said);
    assert!(
        bad.said.contains("page.pdf: failed: not a readable PDF"),
        "{}",
        bad.said
    );
}

#[test]
fn a_named_engine_that_cannot_be_used_is_exit_2_and_touches_no_record() {
    let out = out();
    run(extract(&sample(), out.path()).args(["--pages", "1"]), 0);
    let missing = run(
        extract(&sample(), out.path()).args(["--pdfium", "/no/such/libpdfium.so"]),
        2,
    );
    assert!(
        missing.said.contains("/no/such/libpdfium.so"),
        "{}",
        missing.said
    );
    let text = out.path().join("no-library.so");
    fs::write(&text, "not a library").unwrap();
    let unusable = run(extract(&sample(), out.path()).arg("--pdfium").arg(&text), 2);
    assert!(
        unusable.said.contains("no-library.so") && unusable.said.contains("--pdfium"),
        "{}",
        unusable.said
    );
    let by_variable = run(extract(&sample(), out.path()).env("FOLIO_PDFIUM", &text), 2);
    assert!(
        by_variable.said.contains("no-library.so"),
        "{}",
        by_variable.said
    );
    let status = run(folio(["status", "--json", "--out"]).arg(out.path()), 0);
    assert_eq!(
        (&status.events[0]["status"], &status.events[0]["completed"]),
        (&Value::from("partial"), &Value::from(1))
    );
}

#[cfg(target_os = "linux")]
#[test]
fn jobs_sets_the_number_of_encoders() {
    let scratch = out();
    let input = scratch.path().join("big.pdf");
    fs::write(&input, xtask::big_pdf::document(40)).unwrap();
    for jobs in [1, 3] {
        let mut command = extract(&input, &scratch.path().join(jobs.to_string()));
        let (mut child, mut lines) = common::start(command.args(["--jobs", &jobs.to_string()]));
        lines.find(|line| line["event"] == "page").expect("a page");
        let encoders = fs::read_dir(format!("/proc/{}/task", child.id()))
            .unwrap()
            .filter(|task| {
                let name = fs::read_to_string(task.as_ref().unwrap().path().join("comm"))
                    .unwrap_or_default();
                name.starts_with("playhouse-encod")
            });
        assert_eq!(encoders.count(), jobs);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn a_selection_that_cannot_be_had_leaves_a_finished_document_finished() {
    let out = out();
    run(&mut extract(&sample(), out.path()), 0);
    run(extract(&sample(), out.path()).args(["--pages", "99"]), 1);
    let status = run(folio(["status", "--json", "--out"]).arg(out.path()), 0);
    assert_eq!(status.events[0]["status"], "completed");
}
