//! Typed actors on Tokio.
#![forbid(unsafe_code)]

mod actor;
mod actor_ref;
mod adapter;
mod address;
mod ask;
mod cell;
mod clock;
mod context;
mod dead_letters;
mod dispatch;
mod events;
mod failure;
mod here;
mod ledger;
pub mod limits;
mod mailbox;
mod patterns;
mod pipe;
mod props;
mod reply;
mod send_error;
mod shutdown;
mod sync;
mod system;

pub use actor::{Actor, BlockingActor, Exit, Message, Outcome, Signal};
pub use actor_ref::{ActorRef, Permit, WeakRef};
pub use address::Address;
pub use ask::{Ask, AskError, Fate, NoReply};
pub use clock::{Clock, Deadline, millis, secs};
pub use context::Context;
pub use dispatch::{Dispatcher, DispatcherRef, UnknownDispatcher};
pub use events::{DeadLetterReason, Event};
pub use failure::Failure;
pub use ledger::Ledger;
pub use mailbox::Mailbox;
pub use patterns::budget::{Budget, Share};
pub use patterns::gather::gather;
pub use patterns::work_pulling::{Job, Ticket, WorkPool};
pub use props::{FuncProps, IntoProps, Lifetime, Props, SendTurn};
pub use reply::Reply;
pub use send_error::{Cancelled, SendError, TrySendError};
pub use shutdown::{Phase, ShutdownReport};
pub use system::{ActorSystem, BuildError, SpawnError, SystemBuilder};

/// What a user module imports.
pub mod prelude {
    pub use crate::{
        Actor, ActorRef, ActorSystem, AskError, BlockingActor, Context, Dispatcher, Exit, Failure,
    };
    pub use crate::{Lifetime, Mailbox, Outcome, Props, Reply, Signal, TrySendError, millis, secs};
}
