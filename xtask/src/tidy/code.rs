//! Just enough of a Rust lexer: which characters of a file are code, and where its functions begin and end.
//!
//! It knows comments, strings, raw strings and character literals, and nothing of grammar beyond matching braces. That is
//! enough to count lines and find words without being fooled by a brace in a string.

use std::iter::Peekable;
use std::ops::Range;
use std::str::CharIndices;

/// `text` with comments and the contents of literals replaced by spaces. Lines and columns stay where they are.
#[must_use]
pub(crate) fn blanked(text: &str) -> String {
    let mut lexer = Lexer {
        text,
        rest: text.char_indices().peekable(),
        code: String::with_capacity(text.len()),
    };
    while let Some((at, character)) = lexer.rest.next() {
        match character {
            '/' if lexer.text[at..].starts_with("//") => lexer.blank_line(),
            '/' if lexer.text[at..].starts_with("/*") => lexer.blank_comment(),
            '"' => lexer.blank_string(at),
            '\'' => lexer.blank_character(at),
            other => lexer.code.push(other),
        }
    }
    lexer.code
}

struct Lexer<'text> {
    text: &'text str,
    rest: Peekable<CharIndices<'text>>,
    code: String,
}

impl Lexer<'_> {
    fn blank(&mut self, character: char) {
        self.code.push(if character == '\n' { '\n' } else { ' ' });
    }

    fn blank_next(&mut self) -> Option<char> {
        let (_, character) = self.rest.next()?;
        self.blank(character);
        Some(character)
    }

    fn blank_line(&mut self) {
        self.blank('/');
        while self
            .rest
            .next_if(|(_, character)| *character != '\n')
            .is_some()
        {
            self.code.push(' ');
        }
    }

    fn blank_comment(&mut self) {
        let mut depth = 0_usize;
        let mut previous = '/';
        self.blank('/');
        while let Some(character) = self.blank_next() {
            match (previous, character) {
                ('/', '*') => (depth, previous) = (depth + 1, ' '),
                ('*', '/') if depth == 1 => return,
                ('*', '/') => (depth, previous) = (depth - 1, ' '),
                _ => previous = character,
            }
        }
    }

    /// A string that opens at `at`; raw when an `r` and hashes stand before it.
    fn blank_string(&mut self, at: usize) {
        self.code.push('"');
        let before = &self.text[..at];
        let hashes = before.len() - before.trim_end_matches('#').len();
        let raw =
            before[..at - hashes].ends_with('r') && !is_word_before_raw(&before[..at - hashes]);
        let end = format!("\"{}", "#".repeat(hashes));
        while let Some((place, character)) = self.rest.next() {
            match character {
                '\\' if !raw => {
                    self.blank(' ');
                    self.blank_next();
                }
                '"' if !raw || self.text[place..].starts_with(&end) => {
                    self.code.push('"');
                    return;
                }
                other => self.blank(other),
            }
        }
    }

    /// A character literal that opens at `at`, unless it is a lifetime or a label.
    fn blank_character(&mut self, at: usize) {
        self.code.push('\'');
        let mut ahead = self.text[at + 1..].chars();
        let (first, second) = (ahead.next(), ahead.next());
        if first != Some('\\') && second != Some('\'') {
            return;
        }
        while let Some((_, character)) = self.rest.next() {
            match character {
                '\\' => {
                    self.blank(' ');
                    self.blank_next();
                }
                '\'' => {
                    self.code.push('\'');
                    return;
                }
                other => self.blank(other),
            }
        }
    }
}

/// Whether the `r` at the end of `before` belongs to a longer word, as in `for"`, and so opens no raw string.
fn is_word_before_raw(before: &str) -> bool {
    let word = &before[..before.len() - 1];
    let mut letters = word.chars().rev();
    match letters.next() {
        Some('b' | 'c') => letters.next().is_some_and(is_word),
        Some(letter) => is_word(letter),
        None => false,
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// A function in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Function {
    /// Its name.
    pub(super) name: String,
    /// The line of its `fn`, from 1.
    pub(super) line: usize,
    /// How many lines there are from its `fn` to its closing brace.
    pub(super) lines: usize,
    /// Where its body stands, with its braces.
    pub(super) body: Range<usize>,
    /// Whether it is a test.
    pub(super) is_test: bool,
}

/// The functions with a body in `code`, which is [`blanked`].
pub(super) fn functions(code: &str) -> Vec<Function> {
    words(code, "fn")
        .filter_map(|at| function_at(code, at))
        .collect()
}

fn function_at(code: &str, at: usize) -> Option<Function> {
    let name: String = code[at + 2..]
        .trim_start()
        .chars()
        .take_while(|character| is_word(*character))
        .collect();
    if name.is_empty() {
        // A function pointer type: `fn(u8) -> u8`.
        return None;
    }
    let open = body_start(code, at)?;
    let close = matching_brace(code, open)?;
    let line = line_of(code, at);
    Some(Function {
        name,
        line,
        lines: line_of(code, close) - line + 1,
        body: open..close + 1,
        is_test: is_test(&code[..at]),
    })
}

/// Whether the attributes that end `before`, which is all before a function, make it a test.
fn is_test(before: &str) -> bool {
    let attributes = before
        .rfind([';', '{', '}'])
        .map_or(before, |end| &before[end + 1..]);
    attributes.contains("#[test]") || attributes.contains("#[tokio::test")
}

/// The brace that opens the body of the function at `at`; none for a signature that ends in a semicolon.
fn body_start(code: &str, at: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (offset, character) in code[at..].char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ';' if depth == 0 => return None,
            '{' if depth == 0 => return Some(at + offset),
            _ => {}
        }
    }
    None
}

fn matching_brace(code: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, character) in code[open..].char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 1 => return Some(open + offset),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Where `word` stands in `code` as a whole word.
pub(super) fn words<'code>(
    code: &'code str,
    word: &'code str,
) -> impl Iterator<Item = usize> + 'code {
    code.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| {
            let before = code[..*at].chars().next_back();
            let after = code[at + word.len()..].chars().next();
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
}

/// The line of the byte `at`, from 1.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text[..at].bytes().filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> String {
        let code = blanked(text);
        assert_eq!(
            code.chars().count(),
            text.chars().count(),
            "columns moved in {text:?}"
        );
        code.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_are_blanked_also_when_nested() {
        assert_eq!(kept("a // b {\nc /* d /* e */ f */ g"), "a c g");
    }

    #[test]
    fn the_contents_of_strings_are_blanked() {
        assert_eq!(kept(r#"f("{ \" }") + "x""#), r#"f(" ") + " ""#);
    }

    #[test]
    fn raw_strings_end_at_their_own_hashes() {
        assert_eq!(
            kept("r#\"a \" { \"# + br\"\\\" + 1"),
            "r#\" \"# + br\" \" + 1"
        );
    }

    #[test]
    fn lifetimes_are_not_character_literals() {
        assert_eq!(
            kept("fn f<'a>(x: &'a str) { '{' == '\\'' }"),
            "fn f<'a>(x: &'a str) { ' ' == ' ' }"
        );
    }

    #[test]
    fn functions_are_measured_from_the_word_to_the_last_brace() {
        let code = blanked(
            "/// fn no() {}\nfn one() {\n    let s = \"}\";\n}\ntrait T { fn two(&self); }\nfn three<F: Fn([u8; 2])>(f: fn(u8)) {}\n",
        );
        let found: Vec<_> = functions(&code)
            .into_iter()
            .map(|found| (found.name, found.line, found.lines))
            .collect();
        assert_eq!(
            found,
            [("one".to_owned(), 2, 3), ("three".to_owned(), 6, 1)]
        );
    }

    #[test]
    fn a_test_is_known_by_its_attribute_and_its_body_by_its_braces() {
        let code = blanked(
            "#[test]\n#[x]\nfn a() { b(); }\nfn c() {}\n#[tokio::test(d = 1)]\nasync fn e() {}",
        );
        let found: Vec<_> = functions(&code)
            .into_iter()
            .map(|found| (found.is_test, code[found.body].to_owned()))
            .collect();
        let expected = [(true, "{ b(); }"), (false, "{}"), (true, "{}")];
        assert_eq!(
            found,
            expected.map(|(is_test, body)| (is_test, body.to_owned()))
        );
    }

    #[test]
    fn words_are_whole() {
        assert_eq!(words("unsafe unsafe_code not_unsafe", "unsafe").count(), 1);
    }
}
