//! Schedules with few preemptions: the randomized scheduler of Burckhardt, Kothari, Musuvathi and Nagarakatte ("A
//! Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", 2010).
//!
//! Everybody has a priority, drawn when they first become ready, and the highest of those who are ready goes. At a few
//! steps, drawn beforehand, whoever would go falls below all others instead. A fault that shows only if somebody is
//! interrupted in one place while somebody else goes a long way is found like this; a coin thrown at each step hardly ever
//! lets anybody go a long way.
//!
//! Two things are ours. The steps that count are those at which there is a choice. And how many there will be is not known
//! beforehand, so the stretch from which the changes are drawn is drawn itself, among powers of two. After
//! [`PRIORITY_EPOCH`](limits::PRIORITY_EPOCH) choices everything is drawn again: those who wait for somebody of low priority
//! by looking again and again would otherwise go on for ever.

use crate::limits;
use crate::random::Random;
use std::collections::BTreeMap;

/// Who may go: its kind, and which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Who {
    Actor(u64),
    Task(u64),
    Closure(u64),
    Guest,
}

pub(super) struct Priorities {
    /// How many changes there are in an epoch.
    preemptions: usize,
    /// The choices at which they come, each with the priority that it leaves: below all that are drawn.
    changes: Vec<u64>,
    of: BTreeMap<Who, u64>,
    /// Choices of this epoch so far.
    choices: u64,
}

/// Drawn priorities are at least this.
const LOWEST_DRAWN: u64 = 1 << 32;

impl Priorities {
    pub(super) fn new(preemptions: usize) -> Self {
        Self {
            preemptions,
            changes: Vec::new(),
            of: BTreeMap::new(),
            choices: limits::PRIORITY_EPOCH, // the first one begins with the first choice
        }
    }

    /// The index of the one that goes.
    pub(super) fn choose(
        &mut self,
        random: &mut Random,
        ready: impl ExactSizeIterator<Item = Who> + Clone,
    ) -> usize {
        if ready.len() == 1 {
            return 0;
        }
        if self.choices == limits::PRIORITY_EPOCH {
            self.begin_epoch(random);
        }
        for one in ready.clone() {
            self.of.entry(one).or_insert_with(|| draw_priority(random));
        }
        for change in 0..self.changes.len() {
            if self.changes[change] == self.choices
                && let Some((_, falls)) = self.highest(ready.clone())
            {
                self.of.insert(falls, change as u64);
            }
        }
        self.choices += 1;
        self.highest(ready).map_or(0, |(index, _)| index)
    }

    fn begin_epoch(&mut self, random: &mut Random) {
        let sizes = limits::PRIORITY_EPOCH.ilog2() - limits::PRIORITY_STRETCH_LEAST.ilog2() + 1;
        let stretch = limits::PRIORITY_STRETCH_LEAST << random.below(sizes as usize);
        let draw = |_| random.below(stretch as usize) as u64;
        self.changes = (0..self.preemptions).map(draw).collect();
        self.of.clear();
        self.choices = 0;
    }

    /// Ties are decided by who it is, not by where it stands in the list.
    fn highest(&self, ready: impl Iterator<Item = Who>) -> Option<(usize, Who)> {
        let priority = |who: &Who| self.of.get(who).copied();
        ready
            .enumerate()
            .max_by_key(|(_, who)| (priority(who), *who))
    }
}

fn draw_priority(random: &mut Random) -> u64 {
    LOWEST_DRAWN + random.below(u32::MAX as usize) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who goes at each step, if two actors are always ready.
    fn order(seed: u64, preemptions: usize, steps: usize) -> Vec<Who> {
        let mut random = Random::new(seed);
        let mut priorities = Priorities::new(preemptions);
        let both = [Who::Actor(1), Who::Actor(2)];
        (0..steps)
            .map(|_| both[priorities.choose(&mut random, both.into_iter())])
            .collect()
    }

    fn switches(order: &[Who]) -> usize {
        order.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }

    #[test]
    fn without_preemptions_one_of_them_goes_alone_and_either_may() {
        let firsts: Vec<Who> = (0..100)
            .map(|seed| {
                let order = order(seed, 0, 100);
                assert_eq!(switches(&order), 0);
                order[0]
            })
            .collect();
        let ones = firsts.iter().filter(|who| **who == Who::Actor(1)).count();
        assert!((20..80).contains(&ones), "{ones}");
    }

    #[test]
    fn there_are_as_many_switches_as_preemptions_and_no_more() {
        for preemptions in 1..=3 {
            let steps = limits::PRIORITY_EPOCH as usize; // then priorities are drawn again
            let most = (0..1_000).map(|seed| switches(&order(seed, preemptions, steps)));
            assert_eq!(most.max(), Some(preemptions));
        }
    }

    #[test]
    fn every_early_step_is_a_place_to_be_interrupted_at() {
        let interrupted_at = |seed| {
            let order = order(seed, 1, 64);
            order.iter().position(|who| *who != order[0])
        };
        let places: std::collections::BTreeSet<_> = (0..5_000).filter_map(interrupted_at).collect();
        assert_eq!(
            places.len(),
            63,
            "all but the first, before which nobody has gone"
        );
    }

    #[test]
    fn whoever_has_the_lowest_priority_goes_in_one_of_the_next_epochs() {
        let order = order(0, 0, 40 * limits::PRIORITY_EPOCH as usize);
        assert!(switches(&order) > 5);
    }
}
