//! Many messages under way: what one costs when the receiver finds the next already there.

use crate::measure::{Sample, Stopwatch};
use crate::stage;
use crate::tally::Tally;
use playhouse::limits::MAILBOX;
use playhouse::prelude::*;
use tokio::sync::mpsc;

/// How many send at once in a fan-in.
const PRODUCERS: u64 = 8;

/// Adds up what it gets until it has got everything.
struct Counter {
    sum: u64,
    expected: u64,
    tally: Tally,
}

impl Counter {
    fn props(expected: u64, tally: &Tally) -> Props<u64> {
        let tally = tally.clone();
        Props::new(move || Counter {
            sum: 0,
            expected,
            tally,
        })
    }
}

impl Actor for Counter {
    type Msg = u64;
    async fn receive(&mut self, _ctx: &mut Context<u64>, number: u64) -> Outcome {
        self.sum += number;
        self.expected -= 1;
        if self.expected == 0 {
            self.tally.report(self.sum);
        }
        Ok(())
    }
}

/// Sends the numbers below its message in one go, without waiting.
struct Producer {
    counter: ActorRef<u64>,
}

impl Actor for Producer {
    type Msg = u64;
    async fn receive(&mut self, _ctx: &mut Context<u64>, numbers: u64) -> Outcome {
        for number in 0..numbers {
            self.counter.tell(number);
        }
        Ok(())
    }
}

/// The same, waiting for room.
struct PatientProducer {
    counter: ActorRef<u64>,
}

impl Actor for PatientProducer {
    type Msg = u64;
    async fn receive(&mut self, _ctx: &mut Context<u64>, numbers: u64) -> Outcome {
        for number in 0..numbers {
            self.counter.send(number).await?;
        }
        Ok(())
    }
}

/// One producer, no bound; an operation is one message.
pub(crate) mod counting {
    use super::*;

    pub(crate) async fn playhouse(messages: u64) -> Sample {
        unbounded_by_actors(messages, 1).await
    }

    pub(crate) async fn tokio(messages: u64) -> Sample {
        unbounded_by_tasks(messages, 1).await
    }
}

/// Eight producers, no bound; an operation is one message.
pub(crate) mod fan_in {
    use super::*;

    pub(crate) async fn playhouse(messages: u64) -> Sample {
        unbounded_by_actors(messages, PRODUCERS).await
    }

    pub(crate) async fn tokio(messages: u64) -> Sample {
        unbounded_by_tasks(messages, PRODUCERS).await
    }
}

/// Eight producers that wait for room; an operation is one message.
pub(crate) mod fan_in_bounded {
    use super::*;

    pub(crate) async fn playhouse(messages: u64) -> Sample {
        let system = stage::system();
        let tally = Tally::of(1);
        let each = messages / PRODUCERS;
        let counter = system.spawn("counter", Counter::props(each * PRODUCERS, &tally));
        let counter = counter.expect("the name is free");
        let producers = producers(&system, PRODUCERS, || {
            let counter = counter.clone();
            Props::new(move || PatientProducer { counter })
        });
        let sample = streamed(each, PRODUCERS, &tally, || {
            producers.iter().for_each(|to| to.tell(each))
        })
        .await;
        stage::close(system).await;
        sample
    }

    pub(crate) async fn tokio(messages: u64) -> Sample {
        let tally = Tally::of(1);
        let each = messages / PRODUCERS;
        let (counter, mut numbers) = mpsc::channel::<u64>(MAILBOX);
        let (mut expected, mut sum, reports_to) = (each * PRODUCERS, 0, tally.clone());
        tokio::spawn(async move {
            while let Some(number) = numbers.recv().await {
                sum += number;
                expected -= 1;
                if expected == 0 {
                    reports_to.report(sum);
                }
            }
        });
        let start = || {
            for _ in 0..PRODUCERS {
                let counter = counter.clone();
                tokio::spawn(async move {
                    for number in 0..each {
                        counter.send(number).await.expect("the counter lives");
                    }
                });
            }
        };
        streamed(each, PRODUCERS, &tally, start).await
    }
}

async fn unbounded_by_actors(messages: u64, producing: u64) -> Sample {
    let system = stage::system();
    let tally = Tally::of(1);
    let each = messages / producing;
    let props = Counter::props(each * producing, &tally).mailbox(Mailbox::unbounded());
    let counter = system.spawn("counter", props).expect("the name is free");
    let producers = producers(&system, producing, || {
        let counter = counter.clone();
        Props::new(move || Producer { counter })
    });
    let sample = streamed(each, producing, &tally, || {
        producers.iter().for_each(|to| to.tell(each))
    })
    .await;
    stage::close(system).await;
    sample
}

async fn unbounded_by_tasks(messages: u64, producing: u64) -> Sample {
    let tally = Tally::of(1);
    let each = messages / producing;
    let (counter, mut numbers) = mpsc::unbounded_channel::<u64>();
    let (mut expected, mut sum, reports_to) = (each * producing, 0, tally.clone());
    tokio::spawn(async move {
        while let Some(number) = numbers.recv().await {
            sum += number;
            expected -= 1;
            if expected == 0 {
                reports_to.report(sum);
            }
        }
    });
    let start = || {
        for _ in 0..producing {
            let counter = counter.clone();
            tokio::spawn(async move {
                for number in 0..each {
                    counter.send(number).expect("the counter lives");
                }
            });
        }
    };
    streamed(each, producing, &tally, start).await
}

fn producers(
    system: &ActorSystem,
    count: u64,
    props: impl Fn() -> Props<u64>,
) -> Vec<ActorRef<u64>> {
    let spawn = |place| {
        system
            .spawn(format!("producer-{place}"), props())
            .expect("the name is free")
    };
    (0..count).map(spawn).collect()
}

/// Measures from `start` until the counter has everything, and holds it to the sum.
async fn streamed(each: u64, producing: u64, tally: &Tally, start: impl FnOnce()) -> Sample {
    let watch = Stopwatch::start();
    start();
    let sum = tally.sum().await;
    let sample = watch.stop(each * producing);
    assert_eq!(sum, producing * (each * (each - 1) / 2));
    sample
}
