//! Words are cut by geometry.

use super::kit::{check, page, words};
use crate::model::Bounds;

#[test]
fn gaps_and_spaces_cut_words() {
    check(page().put(100.0, 100.0, 10.0, "two words"), "two words");
    // The gap alone, without a space in the file.
    check(
        page()
            .put(100.0, 100.0, 10.0, "two")
            .put(118.0, 100.0, 10.0, "words"),
        "two words",
    );
    // A generated space helps a gap that is too narrow to speak for itself.
    let narrow = |page: super::kit::Page| page.put(116.2, 100.0, 10.0, "words");
    check(
        narrow(page().put(100.0, 100.0, 10.0, "two").generated_space()),
        "two words",
    );
    check(narrow(page().put(100.0, 100.0, 10.0, "two")), "twowords");
}

#[test]
fn the_order_of_the_stream_does_not_matter() {
    let mut reversed =
        page()
            .put(100.0, 100.0, 10.0, "drawn from behind")
            .put(100.0, 112.0, 10.0, "and below");
    reversed.text.chars.reverse();
    check(reversed, "drawn from behind\nand below");
}

#[test]
fn letterspaced_words_stay_whole() {
    let spaced = page()
        .with(|page| page.tracking = 2.5)
        .put(100.0, 100.0, 10.0, "TITLE");
    check(spaced, "TITLE");
    let spaced = page()
        .with(|page| page.tracking = 2.5)
        .put(100.0, 100.0, 10.0, "TWO WORDS");
    check(spaced, "TWO WORDS");
    // Spaces of the file are believed.
    check(page().put(100.0, 100.0, 10.0, "a b c d"), "a b c d");
}

#[test]
fn fake_bold_is_read_once() {
    let twice = page()
        .put(100.0, 100.0, 10.0, "bold")
        .put(100.0, 100.0, 10.0, "bold")
        .put(100.3, 100.1, 10.0, "bold");
    assert_eq!(words(&check(twice, "bold")), ["bold"]);
    check(page().put(100.0, 100.0, 10.0, "all ill"), "all ill");
}

#[test]
fn ligatures_come_as_letters() {
    let layout = check(
        page().put(100.0, 100.0, 10.0, "\u{FB01}nd o\u{FB00}er"),
        "find offer",
    );
    let word = layout.words().next().unwrap();
    assert_eq!(word.widths.len(), 4);
    assert_eq!(word.edges().last(), Some(word.bounds.right));
}

#[test]
fn marks_stay_with_their_base() {
    let mut accented = page().put(100.0, 100.0, 10.0, "e\u{301}te\u{301}");
    // Both marks are drawn over their base, as fonts do it, with the origin behind it.
    for index in [1, 4] {
        accented.text.chars[index].ink = accented.text.chars[index - 1].ink;
        accented.text.chars[index].ink.left += 1.0;
    }
    for index in [2, 3, 4] {
        let shift = if index == 4 { 10.0 } else { 5.0 };
        let char = &mut accented.text.chars[index];
        char.origin.x -= 5.0;
        if index != 4 {
            (char.ink.left, char.ink.right) = (char.ink.left - shift, char.ink.right - shift);
            (char.loose.left, char.loose.right) =
                (char.loose.left - shift, char.loose.right - shift);
        }
    }
    accented.text.chars[4].ink = accented.text.chars[3].ink;
    let layout = check(accented, "e\u{301}te\u{301}");
    assert_eq!(layout.words().next().unwrap().widths[1], 0);
}

#[test]
fn boxes_are_hundredths_of_a_point_around_the_ink() {
    let layout = page().put(100.0, 100.0, 10.0, "no").build();
    let word = layout.words().next().unwrap();
    assert_eq!(
        word.bounds,
        Bounds {
            left: 10030,
            top: 9300,
            right: 10970,
            bottom: 10000
        }
    );
    assert_eq!(word.edges().collect::<Vec<_>>(), [10030, 10500, 10970]);
    assert_eq!(
        word.char_boxes()[1],
        Bounds {
            left: 10500,
            ..word.bounds
        }
    );
    let line = layout.lines().next().unwrap();
    assert_eq!(
        line.loose,
        Bounds {
            left: 10000,
            top: 9200,
            right: 11000,
            bottom: 10200
        }
    );
}

#[test]
fn what_lies_off_the_page_is_dropped() {
    check(
        page()
            .put(-40.0, 100.0, 10.0, "outside")
            .put(100.0, 900.0, 10.0, "below")
            .put(100.0, 100.0, 10.0, "in"),
        "in",
    );
}

#[test]
fn unmapped_glyphs_are_flagged_and_counted() {
    let layout = check(
        page().put(100.0, 100.0, 10.0, "a\u{FFFD}b\u{1}c good"),
        "a\u{FFFD}b\u{FFFD}c good",
    );
    assert_eq!(layout.unmapped_chars, 2);
    assert_eq!(
        layout.words().map(|word| word.unmapped).collect::<Vec<_>>(),
        [true, false]
    );
}

#[test]
fn controls_without_ink_are_mapped_away_and_counted() {
    let mut odd = page().put(100.0, 100.0, 10.0, "ab");
    let mut nul = odd.text.chars[0];
    nul.code = '\0';
    nul.ink.right = nul.ink.left;
    nul.ink.bottom = nul.ink.top;
    nul.loose = nul.ink;
    odd.text.chars.insert(1, nul);
    let layout = odd.build();
    assert_eq!(words(&layout), ["ab"]);
    assert_eq!(layout.unmapped_chars, 1);
}

#[test]
fn superscripts_and_subscripts_belong_to_their_word() {
    let formula = page()
        .put(100.0, 100.0, 10.0, "H")
        .put(105.0, 102.0, 7.0, "2")
        .put(108.5, 100.0, 10.0, "O")
        .put(116.0, 100.0, 10.0, "and m")
        .put(138.5, 96.0, 7.0, "2");
    assert_eq!(words(&check(formula, "H2O and m2")), ["H2O", "and", "m2"]);
}

#[test]
fn a_drop_cap_begins_its_word() {
    let lines = [
        "nce upon a time there was",
        "a page of prose",
        "that went on and on",
    ];
    let page = page()
        .put_lines(125.0, 100.0, 10.0, &lines)
        .put(100.0, 124.0, 45.0, "O")
        .put(100.0, 136.0, 10.0, "under the large letter");
    check(
        page,
        "Once upon a time there was\na page of prose\nthat went on and on\nunder the large letter",
    );
}

#[test]
fn accents_over_letters_become_one_character() {
    let cases = [
        ("\u{A8}", "\u{131}", "ï"),
        ("\u{B4}", "e", "é"),
        ("c", "\u{B8}", "ç"),
    ];
    for (first, second, letter) in cases {
        let page = page()
            .put(100.0, 100.0, 10.0, "na")
            .put(110.0, 100.0, 10.0, first)
            .put(110.0, 100.0, 10.0, second);
        let layout = check(page.put(115.0, 100.0, 10.0, "ve"), &format!("na{letter}ve"));
        assert_eq!(layout.words().next().unwrap().widths.len(), 5);
    }
    check(page().put(100.0, 100.0, 10.0, "2^e"), "2^e");
}
