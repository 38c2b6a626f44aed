//! Finding PDFium on this machine.
use std::path::Path;

/// Names the build of a library.
pub(crate) fn version_of(library: &Path) -> String {
    format!("pdfium ({})", library.display())
}
