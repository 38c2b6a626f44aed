//! Poison messages: the one that failed an incarnation comes first in the next, a bounded number of times.

use crate::failure::Failure;
use crate::sync::{catch, drop_quietly};
use std::mem;

/// What one actor knows of the message in its hands. Only its turn uses it.
pub(crate) struct Redelivery<M> {
    times: u32,
    clone: fn(&M) -> M,
    /// Of the message in hand. `None` if its `Clone` panicked, too.
    copy: Option<M>,
    /// What its deliveries so far failed with.
    failures: Vec<Failure>,
    /// The next message is the one that failed.
    is_due: bool,
}

/// What becomes of a message whose handler has failed.
pub(crate) enum AfterFailure<M> {
    Lost,
    Again(M),
    Quarantined(Vec<Failure>),
}

impl<M> Redelivery<M> {
    pub(crate) fn new(times: u32, clone: fn(&M) -> M) -> Self {
        Self {
            times,
            clone,
            copy: None,
            failures: Vec::new(),
            is_due: false,
        }
    }

    /// A message comes into the handler's hands.
    pub(crate) fn take(&mut self, msg: &M) {
        if !mem::take(&mut self.is_due) {
            self.failures.clear();
        }
        let copy = catch(|| (self.clone)(msg)).ok();
        drop_quietly(mem::replace(&mut self.copy, copy));
    }

    /// It was handled, or belongs to nobody any more.
    pub(crate) fn forget(&mut self) {
        drop_quietly(self.copy.take());
    }

    /// Its handler failed, and the actor restarts.
    pub(crate) fn fail(&mut self, failure: &Failure) -> AfterFailure<M> {
        let Some(msg) = self.copy.take() else {
            return AfterFailure::Lost;
        };
        self.failures.push(failure.clone());
        if self.failures.len() > self.times as usize {
            drop_quietly(msg);
            return AfterFailure::Quarantined(mem::take(&mut self.failures));
        }
        self.is_due = true;
        AfterFailure::Again(msg)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(redelivery: &mut Redelivery<u32>) -> String {
        match redelivery.fail(&"why".into()) {
            AfterFailure::Lost => "lost".into(),
            AfterFailure::Again(msg) => format!("again {msg}"),
            AfterFailure::Quarantined(failures) => format!("quarantined after {}", failures.len()),
        }
    }

    #[test]
    fn a_message_comes_again_as_often_as_it_may() {
        let mut redelivery = Redelivery::new(2, u32::clone);
        for expected in ["again 7", "again 7", "quarantined after 3"] {
            redelivery.take(&7);
            assert_eq!(fail(&mut redelivery), expected);
        }
        redelivery.take(&8);
        assert_eq!(fail(&mut redelivery), "again 8");
    }

    #[test]
    fn another_message_begins_anew_and_a_handled_one_is_forgotten() {
        let mut redelivery = Redelivery::new(1, u32::clone);
        redelivery.take(&7);
        assert_eq!(fail(&mut redelivery), "again 7");
        redelivery.take(&7);
        redelivery.forget();
        assert_eq!(fail(&mut redelivery), "lost");
        redelivery.take(&7);
        assert_eq!(fail(&mut redelivery), "again 7");
    }

    #[test]
    fn a_clone_that_panics_loses_the_copy_alone() {
        let mut redelivery = Redelivery::new(1, |_: &u32| panic!("oops"));
        redelivery.take(&7);
        assert_eq!(fail(&mut redelivery), "lost");
    }
}
