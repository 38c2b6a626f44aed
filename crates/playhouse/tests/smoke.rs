mod common;
use common::*;
use playhouse::prelude::*;
use playhouse::{Budget, Job, Share, WorkPool, gather};
use std::rc::Rc;

enum Counter {
    Add(u32),
    Get(Reply<u32>),
}
#[derive(Default)]
struct Count(u32);
impl Actor for Count {
    type Msg = Counter;
    async fn receive(&mut self, _: &mut Context<Counter>, msg: Counter) -> Outcome {
        match msg {
            Counter::Add(n) => self.0 += n,
            Counter::Get(reply) => reply.send(self.0),
        }
        Ok(())
    }
}

#[tokio::test]
async fn counts() {
    let (system, _) = system();
    let c = system.spawn("c", Count::default).unwrap();
    for d in ["fixed", "pinned", "blocking"] {
        let on = system.dispatcher(d).unwrap();
        let c = system.spawn_anonymous(Props::new(Count::default).dispatcher(&on));
        c.send(Counter::Add(2)).await.unwrap();
        assert_eq!(c.ask(Counter::Get).within(secs(5)).await.unwrap(), 2);
    }
    for _ in 0..100 {
        c.send(Counter::Add(1)).await.unwrap();
    }
    assert_eq!(c.ask(Counter::Get).within(secs(5)).await.unwrap(), 100);
    let got = gather((0..3).map(|_| c.ask(Counter::Get)), secs(5)).await;
    assert!(got.into_iter().all(|n| n.unwrap() == 100));
    end(&system).await;
}

struct Page(u32, Share);
struct Owner {
    _not_send: Rc<()>,
    pool: ActorRef<Page>,
    room: Budget,
}
impl BlockingActor for Owner {
    type Msg = Reply<u32>;
    fn receive(&mut self, ctx: &mut Context<Reply<u32>>, done: Reply<u32>) -> Outcome {
        for page in 0..100 {
            if ctx.is_stopping() {
                return Ok(());
            }
            let room = self.room.blocking_take(10)?;
            let place = self.pool.blocking_reserve()?;
            place.send(Page(page, room));
        }
        self.pool.drain();
        done.send(100);
        Ok(())
    }
}
struct Storer(tokio::sync::mpsc::UnboundedSender<u32>);
impl Actor for Storer {
    type Msg = Job<Page>;
    async fn receive(&mut self, _: &mut Context<Job<Page>>, job: Job<Page>) -> Outcome {
        let (Page(n, room), ticket) = job.split();
        tokio::task::yield_now().await;
        drop(room);
        self.0.send(n)?;
        ticket.done();
        Ok(())
    }
}
#[test]
fn owner() {
    let (system, _) = system();
    let (seen, mut got) = journal();
    let pool = system
        .spawn("storers", WorkPool::new(3, move || Storer(seen)))
        .unwrap();
    let room = Budget::new(50);
    let p = pool.clone();
    let owner = system
        .spawn(
            "owner",
            Props::blocking(move |_| {
                Ok(Owner {
                    _not_send: Rc::new(()),
                    pool: p,
                    room,
                })
            }),
        )
        .unwrap();
    assert_eq!(owner.ask(|r| r).blocking_within(secs(20)).unwrap(), 100);
    let exit = futures(pool.terminated());
    assert!(matches!(exit, Exit::Drained), "{exit:?}");
    let mut pages = read(&mut got);
    pages.sort();
    assert_eq!(pages, (0..100).collect::<Vec<_>>());
    assert_clean(&system.blocking_shutdown());
}
fn futures<T>(f: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(f)
}
