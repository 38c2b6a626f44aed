//! One owner of the engine in a process, and one open per document, whatever the number of jobs.
//!
//! One test in this file: the engine's counters belong to the process.

#[path = "common/line.rs"]
mod line;

use std::fs;

use line::{Line, request};

#[tokio::test(flavor = "multi_thread")]
async fn one_owner_and_one_open_per_document_whatever_the_jobs() {
    let scratch = tempfile::tempdir().unwrap();
    let mut expected = folio_pdf::counters();
    for storers in [1, 2, 8] {
        let requests = (1..=5u32).map(|pages| {
            let path = scratch.path().join(format!("{storers}-{pages}.pdf"));
            fs::write(&path, xtask::big_pdf::document(pages)).unwrap();
            request(&path)
        });
        let (report, _) = Line {
            storers,
            ..Line::default()
        }
        .start(requests.collect())
        .end()
        .await;
        assert_eq!(
            (report.documents_completed, report.pages_stored),
            (5, 15),
            "{report:?}"
        );
        let now = folio_pdf::counters();
        assert_eq!(
            now.libraries_loaded - expected.libraries_loaded,
            1,
            "one owner with {storers} storers"
        );
        assert_eq!(
            now.documents_opened - expected.documents_opened,
            5,
            "one open per document with {storers} storers"
        );
        assert_eq!(
            (now.documents_open(), now.pages_open()),
            (0, 0),
            "everything is closed"
        );
        expected = now;
    }
    assert!(
        folio_pdf::Pdfium::load(&line::library()).is_ok(),
        "the last owner has let go"
    );
}
