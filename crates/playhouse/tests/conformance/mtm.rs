//! The manual clock. Its timers are TIM-14 to TIM-16.

use playhouse::prelude::*;
use playhouse::testkit::TestKit;

#[test]
fn mtm_01_time_stands_still_until_the_test_moves_it_and_ticks_come_on_the_moment() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let ticking = Props::func(async move |ctx: &mut Context<u32>| {
        ctx.timers().once("one", millis(10), 0);
        ctx.timers().fixed_rate("rate", millis(100), || 1);
        while let Some(tick) = ctx.recv().await {
            told.tell((tick, ctx.clock().now()));
        }
        Ok(())
    });
    kit.spawn("ticking", ticking);
    kit.settle();
    let begin = kit.system().clock().now();
    kit.advance(millis(9));
    probe.expect_nothing();
    kit.advance(millis(2));
    assert_eq!(probe.expect(), (0, begin + millis(10)));
    probe.expect_nothing();
    for round in 1..=3 {
        kit.advance(millis(if round == 1 { 88 } else { 99 }));
        probe.expect_nothing();
        kit.advance(millis(1));
        assert_eq!(probe.expect(), (1, begin + millis(100) * round));
        probe.expect_nothing();
    }
    assert_eq!(kit.system().clock().now(), begin + millis(300));
}
