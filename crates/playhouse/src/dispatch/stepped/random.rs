//! Splitmix64 (Steele, Lea and Flood, 2014): a counter and three multiplications, well mixed from the first draw on,
//! also for seeds that differ in one bit.

pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// One of `0..bound`; the unevenness is below `bound` / 2^64.
    pub(super) fn below(&mut self, bound: usize) -> usize {
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
    fn every_choice_is_made_and_none_outside_of_the_bound() {
        let mut random = Random::new(0);
        let mut seen = [0; 7];
        for _ in 0..7_000 {
            seen[random.below(7)] += 1;
        }
        assert!(seen.iter().all(|count| *count > 800), "{seen:?}");
    }
}
