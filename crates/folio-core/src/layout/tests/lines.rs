//! Lines, blocks, hyphens, directions.

use folio_pdf::CharFlags;

use super::kit::{check, page};
use crate::model::{Direction, TextSource};

#[test]
fn lines_and_paragraphs() {
    let layout = check(
        page()
            .put(100.0, 80.0, 16.0, "Heading")
            .put_lines(
                100.0,
                110.0,
                10.0,
                &["one two three", "four five six", "seven eight"],
            )
            .put_lines(100.0, 160.0, 10.0, &["nine ten", "eleven"]),
        "Heading\n\none two three\nfour five six\nseven eight\n\nnine ten\neleven",
    );
    assert_eq!(layout.blocks.len(), 3);
    assert_eq!(layout.lines().next().unwrap().size, 1600);
}

#[test]
fn an_indent_begins_a_paragraph() {
    check(
        page()
            .put_lines(100.0, 100.0, 10.0, &["one two three", "four five six"])
            .put(115.0, 124.0, 10.0, "seven eight")
            .put(100.0, 136.0, 10.0, "nine ten eleven"),
        "one two three\nfour five six\n\nseven eight\nnine ten eleven",
    );
}

#[test]
fn a_centred_last_line_ends_its_paragraph() {
    check(
        page()
            .put_lines(
                100.0,
                100.0,
                10.0,
                &["one two three four", "four five six seven"],
            )
            .put(130.0, 124.0, 10.0, "eight"),
        "one two three four\nfour five six seven\neight",
    );
}

#[test]
fn a_soft_hyphen_joins_and_a_hard_one_stays() {
    let soft = CharFlags {
        hyphen: true,
        ..CharFlags::default()
    };
    let begin = page().put(100.0, 100.0, 10.0, "an exam");
    let hyphen = |page: super::kit::Page, flags| {
        page.with(|page| page.flags = flags)
            .put(133.0, 100.0, 10.0, "-")
            .with(|page| page.flags = CharFlags::default())
    };
    let joined = check(
        hyphen(begin.clone(), soft).put(100.0, 112.0, 10.0, "ple of it"),
        "an example\nof it",
    );
    assert!(joined.lines().next().unwrap().hyphenated);
    let hard = CharFlags::default();
    check(
        hyphen(begin.clone(), hard).put(100.0, 112.0, 10.0, "ple of it"),
        "an exam-\nple of it",
    );
    check(
        hyphen(begin.clone(), soft).put(100.0, 112.0, 10.0, "Ple"),
        "an exam-\nPle",
    );
    check(hyphen(begin.clone(), soft), "an exam-");
    check(
        hyphen(begin.clone(), soft).put(100.0, 112.0, 10.0, "a-b"),
        "an exam-\na-b",
    );
    check(
        hyphen(page().put(100.0, 100.0, 10.0, "an e-am"), soft).put(100.0, 112.0, 10.0, "ple"),
        "an e-am-\nple",
    );
    check(
        hyphen(page().put(100.0, 100.0, 10.0, "an e3am"), soft).put(100.0, 112.0, 10.0, "ple"),
        "an e3am-\nple",
    );
    check(
        begin
            .put(132.5, 100.0, 10.0, "\u{AD}")
            .put(100.0, 112.0, 10.0, "ple"),
        "an example",
    );
}

#[test]
fn text_source_and_need_for_ocr() {
    let image = |page: &mut super::kit::Page| page.text.has_image = true;
    let invisible = |page: &mut super::kit::Page| page.flags.invisible = true;
    let cases = [
        (page(), TextSource::None, false),
        (page().with(image), TextSource::None, true),
        (
            page().with(image).put(100.0, 100.0, 10.0, "   "),
            TextSource::None,
            true,
        ),
        (
            page().put(100.0, 100.0, 10.0, "x"),
            TextSource::Native,
            false,
        ),
        (
            page().with(image).put(100.0, 100.0, 10.0, "x"),
            TextSource::Native,
            false,
        ),
        (
            page().with(invisible).put(100.0, 100.0, 10.0, "x"),
            TextSource::HiddenOcr,
            false,
        ),
        (
            page()
                .with(image)
                .with(invisible)
                .put(100.0, 100.0, 10.0, "x"),
            TextSource::HiddenOcr,
            true,
        ),
    ];
    for (page, source, needs_ocr) in cases {
        let layout = page.build();
        assert_eq!(
            (layout.text_source, layout.needs_ocr),
            (source, needs_ocr),
            "{:?}",
            layout.text()
        );
    }
}

#[test]
fn turned_text_has_lines_of_its_own_with_full_boxes() {
    for angle in [90.0, 180.0, 270.0, 45.0] {
        let turned = page()
            .put(100.0, 100.0, 10.0, "straight text is longer")
            .with(|page| page.angle = angle)
            .put(300.0, 400.0, 10.0, "turned text");
        let layout = check(turned, "straight text is longer\n\nturned text");
        let line = layout.lines().nth(1).unwrap();
        assert_eq!(f32::from(line.angle), angle);
        assert_eq!(line.words[0].boxes.len(), 6);
        assert!(line.words[0].widths.is_empty());
    }
}

#[test]
fn right_to_left_text_is_in_logical_order() {
    // Placed as the eye sees it: the first letter is the rightmost.
    let cases = [
        ("םולש", "שלום"),
        ("םלוע םולש", "שלום עולם"),
        // Numbers and foreign words keep their direction.
        ("2023 תנש", "שנת 2023"),
        (
            "hello world םלוע םולש רמא אוה",
            "הוא אמר שלום עולם hello world",
        ),
        ("the word םולש in text", "the word שלום in text"),
        ("the words םלוע םולש in text", "the words שלום עולם in text"),
        ("12-ב", "ב-12"),
    ];
    for (seen, read) in cases {
        check(page().put(100.0, 100.0, 10.0, seen), read);
    }
    let layout = page().put(100.0, 100.0, 10.0, "םולש").build();
    let word = layout.words().next().unwrap();
    assert!(word.rtl);
    assert_eq!(word.edges().next(), Some(word.bounds.right));
    assert_eq!(word.edges().last(), Some(word.bounds.left));
}

#[test]
fn a_lam_alef_ligature_reads_lam_first() {
    for pair in ["\u{644}\u{627}", "\u{627}\u{644}"] {
        let mut ligature = page().put(100.0, 100.0, 10.0, pair);
        let first = ligature.text.chars[0];
        ligature.text.chars[1] = folio_pdf::Char {
            code: ligature.text.chars[1].code,
            ..first
        };
        check(ligature, "\u{644}\u{627}");
    }
    check(page().put(100.0, 100.0, 10.0, "\u{FEFB}"), "\u{644}\u{627}");
}

#[test]
fn brackets_of_right_to_left_text_come_as_they_are_meant() {
    for seen in ["םולש )4()ב(15", "םולש (4)(ב)15"] {
        check(page().put(100.0, 100.0, 10.0, seen), "15(ב)(4) שלום");
    }
}

#[test]
fn turned_right_to_left_text_is_in_logical_order() {
    let turned = page()
        .with(|page| page.angle = 90.0)
        .put(100.0, 100.0, 10.0, "םולש");
    check(turned, "שלום");
}

#[test]
fn vertical_text_is_read_down_and_then_left() {
    let vertical = page().put_down(300.0, 100.0, 10.0, "日本語の文").put_down(
        280.0,
        100.0,
        10.0,
        "章は縦に書く",
    );
    let layout = check(vertical, "日本語の文\n章は縦に書く");
    let line = layout.lines().next().unwrap();
    assert_eq!(line.direction, Direction::TopToBottom);
    assert_eq!(line.words[0].boxes.len(), 5);
    check(page().put_down(300.0, 100.0, 10.0, "Hello"), "Hello");
    // Lines of one letter are no vertical text when the engine says where they end.
    let mut letters = page();
    for (index, letter) in ["a", "b", "c"].iter().enumerate() {
        letters = letters
            .put(100.0, 100.0 + 12.0 * index as f32, 10.0, letter)
            .generated_break();
    }
    check(letters, "a\nb\nc");
}
