//! What PDFium calls back: reading the file, and asking whether to give up a rendering.
//!
//! Protocol of this file
//!
//! 1. *Pointers.* The parameter that PDFium hands back is the address that this file put into the structure: a shared
//!    [`FileReader`] that the document handle keeps for as long as PDFium knows it, or a [`GiveUp`] on the stack of the
//!    call that PDFium calls back from.
//! 2. *No aliasing.* PDFium calls back on the owner's thread, inside one of our calls, and never from within a callback.
//!    A [`FileReader`] is only ever reached by shared reference; a [`GiveUp`] only through its structure while that lives.
//! 3. *No unwinding.* A panic never crosses into C++: reading cannot panic, and giving up catches it and hands it on after
//!    the rendering was closed.
#![allow(unsafe_code)]

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{c_int, c_uchar, c_ulong, c_void};
use std::fs::File;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

use super::table::{FileAccess, Pause};

/// An open file that PDFium reads at the offsets it likes.
pub(crate) struct FileReader {
    file: File,
    length: u64,
    failure: RefCell<Option<io::Error>>,
}

impl FileReader {
    /// Takes the file and its present length; a file that grows later is read up to this length only.
    pub(crate) fn new(file: File) -> io::Result<FileReader> {
        let length = file.metadata()?.len();
        Ok(FileReader {
            file,
            length,
            failure: RefCell::new(None),
        })
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The first error that reading met since this was last asked.
    pub(crate) fn take_failure(&self) -> Option<io::Error> {
        self.failure.borrow_mut().take()
    }

    /// Up to `length` bytes from `offset`; fewer at the end of the file.
    pub(crate) fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let available = self.length.saturating_sub(offset).min(length as u64);
        let mut bytes = vec![0; available as usize];
        self.fill(offset, &mut bytes)?;
        Ok(bytes)
    }

    /// The structure that lets PDFium read; `None` if the file is too long for it. It points at the reader, which the
    /// caller keeps for as long as PDFium knows it (rule 1).
    pub(super) fn access(self: &Rc<Self>) -> Option<FileAccess> {
        Some(FileAccess {
            length: c_ulong::try_from(self.length).ok()?,
            read_block,
            parameter: Rc::as_ptr(self).cast_mut().cast(),
        })
    }

    fn fill(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::read_exact_at(&self.file, into, offset);
        #[cfg(windows)]
        return fill_by_seek_read(&self.file, offset, into);
    }
}

#[cfg(windows)]
fn fill_by_seek_read(file: &File, mut offset: u64, mut into: &mut [u8]) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !into.is_empty() {
        let count = file.seek_read(into, offset)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        offset += count as u64;
        into = &mut into[count..];
    }
    Ok(())
}

unsafe extern "C" fn read_block(
    parameter: *mut c_void,
    offset: c_ulong,
    into: *mut c_uchar,
    size: c_ulong,
) -> c_int {
    // SAFETY: rules 1 and 2: the parameter is the reader, alive and only shared.
    let reader = unsafe { &*parameter.cast::<FileReader>() };
    // SAFETY: PDFium gives `size` writable bytes at `into` for the time of this call.
    let into = unsafe { std::slice::from_raw_parts_mut(into, size as usize) };
    // The type is narrower on some platforms only.
    #[allow(clippy::useless_conversion)]
    match reader.fill(u64::from(offset), into) {
        Ok(()) => 1,
        Err(error) => {
            reader.failure.borrow_mut().get_or_insert(error);
            0
        }
    }
}

/// The caller's question "give up?", in the form that PDFium asks it.
pub(super) struct GiveUp<'a> {
    ask: &'a mut dyn FnMut() -> bool,
    answered_yes: bool,
    panic: Option<Box<dyn Any + Send>>,
}

impl<'a> GiveUp<'a> {
    pub(super) fn new(ask: &'a mut dyn FnMut() -> bool) -> GiveUp<'a> {
        GiveUp {
            ask,
            answered_yes: false,
            panic: None,
        }
    }

    /// Runs `call` with the structure that lets PDFium ask. The structure is gone when this returns (rule 1).
    pub(super) fn during<T>(&mut self, call: impl FnOnce(*mut Pause) -> T) -> T {
        let mut pause = Pause {
            version: 1,
            need_to_pause_now,
            user: std::ptr::from_mut(self).cast(),
        };
        call(&raw mut pause)
    }

    /// Asks now. Once the answer was yes it stays yes, without asking again.
    pub(super) fn ask(&mut self) -> bool {
        if !self.answered_yes {
            self.answered_yes =
                catch_unwind(AssertUnwindSafe(&mut *self.ask)).unwrap_or_else(|panic| {
                    self.panic = Some(panic);
                    true
                });
        }
        self.answered_yes
    }

    pub(super) fn answered_yes(&self) -> bool {
        self.answered_yes
    }

    /// Lets a panic of the question go on, now that no C++ frame is in its way.
    pub(super) fn resume_panic(self) {
        if let Some(panic) = self.panic {
            resume_unwind(panic);
        }
    }
}

unsafe extern "C" fn need_to_pause_now(pause: *mut Pause) -> c_int {
    // SAFETY: rules 1 and 2: the structure lives on the stack of `during`, and `user` is the question it was made from,
    // which nobody else touches while `call` runs. The lifetime of the question covers this call.
    let give_up = unsafe { &mut *(*pause).user.cast::<GiveUp<'_>>() };
    c_int::from(give_up.ask())
}

#[cfg(test)]
mod tests {
    use super::GiveUp;

    #[test]
    fn a_yes_stays_a_yes_without_asking_again() {
        let mut asked = 0;
        let mut ask = || {
            asked += 1;
            asked == 2
        };
        let mut give_up = GiveUp::new(&mut ask);
        let answers = [(); 4].map(|()| give_up.ask());
        assert_eq!(answers, [false, true, true, true]);
        assert!(give_up.answered_yes());
        assert_eq!(asked, 2);
    }

    #[test]
    fn a_panic_is_a_yes_and_comes_out_once() {
        let mut ask = || -> bool { panic!("on purpose") };
        let mut give_up = GiveUp::new(&mut ask);
        assert!(give_up.ask() && give_up.ask());
        let panic =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| give_up.resume_panic()));
        assert_eq!(
            panic.expect_err("it goes on").downcast_ref(),
            Some(&"on purpose")
        );
    }
}
