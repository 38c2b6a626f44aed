//! The events of a system under test, and how one of them is described.

use crate::address::Address;
use crate::events::{DeadLetterReason, Event};
use crate::failure::Failure;
use crate::sync::Mutex;
use std::error::Error;
use std::fmt;

/// Every event so far. The hook of the system writes, the test reads.
#[derive(Default)]
pub(super) struct Record(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    events: Vec<Event>,
    /// Messages told to full mailboxes, also those whose events were taken.
    lost: usize,
}

impl Record {
    pub(super) fn add(&self, event: &Event) {
        let mut kept = self.0.lock();
        if let Event::DeadLetter {
            why: DeadLetterReason::Full,
            ..
        } = event
        {
            kept.lost += 1;
        }
        kept.events.push(event.clone());
    }

    pub(super) fn all(&self) -> Vec<Event> {
        self.0.lock().events.clone()
    }

    pub(super) fn take_all(&self) -> Vec<Event> {
        std::mem::take(&mut self.0.lock().events)
    }

    /// The first that is like this, which is then gone.
    pub(super) fn take(&self, pattern: &EventPattern) -> Option<Event> {
        let mut kept = self.0.lock();
        let found = kept.events.iter().position(|event| pattern.matches(event));
        found.map(|index| kept.events.remove(index))
    }

    pub(super) fn lost(&self) -> usize {
        self.0.lock().lost
    }

    /// To whom.
    pub(super) fn losers(&self) -> Vec<String> {
        let kept = self.0.lock();
        let losers = kept.events.iter().filter_map(|event| match event {
            Event::DeadLetter {
                to,
                message,
                why: DeadLetterReason::Full,
            } => Some(format!("`{message}` to {to}")),
            _ => None,
        });
        losers.collect()
    }

    pub(super) fn failures(&self) -> Vec<String> {
        let kept = self.0.lock();
        let failures = kept.events.iter().filter_map(|event| match event {
            Event::Failed { who, failure } => Some(format!("{who} ({failure})")),
            _ => None,
        });
        failures.collect()
    }
}

/// What an event looks like, for [`TestKit::expect_event`](super::TestKit::expect_event) and
/// [`TestKit::events_like`](super::TestKit::events_like). Each condition narrows it; [`any`](Self::any) has none.
///
/// ```
/// use playhouse::testkit::EventPattern;
/// use playhouse::{DeadLetterReason, Event};
///
/// let lost_tea = EventPattern::dead_letter(DeadLetterReason::Full).of("/shop/tea");
/// let broken = EventPattern::failure().caused_by::<std::io::Error>().text("permission denied");
/// let slow = EventPattern::that(|event| matches!(event, Event::Ended { .. }));
/// ```
#[must_use = "it is a description, for `TestKit::expect_event`"]
pub struct EventPattern(Vec<Condition>);

struct Condition {
    words: String,
    test: Box<dyn Fn(&Event) -> bool>,
}

impl EventPattern {
    /// Every event.
    pub fn any() -> Self {
        Self(Vec::new())
    }

    /// A handler returned `Err` or panicked.
    pub fn failure() -> Self {
        Self::any().and("a failure".to_owned(), |event| {
            matches!(event, Event::Failed { .. })
        })
    }

    /// A message nobody handled, for this reason.
    pub fn dead_letter(reason: DeadLetterReason) -> Self {
        Self::any().and(
            format!("a dead letter ({reason:?})"),
            move |event| matches!(event, Event::DeadLetter { why, .. } if *why == reason),
        )
    }

    /// An actor has ended.
    pub fn end() -> Self {
        Self::any().and("an end".to_owned(), |event| {
            matches!(event, Event::Ended { .. })
        })
    }

    /// Any other kind.
    pub fn that(test: impl Fn(&Event) -> bool + 'static) -> Self {
        Self::any().and("an event for which the given test holds".to_owned(), test)
    }

    /// The actor whose event it is has this path: who failed, who ended, for whom a message was.
    pub fn of(self, path: impl fmt::Display) -> Self {
        let path = path.to_string();
        self.and(format!("of {path}"), move |event| {
            actor_of(event).is_some_and(|who| who.path() == path)
        })
    }

    /// Its text has this part: the line that it is displayed as, with types, failures and their causes.
    pub fn text(self, part: impl Into<String>) -> Self {
        let part = part.into();
        self.and(format!("with the text {part:?}"), move |event| {
            event.to_string().contains(&part)
        })
    }

    /// Its failure has an `E` in its chain of causes.
    pub fn caused_by<E: Error + 'static>(self) -> Self {
        let words = format!("caused by `{}`", std::any::type_name::<E>());
        self.and(words, |event| {
            failure_of(event).is_some_and(|failure| failure.find::<E>().is_some())
        })
    }

    /// Is this event like that?
    pub fn matches(&self, event: &Event) -> bool {
        self.0.iter().all(|condition| (condition.test)(event))
    }

    fn and(mut self, words: String, test: impl Fn(&Event) -> bool + 'static) -> Self {
        let test = Box::new(test);
        self.0.push(Condition { words, test });
        self
    }
}

/// For the text of a panic.
impl fmt::Display for EventPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("any event");
        }
        let words: Vec<&str> = self.0.iter().map(|one| one.words.as_str()).collect();
        f.write_str(&words.join(", "))
    }
}

impl fmt::Debug for EventPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EventPattern({self})")
    }
}

fn actor_of(event: &Event) -> Option<&Address> {
    match event {
        Event::DeadLetter { to: who, .. }
        | Event::Failed { who, .. }
        | Event::Restarted { who, .. }
        | Event::Quarantined { who, .. }
        | Event::SpawnFailed { who, .. }
        | Event::Ended { who, .. }
        | Event::TooManyCompletions { who } => Some(who),
        #[allow(unreachable_patterns)] // a kind that is new here has no actor yet
        _ => None,
    }
}

fn failure_of(event: &Event) -> Option<&Failure> {
    match event {
        Event::Failed { failure, .. }
        | Event::Restarted { failure, .. }
        | Event::Ended {
            exit: crate::actor::Exit::Failed(failure),
            ..
        } => Some(failure),
        Event::Quarantined { failures, .. } => failures.last(),
        _ => None,
    }
}
