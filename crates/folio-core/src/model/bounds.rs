//! A box in the unit of the layout.

use serde::{Deserialize, Serialize};

/// A box in 1/100 pt with the origin at the top left of the page as displayed.
///
/// In JSON it is the array `[left, top, right, bottom]`. `left <= right` and `top <= bottom` in every box the layout
/// makes; a box may reach over the page edge when its glyph does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "[i32; 4]", into = "[i32; 4]")]
pub struct Bounds {
    /// Left edge.
    pub left: i32,
    /// Top edge; smaller is higher on the page.
    pub top: i32,
    /// Right edge.
    pub right: i32,
    /// Bottom edge.
    pub bottom: i32,
}

impl Bounds {
    /// The smallest box that holds both.
    pub fn union(self, other: Bounds) -> Bounds {
        Bounds {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    /// The smallest box that holds all of `boxes`; none when there are none.
    pub fn around(boxes: impl IntoIterator<Item = Bounds>) -> Option<Bounds> {
        boxes.into_iter().reduce(Bounds::union)
    }
}

impl From<[i32; 4]> for Bounds {
    fn from([left, top, right, bottom]: [i32; 4]) -> Bounds {
        Bounds {
            left,
            top,
            right,
            bottom,
        }
    }
}

impl From<Bounds> for [i32; 4] {
    fn from(bounds: Bounds) -> [i32; 4] {
        [bounds.left, bounds.top, bounds.right, bounds.bottom]
    }
}

/// Points to 1/100 pt, rounded to nearest; values out of range saturate and NaN is 0.
pub fn hundredths(points: f32) -> i32 {
    // Truncating after adding a half is rounding, without the call that rounding is on older processors. The cast
    // saturates, which is what a hostile page needs.
    let scaled = f64::from(points) * 100.0;
    (scaled + 0.5_f64.copysign(scaled)) as i32
}
