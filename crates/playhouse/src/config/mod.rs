//! A system's settings as text, for those that an operator changes without a new build. Everything here can be said in code
//! as well; code decides where the text comes from.
//!
//! What is misspelt is never ignored: an unknown key is an error that names the key, its line and the nearest key there is,
//! and a wrong value is one that names the values there are.

mod table;
mod values;

use crate::address::complaint;
use crate::dispatch::Dispatcher;
use crate::limits;
use crate::shutdown::Phase;
use crate::system::OWN_THREADS;
use serde::de::{Deserialize, Deserializer, Error, MapAccess};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;
use table::{Table, read_name, read_table};
use values::{Count, Time};

/// Settings of a system, for [`SystemBuilder::config`](crate::SystemBuilder::config). Any format that serde reads will do,
/// also as a part of a larger configuration; [`from_toml`](Self::from_toml) reads the one that this page shows. What is
/// left out stays as the builder has it.
///
/// ```
/// use playhouse::SystemConfig;
/// use playhouse::prelude::*;
///
/// # fn main() -> Outcome {
/// let config = SystemConfig::from_toml(r#"
///     [dispatchers.blocking-io]
///     kind = "fixed"          # "shared", "fixed" or "pinned", as the functions of `Dispatcher`
///     threads = 16            # for "fixed", which needs it
///     throughput = 1          # messages per turn
///     time_limit = "100ms"    # of a turn
///
///     [dispatchers.default]   # one that is there already is replaced
///     kind = "shared"
///     throughput = 16
///
///     [phase_deadlines]       # close_doors, finish_requests, stop_actors, release_resources
///     stop_actors = "30s"
///
///     [dead_letter_log]       # both as of `SystemBuilder::dead_letter_log`
///     limit = 100
///     pause = "5m"
/// "#)?;
/// let system = ActorSystem::builder("shop").config(&config).build()?;
/// assert!(system.dispatcher("blocking-io").is_ok());
///
/// let error = SystemConfig::from_toml("[dispatchers.jdbc]\nkind = \"fixed\"\nthread = 16").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 3: unknown key `thread`, perhaps `threads` is meant; there are `kind`, `threads`, `throughput`, `time_limit`",
/// );
/// # Ok(())
/// # }
/// ```
///
/// Times are texts: a whole number and `ms`, `s` or `m`.
#[derive(Clone, Debug, Default)]
pub struct SystemConfig {
    pub(crate) dispatchers: BTreeMap<String, Dispatcher>,
    pub(crate) phase_deadlines: BTreeMap<Phase, Duration>,
    pub(crate) dead_letter_log: Option<(u32, Duration)>,
}

impl SystemConfig {
    /// Reads TOML. The error names the line.
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        toml::from_str(text).map_err(|error| ConfigError {
            line: error.span().map(|span| line_of(text, span.start)),
            message: error.message().to_owned(),
        })
    }
}

fn line_of(text: &str, position: usize) -> usize {
    let before = text.as_bytes().iter().take(position);
    1 + before.filter(|&&byte| byte == b'\n').count()
}

/// Why a text is no configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    line: Option<usize>,
    message: String,
}

impl ConfigError {
    /// Where, counted from 1; the beginning of the table, if something is missing in it. `None`: nowhere in particular.
    pub fn line(&self) -> Option<usize> {
        self.line
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConfigError {}

impl<'de> Deserialize<'de> for SystemConfig {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read_table(from)
    }
}

impl<'de> Table<'de> for SystemConfig {
    const KEYS: &'static [&'static str] = &["dispatchers", "phase_deadlines", "dead_letter_log"];

    fn read<A: MapAccess<'de>>(
        &mut self,
        key: &'static str,
        values: &mut A,
    ) -> Result<(), A::Error> {
        match key {
            "dispatchers" => {
                let named: BTreeMap<Name, Dispatcher> = values.next_value()?;
                let named = named.into_iter().map(|(Name(name), it)| (name, it));
                self.dispatchers = named.collect();
            }
            "phase_deadlines" => self.phase_deadlines = values.next_value::<PhaseDeadlines>()?.0,
            _ => {
                let DeadLetterLog { limit, pause } = values.next_value()?;
                self.dead_letter_log = Some((limit, pause));
            }
        }
        Ok(())
    }
}

/// A name that a dispatcher can have.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        if let Some(why) = complaint(&name) {
            return Err(Error::custom(format_args!("bad name {name:?}: {why}")));
        }
        if name == OWN_THREADS {
            return Err(Error::custom(format_args!(
                "{name:?} names the threads of blocking actors; choose another name"
            )));
        }
        Ok(Self(name))
    }
}

#[derive(Default)]
struct PhaseDeadlines(BTreeMap<Phase, Duration>);

impl<'de> Deserialize<'de> for PhaseDeadlines {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read_table(from)
    }
}

impl<'de> Table<'de> for PhaseDeadlines {
    const KEYS: &'static [&'static str] = &[
        "close_doors",
        "finish_requests",
        "stop_actors",
        "release_resources",
    ];

    fn read<A: MapAccess<'de>>(
        &mut self,
        key: &'static str,
        values: &mut A,
    ) -> Result<(), A::Error> {
        let phase = match key {
            "close_doors" => Phase::CloseDoors,
            "finish_requests" => Phase::FinishRequests,
            "stop_actors" => Phase::StopActors,
            _ => Phase::ReleaseResources,
        };
        self.0.insert(phase, values.next_value_seed(Time(key))?);
        Ok(())
    }
}

struct DeadLetterLog {
    limit: u32,
    pause: Duration,
}

impl Default for DeadLetterLog {
    fn default() -> Self {
        Self {
            limit: limits::DEAD_LETTERS_LOGGED,
            pause: limits::DEAD_LETTER_PAUSE,
        }
    }
}

impl<'de> Deserialize<'de> for DeadLetterLog {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read_table(from)
    }
}

impl<'de> Table<'de> for DeadLetterLog {
    const KEYS: &'static [&'static str] = &["limit", "pause"];

    fn read<A: MapAccess<'de>>(
        &mut self,
        key: &'static str,
        values: &mut A,
    ) -> Result<(), A::Error> {
        if key == "limit" {
            let limit = values.next_value_seed(Count { key, least: 0 })?;
            self.limit = u32::try_from(limit).unwrap_or(u32::MAX); // as good as none
        } else {
            self.pause = values.next_value_seed(Time(key))?;
        }
        Ok(())
    }
}

/// A table with `kind`, and what that kind can be told.
impl<'de> Deserialize<'de> for Dispatcher {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read_table::<DispatcherTable, D>(from)?.dispatcher()
    }
}

#[derive(Default)]
struct DispatcherTable {
    kind: Option<&'static str>,
    threads: Option<usize>,
    throughput: Option<usize>,
    time_limit: Option<Duration>,
}

impl<'de> Table<'de> for DispatcherTable {
    const KEYS: &'static [&'static str] = &["kind", "threads", "throughput", "time_limit"];

    fn read<A: MapAccess<'de>>(
        &mut self,
        key: &'static str,
        values: &mut A,
    ) -> Result<(), A::Error> {
        match key {
            "kind" => self.kind = Some(values.next_value::<Kind>()?.0),
            "threads" => self.threads = Some(values.next_value_seed(Count { key, least: 1 })?),
            "throughput" => {
                self.throughput = Some(values.next_value_seed(Count { key, least: 1 })?)
            }
            _ => self.time_limit = Some(values.next_value_seed(Time(key))?),
        }
        Ok(())
    }
}

const KINDS: &[&str] = &["shared", "fixed", "pinned"];

struct Kind(&'static str);

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read_name(from, "kind", KINDS).map(Self)
    }
}

impl DispatcherTable {
    fn dispatcher<E: Error>(self) -> Result<Dispatcher, E> {
        let mut dispatcher = match (self.kind, self.threads) {
            (Some("fixed"), Some(threads)) => Dispatcher::fixed(threads),
            (Some("fixed"), None) => {
                return Err(E::custom(
                    "kind \"fixed\" needs `threads`, a whole number from 1",
                ));
            }
            (Some("shared"), None) => Dispatcher::shared(),
            (Some(_), None) => Dispatcher::pinned(),
            (Some(kind), Some(_)) => {
                return Err(E::custom(format_args!(
                    "`threads` is for kind \"fixed\" only, and this is {kind:?}; leave it out"
                )));
            }
            (None, _) => {
                return Err(E::custom(
                    "a dispatcher needs `kind`, \"shared\", \"fixed\" or \"pinned\"",
                ));
            }
        };
        if let Some(messages) = self.throughput {
            dispatcher = dispatcher.throughput(messages);
        }
        if let Some(limit) = self.time_limit {
            dispatcher = dispatcher.time_limit(limit);
        }
        Ok(dispatcher)
    }
}
