//! The galley: the glyphs of one frame, placed and set in words.
//!
//! A word is a stretch of the galley and a few numbers, so words are copied freely while lines and columns are found.

use super::frame::{Frame, Span};
use super::glyph::{Glyph, Glyphs};
use super::limits::{ASCENT, DESCENT};
use super::script::Script;

/// A glyph placed in its frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    /// Index into [`Glyphs::glyphs`].
    pub(super) glyph: u32,
    /// Where it begins and ends along the line: by its advance width where that can be trusted, else by its ink.
    pub(super) start: f32,
    pub(super) end: f32,
    pub(super) ink: Span,
    pub(super) baseline: f32,
    pub(super) size: f32,
}

/// Glyphs without a gap between them, in the order of the eye along the frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// Its stretch of the galley, first and behind last.
    range: (u32, u32),
    /// Where its ink begins and ends along the line.
    pub(super) start: f32,
    pub(super) end: f32,
    /// Baseline and size of its largest glyph.
    pub(super) baseline: f32,
    pub(super) size: f32,
    /// Mostly digits.
    pub(super) is_number: bool,
    /// Half of its line height lies above and half below its baseline: vertical text.
    centred: bool,
}

/// The placed glyphs of a frame.
#[derive(Debug)]
pub(super) struct Galley<'p> {
    pub(super) page: &'p Glyphs,
    pub(super) frame: Frame,
    placed: Vec<Placed>,
}

impl<'p> Galley<'p> {
    /// An empty galley with room for `count` glyphs.
    pub(super) fn new(page: &'p Glyphs, frame: Frame, count: usize) -> Galley<'p> {
        Galley {
            page,
            frame,
            placed: Vec::with_capacity(count),
        }
    }

    /// How many glyphs are set.
    pub(super) fn len(&self) -> usize {
        self.placed.len()
    }

    /// Sets a glyph behind all others.
    pub(super) fn push(&mut self, item: Placed) {
        self.placed.push(item);
    }

    /// The glyphs set between two lengths of the galley.
    pub(super) fn between(&self, first: usize, behind: usize) -> &[Placed] {
        &self.placed[first..behind]
    }

    /// A word of what is set between two lengths of the galley; there must be something.
    pub(super) fn piece(&self, first: usize, behind: usize) -> Piece {
        let placed = self.between(first, behind);
        let (mut start, mut end, mut digits) = (f32::INFINITY, f32::NEG_INFINITY, 0);
        let mut largest = placed[0];
        for item in placed {
            start = start.min(item.ink.u0);
            end = end.max(item.ink.u1);
            digits += usize::from(self.glyph(item).script == Script::Digit);
            if item.size > largest.size {
                largest = *item;
            }
        }
        Piece {
            range: (first as u32, behind as u32),
            start,
            end,
            baseline: largest.baseline,
            size: largest.size,
            is_number: digits * 2 >= placed.len(),
            centred: self.frame.vertical,
        }
    }

    /// A word of the glyphs of two that follow each other without a gap.
    pub(super) fn join(&mut self, one: &Piece, other: &Piece) -> Piece {
        let range = self.copy(one, other);
        self.piece(range.0 as usize, range.1 as usize)
    }

    /// Puts a drop cap in front of a word, whose place in the line grid stays.
    pub(super) fn lead(&mut self, cap: &Piece, word: &Piece) -> Piece {
        Piece {
            range: self.copy(cap, word),
            ..*word
        }
    }

    fn copy(&mut self, one: &Piece, other: &Piece) -> (u32, u32) {
        let first = self.placed.len();
        for range in [one.range, other.range] {
            self.placed
                .extend_from_within(range.0 as usize..range.1 as usize);
        }
        (first as u32, self.placed.len() as u32)
    }

    /// The placed glyphs of a word.
    pub(super) fn placed(&self, piece: &Piece) -> &[Placed] {
        self.between(piece.range.0 as usize, piece.range.1 as usize)
    }

    /// The glyphs of a word.
    pub(super) fn glyphs(&self, piece: &Piece) -> impl ExactSizeIterator<Item = &'p Glyph> {
        self.placed(piece).iter().map(|item| self.glyph(item))
    }

    /// What was placed.
    pub(super) fn glyph(&self, item: &Placed) -> &'p Glyph {
        &self.page.glyphs[item.glyph as usize]
    }
}

impl Piece {
    /// How many glyphs it has.
    pub(super) fn len(&self) -> usize {
        (self.range.1 - self.range.0) as usize
    }

    /// Its place in the line grid: its ink along the line, its nominal height across it.
    pub(super) fn span(&self) -> Span {
        let (above, below) = if self.centred {
            (0.5, 0.5)
        } else {
            (ASCENT, DESCENT)
        };
        let (v0, v1) = (
            self.baseline - above * self.size,
            self.baseline + below * self.size,
        );
        Span {
            u0: self.start,
            u1: self.end,
            v0,
            v1,
        }
    }
}
