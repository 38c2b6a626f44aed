//! Actors in the order in which they wait for each other, for a person to read.

use crate::address::Address;
use crate::sync::Arc;
use std::fmt;

/// Each waits for the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chain {
    /// One more than there are messages.
    actors: Vec<Address>,
    /// What each sends to the next one.
    messages: Vec<&'static str>,
}

impl Chain {
    pub(super) fn new(first: Address) -> Self {
        Self {
            actors: vec![first],
            messages: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, message: &'static str, to: Address) {
        self.messages.push(message);
        self.actors.push(to);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.actors.iter().zip(&self.actors[1..]);
        for (n, ((who, whom), message)) in pairs.zip(&self.messages).enumerate() {
            let comma = if n == 0 { "" } else { ", " };
            write!(f, "{comma}{who} waits for {whom} with a `{message}`")?;
        }
        Ok(())
    }
}

/// Actors of which each waits for the next one, and the last for the first. Displayed as `/s/a -> /s/b -> /s/a`, with the
/// types of the messages on the way.
#[derive(Clone, PartialEq, Eq)]
pub struct Cycle(Arc<Chain>);

impl Cycle {
    /// The last wait of the chain is for its first actor.
    pub(super) fn new(chain: Chain) -> Self {
        Self(Arc::new(chain))
    }

    /// The actors in order, the first of them once more at the end.
    pub fn path(&self) -> &[Address] {
        &self.0.actors
    }

    /// The type of the message with which each of them waits for the next one.
    pub fn messages(&self) -> &[&'static str] {
        &self.0.messages
    }

    /// The same, as that actor sees it.
    pub(super) fn beginning_with(&self, who: &Address) -> Self {
        let Chain { actors, messages } = &*self.0;
        let count = messages.len();
        let first = actors.iter().position(|actor| actor == who).unwrap_or(0);
        let mut chain = Chain::new(actors[first % count].clone());
        for step in first..first + count {
            chain.push(messages[step % count], actors[(step + 1) % count].clone());
        }
        Self::new(chain)
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, actor) in self.path().iter().enumerate() {
            let arrow = if n == 0 { "" } else { " -> " };
            write!(f, "{arrow}{actor}")?;
        }
        for (n, message) in self.messages().iter().enumerate() {
            let word = if n == 0 { " (with a" } else { ", then a" };
            write!(f, "{word} `{message}`")?;
        }
        f.write_str(")")
    }
}

impl fmt::Debug for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cycle({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Name;

    fn three() -> (Cycle, [Address; 3]) {
        let actors = ["a", "b", "c"].map(|name| Address::new("/s", Name::Given(name), 0));
        let mut chain = Chain::new(actors[0].clone());
        chain.push("Ping", actors[1].clone());
        chain.push("Pong", actors[2].clone());
        chain.push("Pung", actors[0].clone());
        (Cycle::new(chain), actors)
    }

    #[test]
    fn a_cycle_reads_as_a_path_with_its_messages() {
        let (cycle, [.., c]) = three();
        assert_eq!(
            cycle.to_string(),
            "/s/a -> /s/b -> /s/c -> /s/a (with a `Ping`, then a `Pong`, then a `Pung`)"
        );
        assert_eq!(
            cycle.beginning_with(&c).to_string(),
            "/s/c -> /s/a -> /s/b -> /s/c (with a `Pung`, then a `Ping`, then a `Pong`)"
        );
    }

    #[test]
    fn a_chain_reads_as_sentences() {
        let (cycle, _) = three();
        let text = cycle.0.to_string();
        assert!(
            text.starts_with("/s/a waits for /s/b with a `Ping`, /s/b waits for"),
            "{text}"
        );
    }
}
