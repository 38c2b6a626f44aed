//! Each way in which a program of actors goes wrong, and what a person reads then: who, with what, for how long, and what
//! to do. State that is touched from a callback does not compile (`must_not_compile`).

mod common;

use common::seeds::{end, stepped};
use common::*;
use playhouse::prelude::*;
use playhouse::{Budget, Event, Share, limits};
use std::sync::{Arc, Condvar, Mutex};
use tokio::sync::{Semaphore, mpsc};

/// The text of the only such event.
fn text(events: &Events, which: fn(&Event) -> bool) -> String {
    let events = events.all();
    let found: Vec<_> = events.iter().filter(|event| which(event)).collect();
    let [event] = found[..] else {
        panic!("{events:?}")
    };
    event.to_string()
}

fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in {text:?}");
    }
}

#[test]
fn a_mailbox_that_grows_is_named_each_time_it_has_doubled() {
    let (system, world, events) = stepped(1);
    let (entered, _entered) = journal();
    let (seen, _seen) = journal();
    let gate = Arc::new(Semaphore::new(0));
    let props = gated::<u64>(entered, gate.clone(), seen).mailbox(Mailbox::unbounded());
    let slow = system.spawn("slow", props).unwrap();
    let grows = |event: &Event| matches!(event, Event::MailboxGrows { .. });
    let fill = |count: usize| (0..count).for_each(|n| slow.tell(n as u64));
    fill(limits::MAILBOX_GROWS);
    world.settle();
    fill(limits::MAILBOX_GROWS / 2);
    let text = text(&events, grows);
    assert_says(
        &text,
        &[
            "/test/slow has 8",
            "`u64`",
            "`Mailbox::bounded`",
            "`Budget`",
            "`WorkPool`",
        ],
    );
    fill(limits::MAILBOX_GROWS);
    assert_eq!(events.count(grows), 2, "once for each doubling");
    gate.add_permits(1 << 20);
    world.settle();
    fill(limits::MAILBOX_GROWS + limits::MAILBOX);
    assert_eq!(events.count(grows), 2, "so many were there before");
    end(&system, &world);
}

#[test]
fn a_lost_reply_names_who_lost_it() {
    let (system, world, events) = stepped(1);
    let forgetful = Props::func(async |ctx: &mut Context<Reply<u32>>| {
        while let Some(reply) = ctx.recv().await {
            drop(reply);
        }
        Ok(())
    });
    let forgetful = system.spawn("forgetful", forgetful).unwrap();
    let error = world
        .block_on(forgetful.ask(|reply| reply).within(secs(1)))
        .unwrap_err();
    let said = error.to_string();
    assert_says(
        &said,
        &[
            "/test/forgetful will not answer",
            "Reply<u32>",
            "dropped the reply",
        ],
    );
    let lost = text(&events, |event| matches!(event, Event::DeadLetter { .. }));
    assert_says(
        &lost,
        &[
            "/test/forgetful",
            "dropped without an answer",
            "answer on every path",
        ],
    );
    end(&system, &world);
}

/// Blocks its worker until somebody has noticed.
struct Blocker(Arc<(Mutex<bool>, Condvar)>);

impl Actor for Blocker {
    type Msg = u8;
    async fn receive(&mut self, ctx: &mut Context<u8>, _: u8) -> Outcome {
        let unnoticed = self.0.0.lock().unwrap();
        drop(
            self.0
                .1
                .wait_timeout_while(unnoticed, secs(60), |noticed| !*noticed),
        );
        ctx.stop();
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_starved_dispatcher_names_who_holds_it() {
    let notice = Arc::new((Mutex::new(false), Condvar::new()));
    let (noticed, (told, mut texts)) = (notice.clone(), journal());
    let system = ActorSystem::builder("test")
        .on_event(move |event| {
            if let Event::SlowHandler { .. } = event {
                let _ = told.send(event.to_string());
                *notice.0.lock().unwrap() = true;
                notice.1.notify_all();
            }
        })
        .build()
        .unwrap();
    let blocker = system.spawn("blocker", move || Blocker(noticed)).unwrap();
    blocker.tell(0);
    blocker.terminated().await;
    let text = texts.recv().await.unwrap();
    assert_says(
        &text,
        &[
            "/test/blocker has held worker",
            "`default` for 1",
            " ms with a `u8`",
        ],
    );
    assert_says(
        &text,
        &[
            ".dispatcher(&system.dispatcher(\"blocking\")?)",
            "pipe_blocking",
        ],
    );
    assert_clean(&system.shutdown().await);
}

/// Asks the next one while it is asked itself.
fn link(next: Option<ActorRef<Reply<u32>>>) -> playhouse::FuncProps<Reply<u32>> {
    Props::func(async move |ctx: &mut Context<Reply<u32>>| {
        while let Some(reply) = ctx.recv().await {
            match &next {
                Some(next) => reply.send(next.ask(|reply| reply).within(secs(60)).await?),
                None => ctx.clock().sleep(secs(60)).await,
            }
        }
        Ok(())
    })
}

#[test]
fn a_chain_of_asks_that_time_out_tells_where_the_time_went() {
    let (system, world, _) = stepped(1);
    let c = system.spawn("c", link(None)).unwrap();
    let b = system.spawn("b", link(Some(c))).unwrap();
    let a = system.spawn("a", link(Some(b))).unwrap();
    let error = world
        .block_on_timed(a.ask(|reply| reply).within(millis(10)))
        .unwrap_err();
    let said = error.to_string();
    assert_says(
        &said,
        &["/test/a did not answer a ", "Reply<u32>", "within 10 ms"],
    );
    assert_says(&said, &["ask again only if it may be done twice"]);
    assert_says(
        &said,
        &["/test/a waits for /test/b", "/test/b waits for /test/c"],
    );
    world.advance(secs(60)); // the last one sleeps in its handler
    end(&system, &world);
}

enum Peer {
    Meet(ActorRef<Peer>),
    Await(ActorRef<Peer>),
    Question(Reply<u32>),
    Answered,
}

/// Sets everything aside until the one it has asked answers.
#[derive(Default)]
struct Stasher {
    is_waiting: bool,
}

impl Actor for Stasher {
    type Msg = Peer;
    async fn receive(&mut self, ctx: &mut Context<Peer>, msg: Peer) -> Outcome {
        match msg {
            Peer::Meet(peer) => {
                self.is_waiting = true;
                ctx.ask(&peer, secs(3), Peer::Question, |_| Peer::Answered);
            }
            Peer::Await(peer) => drop(peer.ask(Peer::Question).within(secs(3)).await?),
            Peer::Question(reply) if self.is_waiting => {
                ctx.stash(Peer::Question(reply)).map_err(|_| "full")?;
            }
            Peer::Question(reply) => reply.send(1),
            Peer::Answered => {
                self.is_waiting = false;
                ctx.unstash_all();
            }
        }
        Ok(())
    }
}

fn two_that(meet: fn(ActorRef<Peer>) -> Peer) -> Events {
    let (system, world, events) = stepped(1);
    let [a, b] = ["a", "b"].map(|name| system.spawn(name, Stasher::default).unwrap());
    a.tell(meet(b.clone()));
    b.tell(meet(a.clone()));
    world.advance(secs(5));
    end(&system, &world);
    events
}

#[test]
fn two_that_stash_and_wait_for_each_other_are_suspected() {
    let events = two_that(Peer::Meet);
    let text = text(&events, |event| {
        matches!(event, Event::Cycle { certain: false, .. })
    });
    assert_says(&text, &["seem to wait for each other", " -> /test/a"]);
    assert_says(&text, &["failure_modes::Peer", "answer before it asks"]);
}

#[test]
fn two_that_await_each_other_fail_with_the_path() {
    let events = two_that(Peer::Await);
    let text = text(&events, |event| {
        matches!(event, Event::Cycle { certain: true, .. })
    });
    assert_says(
        &text,
        &[
            "/test/a -> /test/b",
            "failure_modes::Peer",
            "`Context::ask`",
        ],
    );
    let failed = |event: &Event| matches!(event, Event::Failed { .. });
    assert_eq!(events.count(failed), 2, "their asks ended with an error");
}

#[test]
fn handles_in_a_circle_are_named_at_the_shutdown() {
    struct Holder(Option<ActorRef<Keep>>);
    struct Keep(ActorRef<Keep>);
    impl Actor for Holder {
        type Msg = Keep;
        async fn receive(&mut self, _ctx: &mut Context<Keep>, Keep(peer): Keep) -> Outcome {
            self.0 = Some(peer);
            Ok(())
        }
    }
    let (system, world, events) = stepped(1);
    let [a, b] = ["a", "b"].map(|name| {
        let props = Props::new(|| Holder(None)).lifetime(Lifetime::Handles);
        system.spawn(name, props).unwrap()
    });
    a.tell(Keep(b.clone()));
    b.tell(Keep(a.clone()));
    drop((a, b));
    end(&system, &world);
    let text = text(&events, |event| matches!(event, Event::HandleCycle { .. }));
    assert_says(
        &text,
        &[
            "until the shutdown",
            "/test/a -> /test/b -> /test/a",
            "`WeakRef`",
        ],
    );
}

/// Of this process, in bytes.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0) * 4_096
}

#[tokio::test]
async fn a_hundred_thousand_producers_park_cheaply_and_an_admission_bound_keeps_them_away() {
    const PRODUCERS: usize = 100_000;
    let (system, _) = system();
    let (entered, mut has_entered) = journal();
    let (seen, _seen) = journal();
    let gate = Arc::new(Semaphore::new(0));
    let props = gated::<Option<Share>>(entered, gate, seen).mailbox(Mailbox::bounded(1));
    let slow = system.spawn("slow", props).unwrap();
    slow.send(None).await.unwrap();
    has_entered.recv().await;
    slow.send(None).await.unwrap();

    let before = resident();
    let (parked, mut is_parked) = mpsc::unbounded_channel();
    let (tell, mut told) = mpsc::unbounded_channel();
    for _ in 0..PRODUCERS {
        let (slow, parked, tell) = (slow.clone(), parked.clone(), tell.clone());
        tokio::spawn(async move {
            let mut sends = std::pin::pin!(slow.send(None));
            let first = futures_poll_once(sends.as_mut()).await;
            let _ = parked.send(first);
            let _ = tell.send(sends.await.is_err());
        });
    }
    for _ in 0..PRODUCERS {
        assert!(!is_parked.recv().await.unwrap(), "there is no place");
    }
    let each = resident().saturating_sub(before) / PRODUCERS;
    println!("{each} bytes for each task that waits in `send`");
    slow.kill(); // they are told, all of them
    for _ in 0..PRODUCERS {
        assert!(told.recv().await.unwrap(), "it takes nothing more");
    }

    let budget = Budget::new(1);
    let (mut admitted, mut refused) = (Vec::new(), 0);
    for _ in 0..PRODUCERS {
        match budget.available() {
            0 => refused += 1,
            _ => admitted.push(budget.take(1).await),
        }
    }
    assert_eq!((admitted.len(), refused), (1, PRODUCERS - 1));
    drop(admitted.pop());
    assert_eq!(budget.available(), 1, "the next one may come");
    common::end(&system).await;
}

/// Is it ready at its first poll?
async fn futures_poll_once<F: std::future::Future>(mut future: std::pin::Pin<&mut F>) -> bool {
    std::future::poll_fn(|context| std::task::Poll::Ready(future.as_mut().poll(context).is_ready()))
        .await
}
