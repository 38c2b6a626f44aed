//! What the parties of one ask share: one heap object, and a word that says how far they have come.
//!
//! ```text
//!   asker ── Asker ──┐                      ┌── Replier ── inside the message
//!                    ├──► state, deadline,  │
//!   timers ── Watch ─┘    wakers, answer ◄──┴── Question ── beside the message, in its envelope
//! ```
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
//!    [`REPLACED`] or [`SEEN`] and not [`DUE`], may read the waker
//!    that counts as long as it keeps its reference: by rules 4 and 5 nobody writes or moves it any more.
//!    [`CUT`] is set together with [`DUE`] or not at all, and then no answer is taken any more.
//! 7. `target` is the asker's alone. When the asker goes and others stay, it leaves `kept` in its place, so that `core` stays
//!    valid as long as the object, and says so by [`CLOSED`].
//! 8. [`SEEN`] is set through the watch, while [`ANSWERED`] is not. From then on nobody moves `waker` out, and whoever has a
//!    reference may read it: it goes with the object.
#![allow(unsafe_code)]

use super::{Answer, Fate};
use crate::actor::Message;
use crate::cell::{Core, CoreRef, waker};
use crate::clock::Deadline;
use crate::sync::{AtomicU32, AtomicU64, Ordering, UnsafeCell, run_quietly};
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr::NonNull;
use std::task::{Context, Poll, Waker};

/// The answer is there.
const ANSWERED: u32 = 1;
/// The deadline and the waker are there.
const ASKED: u32 = 1 << 1;
/// The replacement is the waker that counts.
const REPLACED: u32 = 1 << 2;
/// Nobody waits any more.
const CLOSED: u32 = 1 << 3;
/// A handler has had the message in hand.
const STARTED: u32 = 1 << 4;
/// The deadline has passed.
const DUE: u32 = 1 << 5;
/// The first waker was moved out.
const WOKEN: u32 = 1 << 6;
/// The answer was moved out.
const TAKEN: u32 = 1 << 7;
/// The first waker stays where it is, because somebody looks at it.
const SEEN: u32 = 1 << 8;
/// Nobody waits any more, whatever comes: what was waited for could never have come.
const CUT: u32 = 1 << 9;
/// One reference.
const ONE: u32 = 1 << 10;

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
struct Head {
    state: AtomicU32,
    table: &'static Table,
    core: NonNull<Core>,
    deadline: UnsafeCell<Option<Deadline>>,
    /// Of the watch, once it is kept in order.
    age: AtomicU64,
    waker: UnsafeCell<MaybeUninit<Waker>>,
    replacement: UnsafeCell<Option<Waker>>,
    kept: UnsafeCell<Option<CoreRef>>,
}

struct Table {
    free: unsafe fn(NonNull<Head>),
    forsaken: unsafe fn(NonNull<Head>),
    request: fn() -> &'static str,
    /// [`Target::keep`] of a target that is there.
    keep: unsafe fn(NonNull<()>) -> Option<CoreRef>,
}

/// What depends on the answer. Begins with the head.
#[repr(C)]
struct Slot<T> {
    head: Head,
    answer: UnsafeCell<MaybeUninit<Answer<T>>>,
}

/// All of it. Begins with the slot.
#[repr(C)]
struct Cell<A, T> {
    slot: Slot<T>,
    target: UnsafeCell<ManuallyDrop<A>>,
}

/// Opens an ask.
pub(crate) fn open<A: Target, T: Message>(target: A) -> (Asker<A, T>, Replier<T>) {
    let cell = NonNull::from(Box::leak(Box::new(Cell {
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
    })));
    let asker = Asker {
        cell,
        holds: Holds {
            envelope: true,
            watch: true,
        },
        has_taken: false,
    };
    (asker, Replier(cell.cast(), PhantomData))
}

/// Who waits. Dropped, nobody does.
pub(crate) struct Asker<A, T> {
    cell: NonNull<Cell<A, T>>,
    holds: Holds,
    has_taken: bool,
}

/// The references of others that are not handed out.
struct Holds {
    envelope: bool,
    watch: bool,
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// [`Asker::take`] has the answer.
    Answered,
    /// The deadline has passed without one.
    Due,
}

// SAFETY: the fields are reached by the rules above, whatever the thread, and an answer crosses threads only by moving.
unsafe impl<A: Send, T: Send> Send for Asker<A, T> {}
// SAFETY: by reference, an asker lets others read what is atomic or, by rules 3 and 7, does not change under them.
unsafe impl<A: Sync, T: Send> Sync for Asker<A, T> {}

impl<A, T> Asker<A, T> {
    #[inline]
    pub(crate) fn core(&self) -> &Core {
        // SAFETY: rule 7.
        unsafe { self.head().core.as_ref() }
    }

    #[inline]
    pub(crate) fn target(&self) -> &A {
        // SAFETY: rule 1 keeps the object, rule 7 the target; only the drop of this asker changes it.
        unsafe { self.cell.as_ref() }.target.with(|target| {
            // SAFETY: as above.
            unsafe { &**target }
        })
    }

    /// Says until when and by whom the answer is awaited. Once.
    #[inline]
    pub(crate) fn ask(&mut self, deadline: Deadline, waker: Waker) {
        let head = self.head();
        let before = head.state.load(Ordering::Relaxed);
        assert!(before & ASKED == 0, "an ask is polled first only once");
        // SAFETY: rule 3; the mark is set below, and only here.
        head.deadline
            .with_mut(|place| unsafe { *place = Some(deadline) });
        // SAFETY: rule 3.
        head.waker
            .with_mut(|place| unsafe { (*place).write(waker) });
        // Release: pairs with the Acquire in `answer`, `Watch::fire` and `Replier::deadline`, which read both.
        head.state.fetch_or(ASKED, Ordering::Release);
    }

    /// For the envelope. Once, after [`ask`](Self::ask).
    #[inline]
    pub(crate) fn question(&mut self) -> Question {
        debug_assert!(self.head().state.load(Ordering::Relaxed) & ASKED != 0);
        assert!(
            std::mem::take(&mut self.holds.envelope),
            "an ask is sent once"
        );
        Question(self.cell.cast())
    }

    /// Takes the envelope's part back: it was not accepted.
    pub(crate) fn unsend(&mut self, question: Question) {
        assert!(
            question.0 == self.cell.cast(),
            "the envelope is of another ask"
        );
        std::mem::forget(question);
        self.holds.envelope = true;
    }

    /// For whoever watches the deadline, after [`ask`](Self::ask).
    #[inline]
    pub(crate) fn watch(&mut self) -> Watch {
        debug_assert!(self.head().state.load(Ordering::Relaxed) & ASKED != 0);
        assert!(
            std::mem::take(&mut self.holds.watch),
            "an ask is watched once at a time"
        );
        Watch(self.cell.cast())
    }

    /// The address of the ask.
    #[inline]
    pub(crate) fn name(&self) -> NonNull<()> {
        self.cell.cast()
    }

    /// Of its watch, asked for under the lock of whoever keeps them in order.
    pub(crate) fn key(&self) -> Key {
        let head = self.head();
        Key {
            deadline: self.deadline(),
            age: head.age.load(Ordering::Relaxed), // under the same lock as its store
        }
    }

    /// After [`ask`](Self::ask).
    #[inline]
    fn deadline(&self) -> Deadline {
        // SAFETY: rule 3; the asker wrote it itself.
        match self.head().deadline.with(|deadline| unsafe { *deadline }) {
            Some(deadline) => deadline,
            None => unreachable!("an ask is watched after it has a deadline"),
        }
    }

    /// Takes the watch back.
    #[inline]
    pub(crate) fn unwatch(&mut self, watch: Watch) {
        assert!(watch.0 == self.cell.cast(), "the watch is of another ask");
        std::mem::forget(watch);
        self.holds.watch = true;
    }

    /// Has it ended? Whoever waits is woken by the waker of the last [`poll`](Self::poll), or of [`ask`](Self::ask).
    #[inline]
    pub(crate) fn ended(&self) -> Poll<End> {
        // Acquire: pairs with the Release in `answer`, so that the answer can be taken.
        match ended(self.head().state.load(Ordering::Acquire)) {
            Some(end) => Poll::Ready(end),
            None => Poll::Pending,
        }
    }

    /// After [`ask`](Self::ask).
    #[inline]
    pub(crate) fn poll(&mut self, context: &Context<'_>) -> Poll<End> {
        match self.ended() {
            Poll::Ready(end) => Poll::Ready(end),
            Poll::Pending => self.wake_by(context.waker()),
        }
    }

    /// The answer of an ask that has ended with one. Once.
    #[inline]
    pub(crate) fn take(&mut self) -> Answer<T> {
        let state = self.head().state.load(Ordering::Acquire); // pairs with `answer`
        assert!(state & ANSWERED != 0 && !self.has_taken);
        self.has_taken = true;
        // SAFETY: rule 2: the mark was seen, and `has_taken` lets nobody read again.
        unsafe { self.cell.as_ref().slot.answer() }
    }

    /// Did the deadline pass before there was an answer?
    #[inline]
    pub(crate) fn was_due(&self) -> bool {
        self.head().state.load(Ordering::Relaxed) & DUE != 0 // nothing is read for it
    }

    /// How far the request came.
    pub(crate) fn fate(&self) -> Fate {
        // Acquire: pairs with the Release in `Question::start`; what the handler did before is not less known here.
        let state = self.head().state.load(Ordering::Acquire);
        match self.holds.envelope {
            true => Fate::NotSent,
            false if state & STARTED != 0 => Fate::Started,
            false => Fate::Waiting,
        }
    }

    /// The waker of an earlier poll is replaced if it would wake somebody else.
    fn wake_by(&mut self, waker: &Waker) -> Poll<End> {
        let head = self.head();
        let mut state = head.state.load(Ordering::Acquire); // pairs with `answer`
        // SAFETY: rule 3 for the first; nobody but this asker writes the other (rule 5). A waker that was moved out
        // meanwhile is compared by its bytes alone.
        let is_known = unsafe {
            match state & REPLACED {
                0 => head
                    .waker
                    .with(|known| (*known).assume_init_ref().will_wake(waker)),
                _ => head.replacement.with(|known| {
                    (*known)
                        .as_ref()
                        .is_some_and(|known| known.will_wake(waker))
                }),
            }
        };
        if is_known {
            return Poll::Pending;
        }
        if state & REPLACED != 0 {
            state = match head.change(state, |state| state & !REPLACED) {
                Ok(state) => state,
                Err(end) => return Poll::Ready(end),
            };
        }
        // SAFETY: rule 5: the mark is not set, so nobody else looks.
        let replaced = head
            .replacement
            .with_mut(|place| unsafe { (*place).replace(waker.clone()) });
        let changed = head.change(state, |state| state | REPLACED);
        drop(replaced); // last: a waker may own a task
        match changed {
            Ok(_) => Poll::Pending,
            Err(end) => Poll::Ready(end),
        }
    }

    #[inline]
    fn head(&self) -> &Head {
        // SAFETY: rule 1.
        unsafe { &self.cell.as_ref().slot.head }
    }

    /// As counted in the state.
    #[inline]
    fn references(&self) -> u32 {
        ONE * (1 + u32::from(self.holds.envelope) + u32::from(self.holds.watch))
    }
}

impl<A, T> Drop for Asker<A, T> {
    fn drop(&mut self) {
        let (cell, own) = (self.cell, self.references());
        let taken = if self.has_taken { TAKEN } else { 0 };
        let head = self.head();
        // Acquire: pairs with the Release of every step that gave up a reference, so that all of it is done before the
        // end.
        let mut state = head.state.load(Ordering::Acquire);
        if references(state) == own {
            // SAFETY: rule 1: nobody else is left.
            return unsafe { end::<A, T>(cell, state | taken) };
        }
        // SAFETY: rule 7: this is the asker, and it is about to say CLOSED.
        let target = unsafe {
            let target = cell
                .as_ref()
                .target
                .with_mut(|target| ManuallyDrop::take(&mut *target));
            let keeps = (head.table.keep)(NonNull::from(&target).cast());
            head.kept.with_mut(|kept| *kept = keeps);
            target
        };
        loop {
            let next = (state | taken | CLOSED) - own;
            // AcqRel: Release for the target that was left behind, read in `Replier::publish`, and Acquire as above.
            match head
                .state
                .compare_exchange_weak(state, next, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) if references(next) == 0 => {
                    // SAFETY: rule 1: that was the last reference.
                    unsafe { end::<A, T>(cell, next) };
                    break;
                }
                Ok(_) => break,
                Err(now) => state = now,
            }
        }
        drop(target); // last: a handle on an actor, whose end may begin here
    }
}

/// Who owes the answer. Dropped, the [`Target`] hears of it.
pub(crate) struct Replier<T>(NonNull<Slot<T>>, PhantomData<T>);

// SAFETY: the answer is only ever moved in, which needs a `T` that may be sent; the rest follows the rules above.
unsafe impl<T: Send> Send for Replier<T> {}
// SAFETY: by reference, a reply only reads the atomic state and, by rule 3, the deadline.
unsafe impl<T: Send> Sync for Replier<T> {}

impl<T> Replier<T> {
    /// `Err`: nobody waits any more.
    #[inline]
    pub(crate) fn answer(self, answer: Answer<T>) -> Result<(), (Self, Answer<T>)> {
        // SAFETY: rule 1.
        let slot = unsafe { self.0.as_ref() };
        let head = &slot.head;
        // SAFETY: rule 2.
        slot.answer
            .with_mut(|place| unsafe { (*place).write(answer) });
        // Acquire: pairs with the Release in `Asker::ask`, so that the waker is there.
        let mut state = head.state.load(Ordering::Acquire);
        loop {
            if state & (CLOSED | CUT) != 0 {
                // SAFETY: rule 2: the mark is not set, so it is still the reply's own.
                return Err((self, unsafe { slot.answer() }));
            }
            let (next, call) = answered(state);
            // SAFETY: rule 3: it is there, and nobody writes it.
            let waker = (call == Call::Take)
                .then(|| head.waker.with(|waker| unsafe { std::ptr::read(waker) }));
            // AcqRel: Release for the answer, which `Asker::poll` acquires; Acquire for the waker, and should this be
            // the end.
            match head
                .state
                .compare_exchange_weak(state, next, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => {
                    let this = ManuallyDrop::new(self);
                    match (call, waker) {
                        // A waker that panics is no failure of the actor that answers.
                        // SAFETY: rule 4: the mark in `next` gives the waker to us.
                        (_, Some(waker)) => run_quietly(|| unsafe { waker.assume_init() }.wake()),
                        // SAFETY: rule 6, then rule 1: the reference was kept for that.
                        (Call::InPlace, None) => unsafe {
                            run_quietly(|| head.wake(next));
                            release(this.0.cast());
                        },
                        // SAFETY: rule 1: that was the last reference, if it was.
                        (_, None) if references(next) == 0 => unsafe {
                            (head.table.free)(this.0.cast());
                        },
                        (_, None) => {}
                    }
                    return Ok(());
                }
                Err(now) => state = now,
            }
        }
    }

    /// Nobody waits any more.
    #[inline]
    pub(crate) fn is_abandoned(&self) -> bool {
        self.head().state.load(Ordering::Relaxed) & (CLOSED | CUT) != 0 // a hint; nothing is read for it
    }

    /// `None`: not sent yet.
    #[inline]
    pub(crate) fn deadline(&self) -> Option<Deadline> {
        // Acquire: pairs with the Release in `Asker::ask`.
        let is_asked = self.head().state.load(Ordering::Acquire) & ASKED != 0;
        // SAFETY: rule 3.
        is_asked.then(|| self.head().deadline.with(|deadline| unsafe { *deadline }))?
    }

    /// Who was asked.
    #[inline]
    pub(crate) fn core(&self) -> &Core {
        // SAFETY: rule 7.
        unsafe { self.head().core.as_ref() }
    }

    /// The type of the request.
    pub(crate) fn request(&self) -> &'static str {
        (self.head().table.request)()
    }

    #[inline]
    fn head(&self) -> &Head {
        // SAFETY: rule 1.
        unsafe { &self.0.as_ref().head }
    }
}

impl<T> Drop for Replier<T> {
    fn drop(&mut self) {
        // SAFETY: rule 1, for both: the reference of this reply goes one way or the other.
        unsafe {
            if self.is_abandoned() {
                release(self.0.cast());
            } else {
                (self.head().table.forsaken)(self.0.cast());
            }
        }
    }
}

/// Travels beside the request, so that the ask knows when it comes into a handler's hands.
pub(crate) struct Question(NonNull<Head>);

// SAFETY: it reaches atomics and, by rule 3, the deadline; by rule 1 it may free, which `open` allows on any thread.
unsafe impl Send for Question {}
// SAFETY: as above, and nothing is reached by reference.
unsafe impl Sync for Question {}

impl Question {
    /// The handler has it in hand.
    #[inline]
    pub(crate) fn start(self) -> Option<Deadline> {
        let this = ManuallyDrop::new(self);
        // SAFETY: rule 1.
        let head = unsafe { this.0.as_ref() };
        // SAFETY: rule 3: the asker wrote it before it pushed, and this was popped.
        let deadline = head.deadline.with(|deadline| unsafe { *deadline });
        // AcqRel: Release so that whoever frees has seen the read above, Acquire should it be this one. One envelope, so
        // the mark is not set yet and may be added.
        let before = head.state.fetch_sub(ONE - STARTED, Ordering::AcqRel);
        if references(before) == ONE {
            // SAFETY: rule 1: that was the last reference.
            unsafe { (head.table.free)(this.0) };
        }
        deadline
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        // SAFETY: rule 1.
        unsafe { release(self.0) };
    }
}

/// The right to end the wait when its time has come.
pub(crate) struct Watch(NonNull<Head>);

// SAFETY: it reaches the atomic state and, by rule 6, wakers; by rule 1 it may free, which `open` allows on any thread.
unsafe impl Send for Watch {}
// SAFETY: as above, and nothing is reached by reference.
unsafe impl Sync for Watch {}

impl Watch {
    /// The deadline has passed: the asker may be woken. `None`: there is an answer, or nobody waits.
    pub(crate) fn fire(self) -> Option<Fired> {
        self.end_wait(DUE)
    }

    /// The same, and an answer that comes now is too late.
    pub(crate) fn cut(self) -> Option<Fired> {
        self.end_wait(DUE | CUT)
    }

    fn end_wait(self, marks: u32) -> Option<Fired> {
        // SAFETY: rule 1.
        let head = unsafe { self.0.as_ref() };
        let mut state = head.state.load(Ordering::Relaxed);
        while state & (ANSWERED | CLOSED) == 0 {
            // Acquire: pairs with the Release in `Asker::ask` and `Head::change`, so that the wakers are there.
            match head.state.compare_exchange_weak(
                state,
                state | marks,
                Ordering::Acquire,
                Ordering::Relaxed,
            ) {
                Ok(_) => return Some(Fired { watch: self, state }),
                Err(now) => state = now,
            }
        }
        None
    }

    /// The actor whose handler waits for the answer, if it is one.
    pub(crate) fn who_waits(&self) -> Option<CoreRef> {
        // SAFETY: rule 1.
        let head = unsafe { self.0.as_ref() };
        let mut state = head.state.load(Ordering::Relaxed);
        while state & ANSWERED == 0 {
            // Acquire: pairs with the Release in `Asker::ask`, so that the waker is there.
            match head.state.compare_exchange_weak(
                state,
                state | SEEN,
                Ordering::Acquire,
                Ordering::Relaxed,
            ) {
                // SAFETY: rule 8.
                Ok(_) => {
                    return head.waker.with(|known| {
                        waker::who_waits(unsafe { (*known).assume_init_ref() }).map(CoreRef::new)
                    });
                }
                Err(now) => state = now,
            }
        }
        None
    }

    /// How far the request has come.
    pub(crate) fn progress(&self) -> Progress {
        // SAFETY: rule 1.
        let head = unsafe { self.0.as_ref() };
        let state = head.state.load(Ordering::Acquire); // with the Release in `Question::start` and `answer`
        if state & (ANSWERED | DUE | CLOSED | REPLACED) != 0 {
            Progress::Over
        } else if state & STARTED != 0 {
            Progress::InHand
        } else {
            Progress::Untaken
        }
    }

    /// Who was asked.
    pub(crate) fn core(&self) -> &Core {
        // SAFETY: rules 1 and 7.
        unsafe { self.0.as_ref().core.as_ref() }
    }

    /// The type of the request.
    pub(crate) fn request(&self) -> &'static str {
        // SAFETY: rule 1.
        (unsafe { self.0.as_ref() }.table.request)()
    }

    /// The address of the ask, as [`Asker::name`].
    pub(crate) fn name(&self) -> NonNull<()> {
        self.0.cast()
    }

    #[inline]
    pub(crate) fn into_raw(self) -> NonNull<()> {
        ManuallyDrop::new(self).0.cast()
    }

    /// # Safety
    /// Once for each [`into_raw`](Self::into_raw).
    #[inline]
    pub(crate) unsafe fn from_raw(raw: NonNull<()>) -> Self {
        Self(raw.cast())
    }

    /// Gives it a name that no other has.
    pub(crate) fn set_age(&self, age: u64) -> Key {
        // SAFETY: rule 1.
        let head = unsafe { self.0.as_ref() };
        head.age.store(age, Ordering::Relaxed); // under the lock of whoever keeps watches in order, as its load
        Key {
            deadline: self.deadline(),
            age,
        }
    }

    #[inline]
    pub(crate) fn deadline(&self) -> Deadline {
        // SAFETY: rule 1.
        let head = unsafe { self.0.as_ref() };
        // SAFETY: rule 3: a watch is handed out after the deadline was written.
        match head.deadline.with(|deadline| unsafe { *deadline }) {
            Some(deadline) => deadline,
            None => unreachable!("an ask is watched after it has a deadline"),
        }
    }
}

/// How far the request of an ask that waits has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// No handler has taken it.
    Untaken,
    /// A handler has had it in hand.
    InHand,
    /// There is an answer, or nobody waits any more, or somebody else does than in the beginning.
    Over,
}

/// A deadline that passed before there was an answer.
#[must_use = "its asker sleeps until it is woken"]
pub(crate) struct Fired {
    watch: Watch,
    /// When it passed.
    state: u32,
}

impl Fired {
    pub(crate) fn wake(self) {
        // A waker that panics may not keep the others from theirs.
        // SAFETY: rules 1 and 6: `DUE` was set and `ANSWERED` was not there.
        run_quietly(|| unsafe { self.watch.0.as_ref().wake(self.state) });
    }
}

/// Names a watch that is kept in order: by deadline, then by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) deadline: Deadline,
    age: u64,
}

impl Drop for Watch {
    fn drop(&mut self) {
        // SAFETY: rule 1.
        unsafe { release(self.0) };
    }
}

/// Whom the reply has to wake.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Call {
    Nobody,
    /// By the first waker, which it takes.
    Take,
    /// By the waker that counts, where it is, for which it keeps its reference.
    InPlace,
}

/// What an answer makes of the state.
#[inline]
fn answered(state: u32) -> (u32, Call) {
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
fn ended(state: u32) -> Option<End> {
    if state & ANSWERED != 0 {
        Some(End::Answered)
    } else {
        (state & DUE != 0).then_some(End::Due)
    }
}

/// The references in a state, in units of [`ONE`].
#[inline]
fn references(state: u32) -> u32 {
    state & !(ONE - 1)
}

impl Head {
    /// A step of the asker, unless the ask has ended.
    fn change(&self, mut state: u32, step: impl Fn(u32) -> u32) -> Result<u32, End> {
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
    unsafe fn wake(&self, state: u32) {
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
    unsafe fn answer(&self) -> Answer<T> {
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
unsafe fn release(head: NonNull<Head>) {
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
unsafe fn end<A, T>(cell: NonNull<Cell<A, T>>, state: u32) {
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
    A::forsaken(Replier::<T>(head.cast(), PhantomData));
}

#[cfg(all(test, playhouse_loom))]
pub(crate) mod models {
    use super::*;
    use crate::ask::{NoReply, Unanswered};
    use loom::future::block_on;
    use loom::thread;
    use std::future::poll_fn;
    use std::sync::Arc;

    type Token = std::sync::Arc<()>;

    /// An actor as far as its asks can tell, and what proves that it is let go.
    pub(crate) struct Nobody(#[expect(dead_code, reason = "it is there to be dropped")] Token);

    impl Target for Nobody {
        fn core(&self) -> NonNull<Core> {
            NonNull::dangling() // no model looks at it
        }
        fn keep(&self) -> Option<CoreRef> {
            None
        }
        fn request() -> &'static str {
            "nothing"
        }
        fn forsaken<T: Message>(reply: Replier<T>) {
            let _ = reply.answer(Err(Box::new(Unanswered {
                by: None,
                why: NoReply::Dropped,
            })));
        }
    }

    fn soon() -> Deadline {
        Deadline::at(std::time::Instant::now())
    }

    /// Sent, with everybody's part.
    fn sent(token: &Token) -> (Asker<Nobody, Token>, Replier<Token>, Question) {
        let (mut asker, reply) = open(Nobody(token.clone()));
        asker.ask(soon(), Waker::noop().clone());
        let question = asker.question();
        (asker, reply, question)
    }

    /// A watch, with the asker to whom it belongs.
    pub(crate) fn watched() -> (Asker<Nobody, Token>, Watch) {
        let (mut asker, _, _) = sent(&Token::default());
        let watch = asker.watch();
        (asker, watch)
    }

    fn wait(asker: &mut Asker<Nobody, Token>) -> End {
        block_on(poll_fn(|context| asker.poll(context)))
    }

    /// Whatever happens, at the end nothing of the ask is left.
    fn model(ask: impl Fn(&Token) + Send + Sync + 'static) {
        loom::model(move || {
            let token = Token::default();
            ask(&token);
            assert_eq!(Token::strong_count(&token), 1, "leaked");
        });
    }

    #[test]
    fn an_answer_wakes_whoever_polls() {
        model(|token| {
            let (mut asker, reply) = open(Nobody(token.clone()));
            let mut parts = Some((reply, token.clone()));
            let mut answers = None;
            let end = block_on(poll_fn(|context| {
                if let Some((reply, value)) = parts.take() {
                    asker.ask(soon(), context.waker().clone());
                    let question = asker.question();
                    answers = Some(thread::spawn(move || {
                        assert!(question.start().is_some());
                        assert!(reply.answer(Ok(value)).is_ok());
                    }));
                    return Poll::Pending; // so that the first waker alone has to do
                }
                asker.poll(context)
            }));
            assert_eq!(end, End::Answered);
            assert_eq!(asker.fate(), Fate::Started);
            assert!(asker.take().is_ok());
            drop(asker);
            answers.map(|answers| answers.join().unwrap());
        });
    }

    /// The reply was given away before the first poll.
    #[test]
    fn an_early_answer_is_seen_or_wakes() {
        model(|token| {
            let (mut asker, reply) = open(Nobody(token.clone()));
            let value = token.clone();
            let answers = thread::spawn(move || assert!(reply.answer(Ok(value)).is_ok()));
            let mut is_asked = false;
            let end = block_on(poll_fn(|context| {
                if std::mem::replace(&mut is_asked, true) {
                    return asker.poll(context);
                }
                asker.ask(soon(), context.waker().clone());
                asker.ended()
            }));
            assert_eq!(end, End::Answered);
            assert!(asker.take().is_ok());
            drop(asker);
            answers.join().unwrap();
        });
    }

    #[test]
    fn an_answer_wakes_the_latest_waker() {
        model(|token| {
            let (mut asker, reply, question) = sent(token);
            let value = token.clone();
            let answers = thread::spawn(move || {
                drop(question);
                assert!(reply.answer(Ok(value)).is_ok());
            });
            assert_eq!(wait(&mut asker), End::Answered);
            drop(asker); // without the answer
            answers.join().unwrap();
        });
    }

    #[test]
    fn an_answer_comes_in_time_or_is_handed_back() {
        model(|token| {
            let (asker, reply, question) = sent(token);
            let value = token.clone();
            let answers = thread::spawn(move || match reply.answer(Ok(value)) {
                Ok(()) => {}
                Err((reply, late)) => assert!(reply.is_abandoned() && late.is_ok()),
            });
            drop(asker);
            question.start();
            answers.join().unwrap();
        });
    }

    /// Whoever is looked at is woken where it is.
    #[test]
    fn an_answer_wakes_a_waker_that_was_seen() {
        model(|token| {
            let (mut asker, reply, question) = sent(token);
            drop(question);
            let watch = asker.watch();
            let looks = thread::spawn(move || {
                assert!(watch.who_waits().is_none(), "no actor waits here");
                watch
            });
            let value = token.clone();
            let answers = thread::spawn(move || assert!(reply.answer(Ok(value)).is_ok()));
            let watch = looks.join().unwrap();
            answers.join().unwrap();
            assert_eq!(watch.progress(), Progress::Over);
            assert!(asker.take().is_ok());
            asker.unwatch(watch);
        });
    }

    #[test]
    fn a_dropped_reply_is_an_answer() {
        model(|token| {
            let (mut asker, reply, question) = sent(token);
            let drops = thread::spawn(move || drop(reply));
            assert_eq!(wait(&mut asker), End::Answered);
            assert!(asker.take().is_err());
            drop(asker);
            drop(question);
            drops.join().unwrap();
        });
    }

    #[test]
    fn the_last_of_three_frees() {
        model(|token| {
            let (asker, reply, question) = sent(token);
            let drops = thread::spawn(move || drop(reply));
            let starts = thread::spawn(move || question.start());
            drop(asker);
            drops.join().unwrap();
            starts.join().unwrap();
        });
    }

    /// Three threads of which one also waits are too many ways to try: here the asker looks once, with a new waker.
    #[test]
    fn a_deadline_or_an_answer_ends_the_wait() {
        model(|token| {
            let (mut asker, reply, question) = sent(token);
            drop(question);
            let watch = asker.watch();
            let value = token.clone();
            let fires = thread::spawn(move || watch.fire().map(Fired::wake));
            let answers = thread::spawn(move || drop(reply.answer(Ok(value))));
            let deaf = Waker::from(Arc::new(Deaf));
            let seen = asker.poll(&Context::from_waker(&deaf));
            fires.join().unwrap();
            answers.join().unwrap();
            let now = asker.poll(&Context::from_waker(&deaf));
            assert_eq!(now, Poll::Ready(End::Answered));
            assert!(asker.was_due() || seen != Poll::Ready(End::Due));
        });
    }

    #[test]
    fn a_deadline_wakes_the_latest_waker() {
        model(|token| {
            let (mut asker, reply, question) = sent(token);
            let watch = asker.watch();
            let fires = thread::spawn(move || watch.fire().map(Fired::wake));
            let _ = asker.poll(&Context::from_waker(&Waker::from(Arc::new(Deaf))));
            assert_eq!(wait(&mut asker), End::Due);
            drop(asker);
            drop((reply, question));
            fires.join().unwrap();
        });
    }

    /// Another one than the noop waker, that wakes nobody either.
    struct Deaf;
    impl std::task::Wake for Deaf {
        fn wake(self: Arc<Self>) {}
    }
}
