//! Actors around actors: what they see, and in which order.

use playhouse::prelude::*;
use playhouse::testkit::{EventPattern, TestKit};

type Told = ActorRef<String>;

/// Says what comes before and after the actor inside.
struct Around<A> {
    name: &'static str,
    told: Told,
    inside: A,
}

fn around<A: Actor>(name: &'static str, told: &Told, inside: A) -> Around<A> {
    let told = told.clone();
    Around { name, told, inside }
}

impl<A> Around<A> {
    fn say(&self, what: &str) {
        self.told.tell(format!("{what} {}", self.name));
    }
}

impl<A: Actor> Actor for Around<A> {
    type Msg = A::Msg;
    async fn started(&mut self, ctx: &mut Context<A::Msg>) -> Outcome {
        self.inside.started(ctx).await
    }
    async fn receive(&mut self, ctx: &mut Context<A::Msg>, msg: A::Msg) -> Outcome {
        self.say("before");
        let outcome = self.inside.receive(ctx, msg).await;
        self.say("after");
        outcome
    }
    async fn signal(&mut self, ctx: &mut Context<A::Msg>, signal: Signal) -> Outcome {
        self.inside.signal(ctx, signal).await
    }
}

/// The same for a behaviour, which it follows from state to state.
fn around_behaviour<M: Send + 'static>(
    name: &'static str,
    told: Told,
    inside: Behavior<M>,
) -> Behavior<M> {
    Behavior::receive(move |ctx, msg| {
        told.tell(format!("before {name}"));
        let next = inside.handle(ctx, msg)?;
        told.tell(format!("after {name}"));
        Ok(around_behaviour(name, told, next))
    })
}

/// Says each word, and is another behaviour after it.
fn speaker(told: Told) -> Behavior<&'static str> {
    Behavior::receive(move |_ctx, word: &'static str| {
        told.tell(word.to_owned());
        Ok(speaker(told))
    })
}

/// Counts the messages and answers with how many came before.
fn counter(before: u32) -> Behavior<Counted> {
    Behavior::receive(move |_ctx, msg| {
        if let Counted::Next(reply) = msg {
            reply.send(before);
        }
        Ok(counter(before + 1))
    })
}

enum Counted {
    Next(Reply<u32>),
    Pill,
}

fn next(kit: &TestKit, counter: &ActorRef<Counted>) -> u32 {
    kit.block_on(counter.ask(Counted::Next).within(secs(1)))
        .unwrap()
}

#[test]
fn int_01_before_and_after_a_message() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let actor = kit.spawn("actor", move || around("it", &told, speaker(told.clone())));
    actor.tell("hello");
    assert_eq!(probe.expect_n(3), ["before it", "hello", "after it"]);
}

// differs: INT-02: an actor around an actor has no identity to be recognised by; who wraps twice means it twice
#[test]
fn int_02_the_same_wrapper_twice() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let twice = move || around("it", &told, around("it", &told, speaker(told.clone())));
    let actor = kit.spawn("actor", twice);
    actor.tell("hello");
    let lines = ["before it", "before it", "hello", "after it", "after it"];
    assert_eq!(probe.expect_n(5), lines);
}

// differs: INT-03: the wrapper is around every behaviour that follows, so none of them wraps itself again
#[test]
fn int_03_a_wrapper_stays_around_what_its_behaviour_becomes() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let wrapped = told.clone();
    let as_actor = kit.spawn("actor", move || {
        around("it", &wrapped, speaker(wrapped.clone()))
    });
    let as_behaviour = kit.spawn("behaviour", move || {
        around_behaviour("it", told.clone(), speaker(told))
    });
    for actor in [as_actor, as_behaviour] {
        for word in ["one", "two", "three"] {
            actor.tell(word);
            assert_eq!(probe.expect_n(3), ["before it", word, "after it"]);
            probe.expect_nothing();
        }
    }
}

#[test]
fn int_04_two_different_wrappers() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let both = move || {
        around(
            "outer",
            &told,
            around("inner", &told, speaker(told.clone())),
        )
    };
    let actor = kit.spawn("actor", both);
    actor.tell("hello");
    let lines = [
        "before outer",
        "before inner",
        "hello",
        "after inner",
        "after outer",
    ];
    assert_eq!(probe.expect_n(5), lines);
}

/// Stops instead of starting the actor inside.
struct NeverStarts<A>(A);

impl<A: Actor> Actor for NeverStarts<A> {
    type Msg = A::Msg;
    async fn started(&mut self, ctx: &mut Context<A::Msg>) -> Outcome {
        ctx.stop();
        Ok(())
    }
    async fn receive(&mut self, ctx: &mut Context<A::Msg>, msg: A::Msg) -> Outcome {
        self.0.receive(ctx, msg).await
    }
}

#[test]
fn int_06_a_wrapper_that_stops_instead_of_starting() {
    let kit = TestKit::new();
    let mut probe = kit.probe::<String>();
    let told = probe.actor_ref().clone();
    let actor = kit.spawn("actor", move || {
        NeverStarts(Behavior::setup(move |_ctx| {
            told.tell("inner set-up".to_owned());
            Ok(speaker(told))
        }))
    });
    actor.tell("hello");
    assert!(matches!(probe.expect_terminated(&actor), Exit::Stopped));
    probe.expect_nothing();
}

#[test]
fn int_07_nested_setups_with_state() {
    fn counting(told: Told) -> Behavior<()> {
        Behavior::setup(move |_ctx| {
            let mut count = 0;
            Ok(Behavior::setup(move |_ctx| {
                count += 1;
                told.tell(format!("set up {count}"));
                Ok(count_on(count, told))
            }))
        })
    }
    fn count_on(count: u32, told: Told) -> Behavior<()> {
        Behavior::receive(move |_ctx, ()| {
            told.tell(format!("count {}", count + 1));
            Ok(count_on(count + 1, told))
        })
    }
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let actor = kit.spawn("actor", move || around("it", &told, counting(told.clone())));
    actor.tell(());
    assert_eq!(
        probe.expect_n(4),
        ["set up 1", "before it", "count 2", "after it"]
    );
}

// differs: INT-09: as DEF-07, a set-up that leads to itself stands for one that yields `same`
#[test]
fn int_09_a_wrapped_setup_that_yields_itself() {
    fn same() -> Behavior<()> {
        Behavior::setup(|_ctx| Ok(same()))
    }
    let kit = TestKit::new();
    let mut probe = kit.probe::<String>();
    let told = probe.actor_ref().clone();
    let actor = kit.spawn("actor", move || around("it", &told, same()));
    assert!(matches!(probe.expect_terminated(&actor), Exit::Failed(_)));
    kit.expect_event(&EventPattern::failure().of("/test/actor").text("set-up"));
    probe.expect_nothing();
}

/// Which message of a protocol ends the actor.
trait HasPill {
    fn is_pill(&self) -> bool;
}

impl HasPill for Counted {
    fn is_pill(&self) -> bool {
        matches!(self, Counted::Pill)
    }
}

struct Poisonable<A>(A);

impl<A: Actor<Msg: HasPill>> Actor for Poisonable<A> {
    type Msg = A::Msg;
    async fn started(&mut self, ctx: &mut Context<A::Msg>) -> Outcome {
        self.0.started(ctx).await
    }
    async fn receive(&mut self, ctx: &mut Context<A::Msg>, msg: A::Msg) -> Outcome {
        if msg.is_pill() {
            ctx.stop();
            return Ok(());
        }
        self.0.receive(ctx, msg).await
    }
    async fn signal(&mut self, ctx: &mut Context<A::Msg>, signal: Signal) -> Outcome {
        self.0.signal(ctx, signal).await
    }
}

#[test]
fn int_10_a_pill_that_the_wrapper_takes() {
    let kit = TestKit::new();
    let mut probe = kit.probe::<()>();
    let actor = kit.spawn("actor", || Poisonable(counter(0)));
    assert_eq!((next(&kit, &actor), next(&kit, &actor)), (0, 1));
    actor.tell(Counted::Pill);
    assert!(matches!(probe.expect_terminated(&actor), Exit::Stopped));
}

/// A wider protocol in front of another: what is not the pill goes on to the child.
enum OrPill<M> {
    Pill,
    Inner(M),
}

impl From<Counted> for OrPill<Counted> {
    fn from(inner: Counted) -> Self {
        Self::Inner(inner)
    }
}

fn poisonable<M: Send + 'static>(inside: Props<M>) -> Props<OrPill<M>> {
    Props::setup(async move |ctx: &mut Context<OrPill<M>>| {
        Ok(passes_on(ctx.spawn("inside", inside)?))
    })
}

fn passes_on<M: Send + 'static>(inside: ActorRef<M>) -> Behavior<OrPill<M>> {
    Behavior::receive(move |_ctx, msg| match msg {
        OrPill::Pill => Ok(Behavior::stopped()),
        OrPill::Inner(msg) => {
            inside.tell(msg);
            Ok(passes_on(inside))
        }
    })
}

// differs: INT-11: a context is typed, so what widens a protocol is a parent that passes on to its child
#[test]
fn int_11_a_pill_in_a_wider_protocol() {
    let kit = TestKit::new();
    let mut probe = kit.probe::<()>();
    let actor = kit.spawn("actor", poisonable(Props::new(|| counter(0))));
    let narrow = actor.narrow::<Counted>();
    assert_eq!((next(&kit, &narrow), next(&kit, &narrow)), (0, 1));
    actor.tell(OrPill::Pill);
    assert!(matches!(probe.expect_terminated(&actor), Exit::Stopped));
    let inside = EventPattern::end().of("/test/actor/inside");
    assert_eq!(kit.events_like(&inside).len(), 1);
}

#[test]
fn int_12_a_wrapper_sees_all_variants() {
    enum Command {
        A,
        B,
    }
    fn commanded(told: Told) -> Behavior<Command> {
        Behavior::receive(move |_ctx, command| {
            told.tell(match command {
                Command::A => "a".to_owned(),
                Command::B => "b".to_owned(),
            });
            Ok(commanded(told))
        })
    }
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let actor = kit.spawn("actor", move || {
        around("it", &told, commanded(told.clone()))
    });
    for (command, name) in [(Command::A, "a"), (Command::B, "b")] {
        actor.tell(command);
        assert_eq!(probe.expect_n(3), ["before it", name, "after it"]);
    }
}

/// Says each signal before the actor inside hears it.
struct SignalsAround<A>(Told, A);

impl<A: Actor> Actor for SignalsAround<A> {
    type Msg = A::Msg;
    async fn started(&mut self, ctx: &mut Context<A::Msg>) -> Outcome {
        self.1.started(ctx).await
    }
    async fn receive(&mut self, ctx: &mut Context<A::Msg>, msg: A::Msg) -> Outcome {
        self.1.receive(ctx, msg).await
    }
    async fn signal(&mut self, ctx: &mut Context<A::Msg>, signal: Signal) -> Outcome {
        self.0.tell(format!("{signal:?}"));
        self.1.signal(ctx, signal).await
    }
}

#[test]
fn int_13_the_wrapper_sees_post_stop_before_the_last_step() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let actor = kit.spawn("actor", move || {
        let inside = told.clone();
        let stops = Behavior::receive(move |_ctx, ()| {
            Ok(Behavior::stopped_with(move || {
                inside.tell("last step".into())
            }))
        });
        SignalsAround(told, stops)
    });
    actor.tell(());
    assert_eq!(probe.expect_n(2), ["PostStop", "last step"]);
    assert!(matches!(probe.expect_terminated(&actor), Exit::Stopped));
}

// differs: INT-14: as INT-02; twenty are twenty, each around the next
#[test]
fn int_14_twenty_wrappers() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let actor = kit.spawn("actor", move || {
        let wrap = |inside, _| around_behaviour("it", told.clone(), inside);
        (0..20).fold(speaker(told.clone()), wrap)
    });
    for _ in 0..2 {
        actor.tell("hello");
        let lines = probe.expect_n(41);
        assert!(lines[..20].iter().all(|line| line == "before it"));
        assert_eq!(lines[20], "hello");
        assert!(lines[21..].iter().all(|line| line == "after it"));
        probe.expect_nothing();
    }
}

/// What a shop is told from outside, and what it hears from its supplier.
enum Shop {
    Order(String),
    Supplied(String),
}

impl From<String> for Shop {
    fn from(order: String) -> Self {
        Self::Order(order)
    }
}

/// Asks its supplier for each order, through an adapter of its own.
struct Shopkeeper {
    told: Told,
    supplier: ActorRef<(String, Reply<String>)>,
    answers: ActorRef<String>,
}

impl Actor for Shopkeeper {
    type Msg = Shop;
    async fn receive(&mut self, _ctx: &mut Context<Shop>, msg: Shop) -> Outcome {
        match msg {
            Shop::Order(order) => {
                self.told.tell(format!("order {order}"));
                self.supplier.tell((order, Reply::to(&self.answers)));
            }
            Shop::Supplied(what) => self.told.tell(format!("supplied {what}")),
        }
        Ok(())
    }
}

fn supplier() -> Behavior<(String, Reply<String>)> {
    Behavior::receive(|_ctx, (order, reply): (String, Reply<String>)| {
        reply.send(order);
        Ok(supplier())
    })
}

fn shop(kit: &TestKit, told: &Told) -> Props<Shop> {
    let (told, supplier) = (told.clone(), kit.spawn("supplier", supplier));
    Props::setup(async move |ctx| {
        Ok(Shopkeeper {
            told,
            supplier,
            answers: ctx.adapter(Shop::Supplied),
        })
    })
}

// differs: INT-15: what transforms a protocol is the reference, so answers to the actor's own adapters do not pass there
#[test]
fn int_15_foreign_answers_bypass_what_transforms_commands() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let shop = kit
        .spawn("shop", shop(&kit, probe.actor_ref()))
        .narrow::<String>();
    let inner = shop.contramap(|n: u32| format!("inner({n})"));
    let outer = inner.contramap(|n: u32| n * 10);
    outer.tell(1);
    assert_eq!(probe.expect_n(2), ["order inner(10)", "supplied inner(10)"]);
    assert!(outer == inner, "it is the same actor");
}

/// Stands in front of an actor: each command is seen here, and nothing else is.
fn in_front<M, S>(is_pill: S, inside: ActorRef<M>) -> Behavior<M>
where
    M: Send + 'static,
    S: Fn(&M) -> bool + Send + 'static,
{
    Behavior::receive(move |_ctx, msg| {
        if is_pill(&msg) {
            return Ok(Behavior::stopped());
        }
        inside.tell(msg);
        Ok(in_front(is_pill, inside))
    })
}

// differs: INT-16: as INT-15; a logger or a pill in front is an actor of its own, and a wrapper of the actor sees all
#[test]
fn int_16_foreign_answers_bypass_what_stands_in_front() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let shop = kit
        .spawn("shop", shop(&kit, probe.actor_ref()))
        .narrow::<String>();
    let log = probe.actor_ref().clone();
    let front = kit.spawn("front", move || {
        let is_pill = move |order: &String| {
            log.tell(format!("log {order}"));
            order == "pill"
        };
        in_front(is_pill, shop)
    });
    front.tell("tea".into());
    assert_eq!(probe.expect_n(3), ["log tea", "order tea", "supplied tea"]);
    front.tell("pill".into());
    assert_eq!(probe.expect(), "log pill");
    probe.expect_nothing();
    assert!(matches!(probe.expect_terminated(&front), Exit::Stopped));
}

#[test]
fn int_16_a_wrapper_of_the_actor_sees_answers_too() {
    let kit = TestKit::new();
    let mut probe = kit.probe();
    let told = probe.actor_ref().clone();
    let supplier = kit.spawn("supplier", supplier);
    let wrapped = Props::setup(async move |ctx| {
        let answers = ctx.adapter(Shop::Supplied);
        let name = told.clone();
        Ok(around(
            "it",
            &name,
            Shopkeeper {
                told,
                supplier,
                answers,
            },
        ))
    });
    let shop = kit.spawn("shop", wrapped);
    shop.tell(Shop::Order("tea".into()));
    let lines = [
        "before it",
        "order tea",
        "after it",
        "before it",
        "supplied tea",
        "after it",
    ];
    assert_eq!(probe.expect_n(6), lines);
}
