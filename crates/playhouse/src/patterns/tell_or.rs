//! Sending for handlers that must not wait: the message now, or a promise of a place.

use crate::actor::Message;
use crate::actor_ref::{ActorRef, Permit};
use crate::context::Context;
use crate::send_error::{SendError, TrySendError};

impl<M: Message> Context<M> {
    /// Sends if there is room now. If not, it hands the message back as [`TrySendError::Full`], and promises one message of
    /// our own, made by `on_room` when there is a place: with the [`Permit`] for it, so that the next send cannot fail.
    /// Until then this actor goes on with others' messages, where [`send`](ActorRef::send) would keep its turn.
    ///
    /// Keep what came back, and what follows it, until the promise is kept: a later `tell_or` may find room before that.
    /// `on_room` gets the error of [`reserve`](ActorRef::reserve) if `to` ends first. Closed already, the message is handed
    /// back as [`TrySendError::Closed`], and nothing is promised.
    ///
    /// The promise arrives outside the capacity of this mailbox, counts as a pipe under way
    /// ([`limits::COMPLETIONS_PER_ACTOR`](crate::limits::COMPLETIONS_PER_ACTOR)) and is cancelled with this actor; its
    /// place is given back then. One promise per target is enough.
    ///
    /// ```
    /// use playhouse::{Permit, SendError, prelude::*};
    /// use std::collections::VecDeque;
    ///
    /// enum Msg {
    ///     Line(String),
    ///     Room(Result<Permit<String>, SendError<()>>),
    /// }
    ///
    /// struct Relay {
    ///     to: ActorRef<String>,
    ///     kept: VecDeque<String>,
    /// }
    ///
    /// impl Actor for Relay {
    ///     type Msg = Msg;
    ///     async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
    ///         match msg {
    ///             Msg::Line(line) if !self.kept.is_empty() => self.kept.push_back(line), // bounded by whom?
    ///             Msg::Line(line) => self.pass_on(ctx, line)?,
    ///             Msg::Room(place) => {
    ///                 let place = place?; // `to` is gone: fail
    ///                 place.send(self.kept.pop_front().expect("a place is for the first of them"));
    ///                 if let Some(next) = self.kept.pop_front() {
    ///                     self.pass_on(ctx, next)?;
    ///                 }
    ///             }
    ///         }
    ///         Ok(())
    ///     }
    /// }
    ///
    /// impl Relay {
    ///     fn pass_on(&mut self, ctx: &mut Context<Msg>, line: String) -> Outcome {
    ///         match ctx.tell_or(&self.to, line, Msg::Room) {
    ///             Err(TrySendError::Full(line)) => self.kept.push_front(line),
    ///             sent => sent?,
    ///         }
    ///         Ok(())
    ///     }
    /// }
    /// ```
    pub fn tell_or<N: Message>(
        &mut self,
        to: &ActorRef<N>,
        msg: N,
        on_room: impl FnOnce(Result<Permit<N>, SendError<()>>) -> M + Send + 'static,
    ) -> Result<(), TrySendError<N>> {
        let sent = to.try_send(msg);
        if let Err(TrySendError::Full(_)) = sent {
            let to = to.clone();
            self.pipe_to_self(async move { to.reserve().await }, on_room);
        }
        sent
    }
}
