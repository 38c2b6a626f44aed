//! Whose turn it is on this thread. Set around every poll of user code, so that code which is given no context (an ask
//! inside a handler, the drop of a `Reply`) knows where it runs.

use crate::address::Address;
use crate::ask::{NoReply, Unanswered};
use crate::cell::Core;
use crate::cell::turn::suspend;
use crate::clock::Deadline;
use crate::dispatch::stepped;
use crate::send_error::Cancelled;
use crate::sync::{self, Arc, oneshot, thread_local};
use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

thread_local! {
    static TURNS: RefCell<Vec<Turn>> = const { RefCell::new(Vec::new()) };
}

struct Turn {
    core: Arc<Core>,
    forsaken: Vec<Box<dyn FnOnce(Unanswered) + Send>>,
}

/// Replies that were dropped without an answer during one poll, to be answered when its outcome is known.
#[derive(Default)]
pub(crate) struct Forsaken {
    by: Option<Address>,
    replies: Vec<Box<dyn FnOnce(Unanswered) + Send>>,
}

impl Forsaken {
    pub(crate) fn answer(self, why: &NoReply) {
        let Self { by, replies } = self;
        for reply in replies {
            reply(Unanswered {
                by: by.clone(),
                why: why.clone(),
            });
        }
    }
}

/// Runs `code`, which must not unwind, as part of that actor's turn.
pub(crate) fn turn<T>(core: &Arc<Core>, code: impl FnOnce() -> T) -> (T, Forsaken) {
    let turn = Turn {
        core: core.clone(),
        forsaken: Vec::new(),
    };
    TURNS.with_borrow_mut(|turns| turns.push(turn));
    let value = code();
    let ended = TURNS.with_borrow_mut(Vec::pop);
    let forsaken = ended.map(|turn| match turn.forsaken {
        replies if replies.is_empty() => Forsaken::default(),
        replies => Forsaken {
            by: Some(turn.core.address.clone()),
            replies,
        },
    });
    (value, forsaken.unwrap_or_default())
}

/// The deadline of the question in hand on this thread.
pub(crate) fn deadline() -> Option<Deadline> {
    TURNS.with_borrow(|turns| turns.last().and_then(|turn| *turn.core.deadline.lock()))
}

/// Is it any actor's turn on this thread?
pub(crate) fn is_turn() -> bool {
    TURNS.with_borrow(|turns| !turns.is_empty())
}

/// Is it this actor's turn on this thread?
pub(crate) fn is_turn_of(core: &Arc<Core>) -> bool {
    TURNS.with_borrow(|turns| turns.iter().any(|turn| Arc::ptr_eq(&turn.core, core)))
}

/// A reply was dropped: during a turn it is answered at the end of the poll, elsewhere at once.
pub(crate) fn forsake(reply: impl FnOnce(Unanswered) + Send + 'static) {
    let mut reply = Some(reply);
    // A thread that is going away has no turn any more, and drops what its own locals held.
    let _ = TURNS.try_with(|turns| {
        if let Some(turn) = turns.borrow_mut().last_mut()
            && let Some(reply) = reply.take()
        {
            turn.forsaken.push(Box::new(reply));
        }
    });
    if let Some(reply) = reply {
        reply(Unanswered {
            by: None,
            why: NoReply::Dropped,
        });
    }
}

/// Waits on this thread. The wait of an actor ends by itself when that actor is asked to stop.
///
/// # Panics
/// On a thread that drives asynchronous tasks: everything else on it would stand still.
pub(crate) fn block_on<T>(what: &str, future: impl Future<Output = T>) -> Result<T, Cancelled> {
    let actor = TURNS.with_borrow(|turns| turns.last().map(|turn| turn.core.clone()));
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

/// What is there already is taken even while stopping, so that cleaning up can still send.
async fn unless_stopping<T>(core: &Core, future: impl Future<Output = T>) -> Result<T, Cancelled> {
    let mut future = pin!(future);
    let mut stopping = pin!(core.signals.stopping());
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
