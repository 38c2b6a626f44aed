//! The checks as a table: what each is for, what it runs, and what it needs.

/// One check.
#[derive(Debug)]
pub struct Step {
    /// What it is called on the command line and in the report.
    pub name: &'static str,
    /// What it is for.
    pub why: &'static str,
    /// What it does.
    pub action: Action,
    /// What must be on the machine for it.
    pub needs: &'static [Need],
}

/// What a check does.
#[derive(Debug)]
pub enum Action {
    /// Runs cargo with these arguments.
    Cargo(&'static [&'static str]),
    /// Runs cargo as above with warnings of rustdoc turned into errors.
    StrictDocs(&'static [&'static str]),
    /// Runs all tests: with nextest, or with cargo's own runner where nextest is missing.
    Tests,
    /// Runs every example of the crate, one after the other.
    Examples(&'static [ExamplesOf]),
    /// Builds what is tested, and finds or fetches PDFium, for the steps that come after.
    Engine,
    /// The models of the lock-free parts, bounded.
    Models,
    /// The runtime's tests under the sanitizers, where there is a compiler that has them.
    Sanitizers,
    /// The house rules, in this process.
    Tidy,
}

/// The examples of one crate.
#[derive(Debug)]
pub struct ExamplesOf {
    /// The crate.
    pub package: &'static str,
    /// Where they are.
    pub folder: &'static str,
    /// What each is given.
    pub arguments: &'static [&'static str],
}

/// A tool or a permission that a check needs.
#[derive(Debug)]
pub struct Need {
    /// What is missing when it is missing.
    pub what: &'static str,
    /// A command that succeeds where it is there.
    pub probe: &'static [&'static str],
    /// The command that brings the tool.
    pub enable: &'static [&'static str],
}

const RUSTFMT: Need = Need {
    what: "rustfmt",
    probe: &["cargo", "fmt", "--version"],
    enable: &["rustup", "component", "add", "rustfmt"],
};

const CLIPPY: Need = Need {
    what: "clippy",
    probe: &["cargo", "clippy", "--version"],
    enable: &["rustup", "component", "add", "clippy"],
};

const MOUNTS: Need = Need {
    what: "the permission to mount a file system of one's own",
    probe: &[
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "mount",
        "-t",
        "tmpfs",
        "-o",
        "size=1m",
        "tmpfs",
        "/mnt",
    ],
    enable: &["sysctl", "kernel.unprivileged_userns_clone=1"],
};

/// Every check, the quick ones first, and the one that prepares before those that need it.
pub const STEPS: &[Step] = &[
    Step {
        name: "format",
        why: "the code is formatted in the one default style",
        action: Action::Cargo(&["fmt", "--all", "--", "--check"]),
        needs: &[RUSTFMT],
    },
    Step {
        name: "tidy",
        why: "the house rules hold in every tracked file",
        action: Action::Tidy,
        needs: &[],
    },
    Step {
        name: "lints",
        why: "neither compiler nor clippy has anything to say",
        action: Action::Cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]),
        needs: &[CLIPPY],
    },
    Step {
        name: "engine",
        why: "what is tested is built, and PDFium is there for it; where it is not, it is fetched into target/",
        action: Action::Engine,
        needs: &[],
    },
    Step {
        name: "tests",
        why: "every promise has a test that holds it",
        action: Action::Tests,
        needs: &[],
    },
    Step {
        name: "models",
        why: "the runtime's lock-free parts, in every interleaving",
        action: Action::Models,
        needs: &[],
    },
    Step {
        name: "sanitizers",
        why: "the runtime's tests, watched for data races and for memory used after it was freed",
        action: Action::Sanitizers,
        needs: &[],
    },
    Step {
        name: "disk",
        why: "a full disk ends a run in order; on a small file system of its own",
        action: Action::Cargo(&[
            "test",
            "--workspace",
            "--test",
            "full_disk",
            "--",
            "--ignored",
        ]),
        needs: &[MOUNTS],
    },
    Step {
        name: "doctests",
        why: "the examples in the documentation compile and run",
        action: Action::Cargo(&["test", "--workspace", "--doc"]),
        needs: &[],
    },
    Step {
        name: "examples",
        why: "each example program runs to its end, and in time",
        action: Action::Examples(&[
            ExamplesOf {
                package: "playhouse",
                folder: "crates/playhouse/examples",
                arguments: &[],
            },
            ExamplesOf {
                package: "folio",
                folder: "crates/folio/examples",
                arguments: &["samples/first-folio.pdf"],
            },
        ]),
        needs: &[],
    },
    Step {
        name: "docs",
        why: "the documentation is whole and its links lead somewhere",
        action: Action::StrictDocs(&["doc", "--workspace", "--no-deps"]),
        needs: &[],
    },
];
