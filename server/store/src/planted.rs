//! Faults that a test bench plants in servers of its own: a checker that does not find them proves nothing. Only builds with the
//! feature `planted-faults` have them, and of these only a process whose environment names one.

use std::sync::OnceLock;

/// Where the fault is named.
const VARIABLE: &str = "FLAGFALL_PLANTED_FAULT";

/// A fault that can be planted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlantedFault {
    /// `acknowledge-first`: an append is answered before it is sent.
    AcknowledgesFirst,
    /// `forget-command-ids`: a command that was carried out is not known again.
    ForgetsCommandIds,
    /// `plain-xadd`: entries are added whatever the log ends with.
    PlainXadd,
}

impl PlantedFault {
    /// Whether this one is planted in this process.
    #[must_use]
    pub fn is_planted(self) -> bool {
        static PLANTED: OnceLock<Option<PlantedFault>> = OnceLock::new();
        let planted = PLANTED.get_or_init(|| {
            let found = match std::env::var(VARIABLE).as_deref() {
                Ok("acknowledge-first") => PlantedFault::AcknowledgesFirst,
                Ok("forget-command-ids") => PlantedFault::ForgetsCommandIds,
                Ok("plain-xadd") => PlantedFault::PlainXadd,
                _ => return None,
            };
            tracing::warn!(fault = ?found, "this server has a planted fault: it is for tests alone");
            Some(found)
        });
        *planted == Some(self)
    }
}
