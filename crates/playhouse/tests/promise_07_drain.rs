//! Promise 7: a drain handles all that was accepted or is under way. The plain one: `conformance/own_core.rs`.

mod common;

use common::*;
use playhouse::prelude::*;
use std::sync::Arc;
use tokio::sync::Semaphore;

#[tokio::test]
async fn drain_waits_for_permits_and_for_pipes_and_asks_under_way() {
    let (system, _) = system();
    let gate = Arc::new(Semaphore::new(0));
    let opened = gate.clone();
    let (seen, mut journal) = journal();
    let (ready, mut is_ready) = common::journal();
    let actor = system
        .spawn(
            "actor",
            Props::func(async move |ctx: &mut Context<&'static str>| {
                let slow = async move { opened.acquire().await.map(|permit| permit.forget()) };
                ctx.pipe_to_self(slow, |_| "piped");
                ready.send(())?;
                while let Some(msg) = ctx.recv().await {
                    seen.send(msg)?;
                }
                Ok(())
            }),
        )
        .unwrap();
    is_ready.recv().await;
    let permit = actor.reserve().await.unwrap();
    let unused = actor.reserve().await.unwrap();
    actor.drain();
    gate.add_permits(1);
    assert_eq!(journal.recv().await, Some("piped"));
    permit.send("permitted");
    assert_eq!(journal.recv().await, Some("permitted"));
    drop(unused); // the last thing it waits for
    assert!(matches!(actor.terminated().await, Exit::Drained));
    end(&system).await;
}

/// With nothing else to wait for than the one thing that is under way.
#[tokio::test]
async fn drain_waits_for_a_pipe_alone_and_for_an_ask_alone() {
    for is_ask in [false, true] {
        let (system, _) = system();
        let gate = Arc::new(Semaphore::new(0));
        let (opened, answering) = (gate.clone(), gate.clone());
        let slow = Props::func(async move |ctx: &mut Context<Reply<u32>>| {
            let reply = ctx.recv().await.ok_or("nobody asks")?;
            answering.acquire().await?.forget();
            reply.send(1);
            Ok(())
        });
        let slow = system.spawn("slow", slow).unwrap();
        let (ready, mut is_ready) = journal();
        let (seen, mut results) = journal();
        let actor = Props::func(async move |ctx: &mut Context<u32>| {
            if is_ask {
                let unanswered = |answer: Result<u32, AskError>| answer.unwrap_or(0);
                ctx.ask(&slow, secs(60), |reply| reply, unanswered);
            } else {
                let piped = async move { opened.acquire().await.map(|permit| permit.forget()) };
                ctx.pipe_to_self(piped, |_| 1);
            }
            ready.send(())?;
            while let Some(n) = ctx.recv().await {
                seen.send(n)?;
            }
            Ok(())
        });
        let actor = system.spawn("actor", actor).unwrap();
        is_ready.recv().await;
        actor.drain();
        for _ in 0..10 {
            tokio::task::yield_now().await; // time enough to end too early, on this one thread
        }
        gate.add_permits(1);
        assert!(matches!(actor.terminated().await, Exit::Drained));
        assert_eq!(read(&mut results), [1]);
        end(&system).await;
    }
}
