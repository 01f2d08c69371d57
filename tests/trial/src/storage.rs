//! Where the servers store the games.

/// A store, and the number of servers that use it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Storage {
    /// One server with its own folder.
    #[default]
    Embedded,
    /// Several servers on the trial's own Redis.
    Redis {
        /// The number of servers.
        servers: usize,
    },
    /// Several servers on the trial's own Redis Cluster of three masters, each with a replica.
    Cluster {
        /// The number of servers.
        servers: usize,
    },
}

impl Storage {
    /// Returns the number of servers.
    #[must_use]
    pub(crate) fn servers(self) -> usize {
        match self {
            Storage::Embedded => 1,
            Storage::Redis { servers } | Storage::Cluster { servers } => servers.max(1),
        }
    }
}
