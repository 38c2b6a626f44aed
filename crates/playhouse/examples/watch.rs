//! A foreman who watches the builders it has sent out, and hears how each of them ended: as a message of its own, or as a
//! signal.
//!
//! `cargo run -p playhouse --example watch`

use playhouse::prelude::*;

/// What a builder does.
#[derive(Clone, Copy)]
enum Job {
    Finish,
    BreakALeg,
}

/// Works once.
struct Builder;

impl Actor for Builder {
    type Msg = Job;
    async fn receive(&mut self, ctx: &mut Context<Job>, job: Job) -> Outcome {
        match job {
            Job::Finish => ctx.stop(),
            Job::BreakALeg => return Err("a broken leg".into()),
        }
        Ok(())
    }
}

enum Msg {
    Send(&'static str, Job),
    /// A builder has ended: what `watch_with` makes of it.
    Back(&'static str, Exit),
    /// When everybody is back.
    Report(Reply<Vec<String>>),
}

#[derive(Default)]
struct Foreman {
    out: usize,
    heard: Vec<String>,
    report: Option<Reply<Vec<String>>>,
}

impl Foreman {
    fn hear(&mut self, line: String) {
        self.out -= 1;
        self.heard.push(line);
        self.report_if_all_are_back();
    }

    fn report_if_all_are_back(&mut self) {
        if self.out == 0
            && let Some(report) = self.report.take()
        {
            report.send(std::mem::take(&mut self.heard));
        }
    }
}

impl Actor for Foreman {
    type Msg = Msg;

    async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        match msg {
            Msg::Send(name, job) => {
                let builder = ctx.spawn(name, || Builder)?;
                match job {
                    // The message knows whom it is about: no address to compare.
                    Job::BreakALeg => ctx.watch_with(&builder, move |exit| Msg::Back(name, exit)),
                    Job::Finish => ctx.watch(&builder),
                }
                builder.tell(job);
                self.out += 1;
            }
            Msg::Back(name, Exit::Failed(cause)) => self.hear(format!("{name} has {cause}")),
            Msg::Back(name, exit) => self.hear(format!("{name} is back: {exit}")),
            Msg::Report(report) => {
                self.report = Some(report);
                self.report_if_all_are_back();
            }
        }
        Ok(())
    }

    /// Without this an end would fail the foreman: nobody overlooks the end of somebody they watch.
    async fn signal(&mut self, _ctx: &mut Context<Msg>, signal: Signal) -> Outcome {
        match signal {
            Signal::Terminated { who, exit } => self.hear(format!("{who} is back: {exit}")),
            other => return other.unhandled(),
        }
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Outcome {
    let system = ActorSystem::builder("site")
        .on_event(|_event| {}) // the broken leg is no news here
        .build()?;
    let foreman = system.spawn("foreman", Foreman::default)?;
    foreman.tell(Msg::Send("anna", Job::Finish));
    foreman.tell(Msg::Send("bert", Job::BreakALeg));

    let mut report = foreman.ask(Msg::Report).within(secs(10)).await?;
    report.sort(); // who is back first is their own affair
    report.iter().for_each(|line| println!("{line}"));
    assert_eq!(
        report,
        [
            "/site/foreman/anna is back: stopped",
            "bert has a broken leg"
        ]
    );

    assert_eq!(system.shutdown().await.ledger.balance(), 0);
    Ok(())
}
