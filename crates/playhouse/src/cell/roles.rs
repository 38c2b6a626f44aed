//! The ways to write an actor, as the one thing the runtime plays.

use super::lifecycle::Casting;
use super::turn::Role;
use crate::actor::{Actor, BlockingActor, Message, Outcome, Signal};
use crate::context::Context;
use crate::props::SendTurn;
use std::future::Future;
use std::marker::PhantomData;

/// A factory of an `Actor`.
#[derive(Clone)]
pub(crate) struct Plain<F>(pub(crate) F);

impl<A: Actor, F: FnOnce() -> A + 'static> Casting<A::Msg> for Plain<F> {
    type Role = Awaiting<A>;
    async fn cast(self, _ctx: &mut Context<A::Msg>) -> Outcome<Awaiting<A>> {
        Ok(Awaiting((self.0)()))
    }
}

/// A factory that has the context, awaits and may fail.
pub(crate) struct Setup<F, A> {
    factory: F,
    makes: PhantomData<fn() -> A>,
}

impl<F: Clone, A> Clone for Setup<F, A> {
    fn clone(&self) -> Self {
        Self::new(self.factory.clone())
    }
}

impl<F, A> Setup<F, A> {
    pub(crate) fn new(factory: F) -> Self {
        Self {
            factory,
            makes: PhantomData,
        }
    }
}

impl<A: Actor, F> Casting<A::Msg> for Setup<F, A>
where
    F: for<'a> SendTurn<'a, A::Msg, A> + 'static,
{
    type Role = Awaiting<A>;
    async fn cast(self, ctx: &mut Context<A::Msg>) -> Outcome<Awaiting<A>> {
        Ok(Awaiting(call(self.factory, ctx).await?))
    }
}

/// An `Actor`.
pub(crate) struct Awaiting<A>(A);

impl<A: Actor> Role for Awaiting<A> {
    type Msg = A::Msg;
    fn started(&mut self, ctx: &mut Context<A::Msg>) -> impl Future<Output = Outcome> {
        self.0.started(ctx)
    }
    // The actor's own future, with nothing around it: every message goes through here.
    #[inline]
    fn receive(&mut self, ctx: &mut Context<A::Msg>, msg: A::Msg) -> impl Future<Output = Outcome> {
        self.0.receive(ctx, msg)
    }
    fn signal(
        &mut self,
        ctx: &mut Context<A::Msg>,
        signal: Signal,
    ) -> impl Future<Output = Outcome> {
        self.0.signal(ctx, signal)
    }
    fn is_spent(&self) -> bool {
        self.0.is_spent()
    }
}

/// A factory of a `BlockingActor`.
pub(crate) struct OnOwnThread<F, B> {
    factory: F,
    makes: PhantomData<fn() -> B>,
}

impl<F: Clone, B> Clone for OnOwnThread<F, B> {
    fn clone(&self) -> Self {
        Self::new(self.factory.clone())
    }
}

impl<F, B> OnOwnThread<F, B> {
    pub(crate) fn new(factory: F) -> Self {
        Self {
            factory,
            makes: PhantomData,
        }
    }
}

impl<B: BlockingActor, F> Casting<B::Msg> for OnOwnThread<F, B>
where
    F: FnOnce(&mut Context<B::Msg>) -> Outcome<B> + 'static,
{
    type Role = Blocking<B>;
    async fn cast(self, ctx: &mut Context<B::Msg>) -> Outcome<Blocking<B>> {
        Ok(Blocking((self.factory)(ctx)?))
    }
}

/// A `BlockingActor`. Its thread polls nothing else, so it may block inside a poll.
pub(crate) struct Blocking<B>(B);

impl<B: BlockingActor> Role for Blocking<B> {
    type Msg = B::Msg;
    async fn started(&mut self, ctx: &mut Context<B::Msg>) -> Outcome {
        self.0.started(ctx)
    }
    async fn receive(&mut self, ctx: &mut Context<B::Msg>, msg: B::Msg) -> Outcome {
        self.0.receive(ctx, msg)
    }
    async fn signal(&mut self, ctx: &mut Context<B::Msg>, signal: Signal) -> Outcome {
        self.0.signal(ctx, signal)
    }
}

/// A function: all of its life is `started`, and it takes its messages itself.
pub(crate) struct Function<F>(pub(crate) F);

impl<M: Message, F> Casting<M> for Function<F>
where
    F: for<'a> SendTurn<'a, M, ()> + 'static,
{
    type Role = Playing<M, F>;
    async fn cast(self, ctx: &mut Context<M>) -> Outcome<Playing<M, F>> {
        ctx.become_function();
        Ok(Playing {
            body: Some(self.0),
            protocol: PhantomData,
        })
    }
}

/// A function being played.
pub(crate) struct Playing<M, F> {
    body: Option<F>,
    protocol: PhantomData<fn(M)>,
}

impl<M: Message, F> Role for Playing<M, F>
where
    F: for<'a> SendTurn<'a, M, ()> + 'static,
{
    type Msg = M;
    async fn started(&mut self, ctx: &mut Context<M>) -> Outcome {
        if let Some(body) = self.body.take() {
            call(body, ctx).await?;
        }
        ctx.finish();
        Ok(())
    }
    async fn receive(&mut self, ctx: &mut Context<M>, msg: M) -> Outcome {
        ctx.unhandled(msg); // nothing arrives at a finished function; if it did, it would not be silent
        Ok(())
    }
    async fn signal(&mut self, _ctx: &mut Context<M>, signal: Signal) -> Outcome {
        signal.unhandled()
    }
}

/// Calls through `SendTurn` alone, whose future is known to be `Send`.
fn call<'a, M: 'static, T, F: SendTurn<'a, M, T>>(function: F, ctx: &'a mut Context<M>) -> F::Turn {
    function(ctx)
}
