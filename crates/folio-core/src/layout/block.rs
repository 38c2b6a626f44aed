//! Blocks: lines that follow each other at one pitch, in one size, from one left edge.

use super::limits::{
    BLOCK_PITCH_FACTOR, BLOCK_PITCH_MOST, BLOCK_PITCH_SLACK, BLOCK_SIZE_FACTOR, FLUSH,
    PARAGRAPH_INDENT,
};
use super::line::Draft;

/// Cuts the lines of a region into blocks.
pub(super) fn blocks(lines: Vec<Draft>) -> Vec<Vec<Draft>> {
    let mut blocks: Vec<Vec<Draft>> = Vec::new();
    for line in lines {
        match blocks.last_mut().filter(|block| continues(block, &line)) {
            Some(block) => block.push(line),
            None => blocks.push(vec![line]),
        }
    }
    blocks
}

fn continues(block: &[Draft], line: &Draft) -> bool {
    let last = block.last().expect("a block has a line");
    let em = last.size.max(line.size);
    let step = line.baseline - last.baseline;
    if em > last.size.min(line.size) * BLOCK_SIZE_FACTOR || step > BLOCK_PITCH_MOST * em {
        return false;
    }
    if let [.., before, last] = block {
        let pitch = last.baseline - before.baseline;
        if step > pitch * BLOCK_PITCH_FACTOR + BLOCK_PITCH_SLACK * em {
            return false;
        }
    }
    let beside = line.span.u0 < last.span.u1 && last.span.u0 < line.span.u1;
    beside && !begins_paragraph(block, line, em)
}

/// An indented line after lines that share a left edge begins a paragraph; a second line further in hangs, and the last
/// line of a caption may be centred.
fn begins_paragraph(block: &[Draft], line: &Draft, em: f32) -> bool {
    let [.., before, last] = block else {
        return false;
    };
    let flush = (before.span.u0 - last.span.u0).abs() < FLUSH * em;
    let indented = line.span.u0 > last.span.u0 + PARAGRAPH_INDENT * em;
    let insets = (line.span.u0 - last.span.u0, last.span.u1 - line.span.u1);
    let centred = (insets.0 - insets.1).abs() < em;
    flush && indented && !centred
}
