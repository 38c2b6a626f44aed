//! Promise 13: names, clocks, dispatchers and books belong to a system; many live in one process.

mod common;

use common::*;
use playhouse::prelude::*;
use playhouse::{BuildError, Clock, NoReply, SpawnError};

struct Idle;
impl Actor for Idle {
    type Msg = ();
    async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
        Ok(())
    }
}

#[tokio::test]
async fn two_systems_of_one_name_know_nothing_of_each_other() {
    let (one, one_events) = system();
    let (two, _) = system();
    let (a, b) = (
        one.spawn("same", || Idle).unwrap(),
        two.spawn("same", || Idle).unwrap(),
    );
    assert_eq!(a.address().to_string(), b.address().to_string());
    assert_ne!(a, b);
    assert_ne!(a.address(), b.address());
    b.send(()).await.unwrap();
    end(&one).await;
    assert!(!one_events.all().is_empty());
    b.send(()).await.unwrap();
    let taken = two.spawn("same", || Idle).unwrap_err();
    assert!(matches!(taken, SpawnError::NameTaken(who) if who == b));
    assert_eq!(end(&two).await.accepted, 2);
}

#[tokio::test]
async fn what_the_hook_of_one_system_causes_in_another_is_told_there() {
    let (two, two_events) = system();
    let gone = two.spawn_anonymous(|| Idle);
    gone.stop();
    gone.terminated().await;
    let told = gone.clone();
    let one = ActorSystem::builder("one")
        .on_event(move |_event| told.tell(()))
        .build()
        .unwrap();
    let actor = one.spawn_anonymous(|| Idle);
    actor.stop();
    actor.terminated().await;
    end(&one).await;
    assert_eq!(two_events.dead(playhouse::DeadLetterReason::Gone), 1);
    drop(gone);
    end(&two).await;
}

#[tokio::test]
async fn names_make_paths_and_are_checked() {
    let (system, _) = system();
    let (told, mut journal) = journal();
    let parent = Props::func(async move |ctx: &mut Context<()>| {
        let child = ctx.spawn("child", || Idle)?;
        let anonymous = ctx.spawn_anonymous(|| Idle);
        told.send((
            child.address().to_string(),
            anonymous.address().to_string(),
            ctx.children(),
        ))?;
        let stranger = ctx.system().spawn_anonymous(|| Idle);
        assert!(matches!(ctx.stop_child(&child).await, Exit::Stopped));
        told.send((String::new(), String::new(), ctx.children()))?;
        ctx.stop_child(&stranger).await; // not its child
        Ok(())
    });
    let parent = system.spawn("parent", parent).unwrap();
    let Exit::Failed(cause) = parent.terminated().await else {
        panic!()
    };
    assert!(
        cause.to_string().contains("is not a child of /test/parent"),
        "{cause}"
    );
    let told = read(&mut journal);
    assert_eq!(
        (told[0].0.as_str(), told[0].1.as_str()),
        ("/test/parent/child", "/test/parent/~1")
    );
    assert_eq!((told[0].2.len(), told[1].2.len()), (2, 1));
    for bad in ["", "a/b", "~x"] {
        assert!(
            matches!(system.spawn(bad, || Idle), Err(SpawnError::BadName(_))),
            "{bad:?}"
        );
        assert!(ActorSystem::builder(bad).build().is_err(), "{bad:?}");
    }
    end(&system).await;
}

#[tokio::test]
async fn a_clock_is_that_of_the_systems_runtime() {
    let (system, _) = system();
    let clock: &Clock = system.clock();
    let deadline = clock.deadline(secs(3_600));
    assert!(clock.remaining(deadline) > secs(3_599));
    tokio::time::pause();
    let before = clock.now();
    clock.sleep(secs(7_200)).await; // sleeps: on a paused clock
    assert_eq!(clock.remaining(deadline), millis(0));
    assert!(clock.now() - before >= secs(7_200));
    end(&system).await;
}

/// One system on its own runtime, one on a current-thread runtime, one on a runtime of many threads, at once.
#[test]
fn systems_live_on_any_runtime_and_on_none() {
    let (alone, _) = system();
    alone
        .spawn("a", || Idle)
        .unwrap()
        .blocking_send(())
        .unwrap();
    for builder in [
        tokio::runtime::Builder::new_current_thread,
        tokio::runtime::Builder::new_multi_thread,
    ] {
        let runtime = builder().enable_all().build().unwrap();
        runtime.block_on(async {
            let (system, _) = system();
            system.spawn("a", || Idle).unwrap().send(()).await.unwrap();
            end(&system).await;
        });
    }
    assert_clean(&alone.blocking_shutdown());
}

#[test]
fn a_runtime_that_goes_away_ends_its_actors_as_shutdown_and_the_books_balance() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let (system, _) = {
        let _inside = runtime.enter();
        system()
    };
    let (entered, mut has_entered) = journal();
    let (seen, _seen) = journal::<u8>();
    let gate = std::sync::Arc::new(tokio::sync::Semaphore::new(0));
    let held = system.spawn("held", gated(entered, gate, seen)).unwrap();
    held.blocking_send(1).unwrap();
    held.blocking_send(2).unwrap();
    has_entered.blocking_recv();
    drop(runtime);
    let outside = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    assert!(matches!(
        outside.block_on(held.terminated()),
        Exit::Shutdown
    ));
    let ledger = system.ledger();
    assert_eq!(
        (
            ledger.balance(),
            ledger.accepted,
            ledger.interrupted,
            ledger.dead
        ),
        (0, 2, 1, 1)
    );
    assert_eq!(system.blocking_shutdown().ledger, ledger);
}

#[test]
fn actors_on_own_threads_end_with_their_systems_runtime_too() {
    struct Waits;
    impl BlockingActor for Waits {
        type Msg = ();
        fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
            Ok(())
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (system, _) = {
        let _inside = runtime.enter();
        system()
    };
    let fixed = system.dispatcher("fixed").unwrap();
    let pinned = system.dispatcher("pinned").unwrap();
    let actors = [
        system.spawn_anonymous(Props::new(|| Idle).dispatcher(&fixed)),
        system.spawn_anonymous(Props::new(|| Idle).dispatcher(&pinned)),
        system.spawn_anonymous(Props::blocking(|_ctx| Ok(Waits))),
    ];
    actors
        .iter()
        .for_each(|actor| actor.blocking_send(()).unwrap());
    drop(runtime);
    let outside = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    outside.block_on(async {
        for actor in &actors {
            let exit = tokio::time::timeout(secs(60), actor.terminated()).await;
            assert!(matches!(exit, Ok(Exit::Shutdown)), "{actor}: {exit:?}");
        }
    });
    assert_eq!(system.ledger().balance(), 0);
}

/// Every limit is a timer; without them a shutdown could not even begin.
#[test]
fn a_runtime_without_timers_carries_no_system() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let error = runtime
        .block_on(async { ActorSystem::builder("test").build() })
        .unwrap_err();
    assert!(matches!(error, BuildError::NoTimers));
    assert!(error.to_string().contains("enable_time"), "{error}");
}

/// Two panics at once would end the process.
#[test]
fn a_life_cut_short_survives_every_drop_that_panics_and_answers_its_askers() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("this drop panics on purpose");
        }
    }
    enum Msg {
        Hold(Reply<()>),
        Never(Bomb),
    }
    #[derive(Default)]
    struct Fragile(Vec<(Reply<()>, Bomb)>);
    impl Actor for Fragile {
        type Msg = Msg;
        async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
            match msg {
                Msg::Hold(reply) => {
                    let other = ctx.system().spawn_anonymous(|| Idle);
                    let bomb = Bomb;
                    ctx.watch_with(&other, move |_exit| Msg::Never(bomb));
                    ctx.timers().once("never", secs(3_600), Msg::Never(Bomb));
                    self.0.push((reply, Bomb));
                }
                Msg::Never(bomb) => drop(bomb),
            }
            Ok(())
        }
    }
    let (runtime, outside) = (current_thread(), current_thread());
    let (actor, asked) = runtime.block_on(async {
        let (system, _) = system();
        let actor = system.spawn("fragile", Fragile::default).unwrap();
        let mut asked = Box::pin(actor.ask(Msg::Hold).within(secs(3_600)));
        tokio::select! {
            biased;
            _ = &mut asked => unreachable!("it is not answered"),
            () = tokio::task::yield_now() => {}
        }
        (actor, asked)
    });
    drop(runtime);
    outside.block_on(async {
        let exit = actor.terminated().await;
        assert!(matches!(exit, Exit::Shutdown), "{exit}");
        let answer = asked.await;
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
    });
}

fn current_thread() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}
