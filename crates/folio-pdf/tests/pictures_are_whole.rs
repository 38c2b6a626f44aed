//! A picture shows the whole page: on white, with annotations and form fields, in a buffer that is used again; and a
//! rendering can be given up.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::pdf::{PdfBuilder, one_page, page_object};
use common::{DPI, count, is_dark, open, pixel, render, with_pdfium};
use folio_pdf::{Bitmap, PageError, counters};

const WHITE: [u8; 3] = [255; 3];

fn is_red([blue, green, red]: [u8; 3]) -> bool {
    red > 200 && green < 60 && blue < 60
}

/// A page with one annotation of this kind whose appearance is a red square, and a form if `catalog` says so.
fn with_appearance(annotation: &str, catalog: &str) -> Vec<u8> {
    let mut pdf = PdfBuilder::new();
    let content = pdf.stream("", "");
    let look = pdf.stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 50 50]",
        "1 0 0 rg 0 0 50 50 re f",
    );
    let annotation =
        format!("<< /Type /Annot {annotation} /Rect [20 20 70 70] /F 4 /AP << /N {look} 0 R >> >>");
    let annotation = pdf.object(annotation);
    let page = page_object(
        &mut pdf,
        &format!("/MediaBox [0 0 144 96] /Annots [{annotation} 0 R]"),
        "",
        content,
    );
    pdf.finish(
        &[page],
        &catalog.replace("FIELD", &format!("{annotation} 0 R")),
    )
}

/// Ten thousand strokes: enough for the engine to ask whether to go on.
fn laborious() -> Vec<u8> {
    let strokes: String = (0..10_000)
        .map(|step| format!("{} 0 m {} 600 l S\n", step % 600, (step * 7) % 600))
        .collect();
    one_page("/MediaBox [0 0 600 600]", &strokes)
}

#[test]
fn an_empty_page_is_white_and_has_the_size_it_said() {
    with_pdfium(|pdfium| {
        let document = open(pdfium, &one_page("/MediaBox [0 0 144.5 72]", ""));
        let mut page = document.page(0).expect("it loads");
        let bitmap = render(&mut page);
        assert_eq!((bitmap.width(), bitmap.height()), (302, 150), "rounded up");
        assert_eq!(
            (bitmap.width(), bitmap.height()),
            page.pixel_size(DPI).expect("it fits")
        );
        assert_eq!(
            bitmap.bytes().len(),
            bitmap.stride() * bitmap.height() as usize
        );
        assert!(bitmap.bytes().iter().all(|&byte| byte == 255));
    });
}

#[test]
fn colours_are_blue_green_red() {
    with_pdfium(|pdfium| {
        let content = "1 0 0 rg 0 0 36 72 re f 0 0 1 rg 36 0 36 72 re f";
        let document = open(pdfium, &one_page("/MediaBox [0 0 72 72]", content));
        let bitmap = render(&mut document.page(0).expect("it loads"));
        assert_eq!(pixel(&bitmap, 30, 75), [0, 0, 255], "red on the left");
        assert_eq!(pixel(&bitmap, 120, 75), [255, 0, 0], "blue on the right");
    });
}

#[test]
fn annotations_are_drawn() {
    with_pdfium(|pdfium| {
        let document = open(pdfium, &with_appearance("/Subtype /Square", ""));
        let bitmap = render(&mut document.page(0).expect("it loads"));
        let red = count(&bitmap, is_red);
        assert!(
            (10_000..11_200).contains(&red),
            "50 pt at 150 DPI are 104 pixels a side: {red}"
        );
    });
}

#[test]
fn filled_form_fields_are_drawn() {
    let field = "/Subtype /Widget /FT /Tx /T (name) /V (filled)";
    with_pdfium(|pdfium| {
        let bytes = with_appearance(field, "/AcroForm << /Fields [FIELD] >>");
        let document = open(pdfium, &bytes);
        let bitmap = render(&mut document.page(0).expect("it loads"));
        let red = count(&bitmap, is_red);
        assert!((10_000..11_200).contains(&red), "{red}");
        assert_eq!(
            pixel(&bitmap, 2, 2),
            WHITE,
            "and nothing is highlighted around it"
        );
        assert_eq!(count(&bitmap, |pixel| pixel == WHITE) + red, 300 * 200);
    });
}

#[test]
fn invisible_text_is_not_drawn() {
    with_pdfium(|pdfium| {
        let content = "BT 3 Tr /F 20 Tf 20 40 Td (hidden) Tj ET";
        let document = open(pdfium, &one_page("/MediaBox [0 0 144 72]", content));
        let mut page = document.page(0).expect("it loads");
        assert_eq!(count(&render(&mut page), is_dark), 0);
        assert!(
            page.text()
                .expect("it is read")
                .chars
                .iter()
                .all(|char| char.flags.invisible)
        );
    });
}

#[test]
fn one_buffer_serves_pages_of_all_sizes() {
    let mut pdf = PdfBuilder::new();
    let content = pdf.stream("", "0 g 0 0 9999 9999 re f");
    let nothing = pdf.stream("", "");
    let large = page_object(&mut pdf, "/MediaBox [0 0 300 300]", "", content);
    let small = page_object(&mut pdf, "/MediaBox [0 0 100 50]", "", nothing);
    let bytes = pdf.finish(&[large, small], "");
    with_pdfium(|pdfium| {
        let document = open(pdfium, &bytes);
        let mut bitmap = Bitmap::new();
        document
            .page(0)
            .expect("it loads")
            .render(DPI, &mut bitmap, &mut || false)
            .expect("it renders");
        assert_eq!(count(&bitmap, is_dark), 625 * 625);
        let buffer = (bitmap.bytes().as_ptr(), bitmap.capacity());
        document
            .page(1)
            .expect("it loads")
            .render(DPI, &mut bitmap, &mut || false)
            .expect("it renders");
        assert_eq!((bitmap.width(), bitmap.height()), (209, 105));
        assert!(
            bitmap.bytes().iter().all(|&byte| byte == 255),
            "nothing is left of the page before"
        );
        assert_eq!(
            (bitmap.bytes().as_ptr(), bitmap.capacity()),
            buffer,
            "the same buffer"
        );
    });
}

#[test]
fn a_deadline_gives_the_rendering_up_and_the_document_goes_on() {
    with_pdfium(|pdfium| {
        let document = open(pdfium, &laborious());
        let mut page = document.page(0).expect("it loads");
        let mut bitmap = Bitmap::new();
        let before = counters().pages_rendered;
        for patience in [0, 1, 3] {
            let mut asked = 0;
            let mut deadline = || {
                asked += 1;
                asked > patience
            };
            let result = page.render(DPI, &mut bitmap, &mut deadline);
            assert!(matches!(result, Err(PageError::Deadline)), "{result:?}");
            assert_eq!(asked, patience + 1, "asked until yes, and not again");
        }
        assert_eq!(counters().pages_rendered, before);
        page.render(DPI, &mut bitmap, &mut || false)
            .expect("the same page renders when there is time");
        assert!(count(&bitmap, is_dark) > 1_000);
        assert_eq!(counters().pages_rendered, before + 1);
    });
}

#[test]
fn a_panic_of_the_deadline_comes_out_and_the_document_goes_on() {
    with_pdfium(|pdfium| {
        let document = open(pdfium, &laborious());
        let mut page = document.page(0).expect("it loads");
        let mut bitmap = Bitmap::new();
        let mut asked = 0;
        let panic = catch_unwind(AssertUnwindSafe(|| {
            page.render(DPI, &mut bitmap, &mut || {
                asked += 1;
                assert!(asked < 3, "on purpose");
                false
            })
        }))
        .expect_err("it panics");
        assert!(
            panic
                .downcast_ref::<&str>()
                .is_some_and(|text| text.contains("on purpose"))
        );
        page.render(DPI, &mut bitmap, &mut || false)
            .expect("the page renders");
        assert_eq!(counters().pages_open(), 1);
    });
}
