//! Not ready yet: a machine of behaviours that stashes, and an async factory that needs no stash.

use playhouse::prelude::*;
use playhouse::testkit::TestKit;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Loads when it may.
#[derive(Clone)]
struct Loader(Arc<Semaphore>);

impl Loader {
    async fn load(self) -> Outcome<Vec<u8>> {
        self.0.acquire().await?.forget();
        Ok(vec![7; 3])
    }
}

enum Msg {
    Get(Reply<usize>),
    Loaded(Outcome<Vec<u8>>),
}

fn loading(loader: Loader) -> Behavior<Msg> {
    Behavior::setup(|ctx| {
        ctx.pipe_to_self(loader.load(), Msg::Loaded);
        Ok(waiting())
    })
}

fn waiting() -> Behavior<Msg> {
    Behavior::receive(|ctx, msg| match msg {
        Msg::Loaded(state) => {
            let state = state?;
            ctx.unstash_all();
            Ok(active(state))
        }
        early => {
            ctx.stash(early)?;
            Ok(waiting())
        }
    })
}

fn active(state: Vec<u8>) -> Behavior<Msg> {
    Behavior::receive(move |ctx, msg| {
        match msg {
            Msg::Get(reply) => reply.send(state.len()),
            late => ctx.unhandled(late),
        }
        Ok(active(state))
    })
}

struct Ready(Vec<u8>);

impl Actor for Ready {
    type Msg = Msg;
    async fn receive(&mut self, _ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        if let Msg::Get(reply) = msg {
            reply.send(self.0.len());
        }
        Ok(())
    }
}

fn ready(loader: Loader) -> Props<Msg> {
    Props::setup(async move |_ctx| Ok(Ready(loader.load().await?))).supervise(Supervise::restart())
}

#[test]
fn early_requests_wait_until_the_state_is_there() {
    for is_machine in [true, false] {
        let kit = TestKit::new();
        let gate = Arc::new(Semaphore::new(0));
        let loader = Loader(gate.clone());
        let actor = match is_machine {
            true => kit.spawn("machine", move || loading(loader)),
            false => kit.spawn("factory", ready(loader)),
        };
        let mut probe = kit.probe();
        actor.tell(Msg::Get(Reply::to(probe.actor_ref())));
        probe.expect_nothing();
        gate.add_permits(1);
        assert_eq!(probe.expect(), 3);
    }
}
