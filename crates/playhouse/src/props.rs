//! How an actor is made, placed, kept alive.

use crate::actor::{Actor, BlockingActor, Message, Outcome};
use crate::cell::CoreRef;
use crate::cell::body::{Newborn, Place, Refused};
use crate::cell::lifecycle::Casting;
use crate::cell::membership::Membership;
use crate::cell::redelivery::Redelivery;
use crate::cell::renewal::Oversight;
use crate::cell::roles::{Function, OnOwnThread, Plain, Setup};
use crate::context::Context;
use crate::dispatch::DispatcherRef;
use crate::dispatch::choice::Choice;
use crate::mailbox::Mailbox;
use crate::supervise::Supervise;
use crate::sync::Arc;
use crate::system::SpawnError;
use std::fmt;
use std::future::Future;

/// A recipe for one protocol. `Clone`, because its factory is; the actor's type is gone, so recipes mix in lists and
/// work pools.
#[must_use = "no actor exists before `spawn`"]
pub struct Props<M> {
    settings: Settings<M>,
    recipe: Box<dyn Recipe<M>>,
    choice: Choice,
}

impl<M: Message> Props<M> {
    /// The plain factory. `spawn` takes the closure itself; wrap it only to change a setting.
    pub fn new<A: Actor<Msg = M>>(factory: impl FnOnce() -> A + Clone + Send + 'static) -> Self {
        Self::from_casting(Plain(factory))
    }

    /// The factory that needs the context, awaits or may fail: `Props::setup(async move |ctx| Ok(..))`. Messages wait
    /// meanwhile; an `Err` goes to supervision.
    pub fn setup<A: Actor<Msg = M>, F>(factory: F) -> Self
    where
        F: AsyncFnOnce(&mut Context<M>) -> Outcome<A>
            + for<'a> SendTurn<'a, M, A>
            + Clone
            + Send
            + 'static,
    {
        Self::from_casting(Setup::new(factory))
    }

    /// The factory of a [`BlockingActor`]; it runs on the actor's own thread, on which everything it makes stays.
    pub fn blocking<B: BlockingActor<Msg = M>>(
        factory: impl FnOnce(&mut Context<M>) -> Outcome<B> + Clone + Send + 'static,
    ) -> Self {
        Self {
            choice: Choice::OwnThread,
            ..Self::from_casting(OnOwnThread::new(factory))
        }
    }

    /// A function actor: one life, so it may own what cannot be cloned (a `Reply`). Returns: stopped. `Err`: failed.
    pub fn func<F>(body: F) -> FuncProps<M>
    where
        F: AsyncFnOnce(&mut Context<M>) -> Outcome + for<'a> SendTurn<'a, M, ()> + Send + 'static,
    {
        FuncProps {
            settings: Settings::default(),
            recipe: Box::new(move |place, settings| {
                Newborn::new(place, settings, Function(body), None)
            }),
            choice: Choice::Default,
        }
    }

    /// How many messages may wait, and in which order they are taken. Default: [`limits::MAILBOX`](crate::limits::MAILBOX),
    /// first in, first out.
    pub fn mailbox(mut self, mailbox: Mailbox<M>) -> Self {
        self.settings.mailbox = mailbox;
        self.settings.check_stash();
        self
    }

    /// Where it runs. Default: the system's `default`, on Tokio's workers. Of several choices the last counts.
    ///
    /// # Panics
    /// On [`Props::blocking`], which has its own thread.
    pub fn dispatcher(mut self, on: &DispatcherRef) -> Self {
        self.choice.replace(Choice::This(on.clone()));
        self
    }

    /// The same by name, looked up when the actor is spawned: for recipes that are made before their system. A name that
    /// the system does not know fails the spawn with [`SpawnError::UnknownDispatcher`](crate::SpawnError); an anonymous
    /// spawn, which cannot fail, gives a reference that is already gone and publishes
    /// [`Event::SpawnFailed`](crate::Event).
    ///
    /// # Panics
    /// On [`Props::blocking`], which has its own thread.
    pub fn dispatcher_named(mut self, name: impl Into<String>) -> Self {
        self.choice.replace(Choice::Named(name.into()));
        self
    }

    /// Where its parent runs; on `pinned` a thread of its own beside the parent's. Without a parent: the system's
    /// `default`.
    ///
    /// # Panics
    /// On [`Props::blocking`], which has its own thread.
    pub fn same_dispatcher_as_parent(mut self) -> Self {
        self.choice.replace(Choice::LikeParent);
        self
    }

    /// A stash bound below the mailbox bound, which is the default.
    ///
    /// # Panics
    /// If it is above: it could never be reached.
    pub fn stash(mut self, bound: usize) -> Self {
        self.settings.stash = Some(bound);
        self.settings.check_stash();
        self
    }

    /// What a failure leads to. Default: [`Supervise::stop`].
    pub fn supervise(mut self, how: impl Into<Supervise>) -> Self {
        self.settings.supervise = Some(Arc::new(how.into()));
        self
    }

    /// A message whose handler fails, so that the actor restarts, is delivered again, first of all, up to `times` times.
    /// If it fails once more it is quarantined: counted, and published as [`Event::Quarantined`](crate::Event) with what
    /// each delivery failed with. Only for messages that may be handled twice. Default: 0, so a message that fails is
    /// lost with its incarnation. Each message is cloned before it is handled.
    ///
    /// # Panics
    /// When it is spawned without [`supervise`](Self::supervise): it would do nothing.
    pub fn redeliver(mut self, times: u32) -> Self
    where
        M: Clone,
    {
        self.settings.redeliver = Some(Redeliver {
            times,
            clone: M::clone,
        });
        self
    }

    /// What keeps it alive. Default: [`Lifetime::Tree`].
    pub fn lifetime(mut self, lifetime: Lifetime) -> Self {
        self.settings.lifetime = lifetime;
        self
    }

    fn from_casting(casting: impl Casting<M> + Clone + Send) -> Self {
        Self {
            settings: Settings::default(),
            recipe: Box::new(casting),
            choice: Choice::Default,
        }
    }
}

impl<M> Clone for Props<M> {
    fn clone(&self) -> Self {
        Self {
            settings: self.settings.clone(),
            recipe: self.recipe.clone_box(),
            choice: self.choice.clone(),
        }
    }
}

impl<M> fmt::Debug for Props<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Props<{}>", std::any::type_name::<M>())
    }
}

/// As [`Props`], for one life: neither `Clone` nor supervised.
#[must_use = "no actor exists before `spawn`"]
pub struct FuncProps<M> {
    pub(crate) settings: Settings<M>,
    pub(crate) recipe: Once<M>,
    choice: Choice,
}

impl<M: Message> FuncProps<M> {
    /// As [`Props::mailbox`].
    pub fn mailbox(mut self, mailbox: Mailbox<M>) -> Self {
        self.settings.mailbox = mailbox;
        self
    }

    /// As [`Props::dispatcher`].
    pub fn dispatcher(mut self, on: &DispatcherRef) -> Self {
        self.choice.replace(Choice::This(on.clone()));
        self
    }

    /// As [`Props::dispatcher_named`].
    pub fn dispatcher_named(mut self, name: impl Into<String>) -> Self {
        self.choice.replace(Choice::Named(name.into()));
        self
    }

    /// As [`Props::lifetime`].
    pub fn lifetime(mut self, lifetime: Lifetime) -> Self {
        self.settings.lifetime = lifetime;
        self
    }

    /// As [`Props::same_dispatcher_as_parent`].
    pub fn same_dispatcher_as_parent(mut self) -> Self {
        self.choice.replace(Choice::LikeParent);
        self
    }
}

impl<M: Message> FuncProps<M> {
    fn newborn_at(mut self, place: &Place<'_>) -> Result<Newborn<M>, Refused<M>> {
        match self.choice.resolve(place.system, place.parent) {
            Ok(chosen) => {
                self.settings.dispatcher = chosen;
                Ok((self.recipe)(place, self.settings))
            }
            Err(unknown) => Err(Refused {
                newborn: (self.recipe)(place, self.settings),
                why: SpawnError::UnknownDispatcher(unknown),
            }),
        }
    }
}

impl<M> fmt::Debug for FuncProps<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FuncProps<{}>", std::any::type_name::<M>())
    }
}

/// What keeps an actor alive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lifetime {
    /// Until stopped, or the parent ends.
    #[default]
    Tree,
    /// Also, drained, when the last strong reference is dropped.
    Handles,
}

/// What `spawn` takes: [`Props`], a factory closure `|| MyActor { .. }`, a work pool.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a recipe for an actor",
    note = "pass a factory, `move || MyActor {{ .. }}` (its captures must be `Clone + Send`), or `Props`; \
            `Props::func` for a function"
)]
pub trait IntoProps {
    /// The protocol.
    type Msg: Message;
    #[doc(hidden)]
    fn recipe(self) -> FuncProps<Self::Msg>;
    #[doc(hidden)]
    fn newborn(self, place: &Place<'_>) -> Result<Newborn<Self::Msg>, Refused<Self::Msg>>
    where
        Self: Sized,
    {
        self.recipe().newborn_at(place)
    }
}

impl<M: Message> IntoProps for Props<M> {
    type Msg = M;
    fn recipe(self) -> FuncProps<M> {
        let Self {
            settings,
            recipe,
            choice,
        } = self;
        FuncProps {
            settings,
            recipe: Box::new(move |place, settings| recipe.cook(place, settings)),
            choice,
        }
    }
}

impl<M: Message> IntoProps for FuncProps<M> {
    type Msg = M;
    fn recipe(self) -> FuncProps<M> {
        self
    }
}

impl<F: FnOnce() -> A + Clone + Send + 'static, A: Actor> IntoProps for F {
    type Msg = A::Msg;
    fn recipe(self) -> FuncProps<A::Msg> {
        Props::new(self).recipe()
    }
    /// Without a box for the recipe.
    fn newborn(self, place: &Place<'_>) -> Result<Newborn<A::Msg>, Refused<A::Msg>> {
        Ok(Newborn::new(place, Settings::default(), Plain(self), None))
    }
}

/// Names the future of an async closure that borrows the context, so that it can be required to be `Send`. Nobody
/// implements it.
#[diagnostic::on_unimplemented(
    message = "not an async function of `&mut Context<{M}>` with a `Send` future",
    note = "write `async move |ctx| ..`; what it holds across an await must be `Send`"
)]
pub trait SendTurn<'a, M: 'static, T>: FnOnce(&'a mut Context<M>) -> Self::Turn {
    /// The future.
    type Turn: Future<Output = Outcome<T>> + Send + 'a;
}

impl<'a, M: 'static, T, F, Fut> SendTurn<'a, M, T> for F
where
    F: FnOnce(&'a mut Context<M>) -> Fut,
    Fut: Future<Output = Outcome<T>> + Send + 'a,
{
    type Turn = Fut;
}

pub(crate) struct Settings<M> {
    pub(crate) mailbox: Mailbox<M>,
    /// `None`: the system's `default`.
    pub(crate) dispatcher: Option<DispatcherRef>,
    pub(crate) lifetime: Lifetime,
    /// `None`: as many as the mailbox has places.
    pub(crate) stash: Option<usize>,
    pub(crate) supervise: Option<Arc<Supervise>>,
    pub(crate) membership: Option<Arc<Membership>>,
    redeliver: Option<Redeliver<M>>,
}

struct Redeliver<M> {
    times: u32,
    clone: fn(&M) -> M,
}

impl<M> Settings<M> {
    /// What the actor does about messages that fail it.
    pub(crate) fn redelivery(&self) -> Option<Redelivery<M>> {
        let Redeliver { times, clone } = self.redeliver.as_ref()?;
        Some(Redelivery::new(*times, *clone))
    }
}

impl<M> Settings<M> {
    fn check_stash(&self) {
        let places = self.mailbox.places;
        let is_reachable = self.stash.is_none_or(|bound| bound <= places);
        assert!(
            is_reachable,
            "a stashed message keeps its place: a stash larger than the mailbox ({places}) is never full"
        );
    }
}

impl<M> Default for Settings<M> {
    fn default() -> Self {
        Self {
            mailbox: Mailbox::default(),
            dispatcher: None,
            lifetime: Lifetime::default(),
            stash: None,
            supervise: None,
            membership: None,
            redeliver: None,
        }
    }
}

impl<M> Clone for Settings<M> {
    fn clone(&self) -> Self {
        Self {
            mailbox: self.mailbox.clone(),
            dispatcher: self.dispatcher.clone(),
            lifetime: self.lifetime,
            stash: self.stash,
            supervise: self.supervise.clone(),
            membership: self.membership.clone(),
            redeliver: self
                .redeliver
                .as_ref()
                .map(|&Redeliver { times, clone }| Redeliver { times, clone }),
        }
    }
}

/// A recipe for one life.
pub(crate) type Once<M> = Box<dyn FnOnce(&Place<'_>, Settings<M>) -> Newborn<M> + Send>;

/// A cloneable factory behind a box.
trait Recipe<M>: Send {
    fn cook(self: Box<Self>, place: &Place<'_>, settings: Settings<M>) -> Newborn<M>;
    fn clone_box(&self) -> Box<dyn Recipe<M>>;
}

impl<M: Message, C: Casting<M> + Clone + Send> Recipe<M> for C {
    fn cook(self: Box<Self>, place: &Place<'_>, mut settings: Settings<M>) -> Newborn<M> {
        let membership = settings.membership.take();
        let policy = settings.supervise.clone();
        let policy = policy.or_else(|| membership.as_ref().map(|_| Arc::new(Supervise::stop())));
        let oversight = policy.map(|policy| {
            let understudy = (*self).clone();
            Oversight::new(policy, membership.clone(), understudy)
        });
        assert!(
            oversight.is_some() || settings.redeliver.is_none(),
            "`Props::redeliver` does nothing without `Props::supervise`: only a restart delivers again"
        );
        let newborn = Newborn::new(place, settings, *self, oversight);
        if let Some(membership) = membership {
            membership.bind(CoreRef::new(newborn.core()));
        }
        newborn
    }

    fn clone_box(&self) -> Box<dyn Recipe<M>> {
        Box::new(self.clone())
    }
}
