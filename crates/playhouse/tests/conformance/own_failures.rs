//! Cases that no upstream suite has: what the runtime says when a program cannot go on.

use crate::common::seeds::{end as common_end, for_each_seed, stepped};
use crate::common::*;
use playhouse::prelude::*;
use playhouse::{DeadLetterReason, Event, Fate, NoReply, SystemBuilder};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;
use tokio::sync::{Barrier, mpsc};

/// What can happen to a question.
enum Question {
    Answer(Reply<u32>),
    Drop(Reply<u32>),
    Panic(Reply<u32>),
    Keep(Reply<u32>),
    Never(Reply<u32>),
}

#[derive(Default)]
struct Asked(Vec<Reply<u32>>);

impl Actor for Asked {
    type Msg = Question;
    async fn receive(&mut self, _ctx: &mut Context<Question>, question: Question) -> Outcome {
        match question {
            Question::Answer(reply) => reply.send(7),
            Question::Drop(reply) => drop(reply),
            Question::Panic(_reply) => panic!("will not"),
            Question::Keep(reply) => self.0.push(reply),
            Question::Never(_reply) => std::future::pending().await,
        }
        Ok(())
    }
}

fn has_all(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in {text:?}");
    }
}

async fn unanswered(asked: &ActorRef<Question>, make: fn(Reply<u32>) -> Question) -> AskError {
    asked.ask(make).within(secs(60)).await.unwrap_err()
}

#[tokio::test]
async fn own_07_a_dropped_reply_names_the_actor_and_the_message() {
    let (system, events) = system();
    let asked = system.spawn("asked", Asked::default).unwrap();
    let error = unanswered(&asked, Question::Drop).await;
    assert!(matches!(&error, AskError::NoReply { by, why: NoReply::Dropped, .. } if *by == asked));
    has_all(
        &error.to_string(),
        &["/test/asked", "own_failures::Question", "dropped the reply"],
    );
    assert_eq!(events.dead(DeadLetterReason::UnansweredReply), 1);

    let error = unanswered(&asked, Question::Panic).await;
    assert!(
        matches!(&error, AskError::NoReply { by, why: NoReply::Failed(_), .. } if *by == asked)
    );
    has_all(
        &error.to_string(),
        &[
            "/test/asked",
            "own_failures::Question",
            "failed",
            "will not",
        ],
    );
    end(&system).await;
}

#[tokio::test]
async fn own_07_a_reply_that_goes_with_its_mailbox_or_its_actor_fails_at_once() {
    let (system, _) = system();
    let asked = system.spawn("asked", Asked::default).unwrap();
    let (kept, ()) = tokio::join!(unanswered(&asked, Question::Keep), async {
        asked.ask(Question::Answer).within(secs(60)).await.unwrap();
        asked.stop();
    });
    assert!(matches!(
        &kept,
        AskError::NoReply {
            why: NoReply::Stopped,
            ..
        }
    ));
    has_all(
        &kept.to_string(),
        &["/test/asked", "own_failures::Question", "it ended"],
    );

    let asked = system.spawn_anonymous(Asked::default);
    let (in_hand, queued, ()) = tokio::join!(
        unanswered(&asked, Question::Never),
        unanswered(&asked, Question::Answer),
        async {
            while system.ledger().queued != 1 {
                tokio::task::yield_now().await;
            }
            asked.kill();
        }
    );
    assert!(matches!(
        in_hand,
        AskError::NoReply {
            why: NoReply::Stopped,
            ..
        }
    ));
    assert!(matches!(queued, AskError::Gone(Fate::Waiting)));
    has_all(
        &queued.to_string(),
        &["gone", "asking its successor is safe"],
    );
    end(&system).await;
}

/// Blocks its worker until it is told that somebody has noticed, or for so long.
struct Blocker {
    noticed: Arc<(Mutex<u32>, Condvar)>,
    at_most: Duration,
}

impl Actor for Blocker {
    type Msg = u32;
    async fn receive(&mut self, ctx: &mut Context<u32>, _: u32) -> Outcome {
        let (count, changed) = &*self.noticed;
        let is_unnoticed = |count: &mut u32| *count == 0;
        drop(changed.wait_timeout_while(count.lock().unwrap(), self.at_most, is_unnoticed));
        // sleeps: it blocks on purpose, long enough for a second look, which must not tell again
        std::thread::sleep(millis(30));
        ctx.stop();
        Ok(())
    }
}

/// What was told of a handler that blocks for at most so long.
async fn slow_handlers(builder: SystemBuilder, at_most: Duration) -> Vec<Event> {
    let (told, mut events) = mpsc::unbounded_channel();
    let noticed = Arc::new((Mutex::new(0), Condvar::new()));
    let notice = noticed.clone();
    let system = builder
        .on_event(move |event| {
            if matches!(event, Event::SlowHandler { .. }) {
                let _ = told.send(event.clone());
                *notice.0.lock().unwrap() += 1;
                notice.1.notify_all();
            }
        })
        .build()
        .unwrap();
    let blocker = system
        .spawn("blocker", move || Blocker { noticed, at_most })
        .unwrap();
    blocker.tell(0);
    blocker.terminated().await;
    end(&system).await;
    read(&mut events)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn own_12_a_handler_that_blocks_a_shared_worker_is_named_once() {
    let events = slow_handlers(ActorSystem::builder("test"), secs(60)).await;
    let [event @ Event::SlowHandler { age, .. }] = &events[..] else {
        panic!("{events:?}")
    };
    assert!(*age >= playhouse::limits::SLOW_HANDLER);
    let text = event.to_string();
    has_all(
        &text,
        &["/test/blocker", "`u32`", "dispatcher `default`", " ms"],
    );
    has_all(&text, &["system.dispatcher(\"blocking\")", "pipe_blocking"]);
}

#[tokio::test]
async fn own_12_the_only_worker_of_a_runtime_is_watched_too() {
    let events = slow_handlers(ActorSystem::builder("test"), secs(60)).await;
    assert_eq!(events.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn own_12_how_slow_is_a_setting() {
    let never = ActorSystem::builder("test").slow_handler(Duration::MAX);
    assert!(
        slow_handlers(never, 3 * playhouse::limits::SLOW_HANDLER)
            .await
            .is_empty()
    );
}

/// Waits for another one in its handler, and says how that went.
struct Waiter {
    name: &'static str,
    peer: Option<ActorRef<Turn>>,
    heard: mpsc::UnboundedSender<(&'static str, Result<u32, AskError>)>,
}

enum Turn {
    Meet(ActorRef<Turn>),
    /// Once both are at it.
    AskPeer(Arc<Barrier>),
    Answer(Reply<u32>),
}

impl Actor for Waiter {
    type Msg = Turn;
    async fn receive(&mut self, _ctx: &mut Context<Turn>, turn: Turn) -> Outcome {
        match turn {
            Turn::Meet(peer) => self.peer = Some(peer),
            Turn::Answer(reply) => reply.send(1),
            Turn::AskPeer(both) => {
                both.wait().await;
                self.ask(Turn::Answer).await;
            }
        }
        Ok(())
    }
}

impl Waiter {
    async fn ask(&mut self, make: fn(Reply<u32>) -> Turn) {
        let Some(peer) = &self.peer else { return };
        let answer = peer.ask(make).within(secs(60)).await;
        let _ = self.heard.send((self.name, answer));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn own_11_two_that_ask_each_other_in_their_handlers_fail_with_the_cycle() {
    let (system, events) = system();
    let (heard, mut answers) = journal();
    let [a, b] = ["a", "b"].map(|name| {
        let heard = heard.clone();
        let waiter = move || Waiter {
            name,
            peer: None,
            heard,
        };
        system.spawn(name, waiter).unwrap()
    });
    a.tell(Turn::Meet(b.clone()));
    b.tell(Turn::Meet(a.clone()));
    let both = Arc::new(Barrier::new(2));
    a.tell(Turn::AskPeer(both.clone()));
    b.tell(Turn::AskPeer(both));
    for _ in 0..2 {
        let (name, answer) = answers.recv().await.unwrap();
        let Err(error @ AskError::Cycle(cycle)) = &answer else {
            panic!("{answer:?}")
        };
        let path = match name {
            "a" => "/test/a -> /test/b -> /test/a",
            _ => "/test/b -> /test/a -> /test/b",
        };
        has_all(
            &error.to_string(),
            &[path, "own_failures::Turn", "Context::ask"],
        );
        assert_eq!(cycle.messages().len(), 2);
    }
    assert_eq!(
        events.count(|event| matches!(event, Event::Cycle { certain: true, .. })),
        1
    );
    assert_eq!(
        events.count(|event| matches!(event, Event::Cycle { certain: false, .. })),
        0
    );
    end(&system).await;
}

/// Sends so many messages to another one, in one handler.
enum Flood {
    Send(ActorRef<Flood>, Arc<Barrier>),
    Water,
}

struct Flooder(mpsc::UnboundedSender<Outcome>);

impl Actor for Flooder {
    type Msg = Flood;
    async fn receive(&mut self, _ctx: &mut Context<Flood>, flood: Flood) -> Outcome {
        if let Flood::Send(to, both) = flood {
            both.wait().await;
            let sent = async {
                for _ in 0..3 {
                    to.send(Flood::Water).await?;
                }
                Ok(())
            };
            let sent = sent.await;
            self.0.send(sent)?;
        }
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn own_11_two_full_mailboxes_that_send_into_each_other_fail_with_the_cycle() {
    let (system, events) = system();
    let (told, mut outcomes) = journal();
    let [a, b] = ["a", "b"].map(|name| {
        let told = told.clone();
        let props = Props::new(move || Flooder(told)).mailbox(Mailbox::bounded(1));
        system.spawn(name, props).unwrap()
    });
    let both = Arc::new(Barrier::new(2));
    a.tell(Flood::Send(b.clone(), both.clone()));
    b.tell(Flood::Send(a.clone(), both));
    let mut cycles = Vec::new();
    for _ in 0..2 {
        let failure = outcomes.recv().await.unwrap().unwrap_err();
        let error = failure.find::<playhouse::SendError<Flood>>().unwrap();
        assert_eq!(error.cycle().unwrap().len(), 3);
        has_all(
            &error.to_string(),
            &["full mailboxes", "own_failures::Flood", "`try_send`"],
        );
        cycles.push(error.cycle().unwrap()[0].path().to_owned());
    }
    cycles.sort();
    assert_eq!(
        cycles,
        ["/test/a", "/test/b"],
        "each sees it from its own place"
    );
    assert_eq!(
        events.count(|event| matches!(event, Event::Cycle { certain: true, .. })),
        1
    );
    end(&system).await;
}

/// Asks the next one with a limit of its own, and tells what it heard.
struct Middle {
    next: ActorRef<Reply<()>>,
    errors: mpsc::UnboundedSender<AskError>,
}

impl Actor for Middle {
    type Msg = Reply<()>;
    async fn receive(&mut self, _ctx: &mut Context<Reply<()>>, reply: Reply<()>) -> Outcome {
        match self.next.ask(|reply| reply).within(secs(10)).await {
            Ok(()) => reply.send(()),
            Err(error) => self.errors.send(error)?,
        }
        Ok(())
    }
}

#[test]
fn own_10_a_deadline_goes_down_the_chain_and_the_error_tells_where_the_time_went() {
    for_each_seed(100, |seed| {
        let (system, world, _) = stepped(seed);
        let (seen, mut remaining) = journal();
        let (errors, mut middle_errors) = journal();
        let last = Props::func(async move |ctx: &mut Context<Reply<()>>| {
            let reply = ctx.recv().await.ok_or("stopped")?;
            seen.send(ctx.clock().remaining(reply.deadline().ok_or("none")?))?;
            ctx.clock().sleep(secs(5)).await;
            Ok(())
        });
        let next = system.spawn("c", last).unwrap();
        let middle = system.spawn("b", move || Middle { next, errors }).unwrap();
        let error = world
            .block_on_timed(middle.ask(|reply| reply).within(millis(300)))
            .unwrap_err();
        assert!(matches!(&error, AskError::Timeout(late) if late.fate() == Fate::Started));
        let text = error.to_string();
        has_all(
            &text,
            &["/test/b did not answer", "Reply<()>", "within 300 ms"],
        );
        has_all(
            &text,
            &["if it may be done twice", "/test/b waits for /test/c"],
        );
        assert_eq!(remaining.try_recv().unwrap(), millis(300));
        world.settle();
        let error = middle_errors.try_recv().unwrap();
        has_all(
            &error.to_string(),
            &["/test/c did not answer", "within 300 ms"],
        );
        world.advance(secs(5));
        common_end(&system, &world);
    });
}

#[test]
fn own_13_two_that_hold_each_others_handles_are_named_at_the_shutdown() {
    struct Holder(Option<ActorRef<Hold>>);
    struct Hold(ActorRef<Hold>);
    impl Actor for Holder {
        type Msg = Hold;
        async fn receive(&mut self, _ctx: &mut Context<Hold>, Hold(peer): Hold) -> Outcome {
            self.0 = Some(peer);
            Ok(())
        }
    }
    for_each_seed(100, |seed| {
        let (system, world, events) = stepped(seed);
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| {
            let props = Props::new(|| Holder(None)).lifetime(Lifetime::Handles);
            system.spawn(name, props).unwrap()
        });
        a.tell(Hold(b.clone()));
        b.tell(Hold(a.clone()));
        c.tell(Hold(a.clone())); // holds one of them, and is held by nobody
        let outside = d.clone();
        d.tell(Hold(d.clone())); // holds itself, but not alone
        drop((a, b, c, d));
        world.settle();
        assert_eq!(
            events.count(|event| matches!(event, Event::Ended { .. })),
            1,
            "c has ended"
        );
        common_end(&system, &world);
        drop(outside);
        let found = events.all();
        let found = found
            .iter()
            .filter(|event| matches!(event, Event::HandleCycle { .. }));
        let [event] = found.collect::<Vec<_>>()[..] else {
            panic!("{:?}", events.all())
        };
        let text = event.to_string();
        has_all(
            &text,
            &["/test/a -> /test/b -> /test/a", "WeakRef", "downgrade"],
        );
    });
}
