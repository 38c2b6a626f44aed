//! The name that was probably meant, for errors about names that do not exist.

/// The closest of the names there are, unless none is close: a third of the letters may be wrong. Of equally close ones
/// the first.
pub(crate) fn nearest<'a, N: AsRef<str> + ?Sized + 'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a N>,
) -> Option<&'a str> {
    let most = name.chars().count().div_ceil(3);
    known
        .into_iter()
        .map(|known| (distance(name, known.as_ref()), known.as_ref()))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// Letters to insert, delete or replace until one is the other (Levenshtein's distance).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_insertions_deletions_and_replacements() {
        for (one, other, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("fixd", "fixed", 1),
            ("throughputt", "throughput", 1),
            ("pimmed", "pinned", 2),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(one, other), expected, "{one} {other}");
            assert_eq!(distance(other, one), expected, "{other} {one}");
        }
    }

    #[test]
    fn the_nearest_is_named_only_if_it_is_near() {
        let known = ["blocking", "default", "fixed"];
        assert_eq!(nearest("blokcing", known), Some("blocking"));
        assert_eq!(nearest("Default", known), Some("default"));
        assert_eq!(nearest("jdbc", known), None);
        assert_eq!(nearest("", known), None);
    }
}
