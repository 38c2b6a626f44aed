//! Work pulling: a job leaves the mailbox only when a worker wants it.

use crate::actor::{Message, Outcome};
use crate::actor_ref::ActorRef;
use crate::context::Context;
use crate::events::DeadLetterReason;
use crate::mailbox::Mailbox;
use crate::props::{FuncProps, IntoProps, Props};
use crate::send_error::TrySendError;
use crate::sync::mpsc;
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;

/// Work pulling. To producers a plain `ActorRef<J>`: `reserve` and `send` wait until a worker will want the job.
/// `drain` finishes every job first, then drains the workers.
///
/// A worker is a child of the pool. One that has ended, for whatever reason, is replaced when there is a job for it.
#[must_use = "no actor exists before `spawn`"]
pub struct WorkPool<J: Message> {
    workers: usize,
    waiting: usize,
    attempts: u32,
    /// Only jobs that may be tried again are cloned.
    clone: Option<fn(&J) -> J>,
    staff: Box<dyn Hire<J>>,
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
            staff: Box::new(Staff {
                worker,
                hired: (0..workers).map(|_| None).collect(),
            }),
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
}

impl<J: Message> IntoProps for WorkPool<J> {
    type Msg = J;
    fn recipe(self) -> FuncProps<J> {
        let places = self.waiting;
        Props::func(async move |ctx: &mut Context<J>| Foreman::new(self).run(ctx).await)
            .mailbox(Mailbox::bounded(places))
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

/// A job in a worker's hands; the worker gets no other until it is done. Dropped without `done` (by `?`, a panic, a
/// stop): tried again, or a dead letter.
#[must_use = "a job dropped without `done` counts as failed"]
pub struct Job<J> {
    payload: J,
    ticket: Ticket,
}

impl<J> Job<J> {
    /// The worker wants the next one.
    pub fn done(self) {
        self.ticket.done();
    }

    /// The payload by value; the ticket keeps the worker busy, e.g. across a pipe.
    pub fn split(self) -> (J, Ticket) {
        (self.payload, self.ticket)
    }
}

impl<J> Deref for Job<J> {
    type Target = J;
    fn deref(&self) -> &J {
        &self.payload
    }
}

impl<J: fmt::Debug> fmt::Debug for Job<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Job").field(&self.payload).finish()
    }
}

/// What is left of a [`Job`] without its payload.
#[must_use = "a job dropped without `done` counts as failed"]
pub struct Ticket {
    worker: usize,
    is_done: bool,
    verdicts: mpsc::UnboundedSender<Verdict>,
}

impl Ticket {
    /// The job is done; the worker wants the next one.
    pub fn done(mut self) {
        self.is_done = true;
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let Self {
            worker, is_done, ..
        } = *self;
        let _ = self.verdicts.send(Verdict { worker, is_done }); // the pool has ended: nobody counts any more
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ticket(worker {})", self.worker)
    }
}

/// What became of the job of one worker. The channel is bounded by its use: one job per worker, one verdict per job.
struct Verdict {
    worker: usize,
    is_done: bool,
}

/// The pool as it runs: pairs idle workers with jobs.
struct Foreman<J: Message> {
    attempts: u32,
    clone: Option<fn(&J) -> J>,
    staff: Box<dyn Hire<J>>,
    idle: VecDeque<usize>,
    /// Per busy worker: what it takes to try its job again.
    at_work: Vec<Option<Attempt<J>>>,
    /// Failed, to be tried again; ahead of new ones.
    again: VecDeque<(J, u32)>,
    verdicts: mpsc::UnboundedReceiver<Verdict>,
    tickets: mpsc::UnboundedSender<Verdict>,
}

struct Attempt<J> {
    copy: Option<J>,
    number: u32,
}

impl<J: Message> Foreman<J> {
    fn new(pool: WorkPool<J>) -> Self {
        let WorkPool {
            workers,
            attempts,
            clone,
            staff,
            ..
        } = pool;
        let (tickets, verdicts) = mpsc::unbounded_channel();
        Self {
            attempts,
            clone,
            staff,
            idle: (0..workers).collect(),
            at_work: (0..workers).map(|_| None).collect(),
            again: VecDeque::new(),
            verdicts,
            tickets,
        }
    }

    /// Until stopped, or drained and every job done.
    async fn run(mut self, ctx: &mut Context<J>) -> Outcome {
        let mut has_more = true;
        while has_more || !self.again.is_empty() || self.is_anybody_busy() {
            if ctx.is_stopping() {
                return Ok(());
            }
            let wants_new = has_more && !self.idle.is_empty() && self.again.is_empty();
            if !self.idle.is_empty()
                && let Some((job, number)) = self.again.pop_front()
            {
                self.hand_out(ctx, job, number);
                continue;
            }
            let stopping = ctx.stopping();
            tokio::select! {
                biased;
                Some(verdict) = self.verdicts.recv() => self.note(ctx, verdict),
                job = ctx.recv(), if wants_new => match job {
                    Some(job) => self.hand_out(ctx, job, 1),
                    None => has_more = false,
                },
                () = stopping => return Ok(()),
            }
        }
        let stopping = ctx.stopping();
        tokio::select! {
            () = self.staff.drain() => {}
            () = stopping => {}
        }
        Ok(())
    }

    fn is_anybody_busy(&self) -> bool {
        self.idle.len() < self.at_work.len()
    }

    fn hand_out(&mut self, ctx: &mut Context<J>, payload: J, number: u32) {
        let Some(worker) = self.idle.pop_front() else {
            return self.again.push_front((payload, number));
        };
        let copy = if number < self.attempts {
            self.clone.map(|clone| clone(&payload))
        } else {
            None
        };
        self.at_work[worker] = Some(Attempt { copy, number });
        let ticket = Ticket {
            worker,
            is_done: false,
            verdicts: self.tickets.clone(),
        };
        self.staff.give(ctx, worker, Job { payload, ticket });
    }

    fn note(&mut self, ctx: &Context<J>, Verdict { worker, is_done }: Verdict) {
        self.idle.push_back(worker);
        let Some(Attempt { copy, number }) = self.at_work[worker].take() else {
            return;
        };
        match copy {
            _ if is_done => {}
            Some(job) => self.again.push_back((job, number + 1)),
            None => {
                let message = std::any::type_name::<J>();
                ctx.core()
                    .publish_dead(message, DeadLetterReason::JobFailed);
            }
        }
    }
}

/// The workers, their protocol forgotten.
trait Hire<J: Message>: Send {
    /// Never waits. A job that the worker cannot take is dropped with its ticket, which is a failed attempt.
    fn give(&mut self, ctx: &mut Context<J>, worker: usize, job: Job<J>);
    /// Closes every worker and waits for their ends.
    fn drain(&mut self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

struct Staff<P: IntoProps> {
    worker: P,
    hired: Vec<Option<ActorRef<P::Msg>>>,
}

impl<J: Message, P> Hire<J> for Staff<P>
where
    P: IntoProps<Msg: From<Job<J>>> + Clone + Send + 'static,
{
    fn give(&mut self, ctx: &mut Context<J>, worker: usize, job: Job<J>) {
        let known =
            self.hired[worker].get_or_insert_with(|| ctx.spawn_anonymous(self.worker.clone()));
        match known.try_send(job.into()) {
            Ok(()) => {}
            Err(TrySendError::Closed(msg)) => {
                *known = ctx.spawn_anonymous(self.worker.clone());
                known.tell(msg);
            }
            // Full of its own messages: the job waits for a place there, and the pool does not wait with it.
            Err(TrySendError::Full(msg)) => {
                let known = known.clone();
                let waits = async move { drop(known.send(msg).await) };
                drop(ctx.core().system().host.spawn("job", waits));
            }
        }
    }

    fn drain(&mut self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async {
            self.hired.iter().flatten().for_each(ActorRef::drain);
            for worker in self.hired.iter().flatten() {
                worker.terminated().await;
            }
        })
    }
}
