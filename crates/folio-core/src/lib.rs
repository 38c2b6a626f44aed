//! The life of a page: from a request to an image and a layout in a store, and a row in a catalog that says so.
//!
//! This crate knows documents, pages and how they come to be complete. It knows no SQL, no file on a disk, no command line:
//! those are behind [`ports`]. Its parts, from the pure to the busy:
//!
//! # Which pages
//!
//! ```
//! use folio_core::pages::PageSelection;
//!
//! let wanted: PageSelection = "1-3,7".parse()?;
//! assert_eq!(wanted.of(8).collect::<Vec<_>>(), [1, 2, 3, 7]);
//! assert!("3-1".parse::<PageSelection>().unwrap_err().to_string().contains("1-3,7"));
//! # Ok::<(), folio_core::pages::BadPages>(())
//! ```
//!
//! # Which document
//!
//! A document is named by its content and by the options that change its output, so that a second request for the same
//! thing finds what the first has done.
//!
//! ```
//! use folio_core::request::{DocumentId, Options};
//!
//! let id = |dpi| DocumentId::of(&mut "the bytes of a PDF".as_bytes(), &Options { dpi, ..Options::default() });
//! assert_eq!(id(150)?, id(150)?);
//! assert_ne!(id(150)?, id(300)?);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # What to do next
//!
//! [`job`] is one document's run as a state machine: events in, actions out. A redelivered document renders only what is
//! missing:
//!
//! ```
//! use folio_core::job::{Action, Event, Job};
//! use folio_core::pages::PageSelection;
//! use folio_core::ports::DocumentStatus;
//!
//! let (mut job, first) = Job::begin(PageSelection::all(), Some(3), [1, 3].into());
//! assert_eq!(first, Action::Render { skip: [1, 3].into() });
//! job.on(Event::Opened { pages: 3 });
//! job.on(Event::HandedOver { page: 2 });
//! job.on(Event::RenderingEnded);
//! let last = job.on(Event::Stored { page: 2 });
//! assert!(matches!(&last[..], [Action::Conclude(end)] if end.status == DocumentStatus::Completed));
//! ```
//!
//! # From characters to text
//!
//! [`layout::build`] is pure: the engine's characters with their boxes in, blocks of lines of words out, in reading order.
//! [`model`] is what it makes, and its JSON. [`encode`] makes image files of bitmaps.
//!
//! # The line
//!
//! [`pipeline::start`] runs it all as actors; its module page shows who sends what to whom. Give it ports: those of
//! [`ports::memory`] keep nothing, the binary brings a folder and SQLite. Every implementation must pass the suites of
//! [`ports::contract`]:
//!
//! ```
//! use folio_core::ports::{contract, memory::MemoryCatalog};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! contract::catalog(&MemoryCatalog::default()).await; // panics on a breach
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod encode;
pub mod job;
pub mod layout;
pub mod limits;
pub mod model;
pub mod pages;
pub mod pipeline;
pub mod ports;
pub mod request;
#[cfg(test)]
mod testing;
