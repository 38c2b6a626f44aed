//! `Aggregator`: all answers or those in time, exactly once. PAT-01 to PAT-03 are in the conformance tests.

use crate::common::seeds::{end, for_each_seed, stepped};
use crate::common::{journal, read};
use playhouse::prelude::*;
use playhouse::{Aggregator, NoReply};

#[test]
fn with_nothing_to_expect_it_finishes_at_once() {
    let (system, world, _) = stepped(1);
    let (told, mut finished) = journal();
    let aggregator = Aggregator::<()>::new(0, secs(1), move |answers| {
        told.send(answers).unwrap();
    });
    let aggregator = system.spawn_anonymous(aggregator);
    world.block_on(aggregator.terminated());
    assert_eq!(read(&mut finished).remove(0).missing(), 0);
    end(&system, &world);
}

/// More answers at once than its turn takes, under many orders: none is lost, and it finishes once.
#[test]
fn there_is_a_place_for_every_answer() {
    for_each_seed(100, |seed| {
        let (system, world, _) = stepped(seed);
        let (told, mut finished) = journal();
        let aggregator = Aggregator::new(200, secs(1), move |answers| {
            told.send(answers).unwrap();
        });
        let aggregator = system.spawn_anonymous(aggregator);
        (0..200).for_each(|n| aggregator.tell(n));
        world.block_on(aggregator.terminated());
        let answers = read(&mut finished).remove(0);
        assert_eq!(answers.into_vec(), (0..200).collect::<Vec<_>>());
        assert_eq!(end(&system, &world).dead, 0);
    });
}

#[test]
fn drained_it_finishes_with_what_it_has_and_stopped_it_does_not_finish() {
    let (system, world, _) = stepped(2);
    for is_drained in [true, false] {
        let (asked, mut aggregator) = journal();
        let asker = Props::func(async move |ctx: &mut Context<Reply<usize>>| {
            while let Some(reply) = ctx.recv().await {
                let finish = move |answers: playhouse::Answers<u32>| {
                    reply.send(answers.as_slice().len());
                };
                asked.send(ctx.spawn_anonymous(Aggregator::new(2, secs(9), finish)))?;
            }
            Ok(())
        });
        let asker = system.spawn_anonymous(asker);
        let (told, mut answer) = journal();
        let asks = async move |_: &mut Context<()>| {
            told.send(asker.ask(|reply| reply).within(secs(60)).await)?;
            Ok(())
        };
        drop(system.spawn_anonymous(Props::func(asks)));
        world.settle();
        let aggregator = aggregator.try_recv().unwrap();
        aggregator.tell(1);
        world.settle();
        match is_drained {
            true => aggregator.drain(),
            false => aggregator.stop(),
        }
        world.settle();
        match answer.try_recv().unwrap() {
            Ok(1) if is_drained => {}
            Err(AskError::NoReply { by, why, .. }) if !is_drained => {
                assert!(by == aggregator && matches!(why, NoReply::Stopped | NoReply::Dropped));
            }
            other => panic!("{other:?}"),
        }
    }
    end(&system, &world);
}
