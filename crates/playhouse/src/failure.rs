//! Why a handler failed: one shared cause, an error or a panic.

use crate::dispatch::stepped;
use crate::sync::{Arc, Payload};
use std::error::Error;
use std::fmt;

/// A handler's error or panic: one shared cause. Like `anyhow::Error` it is no [`Error`] itself, so that `?` takes
/// every error.
#[derive(Clone)]
pub struct Failure(Arc<dyn Error + Send + Sync>);

impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into().into())
    }
}

impl Failure {
    /// The first `E` in the cause chain.
    pub fn find<E: Error + 'static>(&self) -> Option<&E> {
        let mut cause = Some(self.as_error());
        while let Some(error) = cause {
            if let Some(found) = error.downcast_ref() {
                return Some(found);
            }
            cause = error.source();
        }
        None
    }

    /// Was it a panic rather than an `Err`?
    pub fn is_panic(&self) -> bool {
        self.find::<Panic>().is_some()
    }

    /// The cause, for code that takes errors.
    pub fn as_error(&self) -> &(dyn Error + 'static) {
        &*self.0
    }

    pub(crate) fn from_panic(payload: Payload) -> Self {
        let text = match payload.downcast::<String>() {
            Ok(text) => *text,
            Err(payload) => {
                let text = payload
                    .downcast_ref::<&str>()
                    .map(|text| (*text).to_owned());
                crate::sync::drop_quietly(payload);
                text.unwrap_or_else(|| "a value that is no text".to_owned())
            }
        };
        let cause = NoTokio::behind(&text);
        Self(Arc::new(Panic { text, cause }))
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Failure({:?})", self.0)
    }
}

/// The error and its causes, separated by colons.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

#[derive(Debug)]
struct Panic {
    text: String,
    cause: Option<NoTokio>,
}

impl fmt::Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "panicked: {}", self.text)
    }
}

impl Error for Panic {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_ref().map(|cause| cause as _)
    }
}

/// Tokio says only that it is not there; in a stepped system that has a reason, and there is another way.
#[derive(Debug)]
struct NoTokio;

impl NoTokio {
    fn behind(panic: &str) -> Option<Self> {
        const TEXTS: [&str; 2] = [
            "there is no reactor running",
            "must be called from the context of a Tokio 1.x runtime",
        ];
        let is_tokio = stepped::is_stepping() && TEXTS.iter().any(|text| panic.contains(text));
        is_tokio.then_some(Self)
    }
}

impl fmt::Display for NoTokio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a stepped system has no Tokio runtime; wait with `ctx.clock().sleep`, and do what needs a device in \
             `ctx.pipe_blocking`",
        )
    }
}

impl Error for NoTokio {}
