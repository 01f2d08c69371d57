//! The operator's settings of the store.

#[derive(Clone, Debug)]
pub struct EmbeddedOptions {
    /// The maximum number of requests that wait for the writer. Callers wait while the queue is
    /// full. Default 4,096.
    pub queue_length: usize,
    /// The size of the index's cache, in bytes. Default 32 MiB.
    pub cache_bytes: u64,
    /// The length in bytes at which a segment is full and the next one begins. Default 32 MiB, at
    /// most 1 GiB.
    pub segment_bytes: u64,
    /// The disk space, in bytes, that is allocated at a time for the end of the log, so that most
    /// writes do not make the file longer. Default 1 MiB; 0 allocates nothing in advance.
    pub allocate_bytes: u64,
    /// The length of the log between two checkpoints of the index, in bytes. Default 64 MiB.
    /// Changes since the last checkpoint are kept in memory. After a crash, they are read from
    /// the log again.
    pub checkpoint_bytes: u64,
    /// The minimum length of the log for compaction, in bytes. A longer log is compacted if more
    /// than half of it is obsolete. Default 64 MiB.
    pub compact_bytes: u64,
    /// The number of free bytes on the file system below which the store pauses. Default 128 MiB,
    /// which leaves enough space for compaction.
    pub pause_below: u64,
    /// The number of free bytes at which a paused store resumes. Default 192 MiB.
    pub resume_from: u64,
    /// True if the store should be opened even when acknowledged changes are missing and it is
    /// unknown which games are affected. The store then continues with the remaining data, in a
    /// new epoch.
    pub accept_lost_tail: bool,
}

impl Default for EmbeddedOptions {
    fn default() -> EmbeddedOptions {
        const MIB: u64 = 1024 * 1024;
        EmbeddedOptions {
            queue_length: 4096,
            cache_bytes: 32 * MIB,
            segment_bytes: 32 * MIB,
            allocate_bytes: MIB,
            checkpoint_bytes: 64 * MIB,
            compact_bytes: 64 * MIB,
            pause_below: 128 * MIB,
            resume_from: 192 * MIB,
            accept_lost_tail: false,
        }
    }
}
