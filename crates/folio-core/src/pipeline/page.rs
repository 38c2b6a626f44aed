//! A drawn page on its way from the owner to a storer.

use std::sync::Arc;

use folio_pdf::{Bitmap, PageText};
use playhouse::Permit;

use super::document::DocumentMsg;
use super::gauges::Room;
use crate::job::Event;
use crate::model::PageGeometry;
use crate::request::{DocumentId, Options};

/// Everything a storer needs; nothing in it leads back to the engine.
pub(super) struct Rendered {
    pub(super) target: Arc<Target>,
    pub(super) geometry: PageGeometry,
    pub(super) text: PageText,
    /// `None` when no image is wanted.
    pub(super) bitmap: Option<Bitmap>,
    pub(super) room: Room,
    pub(super) duty: Duty,
}

/// Where a document's pages go.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) id: DocumentId,
    pub(super) folder: String,
    pub(super) options: Options,
}

impl Target {
    /// Key of a page's layout.
    pub(super) fn layout_key(&self, page: u32) -> String {
        format!("{}/pages/{page:05}.json", self.folder)
    }

    /// Key of a page's image, when one is wanted.
    pub(super) fn image_key(&self, page: u32) -> Option<String> {
        let extension = self.options.image.extension()?;
        Some(format!("{}/pages/{page:05}.{extension}", self.folder))
    }

    /// Key of the document's text.
    pub(super) fn text_key(&self) -> String {
        format!("{}/text.txt", self.folder)
    }
}

/// The duty to settle one page with its document, once, on a place kept for it. Dropped (by a panic, a stop), the page
/// has failed: a document never waits for a page that nobody holds.
pub(super) struct Duty {
    page: u32,
    place: Option<Permit<DocumentMsg>>,
}

impl Duty {
    pub(super) fn new(page: u32, place: Permit<DocumentMsg>) -> Self {
        Self {
            page,
            place: Some(place),
        }
    }

    /// The page is completed.
    pub(super) fn stored(mut self, words: u32, needs_ocr: bool) {
        let page = self.page;
        self.settle(DocumentMsg::Stored {
            page,
            words,
            needs_ocr,
        });
    }

    /// The page cannot be had.
    pub(super) fn failed(mut self, reason: String) {
        self.fail(reason);
    }

    /// There is nothing to settle: the page was not begun, or all of its document's pages are lost with the store.
    pub(super) fn withdrawn(mut self) {
        self.place = None;
    }

    fn fail(&mut self, reason: String) {
        let page = self.page;
        self.settle(DocumentMsg::Happened(Event::Failed { page, reason }));
    }

    fn settle(&mut self, msg: DocumentMsg) {
        if let Some(place) = self.place.take() {
            place.send(msg);
        }
    }
}

impl Drop for Duty {
    fn drop(&mut self) {
        self.fail("its storer ended before the page was stored".to_owned());
    }
}
