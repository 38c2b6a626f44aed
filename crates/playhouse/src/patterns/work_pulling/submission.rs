//! A job on its way into a pool.

use crate::clock::Deadline;
use crate::reply::Reply;
use std::fmt;

/// A job for a [`confirming`](super::WorkPool::confirming) pool, and, if somebody waits for it, the reply that is sent when
/// a worker has said [`done`](super::Job::done).
///
/// The pool keeps the reply while workers come and go with the job, so a failed attempt says nothing yet. A job that no
/// worker finishes drops it: the asker hears [`NoReply`](crate::NoReply). Nobody begins a job whose asker has stopped
/// waiting; it is published as [`JobAbandoned`](crate::DeadLetterReason::JobAbandoned). To be sure that it is done, tell it:
/// [`narrow`](crate::ActorRef::narrow) makes a plain `ActorRef<J>` of the pool's.
///
/// ```
/// use playhouse::{Job, Submission, WorkPool, prelude::*};
///
/// struct Storer;
/// impl Actor for Storer {
///     type Msg = Job<&'static str>;
///     async fn receive(&mut self, _ctx: &mut Context<Self::Msg>, page: Self::Msg) -> Outcome {
///         match *page {
///             "good" => page.done(),
///             _ => return Err("cannot be stored".into()),
///         }
///         Ok(())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Outcome {
/// let system = ActorSystem::builder("tour").on_event(|_| ()).build()?;
/// let pool = system.spawn("storers", WorkPool::new(2, || Storer).confirming())?;
/// pool.ask(|reply| Submission::confirmed("good", reply)).within(secs(5)).await?; // it is stored
/// let lost = pool.ask(|reply| Submission::confirmed("bad", reply)).within(secs(5)).await;
/// assert!(matches!(lost, Err(AskError::NoReply { .. })));
/// pool.narrow::<&'static str>().send("good").await?; // nobody waits for this one
/// # pool.drain();
/// # pool.terminated().await;
/// # assert_eq!(system.shutdown().await.ledger.balance(), 0);
/// # Ok(())
/// # }
/// ```
pub struct Submission<J> {
    pub(super) job: J,
    pub(super) confirm: Option<Reply<()>>,
}

impl<J> Submission<J> {
    /// With the reply that waits for it.
    pub fn confirmed(job: J, reply: Reply<()>) -> Self {
        Self {
            job,
            confirm: Some(reply),
        }
    }

    pub(super) fn is_abandoned(&self) -> bool {
        self.confirm.as_ref().is_some_and(Reply::is_abandoned)
    }

    pub(super) fn deadline(&self) -> Option<Deadline> {
        self.confirm.as_ref().and_then(Reply::deadline)
    }
}

/// Nobody waits for it.
impl<J> From<J> for Submission<J> {
    fn from(job: J) -> Self {
        Self { job, confirm: None }
    }
}

impl<J: fmt::Debug> fmt::Debug for Submission<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Submission")
            .field("job", &self.job)
            .field("confirm", &self.confirm.is_some())
            .finish()
    }
}
