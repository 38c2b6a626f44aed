//! The owner: one thread that has PDFium, opens each document once and draws its pages in order.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use folio_pdf::{Bitmap, Document, OpenError, PageError, PageText, Pdfium};
use playhouse::{ActorRef, BlockingActor, Budget, Context, Outcome, Permit};

use super::bitmaps::Bitmaps;
use super::document::DocumentMsg;
use super::gauges::{Gauges, Room};
use super::intake::IntakeMsg;
use super::page::{Duty, Rendered, Target};
use crate::job::Event;
use crate::model::PageGeometry;
use crate::pages::{PageSelection, PageSet};
use crate::request::{ImageFormat, Password};

/// Open this once, draw what is wanted and not skipped, send each page to the storers.
pub(super) struct Extract {
    pub(super) file: Arc<File>,
    pub(super) password: Option<Password>,
    pub(super) selection: PageSelection,
    pub(super) skip: PageSet,
    pub(super) target: Arc<Target>,
    pub(super) document: ActorRef<DocumentMsg>,
}

/// What the owner needs beside the engine.
#[derive(Clone)]
pub(super) struct Downstream {
    pub(super) storers: ActorRef<Rendered>,
    pub(super) budget: Budget,
    pub(super) budget_bytes: usize,
    pub(super) bitmaps: Bitmaps,
    pub(super) gauges: Arc<Gauges>,
    pub(super) page_deadline: Duration,
}

pub(super) struct Renderer {
    engine: Pdfium,
    engine_version: String,
    downstream: Downstream,
    intake: ActorRef<IntakeMsg>,
}

/// Nobody wants pages any more: the storers or the document are gone, or somebody wants us to stop.
struct Unwanted;

type Drawn = (PageGeometry, PageText, Option<Bitmap>);

impl BlockingActor for Renderer {
    type Msg = Extract;

    fn started(&mut self, _ctx: &mut Context<Extract>) -> Outcome {
        self.intake.tell(IntakeMsg::EngineReady);
        Ok(())
    }

    fn receive(&mut self, ctx: &mut Context<Extract>, job: Extract) -> Outcome {
        // Unwanted is no failure: whoever is gone or stops us has told the document why.
        let _ = self.extract(ctx, &job);
        Ok(())
    }
}

impl Renderer {
    /// Loads the engine. Runs on the owner's thread, on which everything it makes stays.
    pub(super) fn new(
        engine: &Path,
        downstream: Downstream,
        intake: ActorRef<IntakeMsg>,
    ) -> Outcome<Self> {
        let engine = Pdfium::load(engine)?;
        let engine_version = engine.version();
        Ok(Self {
            engine,
            engine_version,
            downstream,
            intake,
        })
    }

    fn extract(&self, ctx: &Context<Extract>, job: &Extract) -> Result<(), Unwanted> {
        let document = match self.open(job) {
            Ok(document) => document,
            Err(reason) => return report(job, DocumentMsg::Happened(Event::OpenFailed { reason })),
        };
        let pages = document.page_count();
        if let Some(page) = job.selection.beyond(pages) {
            let reason = format!(
                "page {page} was asked for, and the document has {pages} pages: choose others with --pages"
            );
            return report(job, DocumentMsg::Happened(Event::Refused { pages, reason }));
        }
        let (title, engine) = (document.info().title, self.engine_version.clone());
        report(
            job,
            DocumentMsg::Opened {
                pages,
                title,
                engine,
            },
        )?;
        for number in job
            .selection
            .of(pages)
            .filter(|page| !job.skip.contains(page))
        {
            if ctx.is_stopping() {
                break;
            }
            self.page(ctx, job, &document, number)?;
        }
        report(job, DocumentMsg::Happened(Event::RenderingEnded))
    }

    fn open(&self, job: &Extract) -> Result<Document, String> {
        let file = job
            .file
            .try_clone()
            .map_err(|error| format!("cannot be read: {error}"))?;
        self.downstream.gauges.document_opened();
        let password = job.password.as_ref().map(Password::reveal);
        self.engine
            .open(file, password)
            .map_err(|error| open_failure(&error))
    }

    /// One page: places for its reports, room for its bytes, a place at the storers, and only then the page itself, so
    /// that nothing large waits in memory.
    fn page(
        &self,
        ctx: &Context<Extract>,
        job: &Extract,
        document: &Document,
        number: u32,
    ) -> Result<(), Unwanted> {
        let news = job.document.blocking_reserve().map_err(|_| Unwanted)?;
        let duty = Duty::new(
            number,
            job.document.blocking_reserve().map_err(|_| Unwanted)?,
        );
        let bytes = match bitmap_bytes(job, document, number) {
            Ok(bytes) => bytes,
            Err(error) => {
                duty.failed(error.to_string());
                return Ok(());
            }
        };
        let Some((room, place)) = self.reserve(bytes) else {
            duty.withdrawn();
            return Err(Unwanted);
        };
        match self.draw(ctx, job, document, number, bytes) {
            Ok((geometry, text, bitmap)) => {
                place.send(Rendered {
                    target: job.target.clone(),
                    geometry,
                    text,
                    bitmap,
                    room,
                    duty,
                });
                news.send(DocumentMsg::Happened(Event::HandedOver { page: number }));
            }
            Err(error) => duty.failed(error.to_string()),
        }
        Ok(())
    }

    fn reserve(&self, bytes: usize) -> Option<(Room, Permit<Rendered>)> {
        let share = self.downstream.budget.blocking_take(bytes).ok()?;
        let room = Room::new(bytes, share, self.downstream.gauges.clone());
        Some((room, self.downstream.storers.blocking_reserve().ok()?))
    }

    fn draw(
        &self,
        ctx: &Context<Extract>,
        job: &Extract,
        document: &Document,
        number: u32,
        bytes: usize,
    ) -> Result<Drawn, PageError> {
        let Downstream {
            bitmaps,
            budget_bytes,
            gauges,
            page_deadline,
            ..
        } = &self.downstream;
        let mut page = document.page(number - 1)?;
        let mut bitmap = None;
        if bytes > 0 {
            let beside = budget_bytes.saturating_sub(gauges.bytes_in_flight());
            let drawn = bitmap.insert(bitmaps.take(bytes, beside));
            let clock = ctx.clock();
            let deadline = clock.deadline(*page_deadline);
            page.render(job.target.options.dpi, drawn, &mut || {
                clock.remaining(deadline).is_zero()
            })?;
        }
        let text = page.text()?;
        gauges.page_rendered();
        let (width_pt, height_pt) = page.size();
        let geometry = PageGeometry {
            page: number,
            width_pt,
            height_pt,
            rotation: page.rotation(),
            crop: page.crop_box(),
        };
        Ok((geometry, text, bitmap))
    }
}

/// Bytes of the page's bitmap, from its size alone; 0 when no image is wanted.
fn bitmap_bytes(job: &Extract, document: &Document, number: u32) -> Result<usize, PageError> {
    if job.target.options.image == ImageFormat::None {
        return Ok(0);
    }
    let (width, height) = document.pixel_size(number - 1, job.target.options.dpi)?;
    Ok(width as usize * height as usize * Bitmap::BYTES_PER_PIXEL)
}

fn report(job: &Extract, msg: DocumentMsg) -> Result<(), Unwanted> {
    job.document.blocking_send(msg).map_err(|_| Unwanted)
}

/// The engine's error with the next step for the person who gave the file.
pub fn open_failure(error: &OpenError) -> String {
    match error {
        OpenError::PasswordNeeded | OpenError::PasswordWrong => {
            format!("{error}; give it with --password-file FILE or --password-env VARIABLE")
        }
        other => other.to_string(),
    }
}
