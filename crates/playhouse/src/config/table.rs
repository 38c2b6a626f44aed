//! A table whose keys are known. A key that is not is an error about that key, so the format says where it stands.

use crate::nearest::nearest;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

pub(super) trait Table<'de>: Default {
    const KEYS: &'static [&'static str];

    /// Takes the value of one of the keys.
    fn read<A: MapAccess<'de>>(
        &mut self,
        key: &'static str,
        values: &mut A,
    ) -> Result<(), A::Error>;
}

pub(super) fn read_table<'de, T: Table<'de>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    from.deserialize_map(TableVisitor(PhantomData))
}

/// One of the names there are, of this sort.
pub(super) fn read_name<'de, D: Deserializer<'de>>(
    from: D,
    sort: &'static str,
    known: &'static [&'static str],
) -> Result<&'static str, D::Error> {
    from.deserialize_str(NameVisitor { sort, known })
}

struct TableVisitor<T>(PhantomData<T>);

impl<'de, T: Table<'de>> Visitor<'de> for TableVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a table with {}", list(T::KEYS))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut table = T::default();
        while let Some(key) = map.next_key_seed(Key(T::KEYS))? {
            table.read(key, &mut map)?;
        }
        Ok(table)
    }
}

struct Key(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Key {
    type Value = &'static str;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<&'static str, D::Error> {
        read_name(from, "key", self.0)
    }
}

struct NameVisitor {
    sort: &'static str,
    known: &'static [&'static str],
}

impl Visitor<'_> for NameVisitor {
    type Value = &'static str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {} for `{}`", list(self.known), self.sort)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<&'static str, E> {
        if let Some(known) = self.known.iter().find(|known| **known == name) {
            return Ok(known);
        }
        let perhaps = nearest(name, self.known.iter().copied())
            .map(|nearest| format!(", perhaps `{nearest}` is meant"));
        Err(E::custom(format_args!(
            "unknown {} `{name}`{}; there are {}",
            self.sort,
            perhaps.unwrap_or_default(),
            list(self.known)
        )))
    }
}

fn list(names: &[&str]) -> String {
    format!("`{}`", names.join("`, `"))
}
