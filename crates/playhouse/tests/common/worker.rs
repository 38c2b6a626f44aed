//! A worker that can be held up with a full desk.

use super::journal;
use playhouse::prelude::*;
use std::sync::Arc;
use tokio::sync::{Semaphore, mpsc};

pub(crate) enum Msg {
    Enter,
    Work,
    Ask(Reply<u32>),
}

pub(crate) struct Worker {
    entered: mpsc::UnboundedSender<()>,
    gate: Arc<Semaphore>,
    handled: u32,
}

impl Actor for Worker {
    type Msg = Msg;
    async fn receive(&mut self, _ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        match msg {
            Msg::Enter => {
                self.entered.send(())?;
                self.gate.acquire().await?.forget();
            }
            Msg::Work => self.handled += 1,
            Msg::Ask(reply) => reply.send(self.handled),
        }
        Ok(())
    }
}

/// Busy, with 99 messages and one ask waiting behind.
pub(crate) async fn busy(
    system: &ActorSystem,
) -> (
    ActorRef<Msg>,
    Arc<Semaphore>,
    tokio::task::JoinHandle<Result<u32, AskError>>,
) {
    let (entered, mut has_entered) = journal();
    let gate = Arc::new(Semaphore::new(0));
    let opened = gate.clone();
    let worker = system.spawn_anonymous(move || Worker {
        entered,
        gate: opened,
        handled: 0,
    });
    worker.send(Msg::Enter).await.unwrap();
    has_entered.recv().await;
    for _ in 0..99 {
        worker.send(Msg::Work).await.unwrap();
    }
    let asked = worker.clone();
    let answer = tokio::spawn(async move { asked.ask(Msg::Ask).within(secs(60)).await });
    while system.ledger().queued < 100 {
        tokio::task::yield_now().await;
    }
    (worker, gate, answer)
}
