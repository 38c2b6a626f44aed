//! Typed addresses: tell, try_send, send, reserve, ask; stop, drain, kill; weak ones.

use crate::actor::{Exit, Message};
use crate::address::Address;
use crate::ask::Ask;
use crate::cell::{Cell, CellRef, Core, waker};
use crate::dead_letters;
use crate::events::DeadLetterReason;
use crate::here;
use crate::mailbox::Envelope;
use crate::mailbox::signals::StopCause;
use crate::mailbox::{NoPlace, Ticket};
use crate::port::{Inlet, Port};
use crate::reply::Reply;
use crate::send_error::{Cancelled, NoWait, SendError, TrySendError};
use std::fmt;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::mem::ManuallyDrop;
use std::num::NonZeroU64;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Typed address of the protocol `M`. Cheap to clone; `Send + Sync`; equal when it means the same actor.
///
/// | call | a full mailbox | a closed mailbox | use it for |
/// |---|---|---|---|
/// | [`tell`](Self::tell) | dead letter | dead letter | what may be lost |
/// | [`try_send`](Self::try_send) | hands it back | hands it back | load shedding |
/// | [`send`](Self::send) | waits | hands it back | back-pressure |
/// | [`reserve`](Self::reserve) | waits | `Err` | a payload that is costly to make |
/// | [`ask`](Self::ask) | waits, within its limit | `Err` | an answer |
pub struct ActorRef<M> {
    port: ManuallyDrop<Port<M>>,
}

impl<M: Message> ActorRef<M> {
    /// Never waits. What cannot be delivered (full, gone) is a dead letter with that reason.
    #[inline]
    pub fn tell(&self, msg: M) {
        if let Err((why, msg)) = self.port.offer(msg) {
            let reason = match why {
                NoPlace::Full => DeadLetterReason::Full,
                NoPlace::Closed => DeadLetterReason::Gone,
            };
            dead_letters::undeliverable(self.core(), reason, msg);
        }
    }

    /// Never waits; gives the message back when full or closed. For load shedding.
    #[inline]
    pub fn try_send(&self, msg: M) -> Result<(), TrySendError<M>> {
        self.port.offer(msg).map_err(|(why, msg)| {
            self.refuse();
            match why {
                NoPlace::Full => TrySendError::Full(msg),
                NoPlace::Closed => TrySendError::Closed(msg),
            }
        })
    }

    /// Waits for room; `Err` gives the message back when closed, and when it is oneself and full. Not cancel safe: a
    /// dropped future drops its message. In a `select!` use [`reserve`](Self::reserve).
    pub async fn send(&self, msg: M) -> Result<(), SendError<M>> {
        let Err((_, msg)) = self.port.offer(msg) else {
            return Ok(());
        };
        match self.place().await {
            Ok(()) => {
                self.put(Envelope {
                    msg,
                    question: None,
                });
                Ok(())
            }
            Err(why) => {
                self.refuse();
                Err(SendError::new(why, msg))
            }
        }
    }

    /// [`send`](Self::send) from a plain or own thread. In the turn of an actor that is asked to stop, the wait ends
    /// with an error that [`is_cancelled`](SendError::is_cancelled).
    ///
    /// # Panics
    /// On a shared worker, or any thread that drives asynchronous tasks.
    pub fn blocking_send(&self, msg: M) -> Result<(), SendError<M>> {
        match here::block_on("ActorRef::blocking_send", self.place()) {
            Ok(Ok(())) => {
                self.put(Envelope {
                    msg,
                    question: None,
                });
                Ok(())
            }
            refused => {
                self.refuse();
                Err(SendError::new(why_not(refused), msg))
            }
        }
    }

    /// Waits for a place and holds it, so the payload is built after. Cancel safe: dropping gives up only the turn in
    /// line.
    pub async fn reserve(&self) -> Result<Permit<M>, SendError<()>> {
        self.place().await.map_err(|why| SendError::new(why, ()))?;
        Ok(self.permit())
    }

    /// [`reserve`](Self::reserve) from a plain or own thread; ends and panics like
    /// [`blocking_send`](Self::blocking_send).
    pub fn blocking_reserve(&self) -> Result<Permit<M>, SendError<()>> {
        match here::block_on("ActorRef::blocking_reserve", self.place()) {
            Ok(Ok(())) => Ok(self.permit()),
            refused => Err(SendError::new(why_not(refused), ())),
        }
    }

    /// A place if there is one now.
    pub fn try_reserve(&self) -> Result<Permit<M>, TrySendError<()>> {
        match self.core().gate().try_reserve() {
            Ok(()) => Ok(self.permit()),
            Err(NoPlace::Full) => Err(TrySendError::Full(())),
            Err(NoPlace::Closed) => Err(TrySendError::Closed(())),
        }
    }

    /// One question. `make` is usually a variant: `counter.ask(Get)`, `|reply| Reserve { sku, qty, reply }`.
    pub fn ask<T: Message>(&self, make: impl FnOnce(Reply<T>) -> M) -> Ask<M, T> {
        Ask::new(self, make)
    }

    /// A reference for `N` whose messages become `M`s; `f` runs in the sender. One allocation per call, none per
    /// message.
    pub fn contramap<N: Message>(&self, f: impl Fn(N) -> M + Send + Sync + 'static) -> ActorRef<N> {
        ActorRef::foreign(Contramapped {
            port: Port::clone(&self.port),
            function: f,
        })
    }

    /// `contramap(M::from)`: hand out the public part of a protocol, keep the private messages private.
    pub fn narrow<N: Message + Into<M>>(&self) -> ActorRef<N> {
        self.contramap(Into::into)
    }

    /// Finish the current message, dead-letter the rest, fail their asks at once.
    pub fn stop(&self) {
        if self.takes_orders() {
            self.core().stop(StopCause::Asked);
        }
    }

    /// Close admission, handle what was accepted, then stop.
    pub fn drain(&self) {
        if self.takes_orders() {
            self.core().drain();
        }
    }

    /// As [`stop`](Self::stop), but the current handler is dropped at its next await.
    pub fn kill(&self) {
        if self.takes_orders() {
            self.core().kill();
        }
    }

    /// Waits for the end, cleanup included. At once when already gone. Cancel safe.
    pub async fn terminated(&self) -> Exit {
        self.core().ended().await
    }

    /// A reference that keeps nobody alive.
    pub fn downgrade(&self) -> WeakRef<M> {
        WeakRef {
            port: Port::clone(&self.port),
        }
    }

    /// Who it is.
    pub fn address(&self) -> &Address {
        &self.core().address
    }

    /// Takes a place and pushes the question, or gives it back.
    #[inline]
    pub(crate) fn offer(&self, envelope: Envelope<M>) -> Result<(), (NoPlace, Envelope<M>)> {
        self.port.ask(envelope)
    }

    /// Pushes on a place that was reserved before.
    pub(crate) fn put(&self, envelope: Envelope<M>) {
        self.port.put(envelope);
    }

    /// Waits for a place and takes it. Dropped, it leaves the line.
    pub(crate) fn place(&self) -> WaitForPlace<'_> {
        WaitForPlace {
            core: self.core(),
            ticket: None,
            wait: None,
        }
    }

    fn permit(&self) -> Permit<M> {
        Permit {
            port: Port::clone(&self.port),
            is_used: false,
        }
    }

    fn refuse(&self) {
        self.core().note(|ledger| ledger.refused += 1);
    }
}

impl<M> ActorRef<M> {
    #[inline]
    pub(crate) fn core(&self) -> &Core {
        self.port.core()
    }

    /// May it be stopped, drained and killed through this, and watched?
    pub(crate) fn takes_orders(&self) -> bool {
        self.port.takes_orders()
    }

    pub(crate) fn core_address(&self) -> &Address {
        &self.core().address
    }
}

impl<M: Message> ActorRef<M> {
    pub(crate) fn counted(cell: &CellRef<M>) -> Self {
        cell.core.counts.add_handle();
        Self {
            // The handles share the memory count that the first of them has taken.
            port: Port::sharing(cell),
        }
    }

    /// Not a handle, and without a count: for whoever is outlived by the actor's memory.
    pub(crate) fn uncounted(cell: &CellRef<M>) -> ManuallyDrop<Self> {
        ManuallyDrop::new(Self {
            port: Port::sharing(cell),
        })
    }

    pub(crate) fn foreign(inlet: impl Inlet<M> + 'static) -> Self {
        let port = Port::foreign(inlet);
        port.add_handle();
        Self {
            port: ManuallyDrop::new(port),
        }
    }

    /// Of an actor's own context.
    pub(crate) fn own_cell(&self) -> &Cell<M> {
        self.port.own_cell()
    }
}

impl<M> Clone for ActorRef<M> {
    #[inline]
    fn clone(&self) -> Self {
        Self {
            port: self.port.clone_handle(),
        }
    }
}

impl<M> Drop for ActorRef<M> {
    #[inline]
    fn drop(&mut self) {
        Port::drop_handle(&mut self.port);
    }
}

impl<M> PartialEq for ActorRef<M> {
    fn eq(&self, other: &Self) -> bool {
        self.core_address() == other.core_address()
    }
}
impl<M> Eq for ActorRef<M> {}

impl<M> Hash for ActorRef<M> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.core_address().hash(state);
    }
}

impl<M> fmt::Debug for ActorRef<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "ActorRef<{}>({:?})",
            std::any::type_name::<M>(),
            self.core_address()
        )
    }
}

impl<M> fmt::Display for ActorRef<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.core_address())
    }
}

/// Does not keep a [`Lifetime::Handles`](crate::Lifetime::Handles) actor alive.
pub struct WeakRef<M> {
    port: Port<M>,
}

impl<M> Clone for WeakRef<M> {
    fn clone(&self) -> Self {
        Self {
            port: self.port.clone(),
        }
    }
}

impl<M: Message> WeakRef<M> {
    /// `None` when the actor has ended, or its last handle is gone.
    pub fn upgrade(&self) -> Option<ActorRef<M>> {
        let port = self.port.revive_handle()?;
        Some(ActorRef { port })
    }
}

impl<M> fmt::Debug for WeakRef<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "WeakRef<{}>({:?})",
            std::any::type_name::<M>(),
            self.port.core().address
        )
    }
}

/// A reserved place, owned: it may be held while the sender's own state is borrowed. Dropped unused, the place is free
/// again.
#[must_use = "dropping a permit gives the place back"]
pub struct Permit<M> {
    port: Port<M>,
    is_used: bool,
}

impl<M: Message> Permit<M> {
    /// Never waits. If the actor ended meanwhile: a dead letter.
    pub fn send(mut self, msg: M) {
        self.is_used = true;
        self.port.put(Envelope {
            msg,
            question: None,
        });
    }
}

impl<M> Drop for Permit<M> {
    fn drop(&mut self) {
        if !self.is_used {
            self.port.core().free_place();
        }
    }
}

impl<M> fmt::Debug for Permit<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Permit({:?})", self.port.core().address)
    }
}

/// A wait for a place. It does not name the protocol, so it is `Send` whatever the message is.
pub(crate) struct WaitForPlace<'a> {
    core: &'a Core,
    ticket: Ticket,
    /// Its number among the waits of actors, if it is one.
    wait: Option<NonZeroU64>,
}

impl Future for WaitForPlace<'_> {
    type Output = Result<(), NoWait>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let core = self.core;
        let waits = &core.system().deadlines.waits;
        if let Some(wait) = self.wait
            && let Some(cycle) = waits.why_no_place(wait.get())
        {
            return Poll::Ready(Err(NoWait::Cycle(cycle)));
        }
        let waker = waker::for_own_wait(context.waker(), core.system());
        let place = poll_place(core, &mut self.ticket, &Context::from_waker(&waker));
        if place.is_pending()
            && self.wait.is_none()
            && let Some(from) = waker::who_waits(&waker)
        {
            let (wait, is_circle) = waits.begin_place(from, core);
            self.wait = NonZeroU64::new(wait);
            if is_circle {
                core.system().deadlines.look_for_circles();
            }
        }
        place
    }
}

impl Drop for WaitForPlace<'_> {
    fn drop(&mut self) {
        leave_line(self.core, &mut self.ticket);
        if let Some(wait) = self.wait {
            drop(self.core.system().deadlines.waits.end(wait.get()));
        }
    }
}

/// Takes a place or joins the line. Afterwards, unless it was ready, [`leave_line`].
pub(crate) fn poll_place(
    core: &Core,
    ticket: &mut Ticket,
    context: &Context<'_>,
) -> Poll<Result<(), NoWait>> {
    if here::is_turn_of(core) {
        // Waiting for oneself would never end: the place is freed by the turn that waits.
        return Poll::Ready(core.gate().try_reserve().map_err(|why| match why {
            NoPlace::Full => NoWait::SelfSend,
            NoPlace::Closed => NoWait::Closed,
        }));
    }
    core.gate()
        .poll_reserve(ticket, context)
        .map_err(|_closed| NoWait::Closed)
}

pub(crate) fn leave_line(core: &Core, ticket: &mut Ticket) {
    if ticket.is_some() {
        core.gate().leave(ticket);
    }
}

/// A reference behind a function that runs in the sender.
struct Contramapped<M, F> {
    /// Its handles are counted through the ones on this.
    port: Port<M>,
    function: F,
}

impl<M: Message, N: Message, F: Fn(N) -> M + Send + Sync> Inlet<N> for Contramapped<M, F> {
    #[inline]
    fn core(&self) -> &Core {
        self.port.core()
    }

    fn put(&self, Envelope { msg, question }: Envelope<N>) {
        let place = HeldPlace(self.core());
        let msg = (self.function)(msg); // may panic, in the sender: then the place is free again
        std::mem::forget(place);
        self.port.put(Envelope { msg, question });
    }

    fn is_handle(&self) -> bool {
        self.port.is_handle()
    }

    fn takes_orders(&self) -> bool {
        self.port.takes_orders()
    }
}

/// Gives the place back unless forgotten.
struct HeldPlace<'a>(&'a Core);

impl Drop for HeldPlace<'_> {
    fn drop(&mut self) {
        self.0.free_place();
    }
}

fn why_not(refused: Result<Result<(), NoWait>, Cancelled>) -> NoWait {
    match refused {
        Ok(Err(why)) => why,
        Ok(Ok(())) | Err(Cancelled) => NoWait::Cancelled,
    }
}
