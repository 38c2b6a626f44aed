//! Answers from many, collected into one: all of them, or those that came in time.

use crate::actor::Message;
use crate::context::Context;
use crate::mailbox::Mailbox;
use crate::props::{FuncProps, IntoProps, Props};
use std::fmt;
use std::time::Duration;

/// A short-lived actor that collects answers: when all are there, or the time is over, it calls `finish` with what came,
/// and ends. Its reference is the address for the answers. What comes later is a dead letter.
///
/// The time begins when the actor does. `finish` runs once, in the aggregator's turn; it may own what lives once, such as a
/// [`Reply`](crate::Reply). Drained, it finishes with what was accepted; stopped, it does not finish at all, and drops the
/// function, so that a reply inside says so.
///
/// Answers of several protocols enter through [`contramap`](crate::ActorRef::contramap). For questions that are asks,
/// [`gather`](crate::gather()) needs no actor.
///
/// ```
/// use playhouse::{Aggregator, prelude::*};
///
/// struct Quote(Reply<u32>); // a hotel's protocol
/// struct Price(Reply<String>); // another one's
///
/// fn cheapest(
///     ctx: &mut Context<Option<u32>>,
///     hotel: &ActorRef<Quote>,
///     inn: &ActorRef<Price>,
/// ) {
///     let me = ctx.me().clone();
///     let answers = ctx.spawn_anonymous(Aggregator::new(2, secs(1), move |answers| {
///         me.tell(answers.into_vec().into_iter().min()); // of one, if the other is too slow
///     }));
///     hotel.tell(Quote(Reply::to(&answers)));
///     inn.tell(Price(Reply::to(&answers.contramap(|text: String| text.len() as u32))));
/// }
/// ```
#[must_use = "no actor exists before `spawn`"]
pub struct Aggregator<T> {
    expected: usize,
    within: Duration,
    finish: Box<dyn FnOnce(Answers<T>) + Send>,
}

impl<T: Message> Aggregator<T> {
    /// `expected` answers, or those that are there after `within`. With nothing to expect it finishes at once.
    pub fn new(
        expected: usize,
        within: Duration,
        finish: impl FnOnce(Answers<T>) + Send + 'static,
    ) -> Self {
        Self {
            expected,
            within,
            finish: Box::new(finish),
        }
    }

    async fn run(self, ctx: &mut Context<T>) {
        let mut answers = Vec::new();
        let time = ctx.clock().sleep_until(ctx.clock().deadline(self.within));
        let mut time = std::pin::pin!(time);
        while answers.len() < self.expected {
            // An answer that is there counts, even if the time is over as well.
            let answer = tokio::select! {
                biased;
                answer = ctx.recv() => answer,
                () = &mut time => None,
            };
            match answer {
                Some(answer) => answers.push(answer),
                None if ctx.is_stopping() => return,
                None => break,
            }
        }
        let missing = self.expected - answers.len();
        (self.finish)(Answers { answers, missing });
    }
}

impl<T: Message> IntoProps for Aggregator<T> {
    type Msg = T;
    fn recipe(self) -> FuncProps<T> {
        // A place for each answer: none of them is lost because the others came first.
        let places = Mailbox::bounded(self.expected.max(1));
        Props::func(async move |ctx: &mut Context<T>| {
            self.run(ctx).await;
            Ok(())
        })
        .mailbox(places)
    }
}

impl<T> fmt::Debug for Aggregator<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (expected, within) = (self.expected, self.within);
        write!(f, "Aggregator({expected} answers within {within:?})")
    }
}

/// What an [`Aggregator`] has collected, in the order in which it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers<T> {
    answers: Vec<T>,
    missing: usize,
}

impl<T> Answers<T> {
    /// Those that came in time.
    pub fn into_vec(self) -> Vec<T> {
        self.answers
    }

    /// Those that came in time, to look at.
    pub fn as_slice(&self) -> &[T] {
        &self.answers
    }

    /// How many did not come. Zero: the answers are complete.
    pub fn missing(&self) -> usize {
        self.missing
    }
}
