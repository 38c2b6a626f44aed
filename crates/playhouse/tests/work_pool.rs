//! Work pulling, and room counted in bytes.

mod common;

use common::*;
use playhouse::prelude::*;
use playhouse::{Budget, DeadLetterReason, Event, Job, NoReply, Submission, Ticket, WorkPool};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{Semaphore, mpsc};

/// What a job does to its worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    Do(u32),
    Wait(u32),
    Fail(u32),
    Panic,
    Forget,
    Kill,
}

#[derive(Clone)]
struct Shared {
    done: mpsc::UnboundedSender<u32>,
    entered: mpsc::UnboundedSender<()>,
    gate: Arc<Semaphore>,
    busy: Arc<AtomicUsize>,
    busiest: Arc<AtomicUsize>,
}

struct Worker(Shared);

impl Actor for Worker {
    type Msg = Job<Task>;
    async fn receive(&mut self, ctx: &mut Context<Job<Task>>, job: Job<Task>) -> Outcome {
        let shared = &self.0;
        let busy = shared.busy.fetch_add(1, Ordering::SeqCst) + 1;
        shared.busiest.fetch_max(busy, Ordering::SeqCst);
        let leave = Leave(shared.busy.clone());
        shared.entered.send(())?;
        match *job {
            Task::Do(n) => shared.done.send(n)?,
            Task::Wait(n) => {
                shared.gate.acquire().await?.forget();
                shared.done.send(n)?;
            }
            Task::Fail(n) => {
                shared.done.send(n)?;
                return Err("cannot do this one".into());
            }
            Task::Panic => panic!("this job panics"),
            Task::Forget => return Ok(()),
            Task::Kill => {
                ctx.me().kill();
                std::future::pending::<()>().await;
            }
        }
        drop(leave);
        job.done();
        Ok(())
    }
}

struct Leave(Arc<AtomicUsize>);
impl Drop for Leave {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

struct Kit {
    shared: Shared,
    done: mpsc::UnboundedReceiver<u32>,
    entered: mpsc::UnboundedReceiver<()>,
}

fn kit() -> Kit {
    let ((done, has_done), (entered, has_entered)) = (journal(), journal());
    let shared = Shared {
        done,
        entered,
        gate: Arc::new(Semaphore::new(0)),
        busy: Arc::default(),
        busiest: Arc::default(),
    };
    Kit {
        shared,
        done: has_done,
        entered: has_entered,
    }
}

fn pool(kit: &Kit, workers: usize) -> WorkPool<Task> {
    let shared = kit.shared.clone();
    WorkPool::new(workers, move || Worker(shared))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_job_is_done_once_and_never_more_at_a_time_than_workers() {
    let (system, _) = system();
    let mut kit = kit();
    let pool = system.spawn("pool", pool(&kit, 3)).unwrap();
    for n in 0..1_000 {
        pool.send(Task::Do(n)).await.unwrap();
    }
    pool.drain();
    assert!(matches!(pool.terminated().await, Exit::Drained));
    let mut done = read(&mut kit.done);
    done.sort_unstable();
    assert_eq!(done, (0..1_000).collect::<Vec<_>>());
    assert!(kit.shared.busiest.load(Ordering::SeqCst) <= 3);
    end(&system).await;
}

/// One job in work per worker, and as many waiting as was said; then producers wait.
#[tokio::test]
async fn producers_wait_until_a_worker_will_want_the_job() {
    for waiting in [None, Some(1), Some(5)] {
        let (system, _) = system();
        let mut kit = kit();
        let props = pool(&kit, 2);
        let pool = system.spawn(
            "pool",
            match waiting {
                Some(places) => props.waiting(places),
                None => props,
            },
        );
        let pool = pool.unwrap();
        for n in 0..2 {
            pool.send(Task::Wait(n)).await.unwrap();
            kit.entered.recv().await;
        }
        let accepted = (2..100)
            .take_while(|n| pool.try_send(Task::Wait(*n)).is_ok())
            .count();
        assert_eq!(
            accepted,
            waiting.unwrap_or(2),
            "one per worker unless said otherwise"
        );
        kit.shared.gate.add_permits(1);
        kit.entered.recv().await; // one is done, so one of the waiting is in work
        assert!(pool.try_send(Task::Wait(100)).is_ok() && pool.try_send(Task::Wait(101)).is_err());
        kit.shared.gate.add_permits(100);
        pool.drain();
        pool.terminated().await;
        assert_eq!(read(&mut kit.done).len(), accepted + 3);
        end(&system).await;
    }
}

#[tokio::test]
async fn a_job_dropped_without_done_is_a_dead_letter_and_its_worker_works_on() {
    let (system, events) = system();
    let mut kit = kit();
    let pool = system.spawn("pool", pool(&kit, 1)).unwrap();
    for task in [
        Task::Do(1),
        Task::Fail(2),
        Task::Do(3),
        Task::Panic,
        Task::Forget,
        Task::Kill,
        Task::Do(4),
    ] {
        pool.send(task).await.unwrap();
    }
    pool.drain();
    assert!(matches!(pool.terminated().await, Exit::Drained));
    assert_eq!(read(&mut kit.done), [1, 2, 3, 4]);
    assert_eq!(events.dead(DeadLetterReason::JobFailed), 4);
    let to_pool = events.count(|event| {
        matches!(event, Event::DeadLetter { to, why: DeadLetterReason::JobFailed, .. } if *to == pool)
    });
    assert_eq!(to_pool, 4);
    end(&system).await;
}

#[tokio::test]
async fn attempts_is_how_often_a_job_is_tried() {
    let (system, events) = system();
    let mut kit = kit();
    let pool = system.spawn("pool", pool(&kit, 2).attempts(3)).unwrap();
    pool.send(Task::Fail(7)).await.unwrap();
    pool.send(Task::Do(8)).await.unwrap();
    pool.drain();
    assert!(matches!(pool.terminated().await, Exit::Drained));
    let done = read(&mut kit.done);
    assert_eq!(done.iter().filter(|n| **n == 7).count(), 3, "{done:?}");
    assert!(done.contains(&8));
    assert_eq!(events.dead(DeadLetterReason::JobFailed), 1);
    end(&system).await;
}

#[tokio::test]
async fn a_stopped_pool_stops_its_workers_and_buries_what_waits() {
    let (system, events) = system();
    let mut kit = kit();
    let pool = system.spawn("pool", pool(&kit, 1).waiting(3)).unwrap();
    for n in 0..4 {
        pool.send(Task::Wait(n)).await.unwrap();
    }
    kit.entered.recv().await;
    pool.stop();
    kit.shared.gate.add_permits(1);
    assert!(matches!(pool.terminated().await, Exit::Stopped));
    assert_eq!(events.dead(DeadLetterReason::Stopped), 3);
    end(&system).await;
}

/// The ticket keeps the worker busy across a pipe, whatever its protocol is.
#[tokio::test]
async fn a_ticket_keeps_the_worker_busy() {
    enum Msg {
        Job(Job<u32>),
        Piped(u32, Ticket),
    }
    impl From<Job<u32>> for Msg {
        fn from(job: Job<u32>) -> Self {
            Msg::Job(job)
        }
    }
    struct Piping(mpsc::UnboundedSender<(&'static str, u32)>);
    impl Actor for Piping {
        type Msg = Msg;
        async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
            match msg {
                Msg::Job(job) => {
                    let (n, ticket) = job.split();
                    self.0.send(("begin", n))?;
                    let later = async move { tokio::task::yield_now().await };
                    ctx.pipe_to_self(later, move |()| Msg::Piped(n, ticket));
                }
                Msg::Piped(n, ticket) => {
                    self.0.send(("end", n))?;
                    ticket.done();
                }
            }
            Ok(())
        }
    }
    let (system, events) = system();
    let (seen, mut journal) = journal();
    let pool = system
        .spawn("pool", WorkPool::new(1, move || Piping(seen)))
        .unwrap();
    for n in 0..3 {
        pool.send(n).await.unwrap();
    }
    pool.drain();
    pool.terminated().await;
    let expected: Vec<_> = (0..3).flat_map(|n| [("begin", n), ("end", n)]).collect();
    assert_eq!(read(&mut journal), expected);
    assert_eq!(events.dead(DeadLetterReason::JobFailed), 0);
    end(&system).await;
}

#[tokio::test]
async fn a_budget_is_first_come_first_served_and_cuts_what_is_larger() {
    let room = Budget::new(10);
    let large = room.take(1_000).await; // more than there will ever be: it goes alone
    assert_eq!(room.available(), 0);
    let (order, mut journal) = journal();
    let takers: Vec<_> = [7, 2]
        .into_iter()
        .map(|amount| {
            let (room, order) = (room.clone(), order.clone());
            tokio::spawn(async move {
                let share = room.take(amount).await;
                order.send(amount).unwrap();
                share
            })
        })
        .collect();
    tokio::task::yield_now().await; // both wait, in this order
    drop(large);
    for taker in takers {
        drop(taker.await.unwrap());
    }
    assert_eq!(read(&mut journal), [7, 2]);
    assert_eq!(room.available(), 10);
}

#[tokio::test]
async fn a_share_comes_back_when_its_message_is_dropped_anywhere() {
    let (system, events) = system();
    let room = Budget::new(3);
    let target = Props::func(async |ctx: &mut Context<playhouse::Share>| {
        ctx.stopping().await;
        Ok(())
    });
    let target = system.spawn_anonymous(target.mailbox(Mailbox::bounded(1)));
    target.tell(room.take(1).await);
    target.tell(room.take(1).await); // full: dropped
    assert_eq!(room.available(), 2);
    target.stop();
    target.terminated().await;
    assert_eq!(room.available(), 3);
    assert_eq!(events.dead(DeadLetterReason::Stopped), 1);
    end(&system).await;
}

#[tokio::test]
async fn a_budget_beyond_what_a_semaphore_counts_is_shared_in_larger_units() {
    let total = 1 << 40;
    let room = Budget::new(total);
    assert_eq!(room.available(), total);
    let half = room.take(total / 2).await;
    assert_eq!(room.available(), total / 2);
    let one = room.take(1).await;
    assert!(room.available() < total / 2, "rounded up to a unit");
    drop((half, one));
    assert_eq!(room.available(), total);
}

#[tokio::test]
async fn producers_see_the_backlog() {
    let (system, _) = system();
    let mut kit = kit();
    let recipe = pool(&kit, 2).waiting(5);
    let backlog = recipe.backlog();
    assert_eq!((backlog.waiting(), backlog.at_work()), (0, 0));
    let pool = system.spawn("pool", recipe).unwrap();
    for n in 0..5 {
        pool.send(Task::Wait(n)).await.unwrap();
    }
    for _ in 0..2 {
        kit.entered.recv().await;
    }
    assert_eq!((backlog.waiting(), backlog.at_work()), (3, 2));
    assert_eq!(backlog.places(), 5);
    kit.shared.gate.add_permits(2);
    for _ in 0..2 {
        kit.entered.recv().await;
    }
    assert_eq!((backlog.waiting(), backlog.at_work()), (1, 2));
    assert_eq!(format!("{backlog:?}"), "Backlog(1 waiting, 2 at work)");
    pool.stop();
    kit.shared.gate.add_permits(10);
    pool.terminated().await;
    assert_eq!((backlog.waiting(), backlog.at_work()), (0, 0));
    end(&system).await;
}

/// Of a pool whose one worker is held: the first job is in work when it returns, the second is asked for and waits.
fn confirming(kit: &Kit, system: &ActorSystem) -> ActorRef<Submission<Task>> {
    system
        .spawn("pool", pool(kit, 1).waiting(3).attempts(2).confirming())
        .unwrap()
}

#[tokio::test]
async fn a_job_that_no_worker_finishes_fails_its_asker_once() {
    let (system, events) = system();
    let mut kit = kit();
    let pool = confirming(&kit, &system);
    let submitted = pool.ask(|reply| Submission::confirmed(Task::Fail(1), reply));
    let Err(AskError::NoReply { by, why, .. }) = submitted.within(secs(60)).await else {
        panic!("it fails");
    };
    assert!(by == pool && matches!(why, NoReply::Dropped), "{why:?}");
    assert_eq!(read(&mut kit.done), [1, 1], "both attempts came first");
    assert_eq!(events.dead(DeadLetterReason::JobFailed), 1);
    end(&system).await;
}

#[tokio::test]
async fn a_pool_that_stops_answers_whoever_waits() {
    let (system, _) = system();
    let mut kit = kit();
    let pool = confirming(&kit, &system);
    let asked = [0, 1].map(|n| {
        let submitted = pool.ask(|reply| Submission::confirmed(Task::Wait(n), reply));
        tokio::spawn(submitted.within(secs(60)))
    });
    kit.entered.recv().await;
    pool.kill();
    kit.shared.gate.add_permits(2);
    for answer in asked {
        let error = answer.await.unwrap().unwrap_err();
        let is_over = matches!(error, AskError::NoReply { .. } | AskError::Gone(_));
        assert!(is_over, "{error:?}");
    }
    end(&system).await;
}

#[tokio::test]
async fn a_job_whose_asker_has_gone_is_not_begun() {
    let (system, events) = system();
    let mut kit = kit();
    let pool = confirming(&kit, &system);
    pool.narrow().send(Task::Wait(0)).await.unwrap(); // nobody waits for it, and it is done
    kit.entered.recv().await;
    let asked = pool.ask(|reply| Submission::confirmed(Task::Do(1), reply));
    let asked = tokio::spawn(asked.within(secs(60)));
    pool.narrow().send(Task::Do(2)).await.unwrap();
    while system.ledger().queued < 2 {
        tokio::task::yield_now().await;
    }
    asked.abort();
    assert!(asked.await.unwrap_err().is_cancelled());
    kit.shared.gate.add_permits(1);
    pool.drain();
    assert!(matches!(pool.terminated().await, Exit::Drained));
    assert_eq!(read(&mut kit.done), [0, 2]);
    assert_eq!(events.dead(DeadLetterReason::JobAbandoned), 1);
    end(&system).await;
}

#[tokio::test]
async fn a_job_knows_when_its_asker_stops_waiting() {
    struct Timed(mpsc::UnboundedSender<Option<std::time::Duration>>);
    impl Actor for Timed {
        type Msg = Job<u32>;
        async fn receive(&mut self, ctx: &mut Context<Job<u32>>, job: Job<u32>) -> Outcome {
            let left = job.deadline().map(|by| ctx.clock().remaining(by));
            self.0.send(left)?;
            job.done();
            Ok(())
        }
    }
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let pool = WorkPool::new(1, move || Timed(seen)).confirming();
    let pool = system.spawn("pool", pool).unwrap();
    let submitted = pool.ask(|reply| Submission::confirmed(1, reply));
    submitted.within(secs(3_600)).await.unwrap();
    pool.narrow().send(2).await.unwrap();
    let left = journal.recv().await.unwrap().unwrap();
    assert!(left <= secs(3_600) && left > secs(60), "{left:?}");
    assert_eq!(journal.recv().await.unwrap(), None);
    end(&system).await;
}

/// A job that is careful about nothing.
struct Fragile {
    n: u32,
    panics_in: Option<Step>,
}

#[derive(Clone, Copy, PartialEq)]
enum Step {
    Clone,
    Drop,
    Into,
}

impl Fragile {
    fn step(&self, step: Step) {
        if self.panics_in == Some(step) && !std::thread::panicking() {
            panic!("a panic of the job's own code");
        }
    }
}

impl Clone for Fragile {
    fn clone(&self) -> Self {
        self.step(Step::Clone);
        let (n, panics_in) = (self.n, self.panics_in);
        Self { n, panics_in }
    }
}

impl Drop for Fragile {
    fn drop(&mut self) {
        self.step(Step::Drop);
    }
}

struct Took(Job<Fragile>);

impl From<Job<Fragile>> for Took {
    fn from(job: Job<Fragile>) -> Self {
        job.step(Step::Into);
        Self(job)
    }
}

struct Taker(mpsc::UnboundedSender<u32>);

impl Actor for Taker {
    type Msg = Took;
    async fn receive(&mut self, _ctx: &mut Context<Took>, Took(job): Took) -> Outcome {
        self.0.send(job.n)?;
        let (payload, ticket) = job.split();
        ticket.done();
        drop(payload);
        Ok(())
    }
}

#[tokio::test]
async fn a_job_whose_own_code_panics_does_not_end_the_pool() {
    let (system, events) = system();
    let (seen, mut journal) = journal();
    let pool = WorkPool::new(1, move || Taker(seen)).attempts(2);
    let pool = system.spawn("pool", pool).unwrap();
    let steps = [Step::Clone, Step::Drop, Step::Into].map(Some);
    for (n, panics_in) in (0..).zip(steps.into_iter().chain([None])) {
        pool.send(Fragile { n, panics_in }).await.unwrap();
    }
    pool.drain();
    assert!(matches!(pool.terminated().await, Exit::Drained));
    assert_eq!(read(&mut journal), [0, 1, 3]);
    assert_eq!(
        events.dead(DeadLetterReason::JobFailed),
        1,
        "no message was made"
    );
    end(&system).await;
}
