//! What one driver has in front of it, and which driver this thread is polling.
//!
//! 1. The owner of a seat is the thread that is polling its driver. Tokio polls a task on one thread at a time, and what
//!    one poll did is seen by the next, wherever that is.
//! 2. `Seated` exists during such a poll, on its stack, and nowhere else. It names the seat to this thread by the address
//!    of the dispatcher's inside, which the driver keeps alive for as long.
//! 3. A poll may run into another one: a handler may block on a runtime of its own. The inner poll puts back what it
//!    found, so the name is always that of the innermost poll, and the outer ones do nothing meanwhile.
//! 4. So whoever finds the name of a seat on its own thread is the owner, until it returns into the driver.
#![allow(unsafe_code)]

use super::place::Place;
use super::run_queue::{Batch, RunQueue};
use super::runnable::{Header, Runnable};
use crate::limits;
use crate::sync::{AtomicBool, AtomicPtr, AtomicU32, OnceLock, Ordering, thread_local};
use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr::null_mut;
use std::task::Waker;

/// The inside of a dispatcher by its address, and the index of a driver.
type Name = (usize, usize);

const NOBODY: Name = (0, 0);

thread_local! {
    /// The innermost driver that is being polled.
    static SEATED: Cell<Name> = const { Cell::new(NOBODY) };
    /// The driver that was polled last. Only a hint: it may be elsewhere by now, or gone.
    static HOME: Cell<Name> = const { Cell::new(NOBODY) };
}

/// Apart from its neighbours: each driver writes its own with every turn.
#[repr(align(128))]
pub(crate) struct Seat {
    /// The actor woken last. It runs next, on the thread whose cache has the message.
    newest: Place,
    /// Counts turns; written by the owner.
    turns: AtomicU32,
    /// Whose turn was counted last. Compared, and never followed: the actor may be gone.
    running: AtomicPtr<Header>,
    /// A hint for others.
    is_polled: AtomicBool,
    queue: RunQueue,
    /// From plain tasks on the thread that polled the driver last.
    pub(crate) inbox: Inbox,
    waker: OnceLock<Waker>,
}

impl Seat {
    pub(crate) fn new() -> Self {
        Self {
            newest: Place::new(),
            turns: AtomicU32::new(0),
            running: AtomicPtr::new(null_mut()),
            is_polled: AtomicBool::new(false),
            queue: RunQueue::new(),
            inbox: Inbox::new(),
            waker: OnceLock::new(),
        }
    }

    /// # Panics
    /// If its task has another waker than before. Tokio polls a task with one and the same.
    pub(crate) fn know(&self, waker: &Waker) {
        let known = self.waker.get_or_init(|| waker.clone());
        assert!(known.will_wake(waker), "a driver is one task for ever");
    }

    /// Nothing to do before its first poll, which is certain to come.
    pub(crate) fn wake(&self) {
        if let Some(waker) = self.waker.get() {
            waker.wake_by_ref();
        }
    }

    #[inline]
    pub(crate) fn is_polled(&self) -> bool {
        self.is_polled.load(Ordering::Relaxed) // no partner: a hint
    }

    #[inline]
    pub(crate) fn turns(&self) -> u32 {
        self.turns.load(Ordering::Acquire) // with `begin_turn`, for `running`
    }

    /// Whose turn it is, if the count of turns is the same before and after.
    pub(crate) fn running(&self) -> *const Header {
        self.running.load(Ordering::Relaxed) // ordered by the counts around it
    }

    /// Actors that wait for the driver. A guess.
    pub(crate) fn waiting(&self) -> usize {
        usize::from(self.newest.is_filled()) + self.queue.len() + self.inbox.len()
    }

    pub(crate) fn has_stealable(&self) -> bool {
        !self.queue.is_empty()
    }

    pub(crate) fn steal(&self) -> Batch {
        self.queue.grab()
    }

    /// What only the owner runs, unless the owner does not come back.
    pub(crate) fn take_newest(&self) -> Option<Runnable> {
        self.newest.take()
    }

    /// Is anything waiting for the driver?
    pub(crate) fn is_laden(&self) -> bool {
        self.newest.is_filled() || self.has_stealable() || self.inbox.is_filled()
    }
}

/// A poll of a driver, as long as it lasts.
pub(crate) struct Seated<'a> {
    seat: &'a Seat,
    before: Name,
}

impl<'a> Seated<'a> {
    /// # Safety
    /// The driver `index` of the inside at `dispatcher` is being polled on this thread, for as long as this lives, and
    /// `seat` is its seat.
    pub(crate) unsafe fn new(dispatcher: usize, index: usize, seat: &'a Seat) -> Self {
        let before = SEATED.replace((dispatcher, index));
        HOME.set((dispatcher, index));
        seat.is_polled.store(true, Ordering::Relaxed); // no partner: a hint
        Self { seat, before }
    }

    pub(crate) fn owner(&self) -> Owner<'a> {
        Owner {
            seat: self.seat,
            stays_here: PhantomData,
        }
    }
}

impl Drop for Seated<'_> {
    fn drop(&mut self) {
        self.seat.is_polled.store(false, Ordering::Relaxed); // no partner: a hint
        SEATED.set(self.before);
    }
}

/// Which driver of this dispatcher is being polled here.
#[inline]
pub(crate) fn seated(dispatcher: usize, seats: &[Seat]) -> Option<Owner<'_>> {
    let (known, index) = SEATED.get();
    if known != dispatcher {
        return None;
    }
    Some(Owner {
        seat: &seats[index],
        stays_here: PhantomData,
    })
}

/// Is this thread inside the poll of any driver?
pub(crate) fn is_anybody_seated() -> bool {
    SEATED.get() != NOBODY
}

/// The driver that was polled last on this thread, if it was one of this dispatcher.
#[inline]
pub(crate) fn home(dispatcher: usize) -> Option<usize> {
    let (known, index) = HOME.get();
    (known == dispatcher).then_some(index)
}

/// The right of rule 4.
#[derive(Clone, Copy)]
pub(crate) struct Owner<'a> {
    seat: &'a Seat,
    stays_here: PhantomData<*const ()>,
}

impl Owner<'_> {
    /// It runs next. Returns who was to run next before.
    #[inline]
    pub(crate) fn put_newest(self, runnable: Runnable) -> Option<Runnable> {
        self.seat.newest.put(runnable)
    }

    #[inline]
    pub(crate) fn take_newest(self) -> Option<Runnable> {
        self.seat.newest.take()
    }

    /// To the back of the queue, unless that is full.
    #[inline]
    pub(crate) fn push(self, runnable: Runnable) -> Result<(), Runnable> {
        // SAFETY: rule 4.
        unsafe { self.seat.queue.push(runnable) }
    }

    #[inline]
    pub(crate) fn pop(self) -> Option<Runnable> {
        // SAFETY: rule 4.
        unsafe { self.seat.queue.pop() }
    }

    /// The older half of the queue.
    #[cold]
    pub(crate) fn give_away(self) -> Batch {
        self.seat.queue.grab()
    }

    #[inline]
    pub(crate) fn is_laden(self) -> bool {
        self.seat.newest.is_filled() || self.seat.has_stealable()
    }

    #[inline]
    pub(crate) fn begin_turn(self, runnable: &Runnable) {
        let seat = self.seat;
        seat.running.store(runnable.name(), Ordering::Relaxed); // published by the count
        let turns = seat.turns.load(Ordering::Relaxed).wrapping_add(1); // nobody else writes it
        seat.turns.store(turns, Ordering::Release); // with `Seat::turns`
    }
}

/// A few places that any thread may fill, without a lock, and any thread may empty. In no order.
pub(crate) struct Inbox([Place; limits::INBOX]);

impl Inbox {
    fn new() -> Self {
        Self(std::array::from_fn(|_| Place::new()))
    }

    /// Handed back: all places are taken.
    #[inline]
    pub(crate) fn offer(&self, mut runnable: Runnable) -> Result<(), Runnable> {
        for place in &self.0 {
            match place.offer(runnable) {
                Ok(()) => return Ok(()),
                Err(refused) => runnable = refused,
            }
        }
        Err(runnable)
    }

    #[inline]
    pub(crate) fn take(&self) -> Option<Runnable> {
        self.0.iter().find_map(Place::take)
    }

    #[inline]
    pub(crate) fn is_filled(&self) -> bool {
        self.0.iter().any(Place::is_filled)
    }

    fn len(&self) -> usize {
        self.0.iter().filter(|place| place.is_filled()).count()
    }
}
