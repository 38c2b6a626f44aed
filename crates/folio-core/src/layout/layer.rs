//! Layers: letters that lie over each other, told apart and put in order by the stream.
//!
//! This is where the order of the stream counts: places say nothing about letters that share one. Letters that do not
//! lie over each other are never moved.

use std::collections::BTreeMap;

use super::galley::Placed;
use super::glyph::Glyphs;
use super::limits::{LAYERS_MOST, OVERPRINT, OVERPRINTED_LETTERS, REORDER_REACH, RUN_STEP};
use super::row;
use super::script::Script;

/// Parts a row that is sorted along the line into layers, one behind the other, and gives their lengths.
///
/// Text printed over other text, or put over it for readers, gets a layer of its own. In each layer letters that lie over
/// their neighbours follow the direction of their run.
pub(super) fn part(page: &Glyphs, row: &mut [Placed]) -> Vec<usize> {
    let overprints = overprints(page, row);
    if overprints.is_empty() {
        return vec![row.len()];
    }
    let runs = Runs::of(page, row);
    let layers = layers(&runs, &overprints);
    row.sort_by_key(|item| layers[runs.at(item)]);
    let mut lengths = Vec::new();
    for layer in row.chunk_by_mut(|one, next| layers[runs.at(one)] == layers[runs.at(next)]) {
        follow_runs(page, layer, &runs);
        lengths.push(layer.len());
    }
    lengths
}

/// Pairs of letters that lie over each other: each letter and its neighbour, or the one before that reaches furthest.
fn overprints(page: &Glyphs, row: &[Placed]) -> Vec<(Placed, Placed)> {
    let mut overprints = Vec::new();
    let mut furthest: Option<&Placed> = None;
    for (index, item) in row.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &row[before]);
        let beyond = furthest.filter(|furthest| before.is_some_and(|b| b.glyph != furthest.glyph));
        for other in before.into_iter().chain(beyond) {
            if lies_over(page, other, item) {
                overprints.push((*other, *item));
            }
        }
        if furthest.is_none_or(|furthest| item.ink.u1 > furthest.ink.u1) {
            furthest = Some(item);
        }
    }
    overprints
}

/// Does most of the narrower letter lie over the other one? A letter drawn twice does not: it is dropped later.
fn lies_over(page: &Glyphs, one: &Placed, other: &Placed) -> bool {
    let shared = one.ink.u1.min(other.ink.u1) - one.ink.u0.max(other.ink.u0);
    let narrower = one.ink.width().min(other.ink.width());
    let level = one.ink.v0 < other.ink.v1 && other.ink.v0 < one.ink.v1;
    let is_letter = |item: &Placed| page.glyphs[item.glyph as usize].script != Script::Neutral;
    shared > OVERPRINT * narrower
        && level
        && is_letter(one)
        && is_letter(other)
        && !row::repeats(page, std::slice::from_ref(one), other)
}

/// The layer of each run: the first in which it lies over no run before it in the stream.
fn layers(runs: &Runs, overprints: &[(Placed, Placed)]) -> Vec<usize> {
    let mut letters: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (one, other) in overprints {
        let (one, other) = (runs.at(one), runs.at(other));
        if one != other {
            *letters.entry((one.max(other), one.min(other))).or_default() += 1;
        }
    }
    let mut layers = vec![0; runs.runs.len()];
    for run in 0..layers.len() {
        let pairs = letters.range((run, 0)..(run + 1, 0));
        let taken: Vec<usize> = pairs
            .filter(|(_, letters)| **letters >= OVERPRINTED_LETTERS)
            .map(|((_, below), _)| layers[*below])
            .collect();
        layers[run] = (0..LAYERS_MOST)
            .find(|layer| !taken.contains(layer))
            .unwrap_or(LAYERS_MOST - 1);
    }
    layers
}

/// Moves letters that lie over the ones before them back to where their run has them.
fn follow_runs(page: &Glyphs, layer: &mut [Placed], runs: &Runs) {
    for index in 1..layer.len() {
        let mut at = index;
        while at > 0
            && index - at < REORDER_REACH
            && runs.turns(&layer[at - 1], &layer[at])
            && lies_over(page, &layer[at - 1], &layer[at])
        {
            layer.swap(at - 1, at);
            at -= 1;
        }
    }
}

/// A stretch of the stream whose glyphs stand side by side.
struct Run {
    /// Its first glyph.
    first: u32,
    /// Steps of the stream along the line less those back.
    forward: i32,
}

/// The runs of a row in the order of the stream.
struct Runs {
    runs: Vec<Run>,
}

impl Runs {
    fn of(page: &Glyphs, row: &[Placed]) -> Runs {
        let mut stream: Vec<&Placed> = row.iter().collect();
        stream.sort_by_key(|item| item.glyph);
        let mut runs: Vec<Run> = Vec::new();
        let mut before: Option<&Placed> = None;
        for item in stream {
            let follows = before.filter(|before| are_near(before, item));
            match (runs.last_mut(), follows) {
                // Letters that share a place say nothing about the direction.
                (Some(_), Some(before)) if lies_over(page, before, item) => {}
                (Some(run), Some(before)) => {
                    run.forward += if item.start > before.start { 1 } else { -1 };
                }
                _ => runs.push(Run {
                    first: item.glyph,
                    forward: 0,
                }),
            }
            before = Some(item);
        }
        Runs { runs }
    }

    /// The run of a glyph.
    fn at(&self, item: &Placed) -> usize {
        self.runs.partition_point(|run| run.first <= item.glyph) - 1
    }

    /// Does their run have these two the other way round?
    fn turns(&self, one: &Placed, next: &Placed) -> bool {
        let run = self.at(one);
        let forward = self.runs[run].forward;
        let stream = one.glyph.cmp(&next.glyph) as i32;
        run == self.at(next) && stream * forward.signum() > 0
    }
}

/// Do two glyphs stand side by side, in either order?
fn are_near(one: &Placed, other: &Placed) -> bool {
    let step = RUN_STEP * one.size.max(other.size);
    (other.start - one.end).abs() <= step || (one.start - other.end).abs() <= step
}
