//! Faults that tests plant in their own servers, to check that their checkers find them.
//!
//! They exist only in builds with the feature `planted-faults`, and only in a process whose
//! environment names one of them.

use std::sync::OnceLock;

const VARIABLE: &str = "FLAGFALL_PLANTED_FAULT";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlantedFault {
    /// `acknowledge-first`: an append is answered before it is sent.
    AcknowledgesFirst,
    /// `forget-command-ids`: a repeated command is not recognized.
    ForgetsCommandIds,
    /// `plain-xadd`: entries are added without checking the last entry of the log.
    PlainXadd,
}

impl PlantedFault {
    /// True if this fault is planted in this process.
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
            tracing::warn!(fault = ?found, "this server has a planted fault: it is for tests only");
            Some(found)
        });
        *planted == Some(self)
    }
}
