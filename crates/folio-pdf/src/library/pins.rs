//! The one build of PDFium that is fetched, per platform, with the hashes that it must have.
//!
//! The builds are those inside the wheels of pypdfium2, compiled by that project from PDFium's own sources, without
//! JavaScript and XFA. A wheel is a zip file; nothing of Python is used.

use std::path::Path;

/// PDFium's build number.
pub(crate) const BUILD: &str = "8149";
/// The release of pypdfium2 that carries it.
pub(crate) const RELEASE: &str = "5.15.2";
/// What a wheel weighs, for the line that announces the fetch.
pub(crate) const MEGABYTES: u32 = 4;

/// The file to fetch for one platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Our name of the platform, part of the folder name.
    pub platform: &'static str,
    /// pip's name of the platform.
    pub pip_platform: &'static str,
    /// File name of the wheel.
    pub wheel: &'static str,
    /// SHA-256 of the wheel.
    pub wheel_sha256: &'static str,
    /// File name of the library, inside and outside the wheel.
    pub library: &'static str,
    /// SHA-256 of the library.
    pub library_sha256: &'static str,
}

impl Pin {
    /// The pin of the platform that this program was built for; `None` if there is no build for it.
    pub fn of_this_platform() -> Option<Pin> {
        let env = if cfg!(target_env = "musl") {
            "musl"
        } else {
            ""
        };
        let name = platform_name(std::env::consts::OS, std::env::consts::ARCH, env)?;
        PINS.iter().find(|pin| pin.platform == name).copied()
    }

    /// All pins.
    pub fn all() -> &'static [Pin] {
        &PINS
    }

    /// Where the library lies inside the wheel.
    pub(crate) fn library_in_wheel(&self) -> String {
        format!("pypdfium2_raw/{}", self.library)
    }

    /// The second source: the same wheel, attached to the release on GitHub by the workflow that also publishes it. The
    /// bytes are the same, so the same hashes hold. This source could not be tried where the pins were made, which had no
    /// way to GitHub; what a wrong or missing file there would do is tested with a stand-in.
    pub(crate) fn release_url(&self) -> String {
        format!(
            "https://github.com/pypdfium2-team/pypdfium2/releases/download/{RELEASE}/{}",
            self.wheel
        )
    }

    /// A command that installs the library by hand in `data_folder`.
    pub(crate) fn by_hand(&self, data_folder: &Path) -> String {
        let folder = super::build_folder(data_folder, self);
        let folder = shell_quoted(&folder.to_string_lossy());
        format!(
            "python3 -m pip download --no-deps --only-binary=:all: --platform {} --dest {folder} pypdfium2=={RELEASE} && \
             (cd {folder} && python3 -m zipfile -e {} . && mv {} .)",
            self.pip_platform,
            self.wheel,
            self.library_in_wheel()
        )
    }
}

/// The build whose library, on whatever platform, has this SHA-256.
pub(crate) fn build_of(library_sha256: &str) -> Option<&'static str> {
    PINS.iter()
        .any(|pin| pin.library_sha256 == library_sha256)
        .then_some(BUILD)
}

fn platform_name(os: &str, arch: &str, env: &str) -> Option<&'static str> {
    Some(match (os, arch, env) {
        ("linux", "x86_64", "musl") => "linux-x64-musl",
        ("linux", "x86_64", _) => "linux-x64",
        ("linux", "aarch64", "") => "linux-arm64",
        ("macos", "aarch64", _) => "macos-arm64",
        ("macos", "x86_64", _) => "macos-x64",
        ("windows", "x86_64", _) => "windows-x64",
        ("windows", "aarch64", _) => "windows-arm64",
        _ => return None,
    })
}

fn shell_quoted(text: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "/._-+:@".contains(char);
    if text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

const PINS: [Pin; 7] = [
    Pin {
        platform: "linux-x64",
        pip_platform: "manylinux_2_17_x86_64",
        wheel: "pypdfium2-5.15.2-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
        wheel_sha256: "dc31aea5b0fb9fefc9b537a65f4113980b2c40798445736a7e6565bc85161e37",
        library: "libpdfium.so",
        library_sha256: "c76dc0f7839644bfa7c3e3107a6068df714e339c861bb7d4519907b821d427f9",
    },
    Pin {
        platform: "linux-arm64",
        pip_platform: "manylinux_2_17_aarch64",
        wheel: "pypdfium2-5.15.2-py3-none-manylinux_2_17_aarch64.manylinux2014_aarch64.whl",
        wheel_sha256: "dd46e93c0c3a73f6cea8489baff6d77a5d0759dd53fbbce0aeb49c91830176fc",
        library: "libpdfium.so",
        library_sha256: "4378615ad9710397c96c112611be9018629bbfe38805d91a2663a534b99c28ca",
    },
    Pin {
        platform: "linux-x64-musl",
        pip_platform: "musllinux_1_2_x86_64",
        wheel: "pypdfium2-5.15.2-py3-none-musllinux_1_2_x86_64.whl",
        wheel_sha256: "ef452a7178744196d4ff97029f46b56a13817346fc7ee0473c75643512276b3a",
        library: "libpdfium.so",
        library_sha256: "aa224cee2b8ba09d1b9d20f9acc7a07ae9aed03f4a59578ca4dffbb862db47b9",
    },
    Pin {
        platform: "macos-arm64",
        pip_platform: "macosx_13_0_arm64",
        wheel: "pypdfium2-5.15.2-py3-none-macosx_13_0_arm64.whl",
        wheel_sha256: "e71fe832e94421ac3c28d6a6ed4a9e61f22417089652d339f391c4ffc2a44c35",
        library: "libpdfium.dylib",
        library_sha256: "5574cd4164a1317bc6b2f3168a4f433ca84561aa1b33f570422ce20f199d3765",
    },
    Pin {
        platform: "macos-x64",
        pip_platform: "macosx_13_0_x86_64",
        wheel: "pypdfium2-5.15.2-py3-none-macosx_13_0_x86_64.whl",
        wheel_sha256: "7f296a298074d76fb7c3d1ecb80d7097a96778bf0ad9c5c48a0170e56e2c6821",
        library: "libpdfium.dylib",
        library_sha256: "967a413d03dde793455ed9f9ecb29b7fec6da846166ecd5b43e0bc3ddb4d9be2",
    },
    Pin {
        platform: "windows-x64",
        pip_platform: "win_amd64",
        wheel: "pypdfium2-5.15.2-py3-none-win_amd64.whl",
        wheel_sha256: "74d1bace34fb01c660d0b64344d5a4b7d276942b7c6623c88ab59ea21c5acfbd",
        library: "pdfium.dll",
        library_sha256: "42d87f68957d745ce9377dfb1d8d63691e19082a7ec29ff421d22779d3142b29",
    },
    Pin {
        platform: "windows-arm64",
        pip_platform: "win_arm64",
        wheel: "pypdfium2-5.15.2-py3-none-win_arm64.whl",
        wheel_sha256: "a20398367f188eb817be156bfd00077dcb5f8ad06c093849f3fa70b8087b4a87",
        library: "pdfium.dll",
        library_sha256: "b244ece18abdb7abfb9f2501bdb5f7097a1119250bf6e7935dcc5dd97fea7712",
    },
];

#[cfg(test)]
mod tests {
    use super::{PINS, RELEASE, platform_name, shell_quoted};

    #[test]
    fn every_pin_is_whole_and_reachable() {
        for pin in PINS {
            assert!(
                pin.wheel.contains(RELEASE) && pin.wheel.contains(pin.pip_platform),
                "{pin:?}"
            );
            for digest in [pin.wheel_sha256, pin.library_sha256] {
                assert!(
                    digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()),
                    "{pin:?}"
                );
            }
        }
        let platforms = [
            ("linux", "x86_64", ""),
            ("linux", "aarch64", ""),
            ("linux", "x86_64", "musl"),
            ("macos", "aarch64", ""),
            ("macos", "x86_64", ""),
            ("windows", "x86_64", ""),
            ("windows", "aarch64", ""),
        ];
        let names =
            platforms.map(|(os, arch, env)| platform_name(os, arch, env).expect("it has a name"));
        assert_eq!(names, PINS.map(|pin| pin.platform));
        assert_eq!(
            platform_name("linux", "aarch64", "musl"),
            None,
            "there is no such wheel"
        );
    }

    #[test]
    fn a_folder_with_a_space_is_quoted() {
        assert_eq!(shell_quoted("/home/a/x-1_2"), "/home/a/x-1_2");
        assert_eq!(shell_quoted("/home/it's me"), r"'/home/it'\''s me'");
    }
}
