//! Places in a mailbox, and the line of those who wait for one.
//!
//! 1. A freed place wakes the oldest waiter that was not woken yet. It is not kept for that waiter: whoever polls first
//!    takes it, so a waiter that is never polled again keeps nobody out.
//! 2. A waiter that was woken, came, and found the place taken has *lost*. From then on a wake-up is a *claim*: others
//!    leave it as many free places as there are claims, so nobody loses for ever.
//! 3. Claims end when the actor has nothing left to do (see [`Places::rest`]), and every waiter is woken. So rule 2
//!    cannot break rule 1: a claim of a waiter that is never polled lasts as long as the actor is busy anyway.
//! 4. A woken waiter that leaves passes its wake-up on.

use crate::sync::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::task::{Context, Poll, Waker};

/// Why there is no place right now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoPlace {
    Full,
    Closed,
}

/// A position in the line; `None` before the first wait.
pub(crate) type Ticket = Option<u64>;

pub(crate) struct Places(Mutex<Line>);

struct Line {
    capacity: usize,
    /// Messages in the lane that hold a place, and permits.
    taken: usize,
    is_open: bool,
    next_ticket: u64,
    waiting: BTreeMap<u64, Waiter>,
    /// Those of `waiting` that were not woken since they last polled.
    unwoken: BTreeSet<u64>,
    /// How many of `waiting` have a claim.
    claims: usize,
}

struct Waiter {
    waker: Waker,
    is_woken: bool,
    has_lost: bool,
}

impl Waiter {
    fn claims(&self) -> usize {
        usize::from(self.is_woken && self.has_lost)
    }
}

impl Places {
    pub(crate) fn new(capacity: usize) -> Self {
        Self(Mutex::new(Line {
            capacity,
            taken: 0,
            is_open: true,
            next_ticket: 0,
            waiting: BTreeMap::new(),
            unwoken: BTreeSet::new(),
            claims: 0,
        }))
    }

    /// Takes a place if there is one that nobody has a claim on.
    pub(crate) fn try_take(&self) -> Result<(), NoPlace> {
        let mut line = self.0.lock();
        if !line.is_open {
            return Err(NoPlace::Closed);
        }
        if line.room() <= line.claims {
            return Err(NoPlace::Full);
        }
        line.taken += 1;
        Ok(())
    }

    /// Takes a place or joins the line.
    pub(crate) fn poll_take(
        &self,
        ticket: &mut Ticket,
        context: &Context<'_>,
    ) -> Poll<Result<(), NoPlace>> {
        let mut line = self.0.lock();
        if !line.is_open {
            return Poll::Ready(Err(NoPlace::Closed));
        }
        let own_claim = ticket
            .and_then(|id| line.waiting.get(&id))
            .map_or(0, Waiter::claims);
        if line.room() > line.claims - own_claim {
            line.taken += 1;
            let gone = ticket.take().and_then(|id| line.remove(id));
            drop(line); // before `gone`: a waker may own a task whose drop comes back here
            drop(gone);
            return Poll::Ready(Ok(()));
        }
        let replaced = line.wait(ticket, context.waker());
        drop(line); // before `replaced`, for the same reason
        drop(replaced);
        Poll::Pending
    }

    /// Gives up the position.
    pub(crate) fn leave(&self, ticket: &mut Ticket) {
        let Some(id) = ticket.take() else { return };
        let (gone, next) = {
            let mut line = self.0.lock();
            let gone = line.remove(id);
            let was_woken = gone.as_ref().is_some_and(|waiter| waiter.is_woken);
            let next = if was_woken && line.room() > 0 {
                line.wake_oldest()
            } else {
                None
            };
            (gone, next)
        };
        wake(next);
        drop(gone);
    }

    /// A place more than the capacity, for a message that an actor sends itself in the place of the one in hand.
    pub(crate) fn take_regardless(&self) {
        self.0.lock().taken += 1;
    }

    pub(crate) fn free(&self) {
        let next = {
            let mut line = self.0.lock();
            debug_assert!(line.taken > 0, "a place was given back twice");
            line.taken -= 1;
            if line.room() > 0 {
                line.wake_oldest()
            } else {
                None
            }
        };
        wake(next);
    }

    /// The actor has nothing to do: no claim stands any more, and whoever can come should.
    pub(crate) fn rest(&self) {
        let woken = {
            let mut line = self.0.lock();
            if line.room() == 0 || line.waiting.is_empty() {
                return;
            }
            line.claims = 0;
            line.waiting
                .values_mut()
                .for_each(|waiter| waiter.has_lost = false);
            line.wake_all()
        };
        woken.into_iter().for_each(Waker::wake);
    }

    /// Nobody gets a place any more; those who wait are told.
    pub(crate) fn close(&self) {
        let woken = {
            let mut line = self.0.lock();
            line.is_open = false;
            line.wake_all()
        };
        woken.into_iter().for_each(Waker::wake);
    }

    pub(crate) fn taken(&self) -> usize {
        self.0.lock().taken
    }
}

impl Line {
    fn room(&self) -> usize {
        self.capacity.saturating_sub(self.taken)
    }

    /// Hands back the waker that is no longer needed.
    fn wait(&mut self, ticket: &mut Ticket, waker: &Waker) -> Waker {
        let id = *ticket.get_or_insert_with(|| {
            self.next_ticket += 1;
            self.next_ticket
        });
        let waiter = self.waiting.entry(id).or_insert_with(|| Waiter {
            waker: waker.clone(),
            is_woken: false,
            has_lost: false,
        });
        self.claims -= waiter.claims();
        waiter.has_lost |= waiter.is_woken;
        waiter.is_woken = false;
        self.unwoken.insert(id);
        std::mem::replace(&mut waiter.waker, waker.clone())
    }

    fn remove(&mut self, id: u64) -> Option<Waiter> {
        self.unwoken.remove(&id);
        let waiter = self.waiting.remove(&id)?;
        self.claims -= waiter.claims();
        Some(waiter)
    }

    fn wake_oldest(&mut self) -> Option<Waker> {
        let id = self.unwoken.pop_first()?;
        let waiter = self.waiting.get_mut(&id)?;
        waiter.is_woken = true;
        self.claims += waiter.claims();
        Some(waiter.waker.clone())
    }

    fn wake_all(&mut self) -> Vec<Waker> {
        std::iter::from_fn(|| self.wake_oldest()).collect()
    }
}

fn wake(waiter: Option<Waker>) {
    if let Some(waker) = waiter {
        waker.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn poll(places: &Places, ticket: &mut Ticket) -> Poll<Result<(), NoPlace>> {
        places.poll_take(ticket, &Context::from_waker(Waker::noop()))
    }

    #[test]
    fn a_waiter_that_is_never_polled_again_keeps_nobody_out() {
        let places = Places::new(1);
        places.try_take().unwrap();
        let (mut frozen, mut other) = (None, None);
        assert!(poll(&places, &mut frozen).is_pending());
        assert!(poll(&places, &mut other).is_pending());
        places.free(); // wakes `frozen`, which does not come
        assert_eq!(poll(&places, &mut other), Poll::Ready(Ok(())));
    }

    #[test]
    fn a_waiter_loses_a_race_at_most_once_while_the_actor_is_busy() {
        let places = Places::new(1);
        places.try_take().unwrap();
        let mut unlucky = None;
        assert!(poll(&places, &mut unlucky).is_pending());
        places.free();
        places.try_take().unwrap(); // somebody was faster
        assert!(poll(&places, &mut unlucky).is_pending());
        places.free();
        assert_eq!(
            places.try_take(),
            Err(NoPlace::Full),
            "the place is claimed"
        );
        assert_eq!(poll(&places, &mut unlucky), Poll::Ready(Ok(())));
    }

    #[test]
    fn a_claim_ends_when_the_actor_rests_or_the_waiter_leaves() {
        let places = Places::new(1);
        places.try_take().unwrap();
        let mut frozen = None;
        assert!(poll(&places, &mut frozen).is_pending());
        places.free();
        places.try_take().unwrap();
        assert!(poll(&places, &mut frozen).is_pending());
        places.free();
        assert_eq!(places.try_take(), Err(NoPlace::Full));
        places.rest();
        assert_eq!(places.try_take(), Ok(()));
        places.free();
        places.leave(&mut frozen);
        assert_eq!(places.try_take(), Ok(()));
    }

    #[test]
    fn closing_ends_every_wait() {
        let places = Places::new(1);
        places.try_take().unwrap();
        let mut waiting = None;
        assert!(poll(&places, &mut waiting).is_pending());
        places.close();
        assert_eq!(
            poll(&places, &mut waiting),
            Poll::Ready(Err(NoPlace::Closed))
        );
        assert_eq!(places.try_take(), Err(NoPlace::Closed));
        places.free();
        assert_eq!(places.taken(), 0);
    }

    /// What may happen to a mailbox of few places with few waiters.
    #[derive(Clone, Debug)]
    enum Step {
        TryTake,
        Poll(usize),
        Leave(usize),
        Free,
        Rest,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            Just(Step::TryTake),
            (0..4_usize).prop_map(Step::Poll),
            (0..4_usize).prop_map(Step::Leave),
            Just(Step::Free),
            Just(Step::Rest),
        ]
    }

    /// What must hold between any two steps.
    fn check(places: &Places) {
        let line = places.0.lock();
        assert!(line.taken <= line.capacity, "never more than there are");
        let claims: usize = line.waiting.values().map(Waiter::claims).sum();
        assert_eq!(line.claims, claims);
        let woken = line.waiting.len() - line.unwoken.len();
        assert_eq!(
            woken,
            line.waiting
                .values()
                .filter(|waiter| waiter.is_woken)
                .count()
        );
        assert!(
            woken >= line.room().min(line.waiting.len()),
            "no place lies there with everybody asleep"
        );
    }

    proptest! {
        #[test]
        fn no_wake_up_is_lost_whatever_happens(capacity in 1..4_usize, steps in vec(step(), 0..80)) {
            let places = Places::new(capacity);
            let mut tickets: [Ticket; 4] = [None; 4];
            for step in steps {
                match step {
                    Step::TryTake => places.try_take().unwrap_or_default(),
                    Step::Poll(n) => assert_ne!(poll(&places, &mut tickets[n]), Poll::Ready(Err(NoPlace::Full))),
                    Step::Leave(n) => places.leave(&mut tickets[n]),
                    Step::Free if places.taken() > 0 => places.free(),
                    Step::Free => {}
                    Step::Rest => places.rest(),
                }
                check(&places);
            }
            // Once the actor is idle, every place can be had, whoever asks.
            (0..places.taken()).for_each(|_| places.free());
            places.rest();
            prop_assert_eq!((0..).take_while(|_| places.try_take().is_ok()).count(), capacity);
        }
    }
}
