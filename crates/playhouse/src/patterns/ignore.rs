//! Nobody, as an actor: for a protocol that wants an address where no answer is wanted.

use crate::actor::{Actor, Message, Outcome};
use crate::actor_ref::ActorRef;
use crate::ask::NoReply;
use crate::cell::{Core, CoreRef};
use crate::context::Context;
use crate::here;
use crate::mailbox::{Envelope, NoPlace};
use crate::port::Inlet;
use crate::sync::drop_quietly;
use crate::system::ActorSystem;
use std::convert::Infallible;

impl ActorSystem {
    /// A reference that swallows: what is sent to it counts as handled, and is dropped, in the sender. No dead letter.
    /// Asked, it drops the [`Reply`](crate::Reply), so the asker hears [`NoReply`](crate::NoReply) at once.
    ///
    /// It takes no orders and never ends before its system does, so watching it brings no news. All of a system are equal.
    ///
    /// ```
    /// use playhouse::prelude::*;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Outcome {
    /// let system = ActorSystem::builder("tour").build()?;
    /// let nobody = system.ignore();
    /// Reply::to(&nobody).send(7); // whoever answers need not know that nobody listens
    /// # let report = system.shutdown().await;
    /// # assert_eq!((report.ledger.handled, report.ledger.dead, report.ledger.balance()), (1, 0, 0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn ignore<M: Message>(&self) -> ActorRef<M> {
        ActorRef::foreign(Ignore(self.spawn_own("~ignore", || Nobody)))
    }
}

struct Nobody;

impl Actor for Nobody {
    type Msg = Infallible;
    async fn receive(&mut self, _ctx: &mut Context<Infallible>, msg: Infallible) -> Outcome {
        match msg {}
    }
}

/// The actor behind it is an identity and a set of books; no message ever reaches its mailbox.
struct Ignore(CoreRef);

impl<M: Message> Inlet<M> for Ignore {
    fn core(&self) -> &Core {
        &self.0
    }

    /// There is always room, also when the system has ended.
    fn offer(&self, envelope: Envelope<M>) -> Result<(), (NoPlace, Envelope<M>)> {
        swallow(&self.0, envelope);
        Ok(())
    }

    fn put(&self, envelope: Envelope<M>) {
        self.0.free_place();
        swallow(&self.0, envelope);
    }

    fn is_handle(&self) -> bool {
        false
    }

    fn takes_orders(&self) -> bool {
        false
    }
}

fn swallow<M>(core: &Core, Envelope { msg, question }: Envelope<M>) {
    core.note(|ledger| {
        ledger.accepted += 1;
        ledger.handled += 1;
    });
    if let Some(question) = question {
        let _no_deadline_matters = question.start();
    }
    let ((), forsaken) = here::on_behalf(core, || drop_quietly(msg));
    forsaken.answer(&NoReply::Dropped);
}
