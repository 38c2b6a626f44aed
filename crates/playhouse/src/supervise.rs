//! What a failure leads to. A pure decision: the failure, what happened before, the time and one draw go in, and a
//! [`Verdict`] comes out. The actor's own turn carries it out (`cell/renewal.rs`).

use crate::failure::Failure;
use crate::limits;
use crate::sync::{Arc, catch};
use std::error::Error;
use std::fmt;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

/// What a failure leads to. The default of an actor is [`stop`](Self::stop). Exceptions to the default follow it; the
/// first that matches counts, and each restart among them has its own history. What an exception leads to may have
/// exceptions of its own.
///
/// ```
/// use playhouse::prelude::*;
/// use std::{io, num::ParseIntError};
///
/// let how = Supervise::stop()
///     .when::<io::Error>(Supervise::restart().backoff(secs(1)..=secs(30), 0.2).limit(10, secs(600)))
///     .when::<ParseIntError>(Supervise::resume())
///     .when_panic(Supervise::escalate());
/// # let _: Supervise = how;
/// ```
#[derive(Clone)]
#[must_use = "it is a setting, for `Props::supervise`"]
pub struct Supervise {
    otherwise: Directive,
    exceptions: Vec<Exception>,
}

#[derive(Clone, Debug)]
enum Directive {
    Stop,
    Resume,
    Escalate,
    Restart(Restart),
}

#[derive(Clone)]
struct Exception {
    test: Arc<dyn Fn(&Failure) -> bool + Send + Sync>,
    /// It was asked for by name that this may follow a panic.
    names_panics: bool,
    then: Supervise,
}

impl Supervise {
    /// The actor ends as [`Exit::Failed`](crate::Exit::Failed).
    pub fn stop() -> Supervise {
        Directive::Stop.into()
    }

    /// Keeps the state, skips the message. After a panic, which may have left the state half changed, it stops instead,
    /// unless it follows a [`when_panic`](Self::when_panic). An actor without a state (its factory failed) stops, and a
    /// [`Behavior`](crate::Behavior), whose state went into the step that failed, restarts.
    pub fn resume() -> Supervise {
        Directive::Resume.into()
    }

    /// The actor ends, and its parent fails with the same cause. An actor without a parent ends the system.
    pub fn escalate() -> Supervise {
        Directive::Escalate.into()
    }

    /// A fresh incarnation from the same factory, children ended first. Limited and backed off by default.
    pub fn restart() -> Restart {
        Restart::default()
    }

    /// For failures with an `E` in their cause chain.
    pub fn when<E: Error + 'static>(self, then: impl Into<Supervise>) -> Supervise {
        self.except(|failure| failure.find::<E>().is_some(), false, then)
    }

    /// For panics.
    pub fn when_panic(self, then: impl Into<Supervise>) -> Supervise {
        self.except(Failure::is_panic, true, then)
    }

    /// For failures that pass the test. A test that panics has not passed.
    pub fn when_matches(
        self,
        test: impl Fn(&Failure) -> bool + Send + Sync + 'static,
        then: impl Into<Supervise>,
    ) -> Supervise {
        self.except(test, false, then)
    }

    fn except(
        mut self,
        test: impl Fn(&Failure) -> bool + Send + Sync + 'static,
        names_panics: bool,
        then: impl Into<Supervise>,
    ) -> Supervise {
        self.exceptions.push(Exception {
            test: Arc::new(test),
            names_panics,
            then: then.into(),
        });
        self
    }

    /// What it says of this failure, the number of that directive among all of them, and whether panics were named on
    /// the way to it.
    fn find(&self, failure: &Failure, number: usize, names_panics: bool) -> Found<'_> {
        let mut next = number + 1;
        for Exception {
            test,
            names_panics: names,
            then,
        } in &self.exceptions
        {
            if catch(|| test(failure)).unwrap_or(false) {
                return then.find(failure, next, names_panics || *names);
            }
            next += then.directives();
        }
        Found {
            directive: &self.otherwise,
            number,
            names_panics,
        }
    }

    fn directives(&self) -> usize {
        let exceptions = self.exceptions.iter();
        1 + exceptions
            .map(|exception| exception.then.directives())
            .sum::<usize>()
    }
}

struct Found<'a> {
    directive: &'a Directive,
    number: usize,
    names_panics: bool,
}

impl From<Directive> for Supervise {
    fn from(otherwise: Directive) -> Self {
        Self {
            otherwise,
            exceptions: Vec::new(),
        }
    }
}

impl fmt::Debug for Supervise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Supervise({:?}", self.otherwise)?;
        for exception in &self.exceptions {
            write!(f, ", except {:?}", exception.then)?;
        }
        f.write_str(")")
    }
}

/// Restart settings: a type of their own, so that `stop().backoff(..)` does not compile.
#[derive(Clone, Debug)]
#[must_use = "it is a setting, for `Props::supervise`"]
pub struct Restart {
    first: Duration,
    last: Duration,
    jitter: f64,
    reset_after: Option<Duration>,
    times: u32,
    window: Duration,
    keeps_children: bool,
}

impl Restart {
    /// How long to wait before each restart: the first delay, doubling up to the last. `jitter` (0.0 to 1.0) lengthens
    /// each by a random part of itself, but never beyond the last, so that many actors that failed together do not come
    /// back together. Default: [`BACKOFF_FIRST`](limits::BACKOFF_FIRST) to [`BACKOFF_LAST`](limits::BACKOFF_LAST),
    /// [`BACKOFF_JITTER`](limits::BACKOFF_JITTER). Messages wait meanwhile.
    ///
    /// # Panics
    /// If the first delay is longer than the last, or the jitter is outside of its range.
    pub fn backoff(mut self, range: RangeInclusive<Duration>, jitter: f64) -> Self {
        let (first, last) = range.into_inner();
        assert!(
            first <= last,
            "a backoff grows from the first delay to the last; {first:?} is longer than {last:?}"
        );
        assert!(
            (0.0..=1.0).contains(&jitter),
            "jitter is a part of the delay, from 0.0 to 1.0, not {jitter}"
        );
        (self.first, self.last, self.jitter) = (first, last, jitter);
        self
    }

    /// No delay at all; the limit still holds.
    pub fn at_once(self) -> Self {
        self.backoff(Duration::ZERO..=Duration::ZERO, 0.0)
    }

    /// The delay is the first one again after an incarnation has lasted so long. Default: the middle between the first
    /// and the last delay.
    pub fn reset_after(mut self, quiet: Duration) -> Self {
        self.reset_after = Some(quiet);
        self
    }

    /// More than `times` in `window`: stops, failed. The window begins with the first restart in it. Default:
    /// [`RESTARTS`](limits::RESTARTS) in [`RESTART_WINDOW`](limits::RESTART_WINDOW).
    ///
    /// # Panics
    /// If the window is zero: nothing would ever be in it.
    pub fn limit(mut self, times: u32, window: Duration) -> Self {
        assert!(
            !window.is_zero(),
            "restarts are counted over a time; a window of zero would never hold one"
        );
        (self.times, self.window) = (times, window);
        self
    }

    /// The children live on, and are the children of the next incarnation.
    pub fn keep_children(mut self) -> Self {
        self.keeps_children = true;
        self
    }

    /// See [`Supervise::when`].
    pub fn when<E: Error + 'static>(self, then: impl Into<Supervise>) -> Supervise {
        Supervise::from(self).when::<E>(then)
    }

    /// See [`Supervise::when_panic`].
    pub fn when_panic(self, then: impl Into<Supervise>) -> Supervise {
        Supervise::from(self).when_panic(then)
    }

    /// See [`Supervise::when_matches`].
    pub fn when_matches(
        self,
        test: impl Fn(&Failure) -> bool + Send + Sync + 'static,
        then: impl Into<Supervise>,
    ) -> Supervise {
        Supervise::from(self).when_matches(test, then)
    }

    /// How long an incarnation lasts before its backoff is forgotten.
    fn quiet(&self) -> Duration {
        self.reset_after
            .unwrap_or_else(|| self.first.saturating_add(self.last) / 2)
    }

    /// Exponential backoff, clamped after the jitter.
    fn delay(&self, in_a_row: u32, draw: f64) -> Duration {
        let doubled = self
            .first
            .saturating_mul(1_u32.checked_shl(in_a_row).unwrap_or(u32::MAX));
        let lengthened = doubled.min(self.last).as_secs_f64() * (1.0 + self.jitter * draw);
        Duration::try_from_secs_f64(lengthened).map_or(self.last, |delay| delay.min(self.last))
    }

    pub(crate) fn decide(&self, history: &mut History, now: Instant, draw: f64) -> Verdict {
        if !history.counts_one_more(self, now) {
            return Verdict::Stop;
        }
        let was_quiet = history
            .restarted
            .is_some_and(|last| now.saturating_duration_since(last) >= self.quiet());
        if was_quiet {
            history.in_a_row = 0;
        }
        let delay = self.delay(history.in_a_row, draw);
        history.in_a_row = history.in_a_row.saturating_add(1);
        history.restarted = now.checked_add(delay); // `None`: no clock gets there
        Verdict::Restart(Renewal {
            delay,
            in_a_row: history.in_a_row,
            keeps_children: self.keeps_children,
        })
    }
}

impl Default for Restart {
    fn default() -> Self {
        Self {
            first: limits::BACKOFF_FIRST,
            last: limits::BACKOFF_LAST,
            jitter: limits::BACKOFF_JITTER,
            reset_after: None,
            times: limits::RESTARTS,
            window: limits::RESTART_WINDOW,
            keeps_children: false,
        }
    }
}

impl From<Restart> for Supervise {
    fn from(restart: Restart) -> Self {
        Directive::Restart(restart).into()
    }
}

/// The restarts of one actor, or one group, under one setting.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    window_began: Option<Instant>,
    in_window: u32,
    in_a_row: u32,
    /// When the last one took place, its delay included.
    restarted: Option<Instant>,
}

impl History {
    /// False: that would be more than its limit.
    fn counts_one_more(&mut self, limit: &Restart, now: Instant) -> bool {
        let is_inside = |began: Instant| now.saturating_duration_since(began) < limit.window;
        if !self.window_began.is_some_and(is_inside) {
            self.window_began = Some(now);
            self.in_window = 0;
        }
        if self.in_window >= limit.times {
            return false;
        }
        self.in_window += 1;
        true
    }
}

/// What happens to an actor that has failed.
#[derive(Debug, PartialEq)]
pub(crate) enum Verdict {
    Stop,
    Resume,
    Escalate,
    Restart(Renewal),
    /// It would stop by its own settings, so its group decides.
    AskGroup,
}

/// How a restart goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Renewal {
    pub(crate) delay: Duration,
    /// With this one, since the last quiet time.
    pub(crate) in_a_row: u32,
    pub(crate) keeps_children: bool,
}

/// Can the failed actor go on as it is?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Whole,
    /// It went into the step that failed.
    Spent,
    /// There was none yet.
    Missing,
}

/// One actor's supervision: the settings, and what has happened so far.
pub(crate) struct Overseer {
    policy: Arc<Supervise>,
    /// By the number of the directive.
    histories: Vec<History>,
}

impl Overseer {
    pub(crate) fn new(policy: Arc<Supervise>) -> Self {
        let histories = vec![History::default(); policy.directives()];
        Self { policy, histories }
    }

    /// `draw` is one of 0.0..1.0.
    pub(crate) fn decide(
        &mut self,
        failure: &Failure,
        state: State,
        now: Instant,
        draw: f64,
    ) -> Verdict {
        let found = self.policy.find(failure, 0, false);
        let history = &mut self.histories[found.number];
        match found.directive {
            Directive::Stop => Verdict::Stop,
            Directive::Escalate => Verdict::Escalate,
            Directive::Restart(restart) => restart.decide(history, now, draw),
            Directive::Resume if failure.is_panic() && !found.names_panics => Verdict::Stop,
            Directive::Resume => match state {
                State::Whole => Verdict::Resume,
                State::Spent => Restart::default().decide(history, now, draw),
                State::Missing => Verdict::Stop,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{millis, secs};
    use std::{fmt as text, io, num};

    fn io() -> Failure {
        io::Error::other("disk").into()
    }

    fn parse() -> Failure {
        "x".parse::<u32>().unwrap_err().into()
    }

    fn panicked() -> Failure {
        match catch(|| panic!("on purpose")) {
            Err(payload) => Failure::from_panic(payload),
            Ok(()) => unreachable!("it panics"),
        }
    }

    fn of(policy: impl Into<Supervise>) -> impl FnMut(&Failure, Instant) -> Verdict {
        let mut overseer = Overseer::new(Arc::new(policy.into()));
        move |failure, now| overseer.decide(failure, State::Whole, now, 0.0)
    }

    fn delay(verdict: Verdict) -> Option<Duration> {
        match verdict {
            Verdict::Restart(renewal) => Some(renewal.delay),
            _ => None,
        }
    }

    #[test]
    fn the_first_exception_that_matches_counts_and_may_have_its_own() {
        let now = Instant::now();
        let inner = Supervise::escalate().when_matches(
            |failure| failure.to_string().contains("disk"),
            Supervise::resume(),
        );
        let mut decide = of(Supervise::stop()
            .when::<io::Error>(inner)
            .when::<io::Error>(Supervise::stop())
            .when_panic(Supervise::escalate()));
        assert_eq!(decide(&io(), now), Verdict::Resume);
        assert_eq!(
            decide(&io::Error::other("net").into(), now),
            Verdict::Escalate
        );
        assert_eq!(decide(&parse(), now), Verdict::Stop);
        assert_eq!(decide(&panicked(), now), Verdict::Escalate);
    }

    #[test]
    fn a_failure_is_matched_anywhere_in_its_chain_of_causes() {
        #[derive(Debug)]
        struct Outer(num::ParseIntError);
        impl text::Display for Outer {
            fn fmt(&self, f: &mut text::Formatter<'_>) -> text::Result {
                f.write_str("outer")
            }
        }
        impl Error for Outer {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(&self.0)
            }
        }
        let mut decide = of(Supervise::stop().when::<num::ParseIntError>(Supervise::escalate()));
        let wrapped = Outer("x".parse::<u32>().unwrap_err());
        assert_eq!(decide(&wrapped.into(), Instant::now()), Verdict::Escalate);
    }

    #[test]
    fn a_panic_is_resumed_only_where_it_is_named() {
        let now = Instant::now();
        assert_eq!(of(Supervise::resume())(&panicked(), now), Verdict::Stop);
        let named = Supervise::stop().when_panic(Supervise::resume());
        assert_eq!(of(named)(&panicked(), now), Verdict::Resume);
        let below = Supervise::stop()
            .when_panic(Supervise::stop().when_matches(|_| true, Supervise::resume()));
        assert_eq!(of(below)(&panicked(), now), Verdict::Resume);
    }

    #[test]
    fn a_test_that_panics_has_not_passed() {
        let mut decide =
            of(Supervise::stop().when_matches(|_| panic!("oops"), Supervise::resume()));
        assert_eq!(decide(&io(), Instant::now()), Verdict::Stop);
    }

    #[test]
    fn what_cannot_be_resumed_restarts_or_stops() {
        let mut overseer = Overseer::new(Arc::new(Supervise::resume()));
        let now = Instant::now();
        let spent = overseer.decide(&io(), State::Spent, now, 0.0);
        assert_eq!(delay(spent), Some(limits::BACKOFF_FIRST));
        let missing = overseer.decide(&io(), State::Missing, now, 0.0);
        assert_eq!(missing, Verdict::Stop);
    }

    #[test]
    fn restarts_beyond_the_limit_stop_until_the_window_is_over() {
        let begin = Instant::now();
        let mut decide = of(Supervise::restart().at_once().limit(2, secs(2)));
        assert!(delay(decide(&io(), begin)).is_some());
        assert!(delay(decide(&io(), begin + secs(1))).is_some());
        assert_eq!(decide(&io(), begin + millis(1_999)), Verdict::Stop);
        assert!(delay(decide(&io(), begin + secs(2))).is_some());
        assert_eq!(
            of(Supervise::restart().limit(0, secs(1)))(&io(), begin),
            Verdict::Stop
        );
    }

    #[test]
    fn each_restart_has_its_own_history() {
        let now = Instant::now();
        let once = Supervise::restart().at_once().limit(1, secs(60));
        let mut decide = of(Supervise::stop()
            .when::<io::Error>(once.clone())
            .when::<num::ParseIntError>(once));
        assert!(delay(decide(&io(), now)).is_some());
        assert!(delay(decide(&parse(), now)).is_some());
        assert_eq!(decide(&io(), now), Verdict::Stop);
    }

    #[test]
    fn delays_double_up_to_the_last_and_begin_anew_after_a_quiet_time() {
        let mut now = Instant::now();
        let mut decide = of(Supervise::restart()
            .backoff(secs(1)..=secs(5), 0.0)
            .limit(9, secs(999)));
        for expected in [1, 2, 4, 5, 5] {
            let waited = delay(decide(&io(), now)).unwrap();
            assert_eq!(waited, secs(expected));
            now += waited + millis(2_999); // the middle of 1 and 5 is 3
        }
        assert_eq!(delay(decide(&io(), now + millis(1))), Some(secs(1)));
    }

    #[test]
    fn the_quiet_time_is_a_setting() {
        let begin = Instant::now();
        let restart = Supervise::restart().backoff(secs(1)..=secs(5), 0.0);
        let mut decide = of(restart.reset_after(secs(10)));
        assert_eq!(delay(decide(&io(), begin)), Some(secs(1)));
        assert_eq!(delay(decide(&io(), begin + secs(10))), Some(secs(2)));
        assert_eq!(delay(decide(&io(), begin + secs(22))), Some(secs(1)));
    }

    #[test]
    fn jitter_lengthens_and_is_clamped_to_the_last_delay() {
        let restart = Supervise::restart().backoff(secs(2)..=secs(5), 0.5);
        assert_eq!(restart.delay(0, 0.0), secs(2));
        assert_eq!(restart.delay(0, 0.5), millis(2_500));
        assert_eq!(restart.delay(1, 0.9), secs(5));
        assert_eq!(restart.delay(40, 0.0), secs(5));
    }

    #[test]
    fn the_children_are_kept_where_that_is_said() {
        let now = Instant::now();
        let kept = |restart: Restart| match of(restart)(&io(), now) {
            Verdict::Restart(renewal) => renewal.keeps_children,
            _ => panic!("it restarts"),
        };
        assert!(!kept(Supervise::restart()));
        assert!(kept(Supervise::restart().keep_children()));
    }

    #[test]
    #[should_panic(expected = "is longer than 1s")]
    fn a_backoff_that_shrinks_is_refused() {
        let _ = Supervise::restart().backoff(secs(2)..=secs(1), 0.0);
    }

    #[test]
    #[should_panic(expected = "from 0.0 to 1.0, not 2")]
    fn jitter_outside_of_its_range_is_refused() {
        let _ = Supervise::restart().backoff(secs(1)..=secs(2), 2.0);
    }

    #[test]
    #[should_panic(expected = "a window of zero")]
    fn a_window_of_zero_is_refused() {
        let _ = Supervise::restart().limit(1, Duration::ZERO);
    }
}
