//! Who an actor is: a path for people, an identity for comparing.
//!
//! 1. The bytes of an address are a path, which is UTF-8, and the number of the actor in [`UID`] bytes behind it.
#![allow(unsafe_code)]

use crate::actor_ref::ActorRef;
use crate::sync::Arc;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Path and identity of one actor, untyped: for signals, events, logs. Compares with a typed reference:
/// `who == self.child`. Two actors are never equal, not even if one took the other's name after its end.
#[derive(Clone)]
pub struct Address(Arc<[u8]>);

/// How many bytes at the end are the number of the actor. The rest is the path, which is text.
const UID: usize = size_of::<u64>();

/// What an actor is called by its family.
#[derive(Clone, Copy)]
pub(crate) enum Name<'a> {
    Given(&'a str),
    /// `~1`, `~2` and so on: names that nobody can give.
    Anonymous(u64),
}

impl Address {
    pub(crate) fn new(parent: &str, name: Name<'_>, uid: u64) -> Self {
        let mut digits = [0; DIGITS];
        let (mark, name) = match name {
            Name::Given(name) => ("", name.as_bytes()),
            Name::Anonymous(number) => ("~", decimal(number, &mut digits)),
        };
        let uid = uid.to_ne_bytes();
        Self(join([parent.as_bytes(), b"/", mark.as_bytes(), name, &uid]))
    }

    /// Of a system, whose actors are below it.
    pub(crate) fn root(system: &str) -> Self {
        Self::new("", Name::Given(system), u64::MAX)
    }

    /// `/system/parent/name`.
    pub fn path(&self) -> &str {
        let path = &self.0[..self.0.len() - UID];
        // SAFETY: rule 1: the only constructor puts whole strings there, and the number behind them.
        unsafe { std::str::from_utf8_unchecked(path) }
    }

    /// Its own name, the last part of the path.
    pub fn name(&self) -> &str {
        self.path().rsplit('/').next().unwrap_or_default()
    }

    pub(crate) fn uid(&self) -> u64 {
        self.0
            .last_chunk()
            .map_or(0, |uid| u64::from_ne_bytes(*uid))
    }
}

/// As many as the largest number has.
const DIGITS: usize = 20;

/// Without the machinery of `format!`, which costs more than the rest of an anonymous actor's address.
fn decimal(mut number: u64, digits: &mut [u8; DIGITS]) -> &[u8] {
    let mut first = DIGITS;
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[first..];
        }
    }
}

/// One allocation for an address of the usual length.
fn join(parts: [&[u8]; 5]) -> Arc<[u8]> {
    let mut buffer = [0; 128];
    let mut length = 0;
    for part in parts {
        let Some(room) = buffer.get_mut(length..length + part.len()) else {
            return parts.concat().into();
        };
        room.copy_from_slice(part);
        length += part.len();
    }
    buffer[..length].into()
}

/// The identity is the allocation that all copies of an address share, so no counter of the whole process is needed to
/// tell the actors of two systems apart.
impl PartialEq for Address {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
impl Eq for Address {}

impl Hash for Address {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).cast::<u8>().hash(state);
    }
}

impl<M> PartialEq<ActorRef<M>> for Address {
    fn eq(&self, other: &ActorRef<M>) -> bool {
        self == other.core_address()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.path())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.path(), self.uid())
    }
}

/// What is wrong with a name, if anything.
pub(crate) fn complaint(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("it is empty")
    } else if name.len() > crate::limits::NAME_BYTES {
        Some("it is longer than limits::NAME_BYTES")
    } else if name.starts_with('~') {
        Some("names that begin with `~` are given to anonymous actors")
    } else if name.chars().any(|c| c == '/' || c.is_control()) {
        Some("it contains `/`, which separates the names of a path, or a control character")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, Name, complaint};

    #[test]
    fn a_name_is_one_printable_step_of_a_path() {
        for good in ["renderer", "worker-7", "größe", "a b"] {
            assert_eq!(complaint(good), None, "{good:?}");
        }
        let long = "x".repeat(crate::limits::NAME_BYTES + 1);
        for bad in ["", "a/b", "~1", "line\nbreak", &long] {
            assert!(complaint(bad).is_some(), "{bad:?}");
        }
    }

    #[test]
    fn a_path_of_any_length_is_whole() {
        for length in [0, 1, 100, 125, 126, 127, 128, 300] {
            let parent = format!("/{}", "p".repeat(length));
            let address = Address::new(&parent, Name::Given("größe"), 7);
            assert_eq!(address.path(), format!("{parent}/größe"));
            assert_eq!((address.name(), address.uid()), ("größe", 7));
        }
    }

    #[test]
    fn an_anonymous_name_is_a_number() {
        for number in [0, 1, 9, 10, 1_234_567_890, u64::MAX] {
            let address = Address::new("/house", Name::Anonymous(number), 7);
            assert_eq!(address.path(), format!("/house/~{number}"));
        }
    }
}
