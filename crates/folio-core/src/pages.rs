//! Which pages: what a user selects, and the set of page numbers that are done.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Page numbers, counted from 1.
pub type PageSet = BTreeSet<u32>;

/// The pages a user asked for: all, or a list such as `1-3,7,12-`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageSelection {
    /// Empty means every page.
    ranges: Vec<RangeInclusive<u32>>,
}

impl PageSelection {
    /// Every page.
    pub const fn all() -> Self {
        Self { ranges: Vec::new() }
    }

    /// True when every page is wanted.
    pub fn is_all(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Is `page` wanted?
    pub fn contains(&self, page: u32) -> bool {
        self.is_all() || self.ranges.iter().any(|range| range.contains(&page))
    }

    /// The wanted pages of a document of `count` pages, in order.
    pub fn of(&self, count: u32) -> impl Iterator<Item = u32> + '_ {
        (1..=count).filter(|page| self.contains(*page))
    }

    /// The first wanted page number that a document of `count` pages does not have.
    pub fn beyond(&self, count: u32) -> Option<u32> {
        let open = |range: &RangeInclusive<u32>| *range.end() == u32::MAX;
        let first_missing = |range: &RangeInclusive<u32>| {
            if open(range) {
                *range.start()
            } else {
                *range.end()
            }
        };
        self.ranges
            .iter()
            .map(first_missing)
            .find(|page| *page > count)
    }
}

/// Why a page list cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{part}' is not a page or a range of pages: write for example 1-3,7 or 12- (pages are counted from 1)"
)]
pub struct BadPages {
    part: String,
}

impl FromStr for PageSelection {
    type Err = BadPages;

    fn from_str(text: &str) -> Result<Self, BadPages> {
        let ranges = text
            .split(',')
            .map(str::trim)
            .map(parse_range)
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self { ranges })
    }
}

fn parse_range(part: &str) -> Result<RangeInclusive<u32>, BadPages> {
    let bad = || BadPages {
        part: part.to_owned(),
    };
    let number = |text: &str| {
        text.trim()
            .parse::<u32>()
            .ok()
            .filter(|page| *page > 0)
            .ok_or_else(bad)
    };
    let (first, last) = match part.split_once('-') {
        None => (number(part)?, number(part)?),
        Some((first, last)) if last.trim().is_empty() => (number(first)?, u32::MAX),
        Some((first, last)) => (number(first)?, number(last)?),
    };
    if first > last {
        return Err(bad());
    }
    Ok(first..=last)
}

impl fmt::Display for PageSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_all() {
            return f.write_str("all");
        }
        for (index, range) in self.ranges.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            match (range.start(), range.end()) {
                (first, last) if first == last => write!(f, "{comma}{first}")?,
                (first, &u32::MAX) => write!(f, "{comma}{first}-")?,
                (first, last) => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(text: &str, count: u32) -> Vec<u32> {
        text.parse::<PageSelection>().unwrap().of(count).collect()
    }

    #[test]
    fn lists_and_ranges_select_in_page_order() {
        assert_eq!(pages("1-3,7", 9), [1, 2, 3, 7]);
        assert_eq!(pages("7, 1 - 3", 9), [1, 2, 3, 7]);
        assert_eq!(pages("2-4,3-5", 9), [2, 3, 4, 5]);
        assert_eq!(pages("8-", 9), [8, 9]);
        assert_eq!(PageSelection::all().of(3).collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn what_is_no_page_is_named() {
        for bad in ["", "0", "a", "1-b", "3-1", "1,,2", "-3", "1-2-3"] {
            let error = bad.parse::<PageSelection>().unwrap_err().to_string();
            assert!(error.contains("1-3,7"), "{bad}: {error}");
        }
        assert!(
            "1,x9"
                .parse::<PageSelection>()
                .unwrap_err()
                .to_string()
                .contains("'x9'")
        );
    }

    #[test]
    fn a_page_the_document_lacks_is_found() {
        let selection = |text: &str| text.parse::<PageSelection>().unwrap();
        assert_eq!(selection("1-3,7").beyond(7), None);
        assert_eq!(selection("1-3,7").beyond(6), Some(7));
        assert_eq!(selection("2-").beyond(1), Some(2));
        assert_eq!(selection("2-").beyond(5), None);
        assert_eq!(PageSelection::all().beyond(0), None);
    }

    #[test]
    fn it_prints_as_it_was_written() {
        for text in ["1-3,7", "12-", "4"] {
            assert_eq!(text.parse::<PageSelection>().unwrap().to_string(), text);
        }
    }
}
