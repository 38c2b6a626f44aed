//! The owner: one thread that has PDFium, opens each document once and draws its pages in order.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use folio_pdf::{Document, OpenError, Page, PageError, Pdfium};
use playhouse::{ActorRef, BlockingActor, Budget, Context, Outcome, Permit};

use super::bitmaps::Bitmaps;
use super::document::DocumentMsg;
use super::gauges::{Gauges, Room};
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

pub(super) struct Renderer {
    engine: Pdfium,
    engine_version: String,
    storers: ActorRef<Rendered>,
    budget: Budget,
    budget_bytes: usize,
    bitmaps: Bitmaps,
    gauges: Arc<Gauges>,
    page_deadline: Duration,
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

/// Nobody wants pages any more: the storers or the document are gone, or somebody wants us to stop.
struct Unwanted;

impl Renderer {
    /// Loads the engine. Runs on the owner's thread, on which everything it makes stays.
    pub(super) fn new(engine: &Path, downstream: Downstream) -> Outcome<Self> {
        let Downstream {
            storers,
            budget,
            budget_bytes,
            bitmaps,
            gauges,
            page_deadline,
        } = downstream;
        let engine = Pdfium::load(engine)?;
        let engine_version = engine.version();
        Ok(Self {
            engine,
            engine_version,
            storers,
            budget,
            budget_bytes,
            bitmaps,
            gauges,
            page_deadline,
        })
    }

    fn extract(&self, ctx: &Context<Extract>, job: &Extract) -> Result<(), Unwanted> {
        let document = match self.open(job) {
            Ok(document) => document,
            Err(reason) => return report(job, DocumentMsg::Happened(Event::OpenFailed { reason })),
        };
        let pages = document.page_count();
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
        self.gauges.document_opened();
        let document = self
            .engine
            .open(file, job.password.as_ref().map(Password::reveal))
            .map_err(|error| explain(&error))?;
        match job.selection.beyond(document.page_count()) {
            Some(page) => Err(format!(
                "page {page} was asked for, and the document has {} pages: choose others with --pages",
                document.page_count()
            )),
            None => Ok(document),
        }
    }

    /// One page: room, place, drawing, in this order, so that nothing large waits in memory.
    fn page(
        &self,
        ctx: &Context<Extract>,
        job: &Extract,
        document: &Document,
        number: u32,
    ) -> Result<(), Unwanted> {
        let failed = |error: PageError| {
            report(
                job,
                DocumentMsg::Happened(Event::Failed {
                    page: number,
                    reason: error.to_string(),
                }),
            )
        };
        let mut page = match document.page(number - 1) {
            Ok(page) => page,
            Err(error) => return failed(error),
        };
        let dpi = job.target.options.dpi;
        let bytes = match job.target.options.image {
            ImageFormat::None => Ok(0),
            _ => page
                .pixel_size(dpi)
                .map(|(width, height)| width as usize * height as usize * 4),
        };
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(error) => return failed(error),
        };
        let share = self.budget.blocking_take(bytes).map_err(|_| Unwanted)?;
        let room = Room::new(bytes, share, self.gauges.clone());
        let place = self.storers.blocking_reserve().map_err(|_| Unwanted)?;
        match self.draw(ctx, job, &mut page, room, number) {
            Ok(rendered) => hand_over(job, place, rendered, number),
            Err(error) => failed(error),
        }
    }

    fn draw(
        &self,
        ctx: &Context<Extract>,
        job: &Extract,
        page: &mut Page<'_>,
        room: Room,
        number: u32,
    ) -> Result<Rendered, PageError> {
        let options = &job.target.options;
        let bitmap = match options.image {
            ImageFormat::None => None,
            _ => {
                let mut bitmap = self.bitmaps.take(
                    self.budget_bytes
                        .saturating_sub(self.gauges.bytes_in_flight()),
                );
                let clock = ctx.clock();
                let deadline = clock.deadline(self.page_deadline);
                page.render(options.dpi, &mut bitmap, &mut || {
                    clock.remaining(deadline).is_zero()
                })?;
                Some(bitmap)
            }
        };
        let text = page.text()?;
        self.gauges.page_rendered();
        let (width_pt, height_pt) = page.size();
        let geometry = PageGeometry {
            page: number,
            width_pt,
            height_pt,
            rotation: page.rotation(),
            crop: page.crop_box(),
        };
        let duty = Duty::new(number, job.document.clone());
        Ok(Rendered {
            target: job.target.clone(),
            geometry,
            text,
            bitmap,
            room,
            duty,
        })
    }
}

impl BlockingActor for Renderer {
    type Msg = Extract;

    fn receive(&mut self, ctx: &mut Context<Extract>, job: Extract) -> Outcome {
        // Unwanted is no failure: whoever is gone or stops us has told the document why.
        let _ = self.extract(ctx, &job);
        Ok(())
    }
}

fn hand_over(
    job: &Extract,
    place: Permit<Rendered>,
    rendered: Rendered,
    page: u32,
) -> Result<(), Unwanted> {
    place.send(rendered);
    report(job, DocumentMsg::Happened(Event::HandedOver { page }))
}

fn report(job: &Extract, msg: DocumentMsg) -> Result<(), Unwanted> {
    job.document.blocking_send(msg).map_err(|_| Unwanted)
}

/// The engine's error with the next step for the person who gave the file.
pub fn explain(error: &OpenError) -> String {
    match error {
        OpenError::PasswordNeeded | OpenError::PasswordWrong => {
            format!("{error}; give it with --password-file FILE or --password-env VARIABLE")
        }
        other => other.to_string(),
    }
}
