//! The turn of an actor.

use super::Core;
use super::arrival::{Arrival, Asking};
use crate::actor::{Exit, Message, Outcome, Signal};
use crate::ask::NoReply;
use crate::context::Context;
use crate::events::Event;
use crate::failure::Failure;
use crate::here;
use crate::send_error::Cancelled;
use crate::sync::{Arc, catch, run_quietly};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// What the runtime calls, whichever way the actor was written.
pub(crate) trait Role: 'static {
    type Msg: Message;
    fn started(&mut self, ctx: &mut Context<Self::Msg>) -> impl Future<Output = Outcome>;
    fn receive(
        &mut self,
        ctx: &mut Context<Self::Msg>,
        msg: Self::Msg,
    ) -> impl Future<Output = Outcome>;
    fn signal(
        &mut self,
        ctx: &mut Context<Self::Msg>,
        signal: Signal,
    ) -> impl Future<Output = Outcome>;
}

/// How a piece of user code ended.
pub(crate) enum Played<T> {
    Done(T),
    Failed(Failure),
    /// Dropped by a kill, or given up because the actor was asked to stop.
    Interrupted,
}

impl<T> Played<T> {
    /// What the asker hears whose reply was dropped by this.
    fn why_unanswered(&self) -> NoReply {
        match self {
            Played::Done(_) => NoReply::Dropped,
            Played::Failed(failure) => NoReply::Failed(failure.clone()),
            Played::Interrupted => NoReply::Stopped,
        }
    }
}

/// Takes what comes, control first, one message at a time, until an order or a failure ends the actor. After
/// `throughput` messages it goes to the back of the run queue (inside `Context::next`).
pub(crate) async fn take_turns<R: Role>(role: &mut R, ctx: &mut Context<R::Msg>) -> Exit {
    let core = ctx.core().clone();
    loop {
        let played = match ctx.next(Asking::Turn).await {
            Arrival::End(exit) => return exit,
            Arrival::Failed(failure) => Played::Failed(failure),
            Arrival::Message(msg) => play(&core, role.receive(ctx, msg)).await,
            Arrival::Signal(signal) => play(&core, role.signal(ctx, signal)).await,
        };
        ctx.settle(&played);
        match played {
            Played::Done(()) => {}
            Played::Failed(failure) => return fail(&core, failure),
            Played::Interrupted => return interrupted(&core),
        }
    }
}

/// Publishes the failure. Without supervision above it, every failure ends the actor.
pub(crate) fn fail(core: &Core, failure: Failure) -> Exit {
    core.publish(&Event::Failed {
        who: core.address.clone(),
        failure: failure.clone(),
    });
    Exit::Failed(failure)
}

/// The order that interrupted decides; there is one, or nothing would have been interrupted.
pub(crate) fn interrupted(core: &Core) -> Exit {
    super::status::exit_now(core.signals.orders(), || true).unwrap_or(Exit::Killed)
}

/// Polls user code to its end. Each poll is a turn of its own: panics are caught, a kill is seen at each await, replies
/// dropped on the way are answered when the poll's outcome is known.
pub(crate) async fn play<T>(core: &Arc<Core>, code: impl Future<Output = Outcome<T>>) -> Played<T> {
    let mut code = pin!(Some(code));
    let played = poll_fn(|context| {
        let (polled, forsaken) = here::turn(core, || {
            // The future is there until this function is done with it.
            let Some(code) = code.as_mut().as_pin_mut() else {
                return Ok(Poll::Pending);
            };
            catch(|| code.poll(context))
        });
        let played = match polled {
            Ok(Poll::Pending) => {
                // Listen first, then look: an order given in between rings.
                core.signals.listen(context.waker());
                match core.take_verdict() {
                    Some(failure) => Poll::Ready(Played::Failed(failure)),
                    None if core.signals.orders().kill => Poll::Ready(Played::Interrupted),
                    None => {
                        suspend(core, context);
                        Poll::Pending
                    }
                }
            }
            Ok(Poll::Ready(outcome)) => Poll::Ready(judge(core, outcome)),
            Err(payload) => Poll::Ready(Played::Failed(Failure::from_panic(payload))),
        };
        forsaken.answer(&match &played {
            Poll::Ready(played) => played.why_unanswered(),
            Poll::Pending => NoReply::Dropped,
        });
        played
    })
    .await;
    let ((), forsaken) = here::turn(core, || {
        run_quietly(|| code.set(None)); // the user's drops, should the code have been interrupted
    });
    forsaken.answer(&played.why_unanswered());
    played
}

/// The actor waits in its own turn, and perhaps for somebody who waits for a place in its mailbox: to wait is as good as
/// to be idle. Claimants have one round of the run queue to come before others may take their places.
pub(crate) fn suspend(core: &Core, context: &std::task::Context<'_>) {
    if core.places.suspend() {
        context.waker().wake_by_ref();
    }
}

fn judge<T>(core: &Core, outcome: Outcome<T>) -> Played<T> {
    match (outcome, core.take_verdict()) {
        (Ok(value), None) => Played::Done(value),
        (Ok(_), Some(failure)) => Played::Failed(failure),
        // A blocking wait that ended because of the stop, passed on with `?`: that is how to obey.
        (Err(failure), _)
            if core.signals.is_stopping() && failure.find::<Cancelled>().is_some() =>
        {
            Played::Interrupted
        }
        (Err(failure), _) => Played::Failed(failure),
    }
}
