//! All of an actor in one allocation, and the two things a dispatcher does with it.
//!
//! ```text
//!  Body ┌ Stand ┌ Cell = Core   vtable, counts; the lane, front part: what senders write              anybody, by its rules
//!       │       │               address, dispatcher, parent, rare: what hardly changes              anybody
//!       │       │               orders, flags, books; the lane, back part: what the turn writes     the turn, mostly
//!       │       │ context       `me`, and a box of what most never need                              the turn
//!       │       └ stage         the factory, then the state                                          the turn
//!       └ life                  the future that borrows all of the above                             the turn
//! ```
//!
//! 1. The turn belongs to one thread at a time (rule 1 of [`cell`](super)). [`run`] and [`abandon`] are called with it, so
//!    they alone reach context, stage and life.
//! 2. The life borrows context and stage through a [`Seat`], a pointer that is valid as long as the body is. It makes at
//!    most one borrow of each at a time, inside one await, and drops it before the next. Nobody else borrows them while a
//!    life is suspended inside such an await; [`run`] keeps its own notes in the core.
//! 3. State lives beside the future, not in it. A panic or a kill drops the life alone; a fresh one, written in its place,
//!    goes on from the phase that the core remembers.
//! 4. A body is not moved once it is in its allocation, so its life is pinned. A life is dropped in place, once: when it is
//!    over, or when it is replaced.
//! 5. The flags say what is on the stage: the factory, the state, or nothing.
//! 6. When the life is over the actor's own memory count is given back, and the body is not touched again. The same holds
//!    after a turn has made the actor idle or waiting: it may be running elsewhere by then, or be gone.
//! 7. A body whose factory or state is not `Send` has a dispatcher of one thread, which makes the state, runs it and drops
//!    it. Abandoned elsewhere it is only before its first turn, when there is just the factory, which is `Send`. All
//!    dispatchers of a stepped world are such: its one thread gives every turn, and abandons what it has begun.
#![allow(unsafe_code)]

use super::counted::release;
use super::family::Family;
use super::lifecycle::{Casting, live};
use super::renewal::Oversight;
use super::status::{Flags, Phase, WaitsFor};
use super::turn::{Played, Role};
use super::wake::Wake;
use super::waker::lend;
use super::{Cell, CellRef, Core, Gate, Kind, Traits};
use crate::actor::{Exit, Message, Outcome, Signal};
use crate::actor_ref::ActorRef;
use crate::address::Name;
use crate::ask::NoReply;
use crate::clock::Deadline;
use crate::context::Context;
use crate::dispatch::runnable::{Header, Runnable, VTable};
use crate::failure::Failure;
use crate::here::Turn;
use crate::mailbox::queue::Queue;
use crate::mailbox::{NoPlace, Slot, Ticket};
use crate::props::Settings;
use crate::sync::{Arc, UnsafeCell, catch, drop_quietly, run_quietly};
use crate::system::{ActorSystem, SpawnError};
use std::future::Future;
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::Poll;

#[repr(C)]
struct Stand<M: Message, C: Casting<M>> {
    cell: Cell<M>,
    context: UnsafeCell<MaybeUninit<Context<M>>>,
    stage: UnsafeCell<Stage<M, C>>,
}

union Stage<M: Message, C: Casting<M>> {
    casting: ManuallyDrop<C>,
    role: ManuallyDrop<C::Role>,
}

#[repr(C)]
struct Body<M: Message, C: Casting<M>, L> {
    front: Stand<M, C>,
    life: UnsafeCell<MaybeUninit<L>>,
}

/// Where an actor will be.
#[doc(hidden)]
#[allow(unreachable_pub)] // named in the hidden part of a public trait
pub struct Place<'a> {
    pub(crate) system: &'a ActorSystem,
    pub(crate) parent: &'a Arc<Family>,
    pub(crate) name: Name<'a>,
}

/// An actor that has never run. It owns its first turn; dropped, it ends at once.
#[doc(hidden)]
#[allow(unreachable_pub, missing_debug_implementations)] // as above
pub struct Newborn<M> {
    runnable: Runnable,
    cell: CellRef<M>,
}

/// An actor that cannot be where it was to be: it waits on the default dispatcher to be cancelled.
#[doc(hidden)]
#[allow(unreachable_pub, missing_debug_implementations)] // as above
pub struct Refused<M> {
    pub(crate) newborn: Newborn<M>,
    pub(crate) why: SpawnError,
}

impl<M: Message> Newborn<M> {
    pub(crate) fn new<C: Casting<M>>(
        place: &Place<'_>,
        settings: Settings<M>,
        casting: C,
        oversight: Option<Oversight>,
    ) -> Self {
        create(place, settings, casting, oversight, live::<M, C>)
    }

    #[inline]
    pub(crate) fn core(&self) -> &Core {
        &self.cell.core
    }

    /// It has joined its family.
    pub(crate) fn start(self) -> ActorRef<M> {
        let Self { runnable, cell } = self;
        let actor = ActorRef::counted(&cell);
        cell.core.dispatcher.schedule(&cell.core.address, runnable);
        actor
    }

    /// It has no family to join. The reference is of somebody gone.
    pub(crate) fn cancel(self) -> ActorRef<M> {
        let Self { runnable, cell } = self;
        let actor = ActorRef::counted(&cell);
        cell.core.free_name(); // it never had one, and nobody heard that it lives
        cell.core.begin_ending(Exit::Stopped);
        drop(runnable);
        actor
    }
}

fn create<M, C, L, F>(
    place: &Place<'_>,
    settings: Settings<M>,
    casting: C,
    oversight: Option<Oversight>,
    _: F,
) -> Newborn<M>
where
    M: Message,
    C: Casting<M>,
    L: Future<Output = ()>,
    F: Fn(Seat<M, C>) -> L + Copy,
{
    #[allow(clippy::type_complexity)] // it carries the parameters into a constant, and nothing else
    struct Tables<M, C, L, F>(PhantomData<(fn(M), C, L, F)>);
    impl<M, C, L, F> Tables<M, C, L, F>
    where
        M: Message,
        C: Casting<M>,
        L: Future<Output = ()>,
        F: Fn(Seat<M, C>) -> L + Copy,
    {
        const KIND: &'static Kind = &Kind {
            turns: VTable {
                run: run::<M, C, L, F>,
                abandon: abandon::<M, C, L>,
            },
            protocol: std::any::type_name::<M>,
            gate: gate::<M>,
            free: free::<M, C, L>,
        };
    }
    const { assert!(size_of::<F>() == 0) }; // `fresh_life` relies on it

    let redelivery = settings.redelivery();
    let level = settings.mailbox.level;
    let cell = Cell::new(place, settings, Tables::<M, C, L, F>::KIND);
    cell.core.raise(Flags::HAS_CASTING);
    let body = Box::new(Body {
        front: Stand {
            cell,
            context: UnsafeCell::new(MaybeUninit::uninit()),
            stage: UnsafeCell::new(Stage {
                casting: ManuallyDrop::new(casting),
            }),
        },
        life: UnsafeCell::new(MaybeUninit::<L>::uninit()),
    });
    let body: NonNull<Body<M, C, L>> = NonNull::from(Box::leak(body));
    let core: NonNull<Core> = body.cast();
    // SAFETY: nobody else has seen it (rule 1). The cell reference is a count more; the body's own is for its life.
    unsafe {
        let cell = CellRef::<M>::new(&body.as_ref().front.cell);
        let front = &body.as_ref().front;
        let context = Context::new(&cell, level, oversight, redelivery);
        front.context.with_mut(|place| (*place).write(context));
        write_life(body, fresh_life::<M, C, L, F>(body));
        Newborn {
            runnable: Runnable::new(core.cast()),
            cell,
        }
    }
}

/// Gives the actor a turn.
///
/// # Safety
/// The caller owns the turn of the body that `header` is the head of.
unsafe fn run<M, C, L, F>(header: NonNull<Header>) -> bool
where
    M: Message,
    C: Casting<M>,
    L: Future<Output = ()>,
    F: Fn(Seat<M, C>) -> L + Copy,
{
    let body: NonNull<Body<M, C, L>> = header.cast();
    // SAFETY: the caller's turn keeps it; it is used until the turn is over (rules 1 and 6).
    let cell = unsafe { &body.as_ref().front.cell };
    let core = &cell.core;
    core.begin_turn();
    let waker = lend(core);
    let mut context = std::task::Context::from_waker(&waker);
    let turn = Turn::new(core);
    let next = turn.enter(|| {
        loop {
            core.begin_waiting_for_anything();
            // SAFETY: rules 1 and 4.
            let polled = catch(|| unsafe { poll_life(body, &mut context) });
            let played = match polled {
                Ok(Poll::Pending) => match pause(cell, &turn) {
                    Pause::No => continue,
                    Pause::Over(next) => return next,
                    Pause::Interrupted => core.interruption(),
                },
                Ok(Poll::Ready(())) => return Next::Nothing,
                Err(payload) => Played::Failed(Failure::from_panic(payload)),
            };
            // SAFETY: rules 1, 3 and 4: the life was not over, and is replaced before anybody polls again.
            unsafe {
                run_quietly(|| drop_life(body));
                Seat::of(body).interrupted(played);
                write_life(body, fresh_life::<M, C, L, F>(body));
            }
        }
    });
    if next == Next::Nothing {
        // SAFETY: rules 4 and 6.
        unsafe {
            drop_life(body);
            release(body.cast());
        }
    }
    next == Next::TurnBehindOthers
}

impl Kind {
    /// What an actor of this kind begins with.
    pub(super) fn header(&'static self) -> Header {
        // The pointer is made from the whole of the kind, whose first field this is, so that `of` may go back.
        Header::new(NonNull::from(self).cast())
    }

    /// The kind of the actor that begins with this.
    #[inline]
    pub(super) fn of(header: &Header) -> &'static Self {
        // SAFETY: a core's header was made by `header`, from a kind that lives for ever.
        unsafe { header.vtable().cast::<Self>().as_ref() }
    }
}

/// The right to a turn that the caller has just won.
#[inline]
pub(crate) fn turn_of(core: &Core) -> Runnable {
    // SAFETY: a core is the head of a body (rule 3 of `counted`), and each caller has made the transition that rule 1 of
    // `cell` asks for.
    unsafe { Runnable::new(NonNull::from(core).cast()) }
}

/// What becomes of a turn whose life pends.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// It goes on.
    No,
    Over(Next),
    Interrupted,
}

/// What comes after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The actor is idle or waits, and is not touched again.
    Rest,
    TurnBehindOthers,
    /// Its life is over.
    Nothing,
}

#[inline(always)] // the way of every message
fn pause<M: Message>(cell: &Cell<M>, turn: &Turn) -> Pause {
    let core = &cell.core;
    match core.waits_for() {
        // SAFETY: this is the turn, and the life has just found the lane empty.
        WaitsFor::Message => unsafe { idle(&cell.lane()) },
        WaitsFor::Others => {
            turn.answer_forsaken(core, &NoReply::Dropped);
            Pause::Over(Next::TurnBehindOthers)
        }
        waits_for => {
            turn.answer_forsaken(core, &NoReply::Dropped);
            if core.is_interrupted() {
                return Pause::Interrupted;
            }
            let (wake, lane) = (&core.wake, &cell.lane());
            match waits_for {
                WaitsFor::Anything => {
                    core.note_pause();
                    // SAFETY: this is the turn.
                    unsafe { wait(wake, lane) }
                }
                // SAFETY: as above.
                _ => unsafe { listen(wake, lane) },
            }
        }
    }
}

/// The actor has nothing to do.
///
/// # Safety
/// The caller owns the turn, and gives it up if the answer is `Rest`.
#[inline(always)] // the way of every message
pub(super) unsafe fn idle<T>(lane: &Queue<'_, T>) -> Pause {
    // SAFETY: the caller's word.
    if unsafe { lane.try_idle() } {
        return Pause::Over(Next::Rest);
    }
    // SAFETY: the turn was not given up.
    unsafe { lane.take_nudge() };
    Pause::No
}

/// The handler waits for something: a wake gives the next turn, a message does not.
///
/// # Safety
/// As of [`idle`].
#[inline]
pub(super) unsafe fn wait<T>(wake: &Wake, lane: &Queue<'_, T>) -> Pause {
    // SAFETY: the caller's word.
    let has_claimants = unsafe { lane.suspend() };
    if has_claimants || !wake.try_wait() {
        return Pause::Over(Next::TurnBehindOthers); // those who claim a place have one round to come; a wake has come already
    }
    Pause::Over(Next::Rest)
}

/// User code waits for a message, and perhaps for something else: both give the next turn, whichever comes first.
///
/// # Safety
/// As of [`idle`].
pub(super) unsafe fn listen<T>(wake: &Wake, lane: &Queue<'_, T>) -> Pause {
    if !wake.try_listen() {
        return Pause::Over(Next::TurnBehindOthers);
    }
    // SAFETY: the caller's word, and the user code has found the lane empty. Had it found it so earlier, the word that the
    // lane remembers is older, and the exchange fails if anything was pushed since.
    if unsafe { lane.try_idle() } {
        return Pause::Over(Next::Rest);
    }
    // SAFETY: the turn was not given up.
    unsafe { lane.take_nudge() };
    wake.begin_poll();
    Pause::No
}

/// Ends an actor without a turn.
///
/// # Safety
/// The caller owns the turn of the body that `header` is the head of, on a thread that rule 7 allows.
unsafe fn abandon<M, C, L>(header: NonNull<Header>)
where
    M: Message,
    C: Casting<M>,
    L: Future<Output = ()>,
{
    let body: NonNull<Body<M, C, L>> = header.cast();
    // SAFETY: the caller's turn keeps it until `release` (rules 1 and 6); the life is dropped once (rule 4).
    unsafe {
        let core = &body.as_ref().front.cell.core;
        let turn = Turn::new(core);
        turn.enter(|| {
            run_quietly(|| drop_life(body));
            turn.forsaken(core).answer(&NoReply::Stopped);
            Seat::of(body).cut_short();
        });
        release(body.cast());
    }
}

/// # Safety
/// Nobody needs the body any more, and all that belonged to the turn is dropped.
unsafe fn free<M: Message, C: Casting<M>, L>(core: NonNull<Core>) {
    let body: NonNull<Body<M, C, L>> = core.cast();
    // SAFETY: the caller's word; it was leaked by `create`.
    let body = unsafe { Box::from_raw(body.as_ptr()) };
    drop_quietly(body); // wakers and the cause of a failure are the user's, and this may be any thread
}

#[inline]
fn gate<M: Message>(core: &Core) -> &dyn Gate {
    // SAFETY: rule 3 of `counted`: this core is the head of a `Cell<M>`, or its kind would not lead here.
    unsafe { NonNull::from(core).cast::<Cell<M>>().as_ref() }
}

impl<M> Cell<M> {
    #[inline(always)]
    pub(super) fn lane(&self) -> Queue<'_, Slot<M>> {
        // SAFETY: the parts of a lane are laid out the same for every message, which they know by pointers alone. This
        // cell's core was made with them, empty, and messages are put in and taken out here only, as `Slot<M>`.
        unsafe {
            Queue::of(
                NonNull::from(&self.core.front).cast().as_ref(),
                NonNull::from(&self.core.back).cast().as_ref(),
            )
        }
    }
}

/// # Safety
/// The caller owns the turn, and the life is not over.
#[inline]
unsafe fn poll_life<M, C, L>(
    body: NonNull<Body<M, C, L>>,
    context: &mut std::task::Context<'_>,
) -> Poll<()>
where
    M: Message,
    C: Casting<M>,
    L: Future<Output = ()>,
{
    // SAFETY: the caller's word; pinned by rule 4.
    unsafe {
        body.as_ref()
            .life
            .with_mut(|life| Pin::new_unchecked((*life).assume_init_mut()).poll(context))
    }
}

/// # Safety
/// The caller owns the turn, and a life is there.
#[inline]
unsafe fn drop_life<M: Message, C: Casting<M>, L>(body: NonNull<Body<M, C, L>>) {
    // SAFETY: the caller's word.
    unsafe {
        body.as_ref()
            .life
            .with_mut(|life| (*life).assume_init_drop())
    }
}

/// # Safety
/// The caller owns the turn, and no life is there.
#[inline]
unsafe fn write_life<M: Message, C: Casting<M>, L>(body: NonNull<Body<M, C, L>>, new: L) {
    // SAFETY: the caller's word.
    unsafe { body.as_ref().life.with_mut(|life| (*life).write(new)) };
}

fn fresh_life<M, C, L, F>(body: NonNull<Body<M, C, L>>) -> L
where
    M: Message,
    C: Casting<M>,
    F: Fn(Seat<M, C>) -> L + Copy,
{
    // SAFETY: `F` has no size (asserted where bodies are made) and is `Copy`, and a value of it was given to `create`: this
    // is one more copy of it.
    let live = unsafe { NonNull::<F>::dangling().read() };
    live(Seat::of(body))
}

impl<M: Message> Gate for Cell<M> {
    fn capacity(&self) -> usize {
        self.lane().capacity()
    }
    fn try_reserve(&self) -> Result<(), NoPlace> {
        self.lane().try_reserve()
    }
    fn poll_reserve(
        &self,
        ticket: &mut Ticket,
        context: &std::task::Context<'_>,
    ) -> Poll<Result<(), NoPlace>> {
        self.lane().poll_reserve(ticket, context)
    }
    fn leave(&self, ticket: &mut Ticket) {
        self.lane().leave(ticket);
    }
    fn release(&self) {
        self.lane().release();
    }
    fn close_and_nudge(&self, order: &mut dyn FnMut()) -> bool {
        self.lane().close_and_nudge(order)
    }
    fn nudge(&self) -> bool {
        self.lane().nudge()
    }
    fn pushes(&self) -> u64 {
        self.lane().pushes()
    }
    fn freed(&self) -> u64 {
        self.lane().freed()
    }
    fn permits(&self) -> usize {
        self.lane().permits()
    }
    unsafe fn suspend(&self) -> bool {
        // SAFETY: the caller's word.
        unsafe { self.lane().suspend() }
    }
}

/// Whoever has `&mut Context` is the turn: it is lent to nobody else (rules 1 and 2).
impl<M: Message> Context<M> {
    /// The next slot. Its place is still taken.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Slot<M>> {
        // SAFETY: this is the turn.
        unsafe { self.cell().lane().pop() }
    }

    /// How many slots wait, at least.
    pub(crate) fn slots_waiting(&self) -> u64 {
        // SAFETY: this is the turn.
        unsafe { self.cell().lane().waiting() }
    }

    /// The place of a message that was popped is free.
    #[inline]
    pub(crate) fn free_place(&mut self) {
        let lane = self.cell().lane();
        // SAFETY: this is the turn.
        unsafe {
            if self.core().has_trait(Traits::MAY_BLOCK) {
                lane.free_fenced(); // the next look is behind a handler that blocks
            } else {
                lane.free();
            }
        }
    }

    /// Of the question in hand.
    pub(crate) fn deadline_in_hand(&self) -> Option<Deadline> {
        // SAFETY: this is the turn.
        unsafe { self.core().deadline() }
    }

    #[inline]
    pub(crate) fn set_deadline_in_hand(&mut self, deadline: Option<Deadline>) {
        // SAFETY: this is the turn.
        unsafe { self.core().set_deadline(deadline) }
    }

    /// A message that was popped keeps its place after all.
    pub(crate) fn keep_place(&mut self) {
        // SAFETY: this is the turn.
        unsafe { self.cell().lane().unfree() };
    }

    /// Takes nothing more, and buries what waits.
    pub(crate) fn close_lane(&mut self) {
        // SAFETY: this is the turn.
        let queued = unsafe { self.cell().lane().end() };
        let ranked: Vec<_> = std::iter::from_fn(|| self.next_of_ranks()).collect();
        for slot in ranked.into_iter().chain(queued) {
            if slot.holds_place() {
                self.free_place();
            }
            self.cell().bury(slot);
        }
    }
}

/// The life's way to what lies beside it.
pub(crate) struct Seat<M: Message, C: Casting<M>>(NonNull<Stand<M, C>>);

impl<M: Message, C: Casting<M>> Clone for Seat<M, C> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<M: Message, C: Casting<M>> Copy for Seat<M, C> {}

/// Each `unsafe fn` asks for the turn, and that no other borrow of context or stage is there (rules 1 and 2).
impl<M: Message, C: Casting<M>> Seat<M, C> {
    #[inline]
    fn of<L>(body: NonNull<Body<M, C, L>>) -> Self {
        Self(body.cast())
    }

    #[inline]
    pub(crate) fn core<'a>(self) -> &'a Core {
        &self.cell().core
    }

    #[inline]
    pub(crate) fn cell<'a>(self) -> &'a Cell<M> {
        // SAFETY: a seat is used by the life and on behalf of it, which the body outlives.
        unsafe { &(*self.0.as_ptr()).cell }
    }

    /// # Safety
    /// See above.
    #[inline]
    pub(crate) unsafe fn context<'a>(self) -> &'a mut Context<M> {
        // SAFETY: the caller's word; it is there from the creation of the body to the end of the life.
        unsafe {
            self.0
                .as_ref()
                .context
                .with_mut(|context| (*context).assume_init_mut())
        }
    }

    /// # Safety
    /// See above; and the state is on the stage.
    #[inline]
    unsafe fn role<'a>(self) -> &'a mut C::Role {
        debug_assert!(self.core().has_flag(Flags::HAS_ROLE));
        // SAFETY: the caller's word.
        unsafe { self.0.as_ref().stage.with_mut(|stage| &mut *(*stage).role) }
    }

    /// # Safety
    /// See above.
    pub(crate) unsafe fn take_casting(self) -> Option<C> {
        if !self.core().has_flag(Flags::HAS_CASTING) {
            return None;
        }
        // SAFETY: the caller's word, and the flag.
        Some(unsafe { self.take_casting_unchecked() })
    }

    /// # Safety
    /// See above; and the factory is there.
    pub(crate) unsafe fn take_casting_unchecked(self) -> C {
        debug_assert!(self.core().has_flag(Flags::HAS_CASTING));
        self.core().lower(Flags::HAS_CASTING);
        // SAFETY: the caller's word, and rule 5: it is there, and taken once.
        unsafe {
            self.0
                .as_ref()
                .stage
                .with_mut(|stage| ManuallyDrop::take(&mut (*stage).casting))
        }
    }

    /// # Safety
    /// See above; and the stage is empty.
    pub(crate) unsafe fn put_casting(self, casting: C) {
        // SAFETY: the caller's word.
        unsafe {
            self.0.as_ref().stage.with_mut(|stage| {
                (*stage).casting = ManuallyDrop::new(casting);
            });
        }
        self.core().raise(Flags::HAS_CASTING);
    }

    /// # Safety
    /// See above; and the stage is empty.
    pub(crate) unsafe fn put_role(self, role: C::Role) {
        // SAFETY: the caller's word.
        unsafe {
            self.0.as_ref().stage.with_mut(|stage| {
                (*stage).role = ManuallyDrop::new(role);
            });
        }
        self.core().raise(Flags::HAS_ROLE);
    }

    /// # Safety
    /// See above.
    #[inline]
    pub(crate) unsafe fn take_role(self) -> Option<C::Role> {
        if !self.core().has_flag(Flags::HAS_ROLE) {
            return None;
        }
        self.core().lower(Flags::HAS_ROLE);
        // SAFETY: the caller's word, and rule 5.
        let role = unsafe {
            self.0
                .as_ref()
                .stage
                .with_mut(|stage| ManuallyDrop::take(&mut (*stage).role))
        };
        Some(role)
    }

    /// # Safety
    /// See above; and the state is on the stage.
    pub(crate) unsafe fn is_spent(self) -> bool {
        // SAFETY: the caller's word.
        unsafe { self.role() }.is_spent()
    }

    /// # Safety
    /// See above; it is the last use of the context.
    pub(crate) unsafe fn drop_context(self) {
        // SAFETY: the caller's word.
        unsafe {
            self.0
                .as_ref()
                .context
                .with_mut(|context| (*context).assume_init_drop());
        }
    }

    /// # Safety
    /// See above; and the state is on the stage.
    #[inline]
    pub(crate) unsafe fn started<'a>(self) -> impl Future<Output = Outcome> + use<'a, M, C> {
        // SAFETY: the caller's word.
        unsafe { self.role::<'a>().started(self.context()) }
    }

    /// # Safety
    /// See above; and the state is on the stage.
    #[inline]
    pub(crate) unsafe fn receive<'a>(
        self,
        msg: M,
    ) -> impl Future<Output = Outcome> + use<'a, M, C> {
        // SAFETY: the caller's word.
        unsafe { self.role::<'a>().receive(self.context(), msg) }
    }

    /// Boxed, because it is rare, and would make every life larger.
    ///
    /// # Safety
    /// See above; and the state is on the stage.
    pub(crate) unsafe fn signal<'a>(
        self,
        signal: Signal,
    ) -> Pin<Box<dyn Future<Output = Outcome> + 'a>>
    where
        M: 'a,
        C: 'a,
    {
        // SAFETY: the caller's word.
        unsafe { Box::pin(self.role::<'a>().signal(self.context(), signal)) }
    }

    fn interrupted(self, played: Played<()>) {
        match self.core().phase() {
            Phase::PostStop => self.after_post_stop(played),
            Phase::PreRestart => self.after_pre_restart(played),
            _ => self.settle(played),
        }
    }
}
