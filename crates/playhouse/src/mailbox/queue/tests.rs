//! The lane alone, the waiting senders as they meet it, and the lane against its plain twin.

use super::*;
use crate::mailbox::Ticket;
use crate::mailbox::twin::Twin;
use crate::sync::{Arc, AtomicUsize, catch, thread};
use proptest::collection::vec;
use proptest::prelude::*;
use std::panic::resume_unwind;
use std::task::{Context, Poll, Wake, Waker};

/// A lane whose turn the test owns, so that the tests read like the protocol.
struct Owned<T: 'static>(Lone<T>);

impl<T: 'static> std::ops::Deref for Owned<T> {
    type Target = Queue<'static, T>;
    fn deref(&self) -> &Queue<'static, T> {
        &self.0
    }
}

// SAFETY of all of it: each test has one thread that owns the turn, and uses these on that one alone.
impl<T: 'static> Owned<T> {
    fn new(capacity: usize) -> Self {
        Self(Lone::new(capacity))
    }
    fn after(messages: u64, capacity: usize) -> Self {
        Self(Lone::after(messages, capacity))
    }
    fn pop(&self) -> Option<T> {
        // SAFETY: as above.
        unsafe { self.0.pop() }
    }
    fn free(&self) {
        // SAFETY: as above.
        unsafe { self.0.free() }
    }
    fn free_fenced(&self) {
        // SAFETY: as above.
        unsafe { self.0.free_fenced() }
    }
    fn unfree(&self) {
        // SAFETY: as above.
        unsafe { self.0.unfree() }
    }
    fn try_idle(&self) -> bool {
        // SAFETY: as above; the lane is scheduled again before the next call that needs the turn.
        unsafe { self.0.try_idle() }
    }
    fn take_nudge(&self) -> bool {
        // SAFETY: as above.
        unsafe { self.0.take_nudge() }
    }
    fn suspend(&self) -> bool {
        // SAFETY: as above.
        unsafe { self.0.suspend() }
    }
    fn end(&self) -> Vec<T> {
        // SAFETY: as above.
        unsafe { self.0.end() }
    }

    fn unwoken(&self) -> usize {
        self.locked(|_, locked| locked.line.as_ref().map_or(0, |line| line.unwoken()))
    }

    /// What must hold between any two steps. What does not is told once the lock is not held.
    fn check(&self) {
        let checked = self.locked(|state, locked| {
            catch(|| {
                let room = self.room(*state, locked);
                let is_waiting = locked.line.as_ref().is_some_and(|line| line.is_waiting());
                assert_eq!(state.has(WAITING), is_waiting);
                let has_unwoken = locked.line.as_ref().is_some_and(|line| line.has_unwoken());
                assert_eq!(self.hint.load(Ordering::Relaxed) != 0, has_unwoken);
                if let Some(line) = &locked.line
                    && !state.has(CLOSED)
                {
                    line.check(room, self.pace());
                }
            })
        });
        checked.unwrap_or_else(|panic| resume_unwind(panic));
    }
}

fn poll<T>(queue: &Queue<'_, T>, ticket: &mut Ticket) -> Poll<Result<(), NoPlace>> {
    queue.poll_reserve(ticket, &Context::from_waker(Waker::noop()))
}

fn queued<E: std::fmt::Debug>(answer: Result<Pushed, E>) {
    assert_eq!(answer.unwrap(), Pushed::Queued);
}

/// A full lane of one place: its permit is out.
fn full() -> Owned<u32> {
    let queue = Owned::new(1);
    queue.try_reserve().unwrap();
    queue
}

/// The permit becomes a message, and the actor takes it.
fn handle_one(queue: &Owned<u32>) {
    assert_eq!(queue.push_reserved(0), Ok(Pushed::Queued));
    assert_eq!(queue.pop(), Some(0));
    queue.free();
}

mod lane {
    use super::*;

    #[test]
    fn every_chunk_boundary_is_passed_in_order_from_every_fill() {
        for burst in [
            1, 3, 4, 5, 11, 12, 13, 27, 28, 29, 60, 61, 124, 125, 188, 189, 1_000,
        ] {
            let queue = Owned::new(usize::MAX);
            let mut next = 0_u64;
            for _ in 0..5 {
                let first = next;
                for _ in 0..burst {
                    queued(queue.push_outside(next));
                    next += 1;
                }
                for number in first..next {
                    assert!(!queue.is_empty());
                    assert_eq!(queue.pop(), Some(number));
                }
                assert_eq!(queue.pop(), None);
                assert!(queue.is_empty());
            }
        }
    }

    #[test]
    fn an_idle_lane_starts_over_in_the_same_chunk() {
        let queue = Owned::new(usize::MAX);
        for round in 0..20 {
            let tail = queue.locked(|_, locked| locked.tail);
            assert_eq!(
                queue.try_push(round),
                Ok(if round == 0 {
                    Pushed::Queued
                } else {
                    Pushed::WasIdle
                })
            );
            if round > 0 {
                assert!(tail == queue.locked(|_, locked| locked.tail));
            }
            assert_eq!(queue.pop(), Some(round));
            assert!(queue.try_idle());
        }
    }

    #[test]
    fn a_message_or_a_nudge_keeps_the_actor_from_going_idle() {
        let queue = Owned::new(4);
        assert_eq!(queue.try_push(1), Ok(Pushed::Queued));
        assert!(!queue.try_idle());
        assert_eq!(queue.pop(), Some(1));
        assert!(!queue.nudge(), "it is scheduled");
        assert!(!queue.try_idle());
        assert!(queue.take_nudge());
        assert!(!queue.take_nudge());
        assert!(queue.try_idle());
        assert!(queue.nudge(), "the caller schedules it");
        assert!(queue.take_nudge());
        assert!(queue.try_idle());
        assert!(queue.try_claim(), "the caller owns the turn");
        assert!(!queue.try_claim());
        assert_eq!(queue.try_push(2), Ok(Pushed::Queued));
    }

    #[test]
    fn what_is_queued_reserved_or_stashed_holds_a_place() {
        let queue = Owned::new(3);
        queued(queue.try_push(1));
        queue.try_reserve().unwrap();
        queued(queue.push_outside(2));
        assert_eq!((queue.taken(), queue.permits()), (2, 1));
        queued(queue.push_reserved(3));
        assert_eq!((queue.taken(), queue.permits()), (2, 0));
        assert_eq!(queue.pop(), Some(1));
        assert_eq!(queue.taken(), 2, "popped is not freed");
        queue.free_fenced();
        assert_eq!(queue.taken(), 1);
        queue.unfree(); // it is stashed
        queued(queue.try_push(4));
        assert_eq!(queue.try_push(5), Err((NoPlace::Full, 5)));
        queued(queue.push_regardless(5));
        assert_eq!((queue.taken(), queue.pushes(), queue.freed()), (4, 4, 0));
        queue.free();
        assert_eq!(queue.try_reserve(), Err(NoPlace::Full), "still at capacity");
        queue.free();
        assert_eq!(queue.try_reserve(), Ok(()));
    }

    #[test]
    fn a_closed_lane_takes_what_was_promised_and_an_ended_one_nothing() {
        let queue = Owned::new(4);
        queue.try_reserve().unwrap();
        queue.try_reserve().unwrap();
        queue.close_admission();
        assert_eq!(queue.try_push(1), Err((NoPlace::Closed, 1)));
        assert_eq!(queue.try_reserve(), Err(NoPlace::Closed));
        assert_eq!(queue.push_reserved(2), Ok(Pushed::Queued));
        assert_eq!(queue.push_outside(3), Ok(Pushed::Queued));
        assert_eq!(queue.push_regardless(4), Ok(Pushed::Queued));
        assert_eq!(queue.end(), [2, 3, 4]);
        assert_eq!(queue.push_reserved(5), Err(5));
        assert_eq!(queue.permits(), 0, "it is used up all the same");
        assert_eq!(queue.push_outside(6), Err(6));
        assert_eq!(queue.push_regardless(7), Err(7));
        assert_eq!((queue.pop(), queue.end()), (None, Vec::new()));
        assert!(
            !queue.nudge() && !queue.try_claim(),
            "the turn is not given up"
        );
    }

    #[test]
    fn every_message_is_dropped_once_wherever_it_is() {
        struct Counted(Arc<AtomicUsize>);
        impl Drop for Counted {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        for queued in [0, 1, 4, 5, 12, 28, 60, 124, 200] {
            let drops = Arc::new(AtomicUsize::new(0));
            let queue = Owned::new(usize::MAX);
            for _ in 0..queued + 3 {
                assert!(queue.try_push(Counted(drops.clone())).is_ok());
            }
            (0..3).for_each(|_| drop(queue.pop()));
            assert_eq!(drops.load(Ordering::Relaxed), 3);
            drop(queue);
            assert_eq!(drops.load(Ordering::Relaxed), queued + 3);
            assert_eq!(Arc::strong_count(&drops), 1, "none is left behind");
        }
    }

    #[test]
    fn messages_without_size_and_with_a_large_alignment_are_kept() {
        #[derive(Debug, PartialEq)]
        #[repr(align(128))]
        struct Wide(u8);
        let (nothing, wide) = (Owned::new(9), Owned::new(usize::MAX));
        (0..9).for_each(|_| queued(nothing.try_push(())));
        assert_eq!(nothing.try_push(()), Err((NoPlace::Full, ())));
        (0..100).for_each(|n| queued(wide.try_push(Wide(n))));
        assert!((0..9).all(|_| nothing.pop() == Some(())) && nothing.pop().is_none());
        assert!((0..100).all(|n| wide.pop() == Some(Wide(n))));
    }

    #[test]
    fn a_waker_that_panics_breaks_nothing() {
        struct Bomb;
        impl Wake for Bomb {
            fn wake(self: Arc<Self>) {
                std::panic::resume_unwind(Box::new("no")); // without the hook's report
            }
        }
        let queue = full();
        let (waker, mut ticket) = (Waker::from(Arc::new(Bomb)), None);
        let context = Context::from_waker(&waker);
        assert!(queue.poll_reserve(&mut ticket, &context).is_pending());
        handle_one(&queue);
        assert_eq!(
            queue.poll_reserve(&mut ticket, &context),
            Poll::Ready(Ok(()))
        );
    }

    /// Two producers, and a consumer that goes idle whenever it can: whoever wins the turn hands it over here.
    #[test]
    fn two_producers_and_a_consumer_that_goes_idle_lose_nothing() {
        for capacity in [64, usize::MAX] {
            run(capacity);
        }

        fn run(capacity: usize) {
            const MESSAGES: u64 = 500_000;
            let queue = Owned::new(capacity);
            let turns = AtomicUsize::new(1);
            let produce = |producer: u64| {
                for number in 0..MESSAGES {
                    let mut message = (producer, number);
                    loop {
                        match queue.0.try_push(message) {
                            Ok(Pushed::Queued | Pushed::Swollen) => break,
                            Ok(Pushed::WasIdle) => {
                                assert_eq!(turns.fetch_add(1, Ordering::Release), 0);
                                break;
                            }
                            Err((why, back)) => {
                                assert_eq!(why, NoPlace::Full);
                                message = back;
                                thread::yield_now();
                            }
                        }
                    }
                }
            };
            // SAFETY: `turns` is one from when the turn was won until it is given up, and only this thread takes it.
            let consume = || unsafe {
                let mut next = [0; 2];
                while next != [MESSAGES; 2] {
                    if turns.load(Ordering::Acquire) == 0 {
                        thread::yield_now();
                        continue;
                    }
                    while let Some((producer, number)) = queue.0.pop() {
                        queue.0.free();
                        assert_eq!(number, next[producer as usize]);
                        next[producer as usize] += 1;
                    }
                    turns.store(0, Ordering::Relaxed);
                    if !queue.0.try_idle() {
                        turns.store(1, Ordering::Relaxed);
                    }
                }
            };
            thread::scope(|scope| {
                scope.spawn(|| produce(0));
                scope.spawn(|| produce(1));
                consume();
            });
            assert_eq!(queue.pushes(), 2 * MESSAGES);
            assert_eq!(queue.freed(), 2 * MESSAGES);
            assert!(queue.is_empty());
        }
    }
}

mod line {
    use super::*;

    #[test]
    fn a_waiter_that_is_never_polled_again_keeps_nobody_out() {
        let queue = full();
        let (mut frozen, mut other) = (None, None);
        assert!(poll(&queue, &mut frozen).is_pending());
        assert!(poll(&queue, &mut other).is_pending());
        handle_one(&queue); // wakes `frozen`, which does not come
        assert_eq!(poll(&queue, &mut other), Poll::Ready(Ok(())));
    }

    #[test]
    fn a_waiter_loses_a_race_at_most_once_while_the_actor_is_busy() {
        let queue = full();
        let mut unlucky = None;
        assert!(poll(&queue, &mut unlucky).is_pending());
        handle_one(&queue);
        queue.try_reserve().unwrap(); // somebody was faster
        assert!(poll(&queue, &mut unlucky).is_pending());
        handle_one(&queue);
        assert_eq!(queue.try_reserve(), Err(NoPlace::Full), "it is claimed");
        assert_eq!(queue.try_push(1), Err((NoPlace::Full, 1)), "for all");
        assert_eq!(poll(&queue, &mut unlucky), Poll::Ready(Ok(())));
    }

    #[test]
    fn a_claim_ends_when_the_actor_rests_or_the_waiter_leaves() {
        let (queue, mut frozen) = claimed();
        assert_eq!(queue.try_reserve(), Err(NoPlace::Full));
        assert!(queue.try_idle());
        assert_eq!(queue.try_reserve(), Ok(()));
        assert!(queue.try_claim());
        handle_one(&queue);
        queue.leave(&mut frozen);
        assert_eq!(queue.try_reserve(), Ok(()));
    }

    /// A waiter that lost once and was woken again, and a place that is free for it.
    fn claimed() -> (Owned<u32>, Ticket) {
        let queue = full();
        let mut claimant = None;
        assert!(poll(&queue, &mut claimant).is_pending());
        handle_one(&queue);
        queue.try_reserve().unwrap();
        assert!(poll(&queue, &mut claimant).is_pending());
        handle_one(&queue);
        (queue, claimant)
    }

    #[test]
    fn a_handler_that_waits_calls_everybody() {
        let queue = full();
        let mut line = [None; 3];
        assert!(
            line.iter_mut()
                .all(|ticket| poll(&queue, ticket).is_pending())
        );
        assert!(!queue.suspend());
        assert_eq!(queue.unwoken(), 3, "without room nobody is");
        handle_one(&queue);
        assert_eq!(queue.unwoken(), 2, "a busy actor calls one");
        assert!(!queue.suspend());
        assert_eq!(queue.unwoken(), 0);
    }

    #[test]
    fn a_place_that_is_freed_while_a_handler_waits_calls_everybody() {
        let queue = full();
        assert!(!queue.suspend());
        let mut line = [None; 3];
        assert!(
            line.iter_mut()
                .all(|ticket| poll(&queue, ticket).is_pending())
        );
        queue.release();
        assert_eq!(queue.unwoken(), 0);
    }

    #[test]
    fn a_place_that_is_freed_while_the_actor_is_idle_calls_everybody() {
        let queue = full();
        let mut line = [None; 3];
        assert!(
            line.iter_mut()
                .all(|ticket| poll(&queue, ticket).is_pending())
        );
        assert!(
            queue.try_idle(),
            "there is no room, so nobody is kept waiting"
        );
        assert_eq!(queue.unwoken(), 3);
        queue.release();
        assert_eq!(queue.unwoken(), 0);
    }

    #[test]
    fn an_actor_that_goes_idle_calls_everybody_if_there_is_room() {
        let queue = Owned::new(1);
        queued(queue.try_push(7));
        let mut line = [None; 3];
        assert!(
            line.iter_mut()
                .all(|ticket| poll(&queue, ticket).is_pending())
        );
        assert_eq!(queue.pop(), Some(7));
        queue.free();
        assert_eq!(queue.unwoken(), 2);
        assert!(queue.try_idle());
        assert_eq!(queue.unwoken(), 0);
    }

    #[test]
    fn a_claim_outlasts_the_first_round_of_a_handler_that_waits_and_not_the_second() {
        let (queue, _frozen) = claimed();
        let mut other = None;
        assert!(queue.suspend(), "there is a claimant");
        assert_eq!(queue.try_reserve(), Err(NoPlace::Full));
        assert!(poll(&queue, &mut other).is_pending());
        assert!(!queue.suspend(), "it had its round");
        assert_eq!(queue.unwoken(), 0, "`other` was called again");
        assert_eq!(poll(&queue, &mut other), Poll::Ready(Ok(())));
    }

    #[test]
    fn a_waiter_that_lost_keeps_its_turn_while_handlers_wait() {
        let queue = full();
        let mut unlucky = None;
        assert!(poll(&queue, &mut unlucky).is_pending());
        handle_one(&queue);
        queue.try_reserve().unwrap();
        assert!(poll(&queue, &mut unlucky).is_pending());
        assert!(!queue.suspend()); // the handler of the message before
        handle_one(&queue);
        assert!(queue.suspend(), "its claim stands");
        assert_eq!(queue.try_reserve(), Err(NoPlace::Full));
        assert_eq!(poll(&queue, &mut unlucky), Poll::Ready(Ok(())));
    }

    #[test]
    fn a_count_of_freed_places_that_comes_round_loses_no_place() {
        let round = 1_u64 << 32;
        let queue = Owned::after(round - 3, 2);
        for handled in 1..=6 {
            queued(queue.try_push(0));
            assert_eq!(queue.try_reserve(), Ok(()));
            assert_eq!(queue.try_push(0), Err((NoPlace::Full, 0)));
            assert_eq!(queue.pop(), Some(0));
            queue.free();
            queue.release();
            assert_eq!(queue.freed(), round - 3 + handled);
            assert_eq!(queue.taken(), 0);
        }
    }

    /// In a process of its own, which is this test once more.
    #[test]
    #[cfg(debug_assertions)] // what panics there is looked for in no other build
    fn a_panic_under_the_lock_ends_the_program_with_a_reason() {
        const INSIDE: &str = "PLAYHOUSE_PANICS_UNDER_THE_LOCK";
        let name =
            "mailbox::queue::tests::line::a_panic_under_the_lock_ends_the_program_with_a_reason";
        if std::env::var_os(INSIDE).is_some() {
            return Owned::<u32>::new(1).release(); // no permit is out
        }
        let ended = std::process::Command::new(std::env::current_exe().expect("this one"))
            .args(["--exact", name, "--nocapture"])
            .env(INSIDE, "yes")
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(!ended.status.success());
        assert!(
            said.contains("a mailbox panicked while it was locked"),
            "{said}"
        );
    }

    #[test]
    fn closing_ends_every_wait() {
        let queue = full();
        let mut waiting = None;
        assert!(poll(&queue, &mut waiting).is_pending());
        queue.close_admission();
        assert_eq!(queue.unwoken(), 0);
        assert_eq!(
            poll(&queue, &mut waiting),
            Poll::Ready(Err(NoPlace::Closed))
        );
        assert_eq!(queue.try_reserve(), Err(NoPlace::Closed));
        queue.release();
        assert_eq!(queue.taken(), 0);
    }
}

mod against_the_twin {
    use super::*;

    const WAITERS: usize = 4;

    /// What may happen to a mailbox of few places with few waiters.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        TryPush,
        TryReserve,
        Poll(usize),
        Leave(usize),
        PushReserved,
        Release,
        PushOutside,
        PushRegardless,
        CloseAdmission,
        Nudge,
        TryClaim,
        /// The actor takes a message, and its handler has it.
        PopAndFree {
            is_patient: bool,
        },
        /// The actor takes a message that holds no place.
        Pop,
        Stash,
        Unstash,
        TryIdle,
        TakeNudge,
        Suspend,
        End,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            6 => Just(Step::TryPush),
            3 => Just(Step::TryReserve),
            8 => (0..WAITERS).prop_map(Step::Poll),
            3 => (0..WAITERS).prop_map(Step::Leave),
            3 => Just(Step::PushReserved),
            2 => Just(Step::Release),
            1 => Just(Step::PushOutside),
            1 => Just(Step::PushRegardless),
            6 => any::<bool>().prop_map(|is_patient| Step::PopAndFree { is_patient }),
            1 => Just(Step::Stash),
            1 => Just(Step::Unstash),
            1 => Just(Step::Pop),
            3 => Just(Step::TryIdle),
            1 => Just(Step::Nudge),
            1 => Just(Step::TryClaim),
            1 => Just(Step::TakeNudge),
            3 => Just(Step::Suspend),
        ]
    }

    /// Mostly a life, with an end to it in some cases.
    fn life() -> impl Strategy<Value = Vec<Step>> {
        let closing = prop_oneof![
            2 => Just(Vec::new()),
            1 => Just(vec![Step::CloseAdmission]),
            1 => Just(vec![Step::End]),
        ];
        (vec(step(), 0..120), closing, vec(step(), 0..20))
            .prop_map(|(before, closing, after)| [before, closing, after].concat())
    }

    struct Bells([Arc<Count>; WAITERS]);

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    impl Bells {
        fn new() -> Self {
            Self(std::array::from_fn(|_| Arc::default()))
        }
        fn waker(&self, n: usize) -> Waker {
            Waker::from(self.0[n].clone())
        }
        fn rung(&self) -> [usize; WAITERS] {
            std::array::from_fn(|n| self.0[n].0.load(Ordering::Relaxed))
        }
    }

    /// Both forms side by side, and what a cell would know about its turn.
    struct Pair {
        fast: Owned<u32>,
        twin: Twin<u32>,
        bells: (Bells, Bells),
        tickets: ([Ticket; WAITERS], [Ticket; WAITERS]),
        is_scheduled: bool,
        has_ended: bool,
        stashed: usize,
        next: u32,
        /// Messages that the fast one had before.
        before: u64,
    }

    impl Pair {
        fn new(capacity: usize, before: u64) -> Self {
            Self {
                fast: Owned::after(before, capacity),
                twin: Twin::new(capacity),
                bells: (Bells::new(), Bells::new()),
                tickets: Default::default(),
                is_scheduled: true,
                has_ended: false,
                stashed: 0,
                next: 0,
                before,
            }
        }

        fn pushed<E: std::fmt::Debug + PartialEq>(
            &mut self,
            fast: Result<Pushed, E>,
            twin: Result<Pushed, E>,
        ) {
            assert_eq!(fast, twin);
            if let Ok(pushed) = fast {
                assert_eq!(pushed == Pushed::WasIdle, !self.is_scheduled);
                self.is_scheduled = true;
            }
        }

        fn won(&mut self, fast: bool, twin: bool) {
            assert_eq!(fast, twin);
            assert_eq!(fast, !self.is_scheduled);
            self.is_scheduled = true;
        }

        /// For any thread.
        fn outside(&mut self, step: Step) {
            self.next += 1;
            let n = self.next;
            match step {
                Step::TryPush => self.pushed(self.fast.try_push(n), self.twin.try_push(n)),
                Step::TryReserve => assert_eq!(self.fast.try_reserve(), self.twin.try_reserve()),
                Step::Poll(who) => self.poll(who),
                Step::Leave(who) => {
                    self.fast.leave(&mut self.tickets.0[who]);
                    self.twin.leave(&mut self.tickets.1[who]);
                }
                Step::PushReserved if self.fast.permits() > 0 => {
                    self.pushed(self.fast.push_reserved(n), self.twin.push_reserved(n));
                }
                Step::Release if self.fast.permits() > 0 => {
                    self.fast.release();
                    self.twin.release();
                }
                Step::PushOutside => {
                    // Marked, so that a pop knows.
                    let n = n | OUTSIDE;
                    self.pushed(self.fast.push_outside(n), self.twin.push_outside(n));
                }
                Step::PushRegardless => {
                    self.pushed(self.fast.push_regardless(n), self.twin.push_regardless(n));
                }
                Step::CloseAdmission => {
                    self.fast.close_admission();
                    self.twin.close_admission();
                }
                Step::Nudge => self.won(self.fast.nudge(), self.twin.nudge()),
                Step::TryClaim => self.won(self.fast.try_claim(), self.twin.try_claim()),
                _ => {}
            }
        }

        fn poll(&mut self, who: usize) {
            let (fast, twin) = (self.bells.0.waker(who), self.bells.1.waker(who));
            assert_eq!(
                self.fast
                    .poll_reserve(&mut self.tickets.0[who], &Context::from_waker(&fast)),
                self.twin
                    .poll_reserve(&mut self.tickets.1[who], &Context::from_waker(&twin))
            );
        }

        /// For the owner of the turn.
        fn turn(&mut self, step: Step) {
            match step {
                Step::PopAndFree { is_patient } => self.pop_and_free(is_patient),
                Step::Pop => {
                    // The place is freed later, like a stashed message's.
                    let popped = self.pop();
                    self.stashed += usize::from(popped.is_some_and(|n| n & OUTSIDE == 0));
                }
                Step::Stash if self.twin.freed() > 0 => {
                    self.fast.unfree();
                    self.twin.unfree();
                    self.stashed += 1;
                }
                Step::Unstash if self.stashed > 0 => {
                    self.stashed -= 1;
                    self.free(false);
                }
                Step::TryIdle if !self.has_ended => {
                    let is_idle = self.fast.try_idle();
                    assert_eq!(is_idle, self.twin.try_idle());
                    self.is_scheduled = !is_idle;
                }
                Step::TakeNudge => assert_eq!(self.fast.take_nudge(), self.twin.take_nudge()),
                Step::Suspend => assert_eq!(self.fast.suspend(), self.twin.suspend()),
                Step::End => {
                    assert_eq!(self.fast.end(), self.twin.end());
                    self.has_ended = true;
                }
                _ => {}
            }
        }

        fn pop(&mut self) -> Option<u32> {
            let popped = self.fast.pop();
            assert_eq!(popped, self.twin.pop());
            popped
        }

        fn pop_and_free(&mut self, is_patient: bool) {
            if self.pop().is_some_and(|n| n & OUTSIDE == 0) {
                self.free(is_patient);
            }
        }

        fn free(&mut self, is_patient: bool) {
            if is_patient {
                self.fast.free_fenced();
            } else {
                self.fast.free();
            }
            self.twin.free();
        }

        fn check(&self) {
            assert_eq!(self.bells.0.rung(), self.bells.1.rung());
            assert_eq!(self.fast.permits(), self.twin.permits());
            assert_eq!(self.fast.is_empty(), self.twin.is_empty());
            assert_eq!(self.fast.pushes(), self.before + self.twin.pushes());
            if !self.has_ended {
                assert_eq!(self.fast.taken(), self.twin.taken());
                assert_eq!(self.fast.freed(), self.before + self.twin.freed());
                self.fast.check();
            }
        }
    }

    const OUTSIDE: u32 = 1 << 31;

    /// None, or as many as it takes for the count of freed places to come round within a life.
    fn messages_before() -> impl Strategy<Value = u64> {
        let round = 1_u64 << 32;
        prop_oneof![1 => Just(0), 1 => round - 60..round + 3]
    }

    proptest! {
        #[test]
        fn both_give_the_same_answers_and_wake_the_same_waiters(
            capacity in prop_oneof![4 => 1..4_usize, 1 => Just(usize::MAX)],
            before in messages_before(),
            steps in life(),
        ) {
            let mut pair = Pair::new(capacity, before);
            for step in steps {
                pair.outside(step);
                if pair.is_scheduled {
                    pair.turn(step);
                }
                pair.check();
            }
        }

        #[test]
        fn no_wake_up_is_lost_whatever_happens(
            capacity in 1..4_usize,
            before in messages_before(),
            steps in vec(step(), 0..80),
            is_idle in any::<bool>(),
        ) {
            let mut pair = Pair::new(capacity, before);
            for step in steps {
                pair.outside(step);
                if pair.is_scheduled {
                    pair.turn(step);
                }
            }
            // Once the actor is idle, or its handler has waited for a round, every place can be had, whoever asks.
            if !pair.is_scheduled {
                pair.outside(Step::TryClaim);
            }
            while !pair.fast.is_empty() {
                pair.pop_and_free(false);
            }
            (0..pair.stashed).for_each(|_| pair.free(false));
            (0..pair.fast.permits()).for_each(|_| pair.outside(Step::Release));
            let queue = &pair.fast;
            queue.take_nudge();
            if is_idle {
                prop_assert!(queue.try_idle());
            } else if queue.suspend() {
                prop_assert!(!queue.suspend());
            }
            queue.check();
            prop_assert_eq!(queue.taken(), 0);
            prop_assert_eq!((0..).take_while(|_| queue.try_reserve().is_ok()).count(), capacity);
        }
    }
}
