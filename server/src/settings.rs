//! What an operator can set, as the running server uses it. [`crate::config`] makes it of flags and
//! environment.

use std::time::Duration;

use flagfall_protocol::LagQuota;
use flagfall_tls::Trust;

use crate::admission::{AdmissionLimits, ProxyTrust};
use crate::gateway::Connections;
use crate::memory::{MemoryGuard, MemoryLimit};
use crate::notices::Reach;
use crate::ratings::FirstMove;
use crate::table::TableSettings;

/// Everything that can be set about a running server. `Default` holds the values of a server
/// started without flags.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// How many, how much.
    pub limits: Limits,
    /// How long.
    pub times: Times,
    /// How slow it is to guess a password.
    pub passwords: Passwords,
    /// What one address and one player may take.
    pub admission: AdmissionLimits,
    /// Which proxies name the addresses of their clients, in `X-Forwarded-For`.
    pub proxies: ProxyTrust,
    /// Whether the first mover's advantage counts in ratings.
    pub first_move: FirstMove,
    /// How far webhooks reach.
    pub webhooks: Reach,
    /// Whose certificates webhooks may have.
    pub webhook_trust: Trust,
    /// Origins (`https://example.org`) whose pages may connect, beside those of the server's own
    /// host.
    pub allowed_origins: Vec<String>,
}

impl Settings {
    /// What tables need of this.
    #[must_use]
    pub fn for_tables(&self, connections: Connections) -> TableSettings {
        TableSettings {
            deploy_ms: u64::try_from(self.times.deployment.as_millis()).unwrap_or(u64::MAX),
            lag_quota: self.lag_quota(),
            claim_ms: u64::try_from(self.times.claim.as_millis()).unwrap_or(u64::MAX),
            spectators_max: self.limits.spectators_per_game,
            games_per_player_max: self.limits.games_per_player,
            running_games_max: self.limits.running_games,
            memory: MemoryGuard::new(self.limits.memory),
            rest_ms: u64::try_from(self.times.rest.as_millis()).unwrap_or(u64::MAX),
            signs: false,
            connections,
        }
    }

    /// What of the network's delay is given back; none where nothing is.
    fn lag_quota(&self) -> Option<LagQuota> {
        let ms = |time: Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
        let (per_ply_ms, stock_ms) = (ms(self.times.lag_per_ply), ms(self.times.lag_stock));
        (stock_ms > 0).then_some(LagQuota { per_ply_ms, stock_ms })
    }
}

/// What the hash of a password costs: argon2id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passwords {
    /// Memory of one hash, in KiB.
    pub memory_kib: u32,
    /// How often it is gone through.
    pub passes: u32,
    /// Lanes of one hash.
    pub lanes: u32,
    /// Hashes computed at once.
    pub at_once: usize,
    /// How many more may wait for theirs.
    pub waiting: usize,
}

impl Default for Passwords {
    fn default() -> Passwords {
        Passwords { memory_kib: 19 * 1024, passes: 2, lanes: 1, at_once: 2, waiting: 128 }
    }
}

/// How many, how much.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Open connections, HTTP ones included.
    pub connections_max: usize,
    /// Players whose connections are gone and who are remembered for [`Times::visitor_memory`].
    pub visitors_remembered: usize,
    /// Open WebSocket connections of one player; a further one closes the oldest.
    pub connections_per_player: usize,
    /// Messages a connection may send at once, and within each [`Times::message_window`].
    pub messages_per_window: u32,
    /// Malformed messages a connection may send before it is closed.
    pub malformed_max: u32,
    /// Games a connection may have open at a time.
    pub open_games_per_connection: usize,
    /// Running games of one player.
    pub games_per_player: usize,
    /// Running games of all players together.
    pub running_games: usize,
    /// Memory of the process.
    pub memory: MemoryLimit,
    /// Spectators of one game.
    pub spectators_per_game: usize,
    /// Open seeks of one player.
    pub seeks_per_player: usize,
    /// Open seeks of all players.
    pub seeks_max: usize,
    /// Open challenges of one player.
    pub challenges_per_player: usize,
    /// New guests the server takes in a minute.
    pub guests_per_minute: u32,
    /// Tokens of one account.
    pub tokens_per_player: usize,
    /// Wrong passwords for one name from one network, or device of the account, within
    /// [`Times::attempt_window`]; ten times as many from all networks together in which the account
    /// was not signed in lately.
    pub attempts_per_name: u32,
    /// Attempts at passwords, and new accounts, from one address within [`Times::attempt_window`].
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

/// How long.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Times {
    /// How long players have to deploy.
    pub deployment: Duration,
    /// What a side's stock of delay that is given back grows by with a ply, and the longest a flag
    /// waits for a ply that may be under way.
    pub lag_per_ply: Duration,
    /// The network's delay a side is given back at most without a ply in between: its stock at the
    /// beginning. Zero gives nothing back.
    pub lag_stock: Duration,
    /// After which a game can be claimed that the opponent has left; longer ones wait up to five
    /// times as long.
    pub claim: Duration,
    /// How long a running game stays in memory when the last who had it open has gone; on a live
    /// clock a minute at most.
    pub rest: Duration,
    /// The time between two looks at what is due in games at rest: flags, house players.
    pub rest_look: Duration,
    /// How long after its end a game is archived; none where none is.
    pub archive: Option<Duration>,
    /// The time between two looks for games to be archived.
    pub archive_look: Duration,
    /// How long a client has for its hello.
    pub hello: Duration,
    /// The time between two pings.
    pub ping: Duration,
    /// How long a link may be silent before it counts as dead.
    pub pong: Duration,
    /// The window of [`Limits::messages_per_window`].
    pub message_window: Duration,
    /// How long a client has for the head of an HTTP request.
    pub http_head: Duration,
    /// How long an HTTP request may take in all, its answer included.
    pub http_request: Duration,
    /// How long a closed connection may take to write what is left and to hear the client's
    /// goodbye.
    pub close_grace: Duration,
    /// How long after a player's last connection his token lets him in again while the store is
    /// away; zero lets nobody in then.
    pub visitor_memory: Duration,
    /// How long a seek outlives its seeker's last connection.
    pub seek_grace: Duration,
    /// The time between two waves of the pool.
    pub pool_wave: Duration,
    /// How long a place in the pool outlives its player's last connection, at least half of it.
    pub pool_grace: Duration,
    /// The least time between two lobby messages to a watcher.
    pub lobby_interval: Duration,
    /// How long a challenge is open.
    pub challenge: Duration,
    /// How long the outcome of a lobby command is remembered.
    pub command_memory: Duration,
    /// How long a guest who does not come back is remembered.
    pub guest: Duration,
    /// How long a stored guest is kept who has not played; for ever without a time.
    pub new_guest: Option<Duration>,
    /// How long finished casual games without an account in them are kept; for ever without a time.
    pub guest_game: Option<Duration>,
    /// The time between two looks for guests and games that are kept no longer.
    pub prune_look: Duration,
    /// The window of [`Limits::attempts_per_name`] and [`Limits::attempts_per_address`].
    pub attempt_window: Duration,
    /// The time between two looks at what tokens other servers revoked.
    pub revocation_interval: Duration,
    /// The time between two looks at what follows of turns in games with days per move.
    pub turn_look: Duration,
    /// The time between two heartbeats to the store.
    pub heartbeat: Duration,
    /// How long the store may take for a heartbeat before everybody is told that it is out of
    /// reach.
    pub store_late: Duration,
    /// How long the store may take for a health check.
    pub health: Duration,
    /// How long stopping may take before the rest is cut off.
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
            // With a heartbeat's pause before it, 2.25 s from the last answer.
            store_late: Duration::from_millis(1_250),
            health: Duration::from_secs(2),
            stop: Duration::from_secs(8),
        }
    }
}
