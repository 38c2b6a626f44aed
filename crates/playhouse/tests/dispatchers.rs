//! What a dispatcher with its own threads leaves behind: nothing. One test, because it counts the threads of its process.
#![cfg(target_os = "linux")]

mod common;

use common::{assert_clean, journal, read};
use playhouse::prelude::*;
use std::sync::mpsc;

/// The names of this process's threads that a dispatcher has named. The system keeps 15 bytes of each.
fn threads_of_dispatchers() -> Vec<String> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let name = |task: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_to_string(task.ok()?.path().join("comm")).ok() // gone meanwhile: no thread
    };
    let mut names: Vec<String> = tasks
        .filter_map(name)
        .filter(|name| name.starts_with("playhouse-"))
        .map(|name| name.trim_end().to_owned())
        .collect();
    names.sort();
    names
}

/// Waits until exactly these are there. A thread names itself when it begins, and goes from the list a moment after it was
/// joined.
async fn until_threads_are(expected: &[&str]) {
    let cut = |name: &&str| format!("playhouse-{name}").chars().take(15).collect();
    let expected: Vec<String> = expected.iter().map(cut).collect();
    while threads_of_dispatchers() != expected {
        tokio::task::yield_now().await;
    }
}

/// On the test's own Tokio runtime, whose workers are not ours.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shutdown_runs_every_queue_dry_and_leaves_no_thread() {
    let system = ActorSystem::builder("test")
        .dispatcher("four", Dispatcher::fixed(4))
        .dispatcher("pin", Dispatcher::pinned())
        .build()
        .unwrap();
    assert_eq!(threads_of_dispatchers(), [""; 0], "none before it is used");

    let (seen, mut journal) = journal();
    let (hold, held) = mpsc::channel::<()>();
    let four = system.dispatcher("four").unwrap();
    four.submit(move || assert!(held.recv().is_err()));
    for n in 0..1_000 {
        let seen = seen.clone();
        four.submit(move || seen.send(n).unwrap());
    }
    let (started, mut has_started) = common::journal();
    for name in ["one", "two", "own"] {
        let started = started.clone();
        let body = async move |ctx: &mut Context<()>| {
            started.send(())?;
            while ctx.recv().await.is_some() {}
            Ok(())
        };
        let pinned = Props::func(body).dispatcher_named("pin");
        system.spawn(name, pinned).unwrap();
        has_started.recv().await.unwrap();
    }
    let expected = [
        "four-1", "four-2", "four-3", "four-4", "pin-1", "pin-2", "pin-3",
    ];
    until_threads_are(&expected).await;

    let ending = tokio::spawn({
        let system = system.clone();
        async move { system.shutdown().await }
    });
    drop(hold);
    assert_clean(&ending.await.unwrap());
    let mut ran = read(&mut journal);
    ran.sort_unstable();
    assert_eq!(
        ran,
        (0..1_000).collect::<Vec<_>>(),
        "what was submitted ran"
    );
    until_threads_are(&[]).await;
}
