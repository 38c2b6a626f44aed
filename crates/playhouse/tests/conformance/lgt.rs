//! Matching of what a system says about itself. It has no levels; an event has a kind.

use playhouse::prelude::*;
use playhouse::testkit::{EventPattern, TestKit};
use playhouse::{DeadLetterReason, Event};
use std::{fmt, io};

fn failed(
    kit: &TestKit,
    name: &'static str,
    failure: impl Fn() -> Failure + Clone + Send + 'static,
) -> Event {
    let body = async move |_ctx: &mut Context<()>| Err(failure());
    kit.spawn(name, Props::func(body));
    kit.settle();
    let path = format!("/test/{name}");
    kit.expect_event(&EventPattern::failure().of(path))
}

#[derive(Debug)]
struct Wrapped(io::Error);

impl fmt::Display for Wrapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the shop is closed")
    }
}

impl std::error::Error for Wrapped {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

#[test]
fn lgt_01_an_event_is_matched_by_kind_text_cause_and_actor() {
    let kit = TestKit::new();
    let wrapped = || Wrapped(io::Error::other("no tea")).into();
    let event = failed(&kit, "shop", wrapped);
    let like = |pattern: EventPattern| pattern.matches(&event);

    assert!(like(EventPattern::any()));
    assert!(like(EventPattern::failure()));
    assert!(!like(EventPattern::end()));
    assert!(!like(EventPattern::dead_letter(DeadLetterReason::Full)));
    assert!(like(EventPattern::that(|event| matches!(
        event,
        Event::Failed { .. }
    ))));

    assert!(like(EventPattern::any().text("shop is")));
    assert!(like(EventPattern::any().text("no tea")), "of the cause");
    assert!(!like(EventPattern::any().text("open")));

    assert!(like(EventPattern::any().caused_by::<Wrapped>()));
    assert!(like(EventPattern::any().caused_by::<io::Error>()));
    assert!(!like(EventPattern::any().caused_by::<fmt::Error>()));

    assert!(like(EventPattern::any().of("/test/shop")));
    assert!(!like(EventPattern::any().of("/test/sho")));
    assert!(!like(
        EventPattern::failure().text("closed").of("/test/door")
    ));
}

#[test]
fn lgt_01_what_is_expected_is_described_when_it_does_not_come() {
    let kit = TestKit::new();
    let pattern = EventPattern::failure()
        .text("boom")
        .of("/test/shop")
        .caused_by::<io::Error>();
    let text = crate::common::panics::panic_text(|| kit.expect_event(&pattern));
    let words = "no event like this came: a failure, with the text \"boom\", of /test/shop, caused by `std::io::error::Error`";
    assert!(text.contains(words), "{text}");
}
