//! What the tests of the benchmarks share.

use std::process::Child;

/// A child process that does not outlive the test, whatever happens.
pub(crate) struct Guarded(pub(crate) Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        // It has ended already when all went well.
        let _ended_already = self.0.kill();
        let _reaped_already = self.0.wait();
    }
}
