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
}
