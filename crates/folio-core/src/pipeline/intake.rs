//! The door: pulls requests while there is room, names each document, runs it as a child, and ends the run in order.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::sync::{Arc, OnceLock};

use playhouse::{
    Actor, ActorRef, Budget, Context, DispatcherRef, Exit, Mailbox, Outcome, Permit, Props,
    WorkPool,
};

use super::Services;
use super::bitmaps::Bitmaps;
use super::document::{Admission, Document, DocumentMsg, Stamp, count, exit_text};
use super::page::Rendered;
use super::progress::{Abort, Progress, RunReport};
use super::renderer::{Downstream, Extract, Renderer};
use super::storer::Storer;
use crate::job::{Conclusion, Event};
use crate::limits;
use crate::ports::{Delivery, DocumentStatus, SourceError};
use crate::request::{DocumentId, Request};

pub(super) enum IntakeMsg {
    /// The owner has loaded the engine.
    EngineReady,
    /// The source answered.
    Next(Result<Option<Delivery>, SourceError>),
    /// The file of a delivery was read and named, or could not be.
    Identified(Delivery, Result<(DocumentId, File, Stamp), String>),
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
    /// Reads and names files; beside the encoders, so that a large file keeps no page waiting.
    reading: DispatcherRef,
    running: HashMap<DocumentId, Running>,
    /// Between the source's answer and the document's start.
    arriving: usize,
    /// Deliveries that the source has not yet taken note of.
    settling: usize,
    engine_is_ready: bool,
    pulling: bool,
    source_is_dry: bool,
    storage_is_lost: bool,
    renderer_ended: bool,
    storers_ended: bool,
    report: RunReport,
    slot: Arc<OnceLock<RunReport>>,
}

/// A document under way.
struct Running {
    delivery: Delivery,
    /// The same document, asked for again meanwhile: begun when this run is over, when there is little left to do.
    waiting: VecDeque<Admission>,
    /// How its run ended, once it has.
    end: Option<DocumentStatus>,
    /// Places kept for what it must hear of, so that we never wait for it.
    interrupt: Option<Permit<DocumentMsg>>,
    storage_lost: Option<Permit<DocumentMsg>>,
}

impl Intake {
    pub(super) async fn start(
        ctx: &mut Context<IntakeMsg>,
        services: Arc<Services>,
        budget: Budget,
        slot: Arc<OnceLock<RunReport>>,
    ) -> Outcome<Self> {
        let settings = &services.settings;
        let (bitmaps, me) = (Bitmaps::default(), ctx.me().clone());
        let storer = Storer {
            services: services.clone(),
            bitmaps: bitmaps.clone(),
            intake: me.clone(),
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
        let owner = Props::blocking(move |_ctx| Renderer::new(&engine, downstream, me));
        let renderer = ctx.spawn(
            "renderer",
            owner.mailbox(Mailbox::bounded(limits::RENDERER_MAILBOX)),
        )?;
        ctx.watch_with(&renderer, IntakeMsg::RendererEnded);
        let reading = ctx.system().dispatcher("blocking")?;
        Ok(Self {
            services,
            renderer,
            storers,
            reading,
            running: HashMap::new(),
            arriving: 0,
            settling: 0,
            engine_is_ready: false,
            pulling: false,
            source_is_dry: false,
            storage_is_lost: false,
            renderer_ended: false,
            storers_ended: false,
            report: RunReport::default(),
            slot,
        })
    }
}

impl Actor for Intake {
    type Msg = IntakeMsg;

    async fn receive(&mut self, ctx: &mut Context<IntakeMsg>, msg: IntakeMsg) -> Outcome {
        match msg {
            IntakeMsg::EngineReady => self.engine_is_ready = true,
            IntakeMsg::Next(answer) => self.answered(ctx, answer),
            IntakeMsg::Identified(delivery, named) => self.identified(ctx, delivery, named).await?,
            IntakeMsg::Concluded { id, end, needs_ocr } => self.concluded(id, &end, needs_ocr),
            IntakeMsg::DocumentEnded(id, exit) => self.document_ended(ctx, id, &exit).await?,
            IntakeMsg::Settled(answer) => self.settled(answer),
            IntakeMsg::Interrupt => self.interrupt(),
            IntakeMsg::StorageLost(reason) => self.storage_lost(reason),
            IntakeMsg::RendererEnded(exit) => self.renderer_ended(&exit),
            IntakeMsg::StorersEnded => self.storers_ended(),
        }
        self.pull(ctx);
        self.end_when_through(ctx);
        Ok(())
    }
}

/// Requests in.
impl Intake {
    /// Asks the source for one more while there is room for it.
    fn pull(&mut self, ctx: &mut Context<IntakeMsg>) {
        let waiting: usize = self
            .running
            .values()
            .map(|running| running.waiting.len())
            .sum();
        let under_way = self.running.len() + waiting + self.arriving;
        let has_room = under_way < limits::DOCUMENTS_IN_FLIGHT;
        if !self.engine_is_ready
            || self.pulling
            || self.source_is_dry
            || self.is_ending()
            || !has_room
        {
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
            Err(error) => self.abort(Abort::Source(error.to_string())),
        }
    }

    /// Reads the file once to name it. The same open file is rendered later, so one put in its place by name changes nothing;
    /// one that is written to is found out at the end, by its stamp.
    fn identify(&mut self, ctx: &mut Context<IntakeMsg>, delivery: Delivery) {
        self.arriving += 1;
        let request = delivery.request.clone();
        ctx.pipe_blocking(
            &self.reading,
            move || open_and_name(&request),
            |named| IntakeMsg::Identified(delivery, named),
        );
    }

    async fn identified(
        &mut self,
        ctx: &mut Context<IntakeMsg>,
        delivery: Delivery,
        named: Result<(DocumentId, File, Stamp), String>,
    ) -> Outcome {
        self.arriving -= 1;
        match named {
            Ok((id, file, stamp)) => {
                let file = Arc::new(file);
                return self.admit(
                    ctx,
                    Admission {
                        delivery,
                        id,
                        file,
                        stamp,
                    },
                );
            }
            Err(_) if self.is_ending() => self.give_back(ctx, delivery),
            Err(reason) => {
                // A file that cannot be read is a failed document, and no reason to end the run.
                self.report.documents += 1;
                self.report.documents_failed += 1;
                self.tell_failed(None, &delivery, reason).await;
                self.acknowledge(ctx, delivery);
            }
        }
        Ok(())
    }

    fn admit(&mut self, ctx: &mut Context<IntakeMsg>, admission: Admission) -> Outcome {
        if self.is_ending() {
            self.give_back(ctx, admission.delivery);
            return Ok(());
        }
        let id = admission.id;
        if let Some(running) = self.running.get_mut(&id) {
            running.waiting.push_back(admission);
            return Ok(());
        }
        self.report.documents += 1;
        let delivery = admission.delivery.clone();
        let (services, renderer, me) = (
            self.services.clone(),
            self.renderer.clone(),
            ctx.me().clone(),
        );
        let props = Props::new(move || Document::new(admission, services, renderer, me));
        let places = limits::document_mailbox(self.services.settings.storers);
        let document = ctx.spawn(
            format!("document-{}", id.short()),
            props.mailbox(Mailbox::bounded(places)),
        )?;
        ctx.watch_with(&document, move |exit| IntakeMsg::DocumentEnded(id, exit));
        let (interrupt, storage_lost) = (document.try_reserve().ok(), document.try_reserve().ok());
        let running = Running {
            delivery,
            waiting: VecDeque::new(),
            end: None,
            interrupt,
            storage_lost,
        };
        self.running.insert(id, running);
        Ok(())
    }
}

/// Documents out.
impl Intake {
    fn concluded(&mut self, id: DocumentId, end: &Conclusion, needs_ocr: u32) {
        let Some(running) = self.running.get_mut(&id) else {
            return;
        };
        running.end = Some(end.status);
        self.report.pages_stored += count(&end.stored);
        self.report.pages_skipped += count(&end.skipped);
        self.report.pages_failed += u32::try_from(end.failed.len()).unwrap_or(u32::MAX);
        self.report.pages_needing_ocr += needs_ocr;
        match end.status {
            DocumentStatus::Completed | DocumentStatus::Partial => {
                self.report.documents_completed += 1
            }
            DocumentStatus::Failed => self.report.documents_failed += 1,
            DocumentStatus::Interrupted | DocumentStatus::Running => {}
        }
    }

    /// The document's run is over and its name is free. What the run could not finish goes back to the source.
    async fn document_ended(
        &mut self,
        ctx: &mut Context<IntakeMsg>,
        id: DocumentId,
        exit: &Exit,
    ) -> Outcome {
        let Some(running) = self.running.remove(&id) else {
            return Ok(());
        };
        if running.end.is_none() {
            // It died of a mistake of ours: say so, and go on.
            self.report.documents_failed += 1;
            self.tell_failed(
                Some(id),
                &running.delivery,
                format!("its run ended early: {}", exit_text(exit)),
            )
            .await;
        }
        let for_good = match running.end {
            Some(DocumentStatus::Completed | DocumentStatus::Partial) => true,
            Some(DocumentStatus::Failed) => self.report.aborted.is_none(),
            Some(DocumentStatus::Interrupted | DocumentStatus::Running) | None => false,
        };
        if for_good {
            self.acknowledge(ctx, running.delivery);
        } else {
            self.give_back(ctx, running.delivery);
        }
        for admission in running.waiting {
            self.admit(ctx, admission)?;
        }
        Ok(())
    }

    async fn tell_failed(&self, document: Option<DocumentId>, delivery: &Delivery, reason: String) {
        let news = Progress::finished(
            document,
            delivery.request.name.clone(),
            None,
            &Conclusion::failed(reason),
            0,
        );
        let _ = self.services.settings.progress.send(news).await;
    }

    fn acknowledge(&mut self, ctx: &mut Context<IntakeMsg>, delivery: Delivery) {
        self.settling += 1;
        let source = self.services.settings.source.clone();
        ctx.pipe_to_self(
            async move { source.ack(delivery).await },
            IntakeMsg::Settled,
        );
    }

    fn give_back(&mut self, ctx: &mut Context<IntakeMsg>, delivery: Delivery) {
        self.settling += 1;
        let source = self.services.settings.source.clone();
        ctx.pipe_to_self(
            async move { source.nack(delivery).await },
            IntakeMsg::Settled,
        );
    }

    fn settled(&mut self, answer: Result<(), SourceError>) {
        self.settling -= 1;
        if let Err(error) = answer {
            self.abort(Abort::Source(error.to_string()));
        }
    }
}

/// The end.
impl Intake {
    fn is_ending(&self) -> bool {
        self.report.interrupted || self.report.aborted.is_some()
    }

    /// The first reason stays.
    fn abort(&mut self, why: Abort) {
        self.report.aborted.get_or_insert(why);
    }

    /// Pages in flight are still stored; the owner stops after the page it is at.
    fn interrupt(&mut self) {
        self.report.interrupted = true;
        for place in self
            .running
            .values_mut()
            .filter_map(|running| running.interrupt.take())
        {
            place.send(DocumentMsg::Happened(Event::Interrupted));
        }
        self.renderer.stop();
    }

    /// Backwards shutdown: the storers end, so the owner's next reservation fails and it draws no more.
    fn storage_lost(&mut self, reason: String) {
        if std::mem::replace(&mut self.storage_is_lost, true) {
            return;
        }
        for place in self
            .running
            .values_mut()
            .filter_map(|running| running.storage_lost.take())
        {
            place.send(DocumentMsg::Happened(Event::StorageLost {
                reason: reason.clone(),
            }));
        }
        self.abort(Abort::Storage(reason));
        self.storers.stop();
    }

    fn renderer_ended(&mut self, exit: &Exit) {
        self.renderer_ended = true;
        match exit {
            Exit::Failed(failure) if self.engine_is_ready => {
                self.abort(Abort::Renderer(failure.to_string()))
            }
            Exit::Failed(failure) => self.abort(Abort::Engine(failure.to_string())),
            _ => {}
        }
    }

    fn storers_ended(&mut self) {
        self.storers_ended = true;
        if !self.is_through() {
            self.storage_lost("the storers ended before the run was through".to_owned());
        }
    }

    fn is_through(&self) -> bool {
        let idle =
            self.running.is_empty() && self.arriving == 0 && self.settling == 0 && !self.pulling;
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
        } else if self.slot.set(self.report.clone()).is_ok() {
            ctx.stop();
        }
    }
}

fn open_and_name(request: &Request) -> Result<(DocumentId, File, Stamp), String> {
    let said = |error: std::io::Error| {
        format!("cannot be read: {error}; check the file and its permissions")
    };
    let mut file = File::open(&request.path).map_err(said)?;
    let stamp = Stamp::of(&file).map_err(said)?;
    let id = DocumentId::of(&mut file, &request.options).map_err(said)?;
    file.seek(SeekFrom::Start(0)).map_err(said)?;
    Ok((id, file, stamp))
}
