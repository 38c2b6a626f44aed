//! Which drivers are parked, and which were called to search.
//!
//! It promises: what is queued before [`call`](Sleepers::call) or [`wake`](Sleepers::wake) is seen by a driver that is
//! awake. Everything is decided by read-modify-writes of one word, which are in one order for all:
//!
//! - A driver parks by setting its bit and looks at the queues **afterwards**. A caller queues first and changes the word
//!   **afterwards**. Whichever change is second sees what came before the first: the caller finds the bit, or the driver
//!   finds the work.
//! - A caller that finds a driver already *searching* calls nobody: that driver gives the search up by a change of the
//!   word as well, and looks at the queues afterwards.
//!
//! ```text
//! bit 0..56   driver i is parked
//! bit 56..    the driver that was called and has not yet found work or parked again, plus one; at most one at a time
//! ```
//!
//! That it was called is in the same word, because a driver may be polled for another reason right then: it must not
//! begin a long turn without knowing that everybody relies on its search.

use crate::limits;
use crate::sync::{AtomicU64, Ordering};

const PARKED: u64 = (1 << limits::DRIVERS) - 1;

pub(crate) struct Sleepers {
    word: AtomicU64,
    drivers: usize,
}

/// The driver that searches, as it is in the word.
#[must_use = "the others are not called while somebody searches"]
pub(crate) struct Search(u64);

impl Sleepers {
    pub(crate) fn new(drivers: usize) -> Self {
        assert!(drivers <= limits::DRIVERS, "every driver has a bit");
        Self {
            word: AtomicU64::new(0),
            drivers,
        }
    }

    /// Something was queued for any driver. Returns one that must be polled, if it takes one to see it.
    pub(crate) fn call(&self) -> Option<usize> {
        loop {
            // AcqRel with `park` and `found`: the order that the module promises. A plain load could be too old.
            let word = self.word.fetch_or(0, Ordering::AcqRel);
            let driver = who_to_call(word)?;
            if self.try_call(word, driver) {
                return Some(driver);
            }
        }
    }

    /// The same from a driver that has queued for itself. It is awake, so nothing is lost if this looks at an old word.
    #[inline]
    pub(crate) fn call_for_help(&self) -> Option<usize> {
        let word = self.word.load(Ordering::Relaxed); // no partner, see above
        let driver = who_to_call(word)?;
        self.try_call(word, driver).then_some(driver)
    }

    fn try_call(&self, word: u64, driver: usize) -> bool {
        let called = (word & !bit(driver)) + searcher(driver);
        self.word
            .compare_exchange(word, called, Ordering::AcqRel, Ordering::Relaxed) // with `begin`
            .is_ok()
    }

    /// Something was queued for this driver. True: it was parked and must be polled.
    #[inline]
    pub(crate) fn wake(&self, driver: usize) -> bool {
        self.clear(driver) & bit(driver) != 0
    }

    /// Returns the word before.
    #[inline]
    fn clear(&self, driver: usize) -> u64 {
        self.word.fetch_and(!bit(driver), Ordering::AcqRel) // with `park`, as in `call`
    }

    /// All of them must be polled.
    pub(crate) fn wake_all(&self) {
        self.word.fetch_and(!PARKED, Ordering::AcqRel); // with `park`, as in `call`
    }

    #[inline]
    pub(crate) fn is_parked(&self, driver: usize) -> bool {
        self.word.load(Ordering::Relaxed) & bit(driver) != 0 // no partner: a hint
    }

    /// Exact: later than this, only a caller makes one wake.
    pub(crate) fn are_all_parked(&self) -> bool {
        let all = bit(self.drivers) - 1;
        self.word.fetch_or(0, Ordering::AcqRel) & PARKED == all // with `wake` and `call`
    }

    /// A poll of the driver begins, for whatever reason. A word older than its own `park` it cannot see, and a newer one
    /// says exactly whether it was called.
    #[inline]
    pub(crate) fn begin(&self, driver: usize) -> Option<Search> {
        // Acquire with the caller's change of the word: what it queued is seen.
        let mut word = self.word.load(Ordering::Acquire);
        if word & bit(driver) != 0 {
            word = self.clear(driver);
        }
        let own = searcher(driver);
        (word & !PARKED == own).then_some(Search(own))
    }

    /// The search is over. The caller must look for more work *afterwards*, and `call` if there is any.
    pub(crate) fn found(&self, search: Search) {
        self.word.fetch_sub(search.0, Ordering::AcqRel); // with `call`
    }

    /// The driver found nothing. It must look once more *afterwards*, and `begin` again if there is something.
    #[inline]
    pub(crate) fn park(&self, driver: usize, search: Option<Search>) {
        let change = match search {
            Some(Search(own)) => bit(driver).wrapping_sub(own),
            None => bit(driver),
        };
        // AcqRel with `call` and `wake`. The bit was clear: only this driver sets it.
        self.word.fetch_add(change, Ordering::AcqRel);
    }
}

/// Nobody, if one is searching already: it calls the next when it has found something.
#[inline]
fn who_to_call(word: u64) -> Option<usize> {
    let is_anybody_parked = word & PARKED != 0;
    let is_anybody_searching = word & !PARKED != 0;
    (is_anybody_parked && !is_anybody_searching).then_some(word.trailing_zeros() as usize)
}

#[inline]
const fn bit(driver: usize) -> u64 {
    1 << driver
}

#[inline]
const fn searcher(driver: usize) -> u64 {
    (driver as u64 + 1) << limits::DRIVERS
}

#[cfg(all(test, not(playhouse_loom)))]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_of_two_calls_finds_somebody_until_the_search_ends() {
        let sleepers = Sleepers::new(3);
        (0..3).for_each(|driver| sleepers.park(driver, None));
        assert_eq!(sleepers.call(), Some(0));
        assert_eq!(sleepers.call(), None);
        let search = sleepers.begin(0).expect("it was called");
        sleepers.found(search);
        assert_eq!(sleepers.call(), Some(1));
    }

    #[test]
    fn a_call_finds_nobody_where_nobody_is_parked() {
        let sleepers = Sleepers::new(2);
        assert_eq!(sleepers.call(), None);
        sleepers.park(1, None);
        assert!(sleepers.wake(1));
        assert!(!sleepers.wake(1));
        assert_eq!(sleepers.call(), None);
        assert!(
            sleepers.begin(1).is_none(),
            "a wake is not a call to search"
        );
    }

    #[test]
    fn a_driver_that_was_called_knows_it_whatever_it_is_polled_for() {
        let sleepers = Sleepers::new(2);
        (0..2).for_each(|driver| sleepers.park(driver, None));
        assert_eq!(sleepers.call(), Some(0));
        assert!(sleepers.begin(1).is_none());
        let search = sleepers.begin(0);
        assert!(search.is_some());
        sleepers.park(0, search);
        sleepers.park(1, None);
        assert!(sleepers.are_all_parked());
        assert_eq!(sleepers.call(), Some(0));
    }
}
