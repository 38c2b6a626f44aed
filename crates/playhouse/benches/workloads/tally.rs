//! Who is waited for at the end of a workload, and what they counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::Notify;

/// Waits for a number of parties and adds up what each reports. Cloned into the actors.
#[derive(Clone, Debug)]
pub(crate) struct Tally(Arc<Inside>);

#[derive(Debug)]
struct Inside {
    missing: AtomicU64,
    sum: AtomicU64,
    complete: Notify,
}

impl Tally {
    pub(crate) fn of(parties: u64) -> Self {
        Self(Arc::new(Inside {
            missing: AtomicU64::new(parties),
            sum: AtomicU64::new(0),
            complete: Notify::new(),
        }))
    }

    /// One party is done. True for the last one.
    pub(crate) fn report(&self, amount: u64) -> bool {
        self.0.sum.fetch_add(amount, Ordering::Relaxed); // published by the next line
        // Release: the last party's Acquire half, and so the reader that it wakes, sees every sum.
        let is_last = self.0.missing.fetch_sub(1, Ordering::AcqRel) == 1;
        if is_last {
            self.0.complete.notify_one();
        }
        is_last
    }

    /// The sum, when everybody has reported. For one waiter.
    pub(crate) async fn sum(&self) -> u64 {
        self.0.complete.notified().await;
        self.0.sum.load(Ordering::Relaxed) // ordered by the notification
    }
}
