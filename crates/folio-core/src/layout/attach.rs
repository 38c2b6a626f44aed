//! Words whose letters do not share a row: superscripts and subscripts, drifting baselines, drop caps.

use super::glyph::Glyphs;
use super::limits::{
    ATTACHED_GAP, DROP_CAP_SIZE, DROP_CAPS_MOST, ROW_SPAN, SCRIPT_ROWS, SCRIPT_SHIFT, SCRIPT_SIZE,
};
use super::script::Script;
use super::word::Piece;

/// Joins the pieces of all rows that follow each other without a gap: `x`, its index and the letter behind.
pub(super) fn join_rows(page: &Glyphs, rows: Vec<Vec<Piece>>) -> Vec<Piece> {
    let follower: Vec<Vec<Option<Place>>> = followers(&rows);
    let mut followed: Vec<Vec<bool>> = rows.iter().map(|row| vec![false; row.len()]).collect();
    for place in follower.iter().flatten().flatten() {
        followed[place.row][place.index] = true;
    }
    let mut pieces: Vec<Vec<Option<Piece>>> = rows
        .into_iter()
        .map(|row| row.into_iter().map(Some).collect())
        .collect();
    let mut joined = Vec::new();
    for row in 0..pieces.len() {
        for index in 0..pieces[row].len() {
            if followed[row][index] {
                continue;
            }
            let Some(mut piece) = pieces[row][index].take() else {
                continue;
            };
            let mut place = Place { row, index };
            while let Some(next) = follower[place.row][place.index] {
                let Some(other) = pieces[next.row][next.index].take() else {
                    break;
                };
                piece.append(page, other);
                place = next;
            }
            joined.push(piece);
        }
    }
    joined
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    row: usize,
    index: usize,
}

/// For each piece the one in another row that follows it without a gap. No piece follows two.
fn followers(rows: &[Vec<Piece>]) -> Vec<Vec<Option<Place>>> {
    let mut taken: Vec<Vec<bool>> = rows.iter().map(|row| vec![false; row.len()]).collect();
    let mut followers = Vec::with_capacity(rows.len());
    for (row, pieces) in rows.iter().enumerate() {
        let near = near_rows(rows, row);
        let follower = |piece: &Piece| {
            let found = near.iter().find_map(|&other| {
                let index = rows[other].partition_point(|next| {
                    next.start < piece.end - 2.5 * ATTACHED_GAP * piece.size
                });
                let next = rows[other].get(index)?;
                let place = Place { row: other, index };
                (!taken[other][index] && is_attached(piece, next)).then_some(place)
            });
            if let Some(place) = found {
                taken[place.row][place.index] = true;
            }
            found
        };
        followers.push(pieces.iter().map(follower).collect());
    }
    followers
}

/// The rows near enough in height to hold a superscript or subscript of this one, nearest first.
fn near_rows(rows: &[Vec<Piece>], row: usize) -> Vec<usize> {
    let baseline = |row: &Vec<Piece>| row.first().map_or(f32::INFINITY, |piece| piece.baseline);
    let size = rows[row].iter().map(|piece| piece.size).fold(0.0, f32::max);
    let own = baseline(&rows[row]);
    // The script may be in this row, and its base in the other: sizes up to twice as large are looked at.
    let is_near =
        |other: &&usize| (baseline(&rows[**other]) - own).abs() <= 2.0 * SCRIPT_SHIFT * size;
    let above: Vec<usize> = (row.saturating_sub(SCRIPT_ROWS)..row).rev().collect();
    let below: Vec<usize> = (row + 1..rows.len().min(row + 1 + SCRIPT_ROWS)).collect();
    above
        .iter()
        .take_while(is_near)
        .chain(below.iter().take_while(is_near))
        .copied()
        .collect()
}

fn is_attached(piece: &Piece, next: &Piece) -> bool {
    let (small, large) = (piece.size.min(next.size), piece.size.max(next.size));
    let shift = (piece.baseline - next.baseline).abs();
    let gap = next.start - piece.end;
    let is_script = small <= SCRIPT_SIZE * large && shift <= SCRIPT_SHIFT * large;
    let drifts = shift <= ROW_SPAN * small;
    next.end > piece.end
        && gap.abs() <= 2.5 * ATTACHED_GAP * small
        && gap <= ATTACHED_GAP * large
        && (is_script || drifts)
}

/// Puts drop caps in front of the word they begin, which keeps its place in the line grid.
pub(super) fn join_drop_caps(page: &Glyphs, words: &mut Vec<Piece>, em: f32) {
    let is_cap = |word: &Piece| {
        word.size >= DROP_CAP_SIZE * em
            && matches!(word.glyphs.as_slice(), [only] if page.glyphs[only.glyph as usize].script == Script::Left)
    };
    for _ in 0..DROP_CAPS_MOST {
        let beginning = |cap: &Piece| {
            words
                .iter()
                .position(|word| begins(cap, word) && stands_beside(cap, words, word))
        };
        let found = (0..words.len())
            .filter(|&at| is_cap(&words[at]))
            .find_map(|at| Some((at, beginning(&words[at])?)));
        let Some((cap, word)) = found else { return };
        let drop_cap = words[cap].clone();
        words[word].lead(drop_cap);
        words.remove(cap);
    }
}

/// Does the word stand right of the top of the cap?
fn begins(cap: &Piece, word: &Piece) -> bool {
    let gap = word.start - cap.end;
    let top = |piece: &Piece| {
        piece
            .glyphs
            .iter()
            .map(|glyph| glyph.ink.v0)
            .fold(f32::INFINITY, f32::min)
    };
    word.size * DROP_CAP_SIZE <= cap.size
        && (-0.2 * word.size..word.size).contains(&gap)
        && (top(word) - top(cap)).abs() < 0.5 * word.size
        && word.baseline < cap.baseline - 0.5 * word.size
}

/// A cap drops when another line of the same text stands beside its foot.
fn stands_beside(cap: &Piece, words: &[Piece], first: &Piece) -> bool {
    let is_beside = |word: &Piece| {
        (word.baseline - cap.baseline).abs() < 0.35 * word.size
            && (word.size - first.size).abs() < 0.1 * first.size
            && (word.start - first.start).abs() < 1.5 * first.size
    };
    words.iter().any(is_beside)
}
