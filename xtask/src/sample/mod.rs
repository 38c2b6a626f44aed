//! The sample document: twelve pages, one quire, each with something that readers of PDFs get wrong.
//!
//! `cargo xtask sample` writes it to `samples/first-folio.pdf`. The same bytes come out on every machine, and a test
//! holds the committed file to that.

mod form;
mod pages;
mod pictures;
mod prose;

use std::path::PathBuf;
use std::process::ExitCode;

use crate::pdf::Press;

/// The sample must stay small enough to live in the repository for good.
pub const SIZE_MAX: usize = 300_000;

/// How many pages the sample has: a quire of three sheets.
pub const PAGES: usize = 12;

/// The sample's bytes.
#[must_use]
pub fn document() -> Vec<u8> {
    let mut press = Press::default();
    press.add_picture("julia", &pictures::julia());
    let scan = pictures::scan(&press.case);
    press.add_picture("scan", &scan);

    let pages: [fn(&mut Press) -> crate::pdf::Sheet; PAGES] = [
        pages::title,
        pages::two_columns,
        pages::table,
        pages::picture,
        pages::turned,
        pages::trimmed,
        form::page,
        pages::alphabets,
        pages::small_print,
        pages::scanned,
        pages::lists,
        pages::colours,
    ];
    for page in pages {
        let sheet = page(&mut press);
        press.add_sheet(sheet);
    }
    press.finish("How a Folio Was Made", "The Folio project")
}

/// Where the sample is kept: `samples/first-folio.pdf` of this workspace.
#[must_use]
pub fn path() -> PathBuf {
    crate::root().join("samples/first-folio.pdf")
}

/// `cargo xtask sample`.
///
/// # Errors
/// When arguments are given, or the file cannot be written.
pub fn run(arguments: &[String]) -> Result<ExitCode, String> {
    if let Some(extra) = arguments.first() {
        return Err(format!("takes no arguments, but was given {extra:?}"));
    }
    let bytes = document();
    std::fs::write(path(), &bytes)
        .map_err(|error| format!("cannot write {}: {error}", path().display()))?;
    println!(
        "samples/first-folio.pdf: {PAGES} pages, {} bytes",
        bytes.len()
    );
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_sample_is_what_the_generator_makes() {
        let committed = std::fs::read(path()).expect("samples/first-folio.pdf is committed");
        assert!(
            committed == document(),
            "the sample differs from its generator: run `cargo xtask sample` and commit it"
        );
    }

    #[test]
    fn the_sample_is_small() {
        let size = document().len();
        assert!(size < SIZE_MAX, "{size} bytes");
    }

    #[test]
    fn the_sample_has_twelve_pages() {
        let bytes = document();
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(text.matches("/Type /Page\n").count(), PAGES);
        assert!(text.contains("/Count 12\n"));
    }

    #[test]
    fn the_sample_holds_no_date() {
        assert!(!String::from_utf8_lossy(&document()).contains("Date"));
    }
}
