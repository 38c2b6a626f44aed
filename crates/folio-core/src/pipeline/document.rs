//! One document's run: performs what [`crate::job`] decides.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use playhouse::{Actor, ActorRef, Context, Exit, Outcome};

use super::Services;
use super::intake::IntakeMsg;
use super::page::Target;
use super::progress::Progress;
use super::renderer::Extract;
use super::trouble::Trouble;
use crate::job::{Action, Conclusion, Event, Job};
use crate::pages::PageSet;
use crate::ports::{Delivery, DocumentRow, DocumentStatus, PageRecord, PageState};
use crate::request::{Colour, DocumentId, ImageFormat, Options, Request};

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
    /// What the file was like before it was read.
    pub(super) stamp: Stamp,
}

/// Tells whether a file was written to: its length and when that was last done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    pub(super) fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
        })
    }
}

pub(super) struct Document {
    admission: Admission,
    services: Arc<Services>,
    renderer: ActorRef<Extract>,
    intake: ActorRef<IntakeMsg>,
    /// Set by `started`, before any message; taken by the conclusion.
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
        match self.begin().await {
            Ok((run, action)) => {
                self.run = Some(run);
                self.perform(ctx, action).await;
            }
            Err(trouble) => {
                let end = Conclusion::failed(trouble.reason().to_owned());
                self.report(trouble).await;
                self.tell_finished(ctx, end, None, 0).await;
            }
        }
        Ok(())
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
            self.perform(ctx, action).await;
        }
        Ok(())
    }
}

impl Document {
    fn request(&self) -> &Request {
        &self.admission.delivery.request
    }

    /// Reads the record, checks that what it calls completed is still in the store, and reopens what is to be done again.
    async fn begin(&self) -> Result<(RunState, Action), Trouble> {
        let Request {
            name,
            stem,
            options,
            pages,
            force,
            ..
        } = self.request();
        let catalog = &self.services.settings.catalog;
        let id = self.admission.id;
        let row = DocumentRow {
            id,
            name: name.clone(),
            folder: format!("{stem}-{}", id.short()),
            options: describe(options),
        };
        let record = catalog.begin(&row).await?;
        let target = Arc::new(Target {
            id,
            folder: record.folder.clone(),
            options: *options,
        });
        let mut completed = PageSet::new();
        for page in catalog.pages(&id).await? {
            let wanted_again = *force && pages.contains(page.page);
            if page.state == PageState::Completed
                && !wanted_again
                && self.is_stored(&page, &target).await?
            {
                completed.insert(page.page);
            }
        }
        let again: PageSet = record.completed.difference(&completed).copied().collect();
        if !again.is_empty() {
            catalog.reopen(&id, &again).await?;
        }
        let counts = |page: &u32| completed.contains(page) && pages.contains(*page);
        let needs_ocr = record.needs_ocr.iter().copied().filter(counts).collect();
        let (job, action) = Job::begin(pages.clone(), record.pages, completed);
        Ok((
            RunState {
                job,
                target,
                needs_ocr,
            },
            action,
        ))
    }

    /// Are the files of a completed page there, at the length they had?
    async fn is_stored(&self, page: &PageRecord, target: &Target) -> Result<bool, Trouble> {
        let blobs = &self.services.settings.blobs;
        let layout = blobs.size(&target.layout_key(page.page)).await?;
        let image = match target.image_key(page.page) {
            Some(key) => blobs.size(&key).await?,
            None => Some(0),
        };
        Ok(layout == Some(page.layout_bytes) && image == Some(page.image_bytes))
    }

    async fn opened(&mut self, pages: u32, title: Option<String>, engine: &str) -> Event {
        let id = self.admission.id;
        let recorded = self
            .services
            .settings
            .catalog
            .opened(&id, pages, title.as_deref(), engine)
            .await;
        if let Err(error) = recorded {
            let reason = error.to_string();
            self.report(error.into()).await;
            return Event::StorageLost { reason };
        }
        if let Some(run) = &self.run {
            let (name, folder) = (self.request().name.clone(), run.target.folder.clone());
            let wanted = run.job.to_render(pages);
            self.tell(Progress::Opened {
                document: id,
                name,
                folder,
                pages,
                wanted,
                title,
            })
            .await;
        }
        Event::Opened { pages }
    }

    async fn stored(&mut self, page: u32, words: u32, needs_ocr: bool) -> Event {
        if let Some(run) = self.run.as_mut().filter(|_| needs_ocr) {
            run.needs_ocr.insert(page);
        }
        let (document, drawn) = (self.admission.id, self.services.gauges.pages_rendered());
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

    async fn perform(&mut self, ctx: &mut Context<DocumentMsg>, action: Action) {
        match action {
            Action::Render { skip } => self.render(ctx, skip).await,
            Action::RecordFailure { page, reason } => self.record_failure(page, reason).await,
            Action::Conclude(conclusion) => self.conclude(ctx, conclusion).await,
        }
    }

    async fn render(&mut self, ctx: &mut Context<DocumentMsg>, skip: PageSet) {
        let Some(run) = &self.run else { return };
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
    }

    async fn record_failure(&mut self, page: u32, reason: String) {
        let id = self.admission.id;
        if let Err(error) = self
            .services
            .settings
            .catalog
            .fail_page(&id, page, &reason)
            .await
        {
            self.report(error.into()).await;
        }
        self.tell(Progress::Failed {
            document: id,
            page,
            reason,
        })
        .await;
    }

    /// Writes the text and the status row, tells everybody, ends.
    async fn conclude(&mut self, ctx: &mut Context<DocumentMsg>, mut end: Conclusion) {
        let Some(run) = self.run.take() else { return };
        let catalog = &self.services.settings.catalog;
        if let Err(trouble) = self.disown_if_changed(&mut end).await {
            self.report(trouble).await;
        }
        let written = self.write_text(&run.target, end.pages).await;
        let closed = match &written {
            Ok(()) => catalog
                .finish(
                    &run.target.id,
                    end.standing,
                    end.reason.as_deref().filter(|_| end.standing == end.status),
                )
                .await
                .map_err(Trouble::from),
            Err(_) => written,
        };
        if let Err(trouble) = closed {
            end = end.spoilt(trouble.reason());
            self.report(trouble).await;
        }
        let has_pages = !end.stored.is_empty() || !end.skipped.is_empty();
        let folder = has_pages.then(|| run.target.folder.clone());
        self.tell_finished(ctx, end, folder, count(&run.needs_ocr))
            .await;
    }

    /// Pages drawn from a file that was written to meanwhile are pages of no document: they are to be done again.
    async fn disown_if_changed(&self, end: &mut Conclusion) -> Result<(), Trouble> {
        let unchanged =
            Stamp::of(&self.admission.file).is_ok_and(|stamp| stamp == self.admission.stamp);
        if unchanged || end.stored.is_empty() {
            return Ok(());
        }
        let disowned = std::mem::take(&mut end.stored);
        end.reason = Some("the file was changed while it was read, so its pages do not count; run the same command again".to_owned());
        (end.status, end.standing) = (DocumentStatus::Failed, DocumentStatus::Failed);
        Ok(self
            .services
            .settings
            .catalog
            .reopen(&self.admission.id, &disowned)
            .await?)
    }

    /// `text.txt`: the pages in order, each ended by a form feed, as `pdftotext` does it; a page that is not completed is
    /// its form feed alone, so that the nth form feed ends page n. Written when it differs from what is there.
    async fn write_text(&self, target: &Target, pages: Option<u32>) -> Result<(), Trouble> {
        let settings = &self.services.settings;
        let mut text = String::new();
        let mut next = 1;
        for (page, page_text) in settings.catalog.texts(&target.id).await? {
            text.extend((next..page).map(|_| PAGE_END));
            text.push_str(&page_text);
            text.push(PAGE_END);
            next = page + 1;
        }
        text.extend((next..=pages.unwrap_or(0)).map(|_| PAGE_END));
        let key = target.text_key();
        let there = settings.blobs.get(&key).await?;
        let nothing_to_say = next == 1 && there.is_none();
        if nothing_to_say || there.as_deref() == Some(text.as_bytes()) {
            return Ok(());
        }
        Ok(settings.blobs.put(&key, text.into_bytes()).await?)
    }

    async fn tell_finished(
        &mut self,
        ctx: &mut Context<DocumentMsg>,
        end: Conclusion,
        folder: Option<String>,
        needs_ocr: u32,
    ) {
        let name = self.request().name.clone();
        self.tell(Progress::finished(
            Some(self.admission.id),
            name,
            folder,
            &end,
            needs_ocr,
        ))
        .await;
        let concluded = IntakeMsg::Concluded {
            id: self.admission.id,
            end,
            needs_ocr,
        };
        let _ = self.intake.send(concluded).await;
        ctx.stop();
    }

    /// When nothing can be stored or recorded any more, the whole run has to know.
    async fn report(&self, trouble: Trouble) {
        if let Trouble::Storage(reason) = trouble {
            let _ = self.intake.send(IntakeMsg::StorageLost(reason)).await;
        }
    }

    async fn tell(&self, news: Progress) {
        // A listener that is gone misses the rest; the run goes on without it.
        let _ = self.services.settings.progress.send(news).await;
    }
}

/// Form feed.
const PAGE_END: char = '\u{c}';

/// How many pages are in a set.
pub(super) fn count(pages: &PageSet) -> u32 {
    u32::try_from(pages.len()).unwrap_or(u32::MAX)
}

/// The options for people; the id holds them for machines.
fn describe(options: &Options) -> String {
    let colour = match options.colour {
        Colour::Auto => "",
        Colour::Always => ", in colour always",
    };
    match options.image {
        ImageFormat::Jpeg => format!("{} dpi, jpeg {}{colour}", options.dpi, options.quality),
        ImageFormat::Png => format!("{} dpi, png{colour}", options.dpi),
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
