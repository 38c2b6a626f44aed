//! Promise 2: first in, first out per sender and receiver; at most once. Under contention: `conformance/own_core.rs`.

mod common;

use common::*;
use playhouse::prelude::*;

/// Every way to send from one actor to another, one after the other.
#[tokio::test]
async fn all_ways_to_send_share_one_order() {
    struct Target(tokio::sync::mpsc::UnboundedSender<u32>);
    enum In {
        Plain(u32),
        Question(u32, Reply<()>),
    }
    impl Actor for Target {
        type Msg = In;
        async fn receive(&mut self, _ctx: &mut Context<In>, msg: In) -> Outcome {
            match msg {
                In::Plain(n) => self.0.send(n)?,
                In::Question(n, reply) => {
                    self.0.send(n)?;
                    reply.send(());
                }
            }
            Ok(())
        }
    }
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let (adapted, adapter) = tokio::sync::oneshot::channel();
    let target = system
        .spawn(
            "target",
            Props::setup({
                let adapted = std::sync::Arc::new(std::sync::Mutex::new(Some(adapted)));
                async move |ctx: &mut Context<In>| {
                    let adapter = ctx.adapter(In::Plain);
                    let adapted = adapted.lock().unwrap().take();
                    assert!(adapted.is_some_and(|adapted| adapted.send(adapter).is_ok()));
                    Ok(Target(seen))
                }
            }),
        )
        .unwrap();
    let adapter = adapter.await.unwrap();
    let to = target.clone();
    let sender = system
        .spawn(
            "sender",
            Props::func(async move |ctx: &mut Context<()>| {
                let mapped = to.contramap(|n: u64| In::Plain(n as u32));
                to.tell(In::Plain(1));
                to.send(In::Plain(2)).await?;
                adapter.tell(3);
                to.reserve().await?.send(In::Plain(4));
                mapped.tell(5);
                ctx.ask(&to, secs(5), |reply| In::Question(6, reply), |_| ());
                adapter.try_send(7)?;
                to.try_send(In::Plain(8)).map_err(|_| "full")?;
                to.ask(|reply| In::Question(9, reply))
                    .within(secs(5))
                    .await?;
                Ok(())
            }),
        )
        .unwrap();
    assert!(matches!(sender.terminated().await, Exit::Stopped));
    assert_eq!(read(&mut journal), (1..=9).collect::<Vec<_>>());
    end(&system).await;
}

/// Tokio gives each poll of a task a budget, an actor has none; however much was done, a question still goes out at once.
#[tokio::test]
async fn an_own_ask_keeps_its_place_in_the_order_however_much_was_done_before() {
    enum Step {
        Asked(Reply<()>),
        Told,
    }
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let target = Props::func(async move |ctx: &mut Context<Step>| {
        while let Some(step) = ctx.recv().await {
            match step {
                Step::Asked(reply) => {
                    reply.send(());
                    seen.send("asked")?;
                }
                Step::Told => seen.send("told")?,
            }
        }
        Ok(())
    });
    let target = system.spawn("target", target).unwrap();
    let asker = target.clone();
    let asker = Props::func(async move |ctx: &mut Context<()>| {
        std::future::poll_fn(|context| {
            for _ in 0..1_000 {
                let spent = std::pin::pin!(tokio::task::coop::consume_budget());
                let _ = std::future::Future::poll(spent, context);
            }
            std::task::Poll::Ready(())
        })
        .await;
        ctx.ask(&asker, secs(60), Step::Asked, |_answer| ());
        asker.tell(Step::Told);
        ctx.recv().await;
        Ok(())
    });
    system.spawn("asker", asker).unwrap().terminated().await;
    assert_eq!(read(&mut journal), ["asked", "told"]);
    end(&system).await;
}
