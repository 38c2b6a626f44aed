//! The parts that an ask is held by: one each for the asker, the reply, the envelope of the request, and whoever watches
//! the deadline.
//!
//! Each is one reference to the object in [`cell`](super::cell), whose rules it keeps: every number below is a rule there.
#![allow(unsafe_code)]

use super::cell::{
    ANSWERED, ASKED, CLOSED, CUT, Call, Cell, DUE, End, Head, ONE, REPLACED, SEEN, STARTED, Slot,
    TAKEN, Target, answered, end, ended, references, release,
};
use super::{Answer, Fate};
use crate::actor::Message;
use crate::cell::{Core, CoreRef, waker};
use crate::clock::Deadline;
use crate::sync::{Ordering, run_quietly};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::task::{Context, Poll, Waker};

/// Opens an ask.
pub(crate) fn open<A: Target, T: Message>(target: A) -> (Asker<A, T>, Replier<T>) {
    let cell = Cell::make(target);
    let asker = Asker {
        cell,
        holds: Holds {
            envelope: true,
            watch: true,
        },
        has_taken: false,
    };
    // SAFETY: rule 1: the reference of the reply, given once.
    (asker, unsafe { Replier::of(cell.cast()) })
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
    /// # Safety
    /// Rule 1: the caller gives its reference, that of the reply.
    #[inline]
    pub(super) unsafe fn of(slot: NonNull<Slot<T>>) -> Self {
        Self(slot, PhantomData)
    }

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
                Ok(_) => {
                    return head.waker.with(|known| {
                        // SAFETY: rule 8.
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

impl Drop for Watch {
    fn drop(&mut self) {
        // SAFETY: rule 1.
        unsafe { release(self.0) };
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
