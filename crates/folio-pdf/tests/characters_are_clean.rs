//! Every character is one that databases and exporters take, and says what is known about it.

mod common;

use common::pdf::{HELVETICA, PdfBuilder, one_page, page_object};
use common::{drawn, text_of, with_pdfium};
use folio_pdf::{Char, PageText};

/// A page that shows `content` in a font whose codes 1 to 10 look like the letters A to J and mean what `map` says, in
/// hexadecimal UTF-16.
fn mapped(map: &[(u8, &str)], content: &str) -> Vec<u8> {
    let mut pdf = PdfBuilder::new();
    let lines: String = map
        .iter()
        .map(|(code, text)| format!("<{code:02X}> <{text}>\n"))
        .collect();
    let map = pdf.stream(
        "",
        format!(
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Test def /CMapType 2 def\n\
             1 begincodespacerange <00> <FF> endcodespacerange\n\
             {} beginbfchar\n{lines}endbfchar\nendcmap end end",
            map.len()
        ),
    );
    let letters = "/Encoding << /Differences [1 /A /B /C /D /E /F /G /H /I /J] >>";
    let font = format!(
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode {map} 0 R {letters} >>"
    );
    let font = pdf.object(font);
    let content = pdf.stream("", content);
    let page = pdf.object(format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 100] /Contents {content} 0 R \
         /Resources << /Font << /F {font} 0 R /G {HELVETICA} >> >> >>"
    ));
    pdf.finish(&[page], "")
}

fn width(char: &Char) -> f32 {
    char.ink.right - char.ink.left
}

#[test]
fn what_is_not_text_becomes_one_sign_and_is_flagged() {
    let map = [
        (1, "0000"),
        (2, "D800"),
        (3, "FFFE"),
        (4, "0007"),
        (5, "0041"),
        (6, "FDD0"),
    ];
    with_pdfium(|pdfium| {
        let text = text_of(
            pdfium,
            &mapped(&map, "BT /F 20 Tf 10 50 Td <010203040506> Tj ET"),
        );
        assert_eq!(drawn(&text), "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}A\u{FFFD}");
        let unmapped: Vec<_> = text.chars.iter().map(|char| char.flags.unmapped).collect();
        assert_eq!(unmapped, [true, true, true, true, false, true]);
    });
}

#[test]
fn the_halves_of_a_surrogate_pair_are_one_character() {
    with_pdfium(|pdfium| {
        let text = text_of(
            pdfium,
            &mapped(
                &[(1, "D83DDE00"), (2, "0042")],
                "BT /F 20 Tf 10 50 Td <0102> Tj ET",
            ),
        );
        assert_eq!(drawn(&text), "\u{1F600}B");
        assert!(
            width(&text.chars[0]) > 10.0,
            "it has the whole box of its glyph"
        );
        assert!(text.chars[0].ink.right < text.chars[1].ink.left);
    });
}

#[test]
fn letters_of_a_ligature_share_its_box() {
    with_pdfium(|pdfium| {
        // By the font's map, and by the ligature's own code.
        for (code, letters) in [("006600660069", "ffi"), ("FB01", "fi")] {
            let text = text_of(
                pdfium,
                &mapped(
                    &[(1, code), (2, "0042")],
                    "BT /F 20 Tf 10 50 Td <0102> Tj ET",
                ),
            );
            assert_eq!(drawn(&text), format!("{letters}B"));
            let pair = text.chars.windows(2).map(|pair| (pair[0], pair[1]));
            for (char, next) in pair {
                assert!(char.ink.right <= next.ink.left + 0.01, "{char:?} {next:?}");
                assert!(
                    char.loose.right <= next.loose.left + 0.01,
                    "{char:?} {next:?}"
                );
            }
            let whole: f32 = text.chars[..letters.len()].iter().map(width).sum();
            assert!(
                (whole - 12.8).abs() < 0.3,
                "together they have the box of the glyph: {whole}"
            );
        }
    });
}

#[test]
fn letters_drawn_twice_in_a_row_are_no_ligature() {
    with_pdfium(|pdfium| {
        let text = text_of(
            pdfium,
            &one_page("/MediaBox [0 0 300 100]", "BT /F 20 Tf 10 50 Td (ff) Tj ET"),
        );
        assert_eq!(drawn(&text), "ff");
        assert!((width(&text.chars[0]) - width(&text.chars[1])).abs() < 0.01);
        assert!(text.chars[0].origin != text.chars[1].origin);
    });
}

#[test]
fn letters_of_one_right_to_left_glyph_are_in_reading_order() {
    let cases = [
        ("FEFB", "\u{644}\u{627}"),               // lam-alef by its own code
        ("06440627", "\u{644}\u{627}"),           // and by the font's map
        ("FB2A", "\u{5E9}\u{5C1}"),               // a letter with its point, by its own code
        ("05D105BC", "\u{5D1}\u{5BC}"),           // and by the font's map
        ("FDF2", "\u{627}\u{644}\u{644}\u{647}"), // a word with its own code
        ("0627064406440647", "\u{627}\u{644}\u{644}\u{647}"), // and by the font's map
        ("062D064E0628064A", "\u{62D}\u{64E}\u{628}\u{64A}"), // some other ligature with a vowel sign
    ];
    with_pdfium(|pdfium| {
        for (code, expected) in cases {
            // On the page the glyph stands left of a beh.
            let bytes = mapped(
                &[(1, code), (2, "0628")],
                "BT /F 20 Tf 10 50 Td <0102> Tj ET",
            );
            let text = text_of(pdfium, &bytes);
            assert_eq!(drawn(&text), format!("\u{628}{expected}"), "for {code}");
            for pair in text.chars.windows(2) {
                assert!(
                    pair[0].ink.left > pair[1].ink.left - 0.01,
                    "each letter is left of the one before: {pair:?}"
                );
            }
        }
    });
}

#[test]
fn a_glyph_without_a_meaning_is_flagged() {
    let mut pdf = PdfBuilder::new();
    let glyph = pdf.stream("", "500 0 0 0 500 500 d1 0 0 500 500 re f");
    let font = pdf.object(format!(
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 500] /FontMatrix [0.001 0 0 0.001 0 0] \
         /CharProcs << /blob {glyph} 0 R >> /FirstChar 65 /LastChar 66 /Widths [500 500] /Resources << >> \
         /Encoding << /Differences [65 /blob /blob] >> >>"
    ));
    let content = pdf.stream("", "BT /F 20 Tf 10 50 Td (AB) Tj ET");
    let page = pdf.object(format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents {content} 0 R \
         /Resources << /Font << /F {font} 0 R >> >> >>"
    ));
    let bytes = pdf.finish(&[page], "");
    with_pdfium(|pdfium| {
        let text = text_of(pdfium, &bytes);
        assert_eq!(text.chars.len(), 2);
        assert!(text.chars.iter().all(|char| char.flags.unmapped));
        assert_eq!(text.fonts, [""]);
    });
}

#[test]
fn hyphens_at_line_ends_are_flagged_others_are_not() {
    let content = "BT /F 20 Tf 10 70 Td (well-known inter-) Tj 0 -24 Td (national soft\\255) Tj 0 -24 Td (ware) Tj ET";
    with_pdfium(|pdfium| {
        let text = text_of(pdfium, &one_page("/MediaBox [0 0 300 100]", content));
        assert_eq!(drawn(&text), "well-known inter-national soft-ware");
        let hyphens = text
            .chars
            .iter()
            .filter(|char| char.code == '-')
            .map(|char| char.flags.hyphen);
        assert_eq!(hyphens.collect::<Vec<_>>(), [false, true, true]);
    });
}

#[test]
fn generated_spaces_and_line_breaks_are_flagged_drawn_ones_are_not() {
    let content = "BT /F 20 Tf 10 70 Td [(a b) -1000 (c)] TJ 0 -40 Td (d) Tj ET";
    with_pdfium(|pdfium| {
        let text = text_of(pdfium, &one_page("/MediaBox [0 0 300 100]", content));
        let chars: Vec<_> = text
            .chars
            .iter()
            .map(|char| (char.code, char.flags.generated))
            .collect();
        let expected = [
            ('a', false),
            (' ', false),
            ('b', false),
            (' ', true),
            ('c', false),
            ('\r', true),
            ('\n', true),
            ('d', false),
        ];
        assert_eq!(chars, expected);
        assert!(
            text.chars
                .iter()
                .all(|char| (char.size - 20.0).abs() < 0.01),
            "they take the style of what is before"
        );
    });
}

#[test]
fn style_changes_within_a_line_are_seen() {
    let content = "BT /F 20 Tf 10 50 Td (A) Tj /G 10 Tf (b) Tj 3 Tr (c) Tj 0 Tr /F 20 Tf (A) Tj ET";
    with_pdfium(|pdfium| {
        let text = text_of(pdfium, &mapped(&[(65, "0041")], content));
        let styles: Vec<_> = text
            .chars
            .iter()
            .map(|char| (char.code, char.size, char.flags.invisible))
            .collect();
        assert_eq!(
            styles,
            [
                ('A', 20.0, false),
                ('b', 10.0, false),
                ('c', 10.0, true),
                ('A', 20.0, false)
            ]
        );
        assert_eq!(
            text.fonts,
            ["Helvetica"],
            "two font objects of one name are one entry"
        );
    });
}

#[test]
fn fonts_are_listed_once_each() {
    let mut pdf = PdfBuilder::new();
    let content = pdf.stream(
        "",
        "BT 10 50 Td /F 9 Tf (a) Tj /B 9 Tf (b) Tj /F 9 Tf (c) Tj /B 9 Tf (d) Tj ET",
    );
    let courier = "<< /Type /Font /Subtype /Type1 /BaseFont /Courier-Bold >>";
    let page = pdf.object(format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents {content} 0 R \
         /Resources << /Font << /F {HELVETICA} /B {courier} >> >> >>"
    ));
    let bytes = pdf.finish(&[page], "");
    with_pdfium(|pdfium| {
        let text = text_of(pdfium, &bytes);
        assert_eq!(text.fonts, ["Helvetica", "Courier-Bold"]);
        assert_eq!(
            text.chars.iter().map(|char| char.font).collect::<Vec<_>>(),
            [0, 1, 0, 1]
        );
    });
}

/// A page that draws an image inside `depth` form objects.
fn nested_image(depth: usize) -> PageText {
    let mut pdf = PdfBuilder::new();
    let image = "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8";
    let mut inner = pdf.stream(image, "\0");
    for _ in 0..depth {
        let resources = format!("/Resources << /XObject << /X {inner} 0 R >> >>");
        inner = pdf.stream(
            &format!("/Type /XObject /Subtype /Form /BBox [0 0 9 9] {resources}"),
            "/X Do",
        );
    }
    let content = pdf.stream("", "9 0 0 9 0 0 cm /X Do");
    let page = page_object(
        &mut pdf,
        "/MediaBox [0 0 99 99]",
        &format!("/XObject << /X {inner} 0 R >>"),
        content,
    );
    let bytes = pdf.finish(&[page], "");
    let mut text = PageText::default();
    with_pdfium(|pdfium| text = text_of(pdfium, &bytes));
    text
}

#[test]
fn an_image_is_seen_also_inside_forms() {
    for depth in [0, 1, 3, 8] {
        assert!(nested_image(depth).has_image, "inside {depth} forms");
    }
    assert!(!nested_image(9).has_image, "the search has an end");
    let inline = "BI /W 1 /H 1 /CS /G /BPC 8 ID \0 EI";
    with_pdfium(|pdfium| {
        assert!(text_of(pdfium, &one_page("/MediaBox [0 0 9 9]", inline)).has_image);
        assert!(!text_of(pdfium, &one_page("/MediaBox [0 0 9 9]", "0 0 5 5 re f")).has_image);
    });
}

#[test]
fn an_empty_page_has_no_text() {
    with_pdfium(|pdfium| {
        assert_eq!(
            text_of(pdfium, &one_page("/MediaBox [0 0 9 9]", "")),
            PageText::default()
        )
    });
}
