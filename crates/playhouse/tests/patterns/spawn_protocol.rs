//! `SpawnProtocol`: children by message. SPN-01 to SPN-04 are in the conformance tests.

use crate::common::seeds::{end, stepped};
use playhouse::prelude::*;
use playhouse::{Spawn, SpawnProtocol};

#[test]
fn a_panic_of_code_that_came_with_a_message_ends_no_child() {
    let (system, world, _) = stepped(1);
    let spawner = system.spawn("spawner", || SpawnProtocol).unwrap();
    let idle = || {
        Props::func(async |ctx: &mut Context<()>| {
            ctx.stopping().await;
            Ok(())
        })
    };
    let asked = spawner.ask(|reply| Spawn::named("child", idle(), reply));
    let child = world.block_on(asked.within(secs(1))).unwrap().unwrap();
    let asked = spawner.ask(|reply: Reply<()>| {
        let panics = |_: ActorRef<()>| panic!("a function around the reply");
        Spawn::anonymous(idle(), reply.contramap(panics))
    });
    let answer = world.block_on(asked.within(secs(1)));
    assert!(matches!(answer, Err(AskError::NoReply { .. })));
    world.settle();
    assert!(child.try_send(()).is_ok(), "it lives");
    end(&system, &world);
}
