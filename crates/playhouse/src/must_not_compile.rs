//! What must not compile, each beside the nearest thing that does.
//!
//! The context cannot leave the turn: nobody outside has it, no future that goes on beside the turn, and none that is left
//! after the actor has stopped [CTX-20] [CTX-21] [CTX-22]:
//! ```compile_fail,E0521
//! use playhouse::prelude::*;
//! async fn turn(ctx: &mut Context<u32>) { tokio::spawn(async move { ctx.recv().await; }); }
//! ```
//! ```no_run
//! use playhouse::prelude::*;
//! async fn turn(ctx: &mut Context<u32>) { let me = ctx.me().clone(); tokio::spawn(async move { me.send(1).await }); }
//! ```
//! Nor out of a function actor:
//! ```compile_fail,E0521
//! use playhouse::prelude::*;
//! let _ = Props::func(async move |ctx: &mut Context<u32>| { tokio::spawn(async move { ctx.recv().await; }); Ok(()) });
//! ```
//! Nor into the setup of a child [CTX-23]:
//! ```compile_fail,E0521
//! use playhouse::prelude::*;
//! fn turn(ctx: &mut Context<u32>) {
//!     ctx.system().clone().spawn_anonymous(Props::func(async move |_: &mut Context<()>| { ctx.stop(); Ok(()) }));
//! }
//! ```
//! ```no_run
//! use playhouse::prelude::*;
//! fn turn(ctx: &mut Context<u32>) {
//!     let parent = ctx.me().clone();
//!     ctx.spawn_anonymous(Props::func(async move |_: &mut Context<()>| { parent.stop(); Ok(()) }));
//! }
//! ```
//! Nor into an actor, wherever it is made [CTX-26] [CTX-27]:
//! ```compile_fail
//! use playhouse::prelude::*;
//! struct Child<'a>(&'a mut Context<u32>);
//! impl<'a> Actor for Child<'a> {
//!     type Msg = ();
//!     async fn receive(&mut self, _: &mut Context<()>, (): ()) -> Outcome { self.0.stop(); Ok(()) }
//! }
//! ```
//! ```no_run
//! use playhouse::prelude::*;
//! struct Child(ActorRef<u32>);
//! impl Actor for Child {
//!     type Msg = ();
//!     async fn receive(&mut self, _: &mut Context<()>, (): ()) -> Outcome { self.0.stop(); Ok(()) }
//! }
//! ```
//! One behaviour is not for two actors [CTX-28]:
//! ```compile_fail,E0277
//! use playhouse::prelude::*;
//! fn start(system: ActorSystem, behaviour: Behavior<u32>) { system.spawn_anonymous(move || behaviour); }
//! ```
//! ```no_run
//! use playhouse::prelude::*;
//! fn start(system: ActorSystem, behaviour: fn() -> Behavior<u32>) {
//!     system.spawn_anonymous(behaviour);
//!     system.spawn_anonymous(behaviour);
//! }
//! ```
//! A message is there or it is an `Option` [CTX-18]:
//! ```compile_fail,E0308
//! fn tell(to: playhouse::ActorRef<u32>) { to.tell(None); }
//! ```
//! ```no_run
//! fn tell(to: playhouse::ActorRef<Option<u32>>) { to.tell(None); }
//! ```
//! State is not touched from a piped future:
//! ```compile_fail,E0521
//! use playhouse::prelude::*;
//! fn turn(total: &mut u32, ctx: &mut Context<u32>) { ctx.pipe_to_self(async move { *total += 1; 1 }, |n| n); }
//! ```
//! ```no_run
//! use playhouse::prelude::*;
//! fn turn(total: &mut u32, ctx: &mut Context<u32>) { let old = *total; ctx.pipe_to_self(async move { old + 1 }, |n| n); }
//! ```
//! One question, one answer:
//! ```compile_fail,E0382
//! fn twice(reply: playhouse::Reply<u32>) { reply.send(1); reply.send(2); }
//! ```
//! ```no_run
//! fn once(reply: playhouse::Reply<u32>) { reply.send(1); }
//! ```
//! A message can be sent to another thread:
//! ```compile_fail,E0277
//! use playhouse::prelude::*;
//! struct Holder;
//! impl Actor for Holder {
//!     type Msg = std::rc::Rc<u32>;
//!     async fn receive(&mut self, _: &mut Context<Self::Msg>, _: Self::Msg) -> Outcome { Ok(()) }
//! }
//! ```
//! ```no_run
//! use playhouse::prelude::*;
//! struct Holder;
//! impl Actor for Holder {
//!     type Msg = std::cell::Cell<u32>; // need not be `Sync`
//!     async fn receive(&mut self, _: &mut Context<Self::Msg>, _: Self::Msg) -> Outcome { Ok(()) }
//! }
//! ```
//! What is held across an await can be, too:
//! ```compile_fail
//! use playhouse::prelude::*;
//! let _ = Props::func(async move |ctx: &mut Context<u32>| { let n = std::rc::Rc::new(1); ctx.recv().await; drop(n); Ok(()) });
//! ```
//! ```no_run
//! use playhouse::prelude::*;
//! let _ = Props::func(async move |ctx: &mut Context<u32>| { let n = std::sync::Arc::new(1); ctx.recv().await; drop(n); Ok(()) });
//! ```
//! A question without a limit is not a future:
//! ```compile_fail,E0277
//! async fn ask(to: playhouse::ActorRef<playhouse::Reply<u32>>) { let _ = to.ask(|reply| reply).await; }
//! ```
//! ```no_run
//! async fn ask(to: playhouse::ActorRef<playhouse::Reply<u32>>) { let _ = to.ask(|reply| reply).within(playhouse::secs(1)).await; }
//! ```
//! A one-life recipe is not for a pool:
//! ```compile_fail,E0277
//! use playhouse::{Job, WorkPool, prelude::*};
//! let _ = WorkPool::<u32>::new(5, Props::func(async move |_ctx: &mut Context<Job<u32>>| Ok(())));
//! ```
//! Messages that come back from the stash are for the behaviour that follows, so there is none to name [STA-12]:
//! ```compile_fail,E0061
//! use playhouse::prelude::*;
//! fn turn(ctx: &mut Context<u32>) { ctx.unstash_all(Behavior::stopped()); }
//! ```
//! ```no_run
//! use playhouse::prelude::*;
//! fn turn(ctx: &mut Context<u32>) { ctx.unstash_all(); }
//! ```
//! A factory whose captures cannot be cloned is no recipe:
//! ```compile_fail,E0277
//! use playhouse::prelude::*;
//! struct Holder(Reply<u32>);
//! impl Actor for Holder {
//!     type Msg = ();
//!     async fn receive(&mut self, _: &mut Context<()>, (): ()) -> Outcome { Ok(()) }
//! }
//! fn start(system: ActorSystem, reply: Reply<u32>) { system.spawn_anonymous(move || Holder(reply)); }
//! ```
//! There is no message that is nothing; what may be absent says so in its type \[SYS-07\]:
//! ```compile_fail,E0308
//! use playhouse::prelude::*;
//! fn tell(guardian: ActorRef<String>) { guardian.tell(None) }
//! ```
//! ```no_run
//! use playhouse::prelude::*;
//! fn tell(guardian: ActorRef<Option<String>>) { guardian.tell(None) }
//! ```
//! Retries need jobs that can be given twice:
//! ```compile_fail,E0277
//! use playhouse::{Job, WorkPool, Reply, prelude::*};
//! fn pool(worker: Props<Job<Reply<u32>>>) -> WorkPool<Reply<u32>> { WorkPool::new(2, worker).attempts(2) }
//! ```
//! ```no_run
//! use playhouse::{Job, WorkPool, Reply, prelude::*};
//! fn pool(worker: Props<Job<Reply<u32>>>) -> WorkPool<Reply<u32>> { WorkPool::new(2, worker) }
//! ```

/// What must hold for the types themselves, whatever the protocol.
const _: () = {
    const fn send<T: Send>() {}
    const fn sync<T: Sync>() {}
    type NotSync = std::cell::Cell<u8>;
    send::<crate::Context<NotSync>>();
    send::<crate::ActorRef<NotSync>>();
    sync::<crate::ActorRef<NotSync>>();
    send::<crate::WeakRef<NotSync>>();
    sync::<crate::WeakRef<NotSync>>();
    send::<crate::Reply<NotSync>>();
    sync::<crate::Reply<NotSync>>();
    send::<crate::SendError<NotSync>>();
    sync::<crate::SendError<NotSync>>();
    send::<crate::Failure>();
    sync::<crate::Failure>();
    send::<crate::Permit<NotSync>>();
    send::<crate::Props<NotSync>>();
    send::<crate::Ask<NotSync, NotSync>>();
};
