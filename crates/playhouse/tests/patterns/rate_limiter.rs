//! `RateLimiter`: so many per second of the system's time, so many in line.

use crate::common::seeds::{end, for_each_seed, stepped};
use crate::common::{journal, read};
use playhouse::prelude::*;
use playhouse::{Rate, RateLimiter};

#[test]
fn tokens_come_evenly_and_a_rest_earns_no_more_than_the_burst() {
    let (system, world, _) = stepped(1);
    let limiter = RateLimiter::new(system.clock(), Rate::new(10, secs(1)).burst(3), 0);
    let at_once = || {
        (0..20)
            .take_while(|_| limiter.try_acquire().is_ok())
            .count()
    };
    assert_eq!(at_once(), 3, "full at first");
    assert_eq!(at_once(), 0);
    world.advance(millis(99));
    assert_eq!(at_once(), 0);
    world.advance(millis(1));
    assert_eq!(at_once(), 1);
    world.advance(secs(3_600));
    assert_eq!(at_once(), 3);
    end(&system, &world);
}

#[test]
fn a_burst_is_one_unless_said_otherwise() {
    let (system, world, _) = stepped(2);
    let limiter = RateLimiter::new(system.clock(), Rate::new(1_000, secs(1)), 0);
    assert!(limiter.try_acquire().is_ok() && limiter.try_acquire().is_err());
    end(&system, &world);
}

/// The hundred go through in order, no two in one tenth of a second, and as many as were too many were refused.
#[test]
fn a_line_of_callers_is_served_in_order_at_the_rate() {
    for_each_seed(50, |seed| {
        let (system, world, _) = stepped(seed);
        let limiter = RateLimiter::new(system.clock(), Rate::new(10, secs(1)), 7);
        let (told, mut served) = journal();
        let mut refused = 0;
        for _ in 0..20 {
            let (limiter, told) = (limiter.clone(), told.clone());
            let takes = async move |ctx: &mut Context<()>| {
                let outcome = limiter.acquire().await;
                Ok(told.send((ctx.clock().now(), outcome))?)
            };
            drop(system.spawn_anonymous(Props::func(takes)));
        }
        let begin = system.clock().now();
        world.advance(secs(10));
        let mut times = Vec::new();
        for (at, outcome) in read(&mut served) {
            match outcome {
                Ok(()) => times.push(at - begin),
                Err(too_fast) => {
                    assert_eq!(too_fast.retry_after(), millis(800), "behind the seven");
                    refused += 1;
                }
            }
        }
        let expected: Vec<_> = (0..8).map(|n| millis(n * 100)).collect();
        assert_eq!((times, refused), (expected, 12));
        assert_eq!(limiter.waiting(), 0);
        end(&system, &world);
    });
}

#[test]
fn whoever_gives_up_takes_no_token_and_leaves_the_line() {
    let (system, world, _) = stepped(3);
    let limiter = RateLimiter::new(system.clock(), Rate::new(1, secs(1)), 2);
    limiter.try_acquire().unwrap();
    let (first, second) = (limiter.clone(), limiter.clone());
    let first = system.spawn_anonymous(Props::func(async move |_: &mut Context<()>| {
        first.acquire().await?;
        Ok(())
    }));
    world.settle();
    let second = system.spawn_anonymous(Props::func(async move |_: &mut Context<()>| {
        second.acquire().await?;
        Ok(())
    }));
    world.settle();
    assert_eq!(limiter.waiting(), 2);
    first.kill();
    world.settle();
    assert_eq!(limiter.waiting(), 1);
    world.advance(secs(1));
    assert!(matches!(world.block_on(second.terminated()), Exit::Stopped));
    let too_fast = limiter.try_acquire().unwrap_err();
    assert_eq!(too_fast.retry_after(), secs(1));
    assert_eq!(too_fast.to_string(), "too many; try again in 1s");
    end(&system, &world);
}
