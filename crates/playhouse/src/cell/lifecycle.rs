//! One life, from the factory to the last word, with as many incarnations as supervision gives it ([`renewal`](super::renewal)). What it borrows lies beside it: see [`body`](super::body), whose rules 1
//! and 2 every block here relies on: this code runs in the turn, and has one borrow at a time.
#![allow(unsafe_code)]

use super::Core;
use super::body::Seat;
use super::membership::Standing;
use super::status::{self, Ending, Flags, Phase};
use super::turn::{Played, Role, judge, publish_failure};
use crate::actor::{Exit, Message, Outcome, Signal};
use crate::ask::NoReply;
use crate::context::Context;
use crate::here;
use crate::mailbox::signals::StopCause;
use crate::sync::{drop_quietly, run_quietly};
use std::future::Future;
use std::pin::Pin;
use std::task::Poll;

/// Makes a role in the actor's own turn.
pub(crate) trait Casting<M: Message>: 'static {
    type Role: Role<Msg = M>;
    fn cast(self, ctx: &mut Context<M>) -> impl Future<Output = Outcome<Self::Role>>;
}

/// Makes the actor, gives it its messages, and ends it; from wherever an interrupted life left off.
///
/// What is held across an await makes every actor larger, so each await stands in a statement of its own.
#[allow(clippy::manual_async_fn)] // a function keeps its arguments twice, a block keeps what it captures once
pub(crate) fn live<M: Message, C: Casting<M>>(seat: Seat<M, C>) -> impl Future<Output = ()> {
    async move {
        loop {
            if seat.may_begin() {
                let cast = begin(seat).await;
                if seat.enters_stage(cast) {
                    // SAFETY: see above; the state was just put there.
                    let outcome = unsafe { seat.started() }.await;
                    seat.settle_outcome(outcome);
                }
            }
            seat.enter_life();
            while !seat.core().is_ending() {
                let Some(msg) = (Next { seat }).await else {
                    let Some(handled) = seat.begin_signal() else {
                        continue;
                    };
                    let outcome = handled.await;
                    seat.settle_outcome(outcome);
                    continue;
                };
                // SAFETY: see above; an actor that lives has its state.
                let outcome = unsafe { seat.receive(msg) }.await;
                seat.settle_outcome(outcome);
            }
            let Some(renewal) = seat.begin_renewal() else {
                break;
            };
            renewal.await;
        }
        seat.begin_end();
        ChildrenEnd { seat }.await;
        if let Some(stopped) = seat.begin_post_stop() {
            let outcome = stopped.await;
            seat.after_post_stop(judge(seat.core(), outcome));
        }
        seat.finish();
    }
}

/// The factory, in its actor's turn.
fn begin<M: Message, C: Casting<M>>(seat: Seat<M, C>) -> impl Future<Output = Outcome<C::Role>> {
    // SAFETY: see above; `may_begin` has looked, and nothing borrows the context.
    unsafe { seat.take_casting_unchecked().cast(seat.context()) }
}

/// The next message, or `None`: a signal, or the end.
struct Next<M: Message, C: Casting<M>> {
    seat: Seat<M, C>,
}

impl<M: Message, C: Casting<M>> Future for Next<M, C> {
    type Output = Option<M>;

    #[inline(always)] // the way of every message
    fn poll(self: Pin<&mut Self>, _: &mut std::task::Context<'_>) -> Poll<Option<M>> {
        // SAFETY: see above.
        unsafe { self.seat.context() }.poll_in_loop()
    }
}

/// The wait for the children.
struct ChildrenEnd<M: Message, C: Casting<M>> {
    seat: Seat<M, C>,
}

impl<M: Message, C: Casting<M>> Future for ChildrenEnd<M, C> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut std::task::Context<'_>) -> Poll<()> {
        poll_children(self.seat.core(), context)
    }
}

impl<M: Message, C: Casting<M>> Seat<M, C> {
    /// An actor that was stopped before it began runs neither its factory nor `started`; and a life begins once.
    fn may_begin(self) -> bool {
        let core = self.core();
        if core.phase() != Phase::Beginning || !core.has_flag(Flags::HAS_CASTING) {
            return false;
        }
        match status::exit_now(core.orders(), || false) {
            Some(exit) => core.begin_ending(exit),
            None => return true,
        }
        false
    }

    /// False: there is no state, and the failure is settled.
    fn enters_stage(self, cast: Outcome<C::Role>) -> bool {
        match cast {
            Ok(role) => {
                // SAFETY: see above; the factory was taken.
                unsafe { self.put_role(role) };
                true
            }
            Err(failure) => {
                self.settle_outcome(Err(failure));
                false
            }
        }
    }

    fn enter_life(self) {
        if self.core().phase() == Phase::Beginning && !self.core().is_ending() {
            self.core().enter_phase(Phase::Living);
            self.tell_group(Standing::Living);
        }
    }

    /// The handler of a signal that has come, if one has.
    fn begin_signal<'a>(self) -> Option<Pin<Box<dyn Future<Output = Outcome> + 'a>>>
    where
        M: 'a,
        C: 'a,
    {
        if self.core().is_ending() {
            return None; // what was set aside comes after that, if anything does
        }
        // SAFETY: see above; an actor that lives has its state.
        unsafe {
            let signal = self.context().take_signal()?;
            Some(self.signal(signal))
        }
    }

    #[inline(always)] // the way of every message
    fn settle_outcome(self, outcome: Outcome) {
        let core = self.core();
        if let Ok(()) = outcome
            && !core.has_flag(Flags::TO_SETTLE)
            && here::has_no_forsaken()
        {
            core.lower(Flags::DEADLINE);
            core.note_handled(core.give_up_all());
            return;
        }
        self.settle(judge(core, outcome));
    }

    /// The books, and the replies that were dropped.
    pub(super) fn write_down(self, played: &Played<()>) {
        // SAFETY: see above; whatever borrowed the context has ended.
        unsafe { self.context() }.settle(played);
        here::forsaken(self.core()).answer(&played.why_unanswered());
    }

    /// Takes nothing more, and buries what waits; then the children.
    fn begin_end(self) {
        let core = self.core();
        if core.phase() >= Phase::Ending {
            return;
        }
        core.enter_phase(Phase::Ending);
        self.close(match core.ending() {
            Some(Exit::Shutdown) => StopCause::Shutdown,
            _ => StopCause::Asked,
        });
    }

    /// Buries every message, cancels what would bring more, and stops the children.
    fn close(self, cause: StopCause) {
        let core = self.core();
        core.raise(Flags::FINISHED); // post-stop waits for no message, not even after a failure, which no order came with
        // SAFETY: see above.
        let context = unsafe { self.context() };
        context.close_lane();
        context.empty();
        if let Some(rare) = core.rare_if_any() {
            rare.own_work.cancel();
        }
        if let Some(children) = core.children_if_any() {
            children.stop_all(cause);
        }
    }

    /// The last handler, if there is a state, and it has not run.
    fn begin_post_stop<'a>(self) -> Option<Pin<Box<dyn Future<Output = Outcome> + 'a>>>
    where
        M: 'a,
        C: 'a,
    {
        let core = self.core();
        if core.phase() != Phase::Ending || !core.has_flag(Flags::HAS_ROLE) {
            return None;
        }
        core.enter_phase(Phase::PostStop);
        // SAFETY: see above; the flag says that the state is there.
        Some(unsafe { self.signal(Signal::PostStop) })
    }

    /// Of two failures the first is the cause; this one is published all the same.
    pub(super) fn after_post_stop(self, played: Played<()>) {
        let core = self.core();
        self.write_down(&played);
        if let Played::Failed(failure) = played {
            publish_failure(core, &failure);
            if !matches!(core.ending(), Some(Exit::Failed(_))) {
                core.begin_ending(Exit::Failed(failure));
            }
        }
    }

    /// State dropped, name freed, then watchers and parent told.
    fn finish(self) {
        let core = self.core();
        core.enter_phase(Phase::Over);
        let exit = core.ending().unwrap_or(Exit::Stopped); // whoever comes here has set it
        // SAFETY: see above; nothing of the life uses them after this.
        unsafe {
            self.context().empty(); // what post-stop put aside
            if let Some(rare) = core.rare_if_any() {
                rare.own_work.cancel(); // what it began
                let listener = rare.listener.lock().take();
                drop_quietly(listener); // the user's, and it may hold a count of this very actor
            }
            self.tell_group(Standing::Gone);
            drop_state(core, self.take_casting(), &exit);
            drop_state(core, self.take_role(), &exit);
            self.context().unwatch_all();
            let ((), forsaken) = here::turn(core, || run_quietly(|| self.drop_context()));
            forsaken.answer(&why_unanswered(&exit));
        }
        core.finish(exit);
    }

    /// The life is gone, and none will follow: its dispatcher is.
    pub(super) fn cut_short(self) {
        let core = self.core();
        if core.phase() == Phase::Over {
            return;
        }
        let in_hand = core.give_up_all();
        if in_hand > 0 {
            core.note(|ledger| ledger.interrupted += in_hand);
        }
        if !core.is_ending() || core.is_renewing() {
            core.begin_ending(Exit::Shutdown);
        }
        self.close(StopCause::Shutdown);
        self.finish();
    }
}

impl Core {
    fn finish(&self, exit: Exit) {
        let had_name = !self.is_name_free();
        self.free_name();
        if had_name {
            self.system().events.publish_end(&self.address, &exit);
        }
        self.set_ended(Ending::of(&exit));
        if let Some(rare) = self.rare_if_any() {
            if let Some(children) = rare.children.get() {
                children.forget_head();
            }
            rare.watchers.tell(&self.address, &exit);
            // Nobody else sets it. A waker that panics must not unwind into the life: the context is dropped already.
            run_quietly(|| drop(rare.ended.set(exit)));
        }
        self.parent.leave(self);
        self.dispatcher.leave();
    }
}

/// A kill of the parent, before or meanwhile, kills them.
pub(super) fn poll_children(core: &Core, context: &mut std::task::Context<'_>) -> Poll<()> {
    let Some(children) = core.children_if_any() else {
        return Poll::Ready(());
    };
    if core.orders().kill {
        children.kill_all();
    }
    children.poll_all_ended(context)
}

/// Replies that the state held are answered with the reason of the end.
pub(super) fn drop_state<T>(core: &Core, state: Option<T>, exit: &Exit) {
    let Some(state) = state else { return };
    let ((), forsaken) = here::turn(core, || drop_quietly(state));
    forsaken.answer(&why_unanswered(exit));
}

fn why_unanswered(exit: &Exit) -> NoReply {
    match exit {
        Exit::Failed(failure) => NoReply::Failed(failure.clone()),
        _ => NoReply::Stopped,
    }
}
