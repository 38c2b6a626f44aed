//! Promise 7: what stop, drain and kill do, and in which order an actor ends.

mod common;

use common::*;
use playhouse::prelude::*;
use playhouse::{DeadLetterReason, Event, Fate, NoReply};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{self, Poll, Wake, Waker};
use tokio::sync::{Semaphore, mpsc};

enum Msg {
    Enter,
    Work,
    Ask(Reply<u32>),
}

struct Worker {
    entered: mpsc::UnboundedSender<()>,
    gate: Arc<Semaphore>,
    handled: u32,
}

impl Actor for Worker {
    type Msg = Msg;
    async fn receive(&mut self, _ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        match msg {
            Msg::Enter => {
                self.entered.send(())?;
                self.gate.acquire().await?.forget();
            }
            Msg::Work => self.handled += 1,
            Msg::Ask(reply) => reply.send(self.handled),
        }
        Ok(())
    }
}

/// Busy, with 99 messages and one ask waiting behind.
async fn busy(
    system: &ActorSystem,
) -> (
    ActorRef<Msg>,
    Arc<Semaphore>,
    tokio::task::JoinHandle<Result<u32, AskError>>,
) {
    let (entered, mut has_entered) = journal();
    let gate = Arc::new(Semaphore::new(0));
    let opened = gate.clone();
    let worker = system.spawn_anonymous(move || Worker {
        entered,
        gate: opened,
        handled: 0,
    });
    worker.send(Msg::Enter).await.unwrap();
    has_entered.recv().await;
    for _ in 0..99 {
        worker.send(Msg::Work).await.unwrap();
    }
    let asked = worker.clone();
    let answer = tokio::spawn(async move { asked.ask(Msg::Ask).within(secs(60)).await });
    while system.ledger().queued < 100 {
        tokio::task::yield_now().await;
    }
    (worker, gate, answer)
}

/// OWN-08, the polite stop.
#[tokio::test]
async fn own_08_stop_finishes_the_current_message_and_buries_the_rest() {
    let (system, events) = system();
    let (worker, gate, answer) = busy(&system).await;
    worker.stop();
    assert!(matches!(
        worker.try_send(Msg::Work),
        Err(TrySendError::Closed(_))
    ));
    gate.add_permits(1);
    assert!(matches!(worker.terminated().await, Exit::Stopped));
    let answer = answer.await.unwrap();
    assert!(
        matches!(answer, Err(AskError::Gone(Fate::Waiting))),
        "{answer:?}"
    );
    assert_eq!(events.dead(DeadLetterReason::Stopped), 100);
    let ledger = end(&system).await;
    assert_eq!((ledger.handled, ledger.dead), (1, 100));
}

/// OWN-08, the drain.
#[tokio::test]
async fn own_08_drain_handles_all_that_was_accepted() {
    let (system, events) = system();
    let (worker, gate, answer) = busy(&system).await;
    worker.drain();
    assert!(matches!(
        worker.try_send(Msg::Work),
        Err(TrySendError::Closed(_))
    ));
    gate.add_permits(1);
    assert!(matches!(worker.terminated().await, Exit::Drained));
    assert_eq!(answer.await.unwrap().unwrap(), 99);
    assert_eq!(events.dead(DeadLetterReason::Stopped), 0);
    assert_eq!(end(&system).await.handled, 101);
}

#[tokio::test]
async fn kill_drops_the_handler_at_its_next_await_and_its_asker_hears_so() {
    let (system, _) = system();
    let (entered, mut has_entered) = journal();
    struct Stuck(mpsc::UnboundedSender<()>);
    impl Actor for Stuck {
        type Msg = Reply<u32>;
        async fn receive(&mut self, _ctx: &mut Context<Reply<u32>>, reply: Reply<u32>) -> Outcome {
            self.0.send(())?;
            std::future::pending::<()>().await;
            reply.send(1);
            Ok(())
        }
    }
    let stuck = system.spawn("stuck", move || Stuck(entered)).unwrap();
    let asked = stuck.clone();
    let answer = tokio::spawn(async move { asked.ask(|reply| reply).within(secs(60)).await });
    has_entered.recv().await;
    stuck.kill();
    assert!(matches!(stuck.terminated().await, Exit::Killed));
    let answer = answer.await.unwrap();
    assert!(
        matches!(
            answer,
            Err(AskError::NoReply {
                why: NoReply::Stopped,
                ..
            })
        ),
        "{answer:?}"
    );
    end(&system).await;
}

#[tokio::test]
async fn drain_waits_for_permits_and_for_pipes_and_asks_under_way() {
    let (system, _) = system();
    let gate = Arc::new(Semaphore::new(0));
    let opened = gate.clone();
    let (seen, mut journal) = journal();
    let (ready, mut is_ready) = common::journal();
    let actor = system
        .spawn(
            "actor",
            Props::func(async move |ctx: &mut Context<&'static str>| {
                let slow = async move { opened.acquire().await.map(|permit| permit.forget()) };
                ctx.pipe_to_self(slow, |_| "piped");
                ready.send(())?;
                while let Some(msg) = ctx.recv().await {
                    seen.send(msg)?;
                }
                Ok(())
            }),
        )
        .unwrap();
    is_ready.recv().await;
    let permit = actor.reserve().await.unwrap();
    let unused = actor.reserve().await.unwrap();
    actor.drain();
    gate.add_permits(1);
    assert_eq!(journal.recv().await, Some("piped"));
    permit.send("permitted");
    assert_eq!(journal.recv().await, Some("permitted"));
    drop(unused); // the last thing it waits for
    assert!(matches!(actor.terminated().await, Exit::Drained));
    end(&system).await;
}

/// With nothing else to wait for than the one thing that is under way.
#[tokio::test]
async fn drain_waits_for_a_pipe_alone_and_for_an_ask_alone() {
    for is_ask in [false, true] {
        let (system, _) = system();
        let gate = Arc::new(Semaphore::new(0));
        let (opened, answering) = (gate.clone(), gate.clone());
        let slow = Props::func(async move |ctx: &mut Context<Reply<u32>>| {
            let reply = ctx.recv().await.ok_or("nobody asks")?;
            answering.acquire().await?.forget();
            reply.send(1);
            Ok(())
        });
        let slow = system.spawn("slow", slow).unwrap();
        let (ready, mut is_ready) = journal();
        let (seen, mut results) = journal();
        let actor = Props::func(async move |ctx: &mut Context<u32>| {
            if is_ask {
                let unanswered = |answer: Result<u32, AskError>| answer.unwrap_or(0);
                ctx.ask(&slow, secs(60), |reply| reply, unanswered);
            } else {
                let piped = async move { opened.acquire().await.map(|permit| permit.forget()) };
                ctx.pipe_to_self(piped, |_| 1);
            }
            ready.send(())?;
            while let Some(n) = ctx.recv().await {
                seen.send(n)?;
            }
            Ok(())
        });
        let actor = system.spawn("actor", actor).unwrap();
        is_ready.recv().await;
        actor.drain();
        for _ in 0..10 {
            tokio::task::yield_now().await; // time enough to end too early, on this one thread
        }
        gate.add_permits(1);
        assert!(matches!(actor.terminated().await, Exit::Drained));
        assert_eq!(read(&mut results), [1]);
        end(&system).await;
    }
}

#[tokio::test]
async fn a_permit_used_after_the_end_is_a_dead_letter() {
    let (system, events) = system();
    let (actor, gate, _answer) = busy(&system).await;
    let permit = actor.reserve().await.unwrap();
    gate.add_permits(1);
    actor.stop();
    actor.terminated().await;
    permit.send(Msg::Work);
    assert_eq!(events.dead(DeadLetterReason::Gone), 1);
    end(&system).await;
}

#[tokio::test]
async fn pipes_are_cancelled_with_the_actor() {
    struct TellsItsDrop(mpsc::UnboundedSender<()>);
    impl Drop for TellsItsDrop {
        fn drop(&mut self) {
            let _ = self.0.send(());
        }
    }
    let (system, _) = system();
    let (dropped, mut is_dropped) = journal();
    let actor = system
        .spawn(
            "actor",
            Props::func(async move |ctx: &mut Context<()>| {
                let guard = TellsItsDrop(dropped);
                ctx.pipe_to_self(
                    async move {
                        std::future::pending::<()>().await;
                        drop(guard);
                    },
                    |()| (),
                );
                Ok(())
            }),
        )
        .unwrap();
    actor.terminated().await;
    assert_eq!(is_dropped.recv().await, Some(()));
    end(&system).await;
}

/// Writes down its post-stop and its drop.
struct Parent {
    name: &'static str,
    has_child: bool,
    seen: mpsc::UnboundedSender<String>,
}
impl Actor for Parent {
    type Msg = ();
    async fn started(&mut self, ctx: &mut Context<()>) -> Outcome {
        if self.has_child {
            let seen = self.seen.clone();
            ctx.spawn("child", move || Parent {
                name: "child",
                has_child: false,
                seen,
            })?;
        }
        Ok(())
    }
    async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
        Ok(())
    }
    async fn signal(&mut self, ctx: &mut Context<()>, signal: Signal) -> Outcome {
        if matches!(signal, Signal::PostStop) {
            assert!(ctx.children().is_empty());
            self.seen.send(format!("{} post-stop", self.name))?;
        }
        Ok(())
    }
}
impl Drop for Parent {
    fn drop(&mut self) {
        let _ = self.seen.send(format!("{} dropped", self.name));
    }
}

/// Children, post-stop, state, name, then watchers.
#[tokio::test]
async fn an_actor_ends_in_order() {
    let (system, events) = system();
    let (seen, mut journal) = journal();
    let (watched, told) = (system.clone(), seen.clone());
    let for_parent = seen.clone();
    let parent = system
        .spawn("parent", move || Parent {
            name: "parent",
            has_child: true,
            seen: for_parent,
        })
        .unwrap();
    parent
        .ask(|_: Reply<()>| ())
        .within(secs(5))
        .await
        .unwrap_err(); // it has started
    let target = parent.clone();
    let watcher = system
        .spawn(
            "watcher",
            Props::func(async move |ctx: &mut Context<Exit>| {
                ctx.watch_with(&target, |exit| exit);
                told.send("watching".into())?;
                let exit = ctx.recv().await;
                let seen = told.clone();
                let is_name_free = watched.spawn("parent", move || Parent {
                    name: "next",
                    has_child: false,
                    seen,
                });
                told.send(format!(
                    "watcher told {exit:?}, name free: {}",
                    is_name_free.is_ok()
                ))?;
                Ok(())
            }),
        )
        .unwrap();
    assert_eq!(journal.recv().await.unwrap(), "watching");
    parent.stop();
    watcher.terminated().await;
    let expected = [
        "child post-stop",
        "child dropped",
        "parent post-stop",
        "parent dropped",
        "watcher told Some(Stopped), name free: true",
    ];
    assert_eq!(read(&mut journal), expected);
    assert_eq!(
        events.count(|event| matches!(event, Event::Ended { who, .. } if *who == parent)),
        1
    );
    end(&system).await;
}

#[tokio::test]
async fn a_drop_that_panics_harms_nobody() {
    struct Mine(bool);
    impl Drop for Mine {
        fn drop(&mut self) {
            assert!(!self.0, "this drop panics on purpose");
        }
    }
    impl Actor for Mine {
        type Msg = Mine;
        async fn receive(&mut self, ctx: &mut Context<Mine>, _msg: Mine) -> Outcome {
            ctx.stop();
            Ok(())
        }
    }
    let (system, events) = system();
    let actor = system.spawn("mine", || Mine(true)).unwrap();
    actor.tell(Mine(false));
    actor.tell(Mine(true)); // buried, and panics in its drop
    assert!(matches!(actor.terminated().await, Exit::Stopped));
    assert_eq!(events.dead(DeadLetterReason::Stopped), 1);
    end(&system).await;
}

#[tokio::test]
async fn stopped_before_it_started_it_runs_nothing() {
    struct Never;
    impl Actor for Never {
        type Msg = ();
        async fn started(&mut self, _ctx: &mut Context<()>) -> Outcome {
            panic!("started")
        }
        async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
            panic!("received")
        }
        async fn signal(&mut self, _ctx: &mut Context<()>, signal: Signal) -> Outcome {
            panic!("{signal:?}")
        }
    }
    let (system, events) = system(); // one thread: nothing runs before the first await
    let never = system.spawn("never", || Never).unwrap();
    never.tell(());
    never.stop();
    assert!(matches!(never.terminated().await, Exit::Stopped));
    assert_eq!(events.dead(DeadLetterReason::Stopped), 1);
    end(&system).await;
}

#[tokio::test]
async fn a_failure_stops_by_default_with_its_cause() {
    #[derive(Debug, PartialEq)]
    struct Broken(u8);
    impl std::fmt::Display for Broken {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "broken {}", self.0)
        }
    }
    impl std::error::Error for Broken {}
    let (system, events) = system();
    let failing = Props::func(async |_ctx: &mut Context<()>| {
        Err(Broken(3))?;
        Ok(())
    });
    let Exit::Failed(cause) = system.spawn_anonymous(failing).terminated().await else {
        panic!()
    };
    assert_eq!(cause.find::<Broken>(), Some(&Broken(3)));
    assert!(!cause.is_panic());
    let panicking = Props::func(async |_ctx: &mut Context<()>| panic!("on purpose"));
    let Exit::Failed(cause) = system.spawn_anonymous(panicking).terminated().await else {
        panic!()
    };
    assert!(cause.is_panic());
    assert_eq!(cause.to_string(), "panicked: on purpose");
    assert_eq!(
        events.count(|event| matches!(event, Event::Failed { .. })),
        2
    );
    end(&system).await;
}

#[tokio::test]
async fn an_error_returned_while_stopping_wins() {
    struct Both;
    impl Actor for Both {
        type Msg = ();
        async fn receive(&mut self, ctx: &mut Context<()>, (): ()) -> Outcome {
            ctx.stop();
            Err("and failed".into())
        }
    }
    let (system, _) = system();
    let both = system.spawn("both", || Both).unwrap();
    both.tell(());
    assert!(matches!(both.terminated().await, Exit::Failed(_)));
    end(&system).await;
}

/// A future that is polled again only when its own waker was woken, as joins of many futures do.
struct OnlyWhenWoken<F> {
    future: Pin<Box<F>>,
    mark: Arc<Mark>,
}

struct Mark {
    is_woken: AtomicBool,
    outer: Mutex<Option<Waker>>,
}

impl Wake for Mark {
    fn wake(self: Arc<Self>) {
        self.is_woken.store(true, Ordering::SeqCst);
        if let Some(outer) = self.outer.lock().unwrap().take() {
            outer.wake();
        }
    }
}

impl<F> OnlyWhenWoken<F> {
    fn new(future: F) -> Self {
        let mark = Mark {
            is_woken: AtomicBool::new(true),
            outer: Mutex::new(None),
        };
        Self {
            future: Box::pin(future),
            mark: Arc::new(mark),
        }
    }
}

impl<F: Future> Future for OnlyWhenWoken<F> {
    type Output = F::Output;
    fn poll(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<F::Output> {
        *self.mark.outer.lock().unwrap() = Some(context.waker().clone());
        if !self.mark.is_woken.swap(false, Ordering::SeqCst) {
            return Poll::Pending;
        }
        let waker = Waker::from(self.mark.clone());
        self.future
            .as_mut()
            .poll(&mut task::Context::from_waker(&waker))
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_waits_behind_a_waker_of_its_own_sees_every_order() {
    for order in [ActorRef::drain, ActorRef::stop, ActorRef::kill] {
        let (system, _) = system();
        let (told, mut journal) = journal();
        let body = Props::func(async move |ctx: &mut Context<()>| {
            told.send("waits")?;
            while OnlyWhenWoken::new(ctx.recv()).await.is_some() {
                told.send("got one")?;
            }
            Ok(())
        });
        let actor = system.spawn("actor", body).unwrap();
        assert_eq!(journal.recv().await, Some("waits"));
        actor.tell(());
        assert_eq!(journal.recv().await, Some("got one"));
        order(&actor);
        let ended = tokio::time::timeout(secs(60), actor.terminated()).await;
        assert!(ended.is_ok(), "the order was not seen");
        end(&system).await;
    }
}

/// Panics in its drop.
struct Bomb;
impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("this drop panics on purpose");
    }
}

enum Holding {
    Timer(Option<Bomb>),
    Watch,
}

/// Holds, in a timer or in a watch, what panics when it is dropped.
struct Holder {
    what: Option<Holding>,
    told: mpsc::UnboundedSender<&'static str>,
}

impl Actor for Holder {
    type Msg = Holding;
    async fn started(&mut self, ctx: &mut Context<Holding>) -> Outcome {
        match self.what.take() {
            Some(Holding::Watch) => {
                let bomb = Bomb;
                let waits = Props::func(async |ctx: &mut Context<()>| {
                    ctx.stopping().await;
                    Ok(())
                });
                let other = ctx.system().spawn_anonymous(waits); // not a child: it is watched to the end
                ctx.watch_with(&other, move |_exit| Holding::Timer(Some(bomb)));
            }
            Some(timer) => ctx.timers().once("never", secs(3_600), timer),
            None => {}
        }
        Ok(())
    }
    async fn receive(&mut self, _ctx: &mut Context<Holding>, msg: Holding) -> Outcome {
        if let Holding::Timer(bomb) = msg {
            drop(bomb);
        }
        Ok(())
    }
    async fn signal(&mut self, _ctx: &mut Context<Holding>, signal: Signal) -> Outcome {
        if matches!(signal, Signal::PostStop) {
            self.told.send("post-stop")?;
        }
        signal.unhandled()
    }
}

#[tokio::test]
async fn drops_that_panic_in_timers_and_watches_leave_the_end_in_order() {
    for what in [|| Some(Holding::Timer(Some(Bomb))), || Some(Holding::Watch)] {
        let (system, _) = system();
        let (told, mut journal) = journal();
        let factory = move || Holder { what: what(), told };
        let actor = system.spawn("holder", factory).unwrap();
        tokio::task::yield_now().await; // it starts
        actor.stop();
        let exit = actor.terminated().await;
        assert!(matches!(exit, Exit::Stopped), "{exit}");
        assert_eq!(read(&mut journal), ["post-stop"]);
        end(&system).await;
    }
}

#[tokio::test]
async fn a_killed_handler_whose_drop_panics_with_a_payload_that_panics_is_still_only_killed() {
    struct Worse;
    impl Drop for Worse {
        fn drop(&mut self) {
            std::panic::panic_any(Bomb);
        }
    }
    let (system, _) = system();
    let (told, mut journal) = journal();
    let body = Props::func(async move |_ctx: &mut Context<()>| {
        let worse = Worse;
        told.send(())?;
        std::future::pending::<()>().await;
        drop(worse);
        Ok(())
    });
    let actor = system.spawn("actor", body).unwrap();
    journal.recv().await.unwrap();
    actor.kill();
    let exit = actor.terminated().await;
    assert!(matches!(exit, Exit::Killed), "{exit}");
    end(&system).await;
}

#[tokio::test(start_paused = true)]
async fn after_the_end_has_begun_there_is_no_next_message_to_wait_for() {
    struct Asks(mpsc::UnboundedSender<bool>);
    impl Actor for Asks {
        type Msg = ();
        async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
            Err("on purpose".into())
        }
        async fn signal(&mut self, ctx: &mut Context<()>, _signal: Signal) -> Outcome {
            self.0.send(ctx.recv().await.is_none())?;
            Ok(())
        }
    }
    let (system, _) = system();
    let (told, mut journal) = journal();
    let actor = system.spawn("actor", move || Asks(told)).unwrap();
    actor.tell(());
    let exit = tokio::time::timeout(secs(60), actor.terminated()).await;
    assert!(matches!(exit, Ok(Exit::Failed(_))), "{exit:?}");
    assert_eq!(read(&mut journal), [true]);
    end(&system).await;
}

#[tokio::test(start_paused = true)]
async fn a_pipe_whose_future_panics_twice_fails_its_actor_all_the_same() {
    struct Twice;
    impl Future for Twice {
        type Output = ();
        fn poll(self: Pin<&mut Self>, _context: &mut task::Context<'_>) -> Poll<()> {
            panic!("the poll panics on purpose");
        }
    }
    impl Drop for Twice {
        fn drop(&mut self) {
            panic!("the drop panics on purpose");
        }
    }
    let (system, _) = system();
    let body = Props::func(async |ctx: &mut Context<()>| {
        ctx.pipe_to_self(Twice, |()| ());
        ctx.recv().await;
        Ok(())
    });
    let actor = system.spawn("actor", body).unwrap();
    let exit = tokio::time::timeout(secs(60), actor.terminated()).await;
    assert!(matches!(exit, Ok(Exit::Failed(cause)) if cause.to_string().contains("poll")));
    end(&system).await;
}
