//! The events of a system under test.

use super::event_pattern::EventPattern;
use crate::events::{DeadLetterReason, Event};
use crate::sync::Mutex;

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
