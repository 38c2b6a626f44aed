//! What a handler may do during its turn. Holds no policy.

use crate::actor::{Exit, Message, Signal};
use crate::actor_ref::ActorRef;
use crate::adapter::Adapter;
use crate::address::Address;
use crate::ask::AskError;
use crate::cell::arrival::Arrival;
use crate::cell::redelivery::Redelivery;
use crate::cell::renewal::Oversight;
use crate::cell::status::Flags;
use crate::cell::turn::Played;
use crate::cell::{Cell, CellRef, Core, CoreRef};
use crate::clock::{Clock, Deadline};
use crate::dead_letters;
use crate::dispatch::DispatcherRef;
use crate::effect::Effect;
use crate::events::DeadLetterReason;
use crate::mailbox::Slot;
use crate::mailbox::ranks::{Level, Ranks};
use crate::mailbox::signals::StopCause;
use crate::pipe;
use crate::props::IntoProps;
use crate::receive_timeout::{Counts, ReceiveTimeout};
use crate::reply::Reply;
use crate::stash::{Stash, StashFull, Stashed};
use crate::sync::{Arc, drop_quietly};
use crate::system::{ActorSystem, SpawnError};
use crate::timers::{TimerSet, Timers};
use std::any::type_name;
use std::collections::{HashMap, VecDeque};
use std::future::{Future, pending};
use std::mem::ManuallyDrop;
use std::time::Duration;

/// Lent to the handler. `Send`, so that it may be held across awaits; borrowed, so that it cannot leave the turn.
pub struct Context<M> {
    /// Not counted as a handle: it keeps nobody alive.
    me: ManuallyDrop<ActorRef<M>>,
    extras: Option<Box<Extras<M>>>,
}

/// What most actors never use.
pub(crate) struct Extras<M> {
    pub(crate) watched: HashMap<Address, Watch<M>>,
    watches_begun: u64,
    /// Signals that arrived while a handler asked for messages; they come next.
    pub(crate) set_aside: VecDeque<Signal>,
    pub(crate) stash: Stash<M>,
    pub(crate) timers: TimerSet<M>,
    oversight: Option<Box<Oversight>>,
    redelivery: Option<Box<Redelivery<M>>>,
    /// There if the mailbox has priorities: then everything that leaves the lane goes through it.
    pub(crate) ranks: Option<Ranks<M>>,
    pub(crate) receive_timeout: ReceiveTimeout<M>,
    /// What is in hand came of an own timer.
    pub(crate) has_tick_in_hand: bool,
}

impl<M: Message> Extras<M> {
    fn new(cell: &Cell<M>) -> Self {
        Self {
            watched: HashMap::new(),
            watches_begun: 0,
            set_aside: VecDeque::new(),
            stash: Stash::default(),
            timers: TimerSet::new(&CellRef::new(cell)),
            oversight: None,
            redelivery: None,
            ranks: None,
            receive_timeout: ReceiveTimeout::default(),
            has_tick_in_hand: false,
        }
    }

    /// Is there anything that comes before the lane? Copies and a receive timeout have to see all that is taken.
    fn is_first(&self) -> bool {
        let sees_all = self.redelivery.is_some() || self.receive_timeout.is_set();
        sees_all || !self.set_aside.is_empty() || !self.stash.is_settled()
    }

    /// What was in hand was handled, or has failed.
    pub(crate) fn settle(&mut self) {
        self.timers.handled();
        self.has_tick_in_hand = false;
        if let Some(redelivery) = &mut self.redelivery {
            redelivery.forget();
        }
    }

    /// What does not outlive an incarnation ends; what was stashed comes first in the next.
    pub(crate) fn end_incarnation(&mut self) {
        self.stash.unstash(usize::MAX);
    }
}

/// What is the user's in it is dropped piece by piece: a drop that panics inside another one's panic would end the
/// program.
impl<M> Drop for Extras<M> {
    fn drop(&mut self) {
        self.set_aside.drain(..).for_each(drop_quietly);
        drop_quietly(self.redelivery.take());
        drop_quietly(self.oversight.take());
    }
}

pub(crate) struct Watch<M> {
    /// Orders the watches of one actor by their age.
    pub(crate) number: u64,
    pub(crate) who: CoreRef,
    pub(crate) make: Option<Box<dyn FnOnce(Exit) -> M + Send>>,
}

/// The function is the user's, and so is its drop.
impl<M> Drop for Watch<M> {
    fn drop(&mut self) {
        drop_quietly(self.make.take());
    }
}

impl<M> Context<M> {
    #[inline]
    pub(crate) fn extras_if_any(&self) -> Option<&Extras<M>> {
        self.extras.as_deref()
    }
}

impl<M: Message> Context<M> {
    /// Of an actor that keeps this cell.
    pub(crate) fn new(
        cell: &CellRef<M>,
        level: Option<Level<M>>,
        oversight: Option<Oversight>,
        redelivery: Option<Redelivery<M>>,
    ) -> Self {
        let mut context = Self {
            me: ActorRef::uncounted(cell),
            extras: None,
        };
        if level.is_some() || oversight.is_some() {
            let extras = context.extras();
            extras.ranks = level.map(Ranks::new);
            extras.oversight = oversight.map(Box::new);
            extras.redelivery = redelivery.map(Box::new);
            context.note_what_is_aside();
        }
        context
    }

    pub(crate) fn oversight(&mut self) -> Option<&mut Oversight> {
        self.extras.as_mut()?.oversight.as_deref_mut()
    }

    pub(crate) fn redelivery(&mut self) -> Option<&mut Redelivery<M>> {
        self.extras.as_mut()?.redelivery.as_deref_mut()
    }

    #[inline]
    pub(crate) fn cell(&self) -> &Cell<M> {
        self.me.own_cell()
    }

    pub(crate) fn extras(&mut self) -> &mut Extras<M> {
        let cell = self.me.own_cell();
        self.extras
            .get_or_insert_with(|| Box::new(Extras::new(cell)))
    }

    /// A signal that was set aside.
    pub(crate) fn take_signal(&mut self) -> Option<Signal> {
        let signal = self.extras.as_mut()?.set_aside.pop_front();
        self.note_what_is_aside();
        signal
    }

    /// A message that returns from the stash. Its place is free from here on.
    pub(crate) fn next_returning(&mut self) -> Option<Stashed<M>> {
        let next = self.extras.as_mut()?.stash.next()?;
        self.core().note(|ledger| ledger.stashed -= 1);
        self.free_place();
        self.note_what_is_aside();
        Some(next)
    }

    /// The best of what was taken out of the lane, in an actor with priorities.
    pub(crate) fn next_of_ranks(&mut self) -> Option<Slot<M>> {
        self.extras.as_mut()?.ranks.as_mut()?.next()
    }

    /// Whether the turn must look here before it looks into the lane.
    pub(crate) fn note_what_is_aside(&self) {
        if self.core().always_looks_closer() || self.extras_if_any().is_some_and(Extras::is_first) {
            self.core().raise(Flags::ASIDE);
        } else {
            self.core().lower(Flags::ASIDE);
        }
    }

    /// Buries what was stashed, and cancels every timer.
    pub(crate) fn empty(&mut self) {
        let Some(extras) = &mut self.extras else {
            return;
        };
        let stashed = extras.stash.take_all();
        self.end_ticks();
        for Stashed { msg, .. } in stashed {
            self.core().note(|ledger| {
                ledger.stashed -= 1;
                ledger.dead += 1;
            });
            self.free_place();
            dead_letters::publish(self.core(), DeadLetterReason::Stopped);
            dead_letters::drop_in_turn(self.core(), msg);
        }
    }

    /// No timer and no receive timeout comes any more.
    pub(crate) fn end_ticks(&mut self) {
        let Some(extras) = &mut self.extras else {
            return;
        };
        extras.timers.cancel_all();
        let timeout = extras.receive_timeout.cancel();
        dead_letters::drop_in_turn(self.core(), timeout); // its functions are the user's
    }

    /// The oldest watch first, because a drop of the user's may send.
    pub(crate) fn unwatch_all(&mut self) {
        let Some(extras) = &mut self.extras else {
            return;
        };
        let cell = self.me.own_cell();
        let mut watched: Vec<_> = extras.watched.drain().map(|(_, watch)| watch).collect();
        watched.sort_unstable_by_key(|watch| watch.number);
        for mut watch in watched {
            watch.who.rare().watchers.remove(&cell.core);
            dead_letters::drop_in_turn(&cell.core, watch.make.take()); // the user's
        }
    }

    /// This actor. A clone is a handle: it keeps a [`Lifetime::Handles`](crate::Lifetime::Handles) actor alive.
    pub fn me(&self) -> &ActorRef<M> {
        &self.me
    }

    /// The system this actor lives in.
    pub fn system(&self) -> &ActorSystem {
        self.core().actor_system()
    }

    /// The system's time.
    pub fn clock(&self) -> &Clock {
        self.system().clock()
    }

    /// The deadline of the ask being handled, if it is one. Asks made while handling it end by then as well.
    pub fn deadline(&self) -> Option<Deadline> {
        self.deadline_in_hand()
    }

    /// Ends after this handler: the rest of the mailbox is dead-lettered. An `Err` returned meanwhile wins.
    pub fn stop(&mut self) {
        self.record(|| Effect::Stopped);
        self.core().stop(StopCause::Asked);
    }

    /// Closes admission and ends after what was accepted.
    pub fn drain(&mut self) {
        self.record(|| Effect::Drained);
        self.core().drain();
    }

    /// Somebody wants this actor to end at once: a stop, a kill, the shutdown of the system, not a drain. For long loops
    /// in a blocking handler; its blocking waits end by themselves then.
    pub fn is_stopping(&self) -> bool {
        self.core().is_stopping()
    }

    /// The same as a future, for a `select!` in a long async handler. Cancel safe.
    pub fn stopping(&self) -> impl Future<Output = ()> + Send + use<M> {
        let core = CoreRef::new(self.core());
        async move { core.stopping().await }
    }

    /// The next message; `None` when stopped or drained. The loop of a function actor; in a handler it takes the next
    /// message early. Asking for it says that the one before was handled. Cancel safe.
    pub async fn recv(&mut self) -> Option<M> {
        self.settle(&Played::Done(()));
        loop {
            let arrival = self.next_in_handler().await;
            let failure = match arrival {
                Arrival::Message(msg) => return Some(msg),
                Arrival::End(_) | Arrival::Renewal => return None,
                Arrival::Failed(failure) => failure,
                Arrival::Signal(signal) if !self.core().is_function() => {
                    self.extras().set_aside.push_back(signal);
                    self.core().raise(Flags::ASIDE);
                    continue;
                }
                Arrival::Signal(signal) => match signal.unhandled() {
                    Ok(()) => continue,
                    Err(failure) => failure,
                },
            };
            self.core().fail_turn(failure);
            pending().await // the turn takes the failure and drops the handler
        }
    }

    /// One more message to oneself, on the place of the message in hand: cannot fail, comes after what is queued. Each
    /// further call in the same handler takes one place more than the mailbox has.
    pub fn again(&mut self, msg: M) {
        self.record(|| Effect::Again);
        self.cell().push_regardless(Slot::Plain(msg));
    }

    /// Counts as unhandled instead of handled, and publishes it.
    pub fn unhandled(&mut self, msg: M) {
        self.record(|| Effect::Unhandled);
        let is_in_hand = self.core().give_up_one();
        self.core().note(|ledger| {
            ledger.accepted += u64::from(!is_in_hand); // one the handler made itself
            ledger.unhandled += 1;
        });
        dead_letters::publish(self.core(), DeadLetterReason::Unhandled);
        drop(msg);
    }

    /// A child, started before its first message. Name taken or malformed, or this actor is ending: `Err`.
    pub fn spawn<P: IntoProps>(
        &mut self,
        name: impl Into<String>,
        props: P,
    ) -> Result<ActorRef<P::Msg>, SpawnError> {
        self.spawn_prepared(name.into(), props, |_| ())
    }

    /// `prepare` has the child when it has its name and has not begun.
    pub(crate) fn spawn_prepared<P: IntoProps>(
        &mut self,
        name: String,
        props: P,
        prepare: impl FnOnce(&Core),
    ) -> Result<ActorRef<P::Msg>, SpawnError> {
        let core = self.core();
        let child = core
            .actor_system()
            .spawn_prepared_in(core.children(), name, props, prepare)?;
        let host = &core.system().host;
        host.record(|effects| effects.add_child(&core.address, &child));
        Ok(child)
    }

    /// A child with a generated name: cannot fail. While stopping, the reference returned is already gone.
    pub fn spawn_anonymous<P: IntoProps>(&mut self, props: P) -> ActorRef<P::Msg> {
        self.record(|| Effect::SpawnedAnonymous);
        let core = self.core();
        core.actor_system()
            .spawn_anonymous_in(core.children(), props)
    }

    /// Those that have not ended, oldest first.
    pub fn children(&self) -> Vec<Address> {
        self.core()
            .children_if_any()
            .map(|children| children.addresses())
            .unwrap_or_default()
    }

    /// The child of that name that has not ended. Its typed reference is what [`spawn`](Self::spawn) gave; this tells
    /// whether it is still there, and finds it in the news of its end.
    pub fn child(&self, name: &str) -> Option<Address> {
        let children = self.core().children_if_any()?;
        Some(children.holder(name)?.address.clone())
    }

    /// Stops it and waits for its end. Cancel safe: the child ends anyway.
    ///
    /// This actor takes no message meanwhile. A child whose handler waits for a place in this actor's full mailbox must
    /// give that up when it is [`stopping`](Self::stopping), or both wait for ever; blocking waits end by themselves.
    /// Where that is not sure, call `child.stop()` and [`watch`](Self::watch) the child instead.
    ///
    /// # Panics
    /// If it is not a child of this actor.
    pub async fn stop_child<N: Message>(&mut self, child: &ActorRef<N>) -> Exit {
        let is_child = self
            .core()
            .children_if_any()
            .is_some_and(|children| children.contains(child.core()));
        assert!(
            is_child,
            "{} is not a child of {}; its own parent stops it",
            child.address(),
            self.me.address()
        );
        self.record(|| Effect::ChildStopped(child.address().clone()));
        child.stop();
        child.terminated().await
    }

    /// `Signal::Terminated` once, after everything it sent us. At once when already gone.
    pub fn watch<N: Message>(&mut self, other: &ActorRef<N>) {
        self.record(|| Effect::Watched(other.address().clone()));
        if other.takes_orders() {
            self.start_watching(other.core(), None);
        }
    }

    /// The same as a message of our own. The last registration for an actor counts.
    pub fn watch_with<N: Message>(
        &mut self,
        other: &ActorRef<N>,
        make: impl FnOnce(Exit) -> M + Send + 'static,
    ) {
        self.record(|| Effect::WatchedWith(other.address().clone()));
        if other.takes_orders() {
            self.start_watching(other.core(), Some(Box::new(make)));
        }
    }

    /// No news of its end any more, not even if it is waiting in the mailbox already.
    pub fn unwatch<N: Message>(&mut self, other: &ActorRef<N>) {
        self.record(|| Effect::Unwatched(other.address().clone()));
        self.forget_watch(other.core());
    }

    /// A reference for foreign answers; `f` runs in this actor's turn. Make it once, in `setup` or `started`. A plain
    /// tell to it can be lost like any tell; a panic of `f` is [`Signal::AdapterFailed`]. It does not keep the actor
    /// alive.
    pub fn adapter<N: Message>(&mut self, f: impl FnMut(N) -> M + Send + 'static) -> ActorRef<N> {
        self.record(|| Effect::Adapted(type_name::<N>()));
        ActorRef::foreign(Adapter::new(CellRef::new(self.cell()), f))
    }

    /// Ask without waiting: answer or error arrives as one message of our own, outside the capacity of the mailbox. The
    /// request is sent now if there is room.
    pub fn ask<N: Message, T: Message>(
        &mut self,
        to: &ActorRef<N>,
        within: Duration,
        make: impl FnOnce(Reply<T>) -> N,
        map: impl FnOnce(Result<T, AskError>) -> M + Send + 'static,
    ) {
        self.record(|| Effect::Asked {
            to: to.address().clone(),
            request: type_name::<N>(),
            within,
        });
        let request = type_name::<N>();
        let question = to.ask(make).asking(within);
        pipe::ask(
            &CellRef::new(self.cell()),
            (to.core(), request),
            question,
            map,
        );
    }

    /// Runs `future` on the system's Tokio runtime, outside the turn; its result arrives as a message. Cancelled with
    /// the actor. A panic inside fails this actor.
    pub fn pipe_to_self<T: Message>(
        &mut self,
        future: impl Future<Output = T> + Send + 'static,
        map: impl FnOnce(T) -> M + Send + 'static,
    ) {
        self.record(|| Effect::Piped);
        pipe::future(&CellRef::new(self.cell()), future, map);
    }

    /// The same for blocking work, on a dispatcher with threads to spare. Work that has begun cannot be cancelled; when
    /// the actor is gone its result is dropped.
    pub fn pipe_blocking<T: Message>(
        &mut self,
        on: &DispatcherRef,
        work: impl FnOnce() -> T + Send + 'static,
        map: impl FnOnce(T) -> M + Send + 'static,
    ) {
        self.record(|| Effect::Piped);
        pipe::blocking(&CellRef::new(self.cell()), on, work, map);
    }

    /// Sets aside; it keeps its place in the mailbox, so the mailbox bound is the bound of the stash too, unless
    /// [`Props::stash`](crate::Props::stash) is lower. What is left when the actor ends is a dead letter.
    pub fn stash(&mut self, msg: M) -> Result<(), StashFull<M>> {
        let bound = self.core().stash_bound();
        let deadline = self.deadline_in_hand();
        self.extras().stash.put(Stashed { msg, deadline }, bound)?;
        self.record(|| Effect::Stashed);
        // The place was freed when the message was taken, so it is taken again, whoever has come meanwhile.
        self.keep_place();
        let is_in_hand = self.core().give_up_one();
        self.core().note(|ledger| {
            ledger.accepted += u64::from(!is_in_hand); // one the handler made itself
            ledger.stashed += 1;
        });
        Ok(())
    }

    /// All stashed messages next, in order, before newer ones.
    pub fn unstash_all(&mut self) {
        self.unstash(usize::MAX);
    }

    /// The oldest of them, at most so many.
    pub fn unstash(&mut self, at_most: usize) {
        let count = self.extras().stash.unstash(at_most);
        self.record(|| Effect::Unstashed(count));
        self.note_what_is_aside();
    }

    /// How many messages are set aside: those not unstashed yet, and those unstashed that have not been taken.
    pub fn stashed(&self) -> usize {
        let extras = self.extras_if_any();
        extras.map_or(0, |extras| extras.stash.len())
    }

    /// A look at what is set aside, in the order in which it would come back.
    pub fn stashed_messages(&self) -> impl Iterator<Item = &M> {
        let extras = self.extras_if_any().into_iter();
        extras.flat_map(|extras| extras.stash.messages())
    }

    /// Gives up what is set aside, unstashed or not: each message counts as unhandled, as if it were given to
    /// [`unhandled`](Self::unhandled), and its place is free again.
    pub fn clear_stash(&mut self) {
        let Some(extras) = &mut self.extras else {
            return;
        };
        let stashed = extras.stash.take_all();
        if let Some(redelivery) = &mut extras.redelivery {
            redelivery.give_up();
        }
        self.record(|| Effect::StashCleared(stashed.len()));
        self.note_what_is_aside();
        for Stashed { msg, .. } in stashed {
            self.core().note(|ledger| {
                ledger.stashed -= 1;
                ledger.unhandled += 1;
            });
            self.free_place();
            dead_letters::publish(self.core(), DeadLetterReason::Unhandled);
            dead_letters::drop_in_turn(self.core(), msg);
        }
    }

    /// Messages to oneself, later. They travel outside the capacity and end with the actor.
    pub fn timers(&mut self) -> Timers<'_, M> {
        Timers(self)
    }

    pub(crate) fn forget_watch(&mut self, other: &Core) {
        let Some(extras) = &mut self.extras else {
            return;
        };
        if extras.watched.remove(&other.address).is_some() {
            other.rare().watchers.remove(self.core());
        }
    }

    /// Tells `msg` to somebody else, once, later; to oneself [`Timers::once`] can be cancelled. It is told in this actor's
    /// turn, so it keeps its order with what this actor sends itself, and waits for a handler that is busy. It ends with
    /// the actor like every timer, and a message that was not sent by then is dropped. Until then it keeps `to` alive, as
    /// any reference does.
    pub fn schedule_once<N: Message>(&mut self, after: Duration, to: &ActorRef<N>, msg: N) {
        self.record(|| Effect::Scheduled {
            to: to.address().clone(),
            after,
        });
        let to = to.clone();
        let send = Box::new(move || to.tell(msg));
        self.extras().timers.send(after, send);
    }

    /// A message of one's own, `make()`, when this actor has had nothing to do for `idle`: no message came, and the last
    /// one was handled. Repeats until cancelled; the last call counts. It ends with the actor, and travels outside the
    /// capacity.
    ///
    /// What others send and the answers to what this actor began start the wait anew, ticks of its own timers do not: a
    /// heartbeat does not hide that nobody else is there. To choose, use
    /// [`receive_timeout_counting`](Self::receive_timeout_counting).
    ///
    /// # Panics
    /// If `idle` is zero: no message could come in time.
    pub fn receive_timeout(&mut self, idle: Duration, make: impl FnMut() -> M + Send + 'static) {
        self.set_receive_timeout(idle, None, make);
    }

    /// As [`receive_timeout`](Self::receive_timeout), where `counts` says which messages start the wait anew, ticks of own
    /// timers included. It is asked until one counts, and then not before the actor has been idle again. A panic in it fails
    /// the actor.
    ///
    /// # Panics
    /// If `idle` is zero.
    pub fn receive_timeout_counting(
        &mut self,
        idle: Duration,
        counts: impl Fn(&M) -> bool + Send + 'static,
        make: impl FnMut() -> M + Send + 'static,
    ) {
        self.set_receive_timeout(idle, Some(Box::new(counts)), make);
    }

    /// No receive timeout any more, not even if one is waiting in the mailbox already.
    pub fn cancel_receive_timeout(&mut self) {
        self.record(|| Effect::ReceiveTimeoutCancelled);
        let Some(extras) = &mut self.extras else {
            return;
        };
        let cancelled = extras.receive_timeout.cancel();
        self.note_what_is_aside();
        drop(cancelled); // the user's, in a handler of the user's
    }

    fn set_receive_timeout(
        &mut self,
        idle: Duration,
        counts: Option<Counts<M>>,
        make: impl FnMut() -> M + Send + 'static,
    ) {
        self.record(|| Effect::ReceiveTimeoutSet(idle));
        let replaced = self.extras().receive_timeout.set(idle, counts, make);
        self.note_what_is_aside();
        drop(replaced); // as above
    }

    /// For a test.
    #[inline]
    pub(crate) fn record(&self, effect: impl FnOnce() -> Effect) {
        let core = self.core();
        let host = &core.system().host;
        host.record(|effects| effects.add(&core.address, effect()));
    }

    fn start_watching(&mut self, other: &Core, make: Option<Box<dyn FnOnce(Exit) -> M + Send>>) {
        let who = CoreRef::new(other);
        let extras = self.extras();
        extras.watches_begun += 1;
        let number = extras.watches_begun;
        let watch = Watch { number, who, make };
        extras.watched.insert(other.address.clone(), watch);
        let me = Arc::new(CellRef::new(self.cell()));
        other.rare().watchers.add(other, me);
    }
}
