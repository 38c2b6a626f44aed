//! What a test kit and its probes share: who takes the steps, and what has happened.

use super::record::Record;
use crate::dispatch::stepped::Driver;
use crate::sync::Arc;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

pub(super) struct Scene {
    pub(super) driver: Rc<Driver>,
    pub(super) record: Arc<Record>,
}

impl Scene {
    /// Steps until `look` finds something, while time passes for at most so long.
    pub(super) fn wait<T>(&self, within: Duration, look: impl FnMut() -> Option<T>) -> Option<T> {
        let until = self.driver.elapsed().saturating_add(within);
        self.driver.run_until(until, look)
    }

    /// The text of a panic: what is wrong, and everything that may say why.
    pub(super) fn report(&self, what: impl fmt::Display) -> String {
        let failures = self.record.failures();
        let situation = self.driver.situation();
        if failures.is_empty() {
            format!("{what}{situation}")
        } else {
            format!("{what}; failed so far: {}{situation}", failures.join(", "))
        }
    }
}
