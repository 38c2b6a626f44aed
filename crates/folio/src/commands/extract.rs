//! `folio extract`: the main job.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use folio_core::limits::{PAGE_DEADLINE, default_budget};
use folio_core::pages::PageSelection;
use folio_core::pipeline::{self, Abort, Progress, Run, RunReport, Settings};
use folio_core::ports::memory::RequestList;
use folio_core::request::{Colour, Options, Password, Request};
use playhouse::{ActorRef, ActorSystem, Dispatcher, Mailbox, Props};

use crate::adapters::{folder::FolderStore, sqlite::SqliteCatalog};
use crate::cli;
use crate::engine;
use crate::exit::{self, CannotStart, Ending};
use crate::inputs::{self, Found, Input};
use crate::limits::{INTERRUPT_PATIENCE, JOBS_DEFAULT_MAX, REPORTER_MAILBOX};
use crate::output_folder::{self, OutputFolder};
use crate::report::summary::{Asked, summarise};
use crate::report::{Human, Json, Lost, Reporter};
use crate::signals::Signals;
use crate::voice::say;

pub(crate) fn run(arguments: &cli::Extract) -> Result<Ending, CannotStart> {
    let password = engine::password(
        arguments.password_file.as_ref(),
        arguments.password_env.as_deref(),
    )?;
    let found = inputs::find(&arguments.inputs, &output_folder::spool(&arguments.out));
    if found.inputs.is_empty() {
        return Err(CannotStart(found.problems.join("\nfolio: ")));
    }
    let library = engine::find(&arguments.engine)?;
    let out = OutputFolder::take(&arguments.out)?;
    if found.reads_standard_input() {
        keep_standard_input(&out)?;
    }
    for problem in &found.problems {
        say(problem);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(CannotStart::because)?;
    let began = Instant::now();
    let requests = requests(arguments, &found, password.as_ref());
    let (report, lost) = runtime.block_on(extract(arguments, &out, &library.path, requests))?;
    if let Some(Abort::Engine(reason)) = &report.aborted {
        return Err(CannotStart(format!(
            "{reason}; name another with --pdfium, or run `folio setup`"
        )));
    }
    let asked = Asked {
        documents: found.inputs.len(),
        problems: &found.problems,
        out: out.root(),
        took: began.elapsed(),
    };
    let written = summarise(arguments, &report, &asked);
    let lost = lost
        .get()
        .map(ToString::to_string)
        .or(written.err().map(|error| error.to_string()));
    if let Some(error) = &lost {
        say(format!(
            "folio: standard output lost some of the JSON lines: {error}; everything is in {}",
            out.root().display()
        ));
    }
    Ok(match report {
        RunReport {
            interrupted: true,
            aborted: None,
            ..
        } => Ending::Interrupted,
        report if report.is_complete() && found.problems.is_empty() && lost.is_none() => {
            Ending::Complete
        }
        _ => Ending::SomeFailed,
    })
}

fn keep_standard_input(out: &OutputFolder) -> Result<(), CannotStart> {
    if io::stdin().is_terminal() {
        say("folio: reading a PDF from standard input");
    }
    inputs::keep_standard_input(&out.spool()).map_err(|error| {
        CannotStart(format!("standard input cannot be kept in {}: {error}; make room or choose another folder with --out", out.root().display()))
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
) -> Result<(RunReport, Lost), CannotStart> {
    let mut signals = Signals::new().map_err(CannotStart::because)?;
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
        CannotStart(format!("the output folder {} cannot be used: {error}; make it writable or choose another with --out", out.root().display()))
    })?;
    let lost = Lost::default();
    let reporter = reporter(arguments, &system, out, lost.clone())?;
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
    let ending = async {
        let report = run.ended().await;
        reporter.drain();
        reporter.terminated().await;
        system.shutdown().await;
        catalog.close().await;
        report
    };
    Ok((until_ended(ending, &run, &mut signals).await, lost))
}

fn reporter(
    arguments: &cli::Extract,
    system: &ActorSystem,
    out: &OutputFolder,
    lost: Lost,
) -> Result<ActorRef<Progress>, CannotStart> {
    let (json, quiet, root) = (arguments.json, arguments.quiet, out.root().to_owned());
    let reporter = Props::blocking(move |_ctx| {
        Ok(Reporter::new(
            json.then(|| Json::new(root)),
            Human::for_standard_error(quiet),
            lost,
        ))
    });
    system
        .spawn(
            "reporter",
            reporter.mailbox(Mailbox::bounded(REPORTER_MAILBOX)),
        )
        .map_err(CannotStart::because)
}

fn default_jobs() -> usize {
    thread::available_parallelism()
        .map_or(1, usize::from)
        .min(JOBS_DEFAULT_MAX)
}

/// Waits for the end. The first signal ends the run in order, the second at once.
async fn until_ended(
    ending: impl Future<Output = RunReport>,
    run: &Run,
    signals: &mut Signals,
) -> RunReport {
    let mut ending = pin!(ending);
    tokio::select! {
        report = &mut ending => return report,
        () = signals.next() => {}
    }
    say("folio: finishing the pages in flight; once more to end at once");
    run.interrupt();
    tokio::select! {
        report = &mut ending => return report,
        () = signals.next() => {}
        () = tokio::time::sleep(INTERRUPT_PATIENCE) => say("folio: a page in flight does not end; it will be done again"),
    }
    std::process::exit(i32::from(exit::INTERRUPTED))
}
