//! Places in a mailbox, and the line of those who wait for one.
//!
//! 1. A freed place wakes the oldest waiter that was not woken yet. It is not kept for that waiter: whoever polls first
//!    takes it, so a waiter that is never polled again keeps nobody out.
//! 2. A waiter that was woken, came, and found the place taken has *lost*. From then on a wake-up is a *claim*: others
//!    leave it as many free places as there are claims, so nobody loses for ever.
//! 3. While the actor rests, because it has nothing to do ([`Places::rest`]) or because its handler waits for something
//!    ([`Places::suspend`]), a free place wakes *every* waiter: the one that matters may stand behind one that is never
//!    polled again, and the handler may wait for just that one. Such a call to all is nobody's claim, and to come too
//!    late for it is no loss.
//! 4. A claimant that was woken and did not come forfeits its claim when the actor rests. So rule 2 cannot break rule 1:
//!    a claim of a waiter that is never polled lasts as long as the actor is busy anyway. When a handler begins to wait,
//!    claimants get one more round of the run queue first, or whoever asks without waiting would overtake them in each
//!    handler that awaits. Those that lost and are back in line keep their turn.
//! 5. A woken waiter that leaves passes its wake-up on.

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
    pace: Pace,
}

/// What the actor is doing, as far as those who wait for a place are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    /// Taking messages: a free place wakes one waiter.
    Busy,
    /// Its handler waits, everybody was called, and the claims stand for one more round.
    Called,
    /// A free place wakes everybody, and there are no claims.
    Resting,
}

struct Waiter {
    waker: Waker,
    /// By what it was woken since it last polled.
    call: Option<Call>,
    has_lost: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    /// By a place of its own.
    Alone,
    WithAll,
}

impl Waiter {
    fn claims(&self) -> usize {
        usize::from(self.call == Some(Call::Alone) && self.has_lost)
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
            pace: Pace::Busy,
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
        let (gone, called) = {
            let mut line = self.0.lock();
            let gone = line.remove(id);
            let was_woken = gone.as_ref().is_some_and(|waiter| waiter.call.is_some());
            let called = if was_woken { line.call() } else { Vec::new() };
            (gone, called)
        };
        called.into_iter().for_each(Waker::wake);
        drop(gone);
    }

    /// A place more than the capacity, for a message that an actor sends itself in the place of the one in hand.
    pub(crate) fn take_regardless(&self) {
        self.0.lock().taken += 1;
    }

    /// Gives back the place of a message that the actor has just taken, so it is busy.
    pub(crate) fn free_in_turn(&self) {
        self.free_at(Some(Pace::Busy));
    }

    /// Gives back a place, whatever the actor is doing.
    pub(crate) fn free(&self) {
        self.free_at(None);
    }

    /// The actor has nothing to do: no claim stands any more, and whoever can come should.
    pub(crate) fn rest(&self) {
        let called = self.0.lock().rest();
        called.into_iter().for_each(Waker::wake);
    }

    /// The actor's handler waits. True: somebody who was woken has a claim; call again after one round of the run queue,
    /// if the handler still waits then.
    #[must_use = "a claim that never ends keeps others out while the handler waits for them"]
    pub(crate) fn suspend(&self) -> bool {
        let (called, has_claimants) = {
            let mut line = self.0.lock();
            if line.claims > 0 && line.pace == Pace::Busy {
                line.pace = Pace::Called;
                (line.call(), true)
            } else {
                (line.rest(), false)
            }
        };
        called.into_iter().for_each(Waker::wake);
        has_claimants
    }

    /// Nobody gets a place any more; those who wait are told.
    pub(crate) fn close(&self) {
        let called = {
            let mut line = self.0.lock();
            line.is_open = false;
            line.call_all()
        };
        called.into_iter().for_each(Waker::wake);
    }

    pub(crate) fn taken(&self) -> usize {
        self.0.lock().taken
    }

    fn free_at(&self, pace: Option<Pace>) {
        let called = {
            let mut line = self.0.lock();
            debug_assert!(line.taken > 0, "a place was given back twice");
            line.taken -= 1;
            line.pace = pace.unwrap_or(line.pace);
            line.call()
        };
        called.into_iter().for_each(Waker::wake);
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
            call: None,
            has_lost: false,
        });
        self.claims -= waiter.claims();
        waiter.has_lost |= waiter.call == Some(Call::Alone);
        waiter.call = None;
        self.unwoken.insert(id);
        std::mem::replace(&mut waiter.waker, waker.clone())
    }

    fn remove(&mut self, id: u64) -> Option<Waiter> {
        self.unwoken.remove(&id);
        let waiter = self.waiting.remove(&id)?;
        self.claims -= waiter.claims();
        Some(waiter)
    }

    /// Whom to wake now that there may be room.
    fn call(&mut self) -> Vec<Waker> {
        if self.room() == 0 {
            return Vec::new();
        }
        match self.pace {
            Pace::Busy => self.call_oldest(Call::Alone).into_iter().collect(),
            Pace::Called | Pace::Resting => self.call_all(),
        }
    }

    fn rest(&mut self) -> Vec<Waker> {
        self.pace = Pace::Resting;
        if self.claims > 0 {
            let claimants = self.waiting.values_mut().filter(|one| one.claims() > 0);
            claimants.for_each(|one| one.has_lost = false);
            self.claims = 0;
        }
        self.call()
    }

    fn call_oldest(&mut self, call: Call) -> Option<Waker> {
        let id = self.unwoken.pop_first()?;
        let waiter = self.waiting.get_mut(&id)?;
        waiter.call = Some(call);
        self.claims += waiter.claims();
        Some(waiter.waker.clone())
    }

    fn call_all(&mut self) -> Vec<Waker> {
        std::iter::from_fn(|| self.call_oldest(Call::WithAll)).collect()
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
        places.free_in_turn(); // wakes `frozen`, which does not come
        assert_eq!(poll(&places, &mut other), Poll::Ready(Ok(())));
    }

    #[test]
    fn a_waiter_loses_a_race_at_most_once_while_the_actor_is_busy() {
        let places = Places::new(1);
        places.try_take().unwrap();
        let mut unlucky = None;
        assert!(poll(&places, &mut unlucky).is_pending());
        places.free_in_turn();
        places.try_take().unwrap(); // somebody was faster
        assert!(poll(&places, &mut unlucky).is_pending());
        places.free_in_turn();
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
        let mut frozen = claimed(&places);
        assert_eq!(places.try_take(), Err(NoPlace::Full));
        places.rest();
        assert_eq!(places.try_take(), Ok(()));
        places.free_in_turn();
        places.leave(&mut frozen);
        assert_eq!(places.try_take(), Ok(()));
    }

    /// A waiter that lost once and was woken again, and a place that is free for it.
    fn claimed(places: &Places) -> Ticket {
        places.try_take().unwrap();
        let mut claimant = None;
        assert!(poll(places, &mut claimant).is_pending());
        places.free_in_turn();
        places.try_take().unwrap();
        assert!(poll(places, &mut claimant).is_pending());
        places.free_in_turn();
        claimant
    }

    #[test]
    fn a_handler_that_waits_calls_everybody() {
        let places = Places::new(1);
        places.try_take().unwrap();
        let mut line = [None; 3];
        assert!(
            line.iter_mut()
                .all(|ticket| poll(&places, ticket).is_pending())
        );
        assert!(!places.suspend());
        assert_eq!(places.0.lock().unwoken.len(), 3, "without room nobody is");
        places.free_in_turn();
        assert_eq!(places.0.lock().unwoken.len(), 2, "a busy actor calls one");
        assert!(!places.suspend());
        assert_eq!(places.0.lock().unwoken.len(), 0);
    }

    #[test]
    fn a_place_that_is_freed_while_a_handler_waits_calls_everybody() {
        let places = Places::new(1);
        places.try_take().unwrap(); // a permit
        assert!(!places.suspend());
        let mut line = [None; 3];
        assert!(
            line.iter_mut()
                .all(|ticket| poll(&places, ticket).is_pending())
        );
        places.free();
        assert_eq!(places.0.lock().unwoken.len(), 0);
    }

    #[test]
    fn a_claim_outlasts_the_first_round_of_a_handler_that_waits_and_not_the_second() {
        let places = Places::new(1);
        let _frozen = claimed(&places);
        let mut other = None;
        assert!(places.suspend(), "there is a claimant");
        assert_eq!(places.try_take(), Err(NoPlace::Full));
        assert!(poll(&places, &mut other).is_pending());
        assert!(!places.suspend(), "it had its round");
        assert_eq!(places.0.lock().unwoken.len(), 0, "`other` was called again");
        assert_eq!(poll(&places, &mut other), Poll::Ready(Ok(())));
    }

    #[test]
    fn a_waiter_that_lost_keeps_its_turn_while_handlers_wait() {
        let places = Places::new(1);
        places.try_take().unwrap();
        let mut unlucky = None;
        assert!(poll(&places, &mut unlucky).is_pending());
        places.free_in_turn();
        places.try_take().unwrap();
        assert!(poll(&places, &mut unlucky).is_pending());
        assert!(!places.suspend()); // the handler of the message before
        places.free_in_turn();
        assert!(places.suspend(), "its claim stands");
        assert_eq!(places.try_take(), Err(NoPlace::Full));
        assert_eq!(poll(&places, &mut unlucky), Poll::Ready(Ok(())));
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
        places.free_in_turn();
        assert_eq!(places.taken(), 0);
    }

    /// What may happen to a mailbox of few places with few waiters.
    #[derive(Clone, Debug)]
    enum Step {
        TryTake,
        Poll(usize),
        Leave(usize),
        /// The actor takes a message.
        Pop,
        /// A permit is given back.
        Free,
        Suspend,
        Rest,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            Just(Step::TryTake),
            (0..4_usize).prop_map(Step::Poll),
            (0..4_usize).prop_map(Step::Leave),
            Just(Step::Pop),
            Just(Step::Free),
            Just(Step::Suspend),
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
                .filter(|waiter| waiter.call.is_some())
                .count()
        );
        assert!(
            woken >= line.room().min(line.waiting.len()),
            "no place lies there with everybody asleep"
        );
        match line.pace {
            Pace::Busy => {}
            Pace::Called => assert!(
                line.room() <= line.claims || line.unwoken.is_empty(),
                "only a claim keeps a place from those who sleep"
            ),
            Pace::Resting => {
                assert_eq!(line.claims, 0);
                assert!(
                    line.room() == 0 || line.unwoken.is_empty(),
                    "no actor rests while it has room and an unwoken waiter"
                );
            }
        }
    }

    proptest! {
        #[test]
        fn no_wake_up_is_lost_whatever_happens(
            capacity in 1..4_usize,
            steps in vec(step(), 0..80),
            is_idle in any::<bool>(),
        ) {
            let places = Places::new(capacity);
            let mut tickets: [Ticket; 4] = [None; 4];
            for step in steps {
                match step {
                    Step::TryTake => places.try_take().unwrap_or_default(),
                    Step::Poll(n) => assert_ne!(poll(&places, &mut tickets[n]), Poll::Ready(Err(NoPlace::Full))),
                    Step::Leave(n) => places.leave(&mut tickets[n]),
                    Step::Pop if places.taken() > 0 => places.free_in_turn(),
                    Step::Free if places.taken() > 0 => places.free(),
                    Step::Pop | Step::Free => {}
                    Step::Suspend => drop(places.suspend()),
                    Step::Rest => places.rest(),
                }
                check(&places);
            }
            // Once the actor is idle, or its handler has waited for a round, every place can be had, whoever asks.
            (0..places.taken()).for_each(|_| places.free_in_turn());
            if is_idle {
                places.rest();
            } else if places.suspend() {
                prop_assert!(!places.suspend());
            }
            check(&places);
            prop_assert_eq!((0..).take_while(|_| places.try_take().is_ok()).count(), capacity);
        }
    }
}
