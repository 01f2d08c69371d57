//! What is measured, and how much of it.

use crate::stand::Bench;

/// A part of the measurement.
#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
pub(super) enum Part {
    /// Joining and watching the lobby.
    Lobby,
    /// Appends to a cluster of three masters.
    Masters,
    /// The ends of rated games on three servers.
    Settled,
    /// Moves on several servers.
    Fleet,
    /// Many spectators of one game.
    Crowd,
    /// The size of archived games.
    Archived,
    /// Reading archived games from storage like S3.
    Reading,
    /// What finished games and their players leave in Redis.
    Kept,
}

impl Plan {
    pub(super) fn has(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }
}

#[derive(clap::Args)]
pub(crate) struct Plan {
    /// Two numbers of running public games. The cost of joining the lobby is compared between
    /// them.
    #[arg(long, default_values_t = [60, 8_000], num_args = 2)]
    pub(super) games: Vec<u32>,
    /// Number of joins.
    #[arg(long, default_value_t = 4_000, value_parser = clap::value_parser!(u32).range(20..))]
    pub(super) joins: u32,
    /// Number of changes of the seeks while watchers look on.
    #[arg(long, default_value_t = 200)]
    pub(super) changes: u32,
    /// Number of servers on one Redis that are compared with one server.
    #[arg(long, default_value_t = 6)]
    pub(super) servers: u32,
    /// Number of games that are played on these servers, with a move every five seconds.
    #[arg(long, default_value_t = 900)]
    pub(super) fleet_games: u32,
    /// Plies of each of these games.
    #[arg(long, default_value_t = 8)]
    pub(super) fleet_plies: u32,
    /// Measures only these parts, and prints the commands that Redis is sent.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(super) only: Vec<Part>,
    /// Number of rated games that end, to compare what their results cost three servers and one.
    #[arg(long, default_value_t = 1_200)]
    pub(super) rated_games: u32,
    /// Number of rated games of each pair of players, of which Redis keeps only the histories.
    #[arg(long, default_value_t = 189)]
    pub(super) kept_games: u32,
    /// Number of tasks that append at a time to one Redis and to a cluster of three masters.
    #[arg(long, default_value_t = 1_000)]
    pub(super) appending: u32,
    /// Rounds of these appends.
    #[arg(long, default_value_t = 5)]
    pub(super) append_rounds: u32,
    /// Number of spectators of one game.
    #[arg(long, default_value_t = 9_000)]
    pub(super) spectators: u32,
    /// Number of servers, and of bare relays, to which these spectators connect.
    #[arg(long, default_value_t = 3)]
    pub(super) crowd_servers: u32,
    /// Plies of the game that they watch.
    #[arg(long, default_value_t = 20)]
    pub(super) crowd_plies: u32,
    #[command(flatten)]
    pub(super) bench: Bench,
}
