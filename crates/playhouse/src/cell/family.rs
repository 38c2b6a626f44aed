//! Parent, children, watchers.

use super::Core;
use crate::actor::Exit;
use crate::address::Address;
use crate::mailbox::signals::StopCause;
use crate::sync::{Arc, Mutex};
use std::collections::{BTreeMap, HashMap};

/// The children of one actor, or the roots of a system.
pub(crate) struct Family {
    /// The path of the parent.
    pub(crate) path: String,
    members: Mutex<Members>,
}

#[derive(Default)]
struct Members {
    /// Taken names. A name is free before its owner is gone from `alive`.
    names: HashMap<String, Address>,
    alive: BTreeMap<u64, Arc<Core>>,
    is_closed: bool,
    anonymous: u64,
}

/// Why a child cannot join.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoEntry {
    NameTaken(Address),
    Closed,
}

impl Family {
    pub(crate) fn new(path: String) -> Self {
        Self {
            path,
            members: Mutex::new(Members::default()),
        }
    }

    pub(crate) fn anonymous_name(&self) -> String {
        let mut members = self.members.lock();
        members.anonymous += 1;
        format!("~{}", members.anonymous)
    }

    pub(crate) fn join(&self, child: &Arc<Core>) -> Result<(), NoEntry> {
        let mut members = self.members.lock();
        if members.is_closed {
            return Err(NoEntry::Closed);
        }
        if let Some(holder) = members.names.get(child.address.name()) {
            return Err(NoEntry::NameTaken(holder.clone()));
        }
        members
            .names
            .insert(child.address.name().to_owned(), child.address.clone());
        members.alive.insert(child.address.uid(), child.clone());
        Ok(())
    }

    pub(crate) fn free_name(&self, child: &Core) {
        let mut members = self.members.lock();
        if members.names.get(child.address.name()) == Some(&child.address) {
            members.names.remove(child.address.name());
        }
    }

    pub(crate) fn leave(&self, child: &Core) {
        self.members.lock().alive.remove(&child.address.uid());
    }

    pub(crate) fn addresses(&self) -> Vec<Address> {
        self.members
            .lock()
            .alive
            .values()
            .map(|child| child.address.clone())
            .collect()
    }

    pub(crate) fn contains(&self, core: &Core) -> bool {
        std::ptr::eq(Arc::as_ptr(&core.parent), self)
    }

    pub(crate) fn alive(&self) -> Vec<Arc<Core>> {
        self.members.lock().alive.values().cloned().collect()
    }

    fn oldest(&self) -> Option<Arc<Core>> {
        self.members.lock().alive.values().next().cloned()
    }

    /// Everybody of this family and the families below, parents first.
    pub(crate) fn descendants(&self) -> Vec<Arc<Core>> {
        let mut found = self.alive();
        let mut next = 0;
        while let Some(member) = found.get(next) {
            let below = member.children.alive();
            found.extend(below);
            next += 1;
        }
        found
    }

    /// Nobody joins any more; everybody here is asked to stop.
    pub(crate) fn stop_all(&self, cause: StopCause) {
        self.members.lock().is_closed = true;
        self.alive().iter().for_each(|child| child.stop(cause));
    }

    pub(crate) fn kill_all(&self) {
        self.alive().iter().for_each(|child| child.kill());
    }

    /// Waits until everybody is gone, their ends told.
    pub(crate) async fn all_ended(&self) {
        while let Some(child) = self.oldest() {
            child.exit.wait().await;
            self.leave(&child);
        }
    }
}

/// Who is told when an actor ends.
pub(crate) trait Watcher: Send + Sync {
    fn core(&self) -> &Arc<Core>;
    fn terminated(&self, who: Address, exit: Exit);
}

/// The watchers of one actor; after its end, its exit.
#[derive(Default)]
pub(crate) struct Watchers(Mutex<Register>);

#[derive(Default)]
struct Register {
    watching: Vec<Arc<dyn Watcher>>,
    ended: Option<Exit>,
}

impl Watchers {
    /// Registers; an actor that has ended already is reported at once.
    pub(crate) fn add(&self, who: &Address, watcher: Arc<dyn Watcher>) {
        let ended = {
            let mut register = self.0.lock();
            if register.ended.is_none()
                && !register
                    .watching
                    .iter()
                    .any(|known| is_same(known, watcher.core()))
            {
                register.watching.push(watcher.clone());
            }
            register.ended.clone()
        };
        if let Some(exit) = ended {
            watcher.terminated(who.clone(), exit);
        }
    }

    pub(crate) fn remove(&self, watcher: &Arc<Core>) {
        let gone: Vec<_> = self
            .0
            .lock()
            .watching
            .extract_if(.., |known| is_same(known, watcher))
            .collect();
        drop(gone); // outside the lock
    }

    pub(crate) fn tell(&self, who: &Address, exit: &Exit) {
        let watching = {
            let mut register = self.0.lock();
            register.ended = Some(exit.clone());
            std::mem::take(&mut register.watching)
        };
        for watcher in watching {
            watcher.terminated(who.clone(), exit.clone());
        }
    }
}

fn is_same(known: &Arc<dyn Watcher>, watcher: &Arc<Core>) -> bool {
    Arc::ptr_eq(known.core(), watcher)
}
