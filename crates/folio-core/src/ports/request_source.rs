//! Where requests come from.

use super::PortFuture;
use crate::request::Request;

/// Hands out requests, each until it is settled.
///
/// The contract:
/// 1. `next` gives each request to one caller at a time; `None` means that none will come, unless one is given back.
/// 2. `ack` settles a delivery: it is never given out again.
/// 3. `nack` gives it back: it is given out again, later, with `attempt` one higher.
/// 4. A delivery that is neither acked nor nacked belongs to its holder until the source decides otherwise (a lease, a
///    closed connection); a source in memory forgets it with the process.
pub trait RequestSource: Send + Sync + 'static {
    /// The next request. Waits when more may come. Cancel safe: a request is not lost with the future.
    fn next(&self) -> PortFuture<'_, Result<Option<Delivery>, SourceError>>;

    /// Done with it, for good.
    fn ack(&self, delivery: Delivery) -> PortFuture<'_, Result<(), SourceError>>;

    /// Not done; somebody should try again.
    fn nack(&self, delivery: Delivery) -> PortFuture<'_, Result<(), SourceError>>;
}

/// One giving-out of a request.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// What the source knows it by.
    pub tag: u64,
    /// How often it was given out, this time included.
    pub attempt: u32,
    /// The request.
    pub request: Request,
}

/// The source itself failed: no more requests can be had from it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the request source failed: {reason}")]
pub struct SourceError {
    /// What it said.
    pub reason: String,
}
