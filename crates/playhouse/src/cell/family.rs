//! Parent, children, watchers.

use super::{Core, CoreRef};
use crate::actor::Exit;
use crate::address::Address;
use crate::dispatch::DispatcherRef;
use crate::failure::Failure;
use crate::ledger::Ledger;
use crate::mailbox::signals::StopCause;
use crate::sync::{Arc, Mutex};
use crate::system::ActorSystem;
use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};
use std::future::{Future, poll_fn};
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::task::{Context, Poll, Waker};

/// The children of one actor, or the roots of a system.
pub(crate) struct Family {
    /// The parent.
    owner: Address,
    /// Kept for the members; `None` for the roots, which the system itself holds.
    system: Option<ActorSystem>,
    /// Whom a child's failure escalates to; `None` for the roots, and when the parent has ended.
    head: Mutex<Option<CoreRef>>,
    /// Where the parent runs; `None` for the roots, who have none.
    dispatcher: Option<DispatcherRef>,
    members: Mutex<Members>,
}

#[derive(Default)]
struct Members {
    named: HashSet<Named>,
    /// Anonymous ones, and those whose name is free again and taken by somebody else.
    nameless: HashMap<u64, CoreRef, BuildHasherDefault<UidHasher>>,
    /// The books of those who have ended.
    books: Ledger,
    /// The owner has closed its own books, with these in them.
    is_folded: bool,
    is_closed: bool,
    /// Only the youngest is asked to stop, and the next when it has ended.
    stops_in_reverse: bool,
    stopped_for: Option<StopCause>,
    anonymous: u64,
    /// They wait until nobody is left.
    waiting: Vec<Waker>,
}

impl Members {
    fn alive(&self) -> impl Iterator<Item = &CoreRef> {
        self.named
            .iter()
            .map(|Named(child)| child)
            .chain(self.nameless.values())
    }

    fn youngest(&self) -> Option<CoreRef> {
        let youngest = self.alive().max_by_key(|child| child.address.uid());
        youngest.cloned()
    }

    fn is_empty(&self) -> bool {
        self.named.is_empty() && self.nameless.is_empty()
    }
}

/// Why a child cannot join.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoEntry {
    NameTaken(Address),
    Closed,
}

impl Family {
    /// The children of an actor.
    pub(crate) fn of(parent: &Core) -> Self {
        Self {
            owner: parent.address.clone(),
            system: Some(parent.actor_system().clone()),
            dispatcher: Some(parent.dispatcher.clone()),
            head: Mutex::new(Some(CoreRef::new(parent))),
            members: Mutex::default(),
        }
    }

    /// Those without a parent.
    pub(crate) fn roots(of: Address) -> Self {
        Self {
            owner: of,
            system: None,
            dispatcher: None,
            head: Mutex::default(),
            members: Mutex::default(),
        }
    }

    /// The parent has ended. Parent and family keep each other until then.
    pub(crate) fn forget_head(&self) {
        let head = self.head.lock().take();
        drop(head); // outside the lock
    }

    /// The failure of a child is its parent's too; that of a root ends the system.
    pub(crate) fn escalate(&self, child: &Core, failure: &Failure) {
        let head = self.head.lock().clone();
        match head {
            Some(head) => head.escalated(failure.clone()),
            None if self.system.is_none() => child.system().root_failed(&child.address, failure),
            None => {} // the parent has ended
        }
    }

    /// The path of the parent.
    pub(crate) fn path(&self) -> &str {
        self.owner.path()
    }

    pub(crate) fn system(&self) -> Option<&ActorSystem> {
        self.system.as_ref()
    }

    pub(crate) fn dispatcher(&self) -> Option<&DispatcherRef> {
        self.dispatcher.as_ref()
    }

    pub(crate) fn next_anonymous(&self) -> u64 {
        let mut members = self.members.lock();
        members.anonymous += 1;
        members.anonymous
    }

    /// An anonymous child has a name that nobody else can have.
    pub(crate) fn join(&self, child: &Core, is_anonymous: bool) -> Result<(), NoEntry> {
        let mut members = self.members.lock();
        if members.is_closed {
            return Err(NoEntry::Closed);
        }
        if is_anonymous {
            members
                .nameless
                .insert(child.address.uid(), CoreRef::new(child));
            return Ok(());
        }
        if let Some(Named(holder)) = members.named.get(child.address.name())
            && !holder.is_name_free()
        {
            return Err(NoEntry::NameTaken(holder.address.clone()));
        }
        if let Some(Named(leaving)) = members.named.replace(Named(CoreRef::new(child))) {
            members.nameless.insert(leaving.address.uid(), leaving);
        }
        Ok(())
    }

    /// Who has this name and is not about to free it.
    pub(crate) fn holder(&self, name: &str) -> Option<CoreRef> {
        let members = self.members.lock();
        let Named(holder) = members.named.get(name)?;
        (!holder.is_name_free()).then(|| holder.clone())
    }

    /// It has ended, and its books are this family's from now on; the system's, if its parent was cut short before it.
    pub(crate) fn leave(&self, child: &Core) {
        let (gone, called, next) = {
            let mut members = self.members.lock();
            let books = child.close_books();
            if members.is_folded {
                child.system().total.lock().add(&books); // nobody looks here any more
            } else {
                members.books.add(&books);
            }
            let is_child = |Named(holder): &Named| holder.is(child);
            let gone = match members.nameless.remove(&child.address.uid()) {
                Some(gone) => Some(gone),
                None if members
                    .named
                    .get(child.address.name())
                    .is_some_and(is_child) =>
                {
                    members
                        .named
                        .take(child.address.name())
                        .map(|Named(gone)| gone)
                }
                None => None,
            };
            let next = match members.stopped_for {
                Some(cause) if members.stops_in_reverse => {
                    members.youngest().map(|next| (next, cause))
                }
                _ => None,
            };
            let is_last = members.is_empty() && !members.waiting.is_empty();
            let called = is_last.then(|| std::mem::take(&mut members.waiting));
            (gone, called, next)
        };
        if let Some((next, cause)) = next {
            next.stop(cause);
        }
        called.into_iter().flatten().for_each(Waker::wake);
        drop(gone); // outside the lock
    }

    /// Of everybody who was ever here, and not of the families below, which are added to `below`. Nobody leaves
    /// meanwhile, so each one's books are found where they are kept: with it, or here.
    pub(crate) fn picture(&self, below: &mut Vec<Arc<Family>>) -> Ledger {
        let members = self.members.lock();
        let mut ledger = members.books;
        for member in members.alive() {
            ledger.add(&member.open_entries());
            below.extend(member.children_if_any().cloned());
        }
        ledger
    }

    /// The books of those who have ended, for the last time. If the owner was cut short, those still here outlive it. They
    /// stay readable, for a picture that found the owner in its family before.
    pub(crate) fn close_books(&self) -> Ledger {
        let mut members = self.members.lock();
        members.is_folded = true;
        members.books
    }

    /// Oldest first.
    pub(crate) fn addresses(&self) -> Vec<Address> {
        self.alive()
            .iter()
            .map(|child| child.address.clone())
            .collect()
    }

    pub(crate) fn contains(&self, core: &Core) -> bool {
        std::ptr::eq(Arc::as_ptr(&core.parent), self)
    }

    /// Oldest first.
    pub(crate) fn alive(&self) -> Vec<CoreRef> {
        let mut alive: Vec<_> = self.members.lock().alive().cloned().collect();
        alive.sort_unstable_by_key(|child| child.address.uid());
        alive
    }

    /// Everybody of this family and the families below, parents first.
    pub(crate) fn descendants(&self) -> Vec<CoreRef> {
        let mut found = self.alive();
        let mut next = 0;
        while let Some(member) = found.get(next) {
            let below = member.children_if_any().map(|family| family.alive());
            found.extend(below.into_iter().flatten());
            next += 1;
        }
        found
    }

    /// From now on its members are stopped one after the other, the youngest first.
    pub(crate) fn stop_in_reverse(&self) {
        self.members.lock().stops_in_reverse = true;
    }

    /// Nobody joins any more; everybody here is asked to stop.
    pub(crate) fn stop_all(&self, cause: StopCause) {
        let youngest = {
            let mut members = self.members.lock();
            members.is_closed = true;
            members.stopped_for.get_or_insert(cause);
            match members.stops_in_reverse {
                true => members.youngest(),
                false => None,
            }
        };
        match youngest {
            Some(youngest) => youngest.stop(cause),
            None => self.alive().iter().for_each(|child| child.stop(cause)),
        }
    }

    pub(crate) fn kill_all(&self) {
        self.alive().iter().for_each(|child| child.kill());
    }

    /// Waits until everybody is gone, their ends told.
    pub(crate) fn all_ended(&self) -> impl Future<Output = ()> + Send + '_ {
        poll_fn(|context| self.poll_all_ended(context))
    }

    pub(crate) fn poll_all_ended(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut members = self.members.lock();
        if members.is_empty() {
            return Poll::Ready(());
        }
        let waker = context.waker();
        if !members.waiting.iter().any(|known| known.will_wake(waker)) {
            members.waiting.push(waker.clone());
        }
        Poll::Pending
    }
}

/// A child under its name.
struct Named(CoreRef);

impl Borrow<str> for Named {
    fn borrow(&self) -> &str {
        self.0.address.name()
    }
}

impl PartialEq for Named {
    fn eq(&self, other: &Self) -> bool {
        self.0.address.name() == other.0.address.name()
    }
}
impl Eq for Named {}

impl Hash for Named {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.address.name().hash(state);
    }
}

/// Spreads numbers that count up. They are ours, so nobody can choose them to collide.
#[derive(Default)]
struct UidHasher(u64);

impl Hasher for UidHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(self.0 ^ u64::from(byte));
        }
    }

    fn write_u64(&mut self, uid: u64) {
        // Fibonacci hashing: 2^64 divided by the golden ratio (Knuth, The Art of Computer Programming, 6.4).
        self.0 = uid.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

/// Who is told when an actor ends.
pub(crate) trait Watcher: Send + Sync {
    fn core(&self) -> &Core;
    fn terminated(&self, who: Address, exit: Exit);
}

/// The watchers of one actor.
#[derive(Default)]
pub(crate) struct Watchers(Mutex<Vec<Arc<dyn Watcher>>>);

impl Watchers {
    /// Registers; an actor that has ended already is reported at once.
    pub(crate) fn add(&self, who: &Core, watcher: Arc<dyn Watcher>) {
        let exit = {
            let mut watching = self.0.lock();
            // Looked at under the lock: who ended after this finds the watcher registered.
            let exit = who.exit();
            if exit.is_none() && !watching.iter().any(|known| is_same(known, watcher.core())) {
                watching.push(watcher.clone());
            }
            exit
        };
        if let Some(exit) = exit {
            watcher.terminated(who.address.clone(), exit);
        }
    }

    pub(crate) fn remove(&self, watcher: &Core) {
        let gone: Vec<_> = self
            .0
            .lock()
            .extract_if(.., |known| is_same(known, watcher))
            .collect();
        drop(gone); // outside the lock
    }

    /// The actor has ended; nobody registers any more.
    pub(crate) fn tell(&self, who: &Address, exit: &Exit) {
        let watching = std::mem::take(&mut *self.0.lock());
        for watcher in watching {
            watcher.terminated(who.clone(), exit.clone());
        }
    }
}

fn is_same(known: &Arc<dyn Watcher>, watcher: &Core) -> bool {
    std::ptr::eq(known.core(), watcher)
}
