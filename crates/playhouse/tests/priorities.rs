//! A mailbox with priorities keeps every promise of a mailbox but one: first in, first out holds within a level.

mod common;

use common::seeds::{end, for_each_seed, stepped};
use common::*;
use playhouse::prelude::*;
use playhouse::{DeadLetterReason, Fate};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Waker;
use tokio::sync::{Semaphore, mpsc};

#[derive(Debug)]
enum Msg {
    Note(u8, &'static str),
    Ask(u8, Reply<()>),
    Broken,
}

fn level(msg: &Msg) -> u8 {
    match msg {
        Msg::Note(level, _) | Msg::Ask(level, _) => *level,
        Msg::Broken => panic!("a level that panics"),
    }
}

fn name(msg: &Msg) -> &'static str {
    match msg {
        Msg::Note(_, text) => text,
        Msg::Ask(..) => "asked",
        Msg::Broken => "broken",
    }
}

/// Takes the first message, which ranks all that wait, and holds it until the gate opens; then goes on.
fn held(
    gate: &Arc<Semaphore>,
    seen: mpsc::UnboundedSender<&'static str>,
) -> playhouse::FuncProps<Msg> {
    let gate = gate.clone();
    Props::func(async move |ctx: &mut Context<Msg>| {
        while let Some(msg) = ctx.recv().await {
            seen.send(name(&msg))?;
            gate.acquire().await?.forget();
            if let Msg::Ask(_, reply) = msg {
                reply.send(());
            }
        }
        Ok(())
    })
}

fn tell(actor: &ActorRef<Msg>, notes: &[(u8, &'static str)]) {
    for &(level, text) in notes {
        actor.tell(Msg::Note(level, text));
    }
}

fn ranked(places: usize) -> Mailbox<Msg> {
    Mailbox::bounded(places).by_priority(level)
}

/// A future that the test polls itself.
struct ByHand<'a, T>(Pin<Box<dyn Future<Output = T> + 'a>>);

impl<'a, T> ByHand<'a, T> {
    fn new(future: impl Future<Output = T> + 'a) -> Self {
        Self(Box::pin(future))
    }

    fn is_pending(&mut self) -> bool {
        let mut context = std::task::Context::from_waker(Waker::noop());
        self.0.as_mut().poll(&mut context).is_pending()
    }
}

#[test]
fn a_ranked_message_keeps_its_place_until_its_handler_takes_it() {
    for_each_seed(20, |seed| {
        let (system, world, events) = stepped(seed);
        let (seen, mut journal) = journal();
        let gate = Arc::new(Semaphore::new(0));
        let actor = held(&gate, seen).mailbox(ranked(3));
        let actor = system.spawn("actor", actor).unwrap();
        tell(&actor, &[(3, "c"), (2, "b"), (1, "a")]);
        world.settle(); // one is in hand, two are ranked
        actor.tell(Msg::Note(0, "urgent"));
        actor.tell(Msg::Note(0, "more urgent"));
        assert_eq!(events.dead(DeadLetterReason::Full), 1);
        let mut waiting = ByHand::new(actor.reserve());
        assert!(waiting.is_pending());
        world.settle();
        assert!(waiting.is_pending());
        gate.add_permits(1);
        world.settle();
        assert!(!waiting.is_pending(), "the second was taken");
        drop(waiting);
        gate.add_permits(9);
        world.settle();
        assert_eq!(read(&mut journal), ["a", "urgent", "b", "c"]);
        end(&system, &world);
    });
}

#[test]
fn a_message_that_comes_later_overtakes_what_was_ranked_before() {
    for_each_seed(20, |seed| {
        let (system, world, _) = stepped(seed);
        let (seen, mut journal) = journal();
        let gate = Arc::new(Semaphore::new(0));
        let actor = held(&gate, seen).mailbox(ranked(9));
        let actor = system.spawn("actor", actor).unwrap();
        tell(&actor, &[(3, "third"), (2, "second"), (0, "zeroth")]);
        world.settle();
        actor.tell(Msg::Note(1, "first"));
        gate.add_permits(9);
        world.settle();
        assert_eq!(read(&mut journal), ["zeroth", "first", "second", "third"]);
        end(&system, &world);
    });
}

/// Some are ranked by then, some are in the lane still.
#[test]
fn a_stop_buries_everything_and_fails_its_asks_at_once() {
    for_each_seed(20, |seed| {
        let (system, world, events) = stepped(seed);
        let (seen, mut journal) = journal();
        let gate = Arc::new(Semaphore::new(0));
        let actor = held(&gate, seen).mailbox(ranked(100));
        let actor = system.spawn("actor", actor).unwrap();
        let mut asked = ByHand::new(actor.ask(|reply| Msg::Ask(2, reply)).within(secs(9)));
        assert!(asked.is_pending());
        (0..10).for_each(|_| actor.tell(Msg::Note(1, "ranked")));
        world.settle();
        (0..10).for_each(|_| actor.tell(Msg::Note(0, "queued")));
        actor.stop();
        gate.add_permits(9);
        world.settle();
        assert_eq!(read(&mut journal), ["ranked"]);
        let answer = world.block_on(asked.0);
        assert!(
            matches!(&answer, Err(AskError::Gone(Fate::Waiting))),
            "{answer:?}"
        );
        assert_eq!(world.elapsed(), secs(0));
        assert_eq!(events.dead(DeadLetterReason::Stopped), 20);
        let ledger = end(&system, &world);
        assert_eq!((ledger.handled, ledger.dead), (1, 20));
    });
}

#[test]
fn a_system_that_is_dropped_with_ranked_messages_balances() {
    let (system, world, events) = stepped(3);
    let (seen, _seen) = journal();
    let actor = held(&Arc::new(Semaphore::new(0)), seen).mailbox(ranked(100));
    let actor = system.spawn("actor", actor).unwrap();
    (0..10).for_each(|_| actor.tell(Msg::Note(1, "ranked")));
    world.settle();
    drop(world);
    let ledger = system.ledger();
    assert_eq!(
        (ledger.balance(), ledger.interrupted, ledger.dead),
        (0, 1, 9)
    );
    assert_eq!(events.dead(DeadLetterReason::Stopped), 9);
}

#[test]
fn a_drain_handles_everything_that_was_accepted_by_rank_and_waits_for_permits() {
    for_each_seed(20, |seed| {
        let (system, world, _) = stepped(seed);
        let (seen, mut journal) = journal();
        let actor = held(&Arc::new(Semaphore::new(9)), seen).mailbox(ranked(9));
        let actor = system.spawn("actor", actor).unwrap();
        let permit = world.block_on(actor.reserve()).unwrap();
        tell(&actor, &[(3, "c"), (2, "b"), (1, "a")]);
        actor.drain();
        world.settle();
        assert_eq!(read(&mut journal), ["a", "b", "c"]);
        permit.send(Msg::Note(0, "permitted"));
        assert!(matches!(world.block_on(actor.terminated()), Exit::Drained));
        assert_eq!(read(&mut journal), ["permitted"]);
        assert_eq!(end(&system, &world).handled, 4);
    });
}

/// They have no level before they are made, and hold no place.
#[test]
fn ticks_pipes_and_answers_come_before_messages_in_their_own_order() {
    for_each_seed(20, |seed| {
        let (system, world, _) = stepped(seed);
        let (seen, mut journal) = journal();
        let gate = Arc::new(Semaphore::new(0));
        let opens = gate.clone();
        let answers = Props::func(async |ctx: &mut Context<Reply<()>>| {
            let reply = ctx.recv().await.ok_or("nobody asks")?;
            ctx.clock().sleep(millis(3)).await;
            reply.send(());
            Ok(())
        });
        let answers = system.spawn("answers", answers).unwrap();
        let actor = Props::func(async move |ctx: &mut Context<Msg>| {
            ctx.timers().once("tick", millis(1), Msg::Note(200, "tick"));
            let clock = ctx.clock().clone();
            let pipe = async move { clock.sleep(millis(2)).await };
            ctx.pipe_to_self(pipe, |()| Msg::Note(150, "pipe"));
            ctx.ask(
                &answers,
                secs(9),
                |reply| reply,
                |_| Msg::Note(100, "answer"),
            );
            gate.acquire().await?.forget();
            while let Some(msg) = ctx.recv().await {
                seen.send(name(&msg))?;
            }
            Ok(())
        });
        let actor = system.spawn("actor", actor.mailbox(ranked(2))).unwrap();
        actor.tell(Msg::Note(1, "first"));
        actor.tell(Msg::Note(0, "zeroth"));
        world.advance(millis(5));
        opens.add_permits(1);
        world.settle();
        assert_eq!(
            read(&mut journal),
            ["tick", "pipe", "answer", "zeroth", "first"]
        );
        end(&system, &world);
    });
}

#[test]
fn a_cancelled_tick_is_not_delivered_although_it_was_ranked() {
    let (system, world, _) = stepped(1);
    let (seen, mut journal) = journal();
    let actor = Props::func(async move |ctx: &mut Context<Msg>| {
        ctx.timers().once("one", millis(1), Msg::Note(1, "one"));
        ctx.timers().once("two", millis(2), Msg::Note(0, "two"));
        ctx.clock().sleep(millis(3)).await;
        while let Some(msg) = ctx.recv().await {
            seen.send(name(&msg))?;
            ctx.timers().cancel("two");
        }
        Ok(())
    });
    system.spawn("actor", actor.mailbox(ranked(2))).unwrap();
    world.advance(millis(5));
    assert_eq!(read(&mut journal), ["one"]);
    end(&system, &world);
}

#[test]
fn terminated_comes_after_everything_that_actor_sent_and_is_not_starved_by_what_comes_later() {
    for_each_seed(50, |seed| {
        let (system, world, _) = stepped(seed);
        let (seen, mut journal) = journal();
        let gate = Arc::new(Semaphore::new(0));
        let opens = gate.clone();
        let mortal = Props::func(async move |ctx: &mut Context<ActorRef<Msg>>| {
            let to = ctx.recv().await.ok_or("nobody to tell")?;
            to.tell(Msg::Note(255, "last words"));
            to.tell(Msg::Note(254, "first words"));
            Ok(())
        });
        let mortal = system.spawn("mortal", mortal).unwrap();
        let watched = mortal.clone();
        let watcher = Props::func(async move |ctx: &mut Context<Msg>| {
            ctx.watch_with(&watched, |_| Msg::Note(255, "terminated"));
            gate.acquire().await?.forget();
            while let Some(msg) = ctx.recv().await {
                seen.send(name(&msg))?;
            }
            Ok(())
        });
        let watcher = watcher.mailbox(ranked(9));
        let watcher = system.spawn("watcher", watcher).unwrap();
        world.settle();
        mortal.tell(watcher.clone());
        world.settle();
        watcher.tell(Msg::Note(0, "later"));
        opens.add_permits(1);
        world.settle();
        assert_eq!(
            read(&mut journal),
            ["first words", "last words", "terminated", "later"]
        );
        end(&system, &world);
    });
}

#[test]
fn an_adapters_message_has_the_level_of_what_it_becomes_and_a_broken_one_frees_its_place() {
    struct Adapting(mpsc::UnboundedSender<&'static str>, Arc<Semaphore>);
    impl Actor for Adapting {
        type Msg = Msg;
        async fn started(&mut self, ctx: &mut Context<Msg>) -> Outcome {
            let adapter = ctx.adapter(|level: u8| {
                assert!(level < 100, "this adapter panics on purpose");
                Msg::Note(level, "adapted")
            });
            [5, 100, 1]
                .into_iter()
                .for_each(|level| adapter.tell(level));
            self.1.acquire().await?.forget();
            Ok(())
        }
        async fn receive(&mut self, _ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
            Ok(self.0.send(name(&msg))?)
        }
        async fn signal(&mut self, _ctx: &mut Context<Msg>, signal: Signal) -> Outcome {
            match signal {
                Signal::AdapterFailed(_) => Ok(self.0.send("adapter failed")?),
                other => other.unhandled(),
            }
        }
    }
    for_each_seed(20, |seed| {
        let (system, world, _) = stepped(seed);
        let (seen, mut journal) = journal();
        let gate = Arc::new(Semaphore::new(0));
        let opens = gate.clone();
        let props = Props::new(move || Adapting(seen, gate)).mailbox(ranked(5));
        let actor = system.spawn("actor", props).unwrap();
        world.settle();
        actor.tell(Msg::Note(3, "plain"));
        opens.add_permits(1);
        world.settle();
        assert_eq!(
            read(&mut journal),
            ["adapter failed", "adapted", "plain", "adapted"]
        );
        (0..5).for_each(|_| actor.try_send(Msg::Note(0, "room")).unwrap());
        assert!(actor.try_send(Msg::Note(0, "none")).is_err());
        let ledger = end(&system, &world);
        assert_eq!((ledger.failed, ledger.refused), (1, 1));
    });
}

#[test]
fn a_level_that_panics_makes_its_message_the_last() {
    for_each_seed(20, |seed| {
        let (system, world, events) = stepped(seed);
        let (seen, mut journal) = journal();
        let actor = held(&Arc::new(Semaphore::new(9)), seen).mailbox(ranked(9));
        let actor = system.spawn("actor", actor).unwrap();
        actor.tell(Msg::Broken);
        actor.tell(Msg::Note(254, "almost last"));
        world.settle();
        assert_eq!(read(&mut journal), ["almost last", "broken"]);
        assert_eq!(
            events.count(|event| matches!(event, playhouse::Event::Failed { .. })),
            0
        );
        assert_eq!(end(&system, &world).handled, 2);
    });
}

#[test]
fn what_is_unstashed_comes_first_in_the_order_of_the_stash() {
    let (system, world, _) = stepped(1);
    let (seen, mut journal) = journal();
    let actor = Props::func(async move |ctx: &mut Context<Msg>| {
        for _ in 0..2 {
            let early = ctx.recv().await.ok_or("too few")?;
            ctx.stash(early)?;
        }
        ctx.unstash_all();
        while let Some(msg) = ctx.recv().await {
            seen.send(name(&msg))?;
        }
        Ok(())
    });
    let actor = system.spawn("actor", actor.mailbox(ranked(9))).unwrap();
    tell(&actor, &[(2, "d"), (0, "a"), (1, "b"), (1, "c")]);
    world.settle();
    assert_eq!(read(&mut journal), ["a", "b", "c", "d"]);
    assert_eq!(end(&system, &world).handled, 4);
}

#[test]
fn a_message_to_oneself_has_its_level_too() {
    let (system, world, _) = stepped(1);
    let (seen, mut journal) = journal();
    let actor = Props::func(async move |ctx: &mut Context<Msg>| {
        while let Some(msg) = ctx.recv().await {
            if let Msg::Note(1, _) = msg {
                ctx.again(Msg::Note(3, "again"));
            }
            seen.send(name(&msg))?;
        }
        Ok(())
    });
    let actor = system.spawn("actor", actor.mailbox(ranked(3))).unwrap();
    tell(&actor, &[(4, "fourth"), (2, "second"), (1, "first")]);
    world.settle();
    assert_eq!(read(&mut journal), ["first", "second", "again", "fourth"]);
    end(&system, &world);
}

/// Many threads, small mailbox, all ways to send: nothing is lost, and each sender's order holds within a level.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn order_holds_for_each_sender_within_a_level_under_contention() {
    const SENDERS: usize = 4;
    const MESSAGES: u32 = 5_000;
    struct InOrder {
        last: [[Option<u32>; 3]; SENDERS],
    }
    impl Actor for InOrder {
        type Msg = (usize, u32);
        async fn receive(&mut self, _ctx: &mut Context<Self::Msg>, msg: Self::Msg) -> Outcome {
            let (sender, n) = msg;
            let last = &mut self.last[sender][n as usize % 3];
            assert!(*last < Some(n), "{sender}: {n} after {last:?}");
            *last = Some(n);
            Ok(())
        }
    }
    let (system, events) = system();
    let props = Props::new(|| InOrder {
        last: Default::default(),
    });
    let mailbox = Mailbox::bounded(16).by_priority(|&(_, n): &(usize, u32)| (n % 3) as u8);
    let actor = system.spawn("actor", props.mailbox(mailbox)).unwrap();
    let senders: Vec<_> = (0..SENDERS)
        .map(|sender| {
            let to = actor.clone();
            tokio::spawn(async move {
                for n in 0..MESSAGES {
                    if n % 2 == 0 {
                        to.send((sender, n)).await.unwrap();
                    } else {
                        to.reserve().await.unwrap().send((sender, n));
                    }
                }
            })
        })
        .collect();
    for sender in senders {
        sender.await.unwrap();
    }
    actor.drain();
    assert!(matches!(actor.terminated().await, Exit::Drained));
    assert_eq!(events.dead(DeadLetterReason::Full), 0);
    let ledger = common::end(&system).await;
    assert_eq!(ledger.handled, SENDERS as u64 * u64::from(MESSAGES));
}

/// It was made for the incarnation that has ended, like one that is in the lane still.
#[test]
fn an_adapters_message_that_is_ranked_does_not_outlive_its_incarnation() {
    enum Step {
        Fail,
        Adapted,
        Plain,
    }
    struct Failing(mpsc::UnboundedSender<&'static str>, Arc<Semaphore>);
    impl Actor for Failing {
        type Msg = Step;
        async fn started(&mut self, ctx: &mut Context<Step>) -> Outcome {
            let adapter = ctx.adapter(|works: bool| {
                assert!(works, "this adapter panics on purpose");
                Step::Adapted
            });
            if self.1.try_acquire().map(|permit| permit.forget()).is_ok() {
                [true, false]
                    .into_iter()
                    .for_each(|works| adapter.tell(works));
                ctx.me().tell(Step::Fail);
                ctx.me().tell(Step::Plain);
            }
            Ok(())
        }
        async fn receive(&mut self, _ctx: &mut Context<Step>, msg: Step) -> Outcome {
            match msg {
                Step::Fail => Err("on purpose".into()),
                Step::Adapted => Ok(self.0.send("adapted")?),
                Step::Plain => Ok(self.0.send("plain")?),
            }
        }
        async fn signal(&mut self, _ctx: &mut Context<Step>, signal: Signal) -> Outcome {
            match signal {
                Signal::AdapterFailed(_) => Err("before it is looked at".into()),
                _ => Ok(()),
            }
        }
    }
    for_each_seed(20, |seed| {
        let (system, world, events) = stepped(seed);
        let (seen, mut journal) = journal();
        let first = Arc::new(Semaphore::new(1));
        let props = Props::new(move || Failing(seen, first))
            .mailbox(Mailbox::bounded(9).by_priority(|step| match step {
                Step::Fail => 0,
                Step::Adapted => 1,
                Step::Plain => 2,
            }))
            .supervise(Supervise::restart().at_once());
        system.spawn("actor", props).unwrap();
        world.settle();
        assert_eq!(read(&mut journal), ["plain"]);
        assert_eq!(events.dead(DeadLetterReason::Gone), 1);
        let ledger = end(&system, &world);
        assert_eq!((ledger.handled, ledger.dead), (1, 1), "{ledger:?}");
    });
}
