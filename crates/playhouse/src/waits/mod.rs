//! Which actor waits for which, and what is to be done when they wait in a circle.
//!
//! 1. A wait of an actor stands here only when it is slow: an ask that was not answered within a tick, a `send` or
//!    `reserve` that found no place. A fast one costs nothing.
//! 2. A cycle is *certain* when nobody on it can move: each actor's handler pends, with exactly one wait of its own and no
//!    [outside waker](crate::cell::waker) about, so nothing else can wake it; and what it waits for is to come from the next
//!    one's handler, because its request lies untaken in that mailbox, or that mailbox is full and no permit is out. The
//!    number of each actor's pause is read twice, and between the two all asks come onto the list: so all of it was true at
//!    one moment. Such waits fail.
//! 3. Of a request that a handler has had in hand nobody knows where its `Reply` is: mostly with that handler, which makes
//!    the cycle as dead as any; but it may have been passed on. Such a cycle counts only when nobody on it has moved for
//!    [`limits::CYCLE_PATIENCE`].
//! 4. Everything else that stays in a circle for so long is *suspected*: published, and left alone. A handler that waits for
//!    several things, and an actor that has stashed messages while it waits for the answer to a `Context::ask`.
//!
//! The deadlines look here with each of their ticks as long as there is a circle ([`deadlines`](crate::deadlines)).

mod cycle;
mod graph;
mod handles;

pub(crate) use cycle::Chain;
pub use cycle::Cycle;
pub(crate) use handles::HeldHandles;

use crate::ask::handles::{Key, Progress, Watch};
use crate::cell::{Core, CoreRef};
use crate::clock::Deadline;
use crate::events::Event;
use crate::limits;
use crate::sync::Mutex;
use graph::{Edge, Graph};
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::time::Duration;

/// The slow waits of one system.
#[derive(Default)]
pub(crate) struct Waits(Mutex<Register>);

#[derive(Default)]
struct Register {
    last: u64,
    graph: Graph,
    waits: BTreeMap<u64, Wait>,
    circles: Vec<Circle>,
    /// For asks that end without an answer, by the address of the ask.
    notes: BTreeMap<usize, Note>,
}

/// One wait. What it holds is dropped outside of every lock: it may be the last that keeps an actor's memory.
pub(crate) struct Wait {
    from: CoreRef,
    to: CoreRef,
    message: &'static str,
    kind: Kind,
}

enum Kind {
    /// An ask, inside a handler.
    Ask(Key),
    /// A `send` or a `reserve`, inside a handler; and why it fails.
    Place(Option<Cycle>),
    /// An ask outside of every handler, whose answer comes as a message.
    OwnAsk,
}

/// Why an ask has no answer.
pub(crate) enum Note {
    Cycle(Cycle),
    /// Whom the actor that was asked waited for.
    Late(Chain),
}

/// Waits in a circle, of which it is not known what to make.
struct Circle {
    waits: Vec<u64>,
    /// When it was looked at first, and when it is next.
    looks: Option<(Deadline, Deadline)>,
}

/// The pauses of the actors in a circle, at the first of two looks.
pub(crate) type Pauses = BTreeMap<u64, u16>;

/// What is to be done about circles.
#[derive(Default)]
pub(crate) struct Findings {
    /// Asks to end; each has its note.
    pub(crate) asks: Vec<Key>,
    /// Actors that wait for a place, to be woken.
    pub(crate) places: Vec<CoreRef>,
    pub(crate) events: Vec<(CoreRef, Event)>,
}

/// What is known of one actor in a circle, and of its wait.
#[derive(Clone, Copy, Debug)]
struct Facts {
    /// Its handler has been waiting the same wait at both looks.
    is_paused: bool,
    /// Nothing else can wake it.
    is_exclusive: bool,
    has_stashed: bool,
    wait: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The request lies in the mailbox, or the mailbox is full for good.
    Untaken,
    InHand,
    /// Somebody outside of the circle may end it.
    Open,
    OwnAsk,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    NotYet,
    Suspected,
    Certain,
}

fn judge(circle: &[Facts], age: Duration) -> Verdict {
    let is_old = age >= limits::CYCLE_PATIENCE;
    let is_dead = |facts: &Facts| {
        let is_stuck = match facts.wait {
            Stage::Untaken => true,
            Stage::InHand => is_old,
            Stage::Open | Stage::OwnAsk => false,
        };
        facts.is_paused && facts.is_exclusive && is_stuck
    };
    let looks_stuck =
        |facts: &Facts| facts.is_paused || (facts.wait == Stage::OwnAsk && facts.has_stashed);
    if circle.iter().all(is_dead) {
        Verdict::Certain
    } else if is_old && circle.iter().all(looks_stuck) {
        Verdict::Suspected
    } else {
        Verdict::NotYet
    }
}

/// For those who wait.
impl Waits {
    /// An ask has become slow. `None`: it is no actor that waits. The second: there may be a circle now.
    pub(crate) fn begin_ask(&self, watch: &Watch, key: Key) -> Option<(u64, bool)> {
        let from = watch.who_waits()?;
        let to = CoreRef::new(watch.core());
        Some(self.begin(from, to, watch.request(), Kind::Ask(key)))
    }

    /// There is no place for it in that mailbox.
    pub(crate) fn begin_place(&self, from: &Core, to: &Core) -> (u64, bool) {
        let (from, to) = (CoreRef::new(from), CoreRef::new(to));
        let message = to.protocol();
        self.begin(from, to, message, Kind::Place(None))
    }

    /// An ask whose answer comes as a message.
    pub(crate) fn begin_own_ask(
        &self,
        from: &Core,
        to: &Core,
        message: &'static str,
    ) -> (u64, bool) {
        let (from, to) = (CoreRef::new(from), CoreRef::new(to));
        self.begin(from, to, message, Kind::OwnAsk)
    }

    /// It is over. To be dropped where no lock is held.
    #[must_use = "it is dropped where no lock is held"]
    pub(crate) fn end(&self, wait: u64) -> Option<Wait> {
        let mut register = self.0.lock();
        let over = register.waits.remove(&wait)?;
        register.graph.remove(over.from.address.uid(), wait);
        register
            .circles
            .retain(|circle| !circle.waits.contains(&wait));
        Some(over)
    }

    /// Why that wait for a place fails, if it does.
    pub(crate) fn why_no_place(&self, wait: u64) -> Option<Cycle> {
        match &self.0.lock().waits.get(&wait)?.kind {
            Kind::Place(why) => why.clone(),
            _ => None,
        }
    }

    /// Leaves word for an ask that ends without an answer: for whom the one that it asked waits.
    pub(crate) fn note_late(&self, watch: &Watch) {
        let mut register = self.0.lock();
        let chain = register.chain(watch.core());
        if !chain.is_empty() {
            let ask = watch.name().addr().get();
            register.notes.insert(ask, Note::Late(chain));
        }
    }

    /// Takes the word that was left for an ask.
    pub(crate) fn take_note(&self, ask: NonNull<()>) -> Option<Note> {
        self.0.lock().notes.remove(&ask.addr().get())
    }

    fn begin(&self, from: CoreRef, to: CoreRef, message: &'static str, kind: Kind) -> (u64, bool) {
        let mut register = self.0.lock();
        let (waiting, target) = (from.address.uid(), to.address.uid());
        register.last += 1;
        let wait = register.last;
        let way_back = register.graph.way(target, waiting);
        register.graph.add(waiting, Edge { wait, to: target });
        let kind = Wait {
            from,
            to,
            message,
            kind,
        };
        register.waits.insert(wait, kind);
        let is_circle = way_back.is_some();
        if let Some(way_back) = way_back {
            let waits = [vec![wait], way_back].concat();
            register.circles.push(Circle { waits, looks: None });
        }
        (wait, is_circle)
    }
}

/// For the ticker.
impl Waits {
    /// When to look again, if there is a circle.
    pub(crate) fn next_look(&self, now: Deadline) -> Option<Deadline> {
        let mut register = self.0.lock();
        let looks = register.circles.iter_mut().map(|circle| {
            let (_, next) = *circle.looks.get_or_insert((now, now.later(limits::TICK)));
            next
        });
        looks.min()
    }

    /// The first look, before the asks that are waiting come onto the list.
    pub(crate) fn look(&self, now: Deadline) -> Pauses {
        let register = self.0.lock();
        let due = register.circles.iter().filter(|circle| circle.is_due(now));
        let waits = due.flat_map(|circle| &circle.waits);
        let actors = waits.filter_map(|wait| Some(&register.waits.get(wait)?.from));
        actors
            .filter_map(|actor| Some((actor.address.uid(), actor.paused()?)))
            .collect()
    }

    /// The second look, after it.
    pub(crate) fn judge<'a>(
        &self,
        now: Deadline,
        before: &Pauses,
        watch: impl Fn(&Key) -> Option<&'a Watch>,
    ) -> Findings {
        let mut findings = Findings::default();
        let mut register = self.0.lock();
        for mut circle in std::mem::take(&mut register.circles) {
            let Some((since, _)) = circle.looks.filter(|_| circle.is_due(now)) else {
                register.circles.push(circle);
                continue;
            };
            let age = now.since(since);
            let facts = |wait| Some(register.facts(register.waits.get(wait)?, before, &watch));
            let Some(facts) = circle.waits.iter().map(facts).collect::<Option<Vec<_>>>() else {
                continue; // one of the waits is over
            };
            match judge(&facts, age) {
                Verdict::NotYet => {
                    circle.looks = Some((since, now.later(age.max(limits::TICK))));
                    register.circles.push(circle);
                }
                Verdict::Suspected => register.publish(&circle, false, &mut findings),
                Verdict::Certain => {
                    register.publish(&circle, true, &mut findings);
                    register.fail(&circle, &watch, &mut findings);
                }
            }
        }
        findings
    }
}

impl Circle {
    fn is_due(&self, now: Deadline) -> bool {
        self.looks.is_some_and(|(_, next)| next <= now)
    }
}

impl Register {
    fn facts<'a>(
        &self,
        wait: &Wait,
        before: &Pauses,
        watch: impl Fn(&Key) -> Option<&'a Watch>,
    ) -> Facts {
        let (from, uid) = (&wait.from, wait.from.address.uid());
        let own = self.graph.waits_of(uid).iter();
        let own = own.filter_map(|edge| self.waits.get(&edge.wait));
        let own = own
            .filter(|wait| !matches!(wait.kind, Kind::OwnAsk))
            .count();
        // In this order: whoever has woken it has done so before its waker is gone.
        let is_exclusive = own == 1 && !from.has_outside_wakers();
        let pause = from.paused();
        Facts {
            is_paused: pause.is_some() && pause.as_ref() == before.get(&uid),
            is_exclusive,
            has_stashed: from.stashed() > 0,
            wait: match &wait.kind {
                Kind::OwnAsk => Stage::OwnAsk,
                Kind::Place(_) if wait.to.has_no_permits_out() => Stage::Untaken,
                Kind::Place(_) => Stage::Open,
                Kind::Ask(key) => match watch(key).map_or(Progress::Over, Watch::progress) {
                    Progress::Untaken => Stage::Untaken,
                    Progress::InHand => Stage::InHand,
                    Progress::Over => Stage::Open,
                },
            },
        }
    }

    /// From that actor on.
    fn chain(&self, from: &Core) -> Chain {
        self.named(from, &self.graph.chain(from.address.uid()))
    }

    fn named(&self, from: &Core, waits: &[u64]) -> Chain {
        let mut chain = Chain::new(from.address.clone());
        for wait in waits.iter().filter_map(|wait| self.waits.get(wait)) {
            chain.push(wait.message, wait.to.address.clone());
        }
        chain
    }

    fn cycle(&self, circle: &Circle) -> Option<(CoreRef, Cycle)> {
        let first = &self.waits.get(circle.waits.first()?)?.from;
        Some((first.clone(), Cycle::new(self.named(first, &circle.waits))))
    }

    fn publish(&self, circle: &Circle, certain: bool, findings: &mut Findings) {
        if let Some((first, path)) = self.cycle(circle) {
            findings
                .events
                .push((first, Event::Cycle { path, certain }));
        }
    }

    /// Leaves word for everybody on it why their waits fail.
    fn fail<'a>(
        &mut self,
        circle: &Circle,
        watch: impl Fn(&Key) -> Option<&'a Watch>,
        findings: &mut Findings,
    ) {
        let Some((_, cycle)) = self.cycle(circle) else {
            return;
        };
        for wait in &circle.waits {
            let Some(wait) = self.waits.get_mut(wait) else {
                continue;
            };
            let own = cycle.beginning_with(&wait.from.address);
            match &mut wait.kind {
                Kind::Place(why) => {
                    *why = Some(own);
                    findings.places.push(wait.from.clone());
                }
                Kind::Ask(key) => {
                    if let Some(watch) = watch(key) {
                        let ask = watch.name().addr().get();
                        self.notes.insert(ask, Note::Cycle(own));
                        findings.asks.push(*key);
                    }
                }
                Kind::OwnAsk => {}
            }
        }
    }
}
