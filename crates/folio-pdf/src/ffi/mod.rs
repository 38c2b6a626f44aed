//! The only unsafe of the crate: the C functions (`table`), what PDFium calls back (`callback`), and owned handles that
//! make both safe to use (`handle`, `page`, `text`).
mod callback;
mod handle;
mod page;
mod table;
mod text;

pub(crate) use callback::FileReader;
pub(crate) use handle::{DocumentHandle, Engine, OpenFailure};
pub(crate) use page::{PageHandle, PageObject, PageObjectKind, RenderEnd};
pub(crate) use table::RectF;
pub(crate) use text::{Font, TextHandle, TextObject};
