//! What went wrong once between a failure and what follows from it.

mod common;

use common::fragile::Fragile;
use common::read;
use common::seeds::{end, for_each_seed, stepped};
use playhouse::prelude::*;
use playhouse::{Event, Group, GroupRef, Restart};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc as threads};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

const SEEDS: u64 = 50;

fn at_once() -> Restart {
    Supervise::restart().at_once()
}

/// Says that it has started, and fails when it is told.
#[derive(Clone)]
struct Member {
    name: &'static str,
    told: UnboundedSender<String>,
}

impl Actor for Member {
    type Msg = ();
    async fn started(&mut self, _ctx: &mut Context<()>) -> Outcome {
        Ok(self.told.send(format!("{} starts", self.name))?)
    }
    async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
        Err("failed".into())
    }
}

fn parent_of(group: Group, give: UnboundedSender<GroupRef>) -> impl playhouse::IntoProps<Msg = ()> {
    Props::func(async move |ctx: &mut Context<()>| {
        give.send(ctx.spawn_group("group", group)?)?;
        while ctx.recv().await.is_some() {}
        Ok(())
    })
}

/// The decision panicked where nobody caught it.
#[test]
fn a_backoff_that_no_clock_holds_can_be_waited_for() {
    let (system, world, _events) = stepped(0);
    let (told, mut notes) = unbounded_channel();
    let backoff = Supervise::restart().backoff(Duration::MAX..=Duration::MAX, 0.5);
    let member = Props::new(move || Member { name: "a", told }).supervise(backoff);
    let member = system.spawn("a", member).unwrap();
    member.tell(());
    world.settle();
    assert_eq!(read(&mut notes), ["a starts"]);
    member.stop();
    world.settle();
    let exit = world.block_on(member.terminated());
    assert!(matches!(exit, Exit::Stopped), "{exit:?}");
    end(&system, &world);
}

/// Has two children that pass their failures on, and takes its time before it restarts.
#[derive(Clone)]
struct Parent {
    children: UnboundedSender<ActorRef<()>>,
    told: UnboundedSender<String>,
}

impl Actor for Parent {
    type Msg = ();
    async fn started(&mut self, ctx: &mut Context<()>) -> Outcome {
        self.told.send("parent starts".into())?;
        for name in ["a", "b"] {
            let told = self.told.clone();
            let child = Props::new(move || Member { name, told }).supervise(Supervise::escalate());
            self.children.send(ctx.spawn(name, child)?)?;
        }
        Ok(())
    }
    async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
        Ok(())
    }
    async fn signal(&mut self, ctx: &mut Context<()>, signal: Signal) -> Outcome {
        if let Signal::PreRestart(_) = signal {
            ctx.clock().sleep(secs(2)).await;
        }
        Ok(())
    }
}

/// It failed the incarnation after theirs as well.
#[test]
fn two_children_that_escalate_restart_their_parent_once() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, events) = stepped(seed);
        let (told, _notes) = unbounded_channel();
        let (children, mut given) = unbounded_channel();
        let parent = Props::new(move || Parent { children, told }).supervise(at_once());
        let parent = system.spawn("parent", parent).unwrap();
        world.settle();
        let children = read(&mut given);
        children[0].tell(());
        world.advance(secs(1));
        children[1].tell(());
        world.advance(secs(9));
        world.settle();
        let restarts =
            |event: &Event| matches!(event, Event::Restarted { who, .. } if *who == parent);
        assert_eq!(events.count(restarts), 1);
        end(&system, &world);
    });
}

/// The group gave it up as stuck.
#[test]
fn a_member_in_a_backoff_of_its_own_begins_anew_with_its_group() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, _events) = stepped(seed);
        let (tell, mut notes) = unbounded_channel();
        let (give, mut given) = unbounded_channel();
        let group = Group::one_for_all(at_once()).shutdown_limit(secs(3));
        system.spawn("parent", parent_of(group, give)).unwrap();
        world.settle();
        let group = given.try_recv().unwrap();
        let told = tell.clone();
        let a = group
            .spawn("a", move || Member { name: "a", told })
            .unwrap();
        let hour = Supervise::restart().backoff(secs(3_600)..=secs(3_600), 0.0);
        let b = Props::new(move || Member {
            name: "b",
            told: tell,
        })
        .supervise(hour);
        let b = group.spawn("b", b).unwrap();
        b.tell(());
        world.settle();
        a.tell(());
        read(&mut notes);
        world.settle();
        assert_eq!(read(&mut notes), ["a starts", "b starts"]);
        end(&system, &world);
    });
}

/// A factory whose clone says so, and waits for the test.
struct Gate {
    arrived: threads::Sender<()>,
    open: Arc<Mutex<threads::Receiver<()>>>,
}

impl Clone for Gate {
    fn clone(&self) -> Self {
        let _ = self.arrived.send(());
        let _ = self.open.lock().unwrap().recv();
        let (arrived, open) = (self.arrived.clone(), self.open.clone());
        Self { arrived, open }
    }
}

async fn next(notes: &mut UnboundedReceiver<String>) -> String {
    let note = tokio::time::timeout(secs(10), notes.recv()).await;
    note.expect("the next note does not come").unwrap()
}

/// The order was taken back unseen, and the group waited for its limit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_group_that_renews_a_member_which_just_begins_anew_by_itself_is_heard() {
    let system = ActorSystem::builder("test")
        .dispatcher("fixed", Dispatcher::fixed(1))
        .on_event(|_| ())
        .build()
        .unwrap();
    let (tell, mut notes) = unbounded_channel();
    let (give, mut given) = unbounded_channel();
    let group = Group::one_for_all(at_once()).shutdown_limit(secs(3_600));
    system.spawn("parent", parent_of(group, give)).unwrap();
    let group = given.recv().await.unwrap();
    let told = tell.clone();
    let a = group
        .spawn("a", move || Member { name: "a", told })
        .unwrap();
    let (arrive, arrived) = threads::channel();
    let (open, opened) = threads::channel();
    let gate = Gate {
        arrived: arrive,
        open: Arc::new(Mutex::new(opened)),
    };
    open.send(()).unwrap(); // the clone at its birth
    let b = Props::new(move || {
        let _gate = &gate;
        Member {
            name: "b",
            told: tell,
        }
    });
    let fixed = system.dispatcher("fixed").unwrap();
    let b = b.supervise(at_once()).dispatcher(&fixed);
    let b = group.spawn("b", b).unwrap();
    for _ in 0..2 {
        next(&mut notes).await;
    }
    arrived.recv().unwrap();
    b.tell(());
    arrived.recv().unwrap(); // it has asked its group already, and is not in its next incarnation
    a.tell(());
    // sleeps: until the order is there; too short a sleep tests nothing, and fails nothing
    tokio::time::sleep(millis(100)).await;
    for _ in 0..9 {
        open.send(()).unwrap();
    }
    while next(&mut notes).await != "a starts" {}
    assert_eq!(system.shutdown().await.ledger.balance(), 0);
}

/// The order to stop waited behind the renewal.
#[test]
fn a_group_that_is_told_to_stop_does_not_wait_out_its_backoff() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, _events) = stepped(seed);
        let (tell, _notes) = unbounded_channel();
        let (give, mut given) = unbounded_channel();
        let backoff = Supervise::restart().backoff(secs(9)..=secs(9), 0.0);
        let parent = parent_of(Group::one_for_all(backoff), give);
        system.spawn("parent", parent).unwrap();
        world.settle();
        let group = given.try_recv().unwrap();
        for name in ["a", "b"] {
            let told = tell.clone();
            let member = group.spawn(name, move || Member { name, told }).unwrap();
            member.tell(());
        }
        world.settle();
        let before = system.clock().now();
        group.stop();
        world.settle();
        let exit = world.block_on(group.terminated());
        assert!(matches!(exit, Exit::Stopped), "{exit:?}");
        assert_eq!(system.clock().now(), before);
        end(&system, &world);
    });
}

/// Gives the first message away, and fails with every one.
struct Careless(UnboundedSender<u32>);

impl Actor for Careless {
    type Msg = u32;
    async fn receive(&mut self, ctx: &mut Context<u32>, n: u32) -> Outcome {
        self.0.send(n)?;
        if n == 1 {
            ctx.unhandled(n);
        }
        Err("failed".into())
    }
}

/// The failure was charged to the message after it, which was quarantined at once.
#[test]
fn a_failure_without_a_message_in_hand_is_nobodys_delivery() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, _events) = stepped(seed);
        let (tell, mut told) = unbounded_channel();
        let props = Props::new(move || Careless(tell))
            .supervise(at_once())
            .redeliver(1);
        let careless = system.spawn("careless", props).unwrap();
        careless.tell(1);
        careless.tell(2);
        world.settle();
        assert_eq!(read(&mut told), [1, 2, 2]);
        let ledger = end(&system, &world);
        assert_eq!((ledger.unhandled, ledger.quarantined), (1, 1));
    });
}

/// The wait for the tick after it never began.
#[test]
fn a_fixed_delay_goes_on_after_a_tick_that_panicked() {
    let (system, world, _events) = stepped(0);
    let (tell, mut told) = unbounded_channel();
    struct Clockwork(UnboundedSender<u32>);
    impl Actor for Clockwork {
        type Msg = u32;
        async fn started(&mut self, ctx: &mut Context<u32>) -> Outcome {
            let mut ticks = 0;
            ctx.timers().fixed_delay("tick", secs(1), move || {
                ticks += 1;
                assert_ne!(ticks, 1, "the first tick panics on purpose");
                ticks
            });
            Ok(())
        }
        async fn receive(&mut self, _ctx: &mut Context<u32>, n: u32) -> Outcome {
            Ok(self.0.send(n)?)
        }
    }
    let how = Supervise::stop().when_panic(Supervise::resume());
    let clockwork = Props::new(move || Clockwork(tell)).supervise(how);
    system.spawn("clockwork", clockwork).unwrap();
    for _ in 0..3 {
        world.advance(secs(1));
        world.settle();
    }
    assert_eq!(read(&mut told), [2, 3]);
    end(&system, &world);
}

/// Asks for a second message while it has a first, and says what it hears.
#[derive(Clone)]
struct Listener {
    other: ActorRef<()>,
    child: UnboundedSender<ActorRef<()>>,
    told: UnboundedSender<String>,
}

impl Actor for Listener {
    type Msg = ();
    async fn started(&mut self, ctx: &mut Context<()>) -> Outcome {
        self.told.send("starts".into())?;
        ctx.watch(&self.other);
        let child = Props::new(|| Fails).supervise(Supervise::escalate());
        Ok(self.child.send(ctx.spawn("child", child)?)?)
    }
    async fn receive(&mut self, ctx: &mut Context<()>, (): ()) -> Outcome {
        ctx.recv().await;
        Ok(())
    }
    async fn signal(&mut self, _ctx: &mut Context<()>, signal: Signal) -> Outcome {
        let what = match signal {
            Signal::PreRestart(_) => "pre-restart",
            Signal::Terminated { .. } => "terminated",
            _ => "other",
        };
        Ok(self.told.send(what.into())?)
    }
}

struct Fails;

impl Actor for Fails {
    type Msg = ();
    async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
        Err("failed".into())
    }
}

/// The failed incarnation handled one more.
#[test]
fn a_signal_that_was_set_aside_is_for_the_next_incarnation() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, _events) = stepped(seed);
        let (told, mut notes) = unbounded_channel();
        let (child, mut given) = unbounded_channel();
        let other = system.spawn("other", || Fails).unwrap();
        let watched = other.clone();
        let listener = Props::new(move || Listener {
            other: watched,
            child,
            told,
        });
        let listener = system
            .spawn("listener", listener.supervise(at_once()))
            .unwrap();
        listener.tell(());
        world.settle();
        other.stop();
        world.settle();
        given.try_recv().unwrap().tell(());
        world.settle();
        assert_eq!(read(&mut notes), ["starts"]);
        listener.tell(());
        world.settle();
        let heard = read(&mut notes);
        assert_eq!(heard[..2], ["pre-restart", "starts"]);
        end(&system, &world);
    });
}

/// The books said that less than nothing was taken.
#[test]
fn an_own_tick_that_is_stashed_before_anything_else_is_in_the_books() {
    let (system, world, _events) = stepped(0);
    struct Saver;
    impl Actor for Saver {
        type Msg = ();
        async fn started(&mut self, ctx: &mut Context<()>) -> Outcome {
            ctx.timers().once("tick", secs(1), ());
            Ok(())
        }
        async fn receive(&mut self, ctx: &mut Context<()>, (): ()) -> Outcome {
            Ok(ctx.stash(())?)
        }
    }
    system.spawn("saver", || Saver).unwrap();
    world.advance(secs(1));
    world.settle();
    let ledger = system.ledger();
    assert_eq!(
        (ledger.accepted, ledger.stashed, ledger.balance()),
        (1, 1, 0)
    );
    end(&system, &world);
}

/// Gives up what is to be delivered again, and fails with every message.
struct Forgetful(UnboundedSender<u32>);

impl Actor for Forgetful {
    type Msg = u32;
    async fn started(&mut self, ctx: &mut Context<u32>) -> Outcome {
        ctx.clear_stash();
        Ok(())
    }
    async fn receive(&mut self, _ctx: &mut Context<u32>, n: u32) -> Outcome {
        self.0.send(n)?;
        Err("failed".into())
    }
}

/// The message after it had one delivery less.
#[test]
fn the_failures_of_a_message_that_was_given_up_are_not_those_of_the_next() {
    let (system, world, _events) = stepped(0);
    let (tell, mut told) = unbounded_channel();
    let props = Props::new(move || Forgetful(tell))
        .supervise(at_once())
        .redeliver(1);
    let forgetful = system.spawn("forgetful", props).unwrap();
    forgetful.tell(1);
    forgetful.tell(2);
    world.settle();
    assert_eq!(read(&mut told), [1, 2]);
    let ledger = end(&system, &world);
    assert_eq!((ledger.unhandled, ledger.quarantined), (2, 0));
}

/// It was lost, although the setting was taken.
#[test]
fn a_message_that_fails_a_member_of_a_group_is_delivered_again() {
    for_each_seed(SEEDS, |seed| {
        let (system, world, _events) = stepped(seed);
        let (tell, mut told) = unbounded_channel();
        let (give, mut given) = unbounded_channel();
        let parent = parent_of(Group::one_for_one(at_once()), give);
        system.spawn("parent", parent).unwrap();
        world.settle();
        let group = given.try_recv().unwrap();
        let fragile = Props::new(move || Fragile(tell)).redeliver(1);
        let fragile = group.spawn("fragile", fragile).unwrap();
        for n in [1, 100, 2] {
            fragile.tell(n);
        }
        world.settle();
        assert_eq!(read(&mut told), [1, 100, 100, 2]);
        let ledger = end(&system, &world);
        assert_eq!((ledger.quarantined, ledger.failed), (1, 0));
    });
}

/// Takes two seconds for each step of its life, and a child that takes as long to end.
struct Slow(UnboundedSender<&'static str>);

impl Slow {
    async fn new(ctx: &mut Context<()>, told: UnboundedSender<&'static str>) -> Outcome<Self> {
        told.send("factory")?;
        ctx.clock().sleep(secs(2)).await;
        told.send("made")?;
        Ok(Self(told))
    }
}

impl Actor for Slow {
    type Msg = ();
    async fn started(&mut self, ctx: &mut Context<()>) -> Outcome {
        ctx.clock().sleep(secs(2)).await;
        ctx.spawn_anonymous(|| SlowToEnd);
        Ok(())
    }
    async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
        Err("failed".into())
    }
    async fn signal(&mut self, ctx: &mut Context<()>, signal: Signal) -> Outcome {
        if let Signal::PreRestart(_) = signal {
            ctx.clock().sleep(secs(2)).await;
        }
        Ok(())
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        let _ = self.0.send("dropped");
        std::panic::resume_unwind(Box::new("on purpose")); // without a word from the hook
    }
}

struct SlowToEnd;

impl Actor for SlowToEnd {
    type Msg = ();
    async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
        Ok(())
    }
    async fn signal(&mut self, ctx: &mut Context<()>, signal: Signal) -> Outcome {
        if let Signal::PostStop = signal {
            ctx.clock().sleep(secs(2)).await;
        }
        Ok(())
    }
}

#[test]
fn an_order_in_any_phase_of_a_renewal_ends_the_actor_once() {
    type Order = fn(&ActorRef<()>);
    let orders: [(&str, Order); 3] = [
        ("stop", |actor| actor.stop()),
        ("kill", |actor| actor.kill()),
        ("drain", |actor| actor.drain()),
    ];
    for (name, order) in orders {
        // Pre-restart, the child's end, the backoff, the factory, `started`, life.
        for after in (0..12_000).step_by(500) {
            for (dispatcher, is_renewed_by_group) in
                [("fixed", false), ("pinned", false), ("fixed", true)]
            {
                let (system, world, events) = stepped(after);
                let (tell, mut told) = unbounded_channel();
                let (give, mut given) = unbounded_channel();
                let backoff = Supervise::restart().backoff(secs(2)..=secs(2), 0.0);
                let slow =
                    Props::setup(async move |ctx: &mut Context<()>| Slow::new(ctx, tell).await)
                        .dispatcher(&system.dispatcher(dispatcher).unwrap());
                let slow = match is_renewed_by_group {
                    true => {
                        let parent = parent_of(Group::one_for_all(backoff), give);
                        system.spawn("parent", parent).unwrap();
                        world.settle();
                        given.try_recv().unwrap().spawn("slow", slow).unwrap()
                    }
                    false => system.spawn("slow", slow.supervise(backoff)).unwrap(),
                };
                world.advance(secs(5));
                slow.tell(());
                world.advance(millis(after));
                order(&slow);
                world.advance(secs(20));
                let exit = world.block_on(slow.terminated());
                let case = format!("{name} after {after} on {dispatcher}: {exit}");
                match exit {
                    Exit::Stopped => assert_eq!(name, "stop", "{case}"),
                    Exit::Killed => assert_eq!(name, "kill", "{case}"),
                    _ => assert_eq!(name, "drain", "{case}"),
                }
                let notes = read(&mut told);
                let count = |what| notes.iter().filter(|note| **note == what).count();
                assert_eq!(count("made"), count("dropped"), "{case}");
                let ended =
                    |event: &Event| matches!(event, Event::Ended { who, .. } if *who == slow);
                assert_eq!(events.count(ended), 1, "{case}");
                end(&system, &world);
            }
        }
    }
}

/// Looks at its group when it is dropped.
#[derive(Clone)]
struct Looks {
    group: GroupRef,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Drop for Looks {
    fn drop(&mut self) {
        let group = format!("{:?}", self.group);
        self.seen.lock().unwrap().push(group);
    }
}

/// It waited for itself: the group kept its list of members locked meanwhile.
#[test]
fn what_a_refused_member_drops_may_look_at_the_group() {
    let (system, world, _events) = stepped(0);
    let (give, mut given) = unbounded_channel();
    let parent = parent_of(Group::one_for_one(at_once()), give);
    system.spawn("parent", parent).unwrap();
    world.settle();
    let group = given.try_recv().unwrap();
    group.spawn("a", || Fails).unwrap();
    let seen = Arc::<Mutex<Vec<String>>>::default();
    let looks = Looks {
        group: group.clone(),
        seen: seen.clone(),
    };
    let member = move || {
        let _ = &looks;
        Fails
    };
    group.spawn("a", member).unwrap_err();
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    assert!(
        seen.iter()
            .any(|group| group.contains("/test/parent/group/a")),
        "{seen:?}"
    );
    end(&system, &world);
}

#[test]
fn nothing_of_a_system_outlives_its_groups_and_restarts() {
    let kept = Arc::new(());
    let listening = kept.clone();
    let (system, world) = ActorSystem::builder("test")
        .on_event(move |_| {
            let _ = &listening;
        })
        .build_stepped(0)
        .unwrap();
    let (tell, mut notes) = unbounded_channel();
    let (give, mut given) = unbounded_channel();
    let parent = parent_of(Group::one_for_all(at_once()), give);
    let parent = system.spawn("parent", parent).unwrap();
    world.settle();
    let group = given.try_recv().unwrap();
    for name in ["a", "b", "c"] {
        let told = tell.clone();
        let member = group.spawn(name, move || Member { name, told }).unwrap();
        member.tell(());
        world.settle();
        if name == "b" {
            member.stop();
        }
    }
    let (children, mut given) = unbounded_channel();
    let restarting = Props::new(move || Parent {
        children,
        told: tell,
    })
    .supervise(at_once());
    system.spawn("restarting", restarting).unwrap();
    world.settle();
    read(&mut given)[0].tell(());
    world.advance(secs(3));
    read(&mut given);
    assert!(read(&mut notes).len() > 6);
    end(&system, &world);
    drop((system, world, parent, group, given, notes));
    assert_eq!(Arc::strong_count(&kept), 1);
}

/// Its drop panics once that is asked for.
#[derive(Clone, Debug)]
struct Bomb(Arc<AtomicBool>);

impl Drop for Bomb {
    fn drop(&mut self) {
        if self.0.load(Ordering::Relaxed) {
            std::panic::resume_unwind(Box::new("on purpose")); // without a word from the hook
        }
    }
}

impl std::fmt::Display for Bomb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a bomb")
    }
}

impl std::error::Error for Bomb {}

struct Explosive(Bomb);

impl Actor for Explosive {
    type Msg = ();
    async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
        Err(self.0.clone().into())
    }
}

/// The second panic was inside of the first, which ends the program.
#[test]
fn two_drops_that_panic_at_the_end_of_a_backoff_are_two_panics() {
    let (system, world) = ActorSystem::builder("test")
        .on_event(|_| ())
        .build_stepped(0)
        .unwrap();
    let armed = Bomb(Default::default());
    let (arm, bomb) = (armed.0.clone(), armed);
    let backoff = Supervise::restart().backoff(secs(9)..=secs(9), 0.0);
    let explosive = Props::new(move || Explosive(bomb)).supervise(backoff);
    let explosive = system.spawn("explosive", explosive).unwrap();
    explosive.tell(());
    world.settle();
    arm.store(true, Ordering::Relaxed);
    explosive.kill();
    world.settle();
    let exit = world.block_on(explosive.terminated());
    assert!(matches!(exit, Exit::Killed), "{exit:?}");
    end(&system, &world);
}

/// Fails with what panics in its drop.
struct Fuse(UnboundedSender<u32>);

impl Actor for Fuse {
    type Msg = u32;
    async fn receive(&mut self, _ctx: &mut Context<u32>, n: u32) -> Outcome {
        if n == 0 {
            return Err(Bomb(Arc::new(true.into())).into());
        }
        Ok(self.0.send(n)?)
    }
}

/// The panic was one more failure, and the actor stopped.
#[test]
fn a_failure_whose_drop_panics_is_one_failure() {
    for how in [Supervise::resume(), at_once().into()] {
        let (tell, mut told) = unbounded_channel();
        let (fail, mut failed) = unbounded_channel();
        let (system, world) = ActorSystem::builder("test")
            .on_event(move |event| {
                if let Event::Failed { failure, .. } = event {
                    let _ = fail.send(failure.to_string());
                }
            })
            .build_stepped(0)
            .unwrap();
        let fuse = Props::new(move || Fuse(tell)).supervise(how);
        let fuse = system.spawn("fuse", fuse).unwrap();
        fuse.tell(0);
        fuse.tell(1);
        world.settle();
        assert_eq!(read(&mut failed), ["a bomb"]);
        assert_eq!(read(&mut told), [1]);
        end(&system, &world);
    }
}
