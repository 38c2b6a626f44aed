//! Randomness comes only from here: a seeded generator, and one seed that nobody chose.
//!
//! Splitmix64 (Steele, Lea and Flood, 2014): a counter and three multiplications, well mixed from the first draw on,
//! also for seeds that differ in one bit.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

pub(crate) struct Random(u64);

#[cfg_attr(not(feature = "testkit"), allow(dead_code))] // a stepped world draws more
impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Seeded by the operating system, through the standard library's own seed.
    pub(crate) fn from_entropy() -> Self {
        Self(RandomState::new().build_hasher().finish())
    }

    /// One of 0.0..1.0, in steps of 2^-53.
    pub(crate) fn fraction(&mut self) -> f64 {
        const STEPS: f64 = (1_u64 << 53) as f64;
        (self.next() >> 11) as f64 / STEPS
    }

    /// One of `0..bound`; the unevenness is below `bound` / 2^64.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        debug_assert!(bound > 0, "there is nothing to choose from");
        let product = u128::from(self.next()) * bound as u128;
        (product >> 64) as usize
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_published_sequence() {
        let mut random = Random::new(1_234_567);
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!([random.next(), random.next(), random.next()], published);
    }

    #[test]
    fn fractions_fill_the_unit_interval() {
        let mut random = Random::new(0);
        let draws: Vec<f64> = (0..1_000).map(|_| random.fraction()).collect();
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
        assert!(draws.iter().any(|draw| *draw < 0.05) && draws.iter().any(|draw| *draw > 0.95));
    }

    #[test]
    fn two_seeds_that_nobody_chose_differ() {
        assert_ne!(Random::from_entropy().next(), Random::from_entropy().next());
    }

    #[test]
    fn every_choice_is_made_and_none_outside_of_the_bound() {
        let mut random = Random::new(0);
        let mut seen = [0; 7];
        for _ in 0..7_000 {
            seen[random.below(7)] += 1;
        }
        assert!(seen.iter().all(|count| *count > 800), "{seen:?}");
    }
}
