//! From a downloaded wheel to an installed library: verified before anything of it is used, and put in place in one step.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use zip::ZipArchive;

use super::fetch::AttemptFailure;
use super::pins::Pin;

/// Bytes taken of the library: ten times what it has, so that a damaged archive cannot fill the disk.
const LIBRARY_BYTES: u64 = 80 << 20;
/// Bytes taken of one licence file; the longest has 36 KB.
const LICENCE_BYTES: u64 = 1 << 20;
/// Entries of the archive looked at; there are about ninety.
const ENTRIES: usize = 1_000;

/// Checks the wheel and puts the library with its licences into `folder`, which must not exist yet.
///
/// The files are written beside `folder` first and moved in one step, so `folder` either does not exist or is whole.
pub(super) fn install(
    wheel: &Path,
    pin: &Pin,
    folder: &Path,
    aside: &Path,
) -> Result<PathBuf, AttemptFailure> {
    check(wheel, pin.wheel_sha256)?;
    let staging = aside.join("install");
    fs::create_dir_all(&staging)?;
    let mut archive = ZipArchive::new(File::open(wheel)?)
        .map_err(|error| AttemptFailure::Archive(error.to_string()))?;
    let library = staging.join(pin.library);
    let entry = archive
        .by_name(&pin.library_in_wheel())
        .map_err(|error| AttemptFailure::Archive(error.to_string()))?;
    write(entry, LIBRARY_BYTES, &library)?;
    check(&library, pin.library_sha256)?;
    unpack_licences(&mut archive, &staging)?;
    let installed = folder.join(pin.library);
    match fs::rename(&staging, folder) {
        Ok(()) => Ok(installed),
        // Another process was faster; what it installed was checked like ours.
        Err(_) if installed.is_file() => Ok(installed),
        Err(error) => Err(error.into()),
    }
}

/// The SHA-256 of a file in lower-case hexadecimal.
pub(super) fn sha256_of_file(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut block = vec![0; 64 << 10];
    loop {
        match file.read(&mut block)? {
            0 => break,
            count => hasher.update(&block[..count]),
        }
    }
    Ok(hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

fn check(path: &Path, wanted: &'static str) -> Result<(), AttemptFailure> {
    let got = sha256_of_file(path)?;
    if got == wanted {
        return Ok(());
    }
    let file = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    Err(AttemptFailure::WrongHash { file, wanted, got })
}

/// Puts every file below a folder `licenses` of the wheel into `licenses` of the installation.
fn unpack_licences(archive: &mut ZipArchive<File>, staging: &Path) -> Result<(), AttemptFailure> {
    for index in 0..archive.len().min(ENTRIES) {
        let entry = archive
            .by_index(index)
            .map_err(|error| AttemptFailure::Archive(error.to_string()))?;
        // A path that would leave the folder has no enclosed name.
        let Some(inside) = entry.enclosed_name().filter(|_| entry.is_file()) else {
            continue;
        };
        let below: PathBuf = inside
            .components()
            .skip_while(|part| part.as_os_str() != "licenses")
            .collect();
        let path = staging.join(&below);
        if let (true, Some(folder)) = (below.components().count() > 1, path.parent()) {
            fs::create_dir_all(folder)?;
            write(entry, LICENCE_BYTES, &path)?;
        }
    }
    Ok(())
}

/// Writes at most `limit` bytes of `from` and makes sure that they are on the disk.
fn write(from: impl Read, limit: u64, to: &Path) -> io::Result<()> {
    let mut file = File::create_new(to)?;
    io::copy(&mut from.take(limit), &mut file)?;
    file.sync_all()
}
