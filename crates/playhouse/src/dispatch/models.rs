//! The interleavings of what the drivers share, with toys that notice every turn.
//!
//! 1. A toy's runnable is made once, and the toy outlives the model's threads.
#![allow(unsafe_code)]

use super::place::Place;
use super::run_queue::RunQueue;
use super::runnable::{Header, Runnable, VTable};
use super::sleepers::Sleepers;
use crate::sync::{Arc, AtomicBool, AtomicUsize, Ordering, UnsafeCell};
use loom::sync::Notify;
use loom::thread;
use std::ptr::NonNull;

#[repr(C)]
struct Toy {
    header: Header,
    /// Not atomic: the checker reports a turn that did not see what was written before it was queued.
    turns: UnsafeCell<usize>,
}

// SAFETY: rule 1: only the one runnable reaches the count, until the threads have ended.
unsafe impl Sync for Toy {}
// SAFETY: as above.
unsafe impl Send for Toy {}

static TOY: VTable = VTable { run, abandon: lost };

/// SAFETY: of `VTable::run`; rule 1.
unsafe fn run(header: NonNull<Header>) -> bool {
    // SAFETY: rule 1.
    let toy = unsafe { header.cast::<Toy>().as_ref() };
    // SAFETY: rule 1.
    toy.turns.with_mut(|turns| unsafe { *turns += 1 });
    false
}

unsafe fn lost(_: NonNull<Header>) {}

/// Toys that are checked to have run once each.
struct Toys(Vec<Toy>);

impl Toys {
    fn new(count: usize) -> Arc<Self> {
        let toy = |_| Toy {
            header: Header::new(NonNull::from(&TOY)),
            turns: UnsafeCell::new(0),
        };
        Arc::new(Self((0..count).map(toy).collect()))
    }

    fn runnable(&self, toy: usize) -> Runnable {
        // SAFETY: rule 1: nobody else can reach it yet. Whoever runs it must see this.
        self.0[toy].turns.with_mut(|turns| unsafe { *turns = 0 });
        // SAFETY: rule 1: each test takes the one of each toy once.
        unsafe { Runnable::new(NonNull::from(&self.0[toy]).cast()) }
    }

    fn check(&self) {
        // SAFETY: the threads have ended.
        let turns = |toy: &Toy| toy.turns.with(|turns| unsafe { *turns });
        let turns: Vec<_> = self.0.iter().map(turns).collect();
        assert!(turns.iter().all(|turns| *turns == 1), "{turns:?}");
    }
}

fn run_all(runnables: impl IntoIterator<Item = Runnable>) {
    for runnable in runnables {
        assert!(runnable.run().is_none());
    }
}

#[test]
fn a_ring_that_wraps_loses_and_doubles_nothing_while_others_steal() {
    loom::model(|| {
        let toys = Toys::new(8);
        let queue = Arc::new(RunQueue::new());
        // SAFETY: of `push` and `pop`, here and below: this thread is the only owner.
        let push = |toy| unsafe { queue.push(toys.runnable(toy)) };
        let pop = || unsafe { queue.pop() };
        for toy in 0..3 {
            assert!(push(toy).is_ok());
            run_all(pop());
        }
        (3..6).for_each(|toy| assert!(push(toy).is_ok()));
        let thief = thread::spawn({
            let queue = queue.clone();
            move || run_all(queue.grab())
        });
        run_all(pop());
        for toy in 6..8 {
            // Full, as long as the thief has not come: then half of it goes elsewhere.
            if let Err(refused) = push(toy) {
                run_all(queue.grab());
                run_all([refused]);
            }
        }
        thief.join().expect("the thief");
        run_all(std::iter::from_fn(pop));
        assert!(queue.is_empty());
        toys.check();
    });
}

#[test]
fn two_thieves_and_the_owner_share_without_a_double() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let toys = Toys::new(3);
        let queue = Arc::new(RunQueue::new());
        // SAFETY: this thread is the only owner.
        (0..2).for_each(|toy| assert!(unsafe { queue.push(toys.runnable(toy)) }.is_ok()));
        let thief = || {
            let queue = queue.clone();
            thread::spawn(move || run_all(queue.grab()))
        };
        let thieves = [thief(), thief()];
        // SAFETY: as above.
        assert!(unsafe { queue.push(toys.runnable(2)) }.is_ok());
        // SAFETY: as above.
        run_all(unsafe { queue.pop() });
        for thief in thieves {
            thief.join().expect("a thief");
        }
        // SAFETY: as above.
        run_all(std::iter::from_fn(|| unsafe { queue.pop() }));
        toys.check();
    });
}

#[test]
fn the_actor_woken_last_is_taken_once_by_its_driver_or_by_the_lookout() {
    loom::model(|| {
        let toys = Toys::new(3);
        let newest = Arc::new(Place::new());
        let lookout = thread::spawn({
            let newest = newest.clone();
            move || run_all(newest.take())
        });
        run_all(newest.put(toys.runnable(0)));
        run_all(newest.put(toys.runnable(1)));
        run_all(newest.take());
        run_all(newest.put(toys.runnable(2)));
        lookout.join().expect("the lookout");
        run_all(newest.take());
        toys.check();
    });
}

#[test]
fn a_place_offered_by_two_is_filled_once_at_a_time() {
    loom::model(|| {
        let toys = Toys::new(2);
        let place = Arc::new(Place::new());
        let offer = |toy| {
            let (place, toys) = (place.clone(), toys.clone());
            thread::spawn(move || run_all(place.offer(toys.runnable(toy)).err()))
        };
        let offers = [offer(0), offer(1)];
        run_all(place.take());
        for offer in offers {
            offer.join().expect("an offer");
        }
        run_all(place.take());
        toys.check();
    });
}

/// Drivers as they park and wake, around a queue that is only a number. Its accesses are relaxed: all order comes from
/// the sleepers.
struct Drivers {
    sleepers: Sleepers,
    /// Tokio: a wake-up is a poll that is certain to come.
    polls: Vec<Notify>,
    queued: AtomicUsize,
    inbox: AtomicUsize,
    done: AtomicUsize,
    total: usize,
    is_dismissed: AtomicBool,
    /// The first item waits for the second one, on its driver.
    meeting: Option<Notify>,
}

impl Drivers {
    fn new(drivers: usize, total: usize, meeting: bool) -> Arc<Self> {
        Arc::new(Self {
            sleepers: Sleepers::new(drivers),
            polls: (0..drivers).map(|_| Notify::new()).collect(),
            queued: AtomicUsize::new(0),
            inbox: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            total,
            is_dismissed: AtomicBool::new(false),
            meeting: meeting.then(Notify::new),
        })
    }

    fn queue(&self) {
        self.queued.fetch_add(1, Ordering::Relaxed);
        self.announce();
    }

    fn announce(&self) {
        if let Some(driver) = self.sleepers.call() {
            self.polls[driver].notify();
        }
    }

    fn leave_with(&self, driver: usize) {
        self.inbox.fetch_add(1, Ordering::Relaxed);
        if self.sleepers.wake(driver) {
            self.polls[driver].notify();
        }
    }

    fn drive(&self, me: usize) {
        let mut search = self.sleepers.begin(me);
        loop {
            if take(&self.queued) || (me == 0 && take(&self.inbox)) {
                if let Some(search) = search.take() {
                    self.sleepers.found(search);
                    if self.is_work_in_sight(me) {
                        self.announce();
                    }
                }
                self.handle();
            } else if self.is_dismissed.load(Ordering::Acquire) {
                return;
            } else {
                self.sleepers.park(me, search.take());
                if !self.is_work_in_sight(me) {
                    self.polls[me].wait();
                }
                search = self.sleepers.begin(me);
            }
        }
    }

    fn is_work_in_sight(&self, me: usize) -> bool {
        self.queued.load(Ordering::Relaxed) > 0
            || (me == 0 && self.inbox.load(Ordering::Relaxed) > 0)
            || self.is_dismissed.load(Ordering::Acquire)
    }

    fn handle(&self) {
        let done = self.done.fetch_add(1, Ordering::AcqRel) + 1;
        if let Some(meeting) = &self.meeting {
            match done {
                1 => meeting.wait(),
                _ => meeting.notify(),
            }
        }
        if done == self.total {
            self.is_dismissed.store(true, Ordering::Release);
            self.sleepers.wake_all();
            self.polls.iter().for_each(Notify::notify);
        }
    }
}

fn take(count: &AtomicUsize) -> bool {
    let less = |count: usize| count.checked_sub(1);
    count
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
        .is_ok()
}

/// One driver and two who call it. A lost wake-up is a deadlock, which the checker reports.
fn check_callers(callers: [fn(&Drivers); 2]) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(move || {
        let shared = Drivers::new(1, 2, false);
        let threads = callers.map(|call| {
            let shared = shared.clone();
            thread::spawn(move || call(&shared))
        });
        shared.drive(0);
        for thread in threads {
            thread.join().expect("a caller");
        }
        assert_eq!(shared.done.load(Ordering::Relaxed), 2);
    });
}

#[test]
fn what_two_threads_queue_wakes_the_driver_that_parks() {
    check_callers([Drivers::queue, Drivers::queue]);
}

#[test]
fn what_is_left_with_a_driver_wakes_it() {
    check_callers([|drivers| drivers.leave_with(0), Drivers::queue]);
}

#[test]
fn a_second_driver_comes_for_the_second_item_while_the_first_is_held_up() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let shared = Drivers::new(2, 2, true);
        (0..2).for_each(|driver| shared.sleepers.park(driver, None));
        let other = thread::spawn({
            let shared = shared.clone();
            move || {
                shared.queue();
                shared.queue();
                shared.polls[1].wait(); // parked until then
                shared.drive(1);
            }
        });
        shared.drive(0); // polled for no reason, or because it was called
        other.join().expect("the other driver");
    });
}
