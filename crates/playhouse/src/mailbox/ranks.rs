//! What an actor with priorities has taken out of its message lane and not handled yet: a message of level 0 comes first,
//! and within a level the oldest.
//!
//! * A message keeps its place in the mailbox until its handler takes it; moving it here frees nothing. So the capacity
//!   of the mailbox bounds this too.
//! * What the actor began itself (answers to its own asks, pipes, ticks) has no level before it is made, and is made in
//!   its turn only. It comes before messages, in its order of arrival, so no flood of messages starves it.
//! * News of an ended actor comes after everything that arrived before it, whatever its level, because what that actor
//!   sent is among it; and before everything that arrives later. It is an *end of an epoch*: levels are compared within
//!   one. So nothing starves it either, at the price that a message of level 0 may wait behind one epoch's messages.

use super::{Rare, Slot};
use crate::sync::catch;
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

/// A message's level, as its actor's mailbox says.
pub(crate) type Level<M> = fn(&M) -> u8;

/// The messages of one actor, by rank.
pub(crate) struct Ranks<M> {
    level: Level<M>,
    /// Own results, which come first.
    own: VecDeque<Slot<M>>,
    ranked: BinaryHeap<Reverse<Ranked<M>>>,
    epoch: u64,
    arrivals: u64,
}

/// Compared in this order. `LAST` is behind every level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    epoch: u64,
    level: u16,
    arrival: u64,
}

const LAST: u16 = u8::MAX as u16 + 1;

struct Ranked<M> {
    rank: Rank,
    slot: Slot<M>,
    /// An adapter of this incarnation made the message.
    is_adapted: bool,
}

impl<M> Ranks<M> {
    pub(crate) fn new(level: Level<M>) -> Self {
        Self {
            level,
            own: VecDeque::new(),
            ranked: BinaryHeap::new(),
            epoch: 0,
            arrivals: 0,
        }
    }

    pub(crate) fn put(&mut self, slot: Slot<M>) {
        self.rank(slot, false);
    }

    /// What an adapter's function made: before it was called there was no message to have a level.
    pub(crate) fn put_adapted(&mut self, slot: Slot<M>) {
        self.rank(slot, true);
    }

    fn rank(&mut self, slot: Slot<M>, is_adapted: bool) {
        let level = match &slot {
            Slot::Plain(msg) => self.level_of(msg),
            Slot::Asked(envelope) => self.level_of(&envelope.msg),
            Slot::Rare(rare) if matches!(**rare, Rare::Terminated { .. }) => LAST,
            _ => return self.own.push_back(slot),
        };
        let rank = Rank {
            epoch: self.epoch,
            level,
            arrival: self.arrivals,
        };
        self.arrivals += 1;
        self.epoch += u64::from(level == LAST);
        self.ranked.push(Reverse(Ranked {
            rank,
            slot,
            is_adapted,
        }));
    }

    pub(crate) fn next(&mut self) -> Option<Slot<M>> {
        let best = || self.ranked.pop().map(|Reverse(ranked)| ranked.slot);
        self.own.pop_front().or_else(best)
    }

    /// The incarnation whose adapters they are for has ended. In no order.
    pub(crate) fn take_adapted(&mut self) -> Vec<Slot<M>> {
        let is_broken = |slot: &Slot<M>| match slot {
            Slot::Rare(rare) => matches!(**rare, Rare::BrokenAdapter(_)),
            _ => false,
        };
        let (mut taken, own): (Vec<_>, Vec<_>) = self.own.drain(..).partition(is_broken);
        self.own = own.into();
        let is_adapted = |Reverse(ranked): &Reverse<Ranked<M>>| ranked.is_adapted;
        let (adapted, rest): (Vec<_>, Vec<_>) = self.ranked.drain().partition(is_adapted);
        self.ranked = rest.into();
        taken.extend(adapted.into_iter().map(|Reverse(ranked)| ranked.slot));
        taken
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.own.is_empty() && self.ranked.is_empty()
    }

    /// The user's function. One that panics says nothing about the message, which then is not lost, but last.
    fn level_of(&self, msg: &M) -> u16 {
        catch(|| (self.level)(msg))
            .map_or(u8::MAX, |level| level)
            .into()
    }
}

impl<M> PartialEq for Ranked<M> {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}
impl<M> Eq for Ranked<M> {}

impl<M> PartialOrd for Ranked<M> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<M> Ord for Ranked<M> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank.cmp(&other.rank)
    }
}

#[cfg(all(test, not(playhouse_loom)))]
mod tests {
    use super::*;
    use crate::actor::Exit;
    use crate::address::Address;

    fn order_of(slots: impl IntoIterator<Item = Slot<u32>>) -> Vec<String> {
        let mut ranks = Ranks::new(|n: &u32| match n {
            999 => panic!("a level that panics"),
            n => (n / 100) as u8,
        });
        slots.into_iter().for_each(|slot| ranks.put(slot));
        let order = std::iter::from_fn(|| ranks.next()).map(name).collect();
        assert!(ranks.is_empty());
        order
    }

    fn name(slot: Slot<u32>) -> String {
        match slot {
            Slot::Plain(n) => n.to_string(),
            Slot::Completion(_, make) => format!("own {}", make()),
            _ => "ended".to_owned(),
        }
    }

    fn ended() -> Slot<u32> {
        Slot::rare(Rare::Terminated {
            who: Address::root("gone"),
            exit: Exit::Stopped,
        })
    }

    #[test]
    fn levels_first_then_age() {
        let order = order_of([200, 101, 1, 102, 0, 201].map(Slot::Plain));
        assert_eq!(order, ["1", "0", "101", "102", "200", "201"]);
    }

    #[test]
    fn own_results_come_first_in_their_order() {
        let own = |n: u32| Slot::Completion(0, Box::new(move || n));
        let order = order_of([Slot::Plain(1), own(7), Slot::Plain(0), own(6)]);
        assert_eq!(order, ["own 7", "own 6", "1", "0"]);
    }

    #[test]
    fn news_of_an_end_divides_what_came_before_it_from_what_comes_later() {
        let order = order_of([Slot::Plain(300), ended(), Slot::Plain(0), Slot::Plain(200)]);
        assert_eq!(order, ["300", "ended", "0", "200"]);
        let order = order_of([ended(), ended(), Slot::Plain(0)]);
        assert_eq!(order, ["ended", "ended", "0"]);
    }

    #[test]
    fn a_level_that_panics_is_the_last_one() {
        let order = order_of([999, 1, 25_500, 999].map(Slot::Plain));
        assert_eq!(order, ["1", "999", "25500", "999"]);
    }
}
