//! The test kit.

use playhouse::prelude::*;
use playhouse::testkit::{EventPattern, TestKit};
use playhouse::{DeadLetterReason, Event};

struct Picky;

impl Actor for Picky {
    type Msg = u32;
    async fn receive(&mut self, ctx: &mut Context<u32>, msg: u32) -> Outcome {
        match msg {
            0 => Err("zero".into()),
            1 => {
                ctx.unhandled(msg);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

#[test]
fn tkt_02_actors_are_spawned_with_the_name_given_or_one_of_their_own() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let reporting = |told: ActorRef<String>| {
        Props::func(async move |ctx: &mut Context<()>| {
            told.tell(ctx.me().address().path().to_owned());
            Ok(())
        })
    };
    kit.spawn("named", reporting(probe.actor_ref().clone()));
    assert_eq!(probe.expect(), "/test/named");
    let anonymous = kit
        .system()
        .spawn_anonymous(reporting(probe.actor_ref().clone()));
    assert_eq!(probe.expect(), anonymous.address().path());
}

#[test]
fn tkt_03_the_shutdown_of_the_kits_system_completes() {
    let kit = TestKit::new();
    let actor = kit.spawn("picky", || Picky);
    let report = kit.block_on(kit.system().shutdown());
    assert_eq!(report.ledger.balance(), 0);
    assert!(report.still_alive.is_empty(), "{report:?}");
    assert!(matches!(
        kit.block_on(actor.terminated()),
        Exit::Shutdown | Exit::Stopped
    ));
}

#[test]
fn tkt_04_unhandled_lost_and_undeliverable_messages_are_each_seen() {
    let kit = TestKit::new();
    let picky = kit.spawn("picky", Props::new(|| Picky).mailbox(Mailbox::bounded(1)));
    kit.expect_dead_letters(1..=1);
    picky.tell(1);
    picky.tell(2); // no step between: there is one place
    let dead = |why| EventPattern::dead_letter(why).of("/test/picky");
    kit.expect_event(&dead(DeadLetterReason::Full));
    kit.expect_event(&dead(DeadLetterReason::Unhandled));
    picky.tell(0);
    let failed = kit.expect_event(&EventPattern::failure());
    assert!(matches!(&failed, Event::Failed { failure, .. } if failure.to_string() == "zero"));
    kit.settle();
    picky.tell(3);
    kit.expect_event(&dead(DeadLetterReason::Gone).text("u32"));
    assert_eq!(
        kit.events_like(&EventPattern::any()).len(),
        1,
        "the end is left"
    );
}
