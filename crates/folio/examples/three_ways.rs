//! Three ways to give one PDF to many workers, and what each costs: `cargo run --release --example three_ways FILE`.
//!
//! 1. **open per page**: each worker opens the document for each page, behind a lock, since PDFium is not re-entrant;
//! 2. **lock**: the document is opened once, and the workers take turns at it: each asks for a page, waits, encodes;
//! 3. **owner**: one actor owns the document, draws ahead in order and pushes pages to a pool, within a byte budget.
//!
//! In our types the engine cannot be locked by many threads, because it cannot leave its own. So the lock of the first
//! two is a thread that does one caller's work at a time while that caller waits: the same exclusion, made explicit.

use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use folio_core::encode::encode;
use folio_core::request::Options;
use folio_pdf::library::{Environment, Fetcher, Locator, Network, Pin, Tool, obtain};
use folio_pdf::{Bitmap, Document, PageText, Pdfium};
use playhouse::prelude::*;
use playhouse::{Budget, Job, Share, WorkPool};

const WORKERS: usize = 2;
const PAGES_MAX: u32 = 200;
const BUDGET_BYTES: usize = 5 * 9_000_000;

type Drawn = (Bitmap, PageText);
/// Work for the one thread that may touch the engine.
type Turn = Box<dyn FnOnce(&Pdfium, &mut Option<Document>) + Send>;

/// What one way cost.
struct Cost {
    opens: u64,
    parsing: Duration,
    pages: u32,
    cpu: Duration,
    wall: Duration,
}

fn main() -> Result<(), Box<dyn Error>> {
    let Some(file) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return Err("name a PDF: cargo run --release --example three_ways FILE".into());
    };
    let locator = Locator::new(
        Environment::of_this_process(),
        std::env::var_os("FOLIO_PDFIUM").map(Into::into),
    );
    let fetcher = Fetcher::new(Tool::usual(), Pin::of_this_platform());
    let library = obtain(&locator, &fetcher, Network::Allowed, &mut |line| {
        eprintln!("{line}")
    })?
    .path;

    println!(
        "{:<16}{:>8}{:>14}{:>16}{:>12}",
        "way", "opens", "parsing ms", "CPU ms/page", "pages/s"
    );
    show("open per page", &by_turns(&library, &file, true)?);
    show("lock", &by_turns(&library, &file, false)?);
    show("owner", &by_owner(&library, &file)?);
    Ok(())
}

fn show(way: &str, cost: &Cost) {
    let pages = f64::from(cost.pages);
    println!(
        "{way:<16}{:>8}{:>14.1}{:>16.2}{:>12.1}",
        cost.opens,
        cost.parsing.as_secs_f64() * 1e3,
        cost.cpu.as_secs_f64() * 1e3 / pages,
        pages / cost.wall.as_secs_f64()
    );
}

/// Ways 1 and 2: workers take turns at the engine.
fn by_turns(library: &Path, file: &Path, open_per_page: bool) -> Result<Cost, Box<dyn Error>> {
    let meter = Meter::start();
    let (turns, waiting) = channel::<Turn>();
    let library = library.to_owned();
    let owner = thread::spawn(move || -> Result<(), String> {
        let pdfium = Pdfium::load(&library).map_err(|error| error.to_string())?;
        let mut document = None;
        waiting
            .into_iter()
            .for_each(|turn| turn(&pdfium, &mut document));
        Ok(())
    });
    let parsing = Arc::new(std::sync::Mutex::new(Duration::ZERO));
    let pages = in_turn(&turns, file, parsing.clone(), false, |document| {
        Ok(document.page_count().min(PAGES_MAX))
    })?;
    let next = AtomicU32::new(0);
    thread::scope(|scope| -> Result<(), String> {
        let worker = || -> Result<(), String> {
            loop {
                let index0 = next.fetch_add(1, Relaxed);
                if index0 >= pages {
                    return Ok(());
                }
                let (bitmap, text) = in_turn(
                    &turns,
                    file,
                    parsing.clone(),
                    open_per_page,
                    move |document| draw(document, index0),
                )?;
                finish(&bitmap, &text)?;
            }
        };
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| "a worker panicked".to_owned())?)
    })?;
    drop(turns);
    owner.join().map_err(|_| "the engine's thread panicked")??;
    let parsing = *parsing.lock().map_err(|error| error.to_string())?;
    Ok(meter.stop(parsing, pages))
}

/// Waits for the engine, has `work` done with the document, gives the engine back.
fn in_turn<T: Send + 'static>(
    turns: &Sender<Turn>,
    file: &Path,
    parsing: Arc<std::sync::Mutex<Duration>>,
    reopen: bool,
    work: impl FnOnce(&Document) -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let (answer, answered) = sync_channel(1);
    let file = file.to_owned();
    let turn: Turn = Box::new(move |pdfium, document| {
        let done = (|| {
            if reopen || document.is_none() {
                *document = None;
                let began = Instant::now();
                *document = Some(open(pdfium, &file)?);
                *parsing.lock().map_err(|error| error.to_string())? += began.elapsed();
            }
            work(document.as_ref().ok_or("no document")?)
        })();
        let _ = answer.send(done); // a worker that failed meanwhile waits no more
    });
    turns
        .send(turn)
        .map_err(|_| "the engine's thread is gone")?;
    answered.recv().map_err(|_| "the engine's thread is gone")?
}

/// Way 3: the owner draws ahead, as far as places and bytes allow.
fn by_owner(library: &Path, file: &Path) -> Result<Cost, Box<dyn Error>> {
    let meter = Meter::start();
    let system = ActorSystem::builder("three-ways")
        .dispatcher("encoding", Dispatcher::fixed(WORKERS))
        .build()?;
    let encoding = system.dispatcher("encoding")?;
    let pool =
        WorkPool::new(WORKERS, Props::new(|| Encoder).dispatcher(&encoding)).waiting(WORKERS);
    let encoders = system.spawn("encoders", pool)?;
    let (library, file, budget) = (
        library.to_owned(),
        file.to_owned(),
        Budget::new(BUDGET_BYTES),
    );
    let owner = system.spawn(
        "owner",
        Props::blocking(move |_ctx| {
            Ok(Owner {
                pdfium: Pdfium::load(&library)?,
                file,
                encoders,
                budget,
            })
        }),
    )?;
    let (pages, parsing) = owner.ask(DrawAll).blocking_within(secs(3600))?;
    owner.drain();
    let report = system.blocking_shutdown();
    assert_eq!(report.ledger.balance(), 0, "every message is accounted for");
    Ok(meter.stop(parsing, pages))
}

struct DrawAll(Reply<(u32, Duration)>);
struct Owner {
    pdfium: Pdfium,
    file: PathBuf,
    encoders: ActorRef<(Drawn, Share)>,
    budget: Budget,
}
impl BlockingActor for Owner {
    type Msg = DrawAll;
    fn receive(&mut self, _ctx: &mut Context<DrawAll>, DrawAll(done): DrawAll) -> Outcome {
        let began = Instant::now();
        let document = open(&self.pdfium, &self.file)?;
        let parsing = began.elapsed();
        let pages = document.page_count().min(PAGES_MAX);
        for index0 in 0..pages {
            let (width, height) = document.page(index0)?.pixel_size(Options::default().dpi)?;
            let share = self
                .budget
                .blocking_take(width as usize * height as usize * 4)?;
            let place = self.encoders.blocking_reserve()?;
            place.send((draw(&document, index0)?, share));
        }
        self.encoders.drain();
        done.send((pages, parsing));
        Ok(())
    }
}

struct Encoder;
impl Actor for Encoder {
    type Msg = Job<(Drawn, Share)>;
    async fn receive(&mut self, _ctx: &mut Context<Self::Msg>, job: Self::Msg) -> Outcome {
        let ((drawn, share), ticket) = job.split();
        finish(&drawn.0, &drawn.1)?;
        drop((drawn, share));
        ticket.done();
        Ok(())
    }
}

fn open(pdfium: &Pdfium, file: &Path) -> Result<Document, String> {
    let handle = File::open(file).map_err(|error| format!("{}: {error}", file.display()))?;
    pdfium
        .open(handle, None)
        .map_err(|error| format!("{}: {error}", file.display()))
}

fn draw(document: &Document, index0: u32) -> Result<Drawn, String> {
    let mut bitmap = Bitmap::new();
    let mut page = document.page(index0).map_err(|error| error.to_string())?;
    page.render(Options::default().dpi, &mut bitmap, &mut || false)
        .map_err(|error| error.to_string())?;
    let text = page.text().map_err(|error| error.to_string())?;
    Ok((bitmap, text))
}

/// What a worker does without the engine.
fn finish(bitmap: &Bitmap, text: &PageText) -> Result<(), String> {
    let image = encode(bitmap, &Options::default()).map_err(|error| error.to_string())?;
    std::hint::black_box((image, text.chars.len()));
    Ok(())
}

struct Meter {
    began: Instant,
    cpu: Duration,
    opens: u64,
}
impl Meter {
    fn start() -> Self {
        Self {
            began: Instant::now(),
            cpu: cpu_time(),
            opens: folio_pdf::counters().documents_opened,
        }
    }
    fn stop(self, parsing: Duration, pages: u32) -> Cost {
        let opens = folio_pdf::counters().documents_opened - self.opens;
        Cost {
            opens,
            parsing,
            pages,
            cpu: cpu_time() - self.cpu,
            wall: self.began.elapsed(),
        }
    }
}

/// User and system time of this process, from Linux's own account of it; elsewhere zero.
fn cpu_time() -> Duration {
    /// Fields 14 and 15 of `/proc/self/stat`, counted after the name in parentheses, in hundredths of a second.
    const USER_AND_SYSTEM: std::ops::Range<usize> = 11..13;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let ticks = fields
        .get(USER_AND_SYSTEM)
        .unwrap_or_default()
        .iter()
        .filter_map(|field| field.parse::<u64>().ok())
        .sum::<u64>();
    Duration::from_millis(ticks * 10)
}
