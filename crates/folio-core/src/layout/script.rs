//! What a character says about direction and word building.

/// What a character is to the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    /// A letter of a left-to-right script.
    Left,
    /// A letter of a right-to-left script.
    Right,
    /// A digit: runs left to right, but decides nothing about its line.
    Digit,
    /// An ideograph, kana or hangul syllable, and the punctuation set with them.
    Ideograph,
    /// Everything else.
    Neutral,
}

/// The script of a character.
pub(super) fn script(code: char) -> Script {
    match code {
        '0'..='9' | '\u{660}'..='\u{669}' | '\u{6F0}'..='\u{6F9}' => Script::Digit,
        _ if code.is_ascii() => {
            if code.is_ascii_alphabetic() {
                Script::Left
            } else {
                Script::Neutral
            }
        }
        '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' => Script::Right,
        '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}' => Script::Right,
        '\u{1100}'..='\u{11FF}' | '\u{2E80}'..='\u{A4CF}' | '\u{AC00}'..='\u{D7FF}' => {
            Script::Ideograph
        }
        '\u{F900}'..='\u{FAFF}' | '\u{FE30}'..='\u{FE4F}' | '\u{FF00}'..='\u{FFEF}' => {
            Script::Ideograph
        }
        '\u{20000}'..='\u{3FFFF}' => Script::Ideograph,
        _ if code.is_alphabetic() => Script::Left,
        _ => Script::Neutral,
    }
}

/// Characters that have no ink of their own and say nothing to a reader of plain text: byte order mark, bidi controls,
/// zero width space, word joiner.
pub(super) fn is_ignorable(code: char) -> bool {
    matches!(code, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

/// Characters written onto the one before: combining marks, joiners, variation selectors.
pub(super) fn is_mark(code: char) -> bool {
    matches!(code, '\u{200C}' | '\u{200D}')
        || (code > '\u{2FF}' && unicode_normalization::char::is_combining_mark(code))
}

/// The mark that makes an accent which stands for itself part of a letter; none when it is no accent.
pub(super) fn mark_of(accent: char) -> Option<char> {
    Some(match accent {
        '`' => '\u{300}',
        '\u{B4}' => '\u{301}',
        '^' | '\u{2C6}' => '\u{302}',
        '~' | '\u{2DC}' => '\u{303}',
        '\u{AF}' => '\u{304}',
        '\u{2D8}' => '\u{306}',
        '\u{2D9}' => '\u{307}',
        '\u{A8}' => '\u{308}',
        '\u{2DA}' => '\u{30A}',
        '\u{2DD}' => '\u{30B}',
        '\u{2C7}' => '\u{30C}',
        '\u{B8}' => '\u{327}',
        _ => return None,
    })
}

/// The letter that a base and a mark make together, if there is one.
pub(super) fn accented(base: char, mark: char) -> Option<char> {
    let base = match base {
        '\u{131}' => 'i',
        '\u{237}' => 'j',
        other => other,
    };
    unicode_normalization::char::compose(base, mark)
}

/// Calls `emit` with the letters of a glyph: those of a ligature or presentation form, else the character itself.
/// Hyphens of every kind that a reader takes for the same come as `-`.
pub(super) fn letters(code: char, mut emit: impl FnMut(char)) {
    match code {
        '\u{AD}' => emit('-'),
        '\u{FB00}'..='\u{FB06}'
        | '\u{FB13}'..='\u{FB17}'
        | '\u{FB1D}'..='\u{FD3D}'
        | '\u{FD50}'..='\u{FDFF}'
        | '\u{FE70}'..='\u{FEFC}' => {
            // The isolated forms of Arabic vowel signs decompose to a space and the sign.
            unicode_normalization::char::decompose_compatible(code, |letter| {
                if letter != ' ' {
                    emit(letter);
                }
            });
        }
        _ => emit(code),
    }
}

/// Is this hyphen one that may divide a word at the end of a line?
pub(super) fn is_hyphen(code: char) -> bool {
    matches!(code, '-' | '\u{AD}' | '\u{2010}')
}
