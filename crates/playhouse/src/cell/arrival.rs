//! What comes next in the life of an actor: control first, then what it set aside, then the message lane. Each slot of the
//! lane becomes what it stands for here, in the actor's own turn, where cancelled ticks and revoked watches vanish.

use super::status::{self, Flags, WaitsFor};
use super::turn::Played;
use super::{CellRef, Core, Traits, waker};
use crate::actor::{Exit, Message, Signal};
use crate::ask::NoReply;
use crate::ask::handles::Question;
use crate::clock::Deadline;
use crate::context::{Context, Extras};
use crate::dead_letters;
use crate::events::DeadLetterReason;
use crate::failure::Failure;
use crate::here;
use crate::mailbox::ranks::Ranks;
use crate::mailbox::{Envelope, Foreign, Make, Rare, Slot};
use crate::stash::Stashed;
use crate::sync::catch;
use crate::timers::Due;
use std::future::poll_fn;
use std::task::Poll;

/// Who wants to know what comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asking {
    /// The actor's loop, which takes signals too.
    Loop,
    /// A handler, which takes messages only.
    Handler,
}

/// What comes next in the life of an actor.
pub(crate) enum Arrival<M> {
    Message(M),
    Signal(Signal),
    Failed(Failure),
    /// The actor's group wants another incarnation.
    Renewal,
    End(Exit),
}

impl<M: Message> Context<M> {
    #[inline]
    pub(crate) fn core(&self) -> &Core {
        &self.cell().core
    }

    pub(crate) fn become_function(&mut self) {
        let _ = self.core().rare().is_function.set(()); // a second time says the same
    }

    /// Nothing comes any more.
    pub(crate) fn finish(&mut self) {
        self.core().raise(Flags::FINISHED);
    }

    /// The next message for the actor's loop. `None`: something else came, a signal or the end.
    #[inline(always)] // the way of every message
    pub(crate) fn poll_in_loop(&mut self) -> Poll<Option<M>> {
        if self.core().must_look_closer() {
            return self.poll_closely();
        }
        match self.pop() {
            Some(Slot::Plain(msg)) => {
                self.take_place();
                Poll::Ready(Some(msg))
            }
            Some(Slot::Asked(Envelope { msg, question })) => {
                self.take_place();
                let deadline = question.and_then(Question::start);
                self.set_deadline_in_hand(deadline);
                Poll::Ready(Some(msg))
            }
            Some(slot) => self.open_in_loop(slot),
            None => {
                self.core().set_waits_for(WaitsFor::Message);
                Poll::Pending
            }
        }
    }

    /// A message was taken from its place, straight into the handler's hands.
    #[inline(always)] // the way of every message
    fn take_place(&mut self) {
        self.free_place();
        self.core().use_turn();
        self.core().take_in_hand();
    }

    /// The next message for a handler.
    pub(crate) async fn next_in_handler(&mut self) -> Arrival<M> {
        poll_fn(|context| {
            let found = self.look(Asking::Handler);
            if found.is_pending() {
                self.listen_behind(context.waker());
            }
            found
        })
        .await
    }

    /// What the loop would take next, if there is anything: for a test that stands for the loop.
    #[cfg(feature = "testkit")]
    pub(crate) async fn take_next(&mut self) -> Option<Arrival<M>> {
        poll_fn(|_| match self.look(Asking::Loop) {
            Poll::Ready(arrival) => Poll::Ready(Some(arrival)),
            Poll::Pending if self.core().waits_for() == WaitsFor::Others => Poll::Pending,
            Poll::Pending => {
                self.core().set_waits_for(WaitsFor::Anything); // of the test's
                Poll::Ready(None)
            }
        })
        .await
    }

    /// Writes down what became of the messages in hand.
    pub(crate) fn settle(&mut self, played: &Played<()>) {
        if self.core().has_flag(Flags::HOOKED) {
            self.core().lower(Flags::HOOKED);
            self.extras().settle();
        }
        self.core().lower(Flags::DEADLINE);
        let in_hand = self.core().give_up_all();
        match played {
            Played::Done(()) => self.core().note_handled(in_hand),
            _ if in_hand == 0 => {}
            Played::Failed(_) => self.core().note(|ledger| ledger.failed += in_hand),
            Played::Interrupted => self.core().note(|ledger| ledger.interrupted += in_hand),
        }
    }

    #[inline(never)]
    fn open_in_loop(&mut self, slot: Slot<M>) -> Poll<Option<M>> {
        match self.open(slot) {
            Some(arrival) => Poll::Ready(self.take_in_loop(arrival)),
            None => self.poll_closely(),
        }
    }

    #[cold]
    fn poll_closely(&mut self) -> Poll<Option<M>> {
        self.look(Asking::Loop)
            .map(|arrival| self.take_in_loop(arrival))
    }

    fn take_in_loop(&mut self, arrival: Arrival<M>) -> Option<M> {
        match arrival {
            Arrival::Message(msg) => return Some(msg),
            Arrival::Signal(signal) => {
                self.extras().set_aside.push_front(signal);
                self.core().raise(Flags::ASIDE);
            }
            Arrival::Failed(failure) => {
                self.settle(&Played::Done(())); // a tick that made no message is in hand no longer
                self.fail(failure);
            }
            Arrival::Renewal => self.begin_ordered_renewal(),
            Arrival::End(exit) => self.core().begin_ending(exit),
        }
        None
    }

    /// What comes next. An actor with a receive timeout has its flag up, so all that it takes passes here.
    fn look(&mut self, asking: Asking) -> Poll<Arrival<M>> {
        let found = self.find(asking);
        let has_timeout = |extras: &Extras<M>| extras.receive_timeout.is_set();
        if self.core().has_flag(Flags::ASIDE) && self.extras_if_any().is_some_and(has_timeout) {
            self.note_for_timeout(&found);
        }
        found
    }

    fn note_for_timeout(&mut self, found: &Poll<Arrival<M>>) {
        let cell = CellRef::new(self.cell());
        let extras = self.extras();
        let is_tick = extras.has_tick_in_hand;
        let timeout = &mut extras.receive_timeout;
        match found {
            Poll::Ready(Arrival::Message(msg)) => {
                let note = || timeout.note(msg, is_tick);
                if let Err(failure) = call(&cell.core, note) {
                    cell.core.fail_turn(failure);
                }
            }
            Poll::Pending if cell.core.waits_for() != WaitsFor::Others => timeout.rest(&cell),
            _ => {}
        }
    }

    /// Control first, then what was set aside, then the message lane.
    fn find(&mut self, asking: Asking) -> Poll<Arrival<M>> {
        loop {
            let core = self.core();
            let orders = core.orders();
            if orders.escalated
                && (asking == Asking::Loop || core.is_function())
                && let Some(failure) = core.take_escalated()
            {
                return Poll::Ready(Arrival::Failed(failure));
            }
            if orders.renew && asking == Asking::Loop && !orders.is_stopping() {
                return Poll::Ready(Arrival::Renewal);
            }
            if core.has_flag(Flags::FINISHED) {
                return Poll::Ready(Arrival::End(status::exit_of_a_finished_function(orders)));
            }
            let takes_signals = asking == Asking::Loop;
            if let Some(exit) = status::exit_now(orders, || self.may_drain(takes_signals)) {
                return Poll::Ready(Arrival::End(exit));
            }
            if takes_signals && let Some(signal) = self.take_signal() {
                return Poll::Ready(Arrival::Signal(signal));
            }
            if self.core().is_used_up() {
                self.core().set_waits_for(WaitsFor::Others);
                return Poll::Pending;
            }
            if let Some(Stashed { msg, deadline }) = self.next_returning() {
                self.core().use_turn();
                return Poll::Ready(self.take_in_hand(msg, deadline));
            }
            let Some(slot) = self.next_slot() else {
                self.core().set_waits_for(match asking {
                    Asking::Loop => WaitsFor::Message,
                    Asking::Handler => WaitsFor::MessageOrMore,
                });
                return Poll::Pending;
            };
            if let Some(arrival) = self.open(slot) {
                return Poll::Ready(arrival);
            }
        }
    }

    /// The runtime polls the whole life when there is something new, but user code may have put a waker of its own around
    /// this wait, and poll it only when that is called.
    fn listen_behind(&mut self, waker: &std::task::Waker) {
        let core = self.core();
        if !waker::lend(core).will_wake(waker) {
            *core.rare().listener.lock() = Some(waker.clone());
            core.set_waits_for(match core.waits_for() {
                WaitsFor::Others => {
                    waker.wake_by_ref(); // the next turn comes by itself
                    WaitsFor::Others
                }
                _ => WaitsFor::MessageBehindAWaker,
            });
        }
    }

    /// Out of the lane, or, with priorities, the best of everything that was in it.
    #[inline]
    fn next_slot(&mut self) -> Option<Slot<M>> {
        if self.core().has_trait(Traits::IS_RANKED) {
            return self.next_ranked();
        }
        self.pop()
    }

    /// At least one look into the lane, so `None` means that it was found empty. No more slots than were there at the
    /// beginning are ranked, or fast senders could keep the turn here for ever.
    fn next_ranked(&mut self) -> Option<Slot<M>> {
        for _ in 0..self.slots_waiting().max(1) {
            let Some(slot) = self.pop() else { break };
            match slot {
                Slot::Adapted(incarnation, make) if self.is_current(incarnation) => {
                    self.rank_adapted(make, None);
                }
                Slot::Rare(rare) => self.rank_rare(*rare),
                slot => self.rank(|ranks| ranks.put(slot)),
            }
        }
        self.next_of_ranks()
    }

    fn rank_rare(&mut self, rare: Rare<M>) {
        match rare {
            Rare::AdaptedQuestion {
                incarnation,
                make,
                question,
            } if self.is_current(incarnation) => self.rank_adapted(make, Some(question)),
            rare => self.rank(|ranks| ranks.put(Slot::rare(rare))),
        }
    }

    /// The adapter's function is called, because only what it makes has a level. It keeps the place.
    fn rank_adapted(&mut self, foreign: Box<dyn Foreign<M>>, question: Option<Question>) {
        let slot = match call(self.core(), || foreign.make()) {
            Ok(msg) => Slot::holding(Envelope { msg, question }),
            Err(failure) => {
                self.core().note(|ledger| ledger.failed += 1);
                self.free_place();
                Slot::rare(Rare::BrokenAdapter(failure))
            }
        };
        self.rank(|ranks| ranks.put_adapted(slot));
    }

    fn rank(&mut self, put: impl FnOnce(&mut Ranks<M>)) {
        if let Some(ranks) = &mut self.extras().ranks {
            put(ranks);
        }
    }

    /// What adapters of the incarnation before have made comes too late for the next.
    pub(crate) fn bury_adapted(&mut self) {
        let ranks = self.extras().ranks.as_mut();
        for slot in ranks.map(Ranks::take_adapted).unwrap_or_default() {
            if slot.holds_place() {
                self.free_place();
                self.core().note(|ledger| ledger.dead += 1);
                dead_letters::publish(self.core(), DeadLetterReason::Gone);
            }
            dead_letters::drop_in_turn(self.core(), slot);
        }
    }

    fn may_drain(&self, takes_signals: bool) -> bool {
        let extras = self.extras_if_any();
        let is_settled = extras.is_none_or(|extras| {
            (!takes_signals || extras.set_aside.is_empty())
                && extras.stash.is_settled()
                && extras.ranks.as_ref().is_none_or(Ranks::is_empty)
        });
        let stashed = extras.map_or(0, |extras| extras.stash.len());
        is_settled && self.cell().is_drained(stashed)
    }

    /// Makes of a slot what it stands for. `None`: it stands for nothing any more.
    fn open(&mut self, slot: Slot<M>) -> Option<Arrival<M>> {
        if slot.holds_place() {
            self.free_place();
        }
        self.core().use_turn();
        match slot {
            Slot::Plain(msg) => Some(self.take_in_hand(msg, None)),
            Slot::Asked(Envelope { msg, question }) => Some(self.take_question(msg, question)),
            Slot::Adapted(incarnation, make) => self.take_adapted(incarnation, make, None),
            Slot::Completion(incarnation, make) => {
                let make = self.unless_stale(incarnation, make)?;
                Some(self.take_own_result(make))
            }
            Slot::Rare(rare) => self.open_rare(*rare),
        }
    }

    fn open_rare(&mut self, rare: Rare<M>) -> Option<Arrival<M>> {
        match rare {
            Rare::AdaptedQuestion {
                incarnation,
                make,
                question,
            } => self.take_adapted(incarnation, make, Some(question)),
            Rare::Tick(tick) => match self.extras().timers.take(tick)? {
                Due::Message(make) => {
                    self.core().raise(Flags::HOOKED);
                    self.extras().has_tick_in_hand = true;
                    Some(self.take_own_result(make))
                }
                Due::Send(send) => call(self.core(), send).err().map(Arrival::Failed),
            },
            Rare::Idle(setting) => {
                let cell = CellRef::new(self.cell());
                let make = self.extras().receive_timeout.take(&cell, setting)?;
                Some(self.take_own_result(make))
            }
            Rare::BrokenPipe {
                incarnation,
                failure,
            } => {
                let failure = self.unless_stale(incarnation, failure)?;
                Some(Arrival::Failed(failure))
            }
            Rare::BrokenAdapter(failure) => Some(Arrival::Signal(Signal::AdapterFailed(failure))),
            Rare::Terminated { who, exit } => {
                match self.extras().watched.remove(&who)?.make.take() {
                    Some(make) => Some(self.take_own_result(Box::new(move || make(exit)))),
                    None => Some(Arrival::Signal(Signal::Terminated { who, exit })),
                }
            }
        }
    }

    /// Is it for the incarnation that lives?
    fn is_current(&self, incarnation: u32) -> bool {
        let rare = self.core().rare_if_any();
        incarnation == rare.map_or(0, |rare| rare.incarnation())
    }

    /// What came of the work of an incarnation before is nothing: nobody is left who began it.
    fn unless_stale<T>(&self, incarnation: u32, result: T) -> Option<T> {
        if self.is_current(incarnation) {
            return Some(result);
        }
        dead_letters::drop_in_turn(self.core(), result);
        None
    }

    fn take_adapted(
        &mut self,
        incarnation: u32,
        foreign: Box<dyn Foreign<M>>,
        question: Option<Question>,
    ) -> Option<Arrival<M>> {
        if !self.is_current(incarnation) {
            self.core().note(|ledger| ledger.dead += 1);
            self.core()
                .publish_dead(foreign.message(), DeadLetterReason::Gone);
            dead_letters::drop_in_turn(self.core(), (foreign, question));
            return None;
        }
        Some(self.adapt(foreign, question))
    }

    fn adapt(&mut self, foreign: Box<dyn Foreign<M>>, question: Option<Question>) -> Arrival<M> {
        match call(self.core(), || foreign.make()) {
            Ok(msg) => self.take_question(msg, question),
            Err(failure) => {
                self.core().note(|ledger| ledger.failed += 1);
                Arrival::Signal(Signal::AdapterFailed(failure))
            }
        }
    }

    fn take_question(&mut self, msg: M, question: Option<Question>) -> Arrival<M> {
        self.take_in_hand(msg, question.and_then(Question::start))
    }

    fn take_in_hand(&mut self, msg: M, deadline: Option<Deadline>) -> Arrival<M> {
        self.core().take_in_hand();
        self.set_deadline_in_hand(deadline);
        if let Some(redelivery) = self.redelivery() {
            redelivery.take(&msg);
            self.core().raise(Flags::HOOKED);
        }
        Arrival::Message(msg)
    }

    fn take_own_result(&mut self, make: Make<M>) -> Arrival<M> {
        self.core().note(|ledger| ledger.accepted += 1);
        match call(self.core(), make) {
            Ok(msg) => self.take_in_hand(msg, None),
            Err(failure) => {
                self.core().note(|ledger| ledger.failed += 1);
                Arrival::Failed(failure)
            }
        }
    }
}

/// Runs a function of the user's in the actor's turn.
fn call<T>(core: &Core, function: impl FnOnce() -> T) -> Result<T, Failure> {
    let (made, forsaken) = here::turn(core, || catch(function));
    let made = made.map_err(Failure::from_panic);
    forsaken.answer(&match &made {
        Ok(_) => NoReply::Dropped,
        Err(failure) => NoReply::Failed(failure.clone()),
    });
    made
}
