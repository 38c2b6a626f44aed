//! Every bound of the runtime, its number, and why it is that number.

use std::time::Duration;

/// Places in a mailbox unless the props say otherwise. Large enough that a burst of a thousand small messages passes
/// without a wait, small enough that a stuck actor is noticed while its backlog still fits in a few megabytes.
pub const MAILBOX: usize = 1_024;

/// Messages an actor may handle before others on its dispatcher get their turn. Measured flat from 5 to 64; the upper
/// end costs the fewest switches.
pub const THROUGHPUT: usize = 64;

/// Messages per turn on a `fixed` dispatcher. Its handlers block, so one message is already a long turn.
pub const THROUGHPUT_FIXED: usize = 1;

/// Threads of the built-in dispatcher `blocking`. They start with its first use and mostly wait for a device, so there
/// may be more of them than cores.
pub const BLOCKING_THREADS: usize = 16;

/// Own asks and pipes that one actor may have under way. Generous: reaching it means that results are started without
/// end, and the bound exists to name that leak.
pub const COMPLETIONS_PER_ACTOR: usize = 65_536;

/// Bytes of an actor's or a system's name: as many as a file's. Each log line about an actor repeats its whole path.
pub const NAME_BYTES: usize = 255;

/// How long a phase of the shutdown may take unless the builder says otherwise. Service managers wait 10 to 30 seconds
/// before they kill; the phases rarely use theirs.
pub const PHASE_DEADLINE: Duration = Duration::from_secs(10);

/// After actors that did not stop in time were killed, how long the shutdown waits for them to be gone. A killed
/// handler ends at its next await, so this is only reached by code that blocks.
pub const KILL_GRACE: Duration = Duration::from_secs(1);

/// Slots of the first chunk of a mailbox. Most actors never hold more than a message or two at a time, and an idle one
/// keeps this chunk.
pub(crate) const CHUNK_FIRST: u32 = if cfg!(playhouse_loom) { 1 } else { 4 };

/// Slots of the largest chunk. From here on a stream reuses two chunks and allocates nothing; more would only keep
/// memory in actors that had one busy moment.
pub(crate) const CHUNK_LARGEST: u32 = if cfg!(playhouse_loom) { 1 } else { 64 };

/// How often a producer looks again at a mailbox that another one has locked, before it gives up its core. The lock is
/// held for some 10 ns, so this outlasts a dozen producers in a row.
pub(crate) const LOCK_SPINS: u32 = 64;

/// How often it then lets others run, before it sleeps: the holder was put off its core, and mostly is back after one.
pub(crate) const LOCK_YIELDS: u32 = 8;

/// The first sleep of a producer that still finds the mailbox locked. Yielding alone would keep a holder of lower
/// priority off the core for ever.
pub(crate) const LOCK_NAP_FIRST: Duration = Duration::from_micros(50);

/// The longest of those sleeps. By then the machine is overloaded, and a millisecond is below what is noticed.
pub(crate) const LOCK_NAP_LONGEST: Duration = Duration::from_millis(1);

/// Length of a line of waiting senders below which neither gaps nor spare memory are worth a thought.
pub(crate) const LINE_SLACK: usize = 16;

const _: () = assert!(
    THROUGHPUT_FIXED <= THROUGHPUT,
    "blocking handlers take the shorter turns"
);
const _: () = assert!(
    MAILBOX <= COMPLETIONS_PER_ACTOR,
    "an actor may ask once for every message it holds"
);
const _: () = assert!(
    CHUNK_FIRST <= CHUNK_LARGEST && CHUNK_LARGEST.is_power_of_two(),
    "chunks double until they are as large as they get"
);
