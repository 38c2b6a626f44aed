//! PDFium has one owner per process, everything is closed in the right order, and nothing is left open.

mod common;

use std::path::Path;

use common::pdf::{PdfBuilder, one_page, page_object};
use common::{drawn, file, open, take_turn, with_pdfium};
use folio_pdf::{LoadError, Pdfium, counters};

#[test]
fn a_second_owner_is_refused_while_the_first_lives() {
    let (_turn, library) = take_turn();
    for round in 1..=2 {
        let before = counters().libraries_loaded;
        let owner = Pdfium::load(&library).expect("it loads, also again");
        let error = Pdfium::load(&library).expect_err("there is an owner");
        assert!(matches!(error, LoadError::AlreadyOwned), "{error:?}");
        assert_eq!(counters().libraries_loaded, before + 1, "in round {round}");
        drop(owner);
    }
}

#[test]
fn a_file_that_is_not_pdfium_is_named_and_leaves_no_owner() {
    let (_turn, library) = take_turn();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("libpdfium.so");
    std::fs::write(&path, "not a library").expect("it is written");
    for missing in [path, folder.path().join("nothing-here.so")] {
        let error = Pdfium::load(&missing).expect_err("it is no library");
        assert!(matches!(error, LoadError::Library { .. }), "{error:?}");
        assert!(
            error.to_string().contains(&missing.display().to_string()),
            "{error}"
        );
    }
    Pdfium::load(&library).expect("the place of the owner is free");
}

#[cfg(target_os = "linux")]
#[test]
fn a_library_without_the_functions_of_pdfium_is_named() {
    let (_turn, library) = take_turn();
    let error = Pdfium::load(Path::new("libm.so.6")).expect_err("it is another library");
    assert!(
        matches!(
            error,
            LoadError::NotPdfium {
                symbol: "FPDF_InitLibraryWithConfig",
                ..
            }
        ),
        "{error:?}"
    );
    Pdfium::load(&library).expect("the place of the owner is free");
}

#[test]
fn a_document_keeps_the_library_alive() {
    let bytes = one_page(
        "/MediaBox [0 0 200 100]",
        "BT /F 20 Tf 20 40 Td (late) Tj ET",
    );
    let (_turn, library) = take_turn();
    let owner = Pdfium::load(&library).expect("it loads");
    let document = open(&owner, &bytes);
    drop(owner);
    assert_eq!(
        drawn(
            &document
                .page(0)
                .expect("it loads")
                .text()
                .expect("it is read")
        ),
        "late"
    );
    assert!(
        matches!(Pdfium::load(&library), Err(LoadError::AlreadyOwned)),
        "the document still needs it"
    );
    drop(document);
    Pdfium::load(&library).expect("nothing needs it any more");
}

#[test]
fn the_pinned_build_is_known_by_its_contents() {
    let (_turn, library) = take_turn();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copy = folder.path().join("renamed.so");
    std::fs::copy(&library, &copy).expect("it is copied");
    let version = Pdfium::load(&library).expect("it loads").version();
    assert_eq!(
        Pdfium::load(&copy).expect("it loads").version(),
        version,
        "by contents, not by name"
    );
    assert!(version.starts_with("pdfium "), "{version}");
}

#[test]
fn every_page_and_document_is_closed_again() {
    let mut pdf = PdfBuilder::new();
    let content = pdf.stream("", "BT /F 20 Tf 20 40 Td (page) Tj ET");
    let pages: Vec<_> = (0..5)
        .map(|_| page_object(&mut pdf, "/MediaBox [0 0 200 100]", "", content))
        .collect();
    let bytes = pdf.finish(&pages, "/AcroForm << /Fields [] >>");
    with_pdfium(|pdfium| {
        let before = counters();
        for _ in 0..3 {
            let document = open(pdfium, &bytes);
            for index in 0..document.page_count() {
                let mut page = document.page(index).expect("it loads");
                assert_eq!(counters().pages_open(), 1);
                common::render(&mut page);
                page.text().expect("it is read");
            }
            assert_eq!(counters().documents_open(), 1);
        }
        let after = counters();
        assert_eq!(after.libraries_loaded, before.libraries_loaded);
        assert_eq!(after.documents_opened, before.documents_opened + 3);
        assert_eq!(after.pages_loaded, before.pages_loaded + 15);
        assert_eq!(after.pages_rendered, before.pages_rendered + 15);
        assert_eq!((after.documents_open(), after.pages_open()), (0, 0));
        assert!(pdfium.open(file(b"no PDF"), None).is_err());
        assert_eq!(
            counters().documents_opened,
            after.documents_opened,
            "one that does not open is not counted"
        );
    });
}
