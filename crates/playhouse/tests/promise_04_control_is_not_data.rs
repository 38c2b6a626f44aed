//! Promise 4: stop, kill and watch have their own lane, and completions are outside the capacity.

mod common;

use common::*;
use playhouse::prelude::*;
use std::sync::Arc;
use tokio::sync::Semaphore;

#[derive(Debug, PartialEq)]
enum Msg {
    Hold,
    Filler,
    Answered(u32),
    Piped(u32),
    Blocked(u32),
    Ended,
}

/// Starts everything it waits for in its first message, whose end the gate decides.
struct Watcher {
    echo: ActorRef<Reply<u32>>,
    mortal: ActorRef<()>,
    entered: tokio::sync::mpsc::UnboundedSender<()>,
    gate: Arc<Semaphore>,
    seen: tokio::sync::mpsc::UnboundedSender<Msg>,
}

impl Actor for Watcher {
    type Msg = Msg;
    async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        if msg == Msg::Hold {
            let blocking = ctx.system().dispatcher("fixed")?;
            ctx.watch_with(&self.mortal, |_exit| Msg::Ended);
            ctx.ask(
                &self.echo,
                secs(5),
                |reply| reply,
                |answer| Msg::Answered(answer.unwrap_or(0)),
            );
            ctx.pipe_to_self(async { 2 }, Msg::Piped);
            ctx.pipe_blocking(&blocking, || 3, Msg::Blocked);
            self.entered.send(())?;
            self.gate.acquire().await?.forget();
        }
        self.seen.send(msg)?;
        Ok(())
    }
}

struct Echo;
impl Actor for Echo {
    type Msg = Reply<u32>;
    async fn receive(&mut self, _ctx: &mut Context<Reply<u32>>, reply: Reply<u32>) -> Outcome {
        reply.send(1);
        Ok(())
    }
}

struct Mortal;
impl Actor for Mortal {
    type Msg = ();
    async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
        Ok(())
    }
}

/// OWN-03 (without timers).
#[tokio::test]
async fn own_03_a_full_mailbox_of_one_place_still_gets_every_completion() {
    let (system, _) = system();
    let (entered, mut has_entered) = journal();
    let (seen, mut journal) = journal();
    let gate = Arc::new(Semaphore::new(0));
    let echo = system.spawn("echo", || Echo).unwrap();
    let mortal = system.spawn("mortal", || Mortal).unwrap();
    let (mortal_too, opened) = (mortal.clone(), gate.clone());
    let props = Props::new(move || Watcher {
        echo,
        mortal: mortal_too,
        entered,
        gate: opened,
        seen,
    });
    let watcher = system
        .spawn("watcher", props.mailbox(Mailbox::bounded(1)))
        .unwrap();

    watcher.send(Msg::Hold).await.unwrap();
    has_entered.recv().await;
    watcher.try_send(Msg::Filler).unwrap();
    assert!(watcher.try_send(Msg::Filler).is_err(), "full");
    mortal.stop();
    mortal.terminated().await;
    gate.add_permits(1);

    let mut got = Vec::new();
    while got.len() < 6 {
        got.push(journal.recv().await.unwrap());
    }
    for expected in [
        Msg::Hold,
        Msg::Filler,
        Msg::Answered(1),
        Msg::Piped(2),
        Msg::Blocked(3),
        Msg::Ended,
    ] {
        assert!(
            got.contains(&expected),
            "{expected:?} is missing from {got:?}"
        );
    }
    end(&system).await;
}

#[tokio::test]
async fn a_full_mailbox_delays_neither_stop_nor_kill() {
    for kill in [false, true] {
        let (system, _) = system();
        let (entered, mut has_entered) = journal();
        let (seen, mut journal) = journal();
        let gate = Arc::new(Semaphore::new(0));
        let props = gated(entered, gate.clone(), seen).mailbox(Mailbox::bounded(1));
        let held = system.spawn("held", props).unwrap();
        held.send(1).await.unwrap();
        has_entered.recv().await;
        held.send(2).await.unwrap();
        if kill {
            held.kill();
        } else {
            held.stop();
            gate.add_permits(2); // a stop lets the current handler finish
        }
        held.terminated().await;
        assert_eq!(read(&mut journal), if kill { vec![] } else { vec![1] });
        assert_eq!(end(&system).await.dead, 1);
    }
}

#[tokio::test]
async fn a_busy_handler_sees_the_stop() {
    let (system, _) = system();
    let (entered, mut has_entered) = journal();
    let busy = system
        .spawn(
            "busy",
            Props::func(async move |ctx: &mut Context<()>| {
                assert!(!ctx.is_stopping());
                entered.send(())?;
                ctx.stopping().await;
                assert!(ctx.is_stopping());
                Ok(())
            }),
        )
        .unwrap();
    has_entered.recv().await;
    busy.stop();
    assert!(matches!(busy.terminated().await, Exit::Stopped));
    end(&system).await;
}
