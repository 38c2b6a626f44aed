//! What most actors never need: made at the first use, so that an idle actor is small.
//!
//! 1. The pointer is null, or points to a `Rare` that lives as long as its owner. It is set once, by a compare-and-swap.
//! 2. Both sides of a race between "somebody registers here" and "the actor ends" are sequentially consistent: whoever
//!    registers makes the `Rare` first and then looks at the flag in the core; the actor raises the flag first and then
//!    looks for the `Rare`. One of them sees the other.
#![allow(unsafe_code)]

use super::family::{Family, Watchers};
use super::turn_only::TurnOnly;
use crate::actor::Exit;
use crate::clock::Deadline;
use crate::failure::Failure;
use crate::ledger::Ledger;
use crate::pipe::OwnWork;
use crate::sync::{Arc, AtomicPtr, AtomicU32, Mutex, OnceLock, Ordering, SetOnce};
use crate::system::ActorSystem;
use std::ptr::null_mut;
use std::task::Waker;

pub(crate) struct Rare {
    pub(crate) children: OnceLock<Arc<Family>>,
    pub(crate) watchers: Watchers,
    pub(crate) own_work: OwnWork,
    /// Every outcome but `handled`, which is counted in the core.
    pub(crate) books: Mutex<Ledger>,
    /// For those who wait for the end.
    pub(crate) ended: SetOnce<Exit>,
    /// Set with the first stop or kill, for those who wait for that.
    pub(crate) stopping: SetOnce<()>,
    /// The most messages that were reported to wait.
    pub(crate) most_queued: Mutex<usize>,
    /// Why the actor failed.
    pub(crate) cause: Mutex<Option<Failure>>,
    /// A failure that code without the handler's outcome in its hands found; the turn takes it.
    pub(crate) verdict: Mutex<Option<Failure>>,
    /// A child's, which is to be this actor's too.
    pub(crate) escalated: Mutex<Option<Failure>>,
    /// How often the actor was restarted. Only the turn changes it, and only the turn's own work asks for it.
    incarnation: AtomicU32,
    /// Of the question in hand, for asks made while handling it.
    pub(crate) deadline: TurnOnly<Option<Deadline>>,
    /// Of user code that asked for a message behind a waker of its own. Only the turn uses it.
    pub(crate) listener: Mutex<Option<Waker>>,
    /// Kept by a root; others have it through their parent's family.
    pub(crate) system: OnceLock<ActorSystem>,
    /// The actor is a function.
    pub(crate) is_function: OnceLock<()>,
    /// A stash bound below the mailbox's.
    pub(crate) stash_bound: OnceLock<usize>,
}

impl Rare {
    fn new() -> Self {
        Self {
            children: OnceLock::new(),
            watchers: Watchers::default(),
            own_work: OwnWork::default(),
            books: Mutex::default(),
            ended: SetOnce::new(),
            stopping: SetOnce::new(),
            most_queued: Mutex::default(),
            cause: Mutex::default(),
            verdict: Mutex::default(),
            escalated: Mutex::default(),
            incarnation: AtomicU32::new(0),
            deadline: TurnOnly::new(None),
            listener: Mutex::default(),
            system: OnceLock::new(),
            is_function: OnceLock::new(),
            stash_bound: OnceLock::new(),
        }
    }

    pub(crate) fn incarnation(&self) -> u32 {
        self.incarnation.load(Ordering::Relaxed) // handed on with the turn
    }

    pub(crate) fn next_incarnation(&self) {
        self.incarnation
            .store(self.incarnation().wrapping_add(1), Ordering::Relaxed);
    }
}

#[derive(Default)]
pub(crate) struct RareSlot(AtomicPtr<Rare>);

impl RareSlot {
    #[inline]
    pub(crate) fn get(&self) -> Option<&Rare> {
        let rare = self.0.load(Ordering::SeqCst); // pairs with the swap below: rule 2, and the content of the box
        // SAFETY: rule 1.
        unsafe { rare.as_ref() }
    }

    #[inline]
    pub(crate) fn get_or_make(&self) -> &Rare {
        self.get().unwrap_or_else(|| self.make())
    }

    #[cold]
    fn make(&self) -> &Rare {
        let made = Box::into_raw(Box::new(Rare::new()));
        // The success pairs with the load above; the failure reads what another thread made.
        let set = self
            .0
            .compare_exchange(null_mut(), made, Ordering::SeqCst, Ordering::SeqCst);
        let rare = match set {
            Ok(_) => made,
            Err(known) => {
                // SAFETY: nobody else has seen it.
                drop(unsafe { Box::from_raw(made) });
                known
            }
        };
        // SAFETY: rule 1.
        unsafe { &*rare }
    }
}

impl Drop for RareSlot {
    fn drop(&mut self) {
        let rare = self.0.load(Ordering::Relaxed); // nobody else is left
        if !rare.is_null() {
            // SAFETY: rule 1: it was made by `make`, and its owner goes now.
            drop(unsafe { Box::from_raw(rare) });
        }
    }
}
