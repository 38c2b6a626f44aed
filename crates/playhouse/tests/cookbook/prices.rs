//! A result of a future comes back as a message; errors for the caller travel in the reply.

use playhouse::prelude::*;
use playhouse::testkit::TestKit;
use std::collections::HashMap;
use std::sync::Arc;

pub(crate) type Price = Result<u64, Arc<str>>;

pub(crate) enum Prices {
    Lookup { sku: String, reply: Reply<Price> },
    Loaded { sku: String, price: Price },
}

#[derive(Clone)]
pub(crate) struct Client;

impl Client {
    /// The price of what has a name, here its length.
    async fn fetch(&self, sku: &str) -> Price {
        match sku.len() {
            0 => Err("no such thing".into()),
            letters => Ok(letters as u64),
        }
    }
}

struct Cache {
    client: Client,
    prices: HashMap<String, u64>,
    waiting: HashMap<String, Vec<Reply<Price>>>,
}

impl Actor for Cache {
    type Msg = Prices;
    async fn receive(&mut self, ctx: &mut Context<Prices>, msg: Prices) -> Outcome {
        match msg {
            Prices::Lookup { sku, reply } => match self.prices.get(&sku) {
                Some(price) => reply.send(Ok(*price)),
                None => self.load(ctx, sku, reply),
            },
            Prices::Loaded { sku, price } => {
                for reply in self.waiting.remove(&sku).into_iter().flatten() {
                    reply.send(price.clone());
                }
                if let Ok(price) = price {
                    self.prices.insert(sku, price);
                }
            }
        }
        Ok(())
    }
}

impl Cache {
    fn load(&mut self, ctx: &mut Context<Prices>, sku: String, reply: Reply<Price>) {
        let waiting = self.waiting.entry(sku.clone()).or_default();
        waiting.push(reply);
        if waiting.len() == 1 {
            let (client, key) = (self.client.clone(), sku.clone());
            let fetch = async move { client.fetch(&key).await };
            ctx.pipe_to_self(fetch, |price| Prices::Loaded { sku, price });
        }
    }
}

pub(crate) fn cache(client: Client) -> Props<Prices> {
    Props::new(move || Cache {
        client,
        prices: HashMap::new(),
        waiting: HashMap::new(),
    })
}

#[test]
fn a_price_is_fetched_once_for_all_who_wait() {
    let kit = TestKit::new();
    let prices = kit.spawn("prices", cache(Client));
    let ask = |sku: &str| {
        let sku = sku.to_owned();
        prices
            .ask(|reply| Prices::Lookup { sku, reply })
            .within(secs(1))
    };
    let both = async { tokio::join!(ask("tea"), ask("tea")) };
    let (first, second) = kit.block_on(both);
    assert_eq!((first.unwrap(), second.unwrap()), (Ok(3), Ok(3)));
    // Two lookups and one result.
    assert_eq!(kit.system().ledger().handled, 3);
    assert_eq!(kit.block_on(ask("tea")).unwrap(), Ok(3));
    assert_eq!(kit.system().ledger().handled, 4);
    assert_eq!(kit.block_on(ask("")).unwrap(), Err("no such thing".into()));
}
