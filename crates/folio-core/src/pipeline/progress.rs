//! What a run tells its listener.

use super::document::count;
use crate::job::Conclusion;
use crate::ports::DocumentStatus;
use crate::request::DocumentId;

/// One piece of news. A document is opened at most once, then its pages come in the order they are settled, then it is
/// finished, once.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Progress {
    /// The owner opened a document.
    Opened {
        /// Its id.
        document: DocumentId,
        /// What the user calls it.
        name: String,
        /// Folder of its output.
        folder: String,
        /// Pages it has.
        pages: u32,
        /// Pages to do in this run.
        wanted: u32,
        /// Its title, if it has one.
        title: Option<String>,
    },
    /// A page is completed.
    Stored {
        /// Its document.
        document: DocumentId,
        /// Its number.
        page: u32,
        /// Words on it.
        words: u32,
        /// Shows an image and no text one can see.
        needs_ocr: bool,
        /// Pages that the owner has drawn in this run, of all documents: how far it is ahead.
        drawn: u64,
    },
    /// A page failed.
    Failed {
        /// Its document.
        document: DocumentId,
        /// Its number.
        page: u32,
        /// Why.
        reason: String,
    },
    /// The run is over for a document.
    Finished {
        /// Its id; `None` when it could not even be read.
        document: Option<DocumentId>,
        /// What the user calls it.
        name: String,
        /// Folder of its output, once it is known.
        folder: Option<String>,
        /// Where it stands.
        status: DocumentStatus,
        /// Why, when it is not what was asked for.
        reason: Option<String>,
        /// Pages it has, when that is known.
        pages: Option<u32>,
        /// Pages completed in this run.
        stored: u32,
        /// Pages that an earlier run had completed.
        skipped: u32,
        /// Pages that failed in this run.
        failed: u32,
        /// Its pages, of all runs, that show an image and no text one can see.
        needs_ocr: u32,
    },
}

impl Progress {
    pub(super) fn finished(
        document: Option<DocumentId>,
        name: String,
        folder: Option<String>,
        end: &Conclusion,
        needs_ocr: u32,
    ) -> Self {
        Self::Finished {
            document,
            name,
            folder,
            status: end.status,
            reason: end.reason.clone(),
            pages: end.pages,
            stored: count(&end.stored),
            skipped: count(&end.skipped),
            failed: u32::try_from(end.failed.len()).unwrap_or(u32::MAX),
            needs_ocr,
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunReport {
    /// Documents begun.
    pub documents: u32,
    /// Documents of which every page asked for is completed.
    pub documents_completed: u32,
    /// Documents that failed, in whole or in part.
    pub documents_failed: u32,
    /// Pages completed in this run.
    pub pages_stored: u32,
    /// Pages that earlier runs had completed.
    pub pages_skipped: u32,
    /// Pages that failed in this run.
    pub pages_failed: u32,
    /// Pages that show an image and no text one can see.
    pub pages_needing_ocr: u32,
    /// The user ended it.
    pub interrupted: bool,
    /// Why the run could not go on, if it could not.
    pub aborted: Option<Abort>,
}

/// Why a run could not go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Abort {
    /// The engine cannot be used: nothing was begun.
    #[error("{0}")]
    Engine(String),
    /// The owner of the engine died in the middle.
    #[error("the renderer ended: {0}")]
    Renderer(String),
    /// Nothing can be stored or recorded any more.
    #[error("{0}")]
    Storage(String),
    /// No more requests can be had.
    #[error("{0}")]
    Source(String),
    /// A mistake of ours.
    #[error("{0}; please report it")]
    Internal(String),
}

impl RunReport {
    /// Everything asked for is there.
    pub fn is_complete(&self) -> bool {
        self.documents == self.documents_completed && !self.interrupted && self.aborted.is_none()
    }
}
