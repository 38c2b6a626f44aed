//! From the engine's characters to glyphs: what is drawn, where, once, with its letters.

use folio_pdf::{Char, PageText, Point, Rect};

use super::frame::Frame;
use super::script::{self, Script};
use super::vertical;
use crate::model::PageGeometry;

/// Nothing on a page is further out than this, in points: boxes in 1/100 pt must fit an `i32`.
const FAR: f32 = 2.0e7;

/// A drawn glyph, or a space that the file holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glyph {
    /// The letters in [`Glyphs::letters`]; empty for a space.
    pub(super) letters: (u32, u32),
    pub(super) ink: Rect,
    pub(super) loose: Rect,
    pub(super) origin: Point,
    /// The em, in points; always a positive number.
    pub(super) size: f32,
    pub(super) font: u16,
    pub(super) frame: Frame,
    pub(super) script: Script,
    pub(super) invisible: bool,
    pub(super) unmapped: bool,
    /// A hyphen that may divide a word.
    pub(super) soft_hyphen: bool,
    pub(super) is_space: bool,
    /// The engine put a space between this glyph and the one before it in the stream.
    pub(super) spaced: bool,
    /// The engine put a line break there.
    pub(super) broken: bool,
}

/// The glyphs of a page in stream order.
#[derive(Debug, Default)]
pub(super) struct Glyphs {
    pub(super) glyphs: Vec<Glyph>,
    letters: Vec<char>,
    /// Characters that stand for none.
    pub(super) unmapped: u32,
}

impl Glyphs {
    /// Takes what lies on the page.
    pub(super) fn read(geometry: &PageGeometry, text: &PageText) -> Glyphs {
        let mut page = Glyphs::default();
        page.glyphs.reserve(text.chars.len());
        page.letters.reserve(text.chars.len());
        let (mut spaced, mut broken) = (false, false);
        for char in &text.chars {
            if char.code.is_whitespace() {
                spaced |= char.flags.generated;
                broken |= char.flags.generated && char.code == '\n';
                if !char.flags.generated {
                    page.glyphs.extend(space(char));
                }
                continue;
            }
            if page.add(geometry, char, spaced) {
                if let Some(last) = page.glyphs.last_mut() {
                    last.broken |= broken;
                }
                (spaced, broken) = (false, false);
            }
        }
        vertical::mark(&mut page.glyphs);
        page
    }

    /// The letters of a glyph in logical order.
    pub(super) fn letters(&self, glyph: &Glyph) -> &[char] {
        &self.letters[glyph.letters.0 as usize..glyph.letters.1 as usize]
    }

    /// Adds a character, as a glyph or to the glyph before. False when it is dropped.
    fn add(&mut self, geometry: &PageGeometry, char: &Char, spaced: bool) -> bool {
        let Some((ink, loose)) = boxes(char) else {
            return false;
        };
        if script::is_ignorable(char.code) || !is_on_page(geometry, ink) {
            return false;
        }
        let drawn = ink.right > ink.left || ink.bottom > ink.top;
        let hyphen = char.flags.hyphen || char.code == '\u{AD}';
        let code = if char.flags.hyphen && !script::is_hyphen(char.code) {
            '-'
        } else {
            char.code
        };
        let mapped = !code.is_control() && code != '\u{FFFD}';
        if !mapped || char.flags.unmapped {
            self.unmapped = self.unmapped.saturating_add(1);
        }
        if !mapped && !drawn {
            return false;
        }
        let code = if mapped { code } else { '\u{FFFD}' };
        if !spaced && self.join(char, code, ink) {
            return true;
        }
        let start = self.letters.len() as u32;
        script::letters(code, |letter| self.letters.push(letter));
        let size = em(char, loose, ink);
        self.glyphs.push(Glyph {
            letters: (start, self.letters.len() as u32),
            ink,
            loose,
            origin: finite(char.origin).unwrap_or(Point {
                x: loose.left,
                y: loose.bottom,
            }),
            size,
            font: char.font,
            frame: Frame::of(char.angle),
            script: script::script(code),
            invisible: char.flags.invisible,
            unmapped: !mapped || char.flags.unmapped,
            soft_hyphen: hyphen,
            is_space: false,
            spaced,
            broken: false,
        });
        true
    }

    /// One glyph may stand for several characters, which then share its box (ligatures), and a mark belongs to its
    /// base. Adds such a character to the last glyph; false when it is a glyph of its own.
    fn join(&mut self, char: &Char, code: char, ink: Rect) -> bool {
        let Some(last) = self.glyphs.last().filter(|last| !last.is_space) else {
            return false;
        };
        let same_place =
            last.ink == ink && last.origin == char.origin && last.invisible == char.flags.invisible;
        let on_base = script::is_mark(code) && is_over(last, ink);
        if !same_place && !on_base {
            return false;
        }
        let width = last.loose.right - last.loose.left;
        let (start, end) = last.letters;
        let repeats = self.letters[start as usize..].contains(&code);
        // The letter f advances 0.3 em and the ligature ff 0.6: a narrow glyph that comes twice is drawn twice.
        if repeats && width < 0.45 * last.size {
            return true;
        }
        debug_assert_eq!(end as usize, self.letters.len());
        script::letters(code, |letter| self.letters.push(letter));
        let end = self.letters.len() as u32;
        let reversed = same_place && is_reversed_lam_alef(&self.letters[start as usize..]);
        if reversed {
            self.letters[start as usize..].reverse();
        }
        let last = self.glyphs.last_mut().expect("checked above");
        last.letters = (start, end);
        last.ink = union(last.ink, ink);
        true
    }
}

/// A space of the file: its place says where words end.
fn space(char: &Char) -> Option<Glyph> {
    let loose = finite_rect(char.loose)?;
    let origin = finite(char.origin)?;
    Some(Glyph {
        letters: (0, 0),
        ink: loose,
        loose,
        origin,
        size: em(char, loose, loose),
        font: char.font,
        frame: Frame::of(char.angle),
        script: Script::Neutral,
        invisible: char.flags.invisible,
        unmapped: false,
        soft_hyphen: false,
        is_space: true,
        spaced: false,
        broken: false,
    })
}

/// The ligature of lam and alef is always read lam first; some fonts name its letters in the order of the eye.
fn is_reversed_lam_alef(letters: &[char]) -> bool {
    matches!(
        letters,
        [
            '\u{627}' | '\u{622}' | '\u{623}' | '\u{625}' | '\u{671}',
            '\u{644}'
        ]
    )
}

/// Is the middle of a mark within reach of its base?
fn is_over(base: &Glyph, mark: Rect) -> bool {
    let reach = base.size;
    let (x, y) = (
        (mark.left + mark.right) / 2.0,
        (mark.top + mark.bottom) / 2.0,
    );
    let across = x > base.ink.left - reach * 0.5 && x < base.ink.right + reach * 0.5;
    across && y > base.ink.top - reach && y < base.ink.bottom + reach
}

/// Ink and loose box of a character, each standing in for the other when that is missing.
fn boxes(char: &Char) -> Option<(Rect, Rect)> {
    let has_area = |rect: &Rect| rect.right > rect.left && rect.bottom > rect.top;
    let ink = finite_rect(char.ink);
    let loose = finite_rect(char.loose);
    match (ink, loose) {
        (Some(ink), Some(loose)) if has_area(&loose) => {
            Some((if has_area(&ink) { ink } else { loose }, loose))
        }
        (Some(ink), _) => Some((ink, ink)),
        (None, Some(loose)) => Some((loose, loose)),
        (None, None) => None,
    }
}

fn is_on_page(geometry: &PageGeometry, ink: Rect) -> bool {
    let (x, y) = ((ink.left + ink.right) / 2.0, (ink.top + ink.bottom) / 2.0);
    x >= 0.0 && x <= geometry.width_pt && y >= 0.0 && y <= geometry.height_pt
}

/// The font size, or what comes nearest to it.
fn em(char: &Char, loose: Rect, ink: Rect) -> f32 {
    [
        char.size,
        loose.bottom - loose.top,
        ink.bottom - ink.top,
        ink.right - ink.left,
    ]
    .into_iter()
    .find(|size| size.is_finite() && *size > 0.01 && *size < FAR)
    .unwrap_or(1.0)
}

fn finite(point: Point) -> Option<Point> {
    (point.x.abs() <= FAR && point.y.abs() <= FAR).then_some(point)
}

/// The box with its sides in order, if all are numbers; sides that are too far out are brought in.
fn finite_rect(rect: Rect) -> Option<Rect> {
    let sides = [rect.left, rect.top, rect.right, rect.bottom];
    if sides.iter().any(|side| side.is_nan()) {
        return None;
    }
    let [left, top, right, bottom] = sides.map(|side| side.clamp(-FAR, FAR));
    Some(Rect {
        left: left.min(right),
        top: top.min(bottom),
        right: left.max(right),
        bottom: top.max(bottom),
    })
}

fn union(one: Rect, other: Rect) -> Rect {
    Rect {
        left: one.left.min(other.left),
        top: one.top.min(other.top),
        right: one.right.max(other.right),
        bottom: one.bottom.max(other.bottom),
    }
}
