//! When asks stop waiting: one timer for all asks of a system.
//!
//! 1. No ask ends early. It ends late by at most [`limits::TICK`] and what the runtime's own timers are late.
//! 2. An ask that is answered within a tick touches nothing but a seat near its thread ([`seats`]). What waits longer
//!    is put in order of deadlines at the next tick; what would end before that, at once.
//! 3. Only those that wait are kept: whoever ends takes itself off.
//! 4. The ticker ticks as long as somebody sits down in each tick. Otherwise it sleeps until the earliest deadline, so
//!    that a paused clock can jump to it, or until it is called.
//! 5. When the runtime goes, and time with it, every wait ends.
//! 6. An ask that is put in order stands among the slow [`waits`](crate::waits) too, if an actor's handler waits for it.
//!    With each tick it is looked whether some of them wait in a circle; without a circle nothing ticks for it.

mod seats;

use crate::ask::handles::{Asker, Fired, Key, Watch};
use crate::clock::{Clock, Deadline};
use crate::host::Host;
use crate::limits;
use crate::sync::{Arc, AtomicUsize, Mutex, Notify, Ordering, thread_local};
use crate::waits::{Findings, Wait, Waits};
use seats::{Look, Row};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::future::pending;
use std::time::Duration;

thread_local! {
    /// The row this thread was given, and by whom. Taken for another's, it is a row all the same.
    static ROW: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// The deadlines of one system.
pub(crate) struct Deadlines {
    rows: Box<[Row]>,
    rows_given: AtomicUsize,
    order: Mutex<Order>,
    /// Its lock is taken inside of that of `order`, or alone.
    pub(crate) waits: Waits,
    /// Time that a test moves has no ticks: everybody is put in order at once.
    ticks: bool,
    /// For the ticker: somebody sat down in a row that nobody looks at, or has a deadline before all others.
    called: Notify,
}

#[derive(Default)]
struct Order {
    waiting: BTreeMap<Key, Waiting>,
    /// Counts those who came here, so that no two are alike.
    age: u64,
    /// Nobody fires any more.
    is_over: bool,
}

/// An ask in order.
struct Waiting {
    watch: Watch,
    /// Its number among the slow waits of actors, if it is one.
    wait: Option<u64>,
}

/// What is to be done where no lock is held.
#[derive(Default)]
struct Outcome {
    due: Vec<Watch>,
    /// Of asks in a circle.
    cut: Vec<Watch>,
    ended: Vec<Wait>,
    findings: Findings,
}

/// Where the watch of an ask began to wait: a row and a number, or in order. It may have been put in order since.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place(Option<(u8, u8)>);

const _: () = assert!(limits::SEAT_ROWS <= 1 << u8::BITS && limits::SEATS_PER_ROW <= 1 << u8::BITS);

impl Deadlines {
    /// The ticker lives as long as the runtime, or until [`close`](Self::close).
    pub(crate) fn start(host: &Host, clock: Clock) -> Arc<Self> {
        let deadlines = Arc::new(Self {
            ticks: matches!(host, Host::Tokio(_)),
            rows: (0..limits::SEAT_ROWS).map(|_| Row::new()).collect(),
            rows_given: AtomicUsize::new(0),
            order: Mutex::default(),
            waits: Waits::default(),
            called: Notify::new(),
        });
        drop(host.spawn("deadlines", tick_on(Ticker(deadlines.clone()), clock)));
        deadlines
    }

    /// Keeps it until it is due, or [`leave`](Self::leave)s. `left` is the time until then; it may be a little less by now.
    #[inline]
    pub(crate) fn wait(&self, mut watch: Watch, left: Duration) -> Place {
        if self.ticks && left > 2 * limits::TICK {
            let own = self.own_row();
            match self.sit(own, watch).or_else(|back| {
                // Its seats are taken.
                self.sit((own + 1) % limits::SEAT_ROWS, back)
            }) {
                Ok(place) => return place,
                Err(back) => watch = back,
            }
        }
        self.put_in_order(watch)
    }

    /// Gives the watch of this ask back, unless it was fired.
    #[inline]
    pub(crate) fn leave<A, T>(&self, asker: &Asker<A, T>, place: Place) -> Option<Watch> {
        place
            .0
            .and_then(|(row, seat)| self.rows[usize::from(row)].leave(seat.into(), asker.name()))
            .or_else(|| self.leave_order(|| asker.key()))
    }

    /// Nobody asks any more.
    pub(crate) fn close(&self) {
        self.order.lock().is_over = true;
        self.called.notify_one();
    }

    /// Has everybody been fired, due or not?
    pub(crate) fn is_over(&self) -> bool {
        self.order.lock().is_over
    }

    #[inline]
    fn sit(&self, row: usize, watch: Watch) -> Result<Place, Watch> {
        let (seat, look) = self.rows[row].sit(watch)?;
        if look == Look::MustBeCalled {
            self.call();
        }
        Ok(Place(Some((row as u8, seat as u8)))) // both are small, as asserted above
    }

    #[inline]
    fn own_row(&self) -> usize {
        let name = std::ptr::from_ref(self).addr();
        ROW.try_with(|known| {
            let (giver, row) = known.get();
            if giver == name {
                return row;
            }
            let row = self.rows_given.fetch_add(1, Ordering::Relaxed) % limits::SEAT_ROWS; // only spreads
            known.set((name, row));
            row
        })
        .unwrap_or(0) // a thread that is going away
    }

    #[cold]
    fn call(&self) {
        if self.order.lock().is_over {
            self.fire_all();
        }
        self.called.notify_one();
    }

    #[cold]
    fn put_in_order(&self, watch: Watch) -> Place {
        let mut order = self.order.lock();
        if order.is_over {
            drop(order);
            fire([watch]);
            return Place(None);
        }
        let (deadline, is_circle) = order.put(watch, &self.waits);
        let is_first = order.earliest() == Some(deadline);
        drop(order);
        if is_first || is_circle {
            self.called.notify_one();
        }
        Place(None)
    }

    #[cold]
    fn leave_order(&self, key: impl FnOnce() -> Key) -> Option<Watch> {
        let (watch, ended) = {
            let mut order = self.order.lock();
            let Waiting { watch, wait } = order.waiting.remove(&key())?;
            (watch, wait.and_then(|wait| self.waits.end(wait)))
        };
        drop(ended); // where no lock is held
        Some(watch)
    }

    /// A circle may have begun.
    pub(crate) fn look_for_circles(&self) {
        self.called.notify_one();
    }

    /// When there is something to do again.
    fn tick(&self, now: Deadline) -> Option<Deadline> {
        let mut outcome = Outcome::default();
        let next = {
            let mut order = self.order.lock();
            let before = self.waits.look(now);
            let mut is_busy = false;
            for watches in self.rows.iter().filter_map(Row::look) {
                is_busy = true;
                for watch in watches {
                    order.put(watch, &self.waits);
                }
            }
            outcome.findings = self.waits.judge(now, &before, |key| order.watch(key));
            let due = order.take_due(now);
            // All of them before the first is off the list, because the one may be why the other had to wait.
            due.iter().for_each(|due| self.waits.note_late(&due.watch));
            for key in &outcome.findings.asks {
                if let Some(Waiting { watch, wait }) = order.waiting.remove(key) {
                    outcome.cut.push(watch);
                    outcome
                        .ended
                        .extend(wait.and_then(|wait| self.waits.end(wait)));
                }
            }
            for Waiting { watch, wait } in due {
                outcome.due.push(watch);
                outcome
                    .ended
                    .extend(wait.and_then(|wait| self.waits.end(wait)));
            }
            let tick = is_busy.then(|| now.later(limits::TICK));
            earlier(earlier(order.earliest(), tick), self.waits.next_look(now))
        };
        outcome.happens();
        next
    }

    /// Time is over.
    fn fire_all(&self) {
        let waiting = {
            let mut order = self.order.lock();
            order.is_over = true;
            std::mem::take(&mut order.waiting)
        };
        let seated = self
            .rows
            .iter()
            .flat_map(|row| std::iter::from_fn(|| row.look()).flatten());
        let waiting = waiting.into_values().map(|Waiting { watch, wait }| {
            drop(wait.and_then(|wait| self.waits.end(wait)));
            watch
        });
        fire(waiting.chain(seated));
    }
}

impl Outcome {
    fn happens(self) {
        let Findings { places, events, .. } = self.findings;
        events
            .iter()
            .for_each(|(system, event)| system.publish(event));
        let cut: Vec<Fired> = self.cut.into_iter().filter_map(Watch::cut).collect();
        fire(self.due);
        cut.into_iter().for_each(Fired::wake);
        places.iter().for_each(|actor| actor.wake());
    }
}

/// All of them before the first is woken: who asked on behalf of another often has the same deadline, and must not hear
/// of the other's end first.
fn fire(watches: impl IntoIterator<Item = Watch>) {
    let fired: Vec<Fired> = watches.into_iter().filter_map(Watch::fire).collect();
    fired.into_iter().for_each(Fired::wake);
}

impl Order {
    /// Its deadline, and whether it may have closed a circle of waits.
    fn put(&mut self, watch: Watch, waits: &Waits) -> (Deadline, bool) {
        self.age += 1;
        let key = watch.set_age(self.age);
        let (wait, is_circle) = waits.begin_ask(&watch, key).unzip();
        self.waiting.insert(key, Waiting { watch, wait });
        (key.deadline, is_circle.unwrap_or(false))
    }

    fn watch(&self, key: &Key) -> Option<&Watch> {
        self.waiting.get(key).map(|waiting| &waiting.watch)
    }

    fn take_due(&mut self, now: Deadline) -> Vec<Waiting> {
        let mut due = Vec::new();
        while let Some(first) = self.waiting.first_entry()
            && first.key().deadline <= now
        {
            due.push(first.remove());
        }
        due
    }

    fn earliest(&self) -> Option<Deadline> {
        self.waiting.first_key_value().map(|(key, _)| key.deadline)
    }
}

/// Dropped with the task, so with the runtime.
struct Ticker(Arc<Deadlines>);

impl Drop for Ticker {
    fn drop(&mut self) {
        self.0.fire_all();
    }
}

async fn tick_on(ticker: Ticker, clock: Clock) {
    let deadlines = &ticker.0;
    let mut next = None;
    loop {
        let is_called = tokio::select! {
            biased;
            () = sleep_until(&clock, next) => false,
            () = deadlines.called.notified() => true,
        };
        let now = clock.deadline(Duration::ZERO);
        if !is_called {
            next = deadlines.tick(now);
            continue;
        }
        let order = deadlines.order.lock();
        if order.is_over {
            return;
        }
        let tick = deadlines.ticks.then(|| now.later(limits::TICK));
        let first = earlier(order.earliest(), tick);
        let first = earlier(first, deadlines.waits.next_look(now));
        next = earlier(next, first);
    }
}

async fn sleep_until(clock: &Clock, deadline: Option<Deadline>) {
    match deadline {
        Some(deadline) => clock.sleep_until(deadline).await,
        None => pending().await,
    }
}

fn earlier(one: Option<Deadline>, other: Option<Deadline>) -> Option<Deadline> {
    [one, other].into_iter().flatten().min()
}
