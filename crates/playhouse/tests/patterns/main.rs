//! The patterns that are worth having once, one file per pattern. Work pulling is in `work_pool.rs`.

#[path = "../common/mod.rs"]
mod common;

mod admission;
mod aggregator;
mod cancellation;
mod nobody;
mod rate_limiter;
mod tell_or;
