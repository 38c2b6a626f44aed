//! Question and answer: from an actor, from several, from a plain Tokio task, and awaited inside a handler.

use crate::measure::{Sample, Stopwatch};
use crate::stage;
use crate::tally::Tally;
use playhouse::limits::MAILBOX;
use playhouse::prelude::*;
use tokio::sync::{mpsc, oneshot};

/// Every ask must have a limit; this one is not reached by a machine that works at all.
const LIMIT_S: u64 = 60;

/// Answers a number with the next one.
#[derive(Clone, Default)]
struct Server;

struct Next {
    number: u64,
    reply: Reply<u64>,
}

impl Actor for Server {
    type Msg = Next;
    async fn receive(&mut self, _ctx: &mut Context<Next>, Next { number, reply }: Next) -> Outcome {
        reply.send(number + 1);
        Ok(())
    }
}

/// The same question by hand.
struct NextByHand {
    number: u64,
    reply: oneshot::Sender<u64>,
}

fn server_task() -> mpsc::Sender<NextByHand> {
    let (server, mut questions) = mpsc::channel(MAILBOX);
    tokio::spawn(async move {
        while let Some(NextByHand { number, reply }) = questions.recv().await {
            reply.send(number + 1).expect("the client waits");
        }
    });
    server
}

async fn next(server: &ActorRef<Next>, number: u64) -> Result<u64, AskError> {
    server
        .ask(|reply| Next { number, reply })
        .within(secs(LIMIT_S))
        .await
}

async fn next_by_hand(server: &mpsc::Sender<NextByHand>, number: u64) -> u64 {
    let (reply, answer) = oneshot::channel();
    let question = NextByHand { number, reply };
    assert!(server.send(question).await.is_ok(), "the server lives");
    answer.await.expect("every question is answered")
}

/// Counts to `end` by asking, and says how far it came.
async fn count(server: &ActorRef<Next>, end: u64) -> Result<u64, AskError> {
    let mut number = 0;
    for _ in 0..end {
        number = next(server, number).await?;
    }
    Ok(number)
}

async fn count_by_hand(server: &mpsc::Sender<NextByHand>, end: u64) -> u64 {
    let mut number = 0;
    for _ in 0..end {
        number = next_by_hand(server, number).await;
    }
    number
}

/// Clients that are actors, each with one question under way; an operation is one answered question.
pub(crate) mod by_actors {
    use super::*;

    struct Client {
        server: ActorRef<Next>,
        tally: Tally,
    }

    impl Actor for Client {
        type Msg = u64;
        async fn receive(&mut self, _ctx: &mut Context<u64>, questions: u64) -> Outcome {
            self.tally.report(count(&self.server, questions).await?);
            Ok(())
        }
    }

    pub(crate) async fn playhouse(questions: u64, clients: u64) -> Sample {
        let system = stage::system();
        let tally = Tally::of(clients);
        let each = questions / clients;
        let server = system.spawn("server", || Server).expect("the name is free");
        let spawn = |place| {
            let (server, tally) = (server.clone(), tally.clone());
            system
                .spawn(format!("client-{place}"), move || Client { server, tally })
                .expect("the name is free")
        };
        let all: Vec<_> = (0..clients).map(spawn).collect();
        let watch = Stopwatch::start();
        all.iter().for_each(|client| client.tell(each));
        let answered = tally.sum().await;
        let sample = watch.stop(each * clients);
        assert_eq!(answered, each * clients);
        stage::close(system).await;
        sample
    }

    pub(crate) async fn tokio(questions: u64, clients: u64) -> Sample {
        clients_by_hand(questions, clients).await
    }
}

/// Clients that are plain Tokio tasks; the server is an actor. An operation is one answered question.
pub(crate) mod by_tasks {
    use super::*;

    pub(crate) async fn playhouse(questions: u64, clients: u64) -> Sample {
        let system = stage::system();
        let tally = Tally::of(clients);
        let each = questions / clients;
        let server = system.spawn("server", || Server).expect("the name is free");
        let watch = Stopwatch::start();
        for _ in 0..clients {
            let (server, tally) = (server.clone(), tally.clone());
            tokio::spawn(async move {
                tally.report(count(&server, each).await.expect("it is answered"))
            });
        }
        let answered = tally.sum().await;
        let sample = watch.stop(each * clients);
        assert_eq!(answered, each * clients);
        stage::close(system).await;
        sample
    }

    pub(crate) async fn tokio(questions: u64, clients: u64) -> Sample {
        clients_by_hand(questions, clients).await
    }
}

async fn clients_by_hand(questions: u64, clients: u64) -> Sample {
    let tally = Tally::of(clients);
    let each = questions / clients;
    let server = server_task();
    let watch = Stopwatch::start();
    for _ in 0..clients {
        let (server, tally) = (server.clone(), tally.clone());
        tokio::spawn(async move { tally.report(count_by_hand(&server, each).await) });
    }
    let answered = tally.sum().await;
    let sample = watch.stop(each * clients);
    assert_eq!(answered, each * clients);
    sample
}

/// One question awaited in the handler of each message; an operation is one message. The client sends itself the next
/// one, so that it is never without.
pub(crate) mod in_handler {
    use super::*;

    struct Client {
        server: ActorRef<Next>,
        sum: u64,
        tally: Tally,
    }

    impl Actor for Client {
        type Msg = u64;
        async fn receive(&mut self, ctx: &mut Context<u64>, messages_left: u64) -> Outcome {
            self.sum += next(&self.server, messages_left).await?;
            if messages_left == 1 {
                self.tally.report(self.sum);
            } else {
                ctx.me().tell(messages_left - 1);
            }
            Ok(())
        }
    }

    pub(crate) async fn playhouse(messages: u64) -> Sample {
        let system = stage::system();
        let tally = Tally::of(1);
        let server = system.spawn("server", || Server).expect("the name is free");
        let reports_to = tally.clone();
        let client = move || Client {
            server,
            sum: 0,
            tally: reports_to,
        };
        let client = system.spawn("client", client).expect("the name is free");
        let watch = Stopwatch::start();
        client.tell(messages);
        let sum = tally.sum().await;
        let sample = watch.stop(messages);
        assert_eq!(sum, messages * (messages + 3) / 2);
        stage::close(system).await;
        sample
    }

    pub(crate) async fn tokio(messages: u64) -> Sample {
        let tally = Tally::of(1);
        let server = server_task();
        let (client, mut inbox) = mpsc::channel(MAILBOX);
        let (mut sum, me, reports_to) = (0, client.clone(), tally.clone());
        tokio::spawn(async move {
            while let Some(messages_left) = inbox.recv().await {
                sum += next_by_hand(&server, messages_left).await;
                if messages_left == 1 {
                    reports_to.report(sum);
                } else {
                    me.try_send(messages_left - 1).expect("there is room");
                }
            }
        });
        let watch = Stopwatch::start();
        client.try_send(messages).expect("there is room");
        let sum = tally.sum().await;
        let sample = watch.stop(messages);
        assert_eq!(sum, messages * (messages + 3) / 2);
        sample
    }
}
