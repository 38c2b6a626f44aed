//! Behaviours: what a handler makes of messages and signals, and what it becomes.

use playhouse::prelude::*;
use playhouse::testkit::{EventPattern, TestKit};
use playhouse::{DeadLetterReason, Exit};

enum Msg {
    Ping,
    Miss,
    Ignore,
    Swap,
    GetState,
    Stop,
    Fail,
    Watch(ActorRef<()>),
}

#[derive(Clone, Copy)]
enum State {
    A,
    B,
}
use State::{A, B};

/// Says what it hears, and in which state.
#[derive(Clone)]
struct Listener {
    state: State,
    told: ActorRef<&'static str>,
}

impl Listener {
    fn props(told: &ActorRef<&'static str>) -> Props<Msg> {
        let told = told.clone();
        let props = Props::new(move || Listener { state: A, told });
        props.supervise(Supervise::restart().at_once())
    }

    fn say(&self, in_a: &'static str, in_b: &'static str) {
        self.told.tell(match self.state {
            A => in_a,
            B => in_b,
        });
    }
}

impl Actor for Listener {
    type Msg = Msg;

    async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        match msg {
            Msg::Ping => self.told.tell("pong"),
            Msg::Ignore => self.told.tell("ignored"),
            Msg::GetState => self.say("a", "b"),
            Msg::Swap => {
                self.state = match self.state {
                    A => B,
                    B => A,
                }
            }
            Msg::Stop => ctx.stop(),
            Msg::Fail => return Err("told to".into()),
            Msg::Watch(other) => ctx.watch(&other),
            Msg::Miss => {
                self.told.tell("missed");
                ctx.unhandled(Msg::Miss);
            }
        }
        Ok(())
    }

    async fn signal(&mut self, _ctx: &mut Context<Msg>, signal: Signal) -> Outcome {
        match signal {
            Signal::PostStop => self.say("post-stop", "post-stop in b"),
            Signal::PreRestart(_) => self.say("pre-restart", "pre-restart in b"),
            Signal::Terminated { .. } => self.say("terminated", "terminated in b"),
            other => return other.unhandled(),
        }
        Ok(())
    }
}

/// The same as a function of behaviours, which sees no signals.
fn behaviour(state: State, told: ActorRef<&'static str>) -> Behavior<Msg> {
    Behavior::receive(move |ctx, msg| {
        match msg {
            Msg::Ping => told.tell("pong"),
            Msg::Ignore => told.tell("ignored"),
            Msg::GetState => told.tell(match state {
                A => "a",
                B => "b",
            }),
            Msg::Swap => {
                let next = match state {
                    A => B,
                    B => A,
                };
                return Ok(behaviour(next, told));
            }
            Msg::Stop => return Ok(Behavior::stopped()),
            Msg::Fail => return Err("told to".into()),
            Msg::Watch(_) => {}
            Msg::Miss => {
                told.tell("missed");
                ctx.unhandled(msg);
            }
        }
        Ok(behaviour(state, told))
    })
}

/// A kit with one actor for each way to write it, and what it hears.
fn for_each_kind(
    test: impl Fn(&TestKit, ActorRef<Msg>, &mut playhouse::testkit::Probe<&'static str>),
) {
    for is_struct in [true, false] {
        let kit = TestKit::new();
        let mut probe = kit.probe();
        let told = probe.actor_ref().clone();
        let actor = if is_struct {
            kit.spawn("actor", Listener::props(&told))
        } else {
            kit.spawn("actor", move || behaviour(A, told))
        };
        test(&kit, actor, &mut probe);
    }
}

/// What a listener says of each signal, after these messages.
#[track_caller]
fn hears_signals<const N: usize>(
    after: impl Fn() -> [Msg; N],
    signals: [&'static str; 3],
    before: &[&'static str],
) {
    let kit = TestKit::new();
    let mut probe = kit.probe::<&'static str>();
    let spawn = |name: &str| {
        let actor = kit.spawn(name, Listener::props(probe.actor_ref()));
        kit.settle();
        for msg in after() {
            actor.tell(msg);
        }
        kit.settle();
        actor
    };
    let (stops, restarts, watches) = (spawn("stops"), spawn("restarts"), spawn("watches"));
    for _ in 0..3 {
        assert_eq!(probe.expect_n(before.len()), before);
    }

    stops.stop();
    assert_eq!(probe.expect(), signals[0]);

    restarts.tell(Msg::Fail);
    assert_eq!(probe.expect(), signals[1]);

    let other = kit.spawn("other", Props::func(async |_ctx: &mut Context<()>| Ok(())));
    kit.settle();
    watches.tell(Msg::Watch(other));
    assert_eq!(probe.expect(), signals[2]);
    probe.expect_nothing();
    drop((restarts, watches));
}

const SIGNALS: [&str; 3] = ["post-stop", "pre-restart", "terminated"];

#[test]
fn beh_01_a_signal_may_be_the_first_thing_heard() {
    hears_signals(|| [], SIGNALS, &[]);
}

#[test]
fn beh_02_a_signal_after_a_message() {
    hears_signals(|| [Msg::Ping], SIGNALS, &["pong"]);
}

#[test]
fn beh_03_a_message_after_terminated() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let actor = kit.spawn("actor", Listener::props(probe.actor_ref()));
    let other = kit.spawn("other", Props::func(async |_ctx: &mut Context<()>| Ok(())));
    actor.tell(Msg::Watch(other));
    assert_eq!(probe.expect(), "terminated");
    actor.tell(Msg::Ping);
    assert_eq!(probe.expect(), "pong");
}

#[test]
fn beh_04_two_messages_in_a_row() {
    for_each_kind(|_kit, actor, probe| {
        actor.tell(Msg::Ping);
        actor.tell(Msg::Ping);
        assert_eq!(probe.expect_n(2), ["pong", "pong"]);
    });
}

#[test]
fn beh_05_a_message_after_an_unhandled_one() {
    for_each_kind(|kit, actor, probe| {
        actor.tell(Msg::Miss);
        actor.tell(Msg::Ping);
        assert_eq!(probe.expect_n(2), ["missed", "pong"]);
        kit.expect_event(&EventPattern::dead_letter(DeadLetterReason::Unhandled));
        assert_eq!(kit.system().ledger().unhandled, 1);
    });
}

#[test]
fn beh_06_a_message_after_one_that_changed_nothing() {
    for_each_kind(|_kit, actor, probe| {
        actor.tell(Msg::Ignore);
        actor.tell(Msg::Ping);
        assert_eq!(probe.expect_n(2), ["ignored", "pong"]);
    });
}

// differs: BEH-07: that a message is unhandled is said to the context, and what follows is an ordinary behaviour
#[test]
fn beh_07_a_message_interpreted_by_hand_that_is_not_handled() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let by_hand = Behavior::receive(move |ctx: &mut Context<Msg>, msg| {
        let next = behaviour(A, told.clone()).handle(ctx, msg)?;
        told.tell("by hand");
        next.handle(ctx, Msg::Ping)
    });
    let mut by_hand = Some(by_hand);
    let by_hand = Props::func(async move |ctx: &mut Context<Msg>| {
        while let Some(msg) = ctx.recv().await {
            let step = by_hand.take().expect("a behaviour");
            by_hand = Some(step.handle(ctx, msg)?);
        }
        Ok(())
    });
    let actor = kit.spawn("actor", by_hand);
    actor.tell(Msg::Miss);
    assert_eq!(probe.expect_n(3), ["missed", "by hand", "pong"]);
    let unhandled = EventPattern::dead_letter(DeadLetterReason::Unhandled).of("/test/actor");
    assert_eq!(kit.events_like(&unhandled).len(), 1);
    actor.tell(Msg::Ping);
    assert_eq!(probe.expect(), "pong");
}

#[test]
fn beh_08_stopping() {
    for_each_kind(|kit, actor, probe| {
        actor.tell(Msg::Stop);
        assert!(matches!(probe.expect_terminated(&actor), Exit::Stopped));
        actor.tell(Msg::Ping);
        kit.expect_event(&EventPattern::dead_letter(DeadLetterReason::Gone));
    });
}

#[test]
fn beh_08_a_stopped_behaviour_handles_nothing() {
    let kit = TestKit::new();
    let mut probe = kit.probe::<()>();
    let stops = || {
        Behavior::receive(|ctx: &mut Context<u32>, msg| {
            let stopped = Behavior::stopped().handle(ctx, msg)?;
            assert!(stopped.is_stopped());
            Ok(stopped)
        })
    };
    let actor = kit.spawn("actor", stops);
    actor.tell(1);
    assert!(matches!(probe.expect_terminated(&actor), Exit::Stopped));
    assert_eq!(kit.system().ledger().unhandled, 1);
}

#[test]
fn beh_09_become_and_back() {
    for_each_kind(|_kit, actor, probe| {
        for msg in [
            Msg::GetState,
            Msg::Swap,
            Msg::GetState,
            Msg::Swap,
            Msg::GetState,
        ] {
            actor.tell(msg);
        }
        assert_eq!(probe.expect_n(3), ["a", "b", "a"]);
    });
}

#[test]
fn beh_10_signals_after_a_become() {
    let signals = ["post-stop in b", "pre-restart in b", "terminated in b"];
    hears_signals(|| [Msg::Swap], signals, &[]);
    hears_signals(|| [Msg::Swap, Msg::Ping], signals, &["pong"]);
}

#[test]
fn beh_11_one_recipe_for_two_actors() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let as_function = Props::new(move || behaviour(A, told)).supervise(Supervise::restart());
    for (n, recipe) in [Listener::props(probe.actor_ref()), as_function]
        .into_iter()
        .enumerate()
    {
        let one = kit.spawn(format!("one-{n}"), recipe.clone());
        let two = kit.spawn(format!("two-{n}"), recipe);
        let mut state_of = |actor: &ActorRef<Msg>| {
            actor.tell(Msg::GetState);
            probe.expect()
        };
        assert_eq!((state_of(&one), state_of(&two)), ("a", "a"));
        one.tell(Msg::Swap);
        assert_eq!((state_of(&one), state_of(&two)), ("b", "a"));
        two.tell(Msg::Swap);
        one.tell(Msg::Swap);
        assert_eq!((state_of(&one), state_of(&two)), ("a", "b"));
        drop((one, two));
    }
}

#[test]
fn beh_13_a_partial_handler() {
    fn only_pings(told: ActorRef<&'static str>) -> Behavior<Msg> {
        Behavior::receive(move |_ctx, msg| {
            if let Msg::Ping = msg {
                told.tell("pong");
            }
            Ok(only_pings(told))
        })
    }
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let actor = kit.spawn("actor", move || only_pings(told));
    actor.tell(Msg::Ignore);
    probe.expect_nothing();
    actor.tell(Msg::Ping);
    assert_eq!(probe.expect(), "pong");
}

#[test]
fn beh_14_a_partial_handler_with_the_context() {
    fn only_pings(told: ActorRef<String>) -> Behavior<Msg> {
        Behavior::receive(move |ctx, msg| {
            match msg {
                Msg::Ping => told.tell(ctx.me().to_string()),
                other => ctx.unhandled(other),
            }
            Ok(only_pings(told))
        })
    }
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let actor = kit.spawn("actor", move || only_pings(told));
    actor.tell(Msg::Ignore);
    probe.expect_nothing();
    assert_eq!(kit.system().ledger().unhandled, 1);
    actor.tell(Msg::Ping);
    assert_eq!(probe.expect(), actor.to_string());
}
