//! One protocol in front of another.

use playhouse::prelude::*;
use playhouse::testkit::{EventPattern, TestKit};
use playhouse::{DeadLetterReason, IntoProps};

fn speaker(told: ActorRef<String>) -> Behavior<String> {
    Behavior::receive(move |_ctx, text: String| {
        told.tell(text);
        Ok(speaker(told))
    })
}

/// Makes messages for the child out of its own; those it makes nothing of are unhandled.
struct Translates<N, M> {
    inside: ActorRef<M>,
    translate: fn(&N) -> Option<M>,
}

impl<N: Send + 'static, M: Send + 'static> Actor for Translates<N, M> {
    type Msg = N;
    async fn receive(&mut self, ctx: &mut Context<N>, msg: N) -> Outcome {
        match (self.translate)(&msg) {
            Some(inner) => self.inside.tell(inner),
            None => ctx.unhandled(msg),
        }
        Ok(())
    }
}

fn translating<N, P>(translate: fn(&N) -> Option<P::Msg>, inside: P) -> Props<N>
where
    N: Send + 'static,
    P: IntoProps + Clone + Send + 'static,
{
    Props::setup(async move |ctx: &mut Context<N>| {
        let inside = ctx.spawn("inside", inside)?;
        Ok(Translates { inside, translate })
    })
}

#[test]
fn trf_01_an_outer_type_becomes_the_inner_type() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let actor = kit.spawn("actor", move || speaker(told));
    let numbers = actor.contramap(|n: u32| n.to_string());
    numbers.tell(42);
    assert_eq!(probe.expect(), "42");
    assert!(numbers == actor.contramap(|()| String::new()).contramap(|_: u32| ()));
}

// differs: TRF-02: a mapped reference must yield a message; one that filters is an actor in front
#[test]
fn trf_02_a_partial_mapping_filters() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let inside = move || speaker(told);
    let lucky = |n: &u32| (*n != 13).then(|| n.to_string());
    let actor = kit.spawn("actor", translating(lucky, inside));
    for n in [42, 13, 43] {
        actor.tell(n);
    }
    assert_eq!(probe.expect_n(2), ["42", "43"]);
    probe.expect_nothing();
    let unhandled = EventPattern::dead_letter(DeadLetterReason::Unhandled).of("/test/actor");
    assert_eq!(kit.events_like(&unhandled.text("u32")).len(), 1);
}

// differs: TRF-05: mappings are typed at both ends, so those that fit stack, and others do not compile
#[test]
fn trf_05_mappings_stack() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let text = probe.actor_ref();
    let numbers = text.contramap(|n: u32| format!("number {n}"));
    let flags = numbers.contramap(|is_set: bool| u32::from(is_set));
    flags.tell(true);
    numbers.tell(7);
    assert_eq!(probe.expect_n(2), ["number 1", "number 7"]);
}

// differs: TRF-06: a timer inside tells what the actor inside understands, so there is nothing to transform
#[test]
fn trf_06_a_timer_inside() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let actor = kit.spawn("actor", move || {
        Behavior::setup(|ctx| {
            ctx.timers().once("tick", millis(10), "tick".to_owned());
            Ok(speaker(told))
        })
    });
    let numbers = actor.contramap(|n: u32| n.to_string());
    numbers.tell(1);
    assert_eq!(probe.expect(), "1");
    probe.expect_nothing();
    kit.advance(millis(10));
    assert_eq!(probe.expect(), "tick");
}

#[test]
fn trf_07_a_timer_outside() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let outside = Props::setup(async move |ctx: &mut Context<u32>| {
        ctx.timers().once("tick", millis(10), 42);
        let inside = ctx.spawn("inside", move || speaker(told))?;
        let translate = |n: &u32| Some(format!("tick {n}"));
        Ok(Translates { inside, translate })
    });
    kit.spawn("actor", outside);
    probe.expect_nothing();
    kit.advance(millis(10));
    assert_eq!(probe.expect(), "tick 42");
}
