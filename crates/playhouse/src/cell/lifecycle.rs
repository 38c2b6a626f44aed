//! One life, from the factory to the last word.

use super::turn::{Played, Role, fail, interrupted, play, take_turns};
use super::{Cell, Core};
use crate::actor::{Exit, Message, Outcome, Signal};
use crate::ask::NoReply;
use crate::context::Context;
use crate::dead_letters;
use crate::events::Event;
use crate::here;
use crate::mailbox::signals::StopCause;
use crate::sync::{Arc, drop_quietly};
use std::future::{Future, poll_fn};
use std::pin::pin;

/// Makes a role in the actor's own turn.
pub(crate) trait Casting<M: Message>: 'static {
    type Role: Role<Msg = M>;
    fn cast(self, ctx: &mut Context<M>) -> impl Future<Output = Outcome<Self::Role>>;
}

/// An actor about to live. Dropped before its end (a runtime that goes away with its tasks), it ends in order all the
/// same, as `Shutdown`.
pub(crate) struct Life<M: Message> {
    cell: Arc<Cell<M>>,
    has_ended: bool,
}

impl<M: Message> Life<M> {
    pub(crate) fn new(cell: Arc<Cell<M>>) -> Self {
        Self {
            cell,
            has_ended: false,
        }
    }

    /// Makes the actor, gives it its turns, and ends it.
    pub(crate) async fn live<C: Casting<M>>(mut self, casting: C) {
        let mut ctx = Context::new(&self.cell);
        let core = self.cell.core.clone();
        let (role, exit) = match enter(&core, &mut ctx, casting).await {
            Ok(mut role) => {
                let exit = take_turns(role.state(), &mut ctx).await;
                (Some(role), exit)
            }
            Err((role, exit)) => (role, exit),
        };
        self.end(role, ctx, exit).await;
    }

    /// Never ran, never will.
    pub(crate) fn cancel(mut self) {
        self.cell.close();
        self.finish(Exit::Stopped);
    }

    /// Children, post-stop, state, name, then watchers and parent.
    async fn end<R: Role<Msg = M>>(
        &mut self,
        role: Option<Kept<R>>,
        mut ctx: Context<M>,
        mut exit: Exit,
    ) {
        let core = self.cell.core.clone();
        self.cell.close();
        ctx.finish(); // post-stop waits for no message, not even after a failure, which no order came with
        ctx.bury_stash();
        ctx.timers.cancel_all();
        core.own_work.cancel();
        end_children(&core, &exit).await;
        if let Some(mut role) = role {
            if let Played::Failed(failure) =
                play(&core, role.state().signal(&mut ctx, Signal::PostStop)).await
            {
                let failed = fail(&core, failure);
                // Of two failures the first is the cause; this one is published all the same.
                if !matches!(exit, Exit::Failed(_)) {
                    exit = failed;
                }
            }
            core.own_work.cancel();
            drop_state(&core, role.state.take(), &exit);
        }
        ctx.unwatch_all();
        drop_state(&core, ctx, &exit);
        self.finish(exit);
    }

    fn finish(&mut self, exit: Exit) {
        self.has_ended = true;
        let core = &self.cell.core;
        core.books.fold();
        core.parent.free_name(core);
        core.publish(&Event::Ended {
            who: core.address.clone(),
            exit: exit.clone(),
        });
        core.watchers.tell(&core.address, &exit);
        let _ = core.exit.set(exit); // nobody else sets it
        core.parent.leave(core);
    }
}

impl<M: Message> Drop for Life<M> {
    fn drop(&mut self) {
        if !self.has_ended {
            let core = &self.cell.core;
            let in_hand = core.give_up_all();
            core.books.note(|ledger| ledger.interrupted += in_hand);
            self.cell.close();
            core.own_work.cancel();
            core.children.stop_all(StopCause::Shutdown);
            self.finish(Exit::Shutdown);
        }
    }
}

/// The state of an actor. When the life is cut short it is dropped in the actor's turn all the same: its panic stays its
/// own, and its replies are answered.
struct Kept<T> {
    core: Arc<Core>,
    /// Taken by the end alone.
    state: Option<T>,
}

impl<T> Kept<T> {
    fn new(core: &Arc<Core>, state: T) -> Self {
        Self {
            core: core.clone(),
            state: Some(state),
        }
    }

    fn state(&mut self) -> &mut T {
        match &mut self.state {
            Some(state) => state,
            None => unreachable!("the end takes the state last"),
        }
    }
}

impl<T> Drop for Kept<T> {
    fn drop(&mut self) {
        if let Some(state) = self.state.take() {
            dead_letters::drop_in_turn(&self.core, state);
        }
    }
}

/// The factory, then `started`. An actor that was stopped before runs neither.
async fn enter<M: Message, C: Casting<M>>(
    core: &Arc<Core>,
    ctx: &mut Context<M>,
    casting: C,
) -> Result<Kept<C::Role>, (Option<Kept<C::Role>>, Exit)> {
    if let Some(exit) = super::status::exit_now(core.signals.orders(), || false) {
        drop_state(core, casting, &exit);
        return Err((None, exit));
    }
    let mut role = match play(core, casting.cast(ctx)).await {
        Played::Done(role) => Kept::new(core, role),
        Played::Failed(failure) => return Err((None, fail(core, failure))),
        Played::Interrupted => return Err((None, interrupted(core))),
    };
    let played = play(core, role.state().started(ctx)).await;
    ctx.settle(&played);
    match played {
        Played::Done(()) => Ok(role),
        Played::Failed(failure) => Err((Some(role), fail(core, failure))),
        Played::Interrupted => Err((Some(role), interrupted(core))),
    }
}

/// Asks the children to stop and waits. A kill of the parent, before or meanwhile, kills them.
async fn end_children(core: &Core, exit: &Exit) {
    let cause = if matches!(exit, Exit::Shutdown) {
        StopCause::Shutdown
    } else {
        StopCause::Asked
    };
    core.children.stop_all(cause);
    let mut all_ended = pin!(core.children.all_ended());
    let mut has_killed = false;
    poll_fn(|context| {
        core.signals.listen(context.waker());
        if core.signals.orders().kill && !has_killed {
            has_killed = true;
            core.children.kill_all();
        }
        all_ended.as_mut().poll(context)
    })
    .await;
}

/// Replies that the state held are answered with the reason of the end.
fn drop_state<T>(core: &Arc<Core>, state: T, exit: &Exit) {
    let ((), forsaken) = here::turn(core, || drop_quietly(state));
    forsaken.answer(&match exit {
        Exit::Failed(failure) => NoReply::Failed(failure.clone()),
        _ => NoReply::Stopped,
    });
}
