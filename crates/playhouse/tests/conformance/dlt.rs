//! See the table of the same name.

/// Nobody as an actor: `ActorSystem::ignore`.
mod nobody {
    use crate::common::seeds::{end, stepped};
    use playhouse::Event;
    use playhouse::prelude::*;

    #[test]
    fn dlt_04_nobody_swallows_replies_without_a_dead_letter() {
        let (system, world, events) = stepped(4);
        let counter = Props::func(async |ctx: &mut Context<Reply<u32>>| {
            let mut requests = 0;
            while let Some(reply) = ctx.recv().await {
                requests += 1;
                reply.send(requests);
            }
            Ok(())
        });
        let counter = system.spawn_anonymous(counter);
        let ask = || {
            let asked = counter.ask(|reply| reply).within(secs(1));
            world.block_on(asked).unwrap()
        };
        assert_eq!(ask(), 1);
        counter.tell(Reply::to(&system.ignore()));
        assert_eq!(ask(), 3, "the one between was processed");
        let dead = |event: &Event| matches!(event, Event::DeadLetter { .. });
        assert_eq!(events.count(dead), 0);
        assert_eq!(end(&system, &world).dead, 0);
    }

    #[test]
    fn dlt_07_nobody_can_be_watched_and_never_ends() {
        let (system, world, events) = stepped(7);
        let watcher = Props::func(async |ctx: &mut Context<Reply<u32>>| {
            let nobody = ctx.system().ignore::<u32>();
            ctx.watch(&nobody); // its end would fail this actor
            nobody.kill();
            ctx.unwatch(&nobody);
            ctx.watch(&nobody);
            while let Some(reply) = ctx.recv().await {
                reply.send(7);
            }
            Ok(())
        });
        let watcher = system.spawn_anonymous(watcher);
        let asked = watcher.ask(|reply| reply).within(secs(1));
        assert_eq!(world.block_on(asked).unwrap(), 7);
        end(&system, &world);
        let failed = |event: &Event| matches!(event, Event::Failed { .. });
        assert_eq!(events.count(failed), 0);
    }
}
