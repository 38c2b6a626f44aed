//! An actor that does what it is told, for tests of what a test sees of it.

use playhouse::prelude::*;

pub(crate) enum Order {
    Do(Work),
    /// Writes this down.
    Note(String),
}

pub(crate) type Work = Box<dyn FnOnce(&mut Context<Order>) -> Outcome + Send>;

/// An order to do this.
pub(crate) fn order(work: impl FnOnce(&mut Context<Order>) + Send + 'static) -> Order {
    Order::Do(Box::new(move |ctx| {
        work(ctx);
        Ok(())
    }))
}

pub(crate) fn note(text: impl Into<String>) -> Order {
    Order::Note(text.into())
}

#[derive(Default)]
pub(crate) struct Clerk {
    pub(crate) notes: Vec<String>,
}

impl Actor for Clerk {
    type Msg = Order;

    async fn receive(&mut self, ctx: &mut Context<Order>, order: Order) -> Outcome {
        match order {
            Order::Do(work) => work(ctx),
            Order::Note(text) => {
                self.notes.push(text);
                Ok(())
            }
        }
    }

    async fn signal(&mut self, _ctx: &mut Context<Order>, signal: Signal) -> Outcome {
        match signal {
            Signal::Terminated { who, exit } => self.notes.push(format!("{who} {exit}")),
            Signal::PostStop => self.notes.push("post-stop".to_owned()),
            other => return other.unhandled(),
        }
        Ok(())
    }
}

/// Answers how often it was asked.
pub(crate) async fn count(ctx: &mut Context<Reply<u32>>) -> Outcome {
    let mut asked = 0;
    while let Some(reply) = ctx.recv().await {
        asked += 1;
        reply.send(asked);
    }
    Ok(())
}
