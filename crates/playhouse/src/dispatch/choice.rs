//! Which dispatcher an actor lives on, as its props say it. A name is looked up when the actor is spawned, because only
//! then is the system known.

use super::{DispatcherRef, UnknownDispatcher};
use crate::cell::family::Family;
use crate::system::ActorSystem;

#[derive(Clone, Debug, Default)]
pub(crate) enum Choice {
    /// The system's `default`.
    #[default]
    Default,
    This(DispatcherRef),
    Named(String),
    LikeParent,
    /// A thread of its own, which nobody else may choose.
    OwnThread,
}

impl Choice {
    /// `None`: the system's `default`.
    pub(crate) fn resolve(
        self,
        system: &ActorSystem,
        parent: &Family,
    ) -> Result<Option<DispatcherRef>, UnknownDispatcher> {
        Ok(match self {
            Self::Default => None,
            Self::This(dispatcher) => Some(dispatcher),
            Self::Named(name) => Some(system.dispatcher(&name)?),
            Self::LikeParent => parent.dispatcher().cloned(),
            Self::OwnThread => Some(system.inner().own_threads().clone()),
        })
    }

    /// Another choice, if there is one.
    ///
    /// # Panics
    /// If the actor has its own thread.
    pub(crate) fn replace(&mut self, by: Self) {
        assert!(
            !matches!(self, Self::OwnThread),
            "`Props::blocking` has its own thread; a dispatcher would do nothing"
        );
        *self = by;
    }
}
