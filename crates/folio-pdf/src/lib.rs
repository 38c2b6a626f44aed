//! PDFium, loaded at run time: open a document, render its pages, read its characters.
//!
//! This crate is the only one that knows PDFium, and the only one of Folio with unsafe code, in the files under `ffi`,
//! which open with their rules. It knows nothing of actors, pipelines, layouts or image formats.
//!
//! # From a file to pixels and characters
//!
//! ```no_run
//! use folio_pdf::library::{Environment, Fetcher, Locator, Network, obtain};
//! use folio_pdf::{Bitmap, Pdfium};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Find the library on this machine, or fetch it once.
//! let locator = Locator::new(Environment::of_this_process(), None);
//! let found = obtain(&locator, &Fetcher::default(), Network::Allowed, &mut |line| eprintln!("{line}"))?;
//!
//! // One owner per process; it, its documents and their pages stay on this thread.
//! let pdfium = Pdfium::load(&found.path)?;
//! let document = pdfium.open(std::fs::File::open("report.pdf")?, None)?;
//!
//! let mut bitmap = Bitmap::new(); // used again for every page
//! for index in 0..document.page_count() {
//!     let mut page = document.page(index)?;
//!     let text = page.text()?;
//!     page.render(150, &mut bitmap, &mut || false)?;
//!     println!("page {}: {} characters, {} x {} pixels", index + 1, text.chars.len(), bitmap.width(), bitmap.height());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Threads
//!
//! PDFium keeps process-wide state without locks. The owner is not [`Send`], nor is anything borrowed from it, so a second
//! thread is a compile error, and a second owner is [`LoadError::AlreadyOwned`]. A [`Bitmap`] and a [`PageText`] are plain
//! data and go wherever they are needed.
//!
//! ```compile_fail,E0277
//! fn is_send<T: Send>() {}
//! is_send::<folio_pdf::Pdfium>();
//! ```
//! ```compile_fail,E0277
//! fn is_send<T: Send>() {}
//! is_send::<folio_pdf::Document>();
//! ```
//! ```compile_fail,E0277
//! fn is_send<T: Send>() {}
//! is_send::<folio_pdf::Page<'static>>();
//! ```
//! ```
//! fn is_send<T: Send>() {}
//! is_send::<folio_pdf::Bitmap>();
//! is_send::<folio_pdf::PageText>();
//! is_send::<folio_pdf::OpenError>();
//! is_send::<folio_pdf::PageError>();
//! ```
//!
//! A page borrows its document, so it cannot outlive it:
//!
//! ```compile_fail,E0505
//! fn keep(document: folio_pdf::Document) {
//!     let page = document.page(0);
//!     drop(document);
//!     drop(page);
//! }
//! ```
//!
//! # What it does not protect from
//!
//! A crafted file can make PDFium abort the process, use up its memory, or never return: parsing a page and reading its text
//! cannot be interrupted. Whoever takes files from strangers runs this crate in a process that may die.

mod bitmap;
mod chars;
mod counters;
mod diagnosis;
mod document;
mod error;
mod ffi;
mod geometry;
pub mod library;
mod ligature;
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
