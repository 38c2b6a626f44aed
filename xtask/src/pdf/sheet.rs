//! One page while it is written: text in lines and paragraphs, rules, boxes, pictures.
//!
//! Lengths are points with the origin at the bottom left, as in the file. Every number is rounded to 1/100 point before
//! it is written: shorter, and equal wherever the generator runs.

use pdf_writer::{Content, Finish, Name, Rect, Ref, Str};

use super::{Face, TypeCase};

/// Where a line may be divided inside a word; shown as a hyphen when it is.
const SOFT_HYPHEN: char = '\u{ad}';

/// How a text is set.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// The typeface.
    pub face: Face,
    /// Size in points.
    pub size: f32,
    /// Distance between two baselines in points.
    pub leading: f32,
    /// Added to every word space, as a share of the size: words that nearly touch cannot be told apart by their ink.
    pub spacing: f32,
    /// Whether the lines of a paragraph are stretched to one width; the last never is.
    pub justified: bool,
}

impl Style {
    /// Upright text of `size` points, justified, with a leading of 1.3 times the size.
    #[must_use]
    pub const fn body(size: f32) -> Self {
        Self {
            face: Face::Roman,
            size,
            leading: size * 1.3,
            spacing: 0.07,
            justified: true,
        }
    }

    /// The same with ragged lines.
    #[must_use]
    pub const fn ragged(self) -> Self {
        Self {
            justified: false,
            ..self
        }
    }

    /// The same in italics.
    #[must_use]
    pub const fn italic(self) -> Self {
        Self {
            face: Face::Italic,
            ..self
        }
    }
}

/// A page that is being written.
pub struct Sheet {
    /// The whole sheet.
    pub media: Rect,
    /// What is left of it when trimmed; the whole when `None`.
    pub crop: Option<Rect>,
    /// How far a viewer turns the page, in degrees clockwise.
    pub turn: i32,
    /// The page's line in the table of contents.
    pub title: Option<&'static str>,
    /// Annotations and form fields, by number.
    pub annotations: Vec<Ref>,
    pub(super) content: Content,
}

impl Sheet {
    /// An empty sheet with the corners (0, 0) and (`width`, `height`).
    #[must_use]
    pub fn new(width: f32, height: f32) -> Self {
        Self {
            media: Rect::new(0.0, 0.0, width, height),
            crop: None,
            turn: 0,
            title: None,
            annotations: Vec::new(),
            content: Content::new(),
        }
    }

    /// The drawing operators, for shapes that have no method here.
    pub fn content(&mut self) -> &mut Content {
        &mut self.content
    }

    /// One line that starts at (`x`, `y`).
    pub fn line(&mut self, case: &mut TypeCase, style: Style, x: f32, y: f32, text: &str) {
        self.show(case, style, x, y, text, style.spacing * style.size);
    }

    /// One line whose middle is at `x`.
    pub fn centred(&mut self, case: &mut TypeCase, style: Style, x: f32, y: f32, text: &str) {
        let width = width(case, style, text);
        self.line(case, style, x - width / 2.0, y, text);
    }

    /// One line that ends at `x`.
    pub fn flush_right(&mut self, case: &mut TypeCase, style: Style, x: f32, y: f32, text: &str) {
        let width = width(case, style, text);
        self.line(case, style, x - width, y, text);
    }

    /// A paragraph with its first baseline at `y`; returns the baseline that comes after its last one.
    pub fn paragraph(
        &mut self,
        case: &mut TypeCase,
        style: Style,
        x: f32,
        y: f32,
        width: f32,
        text: &str,
    ) -> f32 {
        let lines = broken(case, style, width, text);
        let mut baseline = y;
        for (index, line) in lines.iter().enumerate() {
            let gaps = line.matches(' ').count();
            let stretched = style.justified && index + 1 < lines.len() && gaps > 0;
            let slack = if stretched {
                (width - self::width(case, style, line)) / gaps as f32
            } else {
                0.0
            };
            self.show(
                case,
                style,
                x,
                baseline,
                line,
                style.spacing * style.size + slack,
            );
            baseline -= style.leading;
        }
        baseline
    }

    /// The first `count` lines of `text` set in `width`, from `corner` downwards; the rest of the text is left out.
    pub fn lines(
        &mut self,
        case: &mut TypeCase,
        style: Style,
        corner: (f32, f32),
        width: f32,
        count: usize,
        text: &str,
    ) {
        for (index, line) in broken(case, style, width, text)
            .iter()
            .take(count)
            .enumerate()
        {
            let y = corner.1 - style.leading * index as f32;
            self.line(case, style, corner.0, y, line);
        }
    }

    /// A straight rule of `weight` points.
    pub fn rule(&mut self, weight: f32, from: (f32, f32), to: (f32, f32)) {
        self.content.set_line_width(weight);
        self.content
            .move_to(rounded(from.0), rounded(from.1))
            .line_to(rounded(to.0), rounded(to.1))
            .stroke();
    }

    /// A frame of `weight` points around a box given by its lower left corner and its size.
    pub fn frame(&mut self, weight: f32, x: f32, y: f32, width: f32, height: f32) {
        self.content.set_line_width(weight);
        self.content
            .rect(rounded(x), rounded(y), rounded(width), rounded(height))
            .stroke();
    }

    /// The picture that the press calls `name`, stretched over a box given by its lower left corner and its size.
    pub fn picture(&mut self, name: &str, x: f32, y: f32, width: f32, height: f32) {
        self.content.save_state();
        self.content.transform([
            rounded(width),
            0.0,
            0.0,
            rounded(height),
            rounded(x),
            rounded(y),
        ]);
        self.content.x_object(Name(name.as_bytes()));
        self.content.restore_state();
    }

    /// Shows `text` with `extra` points added to every space.
    fn show(&mut self, case: &mut TypeCase, style: Style, x: f32, y: f32, text: &str, extra: f32) {
        self.content
            .begin_text()
            .set_font(TypeCase::resource(style.face), style.size);
        self.content
            .set_text_matrix([1.0, 0.0, 0.0, 1.0, rounded(x), rounded(y)]);
        let mut operation = self.content.show_positioned();
        let mut items = operation.items();
        for piece in text.split_inclusive(' ') {
            items.show(Str(&case.encode(style.face, piece)));
            if piece.ends_with(' ') {
                items.adjust(rounded(-extra * 1000.0 / style.size));
            }
        }
        items.finish();
        operation.finish();
        self.content.end_text();
    }
}

/// The width of one line of `text` that is not stretched.
fn width(case: &TypeCase, style: Style, text: &str) -> f32 {
    case.width(style.face, style.size, text)
        + text.matches(' ').count() as f32 * style.spacing * style.size
}

/// `value` to 1/100 of a point.
pub(super) fn rounded(value: f32) -> f32 {
    (value * 100.0).round() / 100.0
}

/// `text` cut into lines that fit `width`: as many words as fit on each, words divided at soft hyphens where needed.
fn broken(case: &TypeCase, style: Style, width: f32, text: &str) -> Vec<String> {
    let measured = |piece: &str| self::width(case, style, piece);
    let space = measured(" ");
    let mut lines = Vec::new();
    let mut line = Line::default();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let mut rest = word.to_owned();
        loop {
            let start = if line.text.is_empty() {
                0.0
            } else {
                line.width + space
            };
            let whole = plain(&rest);
            let end = start + measured(&whole);
            if end <= width {
                line.push(&whole, end);
                break;
            }
            if let Some((head, tail)) = divided(&rest, |head| start + measured(head) <= width) {
                line.push(&head, width);
                rest = tail;
            } else if line.text.is_empty() {
                line.push(&whole, end);
                break;
            }
            lines.push(std::mem::take(&mut line).text);
        }
    }
    if !line.text.is_empty() {
        lines.push(line.text);
    }
    lines
}

/// A line while it is filled.
#[derive(Default)]
struct Line {
    text: String,
    width: f32,
}

impl Line {
    /// Adds a word; the line is `width` wide with it.
    fn push(&mut self, word: &str, width: f32) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(word);
        self.width = width;
    }
}

/// The longest head of `word` up to a soft hyphen that `fits` with a hyphen added, and what follows it.
fn divided(word: &str, fits: impl Fn(&str) -> bool) -> Option<(String, String)> {
    word.match_indices(SOFT_HYPHEN)
        .rev()
        .find_map(|(at, mark)| {
            let head = format!("{}-", plain(&word[..at]));
            fits(&head).then(|| (head, word[at + mark.len()..].to_owned()))
        })
}

fn plain(word: &str) -> String {
    word.replace(SOFT_HYPHEN, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(width: f32, text: &str) -> Vec<String> {
        broken(&TypeCase::default(), Style::body(10.0), width, text)
    }

    #[test]
    fn a_text_that_fits_is_one_line_without_its_soft_hyphens() {
        assert_eq!(lines(500.0, "a com\u{ad}positor"), ["a compositor"]);
    }

    #[test]
    fn a_word_is_divided_where_it_may_be_and_the_hyphen_shows() {
        let width = width(&TypeCase::default(), Style::body(10.0), "a com- ") + 0.1;
        assert_eq!(lines(width, "a com\u{ad}pile\u{ad}r"), ["a com-", "piler"]);
    }

    #[test]
    fn a_word_wider_than_the_line_stands_alone() {
        assert_eq!(lines(5.0, "type setter"), ["type", "setter"]);
    }

    #[test]
    fn no_line_is_wider_than_the_measure() {
        let case = TypeCase::default();
        let text = "one sheet folded once makes two leaves and four pages ".repeat(8);
        for line in lines(120.0, &text) {
            assert!(width(&case, Style::body(10.0), &line) <= 120.0, "{line}");
        }
    }
}
