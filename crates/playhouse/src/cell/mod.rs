//! One actor as the runtime sees it.
//!
//! * [`Core`] is what does not depend on the protocol: identity, orders, counts, books. Parents, watchers, permits and
//!   blocking waits know only this.
//! * [`Cell`] adds the message lane. An `ActorRef` is a counted handle on a cell.
//! * [`body`] is all of it in one allocation: the cell, the context, the state, and the future that runs them.
//!
//! Who may do what, so that no message is lost and nobody runs twice:
//!
//! 1. The *turn* belongs to one thread at a time. It is won by making the actor scheduled: from idle, through the word of
//!    the lane ([`Queue`]); from waiting in a handler, through [`Core::wake`]. The winner hands a
//!    [`Runnable`] to the dispatcher.
//! 2. Only the turn takes messages, and touches the context, the state and the future.
//! 3. To order something: write the order, then make the turn look again ([`Core::rouse`]).
//! 4. To end: nothing is admitted any more, the lane is closed, what was queued is buried. Later permits find the lane
//!    closed.

#![allow(unsafe_code)] // each unsafe method asks for the turn, rules 1 and 2

pub(crate) mod arrival;
pub(crate) mod body;
pub(crate) mod counted;
mod counts;
pub(crate) mod family;
pub(crate) mod lifecycle;
pub(crate) mod membership;
pub(crate) mod rare;
pub(crate) mod redelivery;
pub(crate) mod renewal;
pub(crate) mod roles;
pub(crate) mod status;
pub(crate) mod turn;
pub(crate) mod turn_only;
pub(crate) mod wake;
pub(crate) mod waker;

pub(crate) use counted::{CellRef, CoreRef};

use crate::actor::{Exit, Message};
use crate::address::Address;
use crate::clock::Deadline;
use crate::dead_letters;
use crate::dispatch::DispatcherRef;
use crate::dispatch::runnable::{Header, VTable};
use crate::events::{DeadLetterReason, Event};
use crate::failure::Failure;
use crate::ledger::Ledger;
use crate::limits;
use crate::mailbox::queue::{Back, Front, Pushed};
use crate::mailbox::signals::{Orders, StopCause};
use crate::mailbox::{Envelope, NoPlace, Rare as SlotRare, Slot, Ticket};
use crate::props::{Lifetime, Settings};
use crate::sync::{Arc, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, run_quietly};
use crate::system::{ActorSystem, System};
use body::Place;
use counts::Counts;
use family::{Family, Watcher};
use rare::{Rare, RareSlot};
use status::{Ending, Flags};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::task::{Context, Poll};
use wake::Wake;

/// What the parts of the runtime that do not know an actor's type can do with it.
#[repr(C)]
pub(crate) struct Kind {
    /// First, because an actor's header points to it.
    turns: VTable,
    pub(crate) protocol: fn() -> &'static str,
    pub(crate) gate: fn(&Core) -> &dyn Gate,
    pub(crate) free: unsafe fn(NonNull<Core>),
}

/// What an actor is made with, in a byte that is read for every message.
pub(crate) struct Traits;

impl Traits {
    /// [`Lifetime::Handles`].
    const ENDS_WITH_HANDLES: u8 = 1;
    /// Its handlers may block, so the next look at those who wait may be far away.
    pub(crate) const MAY_BLOCK: u8 = 1 << 1;
    /// Its turns are limited in time.
    pub(crate) const IS_TIMED: u8 = 1 << 2;
    /// Its mailbox has priorities.
    pub(crate) const IS_RANKED: u8 = 1 << 3;

    fn of<M>(settings: &Settings<M>, on: &DispatcherRef) -> u8 {
        let mut traits = 0;
        if settings.lifetime == Lifetime::Handles {
            traits |= Self::ENDS_WITH_HANDLES;
        }
        if on.may_block() {
            traits |= Self::MAY_BLOCK;
        }
        if on.time_limit().is_some() {
            traits |= Self::IS_TIMED;
        }
        if settings.mailbox.level.is_some() {
            traits |= Self::IS_RANKED;
        }
        traits
    }
}

/// An actor without its protocol. What each sender writes comes first, what the turn writes comes last, and between them
/// lies a cache line's worth of what hardly changes.
#[repr(C)]
pub(crate) struct Core {
    header: Header,
    pub(crate) counts: Counts,
    front: Front<Untyped>,
    rare: RareSlot,
    pub(crate) address: Address,
    pub(crate) dispatcher: DispatcherRef,
    pub(crate) parent: Arc<Family>,
    orders: AtomicU8,
    wake: Wake,
    /// How it ended, if it has; `Failed` for what [`Rare::cause`] says.
    ended: AtomicU8,
    /// [`Traits`].
    traits: u8,
    /// These belong to the turn: others may read them, and do so for pictures only.
    ending: AtomicU8,
    flags: AtomicU8,
    waits_for: AtomicU8,
    phase: AtomicU8,
    /// Messages left in this turn.
    left: AtomicU32,
    /// Messages taken whose outcome is not written down yet. Asking for the next one writes it down, so they are few.
    in_hand: AtomicU8,
    /// Wakers of this actor that somebody else than its own asks and sends has; see [`waker`].
    outside_wakers: AtomicU8,
    /// Counts how often a handler began to wait, modulo 2¹⁶.
    pauses: AtomicU16,
    handled: AtomicU64,
    back: Back<Untyped>,
}

/// The messages of a lane whose protocol is not known here. Its parts are the same for every protocol: they know messages
/// by pointers alone.
pub(crate) enum Untyped {}

#[cfg(all(target_pointer_width = "64", not(playhouse_loom)))]
const _: () = assert!(
    std::mem::offset_of!(Core, orders) - std::mem::offset_of!(Core, rare) >= 40
        && std::mem::offset_of!(Core, back) - std::mem::offset_of!(Core, front) >= 64,
    "senders and the turn do not write to the same cache line"
);

impl Core {
    #[inline]
    fn kind(&self) -> &'static Kind {
        Kind::of(&self.header)
    }

    pub(crate) fn protocol(&self) -> &'static str {
        (self.kind().protocol)()
    }

    /// The parent's family keeps it, and roots, whose family belongs to the system, keep it themselves.
    pub(crate) fn actor_system(&self) -> &ActorSystem {
        let own = || self.rare.get().and_then(|rare| rare.system.get());
        match self.parent.system().or_else(own) {
            Some(system) => system,
            None => unreachable!("a root is made with its system"),
        }
    }

    #[inline]
    pub(crate) fn system(&self) -> &Arc<System> {
        self.actor_system().inner()
    }

    #[inline]
    pub(crate) fn rare(&self) -> &Rare {
        self.rare.get_or_make()
    }

    #[inline]
    pub(crate) fn rare_if_any(&self) -> Option<&Rare> {
        self.rare.get()
    }

    pub(crate) fn children(&self) -> &Arc<Family> {
        let children = &self.rare().children;
        children.get_or_init(|| Arc::new(Family::of(self)))
    }

    pub(crate) fn children_if_any(&self) -> Option<&Arc<Family>> {
        self.rare.get()?.children.get()
    }

    #[inline]
    pub(crate) fn orders(&self) -> Orders {
        Orders::from_bits(self.orders.load(Ordering::Acquire)) // pairs with the update in `order`
    }

    #[inline]
    pub(crate) fn has_orders(&self) -> bool {
        self.orders.load(Ordering::Relaxed) != 0 // a hint; who acts on it reads again
    }

    pub(crate) fn stop(&self, cause: StopCause) {
        self.order(Orders::stop(cause));
    }

    pub(crate) fn drain(&self) {
        self.order(Orders::drain());
    }

    pub(crate) fn kill(&self) {
        self.order(Orders::kill());
    }

    /// A child has failed, and this actor is to fail with it: when its handler is done, before its next message.
    pub(crate) fn escalated(&self, failure: Failure) {
        self.rare().escalated.lock().get_or_insert(failure);
        self.order_incarnation(Orders::escalated());
    }

    /// The turn takes it.
    pub(crate) fn take_escalated(&self) -> Option<Failure> {
        self.take_back(Orders::escalated()); // before the failure, so that one that comes meanwhile is seen again
        self.rare().escalated.lock().take()
    }

    /// Its group wants a fresh incarnation; in a hurry, also of a handler that waits.
    pub(crate) fn order_renewal(&self, in_a_hurry: bool) {
        self.order_incarnation(match in_a_hurry {
            true => Orders::renew_in_a_hurry(),
            false => Orders::renew(),
        });
    }

    /// An order that concerns the incarnation and not the actor: admission stays open.
    fn order_incarnation(&self, order: Orders) {
        self.orders.fetch_or(order.into_bits(), Ordering::SeqCst); // pairs with `orders`
        self.rouse();
    }

    pub(crate) fn take_back(&self, order: Orders) {
        // Pairs with `order_incarnation`: what the order brought is looked at after this.
        self.orders.fetch_and(!order.into_bits(), Ordering::SeqCst);
    }

    fn order(&self, order: Orders) {
        let add = |bits| Some(Orders::from_bits(bits).and(order).into_bits());
        let mut write = || {
            // Pairs with `orders`; sequentially consistent for the waiters of `stopping`, see `rare`. Never refused.
            let _ = self
                .orders
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, add);
        };
        let was_idle = self.gate().close_and_nudge(&mut write);
        if order.is_stopping()
            && let Some(rare) = self.rare.get()
        {
            // A second order finds it set. Wakers are somebody else's code, and the turn may be ours to give by now.
            run_quietly(|| drop(rare.stopping.set(())));
        }
        self.rouse_nudged(was_idle);
    }

    #[inline]
    pub(crate) fn is_stopping(&self) -> bool {
        self.orders().is_stopping()
    }

    /// Waits for a stop or a kill.
    pub(crate) async fn stopping(&self) {
        let rare = self.rare();
        if !Orders::from_bits(self.orders.load(Ordering::SeqCst)).is_stopping() {
            rare.stopping.wait().await;
        }
    }

    /// Asked to drain and to nothing else, and not ended yet.
    pub(crate) fn is_draining(&self) -> bool {
        let orders = self.orders();
        orders.drain && !orders.is_stopping() && !self.has_ended()
    }

    #[inline]
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst) & Ending::MASK != Ending::NOT // pairs with `set_ended`: see `rare`
    }

    /// How it ended, if it has.
    pub(crate) fn exit(&self) -> Option<Exit> {
        self.exit_of(self.ended.load(Ordering::SeqCst)) // pairs with `set_ended`: see `rare`
    }

    /// Waits for the end.
    pub(crate) async fn ended(&self) -> Exit {
        let rare = self.rare();
        match self.exit() {
            Some(exit) => exit,
            None => rare.ended.wait().await.clone(),
        }
    }

    fn exit_of(&self, ending: u8) -> Option<Exit> {
        let cause = || self.rare.get().and_then(|rare| rare.cause.lock().clone());
        Ending::exit(ending, cause)
    }

    /// Makes the turn look again: at orders, and at what a drain waits for.
    pub(crate) fn rouse(&self) {
        self.rouse_nudged(self.gate().nudge());
    }

    /// The same after a nudge, which has won the turn if the actor `was_idle`.
    fn rouse_nudged(&self, was_idle: bool) {
        if self.wake.rouse(was_idle, || self.gate().nudge()) {
            self.schedule();
        }
    }

    /// Something that a drain waits for has ended.
    #[inline]
    pub(crate) fn rouse_if_draining(&self) {
        if self.orders().drain {
            self.rouse();
        }
    }

    /// The actor's waker was called.
    #[inline]
    pub(crate) fn wake(&self) {
        if self.wake.wake(|| self.gate().nudge()) {
            self.schedule();
        }
    }

    /// The caller has won the turn.
    #[inline]
    pub(crate) fn schedule(&self) {
        self.dispatcher.schedule(&self.address, body::turn_of(self));
    }

    #[inline]
    pub(crate) fn gate(&self) -> &dyn Gate {
        (self.kind().gate)(self)
    }

    /// A permit was dropped unused.
    pub(crate) fn free_place(&self) {
        self.gate().release();
        self.rouse_if_draining();
    }

    #[cold]
    pub(crate) fn publish(&self, event: &Event) {
        self.system().events.publish(event);
    }

    pub(crate) fn publish_dead(&self, message: &'static str, why: DeadLetterReason) {
        let to = self.address.clone();
        self.publish(&Event::DeadLetter { to, message, why });
    }

    /// Fails the turn that is on now, whatever its handler returns.
    pub(crate) fn fail_turn(&self, failure: Failure) {
        self.rare().verdict.lock().get_or_insert(failure);
        self.raise(Flags::VERDICT);
    }

    #[inline]
    pub(crate) fn take_verdict(&self) -> Option<Failure> {
        if !self.has_flag(Flags::VERDICT) {
            return None;
        }
        self.lower(Flags::VERDICT);
        self.rare().verdict.lock().take()
    }

    #[inline]
    pub(crate) fn take_in_hand(&self) {
        let in_hand = self.in_hand.load(Ordering::Relaxed);
        self.in_hand
            .store(in_hand.wrapping_add(1), Ordering::Relaxed);
    }

    /// One of the messages in hand is not to be counted with the rest. False: there is none.
    #[inline]
    pub(crate) fn give_up_one(&self) -> bool {
        let in_hand = self.in_hand.load(Ordering::Relaxed);
        self.in_hand
            .store(in_hand.saturating_sub(1), Ordering::Relaxed);
        in_hand > 0
    }

    #[inline]
    pub(crate) fn give_up_all(&self) -> u64 {
        let in_hand = self.in_hand.load(Ordering::Relaxed);
        self.in_hand.store(0, Ordering::Relaxed);
        u64::from(in_hand)
    }

    #[inline]
    pub(crate) fn note_handled(&self, count: u64) {
        let handled = self.handled.load(Ordering::Relaxed);
        self.handled.store(handled + count, Ordering::Relaxed);
    }

    /// Of the question in hand.
    ///
    /// # Safety
    /// The caller is inside the turn of this actor.
    #[inline]
    pub(crate) unsafe fn deadline(&self) -> Option<Deadline> {
        if !self.has_flag(Flags::DEADLINE) {
            return None;
        }
        // SAFETY: the caller's word.
        unsafe { self.rare().deadline.get() }
    }

    /// # Safety
    /// The caller is the turn of this actor.
    #[inline]
    pub(crate) unsafe fn set_deadline(&self, deadline: Option<Deadline>) {
        let Some(deadline) = deadline else {
            return self.lower(Flags::DEADLINE);
        };
        // SAFETY: the caller's word.
        unsafe { self.rare().deadline.set(Some(deadline)) };
        self.raise(Flags::DEADLINE);
    }

    /// A function has nobody who takes signals, so one that nobody handles fails it at once.
    pub(crate) fn is_function(&self) -> bool {
        self.rare
            .get()
            .is_some_and(|rare| rare.is_function.get().is_some())
    }

    pub(crate) fn stash_bound(&self) -> usize {
        self.rare
            .get()
            .and_then(|rare| rare.stash_bound.get().copied())
            .unwrap_or_else(|| self.gate().capacity())
    }

    #[inline]
    pub(crate) fn has_trait(&self, which: u8) -> bool {
        self.traits & which != 0
    }

    #[inline]
    pub(crate) fn has_flag(&self, flag: u8) -> bool {
        self.flags.load(Ordering::Relaxed) & flag != 0
    }

    #[inline]
    pub(crate) fn raise(&self, flag: u8) {
        let flags = self.flags.load(Ordering::Relaxed);
        self.flags.store(flags | flag, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn lower(&self, flag: u8) {
        let flags = self.flags.load(Ordering::Relaxed);
        self.flags.store(flags & !flag, Ordering::Relaxed);
    }

    /// An entry in the books of this actor; once they are closed, in the system's.
    pub(crate) fn note(&self, entry: impl FnOnce(&mut Ledger)) {
        if !self.is_folded() {
            let mut books = self.rare().books.lock();
            if !self.is_folded() {
                return entry(&mut books);
            }
        }
        entry(&mut self.system().total.lock());
    }

    /// What is in these books, if they are not yet in the family's. Asked for under the lock of that family, which closes
    /// them.
    fn open_entries(&self) -> Ledger {
        if self.is_folded() {
            return Ledger::default();
        }
        let rare = self.rare.get().map(|rare| *rare.books.lock());
        self.entries(rare.unwrap_or_default())
    }

    /// The books, for the last time: what comes later goes into the system's.
    fn close_books(&self) -> Ledger {
        // Pairs with `is_folded`: see `rare`. Whoever wrote before it saw the flag did so under the lock taken next.
        self.ended.fetch_or(Ending::FOLDED, Ordering::SeqCst);
        let rare = self.rare.get().map(|rare| *rare.books.lock());
        let mut ledger = self.entries(rare.unwrap_or_default());
        if let Some(children) = self.children_if_any() {
            ledger.add(&children.close_books());
        }
        ledger
    }

    fn is_folded(&self) -> bool {
        self.ended.load(Ordering::SeqCst) & Ending::FOLDED != 0 // pairs with `close_books`
    }

    /// The counted outcomes, and what the lane counts by itself.
    fn entries(&self, mut ledger: Ledger) -> Ledger {
        let gate = self.gate();
        let pushes = gate.pushes();
        // A stashed message was taken, and holds its place again; an own result had none before, so this may wrap.
        let taken = gate.freed().wrapping_add(ledger.stashed);
        ledger.accepted += pushes;
        ledger.queued += pushes.saturating_sub(taken);
        ledger.handled += self.handled.load(Ordering::Relaxed);
        ledger
    }

    /// For everybody who asks from now on.
    fn set_ended(&self, ending: u8) {
        self.ended.fetch_or(ending, Ordering::SeqCst); // pairs with `has_ended` and `exit`: see `rare`
    }

    /// The handler is about to wait.
    #[inline]
    fn note_pause(&self) {
        let pauses = self.pauses.load(Ordering::Relaxed); // the turn alone writes it
        self.pauses.store(pauses.wrapping_add(1), Ordering::Relaxed); // published by `Wake::try_wait`
    }

    /// If its handler waits, and nobody has woken it since: the number of that wait.
    pub(crate) fn paused(&self) -> Option<u16> {
        self.wake
            .is_waiting()
            .then(|| self.pauses.load(Ordering::Relaxed)) // of this wait, or of a later one
    }

    /// Could anybody wake it but its own asks and sends, and orders to end?
    pub(crate) fn has_outside_wakers(&self) -> bool {
        self.outside_wakers.load(Ordering::Acquire) != 0 // with `drop_outside_waker`
    }

    #[inline]
    fn add_outside_waker(&self) {
        let more = |count: u8| count.checked_add(1);
        // Relaxed: who clones has the turn, or another such waker. `Err`: so many that nobody counts them any more.
        let _ = self
            .outside_wakers
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    /// After the wake, if there is one: whoever finds no such waker finds what they all have woken.
    #[inline]
    fn drop_outside_waker(&self) {
        let less = |count: u8| (count < u8::MAX).then(|| count.saturating_sub(1));
        let _ = self
            .outside_wakers
            .fetch_update(Ordering::Release, Ordering::Relaxed, less);
    }

    /// The messages that it has stashed. A picture.
    pub(crate) fn stashed(&self) -> u64 {
        self.rare.get().map_or(0, |rare| rare.books.lock().stashed)
    }

    /// Is every place taken by a message, so that only its handler can free one?
    pub(crate) fn has_no_permits_out(&self) -> bool {
        self.gate().permits() == 0
    }

    /// Messages taken in the turn that is on. To others a picture.
    pub(crate) fn taken_in_turn(&self) -> u32 {
        let whole = self.dispatcher.throughput() as u32;
        whole.saturating_sub(self.left.load(Ordering::Relaxed))
    }

    /// Its mailbox holds more than any should. Once for each power of two.
    #[cold]
    fn report_growth(&self) {
        let queued = self.queued();
        let doublings = queued.checked_ilog2().map_or(0, |power| 1 << power);
        {
            let mut most = self.rare().most_queued.lock();
            if doublings < limits::MAILBOX_GROWS || doublings <= *most {
                return;
            }
            *most = doublings;
        }
        self.publish(&Event::MailboxGrows {
            who: self.address.clone(),
            message: self.protocol(),
            queued,
        });
    }

    /// Messages that wait in its mailbox. A picture.
    pub(crate) fn queued(&self) -> usize {
        self.gate().queued()
    }

    /// Somebody else may have the name.
    fn free_name(&self) {
        self.ended.fetch_or(Ending::NAMELESS, Ordering::Release); // pairs with `is_name_free`
    }

    fn is_name_free(&self) -> bool {
        self.ended.load(Ordering::Acquire) & Ending::NAMELESS != 0 // pairs with `free_name`
    }

    /// [`Lifetime::Handles`].
    pub(crate) fn ends_with_handles(&self) -> bool {
        self.has_trait(Traits::ENDS_WITH_HANDLES)
    }

    /// One handle less, and with the last the end, if that is its lifetime. True: it was the last, and the memory count
    /// that all of them shared is the caller's.
    #[inline]
    #[must_use = "the memory count goes with the last handle"]
    pub(crate) fn drop_handle(&self) -> bool {
        let was_last = self.counts.drop_handle();
        if was_last && self.has_trait(Traits::ENDS_WITH_HANDLES) {
            self.system().held_handles.note(self);
            self.drain();
        }
        was_last
    }

    /// A handle from nothing: refused when the last one is gone and that was the end.
    pub(crate) fn revive_handle(&self) -> bool {
        let may_begin = !self.has_trait(Traits::ENDS_WITH_HANDLES);
        !self.has_ended() && self.counts.revive_handle(may_begin)
    }
}

/// The lane as far as it does not depend on what it holds.
pub(crate) trait Gate: Send + Sync {
    fn capacity(&self) -> usize;
    fn try_reserve(&self) -> Result<(), NoPlace>;
    fn poll_reserve(&self, ticket: &mut Ticket, context: &Context<'_>)
    -> Poll<Result<(), NoPlace>>;
    fn leave(&self, ticket: &mut Ticket);
    fn release(&self);
    fn close_and_nudge(&self, order: &mut dyn FnMut()) -> bool;
    fn nudge(&self) -> bool;
    fn pushes(&self) -> u64;
    fn freed(&self) -> u64;
    fn permits(&self) -> usize;
    /// Messages that wait. A picture of no exact moment.
    fn queued(&self) -> usize {
        let taken = self.freed(); // first, so that the difference is not negative
        usize::try_from(self.pushes().saturating_sub(taken)).unwrap_or(usize::MAX)
    }
    /// # Safety
    /// The caller is the turn of the actor whose lane this is.
    #[must_use = "a claim that never ends keeps others out while the handler waits for them"]
    unsafe fn suspend(&self) -> bool;
}

/// An actor with its message lane.
#[repr(transparent)]
pub(crate) struct Cell<M> {
    pub(crate) core: Core,
    protocol: PhantomData<fn(M)>,
}

impl<M: Message> Cell<M> {
    /// The head of an actor that owns its first turn, with one memory count, its own.
    fn new(place: &Place<'_>, settings: Settings<M>, kind: &'static Kind) -> Self {
        let Place {
            system,
            parent,
            name,
        } = *place;
        let uid = system.inner().next_uid();
        let on = settings
            .dispatcher
            .as_ref()
            .unwrap_or_else(|| system.inner().default_dispatcher())
            .home();
        let host = &system.inner().host;
        let core = Core {
            header: kind.header(),
            counts: Counts::new(),
            front: Front::new(host.bound(settings.mailbox.places)),
            orders: AtomicU8::new(0),
            wake: Wake::new(),
            ended: AtomicU8::new(Ending::NOT),
            traits: Traits::of(&settings, &on),
            ending: AtomicU8::new(Ending::NOT),
            flags: AtomicU8::new(0),
            waits_for: AtomicU8::new(0),
            phase: AtomicU8::new(0),
            left: AtomicU32::new(0),
            in_hand: AtomicU8::new(0),
            outside_wakers: AtomicU8::new(0),
            pauses: AtomicU16::new(0),
            handled: AtomicU64::new(0),
            back: Back::new(),
            rare: RareSlot::default(),
            address: Address::new(parent.path(), name, uid),
            dispatcher: on,
            parent: parent.clone(),
        };
        if parent.system().is_none() {
            let _ = core.rare().system.set(system.clone()); // it is empty
        }
        if let Some(bound) = settings.stash {
            let _ = core.rare().stash_bound.set(host.bound(bound)); // it is empty
        }
        if core.always_looks_closer() {
            core.raise(Flags::ASIDE);
        }
        Self {
            core,
            protocol: PhantomData,
        }
    }

    /// Takes a place and pushes, or gives the message back.
    #[inline]
    pub(crate) fn offer(&self, msg: M) -> Result<(), (NoPlace, M)> {
        self.accepted(self.lane().try_push_made(msg, Slot::Plain)?);
        Ok(())
    }

    /// As [`offer`](Self::offer), of a question.
    #[inline]
    pub(crate) fn ask(&self, envelope: Envelope<M>) -> Result<(), (NoPlace, Envelope<M>)> {
        self.accepted(self.lane().try_push_made(envelope, Slot::Asked)?);
        Ok(())
    }

    /// Pushes on a place that was reserved before.
    #[inline]
    pub(crate) fn push_reserved(&self, slot: Slot<M>) {
        debug_assert!(slot.holds_place());
        self.pushed(self.lane().push_reserved(slot));
    }

    /// Pushes whether there is room or not.
    pub(crate) fn push_regardless(&self, slot: Slot<M>) {
        debug_assert!(slot.holds_place());
        self.pushed(self.lane().push_regardless(slot));
    }

    /// Pushes outside the capacity. To an actor that ended it is nothing: what it was for has ended too.
    #[inline]
    pub(crate) fn push_aside(&self, slot: Slot<M>) {
        debug_assert!(!slot.holds_place());
        match self.lane().push_outside(slot) {
            Ok(pushed) => self.accepted(pushed),
            Err(slot) => dead_letters::drop_in_turn(&self.core, slot),
        }
    }

    #[inline]
    fn pushed(&self, pushed: Result<Pushed, Slot<M>>) {
        match pushed {
            Ok(pushed) => self.accepted(pushed),
            Err(slot) => {
                self.core.note(|ledger| {
                    ledger.accepted += 1;
                    ledger.dead += 1;
                });
                dead_letters::publish(&self.core, DeadLetterReason::Gone);
                dead_letters::drop_in_turn(&self.core, slot);
            }
        }
    }

    /// Whoever finds the actor idle schedules it.
    #[inline(always)] // the way of every message
    fn accepted(&self, pushed: Pushed) {
        match pushed {
            Pushed::WasIdle => self.core.schedule(),
            Pushed::Queued => {}
            Pushed::Swollen => self.core.report_growth(),
        }
    }

    /// Nothing is queued, promised to a permit or under way; what is stashed holds its places. In this order: what is
    /// under way pushes before it is counted as done, and a permit pushes while its place is still taken.
    pub(crate) fn is_drained(&self, stashed: usize) -> bool {
        let has_work = self
            .core
            .rare_if_any()
            .is_some_and(|rare| !rare.own_work.is_empty());
        !has_work && self.lane().taken() == stashed && self.lane().is_empty()
    }

    /// A message that was queued when its actor ended.
    pub(crate) fn bury(&self, slot: Slot<M>) {
        match &slot {
            slot if slot.holds_place() => self.core.note(|ledger| ledger.dead += 1),
            Slot::Completion(..) => self.core.note(|ledger| {
                ledger.accepted += 1;
                ledger.dead += 1;
            }),
            // No message was ever made of a tick or of news, and nobody is left to be told.
            _ => return dead_letters::drop_in_turn(&self.core, slot),
        }
        let message = slot.foreign_message();
        let message = message.unwrap_or_else(|| self.core.protocol());
        self.core.publish_dead(message, DeadLetterReason::Stopped);
        dead_letters::drop_in_turn(&self.core, slot);
    }
}

impl<M: Message> Watcher for CellRef<M> {
    fn core(&self) -> &Core {
        &self.core
    }

    fn terminated(&self, who: Address, exit: Exit) {
        self.push_aside(Slot::rare(SlotRare::Terminated { who, exit }));
    }
}
