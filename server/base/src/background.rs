//! Threads for heavy work that must not delay connections.
//!
//! Examples of such work are building the record of a long game and hashing a password. Each task
//! takes milliseconds of processor time. On Linux, the threads have a low priority, so they do
//! not delay moves. On other systems, they are ordinary threads. House players do not use these
//! threads, because a low-priority thread gets almost no processor time on a busy machine. They
//! have ordinary threads, which often yield to other threads.

use std::sync::Arc;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// A limited number of low-priority threads, which are started when they are needed. Cheap to
/// clone. If all threads are busy, further work waits, so callers must limit the amount of work.
#[derive(Clone)]
pub struct Background(Arc<Threads>);

struct Threads(Option<Runtime>);

impl Background {
    /// Allows at most one thread per core. Does not start any thread yet.
    pub fn per_core(name: &'static str) -> Background {
        Background::new(name, std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
    }

    pub fn new(name: &'static str, threads: usize) -> Background {
        let runtime = Builder::new_current_thread()
            .thread_name(name)
            .max_blocking_threads(threads.max(1))
            .on_thread_start(lower_priority)
            .build()
            .inspect_err(|error| tracing::error!(%error, task = name, "cannot start low-priority threads"));
        Background(Arc::new(Threads(runtime.ok())))
    }

    /// Runs `work` on one of the threads. The work is completed even if the handle is dropped.
    pub fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
        match &self.0.0 {
            Some(runtime) => runtime.spawn_blocking(work),
            None => tokio::task::spawn_blocking(work),
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // Dropping the runtime would wait for its work, which is not allowed inside a task.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(target_os = "linux")]
fn lower_priority() {
    // On Linux this affects only the calling thread. If the system forbids it, the thread keeps
    // its normal priority.
    if let Err(error) = rustix::process::nice(NICE) {
        tracing::debug!(%error, "could not lower the priority of a background thread");
    }
}

/// The nice value of the threads. With this value, a thread gets about a tenth of the processor
/// time of an ordinary thread if both are busy.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;

#[cfg(not(target_os = "linux"))]
fn lower_priority() {}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[tokio::test]
    async fn work_runs_at_low_priority_and_the_caller_keeps_its_own() {
        let background = Background::new("test", 1);
        let priority = || {
            let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap_or_default();
            let fields = stat.rsplit(')').next().unwrap_or_default();
            fields.split_whitespace().nth(16).and_then(|nice| nice.parse::<i32>().ok())
        };
        let before = priority();
        let there = background.run(priority).await.unwrap();
        if cfg!(target_os = "linux") {
            assert_eq!((there, priority()), (before.map(|nice| (nice + 10).min(19)), before));
        }
        // The test drops the last handle inside a task, while the work is running.
        let (begun, go) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
        let work = background.run({
            let (begun, go) = (begun.clone(), go.clone());
            move || {
                begun.wait();
                go.wait();
                7
            }
        });
        begun.wait();
        drop(background);
        go.wait();
        assert_eq!(work.await.unwrap(), 7);
    }
}
