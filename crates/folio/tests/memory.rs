//! What a long run takes of the machine's memory, by the real binary.
#![cfg(target_os = "linux")]

mod common;

use std::fs;

/// The most that a run of two storers may have resident, in kB.
const PEAK_KB_MAX: u64 = 150_000;

/// The most it may grow after a quarter of the pages: the engine keeps pictures it has seen, within a bound of its own.
/// Keeping one page's bitmap in fifty would pass it.
const GROWTH_KB_MAX: u64 = 30_000;

#[test]
fn a_long_run_stays_within_its_memory_and_does_not_grow() {
    let scratch = tempfile::tempdir().unwrap();
    let input = scratch.path().join("big.pdf");
    fs::write(&input, xtask::big_pdf::document(160)).unwrap();
    let mut command = common::extract(&input, &scratch.path().join("out"));
    let (mut child, lines) = common::start(command.args(["--jobs", "2"]));
    let pages = lines.filter(|line| line["event"] == "page");
    let peaks: Vec<u64> = pages.filter_map(|_| peak_kb(child.id())).collect();
    assert!(child.wait().unwrap().success());
    let (early, last) = (peaks[peaks.len() / 4], peaks[peaks.len() - 1]);
    println!("peak resident size: {early} kB after a quarter, {last} kB at the end");
    assert!(last <= PEAK_KB_MAX, "{last} kB resident");
    assert!(
        last - early <= GROWTH_KB_MAX,
        "it grew from {early} to {last} kB over the last three quarters"
    );
}

/// The highest resident size of a process so far; `None` once it is gone.
fn peak_kb(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
