//! The workers of a pool, their protocol forgotten.

use super::job::Job;
use crate::actor::Message;
use crate::actor_ref::ActorRef;
use crate::cell::Core;
use crate::props::IntoProps;
use crate::send_error::TrySendError;
use crate::sync::{catch, drop_quietly};
use std::future::Future;
use std::pin::Pin;

pub(super) trait Hire<J: Message>: Send {
    /// Never waits. A job that the worker cannot take, or not make a message of, is dropped with its ticket,
    /// which is a failed attempt.
    fn give(&mut self, pool: &Core, worker: usize, job: Job<J>);
    /// Closes every worker and waits for their ends.
    fn drain(&mut self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

pub(super) struct Staff<P: IntoProps> {
    worker: P,
    hired: Vec<Option<ActorRef<P::Msg>>>,
}

impl<P: IntoProps + Clone> Staff<P> {
    pub(super) fn new(worker: P, workers: usize) -> Self {
        Self {
            worker,
            hired: (0..workers).map(|_| None).collect(),
        }
    }

    fn hire(worker: &P, pool: &Core) -> ActorRef<P::Msg> {
        pool.actor_system()
            .spawn_anonymous_in(pool.children(), worker.clone())
    }
}

impl<J: Message, P> Hire<J> for Staff<P>
where
    P: IntoProps<Msg: From<Job<J>>> + Clone + Send + 'static,
{
    fn give(&mut self, pool: &Core, worker: usize, job: Job<J>) {
        let known = self.hired[worker].get_or_insert_with(|| Self::hire(&self.worker, pool));
        let msg = match catch(|| P::Msg::from(job)) {
            Ok(msg) => msg,
            Err(payload) => return drop_quietly(payload),
        };
        match known.try_send(msg) {
            Ok(()) => {}
            Err(TrySendError::Closed(msg)) => {
                *known = Self::hire(&self.worker, pool);
                known.tell(msg);
            }
            // Full of its own messages: the job waits for a place there, and the pool does not wait with it.
            Err(TrySendError::Full(msg)) => {
                let known = known.clone();
                let waits = async move { drop(known.send(msg).await) };
                drop(pool.system().host.spawn("job", waits));
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
