//! The letters of a right-to-left ligature in the order they are read.
//!
//! A font names the letters of a ligature by one code or by several, in the order of reading or in that of the eye, and
//! the engine turns some of them round with their line. Which of these happened is lost on the way, but Unicode knows the
//! ligatures that are in use: letters that are one of them backwards came backwards.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use super::glyph::Glyph;
use super::limits::GLYPH_LETTERS_MOST;
use super::script::{self, Script};

/// Where Unicode keeps the ligatures of Arabic.
const CODES: [RangeInclusive<char>; 2] = ['\u{FBEA}'..='\u{FDF2}', '\u{FEF5}'..='\u{FEFC}'];

/// Lam and alef wasla join like any lam and alef, without a code for it.
const LAM_ALEF_WASLA: [char; 2] = ['\u{644}', '\u{671}'];

/// The letters of every ligature, in the order they are read.
static LIGATURES: LazyLock<BTreeSet<Vec<char>>> = LazyLock::new(|| {
    let mut ligatures = BTreeSet::from([LAM_ALEF_WASLA.to_vec()]);
    for code in CODES.into_iter().flatten() {
        let mut letters = Vec::new();
        script::letters(code, |letter| letters.push(letter));
        if letters.len() > 1 {
            ligatures.insert(letters);
        }
    }
    ligatures
});

/// Turns the letters of ligatures that came backwards. `letters` are those of all glyphs; the glyphs of a ligature follow
/// each other in the stream and share their origin.
pub(super) fn turn(glyphs: &[Glyph], letters: &mut [char]) {
    for glyphs in glyphs.chunk_by(shares_origin) {
        let (first, last) = (&glyphs[0], &glyphs[glyphs.len() - 1]);
        let range = first.letters.0 as usize..last.letters.1 as usize;
        if !(2..=GLYPH_LETTERS_MOST).contains(&range.len()) || first.script != Script::Right {
            continue;
        }
        let letters = &mut letters[range];
        let backwards: Vec<char> = letters.iter().rev().copied().collect();
        if LIGATURES.contains(&backwards) && !LIGATURES.contains(&*letters) {
            letters.reverse();
        }
    }
}

fn shares_origin(one: &Glyph, next: &Glyph) -> bool {
    one.script == Script::Right
        && next.script == Script::Right
        && one.origin == next.origin
        && one.frame == next.frame
        && one.invisible == next.invisible
}
