//! State, protocol, handler, and a handle with typed methods around the reference.

use playhouse::prelude::*;
use playhouse::testkit::{EventPattern, TestKit};

enum Msg {
    Add(u32),
    Next(Reply<u32>),
}

#[derive(Default)]
struct Counter {
    last: u32,
}

impl Actor for Counter {
    type Msg = Msg;
    async fn receive(&mut self, _ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        match msg {
            Msg::Add(n) => self.last += n,
            Msg::Next(reply) => {
                self.last += 1;
                reply.send(self.last);
            }
        }
        Ok(())
    }
}

#[derive(Clone)]
struct Ids(ActorRef<Msg>);

impl Ids {
    fn start(system: &ActorSystem) -> Ids {
        let props = Props::new(Counter::default).mailbox(Mailbox::bounded(8));
        Ids(system.spawn_anonymous(props.lifetime(Lifetime::Handles)))
    }

    fn skip(&self, n: u32) {
        self.0.tell(Msg::Add(n));
    }

    async fn next(&self) -> Result<u32, AskError> {
        self.0.ask(Msg::Next).within(secs(1)).await
    }
}

#[test]
fn ids_are_counted_until_the_last_handle_is_gone() {
    let kit = TestKit::new();
    let ids = Ids::start(kit.system());
    assert_eq!(kit.block_on(ids.next()).unwrap(), 1);
    let other = ids.clone();
    other.skip(10);
    assert_eq!(kit.block_on(ids.next()).unwrap(), 12);
    drop(ids);
    assert_eq!(kit.block_on(other.next()).unwrap(), 13);
    drop(other);
    kit.expect_event(&EventPattern::end());
}
