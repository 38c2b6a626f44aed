//! What the engine did in this process, counted.
//!
//! These are process-wide because the engine is: there is one library, with one owner. They answer questions that only a
//! count can, such as "was the document opened once?" and "is every page closed again?".

use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) static COUNTERS: Live = Live {
    libraries_loaded: Count::new(),
    documents_opened: Count::new(),
    documents_closed: Count::new(),
    pages_loaded: Count::new(),
    pages_closed: Count::new(),
    pages_rendered: Count::new(),
};

/// The counts of this process up to now. They only grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// How often the library was loaded and initialised.
    pub libraries_loaded: u64,
    /// Documents opened.
    pub documents_opened: u64,
    /// Documents closed again.
    pub documents_closed: u64,
    /// Pages loaded.
    pub pages_loaded: u64,
    /// Pages closed again.
    pub pages_closed: u64,
    /// Pages rendered to the end; one given up does not count.
    pub pages_rendered: u64,
}

impl Counters {
    /// Documents that are open at this moment.
    pub fn documents_open(&self) -> u64 {
        self.documents_opened - self.documents_closed
    }

    /// Pages that are open at this moment.
    pub fn pages_open(&self) -> u64 {
        self.pages_loaded - self.pages_closed
    }
}

/// Reads the counts. The closed ones are read first, so that a difference is never negative.
pub fn counters() -> Counters {
    let documents_closed = COUNTERS.documents_closed.get();
    let pages_closed = COUNTERS.pages_closed.get();
    Counters {
        libraries_loaded: COUNTERS.libraries_loaded.get(),
        documents_opened: COUNTERS.documents_opened.get(),
        documents_closed,
        pages_loaded: COUNTERS.pages_loaded.get(),
        pages_closed,
        pages_rendered: COUNTERS.pages_rendered.get(),
    }
}

pub(crate) struct Live {
    pub(crate) libraries_loaded: Count,
    pub(crate) documents_opened: Count,
    pub(crate) documents_closed: Count,
    pub(crate) pages_loaded: Count,
    pub(crate) pages_closed: Count,
    pub(crate) pages_rendered: Count,
}

pub(crate) struct Count(AtomicU64);

impl Count {
    const fn new() -> Count {
        Count(AtomicU64::new(0))
    }

    /// Release, paired with the acquire in `get`: who sees a close also sees the open before it.
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Release);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}
