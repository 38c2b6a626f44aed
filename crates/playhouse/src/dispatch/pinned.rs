//! A thread per actor.

use super::Closure;
use crate::sync::{Mutex, drop_quietly, run_quietly, thread};
use tokio::runtime::Handle;

pub(crate) struct Threads {
    name: String,
    runtime: Handle,
    started: Mutex<Started>,
}

#[derive(Default)]
struct Started {
    count: usize,
    running: Vec<thread::JoinHandle<()>>,
    is_closed: bool,
}

impl Threads {
    pub(crate) fn new(name: &str, runtime: Handle) -> Self {
        Self {
            name: name.to_owned(),
            runtime,
            started: Mutex::new(Started::default()),
        }
    }

    /// # Panics
    /// If the operating system gives no thread.
    pub(crate) fn run(&self, work: Closure) {
        let mut started = self.started.lock();
        if started.is_closed {
            drop(started);
            return drop_quietly(work); // it is the user's
        }
        started.count += 1;
        started.running.retain(|thread| !thread.is_finished());
        let name = format!("playhouse-{}-{}", self.name, started.count);
        let runtime = self.runtime.clone();
        let thread = thread::Builder::new().name(name).spawn(move || {
            let _inside = runtime.enter();
            run_quietly(work);
        });
        match thread {
            Ok(thread) => started.running.push(thread),
            Err(error) => {
                drop(started);
                panic!("the operating system gave no thread for an actor with its own: {error}");
            }
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }
    pub(crate) fn has_threads(&self) -> bool {
        !self.started.lock().running.is_empty()
    }

    /// Takes no more work, so no more threads start either.
    pub(crate) fn refuse(&self) {
        self.started.lock().is_closed = true;
    }

    /// Joins every thread. Blocks.
    pub(crate) fn close(&self) {
        self.refuse();
        let running = std::mem::take(&mut self.started.lock().running);
        for thread in running {
            let _ = thread.join(); // panics were caught inside
        }
    }
}
