//! Handlers that block live on threads of their own. The dispatcher is a handle: a wrong name fails where it is looked up.

use playhouse::prelude::*;
use std::thread;

struct Row(Reply<String>);

struct Writer;

impl Actor for Writer {
    type Msg = Row;
    async fn receive(&mut self, _ctx: &mut Context<Row>, Row(reply): Row) -> Outcome {
        // A blocking driver would be called here; it holds this thread only.
        reply.send(thread::current().name().unwrap_or_default().to_owned());
        Ok(())
    }
}

async fn writer_as_a_child(ctx: &mut Context<()>) -> Outcome<ActorRef<Row>> {
    let io = ctx.system().dispatcher("blocking-io")?;
    Ok(ctx.spawn("writer", Props::new(|| Writer).dispatcher(&io))?)
}

#[test]
fn a_writer_has_a_thread_of_its_dispatcher() {
    let io = Dispatcher::fixed(2).throughput(1);
    let system = ActorSystem::builder("shop").dispatcher("blocking-io", io);
    let system = system.build().unwrap();
    let io = system.dispatcher("blocking-io").unwrap();
    let writer = system.spawn("writer", Props::new(|| Writer).dispatcher(&io));
    let write = |writer: &ActorRef<Row>| writer.ask(Row).blocking_within(secs(3)).unwrap();
    let thread = write(&writer.unwrap());
    assert!(thread.starts_with("playhouse-blocking-io-"), "{thread}");

    let (tell, told) = std::sync::mpsc::channel();
    let parent = Props::func(async move |ctx: &mut Context<()>| {
        tell.send(writer_as_a_child(ctx).await?)?;
        ctx.recv().await;
        Ok(())
    });
    system.spawn("parent", parent).unwrap();
    let thread = write(&told.recv().unwrap());
    assert!(thread.starts_with("playhouse-blocking-io-"), "{thread}");

    let unknown = system.dispatcher("bloking-io").unwrap_err();
    assert_eq!(unknown.name, "bloking-io");
    assert!(
        unknown.known.contains(&"blocking-io".to_owned()),
        "{unknown}"
    );
    assert_eq!(system.blocking_shutdown().ledger.balance(), 0);
}
