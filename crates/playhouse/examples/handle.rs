//! An actor that hands out unique ids through a cloneable, typed handle. It ends when the last handle is dropped.
//!
//! `cargo run -p playhouse --example handle`

use playhouse::prelude::*;
use std::collections::HashSet;
use tokio::sync::oneshot;

/// The handle is the face of the actor: nobody else sees its messages.
#[derive(Clone)]
struct Ids(ActorRef<Msg>);

impl Ids {
    /// Ends when the last `Ids` is dropped.
    fn start(system: &ActorSystem) -> Ids {
        let props = Props::new(Counter::default).mailbox(Mailbox::bounded(8));
        Ids(system.spawn_anonymous(props.lifetime(Lifetime::Handles)))
    }

    async fn unique_id(&self) -> Result<u32, AskError> {
        self.0.ask(Msg::Next).within(secs(1)).await
    }
}

enum Msg {
    Next(Reply<u32>),
}

/// The state needs no lock: one message at a time.
#[derive(Default)]
struct Counter {
    last_id: u32,
}

impl Actor for Counter {
    type Msg = Msg;
    async fn receive(&mut self, _ctx: &mut Context<Msg>, Msg::Next(reply): Msg) -> Outcome {
        self.last_id += 1;
        reply.send(self.last_id);
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Outcome {
    let system = ActorSystem::builder("ids").build()?;
    let ids = Ids::start(&system);
    let ended = end_of(&system, &ids);

    let askers: Vec<_> = (0..4)
        .map(|_| {
            let ids = ids.clone();
            tokio::spawn(async move {
                let mut mine = Vec::new();
                for _ in 0..25 {
                    mine.push(ids.unique_id().await?);
                }
                Ok::<_, AskError>(mine)
            })
        })
        .collect();
    let mut all = HashSet::new();
    for asker in askers {
        all.extend(asker.await??);
    }
    assert_eq!(all, (1..=100).collect());
    println!("100 ids from 4 tasks, no two alike");

    drop(ids);
    let exit = ended.await?;
    assert!(matches!(exit, Exit::Drained));
    println!("the last handle is gone, and the actor has ended: {exit}");

    let report = system.shutdown().await;
    assert_eq!(report.ledger.balance(), 0);
    Ok(())
}

/// Watching keeps nobody alive: the watcher drops its handle and waits for the news.
fn end_of(system: &ActorSystem, ids: &Ids) -> oneshot::Receiver<Exit> {
    let (tell, ended) = oneshot::channel();
    let watched = ids.clone();
    system.spawn_anonymous(Props::func(async move |ctx: &mut Context<Exit>| {
        ctx.watch_with(&watched.0, |exit| exit);
        drop(watched);
        if let Some(exit) = ctx.recv().await {
            let _ = tell.send(exit); // the program may have ended meanwhile
        }
        Ok(())
    }));
    ended
}
