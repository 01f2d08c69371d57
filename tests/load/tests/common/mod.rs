//! What the tests of the benchmarks share.

use std::process::Child;

/// A child process that is killed when the test ends or panics.
pub(crate) struct Guarded(pub(crate) Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        // If all went well it has ended already.
        let _ended_already = self.0.kill();
        let _reaped_already = self.0.wait();
    }
}
