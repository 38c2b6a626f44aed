//! Keyed timers. A tick is a slot that names its key and its setting; whether it still counts is decided when the actor
//! takes it, so a cancelled or replaced tick is never delivered, not even when it was queued already.

use crate::actor::Message;
use crate::cell::CellRef;
use crate::clock::Deadline;
use crate::context::Context;
use crate::dead_letters;
use crate::events::Event;
use crate::host::Aborter;
use crate::limits;
use crate::mailbox::{Make, Rare, Slot};
use crate::sync::{Arc, Mutex};
use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

/// Keyed: a key set again replaces. A cancelled or replaced tick is never delivered. All end with the actor. A key has at
/// most one tick that is not delivered yet; beyond [`limits::COMPLETIONS_PER_ACTOR`] keys a timer is not started, and
/// that is an event.
pub struct Timers<'a, M>(pub(crate) &'a mut Context<M>);

impl<M: Message> Timers<'_, M> {
    /// One tick.
    pub fn once(&mut self, key: impl Into<TimerKey>, after: Duration, msg: M) {
        self.0
            .extras()
            .timers
            .set(key.into(), after, Beat::Once(msg));
    }

    /// Ticks for ever; the wait for the next begins when the last was handled.
    pub fn fixed_delay(
        &mut self,
        key: impl Into<TimerKey>,
        every: Duration,
        make: impl FnMut() -> M + Send + 'static,
    ) {
        self.0.extras().timers.set(
            key.into(),
            every,
            Beat::Delay(every, Arc::new(Mutex::new(Box::new(make)))),
        );
    }

    /// Ticks on schedule, for ever; missed ones are merged into one.
    ///
    /// # Panics
    /// If `every` is zero: such a schedule has no next tick.
    pub fn fixed_rate(
        &mut self,
        key: impl Into<TimerKey>,
        every: Duration,
        make: impl FnMut() -> M + Send + 'static,
    ) {
        assert!(
            !every.is_zero(),
            "a schedule needs time between its ticks; `Context::again` has none"
        );
        self.0.extras().timers.set(
            key.into(),
            every,
            Beat::Rate(every, Arc::new(Mutex::new(Box::new(make)))),
        );
    }

    /// No tick of this key any more.
    pub fn cancel(&mut self, key: impl Into<TimerKey>) {
        self.0.extras().timers.running.remove(&key.into());
    }

    /// Is a tick of this key still to come?
    pub fn is_active(&self, key: impl Into<TimerKey>) -> bool {
        let extras = self.0.extras_if_any();
        extras.is_some_and(|extras| extras.timers.running.contains_key(&key.into()))
    }
}

impl<M> fmt::Debug for Timers<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extras = self.0.extras_if_any();
        let keys = extras
            .into_iter()
            .flat_map(|extras| extras.timers.running.keys());
        f.debug_set().entries(keys).finish()
    }
}

/// What names a timer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TimerKey {
    /// A constant.
    Name(&'static str),
    /// A text made at run time.
    Text(String),
    /// A number.
    Number(u64),
}

impl From<&'static str> for TimerKey {
    fn from(key: &'static str) -> Self {
        Self::Name(key)
    }
}

impl From<String> for TimerKey {
    fn from(key: String) -> Self {
        Self::Text(key)
    }
}

impl From<u64> for TimerKey {
    fn from(key: u64) -> Self {
        Self::Number(key)
    }
}

/// A tick on its way: whose, and of which setting of that key.
pub(crate) struct Tick {
    key: TimerKey,
    setting: u64,
}

/// The timers of one actor.
pub(crate) struct TimerSet<M> {
    cell: CellRef<M>,
    running: HashMap<TimerKey, Running<M>>,
    settings: u64,
    /// The `fixed_delay` whose tick is in the actor's hands.
    handling: Option<Tick>,
}

struct Running<M> {
    setting: u64,
    due: Deadline,
    beat: Beat<M>,
    /// The wait for the next tick; dropped, it ends.
    sleeper: Sleeper,
}

enum Beat<M> {
    Once(M),
    Delay(Duration, Maker<M>),
    Rate(Duration, Maker<M>),
}

/// Called in the actor's turn, one tick at a time.
type Maker<M> = Arc<Mutex<Box<dyn FnMut() -> M + Send>>>;

struct Sleeper(Aborter);

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl<M: Message> TimerSet<M> {
    pub(crate) fn new(cell: &CellRef<M>) -> Self {
        Self {
            cell: cell.clone(),
            running: HashMap::new(),
            settings: 0,
            handling: None,
        }
    }

    /// What the tick stands for; `None` if it was cancelled or replaced. A schedule goes on from here.
    pub(crate) fn take(&mut self, tick: Tick) -> Option<Make<M>> {
        let running = self
            .running
            .get_mut(&tick.key)
            .filter(|running| running.setting == tick.setting)?;
        let maker = match &running.beat {
            Beat::Once(_) => {
                let Some(Running {
                    beat: Beat::Once(msg),
                    ..
                }) = self.running.remove(&tick.key)
                else {
                    return None;
                };
                return Some(Box::new(move || msg));
            }
            Beat::Delay(_, maker) => {
                let maker = maker.clone();
                self.handling = Some(tick);
                maker
            }
            Beat::Rate(every, maker) => {
                running.due = running
                    .due
                    .next_on_schedule(*every, self.cell.core.system().clock.now());
                running.sleeper = sleep(&self.cell, running.due, tick);
                maker.clone()
            }
        };
        Some(Box::new(move || (*maker.lock())()))
    }

    /// The message in hand was handled: if it was a tick of a `fixed_delay`, the next wait begins.
    pub(crate) fn handled(&mut self) {
        let Some(tick) = self.handling.take() else {
            return;
        };
        let running = self
            .running
            .get_mut(&tick.key)
            .filter(|running| running.setting == tick.setting);
        if let Some(running) = running
            && let Beat::Delay(every, _) = running.beat
        {
            running.due = self.cell.core.system().clock.deadline(every);
            running.sleeper = sleep(&self.cell, running.due, tick);
        }
    }

    fn set(&mut self, key: TimerKey, after: Duration, beat: Beat<M>) {
        let core = &self.cell.core;
        if self.running.len() >= limits::COMPLETIONS_PER_ACTOR && !self.running.contains_key(&key) {
            return core.publish(&Event::TooManyCompletions {
                who: core.address.clone(),
            });
        }
        self.settings += 1;
        let setting = self.settings;
        let due = core.system().clock.deadline(after);
        let sleeper = sleep(
            &self.cell,
            due,
            Tick {
                key: key.clone(),
                setting,
            },
        );
        self.running.insert(
            key,
            Running {
                setting,
                due,
                beat,
                sleeper,
            },
        );
    }
}

impl<M> TimerSet<M> {
    /// Each in the actor's turn: the messages and functions are the user's, and so are their drops. The oldest setting
    /// first, because a drop may send.
    pub(crate) fn cancel_all(&mut self) {
        let mut running: Vec<_> = self.running.drain().map(|(_, running)| running).collect();
        running.sort_unstable_by_key(|running| running.setting);
        for running in running {
            dead_letters::drop_in_turn(&self.cell.core, running);
        }
    }
}

/// A life that is cut short cancels nothing by itself.
impl<M> Drop for TimerSet<M> {
    fn drop(&mut self) {
        self.cancel_all();
    }
}

fn sleep<M: Message>(cell: &CellRef<M>, due: Deadline, tick: Tick) -> Sleeper {
    let (timer, to) = (cell.core.system().clock.sleep_until(due), cell.clone());
    let task = async move {
        timer.await;
        to.push_aside(Slot::rare(Rare::Tick(tick)));
    };
    Sleeper(cell.core.system().host.spawn("timer", task))
}
