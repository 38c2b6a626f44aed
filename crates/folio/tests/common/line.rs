//! The pipeline in this process, on ports of the test's choosing, with the real engine.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use folio_core::pages::PageSelection;
use folio_core::pipeline::{self, Progress, Run, RunReport, Settings};
use folio_core::ports::memory::{MemoryBlobs, MemoryCatalog, RequestList};
use folio_core::ports::{BlobStore, Catalog, PortFuture, StoreError};
use folio_core::request::{Options, Request};
use folio_pdf::library::{Environment, Fetcher, Locator, Network, Pin, Tool, obtain};
use playhouse::{Actor, ActorSystem, Context, Dispatcher, Outcome};

/// What a test may choose.
pub(crate) struct Line {
    pub(crate) blobs: Arc<dyn BlobStore>,
    pub(crate) catalog: Arc<dyn Catalog>,
    pub(crate) storers: usize,
    pub(crate) budget_bytes: usize,
    pub(crate) page_deadline: Duration,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            blobs: Arc::new(MemoryBlobs::default()),
            catalog: Arc::new(MemoryCatalog::default()),
            storers: 2,
            budget_bytes: folio_core::limits::default_budget(2),
            page_deadline: Duration::from_secs(60),
        }
    }
}

/// A line at work.
pub(crate) struct Started {
    pub(crate) run: Run,
    pub(crate) system: ActorSystem,
    news: Arc<Mutex<Vec<Progress>>>,
}

struct Listener(Arc<Mutex<Vec<Progress>>>);
impl Actor for Listener {
    type Msg = Progress;
    async fn receive(&mut self, _ctx: &mut Context<Progress>, news: Progress) -> Outcome {
        self.0.lock().unwrap().push(news);
        Ok(())
    }
}

impl Line {
    pub(crate) fn start(self, requests: Vec<Request>) -> Started {
        let system = ActorSystem::builder("test")
            .dispatcher("encoding", Dispatcher::fixed(self.storers))
            .build()
            .unwrap();
        let news = Arc::new(Mutex::new(Vec::new()));
        let heard = news.clone();
        let settings = Settings {
            engine: library(),
            blobs: self.blobs,
            catalog: self.catalog,
            source: Arc::new(RequestList::new(requests)),
            progress: system.spawn("listener", move || Listener(heard)).unwrap(),
            encoding: system.dispatcher("encoding").unwrap(),
            storers: self.storers,
            budget_bytes: self.budget_bytes,
            page_deadline: self.page_deadline,
        };
        Started {
            run: pipeline::start(&system, settings).unwrap(),
            system,
            news,
        }
    }
}

impl Started {
    /// Waits for the end; asserts that no message was lost on the way.
    pub(crate) async fn end(self) -> (RunReport, Vec<Progress>) {
        let report = self.run.ended().await;
        let shutdown = self.system.shutdown().await;
        assert_eq!(shutdown.ledger.balance(), 0, "{shutdown:?}");
        assert!(shutdown.still_alive.is_empty(), "{shutdown:?}");
        let news = std::mem::take(&mut *self.news.lock().unwrap());
        (report, news)
    }
}

/// The engine, found or fetched.
pub(crate) fn library() -> std::path::PathBuf {
    let explicit = std::env::var_os("FOLIO_PDFIUM").map(Into::into);
    let locator = Locator::new(Environment::of_this_process(), explicit);
    let fetcher = Fetcher::new(Tool::usual(), Pin::of_this_platform());
    obtain(&locator, &fetcher, Network::Allowed, &mut |line| {
        eprintln!("{line}")
    })
    .expect("PDFium")
    .path
}

/// A request for the file at `path`, with every default.
pub(crate) fn request(path: &std::path::Path) -> Request {
    Request {
        name: path.display().to_string(),
        stem: path.file_stem().unwrap().to_string_lossy().into_owned(),
        path: path.to_owned(),
        options: Options::default(),
        password: None,
        pages: PageSelection::all(),
        force: false,
    }
}

/// A store that asks the test before it stores.
pub(crate) struct Guarded<F> {
    pub(crate) inner: MemoryBlobs,
    pub(crate) before: F,
}

impl<F, Fut> BlobStore for Guarded<F>
where
    F: Fn(String) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<(), StoreError>> + Send + 'static,
{
    fn put<'a>(&'a self, key: &'a str, bytes: Vec<u8>) -> PortFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            (self.before)(key.to_owned()).await?;
            self.inner.put(key, bytes).await
        })
    }
    fn get<'a>(&'a self, key: &'a str) -> PortFuture<'a, Result<Option<Vec<u8>>, StoreError>> {
        self.inner.get(key)
    }
    fn size<'a>(&'a self, key: &'a str) -> PortFuture<'a, Result<Option<u64>, StoreError>> {
        self.inner.size(key)
    }
}
