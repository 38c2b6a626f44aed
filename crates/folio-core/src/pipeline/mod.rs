//! The life of a page, as actors.
//!
//! ```text
//!   request source                                              progress
//!        │ next / ack                                              ▲
//!        ▼                                                         │
//!     intake ──spawns──▶ document (one per request, runs job.rs) ──┘
//!        │                  │  ▲  ▲
//!        │          Extract │  │  │ page stored / failed
//!        │                  ▼  │  │
//!        ├─ owns ─▶  renderer ─┘  │        one thread, one PDFium, one open per document
//!        │              │         │
//!        │              │ reserve bytes, reserve a place, draw, send
//!        │              ▼         │
//!        └─ owns ─▶  storers ─────┘        a fixed pool that pulls: encode, put, record, complete
//! ```
//!
//! No channel points back at the renderer: it learns that nobody wants its pages when a place cannot be had. Shutdown
//! runs in both directions. Forwards: the source is dry → the renderer drains → the storers drain → the report.
//! Backwards: the store is lost → intake stops the storers → the renderer's next reservation fails → it draws no more.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use playhouse::{ActorRef, ActorSystem, Budget, DispatcherRef, Mailbox, Props, SpawnError};

use crate::limits;
use crate::ports::{BlobStore, Catalog, RequestSource};

mod bitmaps;
mod document;
mod gauges;
mod intake;
mod page;
mod progress;
mod renderer;
mod storer;
mod trouble;

pub use gauges::Gauges;
pub use progress::{Abort, Progress, RunReport};
pub use renderer::open_failure;

use intake::{Intake, IntakeMsg};

/// What a run is made of.
#[derive(Clone)]
pub struct Settings {
    /// The PDFium library.
    pub engine: PathBuf,
    /// Where files go.
    pub blobs: Arc<dyn BlobStore>,
    /// Where the record is.
    pub catalog: Arc<dyn Catalog>,
    /// Where requests come from.
    pub source: Arc<dyn RequestSource>,
    /// Who hears of every document and page. A slow listener slows the run; a dead one does not.
    pub progress: ActorRef<Progress>,
    /// Threads for encoding, as many as there are storers.
    pub encoding: DispatcherRef,
    /// Pages that are encoded and stored at the same time, at least 1.
    pub storers: usize,
    /// Bytes of bitmap in flight at most; a page above it runs alone. See [`limits::default_budget`].
    pub budget_bytes: usize,
    /// How long one page may render.
    pub page_deadline: Duration,
}

/// What every actor of the pipeline shares.
struct Services {
    settings: Settings,
    gauges: Arc<Gauges>,
}

/// A run under way. Dropping it ends nothing.
pub struct Run {
    intake: ActorRef<IntakeMsg>,
    report: Arc<OnceLock<RunReport>>,
    gauges: Arc<Gauges>,
}

/// Starts the pipeline on `system` and lets it pull from the source until that is dry.
///
/// # Errors
/// When the system is stopping, or runs a pipeline already: there is one owner of the engine in a process.
pub fn start(system: &ActorSystem, settings: Settings) -> Result<Run, SpawnError> {
    assert!(
        settings.storers > 0,
        "a pipeline without storers stores nothing"
    );
    let gauges = Arc::new(Gauges::default());
    let report = Arc::new(OnceLock::new());
    let services = Arc::new(Services {
        settings,
        gauges: gauges.clone(),
    });
    let slot = report.clone();
    let budget = Budget::new(services.settings.budget_bytes);
    let props = Props::setup(async move |ctx| Intake::start(ctx, services, budget, slot).await);
    let intake = system.spawn(
        "intake",
        props.mailbox(Mailbox::bounded(limits::INTAKE_MAILBOX)),
    )?;
    Ok(Run {
        intake,
        report,
        gauges,
    })
}

impl Run {
    /// Ends the run early: pages in flight are stored, nothing new is begun. Returns at once.
    pub fn interrupt(&self) {
        self.intake.tell(IntakeMsg::Interrupt);
    }

    /// Waits for the end. Cancel safe.
    pub async fn ended(&self) -> RunReport {
        let exit = self.intake.terminated().await;
        let died = || RunReport {
            aborted: Some(Abort::Internal(format!(
                "the intake ended without a report: {exit:?}"
            ))),
            ..RunReport::default()
        };
        self.report.get().cloned().unwrap_or_else(died)
    }

    /// The run's meters.
    pub fn gauges(&self) -> &Gauges {
        &self.gauges
    }
}
