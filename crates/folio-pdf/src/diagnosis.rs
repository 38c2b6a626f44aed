//! What a file that did not open looks like: decided from its first and last bytes.

use std::fmt;

/// What the bytes of a file look like that PDFium does not take for a PDF.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileLook {
    /// No bytes at all.
    Empty,
    /// A web page, often an error page saved under the name of the document.
    Html,
    /// A PDF header, but no end: the rest is missing.
    Truncated {
        /// Length of the file in bytes.
        bytes: u64,
    },
    /// A PDF header and an end, but damaged between.
    Damaged,
    /// No PDF header; some other kind of file.
    Other {
        /// What it is known to be by its first bytes, such as "a ZIP archive".
        kind: Option<&'static str>,
        /// The first bytes, those that cannot be printed as dots.
        first_bytes: String,
    },
}

impl fmt::Display for FileLook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileLook::Empty => f.write_str("the file is empty"),
            FileLook::Html => {
                f.write_str("it is an HTML page, perhaps an error page saved under this name")
            }
            FileLook::Truncated { bytes } => {
                write!(
                    f,
                    "it begins like a PDF but breaks off after {bytes} bytes without an end marker; fetch it again"
                )
            }
            FileLook::Damaged => f.write_str("it begins and ends like a PDF but is damaged inside"),
            FileLook::Other {
                kind: Some(kind), ..
            } => write!(f, "it is {kind}, without a PDF header"),
            FileLook::Other {
                kind: None,
                first_bytes,
            } => {
                write!(f, "it has no PDF header; it begins with \"{first_bytes}\"")
            }
        }
    }
}

/// First bytes of other kinds of files that people mistake for PDFs.
const KINDS: [(&[u8], &str); 9] = [
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"\xD0\xCF\x11\xE0", "an old office document"),
    (b"{\\rtf", "an RTF document"),
    (b"%!PS", "a PostScript file"),
    (b"\x1F\x8B", "a gzip archive"),
    (b"\x89PNG", "a PNG image"),
    (b"\xFF\xD8\xFF", "a JPEG image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
];

/// Readers accept the header anywhere in this many bytes from the start.
const HEADER_SEARCH_BYTES: usize = 1_024;
/// First bytes shown of an unknown file.
const SHOWN_BYTES: usize = 16;

/// Decides what a file of `length` bytes looks like from its `start` and `end`.
pub(crate) fn look(length: u64, start: &[u8], end: &[u8]) -> FileLook {
    if length == 0 {
        return FileLook::Empty;
    }
    let head = &start[..start.len().min(HEADER_SEARCH_BYTES)];
    if contains(head, b"%PDF-") {
        return if contains(end, b"%%EOF") {
            FileLook::Damaged
        } else {
            FileLook::Truncated { bytes: length }
        };
    }
    if is_html(start) {
        return FileLook::Html;
    }
    let kind = KINDS
        .iter()
        .find(|(magic, _)| start.starts_with(magic))
        .map(|(_, kind)| *kind);
    FileLook::Other {
        kind,
        first_bytes: printable(&start[..start.len().min(SHOWN_BYTES)]),
    }
}

/// The name of the security handler, if the bytes hold a `/Filter /Name` that is no stream filter.
pub(crate) fn security_handler(bytes: &[u8]) -> Option<String> {
    const KEY: &[u8] = b"/Filter";
    const STREAM_FILTERS: [&str; 4] = ["Standard", "JBIG2Decode", "DCTDecode", "JPXDecode"];
    bytes
        .windows(KEY.len())
        .enumerate()
        .filter(|(_, window)| *window == KEY)
        .find_map(|(at, _)| {
            let rest = bytes[at + KEY.len()..].trim_ascii_start();
            let name = rest.strip_prefix(b"/")?;
            let end = name
                .iter()
                .position(|byte| !(byte.is_ascii_alphanumeric() || b"._-".contains(byte)))?;
            let name = std::str::from_utf8(&name[..end]).ok()?;
            let is_stream_filter =
                name.ends_with("Decode") || name == "Crypt" || STREAM_FILTERS.contains(&name);
            (!name.is_empty() && !is_stream_filter).then(|| name.to_owned())
        })
}

fn is_html(start: &[u8]) -> bool {
    let text = start
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(start)
        .trim_ascii_start();
    let lower = text[..text.len().min(512)].to_ascii_lowercase();
    lower.starts_with(b"<!doctype html")
        || lower.starts_with(b"<html")
        || contains(&lower, b"<html")
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle)
}

fn printable(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|&byte| {
            if byte == b' ' || byte.is_ascii_graphic() {
                byte as char
            } else {
                '.'
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{FileLook, look, security_handler};

    fn look_at(bytes: &[u8]) -> FileLook {
        look(bytes.len() as u64, bytes, bytes)
    }

    #[test]
    fn each_look_is_told_apart() {
        assert_eq!(look_at(b""), FileLook::Empty);
        assert_eq!(look_at(b"\n <!DOCTYPE html><p>404"), FileLook::Html);
        assert_eq!(
            look_at(b"\xEF\xBB\xBF<?xml version='1.0'?><html>"),
            FileLook::Html
        );
        assert_eq!(
            look_at(b"%PDF-1.7\n1 0 obj"),
            FileLook::Truncated { bytes: 16 }
        );
        assert_eq!(look_at(b"junk\n%PDF-1.7\n%%EOF\n"), FileLook::Damaged);
        let zip = look_at(b"PK\x03\x04rest");
        assert!(zip.to_string().contains("ZIP archive"), "{zip}");
    }

    #[test]
    fn unknown_bytes_are_shown_printable() {
        let look = look_at(b"Hello\x00\x1b[2J \"world\" and more");
        assert_eq!(
            look,
            FileLook::Other {
                kind: None,
                first_bytes: "Hello..[2J \"worl".into()
            }
        );
    }

    #[test]
    fn the_security_handler_is_told_from_stream_filters() {
        let bytes = b"<</Filter/FlateDecode/Length 3>> <</Filter /Standard>> <</Filter /Adobe.PubSec /V 4>>";
        assert_eq!(security_handler(bytes).as_deref(), Some("Adobe.PubSec"));
        assert_eq!(security_handler(b"<</Filter [/FlateDecode] /Filter"), None);
    }
}
