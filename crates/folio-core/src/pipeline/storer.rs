//! A storer: takes one page at a time, encodes it on a thread of its own, stores image and layout, completes it.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use folio_pdf::{Bitmap, PageText};
use playhouse::{Actor, ActorRef, Context, Job, Outcome, Ticket};

use super::Services;
use super::bitmaps::Bitmaps;
use super::gauges::Room;
use super::intake::IntakeMsg;
use super::page::{Duty, Rendered, Target};
use super::trouble::Trouble;
use crate::encode::encode;
use crate::layout;
use crate::model::{ImageInfo, PageGeometry};
use crate::ports::PageRow;
use crate::request::Options;

pub(super) enum StorerMsg {
    Store(Job<Rendered>),
    Encoded(Result<Prepared, String>, Errand),
}

impl From<Job<Rendered>> for StorerMsg {
    fn from(job: Job<Rendered>) -> Self {
        Self::Store(job)
    }
}

/// What stays with the storer while the page is encoded elsewhere.
pub(super) struct Errand {
    target: Arc<Target>,
    duty: Duty,
    room: Room,
    ticket: Ticket,
}

/// A page as bytes.
pub(super) struct Prepared {
    image: Option<Vec<u8>>,
    row: PageRow,
}

#[derive(Clone)]
pub(super) struct Storer {
    pub(super) services: Arc<Services>,
    pub(super) bitmaps: Bitmaps,
    pub(super) intake: ActorRef<IntakeMsg>,
}

impl Actor for Storer {
    type Msg = StorerMsg;

    async fn receive(&mut self, ctx: &mut Context<StorerMsg>, msg: StorerMsg) -> Outcome {
        match msg {
            StorerMsg::Store(job) => self.encode(ctx, job),
            StorerMsg::Encoded(prepared, errand) => self.store(prepared, errand).await,
        }
        Ok(())
    }
}

impl Storer {
    fn encode(&self, ctx: &mut Context<StorerMsg>, job: Job<Rendered>) {
        let (
            Rendered {
                target,
                geometry,
                text,
                bitmap,
                room,
                duty,
            },
            ticket,
        ) = job.split();
        let (options, bitmaps) = (target.options, self.bitmaps.clone());
        let errand = Errand {
            target,
            duty,
            room,
            ticket,
        };
        // A page that makes our own code panic costs that page, not the storer.
        let work = move || {
            panic::catch_unwind(AssertUnwindSafe(|| {
                prepare(&options, &geometry, &text, bitmap, &bitmaps)
            }))
            .unwrap_or_else(|_| Err("encoding it panicked; please report this document".to_owned()))
        };
        ctx.pipe_blocking(&self.services.settings.encoding, work, move |prepared| {
            StorerMsg::Encoded(prepared, errand)
        });
    }

    /// Stores what was prepared, settles the page with its document, and is free for the next one.
    async fn store(&self, prepared: Result<Prepared, String>, errand: Errand) {
        let Errand {
            target,
            duty,
            room,
            ticket,
        } = errand;
        let outcome = match prepared {
            Ok(prepared) => self.commit(&target, prepared).await,
            Err(reason) => Err(Trouble::Local(reason)),
        };
        drop(room);
        match outcome {
            Ok((words, needs_ocr)) => duty.stored(words, needs_ocr),
            Err(Trouble::Local(reason)) => duty.failed(reason),
            Err(Trouble::Storage(reason)) => {
                // The page is as good as before; the intake tells its document, with all others.
                duty.withdrawn();
                let _ = self.intake.send(IntakeMsg::StorageLost(reason)).await;
            }
        }
        ticket.done();
    }

    /// The commit point: image, layout and row at the same time, and only then `completed`.
    async fn commit(&self, target: &Target, prepared: Prepared) -> Result<(u32, bool), Trouble> {
        let Prepared { image, row } = prepared;
        let settings = &self.services.settings;
        let image_key = target.image_key(row.page);
        let put_image = async {
            match image_key.as_deref().zip(image) {
                Some((key, bytes)) => settings.blobs.put(key, bytes).await,
                None => Ok(()),
            }
        };
        let layout_key = target.layout_key(row.page);
        let put_layout = settings
            .blobs
            .put(&layout_key, row.layout.clone().into_bytes());
        let (image, layout, recorded) = tokio::join!(
            put_image,
            put_layout,
            settings.catalog.store_layout(&target.id, &row)
        );
        image?;
        layout?;
        recorded?;
        settings.catalog.complete_page(&target.id, row.page).await?;
        Ok((row.words, row.needs_ocr))
    }
}

/// Encodes the image, builds the layout, and lets the bitmap rest.
fn prepare(
    options: &Options,
    geometry: &PageGeometry,
    text: &PageText,
    bitmap: Option<Bitmap>,
    bitmaps: &Bitmaps,
) -> Result<Prepared, String> {
    let image = match &bitmap {
        Some(bitmap) => encode(bitmap, options).map_err(|error| error.to_string())?,
        None => None,
    };
    let mut page = layout::build(geometry, text);
    page.image = bitmap
        .as_ref()
        .zip(image.as_ref())
        .map(|(bitmap, image)| ImageInfo {
            width_px: bitmap.width(),
            height_px: bitmap.height(),
            px_per_pt: [
                f64::from(bitmap.width()) / f64::from(geometry.width_pt),
                f64::from(bitmap.height()) / f64::from(geometry.height_pt),
            ],
            format: image.format,
            grey: image.grey,
        });
    if let Some(bitmap) = bitmap {
        bitmaps.put_back(bitmap);
    }
    let words = u32::try_from(page.words().count()).unwrap_or(u32::MAX);
    let layout = String::from_utf8(page.to_json()).map_err(|error| error.to_string())?;
    let image = image.map(|image| image.bytes);
    let row = PageRow {
        page: page.page,
        text: page.text(),
        words,
        needs_ocr: page.needs_ocr,
        layout_bytes: layout.len() as u64,
        image_bytes: image.as_ref().map_or(0, |bytes| bytes.len() as u64),
        layout,
    };
    Ok(Prepared { image, row })
}
