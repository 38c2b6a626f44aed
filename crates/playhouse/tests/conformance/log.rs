//! Log lines. The runtime has none of its own for actors: they write where their program writes, and what the runtime
//! has to tell are events.

use crate::common::player::Notes;
use crate::common::seeds::{end, for_each_seed, stepped};
use playhouse::prelude::*;
use playhouse::{Event, IntoProps};
use std::collections::BTreeMap;
use std::sync::mpsc;
use std::thread;

/// Where an actor writes: its path, what is fixed for it, and what is true for one message.
struct Log {
    notes: Notes,
    path: String,
    fixed: String,
}

impl Log {
    fn say(&self, of_message: &BTreeMap<&str, u32>, line: &str) {
        let Self { path, fixed, .. } = self;
        self.notes
            .say(format!("{path} [{fixed}] {of_message:?} {line}"));
    }
}

/// Logs at setup and for each message; even ones with a field of their own.
fn logging(notes: &Notes, fixed: &str) -> impl IntoProps<Msg = u32> + use<> {
    let (notes, fixed) = (notes.clone(), fixed.to_owned());
    Props::func(async move |ctx: &mut Context<u32>| {
        let path = ctx.me().address().path().to_owned();
        let log = Log { notes, path, fixed };
        log.say(&BTreeMap::new(), "set up");
        while let Some(number) = ctx.recv().await {
            let is_even = number % 2 == 0;
            let of_message = BTreeMap::from_iter(is_even.then_some(("half", number / 2)));
            log.say(&of_message, "got one");
        }
        Ok(())
    })
}

fn lines_of(seed: u64, fixed: &str, messages: &[u32]) -> Vec<String> {
    let notes = Notes::default();
    let (system, world, _) = stepped(seed);
    let actor = system.spawn("actor", logging(&notes, fixed)).unwrap();
    messages.iter().for_each(|message| actor.tell(*message));
    world.settle();
    end(&system, &world);
    notes.read()
}

// differs: LOG-01: the context has no log; an actor writes with the program's own, and its path is in the context
#[test]
fn log_01_an_actor_writes_at_setup_and_for_each_message() {
    for_each_seed(8, |seed| {
        let expected = [
            "/test/actor [] {} set up",
            "/test/actor [] {} got one",
            "/test/actor [] {} got one",
        ];
        assert_eq!(lines_of(seed, "", &[1, 3]), expected);
    });
}

// differs: LOG-03: props have no tags; what is fixed for an actor is captured by its recipe
#[test]
fn log_03_what_the_recipe_captured_is_in_every_line() {
    for_each_seed(8, |seed| {
        let lines = lines_of(seed, "tag1,tag2", &[1]);
        assert_eq!(lines.len(), 2);
        assert!(
            lines.iter().all(|line| line.contains("[tag1,tag2]")),
            "{lines:?}"
        );
    });
}

// differs: LOG-04: there is no ambient map of fields; those of one message are locals of its handler, so none can leak
#[test]
fn log_04_fields_of_one_message_do_not_leak_to_the_next() {
    for_each_seed(8, |seed| {
        let lines = lines_of(seed, "fixed", &[4, 5]);
        let expected = [
            "/test/actor [fixed] {} set up",
            "/test/actor [fixed] {\"half\": 2} got one",
            "/test/actor [fixed] {} got one",
        ];
        assert_eq!(lines, expected);
    });
}

// differs: LOG-06: lines are events; each has the path, which begins with the system's name, and is told on the thread
// where it happens
#[test]
fn log_06_every_event_names_system_and_actor_on_the_thread_where_it_happens() {
    let (lines, line) = mpsc::channel();
    let hook = move |event: &Event| {
        let thread = thread::current().name().unwrap_or_default().to_owned();
        let _ = lines.send((thread, event.to_string())); // the test has ended
    };
    let system = ActorSystem::builder("named")
        .dispatcher("fixed", Dispatcher::fixed(1))
        .on_event(hook)
        .build()
        .unwrap();
    let fixed = system.dispatcher("fixed").unwrap();
    let refuses = Props::func(async |ctx: &mut Context<u32>| {
        while let Some(number) = ctx.recv().await {
            ctx.unhandled(number);
        }
        Ok(())
    });
    let refuses = system.spawn("actor", refuses.dispatcher(&fixed)).unwrap();
    (0..10).for_each(|number| refuses.tell(number));
    for _ in 0..10 {
        let (thread, line) = line.recv().unwrap();
        assert_eq!(thread, "playhouse-fixed-1");
        assert_eq!(line, "/named/actor did not handle a `u32`");
    }
    assert_eq!(system.blocking_shutdown().ledger.unhandled, 10);
}
