//! Shared dispatchers.

use super::{Toy, host};
use crate::dispatch::{Dispatcher, DispatcherRef};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

fn workers(count: usize) -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(count)
        .enable_all()
        .build()
        .expect("a runtime")
}

fn shared(runtime: &Runtime) -> DispatcherRef {
    Dispatcher::shared().start("test", &host(runtime))
}

/// A channel, one send for each message.
fn reporting(on: &DispatcherRef) -> (Arc<Toy>, mpsc::Receiver<()>) {
    let (told, handled) = mpsc::channel();
    let toy = Toy::new(on, move |_| told.send(()).unwrap_or_default());
    (toy, handled)
}

#[test]
fn everything_scheduled_by_four_outside_threads_runs_once() {
    const MESSAGES: usize = 100_000;
    let runtime = workers(2);
    let on = shared(&runtime);
    let toys: Vec<_> = (0..64).map(|_| Toy::new(&on, |_| {})).collect();
    thread::scope(|scope| {
        for n in 0..4 {
            let toys = &toys;
            scope.spawn(move || (0..MESSAGES).for_each(|i| toys[(i * 7 + n) % 64].tell()));
        }
    });
    let handled = || toys.iter().map(|toy| toy.handled()).sum::<usize>();
    while handled() < 4 * MESSAGES {
        thread::yield_now();
    }
    drop(runtime);
    assert_eq!(handled(), 4 * MESSAGES);
    for toy in toys {
        assert_eq!(Arc::strong_count(&toy), 1, "no queue keeps a toy");
    }
}

#[test]
fn more_actors_than_a_ring_holds_wake_each_other_and_none_is_lost() {
    for count in [1, 2] {
        let runtime = workers(count);
        let on = shared(&runtime);
        let (done, all_done) = mpsc::channel();
        let toys: Arc<Vec<_>> = (0..2_000)
            .map(|_| {
                let done = done.clone();
                Toy::new(&on, move |_| done.send(()).unwrap_or_default())
            })
            .collect::<Vec<_>>()
            .into();
        let first = Toy::new(&on, {
            let toys = toys.clone();
            move |_| toys.iter().for_each(|toy| toy.tell())
        });
        first.tell();
        (0..2_000).for_each(|_| all_done.recv().expect("all are handled"));
    }
}

#[test]
fn an_actor_woken_by_one_that_then_blocks_its_worker_runs_on_another() {
    let runtime = workers(2);
    let on = shared(&runtime);
    let (answer, question) = mpsc::channel();
    let question = Mutex::new(question);
    let (told, unblocked) = mpsc::channel();
    let second = Toy::new(&on, move |_| answer.send(()).unwrap_or_default());
    let first = Toy::new(&on, move |_| {
        second.tell();
        let answer = question.lock().expect("whole").recv();
        told.send(answer).unwrap_or_default();
    });
    first.tell();
    assert_eq!(unblocked.recv(), Ok(Ok(())));
}

#[test]
fn what_waits_in_the_queue_of_a_blocked_worker_runs_on_another() {
    let runtime = workers(2);
    let on = shared(&runtime);
    let (answer, question) = mpsc::channel();
    let question = Mutex::new(question);
    let (told, unblocked) = mpsc::channel();
    let others: Vec<_> = (0..10)
        .map(|_| {
            let answer = answer.clone();
            Toy::new(&on, move |_| answer.send(()).unwrap_or_default())
        })
        .collect();
    let first = Toy::new(&on, move |_| {
        others.iter().for_each(|toy| toy.tell());
        let question = question.lock().expect("whole");
        let answers = (0..10).filter_map(|_| question.recv().ok()).count();
        told.send(answers).unwrap_or_default();
    });
    first.tell();
    assert_eq!(unblocked.recv(), Ok(10));
}

#[test]
fn a_current_thread_runtime_drives_actors() {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    let on = shared(&runtime);
    let (done, mut is_done) = tokio::sync::mpsc::unbounded_channel();
    let second = Toy::new(&on, move |_| done.send(()).unwrap_or_default());
    let first = Toy::new(&on, move |_| second.tell());
    runtime.block_on(async {
        first.tell();
        is_done.recv().await.expect("told");
        first.tell();
        is_done
            .recv()
            .await
            .expect("told again, after the driver was parked");
    });
}

#[test]
fn a_plain_task_goes_on_while_actors_always_have_more() {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let on = shared(&runtime);
    let toys: Vec<_> = (0..10).map(|_| Toy::new(&on, |me| me.tell())).collect();
    runtime.block_on(async {
        toys.iter().for_each(|toy| toy.tell());
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        tokio::time::sleep(Duration::from_millis(1)).await; // sleeps: timers go on as well
    });
    let handled: Vec<_> = toys.iter().map(|toy| toy.handled()).collect();
    assert!(handled.iter().all(|turns| *turns > 0), "{handled:?}");
}

#[test]
fn two_that_wake_each_other_do_not_starve_a_third() {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    let on = shared(&runtime);
    let pair: Arc<Mutex<Vec<Arc<Toy>>>> = Arc::default();
    for other in [1, 0] {
        let pair_of = pair.clone();
        let toy = Toy::new(&on, move |_| {
            let other = pair_of.lock().expect("whole").get(other).cloned();
            other.into_iter().for_each(|toy| toy.tell());
        });
        pair.lock().expect("whole").push(toy);
    }
    let (done, mut is_done) = tokio::sync::mpsc::unbounded_channel();
    let turns_before = pair.clone();
    let third = Toy::new(&on, move |_| {
        let pair = turns_before.lock().expect("whole").clone();
        done.send(pair[0].handled() + pair[1].handled())
            .unwrap_or_default();
    });
    let starter = pair.lock().expect("whole")[0].clone();
    let begin = Toy::new(&on, {
        let third = third.clone();
        move |_| {
            third.tell();
            starter.tell();
        }
    });
    let turns = runtime.block_on(async {
        begin.tell();
        is_done.recv().await.expect("told")
    });
    assert_eq!(turns, crate::limits::LIFO_RUN);
    pair.lock().expect("whole").clear(); // they hold each other
}

#[test]
fn a_runtime_that_goes_away_ends_what_was_queued_and_what_comes_later() {
    for count in [1, 2] {
        let runtime = workers(count);
        let on = shared(&runtime);
        let ended = Arc::new(AtomicUsize::new(0));
        let (told, is_running) = mpsc::channel();
        let is_over = Arc::new(AtomicBool::new(false));
        let blocker = |_| {
            let is_over = is_over.clone();
            let told = told.clone();
            Toy::new(&on, move |_| {
                told.send(()).unwrap_or_default();
                while !is_over.load(SeqCst) {
                    thread::yield_now();
                }
            })
        };
        let blockers: Vec<_> = (0..count).map(blocker).collect();
        blockers.iter().for_each(|toy| toy.tell());
        (0..count).for_each(|_| is_running.recv().expect("every worker is held up"));
        let toy = || {
            let ended = ended.clone();
            Toy::with_end(&on, |_| {}, move || ended.fetch_add(1, SeqCst))
        };
        let toys: Vec<_> = (0..1_000).map(|_| toy()).collect();
        toys.iter().for_each(|toy| toy.tell());
        runtime.shutdown_background();
        is_over.store(true, SeqCst);
        let handled = || toys.iter().map(|toy| toy.handled()).sum::<usize>();
        while handled() + ended.load(SeqCst) < 1_000 {
            thread::yield_now();
        }
        let late = toy();
        late.tell();
        while Arc::strong_count(&late) > 1 {
            thread::yield_now(); // a driver that has not gone yet may still hold it
        }
        assert_eq!(handled() + late.handled() + ended.load(SeqCst), 1_001);
        assert!(toys.iter().all(|toy| Arc::strong_count(toy) == 1));
    }
}

#[test]
fn a_runtime_that_is_gone_ends_at_once_what_comes_later_and_those_it_tells() {
    let runtime = workers(2);
    let on = shared(&runtime);
    drop(runtime);
    const LINE: usize = 100_000; // one in the other would exhaust the stack
    let ended = Arc::new(AtomicUsize::new(0));
    let mut next: Option<Arc<Toy>> = None;
    for _ in 0..LINE {
        let ended = ended.clone();
        let teller = next.take();
        next = Some(Toy::with_end(
            &on,
            |_| {},
            move || {
                ended.fetch_add(1, SeqCst);
                teller.iter().for_each(|toy| toy.tell());
            },
        ));
    }
    next.iter().for_each(|toy| toy.tell());
    assert_eq!(ended.load(SeqCst), LINE);
    std::mem::forget(next); // their drops are one in the other
}

#[test]
fn the_drivers_end_with_the_last_reference() {
    let runtime = workers(2);
    let before = runtime.metrics().num_alive_tasks();
    let on = shared(&runtime);
    let (toy, handled) = reporting(&on);
    toy.tell();
    handled.recv().expect("told");
    drop(on);
    assert!(
        runtime.metrics().num_alive_tasks() >= before + 2,
        "the toy still lives there"
    );
    drop(toy);
    while runtime.metrics().num_alive_tasks() > before {
        thread::yield_now();
    }
}

#[test]
fn a_task_and_the_actor_it_tells_take_turns() {
    const ASKS: usize = 10_000;
    for count in [1, 2] {
        let runtime = workers(count);
        let on = shared(&runtime);
        let clients = (0..16).map(|_| {
            let answer = Arc::new(tokio::sync::Notify::new());
            let actor = Toy::new(&on, {
                let answer = answer.clone();
                move |_| answer.notify_one()
            });
            runtime.spawn(async move {
                for _ in 0..ASKS / 16 {
                    actor.tell();
                    answer.notified().await;
                }
            })
        });
        for client in clients.collect::<Vec<_>>() {
            runtime.block_on(client).expect("every ask is answered");
        }
    }
}

#[test]
fn two_dispatchers_on_one_runtime_and_one_on_another_tell_each_other() {
    let (one, other) = (workers(2), workers(1));
    let homes = [shared(&one), shared(&one), shared(&other)];
    let (done, is_done) = mpsc::channel();
    let mut next = Toy::new(&homes[0], move |_| done.send(()).unwrap_or_default());
    for hop in 0..300 {
        let before = next;
        next = Toy::new(&homes[hop % 3], move |_| before.tell());
    }
    next.tell();
    is_done.recv().expect("it went all the way");
}

#[test]
fn a_turn_that_drives_another_runtime_keeps_its_own_seat() {
    let runtime = workers(1);
    let on = shared(&runtime);
    let (toy, handled) = reporting(&on);
    let (told, is_done) = mpsc::channel();
    let nesting = Toy::new(&on, move |_| {
        // A thread that drives Tokio tasks may not block on another runtime, unless Tokio is told so.
        tokio::task::block_in_place(|| {
            let inner = Builder::new_current_thread().build().expect("a runtime");
            let there = shared(&inner);
            let (done, mut is_done) = tokio::sync::mpsc::unbounded_channel();
            let guest = Toy::new(&there, move |_| done.send(()).unwrap_or_default());
            inner.block_on(async {
                guest.tell();
                is_done.recv().await.expect("told");
            });
        });
        toy.tell();
        told.send(()).unwrap_or_default();
    });
    nesting.tell();
    is_done.recv().expect("it came back");
    handled.recv().expect("told from the outer seat");
}

#[test]
fn a_submitted_closure_runs_and_its_panic_harms_nobody() {
    let runtime = workers(1);
    let on = shared(&runtime);
    on.submit(|| std::panic::resume_unwind(Box::new("one of the user's")));
    let (told, is_done) = mpsc::channel();
    on.submit(move || told.send(()).unwrap_or_default());
    is_done.recv().expect("submitted");
    assert!(!on.has_threads());
    on.close();
}
