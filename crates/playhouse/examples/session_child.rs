//! One conversation, one short-lived child: it owns the reply, asks two others, and answers when it has both. The parent
//! stays free for the next one.
//!
//! `cargo run -p playhouse --example session_child`

use playhouse::{FuncProps, prelude::*};

struct Keys;
struct Wallet(u32);

/// A cupboard gives what is in it to whoever asks by name.
fn cupboard<T: Send + 'static>(find: fn(&str) -> T) -> FuncProps<(String, Reply<T>)> {
    Props::func(async move |ctx: &mut Context<(String, Reply<T>)>| {
        while let Some((whose, reply)) = ctx.recv().await {
            reply.send(find(&whose));
        }
        Ok(())
    })
}

enum Found {
    Keys(Keys),
    Wallet(Wallet),
    TooLate,
}

type Cupboard<T> = ActorRef<(String, Reply<T>)>;

/// The session. It may own a reply, for it has one life; returning ends it, and its timer with it.
fn leaving(
    who: String,
    keys: Cupboard<Keys>,
    wallets: Cupboard<Wallet>,
    reply: Reply<String>,
) -> FuncProps<Found> {
    Props::func(async move |ctx: &mut Context<Found>| {
        keys.tell((who.clone(), Reply::to(&ctx.adapter(Found::Keys))));
        wallets.tell((who.clone(), Reply::to(&ctx.adapter(Found::Wallet))));
        ctx.timers().once("limit", secs(5), Found::TooLate);
        let (mut key, mut wallet) = (None, None);
        while let Some(found) = ctx.recv().await {
            match found {
                Found::Keys(keys) => key = Some(keys),
                Found::Wallet(found) => wallet = Some(found),
                Found::TooLate => break, // the reply is dropped: the asker hears that there will be no answer
            }
            if let (Some(Keys), Some(Wallet(coins))) = (&key, &wallet) {
                reply.send(format!("{who} leaves with keys and {coins} coins"));
                break;
            }
        }
        Ok(())
    })
}

enum Home {
    Leave { who: String, reply: Reply<String> },
}

struct Door {
    keys: Cupboard<Keys>,
    wallets: Cupboard<Wallet>,
}

impl Actor for Door {
    type Msg = Home;
    async fn receive(&mut self, ctx: &mut Context<Home>, msg: Home) -> Outcome {
        let Home::Leave { who, reply } = msg;
        let session = leaving(who, self.keys.clone(), self.wallets.clone(), reply);
        ctx.spawn_anonymous(session);
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Outcome {
    let system = ActorSystem::builder("home").build()?;
    let keys = system.spawn("keys", cupboard(|_| Keys))?;
    let wallets = system.spawn("wallets", cupboard(|whose| Wallet(whose.len() as u32)))?;
    let door = system.spawn("door", move || Door { keys, wallets })?;

    let leave = |who: &str| {
        let who = who.to_owned();
        let asked = door.ask(|reply| Home::Leave { who, reply });
        asked.within(secs(10))
    };
    let (ada, grace) = tokio::join!(leave("ada"), leave("grace"));
    let (ada, grace) = (ada?, grace?);
    println!("{ada}\n{grace}");
    assert_eq!(ada, "ada leaves with keys and 3 coins");
    assert_eq!(grace, "grace leaves with keys and 5 coins");

    let report = system.shutdown().await;
    assert_eq!(report.ledger.balance(), 0);
    Ok(())
}
