//! The one door to atomics, locks, threads and parking. A model checker replaces them here and nowhere else.

#[cfg(not(playhouse_tsan))]
mod locks;
#[cfg(playhouse_tsan)]
mod seen_locks;

#[cfg(not(playhouse_tsan))]
pub(crate) use locks::{Mutex, wait, wait_at_most};
#[cfg(playhouse_tsan)]
pub(crate) use seen_locks::{Mutex, wait, wait_at_most};

#[cfg(playhouse_loom)]
pub(crate) use loom::hint::spin_loop;
#[cfg(playhouse_loom)]
pub(crate) use loom::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};
#[cfg(not(playhouse_loom))]
pub(crate) use std::hint::spin_loop;
#[cfg(not(playhouse_loom))]
pub(crate) use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};
pub(crate) use std::sync::{Arc, Condvar, OnceLock, Weak};
pub(crate) use std::thread;
pub(crate) use std::thread_local;
pub(crate) use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, SetOnce, mpsc, oneshot};

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Poll, Wake, Waker};

/// A value that several threads reach by a protocol of their own. The closures make every access visible to the model
/// checker; without it they cost nothing.
pub(crate) struct UnsafeCell<T>(
    #[cfg(not(playhouse_loom))] std::cell::UnsafeCell<T>,
    #[cfg(playhouse_loom)] loom::cell::UnsafeCell<T>,
);

impl<T> UnsafeCell<T> {
    pub(crate) fn new(value: T) -> Self {
        #[cfg(not(playhouse_loom))]
        return Self(std::cell::UnsafeCell::new(value));
        #[cfg(playhouse_loom)]
        return Self(loom::cell::UnsafeCell::new(value));
    }

    /// For reading.
    #[inline(always)]
    pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        #[cfg(not(playhouse_loom))]
        return read(self.0.get());
        #[cfg(playhouse_loom)]
        return self.0.with(read);
    }

    /// For writing.
    #[inline(always)]
    pub(crate) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        #[cfg(not(playhouse_loom))]
        return write(self.0.get());
        #[cfg(playhouse_loom)]
        return self.0.with_mut(write);
    }
}

/// Everything that was released to this counter comes before what follows. For whoever has brought a count to zero: a
/// fence costs nothing unless it is reached. The thread sanitizer knows no fences, so it is given a load.
#[inline(always)]
pub(crate) fn acquire(counter: &AtomicU32) {
    if cfg!(playhouse_tsan) {
        counter.load(Ordering::Acquire);
    } else {
        fence(Ordering::Acquire);
    }
}

/// Runs a future on this thread, parking it between polls. A poll may itself wait in here; each wait has a mark of its
/// own, so the inner one cannot use up the wake-up of the outer one.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark {
        thread: thread::Thread,
        is_woken: AtomicBool,
    }
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.is_woken.store(true, Ordering::Release);
            self.thread.unpark();
        }
    }

    let mut future = pin!(future);
    let unpark = Arc::new(Unpark {
        thread: thread::current(),
        is_woken: AtomicBool::new(false),
    });
    let waker = Waker::from(unpark.clone());
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        while !unpark.is_woken.swap(false, Ordering::Acquire) {
            thread::park();
        }
    }
}

/// What a panic carried.
pub(crate) type Payload = Box<dyn Any + Send>;

/// Runs code of the user. A panic is a value: everything it could have broken is dropped or belongs to the actor that
/// fails for it.
pub(crate) fn catch<T>(code: impl FnOnce() -> T) -> Result<T, Payload> {
    catch_unwind(AssertUnwindSafe(code))
}

/// Runs code of the user whose panic concerns nobody else: the panic hook has reported it.
pub(crate) fn run_quietly(code: impl FnOnce()) {
    if let Err(payload) = catch(code) {
        // The payload is the user's as well. Should its drop panic too, forgetting is the only move left.
        if let Err(again) = catch(move || drop(payload)) {
            std::mem::forget(again);
        }
    }
}

/// Drops a value of the user. A panic in its `Drop` ends there: nobody is left who could act on it.
pub(crate) fn drop_quietly<T>(value: T) {
    run_quietly(move || drop(value));
}

/// A future whose panic is its output.
pub(crate) async fn catch_future<F: Future>(future: F) -> Result<F::Output, Payload> {
    let mut future = pin!(Some(future));
    let output = std::future::poll_fn(|context| {
        // The future is there until this function is done with it.
        let Some(future) = future.as_mut().as_pin_mut() else {
            return Poll::Pending;
        };
        match catch(|| future.poll(context)) {
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
            Ok(Poll::Pending) => Poll::Pending,
            Err(payload) => Poll::Ready(Err(payload)),
        }
    })
    .await;
    run_quietly(|| future.set(None));
    output
}

/// All of them together; the outputs in the order of the futures.
pub(crate) async fn join_all<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut running: Vec<_> = futures
        .into_iter()
        .map(|future| (Box::pin(future), None))
        .collect();
    std::future::poll_fn(|context| {
        let mut is_done = true;
        for (future, output) in &mut running {
            if output.is_none() {
                match future.as_mut().poll(context) {
                    Poll::Ready(value) => *output = Some(value),
                    Poll::Pending => is_done = false,
                }
            }
        }
        if is_done {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
    running
        .into_iter()
        .filter_map(|(_, output)| output)
        .collect()
}
