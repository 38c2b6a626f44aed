//! One JSON object per line, for programs.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use folio_core::pipeline::{Progress, RunReport};
use serde_json::{Value, json};

use crate::voice::print;

/// Writes to standard output, a page when it is done.
pub(crate) struct Json {
    out: PathBuf,
}

impl Json {
    /// `out` is the output folder, which folders are given below.
    pub(crate) fn new(out: PathBuf) -> Self {
        Self { out }
    }

    /// One line.
    pub(crate) fn tell(&self, news: &Progress) -> io::Result<()> {
        match self.line(news) {
            Some(value) => print(&value),
            None => Ok(()),
        }
    }

    fn line(&self, news: &Progress) -> Option<Value> {
        Some(match news {
            Progress::Opened {
                document,
                name,
                folder,
                pages,
                wanted,
                title,
            } => json!({
                "event": "document", "document": document.to_string(), "input": name, "folder": self.out.join(folder),
                "pages": pages, "wanted": wanted, "title": title,
            }),
            Progress::Stored {
                document,
                page,
                words,
                needs_ocr,
                drawn,
            } => json!({
                "event": "page", "document": document.to_string(), "page": page, "outcome": "completed",
                "words": words, "needs_ocr": needs_ocr, "drawn": drawn,
            }),
            Progress::Failed {
                document,
                page,
                reason,
            } => json!({
                "event": "page", "document": document.to_string(), "page": page, "outcome": "failed", "reason": reason,
            }),
            Progress::Finished {
                document,
                name,
                folder,
                status,
                reason,
                pages,
                stored,
                skipped,
                failed,
                needs_ocr,
            } => json!({
                "event": "finished", "document": document.map(|id| id.to_string()), "input": name,
                "outcome": status.name(), "reason": reason, "pages": pages, "completed": stored, "skipped": skipped,
                "failed": failed, "needs_ocr": needs_ocr, "folder": folder.as_ref().map(|folder| self.out.join(folder)),
            }),
            _ => return None,
        })
    }
}

/// The last line of a run.
pub(crate) fn summary(
    report: &RunReport,
    not_started: u32,
    problems: &[String],
    out: &std::path::Path,
    took: Duration,
) -> io::Result<()> {
    print(json!({
        "event": "summary", "documents": report.documents, "completed": report.documents_completed,
        "failed": report.documents_failed, "not_started": not_started, "pages": report.pages_stored, "skipped": report.pages_skipped,
        "pages_failed": report.pages_failed, "needs_ocr": report.pages_needing_ocr, "interrupted": report.interrupted,
        "aborted": report.aborted.as_ref().map(ToString::to_string), "problems": problems, "seconds": took.as_secs_f64(), "out": out,
    }))
}
