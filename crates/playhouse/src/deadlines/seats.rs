//! Where asks wait in their first moments: most are answered before a timer would have been worth setting.
//!
//! Protocol:
//!
//! 1. A seat holds null or a [`Watch`], as a raw pointer. Whoever changes the pointer to null has the watch.
//! 2. Only the holder of the row's lock puts a watch on a seat. Anybody may take one off.
//! 3. The address of a watch is that of its ask, and the ask is alive while its asker looks for it: a seat that holds
//!    that address holds that watch.
#![allow(unsafe_code)]

use crate::ask::cell::{Key, Watch};
use crate::limits;
use crate::sync::{AtomicPtr, AtomicU8, Ordering, UnsafeCell, spin_loop, thread};
use std::ptr::{NonNull, null_mut};

/// Few under the model checker, which tries all of them.
const SEATS: usize = if cfg!(playhouse_loom) {
    2
} else {
    limits::SEATS_PER_ROW
};

/// The row is being changed.
const LOCKED: u8 = 1;
/// Somebody sat down since the last look.
const FRESH: u8 = 1 << 1;
/// Nobody will look until called.
const RESTING: u8 = 1 << 2;

/// The seats of one thread, as long as there are not more threads than rows. Nothing of another row is on its cache
/// lines.
#[repr(align(128))]
pub(super) struct Row {
    state: AtomicU8,
    /// Guarded by the lock.
    next: UnsafeCell<Next>,
    seats: [AtomicPtr<()>; SEATS],
}

struct Next {
    /// Where to look for a free seat first.
    seat: usize,
    /// Counts those who sat down.
    age: u64,
}

/// Whether somebody has to be called, for nobody looks at this row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Look {
    Comes,
    MustBeCalled,
}

// SAFETY: `next` is guarded by the lock, the rest is atomic, and a watch may be sent.
unsafe impl Sync for Row {}
// SAFETY: as above.
unsafe impl Send for Row {}

impl Row {
    pub(super) fn new() -> Self {
        Self {
            state: AtomicU8::new(RESTING),
            next: UnsafeCell::new(Next { seat: 0, age: 0 }),
            seats: std::array::from_fn(|_| AtomicPtr::new(null_mut())),
        }
    }

    /// Sits down, and says where. `Err`: another thread is changing this row, or it is full.
    #[inline]
    pub(super) fn sit(&self, mut watch: Watch) -> Result<(usize, Key, Look), Watch> {
        let before = self.state.load(Ordering::Relaxed) & !LOCKED; // a guess
        // Acquire: pairs with the Release of `unlock`, for `next`.
        let locked = self.state.compare_exchange(
            before,
            before | LOCKED,
            Ordering::Acquire,
            Ordering::Relaxed,
        );
        if locked.is_err() {
            return Err(watch);
        }
        // SAFETY: the row is locked.
        let (seat, age) = self.next.with_mut(|next| unsafe {
            let next = &mut *next;
            // The seat that was free last time is in the cache. If even the one after it is taken, the row counts as full.
            if !self.seats[next.seat].load(Ordering::Relaxed).is_null() {
                next.seat = (next.seat + 1) % SEATS;
            }
            next.age += 1;
            (next.seat, next.age)
        });
        // Relaxed: by rule 2 it can only become null meanwhile.
        if !self.seats[seat].load(Ordering::Relaxed).is_null() {
            self.unlock(before);
            return Err(watch);
        }
        watch.set_age(age);
        let key = watch.key();
        // Release: pairs with the Acquire in `look`, for what was written into the ask.
        self.seats[seat].store(watch.into_raw(), Ordering::Release);
        self.unlock(FRESH);
        match before & RESTING {
            0 => Ok((seat, key, Look::Comes)),
            _ => Ok((seat, key, Look::MustBeCalled)),
        }
    }

    /// Gets up, if nobody has taken the watch away.
    #[inline]
    pub(super) fn leave(&self, seat: usize, name: usize) -> Option<Watch> {
        // Relaxed, both: the asker itself put its watch there, and by rule 3 no other has this address.
        let known = self.seats[seat].load(Ordering::Relaxed);
        if known.addr() != name {
            return None;
        }
        self.seats[seat]
            .compare_exchange(known, null_mut(), Ordering::Relaxed, Ordering::Relaxed)
            .ok()
            .and_then(claimed)
    }

    /// Takes everybody off who has sat down since the last look. `None`: nobody had, and nobody looks again until called.
    pub(super) fn look(&self) -> Option<Vec<Watch>> {
        let before = self.lock();
        if before & FRESH == 0 {
            self.unlock(RESTING);
            return None;
        }
        let taken = self
            .seats
            .iter()
            .filter(|seat| !seat.load(Ordering::Relaxed).is_null())
            // Acquire: pairs with the Release in `sit`.
            .filter_map(|seat| claimed(seat.swap(null_mut(), Ordering::Acquire)))
            .collect();
        self.unlock(0);
        Some(taken)
    }

    /// The row is changed for a few instructions, so this rarely waits.
    fn lock(&self) -> u8 {
        for round in 0_u32.. {
            let before = self.state.load(Ordering::Relaxed) & !LOCKED;
            // Acquire: pairs with the Release of `unlock`.
            let locked = self.state.compare_exchange(
                before,
                before | LOCKED,
                Ordering::Acquire,
                Ordering::Relaxed,
            );
            if locked.is_ok() {
                return before;
            }
            if round < limits::SPINS || cfg!(playhouse_loom) {
                spin_loop();
            } else {
                thread::yield_now();
            }
        }
        unreachable!("the rounds do not end")
    }

    /// Release: pairs with the Acquire of whoever locks next.
    fn unlock(&self, state: u8) {
        self.state.store(state, Ordering::Release);
    }
}

fn claimed(raw: *mut ()) -> Option<Watch> {
    // SAFETY: rule 1: the caller has just changed the pointer to null.
    NonNull::new(raw).map(|raw| unsafe { Watch::from_raw(raw) })
}

#[cfg(all(test, playhouse_loom))]
mod models {
    use super::*;
    use crate::ask::cell::{Fired, models::watched};
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
                    .is_ok_and(|(_, _, look)| look == Look::MustBeCalled)
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
            let sat = row.sit(watch);
            let seen = ticker.join().unwrap();
            match sat {
                Ok((_, _, Look::Comes)) => assert_eq!(seen, 2),
                Ok((_, _, Look::MustBeCalled)) => {
                    assert_eq!(seen, 1);
                    assert_eq!(row.look().map(|watches| watches.len()), Some(1));
                }
                Err(_) => assert_eq!(seen, 1), // the row was being looked at
            }
        });
    }

    /// A watch is taken off its seat once.
    #[test]
    fn a_watch_is_taken_or_left_with() {
        loom::model(|| {
            let row = Arc::new(Row::new());
            let (mut asker, watch) = watched();
            let Ok((seat, key, _)) = row.sit(watch) else {
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
            let own = row.leave(seat, key.name());
            let is_own = own.is_some();
            own.map(|watch| asker.unwatch(watch));
            drop(asker);
            assert_eq!(ticker.join().unwrap(), usize::from(!is_own));
        });
    }
}
