//! One conversation, one short-lived child; and the same aggregation three ways.

use playhouse::prelude::*;
use playhouse::testkit::{Probe, TestKit};
use playhouse::{FuncProps, gather};

pub(crate) struct GetPrice(Reply<u64>);
type Supplier = ActorRef<GetPrice>;

enum Quotes {
    /// By a child that is a function.
    ByFunction(Reply<Vec<u64>>),
    /// By a child that is a behaviour.
    ByBehaviour(Reply<Vec<u64>>),
    /// By a future beside the turn.
    ByFuture(Reply<Vec<u64>>),
    Gathered(Vec<Result<u64, AskError>>, Reply<Vec<u64>>),
}

enum Session {
    Price(u64),
    Deadline,
}

const PATIENCE: std::time::Duration = millis(500);

struct Desk(Vec<Supplier>);

impl Actor for Desk {
    type Msg = Quotes;
    async fn receive(&mut self, ctx: &mut Context<Quotes>, msg: Quotes) -> Outcome {
        match msg {
            Quotes::ByFunction(reply) => {
                ctx.spawn_anonymous(as_function(self.0.clone(), reply));
            }
            Quotes::ByBehaviour(reply) => {
                ctx.spawn_anonymous(as_behaviour(self.0.clone(), reply));
            }
            Quotes::ByFuture(reply) => {
                let asks: Vec<_> = self.0.iter().map(|to| to.ask(GetPrice)).collect();
                ctx.pipe_to_self(gather(asks, PATIENCE), |all| Quotes::Gathered(all, reply));
            }
            Quotes::Gathered(answers, reply) => reply.send(answers.into_iter().flatten().collect()),
        }
        Ok(())
    }
}

/// Asks them all, and sets the deadline.
fn begin(ctx: &mut Context<Session>, suppliers: &[Supplier]) {
    let prices = ctx.adapter(Session::Price);
    for supplier in suppliers {
        supplier.tell(GetPrice(Reply::to(&prices)));
    }
    ctx.timers().once("deadline", PATIENCE, Session::Deadline);
}

fn as_function(suppliers: Vec<Supplier>, reply: Reply<Vec<u64>>) -> FuncProps<Session> {
    Props::func(async move |ctx| {
        begin(ctx, &suppliers);
        let mut got = Vec::new();
        while let Some(Session::Price(price)) = ctx.recv().await {
            got.push(price);
            if got.len() == suppliers.len() {
                break;
            }
        }
        reply.send(got);
        Ok(())
    })
}

/// The reply moves from state to state. It cannot be cloned, so what it starts in is a function with one life.
fn as_behaviour(suppliers: Vec<Supplier>, reply: Reply<Vec<u64>>) -> FuncProps<Session> {
    Props::func(async move |ctx| {
        begin(ctx, &suppliers);
        let mut session = collecting(Vec::new(), suppliers.len(), reply);
        while let Some(msg) = ctx.recv().await {
            session = session.handle(ctx, msg)?;
            if session.is_stopped() {
                break;
            }
        }
        Ok(())
    })
}

fn collecting(mut got: Vec<u64>, expected: usize, reply: Reply<Vec<u64>>) -> Behavior<Session> {
    Behavior::receive(move |_ctx, msg| {
        if let Session::Price(price) = msg {
            got.push(price);
            if got.len() < expected {
                return Ok(collecting(got, expected, reply));
            }
        }
        reply.send(got);
        Ok(Behavior::stopped())
    })
}

async fn best(suppliers: &[Supplier]) -> Option<u64> {
    let asks = suppliers.iter().map(|to| to.ask(GetPrice));
    gather(asks, PATIENCE).await.into_iter().flatten().min()
}

fn suppliers<const N: usize>(kit: &TestKit) -> ([Probe<GetPrice>; N], Vec<Supplier>) {
    let probes = std::array::from_fn(|_| kit.probe::<GetPrice>());
    let refs = probes
        .iter()
        .map(|probe| probe.actor_ref().clone())
        .collect();
    (probes, refs)
}

#[test]
fn a_silent_supplier_costs_the_deadline_and_no_more() {
    for ask in [Quotes::ByFunction, Quotes::ByBehaviour, Quotes::ByFuture] {
        let kit = TestKit::new();
        let ([mut quick, mut silent], all) = suppliers(&kit);
        let desk = kit.spawn("desk", move || Desk(all));
        let mut customer = kit.probe();
        desk.tell(ask(Reply::to(customer.actor_ref())));
        quick.expect().0.send(7);
        let _held = silent.expect();
        kit.advance(millis(499));
        customer.expect_nothing();
        kit.advance(millis(1));
        assert_eq!(customer.expect(), [7]);

        desk.tell(ask(Reply::to(customer.actor_ref())));
        quick.expect().0.send(7);
        kit.settle();
        silent.expect().0.send(5);
        assert_eq!(customer.expect(), [7, 5]);
    }
}

#[test]
fn the_best_price_as_one_expression() {
    let kit = TestKit::new();
    let ([mut one, mut other], all) = suppliers(&kit);
    let mut result = kit.probe();
    let told = result.actor_ref().clone();
    let asker = Props::func(async move |_ctx: &mut Context<()>| {
        told.tell(best(&all).await);
        Ok(())
    });
    kit.spawn("asker", asker);
    one.expect().0.send(7);
    other.expect().0.send(5);
    assert_eq!(result.expect(), Some(5));
}
