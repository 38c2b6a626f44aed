//! Children that depend on each other: when one fails, the group decides who begins anew with it.

use crate::actor::{Actor, Exit, Message, Outcome};
use crate::actor_ref::ActorRef;
use crate::address::Address;
use crate::cell::membership::{Membership, Standing};
use crate::cell::{Core, CoreRef};
use crate::clock::Clock;
use crate::context::Context;
use crate::failure::Failure;
use crate::limits;
use crate::mailbox::Mailbox;
use crate::mailbox::signals::StopCause;
use crate::props::{IntoProps, Props};
use crate::supervise::{History, Restart, Supervise, Verdict};
use crate::sync::{Arc, Mutex, SetOnce};
use crate::system::SpawnError;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::time::Duration;

/// Children that depend on each other, for [`Context::spawn_group`]. A member that would end by a failure, by its own
/// supervision, restarts with those that depend on it instead. Members keep their references, mailboxes and stashes across
/// restarts. Beyond the limit of the [`Restart`] the group ends, and its parent fails with the cause.
///
/// Members are started in the order in which they were spawned, each when the one before has started, and stopped in
/// reverse.
///
/// ```
/// use playhouse::{Group, prelude::*};
///
/// struct Files;
/// impl Actor for Files {
///     type Msg = u32;
///     async fn receive(&mut self, _ctx: &mut Context<u32>, n: u32) -> Outcome {
///         if n == 0 { Err("the disk is gone".into()) } else { Ok(()) }
///     }
/// }
/// struct Cache(u32);
/// impl Actor for Cache {
///     type Msg = Reply<u32>;
///     async fn receive(&mut self, _ctx: &mut Context<Self::Msg>, reply: Reply<u32>) -> Outcome {
///         self.0 += 1;
///         reply.send(self.0);
///         Ok(())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Outcome {
/// let system = ActorSystem::builder("tour").on_event(|_| ()).build()?;
/// let storage = Props::func(async |ctx: &mut Context<()>| {
///     let group = Group::one_for_all(Supervise::restart().at_once());
///     let group = ctx.spawn_group("storage", group)?;
///     let files = group.spawn("files", || Files)?;
///     let cache = group.spawn("cache", || Cache(0))?;
///     assert_eq!(cache.ask(|reply| reply).within(secs(5)).await?, 1);
///     files.tell(0); // what is cached of a disk that is gone is worth nothing
///     while cache.ask(|reply| reply).within(secs(5)).await? != 1 {}
///     Ok(())
/// });
/// let storage = system.spawn("storage", storage)?;
/// assert!(matches!(storage.terminated().await, Exit::Stopped));
/// # assert_eq!(system.shutdown().await.ledger.balance(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "no group exists before `spawn_group`"]
pub struct Group {
    reach: Reach,
    restart: Restart,
    limit: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    One,
    Rest,
    All,
}

impl Group {
    /// The failed one alone.
    pub fn one_for_one(restart: Restart) -> Self {
        Self::new(Reach::One, restart)
    }

    /// All of them.
    pub fn one_for_all(restart: Restart) -> Self {
        Self::new(Reach::All, restart)
    }

    /// The failed one and those spawned after it.
    pub fn rest_for_one(restart: Restart) -> Self {
        Self::new(Reach::Rest, restart)
    }

    /// How long a member that must end may take for its message in hand and its children. After that its handler is
    /// dropped at its next await, and after twice that the group fails. Default: [`limits::MEMBER_SHUTDOWN`].
    pub fn shutdown_limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    fn new(reach: Reach, restart: Restart) -> Self {
        Self {
            reach,
            restart,
            limit: limits::MEMBER_SHUTDOWN,
        }
    }
}

/// Spawns members. Outlives the turn.
#[derive(Clone, Debug)]
pub struct GroupRef {
    group: ActorRef<Order>,
    roll: Arc<Roll>,
}

/// What a group is told.
enum Order {
    Failed {
        who: u64,
        incarnation: u32,
        failure: Failure,
    },
    Stop,
}

/// The members, in the order in which they were spawned.
#[derive(Default)]
struct Roll {
    members: Mutex<Vec<Member>>,
    /// An order to stop is in the leader's mailbox, so the renewal before it is for nothing.
    stops: SetOnce<()>,
}

#[derive(Clone)]
struct Member {
    core: CoreRef,
    place: Arc<Membership>,
}

impl GroupRef {
    /// One more member. It may have a supervision of its own: what that resumes or restarts concerns nobody else.
    ///
    /// # Panics
    /// If the recipe makes an actor of one life.
    pub fn spawn<M: Message>(
        &self,
        name: impl Into<String>,
        props: impl IntoProps<Msg = M> + Clone,
    ) -> Result<ActorRef<M>, SpawnError> {
        let place = Arc::new(self.place());
        let mut recipe = props.recipe();
        recipe.settings.membership = Some(place.clone());
        let group = self.group.core();
        let enter = |member: &Core| match place.member().cloned() {
            Some(core) => self.roll.enter(Member { core, place }),
            None => panic!(
                "{} cannot begin anew, so it cannot be a member of a group; give its factory to `Props::new`",
                member.address
            ),
        };
        group
            .actor_system()
            .spawn_prepared_in(group.children(), name.into(), recipe, enter)
    }

    /// Stops the members, the last first, each within the limit; then the group ends.
    pub fn stop(&self) {
        let _ = self.roll.stops.set(()); // a second stop finds it set
        self.group.tell(Order::Stop);
    }

    /// Waits for the end of the group and of all its members. Cancel safe.
    pub async fn terminated(&self) -> Exit {
        self.group.terminated().await
    }

    /// The parent of the members.
    pub fn address(&self) -> &Address {
        self.group.address()
    }

    /// Tells this group when its member has failed.
    fn place(&self) -> Membership {
        let group = self.group.clone();
        Membership::new(move |who, incarnation, failure| {
            group.tell(Order::Failed {
                who,
                incarnation,
                failure,
            });
        })
    }
}

impl Roll {
    /// Before it begins, so that its group knows who fails. The order is that of the spawns.
    fn enter(&self, member: Member) {
        self.forget_ended();
        let mut members = self.members.lock();
        let place = members.partition_point(|known| known.uid() < member.uid());
        members.insert(place, member);
    }

    fn alive(&self) -> Vec<Member> {
        self.forget_ended();
        self.members.lock().clone()
    }

    fn forget_ended(&self) {
        let gone: Vec<_> = self
            .members
            .lock()
            .extract_if(.., |member| member.core.has_ended())
            .collect();
        drop(gone); // outside the lock
    }
}

impl fmt::Debug for Roll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members = self.members.lock();
        let members = members.iter().map(|member| &member.core.address);
        f.debug_list().entries(members).finish()
    }
}

impl<M: Message> Context<M> {
    /// Children that restart together.
    pub fn spawn_group(
        &mut self,
        name: impl Into<String>,
        group: Group,
    ) -> Result<GroupRef, SpawnError> {
        let roll = Arc::new(Roll::default());
        let members = roll.clone();
        let leader = move || Leader {
            group,
            members,
            history: History::default(),
        };
        // One report per member at a time, so the members bound it.
        let props = Props::new(leader)
            .mailbox(Mailbox::unbounded())
            .supervise(Supervise::escalate());
        // Before it begins: later it might have ended, and a family that it makes then would keep both for ever.
        let group = self.spawn_prepared(name.into(), props, |leader| {
            leader.children().stop_in_reverse();
        })?;
        Ok(GroupRef { group, roll })
    }
}

/// The group as an actor.
struct Leader {
    group: Group,
    members: Arc<Roll>,
    history: History,
}

impl Actor for Leader {
    type Msg = Order;

    async fn receive(&mut self, ctx: &mut Context<Order>, order: Order) -> Outcome {
        match order {
            Order::Stop => {
                self.stop_all(ctx.clock()).await;
                ctx.stop();
                Ok(())
            }
            Order::Failed {
                who,
                incarnation,
                failure,
            } => {
                let stopping = ctx.stopping(); // then the members are told to stop, wherever they are
                let roll = self.members.clone();
                tokio::select! {
                    biased;
                    () = stopping => Ok(()),
                    _ = roll.stops.wait() => Ok(()),
                    outcome = self.renew(ctx, who, incarnation, failure) => outcome,
                }
            }
        }
    }
}

impl Leader {
    async fn renew(
        &mut self,
        ctx: &mut Context<Order>,
        who: u64,
        incarnation: u32,
        failure: Failure,
    ) -> Outcome {
        let members = self.members.alive();
        let Some(failed) = members
            .iter()
            .position(|member| member.uid() == who && member.place.incarnation() == incarnation)
        else {
            return Ok(()); // it has ended since, or was renewed together with another that failed
        };
        let system = ctx.system().inner().clone();
        let draw = system.random.lock().fraction();
        let verdict = self
            .group
            .restart
            .decide(&mut self.history, system.clock.now(), draw);
        let Verdict::Restart(renewal) = verdict else {
            self.stop_all(&system.clock).await;
            return Err(failure);
        };
        let affected = affected(&members, failed, self.group.reach);
        for member in affected.iter().rev() {
            member
                .end_incarnation(&system.clock, self.group.limit)
                .await?;
        }
        system.clock.sleep(renewal.delay).await;
        for member in affected {
            member.begin_incarnation().await;
        }
        Ok(())
    }

    /// The last first.
    async fn stop_all(&self, clock: &Clock) {
        for Member { core, .. } in self.members.alive().iter().rev() {
            core.stop(StopCause::Asked);
            if !within(clock, self.group.limit, core.ended()).await {
                core.kill();
                core.ended().await;
            }
        }
    }
}

fn affected(members: &[Member], failed: usize, reach: Reach) -> &[Member] {
    match reach {
        Reach::One => &members[failed..=failed],
        Reach::Rest => &members[failed..],
        Reach::All => members,
    }
}

impl Member {
    fn uid(&self) -> u64 {
        self.core.address.uid()
    }

    /// Waits until its incarnation is over, and hurries it when it takes too long.
    async fn end_incarnation(&self, clock: &Clock, limit: Duration) -> Outcome {
        for in_a_hurry in [false, true] {
            self.core.order_renewal(in_a_hurry);
            let is_over = |standing| matches!(standing, Standing::Waiting | Standing::Gone);
            if within(clock, limit, self.place.until(is_over)).await {
                return Ok(());
            }
        }
        Err(Stuck {
            member: self.core.address.clone(),
            limit: limit * 2,
        }
        .into())
    }

    /// Waits until it has started, failed, or ended.
    async fn begin_incarnation(&self) {
        self.place.release();
        let has_moved = |standing| standing != Standing::Released;
        self.place.until(has_moved).await;
    }
}

/// False: it took longer.
async fn within<T>(clock: &Clock, limit: Duration, future: impl Future<Output = T>) -> bool {
    tokio::select! {
        biased;
        _ = future => true,
        () = clock.sleep(limit) => false,
    }
}

/// A member that does not come to the end of its incarnation, so the others cannot begin theirs.
#[derive(Debug)]
struct Stuck {
    member: Address,
    limit: Duration,
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} did not end its incarnation within {:?}, so its group cannot begin anew; its handler blocks, or a child of \
             it does",
            self.member, self.limit
        )
    }
}

impl Error for Stuck {}
