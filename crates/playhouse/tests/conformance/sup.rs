//! Supervision.

use crate::common::player::Notes;
use crate::common::stage::{Stage, on_stage};
use playhouse::prelude::*;
use playhouse::{DeadLetterReason, Event, Restart};
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A kind of failure.
#[derive(Debug)]
struct E1 {}
/// A kind of [`E1`]: that is its cause.
#[derive(Debug)]
struct E2 {
    cause: E1,
}
/// Unrelated.
#[derive(Debug)]
struct E3 {}

impl fmt::Display for E1 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("E1")
    }
}
impl fmt::Display for E2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("E2")
    }
}
impl fmt::Display for E3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("E3")
    }
}
impl Error for E1 {}
impl Error for E2 {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.cause)
    }
}
impl Error for E3 {}

enum Cmd {
    Ping(u32),
    Increment,
    GetState,
    CreateChild(&'static str),
    CreateSlowChild,
    Watch(ActorRef<Cmd>),
    Throw(fn() -> Failure),
    PipeThatPanics,
}
use Cmd::*;

const E1: Cmd = Throw(|| E1 {}.into());
const E2: Cmd = Throw(|| E2 { cause: E1 {} }.into());
const E3: Cmd = Throw(|| E3 {}.into());

struct Counter {
    notes: Notes,
    name: &'static str,
    state: u32,
    /// How long its post-stop takes.
    lingers: std::time::Duration,
}

impl Counter {
    fn new(notes: &Notes) -> Self {
        Self::named(notes, "")
    }

    fn named(notes: &Notes, name: &'static str) -> Self {
        Self {
            notes: notes.clone(),
            name,
            state: 0,
            lingers: secs(0),
        }
    }

    fn say(&self, line: impl fmt::Display) {
        self.notes.say(format!("{}{line}", self.name));
    }
}

impl Actor for Counter {
    type Msg = Cmd;

    async fn receive(&mut self, ctx: &mut Context<Cmd>, cmd: Cmd) -> Outcome {
        match cmd {
            Ping(n) => self.say(format_args!("pong {n}")),
            Increment => self.state += 1,
            GetState => {
                let children = ctx.children();
                let names: Vec<_> = children.iter().map(|child| child.name()).collect();
                self.say(format_args!("state {} {names:?}", self.state));
            }
            CreateChild(name) => {
                let child = Counter::named(&self.notes, "child ");
                ctx.spawn(name, Props::new(move || child.again()))?;
            }
            CreateSlowChild => {
                let child = Counter {
                    lingers: secs(1),
                    ..Counter::named(&self.notes, "child ")
                };
                ctx.spawn_anonymous(Props::new(move || child.again()));
            }
            Watch(other) => ctx.watch(&other),
            Throw(failure) => return Err(failure()),
            PipeThatPanics => ctx.pipe_to_self(async {}, |()| panic!("no message of it")),
        }
        Ok(())
    }

    async fn signal(&mut self, ctx: &mut Context<Cmd>, signal: Signal) -> Outcome {
        match signal {
            Signal::PreRestart(_) => self.say("pre-restart"),
            Signal::PostStop => {
                ctx.clock().sleep(self.lingers).await;
                self.say("post-stop");
            }
            other => return other.unhandled(),
        }
        Ok(())
    }
}

impl Clone for Counter {
    fn clone(&self) -> Self {
        Self {
            notes: self.notes.clone(),
            ..*self
        }
    }
}

impl Counter {
    fn again(&self) -> Self {
        self.clone()
    }
}

/// A counter under this supervision, begun.
fn counter(stage: &Stage, how: impl Into<Supervise>) -> ActorRef<Cmd> {
    let counter = Counter::new(&stage.notes);
    let counter = stage.spawn("counter", Props::new(move || counter).supervise(how));
    assert_eq!(stage.notes.read(), [""; 0]);
    counter
}

fn tell(stage: &Stage, to: &ActorRef<Cmd>, cmds: impl IntoIterator<Item = Cmd>) -> Vec<String> {
    cmds.into_iter().for_each(|cmd| to.tell(cmd));
    stage.world.settle();
    stage.notes.read()
}

fn at_once() -> Restart {
    Supervise::restart().at_once()
}

/// Failures that were published, of everybody.
fn failures(stage: &Stage) -> Vec<String> {
    let text = |event| match event {
        Event::Failed { failure, .. } => Some(failure.as_error().to_string()),
        _ => None,
    };
    stage.events.all().into_iter().filter_map(text).collect()
}

#[track_caller]
fn assert_ended(stage: &Stage, actor: &ActorRef<Cmd>, text: &str) {
    let exit = stage.world.block_on(actor.terminated());
    assert_eq!(exit.to_string(), text);
}

#[test]
fn sup_01_a_supervised_actor_handles_a_message() {
    on_stage(|stage| {
        let counter = counter(stage, at_once());
        assert_eq!(tell(stage, &counter, [Ping(1)]), ["pong 1"]);
    });
}

#[test]
fn sup_02_without_supervision_a_failure_ends_the_actor() {
    on_stage(|stage| {
        let counter = Counter::new(&stage.notes);
        let counter = stage.spawn("counter", Props::new(move || counter));
        assert_eq!(tell(stage, &counter, [E3]), ["post-stop"]);
        assert_ended(stage, &counter, "failed: E3");
    });
}

#[test]
fn sup_03_a_kind_that_is_not_named_follows_the_default() {
    on_stage(|stage| {
        let counter = counter(stage, Supervise::stop().when::<E1>(at_once()));
        assert_eq!(tell(stage, &counter, [E3]), ["post-stop"]);
    });
}

#[test]
fn sup_04_a_restart_begins_with_fresh_state() {
    on_stage(|stage| {
        let counter = counter(stage, Supervise::stop().when::<E1>(at_once()));
        let notes = tell(stage, &counter, [Increment, E2, GetState]);
        assert_eq!(notes, ["pre-restart", "state 0 []"]);
    });
}

#[test]
fn sup_05_a_resume_keeps_the_state_and_sends_no_signal() {
    on_stage(|stage| {
        let counter = counter(stage, Supervise::stop().when::<E1>(Supervise::resume()));
        assert_eq!(
            tell(stage, &counter, [Increment, E2, GetState]),
            ["state 1 []"]
        );
    });
}

#[test]
fn sup_06_three_outcomes_in_one_actor() {
    on_stage(|stage| {
        let how = Supervise::stop()
            .when::<E2>(Supervise::resume())
            .when::<E3>(at_once());
        let counter = counter(stage, how);
        let resumed = tell(stage, &counter, [Increment, E2, GetState]);
        assert_eq!(resumed, ["state 1 []"]);
        let restarted = tell(stage, &counter, [E3, GetState]);
        assert_eq!(restarted, ["pre-restart", "state 0 []"]);
        assert_eq!(tell(stage, &counter, [E1]), ["post-stop"]);
    });
}

#[test]
fn sup_09_the_third_failure_in_a_minute_is_beyond_a_limit_of_two() {
    on_stage(|stage| {
        let counter = counter(stage, at_once().limit(2, secs(60)));
        for expected in ["pre-restart", "pre-restart", "post-stop"] {
            assert_eq!(tell(stage, &counter, [E1]), [expected]);
        }
        assert_ended(stage, &counter, "failed: E1");
    });
}

#[test]
fn sup_10_the_window_of_the_limit_begins_anew() {
    on_stage(|stage| {
        let counter = counter(stage, at_once().limit(2, secs(2)));
        assert_eq!(tell(stage, &counter, [E1, E1]), ["pre-restart"; 2]);
        stage.world.advance(millis(2_100));
        assert_eq!(tell(stage, &counter, [E1, E1]), ["pre-restart"; 2]);
        assert_eq!(tell(stage, &counter, [E1]), ["post-stop"]);
    });
}

#[test]
fn sup_11_a_limit_of_nought_allows_no_restart() {
    on_stage(|stage| {
        let counter = counter(stage, at_once().limit(0, secs(60)));
        assert_eq!(tell(stage, &counter, [E1]), ["post-stop"]);
    });
}

/// Fails as often as it is told to, then makes a counter.
fn failing_setup(notes: &Notes, times: u32) -> Props<Cmd> {
    let tries = Arc::new(AtomicU32::new(0));
    let counter = Counter::new(notes);
    Props::setup(async move |_ctx: &mut Context<Cmd>| {
        if tries.fetch_add(1, Ordering::Relaxed) < times {
            counter.say("cannot start");
            return Err(E1 {}.into());
        }
        counter.say("started");
        Ok(counter)
    })
}

#[test]
fn sup_12_the_factory_runs_before_any_message_is_sent() {
    on_stage(|stage| {
        let props = failing_setup(&stage.notes, 0).supervise(at_once());
        stage.spawn("counter", props);
        stage.expect(["started"]);
    });
}

#[test]
fn sup_13_a_supervised_actor_answers() {
    on_stage(|stage| {
        let echo = || {
            Behavior::receive(move |_ctx, reply: Reply<u32>| {
                reply.send(1);
                Ok(Behavior::stopped())
            })
        };
        let echo = stage.spawn("echo", Props::new(echo).supervise(at_once()));
        let asked = echo.ask(|reply| reply).within(secs(1));
        assert_eq!(stage.world.block_on(asked).unwrap(), 1);
    });
}

/// Ends at a failure, which is published, and its watcher hears it.
fn assert_stops(stage: &Stage, counter: &ActorRef<Cmd>) {
    let watcher = stage.player("watcher");
    let watched = counter.clone();
    let watch = crate::common::player::quietly(move |ctx| ctx.watch(&watched));
    stage.tell(&watcher, watch);
    let notes = tell(stage, counter, [E3]);
    assert_eq!(notes, ["post-stop", "counter ended, failed: E3"]);
    assert_eq!(failures(stage), ["E3"]);
}

#[test]
fn sup_14_the_default_is_to_stop() {
    on_stage(|stage| {
        let counter = Counter::new(&stage.notes);
        let counter = stage.spawn("counter", Props::new(move || counter));
        assert_stops(stage, &counter);
    });
}

#[test]
fn sup_15_stop_may_be_said() {
    on_stage(|stage| assert_stops(stage, &counter(stage, Supervise::stop())));
}

#[test]
fn sup_17_the_inner_kind_stops_and_every_other_restarts() {
    on_stage(|stage| {
        let counter = counter(stage, at_once().when::<E1>(Supervise::stop()));
        let notes = tell(stage, &counter, [E3, Ping(1)]);
        assert_eq!(notes, ["pre-restart", "pong 1"]);
        assert_eq!(tell(stage, &counter, [E2]), ["post-stop"]);
    });
}

#[test]
fn sup_19_restart_for_one_kind_and_backoff_for_another() {
    on_stage(|stage| {
        let slowly = Supervise::restart().backoff(millis(10)..=millis(10), 0.0);
        let how = Supervise::stop().when::<E1>(slowly).when::<E3>(at_once());
        let counter = counter(stage, how);
        let notes = tell(stage, &counter, [E3, Ping(1)]);
        assert_eq!(notes, ["pre-restart", "pong 1"]);
        assert_eq!(tell(stage, &counter, [E1, Ping(2)]), ["pre-restart"]);
        stage.world.advance(millis(10));
        stage.expect(["pong 2"]);
    });
}

#[test]
fn sup_23_an_unmatched_kind_is_published_and_stops() {
    on_stage(|stage| {
        let counter = counter(stage, Supervise::stop().when::<E1>(at_once()));
        assert_eq!(tell(stage, &counter, [E3]), ["post-stop"]);
        assert_eq!(failures(stage), ["E3"]);
    });
}

#[test]
fn sup_24_a_restart_publishes_the_failure_once() {
    on_stage(|stage| {
        let counter = counter(stage, at_once());
        let notes = tell(stage, &counter, [Increment, E2, GetState]);
        assert_eq!(notes, ["pre-restart", "state 0 []"]);
        assert_eq!(failures(stage), ["E2"]);
    });
}

#[test]
fn sup_25_each_failure_is_published_up_to_the_one_beyond_the_limit() {
    on_stage(|stage| {
        let counter = counter(stage, at_once().limit(2, millis(500)));
        let notes = tell(stage, &counter, [E1, E1, E1]);
        assert_eq!(notes, ["pre-restart", "pre-restart", "post-stop"]);
        assert_ended(stage, &counter, "failed: E1");
        assert_eq!(failures(stage).len(), 3);
    });
}

#[test]
fn sup_26_after_a_silent_window_there_are_restarts_again() {
    on_stage(|stage| {
        let counter = counter(stage, at_once().limit(2, millis(500)));
        tell(stage, &counter, [E1, E1]);
        stage.world.advance(millis(550));
        let notes = tell(stage, &counter, [Increment, E1, GetState]);
        assert_eq!(notes, ["pre-restart", "state 0 []"]);
    });
}

#[test]
fn sup_27_a_restart_waits_for_the_children() {
    on_stage(|stage| {
        let counter = counter(stage, at_once());
        tell(stage, &counter, [CreateSlowChild, CreateSlowChild]);
        assert_eq!(tell(stage, &counter, [E1, GetState]), ["pre-restart"]);
        stage.world.advance(secs(1));
        stage.expect(["child post-stop", "child post-stop", "state 0 []"]);
    });
}

#[test]
fn sup_31_children_may_be_kept() {
    on_stage(|stage| {
        let counter = counter(stage, at_once().keep_children());
        tell(stage, &counter, [CreateChild("kept")]);
        let notes = tell(stage, &counter, [E1, GetState]);
        assert_eq!(notes, ["pre-restart", r#"state 0 ["kept"]"#]);
    });
}

#[test]
fn sup_35_the_children_of_a_factory_that_failed_end_before_it_runs_again() {
    on_stage(|stage| {
        let counter = Counter::new(&stage.notes);
        let tries = Arc::new(AtomicU32::new(0));
        let props = Props::setup(async move |ctx: &mut Context<Cmd>| {
            let first = tries.fetch_add(1, Ordering::Relaxed) == 0;
            let names: &[&str] = if first {
                &["child1", "child2"]
            } else {
                &["child1"]
            };
            for &name in names {
                let child = Counter::named(&counter.notes, "child ");
                ctx.spawn(name, Props::new(move || child.again()))?;
            }
            ctx.clock().sleep(secs(1)).await; // the children begin
            if first {
                Err(E1 {}.into())
            } else {
                Ok(counter)
            }
        });
        let counter = stage.spawn("counter", props.supervise(at_once().limit(5, secs(60))));
        stage.world.advance(secs(2));
        let notes = tell(stage, &counter, [GetState]);
        let expected = [
            "child post-stop",
            "child post-stop",
            r#"state 0 ["child1"]"#,
        ];
        assert_eq!(notes, expected);
    });
}

#[test]
fn sup_39_a_resume_publishes_the_failure() {
    on_stage(|stage| {
        let counter = counter(stage, Supervise::resume());
        assert_eq!(
            tell(stage, &counter, [Increment, E2, GetState]),
            ["state 1 []"]
        );
        assert_eq!(failures(stage), ["E2"]);
    });
}

#[test]
fn sup_40_chained_kinds_resume_restart_and_stop() {
    on_stage(|stage| {
        let how = Supervise::stop()
            .when::<E2>(Supervise::resume())
            .when::<E3>(at_once());
        let counter = counter(stage, how);
        let notes = tell(stage, &counter, [Increment, E2, GetState, E3, GetState, E1]);
        let expected = ["state 1 []", "pre-restart", "state 0 []", "post-stop"];
        assert_eq!(notes, expected);
    });
}

// differs: SUP-41: messages wait in the mailbox during a backoff, so the bound of the mailbox is the bound
#[test]
fn sup_41_what_a_full_mailbox_has_no_place_for_during_a_backoff_is_a_dead_letter() {
    on_stage(|stage| {
        let how = Supervise::restart().backoff(secs(1)..=secs(1), 0.0);
        let counter = Counter::new(&stage.notes);
        let props = Props::new(move || counter)
            .supervise(how)
            .mailbox(Mailbox::bounded(2));
        let counter = stage.spawn("counter", props);
        tell(stage, &counter, [E1]);
        tell(stage, &counter, [Ping(1), Ping(2), Ping(3), Ping(4)]);
        assert_eq!(stage.events.dead(DeadLetterReason::Full), 2);
        let is_ours =
            |event: &Event| matches!(event, Event::DeadLetter { to, .. } if *to == counter);
        assert_eq!(stage.events.count(is_ours), 2);
        stage.world.advance(secs(1));
        stage.expect(["pong 1", "pong 2"]);
    });
}

// differs: SUP-42: what is sent meanwhile waits and is handled by the next incarnation
#[test]
fn sup_42_backoff_delays_grow() {
    on_stage(|stage| {
        let how = Supervise::restart().backoff(secs(1)..=secs(10), 0.0);
        let counter = counter(stage, how);
        for delay in [secs(1), secs(2)] {
            let notes = tell(stage, &counter, [Increment, E1, GetState]);
            assert_eq!(notes, ["pre-restart"]);
            stage.world.advance(delay - millis(1));
            stage.expect([]);
            stage.world.advance(millis(1));
            stage.expect(["state 0 []"]);
        }
        assert_eq!(stage.events.dead(DeadLetterReason::Full), 0);
    });
}

#[test]
fn sup_43_backoff_gives_up() {
    on_stage(|stage| {
        let tries = Arc::new(AtomicU32::new(0));
        let counter = Counter::new(&stage.notes);
        let props = Props::setup(async move |_ctx: &mut Context<Cmd>| {
            match tries.fetch_add(1, Ordering::Relaxed) {
                0 => Ok(counter),
                _ => Err(E3 {}.into()),
            }
        });
        let how = Supervise::restart().backoff(millis(10)..=millis(10), 0.0);
        let counter = stage.spawn("counter", props.supervise(how.limit(2, secs(60))));
        tell(stage, &counter, [E1]);
        let exit = stage.world.block_on_timed(counter.terminated());
        assert_eq!(exit.to_string(), "failed: E3");
        assert_eq!(failures(stage), ["E1", "E3", "E3"]);
    });
}

#[test]
fn sup_44_after_a_quiet_time_the_backoff_begins_anew() {
    on_stage(|stage| {
        let how = Supervise::restart().backoff(millis(50)..=secs(10), 0.0);
        let counter = counter(stage, how.reset_after(millis(100)));
        for _ in 0..2 {
            tell(stage, &counter, [E1, Ping(1)]);
            stage.world.advance(millis(50));
            stage.expect(["pong 1"]);
            stage.world.advance(millis(100));
        }
    });
}

#[test]
fn sup_47_a_deferred_actor_starts_without_a_message() {
    on_stage(|stage| {
        let props = failing_setup(&stage.notes, 0).supervise(at_once());
        stage.expect([]);
        stage.spawn("counter", props);
        stage.expect(["started"]);
    });
}

// differs: SUP-48: a restart is always limited, so a first factory that fails is tried again like every other
#[test]
fn sup_48_a_first_factory_that_fails_is_tried_again_within_the_limit() {
    on_stage(|stage| {
        let props = failing_setup(&stage.notes, 1).supervise(at_once());
        stage.spawn("counter", props);
        stage.expect(["cannot start", "started"]);
    });
}

#[test]
fn sup_50_resume_has_nothing_to_resume_when_the_factory_fails() {
    on_stage(|stage| {
        let props = failing_setup(&stage.notes, 1).supervise(Supervise::resume());
        let counter = stage.spawn("counter", props);
        stage.expect(["cannot start"]);
        assert_ended(stage, &counter, "failed: E1");
        assert_eq!(failures(stage), ["E1"]);
    });
}

#[test]
fn sup_51_the_quiet_time_is_the_middle_of_the_delays_by_default() {
    let second_delay_after = |quiet| {
        let delay = std::cell::Cell::new(secs(0));
        on_stage(|stage| {
            let how = Supervise::restart().backoff(secs(1)..=secs(5), 0.0);
            let counter = counter(stage, how);
            tell(stage, &counter, [E1]);
            stage.world.advance(secs(1) + quiet);
            tell(stage, &counter, [E1]);
            stage.world.settle();
            let restarted = |event: &Event| matches!(event, Event::Restarted { .. });
            while stage.events.count(restarted) < 2 {
                assert!(stage.world.advance_to_next());
            }
            let after = stage
                .events
                .all()
                .into_iter()
                .filter_map(|event| match event {
                    Event::Restarted { after, .. } => Some(after),
                    _ => None,
                });
            delay.set(after.last().unwrap());
        });
        delay.get()
    };
    assert_eq!(second_delay_after(millis(2_999)), secs(2));
    assert_eq!(second_delay_after(secs(3)), secs(1));
}

#[test]
fn sup_52_backoff_covers_factories() {
    on_stage(|stage| {
        let how = Supervise::restart().backoff(millis(100)..=millis(100), 0.0);
        stage.spawn("counter", failing_setup(&stage.notes, 1).supervise(how));
        stage.expect(["cannot start"]);
        stage.world.advance(millis(99));
        stage.expect([]);
        stage.world.advance(millis(1));
        stage.expect(["started"]);
    });
}

#[test]
fn sup_54_a_limited_restart_tries_the_factory_again() {
    on_stage(|stage| {
        let props = failing_setup(&stage.notes, 1);
        stage.spawn("counter", props.supervise(at_once().limit(3, secs(60))));
        stage.expect(["cannot start", "started"]);
    });
}

#[test]
fn sup_55_a_limit_of_two_makes_three_starts() {
    on_stage(|stage| {
        let props = failing_setup(&stage.notes, u32::MAX);
        let props = props.supervise(at_once().limit(2, secs(60)));
        let counter = stage.spawn("counter", props);
        stage.expect(["cannot start"; 3]);
        assert_ended(stage, &counter, "failed: E1");
        assert_eq!(failures(stage).len(), 3);
    });
}

#[test]
fn sup_57_a_constructor_that_panics_is_a_failed_start() {
    on_stage(|stage| {
        fn broken() -> Counter {
            panic!("no counter")
        }
        let counter = stage.spawn("counter", broken);
        assert_ended(stage, &counter, "failed: panicked: no counter");
        stage.expect([]); // there was nobody to hear of the end
    });
}

#[test]
fn sup_58_what_waits_for_a_restart_outlives_a_second_failure() {
    on_stage(|stage| {
        let counter = counter(stage, at_once());
        tell(stage, &counter, [CreateSlowChild]);
        let notes = tell(stage, &counter, [E1, E1, Ping(1), Ping(2)]);
        assert_eq!(notes, ["pre-restart"]);
        stage.world.advance(secs(1));
        stage.expect(["child post-stop", "pre-restart", "pong 1", "pong 2"]);
    });
}

#[test]
fn sup_60_messages_outlive_factories_that_fail() {
    on_stage(|stage| {
        let counter = Counter::new(&stage.notes);
        let tries = Arc::new(AtomicU32::new(0));
        let props = Props::setup(async move |ctx: &mut Context<Cmd>| {
            counter.say("started");
            let child = Counter {
                lingers: secs(1),
                ..Counter::named(&counter.notes, "child ")
            };
            ctx.spawn_anonymous(Props::new(move || child.again()));
            ctx.clock().sleep(millis(1)).await; // the child begins
            match tries.fetch_add(1, Ordering::Relaxed) {
                0 | 1 => Err(E1 {}.into()),
                _ => Ok(counter),
            }
        });
        let counter = stage.spawn("counter", props.supervise(at_once().limit(4, secs(60))));
        tell(stage, &counter, [Ping(1), Ping(2)]);
        stage.world.advance(secs(3));
        let notes = stage.system.ledger().handled;
        assert_eq!(notes, 2);
        counter.stop();
        stage.world.block_on_timed(counter.terminated());
    });
}

#[test]
fn sup_62_supervision_within_supervision_starts_once() {
    on_stage(|stage| {
        let inner = at_once().when::<E2>(Supervise::resume());
        let how = Supervise::stop().when::<E1>(inner);
        stage.spawn("counter", failing_setup(&stage.notes, 0).supervise(how));
        stage.expect(["started"]);
    });
}

// differs: SUP-64: supervision is one value, and the last call to `supervise` counts; nothing is stacked
#[test]
fn sup_64_the_last_supervision_that_is_set_counts() {
    on_stage(|stage| {
        let counter = Counter::new(&stage.notes);
        let props = Props::new(move || counter)
            .supervise(at_once())
            .supervise(Supervise::stop())
            .supervise(Supervise::resume());
        let counter = stage.spawn("counter", props);
        assert_eq!(
            tell(stage, &counter, [Increment, E1, GetState]),
            ["state 1 []"]
        );
    });
}

#[test]
fn sup_67_an_end_that_nobody_handles_is_an_ordinary_failure() {
    on_stage(|stage| {
        let counter = counter(stage, at_once());
        let child = Counter::named(&stage.notes, "other ");
        let other = stage.spawn("other", Props::new(move || child.again()));
        tell(stage, &counter, [Watch(other.clone())]);
        other.stop();
        stage.world.settle();
        let notes = tell(stage, &counter, [Ping(1)]);
        assert_eq!(notes, ["other post-stop", "pre-restart", "pong 1"]);
    });
}

/// What a log would write for an event, by a rule of the user's.
fn level(event: &Event) -> Option<&'static str> {
    match event {
        Event::Restarted { in_a_row, .. } if *in_a_row > 3 => Some("error"),
        Event::Restarted { .. } => Some("info"),
        _ => None,
    }
}

fn levels(stage: &Stage) -> Vec<&'static str> {
    stage.events.all().iter().filter_map(level).collect()
}

// differs: SUP-68: events have no level; whoever hears them gives them one
#[test]
fn sup_68_the_hook_chooses_the_level_of_a_failure() {
    on_stage(|stage| {
        let counter = counter(stage, at_once());
        tell(stage, &counter, [E1]);
        assert_eq!(levels(stage), ["info"]);
    });
}

// differs: SUP-70: an event says how many restarts there were in a row; whoever hears it gives it a level
#[test]
fn sup_70_a_restart_says_how_many_there_were_in_a_row() {
    on_stage(|stage| {
        let how = Supervise::restart().backoff(millis(10)..=millis(10), 0.0);
        let counter = counter(stage, how.reset_after(secs(2)));
        for _ in 0..5 {
            tell(stage, &counter, [E1]);
            stage.world.advance(millis(10));
        }
        stage.world.advance(millis(2_100));
        tell(stage, &counter, [E1]);
        stage.world.advance(millis(10));
        assert_eq!(
            levels(stage),
            ["info", "info", "info", "error", "error", "info"]
        );
    });
}

#[test]
fn sup_74_supervision_covers_the_functions_that_make_messages() {
    on_stage(|stage| {
        let props = failing_setup(&stage.notes, 0).supervise(at_once());
        let counter = stage.spawn("counter", props);
        let notes = tell(stage, &counter, [PipeThatPanics]);
        assert_eq!(notes, ["started", "pre-restart", "started"]);
        assert_eq!(tell(stage, &counter, [Ping(1)]), ["pong 1"]);
    });
}

#[test]
fn sup_75_the_kind_of_such_a_failure_is_looked_at_too() {
    on_stage(|stage| {
        let counter = counter(stage, at_once().when_panic(Supervise::stop()));
        assert_eq!(tell(stage, &counter, [PipeThatPanics]), ["post-stop"]);
        assert_ended(stage, &counter, "failed: panicked: no message of it");
    });
}

/// Under each kind of supervision.
fn assert_ends_at_once(behaviour: fn() -> Behavior<()>) {
    let slowly = Supervise::restart().backoff(secs(1)..=secs(9), 0.2);
    let hows: [Supervise; 5] = [
        Supervise::stop(),
        at_once().into(),
        Supervise::resume(),
        slowly.into(),
        at_once().limit(3, secs(60)).into(),
    ];
    for how in hows {
        on_stage(|stage| {
            let props = Props::new(behaviour).supervise(how.clone());
            let actor = stage.spawn("actor", props);
            let exit = stage.world.block_on(actor.terminated());
            assert!(matches!(exit, Exit::Stopped), "{exit:?} under {how:?}");
        });
    }
}

#[test]
fn sup_77_a_behaviour_that_is_stopped_from_the_start_ends() {
    assert_ends_at_once(Behavior::stopped);
}

#[test]
fn sup_78_a_setup_that_yields_stopped_ends() {
    assert_ends_at_once(|| Behavior::setup(|_ctx| Ok(Behavior::stopped())));
}
