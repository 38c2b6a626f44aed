//! The engine's numbers made safe: what is no number or no place on a page goes no further than this file.

use folio_pdf::{Char, Point, Rect};

use crate::model::PageGeometry;

/// Nothing on a page is further out than this, in points: boxes in 1/100 pt must fit an `i32`.
const FAR: f32 = 2.0e7;

/// Ink and loose box of a character, each standing in for the other when that is missing.
pub(super) fn boxes(char: &Char) -> Option<(Rect, Rect)> {
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

pub(super) fn is_on_page(geometry: &PageGeometry, ink: Rect) -> bool {
    let (x, y) = ((ink.left + ink.right) / 2.0, (ink.top + ink.bottom) / 2.0);
    x >= 0.0 && x <= geometry.width_pt && y >= 0.0 && y <= geometry.height_pt
}

/// The font size, or what comes nearest to it.
pub(super) fn em(char: &Char, loose: Rect, ink: Rect) -> f32 {
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

pub(super) fn finite(point: Point) -> Option<Point> {
    (point.x.abs() <= FAR && point.y.abs() <= FAR).then_some(point)
}

/// The box with its sides in order, if all are numbers; sides that are too far out are brought in.
pub(super) fn finite_rect(rect: Rect) -> Option<Rect> {
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
