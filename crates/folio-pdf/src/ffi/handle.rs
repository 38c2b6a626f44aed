//! Owned handles over PDFium's objects, which make its C functions safe to call: the library and its documents.
//!
//! Protocol of this file, and of `page.rs` and `text.rs` beside it
//!
//! 1. *One owner, one thread.* PDFium keeps process-wide state without locks. At most one [`Engine`] exists in the process
//!    (`OWNED`); it is shared by `Rc`, so everything here is neither `Send` nor `Sync`, and every call happens on the thread
//!    that loaded the library.
//! 2. *Order of ending.* Rust lifetimes repeat PDFium's ownership: text page within page within document within engine. A
//!    page tells the form environment and closes; a document ends its form environment, then closes; the last of all
//!    holders of the engine destroys the library.
//! 3. *Valid handles.* A handle is non-null and comes from the PDFium function that makes it; only its `Drop` closes it.
//!    Page objects and fonts belong to their page and are valid while it is open.
//! 4. *Buffers.* Memory lent to PDFium (bitmap bytes, out-parameters, strings) is alive, writable and as large as stated
//!    for the time of the call; what PDFium keeps (file access, form information) is [`Lent`] and outlives the document.
//! 5. *Indexes* are below the count that the same open object gave; PDFium checks them again.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_ulong, c_void};
use std::path::Path;
use std::ptr::{self, NonNull};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::callback::FileReader;
use super::page::PageHandle;
use super::table::{FileAccess, FormFillInfo, Handle, LibraryConfig, SizeF, Table};
use crate::counters::COUNTERS;
use crate::error::LoadError;

/// Set while an engine exists in this process.
static OWNED: AtomicBool = AtomicBool::new(false);

/// The initialised library.
pub(crate) struct Engine {
    table: Table,
}

impl Engine {
    pub(crate) fn load(path: &Path) -> Result<Rc<Engine>, LoadError> {
        if OWNED.swap(true, Ordering::AcqRel) {
            return Err(LoadError::AlreadyOwned);
        }
        let table = Table::load(path).inspect_err(|_| OWNED.store(false, Ordering::Release))?;
        let config = LibraryConfig {
            version: 2,
            user_font_paths: ptr::null(),
            isolate: ptr::null_mut(),
            v8_embedder_slot: 0,
        };
        // SAFETY: rule 1: nobody else uses the library. Rule 4: the configuration is read during the call only.
        unsafe { (table.FPDF_InitLibraryWithConfig)(&config) };
        COUNTERS.libraries_loaded.add();
        Ok(Rc::new(Engine { table }))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: rules 1 and 2: this is the last holder, so no object of the library is left.
        unsafe { (self.table.FPDF_DestroyLibrary)() };
        OWNED.store(false, Ordering::Release);
    }
}

/// Why a document did not open.
pub(crate) enum OpenFailure {
    /// The file is longer than the platform's `unsigned long` can say.
    TooLong,
    /// PDFium's own error code (`FPDF_ERR_*`).
    Engine(u32),
}

/// An open document, with its form environment if it has a form.
pub(crate) struct DocumentHandle {
    raw: NonNull<c_void>,
    form: Option<Form>,
    /// PDFium reads through these until the document is closed (rule 4).
    _access: Lent<FileAccess>,
    reader: Rc<FileReader>,
    engine: Rc<Engine>,
}

struct Form {
    raw: NonNull<c_void>,
    /// PDFium keeps the address until the environment ends (rule 4).
    _info: Lent<FormFillInfo>,
}

impl DocumentHandle {
    pub(crate) fn open(
        engine: &Rc<Engine>,
        reader: &Rc<FileReader>,
        password: Option<&CStr>,
    ) -> Result<DocumentHandle, OpenFailure> {
        let access = Lent::new(reader.access().ok_or(OpenFailure::TooLong)?);
        let password = password.map_or(ptr::null(), CStr::as_ptr);
        // SAFETY: rules 1 and 4: access and reader stay where they are and outlive the document; the password is read at once.
        let raw = unsafe { (engine.table.FPDF_LoadCustomDocument)(access.as_ptr(), password) };
        let Some(raw) = NonNull::new(raw) else {
            // SAFETY: rule 1.
            let code = unsafe { (engine.table.FPDF_GetLastError)() };
            return Err(OpenFailure::Engine(code as u32));
        };
        COUNTERS.documents_opened.add();
        let (engine, reader) = (Rc::clone(engine), Rc::clone(reader));
        let mut document = DocumentHandle {
            raw,
            form: None,
            _access: access,
            reader,
            engine,
        };
        document.form = document.open_form();
        Ok(document)
    }

    pub(crate) fn reader(&self) -> &FileReader {
        &self.reader
    }

    pub(crate) fn page_count(&self) -> u32 {
        // SAFETY: rule 3.
        let count = unsafe { (self.table().FPDF_GetPageCount)(self.raw()) };
        u32::try_from(count).unwrap_or(0)
    }

    /// The version as tens and units: 17 is PDF 1.7.
    pub(crate) fn file_version(&self) -> Option<u32> {
        let mut version = 0;
        // SAFETY: rules 3 and 4.
        let known = unsafe { (self.table().FPDF_GetFileVersion)(self.raw(), &raw mut version) };
        (known != 0)
            .then_some(version)
            .and_then(|version| u32::try_from(version).ok())
    }

    /// `None` when the document is not encrypted.
    pub(crate) fn security_revision(&self) -> Option<u32> {
        // SAFETY: rule 3.
        let revision = unsafe { (self.table().FPDF_GetSecurityHandlerRevision)(self.raw()) };
        u32::try_from(revision).ok()
    }

    /// `FORMTYPE_*`.
    pub(crate) fn form_type(&self) -> i32 {
        // SAFETY: rule 3.
        unsafe { (self.table().FPDF_GetFormType)(self.raw()) }
    }

    /// An entry of the information dictionary as UTF-16 units without the closing zero; at most `units` of them.
    pub(crate) fn information(&self, key: &CStr, units: usize) -> Vec<u16> {
        // SAFETY: rule 3; a null buffer of length 0 asks for the length.
        let bytes = unsafe {
            (self.table().FPDF_GetMetaText)(self.raw(), key.as_ptr(), ptr::null_mut(), 0)
        };
        let length = (bytes as usize / 2).min(units + 1);
        let mut text = vec![0_u16; bytes as usize / 2];
        let size = (text.len() * 2) as c_ulong;
        // SAFETY: rules 3 and 4: `size` is the size of the buffer in bytes.
        unsafe {
            (self.table().FPDF_GetMetaText)(
                self.raw(),
                key.as_ptr(),
                text.as_mut_ptr().cast(),
                size,
            )
        };
        text.truncate(length.saturating_sub(1));
        text
    }

    /// Width and height as displayed, in points, without loading the page.
    pub(crate) fn page_size(&self, index: u32) -> Option<(f32, f32)> {
        let mut size = SizeF::default();
        // SAFETY: rules 3, 4 and 5.
        let known = unsafe {
            (self.table().FPDF_GetPageSizeByIndexF)(self.raw(), index as c_int, &raw mut size)
        };
        (known != 0).then_some((size.width, size.height))
    }

    pub(crate) fn load_page(&self, index: u32) -> Result<PageHandle<'_>, u32> {
        // SAFETY: rules 3 and 5.
        let raw = unsafe { (self.table().FPDF_LoadPage)(self.raw(), index as c_int) };
        let Some(raw) = NonNull::new(raw) else {
            // SAFETY: rule 1.
            return Err(unsafe { (self.table().FPDF_GetLastError)() } as u32);
        };
        if let Some(form) = self.form() {
            // SAFETY: rule 3: both belong to this document.
            unsafe { (self.table().FORM_OnAfterLoadPage)(raw.as_ptr(), form) };
        }
        COUNTERS.pages_loaded.add();
        Ok(PageHandle::new(raw, self))
    }

    /// A form environment, for documents that have a form at all: without one it would draw nothing.
    fn open_form(&self) -> Option<Form> {
        const FORM_TYPE_NONE: i32 = 0;
        if self.form_type() == FORM_TYPE_NONE {
            return None;
        }
        let info = Lent::new(FormFillInfo {
            version: 2,
            callbacks: [ptr::null(); 15],
            java_script_platform: ptr::null(),
            xfa_disabled: 1,
            xfa_callbacks: [ptr::null(); 17],
        });
        // SAFETY: rules 3 and 4: the information is lent and kept beside the environment.
        let raw =
            unsafe { (self.table().FPDFDOC_InitFormFillEnvironment)(self.raw(), info.as_ptr()) };
        NonNull::new(raw).map(|raw| Form { raw, _info: info })
    }

    fn raw(&self) -> Handle {
        self.raw.as_ptr()
    }

    /// The form environment, where the document has a form.
    pub(super) fn form(&self) -> Option<Handle> {
        self.form.as_ref().map(|form| form.raw.as_ptr())
    }

    pub(super) fn table(&self) -> &Table {
        &self.engine.table
    }
}

impl Drop for DocumentHandle {
    fn drop(&mut self) {
        if let Some(form) = self.form.take() {
            // SAFETY: rule 2: every page is closed, they borrow the document.
            unsafe { (self.table().FPDFDOC_ExitFormFillEnvironment)(form.raw.as_ptr()) };
        }
        // SAFETY: rule 2: pages are closed and the form environment has ended.
        unsafe { (self.table().FPDF_CloseDocument)(self.raw()) };
        COUNTERS.documents_closed.add();
    }
}

/// A structure whose address PDFium keeps: it stays where it is, and no reference to it exists meanwhile.
struct Lent<T>(NonNull<T>);

impl<T> Lent<T> {
    fn new(value: T) -> Lent<T> {
        Lent(NonNull::from(Box::leak(Box::new(value))))
    }

    fn as_ptr(&self) -> *mut T {
        self.0.as_ptr()
    }
}

impl<T> Drop for Lent<T> {
    fn drop(&mut self) {
        // SAFETY: it came from a box, is freed only here, and PDFium no longer knows it (rule 4).
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}
