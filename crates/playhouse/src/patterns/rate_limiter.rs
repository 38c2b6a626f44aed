//! So many per second, in the time of the system.

use crate::clock::Clock;
use crate::sync::{Arc, AtomicUsize, Mutex, Ordering, Semaphore};
use std::error::Error;
use std::fmt;
use std::time::{Duration, Instant};

/// How often something may happen: a bucket that holds [`burst`](Self::burst) tokens and gets `times` per `per`, evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "it is a setting, for `RateLimiter::new`"]
pub struct Rate {
    /// Between two tokens.
    interval: Duration,
    burst: u32,
}

impl Rate {
    /// `times` in each `per`, evenly: a hundred per second is one every ten milliseconds. Rounded to nanoseconds, down.
    ///
    /// # Panics
    /// If one of them is zero, or it is more than one per nanosecond.
    pub fn new(times: u32, per: Duration) -> Self {
        assert!(times > 0, "no time at all: nothing would ever happen");
        let interval = per.as_nanos().div_ceil(u128::from(times));
        let interval = Duration::from_nanos(u64::try_from(interval).unwrap_or(u64::MAX));
        assert!(
            per.as_nanos() >= u128::from(times),
            "more than one per nanosecond is no limit"
        );
        Self { interval, burst: 1 }
    }

    /// How many may happen at once after a rest. Default 1: never two together.
    ///
    /// # Panics
    /// If it is zero.
    pub fn burst(mut self, tokens: u32) -> Self {
        assert!(tokens > 0, "a bucket without room for a token stays empty");
        self.burst = tokens;
        self
    }
}

/// A token bucket with a bounded line, in the time of its system: where a test moves the clock, it moves this. Clones share
/// the bucket.
///
/// At an HTTP door, [`TooFast`] is `429 Too Many Requests` with [`retry_after`](TooFast::retry_after), rounded up to
/// seconds, as `Retry-After`. For a bound on how many are inside at a time, which is `503`, see
/// [`Admission`](crate::Admission).
///
/// ```
/// use playhouse::{Rate, RateLimiter, prelude::*};
///
/// # fn main() -> Outcome {
/// let (system, world) = ActorSystem::builder("tour").build_stepped(7)?;
/// let limiter = RateLimiter::new(system.clock(), Rate::new(10, secs(1)), 1);
/// assert!(limiter.try_acquire().is_ok());
/// let refused = limiter.try_acquire().unwrap_err();
/// assert_eq!(refused.retry_after(), millis(100));
/// world.block_on_timed(limiter.acquire())?; // in line
/// assert_eq!(world.elapsed(), millis(100));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RateLimiter(Arc<Limiter>);

struct Limiter {
    clock: Clock,
    rate: Rate,
    bucket: Mutex<Bucket>,
    /// One of those in line waits for the next token, the others for this, first come, first served.
    head: Semaphore,
    waiting: AtomicUsize,
    may_wait: usize,
}

impl RateLimiter {
    /// A full bucket. At most `waiting` callers of [`acquire`](Self::acquire) are in line; zero: whoever finds no token is
    /// refused.
    pub fn new(clock: &Clock, rate: Rate, waiting: usize) -> Self {
        Self(Arc::new(Limiter {
            clock: clock.clone(),
            rate,
            bucket: Mutex::new(Bucket {
                full_at: clock.now(),
            }),
            head: Semaphore::new(1),
            waiting: AtomicUsize::new(0),
            may_wait: waiting,
        }))
    }

    /// A token now, in turn, or an error at once if as many wait as may. Cancel safe: dropped, it takes no token. The next
    /// token is kept for the first in line, so poll a wait to its end or drop it.
    pub async fn acquire(&self) -> Result<(), TooFast> {
        let limiter = &*self.0;
        match limiter.try_take() {
            Ok(()) => return Ok(()),
            Err(_) if limiter.join() => {}
            Err(too_fast) => return Err(too_fast),
        }
        let in_line = InLine(&limiter.waiting);
        let Ok(head) = limiter.head.acquire().await else {
            unreachable!("nobody closes the semaphore of a limiter");
        };
        while let Err(wait) = limiter.take() {
            limiter.clock.sleep(wait).await;
        }
        drop((head, in_line));
        Ok(())
    }

    /// A token now, or the time to wait. Overtakes nobody who waits.
    pub fn try_acquire(&self) -> Result<(), TooFast> {
        self.0.try_take()
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.0.waiting.load(Ordering::Relaxed)
    }
}

impl Limiter {
    fn take(&self) -> Result<(), Duration> {
        let now = self.clock.now();
        self.bucket.lock().take(now, self.rate)
    }

    fn try_take(&self) -> Result<(), TooFast> {
        let ahead = self.waiting.load(Ordering::Relaxed);
        let wait = match ahead {
            0 => match self.take() {
                Ok(()) => return Ok(()),
                Err(wait) => wait,
            },
            _ => self.bucket.lock().wait(self.clock.now(), self.rate),
        };
        let behind = u32::try_from(ahead).unwrap_or(u32::MAX);
        let behind = self.rate.interval.saturating_mul(behind);
        Err(TooFast {
            retry_after: wait.saturating_add(behind),
        })
    }

    fn join(&self) -> bool {
        let one_more = |waiting| (waiting < self.may_wait).then_some(waiting + 1);
        // Relaxed: only the number counts.
        self.waiting
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more)
            .is_ok()
    }
}

impl fmt::Debug for RateLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rate { interval, burst } = self.0.rate;
        let (waiting, may_wait) = (self.waiting(), self.0.may_wait);
        write!(
            f,
            "RateLimiter(one in {interval:?}, {burst} at once, {waiting} of {may_wait} waiting)"
        )
    }
}

struct InLine<'a>(&'a AtomicUsize);

impl Drop for InLine<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Tokens as the moment at which the bucket is full again, so that nothing has to run while nobody looks.
struct Bucket {
    full_at: Instant,
}

impl Bucket {
    fn take(&mut self, now: Instant, rate: Rate) -> Result<(), Duration> {
        let wait = self.wait(now, rate);
        if !wait.is_zero() {
            return Err(wait);
        }
        let full_at = self.full_at.max(now).checked_add(rate.interval);
        self.full_at = full_at.unwrap_or(now); // beyond what a clock holds
        Ok(())
    }

    /// Until there is a token; zero: there is one.
    fn wait(&self, now: Instant, rate: Rate) -> Duration {
        let missing = self.full_at.saturating_duration_since(now);
        let room = rate.interval.saturating_mul(rate.burst - 1);
        missing.saturating_sub(room)
    }
}

/// No token, and no place in line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooFast {
    retry_after: Duration,
}

impl TooFast {
    /// When there will be a token, if nobody else takes it first; behind everybody who waits.
    pub fn retry_after(&self) -> Duration {
        self.retry_after
    }
}

impl fmt::Display for TooFast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "too many; try again in {:?}", self.retry_after)
    }
}

impl Error for TooFast {}
