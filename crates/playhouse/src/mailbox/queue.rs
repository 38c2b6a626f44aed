//! SHIM, replaced by the real one.
#![allow(unsafe_code)]
use super::permit::{NoPlace, Places, Ticket};
use crate::sync::{AtomicU64, Mutex, Ordering};
use std::collections::VecDeque;
use std::task::{Context, Poll};

#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Pushed {
    Queued,
    WasIdle,
}

pub(crate) struct Queue<T> {
    places: Places,
    state: Mutex<State<T>>,
    pushes: AtomicU64,
    freed: AtomicU64,
    permits: AtomicU64,
}
struct State<T> {
    slots: VecDeque<T>,
    scheduled: bool,
    nudged: bool,
    ended: bool,
}

impl<T> Queue<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            places: Places::new(capacity),
            state: Mutex::new(State { slots: VecDeque::new(), scheduled: true, nudged: false, ended: false }),
            pushes: AtomicU64::new(0),
            freed: AtomicU64::new(0),
            permits: AtomicU64::new(0),
        }
    }
    fn put(&self, slot: T, counts: bool) -> Result<Pushed, T> {
        let mut s = self.state.lock();
        if s.ended {
            return Err(slot);
        }
        if counts {
            self.pushes.fetch_add(1, Ordering::Relaxed);
        }
        s.slots.push_back(slot);
        if std::mem::replace(&mut s.scheduled, true) { Ok(Pushed::Queued) } else { Ok(Pushed::WasIdle) }
    }
    pub(crate) fn try_push(&self, slot: T) -> Result<Pushed, (NoPlace, T)> {
        if let Err(why) = self.places.try_take() {
            return Err((why, slot));
        }
        self.put(slot, true).map_err(|s| (NoPlace::Closed, s))
    }
    pub(crate) fn try_reserve(&self) -> Result<(), NoPlace> {
        self.places.try_take()?;
        self.permits.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
    pub(crate) fn poll_reserve(&self, ticket: &mut Ticket, context: &Context<'_>) -> Poll<Result<(), NoPlace>> {
        let polled = self.places.poll_take(ticket, context);
        if let Poll::Ready(Ok(())) = polled {
            self.permits.fetch_add(1, Ordering::Relaxed);
        }
        polled
    }
    pub(crate) fn leave(&self, ticket: &mut Ticket) {
        self.places.leave(ticket);
    }
    pub(crate) fn push_reserved(&self, slot: T) -> Result<Pushed, T> {
        self.permits.fetch_sub(1, Ordering::Relaxed);
        let r = self.put(slot, true);
        if r.is_err() {
            self.places.free();
        }
        r
    }
    pub(crate) fn release(&self) {
        self.permits.fetch_sub(1, Ordering::Relaxed);
        self.places.free();
    }
    pub(crate) fn push_outside(&self, slot: T) -> Result<Pushed, T> {
        self.put(slot, false)
    }
    pub(crate) fn push_regardless(&self, slot: T) -> Result<Pushed, T> {
        self.places.take_regardless();
        let r = self.put(slot, true);
        if r.is_err() {
            self.places.free();
        }
        r
    }
    pub(crate) fn close_admission(&self) {
        self.places.close();
    }
    pub(crate) fn nudge(&self) -> bool {
        let mut s = self.state.lock();
        s.nudged = true;
        !std::mem::replace(&mut s.scheduled, true)
    }
    pub(crate) fn try_claim(&self) -> bool {
        !std::mem::replace(&mut self.state.lock().scheduled, true)
    }
    pub(crate) fn capacity(&self) -> usize {
        self.places.capacity()
    }
    pub(crate) fn taken(&self) -> usize {
        self.places.taken()
    }
    pub(crate) fn permits(&self) -> usize {
        self.permits.load(Ordering::Relaxed) as usize
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.state.lock().slots.is_empty()
    }
    pub(crate) fn pushes(&self) -> u64 {
        self.pushes.load(Ordering::Relaxed)
    }
    pub(crate) fn freed(&self) -> u64 {
        self.freed.load(Ordering::Relaxed)
    }
    pub(crate) unsafe fn pop(&self) -> Option<T> {
        self.state.lock().slots.pop_front()
    }
    pub(crate) unsafe fn free(&self, _is_patient: bool) {
        self.freed.fetch_add(1, Ordering::Relaxed);
        self.places.free_in_turn();
    }
    pub(crate) unsafe fn unfree(&self) {
        self.freed.fetch_sub(1, Ordering::Relaxed);
        self.places.take_regardless();
    }
    pub(crate) unsafe fn try_idle(&self) -> bool {
        self.places.rest();
        let mut s = self.state.lock();
        if s.nudged || !s.slots.is_empty() {
            return false;
        }
        s.scheduled = false;
        true
    }
    pub(crate) unsafe fn take_nudge(&self) -> bool {
        std::mem::take(&mut self.state.lock().nudged)
    }
    pub(crate) unsafe fn suspend(&self) -> bool {
        self.places.suspend()
    }
    pub(crate) unsafe fn end(&self) -> Vec<T> {
        self.places.close();
        let mut s = self.state.lock();
        s.ended = true;
        std::mem::take(&mut s.slots).into()
    }
}
