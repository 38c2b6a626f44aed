//! The door: pulls requests while there is room, names each document, runs it as a child, and ends the run in order.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::sync::{Arc, OnceLock};

use playhouse::{Actor, ActorRef, Budget, Context, Exit, Mailbox, Outcome, Props, WorkPool};

use super::Services;
use super::bitmaps::Bitmaps;
use super::document::{Admission, Document, DocumentMsg, exit_text};
use super::page::Rendered;
use super::progress::{Progress, RunReport};
use super::renderer::{Downstream, Extract, Renderer};
use super::storer::Storer;
use crate::job::{Conclusion, Event};
use crate::limits;
use crate::ports::{Delivery, DocumentStatus, SourceError};
use crate::request::{DocumentId, Request};

pub(super) enum IntakeMsg {
    /// The source answered.
    Next(Result<Option<Delivery>, SourceError>),
    /// The file of a delivery was read and named, or could not be.
    Identified(Delivery, Result<(DocumentId, File), String>),
    /// A document's run is over.
    Concluded {
        id: DocumentId,
        end: Conclusion,
        needs_ocr: u32,
    },
    /// A document's actor is gone.
    DocumentEnded(DocumentId, Exit),
    /// The source took note.
    Settled(Result<(), SourceError>),
    /// The user wants an end.
    Interrupt,
    /// Nothing can be stored any more.
    StorageLost(String),
    /// The owner is gone.
    RendererEnded(Exit),
    /// The storers are gone.
    StorersEnded,
}

pub(super) struct Intake {
    services: Arc<Services>,
    renderer: ActorRef<Extract>,
    storers: ActorRef<Rendered>,
    running: HashMap<DocumentId, Running>,
    /// Between the source's answer and the document's start.
    arriving: usize,
    pulling: bool,
    source_is_dry: bool,
    renderer_ended: bool,
    storers_ended: bool,
    report: RunReport,
    slot: Arc<OnceLock<RunReport>>,
}

struct Running {
    document: ActorRef<DocumentMsg>,
    /// The delivery that began it, and those that joined.
    deliveries: Vec<Delivery>,
    concluded: bool,
}

impl Intake {
    pub(super) async fn start(
        ctx: &mut Context<IntakeMsg>,
        services: Arc<Services>,
        budget: Budget,
        slot: Arc<OnceLock<RunReport>>,
    ) -> Outcome<Self> {
        let settings = &services.settings;
        let bitmaps = Bitmaps::default();
        let storer = Storer {
            services: services.clone(),
            bitmaps: bitmaps.clone(),
            intake: ctx.me().clone(),
        };
        let pool = WorkPool::new(settings.storers, move || storer).waiting(settings.storers);
        let storers = ctx.spawn("storers", pool)?;
        ctx.watch_with(&storers, |_| IntakeMsg::StorersEnded);

        let downstream = Downstream {
            storers: storers.clone(),
            budget,
            budget_bytes: settings.budget_bytes,
            bitmaps,
            gauges: services.gauges.clone(),
            page_deadline: settings.page_deadline,
        };
        let engine = settings.engine.clone();
        let owner = Props::blocking(move |_ctx| Renderer::new(&engine, downstream));
        let renderer = ctx.spawn(
            "renderer",
            owner.mailbox(Mailbox::bounded(limits::RENDERER_MAILBOX)),
        )?;
        ctx.watch_with(&renderer, IntakeMsg::RendererEnded);

        let mut intake = Self {
            services,
            renderer,
            storers,
            running: HashMap::new(),
            arriving: 0,
            pulling: false,
            source_is_dry: false,
            renderer_ended: false,
            storers_ended: false,
            report: RunReport::default(),
            slot,
        };
        intake.pull(ctx);
        Ok(intake)
    }
}

impl Actor for Intake {
    type Msg = IntakeMsg;

    async fn receive(&mut self, ctx: &mut Context<IntakeMsg>, msg: IntakeMsg) -> Outcome {
        match msg {
            IntakeMsg::Next(answer) => self.answered(ctx, answer),
            IntakeMsg::Identified(delivery, named) => self.admit(ctx, delivery, named).await?,
            IntakeMsg::Concluded { id, end, needs_ocr } => self.conclude(ctx, id, &end, needs_ocr),
            IntakeMsg::DocumentEnded(id, exit) => self.document_ended(ctx, id, &exit).await,
            IntakeMsg::Settled(Ok(())) => {}
            IntakeMsg::Settled(Err(error)) => self.abort(&error.to_string()),
            IntakeMsg::Interrupt => self.interrupt().await,
            IntakeMsg::StorageLost(reason) => self.storage_lost(&reason).await,
            IntakeMsg::RendererEnded(exit) => self.renderer_ended(&exit),
            IntakeMsg::StorersEnded => self.storers_ended().await,
        }
        self.pull(ctx);
        self.end_when_through(ctx);
        Ok(())
    }
}

impl Intake {
    fn is_ending(&self) -> bool {
        self.report.interrupted || self.report.aborted.is_some()
    }

    /// Asks the source for one more while there is room for it.
    fn pull(&mut self, ctx: &mut Context<IntakeMsg>) {
        let room = self.running.len() + self.arriving < limits::DOCUMENTS_IN_FLIGHT;
        if self.pulling || self.source_is_dry || self.is_ending() || !room {
            return;
        }
        self.pulling = true;
        let source = self.services.settings.source.clone();
        ctx.pipe_to_self(async move { source.next().await }, IntakeMsg::Next);
    }

    fn answered(
        &mut self,
        ctx: &mut Context<IntakeMsg>,
        answer: Result<Option<Delivery>, SourceError>,
    ) {
        self.pulling = false;
        match answer {
            Ok(Some(delivery)) if self.is_ending() => self.give_back(ctx, delivery),
            Ok(Some(delivery)) => self.identify(ctx, delivery),
            Ok(None) => self.source_is_dry = true,
            Err(error) => self.abort(&error.to_string()),
        }
    }

    /// Reads the file once to name it. The same open file is rendered later: what was hashed is what is drawn.
    fn identify(&mut self, ctx: &mut Context<IntakeMsg>, delivery: Delivery) {
        self.arriving += 1;
        let request = delivery.request.clone();
        let blocking = self.services.settings.encoding.clone();
        ctx.pipe_blocking(
            &blocking,
            move || open_and_name(&request),
            |named| IntakeMsg::Identified(delivery, named),
        );
    }

    async fn admit(
        &mut self,
        ctx: &mut Context<IntakeMsg>,
        delivery: Delivery,
        named: Result<(DocumentId, File), String>,
    ) -> Outcome {
        self.arriving -= 1;
        let (id, file) = match named {
            Ok(_) if self.is_ending() => {
                self.give_back(ctx, delivery);
                return Ok(());
            }
            Ok(named) => named,
            Err(reason) => {
                self.refuse(ctx, delivery, reason).await;
                return Ok(());
            }
        };
        if let Some(running) = self.running.get_mut(&id) {
            running.deliveries.push(delivery); // the same content again: it joins, and is settled with it
            return Ok(());
        }
        self.report.documents += 1;
        let admission = Admission {
            delivery: delivery.clone(),
            id,
            file: Arc::new(file),
        };
        let (services, renderer, me) = (
            self.services.clone(),
            self.renderer.clone(),
            ctx.me().clone(),
        );
        let props = Props::new(move || Document::new(admission, services, renderer, me));
        let places = limits::DOCUMENT_MAILBOX.max(4 * self.services.settings.storers);
        let document = ctx.spawn(
            format!("document-{}", id.short()),
            props.mailbox(Mailbox::bounded(places)),
        )?;
        ctx.watch_with(&document, move |exit| IntakeMsg::DocumentEnded(id, exit));
        self.running.insert(
            id,
            Running {
                document,
                deliveries: vec![delivery],
                concluded: false,
            },
        );
        Ok(())
    }

    /// A file that cannot be read is a failed document, and no reason to end the run.
    async fn refuse(&mut self, ctx: &mut Context<IntakeMsg>, delivery: Delivery, reason: String) {
        self.report.documents += 1;
        self.report.documents_failed += 1;
        let name = delivery.request.name.clone();
        self.tell_unstarted(None, name, reason).await;
        self.settle(ctx, delivery);
    }

    fn conclude(
        &mut self,
        ctx: &mut Context<IntakeMsg>,
        id: DocumentId,
        end: &Conclusion,
        needs_ocr: u32,
    ) {
        let Some(running) = self.running.get_mut(&id) else {
            return;
        };
        running.concluded = true;
        let deliveries = std::mem::take(&mut running.deliveries);
        let count = |pages: usize| u32::try_from(pages).unwrap_or(u32::MAX);
        self.report.pages_stored += count(end.stored.len());
        self.report.pages_skipped += count(end.skipped.len());
        self.report.pages_failed += count(end.failed.len());
        self.report.pages_needing_ocr += needs_ocr;
        let settled = match end.status {
            DocumentStatus::Completed | DocumentStatus::Partial => {
                self.report.documents_completed += 1;
                true
            }
            DocumentStatus::Interrupted | DocumentStatus::Running => false,
            DocumentStatus::Failed => {
                self.report.documents_failed += 1;
                true
            }
        };
        for delivery in deliveries {
            if settled {
                self.settle(ctx, delivery);
            } else {
                self.give_back(ctx, delivery);
            }
        }
    }

    /// A document's actor that ends without a conclusion died of a mistake of ours: say so, and go on.
    async fn document_ended(&mut self, ctx: &mut Context<IntakeMsg>, id: DocumentId, exit: &Exit) {
        let Some(running) = self.running.remove(&id) else {
            return;
        };
        if !running.concluded {
            self.report.documents_failed += 1;
            let name = running
                .deliveries
                .first()
                .map(|delivery| delivery.request.name.clone())
                .unwrap_or_default();
            self.tell_unstarted(
                Some(id),
                name,
                format!("its run ended early: {}", exit_text(exit)),
            )
            .await;
        }
        for delivery in running.deliveries {
            self.settle(ctx, delivery);
        }
    }

    async fn tell_unstarted(&self, document: Option<DocumentId>, name: String, reason: String) {
        let news = Progress::Finished {
            document,
            name,
            folder: None,
            status: DocumentStatus::Failed,
            reason: Some(reason),
            pages: None,
            stored: 0,
            skipped: 0,
            failed: 0,
            needs_ocr: 0,
        };
        let _ = self.services.settings.progress.send(news).await;
    }

    fn settle(&self, ctx: &mut Context<IntakeMsg>, delivery: Delivery) {
        let source = self.services.settings.source.clone();
        ctx.pipe_to_self(
            async move { source.ack(delivery).await },
            IntakeMsg::Settled,
        );
    }

    fn give_back(&self, ctx: &mut Context<IntakeMsg>, delivery: Delivery) {
        let source = self.services.settings.source.clone();
        ctx.pipe_to_self(
            async move { source.nack(delivery).await },
            IntakeMsg::Settled,
        );
    }

    /// Pages in flight are still stored; the owner stops after the page it is at.
    async fn interrupt(&mut self) {
        self.report.interrupted = true;
        self.tell_all(&Event::Interrupted).await;
        self.renderer.stop();
    }

    /// Backwards shutdown: the storers end, so the owner's next reservation fails and it draws no more.
    async fn storage_lost(&mut self, reason: &str) {
        if self.report.aborted.is_some() {
            return;
        }
        self.abort(reason);
        self.tell_all(&Event::StorageLost {
            reason: reason.to_owned(),
        })
        .await;
        self.storers.stop();
    }

    fn renderer_ended(&mut self, exit: &Exit) {
        self.renderer_ended = true;
        if let Exit::Failed(failure) = exit {
            self.abort(&failure.to_string());
        }
    }

    async fn storers_ended(&mut self) {
        self.storers_ended = true;
        if !self.is_through() {
            self.storage_lost("the storers ended before the run was through")
                .await;
        }
    }

    /// The first reason stays.
    fn abort(&mut self, reason: &str) {
        self.report.aborted.get_or_insert_with(|| reason.to_owned());
    }

    async fn tell_all(&self, event: &Event) {
        for running in self.running.values() {
            // A document that is gone needs to hear nothing.
            let _ = running
                .document
                .send(DocumentMsg::Happened(event.clone()))
                .await;
        }
    }

    fn is_through(&self) -> bool {
        let idle = self.running.is_empty() && self.arriving == 0 && !self.pulling;
        idle && (self.source_is_dry || self.is_ending())
    }

    /// Forwards shutdown: no document is left, so the renderer drains, then the storers, then we end.
    fn end_when_through(&mut self, ctx: &mut Context<IntakeMsg>) {
        if !self.is_through() {
            return;
        }
        if !self.renderer_ended {
            self.renderer.drain();
        } else if !self.storers_ended {
            self.storers.drain();
        } else {
            let first = self.slot.set(self.report.clone()).is_ok();
            debug_assert!(first, "a run reports once");
            ctx.drain(); // what the source still has to take note of is awaited
        }
    }
}

fn open_and_name(request: &Request) -> Result<(DocumentId, File), String> {
    let said = |error: std::io::Error| format!("cannot be read: {error}");
    let mut file = File::open(&request.path).map_err(said)?;
    let id = DocumentId::of(&mut file, &request.options).map_err(said)?;
    file.seek(SeekFrom::Start(0)).map_err(said)?;
    Ok((id, file))
}
