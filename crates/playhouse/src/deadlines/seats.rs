//! Where asks wait in their first moments: most are answered before a timer would have been worth setting.
//!
//! Protocol:
//!
//! 1. A seat holds null or a [`Watch`], as a raw pointer. Whoever changes the pointer to null has the watch; only from null
//!    is it changed to another.
//! 2. The address of a watch is that of its ask, and the ask is alive while its asker looks for it: a seat that holds
//!    that address holds that watch.
//! 3. Whoever sits down looks at `state` afterwards. The ticker says `RESTING` first, and then goes over every seat with
//!    read-modify-writes. On each seat one of the two comes first: either the ticker finds the watch, or whoever sits down
//!    finds `RESTING`, and calls.
#![allow(unsafe_code)]

use crate::ask::handles::Watch;
use crate::limits;
use crate::sync::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::ptr::{NonNull, null_mut};

/// Few under the model checker, which tries all of them.
const SEATS: usize = if cfg!(playhouse_loom) {
    2
} else {
    limits::SEATS_PER_ROW
};

/// The seats of one thread, as long as there are not more threads than rows. Nothing of another row is on its cache
/// lines.
#[repr(align(128))]
pub(super) struct Row {
    /// Nobody looks until called.
    is_resting: AtomicBool,
    /// Where to look for a free seat first: the one that was free last time is in the cache.
    hint: AtomicUsize,
    seats: [AtomicPtr<()>; SEATS],
}

/// Whether somebody has to be called, for nobody looks at this row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Look {
    Comes,
    MustBeCalled,
}

impl Row {
    pub(super) fn new() -> Self {
        Self {
            is_resting: AtomicBool::new(true),
            hint: AtomicUsize::new(0),
            seats: std::array::from_fn(|_| AtomicPtr::new(null_mut())),
        }
    }

    /// Sits down, and says where. `Err`: the row counts as full.
    #[inline]
    pub(super) fn sit(&self, watch: Watch) -> Result<(usize, Look), Watch> {
        let hint = self.hint.load(Ordering::Relaxed);
        let watch = watch.into_raw();
        if self.take_seat(hint, watch) {
            return Ok((hint, self.look_that_comes()));
        }
        let seat = (hint + 1) % SEATS;
        self.hint.store(seat, Ordering::Relaxed);
        if self.take_seat(seat, watch) {
            return Ok((seat, self.look_that_comes()));
        }
        // SAFETY: no seat has it.
        Err(unsafe { Watch::from_raw(watch) })
    }

    /// Gets up, if nobody has taken the watch away.
    #[inline]
    pub(super) fn leave(&self, seat: usize, name: NonNull<()>) -> Option<Watch> {
        // Relaxed: the asker itself put its watch there, and by rule 2 no other has this address.
        self.seats[seat]
            .compare_exchange(
                name.as_ptr(),
                null_mut(),
                Ordering::Relaxed,
                Ordering::Relaxed,
            )
            .ok()
            // SAFETY: rule 1.
            .map(|_| unsafe { Watch::from_raw(name) })
    }

    /// Takes everybody off who has sat down since the last look. `None`: nobody had, and nobody looks again until called.
    pub(super) fn look(&self) -> Option<Vec<Watch>> {
        if self.is_resting.load(Ordering::Relaxed) {
            return None; // whoever has sat down since calls, and says so first
        }
        let taken: Vec<Watch> = self
            .seats
            .iter()
            .filter(|seat| !seat.load(Ordering::Relaxed).is_null())
            .filter_map(empty)
            .collect();
        if !taken.is_empty() {
            return Some(taken);
        }
        self.is_resting.store(true, Ordering::Relaxed); // rule 3: published by the swaps below
        let late: Vec<Watch> = self.seats.iter().filter_map(empty).collect();
        if late.is_empty() {
            return None;
        }
        self.is_resting.store(false, Ordering::Relaxed);
        Some(late)
    }

    #[inline]
    fn take_seat(&self, seat: usize, watch: NonNull<()>) -> bool {
        // AcqRel: Release pairs with the Acquire in `empty`, for what was written into the ask; Acquire pairs with its
        // Release, for rule 3.
        self.seats[seat]
            .compare_exchange(
                null_mut(),
                watch.as_ptr(),
                Ordering::AcqRel,
                Ordering::Relaxed,
            )
            .is_ok()
    }

    #[inline]
    fn look_that_comes(&self) -> Look {
        if self.is_resting.load(Ordering::Relaxed) {
            self.is_resting.store(false, Ordering::Relaxed); // before the call, which publishes it
            return Look::MustBeCalled;
        }
        Look::Comes
    }
}

/// AcqRel: pairs with `take_seat`, both ways.
fn empty(seat: &AtomicPtr<()>) -> Option<Watch> {
    let raw = NonNull::new(seat.swap(null_mut(), Ordering::AcqRel));
    // SAFETY: rule 1.
    raw.map(|raw| unsafe { Watch::from_raw(raw) })
}

#[cfg(all(test, playhouse_loom))]
mod models {
    use super::*;
    use crate::ask::{handles::Fired, models::watched};
    use crate::sync::Arc;
    use loom::thread;

    /// Whoever sits down while the last look is on is seen, or told to call.
    #[test]
    fn nobody_sits_where_nobody_looks() {
        loom::model(|| {
            let row = Arc::new(Row::new());
            let (_first, watch) = watched();
            assert!(
                row.sit(watch)
                    .is_ok_and(|(_, look)| look == Look::MustBeCalled)
            );
            let ticker = {
                let row = row.clone();
                thread::spawn(move || {
                    let mut seen = 0;
                    while let Some(watches) = row.look() {
                        seen += watches.len();
                    }
                    seen
                })
            };
            let (_second, watch) = watched();
            let sat = row.sit(watch).map(|(_, look)| look);
            let seen = ticker.join().unwrap();
            let late = row.look().map_or(0, |watches| watches.len());
            assert_eq!(seen + late, 2);
            assert!(late == 0 || sat.is_ok_and(|look| look == Look::MustBeCalled));
        });
    }

    /// A watch is taken off its seat once.
    #[test]
    fn a_watch_is_taken_or_left_with() {
        loom::model(|| {
            let row = Arc::new(Row::new());
            let (mut asker, watch) = watched();
            let Ok((seat, _)) = row.sit(watch) else {
                panic!("an empty row has a seat")
            };
            let ticker = {
                let row = row.clone();
                thread::spawn(move || match row.look() {
                    Some(watches) => watches
                        .into_iter()
                        .map(|watch| watch.fire().map(Fired::wake))
                        .count(),
                    None => 0,
                })
            };
            let own = row.leave(seat, asker.name());
            let is_own = own.is_some();
            own.map(|watch| asker.unwatch(watch));
            drop(asker);
            assert_eq!(ticker.join().unwrap(), usize::from(!is_own));
        });
    }
}
