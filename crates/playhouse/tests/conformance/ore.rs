//! Handler functions tried one after the other.

use playhouse::prelude::*;
use playhouse::testkit::TestKit;

/// Takes a message, or hands it back.
type Handler<S, M> = fn(&mut S, M) -> Result<(), M>;

/// An actor whose handlers are tried in order; what none of them takes is unhandled.
struct FirstMatching<S: 'static, M: 'static>(S, &'static [Handler<S, M>]);

impl<S: Send + 'static, M: Send + 'static> Actor for FirstMatching<S, M> {
    type Msg = M;
    async fn receive(&mut self, ctx: &mut Context<M>, msg: M) -> Outcome {
        let Self(state, handlers) = self;
        let rest = handlers
            .iter()
            .try_fold(msg, |msg, handler| match handler(state, msg) {
                Ok(()) => Err(()),
                Err(msg) => Ok(msg),
            });
        if let Ok(msg) = rest {
            ctx.unhandled(msg);
        }
        Ok(())
    }
}

enum Count {
    First(Reply<u32>),
    Second(Reply<u32>),
    Third(Reply<u32>),
    Nobody,
}

fn next(counter: &mut u32, reply: Reply<u32>) -> Result<(), Count> {
    *counter += 1;
    reply.send(*counter);
    Ok(())
}

#[test]
fn ore_01_the_first_handler_that_matches() {
    const HANDLERS: &[Handler<[u32; 3], Count>] = &[
        |counters, msg| match msg {
            Count::First(reply) => next(&mut counters[0], reply),
            other => Err(other),
        },
        |counters, msg| match msg {
            Count::Second(reply) => next(&mut counters[1], reply),
            other => Err(other),
        },
        |counters, msg| match msg {
            Count::First(_) => panic!("an earlier handler takes it"),
            Count::Third(reply) => next(&mut counters[2], reply),
            other => Err(other),
        },
    ];
    let kit = TestKit::new();
    let actor = kit.spawn("actor", || FirstMatching([0; 3], HANDLERS));
    let ask = |make: fn(Reply<u32>) -> Count| kit.block_on(actor.ask(make).within(secs(1)));
    let answers = [
        Count::First,
        Count::First,
        Count::Second,
        Count::Third,
        Count::Second,
        Count::Third,
        Count::First,
    ]
    .map(|make| ask(make).unwrap());
    assert_eq!(answers, [1, 2, 1, 1, 2, 2, 3]);

    actor.tell(Count::Nobody);
    kit.settle();
    assert_eq!(kit.system().ledger().unhandled, 1);
}
