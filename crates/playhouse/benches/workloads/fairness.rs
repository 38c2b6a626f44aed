//! What a flood does to the others: one actor whose mailbox never empties, and a hundred with one message each, all on
//! one dispatcher. The figure is the share that each of the hundred gets of an equal division.

use crate::measure::Sample;
use crate::stage;
use playhouse::limits::MAILBOX;
use playhouse::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

const OTHERS: usize = 100;

/// How many messages the flood keeps under way: as many as leave its mailbox never full.
const FLOOD: usize = MAILBOX - 1;

/// Handles messages that it sends itself, until it is told that the time is up.
struct Looper {
    is_flood: bool,
    handled: u64,
    is_over: Arc<AtomicBool>,
    report: Option<mpsc::UnboundedSender<Report>>,
}

struct Report {
    is_flood: bool,
    handled: u64,
}

impl Looper {
    /// True: once more.
    fn again(&mut self) -> bool {
        // Relaxed: the flag guards nothing, and a message more or less does not matter.
        if !self.is_over.load(Ordering::Relaxed) {
            self.handled += 1;
            return true;
        }
        if let Some(report) = self.report.take() {
            let Self {
                is_flood, handled, ..
            } = *self;
            assert!(
                report.send(Report { is_flood, handled }).is_ok(),
                "the sample waits for it"
            );
        }
        false
    }
}

impl Actor for Looper {
    type Msg = ();
    async fn receive(&mut self, ctx: &mut Context<()>, (): ()) -> Outcome {
        if self.again() {
            ctx.me().tell(());
        }
        Ok(())
    }
}

pub(crate) async fn playhouse(millis: u64) -> Sample {
    let system = stage::system();
    let (counted, is_over) = (Counted::new(), Arc::default());
    let mut first_messages: Vec<ActorRef<()>> = Vec::new();
    for place in 0..=OTHERS {
        let (report, is_over) = (counted.report.clone(), Arc::clone(&is_over));
        let looper = move || Looper {
            is_flood: place == OTHERS,
            handled: 0,
            is_over,
            report: Some(report),
        };
        let looper = system
            .spawn(format!("looper-{place}"), looper)
            .expect("the name is free");
        let messages = if place == OTHERS { FLOOD } else { 1 };
        first_messages.extend(std::iter::repeat_n(looper, messages));
    }
    first_messages.iter().for_each(|to| to.tell(()));
    let sample = counted.after(millis, &is_over).await;
    for looper in &first_messages {
        looper.drain(); // the flood's mailbox is still full
        looper.terminated().await;
    }
    stage::close(system).await;
    sample
}

pub(crate) async fn tokio(millis: u64) -> Sample {
    let (counted, is_over) = (Counted::new(), Arc::default());
    for place in 0..=OTHERS {
        let (report, is_over) = (counted.report.clone(), Arc::clone(&is_over));
        let mut looper = Looper {
            is_flood: place == OTHERS,
            handled: 0,
            is_over,
            report: Some(report),
        };
        let (me, mut inbox) = mpsc::channel(MAILBOX);
        let messages = if place == OTHERS { FLOOD } else { 1 };
        (0..messages).for_each(|_| me.try_send(()).expect("there is room"));
        tokio::spawn(async move {
            while let Some(()) = inbox.recv().await {
                if looper.again() {
                    me.try_send(()).expect("there is room");
                }
            }
        });
    }
    counted.after(millis, &is_over).await
}

struct Counted {
    report: mpsc::UnboundedSender<Report>,
    reports: mpsc::UnboundedReceiver<Report>,
}

impl Counted {
    fn new() -> Self {
        let (report, reports) = mpsc::unbounded_channel();
        Self { report, reports }
    }

    /// Lets everybody loop for so long, on a thread that is no worker, and divides.
    async fn after(mut self, millis: u64, is_over: &AtomicBool) -> Sample {
        std::thread::sleep(Duration::from_millis(millis));
        is_over.store(true, Ordering::Relaxed); // see `Looper::again`
        let (mut others, mut flood) = (Vec::with_capacity(OTHERS), 0);
        while others.len() < OTHERS || flood == 0 {
            match self
                .reports
                .recv()
                .await
                .expect("this side holds a sender too")
            {
                Report {
                    is_flood: true,
                    handled,
                } => flood = handled.max(1),
                Report { handled, .. } => others.push(handled),
            }
        }
        others.sort_unstable();
        let total = others.iter().sum::<u64>() + flood;
        let fair = total as f64 / (OTHERS + 1) as f64;
        Sample(vec![
            ("operations", total as f64),
            ("min_share", others[0] as f64 / fair),
            ("median_share", others[OTHERS / 2] as f64 / fair),
            ("flood_share", flood as f64 / fair),
        ])
    }
}
