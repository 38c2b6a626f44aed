//! What a test kit itself promises.

mod common;

use common::panics::panic_text;
use playhouse::prelude::*;
use playhouse::testkit::{EventPattern, TestKit};
use playhouse::{DeadLetterReason, Phase};

struct Quiet;

impl Actor for Quiet {
    type Msg = Reply<u32>;
    async fn receive(&mut self, ctx: &mut Context<Self::Msg>, reply: Self::Msg) -> Outcome {
        ctx.clock().sleep(secs(1)).await;
        reply.send(1);
        Ok(())
    }
}

fn lose(kit: &TestKit, how_many: usize) {
    let full = kit.spawn("full", Props::new(|| Quiet).mailbox(Mailbox::bounded(1)));
    let mut probe = kit.probe();
    for _ in 0..=how_many {
        full.tell(Reply::to(probe.actor_ref()));
    }
    probe.expect_within(secs(1));
}

#[test]
fn a_message_lost_to_a_full_mailbox_fails_the_test() {
    let text = panic_text(|| lose(&TestKit::new(), 2));
    assert!(
        text.contains("2 messages were told to full mailboxes"),
        "{text}"
    );
    assert!(text.contains("Reply<u32>` to /test/full"), "{text}");
}

#[test]
fn unless_it_is_expected() {
    let kit = TestKit::new();
    lose(&kit, 2);
    kit.expect_dead_letters(2..=2);
}

#[test]
fn and_an_expected_one_must_come() {
    let text = panic_text(|| TestKit::new().expect_dead_letters(1..));
    assert!(
        text.contains("0 messages were told to full mailboxes"),
        "{text}"
    );
}

#[test]
fn a_test_that_fails_already_is_not_asked_for_its_books() {
    let text = panic_text(|| {
        let kit = TestKit::new();
        lose(&kit, 1);
        panic!("the first reason");
    });
    assert_eq!(text, "the first reason");
}

#[test]
fn the_end_of_the_kit_ends_its_actors_with_balanced_books() {
    let kit = TestKit::new();
    let quiet = kit.spawn("quiet", || Quiet);
    let mut probe = kit.probe();
    quiet.tell(Reply::to(probe.actor_ref()));
    probe.expect_nothing();
    let system = kit.system().clone();
    drop(kit);
    assert_eq!(system.ledger().balance(), 0);
    assert!(quiet.try_send(Reply::to(probe.actor_ref())).is_err());
}

#[test]
fn an_assertion_is_awaited_while_steps_are_taken_and_time_passes() {
    let kit = TestKit::new();
    let quiet = kit.spawn("quiet", || Quiet);
    let mut probe = kit.probe::<u32>();
    quiet.tell(Reply::to(probe.actor_ref()));
    let handled = |atleast| {
        let system = kit.system().clone();
        move || match system.ledger().handled {
            handled if handled >= atleast => Ok(handled),
            handled => Err(format!("only {handled} handled")),
        }
    };
    let text = panic_text(|| kit.await_assert(millis(999), handled(1)));
    assert!(text.contains("only 0 handled, still after 999ms"), "{text}");
    assert_eq!(kit.await_assert(millis(1_000), handled(1)), 1);
    assert_eq!(kit.world().elapsed(), secs(1));
    assert_eq!(probe.expect(), 1);
}

#[test]
fn an_ask_to_a_probe_is_answered_by_the_test_or_ends_with_it() {
    let kit = TestKit::new();
    let mut probe = kit.probe::<Reply<u32>>();
    let asked = probe.actor_ref().clone();
    let mut answers = kit.probe();
    let told = answers.actor_ref().clone();
    let asker = Props::func(async move |ctx: &mut Context<()>| {
        for _ in 0..2 {
            told.tell(asked.ask(|reply| reply).within(secs(1)).await);
            ctx.clock().sleep(secs(1)).await;
        }
        Ok(())
    });
    kit.spawn("asker", asker);
    probe.expect().send(5);
    assert!(matches!(answers.expect(), Ok(5)));
    drop(probe);
    assert!(matches!(
        answers.expect_within(secs(1)),
        Err(AskError::NoReply { .. })
    ));
}

#[test]
fn a_kit_has_the_settings_of_the_builder_it_is_given() {
    let (heard, mut hears) = common::journal();
    let builder = ActorSystem::builder("shop")
        .dispatcher("desk", Dispatcher::fixed(1))
        .phase_deadline(Phase::StopActors, secs(2))
        .on_event(move |event| heard.send(event.clone()).unwrap());
    let kit = TestKit::with(builder, 3);
    assert_eq!(kit.world().seed(), 3);
    assert!(kit.system().dispatcher("desk").is_ok());
    let gone = kit.spawn("gone", Props::func(async |_ctx: &mut Context<()>| Ok(())));
    kit.settle();
    gone.tell(());
    let lost = EventPattern::dead_letter(DeadLetterReason::Gone).of("/shop/gone");
    assert_eq!(kit.events_like(&lost).len(), 1);
    assert!(
        common::read(&mut hears)
            .iter()
            .any(|event| lost.matches(event))
    );
}

#[test]
fn what_failed_is_in_the_text_of_whoever_waits_in_vain() {
    let kit = TestKit::new();
    kit.spawn(
        "broken",
        Props::func(async |_ctx: &mut Context<()>| Err("no tea".into())),
    );
    let text = panic_text(|| kit.probe::<u32>().expect());
    assert!(
        text.contains("failed so far: /test/broken (no tea)"),
        "{text}"
    );
}

#[test]
fn events_that_were_taken_are_forgotten() {
    let kit = TestKit::new();
    kit.spawn("gone", Props::func(async |_ctx: &mut Context<()>| Ok(())));
    kit.settle();
    assert_eq!(kit.events().len(), 1);
    assert_eq!(kit.take_events().len(), 1);
    assert!(kit.events().is_empty());
}
