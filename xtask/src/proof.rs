//! `cargo xtask models` and `cargo xtask sanitize`: what shows that the runtime's own synchronisation is right.
//!
//! * The models run every interleaving of a few operations, under loom. `--full` lifts the bounds that keep them quick.
//! * The sanitizers watch the runtime's tests as they run: one for memory that is used after it was freed, one for data that
//!   two threads reach without order. They are a part of the nightly compiler; nothing is installed for them here.

use std::process::{Command, ExitCode};

/// Interleavings with more switches than this between running threads are left out, unless `--full` is given. Most
/// defects show with two.
const SWITCHES: &str = "3";

/// Seeds of each stepped test under a sanitizer, which slows them by ten.
const SEEDS: &str = "20";

/// What the sanitizers are called, and the flags that switch each on.
const SANITIZERS: [(&str, &str); 2] = [
    ("address", "-Zsanitizer=address"),
    // The standard library is not built for it, which the compiler would refuse to mix. The runtime shows the order of its
    // locks by itself then.
    (
        "thread",
        "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer --cfg playhouse_tsan",
    ),
];

/// What would bring the nightly compiler.
pub const INSTALL_NIGHTLY: &str = "rustup toolchain install nightly";

/// `cargo xtask models [--full]`.
///
/// # Errors
/// When there is another argument, or cargo cannot be run.
pub fn models(arguments: &[String]) -> Result<ExitCode, String> {
    let mut cargo = crate::cargo(&crate::root());
    match arguments {
        [] => drop(cargo.env("LOOM_MAX_PREEMPTIONS", SWITCHES)),
        [full] if full == "--full" => {}
        _ => return Err("takes --full and nothing else".to_owned()),
    }
    cargo
        .args(["test", "--release", "--package", "playhouse", "--lib"])
        .arg("models")
        .env("RUSTFLAGS", "--cfg playhouse_loom")
        .env("CARGO_TARGET_DIR", crate::target().join("models"));
    end(&mut cargo)
}

/// `cargo xtask sanitize [address|thread|--quick]`: both over everything, one of them, or what a run of all checks has time
/// for: the address sanitizer over the tests inside of the crate.
///
/// # Errors
/// When there is another argument, no nightly compiler, or cargo cannot be run.
pub fn sanitize(arguments: &[String]) -> Result<ExitCode, String> {
    let is_quick = arguments == ["--quick"];
    let wanted: Vec<_> = match arguments {
        [] => SANITIZERS.to_vec(),
        [_] if is_quick => SANITIZERS[..1].to_vec(),
        [one] => SANITIZERS
            .into_iter()
            .filter(|(name, _)| name == one)
            .collect(),
        _ => Vec::new(),
    };
    if wanted.is_empty() {
        return Err("takes address, thread or --quick; without any it runs both".to_owned());
    }
    let host = nightly_host()
        .ok_or_else(|| format!("the sanitizers need the nightly compiler: {INSTALL_NIGHTLY}"))?;
    for (name, flags) in wanted {
        println!("-- the runtime's tests under the {name} sanitizer");
        let mut tests = sanitized(name, flags, &host);
        if !is_quick {
            tests.arg("--tests");
        }
        let code = end(&mut tests)?;
        if code != ExitCode::SUCCESS {
            return Ok(code);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What the nightly compiler compiles for; `None`: there is none here.
#[must_use]
pub fn nightly_host() -> Option<String> {
    let output = Command::new("rustc")
        .args(["+nightly", "--version", "--verbose"])
        .env_remove("RUSTUP_TOOLCHAIN")
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
}

fn sanitized(name: &str, flags: &str, host: &str) -> Command {
    let suppressions = crate::root().join("xtask/thread-sanitizer.supp");
    let mut cargo = Command::new("cargo"); // rustup's, which knows `+nightly`; ours is of one toolchain
    cargo
        .args(["+nightly", "test", "--package", "playhouse", "--lib"])
        .args(["--target", host])
        .current_dir(crate::root())
        .env_remove("CARGO")
        .env_remove("RUSTC")
        .env_remove("RUSTUP_TOOLCHAIN")
        .env("RUSTFLAGS", flags)
        .env("PLAYHOUSE_SEEDS", SEEDS)
        // The tests' own toys keep each other for good; what the runtime keeps is counted by tests of their own.
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .env(
            "TSAN_OPTIONS",
            format!("suppressions={}", suppressions.display()),
        )
        .env(
            "CARGO_TARGET_DIR",
            crate::target().join("sanitized").join(name),
        );
    cargo
}

fn end(command: &mut Command) -> Result<ExitCode, String> {
    let status = command
        .status()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
