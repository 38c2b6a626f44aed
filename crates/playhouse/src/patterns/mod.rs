//! Patterns that are worth having once, built on the public face; a group also tells its members when to begin anew.

pub(crate) mod budget;
pub(crate) mod gather;
pub(crate) mod group;
pub(crate) mod work_pulling;
