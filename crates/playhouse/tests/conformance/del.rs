//! Handing a message on to another behaviour.

use playhouse::prelude::*;
use playhouse::testkit::TestKit;

#[test]
fn del_01_the_other_behaviour_handles_the_message_and_stays() {
    fn first(told: ActorRef<String>) -> Behavior<u32> {
        Behavior::receive(move |ctx, n| {
            told.tell(format!("first {n}"));
            second(told).handle(ctx, n)
        })
    }
    fn second(told: ActorRef<String>) -> Behavior<u32> {
        Behavior::receive(move |_ctx, n| {
            told.tell(format!("second {n}"));
            Ok(second(told))
        })
    }
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let actor = kit.spawn("actor", move || first(told));
    actor.tell(1);
    actor.tell(2);
    assert_eq!(probe.expect_n(3), ["first 1", "second 1", "second 2"]);
}

#[test]
fn del_01_setups_in_front_run_first() {
    fn other(told: ActorRef<String>) -> Behavior<u32> {
        Behavior::setup(move |ctx| {
            told.tell(format!("{} is set up", ctx.me()));
            Ok(Behavior::receive(move |_ctx, n| {
                told.tell(format!("handled {n}"));
                Ok(Behavior::stopped())
            }))
        })
    }
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let actor = kit.spawn("actor", move || {
        Behavior::receive(move |ctx, n: u32| other(told).handle(ctx, n))
    });
    actor.tell(7);
    assert_eq!(
        probe.expect_n(2),
        [format!("{actor} is set up"), "handled 7".to_owned()]
    );
    assert!(matches!(probe.expect_terminated(&actor), Exit::Stopped));
}
