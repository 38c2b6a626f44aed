//! What a handler may do during its turn. Holds no policy.

use crate::actor::{Exit, Message, Signal};
use crate::actor_ref::ActorRef;
use crate::adapter::Adapter;
use crate::address::Address;
use crate::ask::AskError;
use crate::cell::arrival::{Arrival, Asking};
use crate::cell::turn::Played;
use crate::cell::{Cell, Core};
use crate::clock::{Clock, Deadline};
use crate::dead_letters;
use crate::dispatch::DispatcherRef;
use crate::events::DeadLetterReason;
use crate::failure::Failure;
use crate::mailbox::signals::StopCause;
use crate::mailbox::{Envelope, Slot};
use crate::pipe;
use crate::props::IntoProps;
use crate::reply::Reply;
use crate::stash::{Stash, StashFull};
use crate::sync::{Arc, drop_quietly};
use crate::system::{ActorSystem, SpawnError};
use crate::timers::{TimerSet, Timers};
use std::collections::{HashMap, VecDeque};
use std::future::{Future, pending};
use std::time::Duration;

/// Lent to the handler. `Send`, so that it may be held across awaits; borrowed, so that it cannot leave the turn.
pub struct Context<M> {
    me: ActorRef<M>,
    pub(crate) cell: Arc<Cell<M>>,
    system: ActorSystem,
    pub(crate) watched: HashMap<Address, Watch<M>>,
    watches_begun: u64,
    /// Signals that arrived while a handler asked for messages; they come next.
    pub(crate) set_aside: VecDeque<Signal>,
    pub(crate) stash: Stash<M>,
    pub(crate) timers: TimerSet<M>,
    /// A function has nobody who takes signals, so one that nobody handles fails it at once.
    pub(crate) is_function: bool,
    /// The function has returned, or the actor is ending: nothing comes any more.
    pub(crate) is_finished: bool,
    pub(crate) messages_left_in_turn: usize,
}

pub(crate) struct Watch<M> {
    /// Orders the watches of one actor by their age.
    pub(crate) number: u64,
    pub(crate) who: Arc<Core>,
    pub(crate) make: Option<Box<dyn FnOnce(Exit) -> M + Send>>,
}

/// The function is the user's, and so is its drop.
impl<M> Drop for Watch<M> {
    fn drop(&mut self) {
        drop_quietly(self.make.take());
    }
}

impl<M: Message> Context<M> {
    pub(crate) fn new(cell: &Arc<Cell<M>>) -> Self {
        Self {
            me: ActorRef::uncounted(cell.clone()),
            cell: cell.clone(),
            system: ActorSystem::from_inside(cell.core.system.clone()),
            watched: HashMap::new(),
            watches_begun: 0,
            set_aside: VecDeque::new(),
            stash: Stash::new(&cell.core),
            timers: TimerSet::new(cell),
            is_function: false,
            is_finished: false,
            messages_left_in_turn: cell.core.dispatcher.throughput(),
        }
    }

    /// This actor. A clone is a handle: it keeps a [`Lifetime::Handles`](crate::Lifetime::Handles) actor alive.
    pub fn me(&self) -> &ActorRef<M> {
        &self.me
    }

    /// The system this actor lives in.
    pub fn system(&self) -> &ActorSystem {
        &self.system
    }

    /// The system's time.
    pub fn clock(&self) -> &Clock {
        self.system.clock()
    }

    /// The deadline of the ask being handled, if it is one. Asks made while handling it end by then as well.
    pub fn deadline(&self) -> Option<Deadline> {
        *self.core().deadline.lock()
    }

    /// Ends after this handler: the rest of the mailbox is dead-lettered. An `Err` returned meanwhile wins.
    pub fn stop(&mut self) {
        self.core().stop(StopCause::Asked);
    }

    /// Closes admission and ends after what was accepted.
    pub fn drain(&mut self) {
        self.core().drain();
    }

    /// Somebody wants this actor to end at once: a stop, a kill, the shutdown of the system, not a drain. For long loops
    /// in a blocking handler; its blocking waits end by themselves then.
    pub fn is_stopping(&self) -> bool {
        self.core().signals.is_stopping()
    }

    /// The same as a future, for a `select!` in a long async handler. Cancel safe.
    pub fn stopping(&self) -> impl Future<Output = ()> + Send + use<M> {
        let core = self.core().clone();
        async move { core.signals.stopping().await }
    }

    /// The next message; `None` when stopped or drained. The loop of a function actor; in a handler it takes the next
    /// message early. Asking for it says that the one before was handled. Cancel safe.
    pub async fn recv(&mut self) -> Option<M> {
        self.settle(&Played::Done(()));
        let core = self.core().clone();
        loop {
            let arrival = tokio::select! {
                biased;
                arrival = self.next(Asking::Handler) => arrival,
                () = core.signals.stopping() => return None,
            };
            match arrival {
                Arrival::Message(msg) => return Some(msg),
                Arrival::End(_) => return None,
                Arrival::Signal(signal) if !self.is_function => self.set_aside.push_back(signal),
                Arrival::Signal(signal) => {
                    if let Err(failure) = signal.unhandled() {
                        return fail_turn(&core, failure).await;
                    }
                }
                Arrival::Failed(failure) => return fail_turn(&core, failure).await,
            }
        }
    }

    /// One more message to oneself, on the place of the message in hand: cannot fail, comes after what is queued. Each
    /// further call in the same handler takes one place more than the mailbox has.
    pub fn again(&mut self, msg: M) {
        self.core().places.take_regardless();
        self.cell.push(Slot::Plain(Envelope {
            msg,
            question: None,
        }));
    }

    /// Counts as unhandled instead of handled, and publishes it.
    pub fn unhandled(&mut self, msg: M) {
        let is_in_hand = self.core().give_up_one();
        self.core().books.note(|ledger| {
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
        let core = self.core();
        core.system
            .spawn(&core.children, name.into(), props.recipe())
    }

    /// A child with a generated name: cannot fail. While stopping, the reference returned is already gone.
    pub fn spawn_anonymous<P: IntoProps>(&mut self, props: P) -> ActorRef<P::Msg> {
        let core = self.core();
        core.system.spawn_anonymous(&core.children, props.recipe())
    }

    /// Those that have not ended, oldest first.
    pub fn children(&self) -> Vec<Address> {
        self.core().children.addresses()
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
        let is_child = self.core().children.contains(child.core());
        assert!(
            is_child,
            "{} is not a child of {}; its own parent stops it",
            child.address(),
            self.me.address()
        );
        child.stop();
        child.terminated().await
    }

    /// `Signal::Terminated` once, after everything it sent us. At once when already gone.
    pub fn watch<N: Message>(&mut self, other: &ActorRef<N>) {
        self.start_watching(other.core(), None);
    }

    /// The same as a message of our own. The last registration for an actor counts.
    pub fn watch_with<N: Message>(
        &mut self,
        other: &ActorRef<N>,
        make: impl FnOnce(Exit) -> M + Send + 'static,
    ) {
        self.start_watching(other.core(), Some(Box::new(make)));
    }

    /// No news of its end any more, not even if it is waiting in the mailbox already.
    pub fn unwatch<N: Message>(&mut self, other: &ActorRef<N>) {
        if self.watched.remove(other.address()).is_some() {
            other.core().watchers.remove(self.core());
        }
    }

    /// A reference for foreign answers; `f` runs in this actor's turn. Make it once, in `setup` or `started`. A plain
    /// tell to it can be lost like any tell; a panic of `f` is [`Signal::AdapterFailed`]. It does not keep the actor
    /// alive.
    pub fn adapter<N: Message>(&mut self, f: impl FnMut(N) -> M + Send + 'static) -> ActorRef<N> {
        ActorRef::counted(Arc::new(Adapter::new(self.cell.clone(), f)))
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
        pipe::ask(&self.cell, to.ask(make).within(within), map);
    }

    /// Runs `future` on the system's Tokio runtime, outside the turn; its result arrives as a message. Cancelled with
    /// the actor. A panic inside fails this actor.
    pub fn pipe_to_self<T: Message>(
        &mut self,
        future: impl Future<Output = T> + Send + 'static,
        map: impl FnOnce(T) -> M + Send + 'static,
    ) {
        pipe::future(&self.cell, future, map);
    }

    /// The same for blocking work, on a dispatcher with threads to spare. Work that has begun cannot be cancelled; when
    /// the actor is gone its result is dropped.
    pub fn pipe_blocking<T: Message>(
        &mut self,
        on: &DispatcherRef,
        work: impl FnOnce() -> T + Send + 'static,
        map: impl FnOnce(T) -> M + Send + 'static,
    ) {
        pipe::blocking(&self.cell, on, work, map);
    }

    /// Sets aside; it keeps its place in the mailbox, so the mailbox bound is the bound of the stash too, unless
    /// [`Props::stash`](crate::Props::stash) is lower. What is left when the actor ends is a dead letter.
    pub fn stash(&mut self, msg: M) -> Result<(), StashFull<M>> {
        self.stash.put(msg)
    }

    /// All stashed messages next, in order, before newer ones.
    pub fn unstash_all(&mut self) {
        self.unstash(usize::MAX);
    }

    /// The oldest of them, at most so many.
    pub fn unstash(&mut self, at_most: usize) {
        self.stash.unstash(at_most);
    }

    /// Messages to oneself, later. They travel outside the capacity and end with the actor.
    pub fn timers(&mut self) -> Timers<'_, M> {
        Timers(self)
    }

    fn start_watching(
        &mut self,
        other: &Arc<Core>,
        make: Option<Box<dyn FnOnce(Exit) -> M + Send>>,
    ) {
        self.watches_begun += 1;
        self.watched.insert(
            other.address.clone(),
            Watch {
                number: self.watches_begun,
                who: other.clone(),
                make,
            },
        );
        other.watchers.add(&other.address, self.cell.clone());
    }
}

/// Ends the handler from inside: the turn takes the failure and drops the handler, so this never returns.
async fn fail_turn<T>(core: &Core, failure: Failure) -> T {
    core.fail_turn(failure);
    pending().await
}
