//! From a bitmap to an image file's bytes. Pure: same pixels and options, same bytes.

use folio_pdf::Bitmap;
use jpeg_encoder::{ColorType, SamplingFactor};

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
    const STRIDE_PIXELS: usize = 1024;
    let colour = |pixel: &[u8]| (pixel[0] ^ pixel[1]) | (pixel[1] ^ pixel[2]);
    let coloured = |run: &[u8]| {
        run.chunks_exact(4)
            .fold(0, |seen, pixel| seen | colour(pixel))
            != 0
    };
    !pixels.chunks(STRIDE_PIXELS * 4).any(coloured)
}

fn luma(pixels: &[u8]) -> Vec<u8> {
    pixels.chunks_exact(4).map(|pixel| pixel[0]).collect()
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
    let mut bytes = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut bytes, quality);
    if grey {
        encoder.encode(&luma(bitmap.bytes()), width, height, ColorType::Luma)?;
    } else {
        encoder.set_sampling_factor(SamplingFactor::R_4_2_0);
        encoder.encode(bitmap.bytes(), width, height, ColorType::Bgra)?;
    }
    Ok(bytes)
}

fn png(bitmap: &Bitmap, grey: bool) -> Result<Vec<u8>, png::EncodingError> {
    let (colour, samples) = match grey {
        true => (png::ColorType::Grayscale, luma(bitmap.bytes())),
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
