//! From the characters of a page to its layout.
//!
//! Everything here is a pure function of its input: characters in, [`Layout`] out, the same bytes every time. Nothing
//! depends on the order of the content stream except where it says so; the page is read as the eye reads it.
//!
//! 1. `clean`, `glyph`, `ligature`: characters become glyphs; what is off the page, repeated or without a character is dealt with.
//! 2. `frame`, `vertical`: glyphs of one direction are laid out together, turned so that they run left to right.
//! 3. `row`, `layer`, `galley`, `word`, `attach`: rows by baseline, cut into words at their gaps; superscripts and drop caps join theirs.
//! 4. `region` (with `cover`, `column`): columns, tables, headers and footers, in reading order.
//! 5. `line`, `block`: in each region words become lines, lines become blocks.
//! 6. `bidi`, `emit`: logical order, and the model's integers.

mod attach;
mod bidi;
mod block;
mod clean;
mod column;
mod cover;
mod emit;
mod frame;
mod galley;
mod glyph;
mod layer;
mod ligature;
mod limits;
mod line;
mod region;
mod row;
mod script;
mod vertical;
mod word;

use std::collections::BTreeMap;

use folio_pdf::PageText;

use crate::model::{Block, Layout, PageGeometry, TextSource, hundredths};
use frame::Frame;
use galley::{Galley, Piece};
use glyph::Glyphs;
use row::Rows;
use script::Script;

/// The layout of a page. Pure and deterministic; takes any input, however odd its numbers.
pub fn build(geometry: &PageGeometry, text: &PageText) -> Layout {
    let page = Glyphs::read(geometry, text);
    let text_source = text_source(&page);
    let mut blocks = Vec::new();
    for (frame, members) in groups(&page) {
        blocks.extend(read_frame(&page, frame, &members));
    }
    mark_hyphenated(&mut blocks);
    Layout {
        page: geometry.page,
        width: hundredths(geometry.width_pt),
        height: hundredths(geometry.height_pt),
        rotation: geometry.rotation,
        crop: geometry.crop.map(hundredths),
        text_source,
        needs_ocr: text.has_image && text_source != TextSource::Native,
        image: None,
        unmapped_chars: page.unmapped,
        fonts: text
            .fonts
            .iter()
            .map(|font| font.replace('\0', "\u{FFFD}"))
            .collect(),
        blocks,
    }
}

fn text_source(page: &Glyphs) -> TextSource {
    let mut drawn = page
        .glyphs
        .iter()
        .filter(|glyph| !glyph.is_space)
        .peekable();
    if drawn.peek().is_none() {
        TextSource::None
    } else if drawn.all(|glyph| glyph.invisible) {
        TextSource::HiddenOcr
    } else {
        TextSource::Native
    }
}

/// The glyphs by frame, visible text apart from invisible; the group that holds most comes first, so that a stamp at
/// the edge of the page does not come before its text.
fn groups(page: &Glyphs) -> Vec<(Frame, Vec<u32>)> {
    let mut groups: BTreeMap<(Frame, bool), Vec<u32>> = BTreeMap::new();
    for (index, glyph) in page.glyphs.iter().enumerate() {
        groups
            .entry((glyph.frame, glyph.invisible))
            .or_default()
            .push(index as u32);
    }
    let mut groups: Vec<((Frame, bool), Vec<u32>)> = groups.into_iter().collect();
    groups.sort_by(|(one, ones), (other, others)| {
        one.1
            .cmp(&other.1)
            .then(others.len().cmp(&ones.len()))
            .then(one.cmp(other))
    });
    groups
        .into_iter()
        .map(|((frame, _), members)| (frame, members))
        .collect()
}

fn read_frame(page: &Glyphs, frame: Frame, members: &[u32]) -> Vec<Block> {
    let mut galley = Galley::new(page, frame, members.len());
    let rows = Rows::gather(page, members, frame);
    let rows: Vec<Vec<Piece>> = rows
        .iter()
        .map(|row| word::words(&mut galley, row))
        .collect();
    let mut words = attach::join_rows(&mut galley, &rows);
    if words.is_empty() {
        return Vec::new();
    }
    let em = region::median_size(&words);
    attach::join_drop_caps(&mut galley, &mut words, em);
    let right_to_left = !frame.vertical && is_right_to_left(page, members);
    let regions = region::regions(words, right_to_left);
    let blocks = regions
        .into_iter()
        .flat_map(|words| block::blocks(line::lines(words)));
    blocks
        .map(|lines| emit::block(&galley, &lines, right_to_left))
        .collect()
}

/// Does most of the text run from right to left?
fn is_right_to_left(page: &Glyphs, members: &[u32]) -> bool {
    let count = |script: Script| {
        members
            .iter()
            .filter(|index| page.glyphs[**index as usize].script == script)
            .count()
    };
    count(Script::Right) > count(Script::Left)
}

/// A line goes on in the next one when it ends in a soft hyphen and that begins with a letter that is no capital. The
/// engine takes every hyphen between letters for a soft one; the hyphen of a word that holds another (`date-format-tofte`)
/// or a digit (`3d-cube`) belongs to it.
fn mark_hyphenated(blocks: &mut [Block]) {
    let mut lines: Vec<_> = blocks
        .iter_mut()
        .flat_map(|block| &mut block.lines)
        .collect();
    if let Some(last) = lines.last_mut() {
        last.hyphenated = false;
    }
    for index in 1..lines.len() {
        if !lines[index - 1].hyphenated {
            continue;
        }
        let next = lines[index]
            .words
            .first()
            .map_or("", |word| word.text.as_str());
        let head = lines[index - 1]
            .words
            .last()
            .and_then(|word| word.text.strip_suffix('-'))
            .unwrap_or("");
        let goes_on =
            next.starts_with(|first: char| first.is_alphabetic() && !first.is_uppercase());
        let is_compound =
            |part: &str| part.contains(|letter: char| letter == '-' || letter.is_numeric());
        let ends_compound = is_compound(head) || next.trim_end_matches('-').contains('-');
        lines[index - 1].hyphenated = goes_on && !head.is_empty() && !ends_compound;
    }
}

#[cfg(test)]
mod tests;
