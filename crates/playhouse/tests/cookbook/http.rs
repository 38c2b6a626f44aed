//! Asks from code that is no actor: an HTTP handler with two questions under one deadline.

use crate::inventory::{Answer, Inventory, inventory, one_of, one_tea};
use crate::prices::{Client, Prices, cache};
use playhouse::prelude::*;
use playhouse::testkit::TestKit;

#[derive(Clone)]
struct App {
    system: ActorSystem,
    inventory: ActorRef<Inventory>,
    prices: ActorRef<Prices>,
}

#[derive(Debug, PartialEq)]
struct HttpError(u16);

impl From<AskError> for HttpError {
    fn from(error: AskError) -> Self {
        HttpError(match error {
            AskError::Full => 503,
            AskError::Timeout(_) => 504,
            _ => 502,
        })
    }
}

async fn buy(app: App, sku: String) -> Result<String, HttpError> {
    let deadline = app.system.clock().deadline(secs(2));
    let lookup = |reply| Prices::Lookup {
        sku: sku.clone(),
        reply,
    };
    let price = app.prices.ask(lookup).if_room().by(deadline).await?;
    match app.inventory.ask(one_of(&sku)).by(deadline).await? {
        Answer::Reserved(sku) => Ok(format!("{sku} at {price:?}")),
        Answer::OutOfStock { .. } => Err(HttpError(409)),
    }
}

/// What a web framework asks of a handler's future.
fn handled<F: Future + Send + 'static>(handler: F) -> F {
    handler
}

#[test]
fn a_purchase_and_what_can_go_wrong() {
    let kit = TestKit::new();
    let app = App {
        system: kit.system().clone(),
        inventory: kit.spawn("inventory", || inventory(one_tea())),
        prices: kit.spawn("prices", cache(Client)),
    };
    let buy = |app: &App| kit.block_on(handled(buy(app.clone(), "tea".into())));
    assert_eq!(buy(&app), Ok("tea at Ok(3)".to_owned()));
    assert_eq!(buy(&app), Err(HttpError(409)));
    app.inventory.stop();
    kit.settle();
    assert_eq!(buy(&app), Err(HttpError(502)));

    let silent = kit.probe::<Prices>();
    let slow = App {
        prices: silent.actor_ref().clone(),
        ..app
    };
    let late = kit
        .world()
        .block_on_timed(handled(super::http::buy(slow, "tea".into())));
    assert_eq!(late, Err(HttpError(504)));
    assert_eq!(kit.world().elapsed(), secs(2));
}
