//! Rows: the glyphs of one frame, gathered by baseline and sorted along it, whatever their order in the stream.

use super::frame::{Frame, Span};
use super::glyph::{Glyph, Glyphs};
use super::limits::{COLUMN_STEP, DUPLICATE_OFFSET, ROW_SPAN, ROW_STEP};

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

/// Places glyphs in a frame and gathers them in rows from top to bottom.
pub(super) fn rows(page: &Glyphs, members: &[u32], frame: Frame) -> Vec<Vec<Placed>> {
    let mut placed: Vec<Placed> = members
        .iter()
        .map(|&glyph| place(page, glyph, frame))
        .collect();
    placed.sort_unstable_by(|one, other| one.baseline.total_cmp(&other.baseline));
    let row_step = if frame.vertical {
        COLUMN_STEP
    } else {
        ROW_STEP
    };
    let mut rows: Vec<Vec<Placed>> = Vec::new();
    let mut top = f32::NEG_INFINITY;
    let mut last = f32::NEG_INFINITY;
    for item in placed {
        let step = item.baseline - last > row_step * item.size
            || item.baseline - top > ROW_SPAN.max(row_step) * item.size;
        if rows.is_empty() || step {
            rows.push(Vec::new());
            top = item.baseline;
        }
        last = item.baseline;
        rows.last_mut().expect("pushed above").push(item);
    }
    for row in &mut rows {
        sort(row, page);
        remove_duplicates(row, page);
    }
    rows
}

fn place(page: &Glyphs, index: u32, frame: Frame) -> Placed {
    let glyph = &page.glyphs[index as usize];
    let ink = frame.span(glyph.ink, glyph.size);
    let (start, end) = advance(glyph, frame, ink);
    let baseline = if frame.vertical {
        // Upright and turned characters share no baseline, but they stand around one middle.
        let loose = frame.span(glyph.loose, glyph.size);
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
fn advance(glyph: &Glyph, frame: Frame, ink: Span) -> (f32, f32) {
    let loose = frame.span(glyph.loose, glyph.size);
    let slack = 0.15 * glyph.size;
    let holds_ink = loose.u0 <= ink.u0 + slack && loose.u1 >= ink.u1 - slack;
    let fits = loose.width() <= ink.width() + glyph.size;
    if glyph.is_space || (holds_ink && fits && loose.width() > 0.0) {
        (loose.u0, loose.u1)
    } else {
        (ink.u0, ink.u1)
    }
}

/// A total order that does not depend on the stream.
fn sort(row: &mut [Placed], page: &Glyphs) {
    row.sort_unstable_by(|one, other| {
        let letters = |item: &Placed| page.letters(&page.glyphs[item.glyph as usize]);
        one.start
            .total_cmp(&other.start)
            .then(one.ink.u0.total_cmp(&other.ink.u0))
            .then(one.end.total_cmp(&other.end))
            .then_with(|| letters(one).cmp(letters(other)))
            .then(one.baseline.total_cmp(&other.baseline))
            .then(one.glyph.cmp(&other.glyph))
    });
}

/// Fake bold and shadows draw the same glyph again, a little aside: the first one stays.
fn remove_duplicates(row: &mut Vec<Placed>, page: &Glyphs) {
    let mut kept = 0;
    for index in 0..row.len() {
        let item = row[index];
        if !repeats(&row[..kept], &item, page) {
            row[kept] = item;
            kept += 1;
        }
    }
    row.truncate(kept);
}

fn repeats(kept: &[Placed], item: &Placed, page: &Glyphs) -> bool {
    let glyph = |placed: &Placed| &page.glyphs[placed.glyph as usize];
    let reach = DUPLICATE_OFFSET * item.size;
    if glyph(item).is_space {
        return false;
    }
    let near = kept
        .iter()
        .rev()
        .take(8)
        .take_while(|other| item.start - other.start <= reach);
    near.filter(|other| !glyph(other).is_space).any(|other| {
        let nearly = |one: f32, two: f32| (one - two).abs() <= reach;
        page.letters(glyph(other)) == page.letters(glyph(item))
            && nearly(other.ink.u0, item.ink.u0)
            && nearly(other.ink.u1, item.ink.u1)
            && nearly(other.ink.v0, item.ink.v0)
            && nearly(other.ink.v1, item.ink.v1)
    })
}
