//! From drafts to the model: logical order, boxes in 1/100 pt, fonts and sizes stored once per line.

use folio_pdf::Rect;

use super::bidi::{self, Run};
use super::frame::Frame;
use super::glyph::{Glyph, Glyphs};
use super::line::Draft;
use super::script::{self, Script};
use super::word::Piece;
use crate::model::{Block, Bounds, Direction, Line, Word, hundredths};

/// The model's block for some lines of a frame.
pub(super) fn block(
    page: &Glyphs,
    frame: Frame,
    lines: Vec<Draft>,
    page_right_to_left: bool,
) -> Block {
    let lines: Vec<Line> = lines
        .into_iter()
        .map(|draft| line(page, frame, draft, page_right_to_left))
        .collect();
    let bounds = Bounds::around(lines.iter().map(|line| line.bounds)).unwrap_or_default();
    Block { bounds, lines }
}

/// [`Line::hyphenated`] is only what the line itself says: its last word holds a soft hyphen.
fn line(page: &Glyphs, frame: Frame, draft: Draft, page_right_to_left: bool) -> Line {
    let glyphs = || {
        draft
            .words
            .iter()
            .flat_map(|word| &word.glyphs)
            .map(|item| &page.glyphs[item.glyph as usize])
    };
    let count = |wanted: Script| glyphs().filter(|glyph| glyph.script == wanted).count();
    let (left, right) = (count(Script::Left), count(Script::Right));
    let right_to_left = right > 0 && !frame.vertical && (page_right_to_left || right > left);
    let loose = Bounds::around(glyphs().map(|glyph| bounds(glyph.loose))).unwrap_or_default();
    let invisible = glyphs().all(|glyph| glyph.invisible);
    let (size, font) = style(
        draft
            .words
            .iter()
            .max_by_key(|word| word.glyphs.len())
            .map(|word| middle(page, word)),
    );
    let mut pieces: Vec<(Run, Piece)> = draft
        .words
        .into_iter()
        .map(|word| (Run::of_word(runs(page, &word)), word))
        .collect();
    bidi::read_line(&mut pieces, right_to_left, |(run, _)| *run);
    let soft = |piece: &Piece| {
        piece
            .glyphs
            .iter()
            .any(|item| page.glyphs[item.glyph as usize].soft_hyphen)
    };
    let hyphenated = pieces.last().is_some_and(|(_, piece)| soft(piece));
    let mut words: Vec<Word> = Vec::with_capacity(pieces.len());
    for (run, piece) in pieces {
        let own = style(Some(middle(page, &piece)));
        let mut word = word(page, frame, run, piece);
        word.size = Some(own.0).filter(|own| *own != size);
        word.font = Some(own.1).filter(|own| *own != font);
        words.push(word);
    }
    if right_to_left {
        bidi::mirror_brackets(&mut words);
    }
    let bounds = Bounds::around(words.iter().map(|word| word.bounds)).unwrap_or_default();
    let direction = match (frame.vertical, right_to_left) {
        (true, _) => Direction::TopToBottom,
        (_, true) => Direction::RightToLeft,
        _ => Direction::LeftToRight,
    };
    let angle = if frame.vertical { 0 } else { frame.degrees };
    Line {
        bounds,
        loose,
        angle,
        direction,
        invisible,
        hyphenated,
        size,
        font,
        words,
    }
}

fn runs<'a>(page: &'a Glyphs, word: &'a Piece) -> impl Iterator<Item = Run> + 'a {
    word.glyphs
        .iter()
        .map(|item| Run::of(page.glyphs[item.glyph as usize].script))
}

/// The glyph whose font and size stand for a word: the first may be a drop cap, the last a note's mark.
fn middle<'a>(page: &'a Glyphs, word: &Piece) -> &'a Glyph {
    &page.glyphs[word.glyphs[word.glyphs.len() / 2].glyph as usize]
}

fn style(glyph: Option<&Glyph>) -> (i32, u16) {
    glyph.map_or((0, 0), |glyph| (hundredths(glyph.size), glyph.font))
}

fn word(page: &Glyphs, frame: Frame, run: Run, piece: Piece) -> Word {
    let mut glyphs: Vec<&Glyph> = piece
        .glyphs
        .iter()
        .map(|item| &page.glyphs[item.glyph as usize])
        .collect();
    let cells = if frame == Frame::default() {
        cells(&glyphs)
    } else {
        None
    };
    let has_left = glyphs.iter().any(|glyph| {
        matches!(
            glyph.script,
            Script::Left | Script::Digit | Script::Ideograph
        )
    });
    let rtl = run == Run::Right && !frame.vertical;
    if rtl {
        bidi::read_word(&mut glyphs, |glyph| Run::of(glyph.script));
    }
    let mut word = Word {
        bounds: Bounds::around(glyphs.iter().map(|glyph| bounds(glyph.ink))).unwrap_or_default(),
        unmapped: glyphs.iter().any(|glyph| glyph.unmapped),
        ..Word::default()
    };
    for glyph in &glyphs {
        word.text.extend(page.letters(glyph));
    }
    match cells {
        Some(mut cells) if !(rtl && has_left) => {
            if rtl {
                cells.reverse();
                word.rtl = true;
            }
            for (glyph, cell) in glyphs.iter().zip(cells) {
                split_cell(page.letters(glyph), cell, &mut word.widths);
            }
        }
        _ => {
            for glyph in &glyphs {
                word.boxes
                    .extend(page.letters(glyph).iter().map(|_| bounds(glyph.ink)));
            }
        }
    }
    word
}

/// The widths of the cells of glyphs in the order of the eye: each reaches half way to its neighbours' ink. None when
/// the glyphs are not side by side.
fn cells(glyphs: &[&Glyph]) -> Option<Vec<i32>> {
    let left = glyphs
        .iter()
        .map(|glyph| hundredths(glyph.ink.left))
        .min()?;
    let right = glyphs
        .iter()
        .map(|glyph| hundredths(glyph.ink.right))
        .max()?;
    let between = |pair: &[&Glyph]| hundredths((pair[0].ink.right + pair[1].ink.left) / 2.0);
    let edges = glyphs.windows(2).map(between).chain([right]);
    let mut last = left;
    edges
        .map(|edge| {
            let width = edge.checked_sub(last).filter(|width| *width >= 0);
            last = edge;
            width
        })
        .collect()
}

/// Divides the cell of a glyph among its letters; marks lie over their base and get none of it.
fn split_cell(letters: &[char], width: i32, widths: &mut Vec<i32>) {
    let bases = letters
        .iter()
        .filter(|letter| !script::is_mark(**letter))
        .count()
        .max(1) as i32;
    let all_marks = letters.iter().all(|letter| script::is_mark(*letter));
    let (mut given, mut used) = (0, 0);
    for (index, letter) in letters.iter().enumerate() {
        let is_base = if all_marks {
            index == 0
        } else {
            !script::is_mark(*letter)
        };
        given += i32::from(is_base);
        let edge = (i64::from(width) * i64::from(given) / i64::from(bases)) as i32;
        widths.push(edge - used);
        used = edge;
    }
}

fn bounds(rect: Rect) -> Bounds {
    Bounds {
        left: hundredths(rect.left),
        top: hundredths(rect.top),
        right: hundredths(rect.right),
        bottom: hundredths(rect.bottom),
    }
}
