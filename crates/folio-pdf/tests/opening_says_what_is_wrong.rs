//! A document that does not open says what it looks like and what to do.

mod common;

use common::pdf::{PdfBuilder, one_page};
use common::{drawn, try_open, with_pdfium};
use folio_pdf::{FileLook, FormKind, OpenError, Pdfium};

/// User password "résumé", owner password "owner"; the page says "secret". Written for these tests with pikepdf.
const AES_256: &[u8] = include_bytes!("data/encrypted-aes-256.pdf");
/// User password "reader", owner password "owner".
const RC4_128: &[u8] = include_bytes!("data/encrypted-rc4-128.pdf");

/// No user password, owner password "owner".
const OWNER_ONLY: &[u8] = include_bytes!("data/encrypted-owner-only.pdf");

fn error(pdfium: &Pdfium, bytes: &[u8], password: Option<&str>) -> OpenError {
    try_open(pdfium, bytes, password).expect_err("the document does not open")
}

#[test]
fn bytes_that_are_no_pdf_are_described() {
    let whole = one_page("/MediaBox [0 0 100 100]", "");
    let damaged = [&b"%PDF-1.7\n"[..], &[0x42; 400], b"\n%%EOF\n"].concat();
    let cases: [(&[u8], &str); 5] = [
        (b"", "the file is empty"),
        (
            b"<!DOCTYPE html><html><body>404 Not Found</body></html>",
            "HTML page",
        ),
        (&whole[..40], "breaks off after 40 bytes"),
        (
            b"just some text, no PDF at all",
            "begins with \"just some text, \"",
        ),
        (&damaged, "damaged inside"),
    ];
    with_pdfium(|pdfium| {
        for (bytes, part) in cases {
            let error = error(pdfium, bytes, None);
            assert!(
                matches!(error, OpenError::NotAPdf { code: 2 | 3, .. }),
                "{error:?}"
            );
            assert!(
                error.to_string().contains(part),
                "{part} is missing in: {error}"
            );
        }
    });
}

#[test]
fn a_header_after_some_junk_is_still_a_pdf() {
    let junk = [
        &b"junk before the header\n"[..],
        &one_page("/MediaBox [0 0 100 100]", ""),
    ]
    .concat();
    with_pdfium(|pdfium| assert_eq!(common::open(pdfium, &junk).page_count(), 1));
}

#[test]
fn a_password_is_asked_for_then_checked() {
    with_pdfium(|pdfium| {
        for (bytes, passwords, revision) in [
            (AES_256, ["résumé", "owner"], 6),
            (RC4_128, ["reader", "owner"], 3),
        ] {
            assert!(matches!(
                error(pdfium, bytes, None),
                OpenError::PasswordNeeded
            ));
            for wrong in ["wrong", "own\0er"] {
                assert!(matches!(
                    error(pdfium, bytes, Some(wrong)),
                    OpenError::PasswordWrong
                ));
            }
            for right in passwords {
                let document = try_open(pdfium, bytes, Some(right)).expect("it opens");
                assert_eq!(document.info().security_revision, Some(revision));
                let text = document
                    .page(0)
                    .expect("it loads")
                    .text()
                    .expect("it is read");
                assert_eq!(drawn(&text), "secret");
            }
        }
    });
}

#[test]
fn a_password_for_a_document_that_needs_none_is_ignored() {
    let plain = one_page("/MediaBox [0 0 100 100]", "");
    with_pdfium(|pdfium| {
        for (bytes, is_encrypted) in [(plain.as_slice(), false), (OWNER_ONLY, true)] {
            for password in [None, Some("of another document"), Some("owner"), Some("\0")] {
                let document = try_open(pdfium, bytes, password).expect("it opens");
                assert_eq!(document.info().is_encrypted(), is_encrypted);
            }
        }
    });
}

#[test]
fn an_unsupported_security_handler_is_named() {
    let mut pdf = PdfBuilder::new();
    let page = pdf.object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>");
    pdf.trailer("/Encrypt << /Filter /Acme.Vault /V 4 /R 4 >> /ID [<00> <00>]");
    let bytes = pdf.finish(&[page], "");
    with_pdfium(|pdfium| {
        let error = error(pdfium, &bytes, None);
        assert!(
            matches!(error, OpenError::UnsupportedSecurity { code: 5, .. }),
            "{error:?}"
        );
        assert!(error.to_string().contains("Acme.Vault"), "{error}");
    });
}

#[test]
fn a_document_without_pages_is_refused_and_closed() {
    let bytes = PdfBuilder::new().finish(&[], "");
    with_pdfium(|pdfium| {
        assert!(matches!(error(pdfium, &bytes, None), OpenError::NoPages));
        assert_eq!(folio_pdf::counters().documents_open(), 0);
    });
}

#[test]
fn a_file_that_cannot_be_read_is_not_called_damaged() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("write-only.pdf");
    std::fs::write(&path, one_page("/MediaBox [0 0 9 9]", "")).expect("it is written");
    let write_only = std::fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .expect("it opens for writing");
    with_pdfium(|pdfium| {
        let error = pdfium
            .open(write_only, None)
            .expect_err("it cannot be read");
        assert!(matches!(error, OpenError::Io(_)), "{error:?}");
    });
}

#[test]
fn the_look_is_data_for_programs() {
    with_pdfium(|pdfium| {
        let OpenError::NotAPdf { look, .. } = error(pdfium, b"PK\x03\x04....", None) else {
            panic!("it is no PDF")
        };
        let expected = FileLook::Other {
            kind: Some("a ZIP archive or an office document"),
            first_bytes: "PK......".into(),
        };
        assert_eq!(look, expected);
    });
}

#[test]
fn a_document_tells_about_itself() {
    let mut pdf = PdfBuilder::new();
    let page = pdf.object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>");
    // "Ö" in UTF-16, and a NUL that no database would take.
    let information = "<< /Title <FEFF00D60000006B> /Author (A. N. Other) /CreationDate (D:20260131120000Z) /Producer () >>";
    let information = pdf.object(information);
    pdf.trailer(&format!("/Info {information} 0 R"));
    let bytes = pdf.finish(&[page], "/AcroForm << /Fields [] >>");
    with_pdfium(|pdfium| {
        let info = common::open(pdfium, &bytes).info();
        assert_eq!(info.title.as_deref(), Some("Ö\u{FFFD}k"));
        assert_eq!(info.author.as_deref(), Some("A. N. Other"));
        assert_eq!(info.creation_date.as_deref(), Some("D:20260131120000Z"));
        assert_eq!((info.subject, info.producer), (None, None));
        assert_eq!(info.pdf_version.as_deref(), Some("1.7"));
        assert_eq!(info.form, FormKind::AcroForm);
    });
}

#[test]
fn a_file_replaced_on_disk_does_not_mix_two_versions() {
    let page = |word: &str| {
        one_page(
            "/MediaBox [0 0 200 100]",
            &format!("BT /F 20 Tf 20 40 Td ({word}) Tj ET"),
        )
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("changing.pdf");
    std::fs::write(&path, page("first")).expect("it is written");
    with_pdfium(|pdfium| {
        let document = pdfium
            .open(std::fs::File::open(&path).expect("it opens"), None)
            .expect("it is a document");
        let newer = folder.path().join("newer.pdf");
        std::fs::write(&newer, page("other")).expect("it is written");
        std::fs::rename(&newer, &path).expect("it is replaced");
        assert_eq!(
            drawn(
                &document
                    .page(0)
                    .expect("it loads")
                    .text()
                    .expect("it is read")
            ),
            "first"
        );
    });
}
