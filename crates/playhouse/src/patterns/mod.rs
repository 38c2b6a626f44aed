//! Patterns that are worth having once, built on the public face; a group also tells its members when to begin anew.

pub(crate) mod admission;
pub(crate) mod aggregate;
pub(crate) mod budget;
pub(crate) mod gather;
pub(crate) mod group;
mod ignore;
pub(crate) mod rate_limiter;
pub(crate) mod spawn_protocol;
mod tell_or;
pub(crate) mod work_pulling;
