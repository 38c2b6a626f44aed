//! An open page: its size, its picture, and the objects that it draws.
//!
//! The rules cited are those of `handle.rs`.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_ulong, c_void};
use std::ptr::NonNull;

use super::callback::{FileReader, GiveUp};
use super::handle::DocumentHandle;
use super::table::{Handle, RectF, Table};
use super::text::TextHandle;
use crate::counters::COUNTERS;

/// Draw annotations too (`FPDF_ANNOT`).
const FLAG_ANNOTATIONS: c_int = 0x01;
/// Four bytes a pixel: blue, green, red, unused (`FPDFBitmap_BGRx`).
const FORMAT_BGRX: c_int = 3;
/// `FPDF_RenderPageBitmap_Start` and `_Continue`: interrupted, finished.
const RENDER_TO_BE_CONTINUED: c_int = 1;
const RENDER_DONE: c_int = 2;

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
    /// Takes a page that `document` just loaded and told its form environment of.
    pub(super) fn new(raw: NonNull<c_void>, document: &'d DocumentHandle) -> PageHandle<'d> {
        PageHandle { raw, document }
    }

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
        NonNull::new(raw).map(|raw| TextHandle::new(raw, self))
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
        let Some(form) = self.document.form() else {
            return;
        };
        // SAFETY: rule 3: form environment and page belong to the same document; the bitmap is alive.
        unsafe {
            (self.table().FPDF_FFLDraw)(
                form,
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

    pub(super) fn table(&self) -> &'d Table {
        self.document.table()
    }
}

impl Drop for PageHandle<'_> {
    fn drop(&mut self) {
        if let Some(form) = self.document.form() {
            // SAFETY: rule 2: before the page closes.
            unsafe { (self.table().FORM_OnBeforeClosePage)(self.raw(), form) };
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
