//! One actor, run message by message.
//!
//! The actor's state belongs to the kit. In a stepped system of its own lives a stand-in, which stays inside its `started`
//! for ever and lends its context to whatever the kit wants to be done: a handler of the actor under test, mostly, which
//! gets the state along and gives it back. So the context is a real one, in a turn of its own, and nothing happens between
//! two messages but what the test asks for.

use super::kit::TestKit;
use super::scene::Scene;
use crate::actor::{Actor, Message, Outcome, Signal};
use crate::actor_ref::{ActorRef, WeakRef};
use crate::ask::{AskError, NoReply};
use crate::cell::CoreRef;
use crate::cell::arrival::Arrival;
use crate::cell::turn::Played;
use crate::context::Context;
use crate::effect::Effect;
use crate::failure::Failure;
use crate::here;
use crate::limits;
use crate::props::Props;
use crate::reply::Reply;
use crate::sync::{Arc, Mutex, catch, catch_future, mpsc};
use std::any::type_name;
use std::fmt;
use std::future::{Future, pending, poll_fn};
use std::panic::resume_unwind;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context as PollContext, Poll, Waker};
use std::time::Duration;

/// One actor alone: run it message by message, look at its state and at what it did.
///
/// ```
/// use playhouse::prelude::*;
/// use playhouse::testkit::{BehaviorKit, Effect};
/// use playhouse::TimerKey;
///
/// struct Till { cents: u64 }
///
/// enum Sale { Add(u64), Total(Reply<u64>) }
///
/// impl Actor for Till {
///     type Msg = Sale;
///     async fn receive(&mut self, ctx: &mut Context<Sale>, msg: Sale) -> Outcome {
///         match msg {
///             Sale::Add(cents) => {
///                 self.cents += cents;
///                 ctx.timers().once("close", secs(60), Sale::Add(0));
///             }
///             Sale::Total(reply) => reply.send(self.cents),
///         }
///         Ok(())
///     }
/// }
///
/// # fn main() -> Outcome {
/// let mut kit = BehaviorKit::new(|| Till { cents: 0 });
/// kit.run(Sale::Add(250))?;
/// assert_eq!(kit.state().cents, 250);
/// let set = Effect::TimerSet { key: TimerKey::Name("close"), after: secs(60) };
/// assert_eq!(kit.effects(), [set]);
///
/// let (reply, mut answer) = kit.reply();
/// kit.run(Sale::Total(reply))?;
/// assert_eq!(answer.take()?, 250);
/// # Ok(())
/// # }
/// ```
///
/// * **What it gets by itself** (ticks, answers to its questions, news of ends, what it tells itself) waits until
///   [`run_next`](Self::run_next) hands it over, one at a time. Time is moved with
///   [`test_kit().advance`](TestKit::advance).
/// * **Children** are real: they run between two messages of the actor. Others it talks to are best
///   [probes](TestKit::probe).
/// * **A failure** is what `run` returns; nobody supervises. The state is as the handler left it.
/// * **A handler that waits** lets time pass as far as it needs, at most [`HANDLER_IN_TEST`](limits::HANDLER_IN_TEST).
/// * **A stop** of its own is an effect and no more. `Signal::PostStop` comes if the test gives it.
#[must_use = "it does nothing before `run`"]
pub struct BehaviorKit<A: Actor> {
    /// Not there while a handler runs, and after one that never came back.
    actor: Option<Box<A>>,
    me: ActorRef<A::Msg>,
    jobs: mpsc::UnboundedSender<Job<A::Msg>>,
    kit: TestKit,
}

/// Something to be done with the context.
type Job<M> = Box<dyn for<'a> FnOnce(&'a mut Context<M>) -> Working<'a> + Send>;
type Working<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;
/// Where a job leaves what came of it.
type Done<T> = Arc<Mutex<Option<T>>>;

impl<A: Actor> BehaviorKit<A> {
    /// The actor, which has `started`.
    ///
    /// # Panics
    /// If it could not: [`try_new`](Self::try_new) returns that.
    #[track_caller]
    pub fn new(factory: impl FnOnce() -> A) -> Self {
        match Self::try_new(factory) {
            Ok(kit) => kit,
            Err(failure) => panic!("the actor failed in `started`: {failure}"),
        }
    }

    /// The actor, if its `started` does not fail.
    ///
    /// # Panics
    /// Inside a Tokio runtime: make the test a plain `#[test]`.
    pub fn try_new(factory: impl FnOnce() -> A) -> Outcome<Self> {
        let kit = TestKit::new();
        kit.world().driver().world().keep_effects();
        let (jobs, coming) = mpsc::unbounded_channel();
        let coming = Arc::new(Mutex::new(Some(coming)));
        let me = kit.spawn("actor", Props::new(move || StandIn { coming }));
        let actor = Some(Box::new(factory()));
        let mut kit = Self {
            actor,
            me,
            jobs,
            kit,
        };
        kit.play(start)?;
        Ok(kit)
    }

    /// Hands it this message, before everything that waits for it, and returns what its handler returns; a panic is a
    /// failure.
    ///
    /// # Panics
    /// If the handler waits for what does not come.
    #[track_caller]
    pub fn run(&mut self, msg: A::Msg) -> Outcome {
        self.play(|actor, done| handle(actor, msg, done))
    }

    /// The same with a signal.
    ///
    /// # Panics
    /// As [`run`](Self::run).
    #[track_caller]
    pub fn signal(&mut self, signal: Signal) -> Outcome {
        self.play(|actor, done| notify(actor, signal, done))
    }

    /// Hands it the oldest of what has come for it: a message to itself, an answer, a tick, the news of an end. `None`:
    /// there is nothing, or it is to stop.
    ///
    /// # Panics
    /// As [`run`](Self::run).
    #[track_caller]
    pub fn run_next(&mut self) -> Option<Outcome> {
        self.play(go_on)
    }

    /// The actor.
    ///
    /// # Panics
    /// If a handler never came back: the state went with it.
    #[track_caller]
    pub fn state(&self) -> &A {
        match &self.actor {
            Some(actor) => actor,
            None => panic!("{LOST}"),
        }
    }

    /// Looks at its context, or does something with it, in a turn of the actor: are its timers active, who are its children?
    ///
    /// # Panics
    /// As the closure does.
    #[track_caller]
    pub fn context<T: Message>(
        &mut self,
        look: impl FnOnce(&mut Context<A::Msg>) -> T + Send + 'static,
    ) -> T {
        let looked = self.perform(|done| {
            Box::new(move |ctx| {
                Box::pin(async move {
                    *done.lock() = Some(catch(|| look(ctx)));
                })
            })
        });
        looked.unwrap_or_else(|payload| resume_unwind(payload))
    }

    /// What it did through its context since the last call, in order.
    pub fn effects(&mut self) -> Vec<Effect> {
        self.effects_of(&self.me)
    }

    /// The same of another actor in its system: a child.
    pub fn effects_of<N: Message>(&self, actor: &ActorRef<N>) -> Vec<Effect> {
        let mut taken = Vec::new();
        let world = self.kit.world().driver().world();
        world.record(|effects| taken = effects.take(actor.address()));
        taken
    }

    /// Its youngest child of this name. `None`: there is none, or it has ended, or its protocol is another.
    pub fn child<N: Message>(&self, name: &str) -> Option<ActorRef<N>> {
        let mut found = None;
        let world = self.kit.world().driver().world();
        world.record(|effects| {
            let child = effects.child(self.me.address(), name);
            found = child.and_then(|child| child.downcast_ref::<WeakRef<N>>().cloned());
        });
        found?.upgrade()
    }

    /// A reply for a message under test, and where its answer lands. It waits for
    /// [`ANSWER_IN_TEST`](limits::ANSWER_IN_TEST).
    #[track_caller]
    pub fn reply<T: Message>(&self) -> (Reply<T>, Answer<T>) {
        let given = Done::<Reply<T>>::default();
        let asked = given.clone();
        let desk = async move |ctx: &mut Context<Reply<T>>| {
            *asked.lock() = ctx.recv().await;
            Ok(())
        };
        let desk = self.kit.system().spawn_anonymous(Props::func(desk));
        let mut answer = Answer {
            waits: Some(Box::pin(async move {
                desk.ask(|reply| reply).within(limits::ANSWER_IN_TEST).await
            })),
            scene: self.kit.scene().clone(),
        };
        let reply = self.kit.scene().wait(Duration::ZERO, || {
            let _not_yet = answer.poll(); // it asks
            given.lock().take()
        });
        match reply {
            Some(reply) => (reply, answer),
            None => panic!("{}", self.kit.scene().report("no reply could be made")),
        }
    }

    /// What it hears as `ctx.me()`.
    pub fn actor_ref(&self) -> &ActorRef<A::Msg> {
        &self.me
    }

    /// The system around it: probes, the clock, events.
    pub fn test_kit(&self) -> &TestKit {
        &self.kit
    }

    /// Lends the state to a job.
    #[track_caller]
    fn play<T: Message>(
        &mut self,
        make: impl FnOnce(Box<A>, Done<(Box<A>, T)>) -> Job<A::Msg>,
    ) -> T {
        let Some(actor) = self.actor.take() else {
            panic!("{LOST}");
        };
        let (actor, came_of_it) = self.perform(|done| make(actor, done));
        self.actor = Some(actor);
        came_of_it
    }

    #[track_caller]
    fn perform<T: Message>(&self, make: impl FnOnce(Done<T>) -> Job<A::Msg>) -> T {
        let done = Done::<T>::default();
        let _ = self.jobs.send(make(done.clone())); // a stand-in that is gone leaves nothing below
        let scene = self.kit.scene();
        match scene.wait(limits::HANDLER_IN_TEST, || done.lock().take()) {
            Some(value) => {
                self.kit.settle();
                value
            }
            None => panic!("{}", scene.report("the handler does not come back")),
        }
    }
}

const LOST: &str = "a handler did not come back, and the state of the actor is lost with it";

impl<A: Actor> fmt::Debug for BehaviorKit<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BehaviorKit<{}>", type_name::<A>())
    }
}

fn start<A: Actor>(mut actor: Box<A>, done: Done<(Box<A>, Outcome)>) -> Job<A::Msg> {
    Box::new(move |ctx| {
        Box::pin(async move {
            let core = CoreRef::new(ctx.core());
            let outcome = watched(&core, actor.started(ctx)).await;
            *done.lock() = Some((actor, outcome));
        })
    })
}

fn handle<A: Actor>(mut actor: Box<A>, msg: A::Msg, done: Done<(Box<A>, Outcome)>) -> Job<A::Msg> {
    Box::new(move |ctx| {
        Box::pin(async move {
            let core = CoreRef::new(ctx.core());
            let outcome = watched(&core, actor.receive(ctx, msg)).await;
            *done.lock() = Some((actor, outcome));
        })
    })
}

fn notify<A: Actor>(
    mut actor: Box<A>,
    signal: Signal,
    done: Done<(Box<A>, Outcome)>,
) -> Job<A::Msg> {
    Box::new(move |ctx| {
        Box::pin(async move {
            let core = CoreRef::new(ctx.core());
            let outcome = watched(&core, actor.signal(ctx, signal)).await;
            *done.lock() = Some((actor, outcome));
        })
    })
}

fn go_on<A: Actor>(mut actor: Box<A>, done: Done<(Box<A>, Option<Outcome>)>) -> Job<A::Msg> {
    Box::new(move |ctx| {
        Box::pin(async move {
            let core = CoreRef::new(ctx.core());
            let outcome = match ctx.take_next().await {
                None | Some(Arrival::End(_) | Arrival::Renewal) => None,
                Some(Arrival::Failed(failure)) => Some(Err(failure)),
                Some(Arrival::Message(msg)) => Some(watched(&core, actor.receive(ctx, msg)).await),
                Some(Arrival::Signal(signal)) => {
                    Some(watched(&core, actor.signal(ctx, signal)).await)
                }
            };
            match &outcome {
                Some(Err(failure)) => ctx.settle(&Played::Failed(failure.clone())),
                _ => ctx.settle(&Played::Done(())),
            }
            *done.lock() = Some((actor, outcome));
        })
    })
}

/// Runs a handler as a turn does: a panic is a failure, and the replies that it dropped are answered with what came of it.
async fn watched(core: &CoreRef, handler: impl Future<Output = Outcome> + Send) -> Outcome {
    let mut handler = pin!(catch_future(handler));
    poll_fn(|context| {
        let (polled, forsaken) = here::turn(core, || handler.as_mut().poll(context));
        let polled = polled.map(|caught| match caught {
            Ok(outcome) => outcome.and(core.take_verdict().map_or(Ok(()), Err)),
            Err(payload) => Err(Failure::from_panic(payload)),
        });
        forsaken.answer(&match &polled {
            Poll::Ready(Err(failure)) => NoReply::Failed(failure.clone()),
            _ => NoReply::Dropped,
        });
        polled
    })
    .await
}

/// Lives where the actor under test would, and lends its context.
struct StandIn<M: Message> {
    coming: Arc<Mutex<Option<mpsc::UnboundedReceiver<Job<M>>>>>,
}

impl<M: Message> Actor for StandIn<M> {
    type Msg = M;

    async fn started(&mut self, ctx: &mut Context<M>) -> Outcome {
        let coming = self.coming.lock().take();
        if let Some(mut coming) = coming {
            while let Some(job) = coming.recv().await {
                job(ctx).await;
            }
        }
        pending().await
    }

    async fn receive(&mut self, _ctx: &mut Context<M>, _msg: M) -> Outcome {
        Ok(()) // never: `started` does not end
    }
}

/// Where the answer to [`BehaviorKit::reply`] lands. Dropped, nobody waits for it any more.
pub struct Answer<T> {
    waits: Option<Waiting<T>>,
    scene: Rc<Scene>,
}

type Waiting<T> = Pin<Box<dyn Future<Output = Result<T, AskError>>>>;

impl<T: Message> Answer<T> {
    /// The answer, or why there is none.
    ///
    /// # Panics
    /// If it is still to come, or was taken already.
    #[track_caller]
    pub fn take(&mut self) -> Result<T, AskError> {
        match self.try_take() {
            Some(answer) => answer,
            None => panic!(
                "{}",
                self.scene
                    .report("the reply is neither answered nor dropped")
            ),
        }
    }

    /// The same, if it is there.
    ///
    /// # Panics
    /// If it was taken already.
    #[track_caller]
    pub fn try_take(&mut self) -> Option<Result<T, AskError>> {
        assert!(
            self.waits.is_some(),
            "there is one answer, and it was taken"
        );
        self.scene.driver.settle();
        match self.poll() {
            Poll::Ready(answer) => Some(answer),
            Poll::Pending => None,
        }
    }

    fn poll(&mut self) -> Poll<Result<T, AskError>> {
        let Some(waits) = &mut self.waits else {
            return Poll::Pending;
        };
        // Looked at whenever somebody wants to know, so nobody need wake it.
        let mut context = PollContext::from_waker(Waker::noop());
        let polled = waits.as_mut().poll(&mut context);
        if polled.is_ready() {
            self.waits = None;
        }
        polled
    }
}

impl<T> fmt::Debug for Answer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answer<{}>", type_name::<T>())
    }
}
