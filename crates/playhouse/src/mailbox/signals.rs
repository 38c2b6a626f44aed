//! The control lane: what others want of an actor's life. Orders only add up; none is ever taken back.

use crate::sync::{Bell, Mutex, SetOnce};
use std::task::Waker;

/// What has been ordered so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Orders {
    pub(crate) stop: Option<StopCause>,
    pub(crate) drain: bool,
    pub(crate) kill: bool,
}

/// Who wants the stop; the first one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopCause {
    Asked,
    Shutdown,
}

#[derive(Default)]
pub(crate) struct Signals {
    orders: Mutex<Orders>,
    /// Set with the first stop or kill, for everybody who waits for that.
    stopping: SetOnce<()>,
    /// The actor's own task.
    bell: Bell,
}

impl Signals {
    pub(crate) fn orders(&self) -> Orders {
        *self.orders.lock()
    }

    pub(crate) fn stop(&self, cause: StopCause) {
        self.orders.lock().stop.get_or_insert(cause);
        self.announce();
    }

    pub(crate) fn kill(&self) {
        self.orders.lock().kill = true;
        self.announce();
    }

    pub(crate) fn drain(&self) {
        self.orders.lock().drain = true;
        self.bell.ring();
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.initialized()
    }

    pub(crate) async fn stopping(&self) {
        self.stopping.wait().await;
    }

    pub(crate) fn listen(&self, waker: &Waker) {
        self.bell.listen(waker);
    }

    fn announce(&self) {
        let _ = self.stopping.set(()); // a second order finds it set
        self.bell.ring();
    }
}
