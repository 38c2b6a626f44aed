//! What becomes of an actor one of whose adapters fails.

use playhouse::prelude::*;
use playhouse::testkit::{EventPattern, TestKit};

/// Makes an adapter that fails, tells it, and goes on as the actor inside.
struct Adapts<A>(A);

impl<A: Actor<Msg = u32>> Actor for Adapts<A> {
    type Msg = u32;
    async fn started(&mut self, ctx: &mut Context<u32>) -> Outcome {
        let adapter = ctx.adapter(|()| panic!("no such answer"));
        adapter.tell(());
        self.0.started(ctx).await
    }
    async fn receive(&mut self, ctx: &mut Context<u32>, n: u32) -> Outcome {
        self.0.receive(ctx, n).await
    }
    async fn signal(&mut self, ctx: &mut Context<u32>, signal: Signal) -> Outcome {
        self.0.signal(ctx, signal).await
    }
}

/// Handles every message, and signals in the way of its number.
#[derive(Clone, Copy)]
enum Handles {
    NoSignals,
    PostStopOnly,
    OthersOnly,
    AdapterFailure,
    Everything,
}

impl Actor for Handles {
    type Msg = u32;
    async fn receive(&mut self, _ctx: &mut Context<u32>, _n: u32) -> Outcome {
        Ok(())
    }
    async fn signal(&mut self, _ctx: &mut Context<u32>, signal: Signal) -> Outcome {
        match (*self, signal) {
            (Handles::Everything, _) => Ok(()),
            (Handles::AdapterFailure, Signal::AdapterFailed(_)) => Ok(()),
            (Handles::PostStopOnly, Signal::PostStop) => Ok(()),
            (Handles::OthersOnly, Signal::Terminated { .. } | Signal::PreRestart(_)) => Ok(()),
            (_, other) => other.unhandled(),
        }
    }
}

fn behaviour(is_partial: bool) -> Behavior<u32> {
    Behavior::receive(move |ctx, n| {
        if is_partial {
            ctx.unhandled(n);
        }
        Ok(behaviour(is_partial))
    })
}

/// Without a handler of signals at all.
struct Plain;

impl Actor for Plain {
    type Msg = u32;
    async fn receive(&mut self, _ctx: &mut Context<u32>, _n: u32) -> Outcome {
        Ok(())
    }
}

#[test]
fn adf_01_who_does_not_handle_it_ends() {
    let function = Props::func(async |ctx: &mut Context<u32>| {
        let adapter = ctx.adapter(|()| panic!("no such answer"));
        adapter.tell(());
        while ctx.recv().await.is_some() {}
        Ok(())
    });
    let kit = TestKit::new();
    let actors = [
        kit.spawn("receive", || Adapts(behaviour(false))),
        kit.spawn("partial", || Adapts(behaviour(true))),
        kit.spawn("plain", || Adapts(Plain)),
        kit.spawn("no-signals", || Adapts(Handles::NoSignals)),
        kit.spawn("post-stop-only", || Adapts(Handles::PostStopOnly)),
        kit.spawn("others-only", || Adapts(Handles::OthersOnly)),
        kit.spawn("function", function),
    ];
    let mut probe = kit.probe::<()>();
    for actor in actors {
        let exit = probe.expect_terminated(&actor);
        let Exit::Failed(failure) = exit else {
            panic!("{actor}: {exit}");
        };
        assert!(failure.is_panic() && failure.to_string().contains("no such answer"));
        let failed = EventPattern::failure().of(&actor);
        assert_eq!(kit.events_like(&failed).len(), 1, "{actor}");
    }
}

#[test]
fn adf_02_who_handles_it_goes_on() {
    let kit = TestKit::new();
    for (name, handles) in [
        ("adapter-failure", Handles::AdapterFailure),
        ("everything", Handles::Everything),
    ] {
        let actor = kit.spawn(name, move || Adapts(handles));
        kit.settle();
        let handled = kit.system().ledger().handled;
        actor.tell(1);
        kit.settle();
        assert_eq!(kit.system().ledger().handled, handled + 1, "{name}");
        assert!(kit.events_like(&EventPattern::failure()).is_empty());
    }
}
