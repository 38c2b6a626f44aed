//! Promise 11: `Terminated` once, after everything the watched actor sent, at once for one already gone.

mod common;

use common::*;
use playhouse::prelude::*;
use playhouse::{Address, Event};
use tokio::sync::mpsc;

#[derive(Debug)]
enum Seen {
    Message(u32),
    Ended(Address, Exit),
    AsMessage(Exit),
}

enum Msg {
    Number(u32),
    Watch(ActorRef<()>, Reply<()>),
    WatchWith(ActorRef<()>, Reply<()>),
    Unwatch(ActorRef<()>, Reply<()>),
    Ended(Exit),
}

struct Watcher(mpsc::UnboundedSender<Seen>);

impl Actor for Watcher {
    type Msg = Msg;
    async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        match msg {
            Msg::Number(n) => self.0.send(Seen::Message(n))?,
            Msg::Watch(who, done) => {
                ctx.watch(&who);
                done.send(());
            }
            Msg::WatchWith(who, done) => {
                ctx.watch_with(&who, Msg::Ended);
                done.send(());
            }
            Msg::Unwatch(who, done) => {
                ctx.unwatch(&who);
                done.send(());
            }
            Msg::Ended(exit) => self.0.send(Seen::AsMessage(exit))?,
        }
        Ok(())
    }
    async fn signal(&mut self, _ctx: &mut Context<Msg>, signal: Signal) -> Outcome {
        match signal {
            Signal::Terminated { who, exit } => self.0.send(Seen::Ended(who, exit))?,
            other => other.unhandled()?,
        }
        Ok(())
    }
}

fn idle(system: &ActorSystem) -> ActorRef<()> {
    system.spawn_anonymous(Props::func(async |ctx: &mut Context<()>| {
        while ctx.recv().await.is_some() {}
        Ok(())
    }))
}

async fn tell_to<T: Send + 'static>(
    watcher: &ActorRef<Msg>,
    make: impl FnOnce(T, Reply<()>) -> Msg,
    who: T,
) {
    watcher
        .ask(|done| make(who, done))
        .within(secs(60))
        .await
        .unwrap();
}

#[tokio::test]
async fn terminated_comes_once_and_with_the_reason() {
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let watcher = system.spawn("watcher", move || Watcher(seen)).unwrap();
    let target = idle(&system);
    tell_to(&watcher, Msg::Watch, target.clone()).await;
    tell_to(&watcher, Msg::Watch, target.clone()).await;
    target.drain();
    target.terminated().await;
    let Some(Seen::Ended(who, Exit::Drained)) = journal.recv().await else {
        panic!()
    };
    assert!(who == target);
    tell_to(&watcher, Msg::Unwatch, target.clone()).await; // a round trip, so a second one would be here
    assert!(read(&mut journal).is_empty());
    end(&system).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terminated_comes_after_everything_the_actor_sent() {
    for round in 0..50 {
        let (system, _) = system();
        let (seen, mut journal) = journal();
        let watcher = system.spawn("watcher", move || Watcher(seen)).unwrap();
        let to = watcher.clone();
        let target = system.spawn_anonymous(Props::func(async move |ctx: &mut Context<()>| {
            ctx.recv().await;
            for n in 0..100 {
                to.send(Msg::Number(n)).await?;
            }
            Ok(())
        }));
        tell_to(&watcher, Msg::Watch, target.clone()).await;
        target.tell(());
        for n in 0..100 {
            let got = journal.recv().await;
            assert!(
                matches!(got, Some(Seen::Message(got)) if got == n),
                "round {round}: {got:?}"
            );
        }
        assert!(matches!(
            journal.recv().await,
            Some(Seen::Ended(_, Exit::Stopped))
        ));
        end(&system).await;
    }
}

#[tokio::test]
async fn an_actor_already_gone_is_reported_at_once() {
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let watcher = system.spawn("watcher", move || Watcher(seen)).unwrap();
    let target = idle(&system);
    target.kill();
    target.terminated().await;
    tell_to(&watcher, Msg::Watch, target.clone()).await;
    assert!(matches!(
        journal.recv().await,
        Some(Seen::Ended(_, Exit::Killed))
    ));
    end(&system).await;
}

#[tokio::test]
async fn the_last_registration_counts() {
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let watcher = system.spawn("watcher", move || Watcher(seen)).unwrap();
    let target = idle(&system);
    tell_to(&watcher, Msg::Watch, target.clone()).await;
    tell_to(&watcher, Msg::WatchWith, target.clone()).await;
    target.stop();
    assert!(matches!(
        journal.recv().await,
        Some(Seen::AsMessage(Exit::Stopped))
    ));
    end(&system).await;
}

#[tokio::test]
async fn after_unwatch_there_is_no_news_even_if_it_was_waiting() {
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let target = idle(&system);
    let gone = target.clone();
    let watcher = system
        .spawn(
            "watcher",
            Props::func(async move |ctx: &mut Context<&'static str>| {
                ctx.watch_with(&gone, |_| "ended");
                gone.stop();
                gone.terminated().await; // the news is in the mailbox now
                ctx.unwatch(&gone);
                ctx.me().tell("last");
                seen.send(ctx.recv().await)?;
                Ok(())
            }),
        )
        .unwrap();
    watcher.terminated().await;
    assert_eq!(read(&mut journal), [Some("last")]);
    end(&system).await;
}

#[tokio::test]
async fn an_end_that_nobody_handles_fails_the_watcher() {
    struct Careless(ActorRef<()>);
    impl Actor for Careless {
        type Msg = ();
        async fn started(&mut self, ctx: &mut Context<()>) -> Outcome {
            ctx.watch(&self.0);
            Ok(())
        }
        async fn receive(&mut self, _ctx: &mut Context<()>, (): ()) -> Outcome {
            Ok(())
        }
    }
    let (system, events) = system();
    let target = idle(&system);
    let watched = target.clone();
    let careless = system.spawn("careless", move || Careless(watched)).unwrap();
    let watched = target.clone();
    let function = Props::func(async move |ctx: &mut Context<()>| {
        ctx.watch(&watched);
        ctx.recv().await;
        unreachable!("the function is dropped in its wait")
    });
    let function = system.spawn("function", function).unwrap();
    target.stop();
    for watcher in [careless, function] {
        let Exit::Failed(cause) = watcher.terminated().await else {
            panic!("{watcher}")
        };
        assert!(cause.to_string().contains("watch_with"), "{cause}");
    }
    assert_eq!(
        events.count(|event| matches!(event, Event::Failed { .. })),
        2
    );
    end(&system).await;
}

#[tokio::test]
async fn a_signal_that_comes_while_a_handler_takes_a_message_comes_after_it() {
    struct Early {
        target: ActorRef<()>,
        seen: mpsc::UnboundedSender<&'static str>,
    }
    impl Actor for Early {
        type Msg = &'static str;
        async fn receive(
            &mut self,
            ctx: &mut Context<&'static str>,
            first: &'static str,
        ) -> Outcome {
            ctx.watch(&self.target);
            self.target.stop();
            self.target.terminated().await;
            ctx.me().tell("second");
            self.seen.send(first)?;
            self.seen.send(ctx.recv().await.unwrap_or("nothing"))?;
            Ok(())
        }
        async fn signal(&mut self, ctx: &mut Context<&'static str>, signal: Signal) -> Outcome {
            if matches!(signal, Signal::Terminated { .. }) {
                self.seen.send("terminated")?;
                ctx.stop();
            }
            Ok(())
        }
    }
    let (system, _) = system();
    let (seen, mut journal) = journal();
    let target = idle(&system);
    let early = system
        .spawn("early", move || Early { target, seen })
        .unwrap();
    early.tell("first");
    early.terminated().await;
    assert_eq!(read(&mut journal), ["first", "second", "terminated"]);
    end(&system).await;
}
