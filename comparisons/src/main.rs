//! One sample of one workload by a rival: `comparisons NAME SIDE OPERATIONS [--workers N]` prints one JSON line and ends.
//!
//! The contract, the clock and the sums are those of the runtime's own workloads. A workload is written once, as logic that
//! is generic over the rival; an adapter per rival wraps it in that rival's actor, handler and address. Everything is
//! resolved at compile time, so a rival pays for its own machinery and for nothing else.
#![forbid(unsafe_code)]

mod actix_side;
mod ask;
#[path = "../../crates/playhouse/benches/workloads/colour.rs"]
mod colour;
mod crowd;
mod exchange;
mod family;
mod kameo_side;
#[path = "../../crates/playhouse/benches/workloads/measure.rs"]
mod measure;
#[path = "../../crates/playhouse/benches/workloads/memory.rs"]
mod memory;
mod ractor_side;
mod rival;
mod stream;
#[path = "../../crates/playhouse/benches/workloads/tally.rs"]
mod tally;
#[path = "../../crates/playhouse/benches/workloads/wish.rs"]
mod wish;
mod work;
#[path = "../../crates/playhouse/benches/workloads/worker.rs"]
mod worker;
mod xtra_side;

use measure::Sample;
use rival::Rival;
use std::process::ExitCode;
use wish::Wish;

const USAGE: &str = "usage: comparisons NAME SIDE OPERATIONS [--workers N]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
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
    let sample = match side {
        "actix" => run::<actix_side::Actix>(name, operations, workers),
        "kameo" => run::<kameo_side::Kameo>(name, operations, workers),
        "ractor" => run::<ractor_side::Ractor>(name, operations, workers),
        "xtra" => run::<xtra_side::Xtra>(name, operations, workers),
        other => {
            return Err(format!(
                "there is no side {other:?}; there are actix, kameo, ractor and xtra"
            ));
        }
    };
    let sample = sample.ok_or_else(|| format!("{side} has no workload {name:?}"))?;
    Ok(sample.line(name, side, workers))
}

fn run<R: Rival>(name: &str, operations: u64, workers: usize) -> Option<Sample> {
    Some(match name {
        "ping-pong" => R::block_on(workers, exchange::ping_pong::<R>(operations)),
        "ring-100" => R::block_on(workers, exchange::ring::<R>(operations, 100)),
        "ring-503" => R::block_on(workers, exchange::ring::<R>(operations, 503)),
        "counting" => R::block_on(workers, stream::unbounded::<R>(operations, 1)),
        "fan-in" => R::block_on(
            workers,
            stream::unbounded::<R>(operations, stream::PRODUCERS),
        ),
        "fan-in-bounded" if R::HAS_BOUND && R::AWAITS => {
            R::block_on(workers, stream::bounded::<R>(operations))
        }
        "spawn" => R::block_on(workers, family::spawn::<R>(operations)),
        "idle" => R::block_on(workers, family::idle::<R>(operations)),
        "ask" if R::AWAITS => R::block_on(workers, ask::by_actors::<R>(operations, 1)),
        "ask-16" if R::AWAITS => R::block_on(workers, ask::by_actors::<R>(operations, 16)),
        "ask-task" => R::block_on(workers, ask::by_tasks::<R>(operations, 1)),
        "ask-task-16" => R::block_on(workers, ask::by_tasks::<R>(operations, 16)),
        "ask-in-handler" if R::AWAITS => R::block_on(workers, ask::in_handler::<R>(operations)),
        "big" => R::block_on(workers, crowd::big::<R>(operations)),
        "chameneos" => R::block_on(workers, crowd::chameneos::<R>(operations)),
        "work" => R::block_on(workers, work::work::<R>(operations)),
        _ => return None,
    })
}
