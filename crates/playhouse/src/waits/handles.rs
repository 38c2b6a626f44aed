//! Who keeps whom alive: actors with [`Lifetime::Handles`](crate::Lifetime::Handles) that are still there at the shutdown,
//! because the last handle on each is held by another one.
//!
//! Nobody counts who holds which handle. But when the shutdown stops them, each lets go of what it holds, in a turn of its
//! own or on its behalf; so whoever drops the last handle of another has kept it alive until then.

use super::graph::{Edge, Graph};
use crate::address::Address;
use crate::cell::{Core, CoreRef};
use crate::here;
use crate::sync::{AtomicBool, Mutex, Ordering};
use std::collections::{BTreeMap, BTreeSet};

/// Those of one system, while it stops its actors.
#[derive(Default)]
pub(crate) struct HeldHandles {
    is_watching: AtomicBool,
    register: Mutex<Register>,
}

#[derive(Default)]
struct Register {
    /// Who was alive at the beginning.
    alive: BTreeMap<u64, Address>,
    /// Who has held the last handle of whom.
    held: Vec<(u64, u64)>,
}

impl HeldHandles {
    /// Before actors are stopped. Those that drain have lost their last handle already, or were asked to.
    pub(crate) fn begin(&self, actors: &[CoreRef]) {
        let alive = actors.iter().filter(|actor| actor.ends_with_handles());
        let alive = alive.filter(|actor| !actor.is_draining());
        let alive = alive.map(|actor| (actor.address.uid(), actor.address.clone()));
        self.register.lock().alive = alive.collect();
        self.is_watching.store(true, Ordering::Release); // a hint: what is dropped just now is not seen
    }

    /// The last handle of an actor that ends with it is dropped.
    pub(crate) fn note(&self, whose: &Core) {
        if !self.is_watching.load(Ordering::Acquire) {
            return;
        }
        let holder = here::in_whose_turn(|holder| holder.map(|holder| holder.address.uid()));
        if let Some(holder) = holder {
            let mut register = self.register.lock();
            register.held.push((holder, whose.address.uid()));
        }
    }

    /// After they have ended: each circle once.
    pub(crate) fn end(&self) -> Vec<Vec<Address>> {
        self.is_watching.store(false, Ordering::Release);
        let Register { alive, held } = std::mem::take(&mut *self.register.lock());
        let name = |uid: &u64| alive.get(uid).cloned();
        let circles = circles(&held).into_iter();
        circles
            .filter_map(|circle| circle.iter().map(name).collect())
            .collect()
    }
}

/// Each begins with its smallest number, and ends with it.
fn circles(held: &[(u64, u64)]) -> Vec<Vec<u64>> {
    let mut graph = Graph::default();
    for (wait, &(from, to)) in held.iter().enumerate() {
        let wait = wait as u64;
        graph.add(from, Edge { wait, to });
    }
    let mut found = Vec::new();
    let mut known = BTreeSet::new();
    let holders: BTreeSet<u64> = held.iter().map(|(from, _)| *from).collect();
    for holder in holders {
        let steps = graph.waits_of(holder).iter();
        let ways = steps.filter_map(|step| Some((step.to, graph.way(step.to, holder)?)));
        let Some((next, way)) = ways.min_by_key(|(_, way)| way.len()) else {
            continue;
        };
        let mut circle = vec![holder, next];
        circle.extend(way.iter().map(|&wait| held[wait as usize].1));
        let members: BTreeSet<u64> = circle.iter().copied().collect();
        if known.is_disjoint(&members) {
            found.push(circle);
        }
        known.extend(members);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_circle_is_found_once() {
        assert_eq!(circles(&[(2, 1), (1, 2), (3, 1)]), [vec![1, 2, 1]]);
        assert_eq!(circles(&[(3, 1), (1, 2), (2, 3)]), [vec![1, 2, 3, 1]]);
        assert_eq!(circles(&[(1, 1), (1, 2)]), [vec![1, 1]]);
        assert_eq!(circles(&[(1, 2), (2, 1), (5, 4), (4, 5)]).len(), 2);
    }

    #[test]
    fn who_holds_and_is_not_held_is_in_no_circle() {
        assert!(circles(&[(1, 2), (2, 3)]).is_empty());
        assert!(circles(&[]).is_empty());
    }
}
