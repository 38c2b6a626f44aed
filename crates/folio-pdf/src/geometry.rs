//! From user space to the page as displayed: crop box and rotation, in floating point.
//!
//! User space has its origin wherever the media box puts it and y growing upwards. A displayed page has its origin at the
//! top left of the crop box after the page was turned clockwise, and y growing downwards. PDFium's own conversion
//! (`FPDF_PageToDevice`) gives the same place rounded to whole pixels, which is too coarse for boxes.

use crate::ffi::RectF;
use crate::text::{Point, Rect};

/// Where a page is in user space and how it is turned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    /// The crop box in user space.
    pub(crate) left: f64,
    pub(crate) bottom: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    /// Clockwise quarter turns, 0 to 3.
    pub(crate) quarter_turns: u16,
}

impl Placement {
    /// A point in user space, as displayed.
    pub(crate) fn point(&self, x: f64, y: f64) -> Point {
        let (x, y) = match self.quarter_turns {
            0 => (x - self.left, self.top - y),
            1 => (y - self.bottom, x - self.left),
            2 => (self.right - x, y - self.bottom),
            _ => (self.top - y, self.right - x),
        };
        Point {
            x: x as f32,
            y: y as f32,
        }
    }

    /// The box around two opposite corners in user space, as displayed.
    pub(crate) fn rect(&self, left: f64, bottom: f64, right: f64, top: f64) -> Rect {
        let (a, b) = (self.point(left, bottom), self.point(right, top));
        Rect {
            left: a.x.min(b.x),
            top: a.y.min(b.y),
            right: a.x.max(b.x),
            bottom: a.y.max(b.y),
        }
    }

    pub(crate) fn rect_of(&self, rect: RectF) -> Rect {
        self.rect(
            rect.left.into(),
            rect.bottom.into(),
            rect.right.into(),
            rect.top.into(),
        )
    }

    /// A direction in user space, in degrees clockwise as displayed, 0 to 360.
    pub(crate) fn angle(&self, dx: f64, dy: f64) -> f32 {
        let clockwise = (-dy).atan2(dx).to_degrees() + 90.0 * f64::from(self.quarter_turns);
        // A tiny negative angle would round up to 360 itself.
        let angle = clockwise.rem_euclid(360.0) as f32;
        if angle >= 360.0 { 0.0 } else { angle }
    }
}

#[cfg(test)]
mod tests {
    use super::Placement;
    use crate::text::Point;

    fn placement(quarter_turns: u16) -> Placement {
        Placement {
            left: 10.0,
            bottom: 20.0,
            right: 110.0,
            top: 220.0,
            quarter_turns,
        }
    }

    #[test]
    fn the_corner_that_is_displayed_at_the_top_left_is_the_origin() {
        let corners = [(10.0, 220.0), (10.0, 20.0), (110.0, 20.0), (110.0, 220.0)];
        for (turns, (x, y)) in (0..).zip(corners) {
            assert_eq!(
                placement(turns).point(x, y),
                Point { x: 0.0, y: 0.0 },
                "{turns} quarter turns"
            );
        }
    }

    #[test]
    fn a_line_to_the_right_turns_with_the_page() {
        for turns in 0..4 {
            assert_eq!(placement(turns).angle(1.0, 0.0), 90.0 * f32::from(turns));
        }
        assert_eq!(
            placement(0).angle(0.0, 1.0),
            270.0,
            "upwards is three quarters clockwise"
        );
        assert_eq!(placement(0).angle(1.0, 1e-12), 0.0, "never 360");
    }
}
