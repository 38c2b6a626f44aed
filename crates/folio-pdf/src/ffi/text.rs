//! The characters of an open page, one question per call.
//!
//! The rules cited are those of `handle.rs`.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use super::page::PageHandle;
use super::table::{Handle, Matrix, RectF, Table};

/// `FPDFTextObj_GetTextRenderMode`: neither filled nor stroked.
const RENDER_MODE_INVISIBLE: c_int = 3;

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
    /// Takes a text page that `page` just loaded.
    pub(super) fn new(raw: NonNull<c_void>, page: &'p PageHandle<'p>) -> TextHandle<'p> {
        TextHandle { raw, page }
    }

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
