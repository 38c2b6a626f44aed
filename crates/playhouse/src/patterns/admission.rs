//! Who may come in: a bound on callers at the edge of a system, in front of everything that waits inside.

use crate::sync::{Arc, AtomicUsize, Ordering, OwnedSemaphorePermit, Semaphore};
use std::error::Error;
use std::fmt;

/// At most so many callers inside, at most so many waiting; everybody else is refused at once, with the reason. Clones
/// share the bound.
///
/// A value and not an actor, because its mailbox would be one more line to wait in. In front of a system that a hundred
/// thousand producers would send to, it bounds those who are parked: `inside + waiting` futures, not a hundred thousand.
///
/// At an HTTP door, [`Refused::Full`] is `503 Service Unavailable` (nothing was begun: safe to repeat), and
/// [`Refused::Closed`] is the same while the service ends. For "you send too fast", which is `429`, see
/// [`RateLimiter`](crate::RateLimiter).
///
/// ```
/// use playhouse::{Admission, Refused};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let door = Admission::new(2, 0);
/// let first = door.enter().await.unwrap();
/// let second = door.enter().await.unwrap();
/// assert_eq!(door.enter().await.unwrap_err(), Refused::Full { inside: 2, waiting: 0 });
/// drop(first); // wherever that is: at the end of a handler, in a message, in an actor that ends
/// assert!(door.enter().await.is_ok());
/// # drop(second);
/// # }
/// ```
#[derive(Clone)]
pub struct Admission(Arc<Door>);

struct Door {
    room: Arc<Semaphore>,
    inside: usize,
    waiting: AtomicUsize,
    may_wait: usize,
}

impl Admission {
    /// `inside` at a time, and `waiting` who wait for one of them to leave. Zero waiting: whoever finds no room is refused.
    ///
    /// # Panics
    /// If `inside` is zero, or above 2^29, which is more than memory holds.
    pub fn new(inside: usize, waiting: usize) -> Self {
        assert!(inside > 0, "a door that lets nobody in; the least is 1");
        assert!(
            inside <= 1 << 29,
            "2^29 are the most that can be inside, and more than memory holds"
        );
        Self(Arc::new(Door {
            room: Arc::new(Semaphore::new(inside)),
            inside,
            waiting: AtomicUsize::new(0),
            may_wait: waiting,
        }))
    }

    /// In at once, after a wait in line, or refused at once. Cancel safe: dropped, it leaves the line. A place is kept for
    /// the first in line, so poll a wait to its end or drop it.
    pub async fn enter(&self) -> Result<Admitted, Refused> {
        match self.try_enter() {
            Err(Refused::Full { .. }) => {}
            decided => return decided,
        }
        let in_line = InLine::join(&self.0).ok_or_else(|| self.full())?;
        let room = self.0.room.clone().acquire_owned().await;
        drop(in_line);
        room.map(Admitted).map_err(|_| Refused::Closed)
    }

    /// In at once, or refused. Overtakes nobody who waits.
    pub fn try_enter(&self) -> Result<Admitted, Refused> {
        match self.0.room.clone().try_acquire_owned() {
            Ok(room) => Ok(Admitted(room)),
            Err(_) if self.0.room.is_closed() => Err(Refused::Closed),
            Err(_) => Err(self.full()),
        }
    }

    /// Refuses everybody from now on, those in line too; who is inside stays. The first step of a shutdown.
    pub fn close(&self) {
        self.0.room.close();
    }

    /// How many are inside.
    pub fn inside(&self) -> usize {
        self.0.inside - self.0.room.available_permits()
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.0.waiting.load(Ordering::Relaxed)
    }

    fn full(&self) -> Refused {
        Refused::Full {
            inside: self.0.inside,
            waiting: self.0.may_wait,
        }
    }
}

impl fmt::Debug for Admission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (inside, waiting) = (self.inside(), self.waiting());
        let (most, may_wait) = (self.0.inside, self.0.may_wait);
        write!(
            f,
            "Admission({inside} of {most} inside, {waiting} of {may_wait} waiting)"
        )
    }
}

/// A place in the line.
struct InLine<'a>(&'a AtomicUsize);

impl<'a> InLine<'a> {
    fn join(door: &'a Door) -> Option<Self> {
        let one_more = |waiting| (waiting < door.may_wait).then_some(waiting + 1);
        // Relaxed: only the number counts.
        let joined = door
            .waiting
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more);
        joined.is_ok().then(|| Self(&door.waiting))
    }
}

impl Drop for InLine<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The right to be inside. It may travel in a message; dropped anywhere, it is given back.
#[must_use = "dropping it is leaving"]
pub struct Admitted(#[allow(dead_code)] OwnedSemaphorePermit);

impl fmt::Debug for Admitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Admitted")
    }
}

/// Why somebody may not come in. Nothing was begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// As many as may are inside, and as many as may wait.
    Full {
        /// Who may be inside.
        inside: usize,
        /// Who may wait.
        waiting: usize,
    },
    /// Nobody comes in any more.
    Closed,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { inside, waiting } => write!(
                f,
                "{inside} are being served and {waiting} wait, which is the bound; try again later"
            ),
            Self::Closed => f.write_str("nobody is admitted any more: the service is ending"),
        }
    }
}

impl Error for Refused {}
