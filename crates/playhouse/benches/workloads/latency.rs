//! How long a message takes from the moment it should have been sent, when the load is fixed.
//!
//! The load is open: the producer sends what the clock says is due, whether or not the receiver keeps up, and each message
//! carries the moment it was due. A stall therefore counts against every message that was due meanwhile, not against one.

use crate::measure::Sample;
use crate::stage;
use crate::tally::Tally;
use playhouse::prelude::*;
use std::time::Instant;
use tokio::sync::mpsc;

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// Keeps every delay; the space for them is touched before the clock starts.
struct Record {
    start: Instant,
    delays: Vec<u64>,
    taken: usize,
}

impl Record {
    fn of(messages: u64, start: Instant) -> Self {
        Self {
            start,
            delays: vec![1; messages as usize],
            taken: 0,
        }
    }

    /// True: that was the last one.
    fn take(&mut self, due: u64) -> bool {
        self.delays[self.taken] = since(self.start) - due;
        self.taken += 1;
        self.taken == self.delays.len()
    }

    fn sample(mut self) -> Sample {
        assert_eq!(self.taken, self.delays.len(), "every message arrived");
        self.delays.sort_unstable();
        let at = |share: f64| self.delays[((self.delays.len() - 1) as f64 * share) as usize] as f64;
        Sample(vec![
            ("operations", self.taken as f64),
            ("p50_ns", at(0.5)),
            ("p99_ns", at(0.99)),
            ("p999_ns", at(0.999)),
        ])
    }
}

fn since(start: Instant) -> u64 {
    start.elapsed().as_nanos() as u64
}

/// Sends each message when it is due, or as soon after as the runtime lets this task run.
async fn produce(messages: u64, rate: u64, start: Instant, send: impl Fn(u64)) {
    let due = |number: u64| number * NANOS_PER_SECOND / rate;
    let mut sent = 0;
    while sent < messages {
        while sent < messages && due(sent) <= since(start) {
            send(due(sent));
            sent += 1;
        }
        tokio::task::yield_now().await;
    }
}

/// What the receiver is told: a message's due time, or where its record goes.
enum Probe {
    Due(u64),
    Report(Box<mpsc::UnboundedSender<Record>>),
}

struct Receiver {
    record: Option<Record>,
    tally: Tally,
}

impl Receiver {
    fn take(&mut self, probe: Probe) {
        match probe {
            Probe::Due(due) => {
                let record = self.record.as_mut().expect("the record is taken last");
                if record.take(due) {
                    self.tally.report(1);
                }
            }
            Probe::Report(to) => {
                let record = self.record.take().expect("it is taken once");
                assert!(to.send(record).is_ok(), "the sample waits for it");
            }
        }
    }
}

impl Actor for Receiver {
    type Msg = Probe;
    async fn receive(&mut self, _ctx: &mut Context<Probe>, probe: Probe) -> Outcome {
        self.take(probe);
        Ok(())
    }
}

pub(crate) async fn playhouse(messages: u64, rate: u64) -> Sample {
    let system = stage::system();
    let (tally, start) = (Tally::of(1), Instant::now());
    let reports_to = tally.clone();
    let receiver = move || Receiver {
        record: Some(Record::of(messages, start)),
        tally: reports_to,
    };
    let props = Props::new(receiver).mailbox(Mailbox::unbounded());
    let receiver = system.spawn("receiver", props).expect("the name is free");
    let sample = measured(messages, rate, start, &tally, move |probe| {
        receiver.tell(probe)
    })
    .await;
    stage::close(system).await;
    sample
}

pub(crate) async fn tokio(messages: u64, rate: u64) -> Sample {
    let (tally, start) = (Tally::of(1), Instant::now());
    let (sender, mut inbox) = mpsc::unbounded_channel();
    let reports_to = tally.clone();
    tokio::spawn(async move {
        let mut receiver = Receiver {
            record: Some(Record::of(messages, start)),
            tally: reports_to,
        };
        while let Some(probe) = inbox.recv().await {
            receiver.take(probe);
        }
    });
    let send = move |probe| assert!(sender.send(probe).is_ok(), "the receiver lives");
    measured(messages, rate, start, &tally, send).await
}

async fn measured(
    messages: u64,
    rate: u64,
    start: Instant,
    tally: &Tally,
    send: impl Fn(Probe) + Clone + Send + 'static,
) -> Sample {
    let tell = send.clone();
    tokio::spawn(produce(messages, rate, start, move |due| {
        tell(Probe::Due(due))
    }));
    assert_eq!(tally.sum().await, 1);
    let (to, mut records) = mpsc::unbounded_channel();
    send(Probe::Report(Box::new(to)));
    records
        .recv()
        .await
        .expect("the receiver sends it")
        .sample()
}
