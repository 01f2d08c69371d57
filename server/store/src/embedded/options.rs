//! What an operator may set.

#[derive(Clone, Debug)]
pub struct EmbeddedOptions {
    /// Requests that may wait for the writer; beyond that callers wait. Default 4,096.
    pub queue_length: usize,
    /// Bytes of the index's cache. Default 32 MiB.
    pub cache_bytes: u64,
    /// Bytes of a segment from which on the next one is begun. Default 32 MiB, at most 1 GiB.
    pub segment_bytes: u64,
    /// Bytes of the log from one checkpoint of the index to the next. Default 32 MiB. What is not
    /// in a checkpoint is in memory, and read again by the next start after a crash.
    pub checkpoint_bytes: u64,
    /// Bytes of the log from which on segments are compacted, if more than half of the log does not
    /// count any more. Default 64 MiB.
    pub compact_bytes: u64,
    /// Free bytes of the file system below which the store pauses. Default 128 MiB, which leaves
    /// room for compaction.
    pub pause_below: u64,
    /// Free bytes from which on a store that pauses goes on. Default 192 MiB.
    pub resume_from: u64,
    /// What to do when acknowledged changes are missing and nothing tells whose they were.
    pub lost_tail: LostTail,
}

impl Default for EmbeddedOptions {
    fn default() -> EmbeddedOptions {
        const MIB: u64 = 1024 * 1024;
        EmbeddedOptions {
            queue_length: 4096,
            cache_bytes: 32 * MIB,
            segment_bytes: 32 * MIB,
            checkpoint_bytes: 32 * MIB,
            compact_bytes: 64 * MIB,
            pause_below: 128 * MIB,
            resume_from: 192 * MIB,
            lost_tail: LostTail::Refuse,
        }
    }
}

/// What to do when acknowledged changes are missing and nothing tells whose they were.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LostTail {
    #[default]
    Refuse,
    /// Go on with what is there, in a new epoch.
    Accept,
}
