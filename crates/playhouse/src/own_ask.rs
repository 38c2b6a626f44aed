//! A question of an actor whose answer is a message of its own ([`Context::ask`](crate::Context::ask)).
//!
//! Whoever answers also puts the answer into the asker's lane: no task stands in between. So the answers of one actor come
//! in the order in which it gave them, and after everything that it had told the asker before.
//!
//! 1. The question is polled by one thread at a time: whoever makes the count of wakes leave zero. Others only count, and
//!    the one that polls looks again.
//! 2. Nothing of the user's runs in a poll: the answer becomes a message in the asker's own turn.
//! 3. A question that waits for a place in a full mailbox is a task instead, because a freed place is no moment to push.

use crate::actor::Message;
use crate::ask::{AskError, Asking};
use crate::cell::Core;
use crate::pipe::{SlowAsk, Started, Stopper};
use crate::sync::{Arc, AtomicBool, AtomicUsize, Mutex, Ordering, drop_quietly};
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, Wake, Waker};

/// Asks, and yields what stops it while the answer is waited for.
pub(crate) fn ask<M, N, T, F>(
    started: Started<M>,
    question: Asking<N, T>,
    (to, request): (&Core, &'static str),
    map: F,
) -> Option<Stopper>
where
    M: Message,
    N: Message,
    T: Message,
    F: FnOnce(Result<T, AskError>) -> M + Send + 'static,
{
    let own = Arc::new(OwnAsk {
        wakes: AtomicUsize::new(0),
        is_stopped: AtomicBool::new(false),
        waiting: Mutex::new(Some(Waiting {
            question,
            slow: None,
            started,
            map,
        })),
    });
    own.drive();
    own.wait(to, request)
}

struct OwnAsk<M: Message, N: Message, T: Message, F> {
    /// Those that were not acted on yet (rule 1).
    wakes: AtomicUsize,
    is_stopped: AtomicBool,
    /// `None`: it has ended. Locked by whoever polls, and by the asker's turn after the first poll.
    waiting: Mutex<Option<Waiting<M, N, T, F>>>,
}

struct Waiting<M: Message, N: Message, T: Message, F> {
    question: Asking<N, T>,
    slow: Option<SlowAsk>,
    started: Started<M>,
    map: F,
}

impl<M, N, T, F> OwnAsk<M, N, T, F>
where
    M: Message,
    N: Message,
    T: Message,
    F: FnOnce(Result<T, AskError>) -> M + Send + 'static,
{
    /// Polls, unless somebody else does, who then looks again.
    fn drive(self: &Arc<Self>) {
        // Acquire and Release pair with the subtraction: the next one to poll sees what the last one did.
        if self.wakes.fetch_add(1, Ordering::AcqRel) > 0 {
            return;
        }
        let waker = Waker::from(self.clone());
        let mut seen = 1;
        while seen > 0 {
            self.poll(&waker);
            seen = self.wakes.fetch_sub(seen, Ordering::AcqRel) - seen; // as above
        }
    }

    fn poll(&self, waker: &Waker) {
        let mut waiting = self.waiting.lock();
        let Some(asked) = waiting.as_mut() else {
            return;
        };
        let is_stopped = self.is_stopped.load(Ordering::Acquire); // pairs with `stop`
        let polled = match is_stopped {
            true => Poll::Pending,
            false => Pin::new(&mut asked.question).poll(&mut Context::from_waker(waker)),
        };
        if let Poll::Pending = polled
            && !is_stopped
        {
            return;
        }
        let ended = waiting.take();
        drop(waiting); // what follows takes other locks, and may come back here
        match (ended, polled) {
            (Some(asked), Poll::Ready(answer)) => asked.deliver(answer),
            (ended, _) => drop_quietly(ended),
        }
    }

    /// After the first poll: the answer is waited for here, or a place, in a task.
    fn wait(self: Arc<Self>, to: &Core, request: &'static str) -> Option<Stopper> {
        let mut waiting = self.waiting.lock();
        let asked = waiting.as_mut()?;
        asked.slow = SlowAsk::begin(asked.started.core(), to, request);
        if asked.question.is_sent() {
            drop(waiting);
            let weak = Arc::downgrade(&self);
            return Some(Stopper::Ask(Box::new(move || {
                if let Some(own) = weak.upgrade() {
                    own.stop();
                }
            })));
        }
        let mut asked = waiting.take()?;
        drop(waiting);
        let host = asked.started.core().system().host.clone();
        let task = host.spawn("own ask", async move {
            let answer = poll_fn(|context| Pin::new(&mut asked.question).poll(context)).await;
            asked.deliver(answer);
        });
        Some(Stopper::Task(task))
    }

    fn stop(self: &Arc<Self>) {
        self.is_stopped.store(true, Ordering::Release); // pairs with `poll`
        self.drive();
    }
}

impl<M, N, T, F> Waiting<M, N, T, F>
where
    M: Message,
    N: Message,
    T: Message,
    F: FnOnce(Result<T, AskError>) -> M + Send + 'static,
{
    fn deliver(self, answer: Result<T, AskError>) {
        drop(self.slow);
        self.started.deliver(answer, self.map);
    }
}

impl<M, N, T, F> Wake for OwnAsk<M, N, T, F>
where
    M: Message,
    N: Message,
    T: Message,
    F: FnOnce(Result<T, AskError>) -> M + Send + 'static,
{
    fn wake(self: Arc<Self>) {
        self.drive();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.drive();
    }
}
