//! The only unsafe of the crate: the C functions (`table`), what PDFium calls back (`callback`), and owned handles that
//! make both safe to use (`handle`).
mod callback;
mod handle;
mod table;

pub(crate) use callback::FileReader;
pub(crate) use handle::{
    DocumentHandle, Engine, Font, OpenFailure, PageHandle, PageObject, PageObjectKind, RenderEnd,
    TextHandle, TextObject,
};
pub(crate) use table::RectF;
