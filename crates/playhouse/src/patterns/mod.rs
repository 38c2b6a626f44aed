//! Patterns that are worth having once, built on the public face alone.

pub(crate) mod budget;
pub(crate) mod gather;
pub(crate) mod work_pulling;
