//! `folio extract`: the main job.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use folio_core::limits::{PAGE_DEADLINE, default_budget};
use folio_core::pages::PageSelection;
use folio_core::pipeline::{self, Run, RunReport, Settings};
use folio_core::ports::memory::RequestList;
use folio_core::request::{Colour, Options, Password, Request};
use playhouse::{ActorSystem, Dispatcher, Mailbox, Props};

use crate::adapters::{folder::FolderStore, sqlite::SqliteCatalog};
use crate::cli;
use crate::engine;
use crate::exit::{self, CannotStart, Ending};
use crate::inputs::{self, Found, Input};
use crate::limits::{JOBS_DEFAULT_MAX, REPORTER_MAILBOX};
use crate::output_folder::OutputFolder;
use crate::report::{Human, Json, Reporter, Style, json, plural};

pub(crate) fn run(arguments: &cli::Extract) -> Result<Ending, CannotStart> {
    let password = engine::password(
        arguments.password_file.as_ref(),
        arguments.password_env.as_deref(),
    )?;
    let out = OutputFolder::take(&arguments.out)?;
    let found = inputs::find(&arguments.inputs, &out.spool());
    if found.inputs.is_empty() {
        return Err(CannotStart(found.problems.join("\nfolio: ")));
    }
    let library = engine::find(&arguments.engine)?;
    for problem in &found.problems {
        eprintln!("{problem}");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(CannotStart::because)?;
    let began = Instant::now();
    let requests = requests(arguments, &found, password.as_ref());
    let report = runtime.block_on(extract(arguments, &out, &library.path, requests))?;
    summarise(
        arguments,
        &report,
        &found.problems,
        out.root(),
        began.elapsed(),
    );
    Ok(match report {
        RunReport {
            interrupted: true,
            aborted: None,
            ..
        } => Ending::Interrupted,
        report if report.is_complete() && found.problems.is_empty() => Ending::Complete,
        _ => Ending::SomeFailed,
    })
}

fn requests(arguments: &cli::Extract, found: &Found, password: Option<&Password>) -> Vec<Request> {
    let options = Options {
        dpi: arguments.dpi,
        image: arguments.image,
        quality: arguments.quality,
        colour: if arguments.no_grey {
            Colour::Always
        } else {
            Colour::Auto
        },
    };
    let request = |input: &Input| Request {
        name: input.name.clone(),
        stem: input.stem.clone(),
        path: input.path.clone(),
        options,
        password: password.cloned(),
        pages: arguments.pages.clone().unwrap_or_else(PageSelection::all),
        force: arguments.force,
    };
    found.inputs.iter().map(request).collect()
}

async fn extract(
    arguments: &cli::Extract,
    out: &OutputFolder,
    library: &Path,
    requests: Vec<Request>,
) -> Result<RunReport, CannotStart> {
    let storers = arguments.jobs.unwrap_or_else(default_jobs);
    let system = ActorSystem::builder("folio")
        .dispatcher("encoding", Dispatcher::fixed(storers))
        .build()
        .map_err(CannotStart::because)?;
    let catalog = Arc::new(
        SqliteCatalog::open(&out.catalog())
            .await
            .map_err(CannotStart::because)?,
    );
    let blobs = FolderStore::new(out.root(), &out.aside()).map_err(|error| {
        CannotStart(format!(
            "the output folder {} cannot be used: {error}",
            out.root().display()
        ))
    })?;

    let (json, quiet, root) = (arguments.json, arguments.quiet, out.root().to_owned());
    let style = if io::stderr().is_terminal() {
        Style::Bars
    } else {
        Style::Lines
    };
    let reporter = move || {
        Reporter::new(
            json.then(|| Json::new(root)),
            (!quiet).then(|| Human::new(style)),
        )
    };
    let reporter = system
        .spawn(
            "reporter",
            Props::new(reporter).mailbox(Mailbox::bounded(REPORTER_MAILBOX)),
        )
        .map_err(CannotStart::because)?;

    let settings = Settings {
        engine: library.to_owned(),
        blobs: Arc::new(blobs),
        catalog: catalog.clone(),
        source: Arc::new(RequestList::new(requests)),
        progress: reporter.clone(),
        encoding: system
            .dispatcher("encoding")
            .map_err(CannotStart::because)?,
        storers,
        budget_bytes: default_budget(storers),
        page_deadline: PAGE_DEADLINE,
    };
    let run = pipeline::start(&system, settings).map_err(CannotStart::because)?;
    let report = until_ended(&run).await?;
    reporter.drain();
    reporter.terminated().await;
    system.shutdown().await;
    catalog.close().await;
    Ok(report)
}

fn default_jobs() -> usize {
    thread::available_parallelism()
        .map_or(1, usize::from)
        .min(JOBS_DEFAULT_MAX)
}

/// Waits for the run. The first signal ends it in order, the second at once.
async fn until_ended(run: &Run) -> Result<RunReport, CannotStart> {
    let mut signals = Signals::new().map_err(CannotStart::because)?;
    tokio::select! {
        report = run.ended() => return Ok(report),
        () = signals.next() => {}
    }
    eprintln!(
        "folio: finishing the pages in flight; once more to end at once. Run the same command again to go on from here."
    );
    run.interrupt();
    tokio::select! {
        report = run.ended() => Ok(report),
        () = signals.next() => std::process::exit(i32::from(exit::INTERRUPTED)),
    }
}

/// Ctrl-C, and the polite kill of service managers.
struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl Signals {
    #[cfg(unix)]
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    #[cfg(not(unix))]
    fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        // Without a handler the system ends the process on Ctrl-C, which loses nothing that is completed.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// The end of the story; its last line is the output folder.
fn summarise(
    arguments: &cli::Extract,
    report: &RunReport,
    problems: &[String],
    out: &Path,
    took: Duration,
) {
    if arguments.json {
        // A closed standard output is nobody listening.
        let _ = json::summary(report, problems, out, took);
    }
    if let Some(reason) = &report.aborted {
        eprintln!("folio: the run could not go on: {reason}");
    }
    if arguments.quiet {
        return;
    }
    if report.documents > 1 || !problems.is_empty() {
        let failed = report.documents - report.documents_completed;
        let rest = if failed == 0 {
            String::new()
        } else {
            format!(", {failed} not completed")
        };
        eprintln!(
            "{}: {} completed{rest}",
            plural(report.documents, "document"),
            report.documents_completed
        );
    }
    let mut pages = format!(
        "{} done in {:.1} s",
        plural(report.pages_stored, "page"),
        took.as_secs_f64()
    );
    for (count, what) in [
        (report.pages_skipped, "were there already"),
        (report.pages_failed, "failed"),
        (report.pages_needing_ocr, "need OCR"),
    ] {
        if count > 0 {
            pages.push_str(&format!(", {count} {what}"));
        }
    }
    eprintln!("{pages}");
    if !report.is_complete() {
        eprintln!("Run the same command again to do what is missing.");
    }
    eprintln!("{}", out.display());
}
