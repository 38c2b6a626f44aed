//! Questions and their answers.

use crate::common::player::{Boom, Cue, Notes, Player, quietly};
use playhouse::prelude::*;
use playhouse::testkit::{EventPattern, TestKit};
use playhouse::{DeadLetterReason, Event, Fate, NoReply};

enum Msg {
    Foo(Reply<&'static str>),
    Miss(Reply<&'static str>),
    /// Answer that one later.
    Keep(Reply<&'static str>),
    Answer,
    Stop,
}

fn answering(mut kept: Vec<Reply<&'static str>>) -> Behavior<Msg> {
    Behavior::receive(move |ctx, msg| {
        match msg {
            Msg::Foo(reply) => reply.send("foo"),
            Msg::Miss(reply) => ctx.unhandled(Msg::Miss(reply)),
            Msg::Keep(reply) => kept.push(reply),
            Msg::Answer => kept.drain(..).for_each(|reply| reply.send("late")),
            Msg::Stop => return Ok(Behavior::stopped()),
        }
        Ok(answering(kept))
    })
}

fn answering_in(kit: &TestKit) -> ActorRef<Msg> {
    kit.spawn("answering", || answering(Vec::new()))
}

#[test]
fn ask_01_an_actor_that_has_ended() {
    let kit = TestKit::new();
    let actor = answering_in(&kit);
    actor.tell(Msg::Stop);
    kit.block_on(actor.terminated());
    let error = kit
        .block_on(actor.ask(Msg::Foo).within(secs(3)))
        .unwrap_err();
    assert!(matches!(error, AskError::Gone(Fate::NotSent)), "{error:?}");
    let text = "the actor is gone: it has ended";
    assert!(error.to_string().starts_with(text), "{error}");
    assert_eq!(kit.world().elapsed(), millis(0), "it fails at once");
}

#[test]
fn ask_02_a_live_actor() {
    let kit = TestKit::new();
    let actor = answering_in(&kit);
    assert_eq!(
        kit.block_on(actor.ask(Msg::Foo).within(secs(3))).unwrap(),
        "foo"
    );
}

// differs: ASK-04: an unhandled request drops its reply, so the asker hears of it at once and not after the limit
#[test]
fn ask_04_an_unhandled_request() {
    let kit = TestKit::new();
    let actor = answering_in(&kit);
    let error = kit
        .block_on(actor.ask(Msg::Miss).within(millis(10)))
        .unwrap_err();
    let AskError::NoReply { by, message, why } = &error else {
        panic!("{error:?}");
    };
    assert!(by == &actor && message.ends_with("Msg") && matches!(why, NoReply::Dropped));
    let unhandled = EventPattern::dead_letter(DeadLetterReason::Unhandled).of("/test/answering");
    assert_eq!(kit.events_like(&unhandled).len(), 1);
    assert_eq!(kit.world().elapsed(), millis(0));
}

#[test]
fn ask_04_no_reply_in_time_names_target_message_and_limit() {
    let kit = TestKit::new();
    let actor = answering_in(&kit);
    let ask = actor.ask(Msg::Keep).within(millis(10));
    let error = kit.world().block_on_timed(ask).unwrap_err();
    assert!(matches!(error, AskError::Timeout(_)), "{error:?}");
    let text = error.to_string();
    for part in [
        actor.to_string().as_str(),
        std::any::type_name::<Msg>(),
        "10 ms",
    ] {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
    assert_eq!(kit.world().elapsed(), millis(10));
}

// differs: ASK-05: a reference comes from a spawn, so the nearest to a path that never was is one that never began
#[test]
fn ask_05_a_reference_to_nobody() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    kit.spawn(
        "parent",
        Props::func(async move |ctx: &mut Context<()>| {
            ctx.stop();
            told.tell(ctx.spawn_anonymous(|| answering(Vec::new())));
            Ok(())
        }),
    );
    let nobody = probe.expect();
    let error = kit
        .block_on(nobody.ask(Msg::Foo).within(secs(3)))
        .unwrap_err();
    assert!(matches!(error, AskError::Gone(Fate::NotSent)), "{error:?}");
    nobody.tell(Msg::Answer);
    let gone = EventPattern::dead_letter(DeadLetterReason::Gone).of(&nobody);
    assert_eq!(kit.events_like(&gone).len(), 1);
}

/// Asks from inside an actor, and says what comes of it.
fn asker(kit: &TestKit, notes: &Notes, to: ActorRef<Msg>) -> ActorRef<Cue> {
    let player = Player::called(notes, "asker");
    let asker = kit.spawn("asker", move || player);
    let notes = notes.clone();
    asker.tell(quietly(move |ctx| {
        ctx.ask(&to, millis(10), Msg::Keep, move |answer| {
            quietly(move |_| match answer {
                Ok(answer) => notes.say(answer),
                Err(_) => notes.say("no answer"),
            })
        });
    }));
    asker
}

// differs: ASK-06: an answer that nobody waits for is published with its reason, for the actor that was asked
#[test]
fn ask_06_a_late_answer_to_an_own_ask() {
    let (kit, notes) = (TestKit::new(), Notes::default());
    let actor = answering_in(&kit);
    let _asker = asker(&kit, &notes, actor.clone());
    kit.advance(millis(10));
    assert_eq!(notes.read(), ["no answer"]);
    actor.tell(Msg::Answer);
    let late = kit.expect_event(&EventPattern::dead_letter(DeadLetterReason::LateReply));
    let Event::DeadLetter { to, .. } = late else {
        panic!("{late:?}");
    };
    assert!(to == actor, "{to}");
    assert_eq!(notes.lines(), 0);
}

// differs: ASK-07: an ask is no actor to be watched; whoever holds its reply can see that nobody waits any more
#[test]
fn ask_07_a_late_answer_to_an_ask_from_outside() {
    let kit = TestKit::new();
    let mut supplier = kit.probe::<Reply<&'static str>>();
    let actor = supplier.actor_ref().clone();
    let mut answered = kit.probe();
    let told = answered.actor_ref().clone();
    let to = actor.clone();
    kit.spawn(
        "outside",
        Props::func(async move |_ctx: &mut Context<()>| {
            told.tell(to.ask(|reply| reply).within(millis(10)).await.is_err());
            Ok(())
        }),
    );
    let reply = supplier.expect();
    assert!(!reply.is_abandoned());
    kit.advance(millis(10));
    assert!(answered.expect(), "the ask has failed");
    assert!(reply.is_abandoned());
    reply.send("late");
    let late = EventPattern::dead_letter(DeadLetterReason::LateReply).of(&actor);
    kit.expect_event(&late);
}

#[test]
fn ask_09_a_mapper_that_fails() {
    let (kit, notes) = (TestKit::new(), Notes::default());
    let actor = answering_in(&kit);
    let player = Player::called(&notes, "asker");
    let asker = kit.spawn("asker", move || player);
    let ask = |map: fn(&str) -> &'static str| {
        let (to, notes) = (actor.clone(), notes.clone());
        asker.tell(quietly(move |ctx| {
            ctx.ask(&to, secs(1), Msg::Foo, move |answer| {
                let text = map(answer.expect("an answer"));
                quietly(move |_| notes.say(text))
            });
        }));
        kit.settle();
    };
    ask(|_| "mapped");
    assert_eq!(notes.read(), ["mapped"]);
    ask(|_| panic!("cannot map"));
    kit.expect_event(&EventPattern::failure().of("/test/asker").text("cannot map"));
    assert_eq!(notes.read(), ["asker stops"]);
    assert!(matches!(kit.block_on(asker.terminated()), Exit::Failed(_)));
}

type Status = Result<u32, Failure>;

/// Answers with a status: the value, or why there is none.
fn checked() -> Behavior<(Status, Reply<Status>)> {
    Behavior::receive(|_ctx, (status, reply): (_, Reply<_>)| {
        reply.send(status);
        Ok(checked())
    })
}

/// One error for both: no answer, or an answer that is an error.
fn ask_status(status: Status) -> Status {
    let kit = TestKit::new();
    let actor = kit.spawn("checked", checked);
    kit.block_on(actor.ask(|reply| (status, reply)).within(secs(1)))?
}

#[test]
fn ask_10_with_status_a_value() {
    assert_eq!(ask_status(Ok(7)).unwrap(), 7);
}

#[test]
fn ask_11_with_status_a_text() {
    let error = ask_status(Err("too little money".into())).unwrap_err();
    assert_eq!(error.to_string(), "too little money");
    assert!(error.find::<AskError>().is_none());
}

#[test]
fn ask_12_with_status_a_cause() {
    let error = ask_status(Err(Boom.into())).unwrap_err();
    assert!(error.find::<Boom>().is_some(), "{error:?}");
}
