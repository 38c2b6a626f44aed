//! A message of one's own when none has come for a while.
//!
//! Actors without it pay nothing for it, and those with it look at the clock once per rest, not once per message:
//!
//! 1. The actor takes a message that counts: that is noted, and nothing else.
//! 2. It finds nothing more to take: if a message was noted, the wait begins anew, and its end is remembered.
//! 3. One timer puts a slot into the lane. When the actor takes it, it stands for a message only if nothing was noted since
//!    the wait began and the wait is over; if the end has moved meanwhile, the timer goes on to where it is now.
//!
//! So a timeout that was queued already is no message any more once something came before it, or the setting was cancelled
//! or replaced.

use crate::actor::Message;
use crate::cell::CellRef;
use crate::clock::Deadline;
use crate::mailbox::{Make, Rare};
use crate::sync::{Arc, Mutex};
use crate::timers::{Maker, Sleeper, sleep};
use std::time::Duration;

/// The receive timeout of one actor, if it has set one.
pub(crate) struct ReceiveTimeout<M> {
    /// Counts the calls, so that a slot of an earlier one is known.
    setting: u64,
    current: Option<Setting<M>>,
}

pub(crate) struct Setting<M> {
    idle: Duration,
    make: Maker<M>,
    /// `None`: everything but the actor's own ticks.
    counts: Option<Counts<M>>,
    /// A message that counts was taken since the wait began.
    has_come: bool,
    due: Option<Deadline>,
    /// The one timer; `None` while the actor is busy and its slot was taken.
    sleeper: Option<Sleeper>,
}

pub(crate) type Counts<M> = Box<dyn Fn(&M) -> bool + Send>;

impl<M> Default for ReceiveTimeout<M> {
    fn default() -> Self {
        Self {
            setting: 0,
            current: None,
        }
    }
}

impl<M: Message> ReceiveTimeout<M> {
    /// The wait begins when the actor has handled what it has in hand and finds nothing more. Yields the earlier setting.
    ///
    /// # Panics
    /// If `idle` is zero.
    pub(crate) fn set(
        &mut self,
        idle: Duration,
        counts: Option<Counts<M>>,
        make: impl FnMut() -> M + Send + 'static,
    ) -> Option<Setting<M>> {
        assert!(
            !idle.is_zero(),
            "a receive timeout needs time in which a message could come"
        );
        self.setting += 1;
        self.current.replace(Setting {
            idle,
            make: Arc::new(Mutex::new(Box::new(make))),
            counts,
            has_come: true,
            due: None,
            sleeper: None,
        })
    }

    /// The actor takes this message.
    pub(crate) fn note(&mut self, msg: &M, is_tick: bool) {
        if let Some(setting) = &mut self.current
            && !setting.has_come
        {
            setting.has_come = match &setting.counts {
                None => !is_tick,
                Some(counts) => counts(msg),
            };
        }
    }

    /// The actor finds nothing to take.
    pub(crate) fn rest(&mut self, cell: &CellRef<M>) {
        let Some(setting) = &mut self.current else {
            return;
        };
        if !setting.has_come {
            return;
        }
        setting.has_come = false;
        let due = cell.core.system().clock.deadline(setting.idle);
        setting.due = Some(due);
        if setting.sleeper.is_none() {
            setting.sleeper = Some(sleep(cell, due, Rare::Idle(self.setting)));
        }
    }

    /// What the slot of that setting stands for, if it still does.
    pub(crate) fn take(&mut self, cell: &CellRef<M>, setting: u64) -> Option<Make<M>> {
        let current = self.current.as_mut().filter(|_| setting == self.setting)?;
        current.sleeper = None;
        if current.has_come {
            return None;
        }
        let due = current.due?;
        if !cell.core.system().clock.remaining(due).is_zero() {
            current.sleeper = Some(sleep(cell, due, Rare::Idle(setting)));
            return None;
        }
        current.has_come = true;
        let make = current.make.clone();
        Some(Box::new(move || (*make.lock())()))
    }
}

impl<M> ReceiveTimeout<M> {
    pub(crate) fn is_set(&self) -> bool {
        self.current.is_some()
    }

    /// Yields what is the user's, and so is its drop.
    pub(crate) fn cancel(&mut self) -> Option<Setting<M>> {
        self.current.take()
    }
}
