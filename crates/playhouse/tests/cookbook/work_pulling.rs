//! Workers ask and the producer hands out, by hand. The library's `WorkPool` does this and more.

use playhouse::prelude::*;
use playhouse::testkit::TestKit;
use std::collections::VecDeque;

enum Master {
    Task(String),
    Ready(ActorRef<Work>),
}

struct Work(String, ActorRef<Master>);

struct Producer {
    tasks: VecDeque<String>,
    idle: VecDeque<ActorRef<Work>>,
    done: ActorRef<String>,
}

impl Actor for Producer {
    type Msg = Master;
    async fn started(&mut self, ctx: &mut Context<Master>) -> Outcome {
        for n in 0..2 {
            let done = self.done.clone();
            let worker = ctx.spawn(format!("worker-{n}"), move || Worker(done))?;
            ctx.watch(&worker);
            self.idle.push_back(worker);
        }
        Ok(())
    }
    async fn receive(&mut self, ctx: &mut Context<Master>, msg: Master) -> Outcome {
        match msg {
            Master::Task(task) => self.tasks.push_back(task),
            Master::Ready(worker) => self.idle.push_back(worker),
        }
        let pairs = self.tasks.len().min(self.idle.len());
        for (task, worker) in self.tasks.drain(..pairs).zip(self.idle.drain(..pairs)) {
            worker.tell(Work(task, ctx.me().clone()));
        }
        Ok(())
    }
    async fn signal(&mut self, _ctx: &mut Context<Master>, signal: Signal) -> Outcome {
        match signal {
            Signal::Terminated { who, .. } => self.idle.retain(|worker| who != *worker),
            other => other.unhandled()?,
        }
        Ok(())
    }
}

struct Worker(ActorRef<String>);

impl Actor for Worker {
    type Msg = Work;
    async fn receive(&mut self, ctx: &mut Context<Work>, Work(task, master): Work) -> Outcome {
        if task == "poison" {
            return Err("cannot do that".into());
        }
        self.0.tell(task);
        master.send(Master::Ready(ctx.me().clone())).await?;
        Ok(())
    }
}

#[test]
fn every_task_is_done_also_by_the_worker_that_is_left() {
    let kit = TestKit::new();
    let mut done = kit.probe();
    let told = done.actor_ref().clone();
    let producer = kit.spawn("producer", move || Producer {
        tasks: VecDeque::new(),
        idle: VecDeque::new(),
        done: told,
    });
    producer.tell(Master::Task("poison".into()));
    for n in 0..10 {
        producer.tell(Master::Task(n.to_string()));
    }
    let expected: Vec<_> = (0..10).map(|n| n.to_string()).collect();
    assert_eq!(done.expect_n(10), expected);
}
