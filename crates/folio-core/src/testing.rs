//! What this crate's tests share.

use std::path::PathBuf;

use crate::pages::PageSelection;
use crate::request::{Options, Request};

/// A request for `name`, with every default.
pub(crate) fn request(name: &str) -> Request {
    Request {
        name: name.to_owned(),
        stem: name.trim_end_matches(".pdf").to_owned(),
        path: PathBuf::from(name),
        options: Options::default(),
        password: None,
        pages: PageSelection::all(),
        force: false,
    }
}
