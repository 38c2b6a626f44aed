//! Copies of what an actor is told.

use playhouse::prelude::*;
use playhouse::testkit::TestKit;

/// Gives the monitor a copy of each message before the actor inside handles it.
struct Monitored<A: Actor<Msg: Clone>> {
    inside: A,
    monitor: ActorRef<A::Msg>,
}

impl<A: Actor<Msg: Clone>> Actor for Monitored<A> {
    type Msg = A::Msg;
    async fn started(&mut self, ctx: &mut Context<A::Msg>) -> Outcome {
        self.inside.started(ctx).await
    }
    async fn receive(&mut self, ctx: &mut Context<A::Msg>, msg: A::Msg) -> Outcome {
        self.monitor.tell(msg.clone());
        self.inside.receive(ctx, msg).await
    }
    async fn signal(&mut self, ctx: &mut Context<A::Msg>, signal: Signal) -> Outcome {
        self.inside.signal(ctx, signal).await
    }
}

fn echo(told: ActorRef<&'static str>) -> Behavior<&'static str> {
    Behavior::receive(move |_ctx, word| {
        told.tell(word);
        Ok(echo(told))
    })
}

#[test]
fn mon_01_the_monitor_gets_each_message() {
    let kit = TestKit::new();
    let (mut heard, mut copies) = (kit.probe(), kit.probe());
    let (told, monitor) = (heard.actor_ref().clone(), copies.actor_ref().clone());
    let actor = kit.spawn("actor", move || Monitored {
        inside: echo(told),
        monitor,
    });
    actor.tell("one");
    actor.tell("two");
    assert_eq!(copies.expect_n(2), ["one", "two"]);
    assert_eq!(heard.expect_n(2), ["one", "two"]);
    copies.expect_nothing();
}
