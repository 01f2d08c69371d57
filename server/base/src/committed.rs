//! Work that is completed even if the connection that requested it closes.

use std::future::Future;
use std::panic::resume_unwind;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tracing::Instrument as _;

/// Runs work that must be completed, and limits how much of it runs at once. Cheap to clone; all
/// clones share the limit.
#[derive(Clone, Debug)]
pub struct Committed {
    places: Arc<Semaphore>,
    max: u32,
}

impl Committed {
    pub fn new(max: u32) -> Committed {
        Committed { places: Arc::new(Semaphore::new(max as usize)), max }
    }

    /// Runs work in a separate task, and waits for its result. If the caller is dropped before
    /// the work has begun, the work never begins. If the caller is dropped later, the work
    /// continues. If the work panics, this function panics too. Log lines of the work appear in
    /// the caller's span.
    pub async fn run<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> T {
        let place = self.places.clone().acquire_owned().await;
        let work = async move {
            let done = work.await;
            drop(place);
            done
        };
        match tokio::spawn(work.in_current_span()).await {
            Ok(done) => done,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                // The runtime is shutting down, so the caller will be dropped too.
                Err(_) => std::future::pending().await,
            },
        }
    }

    /// Waits until all work that was started before this call is finished. Work that is started
    /// in the meantime begins only after that.
    pub async fn finished(&self) {
        drop(self.places.acquire_many(self.max).await);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use tokio::time::{sleep, timeout};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn work_goes_on_without_its_caller_and_a_stop_waits_for_it() {
        let (committed, done) = (Committed::new(2), Arc::new(AtomicUsize::new(0)));
        let work = |done: Arc<AtomicUsize>| async move {
            sleep(2 * SECOND).await;
            done.fetch_add(1, Ordering::SeqCst)
        };
        for _ in 0..2 {
            assert!(timeout(SECOND / 10, committed.run(work(done.clone()))).await.is_err());
        }
        // The limit is reached, so this work never begins.
        assert!(timeout(SECOND / 10, committed.run(work(done.clone()))).await.is_err());
        assert_eq!(done.load(Ordering::SeqCst), 0);
        committed.finished().await;
        assert_eq!(done.load(Ordering::SeqCst), 2);
        assert_eq!(committed.run(work(done.clone())).await, 2);
    }

    #[tokio::test]
    #[should_panic(expected = "a defect")]
    async fn a_panic_reaches_the_caller() {
        Committed::new(1).run(async { panic!("a defect") }).await;
    }

    #[tokio::test]
    async fn work_that_panics_gives_its_place_back() {
        let committed = Committed::new(1);
        let failing = committed.clone();
        assert!(tokio::spawn(async move { failing.run(async { panic!("a defect") }).await }).await.is_err());
        assert_eq!(committed.run(async { 7 }).await, 7);
    }
}
