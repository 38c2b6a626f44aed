//! The owner of PDFium, and the documents that it opens.

use std::cell::OnceCell;
use std::ffi::{CStr, CString};
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::diagnosis;
use crate::error::{LoadError, OpenError, PageError};
use crate::ffi::{DocumentHandle, Engine, FileReader, OpenFailure};
use crate::limits::{DIAGNOSIS_BYTES, HANDLER_SEARCH_BYTES, INFORMATION_UNITS};
use crate::page::{Page, pixel_size};

/// PDFium's error codes (`FPDF_ERR_*`) that lead to decisions of their own.
mod code {
    pub(super) const FILE: u32 = 2;
    pub(super) const FORMAT: u32 = 3;
    pub(super) const PASSWORD: u32 = 4;
    pub(super) const SECURITY: u32 = 5;
}

/// PDFium, loaded: the one owner in this process.
///
/// PDFium keeps process-wide state without locks, so the owner, its documents and their pages all stay on the thread that
/// loaded it: none of them is `Send`. It is destroyed, on that thread, when the owner and its last document are gone.
pub struct Pdfium {
    engine: Rc<Engine>,
    library: PathBuf,
    version: OnceCell<String>,
}

impl Pdfium {
    /// Loads and initialises the library in the file `library`.
    ///
    /// # Errors
    /// [`LoadError::AlreadyOwned`] while another owner, or a document of it, lives in this process; the others when the
    /// file is not a PDFium that can be used.
    pub fn load(library: &Path) -> Result<Pdfium, LoadError> {
        let engine = Engine::load(library)?;
        Ok(Pdfium {
            engine,
            library: library.to_path_buf(),
            version: OnceCell::new(),
        })
    }

    /// The build of the library, such as `pdfium 8149`.
    ///
    /// PDFium has no call that tells it. A library whose contents are those of the pinned build is named so; any other is
    /// named by the first digits of its SHA-256. The file is read when this is first called.
    pub fn version(&self) -> String {
        self.version
            .get_or_init(|| crate::library::version_of(&self.library))
            .clone()
    }

    /// Opens the document in `file`.
    ///
    /// The file is read piece by piece as pages need it, through this one handle: a file that is replaced on disk
    /// meanwhile does not mix two versions, and a large one is never in memory as a whole.
    ///
    /// The password, user's or owner's, is used only if the document does not open without one, so that one password can be
    /// given for many documents of which some need none.
    ///
    /// # Errors
    /// See [`OpenError`]: each variant is one thing that a caller can do about it.
    pub fn open(&self, file: File, password: Option<&str>) -> Result<Document, OpenError> {
        let reader = Rc::new(FileReader::new(file)?);
        let attempt =
            |password: Option<&CStr>| DocumentHandle::open(&self.engine, &reader, password);
        let opened = match (attempt(None), password) {
            // No password of a PDF contains a NUL: one that does opens nothing.
            (Err(OpenFailure::Engine(code::PASSWORD)), Some(password)) => {
                match CString::new(password) {
                    Ok(password) => attempt(Some(&password)),
                    Err(_) => return Err(OpenError::PasswordWrong),
                }
            }
            (opened, _) => opened,
        };
        let handle = opened.map_err(|failure| open_error(failure, &reader, password.is_some()))?;
        if handle.page_count() == 0 {
            return Err(OpenError::NoPages);
        }
        Ok(Document { handle })
    }
}

impl fmt::Debug for Pdfium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pdfium")
            .field("library", &self.library)
            .finish_non_exhaustive()
    }
}

fn open_error(failure: OpenFailure, reader: &FileReader, password_given: bool) -> OpenError {
    let code = match failure {
        OpenFailure::TooLong => return OpenError::TooLong,
        OpenFailure::Engine(code) => code,
    };
    if let Some(error) = reader.take_failure() {
        return OpenError::Io(error);
    }
    match code {
        code::PASSWORD if password_given => OpenError::PasswordWrong,
        code::PASSWORD => OpenError::PasswordNeeded,
        code::SECURITY => OpenError::UnsupportedSecurity {
            handler: handler_of(reader),
            code,
        },
        code::FORMAT | code::FILE => match ends_of(reader, DIAGNOSIS_BYTES) {
            Ok((start, end)) => OpenError::NotAPdf {
                look: diagnosis::look(reader.length(), &start, &end),
                code,
            },
            Err(error) => OpenError::Io(error),
        },
        _ => OpenError::Engine { code },
    }
}

fn handler_of(reader: &FileReader) -> Option<String> {
    let (start, end) = ends_of(reader, HANDLER_SEARCH_BYTES).ok()?;
    diagnosis::security_handler(&end).or_else(|| diagnosis::security_handler(&start))
}

/// The first and the last `length` bytes.
fn ends_of(reader: &FileReader, length: usize) -> std::io::Result<(Vec<u8>, Vec<u8>)> {
    let end = reader.length().saturating_sub(length as u64);
    Ok((reader.read(0, length)?, reader.read(end, length)?))
}

/// An open document with at least one page. It is closed, on the owner's thread, when it is dropped.
pub struct Document {
    handle: DocumentHandle,
}

impl Document {
    /// Pages of the document, at least 1.
    pub fn page_count(&self) -> u32 {
        self.handle.page_count()
    }

    /// What the document says about itself.
    pub fn info(&self) -> DocumentInfo {
        DocumentInfo {
            title: self.information(c"Title"),
            author: self.information(c"Author"),
            subject: self.information(c"Subject"),
            keywords: self.information(c"Keywords"),
            creator: self.information(c"Creator"),
            producer: self.information(c"Producer"),
            creation_date: self.information(c"CreationDate"),
            modification_date: self.information(c"ModDate"),
            pdf_version: self
                .handle
                .file_version()
                .map(|version| format!("{}.{}", version / 10, version % 10)),
            security_revision: self.handle.security_revision(),
            form: match self.handle.form_type() {
                1 => FormKind::AcroForm,
                2 | 3 => FormKind::Xfa,
                _ => FormKind::None,
            },
        }
    }

    /// Loads page `index0`, counted from 0. Its content is parsed here, which cannot be interrupted.
    ///
    /// # Errors
    /// [`PageError::NoSuchPage`], [`PageError::Load`] for a damaged page, [`PageError::Io`] if the file cannot be read.
    pub fn page(&self, index0: u32) -> Result<Page<'_>, PageError> {
        self.check_index(index0)?;
        let handle = self
            .handle
            .load_page(index0)
            .map_err(|code| self.load_error(code))?;
        Page::new(handle)
    }

    /// Width and height of page `index0`, counted from 0, as displayed, in points; its content is not parsed.
    ///
    /// # Errors
    /// As [`Document::page`].
    pub fn page_size(&self, index0: u32) -> Result<(f32, f32), PageError> {
        self.check_index(index0)?;
        self.handle
            .page_size(index0)
            .ok_or_else(|| self.load_error(0))
    }

    /// Width and height in pixels of a page's picture at `dpi` dots per inch, without loading the page: what to make room
    /// for before it is drawn. [`Page::pixel_size`](crate::Page::pixel_size) says the same of an open page.
    ///
    /// # Errors
    /// As [`Document::page_size`] and [`Page::pixel_size`](crate::Page::pixel_size).
    pub fn pixel_size(&self, index0: u32, dpi: u32) -> Result<(u32, u32), PageError> {
        pixel_size(self.page_size(index0)?, dpi)
    }

    fn check_index(&self, index0: u32) -> Result<(), PageError> {
        let count = self.page_count();
        if index0 < count {
            Ok(())
        } else {
            Err(PageError::NoSuchPage { index0, count })
        }
    }

    fn load_error(&self, code: u32) -> PageError {
        self.handle
            .reader()
            .take_failure()
            .map_or(PageError::Load { code }, PageError::Io)
    }

    fn information(&self, key: &CStr) -> Option<String> {
        let text = String::from_utf16_lossy(&self.handle.information(key, INFORMATION_UNITS));
        // Databases refuse NUL in text.
        let text = text.trim_matches('\0').replace('\0', "\u{FFFD}");
        (!text.is_empty()).then_some(text)
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document")
            .field("page_count", &self.page_count())
            .finish_non_exhaustive()
    }
}

/// What a document says about itself. Texts are as written in the file, dates in PDF's own form (`D:20260131120000Z`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentInfo {
    /// Title.
    pub title: Option<String>,
    /// Author.
    pub author: Option<String>,
    /// Subject.
    pub subject: Option<String>,
    /// Keywords.
    pub keywords: Option<String>,
    /// The program in which the original was written.
    pub creator: Option<String>,
    /// The program that made the PDF.
    pub producer: Option<String>,
    /// When it was made.
    pub creation_date: Option<String>,
    /// When it was last changed.
    pub modification_date: Option<String>,
    /// The version of PDF that the file's header states, such as `1.7`.
    pub pdf_version: Option<String>,
    /// The revision of the standard security handler (2 to 6) that encrypts the document; `None` if it is not encrypted.
    pub security_revision: Option<u32>,
    /// Whether it has a form.
    pub form: FormKind,
}

impl DocumentInfo {
    /// The document is encrypted, even if it opens without a password.
    pub fn is_encrypted(&self) -> bool {
        self.security_revision.is_some()
    }
}

/// The kind of form in a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FormKind {
    /// No form.
    #[default]
    None,
    /// Fields of PDF itself.
    AcroForm,
    /// An XFA form; what is drawn are the fields of PDF itself that it may have beside.
    Xfa,
}
