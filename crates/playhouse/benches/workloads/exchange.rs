//! One message under way at a time: what a hop from actor to actor costs when nothing can be overlapped.

use crate::measure::{Sample, Stopwatch};
use crate::stage;
use crate::tally::Tally;
use playhouse::limits::MAILBOX;
use playhouse::prelude::*;
use tokio::sync::mpsc;

/// Two actors and a ball; an operation is one round trip.
pub(crate) mod ping_pong {
    use super::*;

    struct Ping {
        pong: ActorRef<u64>,
        returned: u64,
        tally: Tally,
    }

    impl Actor for Ping {
        type Msg = u64;
        async fn receive(&mut self, _ctx: &mut Context<u64>, rounds_left: u64) -> Outcome {
            if rounds_left == 0 {
                self.tally.report(self.returned);
            } else {
                self.returned += 1;
                self.pong.tell(rounds_left);
            }
            Ok(())
        }
    }

    struct Pong {
        ping: ActorRef<u64>,
    }

    impl Actor for Pong {
        type Msg = u64;
        async fn receive(&mut self, _ctx: &mut Context<u64>, rounds_left: u64) -> Outcome {
            self.ping.tell(rounds_left - 1);
            Ok(())
        }
    }

    pub(crate) async fn playhouse(rounds: u64) -> Sample {
        let system = stage::system();
        let tally = Tally::of(1);
        let reports_to = tally.clone();
        let props = Props::setup(async move |ctx: &mut Context<u64>| {
            let ping = ctx.me().clone();
            let pong = ctx.spawn("pong", move || Pong { ping })?;
            Ok(Ping {
                pong,
                returned: 0,
                tally: reports_to,
            })
        });
        let ping = system.spawn("ping", props).expect("the name is free");
        let watch = Stopwatch::start();
        ping.tell(rounds);
        let returned = tally.sum().await;
        let sample = watch.stop(rounds);
        assert_eq!(returned, rounds);
        stage::close(system).await;
        sample
    }

    pub(crate) async fn tokio(rounds: u64) -> Sample {
        let tally = Tally::of(1);
        let (ping, mut pings) = mpsc::channel::<u64>(MAILBOX);
        let (pong, mut pongs) = mpsc::channel::<u64>(MAILBOX);
        let reports_to = tally.clone();
        tokio::spawn(async move {
            let mut returned = 0;
            while let Some(rounds_left) = pings.recv().await {
                if rounds_left == 0 {
                    reports_to.report(returned);
                } else {
                    returned += 1;
                    pong.try_send(rounds_left).expect("one ball fits");
                }
            }
        });
        let back = ping.clone();
        tokio::spawn(async move {
            while let Some(rounds_left) = pongs.recv().await {
                back.try_send(rounds_left - 1).expect("one ball fits");
            }
        });
        let watch = Stopwatch::start();
        ping.try_send(rounds).expect("one ball fits");
        let returned = tally.sum().await;
        let sample = watch.stop(rounds);
        assert_eq!(returned, rounds);
        sample
    }
}

/// A token goes round a ring of actors; an operation is one hop.
pub(crate) mod ring {
    use super::*;

    struct Node {
        next: ActorRef<u64>,
        tally: Tally,
        hops: u64,
    }

    impl Actor for Node {
        type Msg = u64;
        async fn receive(&mut self, _ctx: &mut Context<u64>, hops_left: u64) -> Outcome {
            self.hops += 1;
            if hops_left == 0 {
                self.tally.report(self.hops);
            } else {
                self.next.tell(hops_left - 1);
            }
            Ok(())
        }
    }

    /// The first node makes the others, the last one first, so that each knows its next from the beginning.
    async fn first(ctx: &mut Context<u64>, size: u64, tally: Tally) -> Outcome<Node> {
        let mut next = ctx.me().clone();
        for place in (1..size).rev() {
            let (to, reports_to) = (next, tally.clone());
            let node = move || Node {
                next: to,
                tally: reports_to,
                hops: 0,
            };
            next = ctx.spawn(format!("node-{place}"), node)?;
        }
        Ok(Node {
            next,
            tally,
            hops: 0,
        })
    }

    pub(crate) async fn playhouse(hops: u64, size: u64) -> Sample {
        let system = stage::system();
        let tally = Tally::of(1);
        let reports_to = tally.clone();
        let props =
            Props::setup(async move |ctx: &mut Context<u64>| first(ctx, size, reports_to).await);
        let token = system.spawn("first", props).expect("the name is free");
        let watch = Stopwatch::start();
        token.tell(hops);
        let visits = tally.sum().await;
        let sample = watch.stop(hops);
        assert_eq!(visits, visits_of_the_last(hops, size));
        stage::close(system).await;
        sample
    }

    pub(crate) async fn tokio(hops: u64, size: u64) -> Sample {
        let tally = Tally::of(1);
        let (first, first_inbox) = mpsc::channel::<u64>(MAILBOX);
        let mut next = first.clone();
        for _ in 1..size {
            let (node, inbox) = mpsc::channel(MAILBOX);
            tokio::spawn(pass_on(inbox, next, tally.clone()));
            next = node;
        }
        tokio::spawn(pass_on(first_inbox, next, tally.clone()));
        let watch = Stopwatch::start();
        first.try_send(hops).expect("one token fits");
        let visits = tally.sum().await;
        let sample = watch.stop(hops);
        assert_eq!(visits, visits_of_the_last(hops, size));
        sample
    }

    async fn pass_on(mut inbox: mpsc::Receiver<u64>, next: mpsc::Sender<u64>, tally: Tally) {
        let mut hops = 0;
        while let Some(hops_left) = inbox.recv().await {
            hops += 1;
            if hops_left == 0 {
                tally.report(hops);
            } else {
                next.try_send(hops_left - 1).expect("one token fits");
            }
        }
    }

    /// How often the token was at the node where it ended: once at the start or on the way there, and once per lap.
    fn visits_of_the_last(hops: u64, size: u64) -> u64 {
        hops / size + 1
    }
}
