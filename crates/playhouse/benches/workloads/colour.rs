//! What the creatures of `chameneos` change when they meet: the same for every runtime.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    Blue,
    Red,
    Yellow,
}

impl Colour {
    pub(crate) fn of(number: u64) -> Self {
        [Colour::Blue, Colour::Red, Colour::Yellow][(number % 3) as usize]
    }

    /// Both turn into the third colour, or stay what they are if they are alike.
    pub(crate) fn complement(self, other: Self) -> Self {
        use Colour::{Blue, Red, Yellow};
        match (self, other) {
            (Blue, Red) | (Red, Blue) => Yellow,
            (Blue, Yellow) | (Yellow, Blue) => Red,
            (Red, Yellow) | (Yellow, Red) => Blue,
            (same, _) => same,
        }
    }
}
