//! The boxes of characters lie on the ink of the rendered page, within a pixel, however the page is cropped and turned.

mod common;

use common::pdf::one_page;
use common::{dark_extent, open, render, with_pdfium};
use folio_pdf::{Bitmap, Char, Page, PageText, Rect};

/// Letters far apart from each other, in several directions and sizes.
const LETTERS: &str = "BT /F 20 Tf 100 220 Td (H) Tj 40 0 Td (g) Tj 40 0 Td (A) Tj ET \
    BT /F 20 Tf 0 1 -1 0 130 260 Tm (R) Tj ET \
    BT /F 20 Tf -1 0 0 -1 200 290 Tm (K) Tj ET \
    BT /F 20 Tf 0.866 0.5 -0.5 0.866 240 250 Tm (B) Tj ET \
    q 3 0 0 2 0 0 cm BT /F 1 Tf 10 0 0 10 90 90 Tm (E) Tj ET Q";

/// A media box that begins away from zero and a crop box inside it.
const BOXES: &str = "/MediaBox [50 100 450 400] /CropBox [80 160 340 320]";

fn check(page: &mut Page<'_>, text: &PageText) {
    let bitmap = render(page);
    let (width, height) = page.size();
    let scale = (
        bitmap.width() as f32 / width,
        bitmap.height() as f32 / height,
    );
    for char in text.chars.iter().filter(|char| !char.flags.generated) {
        check_char(char, &bitmap, scale);
    }
}

fn check_char(char: &Char, bitmap: &Bitmap, (scale_x, scale_y): (f32, f32)) {
    let pixels = |rect: Rect, margin: f32| Rect {
        left: rect.left * scale_x - margin,
        top: rect.top * scale_y - margin,
        right: rect.right * scale_x + margin,
        bottom: rect.bottom * scale_y + margin,
    };
    let expected = pixels(char.ink, 0.0);
    let ink =
        dark_extent(bitmap, pixels(char.ink, 6.0)).unwrap_or_else(|| panic!("no ink at {char:?}"));
    let sides = [
        (ink.left, expected.left),
        (ink.top, expected.top),
        (ink.right, expected.right),
        (ink.bottom, expected.bottom),
    ];
    for (got, wanted) in sides {
        // The box of a slanted letter is the box around its turned box, which is wider than its ink.
        let is_slanted = char.angle % 90.0 > 1.0;
        let near = if is_slanted { 8.0 } else { 1.0 };
        assert!(
            (got - wanted).abs() <= near,
            "{:?}: ink {ink:?}, box {expected:?}",
            char.code
        );
    }
    let loose = char.loose;
    let holds = loose.left <= char.origin.x + 0.1 && char.origin.x - 0.1 <= loose.right;
    assert!(
        holds && loose.top <= char.origin.y && char.origin.y <= loose.bottom,
        "the origin is in the box: {char:?}"
    );
}

#[test]
fn under_every_rotation_and_crop() {
    with_pdfium(|pdfium| {
        for rotation in [0, 90, 180, 270] {
            for boxes in [
                BOXES,
                "/MediaBox [0 0 400 350]",
                "/MediaBox [-20 150 380 330.5]",
            ] {
                let document = open(
                    pdfium,
                    &one_page(&format!("{boxes} /Rotate {rotation}"), LETTERS),
                );
                let mut page = document.page(0).expect("it loads");
                let text = page.text().expect("it is read");
                // The engine sorts pieces on one line by their place as displayed.
                let mut letters: Vec<_> = common::drawn(&text).chars().collect();
                letters.sort_unstable();
                assert_eq!(letters, ['A', 'B', 'E', 'H', 'K', 'R', 'g']);
                assert_eq!(page.rotation(), rotation);
                check(&mut page, &text);
            }
        }
    });
}

#[test]
fn angles_and_sizes_are_as_displayed() {
    with_pdfium(|pdfium| {
        for rotation in [0_u16, 90, 180, 270] {
            let document = open(
                pdfium,
                &one_page(&format!("{BOXES} /Rotate {rotation}"), LETTERS),
            );
            let text = document
                .page(0)
                .expect("it loads")
                .text()
                .expect("it is read");
            for char in text.chars.iter().filter(|char| !char.flags.generated) {
                let own = [('R', 270.0), ('K', 180.0), ('B', 330.0)]
                    .iter()
                    .find(|(letter, _)| *letter == char.code);
                let angle = (own.map_or(0.0, |(_, angle)| *angle) + f32::from(rotation)) % 360.0;
                let difference = (char.angle - angle).abs();
                assert!(
                    difference.min(360.0 - difference) < 0.1,
                    "{char:?} is at {angle}"
                );
                assert!((char.size - 20.0).abs() < 0.1, "{char:?}");
            }
        }
    });
}

#[test]
fn the_page_says_its_size_as_displayed() {
    with_pdfium(|pdfium| {
        for (rotation, size) in [
            (0, (260.0, 160.0)),
            (90, (160.0, 260.0)),
            (180, (260.0, 160.0)),
            (270, (160.0, 260.0)),
        ] {
            let document = open(
                pdfium,
                &one_page(&format!("{BOXES} /Rotate {rotation}"), ""),
            );
            let page = document.page(0).expect("it loads");
            assert_eq!(page.size(), size);
            assert_eq!(document.page_size(0).expect("it has a size"), size);
            assert_eq!(page.crop_box(), [80.0, 160.0, 340.0, 320.0]);
            assert_eq!(
                page.pixel_size(72).expect("it fits"),
                (size.0 as u32, size.1 as u32)
            );
        }
    });
}

#[test]
fn a_crop_box_is_cut_to_the_media_box() {
    with_pdfium(|pdfium| {
        let document = open(
            pdfium,
            &one_page("/MediaBox [0 0 200 100] /CropBox [-50 20 900 900]", ""),
        );
        assert_eq!(
            document.page(0).expect("it loads").crop_box(),
            [0.0, 20.0, 200.0, 100.0]
        );
    });
}

#[test]
fn text_outside_the_crop_box_is_given_too() {
    let content = "BT /F 20 Tf 10 10 Td (out) Tj 100 100 Td (in) Tj ET";
    with_pdfium(|pdfium| {
        let text = common::text_of(
            pdfium,
            &one_page("/MediaBox [0 0 200 200] /CropBox [50 50 200 200]", content),
        );
        assert_eq!(common::drawn(&text), "outin");
        assert!(
            text.chars[0].ink.left < 0.0 && text.chars[0].ink.top > 150.0,
            "{:?}",
            text.chars[0]
        );
    });
}
