//! Whatever a user gives to the runtime is dropped exactly once, however its actor ends and wherever it is by then.

mod common;

use common::seeds::{end, for_each_seed, stepped};
use common::system;
use playhouse::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;

/// How often each tracked value was dropped.
#[derive(Clone, Default)]
struct Tally(Arc<Mutex<BTreeMap<String, Vec<u32>>>>);

impl Tally {
    fn track(&self, place: &'static str) -> Tracked {
        let mut all = self.0.lock().unwrap();
        let drops = all.entry(place.to_owned()).or_default();
        drops.push(0);
        Tracked {
            tally: self.clone(),
            place,
            number: drops.len() - 1,
        }
    }

    fn count(&self, place: &str) -> usize {
        self.0.lock().unwrap().get(place).map_or(0, Vec::len)
    }

    /// Everything, in every place, once.
    #[track_caller]
    fn assert_all_dropped_once(&self, context: &str) {
        let all = self.0.lock().unwrap();
        assert_eq!(all.len(), PLACES, "{context}: {:?}", all.keys());
        for (place, drops) in all.iter() {
            let is_once = drops.iter().all(|drops| *drops == 1);
            assert!(is_once, "{context}, {place}: {drops:?}");
        }
    }
}

/// Belongs to the user, and is never cloned.
struct Tracked {
    tally: Tally,
    place: &'static str,
    number: usize,
}

impl Drop for Tracked {
    fn drop(&mut self) {
        let mut all = self.tally.0.lock().unwrap();
        all.get_mut(self.place).unwrap()[self.number] += 1;
    }
}

/// All that [`Hoarder::fill`] and [`Scene::fill`] hold, the factory's and the state.
const PLACES: usize = 28;

enum Msg {
    /// Put something in every place.
    Fill(ActorRef<Reply<Tracked>>, ActorRef<Tracked>),
    Stash(Tracked),
    /// Take one back from the stash, and stay in the handler with this in hand.
    Hold(Tracked),
    Value(#[allow(dead_code)] Tracked), // it is there to be dropped
    Ask(#[allow(dead_code)] Tracked, #[allow(dead_code)] Reply<()>),
    /// Whatever an answer brought.
    Nothing,
}

struct Hoarder {
    tally: Tally,
    gate: Arc<Semaphore>,
    /// A pipe waits for this one.
    pipes: Arc<Semaphore>,
    fails: bool,
    _state: Tracked,
}

impl Hoarder {
    fn track(&self, place: &'static str) -> Tracked {
        self.tally.track(place)
    }

    fn fill(&self, ctx: &mut Context<Msg>, silent: &ActorRef<Reply<Tracked>>) {
        self.set_timers(ctx);
        self.begin_own_work(ctx, silent);
        let idle = self.track("receive timeout");
        let counts = self.track("what a receive timeout counts");
        ctx.receive_timeout_counting(
            secs(3_600),
            move |_msg| {
                let _ = &counts;
                true
            },
            move || {
                let _ = &idle;
                Msg::Nothing
            },
        );
        self.watch(ctx);
    }

    fn set_timers(&self, ctx: &mut Context<Msg>) {
        let mut timers = ctx.timers();
        timers.once("far", secs(3_600), Msg::Value(self.track("timer")));
        timers.once("near", millis(1), Msg::Value(self.track("tick")));
        timers.once(
            "replaced",
            secs(1),
            Msg::Value(self.track("replaced timer")),
        );
        timers.once("replaced", secs(3_600), Msg::Nothing);
        timers.once(
            "cancelled",
            secs(1),
            Msg::Value(self.track("cancelled timer")),
        );
        timers.cancel("cancelled");
        let (delay, rate) = (self.track("fixed delay"), self.track("fixed rate"));
        timers.fixed_delay("delay", millis(1), move || {
            let _ = &delay;
            Msg::Nothing
        });
        timers.fixed_rate("rate", millis(1), move || {
            let _ = &rate;
            Msg::Nothing
        });
    }

    fn begin_own_work(&self, ctx: &mut Context<Msg>, silent: &ActorRef<Reply<Tracked>>) {
        let (future, map) = (self.track("pending pipe"), self.track("map of a pipe"));
        let pipes = self.pipes.clone();
        let waits = async move {
            let _may_end = pipes.acquire().await;
            drop(future);
        };
        ctx.pipe_to_self(waits, move |()| Msg::Value(map));
        let value = self.track("result of a pipe");
        ctx.pipe_to_self(async move { value }, Msg::Value);
        let on = ctx.system().dispatcher("fixed").unwrap();
        let work = self.track("blocking work");
        ctx.pipe_blocking(&on, move || drop(work), |()| Msg::Nothing);
        let map = self.track("map of an own ask");
        let answered = move |_answer| Msg::Value(map);
        ctx.ask(silent, secs(3_600), |reply| reply, answered);
        let function = self.track("adapter");
        let adapter = ctx.adapter(move |value| {
            let _ = &function;
            Msg::Value(value)
        });
        adapter.tell(self.track("adapted message"));
        ctx.again(Msg::Value(self.track("message to oneself")));
    }

    fn watch(&self, ctx: &mut Context<Msg>) {
        let system = ctx.system().clone();
        let watches = [
            ("watch", waits as fn() -> Behavior<()>),
            ("watch of one who is gone", Behavior::stopped),
        ];
        for (place, other) in watches {
            let other = system.spawn_anonymous(other);
            let value = self.track(place);
            ctx.watch_with(&other, move |_exit| Msg::Value(value));
        }
        let (revoked, other) = (self.track("revoked watch"), system.spawn_anonymous(waits));
        ctx.watch_with(&other, move |_exit| Msg::Value(revoked));
        ctx.unwatch(&other);
    }
}

fn waits() -> Behavior<()> {
    Behavior::receive(|_ctx, ()| Ok(waits()))
}

impl Actor for Hoarder {
    type Msg = Msg;
    async fn receive(&mut self, ctx: &mut Context<Msg>, msg: Msg) -> Outcome {
        match msg {
            Msg::Fill(silent, other) => {
                self.fill(ctx, &silent);
                ctx.schedule_once(secs(3_600), &other, self.track("message for somebody else"));
                ctx.schedule_once(millis(1), &other, self.track("message sent later"));
            }
            Msg::Stash(value) => ctx.stash(Msg::Value(value))?,
            Msg::Hold(value) => {
                let _held = value;
                ctx.unstash(1);
                tokio::select! {
                    biased;
                    () = ctx.stopping() => {}
                    permit = self.gate.acquire() => permit?.forget(),
                }
                if self.fails {
                    return Err("on purpose".into());
                }
            }
            Msg::Value(_) | Msg::Ask(..) | Msg::Nothing => {}
        }
        Ok(())
    }
}

/// Keeps every question, and answers none.
fn silent(mut kept: Vec<Reply<Tracked>>) -> Behavior<Reply<Tracked>> {
    Behavior::receive(move |_ctx, reply| {
        kept.push(reply);
        Ok(silent(kept))
    })
}

fn takes() -> Behavior<Tracked> {
    Behavior::receive(|_ctx, value| {
        drop(value);
        Ok(takes())
    })
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Ending {
    Stop,
    Drain,
    Kill,
    Failure,
    Restart,
    Shutdown,
    RuntimeDropped,
}

const ENDINGS: [Ending; 7] = [
    Ending::Stop,
    Ending::Drain,
    Ending::Kill,
    Ending::Failure,
    Ending::Restart,
    Ending::Shutdown,
    Ending::RuntimeDropped,
];

/// Of a factory: each clone of it has a value of its own.
struct Captured(Tracked);

impl Clone for Captured {
    fn clone(&self) -> Self {
        Self(self.0.tally.track(self.0.place))
    }
}

/// One actor of one system, which holds a value in every place.
struct Scene {
    tally: Tally,
    gate: Arc<Semaphore>,
    pipes: Arc<Semaphore>,
    actor: ActorRef<Msg>,
    other: ActorRef<Tracked>,
    silent: ActorRef<Reply<Tracked>>,
}

impl Scene {
    fn new(system: &ActorSystem, ending: Ending) -> Self {
        let tally = Tally::default();
        let [gate, pipes] = [(); 2].map(|()| Arc::new(Semaphore::new(0)));
        let captured = Captured(tally.track("captured by the factory"));
        let (of_state, gates) = (tally.clone(), (gate.clone(), pipes.clone()));
        let props = Props::new(move || {
            drop(captured);
            Hoarder {
                _state: of_state.track("state"),
                fails: matches!(ending, Ending::Failure | Ending::Restart),
                tally: of_state,
                gate: gates.0,
                pipes: gates.1,
            }
        });
        let props = match ending {
            Ending::Restart => props.supervise(Supervise::restart().at_once()),
            _ => props,
        };
        Self {
            actor: system.spawn("hoarder", props).unwrap(),
            other: system.spawn("other", takes).unwrap(),
            silent: system.spawn("silent", || silent(Vec::new())).unwrap(),
            tally,
            gate,
            pipes,
        }
    }

    /// First what the handler takes, then what waits behind it.
    fn fill(&self, system: &ActorSystem) {
        let track = |place| self.tally.track(place);
        let (silent, other) = (self.silent.clone(), self.other.clone());
        self.actor.tell(Msg::Fill(silent, other));
        for _ in 0..3 {
            self.actor.tell(Msg::Stash(track("stash")));
        }
        self.actor.tell(Msg::Hold(track("in hand")));
        for _ in 0..3 {
            self.actor.tell(Msg::Value(track("mailbox")));
        }
        let (to, question) = (self.actor.clone(), track("question"));
        let asks = Props::func(async move |_ctx: &mut Context<()>| {
            let asked = to.ask(|reply| Msg::Ask(question, reply));
            let _ = asked.within(secs(60)).await; // whatever comes of it
            Ok(())
        });
        system.spawn_anonymous(asks);
        let (to, value) = (self.actor.contramap(Msg::Value), track("behind a function"));
        to.tell(value);
        drop(self.actor.try_reserve());
    }

    fn give_the_order(&self, ending: Ending) {
        match ending {
            Ending::Stop => self.actor.stop(),
            Ending::Kill => self.actor.kill(),
            Ending::Drain => {
                self.actor.drain();
                self.pipes.add_permits(1); // which a drain waits for,
                self.silent.stop(); // and for the own ask
            }
            _ => {}
        }
        if matches!(ending, Ending::Drain | Ending::Failure | Ending::Restart) {
            self.gate.add_permits(1);
        }
    }
}

#[test]
fn every_value_of_a_user_is_dropped_exactly_once() {
    for ending in ENDINGS {
        for_each_seed(16, |seed| {
            let (system, world, _events) = stepped(seed);
            let scene = Scene::new(&system, ending);
            scene.fill(&system);
            world.settle();
            world.advance(millis(5)); // what is due by then queues up behind the handler
            scene.give_the_order(ending);
            if ending != Ending::RuntimeDropped {
                world.settle();
                end(&system, &world);
            }
            drop(world);
            assert_eq!(system.ledger().balance(), 0, "{ending:?}");
            let tally = scene.tally.clone();
            drop((scene, system));
            tally.assert_all_dropped_once(&format!("{ending:?}"));
        });
    }
}

#[test]
fn every_value_is_dropped_exactly_once_when_a_tokio_runtime_is_dropped() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let (system, scene) = runtime.block_on(async {
        let (system, _events) = system();
        let system = system.clone();
        let scene = Scene::new(&system, Ending::RuntimeDropped);
        scene.fill(&system);
        while scene.tally.count("in hand") == 0 || system.ledger().stashed < 3 {
            tokio::task::yield_now().await;
        }
        (system, scene)
    });
    drop(runtime);
    let tally = scene.tally.clone();
    drop(scene);
    let exits = system.blocking_shutdown();
    assert_eq!(exits.ledger.balance(), 0);
    drop(system);
    tally.assert_all_dropped_once("runtime dropped");
}
