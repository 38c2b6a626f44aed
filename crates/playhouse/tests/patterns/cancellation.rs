//! Whoever drops an ask, or times out, is seen to have gone by the handler that works for it.

use crate::common::seeds::{end, stepped};
use crate::common::{journal, read};
use playhouse::prelude::*;

#[test]
fn a_handler_sees_that_its_asker_has_gone_and_skips_the_rest() {
    let (system, world, events) = stepped(1);
    let (told, mut steps) = journal();
    let worker = Props::func(async move |ctx: &mut Context<Reply<u32>>| {
        while let Some(reply) = ctx.recv().await {
            for step in 0..10 {
                // sleeps: in virtual time
                ctx.clock().sleep(secs(1)).await;
                told.send(step)?;
                if reply.is_abandoned() {
                    break;
                }
            }
            drop(reply); // nobody misses it
        }
        Ok(())
    });
    let worker = system.spawn_anonymous(worker);
    let asked = worker.clone();
    let asker = system.spawn_anonymous(Props::func(async move |_: &mut Context<()>| {
        asked.ask(|reply| reply).within(secs(60)).await?;
        Ok(())
    }));
    world.advance(millis(2_500));
    assert_eq!(read(&mut steps), [0, 1]);
    asker.kill(); // and with it its handler, and with that the ask
    world.advance(secs(20));
    assert_eq!(read(&mut steps), [2]);
    let asked = worker.ask(|reply| reply).within(millis(1_500));
    assert!(matches!(
        world.block_on_timed(asked),
        Err(AskError::Timeout(_))
    ));
    world.advance(secs(20));
    assert_eq!(read(&mut steps), [0, 1]);
    let dead = |event: &playhouse::Event| matches!(event, playhouse::Event::DeadLetter { .. });
    assert_eq!(events.count(dead), 0);
    end(&system, &world);
}
