//! PDFium, loaded at run time: open a document, render its pages, read its characters.
mod text;
pub use text::{Char, CharFlags, PageText, Point, Rect};
