//! The record of documents and pages: what is done, and what is missing.

use super::PortFuture;
use crate::pages::PageSet;
use crate::request::DocumentId;

/// Remembers documents and their pages.
///
/// The contract:
/// 1. Every write is an upsert to a key, so a redelivered document may repeat all of them.
/// 2. `begin` keeps what an earlier run completed, and the folder it chose.
/// 3. A page is completed by [`Catalog::complete_page`] only, which needs its layout to be there: `store_layout` alone
///    never makes a page count.
/// 4. `reopen` makes completed pages incomplete, and so does `store_layout`; they count again once completed again.
/// 5. Once a write has returned `Ok` it survives the death of this process.
/// 6. Text comes back as it was given, NUL excepted: the layout never holds one.
pub trait Catalog: Send + Sync + 'static {
    /// Makes or finds the document and marks it running.
    fn begin<'a>(
        &'a self,
        row: &'a DocumentRow,
    ) -> PortFuture<'a, Result<DocumentRecord, CatalogError>>;

    /// What the opened file turned out to be.
    fn opened<'a>(
        &'a self,
        id: &'a DocumentId,
        pages: u32,
        title: Option<&'a str>,
        engine: &'a str,
    ) -> PortFuture<'a, Result<(), CatalogError>>;

    /// A page's layout and text, on the way to being completed.
    fn store_layout<'a>(
        &'a self,
        id: &'a DocumentId,
        page: &'a PageRow,
    ) -> PortFuture<'a, Result<(), CatalogError>>;

    /// The commit point of a page: everything of it is stored.
    ///
    /// # Errors
    /// [`CatalogError::Guard`] when its layout is not there.
    fn complete_page<'a>(
        &'a self,
        id: &'a DocumentId,
        page: u32,
    ) -> PortFuture<'a, Result<(), CatalogError>>;

    /// Pages that are to be done again: those of them that are completed are no longer. One write for all, so that a run
    /// killed half-way leaves no mixture of old and new.
    fn reopen<'a>(
        &'a self,
        id: &'a DocumentId,
        pages: &'a PageSet,
    ) -> PortFuture<'a, Result<(), CatalogError>>;

    /// A page that cannot be had, and why. It is not completed, whatever it was.
    fn fail_page<'a>(
        &'a self,
        id: &'a DocumentId,
        page: u32,
        reason: &'a str,
    ) -> PortFuture<'a, Result<(), CatalogError>>;

    /// How the run ended for this document.
    fn finish<'a>(
        &'a self,
        id: &'a DocumentId,
        status: DocumentStatus,
        reason: Option<&'a str>,
    ) -> PortFuture<'a, Result<(), CatalogError>>;

    /// The pages known, in page order.
    fn pages<'a>(
        &'a self,
        id: &'a DocumentId,
    ) -> PortFuture<'a, Result<Vec<PageRecord>, CatalogError>>;

    /// Number and text of each completed page, in page order.
    fn texts<'a>(
        &'a self,
        id: &'a DocumentId,
    ) -> PortFuture<'a, Result<Vec<(u32, String)>, CatalogError>>;

    /// Every document, in the order they were first begun.
    fn documents(&self) -> PortFuture<'_, Result<Vec<DocumentRecord>, CatalogError>>;
}

/// A document as a run begins it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentRow {
    /// Its name for all time.
    pub id: DocumentId,
    /// What the user called it, this time.
    pub name: String,
    /// Folder of its output, relative to the store. The first run decides it.
    pub folder: String,
    /// Resolution, format, quality: for people; the id already holds them.
    pub options: String,
}

/// A document as the catalog knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentRecord {
    /// Its id.
    pub id: DocumentId,
    /// What the user called it, last time.
    pub name: String,
    /// Folder of its output, relative to the store.
    pub folder: String,
    /// Pages of the document; `None` until it was opened once.
    pub pages: Option<u32>,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// How the last run ended.
    pub status: DocumentStatus,
    /// Why, when it did not complete.
    pub reason: Option<String>,
    /// Pages completed.
    pub completed: PageSet,
    /// Pages that failed when last tried.
    pub failed: PageSet,
    /// Completed pages that show an image and have no text one can see.
    pub needs_ocr: PageSet,
}

/// Where a document stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentStatus {
    /// Somebody works on it, or died at it.
    Running,
    /// All its pages are completed.
    Completed,
    /// The pages asked for are completed; others were never asked for.
    Partial,
    /// It could not be opened, or some page failed.
    Failed,
    /// The run was ended before it was through.
    Interrupted,
}

impl DocumentStatus {
    /// Every status.
    pub const ALL: [Self; 5] = [
        Self::Running,
        Self::Completed,
        Self::Partial,
        Self::Failed,
        Self::Interrupted,
    ];

    /// Its name in records and output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }

    /// The status of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// A page as a storer records it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRow {
    /// Its number, from 1.
    pub page: u32,
    /// The layout as JSON, the same bytes as in the store.
    pub layout: String,
    /// The text in reading order.
    pub text: String,
    /// Words on it.
    pub words: u32,
    /// Shows an image and no text one can see.
    pub needs_ocr: bool,
    /// Length of the layout's file in the store.
    pub layout_bytes: u64,
    /// Length of the image's file in the store; 0 when there is none.
    pub image_bytes: u64,
}

/// A page as the catalog knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRecord {
    /// Its number, from 1.
    pub page: u32,
    /// How far it is.
    pub state: PageState,
    /// Why it failed, when it did.
    pub reason: Option<String>,
    /// Words on it.
    pub words: u32,
    /// Length of the layout's file in the store.
    pub layout_bytes: u64,
    /// Length of the image's file in the store; 0 when there is none.
    pub image_bytes: u64,
}

/// How far a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageState {
    /// Its layout is recorded; the image may or may not be stored.
    Stored,
    /// Everything of it is stored.
    Completed,
    /// It could not be had.
    Failed,
}

impl PageState {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Stored, Self::Completed, Self::Failed];

    /// Its name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }

    /// The state of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// Why the catalog did not do it.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// The write would break the record's own rules: a mistake in the caller, or two runs at once.
    #[error("page {page} cannot be completed: its layout is not recorded")]
    Guard {
        /// The page.
        page: u32,
    },
    /// The catalog cannot be used any more: stop.
    #[error("the catalog is unavailable: {reason}")]
    Unavailable {
        /// What it said, and what to do about it.
        reason: String,
    },
}
