//! One actor as the runtime sees it.
//!
//! * [`Core`] is what does not depend on the protocol: identity, orders, places, family, books. Parents, watchers,
//!   permits and blocking waits know only this.
//! * [`Cell`] adds the message lane. An `ActorRef` is a counted handle on a cell.
//! * The state and the context live in the actor's task ([`lifecycle`]), which alone takes messages ([`turn`], [`arrival`]).
//!
//! Who may do what, so that no message is lost:
//!
//! 1. To push a message: take a place, push, ring. A push that finds the lane closed is a dead letter.
//! 2. To end: close the places, close the lane, bury what was queued. Later permits find the lane closed.
//! 3. The task registers with both bells *before* it looks; whoever changes something rings *after* the change.

pub(crate) mod arrival;
pub(crate) mod family;
pub(crate) mod lifecycle;
pub(crate) mod roles;
pub(crate) mod status;
pub(crate) mod turn;

use crate::actor::{Exit, Message};
use crate::actor_ref::Inlet;
use crate::address::Address;
use crate::clock::Deadline;
use crate::dead_letters;
use crate::dispatch::DispatcherRef;
use crate::events::{DeadLetterReason, Event};
use crate::failure::Failure;
use crate::ledger::Books;
use crate::mailbox::permit::Places;
use crate::mailbox::signals::{Signals, StopCause};
use crate::mailbox::twin::Twin;
use crate::mailbox::{Envelope, Slot};
use crate::pipe::OwnWork;
use crate::props::{Lifetime, Settings};
use crate::sync::{Arc, AtomicUsize, Bell, Mutex, Ordering, SetOnce};
use crate::system::System;
use family::{Family, Watcher, Watchers};

/// An actor without its protocol.
pub(crate) struct Core {
    pub(crate) address: Address,
    /// The type name of the protocol, for dead letters.
    pub(crate) protocol: &'static str,
    pub(crate) system: Arc<System>,
    pub(crate) dispatcher: DispatcherRef,
    pub(crate) signals: Signals,
    pub(crate) places: Places,
    /// Rung when the message lane or what a drain waits for has changed.
    pub(crate) bell: Bell,
    pub(crate) own_work: OwnWork,
    pub(crate) books: Books,
    pub(crate) parent: Arc<Family>,
    pub(crate) children: Arc<Family>,
    pub(crate) watchers: Watchers,
    pub(crate) exit: SetOnce<Exit>,
    /// Of the question in hand, for asks made while handling it.
    pub(crate) deadline: Mutex<Option<Deadline>>,
    /// Messages taken whose outcome is not written down yet. Only the turn changes it; it is here so that a life cut
    /// short can still write it down.
    in_hand: AtomicUsize,
    /// A failure that code without the handler's outcome in its hands found; the turn takes it.
    verdict: Mutex<Option<Failure>>,
    pub(crate) stash_bound: usize,
    lifetime: Lifetime,
    /// Strong references. Memory is counted by the `Arc` around the cell.
    handles: AtomicUsize,
}

impl Core {
    pub(crate) fn stop(&self, cause: StopCause) {
        self.places.close();
        self.signals.stop(cause);
    }

    pub(crate) fn drain(&self) {
        self.places.close();
        self.signals.drain();
        // A handler may wait for messages behind a waker of its own, which listens to this bell alone: the turn around
        // it takes the other one.
        self.bell.ring();
    }

    /// Asked to drain and to nothing else, and not ended yet.
    pub(crate) fn is_draining(&self) -> bool {
        self.signals.orders().drain && !self.signals.is_stopping() && !self.exit.initialized()
    }

    pub(crate) fn kill(&self) {
        self.places.close();
        self.signals.kill();
    }

    pub(crate) fn free_place(&self) {
        self.places.free();
        self.bell.ring();
    }

    pub(crate) fn publish(&self, event: &Event) {
        self.system.events.publish(event);
    }

    pub(crate) fn publish_dead(&self, message: &'static str, why: DeadLetterReason) {
        let to = self.address.clone();
        self.publish(&Event::DeadLetter { to, message, why });
    }

    /// Fails the turn that is on now, whatever its handler returns.
    pub(crate) fn fail_turn(&self, failure: Failure) {
        self.verdict.lock().get_or_insert(failure);
    }

    pub(crate) fn take_verdict(&self) -> Option<Failure> {
        self.verdict.lock().take()
    }

    pub(crate) fn take_in_hand(&self) {
        self.in_hand.fetch_add(1, Ordering::Relaxed);
    }

    /// One of the messages in hand is not to be counted with the rest. False: there is none.
    pub(crate) fn give_up_one(&self) -> bool {
        let less = |count: usize| count.checked_sub(1);
        self.in_hand
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .is_ok()
    }

    pub(crate) fn give_up_all(&self) -> u64 {
        self.in_hand.swap(0, Ordering::Relaxed) as u64
    }

    fn add_handle(&self) {
        self.handles.fetch_add(1, Ordering::Relaxed);
    }

    fn drop_handle(&self) {
        if self.handles.fetch_sub(1, Ordering::AcqRel) == 1 && self.lifetime == Lifetime::Handles {
            self.drain();
        }
    }

    /// A handle from nothing: refused when the last one is gone and that was the end.
    fn revive_handle(&self) -> bool {
        let may_begin = self.lifetime == Lifetime::Tree;
        let more = |count: usize| (count > 0 || may_begin).then_some(count + 1);
        !self.exit.initialized()
            && self
                .handles
                .fetch_update(Ordering::AcqRel, Ordering::Relaxed, more)
                .is_ok()
    }
}

/// An actor with its message lane.
pub(crate) struct Cell<M> {
    pub(crate) core: Arc<Core>,
    lane: Twin<M>,
}

impl<M: Message> Cell<M> {
    pub(crate) fn new(
        system: &Arc<System>,
        parent: &Arc<Family>,
        name: &str,
        settings: Settings<M>,
    ) -> Arc<Self> {
        let uid = system.next_uid();
        let address = Address::new(&parent.path, name, uid);
        let core = Core {
            protocol: std::any::type_name::<M>(),
            dispatcher: settings
                .dispatcher
                .unwrap_or_else(|| system.default_dispatcher().clone()),
            signals: Signals::default(),
            places: Places::new(settings.mailbox.places),
            bell: Bell::default(),
            own_work: OwnWork::default(),
            books: Books::new(system.total.clone()),
            parent: parent.clone(),
            children: Arc::new(Family::new(address.path().to_owned())),
            watchers: Watchers::default(),
            exit: SetOnce::new(),
            deadline: Mutex::new(None),
            in_hand: AtomicUsize::new(0),
            verdict: Mutex::new(None),
            stash_bound: settings.stash.unwrap_or(settings.mailbox.places),
            lifetime: settings.lifetime,
            handles: AtomicUsize::new(0),
            system: system.clone(),
            address,
        };
        Arc::new(Self {
            core: Arc::new(core),
            lane: Twin::new(),
        })
    }

    /// Pushes on a place that was taken before.
    pub(crate) fn push(&self, slot: Slot<M>) {
        debug_assert!(slot.holds_place());
        self.core.books.note(|ledger| {
            ledger.accepted += 1;
            ledger.queued += 1;
        });
        match self.lane.push(slot) {
            Ok(()) => self.core.bell.ring(),
            Err(slot) => self.bury(slot, DeadLetterReason::Gone),
        }
    }

    /// Pushes outside the capacity. To an actor that ended it is nothing: what it was for has ended too.
    pub(crate) fn push_aside(&self, slot: Slot<M>) {
        debug_assert!(!slot.holds_place());
        match self.lane.push(slot) {
            Ok(()) => self.core.bell.ring(),
            Err(slot) => dead_letters::drop_in_turn(&self.core, slot),
        }
    }

    /// The next slot; its place is free from here on.
    pub(crate) fn pop(&self) -> Option<Slot<M>> {
        let slot = self.lane.pop()?;
        if slot.holds_place() {
            self.core.books.note(|ledger| ledger.queued -= 1);
            self.core.places.free_in_turn();
        }
        Some(slot)
    }

    /// Nothing is queued, promised to a permit or under way; what is stashed holds its places. In this order: what is
    /// under way pushes before it is counted as done, and a permit pushes while its place is still taken.
    pub(crate) fn is_drained(&self, stashed: usize) -> bool {
        self.core.own_work.is_empty() && self.core.places.taken() == stashed && self.lane.is_empty()
    }

    /// Takes nothing more, and buries what waits.
    pub(crate) fn close(&self) {
        self.core.places.close();
        for slot in self.lane.close() {
            self.bury(slot, DeadLetterReason::Stopped);
        }
    }

    fn bury(&self, slot: Slot<M>, why: DeadLetterReason) {
        match &slot {
            Slot::Plain(_) | Slot::Adapted { .. } => {
                self.core.books.note(|ledger| {
                    ledger.queued -= 1;
                    ledger.dead += 1;
                });
                self.core.places.free();
            }
            Slot::Completion(_) => self.core.books.note(|ledger| {
                ledger.accepted += 1;
                ledger.dead += 1;
            }),
            // No message was ever made of these, and nobody is left to be told.
            Slot::Tick(_) | Slot::BrokenPipe(_) | Slot::Terminated { .. } => return,
        }
        dead_letters::publish(&self.core, why);
        dead_letters::drop_in_turn(&self.core, slot);
    }
}

impl<M: Message> Inlet<M> for Cell<M> {
    fn core(&self) -> &Arc<Core> {
        &self.core
    }

    fn put(&self, envelope: Envelope<M>) {
        self.push(Slot::Plain(envelope));
    }

    fn add_handle(&self) {
        self.core.add_handle();
    }

    fn drop_handle(&self) {
        self.core.drop_handle();
    }

    fn revive_handle(&self) -> bool {
        self.core.revive_handle()
    }
}

impl<M: Message> Watcher for Cell<M> {
    fn core(&self) -> &Arc<Core> {
        &self.core
    }

    fn terminated(&self, who: Address, exit: Exit) {
        self.push_aside(Slot::Terminated { who, exit });
    }
}
