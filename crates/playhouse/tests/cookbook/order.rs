//! Adapter and own ask: callers see `Order`, the wrapped answers stay private.

use crate::inventory::{Answer, Inventory, inventory, one_of, one_tea};
use playhouse::prelude::*;
use playhouse::testkit::TestKit;

enum Order {
    Place(&'static str),
    PlaceSurely(&'static str),
}

enum Msg {
    Public(Order),
    Answered(Answer),
    Asked(Result<Answer, AskError>),
}

impl From<Order> for Msg {
    fn from(order: Order) -> Self {
        Msg::Public(order)
    }
}

struct Orders {
    inventory: ActorRef<Inventory>,
    answers: ActorRef<Answer>,
    log: ActorRef<String>,
}

impl Actor for Orders {
    type Msg = Msg;
    async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        match msg {
            Msg::Public(Order::Place(sku)) => {
                self.inventory.tell(one_of(sku)(Reply::to(&self.answers)));
            }
            Msg::Public(Order::PlaceSurely(sku)) => {
                ctx.ask(&self.inventory, secs(3), one_of(sku), Msg::Asked);
            }
            Msg::Answered(answer) | Msg::Asked(Ok(answer)) => self.log.tell(format!("{answer:?}")),
            Msg::Asked(Err(error)) => self.log.tell(format!("{:?}", error.fate())),
        }
        Ok(())
    }
}

fn orders(
    system: &ActorSystem,
    inventory: ActorRef<Inventory>,
    log: ActorRef<String>,
) -> ActorRef<Order> {
    let props = Props::setup(async move |ctx| {
        let answers = ctx.adapter(Msg::Answered);
        Ok(Orders {
            inventory,
            answers,
            log,
        })
    });
    system.spawn_anonymous(props).narrow()
}

#[test]
fn answers_come_back_as_messages_of_ones_own() {
    let kit = TestKit::new();
    let mut log = kit.probe();
    let inventory = kit.spawn("inventory", || inventory(one_tea()));
    let orders = orders(kit.system(), inventory.clone(), log.actor_ref().clone());
    orders.tell(Order::Place("tea"));
    assert_eq!(log.expect(), r#"Reserved("tea")"#);
    orders.tell(Order::PlaceSurely("tea"));
    assert_eq!(log.expect(), r#"OutOfStock { sku: "tea", available: 0 }"#);
    inventory.stop();
    kit.settle();
    orders.tell(Order::PlaceSurely("tea"));
    assert_eq!(log.expect(), "NotSent");
}
