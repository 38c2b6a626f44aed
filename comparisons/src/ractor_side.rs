//! ractor: a Tokio task per actor, mailboxes without a bound. Links and names are left out, which is to its advantage.

use crate::rival::{Cast, Logic, Rival, Room, Then};
use ractor::rpc::CallResult;
use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort};
use std::marker::PhantomData;

pub(crate) struct Ractor;

/// The actor is only a type here; what it knows is its state.
pub(crate) struct Player<L>(PhantomData<fn() -> L>);

/// A question carries the port of its answer in the message.
pub(crate) enum Letter<M> {
    Told(M),
    Asked(M, RpcReplyPort<u64>),
}

impl<L: Logic<Ractor>> Actor for Player<L> {
    type Msg = Letter<L::Msg>;
    type State = Cast<Ractor, L>;
    type Arguments = Cast<Ractor, L>;

    async fn pre_start(
        &self,
        me: ActorRef<Self::Msg>,
        mut cast: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        cast.start(me);
        Ok(cast)
    }

    async fn handle(
        &self,
        me: ActorRef<Self::Msg>,
        letter: Self::Msg,
        cast: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match letter {
            Letter::Told(message) => {
                if cast.receive(message).await == Then::Stop {
                    me.stop(None);
                }
            }
            Letter::Asked(message, port) => port.send(cast.receive(message).await.answer())?,
        }
        Ok(())
    }
}

impl Rival for Ractor {
    type Ref<L: Logic<Self>> = ActorRef<Letter<L::Msg>>;
    const HAS_BOUND: bool = false;
    const AWAITS: bool = true;

    fn spawn<L: Logic<Self>>(logic: L, _room: Room) -> Self::Ref<L> {
        let spawned =
            ractor::ActorRuntime::spawn_instant(None, Player(PhantomData), Cast::new(logic));
        let Ok((actor, _started)) = spawned else {
            panic!("an actor without a name always spawns")
        };
        actor
    }

    fn tell<L: Logic<Self>>(to: &Self::Ref<L>, message: L::Msg) {
        assert!(to.cast(Letter::Told(message)).is_ok(), "it lives");
    }

    async fn send<L: Logic<Self>>(to: &Self::Ref<L>, message: L::Msg) {
        Self::tell::<L>(to, message);
    }

    async fn ask<L: Logic<Self>>(to: &Self::Ref<L>, message: L::Msg) -> u64 {
        match to.call(|port| Letter::Asked(message, port), None).await {
            Ok(CallResult::Success(answer)) => answer,
            _ => panic!("every question is answered"),
        }
    }
}
