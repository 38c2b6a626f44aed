//! What can go wrong, one variant per decision that a caller can make.

use std::io;
use std::path::PathBuf;

use crate::diagnosis::FileLook;
use crate::limits::{CHARS_PER_PAGE, PIXELS_PER_PAGE, PIXELS_PER_SIDE};

/// Why the library could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// PDFium has one owner per process, and there is one already.
    #[error(
        "PDFium is already loaded in this process: it keeps global state and can have one owner only"
    )]
    AlreadyOwned,
    /// The system's loader refused the file.
    #[error("cannot load PDFium from {}: {reason}", path.display())]
    Library {
        /// The file.
        path: PathBuf,
        /// What the system's loader said.
        reason: String,
    },
    /// The file is a library, but not PDFium, or one that is too old.
    #[error("{} is not a PDFium that can be used: it has no function {symbol}", path.display())]
    NotPdfium {
        /// The file.
        path: PathBuf,
        /// The first function that is missing.
        symbol: &'static str,
    },
}

/// Why a document could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The bytes are not a PDF that can be read.
    #[error("not a readable PDF: {look} (PDFium error {code})")]
    NotAPdf {
        /// What the bytes look like.
        look: FileLook,
        /// PDFium's error code.
        code: u32,
    },
    /// The document is encrypted, and no password was given.
    #[error("the document is encrypted: a password is needed to open it")]
    PasswordNeeded,
    /// The document is encrypted, and the given password is neither its user nor its owner password.
    #[error("the document is encrypted, and the given password does not open it")]
    PasswordWrong,
    /// The document is encrypted in a way that PDFium cannot decrypt, whatever the password.
    #[error(
        "the document is encrypted by {}, which PDFium does not support; save it without encryption in the program that \
         made it (PDFium error {code})",
        handler.as_deref().map_or("an unknown security handler".to_owned(), |name| format!("the security handler {name}"))
    )]
    UnsupportedSecurity {
        /// The name of the security handler, if it could be found in the file.
        handler: Option<String>,
        /// PDFium's error code.
        code: u32,
    },
    /// The document opens and has no page.
    #[error("the document has no pages: its page tree is empty or damaged")]
    NoPages,
    /// The file could not be read.
    #[error("the file cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The file is longer than PDFium can take on this platform.
    #[error(
        "the file is too long: PDFium takes at most {} bytes on this platform",
        std::ffi::c_ulong::MAX
    )]
    TooLong,
    /// PDFium gave a reason that this crate does not know.
    #[error("PDFium cannot open the document (error {code})")]
    Engine {
        /// PDFium's error code.
        code: u32,
    },
}

/// Why a page could not be loaded, rendered or read. The document goes on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// There is no such page.
    #[error("there is no page {}: the document has {count}", u64::from(*index0) + 1)]
    NoSuchPage {
        /// The page asked for, counted from 0.
        index0: u32,
        /// How many there are.
        count: u32,
    },
    /// The page is damaged.
    #[error("the page cannot be loaded: its entry in the file is missing or damaged{}", engine_code(*code))]
    Load {
        /// PDFium's error code; 0 when it gives none.
        code: u32,
    },
    /// The file could not be read while the page was loaded, rendered or read.
    #[error("the page cannot be done, because the file cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The picture would be larger than the caps allow. Nothing was allocated.
    #[error(
        "the page is too large: {width_points} x {height_points} pt at {dpi} DPI make {width_pixels} x {height_pixels} pixels, \
         over the cap of {PIXELS_PER_PAGE} pixels or {PIXELS_PER_SIDE} a side"
    )]
    TooLarge {
        /// Width as displayed, in points.
        width_points: f32,
        /// Height as displayed, in points.
        height_points: f32,
        /// The resolution asked for.
        dpi: u32,
        /// Width of the picture in pixels.
        width_pixels: u64,
        /// Height of the picture in pixels.
        height_pixels: u64,
    },
    /// The page has no area, so there is nothing to draw.
    #[error("the page has no area: {width_points} x {height_points} pt")]
    Empty {
        /// Width as displayed, in points.
        width_points: f32,
        /// Height as displayed, in points.
        height_points: f32,
    },
    /// The caller's question "give up?" was answered with yes.
    #[error("the rendering was given up at its deadline")]
    Deadline,
    /// The picture could not be allocated.
    #[error("there is no memory for the page's picture of {bytes} bytes")]
    OutOfMemory {
        /// Bytes asked for.
        bytes: u64,
    },
    /// PDFium gave up the rendering.
    #[error("PDFium could not render the page")]
    Render,
    /// The page has more characters than the cap allows.
    #[error("the page has too much text: {chars} characters, over the cap of {CHARS_PER_PAGE}")]
    TooMuchText {
        /// Characters on the page.
        chars: u32,
    },
    /// PDFium could not read the text.
    #[error("PDFium could not read the text of the page")]
    Text,
}

fn engine_code(code: u32) -> String {
    if code == 0 {
        String::new()
    } else {
        format!(" (PDFium error {code})")
    }
}
