//! `Admission`: so many inside, so many in line, everybody else refused at once.

use crate::common::seeds::{end, stepped};
use crate::common::{journal, read};
use playhouse::prelude::*;
use playhouse::{Admission, Refused};
use std::pin::Pin;
use std::task::{Context as Poller, Poll, Waker};

/// Polls once, as a producer that has just come.
fn poll<F: Future + ?Sized>(future: &mut Pin<Box<F>>) -> Poll<F::Output> {
    future.as_mut().poll(&mut Poller::from_waker(Waker::noop()))
}

#[test]
fn of_a_hundred_thousand_producers_only_as_many_are_parked_as_may_wait() {
    let door = Admission::new(64, 256);
    let (mut inside, mut parked, mut refused) = (Vec::new(), Vec::new(), 0);
    for _ in 0..100_000 {
        let mut entering = Box::pin(door.enter());
        match poll(&mut entering) {
            Poll::Ready(Ok(admitted)) => inside.push(admitted),
            Poll::Pending => parked.push(entering),
            Poll::Ready(Err(why)) => {
                let full = Refused::Full {
                    inside: 64,
                    waiting: 256,
                };
                assert_eq!(why, full);
                refused += 1;
            }
        }
    }
    assert_eq!((inside.len(), parked.len()), (64, 256));
    assert_eq!(refused, 100_000 - 64 - 256);
    assert_eq!((door.inside(), door.waiting()), (64, 256));
    drop(inside);
    let admitted = parked.iter_mut().take(64).map(poll);
    let admitted: Vec<_> = admitted.collect();
    assert!(
        admitted
            .iter()
            .all(|entry| matches!(entry, Poll::Ready(Ok(_))))
    );
    drop((admitted, parked));
    assert_eq!((door.inside(), door.waiting()), (0, 0));
}

#[test]
fn whoever_waits_comes_in_first_and_whoever_gives_up_leaves_the_line() {
    let door = Admission::new(1, 2);
    let only = door.try_enter().unwrap();
    let mut first = Box::pin(door.enter());
    let mut second = Box::pin(door.enter());
    assert!(poll(&mut first).is_pending() && poll(&mut second).is_pending());
    assert!(matches!(
        poll(&mut Box::pin(door.enter())),
        Poll::Ready(Err(Refused::Full { .. }))
    ));
    drop(first);
    assert_eq!(door.waiting(), 1);
    drop(only);
    assert!(door.try_enter().is_err(), "the second is before us");
    assert!(matches!(poll(&mut second), Poll::Ready(Ok(_))));
}

#[test]
fn the_right_to_be_inside_comes_back_with_the_message_wherever_that_is_dropped() {
    let (system, world, _) = stepped(1);
    let door = Admission::new(3, 0);
    let busy = Props::func(async |ctx: &mut Context<playhouse::Admitted>| {
        ctx.stopping().await;
        Ok(())
    });
    let busy = system.spawn_anonymous(busy.mailbox(Mailbox::bounded(1)));
    busy.tell(door.try_enter().unwrap());
    busy.tell(door.try_enter().unwrap()); // full: a dead letter
    assert_eq!(door.inside(), 1);
    busy.kill();
    world.block_on(busy.terminated());
    assert_eq!(door.inside(), 0);
    end(&system, &world);
}

#[test]
fn a_closed_door_refuses_those_in_line_and_keeps_those_inside() {
    let (system, world, _) = stepped(2);
    let door = Admission::new(1, 5);
    let inside = door.try_enter().unwrap();
    let (told, mut refusals) = journal();
    for _ in 0..5 {
        let (door, told) = (door.clone(), told.clone());
        let enters = async move |_: &mut Context<()>| Ok(told.send(door.enter().await.err())?);
        drop(system.spawn_anonymous(Props::func(enters)));
    }
    world.settle();
    door.close();
    world.settle();
    assert_eq!(read(&mut refusals), [Some(Refused::Closed); 5]);
    assert_eq!(door.try_enter().unwrap_err(), Refused::Closed);
    assert_eq!(door.inside(), 1);
    drop(inside);
    end(&system, &world);
}

#[test]
fn a_refusal_says_how_many_there_are_and_what_to_do() {
    let door = Admission::new(1, 0);
    let _inside = door.try_enter().unwrap();
    let text = door.try_enter().unwrap_err().to_string();
    assert_eq!(
        text,
        "1 are being served and 0 wait, which is the bound; try again later"
    );
}
