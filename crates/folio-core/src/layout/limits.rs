//! The thresholds of the layout, each with its reason. Lengths are in ems: multiples of the font size.

/// A gap this wide ends a word when nothing else speaks for or against it. The space of common fonts is 0.22 to 0.33,
/// kerning and tracking of body text stay under 0.1.
pub(super) const WORD_GAP: f32 = 0.16;

/// A gap this wide ends a word when the file or the engine has a space in it. Lower, because a space of strongly compressed
/// justified text can be this narrow; not zero, because some writers put a space under the next letter.
pub(super) const SPACED_WORD_GAP: f32 = 0.06;

/// Gaps between single letters up to this wide can be letterspacing; wider ones are columns of letters.
pub(super) const LETTERSPACING_MOST: f32 = 0.8;

/// Gaps of letterspaced text differ by at most this factor; a space between two letterspaced words is wider.
pub(super) const LETTERSPACING_SPREAD: f32 = 1.35;

/// And by this much more: kerning goes on in letterspaced text.
pub(super) const LETTERSPACING_SLACK: f32 = 0.03;

/// Letterspacing needs this many letters in a row; two single letters side by side are two words.
pub(super) const LETTERSPACING_LETTERS: usize = 3;

/// The same glyph this near to itself is drawn twice (fake bold, shadow). The narrowest letter advances 0.2.
pub(super) const DUPLICATE_OFFSET: f32 = 0.09;

/// Ink may reach this far over the advance box of its glyph (italics, swashes) before the box is taken for wrong.
pub(super) const ADVANCE_SLACK: f32 = 0.15;

/// Letters of which the narrower shares more than this part of its width with the other lie over each other: one of them
/// is printed over the other's text or has a wrong box. Italics and kerned pairs share less, but for the narrowest.
pub(super) const OVERPRINT: f32 = 0.5;

/// Text lies over other text with this many letters at least; a single one is kerned or corrected.
pub(super) const OVERPRINTED_LETTERS: usize = 2;

/// Texts over each other that are told apart; a poster of noise has hundreds, and no order to find.
pub(super) const LAYERS_MOST: usize = 8;

/// Glyphs that follow each other in the stream within this distance belong to one run: a space of a justified line. What
/// begins further back begins anew, and a run that ends too early only orders less.
pub(super) const RUN_STEP: f32 = 0.5;

/// A letter with a wrong box is moved over this many others at most: keeps a heap of letters from costing its square.
pub(super) const REORDER_REACH: usize = 8;

/// Advance boxes of neighbours that overlap by more than kerning ever does are wrong: the ink counts.
pub(super) const ADVANCE_OVERLAP: f32 = 0.25;

/// A glyph that is named by the same letter twice is a ligature from this width on: the letter f advances 0.3 and the
/// ligature ff 0.6. A narrower one is drawn twice.
pub(super) const DOUBLE_LETTER_WIDTH: f32 = 0.45;

/// How far the middle of a mark may lie beside its base; twice as far above or below.
pub(super) const MARK_REACH: f32 = 0.5;

/// How far the middle of an accent drawn by itself may lie beside the ink of its letter: the letter may be an i.
pub(super) const ACCENT_SLACK: f32 = 0.05;

/// Baselines this near are one row.
pub(super) const ROW_STEP: f32 = 0.1;

/// The same for vertical text, whose characters stand around a middle: theirs differ more, but columns are an em apart.
pub(super) const COLUMN_STEP: f32 = 0.3;

/// A row of drifting baselines is at most this high.
pub(super) const ROW_SPAN: f32 = 0.3;

/// Nominal ascent and descent of a font around its baseline. Ink is no measure of a line's height: a line may hold
/// nothing but dots.
pub(super) const ASCENT: f32 = 0.75;
/// See [`ASCENT`].
pub(super) const DESCENT: f32 = 0.2;

/// Text turned by at most this many degrees against one of the four main directions runs in that direction: scanned
/// pages are never quite straight.
pub(super) const SKEW_DEGREES: f32 = 3.0;

/// A line is part of the one before when this part of the lower one's height is shared: superscripts, subscripts.
pub(super) const LINE_OVERLAP: f32 = 0.5;

/// Lines further apart than this factor of the block's pitch begin a new block.
pub(super) const BLOCK_PITCH_FACTOR: f32 = 1.25;

/// Pitches differ by this much within a block because baselines are rounded.
pub(super) const BLOCK_PITCH_SLACK: f32 = 0.05;

/// Baselines further apart than this, in ems, are never one block, whatever the pitch.
pub(super) const BLOCK_PITCH_MOST: f32 = 2.6;

/// Font sizes that differ by more than this factor are different blocks.
pub(super) const BLOCK_SIZE_FACTOR: f32 = 1.2;

/// Left edges this near are one edge: letters have side bearings.
pub(super) const FLUSH: f32 = 0.3;

/// A line that starts this far to the right of its block begins a paragraph.
pub(super) const PARAGRAPH_INDENT: f32 = 0.9;

/// Regions are cut at most this often inside each other. A newspaper page needs four.
pub(super) const REGION_DEPTH: usize = 12;

/// White space narrower than this is never a gutter between columns: it is as wide as two spaces.
pub(super) const GUTTER: f32 = 0.6;

/// How wide a gutter must be when only this many lines stand on its emptier side. Gaps of justified text line up by
/// chance over two lines, hardly ever over five.
pub(super) const GUTTER_BY_LINES: [(usize, f32); 3] = [(5, GUTTER), (3, 1.0), (1, 1.2)];

/// A single line on the emptier side is a column only beside this many lines.
pub(super) const LINES_BESIDE_ONE: usize = 5;

/// White space above a last line, or below a first one, that sets it apart as footer or header of the page. Lines of
/// body text are 0.25 apart in this measure, paragraphs 0.5 to 0.8.
pub(super) const RUNNING_LINE_GAP: f32 = 0.9;

/// A column reads as prose with this many words and characters to the line.
pub(super) const PROSE_WORDS: f32 = 3.0;
/// See [`PROSE_WORDS`].
pub(super) const PROSE_LETTERS: f32 = 14.0;

/// Side by side, this part of the lines of the shortest column must share baselines with the others to be table rows.
pub(super) const ALIGNED_ROWS: f32 = 0.7;

/// Baselines this near are one row of a table.
pub(super) const SAME_ROW: f32 = 0.25;

/// Words this near in height are one line of a column, superscripts included.
pub(super) const SAME_LINE: f32 = 0.5;

/// A column is one of numbers when this part of its words is.
pub(super) const NUMBER_WORDS: f32 = 0.6;

/// Columns of short lines are word lists (an index), not a table, from this many lines on, if they are equally wide.
pub(super) const LIST_LINES: usize = 8;

/// Their lines have this many letters: fewer is a label, a mark or a cell.
pub(super) const LIST_LETTERS: f32 = 6.0;

/// Their columns differ in width by at most this factor.
pub(super) const LIST_EVENNESS: f32 = 1.5;

/// A superscript or subscript is at most this part of the size of its base.
pub(super) const SCRIPT_SIZE: f32 = 0.87;

/// And at least this part: what is smaller stands beside a drop cap.
pub(super) const SCRIPT_SIZE_LEAST: f32 = 0.45;

/// And its baseline at most this part of the size of its base higher or lower.
pub(super) const SCRIPT_SHIFT: f32 = 0.6;

/// Gap up to which a piece in another row belongs to the word before it.
pub(super) const ATTACHED_GAP: f32 = 0.1;

/// Rows looked at above and below for pieces of the same word: a formula has two levels up and two down; more would let
/// a page of overprinted text cost the square of its size.
pub(super) const SCRIPT_ROWS: usize = 6;

/// A drop cap spans two lines at least.
pub(super) const DROP_CAP_SIZE: f32 = 1.8;

/// Drop caps looked for on a page; each costs a pass over its words. A newspaper has a dozen.
pub(super) const DROP_CAPS_MOST: usize = 32;

/// Characters that follow each other downwards need to be this many to be vertical writing: two may be a superscript
/// over a subscript.
pub(super) const VERTICAL_RUN: usize = 3;

/// Middles of characters in one column differ by at most this.
pub(super) const VERTICAL_SHIFT: f32 = 0.15;

/// And follow each other at least and at most at this distance: narrow Latin letters, wide spacing.
pub(super) const VERTICAL_STEP: (f32, f32) = (0.4, 2.0);

/// A line is a heading between columns when its letters are this much larger than those of the region.
pub(super) const HEADING_SIZE: f32 = 1.15;

/// And when this much white space is above it, over all columns. Lines of body text are 0.25 apart in this measure.
pub(super) const HEADING_GAP: f32 = 0.4;

/// A line belongs to the neighbour to which its distance is at most this part of that to the other.
pub(super) const NEARER: f32 = 0.8;

/// Word lists of more columns than this are rare; tables are not.
pub(super) const LIST_COLUMNS: usize = 3;

/// Fewer rows than this are no table; reading them line by line is no different.
pub(super) const TABLE_ROWS: usize = 3;

/// Letters of one glyph: the longest ligature of Arabic has 18, and more characters in one place are no ligature.
pub(super) const GLYPH_LETTERS_MOST: usize = 18;

/// After a run of strips that turned out to be no columns, this part of it is not tried again from its next strip:
/// keeps the cost of a page below the square of its lines.
pub(super) const RETRY_PART: usize = 16;

/// Words looked at as the one that a drop cap begins.
pub(super) const DROP_CAP_WORDS: usize = 8;
