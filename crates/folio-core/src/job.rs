//! What one document's run has to do next: a state machine without a clock, a thread or a file.
//!
//! Events come in, actions come out; the document actor performs them. The machine believes three things and asserts
//! them: a page is settled (stored or failed) at most once per run, nothing is skipped that is not completed, and it
//! concludes exactly once.
//!
//! ```text
//!  begin ──▶ nothing missing ──────────────────────────────▶ Conclude
//!    │
//!    └─▶ Render ─▶ Opened ─▶ HandedOver*, Stored*, Failed* ─▶ RenderingEnded ─▶ all settled ─▶ Conclude
//!           │                        │
//!           └─ OpenFailed            └─ RendererGone, StorageLost, Interrupted: no more pages come
//! ```

use std::collections::BTreeMap;

use crate::pages::{PageSelection, PageSet};
use crate::ports::DocumentStatus;

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The owner opened the document.
    Opened {
        /// Pages it has.
        pages: u32,
    },
    /// It cannot be opened, or not as asked for.
    OpenFailed {
        /// Why, and what to do.
        reason: String,
    },
    /// It opened, and what was asked of it cannot be done: nothing is begun.
    Refused {
        /// Pages it has.
        pages: u32,
        /// Why, and what to do.
        reason: String,
    },
    /// The owner sent a page to the storers.
    HandedOver {
        /// Its number.
        page: u32,
    },
    /// A page is completed.
    Stored {
        /// Its number.
        page: u32,
    },
    /// A page cannot be had.
    Failed {
        /// Its number.
        page: u32,
        /// Why.
        reason: String,
    },
    /// The owner is through with the document: at its end, or because it was told to stop.
    RenderingEnded,
    /// The owner ended without a word.
    RendererGone {
        /// How it ended.
        reason: String,
    },
    /// Nothing can be stored any more; pages in flight are lost.
    StorageLost {
        /// Why.
        reason: String,
    },
    /// The user wants the run to end; pages in flight are still stored.
    Interrupted,
}

/// What to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Have the owner open the document and render what is wanted, except these.
    Render {
        /// Completed pages.
        skip: PageSet,
    },
    /// Write down that a page failed.
    RecordFailure {
        /// Its number.
        page: u32,
        /// Why.
        reason: String,
    },
    /// The run is over for this document.
    Conclude(Conclusion),
}

/// How the run ended for a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    /// What became of the request.
    pub status: DocumentStatus,
    /// Where the document stands now, for its record: a request that was refused changes nothing about it.
    pub standing: DocumentStatus,
    /// Why, when it is not what was asked for.
    pub reason: Option<String>,
    /// Pages the document has, when that is known.
    pub pages: Option<u32>,
    /// Pages completed in this run.
    pub stored: PageSet,
    /// Pages wanted that an earlier run had completed.
    pub skipped: PageSet,
    /// Pages that failed in this run, with the reason.
    pub failed: BTreeMap<u32, String>,
}

/// One document's run.
#[derive(Debug)]
pub struct Job {
    selection: PageSelection,
    /// Completed by earlier runs, and still there: this run leaves them alone.
    skip: PageSet,
    pages: Option<u32>,
    /// The owner opened it in this run.
    opened: bool,
    handed_over: PageSet,
    /// Handed over, and neither stored nor failed yet.
    in_flight: PageSet,
    stored: PageSet,
    failed: BTreeMap<u32, String>,
    rendering: bool,
    end: Option<End>,
    concluded: bool,
}

/// Why a run ends early. A later loss outweighs an earlier interrupt.
#[derive(Debug)]
enum End {
    OpenFailed(String),
    Refused(String),
    StorageLost(String),
    Interrupted,
}

impl Job {
    /// Starts from the catalog's record: `pages` if the document was opened before, `completed` what is done and still
    /// there. Whoever wants pages done again takes them out of `completed` first.
    pub fn begin(
        selection: PageSelection,
        pages: Option<u32>,
        completed: PageSet,
    ) -> (Self, Action) {
        let mut job = Self {
            selection,
            skip: completed,
            pages,
            opened: false,
            handed_over: PageSet::new(),
            in_flight: PageSet::new(),
            stored: PageSet::new(),
            failed: BTreeMap::new(),
            rendering: true,
            end: None,
            concluded: false,
        };
        if job.nothing_is_missing() {
            job.rendering = false;
            let conclusion = job.conclude();
            return (job, Action::Conclude(conclusion));
        }
        let skip = job.skip.clone();
        (job, Action::Render { skip })
    }

    /// Takes one event in; says what to do, in order.
    pub fn on(&mut self, event: Event) -> Vec<Action> {
        if self.concluded {
            return Vec::new(); // a late report of a page whose document was already given up
        }
        let mut actions = Vec::new();
        match event {
            Event::Opened { pages } => (self.pages, self.opened) = (Some(pages), true),
            Event::OpenFailed { reason } => self.end_early(End::OpenFailed(reason)),
            Event::Refused { pages, reason } => {
                self.pages = Some(pages);
                self.end_early(End::Refused(reason));
            }
            Event::HandedOver { page } => self.hand_over(page),
            Event::Stored { page } => self.settle_stored(page),
            Event::Failed { page, reason } => actions.push(self.settle_failed(page, reason)),
            Event::RenderingEnded => self.rendering = false,
            Event::RendererGone { reason } => actions.extend(self.lose_renderer(&reason)),
            Event::StorageLost { reason } => self.end_early(End::StorageLost(reason)),
            Event::Interrupted => {
                self.end.get_or_insert(End::Interrupted);
            }
        }
        if self.is_over() {
            actions.push(Action::Conclude(self.conclude()));
        }
        actions
    }

    /// How many pages of a document of `pages` this run has to render.
    pub fn to_render(&self, pages: u32) -> u32 {
        self.selection
            .of(pages)
            .filter(|page| !self.skip.contains(page))
            .fold(0, |count, _| count + 1)
    }

    fn nothing_is_missing(&self) -> bool {
        self.pages.is_some_and(|count| {
            self.selection.beyond(count).is_none()
                && self
                    .selection
                    .of(count)
                    .all(|page| self.skip.contains(&page))
        })
    }

    fn hand_over(&mut self, page: u32) {
        assert!(
            !self.skip.contains(&page),
            "page {page} was completed before and must not be rendered"
        );
        assert!(
            self.handed_over.insert(page),
            "page {page} was handed over twice"
        );
        if !self.is_settled(page) {
            self.in_flight.insert(page);
        }
    }

    fn settle_stored(&mut self, page: u32) {
        assert!(
            !self.failed.contains_key(&page),
            "page {page} failed and cannot be stored"
        );
        assert!(self.stored.insert(page), "page {page} was stored twice");
        self.in_flight.remove(&page);
    }

    fn settle_failed(&mut self, page: u32, reason: String) -> Action {
        assert!(
            !self.stored.contains(&page),
            "page {page} is stored and cannot fail"
        );
        let earlier = self.failed.insert(page, reason.clone());
        assert!(earlier.is_none(), "page {page} failed twice");
        self.in_flight.remove(&page);
        Action::RecordFailure { page, reason }
    }

    fn is_settled(&self, page: u32) -> bool {
        self.stored.contains(&page) || self.failed.contains_key(&page)
    }

    /// The owner died. The page it must have been at is the first wanted one that it neither handed over nor gave up.
    fn lose_renderer(&mut self, reason: &str) -> Option<Action> {
        if !self.rendering {
            return None;
        }
        self.rendering = false;
        if self.end.is_some() {
            return None;
        }
        let Some(pages) = self.pages.filter(|_| self.opened) else {
            let reason = format!("the renderer ended before it opened the document: {reason}");
            self.end = Some(End::OpenFailed(reason));
            return None;
        };
        let page = self.page_in_progress(pages)?; // none: it died after its last page, and nothing is lost
        Some(self.settle_failed(
            page,
            format!("the renderer ended while it was at this page: {reason}"),
        ))
    }

    fn page_in_progress(&self, pages: u32) -> Option<u32> {
        let untouched = |page: &u32| {
            !self.skip.contains(page) && !self.handed_over.contains(page) && !self.is_settled(*page)
        };
        self.selection.of(pages).find(untouched)
    }

    fn end_early(&mut self, end: End) {
        self.rendering = false;
        self.end = Some(end);
    }

    fn is_over(&self) -> bool {
        match self.end {
            Some(End::StorageLost(_)) => true,
            _ => !self.rendering && self.in_flight.is_empty(),
        }
    }

    fn conclude(&mut self) -> Conclusion {
        assert!(!self.concluded, "a run concludes once");
        self.concluded = true;
        let (status, reason) = self.verdict();
        let skipped = self.pages.map(|count| {
            self.selection
                .of(count)
                .filter(|page| self.skip.contains(page))
                .collect()
        });
        let standing = match self.end {
            Some(End::Refused(_)) => self.standing(),
            _ => status,
        };
        Conclusion {
            status,
            standing,
            reason,
            pages: self.pages,
            stored: self.stored.clone(),
            skipped: skipped.unwrap_or_default(),
            failed: self.failed.clone(),
        }
    }

    fn verdict(&self) -> (DocumentStatus, Option<String>) {
        match &self.end {
            Some(End::OpenFailed(reason) | End::Refused(reason) | End::StorageLost(reason)) => {
                return (DocumentStatus::Failed, Some(reason.clone()));
            }
            Some(End::Interrupted) if self.is_missing_pages() => {
                return (DocumentStatus::Interrupted, None);
            }
            _ => {}
        }
        if let Some((page, reason)) = self.failed.first_key_value() {
            let more = self.failed.len() - 1;
            let others = if more == 0 {
                String::new()
            } else {
                format!(" (and {more} more)")
            };
            return (
                DocumentStatus::Failed,
                Some(format!("page {page} failed{others}: {reason}")),
            );
        }
        if self.is_missing_pages() {
            return (
                DocumentStatus::Failed,
                Some("the renderer ended before all pages were drawn".to_owned()),
            );
        }
        (self.standing(), None)
    }

    /// Where a document stands of which nothing failed.
    fn standing(&self) -> DocumentStatus {
        match self.pages {
            Some(count) if (1..=count).all(|page| self.is_completed(page)) => {
                DocumentStatus::Completed
            }
            _ => DocumentStatus::Partial,
        }
    }

    fn is_missing_pages(&self) -> bool {
        let missing = |page: u32| !self.skip.contains(&page) && !self.is_settled(page);
        self.pages
            .is_none_or(|count| self.selection.of(count).any(missing))
    }

    fn is_completed(&self, page: u32) -> bool {
        self.stored.contains(&page) || self.skip.contains(&page)
    }
}

impl Conclusion {
    /// The same, but failed: its end could not be written down. An earlier reason stays.
    pub fn spoilt(self, reason: &str) -> Self {
        Self {
            status: DocumentStatus::Failed,
            standing: DocumentStatus::Failed,
            reason: Some(self.reason.unwrap_or_else(|| reason.to_owned())),
            ..self
        }
    }

    /// A document that failed before anything was known of it.
    pub fn failed(reason: String) -> Self {
        Self {
            status: DocumentStatus::Failed,
            standing: DocumentStatus::Failed,
            reason: Some(reason),
            pages: None,
            stored: PageSet::new(),
            skipped: PageSet::new(),
            failed: BTreeMap::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn select(text: &str) -> PageSelection {
        if text == "all" {
            PageSelection::all()
        } else {
            text.parse().unwrap()
        }
    }

    /// A run of a document of `pages` pages that was never begun before.
    fn fresh(pages: u32) -> Job {
        let (mut job, action) = Job::begin(PageSelection::all(), None, PageSet::new());
        assert_eq!(
            action,
            Action::Render {
                skip: PageSet::new()
            }
        );
        assert_eq!(job.on(Event::Opened { pages }), []);
        job
    }

    fn done(job: &mut Job, page: u32) {
        assert_eq!(job.on(Event::HandedOver { page }), []);
        assert_eq!(job.on(Event::Stored { page }), []);
    }

    fn concluded(actions: Vec<Action>) -> Conclusion {
        match actions.into_iter().last() {
            Some(Action::Conclude(conclusion)) => conclusion,
            other => panic!("expected a conclusion, got {other:?}"),
        }
    }

    #[test]
    fn every_page_stored_completes_the_document() {
        let mut job = fresh(2);
        done(&mut job, 1);
        done(&mut job, 2);
        let end = concluded(job.on(Event::RenderingEnded));
        assert_eq!((end.status, end.reason), (DocumentStatus::Completed, None));
        assert_eq!(end.stored, [1, 2].into());
    }

    #[test]
    fn it_waits_for_pages_in_flight_and_reports_in_any_order() {
        let mut job = fresh(2);
        assert_eq!(
            job.on(Event::Stored { page: 1 }),
            [],
            "a storer may be quicker than the owner's own report"
        );
        job.on(Event::HandedOver { page: 1 });
        job.on(Event::HandedOver { page: 2 });
        assert_eq!(
            job.on(Event::RenderingEnded),
            [],
            "page 2 is still in flight"
        );
        assert_eq!(
            concluded(job.on(Event::Stored { page: 2 })).status,
            DocumentStatus::Completed
        );
    }

    #[test]
    fn a_redelivery_skips_what_is_completed() {
        let (mut job, action) = Job::begin(select("all"), Some(3), [1, 3].into());
        assert_eq!(
            action,
            Action::Render {
                skip: [1, 3].into()
            }
        );
        job.on(Event::Opened { pages: 3 });
        done(&mut job, 2);
        let end = concluded(job.on(Event::RenderingEnded));
        assert_eq!(
            (end.status, end.skipped, end.stored),
            (DocumentStatus::Completed, [1, 3].into(), [2].into())
        );
    }

    #[test]
    fn a_completed_document_is_a_no_op() {
        let (_, action) = Job::begin(select("all"), Some(2), [1, 2].into());
        let Action::Conclude(end) = action else {
            panic!("nothing to render")
        };
        assert_eq!(
            (end.status, end.skipped),
            (DocumentStatus::Completed, [1, 2].into())
        );
    }

    #[test]
    fn some_pages_of_a_document_make_it_partial_and_the_rest_complete_it() {
        let (mut job, _) = Job::begin(select("2"), None, PageSet::new());
        job.on(Event::Opened { pages: 2 });
        done(&mut job, 2);
        assert_eq!(
            concluded(job.on(Event::RenderingEnded)).status,
            DocumentStatus::Partial
        );
        let (mut job, _) = Job::begin(select("1"), Some(2), [2].into());
        job.on(Event::Opened { pages: 2 });
        done(&mut job, 1);
        assert_eq!(
            concluded(job.on(Event::RenderingEnded)).status,
            DocumentStatus::Completed
        );
    }

    #[test]
    fn a_selection_beyond_the_end_is_never_a_no_op() {
        let (_, action) = Job::begin(select("1,9"), Some(2), [1].into());
        assert!(
            matches!(action, Action::Render { .. }),
            "the owner must look, and say that page 9 is not there"
        );
    }

    #[test]
    fn a_request_that_is_refused_fails_and_leaves_the_document_as_it_stands() {
        for (completed, standing) in [
            ([1, 2].into(), DocumentStatus::Completed),
            ([1].into(), DocumentStatus::Partial),
        ] {
            let (mut job, _) = Job::begin(select("9"), Some(2), completed);
            let end = concluded(job.on(Event::Refused {
                pages: 2,
                reason: "no page 9".into(),
            }));
            assert_eq!(
                (end.status, end.standing),
                (DocumentStatus::Failed, standing)
            );
            assert_eq!(end.reason.as_deref(), Some("no page 9"));
        }
    }

    #[test]
    fn a_failed_page_is_recorded_and_fails_the_document_after_the_others() {
        let mut job = fresh(3);
        done(&mut job, 1);
        let record = job.on(Event::Failed {
            page: 2,
            reason: "too large".into(),
        });
        assert_eq!(
            record,
            [Action::RecordFailure {
                page: 2,
                reason: "too large".into()
            }]
        );
        done(&mut job, 3);
        let end = concluded(job.on(Event::RenderingEnded));
        assert_eq!(end.status, DocumentStatus::Failed);
        assert_eq!(end.reason.unwrap(), "page 2 failed: too large");
        assert_eq!(end.stored, [1, 3].into());
    }

    #[test]
    fn a_document_that_cannot_be_opened_ends_at_once() {
        let (mut job, _) = Job::begin(select("all"), None, PageSet::new());
        let end = concluded(job.on(Event::OpenFailed {
            reason: "password needed".into(),
        }));
        assert_eq!((end.status, end.pages), (DocumentStatus::Failed, None));
        assert_eq!(end.reason.unwrap(), "password needed");
    }

    #[test]
    fn an_interrupt_finishes_pages_in_flight() {
        let mut job = fresh(3);
        job.on(Event::HandedOver { page: 1 });
        assert_eq!(job.on(Event::Interrupted), []);
        assert_eq!(job.on(Event::RenderingEnded), []);
        let end = concluded(job.on(Event::Stored { page: 1 }));
        assert_eq!(
            (end.status, end.stored),
            (DocumentStatus::Interrupted, [1].into())
        );
    }

    #[test]
    fn an_interrupt_after_the_last_page_changes_nothing() {
        let mut job = fresh(1);
        done(&mut job, 1);
        job.on(Event::Interrupted);
        assert_eq!(
            concluded(job.on(Event::RenderingEnded)).status,
            DocumentStatus::Completed
        );
    }

    #[test]
    fn an_interrupted_document_whose_renderer_is_gone_is_interrupted_not_failed() {
        let mut job = fresh(3);
        job.on(Event::Interrupted);
        let end = concluded(job.on(Event::RendererGone {
            reason: "stopped".into(),
        }));
        assert_eq!(
            (end.status, end.failed.len()),
            (DocumentStatus::Interrupted, 0)
        );
    }

    #[test]
    fn a_dead_renderer_costs_the_page_it_was_at() {
        let mut job = fresh(3);
        job.on(Event::HandedOver { page: 1 });
        let actions = job.on(Event::RendererGone {
            reason: "panicked".into(),
        });
        assert!(
            matches!(&actions[..], [Action::RecordFailure { page: 2, reason }] if reason.contains("panicked"))
        );
        let end = concluded(job.on(Event::Stored { page: 1 }));
        assert_eq!(
            (end.status, end.stored),
            (DocumentStatus::Failed, [1].into())
        );
    }

    #[test]
    fn a_renderer_that_dies_at_another_document_costs_this_one_no_page() {
        let (mut job, _) = Job::begin(select("all"), Some(3), [1].into());
        let end = concluded(job.on(Event::RendererGone {
            reason: "panicked".into(),
        }));
        assert_eq!((end.status, end.failed.len()), (DocumentStatus::Failed, 0));
        assert!(
            end.reason
                .unwrap()
                .contains("before it opened the document")
        );
    }

    #[test]
    fn a_page_stored_before_its_hand_over_was_heard_of_is_not_the_one_in_progress() {
        let mut job = fresh(2);
        job.on(Event::Stored { page: 1 });
        let actions = job.on(Event::RendererGone {
            reason: "panicked".into(),
        });
        assert!(
            matches!(&actions[0], Action::RecordFailure { page: 2, .. }),
            "{actions:?}"
        );
    }

    #[test]
    fn a_renderer_that_dies_before_it_opened_fails_the_document() {
        let (mut job, _) = Job::begin(select("all"), None, PageSet::new());
        let end = concluded(job.on(Event::RendererGone {
            reason: "panicked".into(),
        }));
        assert_eq!(end.status, DocumentStatus::Failed);
        assert!(end.reason.unwrap().contains("panicked"));
    }

    #[test]
    fn a_renderer_that_dies_after_its_last_page_costs_nothing() {
        let mut job = fresh(1);
        done(&mut job, 1);
        let end = concluded(job.on(Event::RendererGone {
            reason: "panicked".into(),
        }));
        assert_eq!(end.status, DocumentStatus::Completed);
    }

    #[test]
    fn lost_storage_ends_it_at_once_with_the_cause() {
        let mut job = fresh(3);
        job.on(Event::HandedOver { page: 1 });
        let end = concluded(job.on(Event::StorageLost {
            reason: "disk full".into(),
        }));
        assert_eq!(
            (end.status, end.reason.as_deref()),
            (DocumentStatus::Failed, Some("disk full"))
        );
        assert_eq!(
            job.on(Event::Stored { page: 1 }),
            [],
            "a late report is ignored"
        );
    }

    #[test]
    #[should_panic(expected = "stored twice")]
    fn a_page_stored_twice_is_a_mistake_of_ours() {
        let mut job = fresh(2);
        done(&mut job, 1);
        job.on(Event::Stored { page: 1 });
    }
}
