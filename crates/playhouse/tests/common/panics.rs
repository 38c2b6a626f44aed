//! What a piece of a test says when it fails.

use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

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

/// Panics with this text are part of the test, and not printed.
pub(crate) fn hush(text: &'static str) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            let is_ours = panic.payload().downcast_ref::<&str>() == Some(&text);
            if !is_ours {
                loud(panic);
            }
        }));
    });
}
