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

/// How late an ask may notice its deadline, and for how long it is not worth a timer: a hundred times what an answer on
/// the same machine takes, and the finest that Tokio's timers know.
pub const TICK: Duration = Duration::from_millis(1);

/// Threads whose asks do not share a cache line while they are young. With more, two may meet in a row; then one of them
/// goes elsewhere.
pub(crate) const SEAT_ROWS: usize = 8;

/// Asks of one thread that wait at once before their first tick is over. Two kilobytes per row; beyond it an ask is put
/// in order of deadlines at once, which costs it a tenth of a microsecond.
pub(crate) const SEATS_PER_ROW: usize = 256;

/// Looks at a lock that is held for some instructions before the thread lets another run: its holder may need the core.
pub(crate) const SPINS: u32 = 64;

/// Bytes of an actor's or a system's name: as many as a file's. Each log line about an actor repeats its whole path.
pub const NAME_BYTES: usize = 255;

/// How long a phase of the shutdown may take unless the builder says otherwise. Service managers wait 10 to 30 seconds
/// before they kill; the phases rarely use theirs.
pub const PHASE_DEADLINE: Duration = Duration::from_secs(10);

/// After actors that did not stop in time were killed, how long the shutdown waits for them to be gone. A killed
/// handler ends at its next await, so this is only reached by code that blocks.
pub const KILL_GRACE: Duration = Duration::from_secs(1);

const _: () = assert!(
    THROUGHPUT_FIXED <= THROUGHPUT,
    "blocking handlers take the shorter turns"
);
const _: () = assert!(
    MAILBOX <= COMPLETIONS_PER_ACTOR,
    "an actor may ask once for every message it holds"
);
