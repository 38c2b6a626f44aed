//! Work pulling (from `WorkPullingSpec`).

use crate::common::seeds::{end, stepped};
use crate::common::{journal, read};
use playhouse::prelude::*;
use playhouse::{ConfirmingPool, DeadLetterReason, Event, Job, Submission, WorkPool};
use std::sync::Arc;
use tokio::sync::{Semaphore, mpsc};

/// Writes down who has which job in hand, and finishes it when the gate lets it.
struct Worker {
    begun: mpsc::UnboundedSender<(ActorRef<Job<u32>>, u32)>,
    gate: Arc<Semaphore>,
}

impl Actor for Worker {
    type Msg = Job<u32>;
    async fn receive(&mut self, ctx: &mut Context<Job<u32>>, job: Job<u32>) -> Outcome {
        self.begun.send((ctx.me().clone(), *job))?;
        self.gate.acquire().await?.forget();
        job.done();
        Ok(())
    }
}

type Begun = mpsc::UnboundedReceiver<(ActorRef<Job<u32>>, u32)>;

fn pool(workers: usize) -> (WorkPool<u32>, Begun, Arc<Semaphore>) {
    let (begun, has_begun) = journal();
    let gate = Arc::new(Semaphore::new(0));
    let opened = gate.clone();
    let pool = WorkPool::new(workers, move || Worker {
        begun,
        gate: opened,
    });
    (pool.waiting(8).attempts(3), has_begun, gate)
}

/// Sorted: who of two workers begins first is anybody's choice.
fn jobs(begun: &[(ActorRef<Job<u32>>, u32)]) -> Vec<u32> {
    let mut jobs: Vec<_> = begun.iter().map(|(_, job)| *job).collect();
    jobs.sort_unstable();
    jobs
}

#[test]
fn wpl_01_two_workers_share_the_jobs_and_end_with_their_pool() {
    let (system, world, events) = stepped(1);
    let (recipe, mut has_begun, gate) = pool(2);
    let backlog = recipe.backlog();
    let pool = system.spawn("pool", recipe).unwrap();
    let producer = pool.clone();
    let producer = system.spawn_anonymous(Props::func(async move |_: &mut Context<()>| {
        for job in 0..42 {
            producer.send(job).await?;
        }
        producer.drain();
        Ok(())
    }));
    let mut begun = Vec::new();
    while begun.len() < 42 {
        world.settle();
        let round = read(&mut has_begun);
        assert_eq!(
            round.len(),
            2,
            "one job each, and no more before it is done"
        );
        assert_ne!(round[0].0, round[1].0);
        begun.extend(round);
        gate.add_permits(2);
    }
    world.block_on(producer.terminated());
    assert!(matches!(world.block_on(pool.terminated()), Exit::Drained));
    assert_eq!(jobs(&begun), (0..42).collect::<Vec<_>>());
    let workers = [&begun[0].0, &begun[1].0];
    for worker in workers {
        assert_eq!(begun.iter().filter(|(who, _)| who == worker).count(), 21);
        let is_end = |event: &Event| matches!(event, Event::Ended { who, .. } if who == worker);
        assert_eq!(events.count(is_end), 1);
    }
    assert_eq!(backlog.at_work(), 0);
    end(&system, &world);
}

// differs: WPL-02: a worker holds one job at a time, so it dies with one and not with two
#[test]
fn wpl_02_a_dead_workers_job_goes_to_another_before_new_ones() {
    let (system, world, events) = stepped(2);
    let (recipe, mut has_begun, gate) = pool(2);
    let pool = system.spawn("pool", recipe).unwrap();
    (1..=4).for_each(|job| pool.tell(job));
    world.settle();
    let begun = read(&mut has_begun);
    assert_eq!(jobs(&begun), [1, 2]);
    let (dead, lost) = &begun[0];
    dead.kill();
    world.settle();
    let again = read(&mut has_begun);
    assert_eq!(jobs(&again), [*lost], "ahead of 3");
    assert_ne!(again[0].0, *dead);
    gate.add_permits(10);
    pool.drain();
    world.block_on(pool.terminated());
    assert_eq!(jobs(&read(&mut has_begun)), [3, 4]);
    assert_eq!(events.dead(DeadLetterReason::JobFailed), 0);
    end(&system, &world);
}

type Confirmed = mpsc::UnboundedReceiver<(u32, Result<(), AskError>)>;

/// Asks for each job, and writes down which was confirmed, and when.
fn ask_for(system: &ActorSystem, recipe: ConfirmingPool<u32>, jobs: &[u32]) -> Confirmed {
    let pool = system.spawn("pool", recipe).unwrap();
    let (confirmed, has_confirmed) = journal();
    for &job in jobs {
        let (pool, confirmed) = (pool.clone(), confirmed.clone());
        let asks = async move |_: &mut Context<()>| {
            let submitted = pool.ask(|reply| Submission::confirmed(job, reply));
            confirmed.send((job, submitted.within(secs(60)).await))?;
            Ok(())
        };
        drop(system.spawn_anonymous(Props::func(asks)));
    }
    has_confirmed
}

// differs: WPL-03: each job is confirmed by its own `done`, never by that of a later one
#[test]
fn wpl_03_the_reply_comes_when_the_worker_confirms() {
    let (system, world, _) = stepped(3);
    let (recipe, mut has_begun, gate) = pool(1);
    let mut confirmed = ask_for(&system, recipe.confirming(), &[3, 4]);
    world.settle();
    let first = jobs(&read(&mut has_begun));
    assert_eq!((first.len(), read(&mut confirmed).len()), (1, 0));
    gate.add_permits(1);
    world.settle();
    let answers = read(&mut confirmed);
    assert!(matches!(&answers[..], [(job, Ok(()))] if [*job] == first[..]));
    gate.add_permits(1);
    world.settle();
    assert!(matches!(read(&mut confirmed)[..], [(_, Ok(()))]));
    end(&system, &world);
}

#[test]
fn wpl_04_no_reply_until_a_second_worker_confirms() {
    let (system, world, _) = stepped(4);
    let (recipe, mut has_begun, gate) = pool(2);
    let mut confirmed = ask_for(&system, recipe.confirming(), &[3]);
    world.settle();
    let (dead, _) = read(&mut has_begun).remove(0);
    dead.kill();
    world.settle();
    let (second, job) = read(&mut has_begun).remove(0);
    assert_eq!(job, 3);
    assert_ne!(second, dead);
    assert!(read(&mut confirmed).is_empty());
    gate.add_permits(1);
    world.settle();
    assert!(matches!(read(&mut confirmed)[..], [(3, Ok(()))]));
    end(&system, &world);
}

/// Told a number, it sends a job of that number; told an odd one, it fails with the place reserved.
struct Producer(ActorRef<u32>);

impl Actor for Producer {
    type Msg = u32;
    async fn receive(&mut self, _ctx: &mut Context<u32>, job: u32) -> Outcome {
        let place = self.0.reserve().await?;
        if !job.is_multiple_of(2) {
            return Err("the producer fails".into());
        }
        place.send(job);
        Ok(())
    }
}

#[test]
fn wpl_05_a_producer_that_was_restarted_gets_places_and_its_jobs_arrive() {
    let (system, world, events) = stepped(5);
    let (recipe, mut has_begun, gate) = pool(1);
    let pool = system.spawn("pool", recipe.waiting(1)).unwrap();
    let producer = Props::new(move || Producer(pool)).supervise(Supervise::restart().at_once());
    let producer = system.spawn("producer", producer).unwrap();
    (0..6).for_each(|job| producer.tell(job));
    gate.add_permits(100);
    world.settle();
    assert_eq!(jobs(&read(&mut has_begun)), [0, 2, 4]);
    let restarts =
        |event: &Event| matches!(event, Event::Restarted { who, .. } if *who == producer);
    assert_eq!(events.count(restarts), 3);
    end(&system, &world);
}
