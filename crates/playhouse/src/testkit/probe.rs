//! An actor whose messages the test looks at.

use super::scene::Scene;
use crate::actor::{Actor, Exit, Message, Outcome};
use crate::actor_ref::ActorRef;
use crate::context::Context;
use crate::mailbox::Mailbox;
use crate::props::Props;
use crate::sync::{Arc, Mutex, Weak};
use crate::system::ActorSystem;
use std::any::type_name;
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context as PollContext, Poll, Waker};
use std::time::Duration;

/// Takes every message it is told and keeps it for the test. An actor like any other: it can be watched and stopped, and a
/// message to it is there after its turn. Made by [`TestKit::probe`](super::TestKit::probe).
///
/// What expects something steps the system just until it is there. Where no time is named, time stands still: what does not
/// come without the clock being moved fails the test at once. A failure's text has the seed, the last steps, and what
/// failed so far.
///
/// ```
/// use playhouse::prelude::*;
/// use playhouse::testkit::TestKit;
///
/// let kit = TestKit::new();
/// let mut probe = kit.probe();
/// probe.actor_ref().tell("tea");
/// probe.actor_ref().tell("milk");
/// assert_eq!(probe.expect_n(2), ["tea", "milk"]);
/// probe.expect_nothing();
/// ```
///
/// Its mailbox is unbounded, so that no message is lost to a test that looks late. A probe that was dropped goes on as an
/// actor and drops what it is told, so asks to it end.
pub struct Probe<M> {
    actor: ActorRef<M>,
    taken: Arc<Taken<M>>,
    scene: Rc<Scene>,
}

/// What the actor has put aside for the test.
type Taken<M> = Mutex<VecDeque<M>>;

struct Keeper<M>(Weak<Taken<M>>);

impl<M> Clone for Keeper<M> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<M: Message> Actor for Keeper<M> {
    type Msg = M;
    async fn receive(&mut self, _ctx: &mut Context<M>, msg: M) -> Outcome {
        if let Some(taken) = self.0.upgrade() {
            taken.lock().push_back(msg);
        }
        Ok(())
    }
}

/// What a message means to somebody who waits for the right one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fishing {
    /// Not the one yet.
    Continue,
    /// The last one.
    Complete,
    /// One that must not come, and why.
    Fail(String),
}

impl<M: Message> Probe<M> {
    #[track_caller]
    pub(super) fn spawn(system: &ActorSystem, scene: Rc<Scene>, name: String) -> Self {
        let taken = Arc::<Taken<M>>::default();
        let keeper = Keeper(Arc::downgrade(&taken));
        let props = Props::new(move || keeper).mailbox(Mailbox::unbounded());
        match system.spawn(name, props) {
            Ok(actor) => Self {
                actor,
                taken,
                scene,
            },
            Err(error) => panic!("no probe: {error}"),
        }
    }

    /// To be told, watched, put into messages.
    pub fn actor_ref(&self) -> &ActorRef<M> {
        &self.actor
    }

    /// The next message. Time stands still.
    ///
    /// # Panics
    /// If none comes.
    #[track_caller]
    pub fn expect(&mut self) -> M {
        self.expect_within(Duration::ZERO)
    }

    /// The next message, for which time passes if need be.
    ///
    /// # Panics
    /// If none comes in that time.
    #[track_caller]
    pub fn expect_within(&mut self, time: Duration) -> M {
        match self.next(time) {
            Some(message) => message,
            None => self.fail(format_args!(
                "no `{}` came within {time:?}",
                type_name::<M>()
            )),
        }
    }

    /// What `pick` makes of the next message. Time stands still.
    ///
    /// # Panics
    /// If none comes, or `pick` finds nothing in it.
    #[track_caller]
    pub fn expect_map<T>(&mut self, pick: impl FnOnce(M) -> Option<T>) -> T {
        match pick(self.expect()) {
            Some(value) => value,
            None => self.fail(format_args!("this `{}` was not expected", type_name::<M>())),
        }
    }

    /// The next so many messages. Time stands still.
    ///
    /// # Panics
    /// If there are fewer.
    #[track_caller]
    pub fn expect_n(&mut self, how_many: usize) -> Vec<M> {
        self.expect_n_within(how_many, Duration::ZERO)
    }

    /// The next so many messages, for which together time passes if need be.
    ///
    /// # Panics
    /// If there are fewer by then.
    #[track_caller]
    pub fn expect_n_within(&mut self, how_many: usize, time: Duration) -> Vec<M> {
        let taken = self.taken.clone();
        let is_there = || (taken.lock().len() >= how_many).then_some(());
        match self.scene.wait(time, is_there) {
            Some(()) => self.taken.lock().drain(..how_many).collect(),
            None => self.fail(format_args!(
                "{} of {how_many} `{}` came within {time:?}",
                taken.lock().len(),
                type_name::<M>()
            )),
        }
    }

    /// Takes messages until `judge` calls one the last; all of them, in order. For all of them together time passes at most
    /// `within`, also what `judge` itself lets pass.
    ///
    /// # Panics
    /// If `judge` says so, or the last does not come in time.
    #[track_caller]
    pub fn fish(&mut self, within: Duration, mut judge: impl FnMut(&M) -> Fishing) -> Vec<M> {
        let until = self.scene.driver.elapsed().saturating_add(within);
        let mut caught = Vec::new();
        loop {
            let left = until.saturating_sub(self.scene.driver.elapsed());
            let Some(message) = self.next(left) else {
                self.fail(format_args!(
                    "after {} messages of `{}` the last was still to come, {within:?} later",
                    caught.len(),
                    type_name::<M>()
                ));
            };
            let judgement = judge(&message);
            caught.push(message);
            match judgement {
                Fishing::Fail(why) => self.fail(format_args!(
                    "message {} of `{}` is wrong: {why}",
                    caught.len(),
                    type_name::<M>()
                )),
                _ if self.scene.driver.elapsed() > until => self.fail(format_args!(
                    "to judge message {} of `{}` took longer than {within:?}",
                    caught.len(),
                    type_name::<M>()
                )),
                Fishing::Complete => return caught,
                Fishing::Continue => {}
            }
        }
    }

    /// Settles, and there must be no message. Time stands still: move the clock before, to say for how long.
    ///
    /// # Panics
    /// If there is one.
    #[track_caller]
    pub fn expect_nothing(&mut self) {
        self.scene.driver.settle();
        let count = self.taken.lock().len();
        if count > 0 {
            self.fail(format_args!(
                "{count} `{}` came where none was expected",
                type_name::<M>()
            ));
        }
    }

    /// How the actor ended. Time stands still; an actor that is gone already has ended as well.
    ///
    /// # Panics
    /// If it goes on.
    #[track_caller]
    pub fn expect_terminated<N: Message>(&mut self, actor: &ActorRef<N>) -> Exit {
        self.expect_terminated_within(actor, Duration::ZERO)
    }

    /// How the actor ended, for which time passes if need be.
    ///
    /// # Panics
    /// If it goes on after that time.
    #[track_caller]
    pub fn expect_terminated_within<N: Message>(
        &mut self,
        actor: &ActorRef<N>,
        time: Duration,
    ) -> Exit {
        let mut end = pin!(actor.terminated());
        // Polled before each step, so nobody need wake it.
        let mut context = PollContext::from_waker(Waker::noop());
        let look = || match end.as_mut().poll(&mut context) {
            Poll::Ready(exit) => Some(exit),
            Poll::Pending => None,
        };
        match self.scene.wait(time, look) {
            Some(exit) => exit,
            None => self.fail(format_args!(
                "{} did not end within {time:?}",
                actor.address()
            )),
        }
    }

    /// Stops it as an actor. Its watchers are told; what it has taken can still be expected.
    pub fn stop(&self) {
        self.actor.stop();
    }

    fn next(&mut self, within: Duration) -> Option<M> {
        let taken = self.taken.clone();
        self.scene.wait(within, || taken.lock().pop_front())
    }

    #[track_caller]
    fn fail(&self, what: fmt::Arguments<'_>) -> ! {
        let what = format_args!("{}: {what}", self.actor.address()).to_string();
        panic!("{}", self.scene.report(what))
    }
}

impl<M> fmt::Debug for Probe<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Probe({:?})", self.actor)
    }
}
