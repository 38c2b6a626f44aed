//! Keyed timers. A tick is a slot that names its key and its setting; whether it still counts is decided when the actor
//! takes it, so a cancelled or replaced tick is never delivered, not even when it was queued already.

use crate::actor::Message;
use crate::cell::CellRef;
use crate::clock::Deadline;
use crate::context::Context;
use crate::dead_letters;
use crate::effect::Effect;
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
        self.set(key, after, Beat::Once(msg));
    }

    /// Ticks for ever; the wait for the next begins when the last was handled.
    pub fn fixed_delay(
        &mut self,
        key: impl Into<TimerKey>,
        every: Duration,
        make: impl FnMut() -> M + Send + 'static,
    ) {
        self.fixed_delay_after(key, every, every, make);
    }

    /// As [`fixed_delay`](Self::fixed_delay), with a wait of its own before the first tick.
    pub fn fixed_delay_after(
        &mut self,
        key: impl Into<TimerKey>,
        first: Duration,
        every: Duration,
        make: impl FnMut() -> M + Send + 'static,
    ) {
        let maker: Maker<M> = Arc::new(Mutex::new(Box::new(make)));
        self.set(key, first, Beat::Delay(every, maker));
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
        self.fixed_rate_after(key, every, every, make);
    }

    /// As [`fixed_rate`](Self::fixed_rate), with a wait of its own before the first tick, from which the schedule counts.
    ///
    /// # Panics
    /// If `every` is zero.
    pub fn fixed_rate_after(
        &mut self,
        key: impl Into<TimerKey>,
        first: Duration,
        every: Duration,
        make: impl FnMut() -> M + Send + 'static,
    ) {
        assert!(
            !every.is_zero(),
            "a schedule needs time between its ticks; `Context::again` has none"
        );
        let maker: Maker<M> = Arc::new(Mutex::new(Box::new(make)));
        self.set(key, first, Beat::Rate(every, maker));
    }

    /// No tick of this key any more.
    pub fn cancel(&mut self, key: impl Into<TimerKey>) {
        let key = key.into();
        self.0.record(|| Effect::TimerCancelled(key.clone()));
        self.0.extras().timers.running.remove(&Key::Own(key));
    }

    /// Is a tick of this key still to come?
    pub fn is_active(&self, key: impl Into<TimerKey>) -> bool {
        let extras = self.0.extras_if_any();
        let key = Key::Own(key.into());
        extras.is_some_and(|extras| extras.timers.running.contains_key(&key))
    }

    fn set(&mut self, key: impl Into<TimerKey>, first: Duration, beat: Beat<M>) {
        let (key, after) = (key.into(), first);
        self.0.record(|| Effect::TimerSet {
            key: key.clone(),
            after,
        });
        self.0.extras().timers.set(Key::Own(key), first, beat);
    }
}

impl<M> fmt::Debug for Timers<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extras = self.0.extras_if_any();
        let keys = extras
            .into_iter()
            .flat_map(|extras| extras.timers.running.keys());
        let own = keys.filter_map(|key| match key {
            Key::Own(key) => Some(key),
            Key::Send(_) => None,
        });
        f.debug_set().entries(own).finish()
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
    key: Key,
    setting: u64,
}

/// What is due.
pub(crate) enum Due<M> {
    Message(Make<M>),
    /// A message for somebody else.
    Send(Parcel),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Own(TimerKey),
    /// Of a message for somebody else: nobody sets it again or cancels it.
    Send(u64),
}

/// The timers of one actor.
pub(crate) struct TimerSet<M> {
    cell: CellRef<M>,
    running: HashMap<Key, Running<M>>,
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
    Send(Parcel),
    Delay(Duration, Maker<M>),
    Rate(Duration, Maker<M>),
}

/// Called in the actor's turn, one tick at a time.
pub(crate) type Maker<M> = Arc<Mutex<Box<dyn FnMut() -> M + Send>>>;

/// Tells a message to somebody else, in the actor's turn.
pub(crate) type Parcel = Box<dyn FnOnce() + Send>;

/// A wait; dropped, it ends.
pub(crate) struct Sleeper(Aborter);

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

    /// A message for somebody else, told in this actor's turn.
    pub(crate) fn send(&mut self, after: Duration, send: Parcel) {
        let key = Key::Send(self.settings + 1);
        self.set(key, after, Beat::Send(send));
    }

    /// What the tick stands for; `None` if it was cancelled or replaced. A schedule goes on from here.
    pub(crate) fn take(&mut self, tick: Tick) -> Option<Due<M>> {
        let running = self
            .running
            .get_mut(&tick.key)
            .filter(|running| running.setting == tick.setting)?;
        let maker = match &running.beat {
            Beat::Once(_) | Beat::Send(_) => {
                return match self.running.remove(&tick.key)?.beat {
                    Beat::Once(msg) => Some(Due::Message(Box::new(move || msg))),
                    Beat::Send(send) => Some(Due::Send(send)),
                    Beat::Delay(..) | Beat::Rate(..) => None,
                };
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
                running.sleeper = sleep(&self.cell, running.due, Rare::Tick(tick));
                maker.clone()
            }
        };
        Some(Due::Message(Box::new(move || (*maker.lock())())))
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
            running.sleeper = sleep(&self.cell, running.due, Rare::Tick(tick));
        }
    }

    fn set(&mut self, key: Key, after: Duration, beat: Beat<M>) {
        let core = &self.cell.core;
        if self.running.len() >= limits::COMPLETIONS_PER_ACTOR && !self.running.contains_key(&key) {
            return core.publish(&Event::TooManyCompletions {
                who: core.address.clone(),
            });
        }
        self.settings += 1;
        let setting = self.settings;
        let due = core.system().clock.deadline(after);
        let tick = Tick {
            key: key.clone(),
            setting,
        };
        let sleeper = sleep(&self.cell, due, Rare::Tick(tick));
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

/// Puts the slot into the lane when it is due.
pub(crate) fn sleep<M: Message>(cell: &CellRef<M>, due: Deadline, slot: Rare<M>) -> Sleeper {
    let (timer, to) = (cell.core.system().clock.sleep_until(due), cell.clone());
    let task = async move {
        timer.await;
        to.push_aside(Slot::rare(slot));
    };
    Sleeper(cell.core.system().host.spawn("timer", task))
}
