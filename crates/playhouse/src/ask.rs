//! One question, one answer, one deadline.

use crate::actor::Message;
use crate::actor_ref::ActorRef;
use crate::address::Address;
use crate::cell::CoreRef;
use crate::clock::Deadline;
use crate::events::DeadLetterReason;
use crate::failure::Failure;
use crate::here;
use crate::mailbox::Envelope;
use crate::mailbox::permit::NoPlace;
use crate::reply::Reply;
use crate::send_error::{Cancelled, NoWait};
use crate::sync::{Arc, AtomicBool, OnceLock, Ordering, oneshot};
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::{Pin, pin};
use std::time::Duration;
use tokio::task::unconstrained;

/// A question not yet sent. Every ask ends, so it must be given a limit.
#[must_use = "nothing is sent until `.within(limit).await`"]
pub struct Ask<M, T> {
    to: ActorRef<M>,
    /// Dropped before the request, whose reply then knows that nobody waits.
    answer: oneshot::Receiver<Answer<T>>,
    request: M,
    question: Arc<Question>,
    must_have_room: bool,
}

impl<M: Message, T: Message> Ask<M, T> {
    pub(crate) fn new(to: &ActorRef<M>, make: impl FnOnce(Reply<T>) -> M) -> Self {
        let (sender, answer) = oneshot::channel();
        let question = Arc::new(Question {
            core: CoreRef::new(to.core()),
            request: std::any::type_name::<M>(),
            deadline: OnceLock::new(),
            is_started: AtomicBool::new(false),
        });
        let request = make(Reply::asked(sender, question.clone()));
        Self {
            to: to.clone(),
            request,
            answer,
            question,
            must_have_room: false,
        }
    }

    /// Sends at the first poll, waits for room and answer together; never past the deadline of the message being
    /// handled. Dropped: not sent, or the answer is ignored.
    pub async fn within(self, limit: Duration) -> Result<T, AskError> {
        let deadline = self.question.core.system().clock.deadline(limit);
        self.by(deadline).await
    }

    /// As [`within`](Self::within), against one deadline shared by several asks.
    pub async fn by(self, deadline: Deadline) -> Result<T, AskError> {
        let deadline = here::deadline().map_or(deadline, |outer| outer.min(deadline));
        let mut timer = pin!(self.question.core.system().clock.sleep_until(deadline));
        let Self {
            to,
            request,
            mut answer,
            question,
            must_have_room,
        } = self;
        let _ = question.deadline.set(deadline); // an ask is consumed, so this is the first time

        // Without Tokio's budget, so that the first poll sends however much the task has done before.
        let place = unconstrained(find_place(&to, must_have_room, timer.as_mut()));
        if let Err(error) = place.await {
            to.core().note(|ledger| ledger.refused += 1);
            drop(answer); // before the request, whose reply then knows that nobody waits
            drop(request);
            return Err(error);
        }
        to.put(Envelope {
            msg: request,
            question: Some(question.clone()),
        });

        tokio::select! {
            biased;
            answer = &mut answer => match answer {
                Ok(Ok(value)) => Ok(value),
                Ok(Err(unanswered)) => Err(question.explain(unanswered)),
                // The answering end says why before it goes; without a word, it can only have been lost.
                Err(_) => Err(question.explain(Unanswered { by: None, why: NoReply::Dropped })),
            },
            () = timer => Err(AskError::Timeout(question.fate())),
        }
    }

    /// As [`within`](Self::within), from a plain or own thread. In the turn of an actor that is asked to stop, the wait
    /// ends with [`AskError::Cancelled`].
    ///
    /// # Panics
    /// On a shared worker, or any thread that drives asynchronous tasks.
    pub fn blocking_within(self, limit: Duration) -> Result<T, AskError> {
        let question = self.question.clone();
        here::block_on("Ask::blocking_within", self.within(limit))
            .unwrap_or_else(|Cancelled| Err(AskError::Cancelled(question.fate())))
    }

    /// Do not wait for room: [`AskError::Full`] at once.
    pub fn if_room(mut self) -> Self {
        self.must_have_room = true;
        self
    }

    pub(crate) fn clock_deadline(&self, limit: Duration) -> Deadline {
        self.question.core.system().clock.deadline(limit)
    }
}

async fn find_place<M: Message>(
    to: &ActorRef<M>,
    must_have_room: bool,
    timer: Pin<&mut (impl Future<Output = ()> + Send)>,
) -> Result<(), AskError> {
    if must_have_room {
        return to.core().gate().try_reserve().map_err(|why| match why {
            NoPlace::Full => AskError::Full,
            NoPlace::Closed => AskError::Gone(Fate::NotSent),
        });
    }
    tokio::select! {
        biased;
        place = to.place() => place.map_err(|why| match why {
            NoWait::SelfSend => AskError::Full,
            NoWait::Closed | NoWait::Cancelled => AskError::Gone(Fate::NotSent),
        }),
        () = timer => Err(AskError::Timeout(Fate::NotSent)),
    }
}

/// What comes back to an asker.
pub(crate) type Answer<T> = Result<T, Unanswered>;

/// A reply that was dropped.
#[derive(Clone)]
pub(crate) struct Unanswered {
    /// In whose turn; `None` outside of any.
    pub(crate) by: Option<Address>,
    pub(crate) why: NoReply,
}

/// What the request, its reply and its asker know together.
pub(crate) struct Question {
    /// Who is asked.
    core: CoreRef,
    /// The type of the request.
    request: &'static str,
    deadline: OnceLock<Deadline>,
    is_started: AtomicBool,
}

impl Question {
    pub(crate) fn deadline(&self) -> Option<Deadline> {
        self.deadline.get().copied()
    }

    /// The handler has it in hand.
    pub(crate) fn start(&self) {
        self.is_started.store(true, Ordering::Release);
    }

    pub(crate) fn publish(&self, why: DeadLetterReason) {
        self.core.publish_dead(self.request, why);
    }

    /// Of a request that was sent.
    fn fate(&self) -> Fate {
        if self.deadline.get().is_none() {
            Fate::NotSent
        } else if self.is_started.load(Ordering::Acquire) {
            Fate::Started
        } else {
            Fate::Waiting
        }
    }

    fn explain(&self, Unanswered { by, why }: Unanswered) -> AskError {
        match (why, self.fate()) {
            (NoReply::Stopped, fate @ (Fate::NotSent | Fate::Waiting)) => AskError::Gone(fate),
            (why, _) => AskError::NoReply {
                by: by.unwrap_or_else(|| self.core.address.clone()),
                why,
            },
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AskError {
    /// The limit, or the deadline of the message being handled, has passed.
    Timeout(Fate),
    /// No room, and the ask would not or must not wait for it.
    Full,
    /// The actor has ended, or takes nothing more.
    Gone(Fate),
    /// The reply was dropped.
    NoReply {
        /// Who dropped it: the actor that was asked, or the one to whom the duty was passed on.
        by: Address,
        /// Why it was dropped.
        why: NoReply,
    },
    /// A blocking wait ended because the actor that asks was itself asked to stop.
    Cancelled(Fate),
}

impl AskError {
    /// May I ask again? [`Fate::Started`] means: only if the request is idempotent.
    pub fn fate(&self) -> Fate {
        match self {
            Self::Timeout(fate) | Self::Gone(fate) | Self::Cancelled(fate) => *fate,
            Self::Full => Fate::NotSent,
            Self::NoReply { .. } => Fate::Started,
        }
    }
}

/// How far a request came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// No mailbox accepted it.
    NotSent,
    /// It was accepted; no handler had it in hand.
    Waiting,
    /// A handler had it in hand.
    Started,
}

/// Why a reply was dropped.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NoReply {
    /// The handler let it go.
    Dropped,
    /// The handler failed.
    Failed(Failure),
    /// The actor ended.
    Stopped,
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout(fate) => write!(f, "no answer in time; the request was {fate}"),
            Self::Full => f.write_str("the mailbox is full; the request was not sent"),
            Self::Gone(fate) => write!(f, "the actor is gone; the request was {fate}"),
            Self::NoReply { by, why } => write!(f, "{by} will not answer: {why}"),
            Self::Cancelled(fate) => write!(
                f,
                "the asking actor was asked to stop; the request was {fate}"
            ),
        }
    }
}

impl Error for AskError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Cancelled(_) => Some(&Cancelled),
            _ => None,
        }
    }
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fate::NotSent => "not sent",
            Fate::Waiting => "waiting in the mailbox",
            Fate::Started => "started",
        })
    }
}

impl fmt::Display for NoReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoReply::Dropped => f.write_str("it dropped the reply"),
            NoReply::Failed(failure) => write!(f, "it failed: {failure}"),
            NoReply::Stopped => f.write_str("it ended"),
        }
    }
}
