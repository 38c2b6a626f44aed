//! Vertical writing: upright characters that follow each other downwards.
//!
//! The engine reports no direction for it, so it is told by geometry, along the stream: text that is drawn character by
//! character in no order cannot be told from horizontal text with wide gaps.

use folio_pdf::Rect;

use super::frame::Frame;
use super::glyph::Glyph;
use super::limits::{VERTICAL_RUN, VERTICAL_SHIFT, VERTICAL_STEP};

/// Puts every run of upright characters that goes down into the vertical frame, with the turned text between them.
pub(super) fn mark(glyphs: &mut [Glyph]) {
    let mut start = 0;
    let mut any = false;
    while start < glyphs.len() {
        let links = glyphs[start..]
            .windows(2)
            .take_while(|pair| goes_down(&pair[0], &pair[1]))
            .count();
        let run = &mut glyphs[start..=start + links];
        if run.iter().filter(|glyph| !glyph.is_space).count() >= VERTICAL_RUN {
            run.iter_mut()
                .for_each(|glyph| glyph.frame = Frame::VERTICAL);
            any = true;
        }
        start += links + 1;
    }
    if any {
        mark_rest(glyphs);
    }
}

/// Foreign words in vertical text are turned, and the last column of a paragraph may be one or two characters.
fn mark_rest(glyphs: &mut [Glyph]) {
    let turned = Frame {
        degrees: 90,
        vertical: false,
    };
    let shown = glyphs.iter().filter(|glyph| !glyph.is_space);
    let (vertical, other) = shown.fold((0, 0), |(vertical, other), glyph| {
        if glyph.frame == Frame::VERTICAL {
            (vertical + 1, other)
        } else {
            (vertical, other + 1)
        }
    });
    for index in 0..glyphs.len() {
        let is_upright = glyphs[index].frame == Frame::default();
        let stays_alone =
            |other: Option<&Glyph>| other.is_none_or(|other| !is_beside(&glyphs[index], other));
        let lonely = is_upright
            && vertical > other
            && stays_alone(index.checked_sub(1).map(|before| &glyphs[before]))
            && stays_alone(glyphs.get(index + 1));
        if glyphs[index].frame == turned || lonely {
            glyphs[index].frame = Frame::VERTICAL;
        }
    }
}

fn goes_down(one: &Glyph, next: &Glyph) -> bool {
    let upright =
        one.frame == Frame::default() && next.frame == one.frame && next.invisible == one.invisible;
    if !upright || next.broken {
        return false;
    }
    let em = one.size.max(next.size);
    let step = middle(next.loose).1 - middle(one.loose).1;
    let aligned = (middle(next.loose).0 - middle(one.loose).0).abs() < VERTICAL_SHIFT * em;
    (aligned || next.is_space || one.is_space)
        && (VERTICAL_STEP.0 * em..VERTICAL_STEP.1 * em).contains(&step)
}

fn is_beside(one: &Glyph, other: &Glyph) -> bool {
    let ((x, y), (s, t)) = (middle(one.loose), middle(other.loose));
    (y - t).abs() < 0.5 * one.size && (x - s).abs() < 2.0 * one.size
}

fn middle(rect: Rect) -> (f32, f32) {
    (
        (rect.left + rect.right) / 2.0,
        (rect.top + rect.bottom) / 2.0,
    )
}
