//! See the table of the same name.
