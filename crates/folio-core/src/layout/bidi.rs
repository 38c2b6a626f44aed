//! From the order of the eye to the order of reading.
//!
//! The page shows a line; the Unicode bidirectional algorithm tells how text becomes a line, and this is its reverse as
//! far as there is one: the line runs in the direction of most of its letters, and inside it runs of the other direction
//! turn around. Numbers always run left to right.

use super::script::{Script, script};
use crate::model::Word;

/// What a piece of a line counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Run {
    Left,
    Right,
    Number,
    Neutral,
}

impl Run {
    /// That of a single character.
    pub(super) fn of(script: Script) -> Run {
        match script {
            Script::Left | Script::Ideograph => Run::Left,
            Script::Right => Run::Right,
            Script::Digit => Run::Number,
            Script::Neutral => Run::Neutral,
        }
    }

    /// That of a word: its letters decide, then its digits.
    pub(super) fn of_word(runs: impl Iterator<Item = Run>) -> Run {
        runs.fold(Run::Neutral, |word, run| match (word, run) {
            (Run::Right, _) | (_, Run::Right) => Run::Right,
            (Run::Left, _) | (_, Run::Left) => Run::Left,
            (Run::Number, _) | (_, Run::Number) => Run::Number,
            _ => Run::Neutral,
        })
    }
}

/// Turns the characters of a word that holds right-to-left letters from the order of the eye into that of reading.
pub(super) fn read_word<T>(items: &mut [T], run: impl Fn(&T) -> Run) {
    items.reverse();
    // The reversed word is read from the right: what runs left to right turns back.
    let inner = |item: &T| matches!(run(item), Run::Left | Run::Number);
    turn_runs(
        items,
        inner,
        |item| inner(item) || run(item) == Run::Neutral,
        inner,
    );
}

/// Turns the words of a line from the order of the eye into that of reading.
pub(super) fn read_line<T>(words: &mut [T], right_to_left: bool, run: impl Fn(&T) -> Run) {
    let between = |item: &T| matches!(run(item), Run::Number | Run::Neutral);
    if right_to_left {
        words.reverse();
        // Seen from the right, a number can only end a left-to-right run: it follows its word.
        let left = |item: &T| run(item) == Run::Left;
        let first = |item: &T| matches!(run(item), Run::Left | Run::Number);
        turn_runs(words, first, |item| left(item) || between(item), left);
    } else {
        let right = |item: &T| run(item) == Run::Right;
        turn_runs(words, right, |item| right(item) || between(item), right);
    }
}

/// Brackets in right-to-left text come either as they are meant or as they look, depending on who wrote the file. When
/// those of a line do not pair as they are, but do when mirrored, they came as they look.
pub(super) fn mirror_brackets(words: &mut [Word]) {
    let turns = |word: &Word| !word.text.contains(|letter| script(letter) == Script::Left);
    let as_they_are = words.iter().flat_map(|word| word.text.chars());
    let turned = words.iter().flat_map(|word| {
        let turns = turns(word);
        word.text
            .chars()
            .map(move |letter| if turns { mirrored(letter) } else { letter })
    });
    if pairs(as_they_are) >= pairs(turned) {
        return;
    }
    for word in words.iter_mut().filter(|word| turns(word)) {
        word.text = word.text.chars().map(mirrored).collect();
    }
}

/// Pairs of brackets less those that stay alone.
fn pairs(letters: impl Iterator<Item = char>) -> i32 {
    let (mut open, mut pairs, mut alone) = (Vec::new(), 0, 0);
    for letter in letters.filter(|letter| mirrored(*letter) != *letter) {
        if "([{".contains(letter) {
            open.push(letter);
        } else if open.pop().is_some_and(|first| mirrored(first) == letter) {
            pairs += 1;
        } else {
            alone += 1;
        }
    }
    pairs - alone - open.len() as i32
}

fn mirrored(letter: char) -> char {
    match letter {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '{' => '}',
        '}' => '{',
        other => other,
    }
}

/// Reverses every longest run that begins with `first`, ends with `last` and holds only `inside`.
fn turn_runs<T>(
    items: &mut [T],
    first: impl Fn(&T) -> bool,
    inside: impl Fn(&T) -> bool,
    last: impl Fn(&T) -> bool,
) {
    let mut start = 0;
    while start < items.len() {
        if !first(&items[start]) {
            start += 1;
            continue;
        }
        let reach = items[start..]
            .iter()
            .take_while(|item| inside(item))
            .count();
        let length = (1..=reach)
            .rev()
            .find(|&length| last(&items[start + length - 1]))
            .unwrap_or(1);
        items[start..start + length].reverse();
        start += length;
    }
}
