//! Rows: the glyphs of one frame, gathered by baseline and sorted along it, whatever their order in the stream. Only
//! letters that lie over each other are ordered by it: see [`layer`].

use std::cmp::Ordering;
use std::ops::Range;

use super::frame::{Frame, Span};
use super::galley::Placed;
use super::glyph::{Glyph, Glyphs};
use super::layer;
use super::limits::{ADVANCE_SLACK, COLUMN_STEP, DUPLICATE_OFFSET, ROW_SPAN, ROW_STEP};

/// The placed glyphs of a frame, row after row from top to bottom.
pub(super) struct Rows {
    placed: Vec<Placed>,
    rows: Vec<Range<usize>>,
}

impl Rows {
    /// Places glyphs in a frame and gathers them in rows.
    pub(super) fn gather(page: &Glyphs, members: &[u32], frame: Frame) -> Rows {
        let mut placed: Vec<Placed> = members
            .iter()
            .map(|&glyph| place(page, glyph, frame))
            .collect();
        // Stable sorts: most streams are nearly in order already, and these make use of it.
        placed.sort_by(|one, other| one.baseline.total_cmp(&other.baseline));
        let row_step = if frame.vertical {
            COLUMN_STEP
        } else {
            ROW_STEP
        };
        let row_span = ROW_SPAN.max(row_step);
        let mut rows: Vec<Range<usize>> = Vec::new();
        let (mut top, mut last) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
        for (index, item) in placed.iter().enumerate() {
            let steps = item.baseline - last > row_step * item.size
                || item.baseline - top > row_span * item.size;
            last = item.baseline;
            match rows.last_mut().filter(|_| !steps) {
                Some(row) => row.end = index + 1,
                None => {
                    rows.push(index..index + 1);
                    top = item.baseline;
                }
            }
        }
        let mut layers = Vec::with_capacity(rows.len());
        for row in rows {
            let items = &mut placed[row.clone()];
            items.sort_by(|one, other| along(page, one, other));
            if !frame.is_orthogonal() {
                // Boxes of slanted text are guesses: they do not tell what lies over what.
                layers.push(row);
                continue;
            }
            let mut start = row.start;
            for length in layer::part(page, items) {
                layers.push(start..start + length);
                start += length;
            }
        }
        Rows {
            placed,
            rows: layers,
        }
    }

    /// The rows from top to bottom; those of one baseline are layers of text over each other.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &[Placed]> {
        self.rows.iter().map(|row| &self.placed[row.clone()])
    }
}

fn place(page: &Glyphs, index: u32, frame: Frame) -> Placed {
    let glyph = &page.glyphs[index as usize];
    let ink = frame.span(glyph.ink, glyph.size);
    let loose = frame.span(glyph.loose, glyph.size);
    let (start, end) = advance(glyph, loose, ink);
    // Upright and turned characters of vertical text share no baseline, but they stand around one middle.
    let baseline = if frame.vertical {
        (loose.v0 + loose.v1) / 2.0
    } else {
        frame.place(glyph.origin).1
    };
    Placed {
        glyph: index,
        start,
        end,
        ink,
        baseline,
        size: glyph.size,
    }
}

/// Fonts with wrong widths exist: the advance box counts only when the ink lies in it.
fn advance(glyph: &Glyph, loose: Span, ink: Span) -> (f32, f32) {
    let slack = ADVANCE_SLACK * glyph.size;
    let holds_ink = loose.u0 <= ink.u0 + slack && loose.u1 >= ink.u1 - slack;
    let fits = loose.width() <= ink.width() + glyph.size;
    if glyph.is_space || (holds_ink && fits && loose.width() > 0.0) {
        (loose.u0, loose.u1)
    } else {
        (ink.u0, ink.u1)
    }
}

/// A total order along the line that does not depend on the stream.
fn along(page: &Glyphs, one: &Placed, other: &Placed) -> Ordering {
    let letters = |item: &Placed| page.letters(&page.glyphs[item.glyph as usize]);
    one.start.total_cmp(&other.start).then_with(|| {
        one.ink
            .u0
            .total_cmp(&other.ink.u0)
            .then(one.end.total_cmp(&other.end))
            .then_with(|| letters(one).cmp(letters(other)))
            .then(one.baseline.total_cmp(&other.baseline))
            .then(one.glyph.cmp(&other.glyph))
    })
}

/// Fake bold and shadows draw the same glyph again, a little aside: does one of those already `kept` show this one?
pub(super) fn repeats(page: &Glyphs, kept: &[Placed], item: &Placed) -> bool {
    let reach = DUPLICATE_OFFSET * item.size;
    let nearly = |one: f32, two: f32| (one - two).abs() <= reach;
    let letters = |item: &Placed| page.letters(&page.glyphs[item.glyph as usize]);
    let near = kept
        .iter()
        .rev()
        .take(8)
        .take_while(|other| item.start - other.start <= reach);
    near.into_iter().any(|other| {
        nearly(other.ink.u0, item.ink.u0)
            && nearly(other.ink.u1, item.ink.u1)
            && nearly(other.ink.v0, item.ink.v0)
            && nearly(other.ink.v1, item.ink.v1)
            && letters(other) == letters(item)
    })
}
