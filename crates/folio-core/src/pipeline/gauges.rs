//! What a run measures about itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use playhouse::Share;

/// Meters of one run. They order nothing, so every access is relaxed.
#[derive(Debug, Default)]
pub struct Gauges {
    bytes_in_flight: AtomicUsize,
    bytes_in_flight_peak: AtomicUsize,
    pages_rendered: AtomicU64,
    documents_opened: AtomicU64,
}

impl Gauges {
    /// Bytes of bitmap between the owner's reservation and the page's completion, now.
    pub fn bytes_in_flight(&self) -> usize {
        self.bytes_in_flight.load(Relaxed)
    }

    /// The most there ever were.
    pub fn bytes_in_flight_peak(&self) -> usize {
        self.bytes_in_flight_peak.load(Relaxed)
    }

    /// Pages the owner drew.
    pub fn pages_rendered(&self) -> u64 {
        self.pages_rendered.load(Relaxed)
    }

    /// Documents the owner opened.
    pub fn documents_opened(&self) -> u64 {
        self.documents_opened.load(Relaxed)
    }

    pub(super) fn page_rendered(&self) {
        self.pages_rendered.fetch_add(1, Relaxed);
    }

    pub(super) fn document_opened(&self) {
        self.documents_opened.fetch_add(1, Relaxed);
    }
}

/// A page's room: its share of the budget, and its bytes on the meter. Dropped anywhere, both are given back.
#[derive(Debug)]
pub(super) struct Room {
    bytes: usize,
    gauges: Arc<Gauges>,
    _share: Share,
}

impl Room {
    pub(super) fn new(bytes: usize, share: Share, gauges: Arc<Gauges>) -> Self {
        let now = gauges.bytes_in_flight.fetch_add(bytes, Relaxed) + bytes;
        gauges.bytes_in_flight_peak.fetch_max(now, Relaxed);
        Self {
            bytes,
            gauges,
            _share: share,
        }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.gauges.bytes_in_flight.fetch_sub(self.bytes, Relaxed);
    }
}
