//! Faults that tests plant in their own servers, to verify that the tests detect such faults.
//!
//! They exist only in builds with the feature `planted-faults`, and only in a process whose
//! environment names one of them in `FLAGFALL_PLANTED_FAULT`.

/// An append is answered before it is sent to Redis.
pub const ACKNOWLEDGE_FIRST: &str = "acknowledge-first";
/// A repeated command is not recognized.
pub const FORGET_COMMAND_IDS: &str = "forget-command-ids";
/// Redis adds entries without checking the last entry of the log.
pub const PLAIN_XADD: &str = "plain-xadd";

/// If Redis says that the keys of an append are at another node, the append counts as made.
pub const REDIRECT_IS_DONE: &str = "redirect-is-done";
/// After the first append to a game, side records in other buckets than the game's are never
/// written.
pub const NEVER_SHARED: &str = "never-shared";

/// True if this fault is planted in this process.
#[must_use]
pub fn is_planted(fault: &str) -> bool {
    std::env::var("FLAGFALL_PLANTED_FAULT").is_ok_and(|planted| planted == fault)
}
