//! Words: rows cut at their gaps.

use super::galley::{Galley, Piece, Placed};
use super::limits::{
    ADVANCE_OVERLAP, LETTERSPACING_LETTERS, LETTERSPACING_MOST, LETTERSPACING_SLACK,
    LETTERSPACING_SPREAD, SPACED_WORD_GAP, WORD_GAP,
};
use super::row;
use super::script::Script;

/// Sets a sorted row in the galley and cuts it into words.
pub(super) fn words(galley: &mut Galley<'_>, row: &[Placed]) -> Vec<Piece> {
    let parts = cut(galley, row);
    let parts = join_letterspaced(galley, parts);
    parts
        .iter()
        .map(|part| galley.piece(part.first, part.behind))
        .collect()
}

/// A part of a row on the way to a word: a stretch of the galley.
#[derive(Clone, Copy)]
struct Part {
    first: usize,
    behind: usize,
    /// The gap to the part before, and whether the file has a space in it.
    gap: f32,
    spaced: bool,
    /// The gaps inside.
    gaps: Gaps,
}

fn cut(galley: &mut Galley<'_>, row: &[Placed]) -> Vec<Part> {
    let begin = galley.len();
    let mut parts: Vec<Part> = Vec::with_capacity(row.len() / 4);
    let mut spaced = false;
    let mut before: Option<&Placed> = None;
    for item in row {
        let glyph = galley.glyph(item);
        if glyph.is_space {
            spaced = true;
            continue;
        }
        if row::repeats(galley.page, galley.between(begin, galley.len()), item) {
            continue;
        }
        let gap = before.map_or(f32::INFINITY, |before| gap(before, item));
        let follows = before.is_some_and(|before| before.glyph + 1 == item.glyph);
        let least = if spaced || (follows && glyph.spaced) {
            SPACED_WORD_GAP
        } else {
            WORD_GAP
        };
        let first = galley.len();
        galley.push(*item);
        match parts.last_mut().filter(|_| gap <= least * item.size) {
            Some(part) => {
                part.behind = first + 1;
                part.gaps = part.gaps.with(gap);
            }
            None => parts.push(Part {
                first,
                behind: first + 1,
                gap,
                spaced,
                gaps: Gaps::NONE,
            }),
        }
        spaced = false;
        before = Some(item);
    }
    parts
}

/// The gap between two neighbours along the line.
fn gap(before: &Placed, after: &Placed) -> f32 {
    let by_advance = after.start - before.end;
    // Advance boxes that overlap this much are not those of the glyphs drawn.
    let overlap = -ADVANCE_OVERLAP * before.size.max(after.size);
    if by_advance < overlap {
        after.ink.u0 - before.ink.u1
    } else {
        by_advance
    }
}

/// Letterspaced words fall into single letters above. Neighbours whose gaps, inner ones included, are all alike and
/// hold no space of the file are one word.
fn join_letterspaced(galley: &Galley<'_>, parts: Vec<Part>) -> Vec<Part> {
    let joins = |gaps: Gaps, next: &Part| {
        let wider = gaps.with(next.gap).and(next.gaps);
        let em = galley.between(next.first, next.behind)[0].size;
        (!next.spaced && next.gap <= LETTERSPACING_MOST * em && wider.are_alike(em))
            .then_some(wider)
    };
    if !parts
        .windows(2)
        .any(|pair| joins(pair[0].gaps, &pair[1]).is_some())
    {
        return parts;
    }
    let mut joined: Vec<Part> = Vec::with_capacity(parts.len());
    let mut rest = parts.as_slice();
    while let [first, others @ ..] = rest {
        let mut whole = *first;
        let mut length = 1;
        for next in others {
            let Some(gaps) = joins(whole.gaps, next) else {
                break;
            };
            whole = Part {
                behind: next.behind,
                gaps,
                ..whole
            };
            length += 1;
        }
        let (run, behind) = rest.split_at(length);
        if length > 1 && is_lettered(galley, &whole) {
            joined.push(whole);
        } else {
            joined.extend(run);
        }
        rest = behind;
    }
    joined
}

/// Numbers and signs at even distances are columns or formulas.
fn is_lettered(galley: &Galley<'_>, part: &Part) -> bool {
    let placed = galley.between(part.first, part.behind);
    let is_letter =
        |item: &&Placed| matches!(galley.glyph(item).script, Script::Left | Script::Right);
    let letters = placed.iter().filter(is_letter).count();
    letters >= LETTERSPACING_LETTERS && letters * 4 >= placed.len() * 3
}

/// The narrowest and the widest of some gaps.
#[derive(Clone, Copy)]
struct Gaps {
    least: f32,
    most: f32,
}

impl Gaps {
    const NONE: Gaps = Gaps {
        least: f32::INFINITY,
        most: f32::NEG_INFINITY,
    };

    fn with(self, gap: f32) -> Gaps {
        self.and(Gaps {
            least: gap,
            most: gap,
        })
    }

    fn and(self, other: Gaps) -> Gaps {
        Gaps {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    fn are_alike(self, em: f32) -> bool {
        self.most <= self.least * LETTERSPACING_SPREAD + LETTERSPACING_SLACK * em
    }
}
