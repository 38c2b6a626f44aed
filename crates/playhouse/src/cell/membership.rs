//! An actor's place in a group: how the group learns of its failure, and how it is told to begin anew.
//!
//! The member carries out its own renewal in its own turn ([`renewal`](super::renewal)); the group decides when. Between the
//! end of an incarnation and the next one the member waits here.

use super::CoreRef;
use crate::failure::Failure;
use crate::sync::{Mutex, Notify, OnceLock, run_quietly};

/// How far a member has come, as far as its group cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It handles messages, or will in a moment.
    Living,
    /// Its incarnation is over, and it may not begin another.
    Waiting,
    /// It may.
    Released,
    /// It has ended for good.
    Gone,
}

pub(crate) struct Membership {
    /// Tells the group of a failure: whose, the number of the incarnation, why.
    report: Box<dyn Fn(u64, u32, Failure) + Send + Sync>,
    member: OnceLock<CoreRef>,
    state: Mutex<State>,
    changed: Notify,
}

struct State {
    standing: Standing,
    incarnation: u32,
}

impl Membership {
    pub(crate) fn new(report: impl Fn(u64, u32, Failure) + Send + Sync + 'static) -> Self {
        Self {
            report: Box::new(report),
            member: OnceLock::new(),
            state: Mutex::new(State {
                standing: Standing::Living,
                incarnation: 0,
            }),
            changed: Notify::new(),
        }
    }

    /// The actor whose membership it is. It has not begun.
    pub(crate) fn bind(&self, member: CoreRef) {
        let _ = self.member.set(member); // there is one
    }

    /// `None`: the recipe made an actor that cannot be renewed.
    pub(crate) fn member(&self) -> Option<&CoreRef> {
        self.member.get()
    }

    /// The member has failed, and waits for what its group decides.
    pub(crate) fn failed(&self, failure: &Failure) {
        let Some(member) = self.member() else { return };
        let (who, incarnation) = (member.address.uid(), self.incarnation());
        run_quietly(|| (self.report)(who, incarnation, failure.clone()));
    }

    /// Counts up with each release.
    pub(crate) fn incarnation(&self) -> u32 {
        self.state.lock().incarnation
    }

    pub(crate) fn standing(&self) -> Standing {
        self.state.lock().standing
    }

    /// The member says how far it has come. One that is gone stays so.
    pub(crate) fn set(&self, standing: Standing) {
        {
            let mut state = self.state.lock();
            if state.standing == Standing::Gone {
                return;
            }
            state.standing = standing;
        }
        run_quietly(|| self.changed.notify_waiters());
    }

    /// A waiting member may begin anew.
    pub(crate) fn release(&self) {
        {
            let mut state = self.state.lock();
            if state.standing != Standing::Waiting {
                return;
            }
            state.standing = Standing::Released;
            state.incarnation += 1;
        }
        run_quietly(|| self.changed.notify_waiters());
    }

    /// Waits until it stands where the test says. Cancel safe.
    pub(crate) async fn until(&self, test: impl Fn(Standing) -> bool) {
        loop {
            let changed = self.changed.notified();
            let mut changed = std::pin::pin!(changed);
            changed.as_mut().enable(); // before the look, so that no change falls in between
            if test(self.standing()) {
                return;
            }
            changed.await;
        }
    }
}
