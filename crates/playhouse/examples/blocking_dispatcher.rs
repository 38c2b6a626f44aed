//! Handlers that block, on threads of their own. Sixteen writers wait for a slow device at once, and the actors on Tokio's
//! workers go on meanwhile. Run it: `cargo run -p playhouse --example blocking_dispatcher`.
//!
//! Where an actor runs is said once, where it is spawned: by a handle, by a name, or by the parent. The name may be one
//! that a configuration file gave, so an operator can give the device more threads without a new build.

use playhouse::SystemConfig;
use playhouse::prelude::*;
use std::thread;
use std::time::Instant;

const CONFIG: &str = r#"
    [dispatchers.blocking-io]
    kind = "fixed"
    threads = 16
    throughput = 1    # a handler that blocks is a long turn already
"#;

const WRITERS: u32 = 16;

/// Writes rows to a device that takes 50 ms for each, in a call that blocks.
struct Writer {
    rows: u32,
}

enum Row {
    Write,
    Count(Reply<u32>),
}

impl Actor for Writer {
    type Msg = Row;
    async fn receive(&mut self, _ctx: &mut Context<Row>, row: Row) -> Outcome {
        match row {
            Row::Write => {
                thread::sleep(millis(50)); // the device: a driver that knows no async
                self.rows += 1;
            }
            Row::Count(reply) => reply.send(self.rows),
        }
        Ok(())
    }
}

/// Answers at once, on Tokio's workers.
struct Clerk;

impl Actor for Clerk {
    type Msg = Reply<&'static str>;
    async fn receive(&mut self, _ctx: &mut Context<Self::Msg>, reply: Self::Msg) -> Outcome {
        reply.send("open");
        Ok(())
    }
}

fn main() -> Outcome {
    let config = SystemConfig::from_toml(CONFIG)?;
    let system = ActorSystem::builder("shop").config(&config).build()?;
    let clerk = system.spawn("clerk", || Clerk)?;
    let writers = (1..=WRITERS)
        .map(|n| {
            let writer = Props::new(|| Writer { rows: 0 }).dispatcher_named("blocking-io");
            system.spawn(format!("writer-{n}"), writer)
        })
        .collect::<Result<Vec<_>, _>>()?;

    let begin = Instant::now();
    for row in 0..2 * WRITERS {
        writers[(row % WRITERS) as usize].tell(Row::Write);
    }
    let answer = clerk.ask(|reply| reply).blocking_within(secs(5))?;
    println!(
        "the clerk is {answer:?} after {:?}, while {WRITERS} threads block",
        begin.elapsed()
    );
    let mut rows = 0;
    for writer in &writers {
        rows += writer.ask(Row::Count).blocking_within(secs(5))?;
    }
    println!(
        "{rows} rows of 50 ms each were written in {} ms",
        begin.elapsed().as_millis()
    );

    let misspelt = Props::new(|| Writer { rows: 0 }).dispatcher_named("blocking-oi");
    if let Err(error) = system.spawn("misspelt", misspelt) {
        println!("a wrong name is found out at the spawn: {error}");
    }

    let io = system.dispatcher("blocking-io")?;
    io.submit(|| println!("a closure runs on {:?}", thread::current().name()));
    let report = system.blocking_shutdown();
    println!(
        "after the shutdown every message is accounted for: the balance is {}",
        report.ledger.balance()
    );
    Ok(())
}
