//! Actors that are scheduled as pointers, reduced to a count of turns.
//!
//! 1. A toy begins with its header, so a pointer to the one is a pointer to the other.
//! 2. The test keeps every toy until its last `Runnable` is gone.
#![allow(unsafe_code)]

use super::{Choice, Driver, World};
use crate::address::{Address, Name};
use crate::dispatch::runnable::{Header, Runnable, VTable};
use crate::sync::{Arc, AtomicBool, AtomicU32, Mutex, Ordering};
use std::ptr::NonNull;

#[repr(C)]
struct Toy {
    header: Header,
    name: u32,
    turns_left: AtomicU32,
    is_abandoned: AtomicBool,
    journal: Arc<Mutex<Vec<u32>>>,
}

static TOY: VTable = VTable { run, abandon };

/// # Safety
/// Rules 1 and 2.
unsafe fn toy<'a>(header: NonNull<Header>) -> &'a Toy {
    // SAFETY: rules 1 and 2, which the caller keeps.
    unsafe { header.cast::<Toy>().as_ref() }
}

unsafe fn run(header: NonNull<Header>) -> bool {
    // SAFETY: rules 1 and 2: only toys have this table.
    let toy = unsafe { toy(header) };
    toy.journal.lock().push(toy.name);
    toy.turns_left.fetch_sub(1, Ordering::Relaxed) > 1 // one thread
}

unsafe fn abandon(header: NonNull<Header>) {
    // SAFETY: rules 1 and 2: only toys have this table.
    let toy = unsafe { toy(header) };
    toy.is_abandoned.store(true, Ordering::Relaxed); // one thread
}

impl Toy {
    fn new(name: u32, turns: u32, journal: &Arc<Mutex<Vec<u32>>>) -> Box<Self> {
        Box::new(Self {
            header: Header::new(NonNull::from(&TOY)),
            name,
            turns_left: AtomicU32::new(turns),
            is_abandoned: AtomicBool::new(false),
            journal: journal.clone(),
        })
    }

    fn address(&self) -> Address {
        Address::new(
            "/toys",
            Name::Given(&self.name.to_string()),
            u64::from(self.name),
        )
    }

    fn scheduled(&self) -> Runnable {
        // SAFETY: rules 1 and 2 here, and the test calls this once for each toy.
        unsafe { Runnable::new(NonNull::from(self).cast()) }
    }
}

fn turns_in_order(seed: u64) -> Vec<u32> {
    let journal = Arc::default();
    let toys = [1, 2, 3].map(|name| Toy::new(name, 4, &journal));
    let driver = Driver::new(World::new(seed));
    let workers = driver.world().workers("toys", None, true);
    for toy in &toys {
        workers.schedule(&toy.address(), toy.scheduled());
    }
    driver.settle();
    assert!(matches!(driver.world().choose(false), Choice::Idle));
    assert!(
        toys.iter()
            .all(|toy| !toy.is_abandoned.load(Ordering::Relaxed))
    );
    drop((driver, workers, toys));
    Arc::into_inner(journal).map(Mutex::into_inner).unwrap()
}

#[test]
fn turns_of_pointers_are_ordered_by_the_seed_and_none_is_lost() {
    let orders: Vec<_> = (0..20).map(turns_in_order).collect();
    for order in &orders {
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
    }
    assert_eq!(orders, (0..20).map(turns_in_order).collect::<Vec<_>>());
    let mut different = orders;
    different.sort_unstable();
    different.dedup();
    assert!(different.len() > 10, "{different:?}");
}

#[test]
fn what_waits_for_a_turn_at_the_end_or_comes_later_is_abandoned() {
    let journal = Arc::default();
    let [waits, comes_late] = [1, 2].map(|name| Toy::new(name, 1, &journal));
    let driver = Driver::new(World::new(0));
    let workers = driver.world().workers("toys", None, true);
    workers.schedule(&waits.address(), waits.scheduled());
    drop(driver);
    assert!(waits.is_abandoned.load(Ordering::Relaxed));
    workers.schedule(&comes_late.address(), comes_late.scheduled());
    assert!(comes_late.is_abandoned.load(Ordering::Relaxed));
    assert!(journal.lock().is_empty());
}
