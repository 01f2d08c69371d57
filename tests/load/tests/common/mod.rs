//! Code that the tests of the benchmarks share.

use std::process::Child;

/// A child process that is killed when the test ends or panics.
pub(crate) struct Guarded(pub(crate) Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        // Ignore errors, because after a successful test, the process has already ended.
        let _ended_already = self.0.kill();
        let _reaped_already = self.0.wait();
    }
}
