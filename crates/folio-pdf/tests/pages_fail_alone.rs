//! A page that cannot be done fails by itself, with its reason; the other pages of the document are done.

mod common;

use common::pdf::{PdfBuilder, page_object};
use common::{DPI, open, render, with_pdfium};
use folio_pdf::limits::{CHARS_PER_PAGE, PIXELS_PER_PAGE, PIXELS_PER_SIDE};
use folio_pdf::{Bitmap, PageError};

/// A document whose second page is `broken`, between two good ones.
fn around(broken: impl FnOnce(&mut PdfBuilder) -> usize) -> Vec<u8> {
    let mut pdf = PdfBuilder::new();
    let content = pdf.stream("", "0 g 10 10 20 20 re f");
    let good = page_object(&mut pdf, "/MediaBox [0 0 144 72]", "", content);
    let also_good = page_object(&mut pdf, "/MediaBox [0 0 144 72]", "", content);
    let broken = broken(&mut pdf);
    pdf.finish(&[good, broken, also_good], "")
}

#[test]
fn a_page_over_a_cap_fails_before_anything_is_allocated() {
    let sizes = [
        "0 0 14400 14400",                           // 30,000 pixels a side
        "0 0 2 2147483648",                          // 5 pixels wide, billions high
        "0 0 100000000 100000000",                   // over everything
        "-100000000 -100000000 100000000 100000000", // the same around zero
    ];
    with_pdfium(|pdfium| {
        for size in sizes {
            let bytes = around(|pdf| {
                pdf.object(format!(
                    "<< /Type /Page /Parent 2 0 R /MediaBox [{size}] >>"
                ))
            });
            let document = open(pdfium, &bytes);
            let mut page = document.page(1).expect("it loads");
            let mut bitmap = Bitmap::new();
            let error = page
                .render(DPI, &mut bitmap, &mut || false)
                .expect_err("it is too large");
            let PageError::TooLarge {
                width_pixels,
                height_pixels,
                dpi: DPI,
                ..
            } = error
            else {
                panic!("{size}: {error:?}")
            };
            let side = u64::from(PIXELS_PER_SIDE);
            let over = width_pixels > side
                || height_pixels > side
                || width_pixels * height_pixels > PIXELS_PER_PAGE;
            assert!(over, "{size}: {error}");
            assert!(
                error
                    .to_string()
                    .contains(&format!("{width_pixels} x {height_pixels} pixels")),
                "{error}"
            );
            assert_eq!(bitmap.capacity(), 0, "nothing was allocated");
            assert!(page.pixel_size(DPI).is_err());
            for good in [0, 2] {
                render(&mut document.page(good).expect("it loads"));
            }
        }
    });
}

#[test]
fn a_page_with_more_text_than_the_cap_fails_before_it_is_read() {
    // Short lines on a tall page: the engine sorts within a line.
    let line = format!("({}) Tj 0 -1 Td\n", "ab".repeat(500));
    with_pdfium(|pdfium| {
        for (lines, is_over) in [(10, false), (1_001, true)] {
            let mut pdf = PdfBuilder::new();
            let content = pdf.stream(
                "",
                format!("BT /F 1 Tf 0 1100 Td {} ET", line.repeat(lines)),
            );
            let page = page_object(&mut pdf, "/MediaBox [0 0 600 1200]", "", content);
            let document = open(pdfium, &pdf.finish(&[page], ""));
            let result = document.page(0).expect("it loads").text();
            match result {
                Ok(text) => assert!(
                    !is_over && text.chars.len() >= 10_000,
                    "{}",
                    text.chars.len()
                ),
                Err(PageError::TooMuchText { chars }) => assert!(is_over && chars > CHARS_PER_PAGE),
                Err(error) => panic!("{error:?}"),
            }
        }
    });
}

#[test]
fn a_page_that_does_not_load_fails_alone() {
    with_pdfium(|pdfium| {
        for broken in ["42", "null", "<< /Type /Font >>"] {
            let document = open(pdfium, &around(|pdf| pdf.object(broken)));
            let error = document.page(1).expect_err(broken);
            assert!(
                matches!(error, PageError::Load { .. }),
                "{broken}: {error:?}"
            );
            for good in [0, 2] {
                render(&mut document.page(good).expect("it loads"));
            }
        }
    });
}

#[test]
fn a_page_beyond_the_last_is_named() {
    with_pdfium(|pdfium| {
        let document = open(
            pdfium,
            &around(|pdf| pdf.object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>")),
        );
        for index in [3, u32::MAX] {
            let error = document.page(index).expect_err("there is no such page");
            assert!(
                matches!(error, PageError::NoSuchPage { count: 3, .. }),
                "{error:?}"
            );
            assert!(
                error
                    .to_string()
                    .contains(&format!("no page {}", u64::from(index) + 1)),
                "{error}"
            );
            assert!(matches!(
                document.page_size(index),
                Err(PageError::NoSuchPage { .. })
            ));
        }
    });
}

/// A document whose page has an annotation, whose long appearance is read when the page is rendered.
fn with_annotation() -> Vec<u8> {
    let mut pdf = PdfBuilder::new();
    let content = pdf.stream("", "0 g 10 10 20 20 re f");
    let look = pdf.stream(
        "/Subtype /Form /BBox [0 0 50 50]",
        "0 0 50 50 re f\n".repeat(1_000),
    );
    let annotation = format!("/Subtype /Square /Rect [20 20 70 70] /F 4 /AP << /N {look} 0 R >>");
    let entries = format!("/MediaBox [0 0 144 72] /Annots [<< /Type /Annot {annotation} >>]");
    let page = page_object(&mut pdf, &entries, "", content);
    pdf.finish(&[page], "")
}

#[cfg(unix)]
#[test]
fn a_page_that_could_not_be_read_is_not_passed_off_as_empty() {
    with_pdfium(|pdfium| {
        let open = |bytes: Vec<u8>| {
            let file = common::file(&bytes);
            let same_file = file.try_clone().expect("a second handle");
            (pdfium.open(file, None).expect("it opens"), same_file)
        };
        // The engine has read the page's entry with the catalog, at opening, but not yet what the page draws.
        let mut pdf = PdfBuilder::new();
        let page = page_object(&mut pdf, "/MediaBox [0 0 144 72]", "", 4);
        assert_eq!(pdf.stream("", "0 g 10 10 20 20 re f"), 4);
        let (document, file) = open(pdf.finish(&[page], ""));
        file.set_len(10)
            .expect("it is cut short before the page is loaded");
        let result = document.page(0);
        assert!(matches!(result, Err(PageError::Io(_))), "{result:?}");

        let (document, file) = open(with_annotation());
        let mut page = document.page(0).expect("it loads");
        file.set_len(10)
            .expect("it is cut short before the page is rendered");
        let result = page.render(DPI, &mut Bitmap::new(), &mut || false);
        assert!(matches!(result, Err(PageError::Io(_))), "{result:?}");
    });
}
