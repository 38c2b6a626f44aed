//! From a failure to what follows: the end, the next message, or a fresh incarnation.
//!
//! A restart ends the old incarnation completely before the factory runs again: pre-restart, children (unless they are
//! kept), timers and pipes, state; then the delay. Mailbox, watches and stash are kept, and what was stashed comes first.
//! Whatever still arrives for the old incarnation (an answer to its ask, a pipe's result, a message to its adapter) has
//! its number and is discarded. A stop, a kill or the end of the system ends the actor in between.
//!
//! This code runs in the turn and has one borrow at a time, see rules 1 and 2 of [`body`](super::body). It is a future of
//! its own, in a box, because it is rare and would make every actor larger.
#![allow(unsafe_code)]

use super::body::Seat;
use super::lifecycle::{Casting, drop_state, poll_children};
use super::membership::{Membership, Standing};
use super::redelivery::AfterFailure;
use super::status::{self, Flags, Phase};
use super::turn::{Played, judge, publish_failure};
use crate::actor::{Exit, Message, Outcome, Signal};
use crate::context::Context;
use crate::events::Event;
use crate::failure::Failure;
use crate::mailbox::signals::{Orders, StopCause};
use crate::stash::Stashed;
use crate::supervise::{Overseer, Renewal, State, Supervise, Verdict};
use crate::sync::{Arc, catch, drop_quietly};
use std::any::Any;
use std::error::Error;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

/// What a supervised actor keeps for its next incarnation. Only its turn uses it.
pub(crate) struct Oversight {
    overseer: Overseer,
    /// An [`Understudy`] of the type that the actor's body knows.
    understudy: Box<dyn Any + Send>,
    /// Between a failure and the next incarnation.
    pending: Option<Pending>,
    /// In a group the next incarnation is the group's to decide, where the actor would end by itself.
    membership: Option<Arc<Membership>>,
}

/// The factory, for as many incarnations as there may be.
struct Understudy<C> {
    casting: C,
    clone: fn(&C) -> C,
}

struct Pending {
    renewal: Renewal,
    cause: Failure,
    /// The group says when.
    is_groups: bool,
}

/// Piece by piece, for the reason that [`Extras`](crate::context::Extras) has.
impl Drop for Oversight {
    fn drop(&mut self) {
        drop_quietly(self.pending.take());
        drop_quietly(std::mem::replace(&mut self.understudy, Box::new(())));
    }
}

impl Oversight {
    pub(crate) fn new<C: Clone + Send + 'static>(
        policy: Arc<Supervise>,
        membership: Option<Arc<Membership>>,
        casting: C,
    ) -> Self {
        Self {
            overseer: Overseer::new(policy),
            understudy: Box::new(Understudy {
                casting,
                clone: C::clone,
            }),
            pending: None,
            membership,
        }
    }

    /// The group will say when the next incarnation begins.
    fn wait_for_group(&mut self, cause: Failure) {
        let renewal = Renewal {
            delay: Duration::ZERO,
            in_a_row: 0,
            keeps_children: false,
        };
        self.pending = Some(Pending {
            renewal,
            cause,
            is_groups: true,
        });
    }
}

impl<M: Message> Context<M> {
    /// What the settings say of this failure, or leave to the group. An actor that is to end anyway is not renewed.
    fn verdict(&mut self, failure: &Failure, state: State) -> Verdict {
        let core = self.core();
        if core.is_stopping() || core.phase() > Phase::Living {
            return Verdict::Stop;
        }
        let system = core.system().clone();
        let Some(oversight) = self.oversight() else {
            return Verdict::Stop;
        };
        let draw = system.random.lock().fraction();
        let now = system.clock.now();
        match oversight.overseer.decide(failure, state, now, draw) {
            Verdict::Stop if oversight.membership.is_some() => Verdict::AskGroup,
            verdict => verdict,
        }
    }

    /// The incarnation has failed, without a message in hand.
    pub(crate) fn fail(&mut self, failure: Failure) {
        let verdict = self.verdict(&failure, State::Whole);
        self.carry_out(verdict, failure);
    }

    fn carry_out(&mut self, verdict: Verdict, failure: Failure) {
        publish_failure(self.core(), &failure);
        match verdict {
            Verdict::Resume => drop_quietly(failure),
            Verdict::Stop => self.core().begin_ending(Exit::Failed(failure)),
            Verdict::AskGroup => {
                self.begin_group_renewal(failure.clone());
                if let Some(membership) = self.membership() {
                    membership.failed(&failure);
                }
            }
            Verdict::Escalate => {
                self.core().parent.escalate(self.core(), &failure);
                self.core().begin_ending(Exit::Failed(failure));
            }
            Verdict::Restart(renewal) => {
                self.core().begin_renewal();
                if let Some(oversight) = self.oversight() {
                    oversight.pending = Some(Pending {
                        renewal,
                        cause: failure,
                        is_groups: false,
                    });
                }
            }
        }
    }

    fn membership(&mut self) -> Option<&Membership> {
        self.oversight()?.membership.as_deref()
    }

    fn begin_group_renewal(&mut self, cause: Failure) {
        self.core().begin_renewal();
        if let Some(oversight) = self.oversight() {
            oversight.wait_for_group(cause);
        }
    }

    /// Another member has failed.
    pub(crate) fn begin_ordered_renewal(&mut self) {
        self.begin_group_renewal(GroupRestarts.into());
    }

    /// The message in hand failed its handler, and the actor restarts: perhaps it is delivered again, first of all.
    fn keep_message_in_hand(&mut self, failure: &Failure) {
        if self.redelivery().is_none() || !self.core().give_up_one() {
            return; // what was stashed or is unhandled is not in hand any more
        }
        let redelivery = self.redelivery().map(|redelivery| redelivery.fail(failure));
        let core = self.core();
        match redelivery.unwrap_or(AfterFailure::Lost) {
            AfterFailure::Again(msg) => {
                core.note(|ledger| ledger.stashed += 1);
                self.keep_place();
                let deadline = None; // the question it asked was answered by the failure
                self.extras().stash.put_back(Stashed { msg, deadline });
            }
            AfterFailure::Quarantined(failures) => {
                core.note(|ledger| ledger.quarantined += 1);
                core.publish(&Event::Quarantined {
                    who: core.address.clone(),
                    message: core.protocol(),
                    failures,
                });
            }
            AfterFailure::Lost => core.note(|ledger| ledger.failed += 1),
        }
    }

    /// Whoever comes for the incarnation that ends now comes too late.
    fn end_incarnation(&mut self) {
        self.core().rare().next_incarnation();
        self.core().rare().own_work.abort();
        self.end_ticks(); // those that pre-restart has set
        self.extras().end_incarnation();
        self.bury_adapted();
        self.note_what_is_aside();
    }

    /// The children that are not kept are told to stop. Their end is the restart's doing, so it is no news.
    fn stop_children(&mut self) {
        let Some(children) = self.core().children_if_any().cloned() else {
            return;
        };
        for child in children.alive() {
            self.forget_watch(&child);
            child.stop(StopCause::Asked);
        }
    }

    fn pending(&mut self) -> Option<&Pending> {
        self.oversight()?.pending.as_ref()
    }
}

impl<M: Message, C: Casting<M>> Seat<M, C> {
    /// Writes down what became of the messages in hand, and what follows from a failure.
    pub(super) fn settle(self, played: Played<()>) {
        let Played::Failed(failure) = &played else {
            self.write_down(&played);
            if let Played::Interrupted = played {
                self.after_interruption();
            }
            return;
        };
        let failure = failure.clone();
        let state = self.state();
        // SAFETY: see above; whatever borrowed the context has ended. Each borrow ends with its statement.
        let verdict = unsafe { self.context() }.verdict(&failure, state);
        if matches!(verdict, Verdict::Restart(_) | Verdict::AskGroup) {
            // SAFETY: as above.
            unsafe { self.context() }.keep_message_in_hand(&failure);
        }
        self.write_down(&played);
        drop_quietly(played); // a drop that panics is no second failure
        // SAFETY: as above.
        unsafe { self.context() }.carry_out(verdict, failure);
    }

    fn after_interruption(self) {
        let core = self.core();
        let orders = core.orders();
        if orders.hurry && !orders.is_stopping() && core.phase() <= Phase::Living {
            // SAFETY: see above; whatever borrowed the context has ended.
            return unsafe { self.context() }.begin_ordered_renewal();
        }
        core.begin_ending(status::interrupted(orders));
    }

    fn state(self) -> State {
        if !self.core().has_flag(Flags::HAS_ROLE) {
            return State::Missing;
        }
        // SAFETY: see above; the flag says that the state is there.
        match unsafe { self.is_spent() } {
            true => State::Spent,
            false => State::Whole,
        }
    }

    /// The way to the next incarnation, if the last one has failed and may have one.
    pub(super) fn begin_renewal<'a>(self) -> Option<Pin<Box<dyn Future<Output = ()> + 'a>>>
    where
        M: 'a,
        C: 'a,
    {
        self.core()
            .is_renewing()
            .then(|| Box::pin(renew(self)) as Pin<Box<dyn Future<Output = ()> + 'a>>)
    }

    /// The last handler of this incarnation, if it has a state, and the handler has not run.
    fn begin_pre_restart<'a>(self) -> Option<Pin<Box<dyn Future<Output = Outcome> + 'a>>>
    where
        M: 'a,
        C: 'a,
    {
        let core = self.core();
        if core.phase() >= Phase::PreRestart {
            return None;
        }
        core.enter_phase(Phase::PreRestart);
        // SAFETY: see above.
        unsafe { self.context() }.end_ticks(); // before the signal, as before post-stop
        if !core.has_flag(Flags::HAS_ROLE) {
            return None;
        }
        // SAFETY: see above; the flag says that the state is there.
        unsafe {
            let cause = self.context().pending()?.cause.clone();
            Some(self.signal(Signal::PreRestart(cause)))
        }
    }

    /// It changes nothing but by a kill.
    pub(super) fn after_pre_restart(self, played: Played<()>) {
        let core = self.core();
        self.write_down(&played);
        match played {
            Played::Done(()) => {}
            Played::Failed(failure) => publish_failure(core, &failure),
            Played::Interrupted if core.orders().is_stopping() => {
                core.begin_ending(status::interrupted(core.orders()));
            }
            Played::Interrupted => {} // the group is in a hurry
        }
    }

    /// The children are told to end.
    fn begin_renewing(self) {
        let core = self.core();
        if core.phase() >= Phase::Renewing {
            return;
        }
        core.enter_phase(Phase::Renewing);
        // SAFETY: see above.
        let context = unsafe { self.context() };
        if context
            .pending()
            .is_some_and(|pending| !pending.renewal.keeps_children)
        {
            context.stop_children();
        }
    }

    /// The children are gone: now the rest of the incarnation.
    fn end_incarnation(self) {
        let core = self.core();
        // SAFETY: see above; nothing of the life uses the state after this.
        unsafe {
            let Some(Pending { renewal, cause, .. }) = self.context().pending() else {
                return;
            };
            let exit = Exit::Failed(cause.clone());
            if !renewal.keeps_children {
                drop_quietly(core.take_escalated()); // the children it came from are gone
            }
            self.context().end_incarnation();
            drop_state(core, self.take_role(), &exit);
        }
    }

    /// The factory is in its place again.
    fn begin_incarnation(self) {
        let core = self.core();
        // SAFETY: see above; the state was dropped, and the factory before that consumed, so the stage is empty.
        unsafe {
            let Some(Oversight {
                understudy,
                pending,
                ..
            }) = self.context().oversight()
            else {
                return;
            };
            let Some(Pending { renewal, cause, .. }) = pending.take() else {
                return;
            };
            let cast_again = || {
                let understudy = understudy.downcast_ref::<Understudy<C>>()?;
                Some((understudy.clone)(&understudy.casting))
            };
            match catch(cast_again) {
                Ok(Some(casting)) => {
                    let restarted = Event::Restarted {
                        who: core.address.clone(),
                        failure: cause,
                        in_a_row: renewal.in_a_row,
                        after: renewal.delay,
                    };
                    core.publish(&restarted);
                    drop_quietly(restarted); // the failure is the user's
                    self.put_casting(casting);
                    core.begin_again();
                }
                Ok(None) => core.begin_ending(Exit::Failed(cause)),
                Err(panic) => {
                    let failure = Failure::from_panic(panic); // the clone of what the factory captured
                    publish_failure(core, &failure);
                    core.begin_ending(Exit::Failed(failure));
                }
            }
        }
    }

    /// An order ends the actor while it has no incarnation. True: it does.
    fn is_ended_by_order(self, by_drain: bool) -> bool {
        let core = self.core();
        let Some(mut exit) = status::exit_now(core.orders(), || by_drain) else {
            return false;
        };
        // SAFETY: see above.
        if let (Exit::Drained, Some(pending)) = (&exit, unsafe { self.context() }.pending()) {
            exit = Exit::Failed(pending.cause.clone()); // whoever waits for the drain is not kept through a backoff
        }
        core.begin_ending(exit);
        true
    }
}

/// From wherever an interrupted life left off.
async fn renew<M: Message, C: Casting<M>>(seat: Seat<M, C>) {
    if let Some(told) = seat.begin_pre_restart() {
        let outcome = told.await;
        seat.after_pre_restart(judge(seat.core(), outcome));
    }
    seat.begin_renewing();
    let is_ended = poll_fn(|context| match seat.is_ended_by_order(false) {
        true => Poll::Ready(true),
        false => seat.poll_leavers(context).map(|()| false),
    });
    if is_ended.await {
        return;
    }
    seat.end_incarnation();
    if back_off(seat).await && group_agrees(seat).await {
        seat.begin_incarnation();
    }
}

/// False: the actor ends instead.
async fn back_off<M: Message, C: Casting<M>>(seat: Seat<M, C>) -> bool {
    // SAFETY: see above.
    let delay = unsafe { seat.context() }
        .pending()
        .map(|pending| pending.renewal.delay)
        .unwrap_or_default();
    if delay.is_zero() {
        return !seat.is_ended_by_order(false);
    }
    let clock = &seat.core().system().clock;
    let mut due = pin!(clock.sleep_until(clock.deadline(delay)));
    poll_fn(|context| match seat.is_ended_by_order(true) {
        true => Poll::Ready(false),
        false if seat.core().orders().renew => Poll::Ready(true), // the group has a backoff of its own
        false => due.as_mut().poll(context).map(|()| true),
    })
    .await
}

/// A member of a group begins anew when its group says so. False: the actor ends instead.
async fn group_agrees<M: Message, C: Casting<M>>(seat: Seat<M, C>) -> bool {
    let Some(membership) = seat.waits_for_group() else {
        return true;
    };
    membership.set(Standing::Waiting);
    let mut released = pin!(membership.until(|standing| standing == Standing::Released));
    let agrees = poll_fn(|context| match seat.is_ended_by_order(true) {
        true => Poll::Ready(false),
        false => released.as_mut().poll(context).map(|()| true),
    });
    let agrees = agrees.await;
    if agrees {
        seat.core().take_back(Orders::renew_in_a_hurry()); // here alone: an order that nobody waited for still stands
    }
    agrees
}

impl<M: Message, C: Casting<M>> Seat<M, C> {
    /// Its group, if that decides about the next incarnation: for this actor's failure or for another's.
    fn waits_for_group(self) -> Option<Arc<Membership>> {
        let is_ordered = self.core().orders().renew;
        // SAFETY: see above.
        let oversight = unsafe { self.context() }.oversight()?;
        let is_groups = oversight.pending.as_ref()?.is_groups;
        oversight
            .membership
            .clone()
            .filter(|_| is_groups || is_ordered)
    }

    /// The group is told how far its member has come.
    pub(super) fn tell_group(self, standing: Standing) {
        // SAFETY: see above.
        if let Some(membership) = unsafe { self.context() }.membership() {
            membership.set(standing);
        }
    }

    /// Waits for the children that do not stay.
    fn poll_leavers(self, context: &mut std::task::Context<'_>) -> Poll<()> {
        // SAFETY: see above.
        let stay = unsafe { self.context() }
            .pending()
            .is_some_and(|pending| pending.renewal.keeps_children);
        match stay {
            true => Poll::Ready(()),
            false => poll_children(self.core(), context),
        }
    }
}

/// Why an actor begins anew that has not failed itself.
#[derive(Debug)]
struct GroupRestarts;

impl fmt::Display for GroupRestarts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("another member of its group failed")
    }
}

impl Error for GroupRestarts {}
