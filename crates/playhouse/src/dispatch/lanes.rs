//! A thread for each actor and each submitted closure: a *lane* of its own.

use super::Closure;
use super::threads::{Threads, Work};
use crate::sync::{Arc, Mutex};
use tokio::runtime::Handle;

pub(crate) struct Lanes {
    name: String,
    runtime: Handle,
    opened: Mutex<Opened>,
}

#[derive(Default)]
struct Opened {
    count: usize,
    /// Those that may have a thread, now or later.
    lanes: Vec<Arc<Threads>>,
    is_closed: bool,
}

impl Lanes {
    pub(crate) fn new(name: &str, runtime: Handle) -> Self {
        Self {
            name: name.to_owned(),
            runtime,
            opened: Mutex::new(Opened::default()),
        }
    }

    /// For an actor. Its thread starts with the first turn. After the close, a lane that refuses everything.
    pub(crate) fn open(&self) -> Arc<Threads> {
        let mut opened = self.opened.lock();
        opened.count += 1;
        let lane = Threads::new(&self.name, opened.count, 1, self.runtime.clone());
        if opened.is_closed {
            lane.refuse();
        } else {
            opened.lanes.retain(|lane| !lane.have_ended());
            opened.lanes.push(lane.clone());
        }
        lane
    }

    pub(crate) fn submit(&self, work: Closure) {
        let lane = self.open();
        lane.give(Work::Closure(work));
        lane.refuse(); // its thread ends after this one
    }

    pub(crate) fn has_threads(&self) -> bool {
        self.opened
            .lock()
            .lanes
            .iter()
            .any(|lane| lane.has_threads())
    }

    /// No new lanes. An old one goes on until its actor leaves it: what the actor has made may not be touched, not even
    /// dropped, on another thread.
    pub(crate) fn refuse(&self) {
        self.opened.lock().is_closed = true;
    }

    /// Joins every thread. Blocks.
    pub(crate) fn close(&self) {
        self.refuse();
        let lanes = std::mem::take(&mut self.opened.lock().lanes);
        lanes.iter().for_each(|lane| lane.join());
    }
}
