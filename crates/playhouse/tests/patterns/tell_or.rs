//! `Context::tell_or`: a handler never waits for room; it is told when there is some.

use crate::common::seeds::{end, for_each_seed, stepped};
use crate::common::{journal, read};
use playhouse::prelude::*;
use playhouse::{Permit, SendError};
use std::collections::VecDeque;
use tokio::sync::mpsc;

enum Msg {
    Line(u32),
    Room(Result<Permit<u32>, SendError<()>>),
    Alive(Reply<usize>),
}

/// Passes lines on in order, and keeps those for which there is no room.
struct Relay {
    to: ActorRef<u32>,
    kept: VecDeque<u32>,
    lost: mpsc::UnboundedSender<usize>,
}

impl Relay {
    fn pass_on(&mut self, ctx: &mut Context<Msg>, line: u32) {
        match ctx.tell_or(&self.to, line, Msg::Room) {
            Ok(()) => {}
            Err(TrySendError::Full(line)) => self.kept.push_front(line),
            Err(TrySendError::Closed(_)) => self.give_up(1),
        }
    }

    fn give_up(&mut self, also: usize) {
        let _ = self.lost.send(also + std::mem::take(&mut self.kept).len());
    }
}

impl Actor for Relay {
    type Msg = Msg;
    async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        match msg {
            Msg::Line(line) if !self.kept.is_empty() => self.kept.push_back(line),
            Msg::Line(line) => self.pass_on(ctx, line),
            Msg::Room(Err(_)) => self.give_up(0),
            Msg::Room(Ok(place)) => {
                place.send(self.kept.pop_front().ok_or("a promise without a line")?);
                if let Some(line) = self.kept.pop_front() {
                    self.pass_on(ctx, line);
                }
            }
            Msg::Alive(reply) => reply.send(self.kept.len()),
        }
        Ok(())
    }
}

/// Takes a line per second, and at most two wait.
fn slow(system: &ActorSystem) -> (ActorRef<u32>, mpsc::UnboundedReceiver<u32>) {
    let (seen, lines) = journal();
    let slow = Props::func(async move |ctx: &mut Context<u32>| {
        while let Some(line) = ctx.recv().await {
            // sleeps: in virtual time
            ctx.clock().sleep(secs(1)).await;
            seen.send(line)?;
        }
        Ok(())
    });
    (
        system
            .spawn("slow", slow.mailbox(Mailbox::bounded(2)))
            .unwrap(),
        lines,
    )
}

fn relay(
    system: &ActorSystem,
    to: &ActorRef<u32>,
) -> (ActorRef<Msg>, mpsc::UnboundedReceiver<usize>) {
    let ((lost, journal), to) = (journal(), to.clone());
    let relay = move || Relay {
        to,
        kept: VecDeque::new(),
        lost,
    };
    (system.spawn("relay", relay).unwrap(), journal)
}

#[test]
fn the_handler_goes_on_and_every_message_arrives_in_order() {
    for_each_seed(200, |seed| {
        let (system, world, _) = stepped(seed);
        let (slow, mut lines) = slow(&system);
        let (relay, _) = relay(&system, &slow);
        (0..10).for_each(|line| relay.tell(Msg::Line(line)));
        let kept = world
            .block_on(relay.ask(Msg::Alive).within(secs(1)))
            .unwrap();
        assert!(
            (7..=8).contains(&kept),
            "{kept} wait, and it answers at once"
        );
        world.advance(secs(30));
        assert_eq!(read(&mut lines), (0..10).collect::<Vec<_>>());
        assert_eq!(end(&system, &world).dead, 0);
    });
}

#[test]
fn when_the_target_ends_the_promise_says_so() {
    let (system, world, _) = stepped(1);
    let (slow, _lines) = slow(&system);
    let (relay, mut lost) = relay(&system, &slow);
    (0..10).for_each(|line| relay.tell(Msg::Line(line)));
    world.settle();
    slow.kill();
    world.settle();
    assert_eq!(read(&mut lost), [7]);
    relay.tell(Msg::Line(10));
    world.settle();
    assert_eq!(read(&mut lost), [1], "closed: nothing is promised");
    end(&system, &world);
}

#[test]
fn when_the_sender_ends_its_promise_holds_no_place() {
    for ends_with_the_promise_in_its_mailbox in [false, true] {
        let (system, world, _) = stepped(2);
        let (slow, mut lines) = slow(&system);
        let (relay, _lost) = relay(&system, &slow);
        (0..4).for_each(|line| relay.tell(Msg::Line(line)));
        world.settle();
        if ends_with_the_promise_in_its_mailbox {
            // A place was freed and the promise kept, but not yet taken.
            while system.ledger().queued < 2 || slow.try_reserve().is_ok() {
                assert!(world.step() || world.advance_to_next());
                if read(&mut lines) == [0] {
                    break;
                }
            }
        }
        relay.kill();
        world.block_on(relay.terminated());
        world.advance(secs(30));
        let places: Vec<_> = std::iter::from_fn(|| slow.try_reserve().ok()).collect();
        assert_eq!(places.len(), 2);
        drop(places);
        slow.drain(); // waits for permits that are out: there are none
        world.block_on_timed(slow.terminated());
        end(&system, &world);
    }
}

#[test]
fn promises_count_as_results_under_way() {
    let (system, world, events) = stepped(3);
    let (slow, _lines) = slow(&system);
    let sender = Props::func(async move |ctx: &mut Context<Msg>| {
        for line in 0..=playhouse::limits::COMPLETIONS_PER_ACTOR as u32 + 2 {
            let _ = ctx.tell_or(&slow, line, Msg::Room);
        }
        ctx.stopping().await;
        Ok(())
    });
    let sender = system.spawn_anonymous(sender);
    let exit = world.block_on(sender.terminated());
    assert!(matches!(exit, Exit::Failed(_)), "{exit:?}");
    let too_many = |event: &playhouse::Event| matches!(event, playhouse::Event::TooManyCompletions { who } if *who == sender);
    assert_eq!(events.count(too_many), 1);
    let report = world.block_on_timed(system.shutdown());
    assert_eq!(report.ledger.balance(), 0);
}
