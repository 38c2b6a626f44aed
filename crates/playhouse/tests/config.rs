//! A system's settings as text: each key does something, and what is misspelt says where and how it is spelt.
#![cfg(feature = "config")]

mod common;

use common::*;
use playhouse::prelude::*;
use playhouse::{BuildError, Phase, SystemConfig, limits};
use std::future::pending;
use std::sync::{Arc, Barrier};

fn config(text: &str) -> SystemConfig {
    SystemConfig::from_toml(text).unwrap()
}

fn error(text: &str) -> String {
    SystemConfig::from_toml(text).unwrap_err().to_string()
}

fn system(text: &str) -> ActorSystem {
    let builder = ActorSystem::builder("test").config(&config(text));
    builder.build().unwrap()
}

/// Two actors with four messages each, told before the dispatcher named `one` has a thread to spare: who is handled when.
async fn turns(text: &str) -> String {
    let system = system(text);
    let on = system.dispatcher("one").unwrap();
    let (hold, held) = std::sync::mpsc::channel::<()>();
    on.submit(move || assert!(held.recv().is_err()));
    let (seen, mut journal) = journal();
    let actors = ['a', 'b'].map(|name| echo(&system, &on, name, &seen));
    for actor in &actors {
        (0..4).for_each(|_| actor.tell(()));
        actor.drain();
    }
    drop(hold);
    for actor in &actors {
        actor.terminated().await;
    }
    end(&system).await;
    read(&mut journal).into_iter().collect()
}

#[tokio::test]
async fn kind_and_threads_decide_which_threads_there_are() {
    let system = system(
        "[dispatchers.io]\nkind = 'fixed'\nthreads = 3\n[dispatchers.own-each]\nkind = 'pinned'",
    );
    let meet = Arc::new(Barrier::new(3));
    let (seen, mut names) = journal();
    for _ in 0..3 {
        let (meet, seen) = (meet.clone(), seen.clone());
        system.dispatcher("io").unwrap().submit(move || {
            meet.wait(); // three threads, or none of them goes on
            let name = std::thread::current().name().map(str::to_owned);
            seen.send(name.unwrap_or_default()).unwrap();
        });
    }
    let mut threads = Vec::new();
    for _ in 0..3 {
        threads.push(names.recv().await.unwrap());
    }
    threads.sort();
    assert_eq!(
        threads,
        ["playhouse-io-1", "playhouse-io-2", "playhouse-io-3"]
    );
    for n in 1..=2 {
        let seen = seen.clone();
        let body = Props::func(async move |ctx: &mut Context<()>| {
            let name = std::thread::current().name().map(str::to_owned);
            seen.send(name.unwrap_or_default())?;
            ctx.recv().await;
            Ok(())
        });
        system.spawn_anonymous(body.dispatcher_named("own-each"));
        assert_eq!(
            names.recv().await.unwrap(),
            format!("playhouse-own-each-{n}")
        );
    }
    end(&system).await;
}

#[tokio::test]
async fn shared_is_on_the_workers_of_tokio() {
    let system = system("[dispatchers.mine]\nkind = 'shared'");
    let (seen, mut journal) = journal();
    let body =
        Props::func(async move |_: &mut Context<()>| Ok(seen.send(std::thread::current().id())?));
    let actor = system.spawn_anonymous(body.dispatcher_named("mine"));
    actor.terminated().await;
    assert_eq!(read(&mut journal), [std::thread::current().id()]);
    end(&system).await;
}

#[tokio::test]
async fn throughput_and_time_limit_decide_how_long_a_turn_is() {
    let one = "[dispatchers.one]\nkind = 'fixed'\nthreads = 1\n";
    assert_eq!(turns(one).await, "abababab");
    assert_eq!(turns(&format!("{one}throughput = 2")).await, "aabbaabb");
    let limited = format!("{one}throughput = 64\ntime_limit = '0ms'");
    assert_eq!(turns(&limited).await, "abababab");
    let unlimited = format!("{one}throughput = 64\ntime_limit = '60m'");
    assert_eq!(turns(&unlimited).await, "aaaabbbb");
}

#[test]
fn each_phase_ends_at_the_deadline_it_is_given() {
    for (key, phase) in [
        ("close_doors", Phase::CloseDoors),
        ("finish_requests", Phase::FinishRequests),
        ("stop_actors", Phase::StopActors),
        ("release_resources", Phase::ReleaseResources),
    ] {
        let (system, world) = ActorSystem::builder("test")
            .config(&config(&format!("[phase_deadlines]\n{key} = '7ms'")))
            .build_stepped(1)
            .unwrap();
        system.on_shutdown(phase, "never ends", || async { pending().await });
        let report = world.block_on_timed(system.shutdown());
        assert_eq!(report.overran, [phase]);
        assert_eq!(world.elapsed(), millis(7), "{key}");
    }
}

/// How many lines about lost messages are printed at once, and after how long there are more.
#[test]
fn the_log_of_dead_letters_has_its_limit_and_its_pause() {
    for (keys, limit, pause) in [
        ("limit = 3\npause = '7ms'", 3, millis(7)),
        ("limit = 0", 0, limits::DEAD_LETTER_PAUSE),
        (
            "pause = '7s'",
            limits::DEAD_LETTERS_LOGGED as usize,
            secs(7),
        ),
    ] {
        let (write, mut lines) = journal();
        let (system, world) = ActorSystem::builder("test")
            .config(&config(&format!("[dead_letter_log]\n{keys}")))
            .log_to(move |line| write.send(line.to_owned()).unwrap())
            .build_stepped(1)
            .unwrap();
        let gone = system.spawn_anonymous(Props::func(async |_: &mut Context<()>| Ok(())));
        world.settle();
        let mut logged = || {
            (0..20).for_each(|_| gone.tell(()));
            read(&mut lines).len()
        };
        assert_eq!(logged(), limit, "{keys}");
        world.advance(pause - millis(1));
        assert_eq!(logged(), 0, "{keys}");
        world.advance(millis(1));
        assert_eq!(logged() > 0, limit > 0, "{keys}");
        world.block_on(system.shutdown());
    }
}

#[tokio::test]
async fn a_dispatcher_replaces_the_one_that_the_builder_has() {
    let text =
        "[dispatchers.default]\nkind = 'fixed'\nthreads = 1\n[dispatchers.mine]\nkind = 'pinned'";
    let system = ActorSystem::builder("test")
        .dispatcher("mine", Dispatcher::fixed(1))
        .config(&config(text))
        .build()
        .unwrap();
    let (seen, mut journal) = journal();
    for on in ["default", "mine", "mine"] {
        let seen = seen.clone();
        let body = Props::func(async move |_: &mut Context<()>| {
            let name = std::thread::current().name().map(str::to_owned);
            Ok(seen.send(name)?)
        });
        let actor = system.spawn_anonymous(body.dispatcher_named(on));
        actor.terminated().await;
    }
    // The second actor on `mine` has a second thread: it is no longer one thread for all.
    let threads = read(&mut journal).into_iter().flatten().collect::<Vec<_>>();
    assert_eq!(
        threads,
        [
            "playhouse-default-1",
            "playhouse-mine-1",
            "playhouse-mine-2"
        ]
    );
    assert!(
        system.dispatcher("blocking").is_ok(),
        "what is left out stays"
    );
    end(&system).await;
    let twice = ActorSystem::builder("test").config(&config(text));
    let twice = twice.dispatcher("mine", Dispatcher::fixed(1)).build();
    assert!(matches!(twice, Err(BuildError::DispatcherTaken(name)) if name == "mine"));
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_the_nearest_there_is() {
    assert_eq!(
        error("\n[dispatcher.io]\nkind = 'pinned'"),
        "line 2: unknown key `dispatcher`, perhaps `dispatchers` is meant; there are `dispatchers`, `phase_deadlines`, \
         `dead_letter_log`"
    );
    assert_eq!(
        error("[dispatchers.io]\nkind = 'pinned'\n\nthruput = 5"),
        "line 4: unknown key `thruput`, perhaps `throughput` is meant; \
         there are `kind`, `threads`, `throughput`, `time_limit`"
    );
    assert_eq!(
        error("[dispatchers.io]\nkind = 'pinned'\ncolour = 'red'"),
        "line 3: unknown key `colour`; there are `kind`, `threads`, `throughput`, `time_limit`"
    );
    assert_eq!(
        error("[phase_deadlines]\nstop_actor = '1s'"),
        "line 2: unknown key `stop_actor`, perhaps `stop_actors` is meant; \
         there are `close_doors`, `finish_requests`, `stop_actors`, `release_resources`"
    );
}

#[test]
fn a_wrong_value_is_named_with_those_there_are() {
    for (value, expected) in [
        (
            "kind = 'fixd'",
            "line 2: unknown kind `fixd`, perhaps `fixed` is meant; there are `shared`, `fixed`, `pinned`",
        ),
        (
            "kind = 5",
            "line 2: invalid type: integer `5`, expected one of `shared`, `fixed`, `pinned` for `kind`",
        ),
        (
            "threads = 0",
            "line 2: invalid value: integer `0`, expected a whole number from 1 for `threads`",
        ),
        (
            "throughput = -1",
            "line 2: invalid value: integer `-1`, expected a whole number from 1 for `throughput`",
        ),
        (
            "throughput = '5'",
            "line 2: invalid type: string \"5\", expected a whole number from 1 for `throughput`",
        ),
        (
            "time_limit = '5'",
            "line 2: invalid value: string \"5\", expected a time such as \"250ms\", \"10s\" or \"2m\" for `time_limit`",
        ),
        (
            "time_limit = 5",
            "line 2: invalid type: integer `5`, expected a time such as \"250ms\", \"10s\" or \"2m\" for `time_limit`",
        ),
    ] {
        assert_eq!(error(&format!("[dispatchers.io]\n{value}")), expected);
    }
    assert_eq!(
        error("[dead_letter_log]\nlimit = -1"),
        "line 2: invalid value: integer `-1`, expected a whole number from 0 for `limit`"
    );
    assert_eq!(
        error("[dead_letter_log]\nlimits = 1"),
        "line 2: unknown key `limits`, perhaps `limit` is meant; there are `limit`, `pause`"
    );
    assert_eq!(
        error("dispatchers = 5"),
        "line 1: invalid type: integer `5`, expected a map"
    );
}

#[test]
fn what_does_not_fit_together_is_refused() {
    for (table, expected) in [
        (
            "throughput = 5",
            "line 2: a dispatcher needs `kind`, \"shared\", \"fixed\" or \"pinned\"",
        ),
        (
            "kind = 'fixed'",
            "line 2: kind \"fixed\" needs `threads`, a whole number from 1",
        ),
        (
            "kind = 'shared'\nthreads = 4",
            "line 2: `threads` is for kind \"fixed\" only, and this is \"shared\"; leave it out",
        ),
        (
            "kind = 'pinned'\nthreads = 4",
            "line 2: `threads` is for kind \"fixed\" only, and this is \"pinned\"; leave it out",
        ),
    ] {
        assert_eq!(error(&format!("\n[dispatchers.io]\n{table}")), expected);
    }
    for (name, expected) in [
        (
            "own",
            "line 1: \"own\" names the threads of blocking actors; choose another name",
        ),
        ("'a/b'", "line 1: bad name \"a/b\": "),
    ] {
        let text = format!("[dispatchers.{name}]\nkind = 'shared'");
        assert!(error(&text).starts_with(expected), "{}", error(&text));
    }
}

#[test]
fn what_is_no_toml_says_where() {
    let error = SystemConfig::from_toml("[dispatchers.io]\nkind = \n").unwrap_err();
    assert_eq!(error.line(), Some(2), "{error}");
}
