//! From the engine's characters to glyphs: what is drawn, where, once, with its letters.

use folio_pdf::{Char, PageText, Point, Rect};

use super::clean::{boxes, em, finite, finite_rect, is_on_page};
use super::frame::Frame;
use super::ligature;
use super::limits::{ACCENT_SLACK, DOUBLE_LETTER_WIDTH, GLYPH_LETTERS_MOST, MARK_REACH};
use super::script::{self, Script};
use super::vertical;
use crate::model::PageGeometry;

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
        ligature::turn(&page.glyphs, &mut page.letters);
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
        if !spaced && (self.accent(char, code, ink) || self.join(char, code, ink)) {
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
        let (start, end) = last.letters;
        if end as usize != self.letters.len() || (end - start) as usize >= GLYPH_LETTERS_MOST {
            return false;
        }
        let same_place =
            last.ink == ink && last.origin == char.origin && last.invisible == char.flags.invisible;
        let on_base = script::is_mark(code) && is_over(last, ink);
        if !same_place && !on_base {
            return false;
        }
        let repeats = self.letters[start as usize..].contains(&code);
        let width = last.loose.right - last.loose.left;
        if repeats && width < DOUBLE_LETTER_WIDTH * last.size {
            return true;
        }
        script::letters(code, |letter| self.letters.push(letter));
        let end = self.letters.len() as u32;
        if let Some(last) = self.glyphs.last_mut() {
            last.letters = (start, end);
            last.ink = union(last.ink, ink);
            last.unmapped |= char.flags.unmapped || code == '\u{FFFD}';
            last.soft_hyphen |= char.flags.hyphen;
        }
        true
    }

    /// Old fonts draw an accented letter as two glyphs, the accent over the letter. Makes one of them if the last glyph
    /// and this character are such a pair, in either order.
    fn accent(&mut self, char: &Char, code: char, ink: Rect) -> bool {
        let Some(last) = self.glyphs.last_mut().filter(|last| !last.is_space) else {
            return false;
        };
        let letters = &mut self.letters[last.letters.0 as usize..];
        let [letter] = letters else { return false };
        let (base, mark, base_first) = match (script::mark_of(code), script::mark_of(*letter)) {
            (Some(mark), _) => (*letter, mark, true),
            (_, Some(mark)) => (code, mark, false),
            _ => return false,
        };
        let middle = |rect: Rect| (rect.left + rect.right) / 2.0;
        let slack = ACCENT_SLACK * last.size;
        let lies_in = |rect: Rect, x: f32| x > rect.left - slack && x < rect.right + slack;
        let over = lies_in(ink, middle(last.ink)) && lies_in(last.ink, middle(ink));
        let level = (char.origin.y - last.origin.y).abs() < 0.5 * last.size;
        let upright = last.frame == Frame::default() && Frame::of(char.angle) == last.frame;
        let Some(composed) = script::accented(base, mark).filter(|_| over && level && upright)
        else {
            return false;
        };
        *letter = composed;
        last.script = script::script(composed);
        last.ink = union(last.ink, ink);
        if !base_first {
            // The letter, not its accent, says where the glyph stands.
            last.origin = finite(char.origin).unwrap_or(last.origin);
            last.loose = finite_rect(char.loose).unwrap_or(last.loose);
        }
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

/// Is the middle of a mark within reach of its base?
fn is_over(base: &Glyph, mark: Rect) -> bool {
    let reach = MARK_REACH * base.size;
    let (x, y) = (
        (mark.left + mark.right) / 2.0,
        (mark.top + mark.bottom) / 2.0,
    );
    let across = x > base.ink.left - reach && x < base.ink.right + reach;
    across && y > base.ink.top - 2.0 * reach && y < base.ink.bottom + 2.0 * reach
}

fn union(one: Rect, other: Rect) -> Rect {
    Rect {
        left: one.left.min(other.left),
        top: one.top.min(other.top),
        right: one.right.max(other.right),
        bottom: one.bottom.max(other.bottom),
    }
}
