//! The answer that a test waits for.

use super::scene::Scene;
use crate::actor::Message;
use crate::ask::AskError;
use std::any::type_name;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// Where the answer to [`BehaviorKit::reply`](super::BehaviorKit::reply) lands. Dropped, nobody waits for it any more.
pub struct Answer<T> {
    waits: Option<Waiting<T>>,
    scene: Rc<Scene>,
}

type Waiting<T> = Pin<Box<dyn Future<Output = Result<T, AskError>>>>;

impl<T: Message> Answer<T> {
    pub(super) fn new(
        waits: impl Future<Output = Result<T, AskError>> + 'static,
        scene: Rc<Scene>,
    ) -> Self {
        let waits = Some(Box::pin(waits) as Waiting<T>);
        Self { waits, scene }
    }

    /// The answer, or why there is none.
    ///
    /// # Panics
    /// If it is still to come, or was taken already.
    #[track_caller]
    pub fn take(&mut self) -> Result<T, AskError> {
        match self.try_take() {
            Some(answer) => answer,
            None => panic!(
                "{}",
                self.scene
                    .report("the reply is neither answered nor dropped")
            ),
        }
    }

    /// The same, if it is there.
    ///
    /// # Panics
    /// If it was taken already.
    #[track_caller]
    pub fn try_take(&mut self) -> Option<Result<T, AskError>> {
        assert!(
            self.waits.is_some(),
            "there is one answer, and it was taken"
        );
        self.scene.driver.settle();
        match self.poll() {
            Poll::Ready(answer) => Some(answer),
            Poll::Pending => None,
        }
    }

    pub(super) fn poll(&mut self) -> Poll<Result<T, AskError>> {
        let Some(waits) = &mut self.waits else {
            return Poll::Pending;
        };
        // Looked at whenever somebody wants to know, so nobody need wake it.
        let mut context = Context::from_waker(Waker::noop());
        let polled = waits.as_mut().poll(&mut context);
        if polled.is_ready() {
            self.waits = None;
        }
        polled
    }
}

impl<T> fmt::Debug for Answer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answer<{}>", type_name::<T>())
    }
}
