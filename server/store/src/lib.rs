//! The store: the log of every game, kept on disk or in memory.
