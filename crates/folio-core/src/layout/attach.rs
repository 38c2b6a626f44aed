//! Words whose letters do not share a row: superscripts and subscripts, drifting baselines, drop caps.

use super::galley::{Galley, Piece};
use super::limits::{
    ATTACHED_GAP, DROP_CAP_SIZE, DROP_CAP_WORDS, DROP_CAPS_MOST, ROW_SPAN, SCRIPT_ROWS,
    SCRIPT_SHIFT, SCRIPT_SIZE, SCRIPT_SIZE_LEAST,
};
use super::script::Script;

/// Joins the pieces of all rows that follow each other without a gap: `x`, its index and the letter behind.
pub(super) fn join_rows(galley: &mut Galley<'_>, rows: &[Vec<Piece>]) -> Vec<Piece> {
    let starts: Vec<usize> = rows
        .iter()
        .scan(0, |start, row| {
            let own = *start;
            *start += row.len();
            Some(own)
        })
        .collect();
    let pieces: Vec<Piece> = rows.iter().flatten().copied().collect();
    let followers = followers(rows, &starts, pieces.len());
    let mut is_free = vec![true; pieces.len()];
    followers
        .iter()
        .flatten()
        .for_each(|&follower| is_free[follower] = false);
    let mut joined = Vec::with_capacity(pieces.len());
    for first in (0..pieces.len()).filter(|&index| is_free[index]) {
        let mut piece = pieces[first];
        let mut last = first;
        while let Some(next) = followers[last] {
            piece = galley.join(&piece, &pieces[next]);
            last = next;
        }
        joined.push(piece);
    }
    joined
}

/// For each piece the one in another row that follows it without a gap. No piece follows two, and as followers lie
/// further along the line none follows itself.
fn followers(rows: &[Vec<Piece>], starts: &[usize], count: usize) -> Vec<Option<usize>> {
    let mut followers = vec![None; count];
    let mut taken = vec![false; count];
    for (row, pieces) in rows.iter().enumerate() {
        let near = near_rows(rows, row);
        if near.is_empty() {
            continue;
        }
        for (index, piece) in pieces.iter().enumerate() {
            let reach = piece.end - 2.5 * ATTACHED_GAP * piece.size;
            let follower = near.iter().find_map(|&other| {
                let at = rows[other].partition_point(|next| next.start < reach);
                let next = rows[other].get(at)?;
                let place = starts[other] + at;
                (!taken[place] && is_attached(piece, next)).then_some(place)
            });
            if let Some(place) = follower {
                taken[place] = true;
                followers[starts[row] + index] = Some(place);
            }
        }
    }
    followers
}

/// The rows near enough in height to hold a superscript or subscript of this one, nearest first.
fn near_rows(rows: &[Vec<Piece>], row: usize) -> Vec<usize> {
    let baseline = |row: usize| {
        rows[row]
            .first()
            .map_or(f32::INFINITY, |piece| piece.baseline)
    };
    let size = rows[row].iter().map(|piece| piece.size).fold(0.0, f32::max);
    // The script may be in this row and its base, twice as large, in the other.
    let is_near =
        |other: &usize| (baseline(*other) - baseline(row)).abs() <= 2.0 * SCRIPT_SHIFT * size;
    let above = (row.saturating_sub(SCRIPT_ROWS)..row)
        .rev()
        .take_while(is_near);
    let below = (row + 1..rows.len().min(row + 1 + SCRIPT_ROWS)).take_while(is_near);
    above.chain(below).collect()
}

fn is_attached(piece: &Piece, next: &Piece) -> bool {
    let (small, large) = (piece.size.min(next.size), piece.size.max(next.size));
    let shift = (piece.baseline - next.baseline).abs();
    let gap = next.start - piece.end;
    let is_script = (SCRIPT_SIZE_LEAST..=SCRIPT_SIZE).contains(&(small / large))
        && shift <= SCRIPT_SHIFT * large;
    let drifts = shift <= ROW_SPAN * small;
    let touches = gap >= -2.5 * ATTACHED_GAP * small && gap <= ATTACHED_GAP * large;
    next.start > piece.start && next.end > piece.end && touches && (is_script || drifts)
}

/// Puts drop caps in front of the word they begin, which keeps its place in the line grid.
pub(super) fn join_drop_caps(galley: &mut Galley<'_>, words: &mut Vec<Piece>, em: f32) {
    for _ in 0..DROP_CAPS_MOST {
        let Some((cap, word)) = find_drop_cap(galley, words, em) else {
            return;
        };
        words[word] = galley.lead(&words[cap], &words[word]);
        words.remove(cap);
    }
}

/// A drop cap and the word it begins.
fn find_drop_cap(galley: &Galley<'_>, words: &[Piece], em: f32) -> Option<(usize, usize)> {
    let is_cap = |word: &Piece| {
        word.size >= DROP_CAP_SIZE * em
            && word.len() == 1
            && galley
                .glyphs(word)
                .all(|glyph| glyph.script == Script::Left)
    };
    let beginning = |cap: &Piece| {
        let near = words
            .iter()
            .enumerate()
            .filter(|(_, word)| begins(galley, cap, word));
        let mut near = near.take(DROP_CAP_WORDS);
        near.find(|(_, word)| has_line_at_foot(cap, words, word))
            .map(|(at, _)| at)
    };
    let caps = words
        .iter()
        .enumerate()
        .filter(|(_, word)| is_cap(word))
        .take(DROP_CAPS_MOST);
    caps.into_iter()
        .find_map(|(at, cap)| Some((at, beginning(cap)?)))
}

/// Does the word stand right of the top of the cap?
fn begins(galley: &Galley<'_>, cap: &Piece, word: &Piece) -> bool {
    let gap = word.start - cap.end;
    let top = |piece: &Piece| {
        galley
            .placed(piece)
            .iter()
            .map(|item| item.ink.v0)
            .fold(f32::INFINITY, f32::min)
    };
    word.size * DROP_CAP_SIZE <= cap.size
        && (-0.2 * word.size..word.size).contains(&gap)
        && word.baseline < cap.baseline - 0.5 * word.size
        && (top(word) - top(cap)).abs() < 0.5 * word.size
}

/// A cap drops when another line of the same text stands beside its foot.
fn has_line_at_foot(cap: &Piece, words: &[Piece], first: &Piece) -> bool {
    let is_at_foot = |word: &Piece| {
        (word.baseline - cap.baseline).abs() < 0.35 * word.size
            && (word.size - first.size).abs() < 0.1 * first.size
            && (word.start - first.start).abs() < 1.5 * first.size
    };
    words.iter().any(is_at_foot)
}
