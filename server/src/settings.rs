//! What an operator can set, as the running server uses it. [`crate::config`] builds it from flags
//! and environment.

use std::sync::Arc;
use std::time::Duration;

use flagfall_protocol::LagQuota;
use flagfall_tls::Trust;

use flagfall_base::admission::{AdmissionLimits, ProxyTrust};
use flagfall_base::delivery::Connections;
use flagfall_base::memory::{MemoryGuard, MemoryLimit};
use flagfall_game::{Features, TableSettings};

/// All settings of a running server. `Default` holds the values of a server started without flags.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// Limits on numbers and sizes.
    pub limits: Limits,
    /// Durations.
    pub times: Times,
    /// The cost of hashing a password.
    pub passwords: Passwords,
    /// Limits for one address and one player.
    pub admission: AdmissionLimits,
    /// Proxies that are trusted to name their clients' addresses in `X-Forwarded-For`.
    pub proxies: ProxyTrust,
    /// Whether the first mover's advantage counts in ratings.
    pub first_move: FirstMove,
    /// Which addresses webhooks may reach.
    pub webhooks: Reach,
    /// Which certificate authorities webhooks trust.
    pub webhook_trust: Trust,
    /// Origins (`https://example.org`) whose pages may connect, besides the server's own host.
    pub allowed_origins: Vec<String>,
}

impl Settings {
    /// The settings that tables need.
    #[must_use]
    pub fn for_tables(&self, connections: Connections, features: Arc<dyn Features>) -> TableSettings {
        TableSettings {
            deploy_ms: u64::try_from(self.times.deployment.as_millis()).unwrap_or(u64::MAX),
            lag_quota: self.lag_quota(),
            claim_ms: u64::try_from(self.times.claim.as_millis()).unwrap_or(u64::MAX),
            spectators_max: self.limits.spectators_per_game,
            games_per_player_max: self.limits.games_per_player,
            running_games_max: self.limits.running_games,
            memory: MemoryGuard::new(self.limits.memory),
            rest_ms: u64::try_from(self.times.rest.as_millis()).unwrap_or(u64::MAX),
            features,
            connections,
        }
    }

    /// The quota of lag compensation; `None` if it is switched off.
    fn lag_quota(&self) -> Option<LagQuota> {
        let ms = |time: Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
        let (per_ply_ms, stock_ms) = (ms(self.times.lag_per_ply), ms(self.times.lag_stock));
        (stock_ms > 0).then_some(LagQuota { per_ply_ms, stock_ms })
    }
}

/// Whether the first mover's advantage counts in ratings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FirstMove {
    /// It is measured and, with enough games, counted in the expected score.
    #[default]
    Counts,
    /// It is only measured.
    IsMeasured,
}

/// Which addresses webhooks may reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reach {
    /// Public addresses, over TLS.
    #[default]
    Public,
    /// Also private and loopback addresses, those even without TLS.
    Private,
}

/// The cost of a password hash (argon2id).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passwords {
    /// Memory of one hash, in KiB.
    pub memory_kib: u32,
    /// Passes over the memory.
    pub passes: u32,
    /// Lanes of one hash.
    pub lanes: u32,
    /// Hashes computed at once.
    pub at_once: usize,
    /// Hashes that may wait to be computed.
    pub waiting: usize,
}

impl Default for Passwords {
    fn default() -> Passwords {
        Passwords { memory_kib: 19 * 1024, passes: 2, lanes: 1, at_once: 2, waiting: 128 }
    }
}

/// Limits on numbers and sizes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Open connections, including HTTP.
    pub connections_max: usize,
    /// Disconnected players who are remembered for [`Times::visitor_memory`].
    pub visitors_remembered: usize,
    /// Open WebSocket connections of one player. One more closes the oldest.
    pub connections_per_player: usize,
    /// Messages that a connection may send at once, and within each [`Times::message_window`].
    pub messages_per_window: u32,
    /// Malformed messages that a connection may send before it is closed.
    pub malformed_max: u32,
    /// Games that a connection may have open at a time.
    pub open_games_per_connection: usize,
    /// Running games of one player.
    pub games_per_player: usize,
    /// Running games of all players together.
    pub running_games: usize,
    /// Memory limit of the process.
    pub memory: MemoryLimit,
    /// Spectators of one game.
    pub spectators_per_game: usize,
    /// Open seeks of one player.
    pub seeks_per_player: usize,
    /// Open seeks of all players.
    pub seeks_max: usize,
    /// Open challenges of one player.
    pub challenges_per_player: usize,
    /// New guests that the server admits per minute.
    pub guests_per_minute: u32,
    /// Tokens of one account.
    pub tokens_per_player: usize,
    /// Wrong passwords for one name from one network, or from one device of the account, within
    /// [`Times::attempt_window`]. All networks in which the account was not signed in lately share
    /// ten times as many.
    pub attempts_per_name: u32,
    /// Password attempts and new accounts from one address within [`Times::attempt_window`].
    pub attempts_per_address: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections_max: 10_000,
            visitors_remembered: 10_000,
            connections_per_player: 8,
            messages_per_window: 100,
            malformed_max: 4,
            open_games_per_connection: 32,
            games_per_player: 20,
            running_games: 100_000,
            memory: MemoryLimit::OfTheSystem,
            spectators_per_game: 10_000,
            seeks_per_player: 3,
            seeks_max: 1_000,
            challenges_per_player: 10,
            guests_per_minute: 6_000,
            tokens_per_player: 16,
            attempts_per_name: 10,
            attempts_per_address: 300,
        }
    }
}

/// Durations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Times {
    /// How long players have to deploy.
    pub deployment: Duration,
    /// How much a side's lag stock grows with each ply; also the longest time that a flag waits for
    /// a ply that may be under way.
    pub lag_per_ply: Duration,
    /// A side's lag stock at the start: the most lag compensation without a ply in between. Zero
    /// switches lag compensation off.
    pub lag_stock: Duration,
    /// How long until a game that the opponent has left can be claimed. Longer games wait up to
    /// five times as long.
    pub claim: Duration,
    /// How long a running game stays in memory after the last viewer has left; at most a minute on
    /// a live clock.
    pub rest: Duration,
    /// How often games at rest are checked for flags and house players that are due.
    pub rest_look: Duration,
    /// How long after its end a game is archived; `None` archives nothing.
    pub archive: Option<Duration>,
    /// How often games to archive are looked for.
    pub archive_look: Duration,
    /// How long a client has for its hello.
    pub hello: Duration,
    /// How often a connection is pinged.
    pub ping: Duration,
    /// How long a connection may be silent before it counts as dead.
    pub pong: Duration,
    /// The window of [`Limits::messages_per_window`].
    pub message_window: Duration,
    /// How long a client has for the head of an HTTP request.
    pub http_head: Duration,
    /// How long an HTTP request may take in all, including its answer.
    pub http_request: Duration,
    /// How long a closing connection may take to flush its output and to receive the client's
    /// close.
    pub close_grace: Duration,
    /// How long a token is accepted after the player's last connection while the store is away.
    /// Zero accepts none then.
    pub visitor_memory: Duration,
    /// How long a seek outlives its seeker's last connection.
    pub seek_grace: Duration,
    /// How often the pool pairs players.
    pub pool_wave: Duration,
    /// How long a place in the pool outlives its player's last connection. It lasts at least half
    /// of this.
    pub pool_grace: Duration,
    /// Shortest time between two lobby messages to a watcher.
    pub lobby_interval: Duration,
    /// How long a challenge stays open.
    pub challenge: Duration,
    /// How long the outcome of a lobby command is remembered.
    pub command_memory: Duration,
    /// How long a guest who does not come back is remembered.
    pub guest: Duration,
    /// How long a stored guest who has not played is kept; forever if `None`.
    pub new_guest: Option<Duration>,
    /// How long finished casual games without an account are kept; forever if `None`.
    pub guest_game: Option<Duration>,
    /// How often guests and games past their time are looked for.
    pub prune_look: Duration,
    /// The window of [`Limits::attempts_per_name`] and [`Limits::attempts_per_address`].
    pub attempt_window: Duration,
    /// How often tokens revoked on other servers are looked for.
    pub revocation_interval: Duration,
    /// How often correspondence games are checked for work that follows from a turn.
    pub turn_look: Duration,
    /// How often a heartbeat is sent to the store.
    pub heartbeat: Duration,
    /// How long the store may take for a heartbeat before clients are told that it is out of reach.
    pub store_late: Duration,
    /// How long the store may take for a health check.
    pub health: Duration,
    /// How long stopping may take before what remains is cut off.
    pub stop: Duration,
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl Default for Times {
    fn default() -> Times {
        Times {
            deployment: Duration::from_secs(300),
            lag_per_ply: Duration::from_millis(500),
            lag_stock: Duration::from_secs(3),
            claim: Duration::from_secs(60),
            rest: Duration::from_secs(10 * 60),
            rest_look: Duration::from_secs(1),
            archive: Some(DAY.saturating_mul(30)),
            archive_look: Duration::from_secs(10 * 60),
            hello: Duration::from_secs(10),
            ping: Duration::from_secs(5),
            pong: Duration::from_secs(10),
            message_window: Duration::from_secs(20),
            http_head: Duration::from_secs(5),
            http_request: Duration::from_secs(30),
            close_grace: Duration::from_secs(3),
            visitor_memory: Duration::from_secs(15 * 60),
            seek_grace: Duration::from_secs(10),
            pool_wave: Duration::from_secs(5),
            pool_grace: Duration::from_secs(45),
            lobby_interval: Duration::from_millis(500),
            challenge: DAY,
            command_memory: DAY,
            guest: DAY.saturating_mul(90),
            new_guest: Some(DAY.saturating_mul(2)),
            guest_game: Some(DAY.saturating_mul(90)),
            prune_look: Duration::from_secs(60),
            attempt_window: Duration::from_secs(15 * 60),
            revocation_interval: Duration::from_secs(1),
            turn_look: Duration::from_secs(2),
            heartbeat: Duration::from_secs(1),
            // With the pause of one heartbeat before it: 2.25 s since the last answer.
            store_late: Duration::from_millis(1_250),
            health: Duration::from_secs(2),
            stop: Duration::from_secs(8),
        }
    }
}
