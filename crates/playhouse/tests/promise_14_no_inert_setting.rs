//! Promise 14: each setting has a test here, or in the file of its promise, that fails when the setting is ignored.
//!
//! Elsewhere: `Mailbox::bounded` (5, 6), `Dispatcher::fixed` and `pinned` (12), `Ask::if_room` (9), `phase_deadline`
//! (shutdown), `on_event` (3), `WorkPool::attempts`, `waiting` and `confirming` (work_pool), `Rate`, `RateLimiter`,
//! `Admission` and `Aggregator` (patterns), `Lifetime` (handles), `Props::stash` (behaviors_and_stash), `Mailbox::by_priority`
//! (priorities), dispatchers by name and the parent's (conformance/dsp), every key of a configuration (config),
//! `Props::supervise`, `Props::redeliver` and `Restart` (8), `Group` (groups), `dead_letter_log` and `log_to` (conformance,
//! DLT), `build_with` (conformance, SYS), `shutdown_on_signals` (signals).

mod common;

use common::*;
use playhouse::prelude::*;
use playhouse::{BuildError, DispatcherRef, FuncProps, IntoProps, limits};
use tokio::sync::mpsc;

struct Note {
    name: char,
    seen: mpsc::UnboundedSender<char>,
}

impl Actor for Note {
    type Msg = ();
    async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
        self.seen.send(self.name)?;
        Ok(())
    }
}

/// Two actors with ten messages each on one thread: who is handled when.
async fn turns(system: &ActorSystem, on: &DispatcherRef, is_shared: bool) -> String {
    let (seen, mut journal) = journal();
    let (hold, held) = std::sync::mpsc::channel::<()>();
    if !is_shared {
        // Its one thread waits until everything is queued.
        on.submit(move || assert!(held.recv().is_err()));
    }
    let actors = ['a', 'b'].map(|name| {
        let seen = seen.clone();
        system.spawn_anonymous(Props::new(move || Note { name, seen }).dispatcher(on))
    });
    for actor in &actors {
        (0..10).for_each(|_| actor.tell(()));
    }
    drop(hold);
    for actor in &actors {
        actor.drain();
        actor.terminated().await;
    }
    read(&mut journal).into_iter().collect()
}

#[tokio::test]
async fn throughput_and_time_limit_are_what_an_actor_does_before_others() {
    let system = ActorSystem::builder("test")
        .dispatcher("one", Dispatcher::fixed(1))
        .dispatcher("two", Dispatcher::fixed(1).throughput(2))
        .dispatcher(
            "one-in-time",
            Dispatcher::fixed(1).throughput(64).time_limit(millis(0)),
        )
        .dispatcher("shared-five", Dispatcher::shared().throughput(5))
        .build()
        .unwrap();
    let on = |name: &str| system.dispatcher(name).unwrap();
    assert_eq!(turns(&system, &on("one"), false).await, "ab".repeat(10));
    let in_time = turns(&system, &on("one-in-time"), false).await;
    assert_eq!(in_time, "ab".repeat(10));
    assert_eq!(turns(&system, &on("two"), false).await, "aabb".repeat(5));
    assert_eq!(
        turns(&system, &on("shared-five"), true).await,
        "aaaaabbbbb".repeat(2)
    );
    assert_eq!(
        turns(&system, &on("default"), true).await,
        "a".repeat(10) + &"b".repeat(10)
    );
    const { assert!(limits::THROUGHPUT > 10 && limits::THROUGHPUT_FIXED == 1) };
    end(&system).await;
}

#[tokio::test]
async fn a_function_actor_honours_the_throughput_too() {
    let system = ActorSystem::builder("test")
        .dispatcher("three", Dispatcher::shared().throughput(3))
        .build()
        .unwrap();
    let on = system.dispatcher("three").unwrap();
    let (seen, mut journal) = journal();
    let actors = ['a', 'b'].map(|name| echo(&system, &on, name, &seen));
    for actor in &actors {
        (0..6).for_each(|_| actor.tell(()));
    }
    for actor in &actors {
        actor.drain();
        actor.terminated().await;
    }
    assert_eq!(
        read(&mut journal).into_iter().collect::<String>(),
        "aaabbb".repeat(2)
    );
    end(&system).await;
}

#[tokio::test]
async fn an_unbounded_mailbox_takes_more_than_the_default() {
    let (system, _) = system();
    let (seen, _seen) = journal();
    let props = Props::new(move || Note { name: 'u', seen }).mailbox(Mailbox::unbounded());
    let actor = system.spawn_anonymous(props);
    for _ in 0..3 * limits::MAILBOX {
        actor.try_send(()).unwrap();
    }
    end(&system).await;
}

#[tokio::test]
async fn function_props_have_their_own_mailbox_setting() {
    let (system, _) = system();
    let body = Props::func(async |ctx: &mut Context<()>| {
        ctx.stopping().await;
        Ok(())
    });
    let actor = system.spawn_anonymous(body.mailbox(Mailbox::bounded(2)));
    assert!(
        actor.try_send(()).is_ok() && actor.try_send(()).is_ok() && actor.try_send(()).is_err()
    );
    end(&system).await;
}

/// Answers with the name of the thread that it runs on.
fn tells_its_thread() -> FuncProps<Reply<String>> {
    Props::func(async move |ctx: &mut Context<Reply<String>>| {
        while let Some(reply) = ctx.recv().await {
            reply.send(std::thread::current().name().unwrap_or_default().to_owned());
        }
        Ok(())
    })
}

async fn is_on_fixed(actor: &ActorRef<Reply<String>>) {
    let thread = actor.ask(|reply| reply).within(secs(60)).await.unwrap();
    assert!(thread.starts_with("playhouse-fixed-"), "{thread}");
}

struct TellsItsThread;
impl Actor for TellsItsThread {
    type Msg = Reply<String>;
    async fn receive(&mut self, _ctx: &mut Context<Self::Msg>, reply: Self::Msg) -> Outcome {
        reply.send(std::thread::current().name().unwrap_or_default().to_owned());
        Ok(())
    }
}

/// On the dispatcher of `props` itself: each message goes to a child made with `child`.
fn passes_on<P>(child: fn() -> P) -> FuncProps<Reply<String>>
where
    P: IntoProps<Msg = Reply<String>> + 'static,
{
    Props::func(async move |ctx: &mut Context<Reply<String>>| {
        let child = ctx.spawn_anonymous(child());
        while let Some(reply) = ctx.recv().await {
            child.tell(reply);
        }
        Ok(())
    })
}

#[tokio::test]
async fn a_dispatcher_is_chosen_by_value_by_name_and_as_the_parents() {
    let (system, _) = system();
    let fixed = system.dispatcher("fixed").unwrap();
    fn of_structs() -> Props<Reply<String>> {
        Props::new(|| TellsItsThread)
    }
    for props in [
        of_structs().dispatcher(&fixed),
        of_structs().dispatcher_named("fixed"),
    ] {
        is_on_fixed(&system.spawn_anonymous(props)).await;
    }
    for props in [
        tells_its_thread().dispatcher(&fixed),
        tells_its_thread().dispatcher_named("fixed"),
        passes_on(|| of_structs().same_dispatcher_as_parent()).dispatcher(&fixed),
        passes_on(|| tells_its_thread().same_dispatcher_as_parent()).dispatcher(&fixed),
    ] {
        is_on_fixed(&system.spawn_anonymous(props)).await;
    }
    end(&system).await;
}

#[tokio::test]
async fn settings_that_could_do_nothing_are_refused_where_they_are_made() {
    fn refused<T>(setting: fn() -> T) -> bool {
        std::panic::catch_unwind(setting).is_err()
    }
    assert!(refused(|| Mailbox::<()>::bounded(0)));
    assert!(refused(|| Dispatcher::fixed(0)));
    assert!(refused(|| Dispatcher::shared().throughput(0)));
    assert!(refused(|| playhouse::Budget::new(0)));
    let (system, _) = system();
    let on = system.dispatcher("fixed").unwrap();
    struct Blocking;
    impl BlockingActor for Blocking {
        type Msg = ();
        fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
            Ok(())
        }
    }
    let props = Props::blocking(|_ctx| Ok(Blocking));
    assert!(
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| props.dispatcher(&on))).is_err()
    );
    let unknown = system.dispatcher("fixd").unwrap_err();
    assert!(
        unknown
            .to_string()
            .contains("blocking, default, fixed, pinned"),
        "{unknown}"
    );
    end(&system).await;
}

#[test]
fn a_dispatchers_name_is_given_once() {
    for taken in ["default", "blocking", "own", "mine"] {
        let mine = ActorSystem::builder("test").dispatcher("mine", Dispatcher::pinned());
        let error = mine
            .dispatcher(taken, Dispatcher::pinned())
            .build()
            .unwrap_err();
        assert!(
            matches!(&error, BuildError::DispatcherTaken(name) if name == taken),
            "{error}"
        );
    }
}
