//! A session that must log in in time, beats while it lives, and ends when nobody has spoken for a while.
//!
//! * `once`: the deadline of the login, cancelled when it comes.
//! * `fixed_rate_after`: the first beat at once, then one each 20 ms.
//! * `receive_timeout`: own beats do not count as somebody speaking.
//!
//! `cargo run -p playhouse --example timers`

use playhouse::prelude::*;

enum Msg {
    Login(&'static str),
    Say(&'static str),
    LoginIsLate,
    Beat,
    Idle,
}

struct Session {
    user: Option<&'static str>,
    beats: u32,
    /// Hears the last words.
    epitaph: ActorRef<String>,
}

impl Session {
    fn end(&self, ctx: &mut Context<Msg>, words: String) {
        self.epitaph.tell(words);
        ctx.stop();
    }
}

impl Actor for Session {
    type Msg = Msg;

    async fn started(&mut self, ctx: &mut Context<Msg>) -> Outcome {
        ctx.timers().once("login", millis(50), Msg::LoginIsLate);
        Ok(())
    }

    async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        match msg {
            Msg::Login(user) => {
                self.user = Some(user);
                // Even if it is due already and waits in the mailbox, it does not come any more.
                ctx.timers().cancel("login");
                ctx.timers()
                    .fixed_rate_after("beat", millis(0), millis(20), || Msg::Beat);
                ctx.receive_timeout(millis(100), || Msg::Idle);
            }
            Msg::Say(words) => println!("{}: {words}", self.user.unwrap_or("somebody")),
            Msg::Beat => self.beats += 1,
            Msg::LoginIsLate => self.end(ctx, "nobody logged in".to_owned()),
            Msg::Idle => {
                let beats = if self.beats > 0 {
                    "it beat"
                } else {
                    "it never beat"
                };
                let user = self.user.unwrap_or("somebody");
                self.end(ctx, format!("{user} has gone silent, and {beats}"));
            }
        }
        Ok(())
    }
}

/// Waits for the last words of one session.
async fn last_words(system: &ActorSystem, speak: impl FnOnce(&ActorRef<Msg>)) -> Outcome<String> {
    let (tell, told) = tokio::sync::oneshot::channel();
    let epitaph = system.spawn_anonymous(Props::func(async move |ctx: &mut Context<String>| {
        let words = ctx.recv().await.ok_or("nobody spoke")?;
        let _ = tell.send(words); // the program may have ended meanwhile
        Ok(())
    }));
    let session = system.spawn_anonymous(move || Session {
        user: None,
        beats: 0,
        epitaph,
    });
    speak(&session);
    Ok(told.await?)
}

#[tokio::main]
async fn main() -> Outcome {
    let system = ActorSystem::builder("sessions").build()?;

    let silent = last_words(&system, |_session| {}).await?;
    println!("{silent}");
    assert_eq!(silent, "nobody logged in");

    let spoke = last_words(&system, |session| {
        session.tell(Msg::Login("ada"));
        session.tell(Msg::Say("hello"));
    });
    let spoke = spoke.await?;
    println!("{spoke}");
    assert_eq!(spoke, "ada has gone silent, and it beat");

    assert_eq!(system.shutdown().await.ledger.balance(), 0);
    Ok(())
}
