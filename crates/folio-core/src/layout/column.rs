//! Columns: are they text beside text, or the cells of a table?

use super::galley::Piece;
use super::limits::{
    ALIGNED_ROWS, GUTTER_BY_LINES, LINES_BESIDE_ONE, LIST_COLUMNS, LIST_EVENNESS, LIST_LETTERS,
    LIST_LINES, NUMBER_WORDS, PROSE_LETTERS, PROSE_WORDS, SAME_LINE, SAME_ROW,
};

/// What stands between two gutters.
#[derive(Clone, Debug, Default)]
pub(super) struct Column {
    /// One per line, from top to bottom.
    baselines: Vec<f32>,
    words: usize,
    numbers: usize,
    letters: usize,
    left: f32,
    right: f32,
    em: f32,
}

/// Measures the columns between `gaps`.
pub(super) fn measure<'a>(
    words: impl Iterator<Item = &'a Piece>,
    gaps: &[(f32, f32)],
) -> Vec<Column> {
    let empty = Column {
        left: f32::INFINITY,
        right: f32::NEG_INFINITY,
        ..Column::default()
    };
    let mut columns = vec![empty; gaps.len() + 1];
    for word in words {
        columns[gaps.partition_point(|gap| gap.1 <= word.start)].add(word);
    }
    for column in &mut columns {
        column.gather_lines();
    }
    columns
}

/// The middles of the gutters that divide real columns; none when the columns are a table.
pub(super) fn gutters(columns: Vec<Column>, gaps: &[(f32, f32)], em: f32) -> Vec<f32> {
    let mut gutters = Vec::new();
    let mut kept: Vec<Column> = Vec::new();
    for (index, column) in columns.into_iter().enumerate() {
        let Some(before) = kept.last_mut() else {
            kept.push(column);
            continue;
        };
        let (left, right) = gaps[index - 1];
        if divides(before, &column, (right - left) / em) {
            gutters.push((left + right) / 2.0);
            kept.push(column);
        } else {
            before.merge(column);
        }
    }
    if is_table(&kept) { Vec::new() } else { gutters }
}

/// Puts words into the columns between gutters.
pub(super) fn split(words: Vec<Piece>, gutters: &[f32]) -> Vec<Vec<Piece>> {
    let mut columns = vec![Vec::new(); gutters.len() + 1];
    for word in words {
        columns[gutters.partition_point(|gutter| *gutter <= word.start)].push(word);
    }
    columns
}

/// Is a gap of this many ems a gutter between these two? Where the emptier side has one or two lines, both must be prose.
fn divides(one: &Column, other: &Column, width: f32) -> bool {
    let lines = |column: &Column| column.baselines.len();
    let (fewer, more) = (lines(one).min(lines(other)), lines(one).max(lines(other)));
    let prose = one.is_prose() && other.is_prose() && (fewer > 1 || more >= LINES_BESIDE_ONE);
    GUTTER_BY_LINES
        .iter()
        .any(|&(least, gutter)| fewer >= least && width >= gutter && (least > 2 || prose))
}

/// Are these the cells of a table, with no column of prose among them?
pub(super) fn are_cells(columns: &[Column]) -> bool {
    is_table(columns) && !columns.iter().any(Column::is_prose)
}

fn is_table(columns: &[Column]) -> bool {
    if columns.len() < 2 || aligned_rows(columns) < ALIGNED_ROWS {
        return false;
    }
    if columns.iter().any(Column::is_numbers) {
        return true;
    }
    if columns.iter().all(Column::is_prose) {
        return false;
    }
    let widths = || columns.iter().map(|column| column.right - column.left);
    let even =
        widths().fold(0.0, f32::max) <= LIST_EVENNESS * widths().fold(f32::INFINITY, f32::min);
    let is_list = |column: &Column| {
        column.baselines.len() >= LIST_LINES && column.letters_per_line() >= LIST_LETTERS
    };
    !(even && columns.len() <= LIST_COLUMNS && columns.iter().all(is_list))
}

/// The part of the lines of the shortest column that stand in one row with a line of another one.
fn aligned_rows(columns: &[Column]) -> f32 {
    let Some(shortest) = (0..columns.len()).min_by_key(|&index| columns[index].baselines.len())
    else {
        return 0.0;
    };
    let has = |column: &Column, baseline: f32| {
        let near = SAME_ROW * column.em;
        let next = column
            .baselines
            .partition_point(|other| *other < baseline - near);
        column
            .baselines
            .get(next)
            .is_some_and(|other| *other <= baseline + near)
    };
    let others = || {
        columns
            .iter()
            .enumerate()
            .filter(|(index, _)| *index != shortest)
            .map(|(_, column)| column)
    };
    let lines = &columns[shortest].baselines;
    let aligned = lines
        .iter()
        .filter(|baseline| others().any(|column| has(column, **baseline)))
        .count();
    aligned as f32 / lines.len().max(1) as f32
}

impl Column {
    fn add(&mut self, word: &Piece) {
        self.baselines.push(word.baseline);
        self.words += 1;
        self.numbers += usize::from(word.is_number);
        self.letters += word.len();
        self.left = self.left.min(word.start);
        self.right = self.right.max(word.end);
        self.em = self.em.max(word.size);
    }

    fn merge(&mut self, other: Column) {
        self.baselines.extend(other.baselines);
        self.words += other.words;
        self.numbers += other.numbers;
        self.letters += other.letters;
        self.left = self.left.min(other.left);
        self.right = self.right.max(other.right);
        self.em = self.em.max(other.em);
        self.gather_lines();
    }

    /// Words less than half an em apart in height are one line.
    fn gather_lines(&mut self) {
        self.baselines.sort_unstable_by(f32::total_cmp);
        let near = SAME_LINE * self.em;
        self.baselines.dedup_by(|next, kept| *next - *kept < near);
    }

    fn letters_per_line(&self) -> f32 {
        self.letters as f32 / self.baselines.len().max(1) as f32
    }

    /// Chinese and Japanese have no spaces: long words are prose as well.
    fn is_prose(&self) -> bool {
        let lines = self.baselines.len().max(1) as f32;
        let words = self.words as f32 / lines;
        let letters = self.letters_per_line();
        !self.is_numbers()
            && letters >= PROSE_LETTERS
            && (words >= PROSE_WORDS || letters / words >= PROSE_LETTERS / 2.0)
    }

    fn is_numbers(&self) -> bool {
        self.numbers as f32 >= NUMBER_WORDS * self.words as f32
    }
}
