//! Slow work runs beside the actor, which goes on with its messages; the result comes back as one of them.
//!
//! `cargo run -p playhouse --example pipe_to_self`

use playhouse::prelude::*;
use std::collections::HashMap;
use tokio::sync::{mpsc, oneshot};

type Sku = &'static str;
type Answer = Result<u32, String>;

enum Prices {
    Lookup { sku: Sku, reply: Reply<Answer> },
    Loaded { sku: Sku, price: Answer },
}

/// A server somewhere: it answers when it has got round to it.
#[derive(Clone)]
struct Client(mpsc::UnboundedSender<(Sku, oneshot::Sender<u32>)>);

impl Client {
    async fn fetch(self, sku: Sku) -> Answer {
        let (answer, answered) = oneshot::channel();
        self.0
            .send((sku, answer))
            .map_err(|_| "the price server is away".to_owned())?;
        answered
            .await
            .map_err(|_| format!("the price server does not know {sku}"))
    }
}

struct Cache {
    client: Client,
    known: HashMap<Sku, u32>,
    waiting: HashMap<Sku, Vec<Reply<Answer>>>,
}

impl Actor for Cache {
    type Msg = Prices;
    async fn receive(&mut self, ctx: &mut Context<Prices>, msg: Prices) -> Outcome {
        match msg {
            Prices::Lookup { sku, reply } => match self.known.get(sku) {
                Some(price) => reply.send(Ok(*price)),
                None => self.load(ctx, sku, reply),
            },
            Prices::Loaded { sku, price } => {
                let waiting = self.waiting.remove(sku).unwrap_or_default();
                println!("loaded {sku}: {price:?}, {} waiting", waiting.len());
                if let Ok(price) = price {
                    self.known.insert(sku, price);
                }
                waiting
                    .into_iter()
                    .for_each(|reply| reply.send(price.clone()));
            }
        }
        Ok(())
    }
}

impl Cache {
    /// The future owns what it needs; the state stays here.
    fn load(&mut self, ctx: &mut Context<Prices>, sku: Sku, reply: Reply<Answer>) {
        let waiting = self.waiting.entry(sku).or_default();
        waiting.push(reply);
        if waiting.len() == 1 {
            let fetch = self.client.clone().fetch(sku);
            ctx.pipe_to_self(fetch, move |price| Prices::Loaded { sku, price });
        }
    }
}

#[tokio::main]
async fn main() -> Outcome {
    let (requests, mut server) = mpsc::unbounded_channel();
    let system = ActorSystem::builder("shop").build()?;
    let cache = move || Cache {
        client: Client(requests),
        known: HashMap::new(),
        waiting: HashMap::new(),
    };
    let cache = system.spawn("prices", cache)?;
    let price = |sku| {
        cache
            .ask(move |reply| Prices::Lookup { sku, reply })
            .within(secs(3))
    };

    let serve = async {
        let (sku, answer) = server.recv().await.ok_or("no request")?;
        println!("the server is asked for {sku} once");
        let _ = answer.send(120); // the actor may have ended
        let (sku, _forgotten) = server.recv().await.ok_or("no request")?;
        println!("the server does not know {sku}");
        Ok::<_, Failure>(())
    };
    let buy = async {
        let (first, second) = tokio::join!(price("tea"), price("tea")); // two lookups, one fetch
        println!("tea costs {:?} and {:?}", first?, second?);
        println!("tea still costs {:?}, without a fetch", price("tea").await?);
        println!("milk costs {:?}", price("milk").await?);
        Ok::<_, Failure>(())
    };
    let (served, bought) = tokio::join!(serve, buy);
    served?;
    bought?;
    assert_eq!(system.shutdown().await.ledger.balance(), 0);
    Ok(())
}
