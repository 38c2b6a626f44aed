//! Dispatchers with own threads.

use super::{Toy, host};
use crate::dispatch::Dispatcher;
use crate::dispatch::threads::{Threads, Work};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::{fs, thread};
use tokio::runtime::{Builder, Runtime};

fn runtime() -> Runtime {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

/// How many of our threads the dispatcher has, by their names. Linux keeps the first 15 bytes.
fn threads_of(dispatcher: &str) -> usize {
    let name = format!("playhouse-{dispatcher}-");
    let is_ours = |task: &fs::DirEntry| {
        let known = fs::read_to_string(task.path().join("comm")).unwrap_or_default();
        known.starts_with(&name[..name.len().min(15)])
    };
    let tasks = fs::read_dir("/proc/self/task").expect("on Linux");
    tasks.filter_map(Result::ok).filter(is_ours).count()
}

#[test]
fn one_thread_takes_turns_in_the_order_of_their_coming() {
    let runtime = runtime();
    let on = Dispatcher::fixed(1).start("fifo", &host(&runtime));
    let order = Arc::new(Mutex::new(Vec::new()));
    let (go, may_go) = mpsc::channel::<()>();
    on.submit(move || may_go.recv().unwrap_or_default());
    let toy = |name: &'static str| {
        let order = order.clone();
        Toy::new(&on, move |_| order.lock().expect("whole").push(name))
    };
    let (busy, quick) = (toy("busy"), toy("quick"));
    (0..1_000).for_each(|_| busy.tell());
    quick.tell();
    let noted = order.clone();
    on.submit(move || noted.lock().expect("whole").push("closure"));
    go.send(()).expect("it waits");
    on.close();
    let order = order.lock().expect("whole");
    assert_eq!(order[..4], ["busy", "quick", "closure", "busy"]);
    assert_eq!(
        order.len(),
        1_002,
        "the queue ran dry before the close ended"
    );
}

#[test]
fn without_a_thread_the_actor_ends_and_its_sender_goes_on() {
    let runtime = runtime();
    let none = Threads::new("none", 1, 0, runtime.handle().clone());
    let on = Dispatcher::fixed(1).start("unused", &host(&runtime));
    let ended = Arc::new(AtomicUsize::new(0));
    let counts = ended.clone();
    let toy = Toy::with_end(&on, |_| {}, move || counts.fetch_add(1, SeqCst));
    none.give(Work::Turn(toy.scheduled()));
    assert_eq!(ended.load(SeqCst), 1);
    assert_eq!(toy.handled(), 0);
    none.give(Work::Closure(Box::new(|| unreachable!("nobody runs it"))));
    none.close();
}

#[test]
fn everything_scheduled_by_four_outside_threads_runs_once() {
    const MESSAGES: usize = 25_000;
    let runtime = runtime();
    let on = Dispatcher::fixed(2).start("all", &host(&runtime));
    let toys: Vec<_> = (0..16).map(|_| Toy::new(&on, |_| {})).collect();
    thread::scope(|scope| {
        for n in 0..4 {
            let toys = &toys;
            scope.spawn(move || (0..MESSAGES).for_each(|i| toys[(i * 7 + n) % 16].tell()));
        }
    });
    on.close();
    assert_eq!(
        toys.iter().map(|toy| toy.handled()).sum::<usize>(),
        4 * MESSAGES
    );
}

#[test]
fn threads_start_with_the_first_use_and_none_is_left_after_the_close() {
    let runtime = runtime();
    let on = Dispatcher::fixed(3).start("n", &host(&runtime));
    assert_eq!(threads_of("n"), 0);
    assert!(!on.has_threads());
    let toy = Toy::new(&on, |_| {
        tokio::runtime::Handle::current(); // inside the system's runtime
    });
    toy.tell();
    assert!(on.has_threads());
    on.close();
    assert_eq!((threads_of("n"), toy.handled()), (0, 1));
}

#[test]
fn what_comes_after_the_close_is_dropped_and_so_is_whom_that_tells() {
    let runtime = runtime();
    for shape in [Dispatcher::fixed(1), Dispatcher::pinned()] {
        let on = shape.start("late", &host(&runtime));
        on.refuse();
        let ended = Arc::new(AtomicUsize::new(0));
        let note = |ended: &Arc<AtomicUsize>| {
            let ended = ended.clone();
            move || ended.fetch_add(1, SeqCst)
        };
        let home = on.home();
        let parent = Toy::with_end(&home, |_| {}, note(&ended));
        let ends = note(&ended);
        let child = Toy::with_end(
            &home,
            |_| {},
            move || {
                ends();
                parent.tell();
            },
        );
        child.tell();
        assert_eq!(ended.load(SeqCst), 2);
        assert_eq!(child.handled(), 0);
        on.close();
    }
}

#[test]
fn each_pinned_actor_has_one_thread_which_ends_when_it_leaves() {
    let runtime = runtime();
    let on = Dispatcher::pinned().start("p", &host(&runtime));
    let (told, seen) = mpsc::channel();
    let actor = || {
        let told = told.clone();
        let home = on.home();
        assert!(home.may_block());
        let toy = Toy::new(&home, move |_| {
            told.send(thread::current().id()).unwrap_or_default()
        });
        (home, toy)
    };
    let actors = [actor(), actor()];
    assert_eq!(
        threads_of("p"),
        0,
        "a lane has no thread before its first turn"
    );
    let mut threads = Vec::new();
    for (_, toy) in &actors {
        for _ in 0..3 {
            toy.tell();
            threads.push(seen.recv().expect("told"));
        }
    }
    assert!(threads[..3].iter().all(|id| *id == threads[0]));
    assert!(
        threads[3..]
            .iter()
            .all(|id| *id == threads[3] && *id != threads[0])
    );
    actors[0].0.leave();
    while threads_of("p") > 1 {
        thread::yield_now();
    }
    actors[1].1.tell();
    assert_eq!(seen.recv(), Ok(threads[3]));
    on.refuse();
    actors[1].1.tell(); // it still lives there
    assert_eq!(seen.recv(), Ok(threads[3]));
    actors[1].0.leave();
    on.close();
    assert_eq!(threads_of("p"), 0);
    assert!(!on.has_threads());
}

#[test]
fn a_closure_on_a_pinned_dispatcher_has_its_own_thread_and_is_joined() {
    let runtime = runtime();
    let on = Dispatcher::pinned().start("c", &host(&runtime));
    let (met, meets) = mpsc::channel();
    let meets = Mutex::new(meets);
    let (told, is_done) = mpsc::channel();
    on.submit(move || {
        told.send(meets.lock().expect("whole").recv())
            .unwrap_or_default()
    });
    on.submit(move || met.send(()).unwrap_or_default()); // the other one blocks meanwhile
    on.close();
    assert_eq!(is_done.recv(), Ok(Ok(())));
    assert_eq!(threads_of("c"), 0);
}

#[test]
fn threads_end_with_the_last_reference() {
    let runtime = runtime();
    let on = Dispatcher::fixed(2).start("r", &host(&runtime));
    let (told, is_done) = mpsc::channel();
    on.submit(move || told.send(()).unwrap_or_default());
    is_done.recv().expect("submitted");
    drop(on);
    while threads_of("r") > 0 {
        thread::yield_now();
    }
}

#[test]
fn a_time_limit_is_what_was_set() {
    let runtime = runtime();
    let limit = std::time::Duration::from_millis(3);
    let on = Dispatcher::pinned()
        .time_limit(limit)
        .start("t", &host(&runtime));
    assert_eq!(
        (on.time_limit(), on.home().time_limit()),
        (Some(limit), Some(limit))
    );
    assert_eq!(
        Dispatcher::shared()
            .start("d", &host(&runtime))
            .time_limit(),
        None
    );
}
