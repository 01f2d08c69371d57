//! The operator's settings of the store.

#[derive(Clone, Debug)]
pub struct EmbeddedOptions {
    /// The most requests that wait for the writer. If the queue is full, callers wait. Default
    /// 4,096.
    pub queue_length: usize,
    /// The size of the index's cache, in bytes. Default 32 MiB.
    pub cache_bytes: u64,
    /// The length from which on the next segment is begun, in bytes. Default 32 MiB, at most 1
    /// GiB.
    pub segment_bytes: u64,
    /// The length of the log between two checkpoints of the index, in bytes. Default 32 MiB.
    /// Changes after a checkpoint are kept in memory, and the next start after a crash reads them
    /// again.
    pub checkpoint_bytes: u64,
    /// The length of the log, in bytes, from which on segments are compacted if more than half of
    /// the log is obsolete. Default 64 MiB.
    pub compact_bytes: u64,
    /// The store pauses if fewer bytes than this are free on the file system. Default 128 MiB,
    /// which leaves enough space for compaction.
    pub pause_below: u64,
    /// A paused store resumes when this many bytes are free. Default 192 MiB.
    pub resume_from: u64,
    /// What to do if acknowledged changes are missing and it is unknown which games are affected.
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

/// What to do if acknowledged changes are missing and it is unknown which games are affected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LostTail {
    #[default]
    Refuse,
    /// Continue with the remaining data, in a new epoch.
    Accept,
}
