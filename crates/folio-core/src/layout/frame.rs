//! Reading frames: every direction of text is laid out as if it ran left to right.
//!
//! A frame turns the page so that its text runs along growing `u` and its lines follow along growing `v`. Rows, words,
//! columns and blocks are found there; boxes of the result are always those of the page.

use folio_pdf::{Point, Rect};

use super::limits::SKEW_DEGREES;

/// Direction of the baselines of a frame, in whole degrees clockwise, and whether the characters stand upright in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Frame {
    /// 0 to 359.
    pub(super) degrees: u16,
    /// Upright characters from top to bottom; `degrees` is 90.
    pub(super) vertical: bool,
}

/// A box in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Span {
    pub(super) u0: f32,
    pub(super) u1: f32,
    pub(super) v0: f32,
    pub(super) v1: f32,
}

impl Frame {
    /// Vertical writing.
    pub(super) const VERTICAL: Frame = Frame {
        degrees: 90,
        vertical: true,
    };

    /// The frame for text whose baseline runs at `angle` degrees. Anything that is no angle counts as 0.
    pub(super) fn of(angle: f32) -> Frame {
        if angle == 0.0 || !angle.is_finite() {
            return Frame::default();
        }
        let angle = angle.rem_euclid(360.0);
        let main = (angle / 90.0).round() * 90.0;
        let snapped = if (angle - main).abs() <= SKEW_DEGREES {
            main
        } else {
            angle.round()
        };
        Frame {
            degrees: snapped as u16 % 360,
            vertical: false,
        }
    }

    /// Runs along an edge of the page, so that boxes turn into boxes.
    pub(super) fn is_orthogonal(self) -> bool {
        self.degrees.is_multiple_of(90)
    }

    /// A place of the page in this frame: (u, v).
    pub(super) fn place(self, point: Point) -> (f32, f32) {
        match self.degrees {
            0 => (point.x, point.y),
            90 => (point.y, -point.x),
            180 => (-point.x, -point.y),
            270 => (-point.y, point.x),
            degrees => {
                let (sin, cos) = f32::from(degrees).to_radians().sin_cos();
                (point.x * cos + point.y * sin, point.y * cos - point.x * sin)
            }
        }
    }

    /// A box of the page in this frame: exact along the edges of the page, else the square of `size` around its middle.
    pub(super) fn span(self, rect: Rect, size: f32) -> Span {
        if !self.is_orthogonal() {
            let middle = Point {
                x: (rect.left + rect.right) / 2.0,
                y: (rect.top + rect.bottom) / 2.0,
            };
            let (u, v) = self.place(middle);
            // Half of a letter is a quarter of an em on average.
            let (half_width, half_height) = (size * 0.25, size * 0.4);
            return Span {
                u0: u - half_width,
                u1: u + half_width,
                v0: v - half_height,
                v1: v + half_height,
            };
        }
        let (u, v) = self.place(Point {
            x: rect.left,
            y: rect.top,
        });
        let (s, t) = self.place(Point {
            x: rect.right,
            y: rect.bottom,
        });
        Span {
            u0: u.min(s),
            u1: u.max(s),
            v0: v.min(t),
            v1: v.max(t),
        }
    }
}

impl Span {
    pub(super) fn width(&self) -> f32 {
        self.u1 - self.u0
    }
}
