//! What every test of a running system needs.
#![allow(dead_code)] // each test file uses its own part

pub(crate) mod clerk;
pub(crate) mod fragile;
pub(crate) mod panics;
pub(crate) mod player;
pub(crate) mod seeds;
pub(crate) mod stage;
pub(crate) mod worker;

use playhouse::prelude::*;
use playhouse::{DeadLetterReason, DispatcherRef, Event, Ledger, ShutdownReport};
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;

/// Events of one system, as they come.
#[derive(Clone, Default)]
pub(crate) struct Events(Arc<Mutex<Vec<Event>>>);

impl Events {
    pub(crate) fn keep(&self, event: &Event) {
        self.0.lock().unwrap().push(event.clone());
    }

    pub(crate) fn dead(&self, reason: DeadLetterReason) -> usize {
        self.count(|event| matches!(event, Event::DeadLetter { why, .. } if *why == reason))
    }

    pub(crate) fn count(&self, which: impl Fn(&Event) -> bool) -> usize {
        self.0
            .lock()
            .unwrap()
            .iter()
            .filter(|event| which(event))
            .count()
    }

    pub(crate) fn all(&self) -> Vec<Event> {
        self.0.lock().unwrap().clone()
    }
}

/// A system whose events are kept.
pub(crate) fn system() -> (ActorSystem, Events) {
    let events = Events::default();
    let kept = events.clone();
    let system = ActorSystem::builder("test")
        .dispatcher("fixed", Dispatcher::fixed(2))
        .dispatcher("pinned", Dispatcher::pinned())
        .on_event(move |event| kept.0.lock().unwrap().push(event.clone()))
        .build()
        .unwrap();
    (system, events)
}

/// Shuts down and asserts that the books are closed.
pub(crate) async fn end(system: &ActorSystem) -> Ledger {
    let report = system.shutdown().await;
    assert_clean(&report);
    report.ledger
}

pub(crate) fn assert_clean(report: &ShutdownReport) {
    assert_eq!(report.ledger.balance(), 0, "{report:?}");
    assert_eq!(report.ledger.queued, 0, "{report:?}");
    assert!(
        report.overran.is_empty() && report.still_alive.is_empty(),
        "{report:?}"
    );
    assert!(report.failed_tasks.is_empty(), "{report:?}");
}

/// Where an actor under test writes down what it saw.
pub(crate) fn journal<T>() -> (mpsc::UnboundedSender<T>, mpsc::UnboundedReceiver<T>) {
    mpsc::unbounded_channel()
}

/// Everything written so far.
pub(crate) fn read<T>(journal: &mut mpsc::UnboundedReceiver<T>) -> Vec<T> {
    std::iter::from_fn(|| journal.try_recv().ok()).collect()
}

/// An actor there that says its name for each message.
pub(crate) fn echo(
    system: &ActorSystem,
    on: &DispatcherRef,
    name: char,
    seen: &mpsc::UnboundedSender<char>,
) -> ActorRef<()> {
    let seen = seen.clone();
    let body = Props::func(async move |ctx: &mut Context<()>| {
        while ctx.recv().await.is_some() {
            seen.send(name)?;
        }
        Ok(())
    });
    system.spawn_anonymous(body.dispatcher(on))
}

/// An actor that takes a message, says so on `entered`, and holds it until the gate lets it pass.
pub(crate) fn gated<T: Send + 'static>(
    entered: mpsc::UnboundedSender<()>,
    gate: Arc<tokio::sync::Semaphore>,
    seen: mpsc::UnboundedSender<T>,
) -> Props<T> {
    Props::new(move || Held {
        entered,
        gate,
        seen,
    })
}

struct Held<T> {
    entered: mpsc::UnboundedSender<()>,
    gate: Arc<tokio::sync::Semaphore>,
    seen: mpsc::UnboundedSender<T>,
}

impl<T: Send + 'static> Actor for Held<T> {
    type Msg = T;
    async fn receive(&mut self, _ctx: &mut Context<T>, msg: T) -> Outcome {
        let _ = self.entered.send(());
        self.gate.acquire().await?.forget();
        let _ = self.seen.send(msg);
        Ok(())
    }
}
