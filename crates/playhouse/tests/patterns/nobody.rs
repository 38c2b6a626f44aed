//! `ActorSystem::ignore`: an address that swallows. DLT-04 and DLT-07 are in the conformance tests.

use crate::common::seeds::{end, stepped};
use playhouse::prelude::*;
use playhouse::{DeadLetterReason, NoReply};
use std::sync::Arc;

#[test]
fn every_way_to_send_is_swallowed_and_counted() {
    let (system, world, events) = stepped(1);
    let nobody = system.ignore::<u32>();
    nobody.tell(1);
    nobody.try_send(2).unwrap();
    world.block_on(nobody.send(3)).unwrap();
    world.block_on(nobody.reserve()).unwrap().send(4);
    nobody
        .contramap(|text: &str| text.len() as u32)
        .tell("five");
    drop(nobody.try_reserve().unwrap());
    let ledger = end(&system, &world);
    assert_eq!((ledger.accepted, ledger.handled, ledger.dead), (5, 5, 0));
    nobody.tell(6); // also after the end
    assert_eq!(events.dead(DeadLetterReason::Gone), 0);
}

#[test]
fn it_is_one_actor_that_takes_no_orders() {
    let (system, world, _) = stepped(2);
    let nobody = system.ignore::<u32>();
    assert_eq!(*nobody.address(), *system.ignore::<String>().address());
    nobody.stop();
    nobody.drain();
    nobody.contramap(|text: &str| text.len() as u32).kill();
    world.settle();
    world.block_on(nobody.send(1)).unwrap();
    assert!(nobody.downgrade().upgrade().is_some());
    end(&system, &world);
}

#[test]
fn asked_it_says_at_once_that_there_will_be_no_answer() {
    let (system, world, _) = stepped(3);
    let nobody = system.ignore::<Reply<u32>>();
    let answer = world.block_on(nobody.ask(|reply| reply).within(secs(60)));
    let Err(AskError::NoReply { by, why, .. }) = answer else {
        panic!("{answer:?}");
    };
    assert!(by == nobody && matches!(why, NoReply::Dropped));
    end(&system, &world);
}

#[test]
fn a_message_is_dropped_where_it_is_sent_even_if_its_drop_panics() {
    struct Bomb(#[allow(dead_code)] Arc<()>);
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("a drop of the user's");
        }
    }
    let (system, world, _) = stepped(4);
    let held = Arc::new(());
    system.ignore().tell(Bomb(held.clone()));
    assert_eq!(Arc::strong_count(&held), 1);
    end(&system, &world);
}
