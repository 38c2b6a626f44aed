//! What is different in a stepped system, and what is not: dispatchers, blocking calls, Tokio, the end.

mod common;

use common::seeds::{count_steps, end, for_each_seed, stepped};
use common::{journal, read};
use playhouse::prelude::*;
use playhouse::{BuildError, Event, millis};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// Runs this in the turn of an actor, and returns the text of its failure.
fn failure_of(turn: impl FnOnce(&mut Context<()>) + Clone + Send + 'static) -> String {
    struct Once<F>(Option<F>);
    impl<F: FnOnce(&mut Context<()>) + Send + 'static> Actor for Once<F> {
        type Msg = ();
        async fn receive(&mut self, ctx: &mut Context<()>, (): ()) -> Outcome {
            if let Some(turn) = self.0.take() {
                turn(ctx);
            }
            Ok(())
        }
    }
    let (system, world, _) = stepped(1);
    let actor = system.spawn("actor", move || Once(Some(turn))).unwrap();
    actor.tell(());
    world.settle();
    actor.stop();
    match world.block_on(actor.terminated()) {
        Exit::Failed(failure) => failure.to_string(),
        other => panic!("it ended as {other:?}"),
    }
}

#[test]
fn a_handler_that_needs_tokio_fails_and_hears_what_to_use_instead() {
    let texts = [
        failure_of(|_| drop(tokio::time::sleep(millis(1)))),
        failure_of(|_| drop(tokio::spawn(async {}))),
        failure_of(|_| drop(tokio::task::spawn_blocking(|| ()))),
        failure_of(|ctx| {
            let pipe = async { tokio::time::sleep(millis(1)).await };
            ctx.pipe_to_self(pipe, |()| ());
        }),
        failure_of(|_| {
            let any = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            any.set_nonblocking(true).unwrap();
            drop(tokio::net::TcpListener::from_std(any));
        }),
    ];
    for text in texts {
        assert!(text.contains("Tokio 1.x"), "{text}");
        assert!(text.contains("`ctx.clock().sleep`"), "{text}");
        assert!(text.contains("`ctx.pipe_blocking`"), "{text}");
    }
    let other = failure_of(|_| panic!("something else"));
    assert_eq!(other, "panicked: something else");
}

/// Places for one message and nobody who takes it.
fn full(system: &ActorSystem) -> ActorRef<u32> {
    let never = Props::func(async |_: &mut Context<u32>| {
        std::future::pending::<()>().await;
        Ok(())
    });
    let full = system.spawn_anonymous(never.mailbox(Mailbox::bounded(1)));
    full.try_send(1).unwrap();
    full
}

#[test]
fn a_blocking_call_in_a_step_takes_what_there_is_and_never_waits() {
    struct Sender(Rc<()>, ActorRef<u32>);
    impl BlockingActor for Sender {
        type Msg = u32;
        fn receive(&mut self, _ctx: &mut Context<u32>, n: u32) -> Outcome {
            let _ = &self.0;
            self.1.blocking_send(n)?;
            Ok(())
        }
    }
    let (system, world, events) = stepped(1);
    let nobody_takes = full(&system);
    let (seen, mut journal) = journal();
    let taker = Props::func(async move |ctx: &mut Context<u32>| {
        while let Some(n) = ctx.recv().await {
            seen.send(n)?;
        }
        Ok(())
    });
    let taker = system.spawn("taker", taker).unwrap();
    let sender = |to: ActorRef<u32>| {
        Props::blocking(move |_: &mut Context<u32>| Ok(Sender(Rc::new(()), to)))
    };
    let sends = system.spawn("sends", sender(taker)).unwrap();
    sends.tell(7);
    world.settle();
    assert_eq!(read(&mut journal), [7]);
    let waits = system.spawn("waits", sender(nobody_takes.clone())).unwrap();
    waits.tell(8);
    let Exit::Failed(failure) = world.block_on(waits.terminated()) else {
        panic!("it waited");
    };
    for part in [
        "`ActorRef::blocking_send` would wait",
        "await instead",
        "`ctx.ask`",
    ] {
        assert!(failure.to_string().contains(part), "{failure}");
    }
    assert_eq!(
        events.count(|event| matches!(event, Event::Failed { .. })),
        1
    );
    nobody_takes.kill();
    assert_eq!(end(&system, &world).balance(), 0);
}

#[test]
fn a_blocking_call_of_the_test_drives_the_system() {
    for_each_seed(100, |seed| {
        let (system, world, _) = stepped(seed);
        let slow = Props::func(async |ctx: &mut Context<Reply<u32>>| {
            while let Some(reply) = ctx.recv().await {
                ctx.clock().sleep(secs(10)).await;
                reply.send(1);
            }
            Ok(())
        });
        let slow = system.spawn("slow", slow).unwrap();
        assert_eq!(
            slow.ask(|reply| reply).blocking_within(secs(60)).unwrap(),
            1
        );
        assert_eq!(world.elapsed(), secs(10));
        assert_eq!(system.blocking_shutdown().ledger.handled, 1);
    });
}

#[test]
fn every_dispatcher_is_the_thread_of_the_test() {
    for_each_seed(100, |seed| {
        let (system, world, _) = stepped(seed);
        let (told, mut seen) = journal();
        for name in ["default", "blocking", "fixed", "single", "pinned"] {
            let (on, told) = (system.dispatcher(name).unwrap(), told.clone());
            let closure = told.clone();
            on.submit(move || closure.send(thread::current().id()).unwrap());
            let actor = Props::func(async move |ctx: &mut Context<()>| {
                told.send(thread::current().id())?;
                let told = told.clone();
                ctx.pipe_blocking(&on, move || told.send(thread::current().id()), |_| ());
                ctx.recv().await;
                Ok(())
            });
            drop(system.spawn_anonymous(actor.dispatcher(&system.dispatcher(name).unwrap())));
        }
        world.settle();
        assert_eq!(read(&mut seen), [thread::current().id(); 15]);
        end(&system, &world);
    });
}

#[test]
fn closures_of_one_thread_keep_their_order_and_others_do_not() {
    let order = |seed, dispatcher| {
        let (system, world, _) = stepped(seed);
        let (told, mut seen) = journal();
        for n in 0..4 {
            let told = told.clone();
            let on: playhouse::DispatcherRef = system.dispatcher(dispatcher).unwrap();
            on.submit(move || told.send(n).unwrap());
        }
        world.settle();
        end(&system, &world);
        read(&mut seen)
    };
    let orders = |dispatcher| {
        (0..200)
            .map(|seed| order(seed, dispatcher))
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(orders("single"), BTreeSet::from([vec![0, 1, 2, 3]]));
    for dispatcher in ["default", "fixed", "pinned"] {
        assert_eq!(orders(dispatcher).len(), 24, "all orders on {dispatcher}");
    }
}

#[test]
fn the_shutdown_lets_submitted_closures_run_dry_and_drops_later_ones() {
    for_each_seed(100, |seed| {
        let (system, world, _) = stepped(seed);
        let (told, mut seen) = journal();
        let single = system.dispatcher("single").unwrap();
        let (on, last) = (single.clone(), told.clone());
        system.on_shutdown(
            playhouse::Phase::ReleaseResources,
            "last",
            async move || {
                on.submit(move || last.send("submitted in the last phase").unwrap());
                Ok(())
            },
        );
        end(&system, &world);
        single.submit(move || told.send("too late").unwrap());
        world.settle();
        assert_eq!(read(&mut seen), ["submitted in the last phase"]);
    });
}

#[test]
fn turns_end_everywhere_up_to_the_throughput_and_never_later() {
    let longest = |throughput| {
        let few = Dispatcher::fixed(1).throughput(throughput);
        (0..300)
            .map(|seed| longest_row(seed, few.clone()))
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(longest(1), BTreeSet::from([1]));
    assert_eq!(longest(4), BTreeSet::from([1, 2, 3, 4]));
}

/// Elsewhere no turn is done in a nanosecond.
#[test]
fn a_turn_takes_no_time_so_a_time_limit_ends_none() {
    let limited = |limit| {
        let few = Dispatcher::fixed(1).throughput(4).time_limit(limit);
        (0..100)
            .map(|seed| longest_row(seed, few.clone()))
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(limited(Duration::ZERO), BTreeSet::from([1]));
    assert_eq!(
        limited(Duration::from_nanos(1)),
        BTreeSet::from([1, 2, 3, 4])
    );
}

/// How many messages the first turn took.
fn longest_row(seed: u64, few: Dispatcher) -> u32 {
    let (system, world) = ActorSystem::builder("test")
        .dispatcher("few", few)
        .build_stepped(seed)
        .unwrap();
    let (told, mut seen) = journal();
    let counts = Props::func(async move |ctx: &mut Context<u32>| {
        while let Some(n) = ctx.recv().await {
            told.send(n)?;
        }
        Ok(())
    });
    let actor = system.spawn_anonymous(counts.dispatcher(&system.dispatcher("few").unwrap()));
    (0..20).for_each(|n| actor.tell(n));
    while seen.is_empty() {
        assert!(world.step());
    }
    read(&mut seen).len() as u32
}

#[test]
fn dropping_the_world_ends_everybody_and_the_books_balance() {
    for_each_seed(300, |seed| {
        let (system, world, events) = stepped(seed);
        let (told, mut seen) = journal();
        let mut actors = Vec::new();
        for n in 0..5_u64 {
            let told = told.clone();
            let parent = Props::func(async move |ctx: &mut Context<u32>| {
                ctx.timers().once("later", secs(1), 0);
                ctx.pipe_to_self(std::future::pending(), |n| n);
                drop(ctx.spawn("child", silent()));
                while ctx.recv().await.is_some() {
                    told.send(n)?;
                    ctx.clock().sleep(secs(1)).await;
                }
                Ok(())
            });
            let actor = system.spawn(format!("actor-{n}"), parent).unwrap();
            (0..3).for_each(|n| actor.tell(n));
            actors.push(actor);
        }
        let blocking = Props::blocking(|_: &mut Context<u32>| Ok(Unsendable(Rc::new(()))));
        let blocking = system.spawn("blocking", blocking).unwrap();
        blocking.tell(1);
        for _ in 0..seed % 40 {
            world.step();
        }
        count_steps(&world);
        drop(world);
        let _ = read(&mut seen);
        let ends = |event: &Event| {
            matches!(
                event,
                Event::Ended {
                    exit: Exit::Shutdown | Exit::Stopped,
                    ..
                }
            )
        };
        assert!(events.count(ends) >= 6, "{:?}", events.all());
        actors[0].tell(9); // to somebody gone
        assert_eq!(system.ledger().balance(), 0);
        assert_eq!(system.ledger().queued, 0);
        assert_eq!(
            system.ledger().accepted,
            system.ledger().handled + system.ledger().dead + system.ledger().interrupted
        );
        drop(system.spawn_anonymous(silent()));
        let report = system.blocking_shutdown();
        assert_eq!(report.ledger.balance(), 0);
        assert!(report.still_alive.is_empty());
    });
}

fn silent() -> playhouse::FuncProps<()> {
    Props::func(async |ctx: &mut Context<()>| {
        ctx.recv().await;
        Ok(())
    })
}

struct Unsendable(Rc<()>);

impl BlockingActor for Unsendable {
    type Msg = u32;
    fn receive(&mut self, _ctx: &mut Context<u32>, _: u32) -> Outcome {
        assert_eq!(Rc::strong_count(&self.0), 1);
        Ok(())
    }
}

/// Counts where it is dropped.
struct Homely {
    home: thread::ThreadId,
    drops: [Arc<AtomicUsize>; 2],
    _stays: Rc<()>,
}

impl BlockingActor for Homely {
    type Msg = u32;
    fn receive(&mut self, _ctx: &mut Context<u32>, _: u32) -> Outcome {
        Ok(())
    }
}

impl Drop for Homely {
    fn drop(&mut self) {
        let is_elsewhere = thread::current().id() != self.home;
        self.drops[usize::from(is_elsewhere)].fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn what_must_not_leave_its_thread_ends_there_though_others_wake_it_at_the_end() {
    for_each_seed(200, |seed| {
        let (system, world, _) = stepped(seed);
        let drops: [Arc<AtomicUsize>; 2] = Default::default();
        let home = thread::current().id();
        let counts = drops.clone();
        let homely = Props::blocking(move |_: &mut Context<u32>| {
            let (drops, _stays) = (counts, Rc::new(()));
            Ok(Homely {
                home,
                drops,
                _stays,
            })
        });
        let homely = system.spawn("homely", homely).unwrap();
        world.settle();
        let tells = |_| {
            let (homely, system) = (homely.clone(), system.clone());
            thread::spawn(move || {
                while !matches!(homely.try_send(1), Err(TrySendError::Closed(_))) {
                    drop(system.spawn_anonymous(silent()));
                }
            })
        };
        let others: Vec<_> = (0..3).map(tells).collect();
        for _ in 0..seed % 200 {
            world.step();
        }
        count_steps(&world);
        drop(world);
        others.into_iter().for_each(|other| other.join().unwrap());
        assert_eq!(
            drops.map(|count| count.load(Ordering::Relaxed)),
            [1, 0],
            "here and elsewhere"
        );
        let ledger = system.ledger();
        assert_eq!((ledger.balance(), ledger.queued), (0, 0), "{ledger:?}");
    });
}

#[test]
fn a_chain_of_waiting_actors_longer_than_the_stack_ends_with_the_world() {
    let (system, world, events) = stepped(1);
    let mut last: Option<ActorRef<()>> = None;
    for _ in 0..20_000 {
        let watched = last.take();
        let link = Props::func(async move |ctx: &mut Context<()>| {
            if let Some(watched) = &watched {
                ctx.watch_with(watched, |_| ());
            }
            std::future::pending::<()>().await;
            Ok(())
        });
        last = Some(system.spawn_anonymous(link));
    }
    world.settle();
    drop(world);
    let ends = |event: &Event| {
        matches!(
            event,
            Event::Ended {
                exit: Exit::Shutdown,
                ..
            }
        )
    };
    assert_eq!(events.count(ends), 20_000);
}

#[test]
fn a_stepped_system_and_tokio_keep_apart() {
    let tokio = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let inside = tokio.block_on(async { ActorSystem::builder("test").build_stepped(1).map(drop) });
    assert!(matches!(inside, Err(BuildError::InsideTokio)), "{inside:?}");
    assert!(
        BuildError::InsideTokio
            .to_string()
            .contains("plain `#[test]`")
    );
    let (system, world, _) = stepped(1);
    let driven = tokio.block_on(async { catch_unwind(AssertUnwindSafe(|| world.settle())) });
    let text = *driven.unwrap_err().downcast::<&str>().unwrap();
    assert!(text.contains("plain `#[test]`"), "{text}");
    end(&system, &world);
}

#[test]
fn two_worlds_on_one_thread_do_not_meet() {
    let ((one, first, _), (two, second, _)) = (stepped(1), stepped(1));
    let hash = second.trace_hash();
    drop(one.spawn_anonymous(silent()));
    end(&one, &first);
    assert_eq!(second.trace_hash(), hash);
    first.advance(secs(1));
    assert_eq!((first.elapsed(), second.elapsed()), (secs(1), secs(0)));
    end(&two, &second);
}

#[test]
fn a_blocking_call_on_a_shared_worker_panics_even_if_it_need_not_wait() {
    let text = failure_of(|ctx| {
        let open = ctx.spawn_anonymous(silent());
        drop(open.blocking_send(()));
    });
    assert!(text.contains("would block a shared worker"), "{text}");
}
