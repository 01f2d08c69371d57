//! Rate limiting.

use std::time::Duration;

use tokio::time::Instant;

/// A token bucket that fills steadily. It allows `capacity` tokens at once, and the same number
/// again in each `window`. Methods take the time as an argument. A time that goes backward counts
/// as unchanged.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    capacity: f64,
    per_second: f64,
    tokens: f64,
    at: Instant,
}

impl TokenBucket {
    pub fn new(capacity: u32, window: Duration, now: Instant) -> TokenBucket {
        let capacity = f64::from(capacity);
        let seconds = window.as_secs_f64();
        let per_second = if seconds > 0.0 { capacity / seconds } else { f64::INFINITY };
        TokenBucket { capacity, per_second, tokens: capacity, at: now }
    }

    pub fn take(&mut self, now: Instant) -> bool {
        self.fill(now);
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            true
        } else {
            false
        }
    }

    /// Takes tokens for work that is already done, even if there are not enough tokens. The
    /// bucket is then in debt. Returns the time until the debt is paid.
    pub fn charge(&mut self, now: Instant, tokens: f64) -> Duration {
        self.fill(now);
        self.tokens -= tokens;
        self.time_to(0.0)
    }

    /// Returns the time until [`TokenBucket::take`] succeeds again.
    pub fn wait(&self) -> Duration {
        self.time_to(1.0)
    }

    fn time_to(&self, tokens: f64) -> Duration {
        let missing = tokens - self.tokens;
        if missing <= 0.0 {
            return Duration::ZERO;
        }
        Duration::try_from_secs_f64(missing / self.per_second).unwrap_or(Duration::MAX)
    }

    fn fill(&mut self, now: Instant) {
        let elapsed = now.saturating_duration_since(self.at).as_secs_f64();
        if elapsed > 0.0 {
            self.tokens = (self.tokens + elapsed * self.per_second).min(self.capacity);
            self.at = now;
        }
    }

    /// True if the bucket is full again. A full bucket can be removed, because it is like a new
    /// one.
    pub fn is_full(&self, now: Instant) -> bool {
        let elapsed = now.saturating_duration_since(self.at).as_secs_f64();
        self.tokens + elapsed * self.per_second >= self.capacity
    }

    /// Puts back tokens that should not have been taken.
    pub fn put_back(&mut self, tokens: u32) {
        self.tokens = (self.tokens + f64::from(tokens)).min(self.capacity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_followed_by_the_steady_rate() {
        let start = Instant::now();
        let mut bucket = TokenBucket::new(100, Duration::from_secs(20), start);
        assert!((0..100).all(|_| bucket.take(start)));
        assert!(!bucket.take(start));
        let later = start + Duration::from_millis(200);
        assert!(bucket.take(later));
        assert!(!bucket.take(later));
        let much_later = start + Duration::from_secs(3600);
        assert_eq!((0..200).filter(|_| bucket.take(much_later)).count(), 100);
    }

    #[test]
    fn tokens_put_back_can_be_taken_again_and_never_overflow() {
        let start = Instant::now();
        let mut bucket = TokenBucket::new(2, Duration::from_secs(20), start);
        bucket.put_back(10);
        assert!(bucket.take(start) && bucket.take(start) && !bucket.take(start));
        bucket.put_back(1);
        assert!(bucket.take(start) && !bucket.take(start));
    }

    #[test]
    fn work_that_is_done_is_paid_later() {
        let start = Instant::now();
        let mut bucket = TokenBucket::new(10, Duration::from_secs(10), start);
        assert_eq!(bucket.charge(start, 10.0), Duration::ZERO);
        assert_eq!(bucket.charge(start, 5.0), Duration::from_secs(5));
        assert!(!bucket.take(start + Duration::from_secs(5)));
        assert_eq!(bucket.wait(), Duration::from_secs(1));
        assert!(bucket.take(start + Duration::from_secs(6)));
        assert_eq!(TokenBucket::new(0, Duration::from_secs(1), start).wait(), Duration::MAX);
    }

    #[test]
    fn time_going_back_gives_nothing() {
        let start = Instant::now();
        let mut bucket = TokenBucket::new(1, Duration::from_secs(1), start + Duration::from_secs(5));
        assert!(bucket.take(start + Duration::from_secs(5)));
        assert!(!bucket.take(start));
        assert!(bucket.take(start + Duration::from_secs(6)));
    }
}
