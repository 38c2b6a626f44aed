//! The log of dead letters.

use crate::common::player::Notes;
use crate::common::seeds::{end, for_each_seed};
use playhouse::prelude::*;
use playhouse::testkit::Stepped;
use std::time::Duration;

/// A system whose log goes into notes.
fn logging(seed: u64, notes: &Notes, limit: u32, pause: Duration) -> (ActorSystem, Stepped) {
    let notes = notes.clone();
    ActorSystem::builder("test")
        .log_to(move |line| notes.say(line))
        .dead_letter_log(limit, pause)
        .build_stepped(seed)
        .unwrap()
}

/// Handles nothing, and has one place.
fn refusing(system: &ActorSystem, name: &str) -> ActorRef<u32> {
    let refuses = Props::func(async |ctx: &mut Context<u32>| {
        while let Some(number) = ctx.recv().await {
            ctx.unhandled(number);
        }
        Ok(())
    });
    system
        .spawn(name, refuses.mailbox(Mailbox::bounded(1)))
        .unwrap()
}

#[test]
fn dlt_01_the_log_pauses_after_so_many_and_then_tells_how_many_it_left_out() {
    for_each_seed(8, |seed| {
        let notes = Notes::default();
        let (system, world) = logging(seed, &notes, 4, secs(2));
        let (refuses, gone) = (refusing(&system, "refuses"), refusing(&system, "gone"));
        gone.stop();
        world.settle();
        let lose = |to: &ActorRef<u32>| {
            to.tell(0);
            world.settle();
            notes.read()
        };
        let has_one = |lines: Vec<String>, end: &str| {
            let [line] = &lines[..] else {
                panic!("{lines:?}")
            };
            assert!(line.starts_with("playhouse: /test/"), "{line}");
            assert!(line.ends_with(end), "{line}");
        };
        has_one(lose(&refuses), "refuses did not handle a `u32`");
        has_one(lose(&gone), "hands back what is not accepted");
        has_one(lose(&refuses), "refuses did not handle a `u32`");
        has_one(lose(&gone), "; no more lost messages are logged for 2s");
        assert!(lose(&refuses).is_empty());
        assert!(lose(&gone).is_empty());
        world.advance(secs(2));
        has_one(
            lose(&refuses),
            "; 2 lost messages before it were not logged",
        );
        for _ in 0..3 {
            has_one(lose(&refuses), "refuses did not handle a `u32`");
        }
        has_one(lose(&refuses), "; no more lost messages are logged for 2s");
        end(&system, &world);
    });
}

#[test]
fn dlt_01_the_first_message_lost_to_a_full_mailbox_is_logged_even_in_a_pause() {
    for_each_seed(8, |seed| {
        let notes = Notes::default();
        let (system, world) = logging(seed, &notes, 0, secs(2));
        let actors = ["one", "two"].map(|name| refusing(&system, name));
        for actor in &actors {
            (0..4).for_each(|number| actor.tell(number)); // one has a place
        }
        let lines = notes.read();
        assert_eq!(lines.len(), 2, "{lines:?}");
        for (line, name) in lines.iter().zip(["one", "two"]) {
            let says = format!("playhouse: /test/{name} is full, a `u32` told to it is lost");
            assert!(line.starts_with(&says), "{line}");
        }
        end(&system, &world);
    });
}

// differs: DLT-02: a dead letter carries its reason instead of a mark; one that is nobody's fault is not in the log and
// reaches the hook, which tells it apart
#[test]
fn dlt_02_an_answer_that_came_too_late_is_an_event_and_no_line() {
    for_each_seed(8, |seed| {
        let notes = Notes::default();
        let (events, lines) = (notes.clone(), Notes::default());
        let logged = lines.clone();
        let (system, world) = ActorSystem::builder("test")
            .on_event(move |event| events.say(event.to_string()))
            .log_to(move |line| logged.say(line))
            .build_stepped(seed)
            .unwrap();
        let slow = Props::func(async |ctx: &mut Context<Reply<u32>>| {
            while let Some(reply) = ctx.recv().await {
                ctx.clock().sleep(secs(2)).await;
                reply.send(42);
            }
            Ok(())
        });
        let slow = system.spawn("slow", slow).unwrap();
        let asked = slow.ask(|reply| reply).within(secs(1));
        world.block_on_timed(asked).unwrap_err();
        world.advance(secs(2));
        let heard = notes.read();
        assert!(
            heard.iter().any(|line| line.contains("too late")),
            "{heard:?}"
        );
        assert_eq!(lines.read(), [""; 0]);
        end(&system, &world);
    });
}

/// Nobody as an actor: `ActorSystem::ignore`.
mod nobody {
    use crate::common::seeds::{end, stepped};
    use playhouse::Event;
    use playhouse::prelude::*;

    #[test]
    fn dlt_04_nobody_swallows_replies_without_a_dead_letter() {
        let (system, world, events) = stepped(4);
        let counter = Props::func(async |ctx: &mut Context<Reply<u32>>| {
            let mut requests = 0;
            while let Some(reply) = ctx.recv().await {
                requests += 1;
                reply.send(requests);
            }
            Ok(())
        });
        let counter = system.spawn_anonymous(counter);
        let ask = || {
            let asked = counter.ask(|reply| reply).within(secs(1));
            world.block_on(asked).unwrap()
        };
        assert_eq!(ask(), 1);
        counter.tell(Reply::to(&system.ignore()));
        assert_eq!(ask(), 3, "the one between was processed");
        let dead = |event: &Event| matches!(event, Event::DeadLetter { .. });
        assert_eq!(events.count(dead), 0);
        assert_eq!(end(&system, &world).dead, 0);
    }

    #[test]
    fn dlt_07_nobody_can_be_watched_and_never_ends() {
        let (system, world, events) = stepped(7);
        let watcher = Props::func(async |ctx: &mut Context<Reply<u32>>| {
            let nobody = ctx.system().ignore::<u32>();
            ctx.watch(&nobody); // its end would fail this actor
            nobody.kill();
            ctx.unwatch(&nobody);
            ctx.watch(&nobody);
            while let Some(reply) = ctx.recv().await {
                reply.send(7);
            }
            Ok(())
        });
        let watcher = system.spawn_anonymous(watcher);
        let asked = watcher.ask(|reply| reply).within(secs(1));
        assert_eq!(world.block_on(asked).unwrap(), 7);
        end(&system, &world);
        let failed = |event: &Event| matches!(event, Event::Failed { .. });
        assert_eq!(events.count(failed), 0);
    }
}
