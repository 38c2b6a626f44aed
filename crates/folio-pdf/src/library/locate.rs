//! Where PDFium may be on this machine: four places, in order.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use super::build_folder;
use super::pins::Pin;

/// What locating depends on, read from the process once. Tests make their own.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The running program's file.
    pub executable: Option<PathBuf>,
    /// `HOME`.
    pub home: Option<OsString>,
    /// `XDG_DATA_HOME`, or on Windows `LOCALAPPDATA`.
    pub data_home: Option<OsString>,
    /// Folders in which the system looks for libraries.
    pub library_folders: Vec<PathBuf>,
}

impl Environment {
    /// The environment of this process.
    pub fn of_this_process() -> Environment {
        let variable = |name| std::env::var_os(name);
        let (data_home, search_path) = match std::env::consts::OS {
            "windows" => ("LOCALAPPDATA", "PATH"),
            "macos" => ("XDG_DATA_HOME", "DYLD_LIBRARY_PATH"),
            _ => ("XDG_DATA_HOME", "LD_LIBRARY_PATH"),
        };
        let named =
            variable(search_path).map(|paths| std::env::split_paths(&paths).collect::<Vec<_>>());
        let mut library_folders = named.unwrap_or_default();
        library_folders.extend(system_folders().into_iter().map(PathBuf::from));
        Environment {
            executable: std::env::current_exe().ok(),
            home: variable("HOME"),
            data_home: variable(data_home),
            library_folders,
        }
    }
}

/// Where systems keep libraries beside the folders that a variable names.
fn system_folders() -> Vec<String> {
    match std::env::consts::OS {
        "windows" => Vec::new(),
        "macos" => ["/usr/local/lib", "/opt/homebrew/lib"]
            .map(String::from)
            .to_vec(),
        _ => {
            let multiarch = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
            vec![
                "/usr/local/lib".into(),
                multiarch,
                "/usr/lib64".into(),
                "/usr/lib".into(),
            ]
        }
    }
}

/// The kinds of places, in the order in which they are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// The file that the user named.
    Explicit,
    /// Beside the running program.
    BesideExecutable,
    /// The data folder, where a fetched library is installed.
    DataFolder,
    /// Where the system keeps libraries.
    System,
}

impl fmt::Display for PlaceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PlaceKind::Explicit => "the file named by the user",
            PlaceKind::BesideExecutable => "beside the program",
            PlaceKind::DataFolder => "the data folder",
            PlaceKind::System => "the system's libraries",
        })
    }
}

/// One of the four places, with the files that would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which of the four.
    pub kind: PlaceKind,
    /// The files looked for, in order; empty if the place does not exist here.
    pub candidates: Vec<PathBuf>,
}

/// A library that was found. It is named, not yet loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The file.
    pub path: PathBuf,
    /// Where it was found.
    pub kind: PlaceKind,
}

/// Searches the four places.
#[derive(Clone, Debug)]
pub struct Locator {
    environment: Environment,
    explicit: Option<PathBuf>,
    pin: Option<Pin>,
}

impl Locator {
    /// A locator for this environment. `explicit` is the library, or the folder with it, that the user named by a flag or a
    /// variable; an empty one counts as not named.
    pub fn new(environment: Environment, explicit: Option<PathBuf>) -> Locator {
        let explicit = explicit.filter(|path| !path.as_os_str().is_empty());
        Locator {
            environment,
            explicit,
            pin: Pin::of_this_platform(),
        }
    }

    /// The same locator, looking in the data folder for the build of `pin`.
    pub fn with_pin(mut self, pin: Option<Pin>) -> Locator {
        self.pin = pin;
        self
    }

    /// The four places in order, with the files that would do. Looks at no file.
    pub fn places(&self) -> [Place; 4] {
        let library = library_name();
        let explicit = self
            .explicit
            .iter()
            .flat_map(|path| [path.clone(), path.join(library)])
            .collect();
        let beside = self.beside_executable(library).into_iter().collect();
        let data = self.data_folder().zip(self.pin);
        let data = data
            .map(|(folder, pin)| build_folder(&folder, &pin).join(pin.library))
            .into_iter()
            .collect();
        let system = self
            .environment
            .library_folders
            .iter()
            .map(|folder| folder.join(library))
            .collect();
        [
            Place {
                kind: PlaceKind::Explicit,
                candidates: explicit,
            },
            Place {
                kind: PlaceKind::BesideExecutable,
                candidates: beside,
            },
            Place {
                kind: PlaceKind::DataFolder,
                candidates: data,
            },
            Place {
                kind: PlaceKind::System,
                candidates: system,
            },
        ]
    }

    /// Where a fetched library is kept: `folio` in the user's data folder. Without a home, `pdfium` beside the program.
    pub fn data_folder(&self) -> Option<PathBuf> {
        // The specification of these variables says to ignore a relative path.
        let absolute = |path: PathBuf| path.is_absolute().then_some(path);
        let data_home = self
            .environment
            .data_home
            .clone()
            .map(PathBuf::from)
            .and_then(absolute);
        let home = self
            .environment
            .home
            .clone()
            .map(PathBuf::from)
            .and_then(absolute);
        data_home
            .or_else(|| home.map(|home| home.join(".local").join("share")))
            .map(|folder| folder.join("folio"))
            .or_else(|| self.beside_executable("pdfium"))
    }

    /// The first of the places that has the library.
    ///
    /// A library in the data folder is trusted by its place: its hash was checked when it was installed there. One that the
    /// user named is taken as it is; if it is missing, no other is taken instead.
    ///
    /// # Errors
    /// [`NotFound`] with all that was searched.
    pub fn locate(&self) -> Result<Found, NotFound> {
        self.locate_with(&|path| path.is_file())
    }

    fn locate_with(&self, exists: &dyn Fn(&Path) -> bool) -> Result<Found, NotFound> {
        let places = self.places();
        for place in &places {
            if let Some(path) = place.candidates.iter().find(|path| exists(path)) {
                return Ok(Found {
                    path: path.clone(),
                    kind: place.kind,
                });
            }
            if place.kind == PlaceKind::Explicit && self.explicit.is_some() {
                break;
            }
        }
        Err(NotFound {
            places: places.into(),
            explicit: self.explicit.clone(),
        })
    }

    fn beside_executable(&self, name: &str) -> Option<PathBuf> {
        Some(self.environment.executable.as_deref()?.parent()?.join(name))
    }
}

/// PDFium is in none of the places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFound {
    /// The four places, all of them.
    pub places: Vec<Place>,
    explicit: Option<PathBuf>,
}

impl NotFound {
    /// The user named a file, and it is not there; the other places were not searched.
    pub fn explicit_is_missing(&self) -> bool {
        self.explicit.is_some()
    }
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.explicit {
            return write!(
                f,
                "PDFium is not at {}, where it was said to be",
                path.display()
            );
        }
        f.write_str("PDFium is not on this machine. Searched:")?;
        for (number, place) in (1..).zip(&self.places) {
            write!(f, "\n  {number}. {}: ", place.kind)?;
            match (place.kind, place.candidates.as_slice()) {
                (PlaceKind::Explicit, []) => f.write_str("none was named")?,
                (_, []) => f.write_str("there is none")?,
                (_, candidates) => {
                    let names: Vec<_> = candidates
                        .iter()
                        .map(|path| path.display().to_string())
                        .collect();
                    f.write_str(&names.join(", "))?;
                }
            }
        }
        Ok(())
    }
}

impl std::error::Error for NotFound {}

/// The name under which systems keep PDFium.
fn library_name() -> &'static str {
    match std::env::consts::OS {
        "windows" => "pdfium.dll",
        "macos" => "libpdfium.dylib",
        _ => "libpdfium.so",
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{Environment, Locator, PlaceKind};
    use crate::library::Pin;

    fn environment() -> Environment {
        Environment {
            executable: Some("/opt/folio/bin/folio".into()),
            home: Some("/home/me".into()),
            data_home: None,
            library_folders: vec!["/usr/lib".into()],
        }
    }

    fn locator(environment: Environment, explicit: Option<&str>) -> Locator {
        Locator::new(environment, explicit.map(PathBuf::from)).with_pin(Some(Pin::all()[0]))
    }

    const BESIDE: &str = "/opt/folio/bin/libpdfium.so";
    const DATA: &str = "/home/me/.local/share/folio/pdfium-8149-linux-x64/libpdfium.so";
    const SYSTEM: &str = "/usr/lib/libpdfium.so";

    fn find(locator: &Locator, files: &[&str]) -> Option<(PathBuf, PlaceKind)> {
        let exists = |path: &Path| files.iter().any(|file| Path::new(file) == path);
        locator
            .locate_with(&exists)
            .ok()
            .map(|found| (found.path, found.kind))
    }

    #[test]
    fn the_four_places_are_searched_in_order() {
        let locator = locator(environment(), None);
        let expected = [
            (BESIDE, PlaceKind::BesideExecutable),
            (DATA, PlaceKind::DataFolder),
            (SYSTEM, PlaceKind::System),
        ];
        for (first, (path, kind)) in expected.into_iter().enumerate() {
            let files = &[BESIDE, DATA, SYSTEM][first..];
            assert_eq!(find(&locator, files), Some((path.into(), kind)));
        }
        assert_eq!(find(&locator, &[]), None);
    }

    #[test]
    fn a_named_file_is_taken_and_never_replaced() {
        let locator = locator(environment(), Some("/my/pdfium"));
        assert_eq!(
            find(&locator, &["/my/pdfium", BESIDE]),
            Some(("/my/pdfium".into(), PlaceKind::Explicit))
        );
        let inside = "/my/pdfium/libpdfium.so";
        assert_eq!(
            find(&locator, &[inside, BESIDE]),
            Some((inside.into(), PlaceKind::Explicit))
        );
        let error = locator
            .locate_with(&|path| path == Path::new(BESIDE))
            .unwrap_err();
        assert!(error.explicit_is_missing());
        assert!(error.to_string().contains("/my/pdfium"), "{error}");
    }

    #[test]
    fn an_empty_name_counts_as_none() {
        assert!(find(&locator(environment(), Some("")), &[BESIDE]).is_some());
    }

    #[test]
    fn the_data_folder_follows_the_variables() {
        let folder = |home: Option<&str>, data_home: Option<&str>| {
            let environment = Environment {
                home: home.map(Into::into),
                data_home: data_home.map(Into::into),
                ..environment()
            };
            locator(environment, None)
                .data_folder()
                .expect("there is one")
        };
        assert_eq!(
            folder(Some("/home/me"), Some("/data")),
            Path::new("/data/folio")
        );
        assert_eq!(
            folder(Some("/home/me"), Some("relative")),
            Path::new("/home/me/.local/share/folio")
        );
        assert_eq!(
            folder(Some("/home/me"), Some("")),
            Path::new("/home/me/.local/share/folio")
        );
        for home in [None, Some("")] {
            assert_eq!(
                folder(home, None),
                Path::new("/opt/folio/bin/pdfium"),
                "HOME is {home:?}"
            );
        }
    }

    #[test]
    fn not_found_lists_all_four() {
        let error = locator(environment(), None)
            .locate_with(&|_| false)
            .unwrap_err();
        let text = error.to_string();
        for part in [
            "1. the file named",
            "2. beside",
            BESIDE,
            "3. the data folder",
            DATA,
            "4. the system",
            SYSTEM,
        ] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
    }
}
