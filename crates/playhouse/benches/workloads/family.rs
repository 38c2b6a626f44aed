//! Actors as cheap things: what it costs to have one for a moment, and to have one that does nothing.

use crate::measure::{Sample, Stopwatch};
use crate::stage;
use crate::tally::Tally;
use playhouse::limits::MAILBOX;
use playhouse::prelude::*;
use tokio::sync::mpsc;

/// Children of one parent, each of which gets one message and stops; an operation is one child.
///
/// The parent makes a thousand, waits until they have handled their message, and makes the next thousand: a fork and a
/// join. The last of a thousand tells the parent.
pub(crate) mod spawn {
    use super::*;

    const FORK: u64 = 1_000;

    struct Parent {
        forks_left: u64,
        tally: Tally,
    }

    impl Actor for Parent {
        type Msg = ();
        async fn receive(&mut self, ctx: &mut Context<()>, (): ()) -> Outcome {
            if self.forks_left == 0 {
                return Ok(());
            }
            self.forks_left -= 1;
            let fork = Tally::of(FORK);
            for number in 0..FORK {
                let (parent, fork, all) = (ctx.me().clone(), fork.clone(), self.tally.clone());
                ctx.spawn_anonymous(move || Child { parent, fork, all })
                    .tell(number);
            }
            Ok(())
        }
    }

    struct Child {
        parent: ActorRef<()>,
        fork: Tally,
        all: Tally,
    }

    impl Actor for Child {
        type Msg = u64;
        async fn receive(&mut self, ctx: &mut Context<u64>, number: u64) -> Outcome {
            if self.fork.report(number) {
                self.parent.tell(());
            }
            self.all.report(number); // last: whoever waits for it then ends the parent
            ctx.stop();
            Ok(())
        }
    }

    pub(crate) async fn playhouse(children: u64) -> Sample {
        let system = stage::system();
        let forks = (children / FORK).max(1);
        let tally = Tally::of(forks * FORK);
        let reports_to = tally.clone();
        let parent = move || Parent {
            forks_left: forks,
            tally: reports_to,
        };
        let parent = system.spawn("parent", parent).expect("the name is free");
        let watch = Stopwatch::start();
        parent.tell(());
        let sum = tally.sum().await;
        let sample = watch.stop(forks * FORK);
        assert_eq!(sum, forks * (FORK * (FORK - 1) / 2));
        parent.drain(); // the last child tells it once more
        parent.terminated().await;
        stage::close(system).await;
        sample
    }

    pub(crate) async fn tokio(children: u64) -> Sample {
        let forks = (children / FORK).max(1);
        let tally = Tally::of(forks * FORK);
        let (parent, inbox) = mpsc::channel(MAILBOX);
        let watch = Stopwatch::start();
        tokio::spawn(parent_task(inbox, parent.clone(), forks, tally.clone()));
        parent.try_send(()).expect("it lives");
        let sum = tally.sum().await;
        let sample = watch.stop(forks * FORK);
        assert_eq!(sum, forks * (FORK * (FORK - 1) / 2));
        sample
    }

    async fn parent_task(
        mut inbox: mpsc::Receiver<()>,
        me: mpsc::Sender<()>,
        forks: u64,
        all: Tally,
    ) {
        for _ in 0..forks {
            inbox.recv().await;
            let fork = Tally::of(FORK);
            for number in 0..FORK {
                let (child, inbox) = mpsc::channel(MAILBOX);
                tokio::spawn(child_task(inbox, me.clone(), fork.clone(), all.clone()));
                child.try_send(number).expect("it lives");
            }
        }
    }

    async fn child_task(
        mut inbox: mpsc::Receiver<u64>,
        parent: mpsc::Sender<()>,
        fork: Tally,
        all: Tally,
    ) {
        if let Some(number) = inbox.recv().await {
            if fork.report(number) {
                let _ = parent.try_send(()); // after the last fork nobody listens
            }
            all.report(number);
        }
    }
}

/// Resident bytes of a named child that has started and handled nothing, with the reference its parent keeps.
pub(crate) mod idle {
    use super::*;
    use crate::memory::Memory;

    struct Parent {
        children: Vec<ActorRef<u64>>,
        tally: Tally,
    }

    impl Actor for Parent {
        type Msg = u64;
        async fn receive(&mut self, ctx: &mut Context<u64>, children: u64) -> Outcome {
            for number in 0..children {
                let tally = self.tally.clone();
                let child = ctx.spawn(format!("child-{number}"), move || Child { tally })?;
                self.children.push(child);
            }
            Ok(())
        }
    }

    struct Child {
        tally: Tally,
    }

    impl Actor for Child {
        type Msg = u64;
        async fn started(&mut self, _ctx: &mut Context<u64>) -> Outcome {
            self.tally.report(1);
            Ok(())
        }
        async fn receive(&mut self, _ctx: &mut Context<u64>, number: u64) -> Outcome {
            self.tally.report(number);
            Ok(())
        }
    }

    pub(crate) async fn playhouse(children: u64) -> Sample {
        let system = stage::system();
        let tally = Tally::of(children);
        let reports_to = tally.clone();
        let parent = move || Parent {
            children: Vec::with_capacity(children as usize),
            tally: reports_to,
        };
        let parent = system.spawn("parent", parent).expect("the name is free");
        let before = Memory::now();
        let watch = Stopwatch::start();
        parent.tell(children);
        assert_eq!(tally.sum().await, children);
        let sample = watch.stop(children);
        let sample = Memory::now().since(&before, children, sample);
        stage::close(system).await;
        sample
    }

    pub(crate) async fn tokio(children: u64) -> Sample {
        let tally = Tally::of(children);
        let before = Memory::now();
        let watch = Stopwatch::start();
        let reports_to = tally.clone();
        let parent = tokio::spawn(async move {
            let mut senders = Vec::with_capacity(children as usize);
            for _ in 0..children {
                let (sender, inbox) = mpsc::channel(MAILBOX);
                senders.push(sender);
                tokio::spawn(child_task(inbox, reports_to.clone()));
            }
            senders
        });
        assert_eq!(tally.sum().await, children);
        let sample = watch.stop(children);
        let sample = Memory::now().since(&before, children, sample);
        drop(parent.await.expect("it does not panic"));
        sample
    }

    async fn child_task(mut inbox: mpsc::Receiver<u64>, tally: Tally) {
        tally.report(1);
        while let Some(number) = inbox.recv().await {
            tally.report(number);
        }
    }
}
