//! Own threads around one run queue: closures, and tasks that are polled until they are done.
//!
//! A task is in the queue at most once. Its state says who has it:
//!
//! | state | meaning | a wake makes it |
//! |---|---|---|
//! | `Idle` | nobody | `Queued`, and queues it |
//! | `Queued` | the queue | stays |
//! | `Running` | a thread | `RunAgain` |
//! | `RunAgain` | a thread, which queues it afterwards | stays |
//! | `Done` | gone | stays |

use super::Closure;
use super::jobs::Task;
use crate::sync::{Arc, Condvar, Mutex, catch, drop_quietly, run_quietly, thread, wait};
use std::collections::{HashMap, VecDeque};
use std::task::{Context, Poll, Wake, Waker};
use tokio::runtime::Handle;

pub(crate) struct Pool {
    name: String,
    threads: usize,
    runtime: Handle,
    queue: Mutex<Queue>,
    work: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Runnable>,
    running: Vec<thread::JoinHandle<()>>,
    /// Every task that is not done, so that closing can drop what will never run again.
    tasks: HashMap<u64, Arc<PoolTask>>,
    next_task: u64,
    is_closed: bool,
}

enum Runnable {
    Closure(Closure),
    Task(Arc<PoolTask>),
}

struct PoolTask {
    id: u64,
    pool: Arc<Pool>,
    state: Mutex<State>,
    future: Mutex<Option<Task>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Queued,
    Running,
    RunAgain,
    Done,
}

impl Pool {
    pub(crate) fn new(name: &str, threads: usize, runtime: Handle) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            threads,
            runtime,
            queue: Mutex::new(Queue::default()),
            work: Condvar::new(),
        })
    }

    pub(crate) fn submit(self: &Arc<Self>, work: Closure) {
        self.enqueue(Runnable::Closure(work));
    }

    pub(crate) fn spawn(self: &Arc<Self>, future: Task) {
        let task = {
            let mut queue = self.queue.lock();
            queue.next_task += 1;
            let task = Arc::new(PoolTask {
                id: queue.next_task,
                pool: self.clone(),
                state: Mutex::new(State::Queued),
                future: Mutex::new(Some(future)),
            });
            if !queue.is_closed {
                queue.tasks.insert(task.id, task.clone());
            }
            task
        };
        self.enqueue(Runnable::Task(task));
    }

    pub(crate) fn has_threads(&self) -> bool {
        !self.queue.lock().running.is_empty()
    }

    /// Takes no more work, so no more threads start either.
    pub(crate) fn refuse(&self) {
        self.queue.lock().is_closed = true;
        self.work.notify_all();
    }

    /// Lets the queue run dry, joins the threads, and drops the tasks that still wait for something. Blocks.
    pub(crate) fn close(&self) {
        for thread in self.dismiss() {
            let _ = thread.join(); // panics were caught inside
        }
        let waiting = std::mem::take(&mut self.queue.lock().tasks);
        waiting.into_values().for_each(|task| task.finish());
    }

    /// Tells the threads to end when the queue is dry.
    pub(crate) fn dismiss(&self) -> Vec<thread::JoinHandle<()>> {
        self.refuse();
        std::mem::take(&mut self.queue.lock().running)
    }

    /// After the close, what comes too late is dropped.
    fn enqueue(self: &Arc<Self>, job: Runnable) {
        let mut queue = self.queue.lock();
        if queue.is_closed {
            drop(queue);
            return match job {
                Runnable::Closure(work) => drop_quietly(work),
                Runnable::Task(task) => task.finish(),
            };
        }
        if queue.running.is_empty() {
            queue.running = self.start_threads();
        }
        queue.jobs.push_back(job);
        drop(queue);
        self.work.notify_one();
    }

    fn start_threads(self: &Arc<Self>) -> Vec<thread::JoinHandle<()>> {
        let start = |n| {
            let pool = self.clone();
            thread::Builder::new()
                .name(format!("playhouse-{}-{n}", self.name))
                .spawn(move || pool.run())
                .unwrap_or_else(|error| {
                    panic!("the operating system gave no thread for a dispatcher: {error}")
                })
        };
        (1..=self.threads).map(start).collect()
    }

    /// One thread.
    fn run(&self) {
        let _inside = self.runtime.enter();
        while let Some(job) = self.next_job() {
            match job {
                Runnable::Closure(work) => run_quietly(work),
                Runnable::Task(task) => task.poll(),
            }
        }
    }

    /// `None`: closed and dry.
    fn next_job(&self) -> Option<Runnable> {
        let mut queue = self.queue.lock();
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                return Some(job);
            }
            if queue.is_closed {
                return None;
            }
            queue = wait(&self.work, queue);
        }
    }
}

impl PoolTask {
    fn poll(self: Arc<Self>) {
        self.change(|state| match state {
            State::Queued => State::Running,
            other => other,
        });
        let waker = Waker::from(self.clone());
        let polled = {
            let mut slot = self.future.lock();
            let Some(future) = slot.as_mut() else { return };
            catch(|| future.as_mut().poll(&mut Context::from_waker(&waker)))
        };
        match polled {
            Ok(Poll::Pending) => {
                let before = self.change(|state| match state {
                    State::RunAgain => State::Queued,
                    _ => State::Idle,
                });
                if before == State::RunAgain {
                    let pool = self.pool.clone();
                    pool.enqueue(Runnable::Task(self));
                }
            }
            Ok(Poll::Ready(())) => self.leave(),
            Err(payload) => {
                drop_quietly(payload);
                self.leave();
            }
        }
    }

    fn leave(&self) {
        self.pool.queue.lock().tasks.remove(&self.id);
        self.finish();
    }

    /// Drops the future. Also breaks the ring of task, waker and whoever holds the waker.
    fn finish(&self) {
        self.change(|_| State::Done);
        let future = self.future.lock().take();
        drop_quietly(future);
    }

    /// Returns the state before.
    fn change(&self, next: impl FnOnce(State) -> State) -> State {
        let mut state = self.state.lock();
        let before = *state;
        *state = next(before);
        before
    }
}

impl Wake for PoolTask {
    fn wake(self: Arc<Self>) {
        let before = self.change(|state| match state {
            State::Idle => State::Queued,
            State::Running => State::RunAgain,
            other => other,
        });
        if before == State::Idle {
            let pool = self.pool.clone();
            pool.enqueue(Runnable::Task(self));
        }
    }
}
