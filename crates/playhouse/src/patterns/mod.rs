//! Patterns that are worth having once, built on the public face as far as it goes.

pub(crate) mod admission;
pub(crate) mod aggregate;
pub(crate) mod budget;
pub(crate) mod gather;
mod ignore;
pub(crate) mod rate_limiter;
pub(crate) mod spawn_protocol;
mod tell_or;
pub(crate) mod work_pulling;
