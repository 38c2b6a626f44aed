//! Room counted in bytes, or anything.

use crate::here;
use crate::limits;
use crate::send_error::Cancelled;
use crate::sync::{Arc, OwnedSemaphorePermit, Semaphore};
use std::fmt;

/// Room counted in bytes (or anything): taken before the payload is built, carried inside the message, given back when
/// the message is dropped anywhere.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let room = playhouse::Budget::new(100);
/// let share = room.take(60).await;
/// assert_eq!(room.available(), 40);
/// drop(share);
/// assert_eq!(room.available(), 100);
/// # }
/// ```
#[derive(Clone)]
pub struct Budget {
    room: Arc<Semaphore>,
    /// Semaphores count to 2^32; a budget above that is counted in units of this many.
    unit: usize,
    units: u32,
}

impl Budget {
    /// `total` to be shared out at any one time. Totals above 2^29 are counted in units of more than one: a share is
    /// rounded up to the next unit, the total down.
    ///
    /// # Panics
    /// If `total` is zero: nothing could ever be taken.
    pub fn new(total: usize) -> Self {
        assert!(total > 0, "a budget of nothing would let nothing through");
        let unit = total.div_ceil(limits::SEMAPHORE);
        let units = u32::try_from(total / unit).unwrap_or(u32::MAX);
        Self {
            room: Arc::new(Semaphore::new(units as usize)),
            unit,
            units,
        }
    }

    /// First come, first served; more than the total is cut to the total, so what is larger goes alone. Cancel
    /// safe. A share is kept for the first in line, so poll a wait to its end or drop it.
    pub async fn take(&self, amount: usize) -> Share {
        let units = u32::try_from(amount.div_ceil(self.unit))
            .unwrap_or(u32::MAX)
            .min(self.units);
        match self.room.clone().acquire_many_owned(units).await {
            Ok(room) => Share { room },
            Err(_) => unreachable!("nobody closes the semaphore of a budget"),
        }
    }

    /// [`take`](Self::take) from a plain or own thread. In the turn of an actor that is asked to stop, the wait ends
    /// with [`Cancelled`]; no share is ever given over the budget. Outside of actors it always succeeds.
    ///
    /// # Panics
    /// On a shared worker, or any thread that drives asynchronous tasks.
    pub fn blocking_take(&self, amount: usize) -> Result<Share, Cancelled> {
        here::block_on("Budget::blocking_take", self.take(amount))
    }

    /// What is left now.
    pub fn available(&self) -> usize {
        self.room.available_permits() * self.unit
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Budget({} of {} left)",
            self.available(),
            self.units as usize * self.unit
        )
    }
}

/// A part of a budget. Dropped, it is given back.
#[must_use = "dropping a share gives it back"]
pub struct Share {
    room: OwnedSemaphorePermit,
}

impl fmt::Debug for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = self.room.num_permits();
        write!(f, "Share({units} units)")
    }
}
