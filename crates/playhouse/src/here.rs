//! Whose turn it is on this thread. Set around every poll of user code, so that code which is given no context (an ask
//! inside a handler, the drop of a `Reply`) knows where it runs.
//!
//! 1. The thread's pointer is null or points to a [`Turn`] on this thread's stack, whose [`Turn::enter`] has not returned.
//!    Turns nest: each points to the one outside of it, which returns later.
//! 2. A turn is its actor's own, or code that runs on behalf of an actor whose turn is another thread's: only the first
//!    gives rights to what belongs to the turn.
//! 3. Whoever enters a turn keeps its actor's memory at least until user code is done with in it. Between the moment an
//!    actor goes idle and the return of `enter`, no code runs that could look.

#![allow(unsafe_code)]

use crate::address::Address;
use crate::ask::{NoReply, Unanswered};
use crate::cell::{Core, CoreRef, Traits};
use crate::clock::Deadline;
use crate::dispatch::stepped;
use crate::send_error::Cancelled;
use crate::sync::{self, oneshot, run_quietly, thread_local};
use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::ptr::{NonNull, null};
use std::task::Poll;
use std::time::{Duration, Instant};

thread_local! {
    /// The innermost turn.
    static INNERMOST: Cell<*const Turn> = const { Cell::new(null()) };
}

/// A turn on this thread, on the stack of whoever runs it.
pub(crate) struct Turn {
    core: NonNull<Core>,
    /// It is that actor's turn, and not only a drop on its behalf.
    is_own: bool,
    outer: *const Turn,
    /// Made by the first reply that is dropped.
    #[allow(clippy::box_collection)]
    // every turn has this field and hardly one fills it: a pointer is less than a `Vec`
    forsaken: Cell<Option<Box<Vec<Forsake>>>>,
    /// Since its first message, if its dispatcher limits its time.
    began: Cell<Option<Instant>>,
}

type Forsake = Box<dyn FnOnce(Unanswered) + Send>;

impl Turn {
    #[inline]
    pub(crate) fn new(core: &Core) -> Self {
        Self {
            core: NonNull::from(core),
            is_own: true,
            outer: INNERMOST.get(),
            forsaken: Cell::new(None),
            began: Cell::new(None),
        }
    }

    /// Runs `code` with this as the innermost turn. Should it unwind, the turn is over all the same.
    #[inline]
    pub(crate) fn enter<T>(&self, code: impl FnOnce() -> T) -> T {
        struct Over(*const Turn);
        impl Drop for Over {
            #[inline]
            fn drop(&mut self) {
                INNERMOST.set(self.0);
            }
        }

        let _over = Over(self.outer);
        INNERMOST.set(self); // rule 1
        code()
    }

    /// All of it: `code`, and the replies that it dropped.
    #[inline]
    fn run<T>(self, core: &Core, code: impl FnOnce() -> T) -> (T, Forsaken) {
        let value = self.enter(code);
        (value, self.forsaken(core))
    }

    /// The replies that were dropped so far.
    #[inline]
    pub(crate) fn forsaken(&self, by: &Core) -> Forsaken {
        match self.forsaken.take() {
            None => Forsaken::default(),
            Some(replies) => Forsaken {
                by: Some(by.address.clone()),
                replies: *replies,
            },
        }
    }

    #[inline]
    pub(crate) fn has_no_forsaken(&self) -> bool {
        // SAFETY: rule 1: only this thread reaches it, and nothing keeps what this borrow sees.
        unsafe { (*self.forsaken.as_ptr()).is_none() }
    }

    /// Answers them. Mostly there are none.
    #[inline]
    pub(crate) fn answer_forsaken(&self, by: &Core, why: &NoReply) {
        if !self.has_no_forsaken() {
            self.forsaken(by).answer(why);
        }
    }

    #[inline]
    fn core(&self) -> &Core {
        // SAFETY: rule 3.
        unsafe { self.core.as_ref() }
    }
}

/// Replies that were dropped without an answer during one poll, to be answered when its outcome is known.
#[derive(Default)]
pub(crate) struct Forsaken {
    by: Option<Address>,
    replies: Vec<Forsake>,
}

impl Forsaken {
    #[inline]
    pub(crate) fn answer(self, why: &NoReply) {
        if !self.replies.is_empty() {
            self.answer_all(why);
        }
    }

    #[cold]
    fn answer_all(self, why: &NoReply) {
        let Self { by, replies } = self;
        for reply in replies {
            let (by, why) = (by.clone(), why.clone());
            run_quietly(|| reply(Unanswered { by, why })); // it drops what is the user's, outside of every poll
        }
    }
}

/// Runs `code`, which must not unwind, as part of that actor's turn.
#[inline]
pub(crate) fn turn<T>(core: &Core, code: impl FnOnce() -> T) -> (T, Forsaken) {
    Turn::new(core).run(core, code)
}

/// Runs `code`, which must not unwind, on behalf of that actor, whose turn may be on elsewhere. To everything but the
/// replies that it drops, the turn is whose it was before.
#[inline]
pub(crate) fn on_behalf<T>(core: &Core, code: impl FnOnce() -> T) -> (T, Forsaken) {
    let turn = Turn {
        is_own: false,
        ..Turn::new(core)
    };
    turn.run(core, code)
}

/// Looks at the innermost turn of this thread that is its actor's own, if there is one.
#[inline]
fn innermost_own<T>(look: impl FnOnce(Option<&Turn>) -> T) -> T {
    innermost(|turn| {
        let mut turn = turn;
        while let Some(behalf) = turn
            && !behalf.is_own
        {
            // SAFETY: rule 1; an outer turn lasts longer than an inner one.
            turn = unsafe { behalf.outer.as_ref() };
        }
        look(turn)
    })
}

/// Looks at the innermost turn of this thread, if there is one.
#[inline]
fn innermost<T>(look: impl FnOnce(Option<&Turn>) -> T) -> T {
    // A thread that is going away has no turn any more, and drops what its own locals held.
    let innermost = INNERMOST.try_with(Cell::get).unwrap_or(null());
    // SAFETY: rule 1.
    look(unsafe { innermost.as_ref() })
}

/// The replies that were dropped so far in the turn that is on now, which is that actor's.
#[inline]
pub(crate) fn forsaken(core: &Core) -> Forsaken {
    innermost(|turn| turn.map_or_else(Forsaken::default, |turn| turn.forsaken(core)))
}

/// Has the turn that is on now lasted as long as its dispatcher allows? Asked before each message, so the look for the first
/// one is where it begins.
#[inline]
pub(crate) fn is_out_of_time(core: &Core) -> bool {
    core.has_trait(Traits::IS_TIMED) && has_lasted_too_long(core)
}

#[cold]
fn has_lasted_too_long(core: &Core) -> bool {
    let limit = core.dispatcher.time_limit().unwrap_or(Duration::MAX);
    innermost(|turn| {
        turn.is_some_and(|turn| {
            let now = core.system().clock.now();
            match turn.began.get() {
                Some(began) => now - began >= limit,
                None => {
                    turn.began.set(Some(now)); // a turn takes one message at least
                    false
                }
            }
        })
    })
}

/// Was no reply dropped so far in the turn that is on now?
#[inline]
pub(crate) fn has_no_forsaken() -> bool {
    innermost(|turn| turn.is_none_or(Turn::has_no_forsaken))
}

/// The deadline of the question in hand on this thread.
#[inline]
pub(crate) fn deadline() -> Option<Deadline> {
    // SAFETY: a turn of its own is on, on this thread.
    innermost_own(|turn| unsafe { turn?.core().deadline() })
}

/// Is it any actor's turn on this thread?
#[inline]
pub(crate) fn is_turn() -> bool {
    innermost_own(|turn| turn.is_some())
}

/// Looks at the actor in whose turn, or on whose behalf, this code runs.
pub(crate) fn in_whose_turn<T>(look: impl FnOnce(Option<&Core>) -> T) -> T {
    innermost(|turn| look(turn.map(Turn::core)))
}

/// Is it this actor's turn on this thread?
#[inline]
pub(crate) fn is_turn_of(core: &Core) -> bool {
    let mut next = INNERMOST.get();
    // SAFETY: rule 1; an outer turn lasts longer than an inner one.
    while let Some(turn) = unsafe { next.as_ref() } {
        if turn.is_own && std::ptr::eq(turn.core.as_ptr(), core) {
            return true;
        }
        next = turn.outer;
    }
    false
}

/// A reply was dropped: during a turn it is answered at the end of the poll, elsewhere at once.
pub(crate) fn forsake(reply: impl FnOnce(Unanswered) + Send + 'static) {
    innermost(|turn| match turn {
        Some(turn) => {
            let mut forsaken = turn.forsaken.take().unwrap_or_default();
            forsaken.push(Box::new(reply));
            turn.forsaken.set(Some(forsaken));
        }
        None => reply(Unanswered {
            by: None,
            why: NoReply::Dropped,
        }),
    });
}

/// Waits on this thread. The wait of an actor ends by itself when that actor is asked to stop.
///
/// # Panics
/// On a thread that drives asynchronous tasks: everything else on it would stand still.
pub(crate) fn block_on<T>(what: &str, future: impl Future<Output = T>) -> Result<T, Cancelled> {
    let actor = innermost_own(|turn| turn.map(|turn| CoreRef::new(turn.core())));
    match actor {
        Some(core) => {
            assert!(
                core.dispatcher.may_block(),
                "`{what}` would block a shared worker in the turn of {}; await instead, or move the actor to a `fixed` \
                 or `pinned` dispatcher",
                core.address
            );
            let waits = unless_stopping(&core, future);
            stepped::block_on(what, waits).unwrap_or_else(sync::block_on)
        }
        None => {
            let future = match stepped::block_on(what, future) {
                Ok(value) => return Ok(value),
                Err(future) => future,
            };
            assert_outside_of_async(what);
            Ok(sync::block_on(future))
        }
    }
}

/// The actor whose turn this is blocks its thread, and perhaps for somebody who waits for a place in its mailbox: to wait
/// is as good as to be idle. Claimants have one round to come before others may take their places.
fn suspend(core: &Core, context: &std::task::Context<'_>) {
    debug_assert!(is_turn_of(core));
    // SAFETY: the only caller runs inside a turn of this actor, on its thread.
    if unsafe { core.gate().suspend() } {
        context.waker().wake_by_ref();
    }
}

/// What is there already is taken even while stopping, so that cleaning up can still send.
async fn unless_stopping<T>(core: &Core, future: impl Future<Output = T>) -> Result<T, Cancelled> {
    let mut future = pin!(future);
    let mut stopping = pin!(core.stopping());
    poll_fn(|context| {
        if let Poll::Ready(value) = future.as_mut().poll(context) {
            return Poll::Ready(Ok(value));
        }
        let cancelled = stopping.as_mut().poll(context);
        if cancelled.is_pending() {
            suspend(core, context);
        }
        cancelled.map(|()| Err(Cancelled))
    })
    .await
}

/// Only Tokio knows whether this thread drives its tasks, and it says so by panicking in a blocking receive. Ours names
/// the call as well.
fn assert_outside_of_async(what: &str) {
    let (answer, question) = oneshot::channel();
    let _ = answer.send(());
    if sync::catch(move || question.blocking_recv()).is_err() {
        panic!(
            "`{what}` would block a thread that drives asynchronous tasks; await instead, or use `spawn_blocking`"
        );
    }
}
