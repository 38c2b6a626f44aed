//! Pictures as they are stored in a file: their bytes, how these are packed, and nothing of where they are placed.

use jpeg_encoder::{ColorType, Encoder};
use pdf_writer::{Chunk, Filter, Finish, Name, Ref};

/// How hard the packing tries, 0 to 10. 6 is where more effort costs twice the time and saves 2 %.
const DEFLATE_EFFORT: u8 = 6;

/// `bytes` packed as a zlib stream, which is what the Flate filter reads.
#[must_use]
pub fn deflated(bytes: &[u8]) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec_zlib(bytes, DEFLATE_EFFORT)
}

/// A packed picture.
#[derive(Clone, Debug)]
pub struct Picture {
    width: u16,
    height: u16,
    filter: Filter,
    colours: Colours,
    data: Vec<u8>,
}

/// What the numbers of a picture mean.
#[derive(Clone, Debug)]
enum Colours {
    Grey,
    Rgb,
    /// Each byte is a place in this list.
    Palette(Vec<[u8; 3]>),
}

impl Picture {
    /// A colour picture from `width * height` triples, packed as JPEG of `quality` 1 to 100.
    ///
    /// The bytes differ between machines with and without vector instructions, since the encoder rounds otherwise there.
    ///
    /// # Panics
    /// When `pixels` has another length.
    #[must_use]
    pub fn jpeg_colour(width: u16, height: u16, pixels: &[u8], quality: u8) -> Self {
        let data = jpeg(width, height, pixels, quality, ColorType::Rgb);
        Self {
            width,
            height,
            filter: Filter::DctDecode,
            colours: Colours::Rgb,
            data,
        }
    }

    /// A grey picture from `width * height` bytes, 0 for black, packed as JPEG of `quality` 1 to 100; see
    /// [`Picture::jpeg_colour`] for how far the bytes can be relied on.
    ///
    /// # Panics
    /// When `pixels` has another length.
    #[must_use]
    pub fn jpeg_grey(width: u16, height: u16, pixels: &[u8], quality: u8) -> Self {
        let data = jpeg(width, height, pixels, quality, ColorType::Luma);
        Self {
            width,
            height,
            filter: Filter::DctDecode,
            colours: Colours::Grey,
            data,
        }
    }

    /// A grey picture from `width * height` bytes, 0 for black, packed without loss: the same bytes on every machine.
    ///
    /// # Panics
    /// When `pixels` has another length.
    #[must_use]
    pub fn grey(width: u16, height: u16, pixels: &[u8]) -> Self {
        assert_length(width, height, pixels, 1);
        Self {
            width,
            height,
            filter: Filter::FlateDecode,
            colours: Colours::Grey,
            data: deflated(pixels),
        }
    }

    /// A picture from `width * height` places in `palette`, packed without loss: the same bytes on every machine.
    ///
    /// # Panics
    /// When `places` has another length or names a place that the palette does not have.
    #[must_use]
    pub fn painted(width: u16, height: u16, places: &[u8], palette: Vec<[u8; 3]>) -> Self {
        assert_length(width, height, places, 1);
        assert!(
            places
                .iter()
                .all(|place| usize::from(*place) < palette.len()),
            "every place lies in the palette"
        );
        let data = deflated(places);
        Self {
            width,
            height,
            filter: Filter::FlateDecode,
            colours: Colours::Palette(palette),
            data,
        }
    }

    /// Writes the picture under `id`.
    pub(super) fn write(&self, chunk: &mut Chunk, id: Ref) {
        let mut image = chunk.image_xobject(id, &self.data);
        image.filter(self.filter);
        image
            .width(i32::from(self.width))
            .height(i32::from(self.height))
            .bits_per_component(8);
        match &self.colours {
            Colours::Grey => image.color_space().device_gray(),
            Colours::Rgb => image.color_space().device_rgb(),
            Colours::Palette(palette) => {
                let last =
                    i32::try_from(palette.len() - 1).expect("a palette has at most 256 colours");
                image
                    .color_space()
                    .indexed(Name(b"DeviceRGB"), last, palette.as_flattened());
            }
        }
        image.finish();
    }
}

fn jpeg(width: u16, height: u16, pixels: &[u8], quality: u8, kind: ColorType) -> Vec<u8> {
    assert_length(
        width,
        height,
        pixels,
        if kind == ColorType::Rgb { 3 } else { 1 },
    );
    let mut data = Vec::new();
    Encoder::new(&mut data, quality)
        .encode(pixels, width, height, kind)
        .expect("writing to memory does not fail");
    data
}

fn assert_length(width: u16, height: u16, pixels: &[u8], bytes_per_pixel: usize) {
    let expected = usize::from(width) * usize::from(height) * bytes_per_pixel;
    assert_eq!(
        pixels.len(),
        expected,
        "a picture of {width} x {height} needs {expected} bytes"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_without_loss_comes_back() {
        let pixels: Vec<u8> = (0..=255).collect();
        let picture = Picture::grey(16, 16, &pixels);
        let unpacked = miniz_oxide::inflate::decompress_to_vec_zlib(&picture.data).unwrap();
        assert_eq!(unpacked, pixels);
    }

    #[test]
    #[should_panic(expected = "needs 12 bytes")]
    fn a_picture_of_the_wrong_length_is_refused() {
        let _ = Picture::jpeg_colour(2, 2, &[0; 9], 80);
    }

    #[test]
    #[should_panic(expected = "in the palette")]
    fn a_place_outside_the_palette_is_refused() {
        let _ = Picture::painted(1, 1, &[1], vec![[0; 3]]);
    }
}
