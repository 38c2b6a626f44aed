//! From drafts to the model: logical order, boxes in 1/100 pt, fonts and sizes stored once per line.

use folio_pdf::Rect;

use super::bidi::{self, Run};
use super::frame::Frame;
use super::galley::{Galley, Piece};
use super::glyph::Glyph;
use super::line::Draft;
use super::script::{self, Script};
use crate::model::{Block, Bounds, Direction, Line, Word, hundredths};

/// The model's block for some lines. `page_right_to_left` decides for lines of both directions.
pub(super) fn block(galley: &Galley<'_>, lines: &[Draft], page_right_to_left: bool) -> Block {
    let lines: Vec<Line> = lines
        .iter()
        .map(|draft| line(galley, draft, page_right_to_left))
        .collect();
    let bounds = Bounds::around(lines.iter().map(|line| line.bounds)).unwrap_or_default();
    Block { bounds, lines }
}

/// [`Line::hyphenated`] is only what the line itself says: its last word holds a soft hyphen.
fn line(galley: &Galley<'_>, draft: &Draft, page_right_to_left: bool) -> Line {
    let frame = galley.frame;
    let facts = Facts::of(galley, draft);
    let right_to_left =
        facts.right > 0 && !frame.vertical && (page_right_to_left || facts.right > facts.left);
    let mut pieces: Vec<(Run, &Piece)> = draft
        .words
        .iter()
        .map(|piece| (run(galley, piece), piece))
        .collect();
    bidi::read_line(&mut pieces, right_to_left, |(run, _)| *run);
    let longest = draft.words.iter().max_by_key(|word| word.len());
    let (size, font) = longest.map_or((0, 0), |word| style(galley, word));
    let mut words: Vec<Word> = Vec::with_capacity(pieces.len());
    for (run, piece) in &pieces {
        let own = style(galley, piece);
        words.push(Word {
            size: Some(own.0).filter(|own| *own != size),
            font: Some(own.1).filter(|own| *own != font),
            ..word(galley, *run, piece)
        });
    }
    if right_to_left {
        bidi::mirror_brackets(&mut words);
    }
    let last = pieces.last().map(|(_, piece)| galley.glyphs(piece));
    Line {
        bounds: Bounds::around(words.iter().map(|word| word.bounds)).unwrap_or_default(),
        loose: bounds(facts.loose),
        angle: if frame.vertical { 0 } else { frame.degrees },
        direction: match (frame.vertical, right_to_left) {
            (true, _) => Direction::TopToBottom,
            (_, true) => Direction::RightToLeft,
            _ => Direction::LeftToRight,
        },
        invisible: facts.invisible,
        hyphenated: last.is_some_and(|mut glyphs| glyphs.any(|glyph| glyph.soft_hyphen)),
        size,
        font,
        words,
    }
}

/// What the glyphs of a line say together.
struct Facts {
    left: usize,
    right: usize,
    invisible: bool,
    loose: Rect,
}

impl Facts {
    fn of(galley: &Galley<'_>, draft: &Draft) -> Facts {
        let mut facts = Facts {
            left: 0,
            right: 0,
            invisible: true,
            loose: NOWHERE,
        };
        for glyph in draft.words.iter().flat_map(|piece| galley.glyphs(piece)) {
            facts.left += usize::from(glyph.script == Script::Left);
            facts.right += usize::from(glyph.script == Script::Right);
            facts.invisible &= glyph.invisible;
            facts.loose = around(facts.loose, glyph.loose);
        }
        facts
    }
}

fn run(galley: &Galley<'_>, piece: &Piece) -> Run {
    Run::of_word(galley.glyphs(piece).map(|glyph| Run::of(glyph.script)))
}

/// Size and font of the glyph in the middle: the first of a word may be a drop cap, the last a note's mark.
fn style(galley: &Galley<'_>, piece: &Piece) -> (i32, u16) {
    let glyph = galley.glyph(&galley.placed(piece)[piece.len() / 2]);
    (hundredths(glyph.size), glyph.font)
}

fn word(galley: &Galley<'_>, run: Run, piece: &Piece) -> Word {
    let upright = galley.frame == Frame::default();
    let mut glyphs: Vec<&Glyph> = galley.glyphs(piece).collect();
    let mut word = Word {
        text: String::with_capacity(glyphs.len() + 2),
        bounds: bounds(
            glyphs
                .iter()
                .fold(NOWHERE, |rect, glyph| around(rect, glyph.ink)),
        ),
        unmapped: glyphs.iter().any(|glyph| glyph.unmapped),
        ..Word::default()
    };
    let right_to_left = run == Run::Right && !galley.frame.vertical;
    let runs_left = |glyph: &&Glyph| {
        matches!(
            glyph.script,
            Script::Left | Script::Digit | Script::Ideograph
        )
    };
    let both_ways = right_to_left && glyphs.iter().any(runs_left);
    let cells = if upright && !both_ways {
        cells(&glyphs, word.bounds)
    } else {
        None
    };
    if right_to_left {
        bidi::read_word(&mut glyphs, |glyph| Run::of(glyph.script));
    }
    for glyph in &glyphs {
        word.text.extend(galley.page.letters(glyph));
    }
    let letters = glyphs.iter().map(|glyph| galley.page.letters(glyph));
    if let Some(mut cells) = cells {
        word.rtl = right_to_left;
        if right_to_left {
            cells.reverse();
        }
        let plain = letters.clone().all(|letters| letters.len() == 1);
        word.widths = if plain {
            cells
        } else {
            letters
                .zip(cells)
                .flat_map(|(letters, cell)| split_cell(letters, cell))
                .collect()
        };
    } else {
        word.boxes = glyphs
            .iter()
            .zip(letters)
            .flat_map(|(glyph, letters)| letters.iter().map(|_| bounds(glyph.ink)))
            .collect();
    }
    word
}

/// The widths of the cells of glyphs in the order of the eye: each reaches half way to its neighbours' ink. None when
/// the glyphs are not side by side.
fn cells(glyphs: &[&Glyph], word: Bounds) -> Option<Vec<i32>> {
    let mut cells = Vec::with_capacity(glyphs.len());
    let mut last = word.left;
    for (index, glyph) in glyphs.iter().enumerate() {
        let next = glyphs.get(index + 1);
        let edge = next.map_or(word.right, |next| {
            hundredths((glyph.ink.right + next.ink.left) / 2.0)
        });
        cells.push(edge.checked_sub(last).filter(|width| *width >= 0)?);
        last = edge;
    }
    Some(cells)
}

/// Divides the cell of a glyph among its letters; marks lie over their base and get none of it.
fn split_cell(letters: &[char], width: i32) -> impl Iterator<Item = i32> {
    let all_marks = letters.iter().all(|letter| script::is_mark(*letter));
    let is_base = move |index: usize| {
        if all_marks {
            index == 0
        } else {
            !script::is_mark(letters[index])
        }
    };
    let bases = (0..letters.len()).filter(|index| is_base(*index)).count();
    (0..letters.len()).scan((0, 0), move |(given, used), index| {
        *given += i64::from(is_base(index));
        let edge = (i64::from(width) * *given / bases as i64) as i32;
        let own = edge - *used;
        *used = edge;
        Some(own)
    })
}

/// The box that any other one replaces.
const NOWHERE: Rect = Rect {
    left: f32::INFINITY,
    top: f32::INFINITY,
    right: f32::NEG_INFINITY,
    bottom: f32::NEG_INFINITY,
};

fn around(one: Rect, other: Rect) -> Rect {
    Rect {
        left: one.left.min(other.left),
        top: one.top.min(other.top),
        right: one.right.max(other.right),
        bottom: one.bottom.max(other.bottom),
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
