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

/// Steps of a stepped system after which it counts as never settling. The largest test takes a few million; a loop of
/// actors that do nothing else reaches this within seconds.
pub const STEPS_TO_SETTLE: usize = 10_000_000;

/// Steps that a stepped system remembers as text, for the panic of a test that waits in vain. As many as fit on a screen.
pub const STEPS_REMEMBERED: usize = 40;

const _: () = assert!(
    THROUGHPUT_FIXED <= THROUGHPUT,
    "blocking handlers take the shorter turns"
);
const _: () = assert!(
    MAILBOX <= COMPLETIONS_PER_ACTOR,
    "an actor may ask once for every message it holds"
);
