//! Every bound of the runtime, its number, and why it is that number.

use std::time::Duration;

/// Places in a mailbox unless the props say otherwise. Large enough that a burst of a thousand small messages passes
/// without a wait, small enough that a stuck actor is noticed while its backlog still fits in a few megabytes.
pub const MAILBOX: usize = 1_024;

/// Messages waiting in one mailbox from which on its growth is reported, each time they have doubled: eight times what a
/// mailbox is bounded by unless somebody chose otherwise.
pub const MAILBOX_GROWS: usize = 8 * MAILBOX;

/// Messages an actor may handle before others on its dispatcher get their turn. Measured flat from 5 to 64; the upper
/// end costs the fewest switches.
pub const THROUGHPUT: usize = 64;

/// Messages per turn on a `fixed` dispatcher. Its handlers block, so one message is already a long turn.
pub const THROUGHPUT_FIXED: usize = 1;

/// Drivers of a shared dispatcher: the bits that the word of sleepers has left beside the number of the one that searches. A Tokio
/// runtime with more workers than that runs the rest of its tasks on them.
pub(crate) const DRIVERS: usize = 56;

/// Places in the run queue of one driver. What does not fit goes to the shared queue, half of it at a time, so this is
/// how many actors wake each other without a lock.
pub(crate) const RUN_QUEUE: usize = 256;

/// Actors that plain Tokio tasks of one thread may wake before its driver is polled and without a lock: one cache line
/// of pointers.
pub(crate) const INBOX: usize = 8;

/// Turns in a row that a driver takes from its slot for the actor woken last, while others wait in its run queue. Two
/// actors that wake each other for ever cost the others so many turns; taking one from the queue costs 8 ns more.
pub(crate) const LIFO_RUN: usize = 64;

/// Turns after which a driver that has work of its own looks at the shared queue. Prime, so that it keeps in step with
/// no pattern of the actors'.
pub(crate) const TURNS_PER_INJECTOR_LOOK: u32 = 61;

/// What a driver may do before Tokio's other tasks on that worker go on. Tokio looks for sockets and timers only then,
/// and each visit of its scheduler costs about a microsecond.
pub(crate) const SLICE: Duration = Duration::from_micros(200);

/// Turns of a slice, should they be so short that the clock never ends it.
pub(crate) const SLICE_TURNS: u32 = 4_096;

/// Turns between two looks at the clock, which cost as much as a short turn each.
pub(crate) const TURNS_PER_CLOCK_LOOK: u32 = 32;

/// A turn that ended with work left counts as so many: it went through its whole throughput.
pub(crate) const FULL_TURN: u32 = 8;

/// How often it is looked whether a handler holds its worker although it must not. Somebody else takes what waits behind
/// it after two looks. It costs a wake-up each, and only while actors run.
pub(crate) const LOOKOUT: Duration = Duration::from_millis(5);

/// How long a handler may hold a shared worker before it is reported, unless the builder says otherwise. A thousand times
/// what a handler should take, and the first delay that a person who waits notices.
pub const SLOW_HANDLER: Duration = Duration::from_millis(100);

/// Looks without a single turn after which nobody looks any more, so that an idle process sleeps. Long enough that steady
/// small loads do not start it over and over.
pub(crate) const IDLE_LOOKS: u32 = 100;

/// Threads of the built-in dispatcher `blocking`. They start with its first use and mostly wait for a device, so there
/// may be more of them than cores.
pub const BLOCKING_THREADS: usize = 16;

/// Own asks and pipes that one actor may have under way. Generous: reaching it means that results are started without
/// end, and the bound exists to name that leak.
pub const COMPLETIONS_PER_ACTOR: usize = 65_536;

/// Set-ups of one [`Behavior`](crate::Behavior) that may follow each other without a message in between. People nest a
/// handful; one that returns itself would hold its thread for ever, so it fails at this count instead.
pub const SETUPS_IN_A_ROW: usize = 100;

/// Restarts of one actor within [`RESTART_WINDOW`] before it counts as broken. With the default backoff they take about
/// 43 s, so an actor that never comes up ends within a minute.
pub const RESTARTS: u32 = 10;

/// The time over which restarts are counted: what an operator would call "again and again".
pub const RESTART_WINDOW: Duration = Duration::from_secs(60);

/// The first delay before a restart: longer than a blip of a local service, shorter than a person notices.
pub const BACKOFF_FIRST: Duration = Duration::from_millis(100);

/// The longest delay before a restart. A service that comes back is found within that.
pub const BACKOFF_LAST: Duration = Duration::from_secs(10);

/// How long a member of a group may take to end its incarnation, so that the others can begin theirs.
pub const MEMBER_SHUTDOWN: Duration = Duration::from_secs(5);

/// The part of a delay by which it may be longer, so that actors that failed together come back apart.
pub const BACKOFF_JITTER: f64 = 0.2;

/// What a semaphore holds on every platform Tokio knows. Callers inside of an admission are no more; a larger budget is
/// counted in larger units.
pub(crate) const SEMAPHORE: usize = 1 << 29;

/// How late an ask may notice its deadline, and for how long it is not worth a timer: a hundred times what an answer on
/// the same machine takes, and the finest that Tokio's timers know.
pub const TICK: Duration = Duration::from_millis(1);

/// How long actors that seem to wait in a circle are given to move, where it is not certain that none of them can: a
/// hundred times what an answer on the same machine takes, and short beside the limit of most asks.
pub const CYCLE_PATIENCE: Duration = Duration::from_millis(250);

/// Actors that a search for a circle of waits looks at. Circles are short; a search this long costs some 100 µs, once for
/// each wait that is slow.
pub(crate) const WAITS_FOLLOWED: usize = 1_024;

/// Waits that the error of an ask names one after the other: more than a person reads.
pub(crate) const WAITS_NAMED: usize = 8;

/// Threads whose asks do not share a cache line while they are young. With more, some share a row.
pub(crate) const SEAT_ROWS: usize = 8;

/// Asks of one thread that wait at once before their first tick is over. Half a kilobyte per row; beyond it an ask is put
/// in order of deadlines at once, which costs it a tenth of a microsecond.
pub(crate) const SEATS_PER_ROW: usize = 64;

/// Bytes of an actor's or a system's name: as many as a file's. Each log line about an actor repeats its whole path.
pub const NAME_BYTES: usize = 255;

/// How long a phase of the shutdown may take unless the builder says otherwise. Service managers wait 10 to 30 seconds
/// before they kill; the phases rarely use theirs.
pub const PHASE_DEADLINE: Duration = Duration::from_secs(10);

/// After actors that did not stop in time were killed, how long the shutdown waits for them to be gone. A killed
/// handler ends at its next await, so this is only reached by code that blocks.
pub const KILL_GRACE: Duration = Duration::from_secs(1);

/// Lines about lost messages before the log pauses, unless the builder says otherwise. Enough to see a pattern in them.
pub const DEAD_LETTERS_LOGGED: u32 = 10;

/// How long it pauses then. In a flood that leaves an operator ten lines a minute, and a sum.
pub const DEAD_LETTER_PAUSE: Duration = Duration::from_secs(60);

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

/// How long the end of a stepped system waits, in real time, for actors that another thread is just waking. That thread
/// needs some instructions, however long it is kept from its core; whoever takes longer than this never ends.
pub const LAST_ACTORS: Duration = Duration::from_secs(10);

/// Steps of a stepped system after which it counts as never settling. The largest test takes a few million; a loop of
/// actors that do nothing else reaches this within seconds.
pub const STEPS_TO_SETTLE: usize = 10_000_000;

/// How much time a handler may let pass in a behaviour kit. A real one would be called stuck long before.
pub const HANDLER_IN_TEST: Duration = Duration::from_secs(60 * 60);

/// How long an answer is waited for in a behaviour kit: longer than any handler may take.
pub const ANSWER_IN_TEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Choices after which a schedule of few preemptions draws all priorities again. Longer than most tests, so that they get
/// what was drawn for them; short enough that whoever looks again and again for somebody of low priority is let go soon.
pub const PRIORITY_EPOCH: u64 = 512;

/// The shortest stretch of choices from which its preemptions are drawn. Shorter tests are explored by any schedule.
pub const PRIORITY_STRETCH_LEAST: u64 = 32;

/// The most preemptions that exploring chooses by itself. Of the faults in published studies hardly one needs more.
pub const PREEMPTIONS: u64 = 3;

/// Schedules that are tried for each number of preemptions, when one that fails is to be made simpler. Some hundred small
/// tests take a blink; a fault that needs more luck stays as it was found.
pub const SIMPLER_SCHEDULES: u64 = 300;

/// Steps that a stepped system remembers as text, for the panic of a test that waits in vain. As many as fit on a screen.
pub const STEPS_REMEMBERED: usize = 40;

const _: () = assert!(
    THROUGHPUT_FIXED <= THROUGHPUT,
    "blocking handlers take the shorter turns"
);
const _: () = assert!(
    delays_of_all_restarts().as_millis() < RESTART_WINDOW.as_millis(),
    "an actor that never comes up reaches the limit of its restarts"
);

/// Of the default backoff, with the most jitter there can be.
const fn delays_of_all_restarts() -> Duration {
    let last = BACKOFF_LAST.as_millis() as f64;
    let (mut total, mut delay, mut count) = (0.0, BACKOFF_FIRST.as_millis() as f64, 0);
    while count < RESTARTS {
        total += (delay * (1.0 + BACKOFF_JITTER)).min(last);
        delay *= 2.0;
        count += 1;
    }
    Duration::from_millis(total as u64)
}
const _: () = assert!(
    DRIVERS < 1 << (u64::BITS as usize - DRIVERS),
    "the number of every driver fits, and none"
);
const _: () = assert!(
    INBOX < RUN_QUEUE / 2 && LIFO_RUN < SLICE_TURNS as usize,
    "an inbox fits beside a theft, and the queue gets its turn in every slice"
);
const _: () = assert!(
    LOOKOUT.as_nanos() * 4 <= SLOW_HANDLER.as_nanos(),
    "the age of a slow handler is known well enough"
);
const _: () = assert!(
    MAILBOX_GROWS.is_power_of_two() && MAILBOX_GROWS > 2 * CHUNK_LARGEST as usize,
    "each doubling is seen, and seen once"
);
const _: () = assert!(
    TICK.as_nanos() * 100 <= CYCLE_PATIENCE.as_nanos(),
    "patience outlasts what is only slow"
);
const _: () = assert!(
    HANDLER_IN_TEST.as_secs() < ANSWER_IN_TEST.as_secs(),
    "an answer that needs the handler's whole time is not too late"
);
const _: () = assert!(
    PRIORITY_STRETCH_LEAST < PRIORITY_EPOCH && PRIORITY_EPOCH.is_power_of_two(),
    "stretches double from the least to the epoch"
);
const _: () = assert!(
    MAILBOX <= COMPLETIONS_PER_ACTOR,
    "an actor may ask once for every message it holds"
);
const _: () = assert!(
    CHUNK_FIRST <= CHUNK_LARGEST && CHUNK_LARGEST.is_power_of_two(),
    "chunks double until they are as large as they get"
);
