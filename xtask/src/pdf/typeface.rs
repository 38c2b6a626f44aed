//! The two typefaces: widths while a page is set, and at the end the glyphs that were used, embedded.

use std::collections::{BTreeMap, HashMap};

use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Chunk, Filter, Finish, Name, Rect, Ref, Str};
use subsetter::GlyphRemapper;

use super::deflated;

const REGISTRY: SystemInfo<'static> = SystemInfo {
    registry: Str(b"Adobe"),
    ordering: Str(b"Identity"),
    supplement: 0,
};

/// Which of the two faces a text is set in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// Upright.
    Roman,
    /// Slanted.
    Italic,
}

/// Both faces, and what has been taken from each so far.
#[derive(Debug)]
pub struct TypeCase {
    roman: Typeface,
    italic: Typeface,
}

impl Default for TypeCase {
    fn default() -> Self {
        let roman = include_bytes!("../../fonts/EBGaramond-Regular.ttf");
        let italic = include_bytes!("../../fonts/EBGaramond-Italic.ttf");
        Self {
            roman: Typeface::new("FOLIOA+EBGaramond12-Regular", roman),
            italic: Typeface::new("FOLIOB+EBGaramond12-Italic", italic),
        }
    }
}

impl TypeCase {
    /// The width of `text` in points at `size` points.
    ///
    /// # Panics
    /// When the face has no glyph for a character of `text`: the generated page would show a box.
    #[must_use]
    pub fn width(&self, face: Face, size: f32, text: &str) -> f32 {
        let face = self.face(face);
        text.chars()
            .map(|character| face.glyph(character).1)
            .sum::<f32>()
            * size
            / face.units()
    }

    /// `text` as the bytes that show it, two per glyph; the glyphs count as used from now on.
    pub fn encode(&mut self, face: Face, text: &str) -> Vec<u8> {
        let face = self.face_mut(face);
        text.chars()
            .flat_map(|character| face.take(character).to_be_bytes())
            .collect()
    }

    /// The outline source of `face`, for drawing letters into a picture.
    #[must_use]
    pub fn outlines(&self, face: Face) -> &ttf_parser::Face<'static> {
        &self.face(face).face
    }

    /// The resource name of `face`.
    #[must_use]
    pub fn resource(face: Face) -> Name<'static> {
        match face {
            Face::Roman => Name(b"F0"),
            Face::Italic => Name(b"F1"),
        }
    }

    /// Writes both faces under `roman` and `italic`, with further objects numbered from `next`.
    pub fn write(&self, chunk: &mut Chunk, roman: Ref, italic: Ref, next: &mut Ref) {
        self.roman.write(chunk, roman, next);
        self.italic.write(chunk, italic, next);
    }

    fn face(&self, face: Face) -> &Typeface {
        match face {
            Face::Roman => &self.roman,
            Face::Italic => &self.italic,
        }
    }

    fn face_mut(&mut self, face: Face) -> &mut Typeface {
        match face {
            Face::Roman => &mut self.roman,
            Face::Italic => &mut self.italic,
        }
    }
}

struct Typeface {
    name: &'static str,
    data: &'static [u8],
    face: ttf_parser::Face<'static>,
    /// Glyph and advance of every character: looking one up in the file itself is slow, and a page has thousands.
    glyphs: HashMap<char, (ttf_parser::GlyphId, f32)>,
    remapper: GlyphRemapper,
    /// By number in the embedded subset: the character shown, and its advance in thousandths of the size.
    used: BTreeMap<u16, (char, f32)>,
}

impl std::fmt::Debug for Typeface {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Typeface")
            .field("name", &self.name)
            .field("used", &self.used.len())
            .finish_non_exhaustive()
    }
}

impl Typeface {
    fn new(name: &'static str, data: &'static [u8]) -> Self {
        let face = ttf_parser::Face::parse(data, 0).expect("the committed font is a font");
        let glyphs = glyphs(&face);
        Self {
            name,
            data,
            face,
            glyphs,
            remapper: GlyphRemapper::new(),
            used: BTreeMap::new(),
        }
    }

    fn glyph(&self, character: char) -> (ttf_parser::GlyphId, f32) {
        let found = self.glyphs.get(&character).copied();
        found.unwrap_or_else(|| panic!("{} has no glyph for {character:?}", self.name))
    }

    fn units(&self) -> f32 {
        f32::from(self.face.units_per_em())
    }

    /// Marks `character` as used and returns its number in the subset.
    fn take(&mut self, character: char) -> u16 {
        let (glyph, advance) = self.glyph(character);
        let number = self.remapper.remap(glyph.0);
        let width = advance * 1000.0 / self.units();
        let (earlier, _) = *self.used.entry(number).or_insert((character, width));
        // One glyph has one entry in the map back to Unicode, so a second character would be read as the first.
        assert_eq!(
            earlier, character,
            "{} draws both with one glyph",
            self.name
        );
        number
    }

    fn write(&self, chunk: &mut Chunk, id: Ref, next: &mut Ref) {
        let [descendant, descriptor, file, unicode] = std::array::from_fn(|_| next.bump());
        let name = Name(self.name.as_bytes());
        let mut font = chunk.type0_font(id);
        font.base_font(name)
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(descendant)
            .to_unicode(unicode);
        font.finish();

        let mut cid = chunk.cid_font(descendant);
        cid.subtype(CidFontType::Type2)
            .base_font(name)
            .system_info(REGISTRY)
            .font_descriptor(descriptor);
        cid.default_width(0.0)
            .cid_to_gid_map_predefined(Name(b"Identity"));
        let mut widths = cid.widths();
        for (number, (_, width)) in &self.used {
            widths.consecutive(*number, [*width]);
        }
        widths.finish();
        cid.finish();

        self.write_descriptor(chunk, descriptor, file);
        let subset = subsetter::subset(self.data, 0, &self.remapper)
            .expect("the committed font can be cut down");
        let packed = deflated(&subset);
        let mut stream = chunk.stream(file, &packed);
        stream.filter(Filter::FlateDecode).pair(
            Name(b"Length1"),
            i32::try_from(subset.len()).expect("a subset is small"),
        );
        stream.finish();

        let mut map = UnicodeCmap::new(Name(b"Folio-UCS"), REGISTRY);
        for (number, (character, _)) in &self.used {
            map.pair(*number, *character);
        }
        let map = deflated(&map.finish());
        chunk.cmap(unicode, &map).filter(Filter::FlateDecode);
    }

    fn write_descriptor(&self, chunk: &mut Chunk, id: Ref, file: Ref) {
        let scale = 1000.0 / self.units();
        let bounds = self.face.global_bounding_box();
        let [left, bottom, right, top] = [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max]
            .map(|edge| f32::from(edge) * scale);
        let italic_angle = self.face.italic_angle();
        let mut flags = FontFlags::SERIF | FontFlags::SYMBOLIC;
        flags.set(FontFlags::ITALIC, italic_angle != 0.0);
        let mut descriptor = chunk.font_descriptor(id);
        descriptor
            .name(Name(self.name.as_bytes()))
            .flags(flags)
            .bbox(Rect::new(left, bottom, right, top));
        descriptor
            .italic_angle(italic_angle)
            .ascent(f32::from(self.face.ascender()) * scale);
        descriptor.descent(f32::from(self.face.descender()) * scale);
        descriptor.cap_height(f32::from(self.face.capital_height().unwrap_or(650)) * scale);
        // The file states no stem width; readers use it only to imitate a missing font, and this one is embedded.
        descriptor.stem_v(80.0).font_file2(file);
    }
}

/// Every character that `face` has, with its glyph and that glyph's advance in font units.
fn glyphs(face: &ttf_parser::Face<'_>) -> HashMap<char, (ttf_parser::GlyphId, f32)> {
    let mut glyphs = HashMap::new();
    let map = face
        .tables()
        .cmap
        .expect("the committed font has a character map");
    for subtable in map
        .subtables
        .into_iter()
        .filter(ttf_parser::cmap::Subtable::is_unicode)
    {
        subtable.codepoints(|code| {
            let character = char::from_u32(code);
            if let (Some(character), Some(glyph)) = (character, subtable.glyph_index(code)) {
                let advance = f32::from(face.glyph_hor_advance(glyph).unwrap_or(0));
                glyphs.insert(character, (glyph, advance));
            }
        });
    }
    glyphs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_grow_with_the_text_and_the_size() {
        let case = TypeCase::default();
        let one = case.width(Face::Roman, 10.0, "n");
        assert!(one > 0.0);
        assert!((case.width(Face::Roman, 20.0, "nn") - 4.0 * one).abs() < 1e-3);
    }

    #[test]
    fn the_same_letter_is_always_the_same_code() {
        let mut case = TypeCase::default();
        let first = case.encode(Face::Italic, "book");
        assert_eq!(first[2..4], first[4..6]);
        assert_eq!(first, case.encode(Face::Italic, "book"));
    }

    #[test]
    #[should_panic(expected = "no glyph for")]
    fn a_missing_glyph_is_named() {
        let _ = TypeCase::default().width(Face::Roman, 10.0, "\u{4e00}");
    }
}
