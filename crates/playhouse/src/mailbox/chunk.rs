//! The memory that queued messages lie in: chunks of inline slots, linked in the order of the pushes.
//!
//! ```text
//!        head (the turn)                                              tail (the lock)
//!          │                                                            │
//!          ▼                                                            ▼
//!   ┌─────────────────────┐         ┌─────────────────────┐         ┌─────────────────────┐
//!   │ next ───────────────┼────────►│ next ───────────────┼────────►│ next: none          │
//!   │ spare: none         │         │ spare: none         │         │ spare: none         │
//!   │ start: 12           │         │ start: 20           │         │ start: 36           │
//!   │ published: 8 of 8   │         │ published: 16 of 16 │         │ published: 3 of 32  │
//!   ├──┬──┬──┬──┬──┬──┬──┬┴─┐       ├──┬──┬──┬──┬──┬──  ──┤         ├──┬──┬──┬──┬──┬──  ──┤
//!   │░░│░░│░░│15│16│17│18│19│       │20│21│22│23│24│..  35│         │36│37│38│  │  │..    │
//!   └──┴──┴──┴──┴──┴──┴──┴──┘       └──┴──┴──┴──┴──┴──  ──┘         └──┴──┴──┴──┴──┴──  ──┘
//!             ▲ popped = 15: three of this chunk are taken                   ▲ pushed = 39
//! ```
//!
//! Message number *n* lies in slot *n − start* of its chunk. The first chunk is small, because most actors never hold
//! more than a message or two; each further one has twice the slots, up to a bound. An actor that goes idle leaves its
//! last chunk in place, and the next push starts over at its first slot, so a conversation of one message at a time stays
//! in the same cache lines. A chunk that the turn has left becomes the spare of the chunk it went to, if that is of the
//! same size; the producer that fills that one takes the spare before it allocates, so a steady stream allocates nothing.
//!
//! # Protocol
//!
//! 1. Only the holder of the lane's lock writes slots, `published` and `next`, and it writes into the tail alone. It
//!    writes a slot that is not published, then publishes it.
//! 2. Only the turn reads slots: those that are published, each once, in order. It moves to `next` when it has taken
//!    all of a full chunk, and from then on the chunk it left is its own.
//! 3. The holder of the lock does not touch a chunk again after it has linked `next`.
//! 4. `start` is written before the chunk is linked, or while the actor is idle. An idle actor has taken everything, so
//!    its head is its tail, and the holder of the lock alone touches it.
//! 5. `spare` is written by the turn when it enters the chunk. The holder of the lock may take it until it links `next`;
//!    after that it is the turn's again.
#![allow(unsafe_code)]

use crate::limits;
use crate::sync::{AtomicPtr, AtomicU32, Ordering, UnsafeCell};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

type Slot<T> = UnsafeCell<MaybeUninit<T>>;

#[repr(C)]
struct Memory<T> {
    next: AtomicPtr<Memory<T>>,
    spare: AtomicPtr<Memory<T>>,
    /// The number of the message in the first slot.
    start: UnsafeCell<u64>,
    /// How many slots the turn may read.
    published: AtomicU32,
    capacity: u32,
    /// As many as `capacity` says, behind the header.
    slots: [Slot<T>; 0],
}

/// One chunk. A plain pointer: who may do what with it is the protocol above.
#[repr(transparent)]
pub(super) struct Chunk<T>(NonNull<Memory<T>>);

impl<T> Clone for Chunk<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Chunk<T> {}

impl<T> PartialEq for Chunk<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

/// A chunk that is named by two threads, or none yet.
#[repr(transparent)]
pub(super) struct ChunkPointer<T>(AtomicPtr<Memory<T>>);

impl<T> ChunkPointer<T> {
    pub(super) fn none() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    #[inline(always)]
    pub(super) fn get(&self) -> Option<Chunk<T>> {
        // Acquire: pairs with the Release in `set`, for the header and the first slot of a chunk that is new.
        NonNull::new(self.0.load(Ordering::Acquire)).map(Chunk)
    }

    #[inline]
    pub(super) fn set(&self, chunk: Option<Chunk<T>>) {
        // Release: pairs with the Acquire in `get`.
        self.0.store(pointer(chunk), Ordering::Release);
    }
}

fn pointer<T>(chunk: Option<Chunk<T>>) -> *mut Memory<T> {
    chunk.map_or(ptr::null_mut(), |chunk| chunk.0.as_ptr())
}

impl<T> Chunk<T> {
    /// The first one, with message number `start` in it.
    pub(super) fn first(start: u64, make: impl FnOnce() -> T) -> Self {
        let chunk = Self::allocate(limits::CHUNK_FIRST, start);
        // SAFETY: rule 1: nobody else knows it yet.
        unsafe { chunk.write(0, make) };
        chunk
    }

    /// # Safety
    /// The caller holds the lock, the chunk is the tail, the actor is idle, and `start` is the next message's number.
    #[inline(always)]
    pub(super) unsafe fn start_over(self, start: u64, make: impl FnOnce() -> T) {
        // SAFETY: rule 4.
        unsafe {
            self.header().start.with_mut(|old| *old = start);
            self.write(0, make);
        }
    }

    /// Puts message number `number` here, or into a chunk behind this one. Answers the tail from now on.
    ///
    /// # Safety
    /// The caller holds the lock, the chunk is the tail, and `number` is the next message's number.
    #[inline(always)]
    pub(super) unsafe fn append(self, number: u64, make: impl FnOnce() -> T) -> Self {
        // SAFETY: rules 1 and 4.
        unsafe {
            let index = number - self.start();
            if index < u64::from(self.header().capacity) {
                self.write(index as u32, make);
                return self;
            }
            self.append_behind(number, make())
        }
    }

    /// # Safety
    /// As for [`append`](Self::append), and the chunk is full.
    #[cold]
    unsafe fn append_behind(self, number: u64, message: T) -> Self {
        // SAFETY: rules 1, 3 and 5: this chunk is the tail until `next` is linked, which is the last thing done to it.
        unsafe {
            let header = self.header();
            let next = match self.take_spare() {
                Some(spare) => spare.reset(number),
                None => Self::allocate(larger(header.capacity), number),
            };
            next.write(0, || message);
            // Release: pairs with the Acquire in `next`, for the whole of the new chunk and for `spare` of this one.
            header.next.store(next.0.as_ptr(), Ordering::Release);
            next
        }
    }

    /// Takes message number `number` and says in which chunk it lay, or `None`: it is not there yet.
    ///
    /// # Safety
    /// The caller owns the turn, this chunk is the head, and `number` is the message after the last one taken.
    #[inline(always)]
    pub(super) unsafe fn take(self, number: u64) -> Option<(Self, T)> {
        // SAFETY: rule 2.
        unsafe {
            let index = number - self.start();
            // Acquire: pairs with the Release in `write`, for the slot.
            if index < u64::from(self.header().published.load(Ordering::Acquire)) {
                return Some((self, self.read(index as usize)));
            }
            if index < u64::from(self.header().capacity) {
                return None;
            }
            let next = self.leave()?;
            Some((next, next.read(0)))
        }
    }

    /// The turn goes on to the next chunk, which is linked with a message in it.
    ///
    /// # Safety
    /// The caller owns the turn, this chunk is the head, and all of it was taken.
    #[cold]
    unsafe fn leave(self) -> Option<Self> {
        // SAFETY: rules 2, 3 and 5: after `next` is linked this chunk and its spare are the turn's.
        unsafe {
            // Acquire: pairs with the Release in `append_behind`.
            let next = NonNull::new(self.header().next.load(Ordering::Acquire)).map(Self)?;
            if let Some(unused) = self.take_spare() {
                unused.free();
            }
            if self.header().capacity == next.header().capacity {
                // Release: pairs with the Acquire in `take_spare`, for all that was done to this chunk.
                next.header()
                    .spare
                    .store(self.0.as_ptr(), Ordering::Release);
            } else {
                self.free();
            }
            Some(next)
        }
    }

    /// Frees this chunk and those behind it.
    ///
    /// # Safety
    /// The chunk is the head, nobody else knows the chain any more, and every message was taken.
    pub(super) unsafe fn free_chain(self) {
        let mut chain = Some(self);
        while let Some(chunk) = chain {
            // SAFETY: the caller's promise.
            unsafe {
                // Relaxed: the caller is alone with it.
                chain = NonNull::new(chunk.header().next.load(Ordering::Relaxed)).map(Self);
                if let Some(unused) = chunk.take_spare() {
                    unused.free();
                }
                chunk.free();
            }
        }
    }

    fn allocate(capacity: u32, start: u64) -> Self {
        let layout = Self::layout(capacity);
        // SAFETY: the layout has the header's size at least. All of the header is written before anybody reads it, and
        // each slot is made in place; a slot may be uninitialized.
        unsafe {
            let memory = alloc(layout).cast::<Memory<T>>();
            let Some(memory) = NonNull::new(memory) else {
                handle_alloc_error(layout);
            };
            memory.write(Memory {
                next: AtomicPtr::new(ptr::null_mut()),
                spare: AtomicPtr::new(ptr::null_mut()),
                start: UnsafeCell::new(start),
                published: AtomicU32::new(0),
                capacity,
                slots: [],
            });
            let chunk = Self(memory);
            for index in 0..capacity as usize {
                chunk.slot(index).write(Slot::new(MaybeUninit::uninit()));
            }
            chunk
        }
    }

    fn layout(capacity: u32) -> Layout {
        let slots = Layout::array::<Slot<T>>(capacity as usize);
        match slots.and_then(|slots| Layout::new::<Memory<T>>().extend(slots)) {
            Ok((whole, _)) => whole.pad_to_align(),
            Err(_) => {
                unreachable!("no message is so large that a chunk of it exceeds the address space")
            }
        }
    }

    /// # Safety
    /// Nobody else knows the chunk, and every message was taken.
    unsafe fn free(self) {
        // SAFETY: the caller's promise, and `allocate` used the same layout.
        unsafe {
            let capacity = self.header().capacity;
            ptr::slice_from_raw_parts_mut(self.slot(0), capacity as usize).drop_in_place();
            self.0.drop_in_place();
            dealloc(self.0.as_ptr().cast(), Self::layout(capacity));
        }
    }

    /// # Safety
    /// The caller took it from `spare`, so nobody else knows it, and it is empty.
    unsafe fn reset(self, start: u64) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            let header = self.header();
            // Relaxed: the chunk is published as a whole when it is linked.
            header.next.store(ptr::null_mut(), Ordering::Relaxed);
            header.start.with_mut(|old| *old = start);
        }
        self
    }

    /// # Safety
    /// Rule 5: the caller is the one that `spare` belongs to.
    unsafe fn take_spare(self) -> Option<Self> {
        // SAFETY: the caller's promise.
        let spare = unsafe { &self.header().spare };
        // Acquire: pairs with the Release in `leave`.
        let found = NonNull::new(spare.load(Ordering::Acquire))?;
        // Relaxed: pairs with nothing; whoever looks next is ordered behind by `next` or by the lock.
        spare.store(ptr::null_mut(), Ordering::Relaxed);
        Some(Self(found))
    }

    /// # Safety
    /// Rule 1: the caller holds the lock or is alone with the chunk, and the slot is the first that is not published.
    #[inline(always)]
    unsafe fn write(self, index: u32, make: impl FnOnce() -> T) {
        // SAFETY: rule 1.
        unsafe {
            let slot = &*self.slot(index as usize);
            slot.with_mut(|slot| (*slot).write(make()));
            // Release: pairs with the Acquire in `take`.
            self.header().published.store(index + 1, Ordering::Release);
        }
    }

    /// # Safety
    /// Rule 2: the caller owns the turn, and the slot is published and was not taken.
    #[inline(always)]
    unsafe fn read(self, index: usize) -> T {
        // SAFETY: rule 2.
        unsafe {
            let slot = &*self.slot(index);
            // A write for the model checker: the message is gone from the slot afterwards.
            slot.with_mut(|slot| (*slot).assume_init_read())
        }
    }

    /// # Safety
    /// Rule 4: the caller holds the lock or owns the turn.
    #[inline(always)]
    unsafe fn start(self) -> u64 {
        // SAFETY: rule 4.
        unsafe { self.header().start.with(|start| *start) }
    }

    /// # Safety
    /// The chunk was not freed.
    #[inline(always)]
    unsafe fn header<'a>(self) -> &'a Memory<T> {
        // SAFETY: the caller's promise; the header is only ever shared, its fields are cells and atomics.
        unsafe { self.0.as_ref() }
    }

    /// # Safety
    /// The chunk was not freed, and has that many slots.
    #[inline(always)]
    unsafe fn slot(self, index: usize) -> *mut Slot<T> {
        // SAFETY: the caller's promise. The pointer is derived from the whole allocation, not from the header alone.
        unsafe {
            (&raw mut (*self.0.as_ptr()).slots)
                .cast::<Slot<T>>()
                .add(index)
        }
    }
}

fn larger(capacity: u32) -> u32 {
    (capacity * 2).min(limits::CHUNK_LARGEST)
}
