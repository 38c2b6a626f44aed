//! What a piece of a test says when it fails.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The text of the panic that `code` must end with.
#[track_caller]
pub(crate) fn panic_text<T>(code: impl FnOnce() -> T) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(code)) else {
        panic!("it did not fail");
    };
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => (*payload.downcast_ref::<&str>().expect("a text")).to_owned(),
    }
}
