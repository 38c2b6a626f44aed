//! The layout of a page, as it is stored: page → blocks → lines → words → characters.
//!
//! # JSON
//!
//! One object per page, compact, keys in the order of the fields below, fields that are empty or at their default left
//! out. There is nothing in it that differs between two runs. All lengths are integers in 1/100 pt, all boxes
//! `[left, top, right, bottom]` with the origin at the top left of the page as displayed (crop box and rotation
//! applied). An ordinary word costs its text, its box and one number per character:
//!
//! ```json
//! {"page":1,"width":59500,"height":84200,"text_source":"native","fonts":["Times-Roman"],
//!  "blocks":[{"box":[7200,7000,9000,7300],"lines":[{"box":[7200,7000,9000,7300],"loose":[7200,6900,9000,7400],
//!   "size":1000,"words":[{"text":"Page","box":[7200,7000,9000,7300],"widths":[500,450,450,400]}]}]}]}
//! ```

mod bounds;
mod text;

use serde::{Deserialize, Serialize};

pub use bounds::{Bounds, hundredths};

/// The text of one page with its places, in reading order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// Page number, counted from 1.
    pub page: u32,
    /// Width of the page as displayed, in 1/100 pt.
    pub width: i32,
    /// Height of the page as displayed, in 1/100 pt.
    pub height: i32,
    /// Clockwise rotation that the page asks for, in degrees: 0, 90, 180 or 270. Already applied to all boxes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rotation: u16,
    /// The crop box in the file's own space, in 1/100 pt: left, bottom, right, top, y growing upwards.
    #[serde(default, skip_serializing_if = "is_default")]
    pub crop: [i32; 4],
    /// Where the text comes from.
    pub text_source: TextSource,
    /// The page draws an image and shows no text: what can be read on it is not in this layout.
    #[serde(default, skip_serializing_if = "is_default")]
    pub needs_ocr: bool,
    /// The image of the page, when one was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<ImageInfo>,
    /// Glyphs without a usable character: unmapped by their font, or a control character.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unmapped_chars: u32,
    /// Base names of the fonts of the page; [`Line::font`] and [`Word::font`] index into it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fonts: Vec<String>,
    /// The blocks in reading order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
}

/// Where the text of a page comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextSource {
    /// Text that the page shows.
    Native,
    /// Only invisible text: the layer that an earlier OCR run laid over a scan.
    HiddenOcr,
    /// No text at all.
    #[default]
    None,
}

/// The image that was made of a page.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImageInfo {
    /// Width in pixels.
    pub width_px: u32,
    /// Height in pixels.
    pub height_px: u32,
    /// Pixels per point, across and down: a length of the layout times this, over 100, is a length in the image. The two
    /// differ by a hair, because the page is drawn over a whole number of pixels.
    pub px_per_pt: [f64; 2],
    /// How it is stored.
    pub format: ImageFormat,
    /// Stored with one channel.
    #[serde(default, skip_serializing_if = "is_default")]
    pub grey: bool,
}

/// File format of a page image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageFormat {
    /// JPEG.
    Jpeg,
    /// PNG.
    Png,
}

/// Lines that belong together: a paragraph, a heading, a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Around the ink of its lines.
    #[serde(rename = "box")]
    pub bounds: Bounds,
    /// From first to last; never empty.
    pub lines: Vec<Line>,
}

/// Words on one baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Around the ink of its words.
    #[serde(rename = "box")]
    pub bounds: Bounds,
    /// Around the advance widths, ascents and descents: what a text selection covers.
    pub loose: Bounds,
    /// Direction of the baseline in degrees clockwise, 0 (left to right) to 359.
    #[serde(default, skip_serializing_if = "is_default")]
    pub angle: u16,
    /// How the line runs along its baseline.
    #[serde(default, skip_serializing_if = "is_default")]
    pub direction: Direction,
    /// Drawn in the invisible text mode.
    #[serde(default, skip_serializing_if = "is_default")]
    pub invisible: bool,
    /// Its last word ends in a soft hyphen and goes on with the first word of the next line.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hyphenated: bool,
    /// Font size of most of its characters, in 1/100 pt.
    pub size: i32,
    /// Font of most of its characters, an index into [`Layout::fonts`].
    #[serde(default, skip_serializing_if = "is_default")]
    pub font: u16,
    /// In reading order: for a right-to-left line the first word is the rightmost. Never empty.
    pub words: Vec<Word>,
}

/// How the words of a line follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Left to right along the baseline.
    #[default]
    LeftToRight,
    /// Right to left along the baseline: Hebrew, Arabic.
    RightToLeft,
    /// Upright characters from top to bottom: vertical Chinese, Japanese, Korean.
    TopToBottom,
}

/// Characters without a gap between them, in logical order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Word {
    /// The characters; never empty, never NUL. U+FFFD stands for a glyph without a character.
    pub text: String,
    /// Around the ink.
    #[serde(rename = "box")]
    pub bounds: Bounds,
    /// One width per character. Laid side by side from the left edge of the box (from the right edge when [`Word::rtl`])
    /// they are the cells of the characters and end at its other edge. Empty when `boxes` says more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub widths: Vec<i32>,
    /// One box per character, only where cells side by side would be wrong: rotated and vertical text, words of two
    /// directions, characters drawn over each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boxes: Vec<Bounds>,
    /// The first character is the rightmost.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rtl: bool,
    /// Holds a glyph that its font maps to no character: the text is not to be trusted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unmapped: bool,
    /// Font size in 1/100 pt where it differs from that of the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<i32>,
    /// Font where it differs from that of the line, an index into [`Layout::fonts`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub font: Option<u16>,
}

/// What the layout of a page needs to know beside its characters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PageGeometry {
    /// Page number, counted from 1.
    pub page: u32,
    /// Width as displayed, in points.
    pub width_pt: f32,
    /// Height as displayed, in points.
    pub height_pt: f32,
    /// Clockwise rotation that the page asks for, in degrees: 0, 90, 180 or 270.
    pub rotation: u16,
    /// The crop box in the file's own space, in points: left, bottom, right, top.
    pub crop: [f32; 4],
}

impl Layout {
    /// All words in reading order.
    pub fn words(&self) -> impl Iterator<Item = &Word> {
        self.lines().flat_map(|line| &line.words)
    }

    /// All lines in reading order.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.blocks.iter().flat_map(|block| &block.lines)
    }

    /// The page as it is stored: compact JSON and one newline. Equal layouts give equal bytes.
    pub fn to_json(&self) -> Vec<u8> {
        let mut json =
            serde_json::to_vec(self).expect("a layout has only string keys and finite numbers");
        json.push(b'\n');
        json
    }
}

impl Word {
    /// The box of each character, in the order of the text.
    pub fn char_boxes(&self) -> Vec<Bounds> {
        if !self.boxes.is_empty() {
            return self.boxes.clone();
        }
        let edges: Vec<i32> = self.edges().collect();
        let cell = |pair: &[i32]| Bounds {
            left: pair[0].min(pair[1]),
            right: pair[0].max(pair[1]),
            ..self.bounds
        };
        edges.windows(2).map(cell).collect()
    }

    /// The n + 1 edges between n characters, in the order of the text; only the first edge when the word has `boxes`.
    pub fn edges(&self) -> impl Iterator<Item = i32> {
        let (start, sign) = if self.rtl {
            (self.bounds.right, -1)
        } else {
            (self.bounds.left, 1)
        };
        let steps = self.widths.iter().scan(start, move |edge, width| {
            *edge = edge.saturating_add(width.saturating_mul(sign));
            Some(*edge)
        });
        std::iter::once(start).chain(steps)
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
