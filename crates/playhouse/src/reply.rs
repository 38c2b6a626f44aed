//! The right, and duty, to answer once.

use crate::actor::Message;
use crate::actor_ref::ActorRef;
use crate::ask;
use crate::ask::handles::Replier;
use crate::clock::Deadline;
use crate::events::DeadLetterReason;
use crate::sync::Mutex;
use std::fmt;

/// The right and duty to answer once. Dropped (by `?`, a panic, a stop), the asker hears [`NoReply`](crate::NoReply) at
/// once, with the reason. `Send + Sync`.
#[must_use = "dropping a reply tells the asker that there will be no answer"]
pub struct Reply<T>(Owed<T>);

/// To whom the answer is owed. An asker, almost always, costs nothing here.
enum Owed<T> {
    Asker(Replier<T>),
    Other(Box<dyn Duty<T>>),
}

impl<T: Message> Reply<T> {
    pub(crate) fn to_asker(asker: Replier<T>) -> Self {
        Self(Owed::Asker(asker))
    }

    /// Answers. If nobody waits any more the answer is published as late, and dropped.
    pub fn send(self, value: T) {
        match self.0 {
            Owed::Asker(asker) => {
                if let Err((asker, late)) = asker.answer(Ok(value)) {
                    ask::publish(&asker, DeadLetterReason::LateReply);
                    drop(late);
                }
            }
            Owed::Other(duty) => duty.send(value),
        }
    }

    /// A reply that is told to `to`: the asking half of an adapter. Dropped unused, it is published; nobody is told.
    pub fn to(to: &ActorRef<T>) -> Reply<T> {
        Self(Owed::Other(Box::new(Told {
            to: to.clone(),
            is_done: false,
        })))
    }

    /// Forward the duty: whoever answers `U` answers us. `f` runs where the answer is given.
    pub fn contramap<U: Message>(self, f: impl FnOnce(U) -> T + Send + 'static) -> Reply<U> {
        Reply(Owed::Other(Box::new(Mapped {
            reply: self,
            function: Mutex::new(f),
        })))
    }

    /// The asker timed out or went away: skip the work.
    pub fn is_abandoned(&self) -> bool {
        match &self.0 {
            Owed::Asker(asker) => asker.is_abandoned(),
            Owed::Other(duty) => duty.is_abandoned(),
        }
    }

    /// When the asker stops waiting. `None` if nobody waits ([`Reply::to`]).
    pub fn deadline(&self) -> Option<Deadline> {
        match &self.0 {
            Owed::Asker(asker) => asker.deadline(),
            Owed::Other(duty) => duty.deadline(),
        }
    }
}

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reply<{}>", std::any::type_name::<T>())
    }
}

/// A debt to somebody who does not wait for it. Dropped without `send`, it says so.
trait Duty<T>: Send + Sync {
    fn send(self: Box<Self>, value: T);
    fn is_abandoned(&self) -> bool;
    fn deadline(&self) -> Option<Deadline>;
}

/// To an actor, as a message.
struct Told<T: Message> {
    to: ActorRef<T>,
    is_done: bool,
}

impl<T: Message> Duty<T> for Told<T> {
    fn send(mut self: Box<Self>, value: T) {
        self.is_done = true;
        self.to.tell(value);
    }

    fn is_abandoned(&self) -> bool {
        self.to.core().has_ended()
    }

    fn deadline(&self) -> Option<Deadline> {
        None
    }
}

impl<T: Message> Drop for Told<T> {
    fn drop(&mut self) {
        if !self.is_done {
            let message = std::any::type_name::<T>();
            self.to
                .core()
                .publish_dead(message, DeadLetterReason::UnansweredReply);
        }
    }
}

/// To a reply behind a function. Dropped, the reply inside says so.
struct Mapped<T, F> {
    reply: Reply<T>,
    /// Behind a lock only so that it is `Sync`.
    function: Mutex<F>,
}

impl<T: Message, U: Message, F: FnOnce(U) -> T + Send + 'static> Duty<U> for Mapped<T, F> {
    fn send(self: Box<Self>, value: U) {
        let Self { reply, function } = *self;
        let function = function.into_inner();
        reply.send(function(value));
    }

    fn is_abandoned(&self) -> bool {
        self.reply.is_abandoned()
    }

    fn deadline(&self) -> Option<Deadline> {
        self.reply.deadline()
    }
}
