//! What a system does when its process is asked to end: the first time it shuts down in order, the second time the
//! process ends at once. Only where the builder was told to: the signals are the process's, and no library's.

use super::System;
use crate::shutdown::{Shutdown, ShutdownReason};
use crate::sync::{Arc, Weak, catch};
use std::io;
use tokio::runtime::Handle;

/// Whether a builder asked for it.
#[derive(Clone, Copy, Default)]
pub(super) struct OnSignals {
    is_wanted: bool,
}

impl OnSignals {
    pub(super) fn wanted() -> Self {
        Self { is_wanted: true }
    }

    /// A stepped system has nobody who could hear one.
    #[cfg(feature = "testkit")]
    pub(super) fn refuse(self) -> io::Result<()> {
        if self.is_wanted {
            return Err(io::ErrorKind::Unsupported.into());
        }
        Ok(())
    }

    /// Before the system is built, so that no signal is missed.
    pub(super) fn hear(self, runtime: &Handle) -> io::Result<Option<Hearing>> {
        if !self.is_wanted {
            return Ok(None);
        }
        let _inside = runtime.enter();
        // Tokio says only by a panic that a runtime has no I/O driver.
        let ears = catch(Ears::open).unwrap_or_else(|_| {
            Err(io::Error::other(
                "the Tokio runtime has no I/O driver; build it with `enable_io` or `enable_all`",
            ))
        });
        ears.map(|ears| Some(Hearing(ears)))
    }
}

/// Signals are kept from now on.
pub(super) struct Hearing(Ears);

impl Hearing {
    /// From here on they are the system's. The task outlives the shutdown: a program that goes on after it can still be
    /// ended.
    pub(super) fn obey(self, system: &Arc<System>) {
        let Self(mut ears) = self;
        let weak = Arc::downgrade(system);
        let obeys = async move {
            let mut asked_before = false;
            loop {
                let request = ears.next().await;
                match answer(asked_before, &weak) {
                    Answer::Begin(system) => {
                        Shutdown::begin(&system, ShutdownReason::Signal(request.name));
                    }
                    Answer::EndAtOnce => std::process::exit(request.exit_code),
                }
                asked_before = true;
            }
        };
        drop(system.host.spawn("signals", obeys));
    }
}

enum Answer {
    Begin(Arc<System>),
    EndAtOnce,
}

/// There is something to end in order only the first time, and only while the system is there.
fn answer(asked_before: bool, system: &Weak<System>) -> Answer {
    match system.upgrade() {
        Some(system) if !asked_before && !system.shutdown.has_ended() => Answer::Begin(system),
        _ => Answer::EndAtOnce,
    }
}

/// Somebody wants the process to end.
struct Request {
    name: &'static str,
    /// What a shell reports of a process that was ended by that signal.
    exit_code: i32,
}

const INTERRUPT: Request = Request {
    name: "SIGINT",
    exit_code: 130,
};

#[cfg(unix)]
const TERMINATE: Request = Request {
    name: "SIGTERM",
    exit_code: 143,
};

#[cfg(unix)]
struct Ears {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Ears {
    fn open() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) -> Request {
        tokio::select! {
            biased;
            Some(()) = self.interrupt.recv() => INTERRUPT,
            Some(()) = self.terminate.recv() => TERMINATE,
            else => std::future::pending().await, // Tokio will hear none any more
        }
    }
}

/// Elsewhere there is Ctrl-C alone.
#[cfg(not(unix))]
struct Ears;

#[cfg(not(unix))]
impl Ears {
    fn open() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> Request {
        match tokio::signal::ctrl_c().await {
            Ok(()) => INTERRUPT,
            Err(_) => std::future::pending().await, // Tokio will hear none any more
        }
    }
}
