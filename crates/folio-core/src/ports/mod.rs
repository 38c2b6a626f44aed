//! What the pipeline needs from the world, as three traits: somewhere for the files, somewhere for the record, and
//! somewhere the requests come from.
//!
//! Each port has one contract, stated on the trait and run against every implementation by the suites in [`contract`].
//! The in-memory implementations in [`memory`] are real ones, for tests and for embedding.

use std::future::Future;
use std::pin::Pin;

mod blob_store;
mod catalog;
pub mod contract;
pub mod memory;
mod request_source;

pub use blob_store::{BlobStore, StoreError, check_key};
pub use catalog::{
    Catalog, CatalogError, DocumentRecord, DocumentRow, DocumentStatus, PageRecord, PageRow,
    PageState,
};
pub use request_source::{Delivery, RequestSource, SourceError};

/// The future of a port's call: boxed, so that ports can be chosen at run time.
pub type PortFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
