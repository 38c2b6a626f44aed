//! Cases that no upstream suite has, about order, capacity and the end. Each is one story, told under real threads and,
//! with virtual time, under many seeds.

use super::common::seeds::{count_steps, for_each_seed, stepped};
use super::common::{Events, end, gated, journal, read, system};
use playhouse::prelude::*;
use playhouse::{DeadLetterReason, Fate};
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use tokio::sync::{Semaphore, mpsc};

fn under_seeds<F: Future<Output = ()>>(story: impl Fn(ActorSystem, Events) -> F) {
    for_each_seed(100, |seed| {
        let (system, world, events) = stepped(seed);
        world.block_on_timed(story(system, events));
        count_steps(&world);
    });
}

async fn poll_once<F: Future>(mut future: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
}

/// What disturbs the receiver, every millisecond.
#[derive(Clone, Copy, PartialEq)]
enum Upset {
    Nothing,
    /// It begins to set messages aside, or takes them back.
    Stash,
    Restart,
}

enum Numbered {
    Number { sender: usize, n: u32 },
    Upset,
    Settle(Reply<()>),
}

/// What outlives an incarnation.
#[derive(Default)]
struct Seen {
    next: Mutex<[u32; SENDERS]>,
    upsets: Mutex<u32>,
    /// Sender, number, and the one expected.
    disorder: Mutex<Vec<(usize, u32, u32)>>,
}

/// Notes when the numbers of a sender do not go up one by one. It fails on purpose, so a panic would tell the test nothing.
struct InOrder {
    upset: Upset,
    /// How many messages, since it sets them aside.
    set_aside: Option<usize>,
    seen: Arc<Seen>,
}

/// Fewer than the smallest mailbox has places: a full stash refuses the message in hand.
const MOST_SET_ASIDE: usize = 7;

impl InOrder {
    fn take_back(&mut self, ctx: &mut Context<Numbered>) {
        self.set_aside = None;
        ctx.unstash_all();
    }
}

impl Actor for InOrder {
    type Msg = Numbered;
    async fn started(&mut self, ctx: &mut Context<Numbered>) -> Outcome {
        if self.upset != Upset::Nothing {
            let upset = || Numbered::Upset;
            ctx.timers().fixed_delay("upset", millis(1), upset);
        }
        Ok(())
    }

    async fn receive(&mut self, ctx: &mut Context<Numbered>, msg: Numbered) -> Outcome {
        match msg {
            Numbered::Upset => {
                *self.seen.upsets.lock().unwrap() += 1;
                if self.upset == Upset::Restart {
                    return Err("on purpose".into());
                }
                match self.set_aside {
                    None => self.set_aside = Some(0),
                    Some(_) => self.take_back(ctx),
                }
            }
            Numbered::Settle(reply) => {
                ctx.timers().cancel("upset");
                self.take_back(ctx);
                reply.send(());
            }
            msg if self.set_aside.is_some() => {
                ctx.stash(msg)?;
                self.set_aside = self.set_aside.map(|count| count + 1);
                if self.set_aside == Some(MOST_SET_ASIDE) {
                    self.take_back(ctx);
                }
            }
            Numbered::Number { sender, n } => {
                let next = &mut self.seen.next.lock().unwrap()[sender];
                if n != *next {
                    self.seen.disorder.lock().unwrap().push((sender, n, *next));
                }
                *next = n + 1;
            }
        }
        Ok(())
    }
}

const SENDERS: usize = 8;

/// From senders on every dispatcher, which wait for room and rest now and then.
async fn numbers_go_up(system: ActorSystem, upset: Upset, places: usize, each: u32, rest: u32) {
    let seen = Arc::new(Seen::default());
    let kept = seen.clone();
    let props = Props::new(move || InOrder {
        upset,
        set_aside: None,
        seen: kept,
    });
    let often = Supervise::restart().at_once().limit(u32::MAX, secs(1));
    let props = props.supervise(often).mailbox(Mailbox::bounded(places));
    let target = system.spawn("target", props).unwrap();
    let senders = [(); SENDERS].iter().enumerate().map(|(sender, ())| {
        let to = target.clone();
        let sends = Props::func(async move |ctx: &mut Context<()>| {
            for n in 0..each {
                if n % rest == rest - 1 {
                    ctx.clock().sleep(millis(1)).await;
                }
                to.send(Numbered::Number { sender, n }).await?;
            }
            Ok(())
        });
        let on = ["default", "fixed", "pinned"][sender % 3];
        system.spawn_anonymous(sends.dispatcher_named(on))
    });
    for sender in senders.collect::<Vec<_>>() {
        assert!(matches!(sender.terminated().await, Exit::Stopped));
    }
    let settled = target.ask(Numbered::Settle).within(secs(60)).await;
    settled.unwrap();
    target.drain();
    assert!(matches!(target.terminated().await, Exit::Drained));
    assert_eq!(*seen.disorder.lock().unwrap(), []);
    assert_eq!(*seen.next.lock().unwrap(), [each; SENDERS]);
    let was_upset = *seen.upsets.lock().unwrap() > 0;
    assert_eq!(was_upset, upset != Upset::Nothing);
    let ledger = end(&system).await;
    assert!(ledger.handled >= u64::from(each) * SENDERS as u64);
    assert_eq!((ledger.dead, ledger.interrupted), (0, 0), "{ledger:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn own_01_the_numbers_of_each_sender_go_up_under_threads() {
    for upset in [Upset::Nothing, Upset::Stash, Upset::Restart] {
        numbers_go_up(system().0, upset, 1_024, 100_000, 10_000).await;
    }
}

#[test]
fn own_01_the_numbers_of_each_sender_go_up_under_seeds() {
    for upset in [Upset::Nothing, Upset::Stash, Upset::Restart] {
        under_seeds(|system, _| numbers_go_up(system, upset, 8, 20, 5));
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Own {
    Hold,
    Filler,
    Answered(u32),
    Piped(u32),
    Blocked(u32),
    Ended,
    Tick,
}

/// Begins everything it waits for in its first message, whose end the gate decides.
struct Waiting {
    echo: ActorRef<Reply<u32>>,
    mortal: ActorRef<()>,
    entered: mpsc::UnboundedSender<()>,
    gate: Arc<Semaphore>,
    seen: mpsc::UnboundedSender<Own>,
}

impl Actor for Waiting {
    type Msg = Own;
    async fn receive(&mut self, ctx: &mut Context<Own>, msg: Own) -> Outcome {
        if msg == Own::Hold {
            let blocking = ctx.system().dispatcher("fixed")?;
            let answered = |answer: Result<u32, AskError>| Own::Answered(answer.unwrap_or(0));
            ctx.watch_with(&self.mortal, |_exit| Own::Ended);
            ctx.ask(&self.echo, secs(60), |reply| reply, answered);
            ctx.pipe_to_self(async { 2 }, Own::Piped);
            ctx.pipe_blocking(&blocking, || 3, Own::Blocked);
            ctx.timers().once("tick", millis(1), Own::Tick);
            self.entered.send(())?;
            self.gate.acquire().await?.forget();
        }
        Ok(self.seen.send(msg)?)
    }
}

async fn completions_need_no_place(system: ActorSystem, events: Events) {
    let (entered, mut has_entered) = journal();
    let (seen, mut journal) = journal();
    let gate = Arc::new(Semaphore::new(0));
    let echo = Props::func(async |ctx: &mut Context<Reply<u32>>| {
        while let Some(reply) = ctx.recv().await {
            reply.send(1);
        }
        Ok(())
    });
    let echo = system.spawn("echo", echo).unwrap();
    let mortal = Props::func(async |ctx: &mut Context<()>| {
        while ctx.recv().await.is_some() {}
        Ok(())
    });
    let mortal = system.spawn("mortal", mortal).unwrap();
    let (watched, opened) = (mortal.clone(), gate.clone());
    let waiting = Props::new(move || Waiting {
        echo,
        mortal: watched,
        entered,
        gate: opened,
        seen,
    });
    let waiting = waiting.mailbox(Mailbox::bounded(1));
    let waiting = system.spawn("waiting", waiting).unwrap();

    waiting.send(Own::Hold).await.unwrap();
    has_entered.recv().await;
    waiting.try_send(Own::Filler).unwrap();
    assert!(waiting.try_send(Own::Filler).is_err(), "full");
    mortal.stop();
    mortal.terminated().await;
    gate.add_permits(1);
    let mut got = Vec::new();
    while got.len() < 7 {
        got.extend(journal.recv().await);
    }
    got.sort();
    let all = [
        Own::Hold,
        Own::Filler,
        Own::Answered(1),
        Own::Piped(2),
        Own::Blocked(3),
        Own::Ended,
        Own::Tick,
    ];
    assert_eq!(got, all);
    assert_eq!(events.dead(DeadLetterReason::Full), 0);
    end(&system).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn own_03_a_full_mailbox_of_one_place_gets_every_completion_under_threads() {
    let (system, events) = system();
    completions_need_no_place(system, events).await;
}

#[test]
fn own_03_a_full_mailbox_of_one_place_gets_every_completion_under_seeds() {
    under_seeds(completions_need_no_place);
}

enum Work {
    Enter,
    Unit,
    Count(Reply<u32>),
}

/// A worker in its first handler, until the gate opens.
async fn entered(system: &ActorSystem) -> (ActorRef<Work>, Arc<Semaphore>) {
    let gate = Arc::new(Semaphore::new(0));
    let opened = gate.clone();
    let (entered, mut has_entered) = journal();
    let worker = Props::func(async move |ctx: &mut Context<Work>| {
        let mut done = 0;
        while let Some(work) = ctx.recv().await {
            match work {
                Work::Enter => {
                    entered.send(())?;
                    opened.acquire().await?.forget();
                }
                Work::Unit => done += 1,
                Work::Count(reply) => reply.send(done),
            }
        }
        Ok(())
    });
    let worker = system.spawn("worker", worker).unwrap();
    worker.send(Work::Enter).await.unwrap();
    has_entered.recv().await;
    (worker, gate)
}

/// 99 messages and one ask wait behind the first.
async fn a_stop_buries_and_a_drain_handles(system: ActorSystem, events: Events, drains: bool) {
    let (worker, gate) = entered(&system).await;
    for _ in 0..99 {
        worker.send(Work::Unit).await.unwrap();
    }
    let mut answer = pin!(worker.ask(Work::Count).within(secs(60)));
    assert!(poll_once(answer.as_mut()).await.is_pending());
    if drains {
        worker.drain();
    } else {
        worker.stop();
    }
    let refused = worker.try_send(Work::Unit);
    assert!(matches!(refused, Err(TrySendError::Closed(_))));
    gate.add_permits(1);
    let exit = worker.terminated().await;
    let (answer, dead) = (answer.await, events.dead(DeadLetterReason::Stopped));
    let ledger = end(&system).await;
    if drains {
        assert!(matches!((exit, answer), (Exit::Drained, Ok(99))));
        assert_eq!((ledger.handled, ledger.dead, dead), (101, 0, 0));
    } else {
        let gone = matches!(answer, Err(AskError::Gone(Fate::Waiting)));
        assert!(gone && matches!(exit, Exit::Stopped));
        assert_eq!((ledger.handled, ledger.dead, dead), (1, 100, 100));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn own_08_a_stop_buries_what_waits_and_a_drain_handles_it_under_threads() {
    for drains in [false, true] {
        let (system, events) = system();
        a_stop_buries_and_a_drain_handles(system, events, drains).await;
    }
}

#[test]
fn own_08_a_stop_buries_what_waits_and_a_drain_handles_it_under_seeds() {
    for drains in [false, true] {
        under_seeds(|system, events| a_stop_buries_and_a_drain_handles(system, events, drains));
    }
}

/// It was woken for a place, and nobody polls it.
async fn a_frozen_sender_keeps_nobody_out(system: ActorSystem, _: Events) {
    let (entered, mut has_entered) = journal();
    let (seen, mut journal) = journal();
    let gate = Arc::new(Semaphore::new(0));
    let props = gated(entered, gate.clone(), seen).mailbox(Mailbox::bounded(1));
    let actor = system.spawn("actor", props).unwrap();
    actor.send(0).await.unwrap();
    has_entered.recv().await;
    actor.send(1).await.unwrap();

    let mut frozen = pin!(actor.send(2));
    assert!(poll_once(frozen.as_mut()).await.is_pending());
    gate.add_permits(1);
    has_entered.recv().await; // message 1 was taken: its place woke `frozen`
    actor.send(3).await.unwrap();

    gate.add_permits(10);
    has_entered.recv().await;
    frozen.await.unwrap(); // it only waited longer
    actor.drain();
    actor.terminated().await;
    assert_eq!(read(&mut journal), [0, 1, 3, 2]);
    end(&system).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn own_09_a_sender_that_is_never_polled_again_keeps_nobody_out_under_threads() {
    let (system, events) = system();
    a_frozen_sender_keeps_nobody_out(system, events).await;
}

#[test]
fn own_09_a_sender_that_is_never_polled_again_keeps_nobody_out_under_seeds() {
    under_seeds(a_frozen_sender_keeps_nobody_out);
}
