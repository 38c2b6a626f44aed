//! What belongs to the turn of an actor, in its core: how far it has come, what it waits for, how its code ended.

use super::status::{Ending, Flags, Phase, WaitsFor};
use super::{Core, Traits};
use crate::actor::{Exit, Message, Outcome, Signal};
use crate::ask::NoReply;
use crate::context::Context;
use crate::events::Event;
use crate::failure::Failure;
use crate::here;
use crate::send_error::Cancelled;
use crate::sync::{Ordering, run_quietly};
use std::future::Future;

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
    /// See the method of [`Actor`](crate::Actor).
    fn is_spent(&self) -> bool {
        false
    }
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
    #[inline]
    pub(crate) fn why_unanswered(&self) -> NoReply {
        match self {
            Played::Done(_) => NoReply::Dropped,
            Played::Failed(failure) => NoReply::Failed(failure.clone()),
            Played::Interrupted => NoReply::Stopped,
        }
    }
}

#[inline]
pub(crate) fn judge(core: &Core, outcome: Outcome) -> Played<()> {
    match (outcome, core.take_verdict()) {
        (Ok(()), None) => Played::Done(()),
        (Ok(()), Some(failure)) => Played::Failed(failure),
        // A blocking wait that ended because of the stop, passed on with `?`: that is how to obey.
        (Err(failure), _) if core.is_stopping() && failure.find::<Cancelled>().is_some() => {
            Played::Interrupted
        }
        (Err(failure), _) => Played::Failed(failure),
    }
}

pub(crate) fn publish_failure(core: &Core, failure: &Failure) {
    core.publish(&Event::Failed {
        who: core.address.clone(),
        failure: failure.clone(),
    });
}

impl Core {
    /// Messages may be taken until `throughput` of them were; what woke the actor is used up.
    #[inline]
    pub(super) fn begin_turn(&self) {
        self.left
            .store(self.dispatcher.throughput() as u32, Ordering::Relaxed);
        self.lower(Flags::USED_UP);
        self.wake.begin_poll();
    }

    #[inline]
    pub(super) fn waits_for(&self) -> WaitsFor {
        WaitsFor::from(self.waits_for.load(Ordering::Relaxed))
    }

    #[inline]
    pub(crate) fn set_waits_for(&self, what: WaitsFor) {
        self.waits_for.store(what as u8, Ordering::Relaxed);
    }

    /// Before a poll: until it says otherwise it waits for something of the user's.
    #[inline]
    pub(super) fn begin_waiting_for_anything(&self) {
        if self.waits_for() == WaitsFor::MessageBehindAWaker {
            self.call_listener();
            // Through that waker it has woken the actor, which is polled now. Left standing, the wake would bring another
            // turn, which would call the next listener: an actor that waits would never rest.
            self.wake.begin_poll();
        }
        self.set_waits_for(WaitsFor::Anything);
    }

    /// User code has asked for a message behind a waker of its own, which is told to look again.
    #[cold]
    fn call_listener(&self) {
        let listener = self.rare().listener.lock().take();
        if let Some(waker) = listener {
            run_quietly(|| waker.wake()); // the user's, and called outside of every poll
        }
    }

    /// One message less in this turn.
    #[inline]
    pub(crate) fn use_turn(&self) {
        let left = self.left.load(Ordering::Relaxed).saturating_sub(1);
        self.left.store(left, Ordering::Relaxed);
        if left == 0 {
            self.raise(Flags::USED_UP);
        }
    }

    /// Whether others on the dispatcher come before the next message.
    pub(crate) fn is_used_up(&self) -> bool {
        self.has_flag(Flags::USED_UP) || here::is_out_of_time(self)
    }

    /// Whether the turn looks closer before each message, and not only while something was set aside: the ranks of its
    /// messages or its time are to be looked at.
    pub(crate) fn always_looks_closer(&self) -> bool {
        self.has_trait(Traits::IS_TIMED) || self.has_trait(Traits::IS_RANKED)
    }

    /// Before the next message is taken from the lane: is there anything that comes first?
    #[inline]
    pub(crate) fn must_look_closer(&self) -> bool {
        self.has_orders() || self.has_flag(Flags::LOOK_CLOSER)
    }

    #[inline]
    pub(super) fn phase(&self) -> Phase {
        Phase::from(self.phase.load(Ordering::Relaxed))
    }

    #[inline]
    pub(super) fn enter_phase(&self, phase: Phase) {
        debug_assert!(self.phase() <= phase, "an incarnation goes on");
        self.phase.store(phase as u8, Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Relaxed) != Ending::NOT
    }

    #[inline]
    pub(super) fn ending(&self) -> Option<Exit> {
        self.exit_of(self.ending.load(Ordering::Relaxed))
    }

    pub(crate) fn begin_ending(&self, exit: Exit) {
        let ending = Ending::of(&exit);
        if let Exit::Failed(failure) = exit {
            *self.rare().cause.lock() = Some(failure);
        }
        self.ending.store(ending, Ordering::Relaxed);
    }

    /// The incarnation is over, and another one follows.
    pub(super) fn begin_renewal(&self) {
        self.ending.store(Ending::RENEWAL, Ordering::Relaxed);
    }

    pub(super) fn is_renewing(&self) -> bool {
        self.ending.load(Ordering::Relaxed) == Ending::RENEWAL
    }

    /// The next incarnation begins.
    pub(super) fn begin_again(&self) {
        self.ending.store(Ending::NOT, Ordering::Relaxed);
        self.phase.store(Phase::Beginning as u8, Ordering::Relaxed);
    }

    /// Must user code that waits end?
    #[inline]
    pub(super) fn is_interrupted(&self) -> bool {
        // While it is ending it waits for its children, whom the kill reaches.
        let (orders, phase) = (self.orders(), self.phase());
        let is_killed = orders.kill && phase != Phase::Ending;
        let is_renewed = orders.hurry && phase <= Phase::PreRestart;
        is_killed || is_renewed || self.has_flag(Flags::VERDICT)
    }

    /// What for.
    pub(super) fn interruption(&self) -> Played<()> {
        self.take_verdict()
            .map_or(Played::Interrupted, Played::Failed)
    }
}
