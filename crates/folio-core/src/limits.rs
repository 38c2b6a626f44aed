//! Every bound of the pipeline, its number and its reason.

use std::time::Duration;

/// Bytes one page's bitmap is planned with when the budget is computed: A4 at 150 DPI is 1241 x 1754 x 4 = 8.7 MB.
pub const PLANNED_PAGE_BYTES: usize = 9_000_000;

/// Documents that may be between admission and their last page at one time. One is rendered; the others are being
/// hashed, read from the catalog, have their last pages stored, or wait for another run of the same document, so that the
/// owner never waits between small files, and no more files than this are open.
pub const DOCUMENTS_IN_FLIGHT: usize = 4;

/// How long one page may render before it is given up as a failed page. The slowest honest page seen took 20 s.
pub const PAGE_DEADLINE: Duration = Duration::from_secs(60);

/// Places in a document's mailbox for a run with `storers` storers: one is kept for each page in flight (at most two a
/// storer, and the one that is drawn), one for the owner's next report, two for what the intake may have to say, and some
/// so that nobody waits for a catalog that is busy for a moment.
pub const fn document_mailbox(storers: usize) -> usize {
    (2 * storers + 1) + 1 + 2 + 32
}

/// Places in the intake's mailbox. Each document in flight sends it a handful, each page in flight at most one.
pub const INTAKE_MAILBOX: usize = 1_024;

/// Extraction jobs that may wait at the renderer: one per document in flight.
pub const RENDERER_MAILBOX: usize = DOCUMENTS_IN_FLIGHT;

/// Lowest and highest resolution that can be asked for. Below 18 a page of text is noise; above 1,200 there is nothing to
/// see. The engine's caps come first for large pages: A4 passes 50 Mpx at 719.
pub const DPI_RANGE: std::ops::RangeInclusive<u32> = 18..=1200;

/// JPEG quality range of the encoder.
pub const QUALITY_RANGE: std::ops::RangeInclusive<u8> = 1..=100;

/// Bytes of bitmaps that may be in flight with `storers` storers: each may hold one page and have one waiting, and the
/// owner draws one.
pub const fn default_budget(storers: usize) -> usize {
    (2 * storers + 1) * PLANNED_PAGE_BYTES
}

const _: () = assert!(
    RENDERER_MAILBOX >= DOCUMENTS_IN_FLIGHT,
    "a document in flight must never wait for a place at the renderer"
);
