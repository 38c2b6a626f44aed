//! The binary's own bounds, each with its reason. Those of the pipeline are in `folio_core::limits`.

use std::time::Duration;

/// How long the catalog waits for another process that holds it: a `folio status` beside a run takes milliseconds.
pub const CATALOG_BUSY: Duration = Duration::from_secs(10);

/// News that may wait for the terminal. Beyond it the pipeline waits: a stalled pipe on standard output must stop the
/// run, not fill memory.
pub const REPORTER_MAILBOX: usize = 256;

/// Storers when the user says nothing: one per processor, and never more than this without being asked.
pub const JOBS_DEFAULT_MAX: usize = 16;

/// The most storers that can be asked for: each is a thread and two page bitmaps.
pub const JOBS_MAX: usize = 256;

/// How long an interrupted run may take to finish its pages in flight. A page that neither ends nor can be stopped (the
/// engine asks nobody while it loads one) must not hold a process that was told to go.
pub const INTERRUPT_PATIENCE: Duration = Duration::from_secs(30);

/// How often a run without a terminal says how far a document is.
pub const PLAIN_PROGRESS_EVERY: Duration = Duration::from_secs(5);

/// Longest file stem kept in a folder's name, in bytes: with the id it stays below the 255 that file systems allow.
pub const STEM_BYTES_MAX: usize = 150;

/// How much of a password file is read: PDF passwords end at 127 bytes.
pub const PASSWORD_FILE_BYTES: u64 = 4_096;
