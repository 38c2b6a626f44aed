//! Shutdown in both directions, and what happens to what is in flight.
//!
//! The engine has one owner per process, so the tests of this file take turns.

#[path = "common/line.rs"]
mod line;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use folio_core::pipeline::{Progress, RunReport};
use folio_core::ports::memory::MemoryBlobs;
use folio_core::ports::{Catalog, DocumentStatus, StoreError, memory::MemoryCatalog};
use line::{Guarded, Line, request};
use tokio::sync::{Mutex, Notify, Semaphore};

static TURN: Mutex<()> = Mutex::const_new(());

fn document(folder: &Path, pages: u32) -> PathBuf {
    let path = folder.join("big.pdf");
    fs::write(&path, xtask::big_pdf::document(pages)).unwrap();
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn forwards_the_renderer_ends_then_the_storers_drain_then_the_summary_comes() {
    let _turn = TURN.lock().await;
    let scratch = tempfile::tempdir().unwrap();
    let (report, news) = Line::default()
        .start(vec![request(&document(scratch.path(), 12))])
        .end()
        .await;
    assert_eq!(
        report,
        RunReport {
            documents: 1,
            documents_completed: 1,
            pages_stored: 12,
            pages_needing_ocr: 1,
            ..RunReport::default()
        }
    );
    assert!(
        matches!(
            news.first(),
            Some(Progress::Opened {
                pages: 12,
                wanted: 12,
                ..
            })
        ),
        "{news:?}"
    );
    assert_eq!(
        news.iter()
            .filter(|news| matches!(news, Progress::Stored { .. }))
            .count(),
        12
    );
    assert!(
        matches!(
            news.last(),
            Some(Progress::Finished {
                status: DocumentStatus::Completed,
                stored: 12,
                ..
            })
        ),
        "{news:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn backwards_storage_fails_for_good_and_the_renderer_stops_within_one_page_and_says_why() {
    let _turn = TURN.lock().await;
    let scratch = tempfile::tempdir().unwrap();
    let (puts, drawn_by_then) = (AtomicUsize::new(0), Arc::new(AtomicU64::new(0)));
    let note = drawn_by_then.clone();
    let before = move |key: String| {
        // Two puts a page: the third page is the first that cannot be stored.
        let put = puts.fetch_add(1, SeqCst);
        if put == 4 {
            note.store(folio_pdf::counters().pages_rendered, SeqCst);
        }
        async move {
            if put >= 4 {
                Err(StoreError::Unavailable {
                    key,
                    reason: "the disk is full".into(),
                })
            } else {
                Ok(())
            }
        }
    };
    let blobs = Arc::new(Guarded {
        inner: MemoryBlobs::default(),
        before,
    });
    // One storer, and room for one page beside it: what is drawn after the failure is what was already on its way.
    let line = Line {
        blobs,
        storers: 1,
        ..Line::default()
    };
    let started = line.start(vec![request(&document(scratch.path(), 200))]);
    let report = started.run.ended().await;
    let (_, news) = started.end().await;
    let drawn_after = folio_pdf::counters().pages_rendered - drawn_by_then.load(SeqCst);
    // The one in the owner's hands at that moment, and at most one more.
    assert!(
        drawn_after <= 2,
        "{drawn_after} pages were drawn after the store had failed"
    );
    let why = report.aborted.expect("the run says why").to_string();
    assert!(why.contains("the disk is full"), "{why}");
    let Some(Progress::Finished {
        status: DocumentStatus::Failed,
        reason: Some(reason),
        ..
    }) = news.last()
    else {
        panic!("{news:?}")
    };
    assert!(reason.contains("the disk is full"), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_cannot_be_stored_fails_alone() {
    let _turn = TURN.lock().await;
    let scratch = tempfile::tempdir().unwrap();
    let before = |key: String| async move {
        if key.ends_with("00002.jpg") {
            Err(StoreError::Rejected {
                key,
                reason: "not this one".into(),
            })
        } else {
            Ok(())
        }
    };
    let catalog = Arc::new(MemoryCatalog::default());
    let blobs = Arc::new(Guarded {
        inner: MemoryBlobs::default(),
        before,
    });
    let line = Line {
        blobs,
        catalog: catalog.clone(),
        ..Line::default()
    };
    let (report, _) = line
        .start(vec![request(&document(scratch.path(), 4))])
        .end()
        .await;
    assert_eq!(
        (
            report.pages_stored,
            report.pages_failed,
            report.documents_failed
        ),
        (3, 1, 1),
        "{report:?}"
    );
    let record = &catalog.documents().await.unwrap()[0];
    assert_eq!(
        (record.completed.clone(), record.failed.clone()),
        ([1, 3, 4].into(), [2].into())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_stores_what_is_in_flight_and_begins_nothing() {
    let _turn = TURN.lock().await;
    let scratch = tempfile::tempdir().unwrap();
    let (reached, gate) = (Arc::new(Notify::new()), Arc::new(Semaphore::new(0)));
    let (at_store, may_store) = (reached.clone(), gate.clone());
    let before = move |_key| {
        at_store.notify_one();
        let may_store = may_store.clone();
        async move {
            may_store
                .acquire()
                .await
                .expect("the gate is never closed")
                .forget();
            Ok(())
        }
    };
    let catalog = Arc::new(MemoryCatalog::default());
    let blobs = Arc::new(Guarded {
        inner: MemoryBlobs::default(),
        before,
    });
    let line = Line {
        blobs,
        catalog: catalog.clone(),
        ..Line::default()
    };
    let started = line.start(vec![request(&document(scratch.path(), 200))]);
    reached.notified().await;
    started.run.interrupt();
    gate.add_permits(10_000);
    let report = started.run.ended().await;
    let drawn = started.run.gauges().pages_rendered();
    started.end().await;
    assert!(report.interrupted && report.aborted.is_none(), "{report:?}");
    assert_eq!(
        u64::from(report.pages_stored),
        drawn,
        "every page drawn is stored"
    );
    assert!(drawn < 200, "it was interrupted");
    assert_eq!(
        catalog.documents().await.unwrap()[0].status,
        DocumentStatus::Interrupted
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_storage_keeps_the_bytes_in_flight_within_the_budget() {
    let _turn = TURN.lock().await;
    let scratch = tempfile::tempdir().unwrap();
    let before = |_key| async {
        tokio::time::sleep(Duration::from_millis(20)).await; // sleeps: this store is slow, which is the point
        Ok(())
    };
    let blobs = Arc::new(Guarded {
        inner: MemoryBlobs::default(),
        before,
    });
    let two_pages = 2 * 8_706_856;
    let line = Line {
        blobs,
        budget_bytes: two_pages,
        storers: 4,
        ..Line::default()
    };
    let started = line.start(vec![request(&document(scratch.path(), 30))]);
    let report = started.run.ended().await;
    let (peak, now) = (
        started.run.gauges().bytes_in_flight_peak(),
        started.run.gauges().bytes_in_flight(),
    );
    started.end().await;
    assert_eq!(report.pages_stored, 30);
    assert!(
        peak <= two_pages,
        "{peak} bytes were in flight, {two_pages} are allowed"
    );
    assert!(
        peak > two_pages / 2,
        "the budget of two pages was used: {peak}"
    );
    assert_eq!(now, 0, "every byte is given back");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_above_the_whole_budget_runs_alone() {
    let _turn = TURN.lock().await;
    let scratch = tempfile::tempdir().unwrap();
    let line = Line {
        budget_bytes: 1_000_000,
        ..Line::default()
    };
    let started = line.start(vec![request(&document(scratch.path(), 4))]);
    let report = started.run.ended().await;
    let peak = started.run.gauges().bytes_in_flight_peak();
    started.end().await;
    assert_eq!(report.pages_stored, 4);
    assert!(peak < 2 * 8_000_000, "one at a time: {peak}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_over_its_deadline_fails_and_says_so() {
    let _turn = TURN.lock().await;
    let scratch = tempfile::tempdir().unwrap();
    let line = Line {
        page_deadline: Duration::ZERO,
        ..Line::default()
    };
    let (report, news) = line
        .start(vec![request(&document(scratch.path(), 10))])
        .end()
        .await;
    assert!(report.pages_failed > 0, "{report:?}");
    let reason = news.iter().find_map(|news| match news {
        Progress::Failed { reason, .. } => Some(reason),
        _ => None,
    });
    assert!(
        reason.unwrap().contains("deadline") || reason.unwrap().contains("time"),
        "{reason:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn as_many_pages_are_stored_at_once_as_there_are_storers() {
    let _turn = TURN.lock().await;
    let scratch = tempfile::tempdir().unwrap();
    let path = document(scratch.path(), 12);
    for storers in [1, 3] {
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        // Nobody goes on before as many pages are here as there are storers, so more cannot hide and fewer are found out.
        let all_here = Arc::new(tokio::sync::Barrier::new(storers));
        let peak = most.clone();
        let before = move |key: String| {
            let (now, most, all_here) = (now.clone(), most.clone(), all_here.clone());
            async move {
                if key.ends_with(".json") {
                    most.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
                    all_here.wait().await;
                    now.fetch_sub(1, SeqCst);
                }
                Ok(())
            }
        };
        let blobs = Arc::new(Guarded {
            inner: MemoryBlobs::default(),
            before,
        });
        let line = Line {
            blobs,
            storers,
            ..Line::default()
        };
        let end = line.start(vec![request(&path)]).end();
        let (report, _) = tokio::time::timeout(Duration::from_secs(120), end)
            .await
            .expect("all storers are at work");
        assert_eq!(report.pages_stored, 12);
        assert_eq!(
            peak.load(SeqCst),
            storers,
            "pages that were being stored at one time"
        );
    }
}
