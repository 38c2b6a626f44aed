//! The characters of a page, as data: what the layout is built from.
//!
//! Coordinates are points (1/72 inch) in the page **as displayed**: crop box applied, rotation applied, origin at the
//! top left, y growing downwards. They are `f32` straight from the engine's boxes; nothing is rounded here.

/// A place on the page, in points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Distance from the left edge.
    pub x: f32,
    /// Distance from the top edge.
    pub y: f32,
}

/// A box on the page, in points. `left <= right` and `top <= bottom`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub left: f32,
    /// Top edge.
    pub top: f32,
    /// Right edge.
    pub right: f32,
    /// Bottom edge.
    pub bottom: f32,
}

/// What the engine knows about a character beside its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CharFlags {
    /// Not in the file: a space or line break that the engine put between two pieces of text.
    pub generated: bool,
    /// A hyphen at the end of a line, that joins its word to the next line's.
    pub hyphen: bool,
    /// The font gives no Unicode value for this glyph: `code` is a guess or U+FFFD.
    pub unmapped: bool,
    /// Drawn in the invisible text mode: the text layer of a scanned page.
    pub invisible: bool,
}

/// One character of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Char {
    /// The character; NUL and other controls, unpaired surrogates and noncharacters are U+FFFD, with `unmapped` set. The
    /// engine's marker for a hyphen at a line end is U+002D, with `hyphen` set. Only tab, carriage return and line feed are
    /// kept of the controls.
    pub code: char,
    /// The tight box around the ink; zero width or height for spaces. Letters that share one glyph, as in a ligature, each
    /// have their equal part of its boxes, in reading direction, and all of them its origin.
    pub ink: Rect,
    /// The line-height box: the advance width by the font's ascent and descent.
    pub loose: Rect,
    /// Where the glyph's origin sits on the baseline.
    pub origin: Point,
    /// Font size in points, as displayed.
    pub size: f32,
    /// Direction of the baseline as displayed, in degrees clockwise, from 0 to below 360: 0 is left to right.
    pub angle: f32,
    /// Index into [`PageText::fonts`].
    pub font: u16,
    /// See [`CharFlags`].
    pub flags: CharFlags,
}

/// The text of one page in the engine's order: that of the content stream, except that pieces of text on one line are
/// sorted by their place as displayed, duplicates drawn over each other are given once, and right-to-left text is in
/// reading order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageText {
    /// The characters. Never index them by a position in a string: they are not one to one.
    pub chars: Vec<Char>,
    /// Base names of the fonts used, each once.
    pub fonts: Vec<String>,
    /// At least one image object is drawn on the page.
    pub has_image: bool,
}
