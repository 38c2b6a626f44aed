//! Promise 12 (without the watchdog): what blocks runs on threads of its own, and its waits end when it must.

mod common;

use common::*;
use playhouse::prelude::*;
use playhouse::{Budget, Cancelled, Phase, Share};
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::mpsc;
use std::thread;

struct Where;
impl Actor for Where {
    type Msg = Reply<String>;
    async fn receive(&mut self, _ctx: &mut Context<Self::Msg>, reply: Reply<String>) -> Outcome {
        reply.send(thread::current().name().unwrap_or_default().to_owned());
        Ok(())
    }
}

async fn thread_of(actor: &ActorRef<Reply<String>>) -> String {
    actor.ask(|reply| reply).within(secs(60)).await.unwrap()
}

#[tokio::test]
async fn threads_are_named_after_their_dispatcher() {
    let (system, _) = system();
    for name in ["blocking", "fixed", "pinned"] {
        let on = system.dispatcher(name).unwrap();
        let actor = system.spawn_anonymous(Props::new(|| Where).dispatcher(&on));
        let thread = thread_of(&actor).await;
        assert!(
            thread.starts_with(&format!("playhouse-{name}-")),
            "{thread}"
        );
    }
    end(&system).await;
}

/// Two threads meet inside handlers that block, so both are there; and a third handler finds none.
#[tokio::test]
async fn fixed_has_as_many_threads_as_it_says() {
    struct Meet(std::sync::Arc<std::sync::Barrier>);
    impl Actor for Meet {
        type Msg = Reply<String>;
        async fn receive(
            &mut self,
            _ctx: &mut Context<Self::Msg>,
            reply: Reply<String>,
        ) -> Outcome {
            self.0.wait();
            reply.send(thread::current().name().unwrap_or_default().to_owned());
            Ok(())
        }
    }
    let (system, _) = system();
    let on = system.dispatcher("fixed").unwrap();
    let barrier = std::sync::Arc::new(std::sync::Barrier::new(2));
    let actors: Vec<_> = (0..4)
        .map(|_| {
            let barrier = barrier.clone();
            system.spawn_anonymous(Props::new(move || Meet(barrier)).dispatcher(&on))
        })
        .collect();
    let names = playhouse::gather(
        actors.iter().map(|actor| actor.ask(|reply| reply)),
        secs(60),
    )
    .await;
    let names: HashSet<String> = names.into_iter().map(|name| name.unwrap()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    end(&system).await;
}

#[tokio::test]
async fn handlers_on_own_threads_can_use_timers_of_the_runtime() {
    let (system, _) = system();
    for name in ["fixed", "pinned"] {
        let on = system.dispatcher(name).unwrap();
        let body = Props::func(async |_ctx: &mut Context<()>| {
            tokio::time::sleep(millis(1)).await; // sleeps: the runtime's timer is what is tested
            Ok(())
        });
        let exit = system
            .spawn_anonymous(body.dispatcher(&on))
            .terminated()
            .await;
        assert!(matches!(exit, Exit::Stopped), "{exit}");
    }
    end(&system).await;
}

#[test]
fn closures_run_and_the_shutdown_waits_for_all_of_them() {
    let (system, _) = system();
    let (seen, numbers) = mpsc::channel();
    for name in ["fixed", "pinned"] {
        let on = system.dispatcher(name).unwrap();
        on.submit(|| panic!("a closure that panics harms nobody"));
        for n in 0..100 {
            let seen = seen.clone();
            on.submit(move || {
                thread::yield_now();
                seen.send(n).unwrap();
            });
        }
    }
    assert_clean(&system.blocking_shutdown());
    drop(seen);
    assert_eq!(numbers.iter().count(), 200);
    let (dropped, never) = mpsc::channel::<()>();
    system
        .dispatcher("fixed")
        .unwrap()
        .submit(move || dropped.send(()).unwrap());
    assert!(never.recv().is_err(), "too late: dropped, not run");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_blocking_call_on_a_shared_worker_is_refused_with_the_cure() {
    let (system, _) = system();
    let target = system.spawn("target", || Where).unwrap();
    let to = target.clone();
    let blocking = system.spawn_anonymous(Props::func(async move |_ctx: &mut Context<()>| {
        let _ = to.ask(|reply| reply).blocking_within(secs(1));
        Ok(())
    }));
    let Exit::Failed(cause) = blocking.terminated().await else {
        panic!()
    };
    assert!(cause.to_string().contains("`fixed` or `pinned`"), "{cause}");
    let outside = tokio::spawn(async move { target.blocking_reserve().is_ok() }).await;
    assert!(
        outside.is_err_and(|error| error.is_panic()),
        "in a task outside of actors too"
    );
    end(&system).await;
}

#[tokio::test]
async fn blocking_calls_work_on_own_threads_and_in_spawn_blocking() {
    let (system, _) = system();
    let target = system.spawn("target", || Where).unwrap();
    for name in ["fixed", "pinned"] {
        let on = system.dispatcher(name).unwrap();
        let to = target.clone();
        let body = Props::func(async move |_ctx: &mut Context<()>| {
            to.ask(|reply| reply).blocking_within(secs(60))?;
            Ok(())
        });
        let exit = system
            .spawn_anonymous(body.dispatcher(&on))
            .terminated()
            .await;
        assert!(matches!(exit, Exit::Stopped), "{exit}");
    }
    let name =
        tokio::task::spawn_blocking(move || target.ask(|reply| reply).blocking_within(secs(60)));
    assert!(name.await.unwrap().is_ok());
    end(&system).await;
}

/// Lives on one thread from its factory to its drop: it holds an `Rc`.
struct Pinned {
    factory: thread::ThreadId,
    seen: mpsc::Sender<(&'static str, bool)>,
    _not_send: Rc<()>,
}

impl Pinned {
    fn tell(&self, what: &'static str) {
        let _ = self
            .seen
            .send((what, thread::current().id() == self.factory));
    }
}

impl BlockingActor for Pinned {
    type Msg = ();
    fn started(&mut self, _ctx: &mut Context<()>) -> Outcome {
        self.tell("started");
        Ok(())
    }
    fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
        self.tell("received");
        Ok(())
    }
    fn signal(&mut self, _ctx: &mut Context<()>, signal: Signal) -> Outcome {
        self.tell("signal");
        signal.unhandled()
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        self.tell("dropped");
    }
}

#[test]
fn a_blocking_actor_never_leaves_its_thread() {
    let (system, _) = system();
    let (seen, journal) = mpsc::channel();
    let props = Props::blocking(move |_ctx| {
        Ok(Pinned {
            factory: thread::current().id(),
            seen,
            _not_send: Rc::new(()),
        })
    });
    let pinned = system.spawn("pinned", props).unwrap();
    pinned.blocking_send(()).unwrap();
    pinned.drain();
    assert_clean(&system.blocking_shutdown());
    let expected = ["started", "received", "signal", "dropped"].map(|what| (what, true));
    assert_eq!(journal.iter().collect::<Vec<_>>(), expected);
}

/// What a blocking actor waits for when it is asked to stop.
#[derive(Clone, Copy, Debug)]
enum Wait {
    Reserve,
    Send,
    Take,
    Ask,
}

struct Waiting {
    full: ActorRef<Option<Reply<()>>>,
    spent: Budget,
    wait: Wait,
    entered: tokio::sync::mpsc::UnboundedSender<()>,
    errors: tokio::sync::mpsc::UnboundedSender<bool>,
}

impl Waiting {
    fn wait(&self) -> Outcome {
        match self.wait {
            Wait::Reserve => drop(self.full.blocking_reserve()?),
            Wait::Send => self.full.blocking_send(None)?,
            Wait::Take => drop(self.spent.blocking_take(1)?),
            Wait::Ask => self.full.ask(Some).blocking_within(secs(3_600))?,
        }
        Ok(())
    }
}

impl BlockingActor for Waiting {
    type Msg = ();
    fn receive(&mut self, ctx: &mut Context<()>, (): ()) -> Outcome {
        self.entered.send(())?;
        let outcome = self.wait();
        let is_cancelled = outcome
            .as_ref()
            .is_err_and(|why| why.find::<Cancelled>().is_some());
        self.errors.send(is_cancelled && ctx.is_stopping())?;
        outcome
    }
}

#[tokio::test]
async fn a_blocking_wait_ends_by_itself_when_its_actor_must_stop_and_that_is_no_failure() {
    for wait in [Wait::Reserve, Wait::Send, Wait::Take, Wait::Ask] {
        let (system, _) = system();
        let (holding, mut is_holding) = journal();
        let (seen, _seen) = journal();
        let gate = std::sync::Arc::new(tokio::sync::Semaphore::new(0));
        let props = gated(holding, gate.clone(), seen).mailbox(Mailbox::bounded(1));
        let full = system.spawn("full", props).unwrap();
        full.send(None).await.unwrap();
        is_holding.recv().await;
        full.send(None).await.unwrap();
        let spent = Budget::new(1);
        let share: Share = spent.take(1).await;
        let (entered, mut has_entered) = journal();
        let (errors, mut is_cancelled) = journal();
        let props = Props::blocking({
            let full = full.clone();
            move |_ctx| {
                Ok(Waiting {
                    full,
                    spent,
                    wait,
                    entered,
                    errors,
                })
            }
        });
        let waiting = system.spawn("waiting", props).unwrap();
        waiting.tell(());
        has_entered.recv().await;
        waiting.stop();
        let exit = waiting.terminated().await;
        assert!(matches!(exit, Exit::Stopped), "{wait:?}: {exit}");
        assert_eq!(is_cancelled.recv().await, Some(true), "{wait:?}");
        drop(share);
        gate.add_permits(2);
        full.drain();
        full.terminated().await;
        assert_eq!(end(&system).await.interrupted, 1, "{wait:?}");
    }
}

#[tokio::test]
async fn a_handler_that_never_comes_back_is_named_and_does_not_hold_up_the_shutdown() {
    let (release, held) = mpsc::channel::<()>();
    let held = std::sync::Arc::new(std::sync::Mutex::new(held));
    let system = ActorSystem::builder("test")
        .dispatcher("stuck", Dispatcher::fixed(1))
        .phase_deadline(Phase::StopActors, millis(1))
        .phase_deadline(Phase::ReleaseResources, millis(1))
        .build()
        .unwrap();
    let (entered, mut has_entered) = journal();
    let on = system.dispatcher("stuck").unwrap();
    let stuck = Props::func(async move |_ctx: &mut Context<()>| {
        entered.send(())?;
        let _ = held.lock().unwrap().recv();
        Ok(())
    });
    let stuck = system.spawn("stuck", stuck.dispatcher(&on)).unwrap();
    has_entered.recv().await;
    let report = system.shutdown().await;
    assert_eq!(report.overran, [Phase::StopActors, Phase::ReleaseResources]);
    assert!(
        report.still_alive.iter().any(|who| *who == stuck),
        "{report:?}"
    );
    drop(release);
    assert!(matches!(
        stuck.terminated().await,
        Exit::Killed | Exit::Shutdown
    ));
}

/// A blocking call inside a poll parks the same thread that the actor's own future parks between polls.
#[tokio::test]
async fn a_blocking_call_uses_up_no_wake_up_of_the_actor_it_is_made_in() {
    let (system, _) = system();
    let on = system.dispatcher("pinned").unwrap();
    let (wake, woken) = tokio::sync::oneshot::channel();
    let target = Props::func(async move |ctx: &mut Context<Reply<()>>| {
        let reply = ctx.recv().await.ok_or("nobody asks")?;
        let _ = wake.send(()); // wakes the asker's other future while the asker blocks
        reply.send(());
        Ok(())
    });
    let target = system.spawn("target", target).unwrap();
    let body = Props::func(async move |_ctx: &mut Context<()>| {
        let blocks = async { target.ask(|reply| reply).blocking_within(secs(60)) };
        let (woken, answered) = tokio::join!(biased; woken, blocks);
        woken?;
        answered?;
        Ok(())
    });
    let exit = system
        .spawn_anonymous(body.dispatcher(&on))
        .terminated()
        .await;
    assert!(matches!(exit, Exit::Stopped), "{exit}");
    end(&system).await;
}

/// Panics in its drop.
struct Bomb;
impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("this drop panics on purpose");
    }
}

#[test]
fn a_closure_whose_panic_panics_again_costs_no_thread() {
    let system = ActorSystem::builder("test")
        .dispatcher("one", Dispatcher::fixed(1))
        .build()
        .unwrap();
    let one = system.dispatcher("one").unwrap();
    one.submit(|| std::panic::panic_any(Bomb));
    let (done, is_done) = mpsc::channel();
    one.submit(move || done.send(()).unwrap());
    is_done
        .recv_timeout(secs(60))
        .expect("the only thread went on");
    assert_clean(&system.blocking_shutdown());
}

/// The thread's own local is dropped with the thread, and with it the sender.
#[test]
fn threads_end_with_the_last_handle_on_a_system_that_was_not_shut_down() {
    std::thread_local! {
        static HELD: std::cell::RefCell<Option<mpsc::Sender<()>>> = const { std::cell::RefCell::new(None) };
    }
    let system = ActorSystem::builder("test").build().unwrap();
    let blocking = system.dispatcher("blocking").unwrap();
    let (held, is_gone) = mpsc::channel::<()>();
    let (done, is_done) = mpsc::channel();
    blocking.submit(move || {
        HELD.set(Some(held));
        done.send(()).unwrap();
    });
    is_done.recv().unwrap();
    drop((blocking, system));
    assert_eq!(
        is_gone.recv_timeout(secs(60)),
        Err(mpsc::RecvTimeoutError::Disconnected)
    );
}

/// The actor that is woken last waits in the place of the worker that woke it. That one blocks, although it must not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shared_worker_that_blocks_does_not_strand_the_actor_it_woke() {
    let (system, _) = system();
    let (done, is_done) = mpsc::channel();
    let woken = Props::func(async move |ctx: &mut Context<()>| {
        ctx.recv().await;
        Ok(done.send(())?)
    });
    let woken = system.spawn("woken", woken).unwrap();
    let blocks = Props::func(async move |_: &mut Context<()>| {
        woken.tell(());
        Ok(is_done.recv_timeout(secs(60))?) // blocks: that is what is tested
    });
    let blocks = system.spawn("blocks", blocks).unwrap();
    let exit = blocks.terminated().await;
    assert!(matches!(exit, Exit::Stopped), "{exit}");
    end(&system).await;
}
