//! Events: one hook per system, which may pass on what it hears.

use crate::common::Events;
use crate::common::player::Notes;
use crate::common::seeds::{end, for_each_seed};
use playhouse::prelude::*;
use playhouse::testkit::Stepped;
use playhouse::{DeadLetterReason, Event};
use std::sync::{Arc, OnceLock};

/// Whom the hook tells.
type Listener = Arc<OnceLock<ActorRef<Heard>>>;

/// A line about a dead letter.
struct Heard(String);

/// A system whose hook passes dead letters on, in a form that is the listener's own, and keeps every event as well.
fn with_listener(seed: u64, notes: &Notes) -> (ActorSystem, Stepped, Events, ActorRef<Heard>) {
    let (events, listener) = (Events::default(), Listener::default());
    let (kept, told) = (events.clone(), listener.clone());
    let hook = move |event: &Event| {
        kept.keep(event);
        if let (Event::DeadLetter { to, message, .. }, Some(listener)) = (event, told.get()) {
            let name = to.path().rsplit('/').next().unwrap();
            listener.tell(Heard(format!("{name} lost {message}")));
        }
    };
    let (system, world) = ActorSystem::builder("test")
        .on_event(hook)
        .build_stepped(seed)
        .unwrap();
    let notes = notes.clone();
    let hears = Props::func(async move |ctx: &mut Context<Heard>| {
        while let Some(Heard(line)) = ctx.recv().await {
            notes.say(line);
        }
        Ok(())
    });
    let hears = system.spawn("listener", hears).unwrap();
    listener.set(hears.clone()).unwrap();
    world.settle();
    (system, world, events, hears)
}

/// An actor that has ended.
fn gone<M: Send + 'static>(system: &ActorSystem, world: &Stepped, name: &str) -> ActorRef<M> {
    let gone = Props::func(async |_ctx: &mut Context<M>| Ok(()));
    let gone = system.spawn(name, gone).unwrap();
    world.block_on(gone.terminated());
    gone
}

// differs: EVS-01: there is one hook, which hears every kind and picks by matching
#[test]
fn evs_01_the_hook_hears_each_event_once_and_picks_its_kind() {
    for_each_seed(8, |seed| {
        let (system, world, events, _) = with_listener(seed, &Notes::default());
        let fails = Props::func(async |_ctx: &mut Context<()>| Err("no".into()));
        let fails = system.spawn("fails", fails).unwrap();
        world.block_on(fails.terminated());
        fails.tell(());
        let is_failure = |event: &Event| matches!(event, Event::Failed { .. });
        let is_end = |event: &Event| matches!(event, Event::Ended { .. });
        assert_eq!(events.count(is_failure), 1);
        assert_eq!(events.count(is_end), 1);
        assert_eq!(events.dead(DeadLetterReason::Gone), 1);
        assert_eq!(events.all().len(), 3);
        end(&system, &world);
    });
}

#[test]
fn evs_03_dead_letters_reach_an_actor_in_order_and_in_its_own_form() {
    for_each_seed(8, |seed| {
        let notes = Notes::default();
        let (system, world, _, _) = with_listener(seed, &notes);
        let numbers = gone::<u8>(&system, &world, "numbers");
        let texts = gone::<&str>(&system, &world, "texts");
        numbers.tell(1);
        texts.tell("two");
        numbers.tell(3);
        world.settle();
        let lost = ["numbers lost u8", "texts lost &str", "numbers lost u8"];
        assert_eq!(notes.read(), lost);
        end(&system, &world);
    });
}

#[test]
fn evs_04_a_listener_to_dead_letters_that_ends_with_some_waiting_starts_no_loop() {
    for_each_seed(8, |seed| {
        let notes = Notes::default();
        let (system, world, events, listener) = with_listener(seed, &notes);
        let numbers = gone::<u8>(&system, &world, "numbers");
        numbers.tell(1);
        numbers.tell(2);
        listener.stop(); // with up to two of them in its mailbox
        assert!(matches!(
            world.block_on(listener.terminated()),
            Exit::Stopped
        ));
        let waiting = events.dead(DeadLetterReason::Stopped);
        assert_eq!(notes.read().len() + waiting, 2);
        numbers.tell(3);
        let heard = events.dead(DeadLetterReason::Gone);
        assert_eq!(heard, 3, "what the hook lost itself is not told to it");
        // In the books is all of it: three numbers, and each line that found no listener.
        assert_eq!(system.ledger().dead as usize, 3 + waiting + waiting + 1);
        end(&system, &world);
    });
}

// differs: EVS-05: kinds of events are variants, so a wide pattern has the narrow ones in it
#[test]
fn evs_05_a_wide_pattern_takes_what_the_narrow_ones_take() {
    for_each_seed(8, |seed| {
        let (system, world, events, listener) = with_listener(seed, &Notes::default());
        let numbers = gone::<u8>(&system, &world, "numbers");
        let refuses = Props::func(async |ctx: &mut Context<u8>| {
            while let Some(number) = ctx.recv().await {
                ctx.unhandled(number);
            }
            Ok(())
        });
        let refuses = system.spawn("refuses", refuses).unwrap();
        numbers.tell(1);
        refuses.tell(2);
        refuses.tell(3);
        world.settle();
        drop(listener);
        let wide = |event: &Event| matches!(event, Event::DeadLetter { .. });
        assert_eq!(events.count(wide), 3);
        assert_eq!(events.dead(DeadLetterReason::Gone), 1);
        assert_eq!(events.dead(DeadLetterReason::Unhandled), 2);
        end(&system, &world);
    });
}

// set aside: EVS-02: the hook is there for the life of its system; when it has heard enough is its own affair
