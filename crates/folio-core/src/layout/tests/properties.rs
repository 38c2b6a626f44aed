//! What holds for any page.

use std::collections::BTreeMap;

use folio_pdf::{Char, CharFlags, PageText, Point, Rect};
use proptest::prelude::*;

use super::kit::{GEOMETRY, Page, page};
use crate::layout::build;
use crate::model::{Layout, PageGeometry};

proptest! {
    #[test]
    fn every_visible_character_is_in_one_word(page in prose_page()) {
        let layout = page.build();
        let drawn = page.text.chars.iter().map(|char| char.code).filter(|code| *code != ' ');
        prop_assert_eq!(counted(drawn), counted(layout.words().flat_map(|word| word.text.chars())));
    }

    #[test]
    fn the_order_of_the_stream_decides_nothing(page in prose_page(), seed in any::<u64>()) {
        let mut shuffled = page.clone();
        shuffle(&mut shuffled.text.chars, seed);
        prop_assert_eq!(shuffled.build(), page.build());
    }

    #[test]
    fn any_page_has_a_layout(text in any_text(), geometry in any_geometry()) {
        let layout = build(&geometry, &text);
        check_shape(&layout)?;
        let json = layout.to_json();
        prop_assert!(!layout.text().contains('\0'));
        let back: Layout = serde_json::from_slice(&json).expect("what is written can be read");
        prop_assert_eq!(back.to_json(), json);
    }

    #[test]
    fn odd_characters_on_a_real_page_keep_its_shape(text in crowded_text()) {
        check_shape(&build(&GEOMETRY, &text))?;
    }
}

/// Boxes in order, one cell or box per character, and cells that fill their word.
fn check_shape(layout: &Layout) -> Result<(), TestCaseError> {
    for word in layout.words() {
        let bounds = word.bounds;
        prop_assert!(bounds.left <= bounds.right && bounds.top <= bounds.bottom);
        let letters = word.text.chars().count();
        prop_assert!(letters > 0);
        prop_assert_eq!(word.char_boxes().len(), letters);
        prop_assert_eq!(word.widths.is_empty(), !word.boxes.is_empty());
        prop_assert!(word.widths.iter().all(|width| *width >= 0));
        if word.boxes.is_empty() {
            let last = if word.rtl { bounds.left } else { bounds.right };
            prop_assert_eq!(word.edges().last(), Some(last));
        }
        for cell in word.char_boxes() {
            prop_assert!(cell.left >= bounds.left && cell.right <= bounds.right);
            prop_assert!(cell.top >= bounds.top && cell.bottom <= bounds.bottom);
        }
    }
    for block in &layout.blocks {
        prop_assert!(
            !block.lines.is_empty() && block.lines.iter().all(|line| !line.words.is_empty())
        );
    }
    Ok(())
}

/// Brackets of right-to-left lines may be mirrored: both count as the same.
fn counted(letters: impl Iterator<Item = char>) -> BTreeMap<char, usize> {
    let mut counted = BTreeMap::new();
    for letter in letters {
        let letter = if letter == ')' { '(' } else { letter };
        *counted.entry(letter).or_insert(0) += 1;
    }
    counted
}

/// A small generator is enough to put a list in any order.
fn shuffle(chars: &mut [Char], mut seed: u64) {
    for index in (1..chars.len()).rev() {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        chars.swap(index, (seed >> 33) as usize % (index + 1));
    }
}

/// Lines of words at any places that do not lie over each other.
fn prose_page() -> impl Strategy<Value = Page> {
    let line = (
        20.0_f32..300.0,
        6.0_f32..14.0,
        "[a-zA-Z0-9,.()אבגדה]{1,8}( [a-zA-Z0-9,.()אבגדה]{1,8}){0,6}",
    );
    prop::collection::vec(line, 1..14).prop_map(|lines| {
        let mut page = page();
        for (index, (x, size, text)) in lines.iter().enumerate() {
            page = page.put(*x, 40.0 + 30.0 * index as f32, *size, text);
        }
        page
    })
}

fn any_coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => -100.0_f32..1000.0,
        1 => any::<f32>(),
        1 => prop::sample::select(vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 0.0, -0.0]),
    ]
}

fn any_rect() -> impl Strategy<Value = Rect> {
    (
        any_coordinate(),
        any_coordinate(),
        any_coordinate(),
        any_coordinate(),
    )
        .prop_map(|(left, top, right, bottom)| Rect {
            left,
            top,
            right,
            bottom,
        })
}

fn any_flags() -> impl Strategy<Value = CharFlags> {
    any::<(bool, bool, bool, bool)>().prop_map(|(generated, hyphen, unmapped, invisible)| {
        CharFlags {
            generated,
            hyphen,
            unmapped,
            invisible,
        }
    })
}

fn any_code() -> impl Strategy<Value = char> {
    prop_oneof![
        any::<char>(),
        prop::sample::select(
            "aA1 -\n\0\u{AD}\u{301}\u{FB03}\u{FEFB}שא日本\u{FFFD}"
                .chars()
                .collect::<Vec<_>>()
        )
    ]
}

fn any_char() -> impl Strategy<Value = Char> {
    let place = (any_rect(), any_rect(), any_coordinate(), any_coordinate());
    (
        any_code(),
        place,
        any_coordinate(),
        any_coordinate(),
        any::<u16>(),
        any_flags(),
    )
        .prop_map(
            |(code, (ink, loose, x, y), size, angle, font, flags)| Char {
                code,
                ink,
                loose,
                origin: Point { x, y },
                size,
                angle,
                font,
                flags,
            },
        )
}

fn any_text() -> impl Strategy<Value = PageText> {
    (prop::collection::vec(any_char(), 0..60), any::<bool>()).prop_map(|(chars, has_image)| {
        PageText {
            chars,
            fonts: vec!["Any\0".into()],
            has_image,
        }
    })
}

/// Any characters in plausible places, close together.
fn crowded_text() -> impl Strategy<Value = PageText> {
    let angle = prop::sample::select(vec![0.0, 0.0, 0.0, 90.0, 180.0, 270.0, 2.0, 33.0]);
    let char = (any_code(), 0_u8..30, 0_u8..30, angle, any_flags()).prop_map(
        |(code, column, row, angle, flags)| {
            let (x, y) = (
                100.0 + 6.0 * f32::from(column),
                100.0 + 5.0 * f32::from(row),
            );
            let loose = Rect {
                left: x,
                top: y - 8.0,
                right: x + 6.0,
                bottom: y + 2.0,
            };
            let ink = Rect {
                left: x + 0.5,
                top: y - 6.0,
                right: x + 5.5,
                bottom: y,
            };
            Char {
                code,
                ink,
                loose,
                origin: Point { x, y },
                size: 10.0,
                angle,
                font: 0,
                flags,
            }
        },
    );
    prop::collection::vec(char, 0..200).prop_map(|chars| PageText {
        chars,
        ..PageText::default()
    })
}

fn any_geometry() -> impl Strategy<Value = PageGeometry> {
    (any_coordinate(), any_coordinate(), any::<u16>()).prop_map(
        |(width_pt, height_pt, rotation)| PageGeometry {
            page: 1,
            width_pt,
            height_pt,
            rotation,
            crop: [f32::NAN, 0.0, width_pt, height_pt],
        },
    )
}
