//! What maintenance commands say to the person who started them.

use std::io::{self, Write};
use std::time::Duration;

/// How often progress is reported.
pub(super) const PROGRESS: Duration = Duration::from_secs(1);

/// Prints a line for the person who started the program. It does not matter if nobody reads it.
pub(super) fn say(line: &str) {
    writeln!(io::stdout(), "{line}").ok();
}
