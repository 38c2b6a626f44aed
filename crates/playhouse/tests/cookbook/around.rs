//! An interceptor is an actor around an actor; a monitor is one that copies.

use crate::door::{Door, closed};
use playhouse::prelude::*;
use playhouse::testkit::TestKit;
use std::time::Duration;

/// Says how long each message took.
struct Timed<A>(A, ActorRef<Duration>);

impl<A: Actor> Actor for Timed<A> {
    type Msg = A::Msg;
    async fn started(&mut self, ctx: &mut Context<A::Msg>) -> Outcome {
        self.0.started(ctx).await
    }
    async fn receive(&mut self, ctx: &mut Context<A::Msg>, msg: A::Msg) -> Outcome {
        let start = ctx.clock().now();
        let outcome = self.0.receive(ctx, msg).await;
        self.1.tell(ctx.clock().now() - start);
        outcome
    }
    async fn signal(&mut self, ctx: &mut Context<A::Msg>, signal: Signal) -> Outcome {
        self.0.signal(ctx, signal).await
    }
}

/// Answers when a second has passed.
struct Slow;

impl Actor for Slow {
    type Msg = Reply<()>;
    async fn receive(&mut self, ctx: &mut Context<Reply<()>>, reply: Reply<()>) -> Outcome {
        ctx.clock().sleep(secs(1)).await;
        reply.send(());
        Ok(())
    }
}

#[test]
fn a_wrapper_sees_what_the_actor_inside_does_not() {
    let kit = TestKit::new();
    let mut times = kit.probe();
    let (told, also_told) = (times.actor_ref().clone(), times.actor_ref().clone());
    let slow = kit.spawn("slow", move || Timed(Slow, told));
    let door = kit.spawn("door", Props::new(|| Timed(closed(), also_told)));
    let answer = kit.block_on(door.ask(Door::Push).within(secs(1)));
    assert_eq!((answer.unwrap(), times.expect()), ("open", secs(0)));
    let asked = slow.ask(|reply| reply).within(secs(3));
    kit.world().block_on_timed(asked).unwrap();
    assert_eq!(times.expect(), secs(1));
}
