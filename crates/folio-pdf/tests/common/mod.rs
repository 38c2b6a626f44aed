//! What the tests share: PDFium itself, small files made on the spot, and looking at pixels.
#![allow(dead_code, unreachable_pub)] // Each test file uses its own part.

pub mod pdf;

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use folio_pdf::library::{Environment, Fetcher, Locator, Network, obtain};
use folio_pdf::{Bitmap, Document, OpenError, Page, PageText, Pdfium, Rect};

/// The resolution at which tests look at pixels.
pub const DPI: u32 = 150;

/// PDFium has one owner per process, and tests of one file run in one process.
static OWNER: Mutex<()> = Mutex::new(());

/// Runs `test` as the owner of PDFium.
pub fn with_pdfium(test: impl FnOnce(&Pdfium)) {
    let (_turn, library) = take_turn();
    test(&Pdfium::load(&library).expect("PDFium loads"));
}

/// The right to own PDFium in this process, and its library: the one named by `FOLIO_PDFIUM`, or installed, or fetched now.
pub fn take_turn() -> (MutexGuard<'static, ()>, PathBuf) {
    let turn = OWNER.lock().unwrap_or_else(PoisonError::into_inner);
    let explicit = std::env::var_os("FOLIO_PDFIUM").map(Into::into);
    let locator = Locator::new(Environment::of_this_process(), explicit);
    let found = obtain(
        &locator,
        &Fetcher::default(),
        Network::Allowed,
        &mut |line| eprintln!("{line}"),
    );
    let found = found.unwrap_or_else(|error| panic!("these tests need PDFium\n{error}"));
    (turn, found.path)
}

/// A file with these bytes that is already gone from its folder.
pub fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().expect("a temporary file");
    file.write_all(bytes).expect("the bytes are written");
    file
}

pub fn try_open(
    pdfium: &Pdfium,
    bytes: &[u8],
    password: Option<&str>,
) -> Result<Document, OpenError> {
    pdfium.open(file(bytes), password)
}

pub fn open(pdfium: &Pdfium, bytes: &[u8]) -> Document {
    try_open(pdfium, bytes, None).expect("the document opens")
}

pub fn render(page: &mut Page<'_>) -> Bitmap {
    let mut bitmap = Bitmap::new();
    page.render(DPI, &mut bitmap, &mut || false)
        .expect("the page renders");
    bitmap
}

/// The text of the first page.
pub fn text_of(pdfium: &Pdfium, bytes: &[u8]) -> PageText {
    open(pdfium, bytes)
        .page(0)
        .expect("the page loads")
        .text()
        .expect("the text is read")
}

/// The characters that the page draws, without those the engine put between.
pub fn drawn(text: &PageText) -> String {
    text.chars
        .iter()
        .filter(|char| !char.flags.generated)
        .map(|char| char.code)
        .collect()
}

/// Blue, green and red of a pixel.
pub fn pixel(bitmap: &Bitmap, x: u32, y: u32) -> [u8; 3] {
    let at = y as usize * bitmap.stride() + x as usize * Bitmap::BYTES_PER_PIXEL;
    bitmap.bytes()[at..at + 3].try_into().expect("three bytes")
}

/// How many pixels `like` holds for.
pub fn count(bitmap: &Bitmap, like: impl Fn([u8; 3]) -> bool) -> usize {
    let pixels = bitmap.bytes().chunks_exact(Bitmap::BYTES_PER_PIXEL);
    pixels
        .filter(|pixel| like([pixel[0], pixel[1], pixel[2]]))
        .count()
}

pub fn is_dark(pixel: [u8; 3]) -> bool {
    pixel.iter().all(|&part| part < 128)
}

/// The extent of dark pixels within `around`, in pixels: left, top, right, bottom edges. `None` if there are none.
pub fn dark_extent(bitmap: &Bitmap, around: Rect) -> Option<Rect> {
    let columns =
        (around.left.floor().max(0.0) as u32)..(around.right.ceil() as u32).min(bitmap.width());
    let rows =
        (around.top.floor().max(0.0) as u32)..(around.bottom.ceil() as u32).min(bitmap.height());
    let mut extent: Option<Rect> = None;
    for y in rows {
        for x in columns.clone().filter(|&x| is_dark(pixel(bitmap, x, y))) {
            let (x, y) = (x as f32, y as f32);
            let seen = extent.unwrap_or(Rect {
                left: x,
                top: y,
                right: x,
                bottom: y,
            });
            extent = Some(Rect {
                left: seen.left.min(x),
                top: seen.top.min(y),
                right: seen.right.max(x + 1.0),
                bottom: seen.bottom.max(y + 1.0),
            });
        }
    }
    extent
}
