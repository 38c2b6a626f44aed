//! One actor run message by message.

use crate::common::clerk::{Clerk, count, note, order};
use crate::common::panics::panic_text;
use playhouse::prelude::*;
use playhouse::testkit::{BehaviorKit, Effect, EventPattern};
use playhouse::{DeadLetterReason, Event, TimerKey};

type Counter = ActorRef<Reply<u32>>;

fn clerk() -> BehaviorKit<Clerk> {
    BehaviorKit::new(Clerk::default)
}

fn spawned(name: &str) -> Effect {
    Effect::Spawned {
        name: name.to_owned(),
    }
}

fn timer_set(key: &'static str, after: std::time::Duration) -> Effect {
    let key = TimerKey::Name(key);
    Effect::TimerSet { key, after }
}

// differs: BTK-01: effects are values, so the assertions of the language are the assertions on them
#[test]
fn btk_01_effects_are_compared_matched_and_absent_and_a_mismatch_says_what_there_was() {
    let mut kit = clerk();
    assert_eq!(kit.effects(), []);
    kit.run(order(|ctx| {
        ctx.spawn("child", Props::func(count)).unwrap();
        ctx.timers().once("tick", secs(1), note("tick"));
    }))
    .unwrap();
    let effects = kit.effects();
    assert_eq!(effects[0], spawned("child"));
    assert!(matches!(&effects[1], Effect::TimerSet { after, .. } if *after == secs(1)));
    assert!(kit.effects().is_empty(), "they are taken once");
    let text = panic_text(|| assert_eq!(effects[0], spawned("other")));
    assert!(text.contains(r#"Spawned { name: "child" }"#), "{text}");
    assert!(text.contains(r#"Spawned { name: "other" }"#), "{text}");
}

#[test]
fn btk_02_spawns_with_and_without_a_name_are_effects_in_order() {
    let mut kit = clerk();
    kit.run(order(|ctx| {
        ctx.spawn("one", Props::func(count)).unwrap();
        ctx.spawn_anonymous(Props::func(count));
        let small = Props::func(count).mailbox(Mailbox::bounded(1));
        ctx.spawn("small", small).unwrap();
        ctx.spawn("one", Props::func(count)).unwrap_err();
    }))
    .unwrap();
    let expected = [spawned("one"), Effect::SpawnedAnonymous, spawned("small")];
    assert_eq!(kit.effects(), expected);
    assert_eq!(kit.context(|ctx| ctx.children().len()), 3);
}

#[test]
fn btk_05_watches_are_effects_in_order() {
    let mut kit = clerk();
    let other = kit.test_kit().probe::<()>().actor_ref().clone();
    let watched = other.clone();
    kit.run(order(move |ctx| {
        ctx.watch(&watched);
        ctx.unwatch(&watched);
        ctx.watch_with(&watched, |exit| note(format!("it {exit}")));
    }))
    .unwrap();
    let who = other.address().clone();
    let expected = [
        Effect::Watched(who.clone()),
        Effect::Unwatched(who.clone()),
        Effect::WatchedWith(who),
    ];
    assert_eq!(kit.effects(), expected);
}

// differs: BTK-06: a child is a real actor, which is asked like any other and runs between two messages of its parent
#[test]
fn btk_06_children_are_found_asked_stopped_and_replaced() {
    let mut kit = clerk();
    let spawn = || order(|ctx| drop(ctx.spawn("child", Props::func(count)).unwrap()));
    kit.run(spawn()).unwrap();
    assert_eq!(kit.effects(), [spawned("child")]);
    let child: Counter = kit.child("child").unwrap();
    for asked in 1..=2 {
        let (reply, mut answer) = kit.reply();
        child.tell(reply);
        assert_eq!(answer.take().unwrap(), asked, "it is one and the same");
    }
    assert!(kit.child::<Reply<u32>>("other").is_none());
    assert!(kit.child::<u32>("child").is_none(), "of another protocol");

    let stopped = child.clone();
    kit.run(order(move |ctx| {
        ctx.watch_with(&stopped, |exit| note(format!("child {exit}")));
        stopped.stop();
    }))
    .unwrap();
    assert!(kit.child::<Reply<u32>>("child").is_none());
    kit.run_next().unwrap().unwrap();
    assert_eq!(kit.state().notes, ["child stopped"]);

    kit.run(spawn()).unwrap();
    let again: Counter = kit.child("child").unwrap();
    assert_ne!(again, child);
    let answer = again.ask(|reply| reply).within(secs(1));
    assert_eq!(kit.test_kit().block_on(answer).unwrap(), 1);
    let effects = kit.effects();
    assert_eq!(effects.last(), Some(&spawned("child")));
}

#[test]
fn btk_08_timers_are_effects_and_their_state_can_be_asked_for() {
    let mut kit = clerk();
    kit.run(order(|ctx| {
        ctx.timers().once("once", secs(1), note("once"));
        ctx.timers().fixed_rate("rate", millis(10), || note("rate"));
        ctx.timers()
            .fixed_delay_after(7, secs(2), secs(3), || note("delay"));
    }))
    .unwrap();
    let delay = Effect::TimerSet {
        key: TimerKey::Number(7),
        after: secs(2),
    };
    let set = [
        timer_set("once", secs(1)),
        timer_set("rate", millis(10)),
        delay,
    ];
    assert_eq!(kit.effects(), set);
    let are_active = |kit: &mut BehaviorKit<Clerk>| {
        kit.context(|ctx| {
            [
                ctx.timers().is_active("once"),
                ctx.timers().is_active("rate"),
            ]
        })
    };
    assert_eq!(are_active(&mut kit), [true, true]);
    kit.run(order(|ctx| ctx.timers().cancel("rate"))).unwrap();
    let cancelled = Effect::TimerCancelled(TimerKey::Name("rate"));
    assert_eq!(kit.effects(), [cancelled]);
    assert_eq!(are_active(&mut kit), [true, false]);
    kit.test_kit().advance(secs(1));
    kit.run_next().unwrap().unwrap();
    assert_eq!(kit.state().notes, ["once"]);
    assert_eq!(are_active(&mut kit), [false, false]);
    assert!(kit.run_next().is_none());
}

/// Asks the counter, and writes down what comes of it.
fn ask(counter: &Counter) -> crate::common::clerk::Order {
    let counter = counter.clone();
    order(move |ctx| {
        let answer = |answer: Result<u32, AskError>| match answer {
            Ok(count) => note(count.to_string()),
            Err(AskError::Timeout(_)) => note("timeout"),
            Err(error) => note(error.to_string()),
        };
        ctx.ask(&counter, secs(5), |reply| reply, answer);
    })
}

// differs: BTK-12: an answer is given by value, so a second one does not compile; one that is late is a dead letter
#[test]
fn btk_12_a_question_is_inspected_answered_or_timed_out_and_a_late_answer_is_told_once() {
    let mut kit = clerk();
    let mut counter = kit.test_kit().probe::<Reply<u32>>();
    kit.run(ask(counter.actor_ref())).unwrap();
    let asked = Effect::Asked {
        to: counter.actor_ref().address().clone(),
        request: std::any::type_name::<Reply<u32>>(),
        within: secs(5),
    };
    assert_eq!(kit.effects(), [asked]);
    assert!(kit.run_next().is_none(), "no answer yet");
    counter.expect().send(42);
    kit.test_kit().settle();
    kit.run_next().unwrap().unwrap();
    assert_eq!(kit.state().notes, ["42"]);

    kit.run(ask(counter.actor_ref())).unwrap();
    let late = counter.expect();
    kit.test_kit().advance(secs(5));
    kit.run_next().unwrap().unwrap();
    assert_eq!(kit.state().notes[1], "timeout");
    assert!(kit.test_kit().events().is_empty());
    late.send(43);
    kit.test_kit().settle();
    assert!(kit.run_next().is_none());
    let events = kit.test_kit().take_events();
    let too_late = EventPattern::dead_letter(DeadLetterReason::LateReply);
    assert!(
        matches!(&events[..], [event] if too_late.matches(event)),
        "{events:?}"
    );
}

#[test]
fn btk_13_what_is_said_is_kept_until_it_is_taken() {
    let mut kit = clerk();
    kit.run(order(|ctx| {
        ctx.unhandled(note("what?"));
        let broken = async |_: &mut Context<()>| Err("no tea".into());
        ctx.spawn("broken", Props::func(broken)).unwrap();
    }))
    .unwrap();
    let events = kit.test_kit().take_events();
    let [
        Event::DeadLetter { why, .. },
        Event::Failed { failure, .. },
        Event::Ended { who, .. },
    ] = &events[..]
    else {
        panic!("{events:?}");
    };
    assert_eq!(*why, DeadLetterReason::Unhandled);
    assert_eq!(failure.to_string(), "no tea");
    assert_eq!(who.path(), "/test/actor/broken");
    assert!(kit.test_kit().events().is_empty());
}
