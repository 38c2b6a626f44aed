//! What is written on the right of a key. Each reader knows its key, because an error that only shows the value says too
//! little.

use serde::de::{DeserializeSeed, Deserializer, Error, Unexpected, Visitor};
use std::fmt;
use std::time::Duration;

/// A whole number, for a key, from the least that means anything.
pub(super) struct Count {
    pub(super) key: &'static str,
    pub(super) least: usize,
}

impl<'de> DeserializeSeed<'de> for Count {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<usize, D::Error> {
        from.deserialize_u64(self)
    }
}

impl Visitor<'_> for Count {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number from {} for `{}`", self.least, self.key)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<usize, E> {
        match usize::try_from(number) {
            Ok(number) if number >= self.least => Ok(number),
            _ => Err(E::invalid_value(Unexpected::Unsigned(number), &self)),
        }
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<usize, E> {
        match u64::try_from(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(number), &self)),
        }
    }
}

/// A whole number and its unit: a bare number would leave open whether it means seconds.
pub(super) struct Time(pub(super) &'static str);

impl<'de> DeserializeSeed<'de> for Time {
    type Value = Duration;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Duration, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Time {
    type Value = Duration;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a time such as \"250ms\", \"10s\" or \"2m\" for `{}`",
            self.0
        )
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Duration, E> {
        let time = parse_time(text);
        time.ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

fn parse_time(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let milliseconds = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => return None,
    };
    let number: u64 = number.parse().ok()?;
    Some(Duration::from_millis(number.checked_mul(milliseconds)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{millis, secs};

    #[test]
    fn a_time_is_a_whole_number_and_its_unit() {
        for (text, expected) in [
            ("0ms", Some(millis(0))),
            ("250ms", Some(millis(250))),
            ("10s", Some(secs(10))),
            ("2m", Some(secs(120))),
            ("", None),
            ("10", None),
            ("s", None),
            ("-1s", None),
            ("1.5s", None),
            ("10 s", None),
            ("10h", None),
            ("18446744073709551616ms", None),
            ("18446744073709551615m", None),
        ] {
            assert_eq!(parse_time(text), expected, "{text:?}");
        }
    }
}
