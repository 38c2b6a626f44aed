//! Places text on a page the way an engine would report it.

use folio_pdf::{Char, CharFlags, PageText, Point, Rect};

use crate::layout::build;
use crate::model::{Layout, PageGeometry};

/// A4 in points, near enough.
pub(super) const GEOMETRY: PageGeometry = PageGeometry {
    page: 1,
    width_pt: 600.0,
    height_pt: 840.0,
    rotation: 0,
    crop: [0.0, 0.0, 600.0, 840.0],
};

/// A page under construction. Letters are half an em wide, spaces a quarter; ideographs take a whole em.
#[derive(Clone, Debug, Default)]
pub(super) struct Page {
    pub(super) text: PageText,
    /// Added after every letter, in points.
    pub(super) tracking: f32,
    /// The engine's character flags for what is placed next.
    pub(super) flags: CharFlags,
    /// Direction of the baseline for what is placed next, in degrees clockwise.
    pub(super) angle: f32,
}

pub(super) fn page() -> Page {
    Page {
        text: PageText {
            fonts: vec!["Test".into()],
            ..PageText::default()
        },
        ..Page::default()
    }
}

/// The advance of a character, in ems.
pub(super) fn advance(code: char) -> f32 {
    match code {
        ' ' => 0.25,
        'i' | 'l' | '.' | ',' => 0.25,
        '\u{2E80}'.. => 1.0,
        _ => 0.5,
    }
}

impl Page {
    /// Puts one line at a baseline that begins at (x, y), with its spaces.
    pub(super) fn put(mut self, x: f32, y: f32, size: f32, line: &str) -> Page {
        let mut along = 0.0;
        for code in line.chars() {
            self.char(x, y, along, size, code);
            along += advance(code) * size + self.tracking;
        }
        self
    }

    /// Several lines at a pitch of 1.2.
    pub(super) fn put_lines(mut self, x: f32, y: f32, size: f32, lines: &[&str]) -> Page {
        for (index, line) in lines.iter().enumerate() {
            self = self.put(x, y + index as f32 * size * 1.2, size, line);
        }
        self
    }

    /// Upright characters from top to bottom.
    pub(super) fn put_down(mut self, x: f32, y: f32, size: f32, line: &str) -> Page {
        for (index, code) in line.chars().enumerate() {
            self.char(x, y + index as f32 * size, 0.0, size, code);
        }
        self
    }

    /// A space that the engine puts in by itself: it has no place of its own.
    pub(super) fn generated_space(self) -> Page {
        self.generated(' ')
    }

    /// A line break that the engine puts in by itself.
    pub(super) fn generated_break(self) -> Page {
        self.generated('\r').generated('\n')
    }

    fn generated(mut self, code: char) -> Page {
        let flags = CharFlags {
            generated: true,
            ..CharFlags::default()
        };
        let nowhere = self.glyph(Rect::default(), Rect::default(), Point::default(), 0.0);
        self.text.chars.push(Char {
            code,
            flags,
            ..nowhere
        });
        self
    }

    pub(super) fn with(mut self, change: impl FnOnce(&mut Page)) -> Page {
        change(&mut self);
        self
    }

    pub(super) fn build(&self) -> Layout {
        build(&GEOMETRY, &self.text)
    }

    fn char(&mut self, x: f32, y: f32, along: f32, size: f32, code: char) {
        let width = advance(code) * size;
        let drop = if "gjpqy,".contains(code) { 0.2 } else { 0.0 };
        let rise = if code == '.' || code == ',' { 0.1 } else { 0.7 };
        let (sin, cos) = self.angle.to_radians().sin_cos();
        let turn = |along: f32, down: f32| Point {
            x: x + along * cos - down * sin,
            y: y + along * sin + down * cos,
        };
        let around = |one: Point, other: Point| Rect {
            left: one.x.min(other.x),
            top: one.y.min(other.y),
            right: one.x.max(other.x),
            bottom: one.y.max(other.y),
        };
        let bearing = 0.03 * size;
        let ink = around(
            turn(along + bearing, -rise * size),
            turn(along + width - bearing, drop * size),
        );
        let loose = around(turn(along, -0.8 * size), turn(along + width, 0.2 * size));
        let ink = if code == ' ' {
            Rect {
                right: ink.left,
                bottom: ink.top,
                ..ink
            }
        } else {
            ink
        };
        let glyph = self.glyph(ink, loose, turn(along, 0.0), size);
        self.text.chars.push(Char {
            code,
            flags: self.flags,
            ..glyph
        });
    }

    fn glyph(&self, ink: Rect, loose: Rect, origin: Point, size: f32) -> Char {
        let flags = CharFlags::default();
        Char {
            code: ' ',
            ink,
            loose,
            origin,
            size,
            angle: self.angle,
            font: 0,
            flags,
        }
    }
}

/// The page reads as `expected`; lines of the expectation are joined by newlines.
#[track_caller]
pub(super) fn check(page: Page, expected: &str) -> Layout {
    let layout = page.build();
    assert_eq!(layout.text().trim_end(), expected);
    layout
}

/// The words of a layout.
pub(super) fn words(layout: &Layout) -> Vec<&str> {
    layout.words().map(|word| word.text.as_str()).collect()
}
