//! Reading order: regions of a page, one after the other.
//!
//! A page is cut into *strips*, the stacks of words that white space separates over the whole width. Strips that leave
//! the same vertical white space free, the *gutters*, form a *band* of columns, which are read one after the other and
//! may hold bands of their own. A headline over two columns, a rule of text between them, a footer: each covers the
//! gutter and so ends the band. Strips without gutters are read line by line, and so are tables: columns whose lines
//! stand in rows and are no prose.

use std::ops::Range;

use super::column::{self, Column};
use super::cover::Cover;
use super::galley::Piece;
use super::limits::{
    GUTTER, HEADING_GAP, HEADING_SIZE, NEARER, REGION_DEPTH, RETRY_PART, RUNNING_LINE_GAP,
    TABLE_ROWS,
};

/// The regions in reading order; the words of each are to be read line by line.
pub(super) fn regions(words: Vec<Piece>, right_to_left: bool) -> Vec<Vec<Piece>> {
    let mut regions = Vec::new();
    divide(words, right_to_left, REGION_DEPTH, &mut regions);
    regions
}

fn divide(words: Vec<Piece>, right_to_left: bool, depth: usize, regions: &mut Vec<Vec<Piece>>) {
    if depth == 0 || words.len() < 4 {
        regions.extend(Some(words).filter(|words| !words.is_empty()));
        return;
    }
    let em = median_size(&words);
    let strips = strips(words, em);
    let bands = bands(&strips, em, depth == REGION_DEPTH);
    let mut strips = strips.into_iter();
    for band in bands {
        let words = strips
            .by_ref()
            .take(band.strips)
            .flat_map(|strip| strip.words)
            .collect();
        if band.gutters.is_empty() {
            regions.push(words);
            continue;
        }
        let mut columns = column::split(words, &band.gutters);
        if right_to_left {
            columns.reverse();
        }
        for column in columns {
            divide(column, right_to_left, depth - 1, regions);
        }
    }
}

/// The size of most words.
pub(super) fn median_size(words: &[Piece]) -> f32 {
    let mut sizes: Vec<f32> = words.iter().map(|word| word.size).collect();
    let middle = sizes.len() / 2;
    *sizes.select_nth_unstable_by(middle, f32::total_cmp).1
}

/// Words above and below which there is white space over the whole width of the region.
struct Strip {
    words: Vec<Piece>,
    cover: Cover,
    /// Size of its smallest word.
    size: f32,
    top: f32,
    bottom: f32,
}

fn strips(mut words: Vec<Piece>, em: f32) -> Vec<Strip> {
    words.sort_by(|one, other| one.span().v0.total_cmp(&other.span().v0));
    let mut strips: Vec<Strip> = Vec::new();
    for word in words {
        let span = word.span();
        match strips.last_mut().filter(|strip| span.v0 < strip.bottom) {
            Some(strip) => {
                strip.bottom = strip.bottom.max(span.v1);
                strip.size = strip.size.min(word.size);
                strip.words.push(word);
            }
            None => strips.push(Strip {
                words: vec![word],
                cover: Cover::default(),
                size: word.size,
                top: span.v0,
                bottom: span.v1,
            }),
        }
    }
    for strip in &mut strips {
        strip.cover = Cover::of(
            strip
                .words
                .iter()
                .map(|word| (word.start, word.end))
                .collect(),
            GUTTER * em,
        );
    }
    strips
}

impl Strip {
    fn is_line(&self) -> bool {
        self.bottom - self.top < 1.5 * self.size
    }

    /// A line in larger letters, set apart from what is above it over the whole width, begins something new, even when
    /// it is too short to reach over a gutter.
    fn is_heading(&self, before: &Strip, em: f32) -> bool {
        self.is_line()
            && self.size >= HEADING_SIZE * em
            && self.top - before.bottom > HEADING_GAP * em
    }
}

/// Some strips that follow each other, read line by line when there is no gutter.
struct Band {
    strips: usize,
    gutters: Vec<f32>,
}

fn bands(strips: &[Strip], em: f32, is_page: bool) -> Vec<Band> {
    let body = if is_page {
        body(strips, em)
    } else {
        0..strips.len()
    };
    let mut bands: Vec<Band> = Vec::new();
    push(&mut bands, body.start, Vec::new());
    let mut first = body.start;
    for table in tables(strips, body.clone()) {
        text_bands(strips, first..table.start, em, &mut bands);
        push(&mut bands, table.len(), Vec::new());
        first = table.end;
    }
    text_bands(strips, first..body.end, em, &mut bands);
    push(&mut bands, strips.len() - body.end, Vec::new());
    bands
}

/// The bands of strips that are no table.
fn text_bands(strips: &[Strip], range: Range<usize>, em: f32, bands: &mut Vec<Band>) {
    let mut first = range.start;
    while first < range.end {
        let (length, gutters) = columns(&strips[first..range.end], em);
        if gutters.is_empty() {
            let length = 1 + length / RETRY_PART;
            push(bands, length, gutters);
            first += length;
            continue;
        }
        let follows_text = first > 0 && bands.last().is_some_and(|last| last.gutters.is_empty());
        if follows_text && ends_text(&strips[first - 1..first + length], gutters[0]) {
            push(bands, 1, Vec::new());
            first += 1;
            continue;
        }
        push(bands, length, gutters);
        first += length;
    }
}

/// The tables of three columns or more among some strips. They are found first: one of their gutters may go on in
/// columns above or below.
fn tables(strips: &[Strip], range: Range<usize>) -> Vec<Range<usize>> {
    let mut tables = Vec::new();
    let mut first = range.start;
    while first < range.end {
        let (rows, is_table) = table_rows(&strips[first..range.end]);
        if is_table {
            tables.push(first..first + rows);
        }
        first += rows;
    }
    tables
}

/// How many strips from the first on have two gutters in common, and whether that makes them a table.
fn table_rows(strips: &[Strip]) -> (usize, bool) {
    let mut cover = strips[0].cover.clone();
    let most_gaps = cover.gaps().count();
    let mut rows = 1;
    for strip in &strips[1..] {
        let wider = cover.and(&strip.cover);
        // A cell may span columns in a wide table, but a line that spans many is no row of it.
        if most_gaps < 2 || wider.gaps().count() < 2.max(most_gaps - most_gaps / 4) {
            break;
        }
        cover = wider;
        rows += 1;
    }
    let gaps: Vec<(f32, f32)> = cover.gaps().collect();
    let words = strips[..rows].iter().flat_map(|strip| &strip.words);
    let is_table =
        rows >= TABLE_ROWS && gaps.len() > 1 && column::are_cells(&column::measure(words, &gaps));
    (rows, is_table)
}

/// Adds a band; strips without gutters join those before.
fn push(bands: &mut Vec<Band>, strips: usize, gutters: Vec<f32>) {
    match bands
        .last_mut()
        .filter(|last| last.gutters.is_empty() && gutters.is_empty())
    {
        Some(last) => last.strips += strips,
        None => bands.push(Band { strips, gutters }),
    }
}

/// The strips without the page's header and footer: single lines set apart from the rest. They are not part of the
/// columns they happen to stand over.
fn body(strips: &[Strip], em: f32) -> Range<usize> {
    let apart = |above: &Strip, below: &Strip| below.top - above.bottom > RUNNING_LINE_GAP * em;
    let mut body = 0..strips.len();
    if let [first, second, ..] = strips
        && first.is_line()
        && apart(first, second)
    {
        body.start = 1;
    }
    if let [.., before, last] = &strips[body.start..]
        && last.is_line()
        && apart(before, last)
    {
        body.end -= 1;
    }
    body
}

/// The longest run of strips from the first on that have a gutter in common, and its gutters, if they divide columns.
fn columns(strips: &[Strip], em: f32) -> (usize, Vec<f32>) {
    let mut cover = strips[0].cover.clone();
    let mut length = 1;
    for (before, strip) in strips.iter().zip(&strips[1..]) {
        let wider = cover.and(&strip.cover);
        if wider.gaps().next().is_none() || strip.is_heading(before, em) {
            break;
        }
        cover = wider;
        length += 1;
    }
    let length = trim(&strips[..length], strips.get(length), &cover);
    let words = || strips[..length].iter().flat_map(|strip| &strip.words);
    let gaps: Vec<(f32, f32)> = cover.gaps().collect();
    if gaps.is_empty() {
        return (1, Vec::new());
    }
    let columns: Vec<Column> = column::measure(words(), &gaps);
    (length, column::gutters(columns, &gaps, em))
}

/// Is the second strip the short last line of the text that the first one ends, and not the first line of a column?
fn ends_text(strips: &[Strip], gutter: f32) -> bool {
    let [text, line, next, ..] = strips else {
        return false;
    };
    let in_first_column = line.words.iter().all(|word| word.end <= gutter);
    in_first_column && line.top - text.bottom < NEARER * (next.top - line.bottom)
}

/// Strips at the end of a band that stand only in its first column and nearer to what follows are not the end of that
/// column: they are the heading of the next band.
fn trim(run: &[Strip], next: Option<&Strip>, cover: &Cover) -> usize {
    let Some((gutter, _)) = cover.gaps().next() else {
        return run.len();
    };
    let mut length = run.len();
    let mut next = match next {
        Some(next) => next,
        None => return length,
    };
    while length > 2 {
        let (before, last) = (&run[length - 2], &run[length - 1]);
        let first_column_only = last.words.iter().all(|word| word.end <= gutter);
        let nearer = next.top - last.bottom < NEARER * (last.top - before.bottom);
        if !(first_column_only && nearer) {
            break;
        }
        next = last;
        length -= 1;
    }
    length
}
