//! What the runtime says when a program of actors goes wrong: each failure in turn, and the line that a person reads.
//!
//! `cargo run -p playhouse --example failure_modes`

use playhouse::Event;
use playhouse::prelude::*;

enum Msg {
    Forget(Reply<u32>),
    Sleep(std::time::Duration),
    AwaitAnswerOf(ActorRef<Msg>),
    Hold(ActorRef<Msg>),
    Answer(Reply<u32>),
}

#[derive(Default)]
struct Clumsy {
    held: Vec<ActorRef<Msg>>,
}

impl Actor for Clumsy {
    type Msg = Msg;
    async fn receive(&mut self, _ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        match msg {
            Msg::Forget(reply) => drop(reply),
            Msg::Sleep(time) => std::thread::sleep(time), // on a worker that others need
            Msg::AwaitAnswerOf(peer) => {
                let answer = peer.ask(Msg::Answer).within(secs(60)).await;
                println!("  it heard: {answer:?}");
            }
            Msg::Hold(peer) => self.held.push(peer),
            Msg::Answer(reply) => reply.send(42),
        }
        Ok(())
    }
}

fn say(event: &Event) {
    match event {
        Event::Ended { .. } => {}
        event => println!("  the runtime says: {event}"),
    }
}

#[tokio::main]
async fn main() -> Outcome {
    let system = ActorSystem::builder("failures").on_event(say).build()?;
    let clumsy = system.spawn("clumsy", Clumsy::default)?;

    println!("A reply that is dropped:");
    let answer = clumsy.ask(Msg::Forget).within(secs(1)).await;
    println!("  the asker hears: {}", answer.unwrap_err());

    println!("A handler that blocks a shared worker, and an ask that waits behind it:");
    clumsy.tell(Msg::Sleep(millis(200)));
    let answer = clumsy.ask(Msg::Answer).within(millis(50)).await;
    println!("  the asker hears: {}", answer.unwrap_err());
    clumsy.ask(Msg::Answer).within(secs(10)).await?;

    println!("A tell into a full mailbox:");
    let narrow = Props::new(Clumsy::default).mailbox(Mailbox::bounded(1));
    let narrow = system.spawn("narrow", narrow)?;
    narrow.tell(Msg::Sleep(millis(20)));
    (0..3).for_each(|_| narrow.tell(Msg::Sleep(millis(1))));

    println!("A mailbox without a bound:");
    let endless = Props::new(Clumsy::default).mailbox(Mailbox::unbounded());
    let endless = system.spawn("endless", endless)?;
    (0..20_000).for_each(|_| endless.tell(Msg::Sleep(millis(0))));
    endless.drain();
    endless.terminated().await;

    println!("An actor that awaits its own answer:");
    let lonely = system.spawn("lonely", Clumsy::default)?;
    lonely.tell(Msg::AwaitAnswerOf(lonely.clone()));
    lonely.ask(Msg::Answer).within(secs(10)).await?;

    println!("Two that live by each other's handles, at the shutdown:");
    let [a, b] = ["a", "b"].map(|name| {
        let props = Props::new(Clumsy::default).lifetime(Lifetime::Handles);
        system.spawn(name, props)
    });
    let (a, b) = (a?, b?);
    a.tell(Msg::Hold(b.clone()));
    b.tell(Msg::Hold(a.clone()));
    a.ask(Msg::Answer).within(secs(10)).await?;
    b.ask(Msg::Answer).within(secs(10)).await?;
    drop((a, b));
    let report = system.shutdown().await;
    println!("The books balance: {}", report.ledger.balance() == 0);
    Ok(())
}
