//! The arithmetic of rounds.

/// The middle; the mean of the two in the middle when the number is even.
///
/// # Panics
/// When there is none.
#[must_use]
pub fn median(rounds: &[f64]) -> f64 {
    assert!(!rounds.is_empty(), "a median needs a round");
    let mut sorted = rounds.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        f64::midpoint(sorted[middle - 1], sorted[middle])
    }
}

/// How far the rounds lie apart, as a share of their median: 0 when all are alike.
///
/// # Panics
/// When there is none.
#[must_use]
pub fn spread(rounds: &[f64]) -> f64 {
    let most = rounds.iter().copied().fold(f64::MIN, f64::max);
    let least = rounds.iter().copied().fold(f64::MAX, f64::min);
    (most - least) / median(rounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-12
    }

    #[test]
    fn the_median_is_the_middle_whatever_the_order() {
        assert!(same(median(&[9.0, 1.0, 4.0]), 4.0));
        assert!(same(median(&[4.0, 1.0, 2.0, 9.0]), 3.0));
        assert!(same(median(&[7.0]), 7.0));
    }

    #[test]
    fn the_spread_is_a_share_of_the_median() {
        assert!(same(spread(&[5.0, 5.0, 5.0]), 0.0));
        assert!(same(spread(&[8.0, 10.0, 13.0]), 0.5));
    }
}
