//! The C functions of PDFium that this crate calls, found by name in a library loaded at run time.
//!
//! Protocol of this file
//!
//! 1. *Signatures.* Each entry repeats the C declaration of PDFium's public headers (`fpdfview.h`, `fpdf_text.h`,
//!    `fpdf_formfill.h`, `fpdf_edit.h`, `fpdf_doc.h`, `fpdf_progressive.h`) word for word in Rust types. These functions are
//!    PDFium's stable C interface: they are not renamed or retyped between builds.
//! 2. *Lifetime.* A function pointer is valid while the library is mapped. The library is never unmapped (see
//!    [`Table::load`]), so the pointers are valid for the rest of the process.
//! 3. *Threads.* No entry may be called on two threads at once; the caller (`handle.rs`) sees to that.
#![allow(unsafe_code)]
#![allow(non_snake_case)]

use std::ffi::{c_char, c_double, c_float, c_int, c_uchar, c_uint, c_ulong, c_void};
use std::path::Path;

use crate::error::LoadError;

/// An opaque PDFium object: document, page, text page, page object, font, bitmap or form environment.
pub(super) type Handle = *mut c_void;

/// `FPDF_LIBRARY_CONFIG`, version 2.
#[repr(C)]
pub(super) struct LibraryConfig {
    pub(super) version: c_int,
    pub(super) user_font_paths: *const *const c_char,
    pub(super) isolate: *mut c_void,
    pub(super) v8_embedder_slot: c_uint,
}

/// `FPDF_FILEACCESS`: how PDFium reads the file.
#[repr(C)]
pub(super) struct FileAccess {
    pub(super) length: c_ulong,
    pub(super) read_block:
        unsafe extern "C" fn(*mut c_void, c_ulong, *mut c_uchar, c_ulong) -> c_int,
    pub(super) parameter: *mut c_void,
}

/// `IFSDK_PAUSE`: how PDFium asks whether to interrupt a rendering.
#[repr(C)]
pub(super) struct Pause {
    pub(super) version: c_int,
    pub(super) need_to_pause_now: unsafe extern "C" fn(*mut Pause) -> c_int,
    pub(super) user: *mut c_void,
}

/// `FPDF_FORMFILLINFO`, version 2, with no callback set: PDFium checks each for null before it calls it.
#[repr(C)]
pub(super) struct FormFillInfo {
    pub(super) version: c_int,
    pub(super) callbacks: [*const c_void; 15],
    pub(super) java_script_platform: *const c_void,
    pub(super) xfa_disabled: c_int,
    pub(super) xfa_callbacks: [*const c_void; 17],
}

/// `FS_RECTF`: note the order.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RectF {
    pub(crate) left: c_float,
    pub(crate) top: c_float,
    pub(crate) right: c_float,
    pub(crate) bottom: c_float,
}

/// `FS_MATRIX`: x' = a x + c y + e, y' = b x + d y + f.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Matrix {
    pub(crate) a: c_float,
    pub(crate) b: c_float,
    pub(crate) c: c_float,
    pub(crate) d: c_float,
    pub(crate) e: c_float,
    pub(crate) f: c_float,
}

/// `FS_SIZEF`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SizeF {
    pub(super) width: c_float,
    pub(super) height: c_float,
}

macro_rules! table {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// One pointer per C function.
        pub(super) struct Table {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Table {
            /// Maps the library at `path` and finds every function in it.
            ///
            /// The library stays mapped for the rest of the process, also when this fails half way: PDFium's C++ runtime
            /// registers destructors that must not outlive its code, and 8 MB of shared, file-backed pages cost nothing.
            pub(super) fn load(path: &Path) -> Result<Table, LoadError> {
                // SAFETY: loading runs the library's initialisers. The caller named this file as PDFium; that it is one
                // cannot be proved here (rule 1), only that it has all the functions.
                let library = unsafe { libloading::Library::new(path) }.map_err(|source| LoadError::Library {
                    path: path.to_path_buf(),
                    reason: source.to_string(),
                })?;
                let library = std::mem::ManuallyDrop::new(library);
                Ok(Table {
                    $($name: {
                        // SAFETY: the type is the C declaration (rule 1) and the pointer stays valid (rule 2).
                        let symbol = unsafe { library.get(concat!(stringify!($name), "\0")) };
                        *symbol.map_err(|_| LoadError::NotPdfium {
                            path: path.to_path_buf(),
                            symbol: stringify!($name),
                        })?
                    },)*
                })
            }
        }
    };
}

table! {
    FPDF_InitLibraryWithConfig: fn(*const LibraryConfig);
    FPDF_DestroyLibrary: fn();
    FPDF_GetLastError: fn() -> c_ulong;

    FPDF_LoadCustomDocument: fn(*mut FileAccess, *const c_char) -> Handle;
    FPDF_CloseDocument: fn(Handle);
    FPDF_GetPageCount: fn(Handle) -> c_int;
    FPDF_GetFileVersion: fn(Handle, *mut c_int) -> c_int;
    FPDF_GetSecurityHandlerRevision: fn(Handle) -> c_int;
    FPDF_GetFormType: fn(Handle) -> c_int;
    FPDF_GetMetaText: fn(Handle, *const c_char, *mut c_void, c_ulong) -> c_ulong;
    FPDF_GetPageSizeByIndexF: fn(Handle, c_int, *mut SizeF) -> c_int;

    FPDFDOC_InitFormFillEnvironment: fn(Handle, *mut FormFillInfo) -> Handle;
    FPDFDOC_ExitFormFillEnvironment: fn(Handle);
    FORM_OnAfterLoadPage: fn(Handle, Handle);
    FORM_OnBeforeClosePage: fn(Handle, Handle);
    FPDF_FFLDraw: fn(Handle, Handle, Handle, c_int, c_int, c_int, c_int, c_int, c_int);

    FPDF_LoadPage: fn(Handle, c_int) -> Handle;
    FPDF_ClosePage: fn(Handle);
    FPDF_GetPageWidthF: fn(Handle) -> c_float;
    FPDF_GetPageHeightF: fn(Handle) -> c_float;
    FPDF_GetPageBoundingBox: fn(Handle, *mut RectF) -> c_int;
    FPDFPage_GetRotation: fn(Handle) -> c_int;

    FPDFBitmap_CreateEx: fn(c_int, c_int, c_int, *mut c_void, c_int) -> Handle;
    FPDFBitmap_Destroy: fn(Handle);
    FPDF_RenderPageBitmap_Start: fn(Handle, Handle, c_int, c_int, c_int, c_int, c_int, c_int, *mut Pause) -> c_int;
    FPDF_RenderPage_Continue: fn(Handle, *mut Pause) -> c_int;
    FPDF_RenderPage_Close: fn(Handle);

    FPDFPage_CountObjects: fn(Handle) -> c_int;
    FPDFPage_GetObject: fn(Handle, c_int) -> Handle;
    FPDFPageObj_GetType: fn(Handle) -> c_int;
    FPDFFormObj_CountObjects: fn(Handle) -> c_int;
    FPDFFormObj_GetObject: fn(Handle, c_ulong) -> Handle;

    FPDFText_LoadPage: fn(Handle) -> Handle;
    FPDFText_ClosePage: fn(Handle);
    FPDFText_CountChars: fn(Handle) -> c_int;
    FPDFText_GetUnicode: fn(Handle, c_int) -> c_uint;
    FPDFText_GetCharBox: fn(Handle, c_int, *mut c_double, *mut c_double, *mut c_double, *mut c_double) -> c_int;
    FPDFText_GetLooseCharBox: fn(Handle, c_int, *mut RectF) -> c_int;
    FPDFText_GetCharOrigin: fn(Handle, c_int, *mut c_double, *mut c_double) -> c_int;
    FPDFText_GetMatrix: fn(Handle, c_int, *mut Matrix) -> c_int;
    FPDFText_GetFontSize: fn(Handle, c_int) -> c_double;
    FPDFText_IsGenerated: fn(Handle, c_int) -> c_int;
    FPDFText_IsHyphen: fn(Handle, c_int) -> c_int;
    FPDFText_HasUnicodeMapError: fn(Handle, c_int) -> c_int;
    FPDFText_GetTextObject: fn(Handle, c_int) -> Handle;
    FPDFTextObj_GetTextRenderMode: fn(Handle) -> c_int;
    FPDFTextObj_GetFont: fn(Handle) -> Handle;
    FPDFFont_GetBaseFontName: fn(Handle, *mut c_char, usize) -> usize;
}
