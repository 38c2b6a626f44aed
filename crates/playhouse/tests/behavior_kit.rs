//! What a behaviour kit promises.

mod common;

use common::clerk::{Clerk, Order, count, note, order};
use common::panics::panic_text;
use playhouse::prelude::*;
use playhouse::testkit::{BehaviorKit, Effect};
use playhouse::{NoReply, TimerKey};

fn clerk() -> BehaviorKit<Clerk> {
    BehaviorKit::new(Clerk::default)
}

fn failing(work: impl FnOnce() -> Outcome + Send + 'static) -> Order {
    Order::Do(Box::new(move |_ctx| work()))
}

#[test]
fn a_failure_or_a_panic_is_what_run_returns_and_the_state_stays() {
    let mut kit = clerk();
    kit.run(note("before")).unwrap();
    let failure = kit.run(failing(|| Err("no tea".into()))).unwrap_err();
    assert_eq!(failure.to_string(), "no tea");
    let panicked = kit.run(failing(|| panic!("no milk"))).unwrap_err();
    assert!(panicked.is_panic() && panicked.to_string().contains("no milk"));
    kit.run(note("after")).unwrap();
    assert_eq!(kit.state().notes, ["before", "after"]);
}

#[test]
fn a_reply_that_is_dropped_says_by_whom_and_why() {
    let mut kit = clerk();
    let mut dropped = |outcome: fn() -> Outcome| {
        let (reply, mut answer) = kit.reply::<u32>();
        let work = failing(move || {
            let _reply = reply;
            outcome()
        });
        let _ = kit.run(work);
        match answer.take() {
            Err(AskError::NoReply { by, why, .. }) => (by.path().to_owned(), why),
            other => panic!("{other:?}"),
        }
    };
    let (by, why) = dropped(|| Ok(()));
    assert!(
        by == "/test/actor" && matches!(why, NoReply::Dropped),
        "{by} {why:?}"
    );
    let (_, why) = dropped(|| Err("no tea".into()));
    assert!(matches!(&why, NoReply::Failed(failure) if failure.to_string() == "no tea"));
    let (_, why) = dropped(|| panic!("no milk"));
    assert!(
        matches!(&why, NoReply::Failed(failure) if failure.is_panic()),
        "{why:?}"
    );
}

#[test]
fn an_answer_is_taken_once_and_not_before_it_is_there() {
    let kit = clerk();
    let (reply, mut answer) = kit.reply();
    assert!(answer.try_take().is_none());
    let text = panic_text(|| answer.take());
    assert!(text.contains("neither answered nor dropped"), "{text}");
    reply.send(1);
    assert_eq!(answer.take().unwrap(), 1);
    assert!(panic_text(|| answer.try_take()).contains("it was taken"));
    let (abandoned, answer) = kit.reply::<u32>();
    assert!(!abandoned.is_abandoned());
    drop(answer);
    assert!(abandoned.is_abandoned());
}

#[test]
fn a_message_is_run_before_what_waits_which_is_run_one_by_one() {
    let mut kit = clerk();
    let waits = kit.actor_ref().clone();
    waits.tell(note("told"));
    kit.run(order(|ctx| {
        ctx.again(note("again"));
        ctx.stash(note("stashed")).unwrap();
        ctx.timers().once("tick", secs(1), note("tick"));
        ctx.pipe_to_self(async { "piped" }, note);
    }))
    .unwrap();
    kit.run(note("first")).unwrap();
    let mut next = || {
        kit.run_next().map(Result::unwrap);
        kit.state().notes.last().cloned().unwrap()
    };
    assert_eq!(next(), "told");
    assert_eq!(next(), "again");
    assert_eq!(next(), "piped");
    assert_eq!(next(), "piped", "there is nothing more");
    kit.test_kit().advance(secs(1));
    kit.run(order(Context::unstash_all)).unwrap();
    assert!(kit.run_next().is_some());
    assert!(kit.run_next().is_some());
    assert!(kit.run_next().is_none());
    let expected = ["first", "told", "again", "piped", "stashed", "tick"];
    assert_eq!(kit.state().notes, expected);
}

#[test]
fn a_schedule_goes_on_when_its_tick_was_run() {
    let mut kit = clerk();
    kit.run(order(|ctx| {
        ctx.timers().fixed_delay("delay", secs(1), || note("tick"));
    }))
    .unwrap();
    for ticks in 1..=3 {
        kit.test_kit().advance(secs(10));
        kit.run_next().unwrap().unwrap();
        assert!(kit.run_next().is_none());
        assert_eq!(kit.state().notes.len(), ticks);
    }
}

#[test]
fn signals_are_given_by_the_test_or_come_by_themselves() {
    let mut kit = clerk();
    let probe = kit.test_kit().probe::<()>();
    let watched = probe.actor_ref().clone();
    kit.run(order(move |ctx| ctx.watch(&watched))).unwrap();
    probe.stop();
    kit.test_kit().settle();
    kit.run_next().unwrap().unwrap();
    kit.signal(Signal::PostStop).unwrap();
    assert_eq!(kit.state().notes, ["/test/probe-1 stopped", "post-stop"]);
}

#[test]
fn a_stop_is_an_effect_and_nothing_more_is_handed_over() {
    let mut kit = clerk();
    kit.actor_ref().tell(note("waits"));
    kit.run(order(Context::stop)).unwrap();
    assert_eq!(kit.effects(), [Effect::Stopped]);
    assert!(kit.context(|ctx| ctx.is_stopping()));
    assert!(kit.run_next().is_none());
    kit.run(note("by hand")).unwrap();
    assert_eq!(kit.state().notes, ["by hand"]);
}

#[test]
fn every_effect_is_written_down_in_order() {
    let mut kit = clerk();
    let other = kit.test_kit().probe::<u32>().actor_ref().clone();
    let to = other.address().clone();
    let blocking = kit.test_kit().system().dispatcher("blocking").unwrap();
    kit.run(order(move |ctx| {
        ctx.adapter(|number: u32| note(number.to_string()));
        ctx.pipe_to_self(async {}, |()| note("piped"));
        ctx.pipe_blocking(&blocking, || (), |()| note("worked"));
        ctx.stash(note("one")).unwrap();
        ctx.stash(note("two")).unwrap();
        ctx.unstash(1);
        ctx.unstash_all();
        ctx.schedule_once(secs(2), &other, 1);
        ctx.receive_timeout(secs(3), || note("idle"));
        ctx.cancel_receive_timeout();
        ctx.timers().cancel("none");
        ctx.again(note("again"));
        ctx.unhandled(note("unhandled"));
        ctx.drain();
    }))
    .unwrap();
    let expected = [
        Effect::Adapted("u32"),
        Effect::Piped,
        Effect::Piped,
        Effect::Stashed,
        Effect::Stashed,
        Effect::Unstashed(1),
        Effect::Unstashed(1),
        Effect::Scheduled { to, after: secs(2) },
        Effect::ReceiveTimeoutSet(secs(3)),
        Effect::ReceiveTimeoutCancelled,
        Effect::TimerCancelled(TimerKey::Name("none")),
        Effect::Again,
        Effect::Unhandled,
        Effect::Drained,
    ];
    assert_eq!(kit.effects(), expected);
}

/// Spawns a child in `started`, and stops it when told to.
struct Parent {
    child: Option<ActorRef<Reply<u32>>>,
}

impl Actor for Parent {
    type Msg = ();

    async fn started(&mut self, ctx: &mut Context<()>) -> Outcome {
        let body = async |ctx: &mut Context<Reply<u32>>| {
            ctx.timers();
            ctx.spawn("grandchild", Props::func(count))?;
            count(ctx).await
        };
        self.child = Some(ctx.spawn("child", Props::func(body))?);
        Ok(())
    }

    async fn receive(&mut self, ctx: &mut Context<()>, (): ()) -> Outcome {
        let child = self.child.take().ok_or("no child")?;
        let exit = ctx.stop_child(&child).await;
        assert!(matches!(exit, Exit::Stopped));
        Ok(())
    }
}

#[test]
fn what_happens_in_started_counts_and_each_actor_has_effects_of_its_own() {
    let mut kit = BehaviorKit::new(|| Parent { child: None });
    let spawned = |name: &str| Effect::Spawned {
        name: name.to_owned(),
    };
    assert_eq!(kit.effects(), [spawned("child")]);
    let child = kit.child::<Reply<u32>>("child").unwrap();
    assert_eq!(kit.effects_of(&child), [spawned("grandchild")]);
    kit.run(()).unwrap();
    let stopped = Effect::ChildStopped(child.address().clone());
    assert_eq!(kit.effects(), [stopped]);
}

/// Waits for as long as it is told.
#[derive(Clone)]
struct Sleeper;

impl Actor for Sleeper {
    type Msg = Option<std::time::Duration>;

    async fn started(&mut self, ctx: &mut Context<Self::Msg>) -> Outcome {
        match ctx.me().address().path() {
            "/test/actor" => Ok(()),
            path => Err(format!("it is {path}").into()),
        }
    }

    async fn receive(&mut self, ctx: &mut Context<Self::Msg>, msg: Self::Msg) -> Outcome {
        match msg {
            Some(time) => ctx.clock().sleep(time).await,
            None => std::future::pending().await,
        }
        Ok(())
    }
}

#[test]
fn a_handler_that_waits_lets_time_pass_and_one_that_never_comes_back_fails_the_test() {
    let mut kit = BehaviorKit::new(|| Sleeper);
    kit.run(Some(secs(60))).unwrap();
    assert_eq!(kit.test_kit().world().elapsed(), secs(60));
    let text = panic_text(|| kit.run(None));
    assert!(text.contains("the handler does not come back"), "{text}");
    assert!(panic_text(|| kit.run(None)).contains("is lost with it"));
    assert!(panic_text(|| kit.state().clone()).contains("is lost with it"));
}

struct Unwilling;

impl Actor for Unwilling {
    type Msg = ();
    async fn started(&mut self, _ctx: &mut Context<()>) -> Outcome {
        Err("not today".into())
    }
    async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
        Ok(())
    }
}

#[test]
fn an_actor_that_cannot_start_is_returned_or_fails_the_test() {
    let failure = BehaviorKit::try_new(|| Unwilling).unwrap_err();
    assert_eq!(failure.to_string(), "not today");
    assert!(panic_text(|| BehaviorKit::new(|| Unwilling)).contains("not today"));
}

fn inventory(stock: u32) -> Behavior<Reply<u32>> {
    Behavior::receive(move |_ctx, reply: Reply<u32>| {
        reply.send(stock);
        Ok(inventory(stock - 1))
    })
}

#[test]
fn a_behaviour_is_an_actor_too() {
    let mut kit = BehaviorKit::new(|| inventory(2));
    for stock in [2, 1] {
        let (reply, mut answer) = kit.reply();
        kit.run(reply).unwrap();
        assert_eq!(answer.take().unwrap(), stock);
    }
}

#[test]
fn a_panic_in_a_look_at_the_context_is_the_tests() {
    let mut kit = clerk();
    let text = panic_text(|| kit.context(|_ctx| panic!("no context")));
    assert_eq!(text, "no context");
    kit.run(note("goes on")).unwrap();
}
