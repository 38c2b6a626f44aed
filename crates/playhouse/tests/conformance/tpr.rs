//! Test probes.

use crate::common::panics::panic_text;
use playhouse::prelude::*;
use playhouse::testkit::{Fishing, Probe, TestKit};
use std::time::Duration;

/// Ends by itself, half a second from now.
fn short_life() -> playhouse::FuncProps<()> {
    Props::func(async |ctx: &mut Context<()>| {
        ctx.clock().sleep(millis(500)).await;
        Ok(())
    })
}

/// Told 1, 2, 3, each a second after the other.
fn counting(kit: &TestKit) -> Probe<u32> {
    let probe = kit.probe();
    let told = probe.actor_ref().clone();
    let counter = Props::func(async move |ctx: &mut Context<()>| {
        for number in 1..=3 {
            ctx.clock().sleep(secs(1)).await;
            told.tell(number);
        }
        Ok(())
    });
    kit.spawn("counter", counter);
    probe
}

#[test]
fn tpr_01_the_end_of_an_actor_is_expected_whether_it_is_over_or_still_to_come() {
    let kit = TestKit::new();
    let mut probe = kit.probe::<()>();
    let gone = kit.spawn("gone", short_life());
    kit.advance(millis(500));
    assert!(matches!(probe.expect_terminated(&gone), Exit::Stopped));
    let going = kit.spawn("going", short_life());
    let text = panic_text(|| kit.probe::<()>().expect_terminated(&going));
    assert!(
        text.contains("/test/going did not end within 0ns"),
        "{text}"
    );
    let exit = probe.expect_terminated_within(&going, millis(500));
    assert!(matches!(exit, Exit::Stopped));
    assert_eq!(kit.world().elapsed(), secs(1));
}

#[test]
fn tpr_02_fishing_returns_every_message_up_to_the_last_in_order() {
    let kit = TestKit::new();
    let mut probe = counting(&kit);
    let caught = probe.fish(secs(3), |number| match number {
        3 => Fishing::Complete,
        _ => Fishing::Continue,
    });
    assert_eq!(caught, [1, 2, 3]);
    assert_eq!(kit.world().elapsed(), secs(3));
}

fn fishing_fails(within: Duration, judge: impl Fn(&TestKit, &u32) -> Fishing) -> String {
    let kit = TestKit::new();
    let mut probe = counting(&kit);
    panic_text(|| probe.fish(within, |number| judge(&kit, number)))
}

#[test]
fn tpr_03_fishing_fails_on_a_wrong_message_a_missing_one_and_a_slow_judgement() {
    let wrong = fishing_fails(secs(9), |_, number| match number {
        2 => Fishing::Fail("two is wrong".to_owned()),
        _ => Fishing::Continue,
    });
    assert!(
        wrong.contains("message 2 of `u32` is wrong: two is wrong"),
        "{wrong}"
    );
    let missing = fishing_fails(millis(2_500), |_, _| Fishing::Continue);
    assert!(
        missing.contains("after 2 messages of `u32` the last was still to come, 2.5s later"),
        "{missing}"
    );
    let slow = fishing_fails(secs(3), |kit, _| {
        kit.advance(secs(4));
        Fishing::Complete
    });
    assert!(
        slow.contains("to judge message 1 of `u32` took longer than 3s"),
        "{slow}"
    );
}

#[test]
fn tpr_04_so_many_messages_are_expected_at_once_and_fewer_fail() {
    let kit = TestKit::new();
    let mut probe = counting(&kit);
    assert_eq!(probe.expect_n_within(3, secs(3)), [1, 2, 3]);
    let mut lonely = kit.probe();
    lonely.actor_ref().tell(7);
    let text = panic_text(|| lonely.expect_n_within(3, millis(50)));
    assert!(text.contains("1 of 3 `i32` came within 50ms"), "{text}");
    assert_eq!(lonely.expect(), 7);
}

#[test]
fn tpr_05_a_message_that_does_not_come_fails_the_test_with_and_without_a_time() {
    let kit = TestKit::seeded(17);
    let mut probe = kit.probe::<u32>();
    let at_once = panic_text(|| probe.expect());
    assert!(
        at_once.contains("/test/probe-1: no `u32` came within 0ns"),
        "{at_once}"
    );
    assert!(
        at_once.contains("seed 17") && at_once.contains("The last steps"),
        "{at_once}"
    );
    let later = panic_text(|| probe.expect_within(secs(5)));
    assert!(later.contains("no `u32` came within 5s"), "{later}");
}

#[test]
fn tpr_06_a_probe_can_be_watched_and_stopped() {
    let kit = TestKit::new();
    let probe = kit.probe::<()>();
    let mut ends = kit.probe();
    let (watched, told) = (probe.actor_ref().clone(), ends.actor_ref().clone());
    let watcher = Props::func(async move |ctx: &mut Context<String>| {
        ctx.watch_with(&watched, |exit| exit.to_string());
        while let Some(end) = ctx.recv().await {
            told.tell(end);
        }
        Ok(())
    });
    kit.spawn("watcher", watcher);
    ends.expect_nothing();
    probe.stop();
    assert_eq!(ends.expect(), "stopped");
}
