//! Prints messages for the person who started a maintenance command.

use std::fmt;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Reports progress on standard error, once a second.
pub(super) struct Progress {
    told: Instant,
}

impl Progress {
    pub(super) fn begin() -> Progress {
        Progress { told: Instant::now() }
    }

    pub(super) fn tell(&mut self, line: fmt::Arguments<'_>) {
        if self.told.elapsed() >= Duration::from_secs(1) {
            self.told = Instant::now();
            writeln!(io::stderr(), "{line}").ok();
        }
    }
}

/// Prints a line for the person who started the program. Ignores errors, because the output is
/// optional.
pub(super) fn say(line: &str) {
    writeln!(io::stdout(), "{line}").ok();
}
