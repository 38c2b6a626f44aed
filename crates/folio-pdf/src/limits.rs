//! Every bound of the crate, its number and its reason.

/// Pixels of one rendered page. An A0 sheet at 150 DPI has 34 million; at four bytes a pixel this is 200 MB, the most that
/// one page may ask for. Checked before anything is allocated.
pub const PIXELS_PER_PAGE: u64 = 50_000_000;

/// Pixels of one side of a rendered page: a page a few pixels wide and millions high passes the area check, costs PDFium
/// seconds per page, and no image format or viewer takes it (a JPEG side ends at 65,535).
pub const PIXELS_PER_SIDE: u32 = 20_000;

/// Characters of one page. A densely printed A0 sheet has 200,000; a page beyond this is made to exhaust memory, since each
/// character costs about 70 bytes here and more in PDFium.
pub const CHARS_PER_PAGE: u32 = 1_000_000;

/// Bytes looked at from each end of a file that did not open, to say what it is. Readers accept the header within the first
/// 1,024 bytes and look for the closing marker within about as many at the end.
pub(crate) const DIAGNOSIS_BYTES: usize = 2_048;

/// Bytes looked at from each end of an encrypted file for the name of its security handler: the encryption dictionary is
/// small and is usually written near the end, or near the start in a linearised file.
pub(crate) const HANDLER_SEARCH_BYTES: usize = 262_144;

/// UTF-16 units kept of one entry of the information dictionary. A title is a line, not a book.
pub(crate) const INFORMATION_UNITS: usize = 4_096;

/// Form objects inside form objects that are looked into for an image. PDFium itself stops drawing not far beyond.
pub(crate) const FORM_DEPTH: u32 = 8;

/// Page objects looked at for an image. A drawing of a million lines need not be searched to its end.
pub(crate) const OBJECTS_SEARCHED: u32 = 100_000;

/// Fonts told apart on one page: what the index of a character can say. Further ones share the last index.
pub(crate) const FONTS_PER_PAGE: usize = u16::MAX as usize;

const _: () = assert!(
    PIXELS_PER_SIDE as u64 * 4 < i32::MAX as u64,
    "a row of four-byte pixels fits PDFium's int"
);
const _: () = assert!(
    PIXELS_PER_PAGE * 4 < i32::MAX as u64,
    "a bitmap's size in bytes fits PDFium's int"
);
