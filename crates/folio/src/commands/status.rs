//! `folio status`: what an output folder holds, read from its catalog, also beside a run.

use std::path::Path;

use folio_core::ports::{
    Catalog, CatalogError, DocumentRecord, DocumentStatus, PageRecord, PageState,
};
use serde_json::json;

use crate::adapters::sqlite::SqliteCatalog;
use crate::cli;
use crate::exit::{CannotStart, Ending};
use crate::output_folder;
use crate::report::plural;
use crate::voice::print;

pub(crate) fn run(arguments: &cli::Status) -> Result<Ending, CannotStart> {
    let file = output_folder::catalog(&arguments.out);
    if !file.is_file() {
        return Err(CannotStart(format!(
            "{} has no folio.db: nothing was extracted there yet; name the output folder with --out",
            arguments.out.display()
        )));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(CannotStart::because)?;
    let documents = runtime
        .block_on(read(&file))
        .map_err(CannotStart::because)?;
    for (document, failures) in &documents {
        if arguments.json {
            print(as_json(document, failures)).map_err(CannotStart::because)?;
            continue;
        }
        print(line(document)).map_err(CannotStart::because)?;
        for page in failures {
            let reason = page.reason.as_deref().unwrap_or("for no known reason");
            print(format!("    page {} failed: {reason}", page.page))
                .map_err(CannotStart::because)?;
        }
    }
    let all_there = |(document, failures): &(DocumentRecord, Vec<PageRecord>)| {
        matches!(
            document.status,
            DocumentStatus::Completed | DocumentStatus::Partial
        ) && failures.is_empty()
    };
    Ok(if documents.iter().all(all_there) {
        Ending::Complete
    } else {
        Ending::SomeFailed
    })
}

/// Every document with its failed pages.
async fn read(file: &Path) -> Result<Vec<(DocumentRecord, Vec<PageRecord>)>, CatalogError> {
    let catalog = SqliteCatalog::open_read_only(file).await?;
    let mut documents = Vec::new();
    for document in catalog.documents().await? {
        let mut pages = catalog.pages(&document.id).await?;
        pages.retain(|page| page.state == PageState::Failed);
        documents.push((document, pages));
    }
    Ok(documents)
}

fn line(document: &DocumentRecord) -> String {
    let pages = document.pages.map_or_else(
        || "not opened yet".to_owned(),
        |pages| {
            format!(
                "{} of {} completed",
                document.completed.len(),
                plural(pages, "page")
            )
        },
    );
    let failed = if document.failed.is_empty() {
        String::new()
    } else {
        format!(", {} failed", document.failed.len())
    };
    let ocr = if document.needs_ocr.is_empty() {
        String::new()
    } else {
        format!(", {} need OCR", document.needs_ocr.len())
    };
    let status = match document.status {
        // A run that is alive holds the folder; who asks can see it running.
        DocumentStatus::Running => "running, or ended without a word: run the same command again",
        status => status.name(),
    };
    let why = document
        .reason
        .as_ref()
        .map(|reason| format!(": {reason}"))
        .unwrap_or_default();
    format!(
        "{}  {}  {pages}{failed}{ocr}  {status}{why}",
        document.folder, document.name
    )
}

fn as_json(document: &DocumentRecord, failures: &[PageRecord]) -> serde_json::Value {
    let failures: Vec<_> = failures
        .iter()
        .map(|page| json!({"page": page.page, "reason": page.reason}))
        .collect();
    json!({
        "document": document.id.to_string(), "input": document.name, "folder": document.folder, "title": document.title,
        "status": document.status.name(), "reason": document.reason, "pages": document.pages,
        "completed": document.completed.len(), "failed": failures, "needs_ocr": document.needs_ocr,
    })
}
