//! What actors do through their contexts, written down for a test. Only a stepped world keeps it, and only if a test asks
//! for it; elsewhere nothing is written, and nothing is paid.

use crate::actor::Message;
use crate::actor_ref::ActorRef;
use crate::address::Address;
use crate::timers::TimerKey;
use std::any::Any;
use std::time::Duration;

/// Something an actor did through its [`Context`](crate::Context), in the order in which it did it. What it told others,
/// they know: give it a [`Probe`](crate::testkit::Probe).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(not(feature = "testkit"), allow(dead_code, unreachable_pub))]
pub enum Effect {
    /// A child with a name.
    Spawned {
        /// The name.
        name: String,
    },
    /// A child with a generated name.
    SpawnedAnonymous,
    /// It stopped a child, and waits for its end.
    ChildStopped(Address),
    /// It is told of the end of somebody.
    Watched(Address),
    /// The same, as a message of its own.
    WatchedWith(Address),
    /// It is told no more.
    Unwatched(Address),
    /// A reference for messages of this type.
    Adapted(&'static str),
    /// A question whose answer comes as a message.
    Asked {
        /// Whom.
        to: Address,
        /// The type of the request.
        request: &'static str,
        /// How long it waits.
        within: Duration,
    },
    /// Work outside its turn, whose result comes as a message.
    Piped,
    /// The message in hand was set aside.
    Stashed,
    /// So many messages come back.
    Unstashed(usize),
    /// A timer was set, or replaced.
    TimerSet {
        /// Its key.
        key: TimerKey,
        /// The time to its first tick.
        after: Duration,
    },
    /// A timer of this key ticks no more, if there was one.
    TimerCancelled(TimerKey),
    /// A message to somebody else, later.
    Scheduled {
        /// To whom.
        to: Address,
        /// How much later.
        after: Duration,
    },
    /// A message when none has come for so long.
    ReceiveTimeoutSet(Duration),
    /// No such message any more.
    ReceiveTimeoutCancelled,
    /// A message to itself, behind those that wait.
    Again,
    /// A message it does not handle.
    Unhandled,
    /// It ends after this message.
    Stopped,
    /// It ends after what it has accepted.
    Drained,
}

/// The effects of the actors of one world.
#[derive(Default)]
#[cfg_attr(not(feature = "testkit"), allow(dead_code))]
pub(crate) struct Effects {
    list: Vec<(Address, Effect)>,
    children: Vec<Child>,
}

#[cfg_attr(not(feature = "testkit"), allow(dead_code))]
struct Child {
    parent: Address,
    name: String,
    /// A `WeakRef` of its protocol.
    reference: Box<dyn Any + Send>,
}

#[cfg_attr(not(feature = "testkit"), allow(dead_code))]
impl Effects {
    pub(crate) fn add(&mut self, of: &Address, effect: Effect) {
        self.list.push((of.clone(), effect));
    }

    pub(crate) fn add_child<M: Message>(&mut self, of: &Address, child: &ActorRef<M>) {
        let name = child.address().name().to_owned();
        self.add(of, Effect::Spawned { name: name.clone() });
        self.children.push(Child {
            parent: of.clone(),
            name,
            reference: Box::new(child.downgrade()),
        });
    }

    /// Of this actor, oldest first. They are forgotten.
    pub(crate) fn take(&mut self, of: &Address) -> Vec<Effect> {
        let own = self.list.extract_if(.., |(who, _)| who == of);
        own.map(|(_, effect)| effect).collect()
    }

    /// The youngest child of that name, as the weak reference that it was remembered by.
    pub(crate) fn child(&self, of: &Address, name: &str) -> Option<&(dyn Any + Send)> {
        let mut youngest_first = self.children.iter().rev();
        let found = youngest_first.find(|child| child.parent == *of && child.name == name)?;
        Some(&*found.reference)
    }
}
