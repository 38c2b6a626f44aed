//! Owned handles over PDFium's objects: what makes its C functions safe to call.
//!
//! Protocol of this file
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

use super::callback::{FileReader, GiveUp};
use super::table::{FileAccess, FormFillInfo, Handle, LibraryConfig, Matrix, RectF, SizeF, Table};
use crate::counters::COUNTERS;
use crate::error::LoadError;

/// Set while an engine exists in this process.
static OWNED: AtomicBool = AtomicBool::new(false);

/// Draw annotations too (`FPDF_ANNOT`).
const FLAG_ANNOTATIONS: c_int = 0x01;
/// Four bytes a pixel: blue, green, red, unused (`FPDFBitmap_BGRx`).
const FORMAT_BGRX: c_int = 3;
/// `FPDF_RenderPageBitmap_Start` and `_Continue`: interrupted, finished.
const RENDER_TO_BE_CONTINUED: c_int = 1;
const RENDER_DONE: c_int = 2;
/// `FPDFTextObj_GetTextRenderMode`: neither filled nor stroked.
const RENDER_MODE_INVISIBLE: c_int = 3;

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
        if let Some(form) = &self.form {
            // SAFETY: rule 3: both belong to this document.
            unsafe { (self.table().FORM_OnAfterLoadPage)(raw.as_ptr(), form.raw.as_ptr()) };
        }
        COUNTERS.pages_loaded.add();
        Ok(PageHandle {
            raw,
            document: self,
        })
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

    fn table(&self) -> &Table {
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

/// How a rendering ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RenderEnd {
    Done,
    GivenUp,
    Failed,
    OutOfMemory,
}

/// An open page.
pub(crate) struct PageHandle<'d> {
    raw: NonNull<c_void>,
    document: &'d DocumentHandle,
}

impl<'d> PageHandle<'d> {
    /// The file that the page is read from.
    pub(crate) fn reader(&self) -> &FileReader {
        self.document.reader()
    }

    /// Width and height as displayed, in points.
    pub(crate) fn size(&self) -> (f32, f32) {
        // SAFETY: rule 3.
        unsafe {
            (
                (self.table().FPDF_GetPageWidthF)(self.raw()),
                (self.table().FPDF_GetPageHeightF)(self.raw()),
            )
        }
    }

    /// The part of the page that is displayed, in user space; `None` when PDFium cannot say.
    pub(crate) fn bounding_box(&self) -> Option<RectF> {
        let mut rect = RectF::default();
        // SAFETY: rules 3 and 4.
        let known = unsafe { (self.table().FPDF_GetPageBoundingBox)(self.raw(), &raw mut rect) };
        (known != 0).then_some(rect)
    }

    /// Clockwise quarter turns.
    pub(crate) fn quarter_turns(&self) -> u16 {
        // SAFETY: rule 3.
        let turns = unsafe { (self.table().FPDFPage_GetRotation)(self.raw()) };
        turns.rem_euclid(4) as u16
    }

    /// Draws the page with annotations and form fields over `pixels`: `width` by `height` pixels of four bytes, rows
    /// without padding. A panic of `give_up` goes on after the rendering was closed.
    pub(crate) fn render(
        &mut self,
        pixels: &mut [u8],
        width: u32,
        height: u32,
        give_up: &mut dyn FnMut() -> bool,
    ) -> RenderEnd {
        let (width, height) = (width as c_int, height as c_int);
        let stride = width * 4;
        assert_eq!(
            pixels.len(),
            stride as usize * height as usize,
            "the buffer is exactly the bitmap"
        );
        let memory = pixels.as_mut_ptr().cast();
        // SAFETY: rule 4: the buffer holds `height` rows of `stride` bytes, as asserted, and outlives the bitmap below.
        let bitmap = unsafe {
            (self.table().FPDFBitmap_CreateEx)(width, height, FORMAT_BGRX, memory, stride)
        };
        if bitmap.is_null() {
            return RenderEnd::OutOfMemory;
        }
        let mut give_up = GiveUp::new(give_up);
        let end = self.draw(bitmap, width, height, &mut give_up);
        // SAFETY: rule 3: made above, and the rendering that used it is closed.
        unsafe { (self.table().FPDFBitmap_Destroy)(bitmap) };
        give_up.resume_panic();
        end
    }

    pub(crate) fn text(&self) -> Option<TextHandle<'_>> {
        // SAFETY: rule 3.
        let raw = unsafe { (self.table().FPDFText_LoadPage)(self.raw()) };
        NonNull::new(raw).map(|raw| TextHandle { raw, page: self })
    }

    /// The objects that the page draws, outermost only.
    pub(crate) fn objects(&self) -> impl Iterator<Item = PageObject<'_>> {
        // SAFETY: rule 3.
        let count = unsafe { (self.table().FPDFPage_CountObjects)(self.raw()) };
        (0..count).filter_map(|index| {
            // SAFETY: rules 3 and 5.
            let raw = unsafe { (self.table().FPDFPage_GetObject)(self.raw(), index) };
            NonNull::new(raw).map(|raw| PageObject { raw, page: self })
        })
    }

    fn draw(
        &mut self,
        bitmap: Handle,
        width: c_int,
        height: c_int,
        give_up: &mut GiveUp<'_>,
    ) -> RenderEnd {
        let (table, page) = (self.table(), self.raw());
        if give_up.ask() {
            return RenderEnd::GivenUp;
        }
        let flags = FLAG_ANNOTATIONS;
        let mut status = give_up.during(|pause| {
            // SAFETY: rules 3 and 4: bitmap and pause outlive the call. One rendering per page: `&mut self`.
            unsafe {
                (table.FPDF_RenderPageBitmap_Start)(
                    bitmap, page, 0, 0, width, height, 0, flags, pause,
                )
            }
        });
        while status == RENDER_TO_BE_CONTINUED && !give_up.answered_yes() {
            // SAFETY: as above, for the rendering just begun.
            status =
                give_up.during(|pause| unsafe { (table.FPDF_RenderPage_Continue)(page, pause) });
        }
        // SAFETY: closes the rendering begun above, whatever its state.
        unsafe { (table.FPDF_RenderPage_Close)(page) };
        match status {
            RENDER_DONE if give_up.ask() => RenderEnd::GivenUp,
            RENDER_DONE => {
                self.draw_form(bitmap, width, height);
                RenderEnd::Done
            }
            RENDER_TO_BE_CONTINUED => RenderEnd::GivenUp,
            _ => RenderEnd::Failed,
        }
    }

    fn draw_form(&self, bitmap: Handle, width: c_int, height: c_int) {
        let Some(form) = &self.document.form else {
            return;
        };
        // SAFETY: rule 3: form environment and page belong to the same document; the bitmap is alive.
        unsafe {
            (self.table().FPDF_FFLDraw)(
                form.raw.as_ptr(),
                bitmap,
                self.raw(),
                0,
                0,
                width,
                height,
                0,
                FLAG_ANNOTATIONS,
            );
        }
    }

    fn raw(&self) -> Handle {
        self.raw.as_ptr()
    }

    fn table(&self) -> &'d Table {
        self.document.table()
    }
}

impl Drop for PageHandle<'_> {
    fn drop(&mut self) {
        if let Some(form) = &self.document.form {
            // SAFETY: rule 2: before the page closes.
            unsafe { (self.table().FORM_OnBeforeClosePage)(self.raw(), form.raw.as_ptr()) };
        }
        // SAFETY: rule 2: text pages borrow the page, so none is left.
        unsafe { (self.table().FPDF_ClosePage)(self.raw()) };
        COUNTERS.pages_closed.add();
    }
}

/// What kind of thing a page object draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageObjectKind {
    Image,
    Form,
    Other,
}

/// One object that a page draws (rule 3: it belongs to the page).
#[derive(Clone, Copy)]
pub(crate) struct PageObject<'p> {
    raw: NonNull<c_void>,
    page: &'p PageHandle<'p>,
}

impl<'p> PageObject<'p> {
    pub(crate) fn kind(self) -> PageObjectKind {
        // SAFETY: rule 3.
        match unsafe { (self.page.table().FPDFPageObj_GetType)(self.raw.as_ptr()) } {
            3 => PageObjectKind::Image,
            5 => PageObjectKind::Form,
            _ => PageObjectKind::Other,
        }
    }

    /// The objects inside a form object; none for other kinds.
    pub(crate) fn children(self) -> impl Iterator<Item = PageObject<'p>> {
        let (table, raw) = (self.page.table(), self.raw.as_ptr());
        // SAFETY: rule 3; PDFium answers -1 for an object that is not a form.
        let count = unsafe { (table.FPDFFormObj_CountObjects)(raw) };
        (0..c_ulong::try_from(count).unwrap_or(0)).filter_map(move |index| {
            // SAFETY: rules 3 and 5.
            let child = unsafe { (table.FPDFFormObj_GetObject)(raw, index) };
            NonNull::new(child).map(|raw| PageObject {
                raw,
                page: self.page,
            })
        })
    }
}

/// The characters of an open page.
pub(crate) struct TextHandle<'p> {
    raw: NonNull<c_void>,
    page: &'p PageHandle<'p>,
}

/// A piece of text drawn in one go: its characters share font, size, matrix and visibility. Equal means the same piece.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextObject<'p> {
    raw: NonNull<c_void>,
    page: std::marker::PhantomData<&'p ()>,
}

/// A font of an open page, for comparison. Equal means the same font object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Font(NonNull<c_void>);

impl<'p> TextHandle<'p> {
    pub(crate) fn char_count(&self) -> u32 {
        // SAFETY: rule 3.
        let count = unsafe { (self.table().FPDFText_CountChars)(self.raw()) };
        u32::try_from(count).unwrap_or(0)
    }

    /// A code point, or half of a surrogate pair, or whatever the font claimed.
    pub(crate) fn unicode(&self, index: u32) -> u32 {
        // SAFETY: rules 3 and 5.
        unsafe { (self.table().FPDFText_GetUnicode)(self.raw(), index as c_int) }
    }

    /// The tight box in user space: left, bottom, right, top.
    pub(crate) fn ink_box(&self, index: u32) -> [f64; 4] {
        let [mut left, mut right, mut bottom, mut top] = [0.0; 4];
        // SAFETY: rules 3, 4 and 5.
        unsafe {
            (self.table().FPDFText_GetCharBox)(
                self.raw(),
                index as c_int,
                &raw mut left,
                &raw mut right,
                &raw mut bottom,
                &raw mut top,
            );
        }
        [left, bottom, right, top]
    }

    /// The line-height box in user space.
    pub(crate) fn loose_box(&self, index: u32) -> RectF {
        let mut rect = RectF::default();
        // SAFETY: rules 3, 4 and 5.
        unsafe {
            (self.table().FPDFText_GetLooseCharBox)(self.raw(), index as c_int, &raw mut rect)
        };
        rect
    }

    /// Where the glyph sits on the baseline, in user space.
    pub(crate) fn origin(&self, index: u32) -> (f64, f64) {
        let (mut x, mut y) = (0.0, 0.0);
        // SAFETY: rules 3, 4 and 5.
        unsafe {
            (self.table().FPDFText_GetCharOrigin)(
                self.raw(),
                index as c_int,
                &raw mut x,
                &raw mut y,
            )
        };
        (x, y)
    }

    /// From glyph space to user space.
    pub(crate) fn matrix(&self, index: u32) -> Matrix {
        let mut matrix = Matrix::default();
        // SAFETY: rules 3, 4 and 5.
        unsafe { (self.table().FPDFText_GetMatrix)(self.raw(), index as c_int, &raw mut matrix) };
        matrix
    }

    /// The font size before the matrix is applied.
    pub(crate) fn font_size(&self, index: u32) -> f64 {
        // SAFETY: rules 3 and 5.
        unsafe { (self.table().FPDFText_GetFontSize)(self.raw(), index as c_int) }
    }

    pub(crate) fn is_generated(&self, index: u32) -> bool {
        // SAFETY: rules 3 and 5.
        unsafe { (self.table().FPDFText_IsGenerated)(self.raw(), index as c_int) == 1 }
    }

    pub(crate) fn is_hyphen(&self, index: u32) -> bool {
        // SAFETY: rules 3 and 5.
        unsafe { (self.table().FPDFText_IsHyphen)(self.raw(), index as c_int) == 1 }
    }

    pub(crate) fn has_map_error(&self, index: u32) -> bool {
        // SAFETY: rules 3 and 5.
        unsafe { (self.table().FPDFText_HasUnicodeMapError)(self.raw(), index as c_int) == 1 }
    }

    /// The piece of text that the character was drawn with; `None` for most generated characters.
    pub(crate) fn object(&self, index: u32) -> Option<TextObject<'p>> {
        // SAFETY: rules 3 and 5.
        let raw = unsafe { (self.table().FPDFText_GetTextObject)(self.raw(), index as c_int) };
        NonNull::new(raw).map(|raw| TextObject {
            raw,
            page: std::marker::PhantomData,
        })
    }

    pub(crate) fn is_invisible(&self, object: TextObject<'p>) -> bool {
        // SAFETY: rule 3: the object belongs to this page.
        unsafe {
            (self.table().FPDFTextObj_GetTextRenderMode)(object.raw.as_ptr())
                == RENDER_MODE_INVISIBLE
        }
    }

    pub(crate) fn font(&self, object: TextObject<'p>) -> Option<Font> {
        // SAFETY: rule 3: the object belongs to this page.
        let raw = unsafe { (self.table().FPDFTextObj_GetFont)(object.raw.as_ptr()) };
        NonNull::new(raw).map(Font)
    }

    /// The base name of the font that `object` is drawn with, empty if it has none; at most 255 bytes are kept.
    pub(crate) fn font_name(&self, object: TextObject<'p>) -> String {
        let Some(Font(font)) = self.font(object) else {
            return String::new();
        };
        let mut bytes = [0_u8; 256];
        // SAFETY: rules 3 and 4. PDFium writes nothing when the name with its closing zero does not fit.
        let length = unsafe {
            (self.table().FPDFFont_GetBaseFontName)(
                font.as_ptr(),
                bytes.as_mut_ptr().cast(),
                bytes.len(),
            )
        };
        let name = bytes.get(..length.saturating_sub(1)).unwrap_or(&[]);
        String::from_utf8_lossy(name).into_owned()
    }

    fn raw(&self) -> Handle {
        self.raw.as_ptr()
    }

    fn table(&self) -> &'p Table {
        self.page.table()
    }
}

impl Drop for TextHandle<'_> {
    fn drop(&mut self) {
        // SAFETY: rule 2: before its page.
        unsafe { (self.table().FPDFText_ClosePage)(self.raw()) };
    }
}
