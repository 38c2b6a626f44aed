//! PDFium is fetched once, verified, put in place whole or not at all, and every failure says what was tried.
//!
//! The tools are shell scripts that stand for pip, curl and wget: the network is the only thing that is not real here.
#![cfg(unix)]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use folio_pdf::library::{
    Environment, FetchError, Fetcher, Locator, Network, ObtainError, Pin, PlaceKind, Tool,
    ToolKind, obtain,
};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// What the wheel of these tests has in place of the library.
const LIBRARY: &[u8] = b"stands for the library";
/// `printf 'stands for the library' | sha256sum`
const LIBRARY_SHA256: &str = "13234891f86d405d8501bd51d773224c702ecf8e8584bbbf01314dccf5a56f04";

/// A folder with a home, a program and scripts, and the pin of a small wheel.
struct Bench {
    folder: tempfile::TempDir,
    pin: Pin,
    lines: Vec<String>,
}

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let wheel = folder.path().join("made.whl");
        write_wheel(&wheel);
        let pin = Pin {
            platform: "test",
            pip_platform: "test_platform",
            wheel: "made.whl",
            wheel_sha256: leaked_sha256(&wheel),
            library: "libpdfium.so",
            library_sha256: LIBRARY_SHA256,
        };
        Bench {
            folder,
            pin,
            lines: Vec::new(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A tool that runs this shell script. `$WHEEL` is the good wheel; `$DEST` is where pip is told to put files, and
    /// `$OUT` the file that curl and wget are told to write.
    fn tool(&self, kind: ToolKind, name: &str, script: &str) -> Tool {
        let path = self.path(name);
        let prelude = format!(
            "echo \"{name} $*\" >> '{}'\nWHEEL='{}'\nfor last; do :; done\nDEST=$last\nOUT=$last\n",
            self.path("calls").display(),
            self.path("made.whl").display()
        );
        fs::write(&path, prelude + script).expect("the script is written");
        Tool::new(kind, "sh", &[path.to_str().expect("a plain path")])
    }

    fn locator(&self, explicit: Option<&str>) -> Locator {
        let environment = Environment {
            executable: Some(self.path("bin/folio")),
            home: Some(self.path("home").into()),
            data_home: None,
            library_folders: vec![self.path("lib")],
        };
        Locator::new(environment, explicit.map(PathBuf::from)).with_pin(Some(self.pin))
    }

    fn obtain(&mut self, tools: Vec<Tool>, network: Network) -> Result<PathBuf, ObtainError> {
        let (locator, fetcher) = (self.locator(None), Fetcher::new(tools, Some(self.pin)));
        let found = obtain(&locator, &fetcher, network, &mut |line| {
            self.lines.push(line.to_owned())
        })?;
        assert_eq!(found.kind, PlaceKind::DataFolder);
        Ok(found.path)
    }

    /// How each tool was called, in order.
    fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("calls")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Files and folders in the data folder.
    fn kept(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("home/.local/share/folio"))
            .into_iter()
            .flatten();
        entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect()
    }
}

fn write_wheel(path: &Path) {
    let mut wheel = ZipWriter::new(File::create(path).expect("the wheel is made"));
    let entries: [(&str, &[u8]); 5] = [
        ("pypdfium2_raw/libpdfium.so", LIBRARY),
        (
            "pypdfium2-1.dist-info/licenses/LICENSES/BSD.txt",
            b"do as you like",
        ),
        ("pypdfium2-1.dist-info/licenses/zlib.txt", b"as is"),
        ("../licenses/outside.txt", b"would leave the folder"),
        ("pypdfium2/__init__.py", b"raise SystemExit"),
    ];
    for (name, bytes) in entries {
        wheel
            .start_file(name, SimpleFileOptions::default())
            .expect("an entry begins");
        wheel.write_all(bytes).expect("an entry is written");
    }
    wheel.finish().expect("the wheel is whole");
}

/// The hash that the standard tool gives, so that ours is checked against it.
fn leaked_sha256(path: &Path) -> &'static str {
    let output = std::process::Command::new("sha256sum")
        .arg(path)
        .output()
        .expect("sha256sum runs");
    let text = String::from_utf8(output.stdout).expect("plain text");
    Box::leak(text[..64].to_owned().into_boxed_str())
}

const PIP_OK: &str = "cp \"$WHEEL\" \"$DEST/\"";
const OUT_OK: &str = "cp \"$WHEEL\" \"$OUT\"";

#[test]
fn it_is_fetched_once_with_its_licences_and_found_from_then_on() {
    let mut bench = Bench::new();
    let pip = bench.tool(ToolKind::Pip, "pip", PIP_OK);
    let library = bench
        .obtain(vec![pip.clone()], Network::Allowed)
        .expect("it is fetched");
    assert_eq!(
        library,
        bench.path("home/.local/share/folio/pdfium-8149-test/libpdfium.so")
    );
    assert_eq!(fs::read(&library).expect("it is there"), LIBRARY);
    let folder = library.parent().expect("it has a folder");
    assert_eq!(
        fs::read(folder.join("licenses/LICENSES/BSD.txt")).expect("it is there"),
        b"do as you like"
    );
    assert_eq!(
        fs::read(folder.join("licenses/zlib.txt")).expect("it is there"),
        b"as is"
    );
    assert!(
        !folder.join("pypdfium2").exists(),
        "nothing else is unpacked"
    );
    assert_eq!(
        bench.kept(),
        ["pdfium-8149-test"],
        "and nothing else is left"
    );
    let again = bench
        .obtain(vec![pip], Network::Forbidden)
        .expect("it is found");
    assert_eq!(again, library);
    assert_eq!(bench.calls().len(), 1, "fetched once");
}

#[test]
fn one_line_says_what_is_going_on() {
    let mut bench = Bench::new();
    let pip = bench.tool(ToolKind::Pip, "pip", PIP_OK);
    bench
        .obtain(vec![pip], Network::Allowed)
        .expect("it is fetched");
    let [line] = bench.lines.as_slice() else {
        panic!("{:?}", bench.lines)
    };
    let folder = bench.path("home/.local/share/folio/pdfium-8149-test");
    assert!(
        line.starts_with("fetching PDFium 8149 (4 MB, once) with sh "),
        "{line}"
    );
    assert!(
        line.ends_with(&format!("into {}", folder.display())),
        "{line}"
    );
}

#[test]
fn pip_downloads_and_never_installs() {
    let mut bench = Bench::new();
    let pip = bench.tool(ToolKind::Pip, "pip", PIP_OK);
    bench
        .obtain(vec![pip], Network::Allowed)
        .expect("it is fetched");
    let call = bench.calls().remove(0);
    assert!(call.starts_with("pip download "), "{call}");
    for part in [
        "--no-deps",
        "--only-binary=:all:",
        "--no-cache-dir",
        "--platform test_platform",
        "pypdfium2==5.15.2",
    ] {
        assert!(call.contains(part), "{part} is missing in: {call}");
    }
}

#[test]
fn the_second_source_is_used_when_the_first_fails() {
    for (kind, name) in [(ToolKind::Curl, "curl"), (ToolKind::Wget, "wget")] {
        let mut bench = Bench::new();
        let missing = Tool::new(ToolKind::Pip, "no-such-program-anywhere", &[]);
        let failing = bench.tool(
            ToolKind::Pip,
            "pip",
            "echo 'No matching distribution' >&2; exit 1",
        );
        let other = bench.tool(kind, name, OUT_OK);
        bench
            .obtain(vec![missing, failing, other], Network::Allowed)
            .expect("it is fetched");
        assert_eq!(
            bench.lines.len(),
            2,
            "a program that is not there is not announced: {:?}",
            bench.lines
        );
        let call = bench.calls().remove(1);
        let url = "https://github.com/pypdfium2-team/pypdfium2/releases/download/5.15.2/made.whl";
        assert!(call.starts_with(name) && call.contains(url), "{call}");
    }
}

#[test]
fn a_wrong_file_is_named_with_both_hashes_and_nothing_is_kept() {
    let mut bench = Bench::new();
    let pip = bench.tool(
        ToolKind::Pip,
        "pip",
        "echo something else > \"$DEST/made.whl\"",
    );
    let curl = bench.tool(ToolKind::Curl, "curl", OUT_OK);
    let error = bench
        .obtain(vec![pip, curl], Network::Allowed)
        .expect_err("it is another file");
    let FetchError::WrongHash {
        file, wanted, got, ..
    } = &*error.cause
    else {
        panic!("{error}")
    };
    assert_eq!(
        (file.as_str(), *wanted),
        ("made.whl", bench.pin.wheel_sha256)
    );
    let text = error.to_string();
    for part in ["made.whl", wanted, got.as_str(), "nothing of it was kept"] {
        assert!(text.contains(part), "{part} is missing in: {text}");
    }
    assert_eq!(bench.kept(), [""; 0]);
    assert_eq!(
        bench.calls().len(),
        1,
        "no further tool is asked when somebody else answers"
    );
}

#[test]
fn a_wrong_library_in_the_right_wheel_is_refused_too() {
    let mut bench = Bench::new();
    bench.pin.library_sha256 = bench.pin.wheel_sha256;
    let pip = bench.tool(ToolKind::Pip, "pip", PIP_OK);
    let error = bench
        .obtain(vec![pip], Network::Allowed)
        .expect_err("the library is another one");
    let FetchError::WrongHash { file, got, .. } = &*error.cause else {
        panic!("{error}")
    };
    assert_eq!(
        (file.as_str(), got.as_str()),
        ("libpdfium.so", LIBRARY_SHA256)
    );
    assert_eq!(bench.kept(), [""; 0]);
}

#[test]
fn offline_fetches_nothing_and_says_where_it_looked() {
    let mut bench = Bench::new();
    let pip = bench.tool(ToolKind::Pip, "pip", PIP_OK);
    let error = bench
        .obtain(vec![pip], Network::Forbidden)
        .expect_err("it is nowhere");
    assert!(matches!(*error.cause, FetchError::Offline));
    assert_eq!((bench.calls().len(), bench.lines.len()), (0, 0));
    let text = error.to_string();
    let beside = bench.path("bin/libpdfium.so").display().to_string();
    let data = bench
        .path("home/.local/share/folio/pdfium-8149-test/libpdfium.so")
        .display()
        .to_string();
    let system = bench.path("lib/libpdfium.so").display().to_string();
    for part in [
        "none was named",
        &beside,
        &data,
        &system,
        "offline",
        "python3 -m pip download --no-deps",
    ] {
        assert!(text.contains(part), "{part} is missing in: {text}");
    }
}

#[test]
fn what_each_tool_said_is_in_the_error() {
    let mut bench = Bench::new();
    let tools = vec![
        Tool::new(ToolKind::Pip, "no-such-program-anywhere", &[]),
        bench.tool(ToolKind::Pip, "pip", "echo 'pip: no network' >&2; exit 3"),
        bench.tool(ToolKind::Curl, "curl", "echo 'curl: (6) no host'; exit 6"),
        bench.tool(ToolKind::Wget, "wget", "exit 0"),
    ];
    let error = bench
        .obtain(tools, Network::Allowed)
        .expect_err("nobody can");
    let text = error.to_string();
    for part in [
        "no-such-program-anywhere is not installed",
        "(exit status: 3): pip: no network",
        "(exit status: 6): curl: (6) no host",
        "gave no file made.whl",
        "To fetch it by hand",
    ] {
        assert!(text.contains(part), "{part} is missing in: {text}");
    }
    assert_eq!(bench.kept(), [""; 0]);
}

#[test]
fn a_named_file_that_is_missing_is_not_replaced_by_a_fetched_one() {
    let bench = Bench::new();
    let fetcher = Fetcher::new(
        vec![bench.tool(ToolKind::Pip, "pip", PIP_OK)],
        Some(bench.pin),
    );
    let locator = bench.locator(Some("/nowhere/libpdfium.so"));
    let error =
        obtain(&locator, &fetcher, Network::Allowed, &mut |_| {}).expect_err("it is not there");
    assert!(
        error.to_string().contains("/nowhere/libpdfium.so"),
        "{error}"
    );
    assert_eq!(bench.calls().len(), 0);
}

#[test]
fn a_data_folder_that_cannot_be_made_is_named() {
    let mut bench = Bench::new();
    fs::write(bench.path("home"), "a file is in the way").expect("it is written");
    let pip = bench.tool(ToolKind::Pip, "pip", PIP_OK);
    let error = bench
        .obtain(vec![pip], Network::Allowed)
        .expect_err("there is no room");
    assert!(matches!(*error.cause, FetchError::Folder { .. }), "{error}");
    assert!(
        error.to_string().contains("home/.local/share/folio"),
        "{error}"
    );
}

#[test]
fn two_at_once_end_with_one_installation() {
    let bench = Bench::new();
    let installed = bench.path("home/.local/share/folio/pdfium-8149-test");
    // While this one fetches, another process installs.
    let script = format!(
        "mkdir -p '{0}' && printf 'stands for the library' > '{0}/libpdfium.so' && {PIP_OK}",
        installed.display()
    );
    let fetcher = Fetcher::new(
        vec![bench.tool(ToolKind::Pip, "pip", &script)],
        Some(bench.pin),
    );
    let found = obtain(
        &bench.locator(None),
        &fetcher,
        Network::Allowed,
        &mut |_| {},
    )
    .expect("it is there");
    assert_eq!(found.path, installed.join("libpdfium.so"));
    assert_eq!(bench.kept(), ["pdfium-8149-test"]);
}
