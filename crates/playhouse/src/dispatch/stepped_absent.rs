//! What stands for the stepped world in a build without the feature `testkit`: nothing. No value of these types exists, so
//! their methods and all branches for them vanish.

use super::runnable::Runnable;
use super::{Closure, Task};
use crate::address::Address;
use crate::effect::Effects;
use std::convert::Infallible;
use std::future::{Future, Ready};
use std::time::Instant;

#[derive(Clone, Debug)]
pub(crate) enum World {}

impl World {
    pub(crate) fn spawn(&self, _name: &'static str, _task: Task) -> Aborter {
        match *self {}
    }

    pub(crate) fn record(&self, _write: impl FnOnce(&mut Effects)) {
        match *self {}
    }

    pub(crate) fn bound(&self, _asked: usize) -> usize {
        match *self {}
    }

    pub(crate) fn now(&self) -> Instant {
        match *self {}
    }

    pub(crate) fn alarm(&self, _due: Instant) -> Alarm {
        match *self {}
    }

    pub(crate) fn workers(&self, _: &str, _threads: Option<usize>, _is_shared: bool) -> Workers {
        match *self {}
    }
}

/// Never polled, because no world makes one.
pub(crate) type Alarm = Ready<()>;

pub(crate) struct Aborter(Infallible);

impl Aborter {
    pub(crate) fn abort(&self) {
        match self.0 {}
    }
}

pub(crate) enum Workers {}

impl Workers {
    pub(crate) fn submit(&self, _work: Closure) {
        match *self {}
    }

    pub(crate) fn enter(&self) {
        match *self {}
    }

    pub(crate) fn leave(&self) {
        match *self {}
    }

    pub(crate) fn schedule(&self, _of: &Address, _turn: Runnable) {
        match *self {}
    }

    pub(crate) fn throughput(&self, _most: usize) -> usize {
        match *self {}
    }

    pub(crate) fn may_block(&self) -> bool {
        match *self {}
    }

    pub(crate) fn refuse(&self) {
        match *self {}
    }

    pub(crate) fn close(&self) {
        match *self {}
    }
}

pub(crate) fn is_stepping() -> bool {
    false
}

pub(crate) fn block_on<T, F: Future<Output = T>>(_what: &str, future: F) -> Result<T, F> {
    Err(future)
}
