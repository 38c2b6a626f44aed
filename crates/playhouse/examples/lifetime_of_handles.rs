//! An actor that lives as long as somebody holds a handle: a connection shared by many, opened by the first and closed,
//! after its last message, with the last. Weak references, adapters and watchers keep nobody alive.
//!
//! `cargo run -p playhouse --example lifetime_of_handles`

use playhouse::{WeakRef, prelude::*};

enum Query {
    Run(&'static str),
    Count(Reply<u32>),
}

#[derive(Default)]
struct Connection {
    queries: u32,
}

impl Actor for Connection {
    type Msg = Query;

    async fn started(&mut self, _ctx: &mut Context<Query>) -> Outcome {
        println!("opened");
        Ok(())
    }

    async fn receive(&mut self, _ctx: &mut Context<Query>, query: Query) -> Outcome {
        match query {
            Query::Run(text) => {
                self.queries += 1;
                println!("query {}: {text}", self.queries);
            }
            Query::Count(reply) => reply.send(self.queries),
        }
        Ok(())
    }

    async fn signal(&mut self, _ctx: &mut Context<Query>, signal: Signal) -> Outcome {
        match signal {
            Signal::PostStop => println!("closed"),
            other => other.unhandled()?,
        }
        Ok(())
    }
}

/// Gives a handle to whoever asks, and holds none itself.
struct Connections {
    current: Option<WeakRef<Query>>,
}

impl Actor for Connections {
    type Msg = Reply<ActorRef<Query>>;
    async fn receive(&mut self, ctx: &mut Context<Self::Msg>, reply: Self::Msg) -> Outcome {
        let known = self.current.as_ref().and_then(WeakRef::upgrade);
        let connection = known.unwrap_or_else(|| {
            let props = Props::new(Connection::default).lifetime(Lifetime::Handles);
            ctx.spawn_anonymous(props)
        });
        self.current = Some(connection.downgrade());
        reply.send(connection);
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Outcome {
    let system = ActorSystem::builder("database").build()?;
    let connections = system.spawn("connections", || Connections { current: None })?;
    let connect = || connections.ask(|reply| reply).within(secs(5));

    let first = connect().await?;
    let second = connect().await?;
    assert_eq!(first, second, "one connection, two handles");
    first.tell(Query::Run("select 1"));
    drop(first);
    second.tell(Query::Run("select 2"));
    assert_eq!(second.ask(Query::Count).within(secs(5)).await?, 2);

    let weak = second.downgrade();
    second.tell(Query::Run("select 3"));
    let ended = ended(&system, second); // the last handle
    let exit = ended.await?;
    assert!(matches!(exit, Exit::Drained), "{exit}");
    println!("the last handle is gone, and the last query was run: {exit}");
    assert!(weak.upgrade().is_none());

    let third = connect().await?; // opened anew
    assert_eq!(third.ask(Query::Count).within(secs(5)).await?, 0);
    let report = system.shutdown().await;
    assert_eq!((report.ledger.dead, report.ledger.balance()), (0, 0));
    Ok(())
}

/// A watcher hears of the end and holds nobody back.
fn ended(system: &ActorSystem, last: ActorRef<Query>) -> tokio::sync::oneshot::Receiver<Exit> {
    let (tell, ended) = tokio::sync::oneshot::channel();
    system.spawn_anonymous(Props::func(async move |ctx: &mut Context<Exit>| {
        ctx.watch_with(&last, |exit| exit);
        drop(last);
        if let Some(exit) = ctx.recv().await {
            let _ = tell.send(exit); // the program may have ended meanwhile
        }
        Ok(())
    }));
    ended
}
