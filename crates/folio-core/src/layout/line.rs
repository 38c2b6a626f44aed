//! Lines: words that stand on one baseline.

use super::frame::Span;
use super::galley::Piece;
use super::limits::LINE_OVERLAP;

/// A line on its way: words in the order of the eye.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) words: Vec<Piece>,
    /// Those of its largest word: superscripts do not move the line.
    pub(super) baseline: f32,
    pub(super) size: f32,
    /// Along the line by ink, across it by the nominal height of its largest word.
    pub(super) span: Span,
}

impl Draft {
    fn new(word: Piece) -> Draft {
        Draft {
            baseline: word.baseline,
            size: word.size,
            span: word.span(),
            words: vec![word],
        }
    }

    fn push(&mut self, word: Piece) {
        let span = word.span();
        if word.size > self.size * 1.05 {
            self.baseline = word.baseline;
            self.size = word.size;
            self.span.v0 = span.v0;
            self.span.v1 = span.v1;
        }
        self.span.u0 = self.span.u0.min(span.u0);
        self.span.u1 = self.span.u1.max(span.u1);
        self.words.push(word);
    }
}

/// Gathers the words of a region in lines from top to bottom.
pub(super) fn lines(mut words: Vec<Piece>) -> Vec<Draft> {
    words.sort_by(|one, other| {
        one.baseline
            .total_cmp(&other.baseline)
            .then(one.start.total_cmp(&other.start))
    });
    let mut lines: Vec<Draft> = Vec::new();
    for word in words {
        match lines
            .last_mut()
            .filter(|line| shares_line(&line.span, &word.span()))
        {
            Some(line) => line.push(word),
            None => lines.push(Draft::new(word)),
        }
    }
    for line in &mut lines {
        line.words
            .sort_by(|one, other| one.start.total_cmp(&other.start));
    }
    lines
}

/// Does most of the lower of the two lie beside the other?
pub(super) fn shares_line(one: &Span, other: &Span) -> bool {
    let shared = one.v1.min(other.v1) - one.v0.max(other.v0);
    shared >= LINE_OVERLAP * (one.v1 - one.v0).min(other.v1 - other.v0)
}
