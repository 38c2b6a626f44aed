//! The pool as it runs: pairs idle workers with jobs.

use super::WorkPool;
use super::backlog::Backlog;
use super::job::{Job, Ticket, Verdict};
use super::staff::Hire;
use super::submission::Submission;
use crate::actor::{Message, Outcome};
use crate::cell::Core;
use crate::context::Context;
use crate::events::DeadLetterReason;
use crate::reply::Reply;
use crate::sync::{catch, drop_quietly, mpsc, run_quietly};
use std::collections::VecDeque;

pub(super) struct Foreman<J: Message> {
    attempts: u32,
    clone: Option<fn(&J) -> J>,
    staff: Box<dyn Hire<J>>,
    idle: VecDeque<usize>,
    /// Per busy worker: what it takes to try its job again, and who waits for it.
    at_work: Vec<Option<Attempt<J>>>,
    /// Failed, to be tried again; ahead of new ones. At most one per worker.
    again: VecDeque<(Submission<J>, u32)>,
    verdicts: mpsc::UnboundedReceiver<Verdict>,
    tickets: mpsc::UnboundedSender<Verdict>,
    backlog: Backlog,
}

struct Attempt<J> {
    copy: Option<J>,
    number: u32,
    confirm: Option<Reply<()>>,
}

impl<J: Message> Foreman<J> {
    pub(super) fn new(pool: WorkPool<J>) -> Self {
        let WorkPool {
            workers,
            attempts,
            clone,
            staff,
            backlog,
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
            backlog,
        }
    }

    /// Until stopped, or drained and every job done.
    pub(super) async fn run<M: Message>(mut self, ctx: &mut Context<M>) -> Outcome
    where
        Submission<J>: From<M>,
    {
        self.backlog.begin(ctx.core());
        let mut has_more = true;
        while has_more || !self.again.is_empty() || self.is_anybody_busy() {
            if ctx.is_stopping() {
                return Ok(());
            }
            let wants_new = has_more && !self.idle.is_empty() && self.again.is_empty();
            if !self.idle.is_empty()
                && let Some((job, number)) = self.again.pop_front()
            {
                self.hand_out(ctx.core(), job, number);
                continue;
            }
            let stopping = ctx.stopping();
            tokio::select! {
                biased;
                Some(verdict) = self.verdicts.recv() => self.note(ctx.core(), verdict),
                job = ctx.recv(), if wants_new => match job {
                    Some(job) => self.hand_out(ctx.core(), job.into(), 1),
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

    /// To a worker that is idle; the caller has looked whether there is one.
    fn hand_out(&mut self, pool: &Core, submission: Submission<J>, number: u32) {
        if submission.is_abandoned() {
            drop_quietly(submission);
            self.tell_backlog();
            return bury::<J>(pool, DeadLetterReason::JobAbandoned);
        }
        let Some(worker) = self.idle.pop_front() else {
            return self.again.push_front((submission, number));
        };
        let deadline = submission.deadline();
        let Submission { job, confirm } = submission;
        self.at_work[worker] = Some(Attempt {
            copy: self.copy_for_later(&job, number),
            number,
            confirm,
        });
        self.tell_backlog();
        let ticket = Ticket::new(worker, self.tickets.clone());
        self.staff
            .give(pool, worker, Job::new(job, deadline, ticket));
    }

    /// If there may be a later attempt. A clone that panics ends the job's chances, and not the pool.
    fn copy_for_later(&self, job: &J, number: u32) -> Option<J> {
        let clone = self.clone.filter(|_| number < self.attempts)?;
        match catch(|| clone(job)) {
            Ok(copy) => Some(copy),
            Err(payload) => {
                drop_quietly(payload);
                None
            }
        }
    }

    fn note(&mut self, pool: &Core, Verdict { worker, is_done }: Verdict) {
        self.idle.push_back(worker);
        let Some(attempt) = self.at_work[worker].take() else {
            return;
        };
        let Attempt {
            copy,
            number,
            confirm,
        } = attempt;
        match copy {
            copy if is_done => {
                drop_quietly(copy);
                run_quietly(|| confirm.into_iter().for_each(|reply| reply.send(())));
            }
            Some(job) => self
                .again
                .push_back((Submission { job, confirm }, number + 1)),
            None => bury::<J>(pool, DeadLetterReason::JobFailed), // and the reply, if any, is dropped
        }
        self.tell_backlog();
    }

    fn tell_backlog(&self) {
        let at_work = self.at_work.len() - self.idle.len();
        self.backlog.note(at_work, self.again.len());
    }
}

fn bury<J>(pool: &Core, why: DeadLetterReason) {
    pool.publish_dead(std::any::type_name::<J>(), why);
}
