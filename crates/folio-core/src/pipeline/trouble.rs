//! What a port's error means for the run.

use crate::ports::{CatalogError, StoreError};

/// One variant per decision.
#[derive(Debug)]
pub(super) enum Trouble {
    /// This page or document only.
    Local(String),
    /// Everything from here on: nothing can be stored or recorded any more.
    Storage(String),
}

impl Trouble {
    pub(super) fn reason(&self) -> &str {
        match self {
            Self::Local(reason) | Self::Storage(reason) => reason,
        }
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        let reason = error.to_string();
        match error {
            StoreError::Unavailable { .. } => Self::Storage(reason),
            StoreError::Rejected { .. } => Self::Local(reason),
        }
    }
}

impl From<CatalogError> for Trouble {
    fn from(error: CatalogError) -> Self {
        let reason = error.to_string();
        match error {
            CatalogError::Unavailable { .. } => Self::Storage(reason),
            CatalogError::Guard { .. } => Self::Local(reason),
        }
    }
}
