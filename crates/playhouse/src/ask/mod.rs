//! One question, one answer, one deadline.

mod cell;
mod error;
pub(crate) mod handles;
#[cfg(all(test, playhouse_loom))]
pub(crate) mod models;

pub use error::{AskError, Fate, NoReply, TimedOut};

use crate::actor::Message;
use crate::actor_ref::{ActorRef, leave_line, poll_place};
use crate::address::Address;
use crate::cell::{Core, CoreRef, waker};
use crate::clock::Deadline;
use crate::deadlines::Place;
use crate::events::DeadLetterReason;
use crate::here;
use crate::mailbox::Envelope;
use crate::mailbox::{NoPlace, Ticket};
use crate::reply::Reply;
use crate::send_error::{Cancelled, NoWait};
use crate::waits::Note;
use cell::{End, Target};
use handles::{Asker, Replier};
use std::future::Future;
use std::pin::{Pin, pin};
use std::ptr::NonNull;
use std::task::{Context, Poll};
use std::time::Duration;

/// A question not yet sent. Every ask ends, so it must be given a limit.
#[must_use = "nothing is sent until `.within(limit).await`"]
pub struct Ask<M, T> {
    /// Dropped before the request, whose reply then knows that nobody waits.
    asker: Asker<ActorRef<M>, T>,
    request: M,
    must_have_room: bool,
}

impl<M: Message, T: Message> Ask<M, T> {
    pub(crate) fn new(to: &ActorRef<M>, make: impl FnOnce(Reply<T>) -> M) -> Self {
        let (asker, reply) = handles::open(to.clone());
        Self {
            request: make(Reply::to_asker(reply)),
            asker,
            must_have_room: false,
        }
    }

    /// Sends at the first poll, waits for room and answer together; never past the deadline of the message being
    /// handled. Dropped: not sent, or the answer is ignored.
    pub fn within(
        self,
        limit: Duration,
    ) -> impl Future<Output = Result<T, AskError>> + Send + use<M, T> {
        Asking::new(self, Limit::Within(limit))
    }

    /// The same, by its name.
    pub(crate) fn asking(self, limit: Duration) -> Asking<M, T> {
        Asking::new(self, Limit::Within(limit))
    }

    /// As [`within`](Self::within), against one deadline shared by several asks.
    pub fn by(
        self,
        deadline: Deadline,
    ) -> impl Future<Output = Result<T, AskError>> + Send + use<M, T> {
        Asking::new(self, Limit::By(deadline))
    }

    /// As [`within`](Self::within), from a plain or own thread. In the turn of an actor that is asked to stop, the wait
    /// ends with [`AskError::Cancelled`].
    ///
    /// # Panics
    /// On a shared worker, or any thread that drives asynchronous tasks.
    pub fn blocking_within(self, limit: Duration) -> Result<T, AskError> {
        let mut asking = pin!(Asking::new(self, Limit::Within(limit)));
        here::block_on("Ask::blocking_within", asking.as_mut())
            .unwrap_or_else(|Cancelled| Err(AskError::Cancelled(asking.fate())))
    }

    /// Do not wait for room: [`AskError::Full`] at once.
    pub fn if_room(mut self) -> Self {
        self.must_have_room = true;
        self
    }

    pub(crate) fn clock_deadline(&self, limit: Duration) -> Deadline {
        self.asker.core().system().clock.deadline(limit)
    }
}

/// An ask under way. It lies in the futures of handlers, so it is small and boxes nothing.
pub(crate) struct Asking<M, T> {
    /// Until the end. Before the request, whose reply then knows that nobody waits.
    asker: Option<Asker<ActorRef<M>, T>>,
    /// Until it is sent.
    request: Option<M>,
    limit: Limit,
    must_have_room: bool,
    /// The position in the line for a place.
    ticket: Ticket,
    /// Where the watch of the deadline is, once it is worth one.
    watched: Option<Place>,
}

/// The relative one is counted from the first poll.
#[derive(Clone, Copy)]
enum Limit {
    Within(Duration),
    By(Deadline),
    /// The asker knows the deadline, since the first poll; it was so far away then.
    Set(Duration),
}

impl<M: Message, T: Message> Asking<M, T> {
    /// It has a place in the mailbox of whom it asks, or has ended.
    pub(crate) fn is_sent(&self) -> bool {
        self.request.is_none()
    }

    fn new(ask: Ask<M, T>, limit: Limit) -> Self {
        Self {
            asker: Some(ask.asker),
            request: Some(ask.request),
            limit,
            must_have_room: ask.must_have_room,
            ticket: None,
            watched: None,
        }
    }

    fn fate(&self) -> Fate {
        self.asker.as_ref().map_or(Fate::NotSent, Asker::fate)
    }
}

/// Nothing in it is ever pinned.
impl<M, T> Unpin for Asking<M, T> {}

impl<M: Message, T: Message> Future for Asking<M, T> {
    type Output = Result<T, AskError>;

    /// Nothing here counts against Tokio's budget, so the first poll sends however much the task has done before.
    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let waker = waker::for_own_wait(context.waker(), this.asker().core().system());
        let context = &mut Context::from_waker(&waker);
        if !matches!(this.limit, Limit::Set(_)) {
            return this.poll_first(context);
        }
        if this.request.is_some()
            && let Some(refused) = this.send(context)
        {
            return this.fail(refused);
        }
        match this.asker().poll(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(end) => this.ended(end),
        }
    }
}

impl<M: Message, T: Message> Asking<M, T> {
    fn asker(&mut self) -> &mut Asker<ActorRef<M>, T> {
        let Some(asker) = &mut self.asker else {
            panic!("an ask was polled after its end");
        };
        asker
    }

    /// Only this one looks at the clock; later ones are told.
    #[inline]
    fn poll_first(&mut self, context: &Context<'_>) -> Poll<Result<T, AskError>> {
        let limit = self.limit;
        let left = begin(self.asker(), limit, context);
        self.limit = Limit::Set(left);
        if let Some(refused) = self.send(context) {
            return self.fail(refused);
        }
        let asker = self.asker();
        if let Poll::Ready(end) = asker.ended() {
            return self.ended(end);
        }
        if left.is_zero() {
            return self.ended(End::Due);
        }
        let watch = asker.watch();
        let place = asker.core().system().deadlines.wait(watch, left);
        self.watched = Some(place);
        Poll::Pending
    }

    /// An answer that came while the request was still in line for a place ends it too.
    #[inline]
    fn ended(&mut self, end: End) -> Poll<Result<T, AskError>> {
        if end == End::Due {
            let error = self.overdue();
            return self.fail(error);
        }
        match self.asker().take() {
            Ok(value) => {
                self.end();
                Poll::Ready(Ok(value))
            }
            Err(why) => {
                let error = self.explain(*why);
                self.fail(error)
            }
        }
    }

    /// Sends the request, or waits for a place if that is allowed.
    #[inline]
    fn send(&mut self, context: &Context<'_>) -> Option<AskError> {
        if self.ticket.is_none() {
            let msg = self.request.take()?;
            let asker = self.asker();
            let question = Some(asker.question());
            // Without a look at whose turn it is.
            let (why, back) = asker.target().offer(Envelope { msg, question }).err()?;
            if let Some(question) = back.question {
                asker.unsend(question);
            }
            self.request = Some(back.msg);
            if self.must_have_room {
                return Some(match why {
                    NoPlace::Full => AskError::Full,
                    NoPlace::Closed => AskError::Gone(Fate::NotSent),
                });
            }
        }
        self.send_later(context)
    }

    #[cold]
    fn send_later(&mut self, context: &Context<'_>) -> Option<AskError> {
        let Some(asker) = &mut self.asker else {
            return None;
        };
        match poll_place(asker.core(), &mut self.ticket, context) {
            Poll::Pending => None,
            Poll::Ready(Err(why)) => Some(match why {
                NoWait::SelfSend => AskError::Full,
                NoWait::Closed | NoWait::Cancelled => AskError::Gone(Fate::NotSent),
                NoWait::Cycle(cycle) => AskError::Cycle(cycle),
            }),
            Poll::Ready(Ok(())) => {
                let msg = self.request.take()?;
                let question = Some(asker.question());
                asker.target().put(Envelope { msg, question });
                None
            }
        }
    }

    #[cold]
    fn fail(&mut self, error: AskError) -> Poll<Result<T, AskError>> {
        self.end();
        Poll::Ready(Err(error))
    }

    #[inline]
    fn end(&mut self) {
        self.leave();
        if self.request.is_some()
            && let Some(asker) = &self.asker
        {
            asker.core().note(|ledger| ledger.refused += 1);
        }
        self.asker = None; // before the request, whose reply then knows that nobody waits
        self.request = None;
    }
}

/// Why there is no answer.
impl<M: Message, T: Message> Asking<M, T> {
    /// Its deadline has passed, or time itself has ended. In that case the actors of this system did, and nobody answers.
    #[cold]
    fn overdue(&mut self) -> AskError {
        let limit = match self.limit {
            Limit::Set(limit) => limit,
            Limit::Within(_) | Limit::By(_) => Duration::ZERO, // an ask that has not begun is never overdue
        };
        let asker = self.asker();
        let core = asker.core();
        if asker.was_due() && core.system().deadlines.is_over() {
            return AskError::Gone(asker.fate());
        }
        let waits = match core.system().deadlines.waits.take_note(asker.name()) {
            Some(Note::Cycle(cycle)) => return AskError::Cycle(cycle),
            Some(Note::Late(waits)) => Some(waits),
            None => None,
        };
        let request = std::any::type_name::<M>();
        AskError::Timeout(TimedOut::new(asker.fate(), core, request, limit, waits))
    }

    /// Whoever was asked may have given up at the same deadline; that is the reason then.
    #[cold]
    fn explain(&mut self, Unanswered { by, why }: Unanswered) -> AskError {
        let asker = self.asker();
        if asker.was_due() && !asker.core().system().deadlines.is_over() {
            return self.overdue();
        }
        match (why, asker.fate()) {
            (NoReply::Stopped, fate @ (Fate::NotSent | Fate::Waiting)) => AskError::Gone(fate),
            (why, fate) => AskError::NoReply {
                by: by.unwrap_or_else(|| asker.core().address.clone()),
                message: std::any::type_name::<M>(),
                why: match fate {
                    Fate::NotSent => NoReply::Unsent,
                    _ => why,
                },
            },
        }
    }
}

impl<M, T> Asking<M, T> {
    /// Leaves everything that knows of this ask; first what could still wake it.
    #[inline]
    fn leave(&mut self) {
        let Some(asker) = &mut self.asker else { return };
        leave_line(asker.core(), &mut self.ticket);
        if let Some(place) = self.watched.take() {
            let deadlines = &asker.core().system().deadlines;
            match deadlines.leave(asker, place) {
                Some(watch) => asker.unwatch(watch),
                None => drop(deadlines.waits.take_note(asker.name())), // it was fired, and nobody asked why
            }
        }
    }
}

impl<M, T> Drop for Asking<M, T> {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Sets the deadline, and returns the time until then.
#[inline]
fn begin<M: Message, T: Message>(
    asker: &mut Asker<ActorRef<M>, T>,
    limit: Limit,
    context: &Context<'_>,
) -> Duration {
    let system = asker.core().system();
    let now = system.clock.deadline(Duration::ZERO);
    let (own, left) = match limit {
        Limit::Within(limit) => (now.later(limit), limit),
        Limit::By(deadline) => (deadline, deadline.since(now)),
        Limit::Set(_) => unreachable!("an ask begins once"),
    };
    let (deadline, left) = match here::deadline() {
        Some(outer) if outer < own => (outer, outer.since(now)),
        _ => (own, left),
    };
    asker.ask(deadline, context.waker().clone());
    left
}

/// Of a reply: a late answer, or none.
pub(crate) fn publish<T>(reply: &Replier<T>, why: DeadLetterReason) {
    reply.core().publish_dead(reply.request(), why);
}

impl<M: Message> Target for ActorRef<M> {
    fn core(&self) -> NonNull<Core> {
        NonNull::from(self.core())
    }

    fn keep(&self) -> Option<CoreRef> {
        Some(CoreRef::new(self.core()))
    }

    fn request() -> &'static str {
        std::any::type_name::<M>()
    }

    fn forsaken<T: Message>(reply: Replier<T>) {
        here::forsake(move |unanswered| {
            publish(&reply, DeadLetterReason::UnansweredReply);
            // Gone meanwhile: then nobody misses it. What comes back has no answer in it, and may be dropped.
            let _ = reply.answer(Err(Box::new(unanswered)));
        });
    }
}

/// What comes back to an asker.
pub(crate) type Answer<T> = Result<T, Box<Unanswered>>;

/// A reply that was dropped.
#[derive(Clone)]
pub(crate) struct Unanswered {
    /// In whose turn; `None` outside of any.
    pub(crate) by: Option<Address>,
    pub(crate) why: NoReply,
}
