//! Spawning by message: for whoever needs a child of an actor that is not itself.

use crate::actor::{Actor, Outcome};
use crate::actor_ref::ActorRef;
use crate::context::Context;
use crate::props::IntoProps;
use crate::reply::Reply;
use crate::sync::run_quietly;
use crate::system::SpawnError;
use std::fmt;

/// An actor that only spawns. Code outside of any actor gets supervised children, of an actor that ends them with itself,
/// by asking it: `system.spawn("jobs", || SpawnProtocol)`. Each recipe brings its own protocol. Should code that came with
/// a message panic, its asker gets no reply, and the children live on.
///
/// ```
/// use playhouse::{Spawn, SpawnProtocol, prelude::*};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Outcome {
/// let system = ActorSystem::builder("tour").build()?;
/// let jobs = system.spawn("jobs", || SpawnProtocol)?;
/// let echo = || Props::func(async |ctx: &mut Context<Reply<u32>>| {
///     while let Some(reply) = ctx.recv().await {
///         reply.send(7);
///     }
///     Ok(())
/// });
/// let first = jobs.ask(|reply| Spawn::named("echo", echo(), reply)).within(secs(1)).await??;
/// let second = jobs.ask(|reply| Spawn::named("echo", echo(), reply)).within(secs(1)).await??;
/// assert_eq!(first.address().path(), "/tour/jobs/echo");
/// assert_eq!(second.address().path(), "/tour/jobs/echo-1");
/// assert_eq!(second.ask(|reply| reply).within(secs(1)).await?, 7);
/// # assert_eq!(system.shutdown().await.ledger.balance(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SpawnProtocol;

impl Actor for SpawnProtocol {
    type Msg = Spawn;
    async fn receive(&mut self, ctx: &mut Context<Spawn>, Spawn(spawn): Spawn) -> Outcome {
        run_quietly(|| spawn(ctx));
        Ok(())
    }
}

/// What a [`SpawnProtocol`] is asked: a recipe, and the reply that gets its reference.
#[must_use = "nothing is spawned until it is sent"]
pub struct Spawn(Act);

type Act = Box<dyn FnOnce(&mut Context<Spawn>) + Send>;

impl Spawn {
    /// A child of that name. If a living child has it, the first free of `name-1`, `name-2` and so on: a later one costs as
    /// many looks as there are earlier ones.
    pub fn named<P: IntoProps + Send + 'static>(
        name: impl Into<String>,
        props: P,
        reply: Reply<Result<ActorRef<P::Msg>, SpawnError>>,
    ) -> Self {
        let name = name.into();
        Self(Box::new(move |ctx| {
            let name = first_free(name, |name| ctx.child(name).is_some());
            reply.send(ctx.spawn(name, props));
        }))
    }

    /// A child with a generated name.
    pub fn anonymous<P: IntoProps + Send + 'static>(
        props: P,
        reply: Reply<ActorRef<P::Msg>>,
    ) -> Self {
        Self(Box::new(move |ctx| reply.send(ctx.spawn_anonymous(props))))
    }
}

impl fmt::Debug for Spawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Spawn")
    }
}

/// The name itself, or with the smallest number that makes it free.
fn first_free(name: String, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(&name) {
        return name;
    }
    let numbered = (1_u64..).map(|number| format!("{name}-{number}"));
    let mut free = numbered.skip_while(|name| is_taken(name));
    free.next().unwrap_or(name) // there are more numbers than names
}

#[cfg(test)]
mod tests {
    use super::first_free;

    #[test]
    fn a_taken_name_gets_the_smallest_free_number() {
        let taken = ["child", "child-1", "child-3"];
        let free = |name: &str| first_free(name.to_owned(), |name| taken.contains(&name));
        assert_eq!(free("other"), "other");
        assert_eq!(free("child"), "child-2");
        assert_eq!(free("child-1"), "child-1-1");
    }
}
