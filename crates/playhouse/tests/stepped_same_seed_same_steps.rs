//! The same seed takes the same steps, in this process and in every other; another seed takes others.

mod common;

use common::seeds::{end, stepped};
use playhouse::prelude::*;
use playhouse::{Job, TimerKey, WorkPool, millis};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

type Journal = Arc<Mutex<Vec<String>>>;

enum Msg {
    Number(u32),
    Ask(Reply<u32>),
    Answer(Result<u32, AskError>),
    Piped(u32),
    Tick,
    Ended(usize),
    Later(#[allow(dead_code)] Noted),
}

/// Tells by its drop in which order things were thrown away.
struct Noted(Journal, String);

impl Drop for Noted {
    fn drop(&mut self) {
        self.0.lock().unwrap().push(format!("drops {}", self.1));
    }
}

/// Does a bit of everything that could reach for an order of its own: watches, timers and pipes of which many end at
/// once, own asks, stashed messages, children.
struct Busy {
    journal: Journal,
    next: Option<ActorRef<Msg>>,
}

impl Busy {
    fn note(&self, ctx: &Context<Msg>, what: &str) {
        let line = format!("{} {what}", ctx.me().address());
        self.journal.lock().unwrap().push(line);
    }

    fn noted(&self, ctx: &Context<Msg>, what: &str) -> Noted {
        let whose = ctx.me().address();
        Noted(self.journal.clone(), format!("{whose} {what}"))
    }

    fn start_everything(&self, ctx: &mut Context<Msg>, n: u32) {
        for key in 0..8 {
            ctx.timers()
                .once(TimerKey::Number(key), millis(u64::from(n) % 3), Msg::Tick);
            let later = self.noted(ctx, &format!("timer {key}"));
            ctx.timers()
                .once(format!("later {key}"), secs(60), Msg::Later(later));
            let held = self.noted(ctx, &format!("pipe {key}"));
            let never = async move {
                let _held = held;
                std::future::pending().await
            };
            ctx.pipe_to_self(never, Msg::Piped);
        }
        ctx.pipe_to_self(async move { n }, Msg::Piped);
        let pool = ctx.system().dispatcher("blocking").unwrap();
        ctx.pipe_blocking(&pool, move || n, Msg::Piped);
        for child in 0..4 {
            let child_props = Props::func(async |ctx: &mut Context<u32>| {
                while ctx.recv().await.is_some() {}
                Ok(())
            });
            let name = format!("child-{n}-{child}");
            let child_ref = ctx.spawn(name, child_props).unwrap();
            ctx.watch_with(&child_ref, move |_| Msg::Ended(child));
            child_ref.tell(1);
            let idle = Props::func(async |ctx: &mut Context<u32>| {
                ctx.recv().await;
                Ok(())
            });
            let idle = ctx.spawn_anonymous(idle);
            let held = self.noted(ctx, &format!("watch {child}"));
            ctx.watch_with(&idle, move |_| Msg::Later(held));
            child_ref.drain();
        }
        if let Some(next) = &self.next {
            ctx.ask(next, secs(1), Msg::Ask, Msg::Answer);
        }
    }
}

impl Actor for Busy {
    type Msg = Msg;
    async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        match msg {
            Msg::Number(n) if n % 5 == 4 && ctx.stash(Msg::Number(n - 1)).is_ok() => {
                self.note(ctx, "stashes")
            }
            Msg::Number(n) => {
                self.note(ctx, &format!("number {n}"));
                if n % 7 == 0 {
                    self.start_everything(ctx, n);
                    ctx.unstash_all();
                }
            }
            Msg::Ask(reply) => {
                ctx.clock().sleep(millis(1)).await;
                reply.send(1);
            }
            Msg::Answer(answer) => self.note(ctx, &format!("answer {}", answer.is_ok())),
            Msg::Piped(n) => self.note(ctx, &format!("piped {n}")),
            Msg::Later(_) => self.note(ctx, "later"),
            Msg::Tick => self.note(ctx, "tick"),
            Msg::Ended(child) => self.note(ctx, &format!("ended {child}")),
        }
        Ok(())
    }
}

struct Storer(Journal);

impl BlockingActor for Storer {
    type Msg = Job<u32>;
    fn receive(&mut self, ctx: &mut Context<Job<u32>>, job: Job<u32>) -> Outcome {
        let line = format!("{} stores {}", ctx.me().address(), *job);
        self.0.lock().unwrap().push(line);
        job.done();
        Ok(())
    }
}

struct Run {
    hash: u64,
    trace: Vec<String>,
    journal: Vec<String>,
}

fn run(seed: u64) -> Run {
    let (system, world, _) = stepped(seed);
    world.keep_trace();
    let journal = Journal::default();
    let mut next = None;
    for (name, dispatcher) in [("a", "default"), ("b", "fixed"), ("c", "pinned")] {
        let (kept, to) = (journal.clone(), next.clone());
        let props = Props::new(move || Busy {
            journal: kept,
            next: to,
        })
        .dispatcher(&system.dispatcher(dispatcher).unwrap());
        next = Some(system.spawn(name, props).unwrap());
    }
    let kept = journal.clone();
    let storer = Props::blocking(move |_: &mut Context<Job<u32>>| Ok(Storer(kept)));
    let pool = system.spawn("pool", WorkPool::new(2, storer)).unwrap();
    let first = next.unwrap();
    world.block_on_timed(async {
        for n in 0..20 {
            first.send(Msg::Number(n)).await.unwrap();
            pool.send(n).await.unwrap();
        }
    });
    world.advance(millis(2));
    end(&system, &world);
    Run {
        hash: world.trace_hash(),
        trace: world.trace(),
        journal: std::mem::take(&mut journal.lock().unwrap()),
    }
}

#[test]
fn the_same_seed_twice() {
    for seed in 0..20 {
        let (first, second) = (run(seed), run(seed));
        assert_eq!(first.trace, second.trace, "seed {seed}");
        assert_eq!(first.hash, second.hash, "seed {seed}");
        assert_eq!(first.journal, second.journal, "seed {seed}");
        assert!(first.journal.len() > 60, "{:?}", first.journal);
    }
}

#[test]
fn another_seed_takes_other_steps_and_users_see_another_order() {
    let runs: Vec<Run> = (0..50).map(run).collect();
    let hashes: BTreeSet<u64> = runs.iter().map(|run| run.hash).collect();
    let orders: BTreeSet<&Vec<String>> = runs.iter().map(|run| &run.journal).collect();
    assert_eq!((hashes.len(), orders.len()), (50, 50));
}

const LINE: &str = "hashes of ten seeds:";

/// Runs in this process, and alone in two others, whose addresses and hash seeds are their own.
#[test]
fn the_hashes_of_ten_seeds() {
    println!("\n{LINE} {}", hashes());
}

fn hashes() -> String {
    let hashes = (0..10).map(|seed| format!("{:016x}", run(seed).hash));
    hashes.collect::<Vec<_>>().join(" ")
}

#[test]
fn the_same_seeds_in_other_processes() {
    let here = format!("{LINE} {}", hashes());
    for _ in 0..2 {
        let other = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "the_hashes_of_ten_seeds", "--nocapture"])
            .output()
            .unwrap();
        let text = String::from_utf8(other.stdout).unwrap();
        assert!(
            text.lines().any(|line| line == here),
            "{text}\nis not\n{here}"
        );
    }
}
