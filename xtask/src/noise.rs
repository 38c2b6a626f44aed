//! Numbers that look random and are the same on every machine, for generated files.

/// A stream of pseudo-random numbers: SplitMix64, as Steele, Lea and Flood published it in 2014.
#[derive(Clone, Debug)]
pub struct Noise {
    state: u64,
}

impl Noise {
    /// The stream that belongs to `seed`.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A whole number from 0 up to, but not including, `end`. The bias of the modulus is far below what a page shows.
    ///
    /// # Panics
    /// When `end` is 0: an empty range has no member to return.
    pub fn below(&mut self, end: u64) -> u64 {
        assert!(end > 0, "a range needs at least one number");
        self.bits() % end
    }

    /// A fraction from 0 up to, but not including, 1, in steps of 2^-24, so that it is exact in `f32`.
    pub fn fraction(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u32 << 24) as f32
    }

    /// A number from `low` up to `high`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.fraction()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_of_seed_zero_is_the_published_one() {
        let mut noise = Noise::seeded(0);
        assert_eq!(noise.bits(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(noise.bits(), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn fractions_stay_below_one() {
        let mut noise = Noise::seeded(7);
        assert!((0..10_000).all(|_| (0.0..1.0).contains(&noise.fraction())));
    }
}
