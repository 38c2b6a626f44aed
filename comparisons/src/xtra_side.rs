//! xtra, with its Tokio feature: a Tokio task per actor.

use crate::rival::{Cast, Letter, Logic, MAILBOX, Rival, Room, Then};
use std::pin::pin;
use std::task::{self, Poll, Waker};
use xtra::{Actor, Address, Context, Handler, Mailbox};

pub(crate) struct Xtra;

impl<L: Logic<Xtra>> Actor for Cast<Xtra, L> {
    type Stop = ();

    async fn started(&mut self, _mailbox: &Mailbox<Self>) -> Result<(), ()> {
        self.logic.started();
        Ok(())
    }

    async fn stopped(self) {}
}

impl<L: Logic<Xtra>> Handler<Letter<L::Msg>> for Cast<Xtra, L> {
    type Return = u64;

    async fn handle(&mut self, Letter(message): Letter<L::Msg>, ctx: &mut Context<Self>) -> u64 {
        let then = self.receive(message).await;
        if then == Then::Stop {
            ctx.stop_self();
        }
        then.answer()
    }
}

impl Rival for Xtra {
    type Ref<L: Logic<Self>> = Address<Cast<Self, L>>;
    const HAS_BOUND: bool = true;
    const AWAITS: bool = true;

    fn spawn<L: Logic<Self>>(logic: L, room: Room) -> Self::Ref<L> {
        let mailbox = match room {
            Room::Bounded => Mailbox::bounded(MAILBOX),
            Room::Unbounded => Mailbox::unbounded(),
        };
        // The address is there before the actor is; asked for later it may be gone, and the actor with it.
        let me = Some(mailbox.0.clone());
        xtra::spawn_tokio(Cast { logic, me }, mailbox)
    }

    /// Its only way to send is a future, which puts the message in at its first poll when there is room.
    fn tell<L: Logic<Self>>(to: &Self::Ref<L>, message: L::Msg) {
        let sending = pin!(IntoFuture::into_future(to.send(Letter(message)).detach()));
        let sent = sending.poll(&mut task::Context::from_waker(Waker::noop()));
        assert!(matches!(sent, Poll::Ready(Ok(_))), "it lives and has room");
    }

    async fn send<L: Logic<Self>>(to: &Self::Ref<L>, message: L::Msg) {
        assert!(to.send(Letter(message)).detach().await.is_ok(), "it lives");
    }

    async fn ask<L: Logic<Self>>(to: &Self::Ref<L>, message: L::Msg) -> u64 {
        to.send(Letter(message)).await.unwrap_or_default()
    }
}
