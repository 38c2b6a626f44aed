//! PDFium, loaded at run time: open a document, render its pages, read its characters.
mod bitmap;
mod chars;
mod counters;
mod diagnosis;
mod document;
mod error;
mod ffi;
mod geometry;
pub mod library;
pub mod limits;
mod page;
mod text;

pub use bitmap::Bitmap;
pub use counters::{Counters, counters};
pub use diagnosis::FileLook;
pub use document::{Document, DocumentInfo, FormKind, Pdfium};
pub use error::{LoadError, OpenError, PageError};
pub use page::Page;
pub use text::{Char, CharFlags, PageText, Point, Rect};
