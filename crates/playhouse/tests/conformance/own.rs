//! Cases that no upstream suite has.
