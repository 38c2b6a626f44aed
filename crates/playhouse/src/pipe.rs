//! Results of work outside the turn, as messages: own asks, futures, blocking closures.

use crate::actor::Message;
use crate::ask::{AskError, Asking};
use crate::cell::{CellRef, Core};
use crate::dispatch::DispatcherRef;
use crate::events::Event;
use crate::failure::Failure;
use crate::host::Aborter;
use crate::limits;
use crate::mailbox::{Rare, Slot};
use crate::own_ask;
use crate::sync::{Arc, Mutex, catch, catch_future};
use crate::system::System;
use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::future::Future;

/// What an actor has under way outside its turns. Bounded, and cancelled when the actor ends.
#[derive(Default)]
pub(crate) struct OwnWork(Mutex<Register>);

#[derive(Default)]
struct Register {
    next: u64,
    /// `None`: cannot be aborted (blocking work), or not begun.
    running: HashMap<u64, Option<Stopper>>,
    is_cancelled: bool,
}

/// Ends a piece of work before its time.
pub(crate) enum Stopper {
    Task(Aborter),
    Ask(Box<dyn FnOnce() + Send>),
}

impl Stopper {
    fn stop(self) {
        match self {
            Stopper::Task(task) => task.abort(),
            Stopper::Ask(stop) => stop(),
        }
    }
}

enum NoStart {
    TooMany,
    Ending,
}

impl OwnWork {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().running.is_empty()
    }

    /// Aborts what can be aborted, the oldest first; nothing new begins.
    pub(crate) fn cancel(&self) {
        let mut running: Vec<(u64, Stopper)> = {
            let mut register = self.0.lock();
            register.is_cancelled = true;
            let register = register.running.iter_mut();
            register
                .filter_map(|(id, task)| Some((*id, task.take()?)))
                .collect()
        };
        running.sort_unstable_by_key(|(id, _)| *id);
        running.into_iter().for_each(|(_, work)| work.stop());
    }

    /// What runs is aborted as in [`cancel`](Self::cancel), but more may begin: the incarnation ends, not the actor.
    pub(crate) fn abort(&self) {
        self.cancel();
        self.0.lock().is_cancelled = false;
    }

    fn begin(&self) -> Result<u64, NoStart> {
        let mut register = self.0.lock();
        if register.is_cancelled {
            return Err(NoStart::Ending);
        }
        if register.running.len() >= limits::COMPLETIONS_PER_ACTOR {
            return Err(NoStart::TooMany);
        }
        register.next += 1;
        let id = register.next;
        register.running.insert(id, None);
        Ok(id)
    }

    fn set_stopper(&self, id: u64, stopper: Stopper) {
        let mut register = self.0.lock();
        if register.is_cancelled {
            drop(register);
            return stopper.stop();
        }
        if let Some(entry) = register.running.get_mut(&id) {
            *entry = Some(stopper);
            return;
        }
        drop(register);
        drop(stopper); // it has ended meanwhile
    }

    fn end(&self, id: u64) {
        let gone = self.0.lock().running.remove(&id);
        drop(gone); // outside the lock
    }
}

/// One piece of work under way; ends with its drop, delivered or not.
pub(crate) struct Started<M: Message> {
    cell: CellRef<M>,
    id: u64,
    /// Whose work it is.
    incarnation: u32,
}

impl<M: Message> Started<M> {
    fn begin(cell: &CellRef<M>) -> Result<Self, NoStart> {
        let rare = cell.core.rare();
        let id = rare.own_work.begin()?;
        Ok(Self {
            cell: cell.clone(),
            id,
            incarnation: rare.incarnation(),
        })
    }

    pub(crate) fn core(&self) -> &Core {
        &self.cell.core
    }

    pub(crate) fn deliver<T: Message>(self, value: T, map: impl FnOnce(T) -> M + Send + 'static) {
        self.cell.push_aside(Slot::Completion(
            self.incarnation,
            Box::new(move || map(value)),
        ));
    }

    fn fail(self, failure: Failure) {
        let incarnation = self.incarnation;
        self.cell.push_aside(Slot::rare(Rare::BrokenPipe {
            incarnation,
            failure,
        }));
    }
}

impl<M: Message> Drop for Started<M> {
    fn drop(&mut self) {
        self.cell.core.rare().own_work.end(self.id);
        self.cell.core.rouse_if_draining(); // a drain may have waited for it
    }
}

/// The result of `future`, as a message.
pub(crate) fn future<M: Message, T: Message>(
    cell: &CellRef<M>,
    future: impl Future<Output = T> + Send + 'static,
    map: impl FnOnce(T) -> M + Send + 'static,
) {
    let Some(started) = begin_or_fail_turn(cell) else {
        return;
    };
    let id = started.id;
    let task = cell.core.system().host.spawn("pipe", async move {
        match catch_future(future).await {
            Ok(value) => started.deliver(value, map),
            Err(payload) => started.fail(Failure::from_panic(payload)),
        }
    });
    cell.core
        .rare()
        .own_work
        .set_stopper(id, Stopper::Task(task));
}

/// The result of a question, as a message. Polled once here, so that the request goes out now, in order with what the
/// handler sends next, and under the deadline of the message in hand.
pub(crate) fn ask<M: Message, N: Message, T: Message>(
    cell: &CellRef<M>,
    asked: (&Core, &'static str),
    question: Asking<N, T>,
    map: impl FnOnce(Result<T, AskError>) -> M + Send + 'static,
) {
    let started = match Started::begin(cell) {
        Ok(started) => started,
        Err(NoStart::Ending) => return,
        Err(NoStart::TooMany) => {
            too_many(&cell.core);
            let (incarnation, make) = (cell.core.rare().incarnation(), move || {
                map(Err(AskError::Full))
            });
            return cell.push_aside(Slot::Completion(incarnation, Box::new(make)));
        }
    };
    let id = started.id;
    if let Some(stopper) = own_ask::ask(started, question, asked, map) {
        cell.core.rare().own_work.set_stopper(id, stopper);
    }
}

/// Stands among the waits of actors as long as it lasts.
pub(crate) struct SlowAsk {
    system: Arc<System>,
    wait: u64,
}

impl SlowAsk {
    /// `None`: of another system, whose waits are not ours.
    pub(crate) fn begin(from: &Core, to: &Core, request: &'static str) -> Option<Self> {
        let system = to.system();
        if !Arc::ptr_eq(system, from.system()) {
            return None;
        }
        let (wait, is_circle) = system.deadlines.waits.begin_own_ask(from, to, request);
        if is_circle {
            system.deadlines.look_for_circles();
        }
        Some(Self {
            system: system.clone(),
            wait,
        })
    }
}

impl Drop for SlowAsk {
    fn drop(&mut self) {
        drop(self.system.deadlines.waits.end(self.wait));
    }
}

/// The result of blocking work, as a message.
pub(crate) fn blocking<M: Message, T: Message>(
    cell: &CellRef<M>,
    on: &DispatcherRef,
    work: impl FnOnce() -> T + Send + 'static,
    map: impl FnOnce(T) -> M + Send + 'static,
) {
    /// Reports work that was thrown away unstarted, because its dispatcher is gone.
    struct Unstarted<M: Message>(Option<Started<M>>);
    impl<M: Message> Drop for Unstarted<M> {
        fn drop(&mut self) {
            if let Some(started) = self.0.take() {
                started.fail(DispatcherGone.into());
            }
        }
    }

    let Some(started) = begin_or_fail_turn(cell) else {
        return;
    };
    let mut started = Unstarted(Some(started));
    on.submit(move || {
        let outcome = catch(work);
        if let Some(started) = started.0.take() {
            match outcome {
                Ok(value) => started.deliver(value, map),
                Err(payload) => started.fail(Failure::from_panic(payload)),
            }
        }
    });
}

fn begin_or_fail_turn<M: Message>(cell: &CellRef<M>) -> Option<Started<M>> {
    match Started::begin(cell) {
        Ok(started) => Some(started),
        Err(NoStart::Ending) => None,
        Err(NoStart::TooMany) => {
            too_many(&cell.core);
            cell.core.fail_turn(TooManyCompletions.into());
            None
        }
    }
}

fn too_many(core: &Core) {
    core.publish(&Event::TooManyCompletions {
        who: core.address.clone(),
    });
}

#[derive(Debug)]
struct TooManyCompletions;

impl fmt::Display for TooManyCompletions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = limits::COMPLETIONS_PER_ACTOR;
        write!(
            f,
            "more than {limit} asks and pipes of one actor under way; start the next when one has come back"
        )
    }
}

impl Error for TooManyCompletions {}

#[derive(Debug)]
struct DispatcherGone;

impl fmt::Display for DispatcherGone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the dispatcher that should run a piped closure has shut down")
    }
}

impl Error for DispatcherGone {}
