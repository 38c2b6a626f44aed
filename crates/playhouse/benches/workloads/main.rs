//! One sample of one workload: `workloads NAME SIDE OPERATIONS [--workers N]` prints one JSON line and ends.
//!
//! Each workload is written twice, as an ordinary Playhouse program and as tasks, channels and oneshots of Tokio by hand,
//! with mailboxes of the same size on the same runtime. A sample is a process of its own, so that none inherits the heap,
//! the threads or the luck of another; `cargo xtask bench` runs them in turns. Every workload counts what it did and
//! checks the sum, and the Playhouse side checks the system's books as well: what is lost fails, and is not fast.
#![forbid(unsafe_code)]

mod ask;
mod colour;
mod crowd;
mod exchange;
mod fairness;
mod family;
mod latency;
mod measure;
mod memory;
mod stage;
mod stream;
mod tally;
mod wish;
mod work;
mod worker;

use measure::Sample;
use std::future::Future;
use std::pin::Pin;
use std::process::ExitCode;
use wish::Wish;

const USAGE: &str = "usage: workloads NAME SIDE OPERATIONS [--workers N]";

type Run = Pin<Box<dyn Future<Output = Sample>>>;

/// A workload and its two sides; each takes the number of operations.
struct Workload {
    name: &'static str,
    playhouse: fn(u64) -> Run,
    tokio: fn(u64) -> Run,
}

macro_rules! workload {
    ($name:literal, $($place:ident)::+ $(, $setting:expr)*) => {
        Workload {
            name: $name,
            playhouse: |operations| Box::pin($($place::)+playhouse(operations $(, $setting)*)),
            tokio: |operations| Box::pin($($place::)+tokio(operations $(, $setting)*)),
        }
    };
}

const WORKLOADS: &[Workload] = &[
    workload!("ping-pong", exchange::ping_pong),
    workload!("ring-100", exchange::ring, 100),
    workload!("ring-503", exchange::ring, 503),
    workload!("counting", stream::counting),
    workload!("fan-in", stream::fan_in),
    workload!("fan-in-bounded", stream::fan_in_bounded),
    workload!("spawn", family::spawn),
    workload!("idle", family::idle),
    workload!("ask", ask::by_actors, 1),
    workload!("ask-16", ask::by_actors, 16),
    workload!("ask-task", ask::by_tasks, 1),
    workload!("ask-task-16", ask::by_tasks, 16),
    workload!("ask-in-handler", ask::in_handler),
    workload!("big", crowd::big),
    workload!("chameneos", crowd::chameneos),
    workload!("work", work),
    workload!("latency-10k", latency, 10_000),
    workload!("latency-100k", latency, 100_000),
    workload!("latency-1m", latency, 1_000_000),
    workload!("fairness", fairness),
];

fn main() -> ExitCode {
    // Cargo adds `--bench` when it starts a bench itself.
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    match sample(&arguments) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn sample(arguments: &[String]) -> Result<String, String> {
    let Wish {
        name,
        side,
        operations,
        workers,
    } = Wish::from(arguments)?;
    let workload = WORKLOADS
        .iter()
        .find(|workload| workload.name == name)
        .ok_or_else(|| unknown(name))?;
    let run = match side {
        "playhouse" => workload.playhouse,
        "tokio" => workload.tokio,
        other => {
            return Err(format!(
                "there is no side {other:?}; there are playhouse and tokio"
            ));
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers)
        .enable_all()
        .build()
        .map_err(|error| format!("no runtime: {error}"))?;
    Ok(runtime.block_on(run(operations)).line(name, side, workers))
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> = WORKLOADS.iter().map(|workload| workload.name).collect();
    format!(
        "there is no workload {name:?}; there are {}",
        names.join(", ")
    )
}
