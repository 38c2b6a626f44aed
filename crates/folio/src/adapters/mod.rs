//! The ports' implementations that need no server: a local folder and a SQLite file.

pub mod folder;
pub mod sqlite;
