//! What a user implements, and what an actor is told about its life.

use crate::address::Address;
use crate::context::Context;
use crate::failure::Failure;
use std::error::Error;
use std::fmt;
use std::future::Future;

/// Anything owned and sendable is a message. An alias for bounds; nobody implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a message",
    note = "a message is moved to another thread: it must be `Send + 'static`"
)]
pub trait Message: Send + 'static {}
impl<T: Send + 'static> Message for T {}

/// `Ok(())`: go on. `Err`: this incarnation failed; supervision decides. A caller's error is not a failure: answer it with
/// `Reply<Result<..>>`.
pub type Outcome<T = ()> = Result<T, Failure>;

/// State and its handler. Write the methods as `async fn`; helpers that await take `&mut self` (`&self` would ask for
/// `Self: Sync`).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an actor",
    note = "implement `Actor` for it"
)]
pub trait Actor: Sized + Send + 'static {
    /// The protocol.
    type Msg: Message;

    /// Once per incarnation, before the first message. Messages wait meanwhile.
    fn started(&mut self, ctx: &mut Context<Self::Msg>) -> impl Future<Output = Outcome> + Send {
        let _ = ctx;
        async { Ok(()) }
    }

    /// One message at a time, also across awaits.
    fn receive(
        &mut self,
        ctx: &mut Context<Self::Msg>,
        msg: Self::Msg,
    ) -> impl Future<Output = Outcome> + Send;

    /// Lifecycle events. `Terminated` comes after everything that actor had sent us, the rest ahead of messages. End a
    /// match with `other => other.unhandled()`.
    fn signal(
        &mut self,
        ctx: &mut Context<Self::Msg>,
        signal: Signal,
    ) -> impl Future<Output = Outcome> + Send {
        let _ = ctx;
        async { signal.unhandled() }
    }

    /// The state went into a step that failed, so it cannot go on as it is.
    #[doc(hidden)]
    fn is_spent(&self) -> bool {
        false
    }
}

/// Synchronous state on its own thread. It may be `!Send`: its factory runs there. Same references, context and props
/// as [`Actor`].
///
/// A handler may block. Asked to stop, it sees [`Context::is_stopping`], and the waits it makes through Playhouse
/// (`blocking_send`, `blocking_reserve`, `blocking_take`, `blocking_within`) end by themselves with an error whose cause
/// is [`Cancelled`](crate::Cancelled); returned with `?`, that ends the actor as stopped, not as failed.
pub trait BlockingActor: Sized + 'static {
    /// The protocol.
    type Msg: Message;

    /// Once per incarnation, before the first message.
    fn started(&mut self, ctx: &mut Context<Self::Msg>) -> Outcome {
        let _ = ctx;
        Ok(())
    }

    /// One message at a time.
    fn receive(&mut self, ctx: &mut Context<Self::Msg>, msg: Self::Msg) -> Outcome;

    /// Lifecycle events, as [`Actor::signal`].
    fn signal(&mut self, ctx: &mut Context<Self::Msg>, signal: Signal) -> Outcome {
        let _ = ctx;
        signal.unhandled()
    }
}

/// Lifecycle events. Never bounded, never dropped.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Signal {
    /// This incarnation has failed and will be replaced. Its children end next, unless they are kept; then its state is
    /// dropped. A failure here is published and changes nothing.
    PreRestart(Failure),
    /// The last thing the actor hears; its children have ended, its state is dropped next. A failure here makes the exit
    /// `Failed`.
    PostStop,
    /// A watched actor has ended.
    Terminated {
        /// Which one.
        who: Address,
        /// Why.
        exit: Exit,
    },
    /// The function of an adapter panicked; its message is lost.
    AdapterFailed(Failure),
}

impl Signal {
    /// The default answer: `Terminated` and `AdapterFailed` fail the actor, the rest is fine.
    pub fn unhandled(self) -> Outcome {
        match self {
            Signal::PreRestart(_) | Signal::PostStop => Ok(()),
            Signal::Terminated { who, exit } => Err(UnhandledEnd { who, exit }.into()),
            Signal::AdapterFailed(failure) => Err(failure),
        }
    }
}

/// A watched actor ended and nobody took the news.
#[derive(Debug)]
struct UnhandledEnd {
    who: Address,
    exit: Exit,
}

impl fmt::Display for UnhandledEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { who, exit } = self;
        write!(
            f,
            "{who}, which is watched, ended ({exit}); handle `Signal::Terminated` or use `watch_with`"
        )
    }
}

impl Error for UnhandledEnd {}

/// Why an actor ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Exit {
    /// It was stopped, or stopped itself.
    Stopped,
    /// It handled what it had accepted.
    Drained,
    /// A handler failed.
    Failed(Failure),
    /// It was killed.
    Killed,
    /// The system ended.
    Shutdown,
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Stopped => f.write_str("stopped"),
            Exit::Drained => f.write_str("drained"),
            Exit::Failed(failure) => write!(f, "failed: {failure}"),
            Exit::Killed => f.write_str("killed"),
            Exit::Shutdown => f.write_str("shut down with the system"),
        }
    }
}
