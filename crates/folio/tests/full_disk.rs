//! A disk that is full, for real: a small file system of its own in a mount namespace.
//!
//! Not every machine allows that, so `cargo xtask test` runs this as a step of its own, and says so where it cannot.
#![cfg(target_os = "linux")]

mod common;

use std::process::Command;

use common::{run, sample};

#[test]
#[ignore = "mounts a file system: cargo xtask test disk"]
fn a_full_disk_ends_the_run_with_the_reason_and_the_next_step() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"mount -t tmpfs -o size=1m tmpfs "$1" && exec "$2" extract --out "$1/out" "$3""#;
    let mut command = Command::new("unshare");
    command.args([
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        script,
        "sh",
    ]);
    command
        .arg(folder.path())
        .arg(common::binary())
        .arg(sample());
    let ended = run(&mut command, 1);
    assert!(ended.said.contains("the disk is full"), "{}", ended.said);
    assert!(
        ended.said.contains("Run the same command again"),
        "{}",
        ended.said
    );
    assert!(
        !ended.said.contains("page 12"),
        "it stopped drawing: {}",
        ended.said
    );
}
