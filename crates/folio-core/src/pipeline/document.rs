//! One document's run: performs what [`crate::job`] decides.

use std::fs::File;
use std::sync::Arc;

use playhouse::{Actor, ActorRef, Context, Exit, Outcome};

use super::Services;
use super::intake::IntakeMsg;
use super::page::Target;
use super::progress::Progress;
use super::renderer::Extract;
use crate::job::{Action, Conclusion, Event, Job};
use crate::pages::PageSet;
use crate::ports::{
    CatalogError, Delivery, DocumentRecord, DocumentRow, DocumentStatus, StoreError,
};
use crate::request::{DocumentId, ImageFormat, Options, Request};

pub(super) enum DocumentMsg {
    /// The owner opened it.
    Opened {
        pages: u32,
        title: Option<String>,
        engine: String,
    },
    /// A storer completed a page.
    Stored {
        page: u32,
        words: u32,
        needs_ocr: bool,
    },
    /// Anything else the job wants to know.
    Happened(Event),
    /// The owner is gone.
    RendererEnded(Exit),
}

/// What a document is made of, ready to be run.
#[derive(Clone)]
pub(super) struct Admission {
    pub(super) delivery: Delivery,
    pub(super) id: DocumentId,
    pub(super) file: Arc<File>,
}

pub(super) struct Document {
    admission: Admission,
    services: Arc<Services>,
    renderer: ActorRef<Extract>,
    intake: ActorRef<IntakeMsg>,
    /// Set by `started`, before any message.
    run: Option<RunState>,
}

struct RunState {
    job: Job,
    target: Arc<Target>,
    needs_ocr: PageSet,
}

impl Document {
    pub(super) fn new(
        admission: Admission,
        services: Arc<Services>,
        renderer: ActorRef<Extract>,
        intake: ActorRef<IntakeMsg>,
    ) -> Self {
        Self {
            admission,
            services,
            renderer,
            intake,
            run: None,
        }
    }
}

impl Actor for Document {
    type Msg = DocumentMsg;

    async fn started(&mut self, ctx: &mut Context<DocumentMsg>) -> Outcome {
        ctx.watch_with(&self.renderer, DocumentMsg::RendererEnded);
        let begun = self.begin().await;
        match begun {
            Ok((run, action)) => {
                self.run = Some(run);
                self.perform(ctx, action).await
            }
            Err(reason) => {
                self.intake.tell(IntakeMsg::StorageLost(reason.clone()));
                let status = DocumentStatus::Failed;
                let none = PageSet::new;
                let end = Conclusion {
                    status,
                    reason: Some(reason),
                    pages: None,
                    stored: none(),
                    skipped: none(),
                    failed: Default::default(),
                };
                self.tell_finished(ctx, end, None, 0).await;
                Ok(())
            }
        }
    }

    async fn receive(&mut self, ctx: &mut Context<DocumentMsg>, msg: DocumentMsg) -> Outcome {
        let event = match msg {
            DocumentMsg::Opened {
                pages,
                title,
                engine,
            } => self.opened(pages, title, &engine).await,
            DocumentMsg::Stored {
                page,
                words,
                needs_ocr,
            } => self.stored(page, words, needs_ocr).await,
            DocumentMsg::Happened(event) => event,
            DocumentMsg::RendererEnded(exit) => Event::RendererGone {
                reason: exit_text(&exit),
            },
        };
        let actions = self
            .run
            .as_mut()
            .map(|run| run.job.on(event))
            .unwrap_or_default();
        for action in actions {
            self.perform(ctx, action).await?;
        }
        Ok(())
    }
}

impl Document {
    fn request(&self) -> &Request {
        &self.admission.delivery.request
    }

    /// Reads the record, and checks that what it calls completed is still in the store.
    async fn begin(&self) -> Result<(RunState, Action), String> {
        let Request {
            name,
            stem,
            options,
            pages,
            force,
            ..
        } = self.request();
        let id = self.admission.id;
        let folder = format!("{stem}-{}", id.short());
        let row = DocumentRow {
            id,
            name: name.clone(),
            folder,
            options: describe(options),
        };
        let record = self
            .services
            .settings
            .catalog
            .begin(&row)
            .await
            .map_err(|error| error.to_string())?;
        let target = Arc::new(Target {
            id,
            folder: record.folder.clone(),
            options: *options,
        });
        let completed = self.still_stored(&record, &target).await?;
        let needs_ocr = record.needs_ocr.intersection(&completed).copied().collect();
        let (job, action) = Job::begin(pages.clone(), record.pages, completed, *force);
        Ok((
            RunState {
                job,
                target,
                needs_ocr,
            },
            action,
        ))
    }

    async fn still_stored(
        &self,
        record: &DocumentRecord,
        target: &Target,
    ) -> Result<PageSet, String> {
        let blobs = &self.services.settings.blobs;
        let mut there = PageSet::new();
        for page in record.completed.iter().copied() {
            let layout = blobs
                .size(&target.layout_key(page))
                .await
                .map_err(|error| error.to_string())?;
            let image = match target.image_key(page) {
                Some(key) => blobs.size(&key).await.map_err(|error| error.to_string())?,
                None => Some(0),
            };
            if layout.is_some() && image.is_some() {
                there.insert(page);
            }
        }
        Ok(there)
    }

    async fn opened(&mut self, pages: u32, title: Option<String>, engine: &str) -> Event {
        let Some(run) = &self.run else {
            return Event::Opened { pages };
        };
        let id = self.admission.id;
        if let Err(error) = self
            .services
            .settings
            .catalog
            .opened(&id, pages, title.as_deref(), engine)
            .await
        {
            return self.storage_lost(&error);
        }
        let wanted = run.job.to_render(pages);
        let (name, folder) = (self.request().name.clone(), run.target.folder.clone());
        self.tell(Progress::Opened {
            document: id,
            name,
            folder,
            pages,
            wanted,
            title,
        })
        .await;
        Event::Opened { pages }
    }

    async fn stored(&mut self, page: u32, words: u32, needs_ocr: bool) -> Event {
        if let Some(run) = &mut self.run {
            match needs_ocr {
                true => run.needs_ocr.insert(page),
                false => run.needs_ocr.remove(&page),
            };
        }
        let drawn = self.services.gauges.pages_rendered();
        let document = self.admission.id;
        self.tell(Progress::Stored {
            document,
            page,
            words,
            needs_ocr,
            drawn,
        })
        .await;
        Event::Stored { page }
    }

    async fn perform(&mut self, ctx: &mut Context<DocumentMsg>, action: Action) -> Outcome {
        match action {
            Action::Render { skip } => self.render(ctx, skip).await,
            Action::RecordFailure { page, reason } => self.record_failure(page, reason).await,
            Action::Conclude(conclusion) => {
                self.conclude(ctx, conclusion).await;
                Ok(())
            }
        }
    }

    async fn render(&mut self, ctx: &mut Context<DocumentMsg>, skip: PageSet) -> Outcome {
        let Some(run) = &self.run else { return Ok(()) };
        let request = self.request();
        let extract = Extract {
            file: self.admission.file.clone(),
            password: request.password.clone(),
            selection: request.pages.clone(),
            skip,
            target: run.target.clone(),
            document: ctx.me().clone(),
        };
        // A renderer that is gone is told to us by the watch, in order with what it had sent.
        let _ = self.renderer.send(extract).await;
        Ok(())
    }

    async fn record_failure(&mut self, page: u32, reason: String) -> Outcome {
        let id = self.admission.id;
        if let Err(error) = self
            .services
            .settings
            .catalog
            .fail_page(&id, page, &reason)
            .await
        {
            self.storage_lost(&error);
        }
        self.tell(Progress::Failed {
            document: id,
            page,
            reason,
        })
        .await;
        Ok(())
    }

    /// Writes the text and the status row, tells everybody, ends.
    async fn conclude(&mut self, ctx: &mut Context<DocumentMsg>, mut end: Conclusion) {
        let Some(run) = self.run.take() else { return };
        if let Err(reason) = self.write_text(&run.target, &end).await {
            (end.status, end.reason) = (DocumentStatus::Failed, Some(end.reason.unwrap_or(reason)));
        }
        let catalog = &self.services.settings.catalog;
        if let Err(error) = catalog
            .finish(&run.target.id, end.status, end.reason.as_deref())
            .await
        {
            (end.status, end.reason) = (
                DocumentStatus::Failed,
                Some(end.reason.unwrap_or(error.to_string())),
            );
        }
        let needs_ocr = count(&run.needs_ocr);
        self.tell_finished(ctx, end, Some(run.target.folder.clone()), needs_ocr)
            .await;
    }

    /// `text.txt`: the pages completed so far, in order, each ended by a form feed, as `pdftotext` does it.
    async fn write_text(&self, target: &Target, end: &Conclusion) -> Result<(), String> {
        let settings = &self.services.settings;
        let (key, said) = (target.text_key(), |error: StoreError| error.to_string());
        if end.stored.is_empty() && settings.blobs.size(&key).await.map_err(said)?.is_some() {
            return Ok(());
        }
        let pages = settings
            .catalog
            .texts(&target.id)
            .await
            .map_err(|error| error.to_string())?;
        if pages.is_empty() {
            return Ok(());
        }
        let text: String = pages
            .into_iter()
            .flat_map(|(_, text)| [text, "\u{c}".to_owned()])
            .collect();
        settings
            .blobs
            .put(&key, text.into_bytes())
            .await
            .map_err(said)
    }

    async fn tell_finished(
        &mut self,
        ctx: &mut Context<DocumentMsg>,
        end: Conclusion,
        folder: Option<String>,
        needs_ocr: u32,
    ) {
        let failed = u32::try_from(end.failed.len()).unwrap_or(u32::MAX);
        self.tell(Progress::Finished {
            document: Some(self.admission.id),
            name: self.request().name.clone(),
            folder,
            status: end.status,
            reason: end.reason.clone(),
            pages: end.pages,
            stored: count(&end.stored),
            skipped: count(&end.skipped),
            failed,
            needs_ocr,
        })
        .await;
        let concluded = IntakeMsg::Concluded {
            id: self.admission.id,
            end,
            needs_ocr,
        };
        let _ = self.intake.send(concluded).await;
        ctx.stop();
    }

    /// The catalog is gone: the whole run has to know.
    fn storage_lost(&self, error: &CatalogError) -> Event {
        let reason = error.to_string();
        self.intake.tell(IntakeMsg::StorageLost(reason.clone()));
        Event::StorageLost { reason }
    }

    async fn tell(&self, news: Progress) {
        // A listener that is gone misses the rest; the run goes on without it.
        let _ = self.services.settings.progress.send(news).await;
    }
}

fn count(pages: &PageSet) -> u32 {
    u32::try_from(pages.len()).unwrap_or(u32::MAX)
}

fn describe(options: &Options) -> String {
    match options.image {
        ImageFormat::Jpeg => format!("{} dpi, jpeg {}", options.dpi, options.quality),
        ImageFormat::Png => format!("{} dpi, png", options.dpi),
        ImageFormat::None => "no images".to_owned(),
    }
}

/// An exit as a reason a person can read.
pub(super) fn exit_text(exit: &Exit) -> String {
    match exit {
        Exit::Failed(failure) => failure.to_string(),
        other => format!("{other:?}").to_lowercase(),
    }
}
