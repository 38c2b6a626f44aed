//! Typed actors on Tokio.
