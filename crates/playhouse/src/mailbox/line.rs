//! The line of those who wait for a place in a mailbox.
//!
//! 1. A freed place wakes the oldest waiter that was not woken yet. It is not kept for that waiter: whoever polls first
//!    takes it, so a waiter that is never polled again keeps nobody out.
//! 2. A waiter that was woken, came, and found the place taken has *lost*. From then on a wake-up is a *claim*: others
//!    leave it as many free places as there are claims, so nobody loses for ever.
//! 3. While the actor rests, because it has nothing to do or because its handler waits for something, a free place wakes
//!    *every* waiter: the one that matters may stand behind one that is never polled again, and the handler may wait for
//!    just that one. Such a call to all is nobody's claim, and to come too late for it is no loss.
//! 4. A claimant that was woken and did not come forfeits its claim when the actor rests. So rule 2 cannot break rule 1:
//!    a claim of a waiter that is never polled lasts as long as the actor is busy anyway. When a handler begins to wait,
//!    claimants get one more round of the run queue first, or whoever asks without waiting would overtake them in each
//!    handler that awaits. Those that lost and are back in line keep their turn.
//! 5. A woken waiter that leaves passes its wake-up on.
//!
//! The line decides; it locks nothing and calls nobody. Whom to call it hands out as [`Called`], to be called where no
//! lock is held, because a waker is somebody else's code.

use crate::limits;
use crate::sync::run_quietly;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::task::Waker;

/// A position in the line; `None` before the first wait.
pub(crate) type Ticket = Option<u64>;

/// What the actor is doing, as far as those who wait for a place are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Pace {
    /// Taking messages: a free place wakes one waiter.
    Busy,
    /// Its handler waits, everybody was called, and the claims stand for one more round.
    Called,
    /// A free place wakes everybody, and there are no claims.
    Resting,
}

/// Waiters by age. Tickets only grow, so joining is a push at the back and the order never changes. One that leaves from
/// the middle stays as a gap; gaps at the front go at once, the others when they outnumber the waiters, so an old waiter
/// that never leaves does not keep the places of all who came after it.
#[derive(Default)]
pub(super) struct Line {
    waiters: VecDeque<Waiter>,
    /// How many of `waiters` are gaps.
    gaps: usize,
    /// The tickets of those that were not woken since they last polled, the oldest on top. Some may have left since.
    asleep: BinaryHeap<Reverse<u64>>,
    /// How many of `asleep` are still there.
    unwoken: usize,
    claims: usize,
    last_ticket: u64,
}

struct Waiter {
    ticket: u64,
    /// There while nobody has called it.
    waker: Option<Waker>,
    standing: Standing,
    has_lost: bool,
}

/// Where a waiter stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Asleep,
    /// Woken since it last polled, by a free place of its own.
    CalledAlone,
    /// Woken since it last polled, together with everybody.
    CalledWithAll,
    Gone,
}

impl Waiter {
    fn claims(&self) -> usize {
        usize::from(self.standing == Standing::CalledAlone && self.has_lost)
    }

    fn is_called(&self) -> bool {
        matches!(
            self.standing,
            Standing::CalledAlone | Standing::CalledWithAll
        )
    }
}

/// Those to wake, once no lock is held.
#[derive(Default)]
#[must_use = "whoever is in here waits for it"]
pub(super) struct Called {
    /// Most calls wake one: that one needs no allocation.
    first: Option<Waker>,
    others: Vec<Waker>,
}

impl Called {
    /// A waker that panics breaks nothing of the actor.
    #[inline]
    pub(super) fn wake(self) {
        if self.first.is_some() {
            self.wake_all();
        }
    }

    fn wake_all(self) {
        let Some(first) = self.first else { return };
        run_quietly(|| first.wake());
        for other in self.others {
            run_quietly(|| other.wake());
        }
    }

    fn add(&mut self, waker: Option<Waker>) {
        match self.first {
            None => self.first = waker,
            Some(_) => self.others.extend(waker),
        }
    }
}

/// Who left. To be dropped once no lock is held, like every waker.
pub(super) struct Left {
    _waker: Option<Waker>,
    pub(super) was_called: bool,
}

impl Line {
    /// Whether a place that becomes free, or an actor that rests, has anything to do here.
    pub(super) fn is_waiting(&self) -> bool {
        self.unwoken > 0 || self.claims > 0
    }

    /// Whether a place that becomes free wakes anybody.
    pub(super) fn has_unwoken(&self) -> bool {
        self.unwoken > 0
    }

    /// Free places that are left to those who lost.
    pub(super) fn claims(&self) -> usize {
        self.claims
    }

    /// Free places that are left to others than this one.
    pub(super) fn claims_of_others(&self, ticket: Ticket) -> usize {
        let own = self.find(ticket).map_or(0, |at| self.waiters[at].claims());
        self.claims - own
    }

    /// Whether it waits with just this waker, and was not called since.
    pub(super) fn knows(&self, ticket: Ticket, waker: &Waker) -> bool {
        self.find(ticket).is_some_and(|at| {
            let known = self.waiters[at].waker.as_ref();
            known.is_some_and(|known| known.will_wake(waker))
        })
    }

    /// Takes its position, or keeps it. Hands back the waker that is no longer needed.
    pub(super) fn wait(&mut self, ticket: &mut Ticket, waker: Waker) -> Option<Waker> {
        let at = self.find(*ticket).unwrap_or_else(|| self.join(ticket));
        let waiter = &mut self.waiters[at];
        self.claims -= waiter.claims();
        waiter.has_lost |= waiter.standing == Standing::CalledAlone;
        if waiter.standing != Standing::Asleep {
            waiter.standing = Standing::Asleep;
            self.asleep.push(Reverse(waiter.ticket));
            self.unwoken += 1;
        }
        waiter.waker.replace(waker)
    }

    /// It has its place, or gives up.
    pub(super) fn leave(&mut self, ticket: &mut Ticket) -> Option<Left> {
        let at = self.find(ticket.take())?;
        let waiter = &mut self.waiters[at];
        let left = Left {
            _waker: waiter.waker.take(),
            was_called: waiter.is_called(),
        };
        self.claims -= waiter.claims();
        self.unwoken -= usize::from(waiter.standing == Standing::Asleep);
        waiter.standing = Standing::Gone;
        self.gaps += 1;
        self.close_gaps();
        Some(left)
    }

    /// Whom to wake now that there may be room.
    pub(super) fn call(&mut self, room: usize, pace: Pace) -> Called {
        let mut called = Called::default();
        match pace {
            _ if room == 0 => {}
            Pace::Busy => {
                self.call_oldest(Standing::CalledAlone, &mut called);
                // One place wakes one. More than one is due when a place was freed just as somebody joined, and
                // neither saw the other.
                while self.waiting() - self.unwoken < room.min(self.waiting()) {
                    self.call_oldest(Standing::CalledAlone, &mut called);
                }
            }
            Pace::Called | Pace::Resting => self.call_everybody(&mut called),
        }
        called
    }

    /// The actor rests: no claim stands any more, and whoever can come should.
    pub(super) fn rest(&mut self, room: usize) -> Called {
        if self.claims > 0 {
            let claimants = self.waiters.iter_mut().filter(|one| one.claims() > 0);
            claimants.for_each(|one| one.has_lost = false);
            self.claims = 0;
        }
        self.call(room, Pace::Resting)
    }

    /// The actor's handler waits. Answers its pace from now on.
    pub(super) fn suspend(&mut self, room: usize, pace: Pace) -> (Pace, Called) {
        if self.claims > 0 && pace == Pace::Busy {
            (Pace::Called, self.call(room, Pace::Called))
        } else {
            (Pace::Resting, self.rest(room))
        }
    }

    /// There will be no places any more.
    pub(super) fn close(&mut self) -> Called {
        let mut called = Called::default();
        self.call_everybody(&mut called);
        called
    }

    fn waiting(&self) -> usize {
        self.waiters.len() - self.gaps
    }

    fn find(&self, ticket: Ticket) -> Option<usize> {
        let ticket = ticket?;
        self.waiters
            .binary_search_by_key(&ticket, |waiter| waiter.ticket)
            .ok()
            .filter(|&at| self.waiters[at].standing != Standing::Gone)
    }

    fn join(&mut self, ticket: &mut Ticket) -> usize {
        self.last_ticket += 1;
        *ticket = Some(self.last_ticket);
        self.waiters.push_back(Waiter {
            ticket: self.last_ticket,
            waker: None,
            standing: Standing::Asleep,
            has_lost: false,
        });
        self.asleep.push(Reverse(self.last_ticket));
        self.unwoken += 1;
        self.waiters.len() - 1
    }

    fn call_everybody(&mut self, called: &mut Called) {
        while self.unwoken > 0 {
            self.call_oldest(Standing::CalledWithAll, called);
        }
    }

    /// Wakes the oldest that sleeps, if there is one.
    fn call_oldest(&mut self, call: Standing, called: &mut Called) {
        while let Some(Reverse(ticket)) = self.asleep.pop() {
            let Some(at) = self.find(Some(ticket)) else {
                continue; // it left
            };
            let waiter = &mut self.waiters[at];
            waiter.standing = call;
            self.claims += waiter.claims();
            self.unwoken -= 1;
            called.add(waiter.waker.take());
            return;
        }
    }

    fn close_gaps(&mut self) {
        while self
            .waiters
            .front()
            .is_some_and(|one| one.standing == Standing::Gone)
        {
            self.waiters.pop_front();
            self.gaps -= 1;
        }
        if self.gaps > self.waiting() + limits::LINE_SLACK {
            self.waiters
                .retain(|waiter| waiter.standing != Standing::Gone);
            self.gaps = 0;
        }
        if self.asleep.len() > 2 * self.unwoken + limits::LINE_SLACK {
            self.forget_those_who_left();
        }
        self.shrink();
    }

    fn forget_those_who_left(&mut self) {
        let waiters = &self.waiters;
        self.asleep.retain(|Reverse(ticket)| {
            waiters
                .binary_search_by_key(ticket, |waiter| waiter.ticket)
                .is_ok_and(|at| waiters[at].standing == Standing::Asleep)
        });
    }

    /// Gives back the memory of a line that was long once. Only what is four times too large, so that it does not come and
    /// go with each waiter.
    fn shrink(&mut self) {
        let kept = |length: usize| length.max(limits::LINE_SLACK);
        if self.waiters.capacity() > 4 * kept(self.waiters.len()) {
            self.waiters.shrink_to(2 * self.waiters.len());
        }
        if self.asleep.capacity() > 4 * kept(self.asleep.len()) {
            self.asleep.shrink_to(2 * self.asleep.len());
        }
    }
}

/// What tests may see.
#[cfg(all(test, not(playhouse_loom)))]
impl Line {
    pub(super) fn unwoken(&self) -> usize {
        self.unwoken
    }

    /// What must hold whenever nobody is in the middle of something.
    pub(super) fn check(&self, room: usize, pace: Pace) {
        let here = || {
            let all = self.waiters.iter();
            all.filter(|one| one.standing != Standing::Gone)
        };
        assert_eq!(self.waiting(), here().count());
        assert_eq!(self.claims, here().map(Waiter::claims).sum::<usize>());
        let woken = here().filter(|one| one.is_called()).count();
        assert_eq!(woken, self.waiting() - self.unwoken);
        assert!(
            here().all(|one| one.waker.is_some() != one.is_called()),
            "a waker is there until it is called"
        );
        assert!(
            woken >= room.min(self.waiting()),
            "no place lies there with everybody asleep"
        );
        match pace {
            Pace::Busy => {}
            Pace::Called => assert!(
                room <= self.claims || self.unwoken == 0,
                "only a claim keeps a place from those who sleep"
            ),
            Pace::Resting => {
                assert_eq!(self.claims, 0);
                assert!(
                    room == 0 || self.unwoken == 0,
                    "no actor rests while it has room and an unwoken waiter"
                );
            }
        }
    }
}

#[cfg(all(test, not(playhouse_loom)))]
mod tests {
    use super::*;

    fn join(line: &mut Line) -> Ticket {
        let mut ticket = None;
        assert!(line.wait(&mut ticket, Waker::noop().clone()).is_none());
        ticket
    }

    #[test]
    fn an_old_waiter_does_not_keep_the_places_of_those_who_came_and_left() {
        let mut line = Line::default();
        let _old = join(&mut line);
        for _ in 0..10_000 {
            let mut ticket = join(&mut line);
            assert!(line.leave(&mut ticket).is_some());
        }
        assert!(line.waiters.len() <= 2 + 2 * limits::LINE_SLACK);
        assert!(line.asleep.len() <= 2 + 2 * limits::LINE_SLACK);
        line.check(0, Pace::Busy);
    }

    #[test]
    fn a_long_line_is_called_in_order_of_age_and_shrinks_again() {
        let mut line = Line::default();
        let mut tickets: Vec<_> = (0..100_000).map(|_| join(&mut line)).collect();
        for (nth, ticket) in tickets.iter_mut().enumerate() {
            line.call(1, Pace::Busy).wake();
            let at = line.find(*ticket).expect("it has not left");
            assert!(line.waiters[at].is_called(), "number {nth} is the oldest");
            assert!(line.leave(ticket).is_some_and(|left| left.was_called));
        }
        assert!(!line.is_waiting());
        assert!(line.waiters.capacity() <= 4 * limits::LINE_SLACK);
        assert!(line.asleep.capacity() <= 4 * limits::LINE_SLACK);
    }

    #[test]
    fn more_than_one_is_called_if_a_call_was_missed() {
        let mut line = Line::default();
        let _tickets = [join(&mut line), join(&mut line), join(&mut line)];
        line.call(2, Pace::Busy).wake();
        assert_eq!(line.unwoken(), 1);
        line.check(2, Pace::Busy);
    }
}
