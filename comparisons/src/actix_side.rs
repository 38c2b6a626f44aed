//! actix: one arbiter, so one thread; an actor with state in hand cannot await, and a tell knows no bound.
//!
//! With a second arbiter a message that crosses wakes a thread each time, which makes it ten times slower here; one is the
//! form in which it is at its best.

use crate::rival::{Cast, Letter, Logic, MAILBOX, Rival, Room, Then};
use actix::{Actor, ActorContext, Addr, AsyncContext, Context, Handler, Message};
use std::pin::pin;
use std::task::{self, Poll, Waker};

pub(crate) struct Actix;

impl<L: Logic<Actix>> Actor for Cast<Actix, L> {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Context<Self>) {
        ctx.set_mailbox_capacity(MAILBOX);
        self.start(ctx.address());
    }
}

impl<M: Send + 'static> Message for Letter<M> {
    type Result = u64;
}

impl<L: Logic<Actix>> Handler<Letter<L::Msg>> for Cast<Actix, L> {
    type Result = u64;

    fn handle(&mut self, Letter(message): Letter<L::Msg>, ctx: &mut Context<Self>) -> u64 {
        let received = pin!(self.receive(message));
        match received.poll(&mut task::Context::from_waker(Waker::noop())) {
            Poll::Ready(Then::Stop) => {
                ctx.stop();
                0
            }
            Poll::Ready(then) => then.answer(),
            Poll::Pending => panic!("a workload that awaits in a handler is not for actix"),
        }
    }
}

impl Rival for Actix {
    type Ref<L: Logic<Self>> = Addr<Cast<Self, L>>;
    const HAS_BOUND: bool = false;
    const AWAITS: bool = false;

    fn block_on<T>(_workers: usize, future: impl Future<Output = T>) -> T {
        actix::System::new().block_on(future)
    }

    fn task(future: impl Future<Output = ()> + Send + 'static) {
        actix::spawn(future);
    }

    fn spawn<L: Logic<Self>>(logic: L, _room: Room) -> Self::Ref<L> {
        Actor::start(Cast::new(logic))
    }

    fn tell<L: Logic<Self>>(to: &Self::Ref<L>, message: L::Msg) {
        to.do_send(Letter(message));
    }

    async fn send<L: Logic<Self>>(to: &Self::Ref<L>, message: L::Msg) {
        Self::tell::<L>(to, message);
    }

    async fn ask<L: Logic<Self>>(to: &Self::Ref<L>, message: L::Msg) -> u64 {
        to.send(Letter(message))
            .await
            .expect("every question is answered")
    }
}
