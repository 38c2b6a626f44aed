//! A state machine: each state is a function, its data its arguments, and what is owned moves on.

use playhouse::prelude::*;
use playhouse::testkit::TestKit;

pub(crate) enum Door {
    Push(Reply<&'static str>),
    Lock,
    Unlock,
}

pub(crate) fn closed() -> Behavior<Door> {
    Behavior::receive(|_ctx, msg| match msg {
        Door::Push(reply) => {
            reply.send("open");
            Ok(closed())
        }
        Door::Lock => Ok(locked(Vec::new())),
        Door::Unlock => Ok(closed()),
    })
}

fn locked(mut queue: Vec<Reply<&'static str>>) -> Behavior<Door> {
    Behavior::receive(move |ctx, msg| match msg {
        Door::Push(reply) => {
            queue.push(reply);
            Ok(locked(queue))
        }
        Door::Unlock => {
            queue
                .into_iter()
                .for_each(|reply| reply.send("open, at last"));
            Ok(closed())
        }
        lock @ Door::Lock => {
            ctx.unhandled(lock);
            Ok(locked(queue))
        }
    })
}

#[test]
fn who_pushes_a_locked_door_is_answered_when_it_opens() {
    let kit = TestKit::new();
    let door = kit.spawn("door", Props::new(closed));
    let mut visitor = kit.probe();
    let push = || door.tell(Door::Push(Reply::to(visitor.actor_ref())));
    push();
    door.tell(Door::Lock);
    push();
    door.tell(Door::Lock);
    push();
    assert_eq!(visitor.expect(), "open");
    visitor.expect_nothing();
    door.tell(Door::Unlock);
    assert_eq!(visitor.expect_n(2), ["open, at last", "open, at last"]);
    assert_eq!(kit.system().ledger().unhandled, 1);
}
