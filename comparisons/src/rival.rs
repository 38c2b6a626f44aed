//! What the workloads need of a rival, and what a rival is given to play.

use std::future::Future;
use std::sync::{Arc, OnceLock};

/// As many places as a mailbox of the runtime has by default.
pub(crate) const MAILBOX: usize = 1_024;

/// A rival runtime.
pub(crate) trait Rival: Sized + Send + Sync + Unpin + 'static {
    /// Its address of an actor with that logic.
    type Ref<L: Logic<Self>>: Clone + Send + Sync + Unpin + 'static;

    /// Whether a sender can wait for room in a mailbox.
    const HAS_BOUND: bool;

    /// Whether a handler can await with its state in hand.
    const AWAITS: bool;

    fn block_on<T>(workers: usize, future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(workers)
            .enable_all()
            .build()
            .expect("a plain runtime builds")
            .block_on(future)
    }

    /// A task beside the actors, on the same threads.
    fn task(future: impl Future<Output = ()> + Send + 'static) {
        tokio::spawn(future);
    }

    fn spawn<L: Logic<Self>>(logic: L, room: Room) -> Self::Ref<L>;

    /// Never waits. Where the rival has a bound, the workload sees to it that there is room.
    fn tell<L: Logic<Self>>(to: &Self::Ref<L>, message: L::Msg);

    /// Waits for room.
    fn send<L: Logic<Self>>(to: &Self::Ref<L>, message: L::Msg) -> impl Future<Output = ()> + Send;

    fn ask<L: Logic<Self>>(to: &Self::Ref<L>, message: L::Msg) -> impl Future<Output = u64> + Send;
}

/// How many messages may wait, where a rival has a bound at all.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Room {
    Bounded,
    Unbounded,
}

/// What an actor does, whoever runs it.
pub(crate) trait Logic<R: Rival>: Sized + Send + Unpin + 'static {
    type Msg: Send + 'static;

    fn started(&mut self) {}

    fn receive(
        &mut self,
        message: Self::Msg,
        me: &R::Ref<Self>,
    ) -> impl Future<Output = Then> + Send;
}

/// What comes after a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    Next,
    Stop,
    /// It was a question.
    Answer(u64),
}

impl Then {
    pub(crate) fn answer(self) -> u64 {
        match self {
            Then::Answer(number) => number,
            Then::Next | Then::Stop => 0,
        }
    }
}

/// The logic and its own address, as the rivals' actors hold them.
pub(crate) struct Cast<R: Rival, L: Logic<R>> {
    pub(crate) logic: L,
    /// Known once it has started.
    pub(crate) me: Option<R::Ref<L>>,
}

impl<R: Rival, L: Logic<R>> Cast<R, L> {
    pub(crate) fn new(logic: L) -> Self {
        Self { logic, me: None }
    }

    pub(crate) fn start(&mut self, me: R::Ref<L>) {
        self.me = Some(me);
        self.logic.started();
    }

    pub(crate) async fn receive(&mut self, message: L::Msg) -> Then {
        let Self { logic, me } = self;
        logic
            .receive(message, me.as_ref().expect("it has started"))
            .await
    }
}

/// A message on its way; rivals want a type of ours to hang their traits on.
pub(crate) struct Letter<M>(pub(crate) M);

/// An address that is known later than the actor which needs it is made: before the first message.
#[derive(Debug)]
pub(crate) struct Later<T>(Arc<OnceLock<T>>);

impl<T> Clone for Later<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Later<T> {
    pub(crate) fn new() -> Self {
        Self(Arc::new(OnceLock::new()))
    }

    pub(crate) fn set(&self, value: T) {
        assert!(self.0.set(value).is_ok(), "it is set once");
    }

    pub(crate) fn get(&self) -> &T {
        self.0.get().expect("it is set before the first message")
    }
}
