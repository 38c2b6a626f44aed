//! The characters of a page, read from the engine one by one and cleaned.
//!
//! The calls per character are what reading costs, so everything that the characters of one text object share (font, size,
//! direction, visibility) is asked once per object, and a question that only some characters can answer with yes is asked
//! only for those. Characters are only ever asked for by their own index: it differs from the index into a string.

use crate::ffi::{Font, PageHandle, PageObject, PageObjectKind, TextHandle, TextObject};
use crate::geometry::Placement;
use crate::ligature::SharedGlyph;
use crate::limits::{FONTS_PER_PAGE, FORM_DEPTH, OBJECTS_SEARCHED};
use crate::text::{Char, CharFlags, PageText};

/// Reads all characters. `has_image` is left false.
pub(crate) fn read(text: &TextHandle<'_>, placement: &Placement) -> PageText {
    let count = text.char_count();
    let mut reader = Reader {
        text,
        placement,
        style: Style::default(),
        fonts: Vec::new(),
        page: PageText {
            chars: Vec::with_capacity(count as usize),
            ..PageText::default()
        },
        shared: SharedGlyph::default(),
    };
    let mut index = 0;
    while index < count {
        index += reader.read_char(index, count);
    }
    reader.finish()
}

/// Whether the page draws an image, also inside form objects, down to a bounded depth and number of objects.
pub(crate) fn has_image(page: &PageHandle<'_>) -> bool {
    let mut left = OBJECTS_SEARCHED;
    any_image(page.objects(), FORM_DEPTH, &mut left)
}

fn any_image<'p>(
    mut objects: impl Iterator<Item = PageObject<'p>>,
    depth: u32,
    left: &mut u32,
) -> bool {
    objects.any(|object| {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        match object.kind() {
            PageObjectKind::Image => true,
            // The iterator is boxed because its type would contain itself; forms are few.
            PageObjectKind::Form if depth > 0 => {
                let children: Box<dyn Iterator<Item = PageObject<'p>>> =
                    Box::new(object.children());
                any_image(children, depth - 1, left)
            }
            _ => false,
        }
    })
}

/// What the characters of one text object have in common.
#[derive(Clone, Copy, Default)]
struct Style<'p> {
    object: Option<TextObject<'p>>,
    size: f32,
    angle: f32,
    font: u16,
    invisible: bool,
}

struct Reader<'t, 'p> {
    text: &'t TextHandle<'p>,
    placement: &'t Placement,
    style: Style<'p>,
    /// Font objects seen, with the index of their name; several objects may share a name.
    fonts: Vec<(Font, u16)>,
    page: PageText,
    shared: SharedGlyph<'p>,
}

impl<'p> Reader<'_, 'p> {
    /// Reads the character at `index` and says how many of the engine's characters it took: two for a surrogate pair.
    fn read_char(&mut self, index: u32, count: u32) -> u32 {
        let unicode = self.text.unicode(index);
        let object = self.text.object(index);
        let generated =
            (object.is_none() || is_ever_generated(unicode)) && self.text.is_generated(index);
        if let Some(object) = object
            && self.style.object != Some(object)
        {
            self.style = self.style_of(index, object);
        }
        let (code, taken) = match self.low_surrogate_after(unicode, index, count) {
            Some(code) => (
                Code {
                    char: code,
                    hyphen: false,
                    unmapped: false,
                },
                2,
            ),
            None => (self.code_of(unicode, index), 1),
        };
        let ink = self.text.ink_box(index);
        let (x, y) = self.text.origin(index);
        if generated {
            self.shared.end(&mut self.page.chars);
        } else {
            self.shared.meet(object, ink, (x, y), &mut self.page.chars);
        }
        self.page.chars.push(Char {
            code: code.char,
            ink: self.placement.rect(ink[0], ink[1], ink[2], ink[3]),
            loose: self.placement.rect_of(self.text.loose_box(index)),
            origin: self.placement.point(x, y),
            size: self.style.size,
            angle: self.style.angle,
            font: self.style.font,
            flags: CharFlags {
                generated,
                hyphen: code.hyphen,
                unmapped: code.unmapped
                    || (!generated && !code.hyphen && self.text.has_map_error(index)),
                invisible: self.style.invisible,
            },
        });
        taken
    }

    fn finish(mut self) -> PageText {
        self.shared.end(&mut self.page.chars);
        if self.page.fonts.is_empty() && !self.page.chars.is_empty() {
            // Only generated characters: they still need a font to point at.
            self.page.fonts.push(String::new());
        }
        self.page
    }

    fn code_of(&self, unicode: u32, index: u32) -> Code {
        if is_ever_hyphen(unicode) && self.text.is_hyphen(index) {
            return Code {
                char: '-',
                hyphen: true,
                unmapped: false,
            };
        }
        match clean(unicode) {
            Some(char) => Code {
                char,
                hyphen: false,
                unmapped: false,
            },
            None => Code {
                char: char::REPLACEMENT_CHARACTER,
                hyphen: false,
                unmapped: true,
            },
        }
    }

    /// The character that `unicode` and the next one make together, if they are the halves of a surrogate pair.
    fn low_surrogate_after(&self, unicode: u32, index: u32, count: u32) -> Option<char> {
        if !(0xD800..0xDC00).contains(&unicode) || index + 1 >= count {
            return None;
        }
        join_surrogates(unicode, self.text.unicode(index + 1))
    }

    fn style_of(&mut self, index: u32, object: TextObject<'p>) -> Style<'p> {
        let matrix = self.text.matrix(index);
        let (a, b) = (f64::from(matrix.a), f64::from(matrix.b));
        let (c, d) = (f64::from(matrix.c), f64::from(matrix.d));
        Style {
            object: Some(object),
            size: (self.text.font_size(index) * c.hypot(d)) as f32,
            angle: self.placement.angle(a, b),
            font: self.font_of(object),
            invisible: self.text.is_invisible(object),
        }
    }

    fn font_of(&mut self, object: TextObject<'p>) -> u16 {
        let font = self.text.font(object);
        if let Some((_, index)) = self.fonts.iter().find(|(seen, _)| Some(*seen) == font) {
            return *index;
        }
        let name = self.text.font_name(object);
        let names = &mut self.page.fonts;
        let index = names
            .iter()
            .position(|seen| *seen == name)
            .unwrap_or_else(|| {
                if names.len() < FONTS_PER_PAGE {
                    names.push(name);
                }
                names.len() - 1
            });
        let index = index as u16;
        self.fonts.extend(font.map(|font| (font, index)));
        index
    }
}

struct Code {
    char: char,
    hyphen: bool,
    unmapped: bool,
}

/// The engine puts only these between pieces of text.
fn is_ever_generated(unicode: u32) -> bool {
    matches!(unicode, 0x20 | 0x0D | 0x0A)
}

/// The engine marks a hyphen at a line end by one of these in place of the hyphen, depending on its version.
fn is_ever_hyphen(unicode: u32) -> bool {
    matches!(unicode, 0x02 | 0x2D | 0xAD | 0xFFFE)
}

/// The character for a code of the engine; `None` for what is not text: controls, surrogates, noncharacters.
fn clean(unicode: u32) -> Option<char> {
    let char = char::from_u32(unicode)?;
    let is_noncharacter = (0xFDD0..=0xFDEF).contains(&unicode) || unicode & 0xFFFE == 0xFFFE;
    let is_control = char.is_control() && !matches!(char, '\t' | '\r' | '\n');
    (!is_noncharacter && !is_control).then_some(char)
}

fn join_surrogates(high: u32, low: u32) -> Option<char> {
    let units = [u16::try_from(high).ok()?, u16::try_from(low).ok()?];
    let mut decoded = char::decode_utf16(units);
    match (decoded.next(), decoded.next()) {
        (Some(Ok(char)), None) => Some(char),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{clean, join_surrogates};

    #[test]
    fn what_is_not_text_is_refused() {
        for code in [
            0, 1, 2, 0x1F, 0x7F, 0x85, 0xD800, 0xDFFF, 0xFDD0, 0xFDEF, 0xFFFE, 0xFFFF, 0x1FFFE,
            0x10FFFF, 0x110000,
        ] {
            assert_eq!(clean(code), None, "U+{code:04X}");
        }
        for code in [
            'a',
            ' ',
            '\t',
            '\n',
            '\u{AD}',
            '\u{FDCF}',
            '\u{FFFD}',
            '\u{1F600}',
        ] {
            assert_eq!(clean(u32::from(code)), Some(code));
        }
    }

    #[test]
    fn surrogate_halves_make_one_character() {
        assert_eq!(join_surrogates(0xD83D, 0xDE00), Some('\u{1F600}'));
        assert_eq!(join_surrogates(0xD83D, 0x61), None);
        assert_eq!(join_surrogates(0xDE00, 0xD83D), None);
        assert_eq!(join_surrogates(0xD83D, 0x1_0000), None);
    }
}
