//! Own threads around one run queue, for handlers that block.
//!
//! Strictly first in, first out, closures and turns alike: with one thread, an actor that has more to do waits for
//! everybody who came before. After the close the queue runs dry; what comes later is dropped.

use super::Closure;
use super::abandon::abandon;
use super::runnable::Runnable;
use crate::sync::{Arc, Condvar, Mutex, drop_quietly, run_quietly, thread, wait};
use std::collections::VecDeque;
use std::ops::Range;
use tokio::runtime::Handle;

pub(crate) struct Threads {
    dispatcher: String,
    numbers: Range<usize>,
    runtime: Handle,
    queue: Mutex<Queue>,
    work: Condvar,
}

#[derive(Default)]
struct Queue {
    work: VecDeque<Work>,
    /// Threads that wait for work.
    idle: usize,
    running: Vec<thread::JoinHandle<()>>,
    is_closed: bool,
}

pub(crate) enum Work {
    Turn(Runnable),
    Closure(Closure),
}

impl Threads {
    /// They start with the first use, and are named `playhouse-<dispatcher>-<n>`, counting from `first`.
    pub(crate) fn new(dispatcher: &str, first: usize, count: usize, runtime: Handle) -> Arc<Self> {
        Arc::new(Self {
            dispatcher: dispatcher.to_owned(),
            numbers: first..first + count,
            runtime,
            queue: Mutex::new(Queue::default()),
            work: Condvar::new(),
        })
    }

    /// Queues it. Dropped, with a word on standard error, if the operating system gives not a single thread: then nobody
    /// would ever run it, and its sender is not to blame.
    pub(crate) fn give(self: &Arc<Self>, work: Work) {
        let mut queue = self.queue.lock();
        if queue.is_closed {
            drop(queue); // what is dropped may come back here
            return work.throw_away();
        }
        if queue.running.is_empty() {
            let started = self.start(&mut queue);
            if queue.running.is_empty() {
                drop(queue); // as above
                self.complain(started);
                return work.throw_away();
            }
        }
        queue.work.push_back(work);
        if queue.idle > 0 {
            self.work.notify_one();
        }
    }

    #[cold]
    fn complain(&self, started: std::io::Result<()>) {
        let why = started.map_or_else(|error| error.to_string(), |()| "none is allowed".to_owned());
        eprintln!(
            "playhouse: the dispatcher {:?} has no thread ({why}); the actor that needed one ends, and a closure given to \
             it is dropped; allow this process more threads, or give it dispatchers with fewer",
            self.dispatcher
        );
    }

    pub(crate) fn has_threads(&self) -> bool {
        !self.queue.lock().running.is_empty()
    }

    /// All of them have ended, or none ever started and none ever will.
    pub(crate) fn have_ended(&self) -> bool {
        let queue = self.queue.lock();
        queue.is_closed && queue.running.iter().all(thread::JoinHandle::is_finished)
    }

    /// Takes no more work, so no more threads start either, and those that run end when the queue is dry.
    pub(crate) fn refuse(&self) {
        self.queue.lock().is_closed = true;
        self.work.notify_all();
    }

    /// Lets the queue run dry and joins the threads. Blocks.
    pub(crate) fn close(&self) {
        self.refuse();
        self.join();
    }

    /// Waits for the end of the threads that run now. Blocks.
    pub(crate) fn join(&self) {
        let running = std::mem::take(&mut self.queue.lock().running);
        for thread in running {
            let _ = thread.join(); // panics were caught inside
        }
    }

    /// Some may have started when one could not; they do the work.
    fn start(self: &Arc<Self>, queue: &mut Queue) -> std::io::Result<()> {
        for n in self.numbers.clone() {
            let threads = self.clone();
            let name = format!("playhouse-{}-{n}", self.dispatcher);
            let thread = thread::Builder::new()
                .name(name)
                .spawn(move || threads.run());
            queue.running.push(thread?);
        }
        Ok(())
    }

    /// One thread.
    fn run(&self) {
        let _inside = self.runtime.enter();
        while let Some(work) = self.next() {
            match work {
                Work::Closure(closure) => run_quietly(closure),
                Work::Turn(runnable) => {
                    if let Some(again) = runnable.run() {
                        self.queue_again(again);
                    }
                }
            }
        }
    }

    /// It was accepted before a close, so it is not refused after it. This thread is awake, and wakes nobody for it
    /// unless others wait as well.
    fn queue_again(&self, runnable: Runnable) {
        let mut queue = self.queue.lock();
        let are_others_waiting = !queue.work.is_empty();
        queue.work.push_back(Work::Turn(runnable));
        if are_others_waiting && queue.idle > 0 {
            self.work.notify_one();
        }
    }

    /// `None`: closed and dry.
    fn next(&self) -> Option<Work> {
        let mut queue = self.queue.lock();
        loop {
            if let Some(work) = queue.work.pop_front() {
                return Some(work);
            }
            if queue.is_closed {
                return None;
            }
            queue.idle += 1;
            queue = wait(&self.work, queue);
            queue.idle -= 1;
        }
    }
}

impl Work {
    fn throw_away(self) {
        match self {
            Self::Turn(runnable) => abandon(runnable),
            Self::Closure(closure) => drop_quietly(closure), // it is the user's
        }
    }
}
