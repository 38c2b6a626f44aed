//! From a bitmap to an image file's bytes. Pure: same pixels and options, same bytes.

use folio_pdf::Bitmap;
use jpeg_encoder::{ColorType, ImageBuffer, JpegColorType, SamplingFactor};

use crate::model;
use crate::request::{Colour, ImageFormat, Options};

/// An encoded page image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// What kind of file.
    pub format: model::ImageFormat,
    /// It was encoded in grey.
    pub grey: bool,
}

/// Why a bitmap was not encoded.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the page image could not be encoded as {format}: {reason}")]
pub struct EncodeError {
    format: &'static str,
    reason: String,
}

/// Encodes `bitmap` as `options` ask; `Ok(None)` when no image is wanted.
///
/// # Errors
/// What the encoder said: a side over its format's limit, for instance.
pub fn encode(bitmap: &Bitmap, options: &Options) -> Result<Option<Encoded>, EncodeError> {
    let grey = options.colour == Colour::Auto && is_grey(bitmap.bytes());
    let error = |reason: String| EncodeError {
        format: options.image.name(),
        reason,
    };
    let (format, bytes) = match options.image {
        ImageFormat::Jpeg => (
            model::ImageFormat::Jpeg,
            jpeg(bitmap, grey, options.quality).map_err(|source| error(source.to_string()))?,
        ),
        ImageFormat::Png => (
            model::ImageFormat::Png,
            png(bitmap, grey).map_err(|source| error(source.to_string()))?,
        ),
        ImageFormat::None => return Ok(None),
    };
    Ok(Some(Encoded {
        bytes,
        format,
        grey,
    }))
}

/// No pixel has a colour. `pixels` are BGRx; a coloured photo is found out within a few pixels.
fn is_grey(pixels: &[u8]) -> bool {
    /// Pixels looked at between two chances to leave: one row or so, long enough for vector instructions.
    const RUN_PIXELS: usize = 1024;
    /// Blue against green, and green against red, when a pixel is compared with itself one byte on.
    const NEIGHBOURS: u32 = 0x0000_ffff;
    let (pixels, _) = pixels.as_chunks::<4>();
    let colour = |pixel: &[u8; 4]| {
        let pixel = u32::from_le_bytes(*pixel);
        (pixel ^ (pixel >> 8)) & NEIGHBOURS
    };
    let coloured = |run: &[[u8; 4]]| run.iter().fold(0, |seen, pixel| seen | colour(pixel)) != 0;
    !pixels.chunks(RUN_PIXELS).any(coloured)
}

fn luma(pixels: &[u8]) -> impl ExactSizeIterator<Item = u8> {
    pixels.as_chunks::<4>().0.iter().map(|pixel| pixel[0])
}

fn rgb(pixels: &[u8]) -> Vec<u8> {
    pixels
        .chunks_exact(4)
        .flat_map(|pixel| [pixel[2], pixel[1], pixel[0]])
        .collect()
}

fn jpeg(bitmap: &Bitmap, grey: bool, quality: u8) -> Result<Vec<u8>, jpeg_encoder::EncodingError> {
    let side = |pixels: u32| {
        u16::try_from(pixels).expect("the side cap of a bitmap is below the limit of JPEG")
    };
    let (width, height) = (side(bitmap.width()), side(bitmap.height()));
    let mut bytes = Vec::with_capacity(JPEG_BYTES_USUAL);
    let mut encoder = jpeg_encoder::Encoder::new(&mut bytes, quality);
    if grey {
        encoder.encode_image(Grey {
            pixels: bitmap.bytes(),
            width,
            height,
        })?;
    } else {
        encoder.set_sampling_factor(SamplingFactor::R_4_2_0);
        encoder.encode(bitmap.bytes(), width, height, ColorType::Bgra)?;
    }
    Ok(bytes)
}

/// What most pages take at most, so that the buffer grows once or never.
const JPEG_BYTES_USUAL: usize = 1 << 20;

/// Grey BGRx pixels as the encoder wants them, row by row, without a copy of the whole.
struct Grey<'a> {
    pixels: &'a [u8],
    width: u16,
    height: u16,
}

impl ImageBuffer for Grey<'_> {
    fn get_jpeg_color_type(&self) -> JpegColorType {
        JpegColorType::Luma
    }

    fn width(&self) -> u16 {
        self.width
    }

    fn height(&self) -> u16 {
        self.height
    }

    fn fill_buffers(&self, y: u16, buffers: &mut [Vec<u8>; 4]) {
        let row_bytes = usize::from(self.width) * Bitmap::BYTES_PER_PIXEL;
        let start = usize::from(y) * row_bytes;
        buffers[0].extend(luma(&self.pixels[start..start + row_bytes]));
    }
}

fn png(bitmap: &Bitmap, grey: bool) -> Result<Vec<u8>, png::EncodingError> {
    let (colour, samples) = match grey {
        true => (png::ColorType::Grayscale, luma(bitmap.bytes()).collect()),
        false => (png::ColorType::Rgb, rgb(bitmap.bytes())),
    };
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, bitmap.width(), bitmap.height());
    encoder.set_color(colour);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&samples)?;
    writer.finish()?;
    Ok(bytes)
}

const _: () = assert!(
    folio_pdf::limits::PIXELS_PER_SIDE <= u16::MAX as u32,
    "a bitmap's side must fit a JPEG"
);

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: u32 = 37;
    const HEIGHT: u32 = 21;

    /// A bitmap whose pixel at (x, y) is what `paint` says: blue, green, red.
    fn bitmap(paint: impl Fn(u32, u32) -> [u8; 3]) -> Bitmap {
        let pixels = (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y)));
        let bytes = pixels
            .flat_map(|(x, y)| {
                let [b, g, r] = paint(x, y);
                [b, g, r, 0xff]
            })
            .collect();
        Bitmap::from_pixels(WIDTH, HEIGHT, bytes)
    }

    fn grey() -> Bitmap {
        bitmap(|x, y| [u8::try_from(x * 5 + y).unwrap(); 3])
    }

    fn options(image: ImageFormat) -> Options {
        Options {
            image,
            ..Options::default()
        }
    }

    fn png_samples(bytes: &[u8]) -> (png::ColorType, Vec<u8>) {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
            .read_info()
            .unwrap();
        let mut samples = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut samples).unwrap();
        samples.truncate(info.buffer_size());
        (info.color_type, samples)
    }

    #[test]
    fn png_gives_every_pixel_back_in_colour_and_in_grey() {
        let coloured = bitmap(|x, y| [1, u8::try_from(x).unwrap(), u8::try_from(y).unwrap()]);
        let image = encode(&coloured, &options(ImageFormat::Png))
            .unwrap()
            .unwrap();
        let (colour, samples) = png_samples(&image.bytes);
        assert_eq!((image.grey, colour), (false, png::ColorType::Rgb));
        assert_eq!(samples, rgb(coloured.bytes()));

        let image = encode(&grey(), &options(ImageFormat::Png))
            .unwrap()
            .unwrap();
        let (colour, samples) = png_samples(&image.bytes);
        assert_eq!((image.grey, colour), (true, png::ColorType::Grayscale));
        assert_eq!(samples, luma(grey().bytes()).collect::<Vec<_>>());
    }

    #[test]
    fn one_coloured_pixel_anywhere_makes_the_page_coloured() {
        for at in [(0, 0), (WIDTH - 1, 0), (17, 11), (WIDTH - 1, HEIGHT - 1)] {
            for channel in 0..3 {
                let spotted = bitmap(|x, y| {
                    let mut pixel = [200; 3];
                    if (x, y) == at {
                        pixel[channel] ^= 1;
                    }
                    pixel
                });
                assert!(!is_grey(spotted.bytes()), "channel {channel} at {at:?}");
            }
        }
        assert!(is_grey(grey().bytes()), "the fourth byte is no colour");
    }

    #[test]
    fn colour_can_be_had_always() {
        let always = Options {
            colour: Colour::Always,
            ..Options::default()
        };
        let encoded = |options: Options| encode(&grey(), &options).unwrap().unwrap();
        assert!(encoded(Options::default()).grey);
        assert!(!encoded(always).grey);
        assert!(encoded(always).bytes.len() > encoded(Options::default()).bytes.len());
    }

    #[test]
    fn quality_changes_the_size_and_the_same_page_gives_the_same_bytes() {
        let noisy = bitmap(|x, y| [u8::try_from((x * 7919 + y * 104_729) % 251).unwrap(); 3]);
        let sized = |quality| {
            encode(
                &noisy,
                &Options {
                    quality,
                    ..Options::default()
                },
            )
            .unwrap()
            .unwrap()
            .bytes
        };
        assert!(sized(30).len() < sized(95).len());
        assert_eq!(sized(85), sized(85));
    }

    #[test]
    fn a_grey_jpeg_is_what_the_encoder_makes_of_the_same_samples() {
        let page = grey();
        let mut expected = Vec::new();
        let samples: Vec<u8> = luma(page.bytes()).collect();
        let side = |side: u32| u16::try_from(side).unwrap();
        jpeg_encoder::Encoder::new(&mut expected, 85)
            .encode(&samples, side(WIDTH), side(HEIGHT), ColorType::Luma)
            .unwrap();
        assert_eq!(
            encode(&page, &Options::default()).unwrap().unwrap().bytes,
            expected
        );
    }

    #[test]
    fn no_image_is_asked_for_and_none_is_made() {
        assert_eq!(encode(&grey(), &options(ImageFormat::None)).unwrap(), None);
    }
}
