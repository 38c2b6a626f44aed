//! Dispatchers: how an actor gets to one, and what it does for the actors on it.

use super::common::seeds::{self, stepped};
use super::common::{end, journal, read, system};
use playhouse::prelude::*;
use playhouse::testkit::Stepped;
use playhouse::{Event, NoReply, SpawnError};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use tokio::sync::mpsc;

fn thread_name() -> String {
    std::thread::current().name().unwrap_or_default().to_owned()
}

/// Answers with the name of its thread, or with that of a child that runs where it does.
struct Where;

enum Ask {
    Thread(Reply<String>),
    ThreadOfChild(Reply<String>),
}

impl Actor for Where {
    type Msg = Ask;
    async fn receive(&mut self, ctx: &mut Context<Ask>, msg: Ask) -> Outcome {
        match msg {
            Ask::Thread(reply) => reply.send(thread_name()),
            Ask::ThreadOfChild(reply) => {
                let child = Props::new(|| Where).same_dispatcher_as_parent();
                ctx.spawn_anonymous(child).tell(Ask::Thread(reply));
            }
        }
        Ok(())
    }
}

async fn ask(actor: &ActorRef<Ask>, what: fn(Reply<String>) -> Ask) -> String {
    actor.ask(what).within(secs(60)).await.unwrap()
}

/// Does whatever it is told.
fn obedient() -> Props<Box<dyn FnOnce() -> Outcome + Send>> {
    struct Obedient;
    impl Actor for Obedient {
        type Msg = Box<dyn FnOnce() -> Outcome + Send>;
        async fn receive(&mut self, _ctx: &mut Context<Self::Msg>, work: Self::Msg) -> Outcome {
            work()
        }
    }
    Props::new(|| Obedient)
}

#[tokio::test]
async fn dsp_01_a_handler_runs_on_the_dispatcher_that_its_props_name() {
    let (system, _) = system();
    for name in ["fixed", "pinned", "blocking"] {
        let props = Props::new(|| Where).dispatcher_named(name);
        let thread = ask(&system.spawn(name, props).unwrap(), Ask::Thread).await;
        assert!(
            thread.starts_with(&format!("playhouse-{name}-")),
            "{thread}"
        );
        let (seen, mut journal) = journal();
        let body = Props::func(async move |_: &mut Context<()>| Ok(seen.send(thread_name())?));
        let function = system.spawn_anonymous(body.dispatcher_named(name));
        function.terminated().await;
        let thread = read(&mut journal).concat();
        assert!(
            thread.starts_with(&format!("playhouse-{name}-")),
            "{thread}"
        );
    }
    end(&system).await;
}

#[tokio::test]
async fn dsp_02_a_handler_runs_on_the_dispatcher_that_its_props_hold() {
    let (system, _) = system();
    for name in ["fixed", "pinned"] {
        let on = system.dispatcher(name).unwrap();
        let props = Props::new(|| Where).dispatcher(&on);
        let thread = ask(&system.spawn(name, props).unwrap(), Ask::Thread).await;
        assert!(
            thread.starts_with(&format!("playhouse-{name}-")),
            "{thread}"
        );
    }
    end(&system).await;
}

#[test]
fn dsp_03_an_unknown_name_ends_the_spawn_and_says_which_names_there_are() {
    let (system, world, events) = stepped(1);
    let error = system
        .spawn("actor", Props::new(|| Where).dispatcher_named("fixd"))
        .unwrap_err();
    assert!(
        matches!(&error, SpawnError::UnknownDispatcher(unknown) if unknown.nearest() == Some("fixed")),
        "{error:?}"
    );
    assert_eq!(
        error.to_string(),
        "no dispatcher is named \"fixd\", perhaps \"fixed\" is meant; there are blocking, default, fixed, pinned, single; \
         add it with `SystemBuilder::dispatcher`"
    );
    let function = Props::func(async |_: &mut Context<()>| Ok(())).dispatcher_named("nowhere");
    assert!(matches!(
        system.spawn("function", function),
        Err(SpawnError::UnknownDispatcher(_))
    ));
    let name_is_free = system.spawn("actor", || Where);
    assert!(name_is_free.is_ok());

    let nobody = system.spawn_anonymous(Props::new(|| Where).dispatcher_named("nowhere"));
    let is_it = |event: &Event| matches!(event, Event::SpawnFailed { who, .. } if *who == nobody);
    assert_eq!(events.count(is_it), 1);
    assert!(matches!(world.block_on(nobody.terminated()), Exit::Stopped));
    let (reply, _answer) = (Ask::Thread, ());
    let gone = world.block_on(nobody.ask(reply).within(secs(1)));
    assert!(matches!(gone, Err(AskError::Gone(_))), "{gone:?}");
    seeds::end(&system, &world);
}

#[tokio::test]
async fn dsp_04_a_child_runs_where_its_parent_does() {
    let (system, _) = system();
    let fixed = Props::new(|| Where).dispatcher_named("fixed");
    let fixed = system.spawn("fixed", fixed).unwrap();
    let thread = ask(&fixed, Ask::ThreadOfChild).await;
    assert!(thread.starts_with("playhouse-fixed-"), "{thread}");

    // One thread, one actor: the child has its own, and leaves the parent's alone when it ends.
    let pinned = Props::new(|| Where).dispatcher_named("pinned");
    let pinned = system.spawn("pinned", pinned).unwrap();
    let own = ask(&pinned, Ask::Thread).await;
    let childs = ask(&pinned, Ask::ThreadOfChild).await;
    assert!(
        childs.starts_with("playhouse-pinned-") && childs != own,
        "{childs} {own}"
    );
    assert_eq!(ask(&pinned, Ask::Thread).await, own);

    let root = Props::new(|| Where).same_dispatcher_as_parent();
    let plain = system.spawn("plain", || Where).unwrap();
    let root = system.spawn("root", root).unwrap();
    let (plain, root) = (
        ask(&plain, Ask::Thread).await,
        ask(&root, Ask::Thread).await,
    );
    assert_eq!(plain, root, "without a parent: the default");
    end(&system).await;
}

/// Writes its name at each message, on the one thread of its dispatcher, which is busy until all are queued.
async fn order_of(dispatcher: Dispatcher, told: &[(char, usize)], work: fn()) -> String {
    let system = ActorSystem::builder("test")
        .dispatcher("one", dispatcher)
        .build()
        .unwrap();
    let (seen, mut journal) = journal();
    let (hold, held) = std::sync::mpsc::channel::<()>();
    let on = system.dispatcher("one").unwrap();
    on.submit(move || assert!(held.recv().is_err()));
    let mut actors = Vec::new();
    for &(name, messages) in told {
        let actor = system.spawn(name, obedient().dispatcher(&on)).unwrap();
        for _ in 0..messages {
            let seen = seen.clone();
            actor.tell(Box::new(move || {
                seen.send(name)?;
                Ok(work())
            }));
        }
        actor.drain();
        actors.push(actor);
    }
    drop(hold);
    for actor in actors {
        actor.terminated().await;
    }
    end(&system).await;
    read(&mut journal).into_iter().collect()
}

#[tokio::test]
async fn dsp_07_a_turn_handles_as_many_messages_as_the_throughput_says() {
    let one = || Dispatcher::fixed(1);
    let told = [('a', 100), ('b', 1)];
    let (all, ten) = (
        "a".repeat(100) + "b",
        "a".repeat(10) + "b" + &"a".repeat(90),
    );
    assert_eq!(order_of(one().throughput(101), &told, || ()).await, all);
    assert_eq!(order_of(one().throughput(10), &told, || ()).await, ten);
}

#[tokio::test]
async fn dsp_08_a_turn_beyond_its_time_limit_ends_after_the_message_in_hand() {
    let two = || Dispatcher::fixed(1).throughput(2);
    let told = [('a', 2), ('b', 2)];
    // Sleeps: a handler that holds its thread for longer than the limit is what is tested.
    let slow = || std::thread::sleep(millis(2));
    assert_eq!(
        order_of(two().time_limit(millis(1)), &told, slow).await,
        "abab"
    );
    assert_eq!(
        order_of(two().time_limit(secs(3_600)), &told, slow).await,
        "aabb"
    );
    assert_eq!(order_of(two(), &told, slow).await, "aabb");
}

#[tokio::test]
async fn dsp_09_slow_actors_do_not_hold_up_fast_ones() {
    let (system, _) = system(); // two threads
    let (done, is_done) = std::sync::mpsc::channel();
    let fast = system
        .spawn("fast", obedient().dispatcher_named("fixed"))
        .unwrap();
    let slow = system
        .spawn("slow", obedient().dispatcher_named("fixed"))
        .unwrap();
    let (seen, mut journal) = journal();
    let ended = seen.clone();
    slow.tell(Box::new(move || {
        is_done.recv()?;
        Ok(ended.send("slow")?)
    }));
    for _ in 0..10 {
        let seen = seen.clone();
        fast.tell(Box::new(move || Ok(seen.send("fast")?)));
    }
    fast.tell(Box::new(move || Ok(done.send(())?)));
    for actor in [fast, slow] {
        actor.drain();
        actor.terminated().await;
    }
    assert_eq!(
        read(&mut journal),
        [vec!["fast"; 10], vec!["slow"]].concat()
    );
    end(&system).await;
}

#[test]
fn dsp_09_a_handler_that_awaits_does_not_hold_up_others_of_its_thread() {
    let (system, world, _) = stepped(1);
    let waits = Props::func(async |ctx: &mut Context<()>| {
        while ctx.recv().await.is_some() {
            ctx.clock().sleep(millis(50)).await;
        }
        Ok(())
    });
    let slow = system
        .spawn("slow", waits.dispatcher_named("single"))
        .unwrap();
    let fast = Props::new(|| Where).dispatcher_named("single");
    let fast = system.spawn("fast", fast).unwrap();
    (0..50).for_each(|_| slow.tell(()));
    for _ in 0..10 {
        world
            .block_on(fast.ask(Ask::Thread).within(secs(1)))
            .unwrap();
    }
    assert_eq!(
        world.elapsed(),
        secs(0),
        "the slow one is at its first message"
    );
    slow.drain();
    world.block_on_timed(slow.terminated());
    assert_eq!(world.elapsed(), millis(50 * 50));
    seeds::end(&system, &world);
}

#[test]
fn dsp_10_the_next_message_waits_for_the_handler_that_waits() {
    seeds::for_each_seed(20, |seed| {
        let (system, world, _) = stepped(seed);
        let (seen, mut journal) = journal();
        let actor = Props::func(async move |ctx: &mut Context<u64>| {
            while let Some(waits) = ctx.recv().await {
                seen.send("received")?;
                ctx.clock().sleep(secs(waits)).await;
                seen.send("processed")?;
            }
            Ok(())
        });
        let actor = system.spawn("actor", actor).unwrap();
        [0, 1, 0].into_iter().for_each(|waits| actor.tell(waits));
        world.settle();
        assert_eq!(read(&mut journal), ["received", "processed", "received"]);
        world.advance(secs(1));
        assert_eq!(read(&mut journal), ["processed", "received", "processed"]);
        assert_eq!(seeds::end(&system, &world).handled, 3);
    });
}

#[tokio::test]
async fn dsp_11_messages_from_ten_threads_are_all_handled() {
    let (system, _) = system();
    let handled = Arc::new(AtomicUsize::new(0));
    let actor = system
        .spawn("actor", obedient().dispatcher_named("fixed"))
        .unwrap();
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let handled = handled.clone();
                    actor.tell(Box::new(move || {
                        handled.fetch_add(1, Ordering::Relaxed);
                        Ok(())
                    }));
                }
            });
        }
    });
    actor.drain();
    actor.terminated().await;
    let ledger = end(&system).await;
    assert_eq!(
        (handled.load(Ordering::Relaxed), ledger.handled),
        (200, 200)
    );
}

// differs: DSP-13: threads live as long as their system, so each wave has a system of its own
#[tokio::test]
async fn dsp_13_three_waves_of_ten_thousand_short_lived_actors() {
    for wave in 0..3 {
        let (system, _) = system();
        let on = system.dispatcher("fixed").unwrap();
        let ended = Arc::new(AtomicUsize::new(0));
        for _ in 0..10_000 {
            let ended = ended.clone();
            let body = Props::func(async move |ctx: &mut Context<()>| {
                ctx.recv().await;
                ended.fetch_add(1, Ordering::Relaxed);
                Ok(())
            });
            system.spawn_anonymous(body.dispatcher(&on)).tell(());
        }
        while ended.load(Ordering::Relaxed) < 10_000 {
            tokio::task::yield_now().await;
        }
        let ledger = end(&system).await;
        assert_eq!(ledger.handled, 10_000, "wave {wave}");
    }
}

enum Request {
    Reply(u32, Reply<u32>),
    Fail(Reply<u32>),
    Wait(Reply<u32>),
}

struct Servant;
impl Actor for Servant {
    type Msg = Request;
    async fn receive(&mut self, _ctx: &mut Context<Request>, msg: Request) -> Outcome {
        match msg {
            Request::Reply(n, reply) => reply.send(n),
            Request::Fail(_reply) => return Err("cannot".into()),
            Request::Wait(_reply) => std::future::pending().await,
        }
        Ok(())
    }
}

/// Asks the servants in turn, and writes down what is heard.
fn heard(
    system: &ActorSystem,
    world: &Stepped,
    servants: &[ActorRef<Request>],
    requests: [fn(u32, Reply<u32>) -> Request; 6],
) -> mpsc::UnboundedReceiver<(u32, Result<u32, AskError>)> {
    let (heard, answers) = journal();
    for ((servant, request), n) in servants.iter().cycle().zip(requests).zip(1..) {
        let (servant, heard) = (servant.clone(), heard.clone());
        system.spawn_anonymous(Props::func(async move |_: &mut Context<()>| {
            let answer = servant.ask(|reply| request(n, reply)).within(secs(9)).await;
            Ok(heard.send((n, answer))?)
        }));
        world.settle(); // one after the other
    }
    answers
}

fn assert_heard(
    answers: &mut mpsc::UnboundedReceiver<(u32, Result<u32, AskError>)>,
    no_reply: fn(&NoReply) -> bool,
) {
    let mut answers = read(answers);
    answers.sort_by_key(|(n, _)| *n);
    assert_eq!(answers.len(), 6);
    for (n, answer) in answers {
        match answer {
            Ok(answer) => assert!(answer == n && n != 3 && n != 5),
            Err(AskError::NoReply { why, .. }) => assert!((n == 3 || n == 5) && no_reply(&why)),
            Err(error) => panic!("{n}: {error}"),
        }
    }
}

#[test]
fn dsp_14_a_failure_harms_no_message_beside_it() {
    let (system, world, _) = stepped(1);
    let servant = Props::new(|| Servant).supervise(Supervise::resume());
    let servant = system.spawn("servant", servant).unwrap();
    let (reply, fail) = (Request::Reply as fn(_, _) -> _, |_, reply| {
        Request::Fail(reply)
    });
    let requests = [reply, reply, fail, reply, fail, reply];
    let mut answers = heard(&system, &world, &[servant], requests);
    assert_heard(&mut answers, |why| matches!(why, NoReply::Failed(_)));
    seeds::end(&system, &world);
}

// differs: DSP-15: a thread cannot be interrupted from outside; a kill drops one handler at its await
#[test]
fn dsp_15_an_interrupted_handler_harms_no_neighbour_on_its_thread() {
    let (system, world, _) = stepped(1);
    let on_one_thread = Props::new(|| Servant).dispatcher_named("single");
    let servants = [(); 6].map(|()| system.spawn_anonymous(on_one_thread.clone()));
    let (reply, wait) = (Request::Reply as fn(_, _) -> _, |_, reply| {
        Request::Wait(reply)
    });
    let requests = [reply, reply, wait, reply, wait, reply];
    let mut answers = heard(&system, &world, &servants, requests);
    servants.iter().for_each(ActorRef::kill);
    world.settle();
    assert_heard(&mut answers, |why| matches!(why, NoReply::Stopped));
    seeds::end(&system, &world);
}

#[tokio::test]
async fn dsp_17_two_actors_run_at_the_same_time() {
    let (system, _) = system();
    let both = Arc::new(Barrier::new(2));
    let (seen, mut met): (_, mpsc::UnboundedReceiver<()>) = journal();
    for _ in 0..2 {
        let (both, seen) = (both.clone(), seen.clone());
        let actor = system.spawn_anonymous(obedient().dispatcher_named("fixed"));
        actor.tell(Box::new(move || {
            both.wait();
            Ok(seen.send(())?)
        }));
    }
    assert_eq!((met.recv().await, met.recv().await), (Some(()), Some(())));
    end(&system).await;
}
