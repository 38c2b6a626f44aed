//! Groups: who begins anew with a member that fails, in which order, how often, and what becomes of the rest.

mod common;

use common::read;
use common::seeds::{end, for_each_seed, stepped};
use playhouse::prelude::*;
use playhouse::testkit::Stepped;
use playhouse::{Group, GroupRef, Restart};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

const SEEDS: u64 = 50;

enum Msg {
    Note(u32),
    Fail,
    Wait(u64),
    Stop,
}

struct Member {
    name: &'static str,
    told: UnboundedSender<String>,
}

impl Member {
    fn note(&self, what: impl ToString) {
        let _ = self
            .told
            .send(format!("{} {}", self.name, what.to_string()));
    }
}

impl Actor for Member {
    type Msg = Msg;
    async fn started(&mut self, _ctx: &mut Context<Msg>) -> Outcome {
        self.note("starts");
        Ok(())
    }
    async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        match msg {
            Msg::Note(n) => self.note(n),
            Msg::Fail => return Err("failed".into()),
            Msg::Wait(n) => {
                ctx.clock().sleep(secs(n)).await;
                self.note("waited");
            }
            Msg::Stop => ctx.stop(),
        }
        Ok(())
    }
    async fn signal(&mut self, _ctx: &mut Context<Msg>, signal: Signal) -> Outcome {
        match signal {
            Signal::PreRestart(cause) => self.note(format!("ends: {cause}")),
            Signal::PostStop => self.note("stops"),
            other => other.unhandled()?,
        }
        Ok(())
    }
}

/// A parent with one group of three.
struct Stage {
    system: ActorSystem,
    world: Stepped,
    events: common::Events,
    parent: ActorRef<()>,
    group: GroupRef,
    members: Vec<ActorRef<Msg>>,
    tell: UnboundedSender<String>,
    told: UnboundedReceiver<String>,
}

impl Stage {
    fn new(seed: u64, group: Group) -> Self {
        let (system, world, events) = stepped(seed);
        let (tell, told) = unbounded_channel();
        let (give, mut given) = unbounded_channel();
        let parent = Props::func(async move |ctx: &mut Context<()>| {
            give.send(ctx.spawn_group("group", group)?)?;
            while ctx.recv().await.is_some() {}
            Ok(())
        });
        let parent = system.spawn("parent", parent).unwrap();
        world.settle();
        let group = given.try_recv().unwrap();
        let mut stage = Self {
            system,
            world,
            events,
            parent,
            group,
            members: Vec::new(),
            tell,
            told,
        };
        for name in ["a", "b", "c"] {
            let member = stage.member(name);
            stage.members.push(stage.group.spawn(name, member).unwrap());
        }
        stage.world.settle();
        read(&mut stage.told);
        stage
    }

    fn member(&self, name: &'static str) -> Props<Msg> {
        let told = self.tell.clone();
        Props::new(move || Member { name, told })
    }

    fn notes(&mut self) -> Vec<String> {
        self.world.settle();
        read(&mut self.told)
    }

    fn end(self) {
        end(&self.system, &self.world);
    }
}

fn at_once() -> Restart {
    Supervise::restart().at_once()
}

#[test]
fn one_for_one_renews_the_failed_member_alone() {
    for_each_seed(SEEDS, |seed| {
        let mut stage = Stage::new(seed, Group::one_for_one(at_once()));
        stage.members[1].tell(Msg::Fail);
        assert_eq!(stage.notes(), ["b ends: failed", "b starts"]);
        stage.end();
    });
}

#[test]
fn one_for_all_ends_in_reverse_and_starts_in_order() {
    for_each_seed(SEEDS, |seed| {
        let mut stage = Stage::new(seed, Group::one_for_all(at_once()));
        stage.members[1].tell(Msg::Fail);
        let other = "ends: another member of its group failed";
        let expected = [
            "b ends: failed".to_owned(),
            format!("c {other}"),
            format!("a {other}"),
            "a starts".to_owned(),
            "b starts".to_owned(),
            "c starts".to_owned(),
        ];
        assert_eq!(stage.notes(), expected);
        for (n, member) in stage.members.iter().enumerate() {
            member.tell(Msg::Note(n as u32)); // by the same references
        }
        let mut notes = stage.notes();
        notes.sort();
        assert_eq!(notes, ["a 0", "b 1", "c 2"]);
        stage.end();
    });
}

#[test]
fn rest_for_one_renews_those_that_came_after_it() {
    for_each_seed(SEEDS, |seed| {
        let mut stage = Stage::new(seed, Group::rest_for_one(at_once()));
        stage.members[1].tell(Msg::Fail);
        let expected = [
            "b ends: failed",
            "c ends: another member of its group failed",
            "b starts",
            "c starts",
        ];
        assert_eq!(stage.notes(), expected);
        stage.end();
    });
}

#[test]
fn what_waits_behind_a_failure_is_handled_by_the_next_incarnation() {
    for_each_seed(SEEDS, |seed| {
        let once = at_once().limit(1, secs(60));
        let mut stage = Stage::new(seed, Group::one_for_all(once));
        stage.members[2].tell(Msg::Wait(1));
        stage.world.settle();
        stage.members[0].tell(Msg::Fail);
        stage.members[2].tell(Msg::Fail); // after the wait, in the next incarnation
        stage.members[1].tell(Msg::Note(1));
        stage.world.advance(secs(1));
        let notes = stage.notes();
        // The second failure is beyond the limit, and counted: the group ends.
        assert!(notes.contains(&"b stops".to_owned()), "{notes:?}");
        stage.end();
    });
}

#[test]
fn beyond_the_limit_the_group_ends_and_its_parent_fails() {
    for_each_seed(SEEDS, |seed| {
        let once = at_once().limit(1, secs(60));
        let mut stage = Stage::new(seed, Group::one_for_one(once));
        stage.members[0].tell(Msg::Fail);
        stage.notes();
        stage.members[0].tell(Msg::Fail);
        let notes = stage.notes();
        assert_eq!(notes, ["a ends: failed", "c stops", "b stops"]);
        let exit = stage.world.block_on(stage.parent.terminated());
        assert_eq!(exit.to_string(), "failed: failed");
        stage.end();
    });
}

#[test]
fn the_backoff_is_waited_between_end_and_start() {
    let backoff = Supervise::restart().backoff(secs(2)..=secs(2), 0.0);
    let mut stage = Stage::new(0, Group::one_for_one(backoff));
    stage.members[0].tell(Msg::Fail);
    assert_eq!(stage.notes(), ["a ends: failed"]);
    stage.world.advance(millis(1_999));
    assert_eq!(stage.notes(), Vec::<String>::new());
    stage.world.advance(millis(1));
    assert_eq!(stage.notes(), ["a starts"]);
    stage.end();
}

#[test]
fn a_member_that_waits_too_long_is_hurried() {
    for_each_seed(SEEDS, |seed| {
        let group = Group::one_for_all(at_once()).shutdown_limit(secs(3));
        let mut stage = Stage::new(seed, group);
        stage.members[1].tell(Msg::Wait(100));
        stage.world.settle();
        stage.members[1].tell(Msg::Note(7));
        stage.members[0].tell(Msg::Fail);
        stage.world.advance(millis(2_999));
        assert!(!stage.notes().contains(&"a starts".to_owned()));
        stage.world.advance(millis(1));
        let notes = stage.notes();
        let of_b: Vec<_> = notes.iter().filter(|note| note.starts_with('b')).collect();
        let expected = [
            "b ends: another member of its group failed",
            "b starts",
            "b 7",
        ];
        assert_eq!(of_b, expected);
        let ledger = end(&stage.system, &stage.world);
        assert_eq!((ledger.interrupted, ledger.failed), (1, 1));
    });
}

#[test]
fn what_a_member_handles_by_its_own_supervision_concerns_nobody_else() {
    let mut stage = Stage::new(0, Group::one_for_all(at_once()));
    let member = stage.member("d").supervise(Supervise::resume());
    let member = stage.group.spawn("d", member).unwrap();
    member.tell(Msg::Fail);
    member.tell(Msg::Note(1));
    assert_eq!(stage.notes(), ["d starts", "d 1"]);
    stage.end();
}

#[test]
fn a_member_that_ends_by_itself_is_left_out() {
    let mut stage = Stage::new(0, Group::one_for_all(at_once()));
    stage.members[2].tell(Msg::Stop);
    stage.notes();
    stage.members[0].tell(Msg::Fail);
    let notes = stage.notes();
    assert_eq!(notes.last().unwrap(), "b starts");
    let again = stage.member("c");
    stage.group.spawn("c", again).unwrap(); // the name is free
    stage.end();
}

#[test]
fn a_group_stops_in_reverse_by_itself_and_with_its_parent() {
    type Stop = fn(&Stage);
    let ways: [Stop; 2] = [|stage| stage.group.stop(), |stage| stage.parent.stop()];
    for stop in ways {
        for_each_seed(SEEDS, |seed| {
            let mut stage = Stage::new(seed, Group::one_for_one(at_once()));
            stop(&stage);
            assert_eq!(stage.notes(), ["c stops", "b stops", "a stops"]);
            let exit = stage.world.block_on(stage.group.terminated());
            assert!(matches!(exit, Exit::Stopped), "{exit:?}");
            let late = stage.member("d");
            let refused = stage.group.spawn("d", late).unwrap_err();
            assert!(matches!(refused, playhouse::SpawnError::Stopping));
            stage.end();
        });
    }
}

#[test]
fn a_member_whose_factory_fails_again_and_again_ends_the_group() {
    for_each_seed(SEEDS, |seed| {
        let group = Group::one_for_one(at_once().limit(3, secs(60)));
        let stage = Stage::new(seed, group);
        let broken = Props::setup(async |_: &mut Context<Msg>| -> Outcome<Member> {
            Err("cannot open".into())
        });
        stage.group.spawn("broken", broken).unwrap();
        let exit = stage.world.block_on(stage.parent.terminated());
        assert_eq!(exit.to_string(), "failed: cannot open");
        let failed = |event: &playhouse::Event| matches!(event, playhouse::Event::Failed { who, .. } if who.path().ends_with("broken"));
        assert_eq!(stage.events.count(failed), 4);
        stage.end();
    });
}

#[test]
fn stopping_a_member_while_it_waits_for_the_others_ends_it() {
    for_each_seed(SEEDS, |seed| {
        let backoff = Supervise::restart().backoff(secs(9)..=secs(9), 0.0);
        let stage = Stage::new(seed, Group::one_for_all(backoff));
        stage.members[0].tell(Msg::Fail);
        stage.world.settle();
        stage.members[0].stop();
        let exit = stage.world.block_on(stage.members[0].terminated());
        assert!(matches!(exit, Exit::Stopped), "{exit:?}");
        stage.world.advance(secs(9));
        stage.end();
    });
}
