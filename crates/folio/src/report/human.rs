//! Lines and bars on standard error, for people.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use folio_core::pipeline::Progress;
use folio_core::ports::DocumentStatus;
use folio_core::request::DocumentId;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::limits::PLAIN_PROGRESS_EVERY;
use crate::voice::say;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// A bar per document: standard error is a terminal.
    Bars,
    /// A line now and then.
    Lines,
    /// Failures only.
    Quiet,
}

/// What a person sees of a run.
pub(crate) struct Human {
    style: Style,
    bars: MultiProgress,
    documents: HashMap<DocumentId, Running>,
}

struct Running {
    name: String,
    pages: u32,
    wanted: u32,
    settled: u32,
    since: Instant,
    said: Instant,
    bar: Option<ProgressBar>,
}

impl Human {
    /// Bars where standard error is a terminal that can show them; failures only when `quiet`.
    pub(crate) fn for_standard_error(quiet: bool) -> Self {
        let can_show_bars = !ProgressDrawTarget::stderr().is_hidden();
        Self::new(match (quiet, can_show_bars) {
            (true, _) => Style::Quiet,
            (false, true) => Style::Bars,
            (false, false) => Style::Lines,
        })
    }

    fn new(style: Style) -> Self {
        Self {
            style,
            bars: MultiProgress::new(),
            documents: HashMap::new(),
        }
    }

    pub(crate) fn tell(&mut self, news: &Progress, now: Instant) {
        match news {
            Progress::Opened {
                document,
                name,
                pages,
                wanted,
                ..
            } => {
                let bar = (self.style == Style::Bars).then(|| self.bars.add(bar(name, *wanted)));
                if let Some(bar) = &bar {
                    bar.tick(); // a slow first page is no reason to show nothing
                }
                if self.style == Style::Lines {
                    self.say(&opening(name, *pages, *wanted));
                }
                let running = Running {
                    name: name.clone(),
                    pages: *pages,
                    wanted: *wanted,
                    settled: 0,
                    since: now,
                    said: now,
                    bar,
                };
                self.documents.insert(*document, running);
            }
            Progress::Stored { document, .. } => self.settled(document, now),
            Progress::Failed {
                document,
                page,
                reason,
            } => {
                let name = self
                    .documents
                    .get(document)
                    .map_or("", |running| &running.name)
                    .to_owned();
                self.say(&format!("{name}: page {page} failed: {reason}"));
                self.settled(document, now);
            }
            Progress::Finished { document, .. } => {
                let running = document.and_then(|id| self.documents.remove(&id));
                if let Some(bar) = running.as_ref().and_then(|running| running.bar.as_ref()) {
                    bar.finish_and_clear();
                }
                let took = running.map(|running| now.duration_since(running.since));
                let failed = matches!(
                    news,
                    Progress::Finished {
                        status: DocumentStatus::Failed,
                        ..
                    }
                );
                if failed || self.style != Style::Quiet {
                    self.say(&finishing(news, took));
                }
            }
            _ => {}
        }
    }

    fn settled(&mut self, document: &DocumentId, now: Instant) {
        let Some(running) = self.documents.get_mut(document) else {
            return;
        };
        running.settled += 1;
        if let Some(bar) = &running.bar {
            bar.inc(1);
        } else if self.style == Style::Lines
            && now.duration_since(running.said) >= PLAIN_PROGRESS_EVERY
        {
            running.said = now;
            let line = running.line(now);
            self.say(&line);
        }
    }

    fn say(&self, line: &str) {
        match self.style {
            // Above the bars, so that they are not torn.
            Style::Bars => self.bars.suspend(|| say(line)),
            Style::Lines | Style::Quiet => say(line),
        }
    }
}

impl Running {
    fn line(&self, now: Instant) -> String {
        let rate =
            f64::from(self.settled) / now.duration_since(self.since).as_secs_f64().max(0.001);
        let left = f64::from(self.wanted - self.settled.min(self.wanted)) / rate.max(0.001);
        format!(
            "{}: {} of {} pages, {rate:.1} pages/s, about {left:.0} s left ({} in the document)",
            self.name, self.settled, self.wanted, self.pages
        )
    }
}

fn bar(name: &str, wanted: u32) -> ProgressBar {
    let template = "{prefix:.bold} {wide_bar} {pos}/{len} pages, {per_sec}, {eta} left";
    let style =
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(u64::from(wanted))
        .with_style(style)
        .with_prefix(name.to_owned())
}

/// `1 page`, `2 pages`.
pub(crate) fn plural(count: u32, one: &str) -> String {
    if count == 1 {
        format!("1 {one}")
    } else {
        format!("{count} {one}s")
    }
}

fn opening(name: &str, pages: u32, wanted: u32) -> String {
    let to_do = if wanted == pages {
        String::new()
    } else {
        format!(", {wanted} to do")
    };
    format!("{name}: {}{to_do}", plural(pages, "page"))
}

fn finishing(news: &Progress, took: Option<Duration>) -> String {
    let Progress::Finished {
        name,
        status,
        reason,
        pages,
        stored,
        skipped,
        failed,
        needs_ocr,
        ..
    } = news
    else {
        return String::new();
    };
    let mut parts = Vec::new();
    if *stored > 0 || pages.is_some() {
        parts.push(format!("{} done", plural(*stored, "page")));
    }
    if *skipped > 0 {
        parts.push(format!("{skipped} were there already"));
    }
    if *failed > 0 {
        parts.push(format!("{failed} failed"));
    }
    if *needs_ocr > 0 {
        parts.push(format!("{needs_ocr} with an image and no text: needs OCR"));
    }
    if let Some(took) = took.filter(|_| *stored > 0) {
        let seconds = took.as_secs_f64().max(0.001);
        parts.push(format!("{:.1} pages/s", f64::from(*stored) / seconds));
    }
    let status = match status {
        DocumentStatus::Completed => "completed",
        DocumentStatus::Partial => "the pages asked for are completed",
        DocumentStatus::Interrupted => "interrupted",
        DocumentStatus::Failed | DocumentStatus::Running => "failed",
    };
    let why = reason
        .as_ref()
        .map(|reason| format!(": {reason}"))
        .unwrap_or_default();
    let details = if parts.is_empty() {
        String::new()
    } else {
        format!(" ({})", parts.join(", "))
    };
    format!("{name}: {status}{why}{details}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(
        status: DocumentStatus,
        reason: Option<&str>,
        stored: u32,
        needs_ocr: u32,
    ) -> Progress {
        Progress::Finished {
            document: None,
            name: "a.pdf".into(),
            folder: None,
            status,
            reason: reason.map(str::to_owned),
            pages: reason.is_none().then_some(3),
            stored,
            skipped: 0,
            failed: 0,
            needs_ocr,
        }
    }

    #[test]
    fn a_finished_document_is_one_line() {
        let took = Some(Duration::from_secs(2));
        for (news, line) in [
            (
                finished(DocumentStatus::Completed, None, 3, 0),
                "a.pdf: completed (3 pages done, 1.5 pages/s)",
            ),
            (
                finished(DocumentStatus::Completed, None, 1, 1),
                "a.pdf: completed (1 page done, 1 with an image and no text: needs OCR, 0.5 pages/s)",
            ),
            (
                finished(DocumentStatus::Failed, Some("not a readable PDF"), 0, 0),
                "a.pdf: failed: not a readable PDF",
            ),
        ] {
            assert_eq!(finishing(&news, took), line);
        }
    }

    #[test]
    fn a_line_now_and_then_says_how_long_it_will_take() {
        let since = Instant::now();
        let running = Running {
            name: "a.pdf".into(),
            pages: 30,
            wanted: 20,
            settled: 5,
            since,
            said: since,
            bar: None,
        };
        let line = running.line(since + Duration::from_secs(10));
        assert_eq!(
            line,
            "a.pdf: 5 of 20 pages, 0.5 pages/s, about 30 s left (30 in the document)"
        );
    }
}
