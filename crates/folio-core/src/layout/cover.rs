//! What words leave free between them along a line.

/// The stretches that words cover, sorted and apart by at least the narrowest gutter.
#[derive(Clone, Debug, Default)]
pub(super) struct Cover {
    stretches: Vec<(f32, f32)>,
    least_gap: f32,
}

impl Cover {
    /// Covers all `stretches`; gaps narrower than `least_gap` count as covered.
    pub(super) fn of(mut stretches: Vec<(f32, f32)>, least_gap: f32) -> Cover {
        stretches.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        let mut cover = Cover {
            stretches: Vec::new(),
            least_gap,
        };
        stretches
            .into_iter()
            .for_each(|stretch| cover.push(stretch));
        cover
    }

    /// Covers what either covers.
    pub(super) fn and(&self, other: &Cover) -> Cover {
        let mut cover = Cover {
            stretches: Vec::with_capacity(self.stretches.len() + 1),
            least_gap: self.least_gap,
        };
        let (mut ones, mut others) = (self.stretches.as_slice(), other.stretches.as_slice());
        while let Some(first) = [ones.first(), others.first()]
            .into_iter()
            .flatten()
            .copied()
            .reduce(left_of)
        {
            let from = if ones.first() == Some(&first) {
                &mut ones
            } else {
                &mut others
            };
            *from = &from[1..];
            cover.push(first);
        }
        cover
    }

    /// The gaps, from left to right.
    pub(super) fn gaps(&self) -> impl Iterator<Item = (f32, f32)> {
        self.stretches.windows(2).map(|pair| (pair[0].1, pair[1].0))
    }

    /// `stretch` begins after all that were pushed before.
    fn push(&mut self, stretch: (f32, f32)) {
        match self
            .stretches
            .last_mut()
            .filter(|last| stretch.0 - last.1 < self.least_gap)
        {
            Some(last) => last.1 = last.1.max(stretch.1),
            None => self.stretches.push(stretch),
        }
    }
}

fn left_of(one: (f32, f32), other: (f32, f32)) -> (f32, f32) {
    if other.0 < one.0 { other } else { one }
}
