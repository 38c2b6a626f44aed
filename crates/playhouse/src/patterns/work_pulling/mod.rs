//! Work pulling: a job leaves the mailbox only when a worker wants it.
//!
//! * A worker has one job at a time, and gets the next when it says that this one is done.
//! * A job belongs to the pool until then: a worker that ends with it loses it to the next worker, as often as
//!   [`WorkPool::attempts`] allows. What cannot be tried again is published as a dead letter.
//! * What waits is bounded: the places of the pool's mailbox, one job per worker, and of the failed ones one per worker
//!   again. Producers see it in the [`Backlog`], and wait, or are refused, as at any full mailbox.
//! * Whoever wants to know that a job is done asks a [`confirming`](WorkPool::confirming) pool.

mod backlog;
mod foreman;
mod job;
mod staff;
mod submission;

pub use backlog::Backlog;
pub use job::{Job, Ticket};
pub use submission::Submission;

use crate::actor::Message;
use crate::context::Context;
use crate::mailbox::Mailbox;
use crate::props::{FuncProps, IntoProps, Props};
use foreman::Foreman;
use staff::{Hire, Staff};
use std::fmt;

/// Work pulling. To producers a plain `ActorRef<J>`: `reserve` and `send` wait until a worker will want the job.
/// `drain` finishes every job first, then drains the workers.
///
/// A worker is a child of the pool. One that has ended, for whatever reason, is replaced when there is a job for it.
/// So workers need no supervision; one that is restarted with backoff holds the job that waits for it meanwhile.
#[must_use = "no actor exists before `spawn`"]
pub struct WorkPool<J: Message> {
    workers: usize,
    waiting: usize,
    attempts: u32,
    /// Only jobs that may be tried again are cloned.
    clone: Option<fn(&J) -> J>,
    staff: Box<dyn Hire<J>>,
    backlog: Backlog,
}

impl<J: Message> WorkPool<J> {
    /// Workers get [`Job<J>`], alone or inside their own protocol.
    ///
    /// # Panics
    /// If `workers` is zero.
    pub fn new<P: IntoProps<Msg: From<Job<J>>> + Clone + Send + 'static>(
        workers: usize,
        worker: P,
    ) -> Self {
        assert!(
            workers > 0,
            "a pool without workers would never do a job; the least is 1"
        );
        Self {
            workers,
            waiting: workers,
            attempts: 1,
            clone: None,
            staff: Box::new(Staff::new(worker, workers)),
            backlog: Backlog::default(),
        }
    }

    /// Jobs that may wait beside the ones in work. Default: one per worker.
    ///
    /// # Panics
    /// If `places` is zero: a job passes through a place on its way.
    pub fn waiting(mut self, places: usize) -> Self {
        assert!(
            places > 0,
            "a job waits for a moment even when a worker is idle; the least is 1 place"
        );
        self.waiting = places;
        self
    }

    /// Deliveries per job if workers fail with it; then a dead letter. Default 1. More needs jobs that may be done
    /// twice.
    ///
    /// # Panics
    /// If `times` is zero.
    pub fn attempts(mut self, times: u32) -> Self
    where
        J: Clone,
    {
        assert!(times > 0, "a job that may be tried no time is never done");
        self.attempts = times;
        self.clone = Some(J::clone);
        self
    }

    /// What waits and what is in work, for producers that push back before they are pushed back. Take it before
    /// `spawn`, which consumes the recipe.
    pub fn backlog(&self) -> Backlog {
        self.backlog.clone()
    }

    /// A pool whose jobs may be asked for: the answer comes when a worker has said
    /// [`done`](Job::done). See [`Submission`].
    pub fn confirming(self) -> ConfirmingPool<J> {
        ConfirmingPool(self)
    }

    fn recipe_taking<M: Message>(self) -> FuncProps<M>
    where
        Submission<J>: From<M>,
    {
        let places = self.waiting;
        Props::func(async move |ctx: &mut Context<M>| Foreman::new(self).run(ctx).await)
            .mailbox(Mailbox::bounded(places))
    }
}

impl<J: Message> IntoProps for WorkPool<J> {
    type Msg = J;
    fn recipe(self) -> FuncProps<J> {
        self.recipe_taking()
    }
}

impl<J: Message> fmt::Debug for WorkPool<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "WorkPool<{}>({} workers)",
            std::any::type_name::<J>(),
            self.workers
        )
    }
}

/// A [`WorkPool`] that takes [`Submission`]s: jobs with the reply of whoever waits for them. Made by
/// [`WorkPool::confirming`].
#[must_use = "no actor exists before `spawn`"]
pub struct ConfirmingPool<J: Message>(WorkPool<J>);

impl<J: Message> IntoProps for ConfirmingPool<J> {
    type Msg = Submission<J>;
    fn recipe(self) -> FuncProps<Submission<J>> {
        self.0.recipe_taking()
    }
}

impl<J: Message> fmt::Debug for ConfirmingPool<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, confirming", self.0)
    }
}
