//! A layout as plain text.

use super::{Layout, Line};

impl Layout {
    /// The text in reading order: words separated by a space, lines by a newline, blocks by an empty line. A word that
    /// a soft hyphen divides is written whole, on the line where it begins; a hard hyphen stays. Ends in a newline
    /// unless the page has no text.
    pub fn text(&self) -> String {
        let mut writer = Writer::default();
        for block in &self.blocks {
            writer.separate("\n\n");
            for line in &block.lines {
                writer.separate("\n");
                writer.line(line);
            }
        }
        if !writer.text.is_empty() {
            writer.text.push('\n');
        }
        writer.text
    }
}

/// Text so far, the separator that is due before the next word, and whether a divided word is open.
#[derive(Default)]
struct Writer {
    text: String,
    due: &'static str,
    divided: bool,
}

impl Writer {
    /// Separators do not add up: the largest one due is written before the next word.
    fn separate(&mut self, separator: &'static str) {
        if separator.len() > self.due.len() || self.due == " " {
            self.due = separator;
        }
    }

    fn line(&mut self, line: &Line) {
        for word in &line.words {
            let joins = std::mem::take(&mut self.divided);
            if !joins {
                if !self.text.is_empty() {
                    self.text.push_str(self.due);
                }
                self.due = "";
            }
            self.text.push_str(&word.text);
            self.separate(" ");
        }
        if line.hyphenated && self.text.ends_with('-') {
            self.text.pop();
            self.divided = true;
            self.due = "";
        }
    }
}
