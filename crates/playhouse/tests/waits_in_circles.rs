//! Promise 9, actors that wait for each other: what is certain fails, what is not is named, and what moves is left alone.
//! Under many seeds, in virtual time.

mod common;

use common::seeds::{end, for_each_seed, stepped};
use common::{Events, journal, read};
use playhouse::prelude::*;
use playhouse::testkit::Stepped;
use playhouse::{Event, limits};
use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::Barrier;

const SEEDS: u64 = 300;
const LIMIT: std::time::Duration = secs(60);

/// Something to do in the handler of whoever gets it.
struct Do(Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>);

fn run(work: impl Future<Output = ()> + Send + 'static) -> Do {
    Do(Box::new(move || Box::pin(work)))
}

struct Doer;

impl Actor for Doer {
    type Msg = Do;
    async fn receive(&mut self, _ctx: &mut Context<Do>, Do(work): Do) -> Outcome {
        work().await;
        Ok(())
    }
}

fn doers<const N: usize>(system: &ActorSystem) -> [ActorRef<Do>; N] {
    std::array::from_fn(|n| {
        system
            .spawn(format!("{}", (b'a' + n as u8) as char), || Doer)
            .unwrap()
    })
}

async fn ask(whom: &ActorRef<Do>) -> Result<u32, AskError> {
    whom.ask(|reply| run(async move { reply.send(1) }))
        .within(LIMIT)
        .await
}

fn cycles(events: &Events) -> Vec<(String, bool)> {
    let cycle = |event: Event| match event {
        Event::Cycle { path, certain } => Some((path.to_string(), certain)),
        _ => None,
    };
    events.all().into_iter().filter_map(cycle).collect()
}

/// Lets time pass until nobody waits for anything.
fn exhaust(world: &Stepped) {
    while world.advance_to_next() {}
}

/// Each actor asks one at random, all at once: exactly those in a circle fail, and soon.
#[test]
fn whoever_is_in_a_circle_fails_and_whoever_waits_for_one_is_answered() {
    for_each_seed(SEEDS, |seed| {
        const N: usize = 7;
        let (system, world, events) = stepped(seed);
        let doers: [ActorRef<Do>; N] = doers(&system);
        let mut dice = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let whom: [usize; N] = std::array::from_fn(|_| {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            (dice % N as u64) as usize
        });
        let in_a_circle: BTreeSet<usize> = (0..N)
            .filter(|&start| {
                let mut at = whom[start];
                (0..N).any(|_| {
                    let is_back = at == start;
                    at = whom[at];
                    is_back
                })
            })
            .collect();
        let (told, mut answers) = journal();
        let all = Arc::new(Barrier::new(N));
        for (n, doer) in doers.iter().enumerate() {
            let (peer, told, all) = (doers[whom[n]].clone(), told.clone(), all.clone());
            doer.tell(run(async move {
                all.wait().await;
                let answer = ask(&peer).await;
                let _ = told.send((n, answer));
            }));
        }
        exhaust(&world);
        let answers = read(&mut answers);
        assert_eq!(answers.len(), N);
        for (n, answer) in answers {
            match answer {
                Ok(_) => assert!(!in_a_circle.contains(&n), "{n} of {whom:?}"),
                Err(AskError::Cycle(_)) => assert!(in_a_circle.contains(&n), "{n} of {whom:?}"),
                Err(error) => panic!("{error}"),
            }
        }
        let found = cycles(&events);
        assert!(found.iter().all(|(_, certain)| *certain), "{found:?}");
        end(&system, &world);
    });
}

#[test]
fn an_actor_that_asks_itself_in_its_handler_is_a_circle_of_one() {
    let (system, world, _) = stepped(0);
    let [a] = doers(&system);
    let (told, mut answers) = journal();
    let me = a.clone();
    a.tell(run(async move {
        let _ = told.send(ask(&me).await);
    }));
    exhaust(&world);
    assert!(world.elapsed() < limits::CYCLE_PATIENCE, "at once");
    let error = answers.try_recv().unwrap().unwrap_err();
    assert!(error.to_string().contains("/test/a -> /test/a"), "{error}");
    end(&system, &world);
}

/// The request of the first is in the hands of the second, who asks back.
#[test]
fn a_question_back_to_the_asker_fails_when_nobody_has_moved_for_long() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, events) = stepped(seed);
        let [a, b] = doers(&system);
        let (told, mut answers) = journal();
        let back = a.clone();
        let from_b = told.clone();
        let question = move |reply: Reply<u32>| {
            run(async move {
                let _ = from_b.send(ask(&back).await);
                reply.send(2);
            })
        };
        a.tell(run(async move {
            let _ = told.send(b.ask(question).within(LIMIT).await);
        }));
        exhaust(&world);
        let answers = read(&mut answers);
        assert_eq!(answers.len(), 2);
        for answer in answers {
            assert!(matches!(answer, Err(AskError::Cycle(_))), "{answer:?}");
        }
        let took = world.elapsed();
        assert!(took >= limits::CYCLE_PATIENCE && took < secs(1), "{took:?}");
        let found = cycles(&events);
        assert!(matches!(&found[..], [(_, true)]), "{found:?}");
        end(&system, &world);
    });
}

/// The second one asks back as well, but has passed the duty to answer on.
#[test]
fn a_reply_that_was_passed_on_has_time_to_come() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, events) = stepped(seed);
        let [a, b, c] = doers(&system);
        let (told, mut answers) = journal();
        let (back, clock, from_b) = (a.clone(), system.clock().clone(), told.clone());
        let question = move |reply: Reply<u32>| {
            run(async move {
                c.tell(run(async move {
                    clock.sleep(limits::CYCLE_PATIENCE / 2).await;
                    reply.send(2);
                }));
                let _ = from_b.send(ask(&back).await);
            })
        };
        a.tell(run(async move {
            let _ = told.send(b.ask(question).within(LIMIT).await);
        }));
        exhaust(&world);
        let answers = read(&mut answers);
        assert!(matches!(answers[..], [Ok(2), Ok(1)]), "{answers:?}");
        assert_eq!(cycles(&events), []);
        end(&system, &world);
    });
}

/// Whether it ends is up to the handler: one of its waits may be enough for it.
#[test]
fn a_handler_that_waits_for_several_things_is_only_suspected() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, events) = stepped(seed);
        let [a, b, c] = doers(&system);
        let (told, mut answers) = journal();
        let both = Arc::new(Barrier::new(2));
        let (from_b, peer, at_b) = (told.clone(), a.clone(), both.clone());
        b.tell(run(async move {
            at_b.wait().await;
            let _ = from_b.send(('b', ask(&peer).await));
        }));
        let clock = system.clock().clone();
        a.tell(run(async move {
            both.wait().await;
            let slow = c.ask(|reply| {
                run(async move {
                    clock.sleep(secs(1)).await;
                    reply.send(1);
                })
            });
            let answer = tokio::select! {
                biased;
                answer = ask(&b) => answer,
                answer = slow.within(LIMIT) => answer,
            };
            let _ = told.send(('a', answer));
        }));
        exhaust(&world);
        let answers = read(&mut answers);
        assert!(
            answers.iter().all(|(_, answer)| answer.is_ok()),
            "{answers:?}"
        );
        assert_eq!(answers.len(), 2);
        let found = cycles(&events);
        assert!(matches!(&found[..], [(_, false)]), "{found:?}");
        end(&system, &world);
    });
}

/// A wait that the runtime knows nothing of counts like one of its own, also when it was begun for an earlier message.
#[test]
fn a_timer_in_the_handler_is_a_way_out() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, events) = stepped(seed);
        let [a, b] = doers(&system);
        let (told, mut answers) = journal();
        let both = Arc::new(Barrier::new(2));
        let (from_b, peer, at_b) = (told.clone(), a.clone(), both.clone());
        b.tell(run(async move {
            at_b.wait().await;
            let _ = from_b.send(ask(&peer).await);
        }));
        let clock = system.clock().clone();
        // Polled by the first message and left alone; its waker stays with the clock.
        let mut timer: Pin<Box<dyn Future<Output = ()> + Send>> =
            Box::pin(async move { clock.sleep(secs(1)).await });
        a.tell(run(async move {
            tokio::select! {
                biased;
                () = &mut timer => {}
                () = std::future::ready(()) => {}
            }
            both.wait().await;
            tokio::select! {
                biased;
                answer = ask(&b) => drop(told.send(answer)),
                () = timer => drop(told.send(Ok(0))),
            }
        }));
        exhaust(&world);
        let answers = read(&mut answers);
        assert!(matches!(answers[..], [Ok(0), Ok(1)]), "{answers:?}");
        let found = cycles(&events);
        assert!(matches!(&found[..], [(_, false)]), "{found:?}");
        end(&system, &world);
    });
}

/// Whoever listens for messages in its handler can answer.
#[test]
fn a_function_that_listens_while_it_asks_is_in_no_circle() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, events) = stepped(seed);
        let [b] = doers(&system);
        let peer = b.clone();
        let (told, mut answers) = journal();
        let from_a = told.clone();
        let a = Props::func(async move |ctx: &mut Context<Do>| {
            let mut question = std::pin::pin!(ask(&peer));
            loop {
                tokio::select! {
                    biased;
                    answer = &mut question => {
                        let _ = from_a.send(answer);
                        return Ok(());
                    }
                    Some(Do(work)) = ctx.recv() => work().await,
                }
            }
        });
        let a = system.spawn("f", a).unwrap();
        b.tell(run(async move {
            let _ = told.send(ask(&a).await);
        }));
        exhaust(&world);
        let answers = read(&mut answers);
        assert_eq!(answers.len(), 2);
        // The function may have had its answer, and be gone, before it was asked.
        assert!(
            matches!(answers.last(), Some(Ok(1) | Err(AskError::Gone(_)))),
            "{answers:?}"
        );
        assert_eq!(cycles(&events), []);
        end(&system, &world);
    });
}

/// How each of two fared; an error says whether a circle was the reason.
type Outcomes = Vec<Result<(), bool>>;

/// Each sends two into the mailbox of the other, which has room for one.
fn flood_each_other(seed: u64, permit_is_out: bool) -> (Outcomes, Vec<(String, bool)>) {
    let (system, world, events) = stepped(seed);
    let [a, b] = [("a", 1 + usize::from(permit_is_out)), ("b", 1)].map(|(name, places)| {
        let props = Props::new(|| Doer).mailbox(Mailbox::bounded(places));
        system.spawn(name, props).unwrap()
    });
    let permit = permit_is_out.then(|| a.try_reserve());
    let both = Arc::new(Barrier::new(2));
    let (told, mut outcomes) = journal();
    for (from, to) in [(&a, &b), (&b, &a)] {
        let (to, both, told) = (to.clone(), both.clone(), told.clone());
        from.tell(run(async move {
            both.wait().await;
            let mut sent = to.send(run(async {})).await;
            if sent.is_ok() {
                sent = to.send(run(async {})).await;
            }
            let _ = told.send(sent.map_err(|error| error.cycle().is_some()));
        }));
    }
    world.advance(secs(5));
    assert_eq!(
        outcomes.is_empty(),
        permit_is_out,
        "it is what they wait for"
    );
    drop(permit);
    exhaust(&world);
    end(&system, &world);
    (read(&mut outcomes), cycles(&events))
}

#[test]
fn a_permit_that_is_out_is_a_way_out() {
    for_each_seed(SEEDS, |seed| {
        let (outcomes, found) = flood_each_other(seed, false);
        assert_eq!(outcomes, [Err(true), Err(true)]);
        assert!(matches!(&found[..], [(_, true)]), "{found:?}");
        let (outcomes, found) = flood_each_other(seed, true);
        assert_eq!(outcomes, [Ok(()), Ok(())]);
        assert!(matches!(&found[..], [(_, false)]), "{found:?}");
    });
}

/// Two that set everything aside until the other one has answered.
#[test]
fn two_that_stash_until_the_other_answers_are_suspected() {
    enum Msg {
        Meet(ActorRef<Msg>),
        Question(Reply<u32>),
        Answered(Result<u32, AskError>),
    }
    struct Stasher {
        is_waiting: bool,
        told: tokio::sync::mpsc::UnboundedSender<AskError>,
    }
    impl Actor for Stasher {
        type Msg = Msg;
        async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
            match msg {
                Msg::Meet(peer) => {
                    self.is_waiting = true;
                    ctx.ask(&peer, secs(3), Msg::Question, Msg::Answered);
                }
                Msg::Answered(answer) => {
                    self.is_waiting = false;
                    ctx.unstash_all();
                    if let Err(error) = answer {
                        self.told.send(error)?;
                    }
                }
                Msg::Question(reply) if self.is_waiting => {
                    ctx.stash(Msg::Question(reply)).map_err(|_| "full")?;
                }
                Msg::Question(reply) => reply.send(1),
            }
            Ok(())
        }
    }
    for_each_seed(SEEDS, |seed| {
        let (system, world, events) = stepped(seed);
        let (told, mut errors) = journal();
        let [a, b] = ["a", "b"].map(|name| {
            let told = told.clone();
            let stasher = move || Stasher {
                is_waiting: false,
                told,
            };
            system.spawn(name, stasher).unwrap()
        });
        a.tell(Msg::Meet(b.clone()));
        b.tell(Msg::Meet(a.clone()));
        exhaust(&world);
        let errors = read(&mut errors);
        let found = cycles(&events);
        if errors.is_empty() {
            assert_eq!(found, [], "the one had its answer before the other asked");
        } else {
            assert!(
                errors
                    .iter()
                    .all(|error| matches!(error, AskError::Timeout(_))),
                "{errors:?}"
            );
            assert!(matches!(&found[..], [(_, false)]), "{found:?}");
        }
        end(&system, &world);
    });
}
