//! The functional face: a behaviour is a value, and a handler returns the next one.

use crate::actor::{Actor, Message, Outcome, Signal};
use crate::context::Context;
use std::fmt;
use std::mem;

/// The functional face. A message *consumes* the behaviour and yields the next, so state (a held `Reply` too) moves on
/// without locks or `Option`. A plain [`Actor`] inside: spawn it with `|| behaviour(state)`. It sees ends through
/// [`Context::watch_with`] only; whoever needs signals writes a struct. A failed behaviour is spent, so
/// [`resume`](crate::Supervise::resume) restarts it. One box per step that captures something.
///
/// ```
/// use playhouse::prelude::*;
///
/// fn door(pushes: u32) -> Behavior<Reply<u32>> {
///     Behavior::receive(move |_ctx, reply: Reply<u32>| {
///         reply.send(pushes + 1);
///         Ok(door(pushes + 1))
///     })
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Outcome {
/// let system = ActorSystem::builder("house").build()?;
/// let door = system.spawn("door", || door(0))?;
/// assert_eq!(door.ask(|reply| reply).within(secs(1)).await?, 1);
/// assert_eq!(door.ask(|reply| reply).within(secs(1)).await?, 2);
/// # assert_eq!(system.shutdown().await.ledger.balance(), 0);
/// # Ok(())
/// # }
/// ```
#[must_use = "a behaviour does nothing until it is spawned or returned"]
pub struct Behavior<M>(Step<M>);

enum Step<M> {
    Setup(SetupStep<M>),
    Receive(ReceiveStep<M>),
    Stopped(Option<LastStep>),
    /// Its step is running, or has failed.
    Spent,
}

type SetupStep<M> = Box<dyn FnOnce(&mut Context<M>) -> Outcome<Behavior<M>> + Send>;
type LastStep = Box<dyn FnOnce() + Send>;
type ReceiveStep<M> = Box<dyn FnOnce(&mut Context<M>, M) -> Outcome<Behavior<M>> + Send>;

impl<M: Message> Behavior<M> {
    /// Handles one message, then is the behaviour returned. To stay, return yourself: `Ok(inventory(stock))`.
    pub fn receive(
        step: impl FnOnce(&mut Context<M>, M) -> Outcome<Behavior<M>> + Send + 'static,
    ) -> Self {
        Self(Step::Receive(Box::new(step)))
    }

    /// Runs at once when entered, with the context: adapters, timers, pipes.
    pub fn setup(
        step: impl FnOnce(&mut Context<M>) -> Outcome<Behavior<M>> + Send + 'static,
    ) -> Self {
        Self(Step::Setup(Box::new(step)))
    }

    /// Stops after this message.
    pub fn stopped() -> Self {
        Self(Step::Stopped(None))
    }

    /// The same, and runs `last` once, in the actor's post-stop: its children have ended by then, and an actor around this
    /// behaviour that handles [`Signal::PostStop`] itself before it passes it on comes first. Only an
    /// actor that is cut short, because its runtime was dropped, ends without.
    pub fn stopped_with(last: impl FnOnce() + Send + 'static) -> Self {
        Self(Step::Stopped(Some(Box::new(last))))
    }

    /// Runs set-ups until there is something to receive with.
    fn settle(&mut self, ctx: &mut Context<M>) -> Outcome {
        loop {
            match mem::replace(&mut self.0, Step::Spent) {
                Step::Setup(step) => *self = step(ctx)?,
                stopped @ Step::Stopped(_) => {
                    self.0 = stopped;
                    ctx.stop();
                    return Ok(());
                }
                step @ (Step::Receive(_) | Step::Spent) => {
                    self.0 = step;
                    return Ok(());
                }
            }
        }
    }
}

impl<M: Message> Actor for Behavior<M> {
    type Msg = M;

    async fn started(&mut self, ctx: &mut Context<M>) -> Outcome {
        self.settle(ctx)
    }

    async fn receive(&mut self, ctx: &mut Context<M>, msg: M) -> Outcome {
        let Step::Receive(step) = mem::replace(&mut self.0, Step::Spent) else {
            return Err("a behaviour whose step failed takes no more messages".into());
        };
        *self = step(ctx, msg)?;
        self.settle(ctx)
    }

    async fn signal(&mut self, _ctx: &mut Context<M>, signal: Signal) -> Outcome {
        if let (Signal::PostStop, Step::Stopped(last)) = (&signal, &mut self.0)
            && let Some(last) = last.take()
        {
            last();
        }
        signal.unhandled()
    }

    fn is_spent(&self) -> bool {
        matches!(self.0, Step::Spent)
    }
}

impl<M> fmt::Debug for Behavior<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Step::Setup(_) => "Behavior::setup",
            Step::Receive(_) => "Behavior::receive",
            Step::Stopped(_) => "Behavior::stopped",
            Step::Spent => "Behavior, spent",
        })
    }
}
