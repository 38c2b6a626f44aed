//! Letters that lie over each other: the stream orders what places cannot.

use folio_pdf::{Char, Rect};

use super::kit::{Page, check, page};

/// The part of a letter's ink that lies between two quarters of it, along its baseline.
fn quarters(char: &Char, from: f32, to: f32) -> Rect {
    let Rect {
        left,
        top,
        right,
        bottom,
    } = char.ink;
    let along = |start: f32, end: f32, quarter: f32| start + (end - start) * quarter / 4.0;
    let mut part = char.ink;
    match char.angle as i32 {
        0 => (part.left, part.right) = (along(left, right, from), along(left, right, to)),
        90 => (part.top, part.bottom) = (along(top, bottom, from), along(top, bottom, to)),
        180 => (part.right, part.left) = (along(right, left, from), along(right, left, to)),
        _ => (part.bottom, part.top) = (along(bottom, top, from), along(bottom, top, to)),
    }
    part
}

/// Puts four right-to-left letters over the first letter of the page.
fn cover_first(page: &mut Page, letters: &str) {
    let first = page.text.chars[0];
    for (code, quarter) in letters.chars().zip([3.0, 2.0, 1.0, 0.0]) {
        let ink = quarters(&first, quarter, quarter + 1.0);
        page.text.chars.push(Char {
            code,
            ink,
            loose: ink,
            ..first
        });
    }
}

#[test]
fn letters_put_over_another_word_are_a_word_of_their_own() {
    for angle in [0.0, 90.0, 180.0, 270.0] {
        let covered = page()
            .with(|page| page.angle = angle)
            .put(300.0, 300.0, 10.0, "habibi")
            .with(|page| cover_first(page, "ערבי"));
        check(covered, "habibi ערבי");
    }
}

#[test]
fn two_words_printed_over_each_other_stay_whole() {
    let over = page()
        .put(100.0, 100.0, 10.0, "Hello")
        .put(101.5, 100.0, 10.0, "World")
        .put(130.0, 100.0, 10.0, "there");
    check(over, "Hello World there");
}

/// Moves the box of a character so that it begins this far right of the one before in the stream, and lies over it; what
/// follows moves along.
fn lay_over_the_one_before(page: &mut Page, index: usize, aside: f32) {
    let shift = page.text.chars[index - 1].ink.left + aside - page.text.chars[index].ink.left;
    for char in &mut page.text.chars[index..] {
        for rect in [&mut char.ink, &mut char.loose] {
            (rect.left, rect.right) = (rect.left + shift, rect.right + shift);
        }
        char.origin.x += shift;
    }
}

#[test]
fn letters_that_lie_over_the_one_before_keep_the_order_of_their_run() {
    check(
        page()
            .put(100.0, 100.0, 10.0, "makes")
            .with(|page| lay_over_the_one_before(page, 2, -0.2)),
        "makes",
    );
    // Right-to-left text, and any text drawn from behind.
    for (seen, read) in [("םולש", "שלום"), ("makes", "makes")] {
        let from_behind = page().put(100.0, 100.0, 10.0, seen).with(|page| {
            page.text.chars.reverse();
            lay_over_the_one_before(page, 2, 0.2);
        });
        check(from_behind, read);
    }
}

#[test]
fn the_letters_of_a_ligature_come_in_the_order_it_is_read() {
    // The letters from left to right, which of them share a glyph, and what is read.
    let cases = [
        ("طلخا", 1..3, "الخط"),
        ("طخلا", 1..3, "الخط"),
        ("لمحا", 0..3, "المح"),
        ("حملا", 0..3, "المح"),
        // Both orders are ligatures: the engine's stands.
        ("حجا", 0..2, "اجح"),
        ("جحا", 0..2, "احج"),
    ];
    for (seen, shared, read) in cases {
        let page = page().put(100.0, 100.0, 10.0, seen).with(|page| {
            let origin = page.text.chars[shared.start].origin;
            for char in &mut page.text.chars[shared.clone()] {
                char.origin = origin;
            }
            page.text.chars.reverse();
        });
        check(page, read);
    }
    // Letters with origins of their own are no ligature.
    check(page().put(100.0, 100.0, 10.0, "طلخا"), "اخلط");
}
