//! What a handler may do during its turn. Holds no policy.

use crate::actor::{Exit, Message, Signal};
use crate::actor_ref::ActorRef;
use crate::adapter::Adapter;
use crate::address::Address;
use crate::ask::{AskError, Question};
use crate::cell::turn::Played;
use crate::cell::{Cell, Core, status};
use crate::clock::{Clock, Deadline};
use crate::dead_letters;
use crate::dispatch::DispatcherRef;
use crate::events::DeadLetterReason;
use crate::failure::Failure;
use crate::here;
use crate::mailbox::signals::StopCause;
use crate::mailbox::{Envelope, Make, Slot};
use crate::pipe;
use crate::props::IntoProps;
use crate::reply::Reply;
use crate::stash::{Stash, StashFull, Stashed};
use crate::sync::{Arc, catch, yield_now};
use crate::system::{ActorSystem, SpawnError};
use crate::timers::{TimerSet, Timers};
use std::collections::{HashMap, VecDeque};
use std::future::{Future, pending, poll_fn};
use std::task::Poll;
use std::time::Duration;

/// Lent to the handler. `Send`, so that it may be held across awaits; borrowed, so that it cannot leave the turn.
pub struct Context<M> {
    me: ActorRef<M>,
    cell: Arc<Cell<M>>,
    system: ActorSystem,
    watched: HashMap<Address, Watch<M>>,
    /// Signals that arrived while a handler asked for messages; they come next.
    set_aside: VecDeque<Signal>,
    stash: Stash<M>,
    pub(crate) timers: TimerSet<M>,
    /// A function has nobody who takes signals, so one that nobody handles fails it at once.
    is_function: bool,
    /// The function has returned.
    is_finished: bool,
    messages_left_in_turn: usize,
}

struct Watch<M> {
    who: Arc<Core>,
    make: Option<Box<dyn FnOnce(Exit) -> M + Send>>,
}

/// Who wants to know what comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asking {
    /// The actor's loop, which takes signals too.
    Turn,
    /// A handler, which takes messages only.
    Handler,
}

/// What comes next in the life of an actor.
pub(crate) enum Arrival<M> {
    Message(M),
    Signal(Signal),
    Failed(Failure),
    End(Exit),
}

impl<M: Message> Context<M> {
    pub(crate) fn new(cell: &Arc<Cell<M>>) -> Self {
        Self {
            me: ActorRef::uncounted(cell.clone()),
            cell: cell.clone(),
            system: ActorSystem::from_inside(cell.core.system.clone()),
            watched: HashMap::new(),
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
        self.watched.insert(
            other.address.clone(),
            Watch {
                who: other.clone(),
                make,
            },
        );
        other.watchers.add(&other.address, self.cell.clone());
    }
}

/// For the runtime.
impl<M: Message> Context<M> {
    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.cell.core
    }

    pub(crate) fn become_function(&mut self) {
        self.is_function = true;
    }

    pub(crate) fn finish_function(&mut self) {
        self.is_finished = true;
    }

    /// Waits for what comes next. After `throughput` messages, others on the dispatcher go first.
    pub(crate) async fn next(&mut self, asking: Asking) -> Arrival<M> {
        if self.messages_left_in_turn == 0 {
            yield_now().await;
            self.messages_left_in_turn = self.core().dispatcher.throughput();
        }
        poll_fn(|context| self.poll_next(asking, context)).await
    }

    /// Writes down what became of the messages in hand.
    pub(crate) fn settle<T>(&mut self, played: &Played<T>) {
        self.timers.handled();
        let in_hand = self.core().give_up_all();
        *self.core().deadline.lock() = None;
        if in_hand > 0 {
            self.core().books.note(|ledger| match played {
                Played::Done(_) => ledger.handled += in_hand,
                Played::Failed(_) => ledger.failed += in_hand,
                Played::Interrupted => ledger.interrupted += in_hand,
            });
        }
    }

    pub(crate) fn bury_stash(&mut self) {
        self.stash.bury();
    }

    pub(crate) fn unwatch_all(&mut self) {
        for (_, watch) in self.watched.drain() {
            watch.who.watchers.remove(&self.cell.core);
        }
    }

    fn poll_next(&mut self, asking: Asking, context: &std::task::Context<'_>) -> Poll<Arrival<M>> {
        if let Some(arrival) = self.look(asking) {
            return Poll::Ready(arrival);
        }
        // Nothing to do: the turn is over. Listen, then look again, for what came in between rang to nobody.
        self.messages_left_in_turn = self.core().dispatcher.throughput();
        self.core().places.rest();
        self.core().bell.listen(context.waker());
        self.core().signals.listen(context.waker());
        match self.look(asking) {
            Some(arrival) => Poll::Ready(arrival),
            None => Poll::Pending,
        }
    }

    /// Control first, then the message lane.
    fn look(&mut self, asking: Asking) -> Option<Arrival<M>> {
        loop {
            let orders = self.core().signals.orders();
            if self.is_finished {
                return Some(Arrival::End(status::exit_of_a_finished_function(orders)));
            }
            let takes_signals = asking == Asking::Turn;
            let may_drain = || {
                (!takes_signals || self.set_aside.is_empty())
                    && self.stash.is_settled()
                    && self.cell.is_drained(self.stash.len())
            };
            if let Some(exit) = status::exit_now(orders, may_drain) {
                return Some(Arrival::End(exit));
            }
            if takes_signals && let Some(signal) = self.set_aside.pop_front() {
                return Some(Arrival::Signal(signal));
            }
            if let Some(Stashed { msg, deadline }) = self.stash.next() {
                self.messages_left_in_turn = self.messages_left_in_turn.saturating_sub(1);
                return Some(self.take_in_hand(msg, deadline));
            }
            if let Some(arrival) = self.open(self.cell.pop()?) {
                return Some(arrival);
            }
        }
    }

    /// Makes of a slot what it stands for. `None`: it stands for nothing any more.
    fn open(&mut self, slot: Slot<M>) -> Option<Arrival<M>> {
        self.messages_left_in_turn = self.messages_left_in_turn.saturating_sub(1);
        match slot {
            Slot::Plain(Envelope { msg, question }) => Some(self.take_question(msg, question)),
            Slot::Adapted { make, question } => Some(match self.call(make) {
                Ok(msg) => self.take_question(msg, question),
                Err(failure) => {
                    self.core().books.note(|ledger| ledger.failed += 1);
                    Arrival::Signal(Signal::AdapterFailed(failure))
                }
            }),
            Slot::Completion(make) => Some(self.take_own_result(make)),
            Slot::Tick(tick) => {
                let make = self.timers.take(tick)?;
                Some(self.take_own_result(make))
            }
            Slot::BrokenPipe(failure) => Some(Arrival::Failed(failure)),
            Slot::Terminated { who, exit } => match self.watched.remove(&who)?.make {
                Some(make) => Some(self.take_own_result(Box::new(move || make(exit)))),
                None => Some(Arrival::Signal(Signal::Terminated { who, exit })),
            },
        }
    }

    fn take_question(&mut self, msg: M, question: Option<Arc<Question>>) -> Arrival<M> {
        if let Some(question) = &question {
            question.start();
        }
        self.take_in_hand(msg, question.and_then(|question| question.deadline()))
    }

    fn take_in_hand(&mut self, msg: M, deadline: Option<Deadline>) -> Arrival<M> {
        self.core().take_in_hand();
        *self.core().deadline.lock() = deadline;
        Arrival::Message(msg)
    }

    fn take_own_result(&mut self, make: Make<M>) -> Arrival<M> {
        self.core().books.note(|ledger| ledger.accepted += 1);
        match self.call(make) {
            Ok(msg) => self.take_in_hand(msg, None),
            Err(failure) => {
                self.core().books.note(|ledger| ledger.failed += 1);
                Arrival::Failed(failure)
            }
        }
    }

    /// Runs the user's function that makes the message.
    fn call(&self, make: Make<M>) -> Result<M, Failure> {
        let (made, forsaken) = here::turn(self.core(), || catch(make));
        let made = made.map_err(Failure::from_panic);
        forsaken.answer(&match &made {
            Ok(_) => crate::ask::NoReply::Dropped,
            Err(failure) => crate::ask::NoReply::Failed(failure.clone()),
        });
        made
    }
}

/// Ends the handler from inside: the turn takes the failure and drops the handler, so this never returns.
async fn fail_turn<T>(core: &Core, failure: Failure) -> T {
    core.fail_turn(failure);
    pending().await
}
