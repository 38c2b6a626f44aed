//! A request: which document, from where, and how it is wanted.

use std::fmt;
use std::io::{self, Read};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::pages::PageSelection;

/// One document to extract, as every door hands it in.
#[derive(Clone, Debug)]
pub struct Request {
    /// What a person calls the document: the path as given, or `-`. For messages only.
    pub name: String,
    /// The file stem; the output folder begins with it.
    pub stem: String,
    /// Where its bytes are.
    pub path: PathBuf,
    /// How the pages are wanted. Part of the document's identity.
    pub options: Options,
    /// Opens an encrypted document. Never stored, never printed, not part of the identity.
    pub password: Option<Password>,
    /// Which pages. Not part of the identity, so that more pages can be added to the same folder later.
    pub pages: PageSelection,
    /// Do completed pages again.
    pub force: bool,
}

/// How pages are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Pixels per inch of the page images, within [`crate::limits::DPI_RANGE`].
    pub dpi: u32,
    /// Encoding of the page images.
    pub image: ImageFormat,
    /// JPEG quality, within [`crate::limits::QUALITY_RANGE`]; other formats ignore it, and so does their identity.
    pub quality: u8,
    /// Whether pages without colour are encoded as grey.
    pub colour: Colour,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            dpi: 150,
            image: ImageFormat::Jpeg,
            quality: 85,
            colour: Colour::Auto,
        }
    }
}

/// Encoding of the page images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageFormat {
    /// Lossy, small, quick.
    Jpeg,
    /// Lossless.
    Png,
    /// No image at all: only the text layout.
    None,
}

impl ImageFormat {
    /// Name of the format on the command line and in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jpeg => "jpeg",
            Self::Png => "png",
            Self::None => "none",
        }
    }

    /// Extension of the page image's file; `None` when there is none.
    pub const fn extension(self) -> Option<&'static str> {
        match self {
            Self::Jpeg => Some("jpg"),
            Self::Png => Some("png"),
            Self::None => None,
        }
    }
}

impl FromStr for ImageFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = [Self::Jpeg, Self::Png, Self::None];
        known
            .into_iter()
            .find(|format| format.name() == name || format.extension() == Some(name))
            .ok_or_else(|| format!("'{name}' is not an image format: use jpeg, png or none"))
    }
}

/// Colour of the page images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// A page without a coloured pixel is encoded as grey: smaller and quicker, same picture.
    Auto,
    /// Every page is encoded in colour.
    Always,
}

impl Colour {
    const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
        }
    }
}

/// Names a document: SHA-256 of its content and of the options that change its output.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentId([u8; 32]);

impl DocumentId {
    /// Reads `content` to its end and names it. Pages, password and engine build do not enter.
    pub fn of(content: &mut impl Read, options: &Options) -> io::Result<Self> {
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match content.read(&mut buffer)? {
                0 => break,
                read => hash.update(&buffer[..read]),
            }
        }
        hash.update(identity(options));
        Ok(Self(hash.finalize().into()))
    }

    /// First 12 hexadecimal digits: enough for a folder name.
    pub fn short(&self) -> String {
        let mut hex = self.to_string();
        hex.truncate(12);
        hex
    }
}

/// The options as bytes for the hash: only those that change a byte of the output.
fn identity(options: &Options) -> String {
    match options.image {
        ImageFormat::Jpeg => {
            format!(
                "\0dpi={};image=jpeg;quality={};colour={}",
                options.dpi,
                options.quality,
                options.colour.name()
            )
        }
        ImageFormat::Png => format!(
            "\0dpi={};image=png;colour={}",
            options.dpi,
            options.colour.name()
        ),
        ImageFormat::None => "\0image=none".to_owned(),
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DocumentId({})", self.short())
    }
}

impl FromStr for DocumentId {
    type Err = String;

    fn from_str(hex: &str) -> Result<Self, String> {
        let bad = || format!("'{hex}' is not a document id: 64 hexadecimal digits");
        if hex.len() != 64 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(bad());
        }
        let mut id = [0; 32];
        for (byte, digits) in id.iter_mut().zip(hex.as_bytes().chunks(2)) {
            let digits = std::str::from_utf8(digits).map_err(|_| bad())?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| bad())?;
        }
        Ok(Self(id))
    }
}

/// A password that does not print itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(Arc<str>);

impl Password {
    /// Keeps `text`.
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// The text, for the engine only.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(content: &str, options: Options) -> DocumentId {
        DocumentId::of(&mut content.as_bytes(), &options).unwrap()
    }

    #[test]
    fn content_and_options_that_change_the_output_name_the_document() {
        let base = Options::default();
        let same = id("a", base);
        assert_eq!(same, id("a", base));
        for other in [
            id("b", base),
            id("a", Options { dpi: 151, ..base }),
            id(
                "a",
                Options {
                    quality: 86,
                    ..base
                },
            ),
            id(
                "a",
                Options {
                    image: ImageFormat::Png,
                    ..base
                },
            ),
            id(
                "a",
                Options {
                    image: ImageFormat::None,
                    ..base
                },
            ),
            id(
                "a",
                Options {
                    colour: Colour::Always,
                    ..base
                },
            ),
        ] {
            assert_ne!(same, other);
        }
    }

    #[test]
    fn an_option_that_the_format_ignores_does_not_name_it() {
        let png = Options {
            image: ImageFormat::Png,
            ..Options::default()
        };
        assert_eq!(id("a", png), id("a", Options { quality: 1, ..png }));
        let none = Options {
            image: ImageFormat::None,
            ..Options::default()
        };
        assert_eq!(id("a", none), id("a", Options { dpi: 300, ..none }));
    }

    #[test]
    fn an_id_survives_its_text() {
        let id = id("a", Options::default());
        assert_eq!(id.to_string().parse::<DocumentId>().unwrap(), id);
        assert_eq!(id.short().len(), 12);
        assert!("xyz".parse::<DocumentId>().is_err());
        assert!("é".repeat(32).parse::<DocumentId>().is_err());
    }

    #[test]
    fn a_password_does_not_print_itself() {
        assert!(!format!("{:?}", Password::new("secret")).contains("secret"));
    }
}
