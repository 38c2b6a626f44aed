//! Words: rows cut at their gaps.

use super::frame::Span;
use super::glyph::Glyphs;
use super::limits::{
    ASCENT, DESCENT, LETTERSPACING_LETTERS, LETTERSPACING_MOST, LETTERSPACING_SPREAD,
    SPACED_WORD_GAP, WORD_GAP,
};
use super::row::Placed;
use super::script::Script;

/// Glyphs without a gap between them, in the order of the eye along the frame.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) glyphs: Vec<Placed>,
    /// Where it begins and ends along the line.
    pub(super) start: f32,
    pub(super) end: f32,
    /// Baseline and size of its largest glyph.
    pub(super) baseline: f32,
    pub(super) size: f32,
    /// Half of its line height lies above and half below in vertical text.
    pub(super) centred: bool,
    /// Mostly digits.
    pub(super) is_number: bool,
}

impl Piece {
    fn new(page: &Glyphs, glyphs: Vec<Placed>, centred: bool) -> Piece {
        let largest = glyphs
            .iter()
            .copied()
            .reduce(|one, other| if other.size > one.size { other } else { one });
        let largest = largest.expect("a word has a glyph");
        let is_digit = |item: &&Placed| page.glyphs[item.glyph as usize].script == Script::Digit;
        let is_number = glyphs.iter().filter(is_digit).count() * 2 >= glyphs.len();
        let start = glyphs
            .iter()
            .map(|glyph| glyph.ink.u0)
            .fold(f32::INFINITY, f32::min);
        let end = glyphs
            .iter()
            .map(|glyph| glyph.ink.u1)
            .fold(f32::NEG_INFINITY, f32::max);
        Piece {
            start,
            end,
            baseline: largest.baseline,
            size: largest.size,
            centred,
            is_number,
            glyphs,
        }
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

    /// Puts a drop cap in front; the place in the line grid stays that of the word.
    pub(super) fn lead(&mut self, cap: Piece) {
        self.glyphs.splice(0..0, cap.glyphs);
    }

    /// Appends the glyphs of another one that follows without a gap.
    pub(super) fn append(&mut self, page: &Glyphs, other: Piece) {
        let mut glyphs = std::mem::take(&mut self.glyphs);
        glyphs.extend(other.glyphs);
        *self = Piece::new(page, glyphs, self.centred);
    }
}

/// Cuts a sorted row into words.
pub(super) fn words(page: &Glyphs, row: &[Placed], centred: bool) -> Vec<Piece> {
    let mut parts = cut(page, row);
    join_letterspaced(page, &mut parts);
    parts
        .into_iter()
        .map(|part| Piece::new(page, part.glyphs, centred))
        .collect()
}

/// A part of a row on the way to a word.
struct Part {
    glyphs: Vec<Placed>,
    /// The gap to the part before, and whether the file has a space in it.
    gap: f32,
    spaced: bool,
}

fn cut(page: &Glyphs, row: &[Placed]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut spaced = false;
    for item in row {
        let glyph = &page.glyphs[item.glyph as usize];
        if glyph.is_space {
            spaced = true;
            continue;
        }
        let before = parts.last().and_then(|part| part.glyphs.last()).copied();
        let gap = before.map_or(f32::INFINITY, |before| gap(&before, item));
        let follows = before.is_some_and(|before| before.glyph + 1 == item.glyph);
        let least = if spaced || (follows && glyph.spaced) {
            SPACED_WORD_GAP
        } else {
            WORD_GAP
        };
        if gap > least * item.size {
            parts.push(Part {
                glyphs: vec![*item],
                gap,
                spaced,
            });
        } else {
            parts
                .last_mut()
                .expect("the first gap is infinite")
                .glyphs
                .push(*item);
        }
        spaced = false;
    }
    parts
}

/// The gap between two neighbours along the line.
fn gap(before: &Placed, after: &Placed) -> f32 {
    let by_advance = after.start - before.end;
    let em = before.size.max(after.size);
    // Advance boxes that overlap this much are not those of the glyphs drawn.
    if by_advance < -0.25 * em {
        after.ink.u0 - before.ink.u1
    } else {
        by_advance
    }
}

/// Letterspaced words fall into single letters above. Neighbours whose gaps, inner ones included, are all alike and
/// hold no space of the file are one word.
fn join_letterspaced(page: &Glyphs, parts: &mut Vec<Part>) {
    if parts.len() < LETTERSPACING_LETTERS {
        return;
    }
    let mut joined: Vec<Part> = Vec::with_capacity(parts.len());
    let mut rest = std::mem::take(parts).into_iter().peekable();
    while let Some(first) = rest.next() {
        let mut run = vec![first];
        let mut gaps = Gaps::inside(&run[0]);
        while let Some(next) = rest.peek() {
            let wider = gaps
                .and(Gaps {
                    least: next.gap,
                    most: next.gap,
                })
                .and(Gaps::inside(next));
            let em = next.glyphs[0].size;
            if next.spaced || next.gap > LETTERSPACING_MOST * em || !wider.alike(em) {
                break;
            }
            gaps = wider;
            run.extend(rest.next());
        }
        let letters = run
            .iter()
            .flat_map(|part| &part.glyphs)
            .filter(|item| is_letter(page, item))
            .count();
        let glyphs: usize = run.iter().map(|part| part.glyphs.len()).sum();
        if run.len() > 1 && letters >= LETTERSPACING_LETTERS && letters * 4 >= glyphs * 3 {
            let (gap, spaced) = (run[0].gap, run[0].spaced);
            let glyphs = run.into_iter().flat_map(|part| part.glyphs).collect();
            joined.push(Part {
                glyphs,
                gap,
                spaced,
            });
        } else {
            joined.extend(run);
        }
    }
    *parts = joined;
}

fn is_letter(page: &Glyphs, item: &Placed) -> bool {
    matches!(
        page.glyphs[item.glyph as usize].script,
        Script::Left | Script::Right
    )
}

/// The narrowest and the widest of some gaps.
#[derive(Clone, Copy)]
struct Gaps {
    least: f32,
    most: f32,
}

impl Gaps {
    fn inside(part: &Part) -> Gaps {
        let none = Gaps {
            least: f32::INFINITY,
            most: f32::NEG_INFINITY,
        };
        part.glyphs.windows(2).fold(none, |gaps, pair| {
            let gap = gap(&pair[0], &pair[1]);
            gaps.and(Gaps {
                least: gap,
                most: gap,
            })
        })
    }

    fn and(self, other: Gaps) -> Gaps {
        Gaps {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    fn alike(self, em: f32) -> bool {
        self.most <= self.least * LETTERSPACING_SPREAD + 0.03 * em
    }
}
