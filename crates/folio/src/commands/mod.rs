//! The commands, one file each: arguments in, an ending out.

pub(crate) mod extract;
pub(crate) mod info;
pub(crate) mod setup;
pub(crate) mod status;
