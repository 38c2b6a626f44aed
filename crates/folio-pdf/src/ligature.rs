//! Characters that share one glyph, such as the letters of a ligature.

use crate::ffi::TextObject;
use crate::text::{Char, Rect};

/// Finds runs of characters that share one glyph, such as the letters of a ligature, and gives each its part of the box.
///
/// The engine gives each of them the box of the whole glyph. Left alone, the two letters of an ff ligature would look like
/// one letter drawn twice.
#[derive(Default)]
pub(crate) struct SharedGlyph<'p> {
    object: Option<TextObject<'p>>,
    ink: [f64; 4],
    origin: (f64, f64),
    length: usize,
}

impl<'p> SharedGlyph<'p> {
    /// The next character is about to be pushed onto `chars`.
    pub(crate) fn meet(
        &mut self,
        object: Option<TextObject<'p>>,
        ink: [f64; 4],
        origin: (f64, f64),
        chars: &mut [Char],
    ) {
        let is_same =
            object.is_some() && object == self.object && ink == self.ink && origin == self.origin;
        if is_same {
            self.length += 1;
            return;
        }
        self.end(chars);
        *self = SharedGlyph {
            object,
            ink,
            origin,
            length: 1,
        };
    }

    /// The run ends with the last of `chars`.
    pub(crate) fn end(&mut self, chars: &mut [Char]) {
        if self.length > 1 {
            let run = chars.len() - self.length;
            put_in_reading_order(&mut chars[run..]);
            split_along_baseline(&mut chars[run..]);
        }
        self.length = 0;
        self.object = None;
    }
}

/// Puts the letters of one right-to-left glyph into reading order.
///
/// The engine turns a right-to-left line round character by character. A glyph that the font maps to several letters, such
/// as the ligature lam-alef, is turned round with it. A glyph with a code of its own for the ligature, or for a letter with
/// its mark, is taken apart afterwards and comes out right. Both look alike here, so what can only be right is kept.
fn put_in_reading_order(chars: &mut [Char]) {
    let is_left_to_right = |char: &Char| char.code.is_alphabetic() && !is_right_to_left(char.code);
    let is_any_right_to_left = chars.iter().any(|char| is_right_to_left(char.code));
    if is_any_right_to_left && !chars.iter().any(is_left_to_right) && !is_in_reading_order(chars) {
        chars.reverse();
    }
}

fn is_in_reading_order(chars: &[Char]) -> bool {
    const LAM: char = '\u{644}';
    let codes: Vec<char> = chars.iter().map(|char| char.code).collect();
    match codes.as_slice() {
        // No ligature joins an alef to a lam after it.
        [LAM, '\u{622}' | '\u{623}' | '\u{625}' | '\u{627}'] => true,
        // The one word that has a code of its own and is in use.
        ['\u{627}', LAM, LAM, '\u{647}'] => true,
        // Marks follow their letter.
        [letter, marks @ ..] => !is_mark(*letter) && marks.iter().all(|mark| is_mark(*mark)),
        [] => true,
    }
}

/// Points and vowel signs of Hebrew and Arabic.
fn is_mark(char: char) -> bool {
    matches!(
        char,
        '\u{591}'..='\u{5BD}' | '\u{5BF}' | '\u{5C1}' | '\u{5C2}' | '\u{5C4}' | '\u{5C5}' | '\u{5C7}'
            | '\u{610}'..='\u{61A}' | '\u{64B}'..='\u{65F}' | '\u{670}' | '\u{6D6}'..='\u{6DC}'
            | '\u{6DF}'..='\u{6E4}' | '\u{6E7}' | '\u{6E8}' | '\u{6EA}'..='\u{6ED}'
    )
}

fn split_along_baseline(chars: &mut [Char]) {
    let count = chars.len();
    let right_to_left = chars.iter().any(|char| is_right_to_left(char.code));
    for (place, char) in chars.iter_mut().enumerate() {
        let place = if right_to_left {
            count - 1 - place
        } else {
            place
        };
        let (from, to) = (
            place as f32 / count as f32,
            (place + 1) as f32 / count as f32,
        );
        char.ink = slice_of(char.ink, char.angle, from, to);
        char.loose = slice_of(char.loose, char.angle, from, to);
    }
}

/// The part of a box from one fraction of its extent to another, in the direction of the nearest quarter turn.
fn slice_of(rect: Rect, angle: f32, from: f32, to: f32) -> Rect {
    let (width, height) = (rect.right - rect.left, rect.bottom - rect.top);
    match ((angle / 90.0).round() as i32).rem_euclid(4) {
        0 => Rect {
            left: rect.left + from * width,
            right: rect.left + to * width,
            ..rect
        },
        1 => Rect {
            top: rect.top + from * height,
            bottom: rect.top + to * height,
            ..rect
        },
        2 => Rect {
            left: rect.right - to * width,
            right: rect.right - from * width,
            ..rect
        },
        _ => Rect {
            top: rect.bottom - to * height,
            bottom: rect.bottom - from * height,
            ..rect
        },
    }
}

/// Hebrew, Arabic and their neighbours, with the presentation forms.
fn is_right_to_left(char: char) -> bool {
    matches!(char, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::slice_of;
    use crate::text::Rect;

    #[test]
    fn a_slice_follows_the_direction_of_the_text() {
        let rect = Rect {
            left: 0.0,
            top: 0.0,
            right: 4.0,
            bottom: 8.0,
        };
        assert_eq!(slice_of(rect, 0.0, 0.0, 0.5), Rect { right: 2.0, ..rect });
        assert_eq!(
            slice_of(rect, 90.0, 0.0, 0.5),
            Rect {
                bottom: 4.0,
                ..rect
            }
        );
        assert_eq!(slice_of(rect, 180.0, 0.0, 0.5), Rect { left: 2.0, ..rect });
        assert_eq!(slice_of(rect, 270.0, 0.0, 0.5), Rect { top: 4.0, ..rect });
        assert_eq!(slice_of(rect, 359.9, 0.5, 1.0), Rect { left: 2.0, ..rect });
    }
}
