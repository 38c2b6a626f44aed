//! What the parties of one ask share: one heap object, and a word that says how far they have come.
//!
//! ```text
//!   asker ── Asker ──┐                      ┌── Replier ── inside the message
//!                    ├──► state, deadline,  │
//!   timers ── Watch ─┘    wakers, answer ◄──┴── Question ── beside the message, in its envelope
//! ```
//!
//! The parts that reach it are in [`handles`](super::handles), and keep these rules too.
//!
//! Protocol:
//!
//! 1. The object is freed by whoever gives up the last reference. There are four from the beginning, so none is ever
//!    counted up: the asker's, the reply's, the envelope's and the watch's. The asker holds the last two until it hands
//!    them out. References are counted in `state`, above the marks, and go down by read-modify-writes; only the asker may
//!    free without one, when it reads that all that is left is its own: nobody else can reach the object then.
//! 2. `answer` is written by the reply, which exists once, before it sets [`ANSWERED`]; it is read by the asker, once, after
//!    it has seen that mark, and [`TAKEN`] says so. An answer that nobody took is dropped with the object.
//! 3. `deadline` and `waker` are written by the asker before it sets [`ASKED`], and never again. The envelope is only
//!    handed out afterwards.
//! 4. The reply moves `waker` out if, in the one step that sets [`ANSWERED`], it finds [`ASKED`] and none of [`REPLACED`],
//!    [`DUE`], [`SEEN`] and [`CLOSED`]; it sets [`WOKEN`] in the same step. It has copied the bytes before, which rule 3 allows, and
//!    gives up its reference in the same step.
//! 5. An asker that is polled with another waker writes it to `replacement` while [`REPLACED`] is not set, and then sets it.
//!    To change it again it clears the mark first. Both steps fail once [`ANSWERED`] or [`DUE`] is set.
//! 6. [`DUE`] is only set while [`ANSWERED`] and [`CLOSED`] are not. Whoever sets it, or sets [`ANSWERED`] and finds
//!    [`REPLACED`] or [`SEEN`] and not [`DUE`], may read the waker that counts as long as it keeps its reference: by rules
//!    4 and 5 nobody writes or moves it any more. [`CUT`] is set together with [`DUE`] or not at all, and then no answer is
//!    taken any more.
//! 7. `target` is the asker's alone. When the asker goes and others stay, it leaves `kept` in its place, so that `core` stays
//!    valid as long as the object, and says so by [`CLOSED`].
//! 8. [`SEEN`] is set through the watch, while [`ANSWERED`] is not. From then on nobody moves `waker` out, and whoever has a
//!    reference may read it: it goes with the object.
#![allow(unsafe_code)]

use super::Answer;
use super::handles::Replier;
use crate::actor::Message;
use crate::cell::{Core, CoreRef};
use crate::clock::Deadline;
use crate::sync::{AtomicU32, AtomicU64, Ordering, UnsafeCell};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr::NonNull;
use std::task::Waker;

/// The answer is there.
pub(super) const ANSWERED: u32 = 1;
/// The deadline and the waker are there.
pub(super) const ASKED: u32 = 1 << 1;
/// The replacement is the waker that counts.
pub(super) const REPLACED: u32 = 1 << 2;
/// Nobody waits any more.
pub(super) const CLOSED: u32 = 1 << 3;
/// A handler has had the message in hand.
pub(super) const STARTED: u32 = 1 << 4;
/// The deadline has passed.
pub(super) const DUE: u32 = 1 << 5;
/// The first waker was moved out.
pub(super) const WOKEN: u32 = 1 << 6;
/// The answer was moved out.
pub(super) const TAKEN: u32 = 1 << 7;
/// The first waker stays where it is, because somebody looks at it.
pub(super) const SEEN: u32 = 1 << 8;
/// Nobody waits any more, whatever comes: what was waited for could never have come.
pub(super) const CUT: u32 = 1 << 9;
/// One reference.
pub(super) const ONE: u32 = 1 << 10;

/// What is asked.
pub(crate) trait Target: Send + Sync + 'static {
    /// Valid as long as `self`, and as long as what [`keep`](Self::keep) returned.
    fn core(&self) -> NonNull<Core>;
    /// What keeps the core, and nobody alive.
    fn keep(&self) -> Option<CoreRef>;
    /// The type of the request.
    fn request() -> &'static str;
    /// This reply was dropped unused.
    fn forsaken<T: Message>(reply: Replier<T>);
}

/// What does not depend on any type.
pub(super) struct Head {
    pub(super) state: AtomicU32,
    pub(super) table: &'static Table,
    pub(super) core: NonNull<Core>,
    pub(super) deadline: UnsafeCell<Option<Deadline>>,
    /// Of the watch, once it is kept in order.
    pub(super) age: AtomicU64,
    pub(super) waker: UnsafeCell<MaybeUninit<Waker>>,
    pub(super) replacement: UnsafeCell<Option<Waker>>,
    pub(super) kept: UnsafeCell<Option<CoreRef>>,
}

pub(super) struct Table {
    pub(super) free: unsafe fn(NonNull<Head>),
    pub(super) forsaken: unsafe fn(NonNull<Head>),
    pub(super) request: fn() -> &'static str,
    /// [`Target::keep`] of a target that is there.
    pub(super) keep: unsafe fn(NonNull<()>) -> Option<CoreRef>,
}

/// What depends on the answer. Begins with the head.
#[repr(C)]
pub(super) struct Slot<T> {
    pub(super) head: Head,
    pub(super) answer: UnsafeCell<MaybeUninit<Answer<T>>>,
}

/// All of it. Begins with the slot.
#[repr(C)]
pub(super) struct Cell<A, T> {
    pub(super) slot: Slot<T>,
    pub(super) target: UnsafeCell<ManuallyDrop<A>>,
}

impl<A: Target, T: Message> Cell<A, T> {
    /// With the four references of rule 1, which are the caller's.
    pub(super) fn make(target: A) -> NonNull<Self> {
        NonNull::from(Box::leak(Box::new(Cell {
            slot: Slot {
                head: Head {
                    state: AtomicU32::new(4 * ONE),
                    table: const {
                        &Table {
                            free: free::<A, T>,
                            forsaken: forsaken::<A, T>,
                            request: A::request,
                            keep: keep::<A>,
                        }
                    },
                    core: target.core(),
                    deadline: UnsafeCell::new(None),
                    age: AtomicU64::new(0),
                    waker: UnsafeCell::new(MaybeUninit::uninit()),
                    replacement: UnsafeCell::new(None),
                    kept: UnsafeCell::new(None),
                },
                answer: UnsafeCell::new(MaybeUninit::uninit()),
            },
            target: UnsafeCell::new(ManuallyDrop::new(target)),
        })))
    }
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// [`Asker::take`] has the answer.
    Answered,
    /// The deadline has passed without one.
    Due,
}

/// Whom the reply has to wake.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Nobody,
    /// By the first waker, which it takes.
    Take,
    /// By the waker that counts, where it is, for which it keeps its reference.
    InPlace,
}

/// What an answer makes of the state.
#[inline]
pub(super) fn answered(state: u32) -> (u32, Call) {
    let call = match state & (ASKED | REPLACED | SEEN | DUE) {
        ASKED => Call::Take,
        marks if marks & (ASKED | DUE) == ASKED => Call::InPlace,
        _ => Call::Nobody, // not asked yet, or woken by the deadline: it will look for the answer by itself
    };
    let next = state | ANSWERED;
    match call {
        Call::Take => ((next | WOKEN) - ONE, call),
        Call::Nobody => (next - ONE, call),
        Call::InPlace => (next, call),
    }
}

#[inline]
pub(super) fn ended(state: u32) -> Option<End> {
    if state & ANSWERED != 0 {
        Some(End::Answered)
    } else {
        (state & DUE != 0).then_some(End::Due)
    }
}

/// The references in a state, in units of [`ONE`].
#[inline]
pub(super) fn references(state: u32) -> u32 {
    state & !(ONE - 1)
}

impl Head {
    /// A step of the asker, unless the ask has ended.
    pub(super) fn change(&self, mut state: u32, step: impl Fn(u32) -> u32) -> Result<u32, End> {
        loop {
            if let Some(end) = ended(state) {
                return Err(end);
            }
            // AcqRel: Release for the replacement, read in `answer` and `Fired::wake`; Acquire for the answer, written in
            // `answer`.
            match self.state.compare_exchange_weak(
                state,
                step(state),
                Ordering::AcqRel,
                Ordering::Acquire,
            ) {
                Ok(_) => return Ok(step(state)),
                Err(now) => state = now,
            }
        }
    }

    /// # Safety
    /// Rule 6.
    pub(super) unsafe fn wake(&self, state: u32) {
        // SAFETY: promised by the caller; without `ASKED` there is no waker.
        unsafe {
            if state & REPLACED != 0 {
                self.replacement
                    .with(|waker| (*waker).as_ref().map(Waker::wake_by_ref));
            } else if state & ASKED != 0 {
                self.waker
                    .with(|waker| (*waker).assume_init_ref().wake_by_ref());
            }
        }
    }
}

impl<T> Slot<T> {
    /// # Safety
    /// Rule 2.
    #[inline]
    pub(super) unsafe fn answer(&self) -> Answer<T> {
        // SAFETY: promised by the caller.
        self.answer
            .with(|answer| unsafe { (*answer).assume_init_read() })
    }
}

/// Gives up one reference.
///
/// # Safety
/// Rule 1: the caller has it, and touches nothing afterwards.
#[inline]
pub(super) unsafe fn release(head: NonNull<Head>) {
    // SAFETY: promised by the caller.
    let head_ref = unsafe { head.as_ref() };
    // AcqRel: Release so that whoever frees has seen all we did, Acquire should it be us.
    let before = head_ref.state.fetch_sub(ONE, Ordering::AcqRel);
    if references(before) == ONE {
        // SAFETY: rule 1: that was the last reference.
        unsafe { (head_ref.table.free)(head) };
    }
}

/// # Safety
/// Rule 1: nobody has a reference any more, and the asker is gone.
unsafe fn free<A, T>(head: NonNull<Head>) {
    // SAFETY: promised by the caller; the table belongs to this very type, so the cell begins here. Nobody changes the
    // state any more, and the last step acquired it.
    unsafe {
        let state = head.as_ref().state.load(Ordering::Relaxed);
        end::<A, T>(head.cast(), state);
    }
}

/// Frees the object, then drops what was in it: some of that is the user's, and may panic.
///
/// # Safety
/// Rule 1: nobody else has a reference any more. Without [`CLOSED`], the target is still there.
pub(super) unsafe fn end<A, T>(cell: NonNull<Cell<A, T>>, state: u32) {
    // SAFETY: promised by the caller; what is there is told by the marks (rules 2, 3, 4 and 7).
    unsafe {
        let this = cell.as_ref();
        let head = &this.slot.head;
        let _target = (state & CLOSED == 0).then(|| {
            this.target
                .with_mut(|target| ManuallyDrop::take(&mut *target))
        });
        let _answer = (state & (ANSWERED | TAKEN) == ANSWERED).then(|| this.slot.answer());
        let _waker = (state & (ASKED | WOKEN) == ASKED)
            .then(|| head.waker.with(|waker| (*waker).assume_init_read()));
        drop(Box::from_raw(cell.as_ptr()));
    }
}

/// # Safety
/// It points to a target.
unsafe fn keep<A: Target>(target: NonNull<()>) -> Option<CoreRef> {
    // SAFETY: promised by the caller.
    unsafe { target.cast::<A>().as_ref() }.keep()
}

/// # Safety
/// Rule 1: the caller gives its reference, that of the reply.
unsafe fn forsaken<A: Target, T: Message>(head: NonNull<Head>) {
    // SAFETY: promised by the caller; the table belongs to this very type, so the slot begins here.
    A::forsaken(unsafe { Replier::<T>::of(head.cast()) });
}
