//! The end of a run, for a program and for a person.

use std::io;
use std::path::Path;
use std::time::Duration;

use folio_core::pipeline::RunReport;

use super::{json, plural};
use crate::cli;
use crate::voice::say;

/// What there was to do, beside what the pipeline reports of it.
pub(crate) struct Asked<'a> {
    /// Inputs found.
    pub(crate) documents: usize,
    /// What was named and is not there.
    pub(crate) problems: &'a [String],
    /// The output folder.
    pub(crate) out: &'a Path,
    /// How long it took.
    pub(crate) took: Duration,
}

/// The end of the story; its last line is the output folder.
pub(crate) fn summarise(
    arguments: &cli::Extract,
    report: &RunReport,
    asked: &Asked<'_>,
) -> io::Result<()> {
    let not_started = u32::try_from(asked.documents)
        .unwrap_or(u32::MAX)
        .saturating_sub(report.documents);
    let written = match arguments.json {
        true => json::summary(report, not_started, asked.problems, asked.out, asked.took),
        false => Ok(()),
    };
    if let Some(why) = &report.aborted {
        say(format!("folio: the run could not go on: {why}"));
    }
    if arguments.quiet {
        return written;
    }
    if asked.documents > 1 || !asked.problems.is_empty() {
        let mut line = format!(
            "{}: {} completed",
            plural(report.documents, "document"),
            report.documents_completed
        );
        let not_completed = report.documents - report.documents_completed;
        append_counts(
            &mut line,
            &[
                (not_completed, "not completed"),
                (not_started, "not started"),
            ],
        );
        say(line);
    }
    let mut line = format!(
        "{} done in {:.1} s",
        plural(report.pages_stored, "page"),
        asked.took.as_secs_f64()
    );
    append_counts(
        &mut line,
        &[
            (report.pages_skipped, "there already"),
            (report.pages_failed, "failed"),
            (
                report.pages_needing_ocr,
                "with an image and no text: needs OCR",
            ),
        ],
    );
    say(line);
    if report.interrupted || report.aborted.is_some() {
        let force = if arguments.force {
            " without --force"
        } else {
            ""
        };
        say(format!(
            "Run the same command again{force} to do what is missing."
        ));
    }
    say(asked.out.display());
    written
}

/// `, 3 of this, 1 of that`; nothing for what there is none of.
fn append_counts(line: &mut String, counts: &[(u32, &str)]) {
    for (count, what) in counts.iter().filter(|(count, _)| *count > 0) {
        line.push_str(&format!(", {count} {what}"));
    }
}
