//! The right, and duty, to answer once.

use crate::actor::Message;
use crate::actor_ref::ActorRef;
use crate::ask::{Answer, Question};
use crate::clock::Deadline;
use crate::events::DeadLetterReason;
use crate::here;
use crate::sync::{Arc, Mutex, oneshot};
use std::fmt;

/// The right and duty to answer once. Dropped (by `?`, a panic, a stop), the asker hears [`NoReply`](crate::NoReply) at
/// once, with the reason. `Send + Sync`.
#[must_use = "dropping a reply tells the asker that there will be no answer"]
pub struct Reply<T>(Box<dyn Duty<T>>);

impl<T: Message> Reply<T> {
    pub(crate) fn asked(answer: oneshot::Sender<Answer<T>>, question: Arc<Question>) -> Self {
        Self(Box::new(Asked {
            answer: Some(answer),
            question,
        }))
    }

    /// Answers. If nobody waits any more the answer is published as late, and dropped.
    pub fn send(self, value: T) {
        self.0.send(value);
    }

    /// A reply that is told to `to`: the asking half of an adapter. Dropped unused, it is published; nobody is told.
    pub fn to(to: &ActorRef<T>) -> Reply<T> {
        Self(Box::new(Told {
            to: to.clone(),
            is_done: false,
        }))
    }

    /// Forward the duty: whoever answers `U` answers us. `f` runs where the answer is given.
    pub fn contramap<U: Message>(self, f: impl FnOnce(U) -> T + Send + 'static) -> Reply<U> {
        Reply(Box::new(Mapped {
            reply: self,
            function: Mutex::new(f),
        }))
    }

    /// The asker timed out or went away: skip the work.
    pub fn is_abandoned(&self) -> bool {
        self.0.is_abandoned()
    }

    /// When the asker stops waiting. `None` if nobody waits ([`Reply::to`]).
    pub fn deadline(&self) -> Option<Deadline> {
        self.0.deadline()
    }
}

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reply<{}>", std::any::type_name::<T>())
    }
}

/// To whom an answer is owed. Dropped without `send`, it says so.
trait Duty<T>: Send + Sync {
    fn send(self: Box<Self>, value: T);
    fn is_abandoned(&self) -> bool;
    fn deadline(&self) -> Option<Deadline>;
}

/// To somebody who waits.
struct Asked<T: Message> {
    /// Taken by the answer.
    answer: Option<oneshot::Sender<Answer<T>>>,
    question: Arc<Question>,
}

impl<T: Message> Duty<T> for Asked<T> {
    fn send(mut self: Box<Self>, value: T) {
        if let Some(answer) = self.answer.take()
            && answer.send(Ok(value)).is_err()
        {
            self.question.publish(DeadLetterReason::LateReply);
        }
    }

    fn is_abandoned(&self) -> bool {
        self.answer.as_ref().is_none_or(oneshot::Sender::is_closed)
    }

    fn deadline(&self) -> Option<Deadline> {
        self.question.deadline()
    }
}

impl<T: Message> Drop for Asked<T> {
    fn drop(&mut self) {
        let Some(answer) = self.answer.take() else {
            return;
        };
        if answer.is_closed() {
            return; // nobody waits: the ask timed out, or the request was never sent
        }
        let question = self.question.clone();
        here::forsake(move |unanswered| {
            question.publish(DeadLetterReason::UnansweredReply);
            let _ = answer.send(Err(unanswered)); // gone meanwhile: then nobody misses it
        });
    }
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
