//! Typed actors on Tokio: async handlers, bounded mailboxes, questions that always end, blocking work on threads of its
//! own, and an orderly shutdown whose books balance.
//!
//! # Hello, world
//!
//! An actor is a state and a handler. [`spawn`](ActorSystem::spawn) takes a factory and gives back the typed address.
//!
//! ```
//! use playhouse::prelude::*;
//!
//! struct Printer(&'static str);
//!
//! impl Actor for Printer {
//!     type Msg = String;
//!     async fn receive(&mut self, _ctx: &mut Context<String>, text: String) -> Outcome {
//!         println!("{} received {text}", self.0);
//!         Ok(())
//!     }
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let system = ActorSystem::builder("hello").build()?; // inside a Tokio runtime it uses that one
//!     let printer = system.spawn("printer", || Printer("one"))?;
//!     printer.tell("hello, world".into());
//!     printer.drain(); // handle what was accepted, then end
//!     let report = system.blocking_shutdown(); // waits for those who drain, stops the others
//!     assert_eq!((report.ledger.handled, report.ledger.balance()), (1, 0));
//!     Ok(())
//! }
//! ```
//!
//! The handler owns the state for the length of a message, also across awaits: no lock, no second message in between.
//! `Ok(())` goes on; an `Err`, so also `?`, is a failure, and a panic is the same: [supervision](#supervision) decides what
//! follows. Ending on purpose is [`ctx.stop()`](Context::stop) or [`ctx.drain()`](Context::drain).
//!
//! # Tell or ask
//!
//! [`tell`](ActorRef::tell) is the default: it never waits, and says nothing about what becomes of the message. Ask when the
//! answer decides what happens next. On a hot path between actors a `tell` that carries [`Reply::to`] an adapter costs less
//! than an ask, but has no deadline: nobody notices an answer that never comes. Inside an actor prefer
//! [`ctx.ask`](Context::ask), which does not hold up the next message, to awaiting an ask.
//!
//! A message that wants an answer carries a [`Reply`], the right and duty to answer once. Dropped without an answer, it
//! tells the asker at once. An ask must be given a limit, and its error says whether the request was started, so that a
//! caller knows whether it may ask again.
//!
//! ```
//! use playhouse::{Fate, NoReply, prelude::*};
//!
//! enum Counter {
//!     Add(u32),
//!     Get(Reply<u32>),
//!     Forget(Reply<u32>),
//! }
//!
//! #[derive(Default)]
//! struct Count(u32);
//!
//! impl Actor for Count {
//!     type Msg = Counter;
//!     async fn receive(&mut self, _ctx: &mut Context<Counter>, msg: Counter) -> Outcome {
//!         match msg {
//!             Counter::Add(n) => self.0 += n,
//!             Counter::Get(reply) => reply.send(self.0),
//!             Counter::Forget(_reply) => {}
//!         }
//!         Ok(())
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Outcome {
//! let system = ActorSystem::builder("tour").build()?;
//! let counter = system.spawn("counter", Count::default)?;
//! counter.tell(Counter::Add(2));
//! assert_eq!(counter.ask(Counter::Get).within(secs(1)).await?, 2);
//!
//! let error = counter.ask(Counter::Forget).within(secs(1)).await.unwrap_err();
//! assert!(matches!(error, AskError::NoReply { why: NoReply::Dropped, .. }));
//! assert_eq!(error.fate(), Fate::Started);
//! # assert_eq!(system.shutdown().await.ledger.balance(), 0);
//! # Ok(())
//! # }
//! ```
//!
//! Inside an actor, [`ctx.ask`](Context::ask) asks without waiting: the answer arrives as a message of one's own.
//! [`ctx.adapter`](Context::adapter) is an address for foreign messages, [`ctx.pipe_to_self`](Context::pipe_to_self) runs
//! a future beside the turn. Deadlines travel: an ask made while handling an ask gets the smaller of both.
//!
//! # State as the next behaviour
//!
//! A [`Behavior`] is consumed by each message and yields the next one, so what it owns moves on from state to state. What
//! comes too early is set aside with [`Context::stash`]; [`Context::timers`] sends messages to oneself, later.
//!
//! ```
//! use playhouse::prelude::*;
//!
//! enum Cache {
//!     Get(Reply<u32>),
//!     Loaded(u32),
//! }
//!
//! fn loading() -> Behavior<Cache> {
//!     Behavior::setup(|ctx| {
//!         ctx.timers().once("load", millis(1), Cache::Loaded(7));
//!         Ok(waiting())
//!     })
//! }
//!
//! fn waiting() -> Behavior<Cache> {
//!     Behavior::receive(|ctx, msg| match msg {
//!         Cache::Loaded(value) => {
//!             ctx.unstash_all(); // next, in order, before newer ones
//!             Ok(loaded(value))
//!         }
//!         early => {
//!             ctx.stash(early)?; // bounded by the mailbox
//!             Ok(waiting())
//!         }
//!     })
//! }
//!
//! fn loaded(value: u32) -> Behavior<Cache> {
//!     Behavior::receive(move |ctx, msg| {
//!         match msg {
//!             Cache::Get(reply) => reply.send(value),
//!             late => ctx.unhandled(late),
//!         }
//!         Ok(loaded(value))
//!     })
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Outcome {
//! let system = ActorSystem::builder("tour").build()?;
//! let cache = system.spawn("cache", loading)?;
//! assert_eq!(cache.ask(Cache::Get).within(secs(5)).await?, 7);
//! # assert_eq!(system.shutdown().await.ledger.balance(), 0);
//! # Ok(())
//! # }
//! ```
//!
//! # Back-pressure, three ways
//!
//! A mailbox is bounded. When it is full, a sender waits, is refused, or holds a place before it builds the payload.
//! (And [`tell`](ActorRef::tell) never waits: what does not fit is a dead letter.)
//!
//! ```
//! use playhouse::prelude::*;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Outcome {
//! let system = ActorSystem::builder("tour").build()?;
//! let store = Props::func(async |ctx: &mut Context<Vec<u8>>| {
//!     while let Some(upload) = ctx.recv().await {
//!         drop(upload);
//!     }
//!     Ok(())
//! });
//! let store = system.spawn("store", store.mailbox(Mailbox::bounded(1)))?;
//!
//! store.send(vec![1]).await?; // waits for room
//!
//! match store.try_send(vec![2]) {
//!     Err(TrySendError::Full(upload)) => assert_eq!(upload, [2]), // refused, and here it is again
//!     other => panic!("there is one place, and it is taken: {other:?}"),
//! }
//!
//! let place = store.reserve().await?; // waits for room without holding nine megabytes
//! place.send(vec![0; 9_000_000]);
//! # store.drain();
//! # store.terminated().await;
//! # assert_eq!(system.shutdown().await.ledger.handled, 2);
//! # Ok(())
//! # }
//! ```
//!
//! A freed place is claimed by whoever polls first, so a waiting sender that nobody polls keeps nobody out; and a sender
//! that lost such a race does not lose the next. Sending to oneself fails instead of waiting for ever.
//!
//! # Watching
//!
//! Children belong to the actor that [`spawn`](Context::spawn)s them, and end with it. Any actor may be watched; its end
//! arrives after everything it had sent.
//!
//! ```
//! use playhouse::prelude::*;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Outcome {
//! let system = ActorSystem::builder("tour").on_event(|_| ()).build()?;
//! let parent = Props::func(async |ctx: &mut Context<Exit>| {
//!     let child = Props::func(async |_ctx: &mut Context<()>| Err("cannot open the file".into()));
//!     let child = ctx.spawn("child", child)?;
//!     ctx.watch_with(&child, |exit| exit); // as a message; `ctx.watch` makes it a `Signal`
//!     let Some(Exit::Failed(cause)) = ctx.recv().await else { panic!("it fails") };
//!     assert_eq!(cause.to_string(), "cannot open the file");
//!     Ok(())
//! });
//! let parent = system.spawn("parent", parent)?;
//! assert!(matches!(parent.terminated().await, Exit::Stopped));
//! # assert_eq!(system.shutdown().await.ledger.balance(), 0);
//! # Ok(())
//! # }
//! ```
//!
//! # Supervision
//!
//! A failure ends the actor, unless its recipe says more: [`Supervise`] resumes, restarts or escalates, by the kind of the
//! failure. A restart makes a fresh state by the same factory, under the same reference; mailbox, watches and stash stay,
//! timers, pipes and children end. It always has a limit and a backoff. A message that fails incarnation after incarnation
//! is [delivered again](Props::redeliver) only so often, and then quarantined.
//!
//! ```
//! use playhouse::prelude::*;
//! use std::num::ParseIntError;
//!
//! enum Msg {
//!     Add(&'static str),
//!     Total(Reply<u32>),
//! }
//!
//! #[derive(Default)]
//! struct Sum(u32);
//!
//! impl Actor for Sum {
//!     type Msg = Msg;
//!     async fn receive(&mut self, _ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
//!         match msg {
//!             Msg::Add("reset") => return Err("somebody wants to begin anew".into()),
//!             Msg::Add(text) => self.0 += text.parse::<u32>()?,
//!             Msg::Total(reply) => reply.send(self.0),
//!         }
//!         Ok(())
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Outcome {
//! let system = ActorSystem::builder("tour").on_event(|_| ()).build()?;
//! let how = Supervise::restart().at_once().limit(3, secs(60)).when::<ParseIntError>(Supervise::resume());
//! let sum = system.spawn("sum", Props::new(Sum::default).supervise(how))?;
//! for text in ["1", "two", "3"] {
//!     sum.tell(Msg::Add(text)); // the second is skipped
//! }
//! assert_eq!(sum.ask(Msg::Total).within(secs(5)).await?, 4);
//! sum.tell(Msg::Add("reset"));
//! assert_eq!(sum.ask(Msg::Total).within(secs(5)).await?, 0);
//! # assert_eq!(system.shutdown().await.ledger.balance(), 0);
//! # Ok(())
//! # }
//! ```
//!
//! Children that depend on each other form a [`Group`]: when one fails, all of them, or those that came after it, begin anew
//! in order.
//!
//! # Blocking actors
//!
//! What blocks, or cannot leave its thread, is a [`BlockingActor`]: its factory, its state and its handlers stay on one
//! thread of its own. Its waits end by themselves when it is asked to stop.
//!
//! ```
//! use playhouse::prelude::*;
//! use std::rc::Rc;
//!
//! struct Library(Rc<String>); // not `Send`
//!
//! impl BlockingActor for Library {
//!     type Msg = Reply<usize>;
//!     fn receive(&mut self, _ctx: &mut Context<Self::Msg>, reply: Reply<usize>) -> Outcome {
//!         reply.send(self.0.len());
//!         Ok(())
//!     }
//! }
//!
//! # fn main() -> Outcome {
//! let system = ActorSystem::builder("tour").build()?;
//! let library = Props::blocking(|_ctx| Ok(Library(Rc::new("loaded on its thread".into()))));
//! let library = system.spawn("library", library)?;
//! assert_eq!(library.ask(|reply| reply).blocking_within(secs(1))?, 20);
//! assert_eq!(system.blocking_shutdown().ledger.balance(), 0);
//! # Ok(())
//! # }
//! ```
//!
//! Async actors whose handlers block go to a [`Dispatcher::fixed`]; a closure to [`Context::pipe_blocking`].
//!
//! # Work pulling
//!
//! A [`WorkPool`] is an address to its producers; a job leaves the mailbox when a worker wants it. A [`Budget`] is room
//! counted in bytes, taken before the payload is built and given back when the message is dropped, wherever that is.
//!
//! ```
//! use playhouse::{Budget, Job, Share, WorkPool, prelude::*};
//!
//! struct Page(Vec<u8>, Share);
//! struct Storer;
//!
//! impl Actor for Storer {
//!     type Msg = Job<Page>;
//!     async fn receive(&mut self, _ctx: &mut Context<Job<Page>>, page: Job<Page>) -> Outcome {
//!         assert_eq!(page.0.len(), 100); // store it; an `Err` here fails the job
//!         page.done();
//!         Ok(())
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Outcome {
//! let system = ActorSystem::builder("tour").build()?;
//! let storers = system.spawn("storers", WorkPool::new(4, || Storer).waiting(2))?;
//! let room = Budget::new(250);
//! for _ in 0..10 {
//!     let share = room.take(100).await;     // at most two pages in memory
//!     let place = storers.reserve().await?; // and a worker will want this one
//!     place.send(Page(vec![0; 100], share));
//! }
//! storers.drain();
//! assert!(matches!(storers.terminated().await, Exit::Drained));
//! assert_eq!(room.available(), 250);
//! # assert_eq!(system.shutdown().await.ledger.balance(), 0);
//! # Ok(())
//! # }
//! ```
//!
//! # Shutdown
//!
//! [`shutdown`](ActorSystem::shutdown) runs four phases, each within its deadline: close the doors, finish requests (and
//! drains), stop the actors (children first), release resources. The report adds up: every message is in exactly one column.
//!
//! ```
//! use playhouse::{Phase, prelude::*};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Outcome {
//! let system = ActorSystem::builder("tour").phase_deadline(Phase::CloseDoors, secs(5)).build()?;
//! let intake = system.spawn("intake", Props::func(async |ctx: &mut Context<u32>| {
//!     while ctx.recv().await.is_some() {}
//!     Ok(())
//! }))?;
//! intake.tell(1);
//! system.on_shutdown(Phase::CloseDoors, "intake", async move || {
//!     intake.drain();
//!     intake.terminated().await;
//!     Ok(())
//! });
//! let report = system.shutdown().await;
//! assert_eq!((report.ledger.handled, report.ledger.balance()), (1, 0));
//! assert!(report.overran.is_empty() && report.still_alive.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! # When things go wrong
//!
//! | what happens | what the runtime does |
//! |---|---|
//! | a handler returns `Err` or panics | [`Event::Failed`]; supervision resumes, restarts, escalates, or ends the actor as [`Exit::Failed`], its watchers told; others go on |
//! | an actor fails again and again | its restarts back off, and beyond their limit it ends |
//! | one message fails every incarnation | with [`Props::redeliver`] it is quarantined and published with each cause |
//! | a result comes for an incarnation that is gone | discarded; a message to its adapter is a dead letter |
//! | a `tell` finds a full mailbox | the message is a dead letter: counted, published, on standard error unless there is a hook |
//! | a sender waits on a full mailbox that stops | `Err` with the message |
//! | a message waits in an actor that stops | dead letter; if it was an ask, the asker hears [`AskError::Gone`] at once |
//! | a `Reply` is dropped | the asker hears [`AskError::NoReply`] at once, with who and why, a panic's text included |
//! | an answer comes too late | published as [`DeadLetterReason::LateReply`], dropped |
//! | an actor sends to itself and is full | `send` and `reserve` fail ([`SendError::is_self_send`]); [`Context::again`] cannot |
//! | a blocking call on a shared worker | panics, naming the call, the actor and the dispatcher to move it to |
//! | a blocking actor waits and is asked to stop | the wait ends with [`Cancelled`]; passed on with `?` that is no failure |
//! | a job is dropped without `done` | tried again as often as [`WorkPool::attempts`] says, then published |
//! | a watched actor ends and nobody handles it | the watcher fails |
//! | a stash is full | `stash` gives the message back; what is left in it at the end is a dead letter |
//! | an actor starts asks, pipes or timers without end | at [`limits::COMPLETIONS_PER_ACTOR`] an error and an event |
//! | a user's `Drop` panics | caught; the end goes on |
//! | a handler does not come back at shutdown | killed at the phase's deadline; if it blocks, named in `still_alive` |
//! | the Tokio runtime goes away first | its actors end as [`Exit::Shutdown`], and the books still balance |
//!
//! # When not to use actors
//!
//! An actor earns its place with state that has a life: it starts, waits, fails, ends. Where there is no such state,
//! something simpler fits better.
//!
//! | what you have | what fits |
//! |---|---|
//! | requests that share no state | a plain `async fn` per request, on the web framework's own tasks; put an [`Admission`] or a [`RateLimiter`] at its door |
//! | data to compute in parallel | a parallel iterator over a thread pool (rayon); an actor would add a queue in front of every piece |
//! | code that mostly calls a blocking library | `spawn_blocking`, or [`DispatcherRef::submit`]; an actor on [`Dispatcher::fixed`] once there is a connection to keep |
//! | a value that many read and few write | a lock, or `tokio::sync::watch` |
//! | a stream with one reader | a channel |
#![deny(unsafe_code)]

mod actor;
mod actor_ref;
mod adapter;
mod address;
mod ask;
mod behavior;
mod cell;
mod clock;
#[cfg(feature = "config")]
mod config;
mod context;
mod dead_letter_log;
mod dead_letters;
mod deadlines;
mod dispatch;
mod effect;
mod events;
mod failure;
mod here;
mod host;
mod ledger;
pub mod limits;
mod mailbox;
pub mod must_not_compile;
mod nearest;
mod own_ask;
mod patterns;
mod pipe;
mod port;
mod props;
mod random;
mod receive_timeout;
mod reply;
mod send_error;
mod shutdown;
mod stash;
mod supervise;
mod sync;
mod system;
#[cfg(feature = "testkit")]
pub mod testkit;
mod timers;
mod waits;

pub use actor::{Actor, BlockingActor, Exit, Message, Outcome, Signal};
pub use actor_ref::{ActorRef, Permit, WeakRef};
pub use address::Address;
pub use ask::{Ask, AskError, Fate, NoReply, TimedOut};
pub use behavior::Behavior;
pub use clock::{Clock, Deadline, millis, secs};
#[cfg(feature = "config")]
pub use config::{ConfigError, SystemConfig};
pub use context::Context;
pub use dispatch::{Dispatcher, DispatcherRef, UnknownDispatcher};
pub use events::{DeadLetterReason, Event};
pub use failure::Failure;
pub use ledger::Ledger;
pub use mailbox::Mailbox;
pub use patterns::admission::{Admission, Admitted, Refused};
pub use patterns::aggregate::{Aggregator, Answers};
pub use patterns::budget::{Budget, Share};
pub use patterns::gather::gather;
pub use patterns::group::{Group, GroupRef};
pub use patterns::rate_limiter::{Rate, RateLimiter, TooFast};
pub use patterns::spawn_protocol::{Spawn, SpawnProtocol};
pub use patterns::work_pulling::{Backlog, ConfirmingPool, Job, Submission, Ticket, WorkPool};
pub use props::{FuncProps, IntoProps, Lifetime, Props, SendTurn};
pub use reply::Reply;
pub use send_error::{Cancelled, SendError, TrySendError};
pub use shutdown::{Phase, ShutdownReason, ShutdownReport, ShutdownTask};
pub use stash::StashFull;
pub use supervise::{Restart, Supervise};
pub use system::{ActorSystem, BuildError, SpawnError, SystemBuilder};
pub use timers::{TimerKey, Timers};
pub use waits::Cycle;

/// What a user module imports.
pub mod prelude {
    pub use crate::{Actor, ActorRef, ActorSystem, AskError, Behavior, BlockingActor, Context};
    pub use crate::{Dispatcher, Exit, Failure, Lifetime, Mailbox, Outcome, Props, Reply, Signal};
    pub use crate::{Supervise, TrySendError, millis, secs};
}
