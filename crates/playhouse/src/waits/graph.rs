//! Who waits for whom, as numbers: nothing but the question whether there is a way from one to another.

use crate::limits;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Edges by who waits. In the order of their numbers, so that a seed sees the same each time.
#[derive(Debug, Default)]
pub(super) struct Graph(BTreeMap<u64, Vec<Edge>>);

/// A wait, and the actor it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) wait: u64,
    pub(super) to: u64,
}

impl Graph {
    pub(super) fn add(&mut self, from: u64, edge: Edge) {
        self.0.entry(from).or_default().push(edge);
    }

    pub(super) fn remove(&mut self, from: u64, wait: u64) {
        if let Some(edges) = self.0.get_mut(&from) {
            edges.retain(|edge| edge.wait != wait);
            if edges.is_empty() {
                self.0.remove(&from);
            }
        }
    }

    /// The oldest first.
    pub(super) fn waits_of(&self, actor: u64) -> &[Edge] {
        self.0.get(&actor).map_or(&[], Vec::as_slice)
    }

    /// The waits on a shortest way, which is empty from an actor to itself. Looks at no more than
    /// [`limits::WAITS_FOLLOWED`] actors.
    pub(super) fn way(&self, from: u64, to: u64) -> Option<Vec<u64>> {
        let mut seen = BTreeSet::from([from]);
        let mut next = VecDeque::from([(from, Vec::new())]);
        while let Some((actor, way)) = next.pop_front() {
            if actor == to {
                return Some(way);
            }
            for edge in self.waits_of(actor) {
                if seen.len() < limits::WAITS_FOLLOWED && seen.insert(edge.to) {
                    let mut further = way.clone();
                    further.push(edge.wait);
                    next.push_back((edge.to, further));
                }
            }
        }
        None
    }

    /// Along the oldest wait of each actor, until somebody waits for nobody or was there before.
    pub(super) fn chain(&self, from: u64) -> Vec<u64> {
        let mut seen = BTreeSet::from([from]);
        let mut chain = Vec::new();
        let mut actor = from;
        while let Some(edge) = self.waits_of(actor).first()
            && chain.len() < limits::WAITS_NAMED
        {
            chain.push(edge.wait);
            actor = edge.to;
            if !seen.insert(actor) {
                break;
            }
        }
        chain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of a wait tells its ends: 12 is the wait of 1 for 2.
    fn graph(waits: &[u64]) -> Graph {
        let mut graph = Graph::default();
        for &wait in waits {
            let to = wait % 10;
            graph.add(wait / 10, Edge { wait, to });
        }
        graph
    }

    #[test]
    fn a_way_follows_the_waits_and_none_back() {
        let graph = graph(&[12, 23, 31]);
        assert_eq!(graph.way(1, 3), Some(vec![12, 23]));
        assert_eq!(graph.way(2, 1), Some(vec![23, 31]));
        assert_eq!(graph.way(1, 4), None);
        assert_eq!(graph.way(4, 4), Some(vec![]), "an actor is with itself");
    }

    #[test]
    fn a_way_is_a_shortest_one() {
        assert_eq!(graph(&[12, 23, 34, 14]).way(1, 4), Some(vec![14]));
    }

    #[test]
    fn what_was_removed_is_no_way() {
        let mut graph = graph(&[12, 23]);
        graph.remove(1, 12);
        graph.remove(1, 12);
        assert_eq!(graph.way(1, 3), None);
        assert!(graph.waits_of(1).is_empty());
    }

    #[test]
    fn a_loop_that_leads_elsewhere_ends() {
        let graph = graph(&[12, 21, 22]);
        assert_eq!(graph.way(1, 3), None);
        assert_eq!(graph.chain(1), [12, 21]);
    }

    #[test]
    fn the_search_is_bounded() {
        let mut graph = Graph::default();
        let far = limits::WAITS_FOLLOWED as u64 + 1;
        (0..far).for_each(|n| graph.add(n, Edge { wait: n, to: n + 1 }));
        assert!(graph.way(2, far).is_some());
        assert_eq!(graph.way(0, far), None);
        assert_eq!(graph.chain(0).len(), limits::WAITS_NAMED);
    }
}
