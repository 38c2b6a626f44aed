//! Question and answer.

use crate::measure::{Sample, Stopwatch};
use crate::rival::{Logic, Rival, Room, Then};
use crate::tally::Tally;

/// Answers a number with the next one.
struct Server;

impl<R: Rival> Logic<R> for Server {
    type Msg = u64;
    async fn receive(&mut self, number: u64, _me: &R::Ref<Self>) -> Then {
        Then::Answer(number + 1)
    }
}

async fn count<R: Rival>(server: &R::Ref<Server>, end: u64) -> u64 {
    let mut number = 0;
    for _ in 0..end {
        number = R::ask::<Server>(server, number).await;
    }
    number
}

struct Client<R: Rival> {
    server: R::Ref<Server>,
    tally: Tally,
}

impl<R: Rival> Logic<R> for Client<R> {
    type Msg = u64;
    async fn receive(&mut self, questions: u64, _me: &R::Ref<Self>) -> Then {
        self.tally.report(count::<R>(&self.server, questions).await);
        Then::Next
    }
}

pub(crate) async fn by_actors<R: Rival>(questions: u64, clients: u64) -> Sample {
    let tally = Tally::of(clients);
    let each = questions / clients;
    let server = R::spawn(Server, Room::Bounded);
    let client = |_| {
        R::spawn(
            Client::<R> {
                server: server.clone(),
                tally: tally.clone(),
            },
            Room::Bounded,
        )
    };
    let all: Vec<_> = (0..clients).map(client).collect();
    let watch = Stopwatch::start();
    all.iter().for_each(|to| R::tell::<Client<R>>(to, each));
    answered(watch, each * clients, &tally).await
}

pub(crate) async fn by_tasks<R: Rival>(questions: u64, clients: u64) -> Sample {
    let tally = Tally::of(clients);
    let each = questions / clients;
    let server: R::Ref<Server> = R::spawn(Server, Room::Bounded);
    let watch = Stopwatch::start();
    for _ in 0..clients {
        let (server, tally) = (server.clone(), tally.clone());
        R::task(async move {
            tally.report(count::<R>(&server, each).await);
        });
    }
    answered(watch, each * clients, &tally).await
}

async fn answered(watch: Stopwatch, questions: u64, tally: &Tally) -> Sample {
    let answers = tally.sum().await;
    let sample = watch.stop(questions);
    assert_eq!(answers, questions);
    sample
}

struct Asker<R: Rival> {
    server: R::Ref<Server>,
    sum: u64,
    tally: Tally,
}

impl<R: Rival> Logic<R> for Asker<R> {
    type Msg = u64;
    async fn receive(&mut self, messages_left: u64, me: &R::Ref<Self>) -> Then {
        self.sum += R::ask::<Server>(&self.server, messages_left).await;
        if messages_left == 1 {
            self.tally.report(self.sum);
        } else {
            R::tell::<Self>(me, messages_left - 1);
        }
        Then::Next
    }
}

pub(crate) async fn in_handler<R: Rival>(messages: u64) -> Sample {
    let tally = Tally::of(1);
    let server = R::spawn(Server, Room::Bounded);
    let asker = R::spawn(
        Asker::<R> {
            server,
            sum: 0,
            tally: tally.clone(),
        },
        Room::Bounded,
    );
    let watch = Stopwatch::start();
    R::tell::<Asker<R>>(&asker, messages);
    let sum = tally.sum().await;
    let sample = watch.stop(messages);
    assert_eq!(sum, messages * (messages + 3) / 2);
    sample
}
