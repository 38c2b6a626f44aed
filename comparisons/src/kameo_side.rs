//! kameo: a Tokio task per actor. Linking and names are left out, which is to its advantage.

use crate::rival::{Cast, Letter, Logic, MAILBOX, Rival, Room, Then};
use kameo::actor::{Actor, ActorRef, Spawn};
use kameo::error::Infallible;
use kameo::mailbox;
use kameo::message::{Context, Message};

pub(crate) struct Kameo;

impl<L: Logic<Kameo>> Actor for Cast<Kameo, L> {
    type Args = Self;
    type Error = Infallible;

    async fn on_start(mut cast: Self, me: ActorRef<Self>) -> Result<Self, Infallible> {
        cast.start(me);
        Ok(cast)
    }
}

impl<L: Logic<Kameo>> Message<Letter<L::Msg>> for Cast<Kameo, L> {
    type Reply = u64;

    async fn handle(
        &mut self,
        Letter(message): Letter<L::Msg>,
        ctx: &mut Context<Self, u64>,
    ) -> u64 {
        let then = self.receive(message).await;
        if then == Then::Stop {
            ctx.stop();
        }
        then.answer()
    }
}

impl Rival for Kameo {
    type Ref<L: Logic<Self>> = ActorRef<Cast<Self, L>>;
    const HAS_BOUND: bool = true;
    const AWAITS: bool = true;

    fn spawn<L: Logic<Self>>(logic: L, room: Room) -> Self::Ref<L> {
        let mailbox = match room {
            Room::Bounded => mailbox::bounded(MAILBOX),
            Room::Unbounded => mailbox::unbounded(),
        };
        Spawn::spawn_with_mailbox(Cast::new(logic), mailbox)
    }

    fn tell<L: Logic<Self>>(to: &Self::Ref<L>, message: L::Msg) {
        assert!(
            to.tell(Letter(message)).try_send().is_ok(),
            "it lives and has room"
        );
    }

    async fn send<L: Logic<Self>>(to: &Self::Ref<L>, message: L::Msg) {
        assert!(to.tell(Letter(message)).send().await.is_ok(), "it lives");
    }

    async fn ask<L: Logic<Self>>(to: &Self::Ref<L>, message: L::Msg) -> u64 {
        to.ask(Letter(message)).send().await.unwrap_or_default()
    }
}
