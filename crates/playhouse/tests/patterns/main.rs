//! The patterns that are worth having once, one file per pattern. What a work pool does step by step is in `work_pool.rs`.

#[path = "../common/mod.rs"]
mod common;

mod admission;
mod aggregator;
mod cancellation;
mod nobody;
mod rate_limiter;
mod spawn_protocol;
mod tell_or;
mod work_pulling;
