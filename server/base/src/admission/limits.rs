//! Limits for one address and one player, and the messages when they are reached.

use std::net::IpAddr;
use std::time::Duration;

use clap::Args;
use flagfall_protocol::{Code, Refusal};
use metrics::counter;
use strum::IntoStaticStr;

use super::network::NetworkRange;
use crate::flags::{count, defaults, number};
use crate::telemetry::LIMIT_HITS;

/// The suggested wait for a client that must first close a connection or end a game.
pub(super) const LATER: Duration = Duration::from_secs(60);
/// Limits for one client. An "address" is a [`Network`](super::Network), which counts as one
/// client.
#[derive(Args, Clone, PartialEq, Eq, Debug)]
#[command(next_help_heading = "Limits per address and player")]
pub struct AdmissionLimits {
    /// A network without per-address limits, such as the network of a school or a club. Only the
    /// limits per player and the limits of the whole server apply to it. To name several
    /// networks, repeat the flag or separate them with commas.
    #[arg(
        long = "trusted-network",
        env = "FLAGFALL_TRUSTED_NETWORK",
        value_name = "CIDR",
        value_delimiter = ','
    )]
    pub trusted_networks: Vec<NetworkRange>,
    /// Percentage of --max-connections that is reserved for players with a known token.
    #[arg(long, env = "FLAGFALL_RESERVED_PERCENT", value_name = "PERCENT", default_value = "20",
          value_parser = number(0..=90))]
    pub reserved_percent: u32,
    /// Maximum number of open connections of one address. Regardless of this setting, one address
    /// gets at most half of the connections that are not reserved.
    #[arg(long, env = "FLAGFALL_CONNECTIONS_PER_ADDRESS", value_name = "COUNT",
          default_value = "256", value_parser = number(1..=1_000_000))]
    pub connections_per_address: u32,
    /// Maximum number of open connections of one address that have not sent a hello. A further
    /// connection closes the oldest of them.
    #[arg(long, env = "FLAGFALL_STRANGERS_PER_ADDRESS", value_name = "COUNT", default_value = "128",
          value_parser = number(1..=1_000_000))]
    pub strangers_per_address: u32,
    /// Maximum number of new connections from one address in a minute, including HTTP. A third of
    /// them may come at once.
    #[arg(long, env = "FLAGFALL_HANDSHAKES_PER_ADDRESS", value_name = "COUNT",
          default_value = "1800", value_parser = number(3..=10_000_000))]
    pub handshakes_per_address: u32,
    /// Maximum number of hellos of one player in a minute.
    #[arg(long, env = "FLAGFALL_HELLOS_PER_PLAYER", value_name = "COUNT", default_value = "120",
          value_parser = number(1..=10_000_000))]
    pub hellos_per_player: u32,
    /// Maximum number of new guests from one address in ten minutes.
    #[arg(long, env = "FLAGFALL_GUESTS_PER_ADDRESS", value_name = "COUNT", default_value = "200",
          value_parser = number(1..=10_000_000))]
    pub guests_per_address: u32,
    /// Maximum number of open offers from one address: seeks, challenges and places in the pool.
    #[arg(long, env = "FLAGFALL_OFFERS_PER_ADDRESS", value_name = "COUNT", default_value = "120",
          value_parser = count(1..=1_000_000))]
    pub offers_per_address: usize,
    /// Maximum number of running games that were started from one address. After a restart, the
    /// count begins at zero.
    #[arg(long, env = "FLAGFALL_GAMES_PER_ADDRESS", value_name = "COUNT", default_value = "500",
          value_parser = count(1..=1_000_000))]
    pub games_per_address: usize,
    /// Maximum number of running games against house players that were started from one address.
    #[arg(long, env = "FLAGFALL_HOUSE_GAMES_PER_ADDRESS", value_name = "COUNT",
          default_value = "200", value_parser = count(1..=1_000_000))]
    pub house_games_per_address: usize,
    /// Maximum number of running games of one player against house players.
    #[arg(long, env = "FLAGFALL_HOUSE_GAMES_PER_PLAYER", value_name = "COUNT", default_value = "10",
          value_parser = count(1..=1_000_000))]
    pub house_games_per_player: usize,
    /// Maximum number of games that one address may watch at a time.
    #[arg(long, env = "FLAGFALL_WATCHED_PER_ADDRESS", value_name = "COUNT", default_value = "1000",
          value_parser = number(1..=10_000_000))]
    pub watched_per_address: u32,
    /// Maximum number of games that one player may watch at a time.
    #[arg(long, env = "FLAGFALL_WATCHED_PER_PLAYER", value_name = "COUNT", default_value = "64",
          value_parser = number(1..=10_000_000))]
    pub watched_per_player: u32,
    /// Maximum amount of data that commands from one address add to the store in a minute, in
    /// KiB. Above this limit, the server reads from the address more slowly, but it does not
    /// refuse moves.
    #[arg(long, env = "FLAGFALL_STORED_KIB_PER_ADDRESS", value_name = "KIB", default_value = "4096",
          value_parser = number(1..=u32::MAX))]
    pub stored_kib_per_address: u32,
    /// Maximum amount of data that commands from one player add to the store in a minute, in KiB.
    /// Above this limit, the server reads from the player more slowly, but it does not refuse
    /// moves.
    #[arg(long, env = "FLAGFALL_STORED_KIB_PER_PLAYER", value_name = "KIB", default_value = "1024",
          value_parser = number(1..=u32::MAX))]
    pub stored_kib_per_player: u32,
    /// Maximum number of HTTP requests from one address in a minute. A request for a long game or
    /// its record counts several times. WebSockets, health checks and files of the page do not
    /// count.
    #[arg(long, env = "FLAGFALL_REQUESTS_PER_MINUTE", value_name = "COUNT", default_value = "1200",
          value_parser = number(1..=1_000_000))]
    pub requests_per_minute: u32,
    /// Maximum number of files of the page that one address may load in a minute. A first visit
    /// loads about 50 files, and later visits load none.
    #[arg(long, env = "FLAGFALL_ASSETS_PER_MINUTE", value_name = "COUNT", default_value = "12000",
          value_parser = number(1..=10_000_000))]
    pub assets_per_minute: u32,
}

/// The period to which [`AdmissionLimits::guests_per_address`] applies.
pub const GUEST_WINDOW: Duration = Duration::from_secs(10 * 60);

impl Default for AdmissionLimits {
    fn default() -> AdmissionLimits {
        defaults()
    }
}

impl AdmissionLimits {
    /// True if the address is exempt from per-address limits.
    pub fn is_trusted(&self, address: IpAddr) -> bool {
        self.trusted_networks.iter().any(|range| range.contains(address))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Limit {
    Connections,
    /// Connections without a hello.
    Strangers,
    /// New connections per minute.
    Handshakes,
    Hellos,
    Guests,
    Offers,
    Games,
    HouseGames,
    Watched,
    /// Bytes added to the store. A client above this limit is slowed down, not refused.
    Stored,
    Requests,
    /// Files of the page.
    Assets,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Scope {
    Address,
    Player,
    /// The limit of the server as a whole.
    Server,
}

impl Limit {
    /// Every limit, with the scopes for which it is counted.
    pub const ALL: [(Limit, &[Scope]); 12] = [
        (Limit::Connections, &[Scope::Address, Scope::Player, Scope::Server]),
        (Limit::Strangers, &[Scope::Address, Scope::Server]),
        (Limit::Handshakes, &[Scope::Address]),
        (Limit::Hellos, &[Scope::Player]),
        (Limit::Guests, &[Scope::Address, Scope::Server]),
        (Limit::Offers, &[Scope::Address, Scope::Player, Scope::Server]),
        (Limit::Games, &[Scope::Address, Scope::Player]),
        (Limit::HouseGames, &[Scope::Address, Scope::Player]),
        (Limit::Watched, &[Scope::Address, Scope::Player]),
        (Limit::Stored, &[Scope::Address, Scope::Player]),
        (Limit::Requests, &[Scope::Address]),
        (Limit::Assets, &[Scope::Address]),
    ];
}

/// A limit was reached. Nothing was done, and the client may try again later.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", Refusal::from(self))]
pub struct TooMany {
    pub limit: Limit,
    pub scope: Scope,
    pub wait: Duration,
}

impl TooMany {
    /// A refusal that is counted in the metrics.
    pub fn counted(limit: Limit, scope: Scope, wait: Duration) -> TooMany {
        count_hit(limit, scope);
        TooMany { limit, scope, wait }
    }

    pub fn count(&self) {
        count_hit(self.limit, self.scope);
    }

    /// The time to wait in whole seconds, from 1 to 3,600.
    pub fn wait_s(&self) -> u64 {
        self.wait.as_secs_f64().ceil().clamp(1.0, 3_600.0) as u64
    }
}

/// Counts a request that was refused or delayed because of a limit.
pub fn count_hit(limit: Limit, scope: Scope) {
    counter!(LIMIT_HITS, "limit" => limit.into_str(), "of" => scope.into_str()).increment(1);
}

impl From<&TooMany> for Refusal {
    fn from(too_many: &TooMany) -> Refusal {
        let reason = match (too_many.limit, too_many.scope) {
            (Limit::Connections | Limit::Strangers, Scope::Server) => "server_connections",
            (Limit::Strangers, _) => "connections",
            (Limit::Games, _) => "games_of_address",
            (Limit::HouseGames, Scope::Address | Scope::Server) => "house_games_of_address",
            (Limit::Watched, Scope::Address | Scope::Server) => "watched_of_address",
            (Limit::Assets, _) => Limit::Requests.into_str(),
            (limit, _) => limit.into_str(),
        };
        Refusal::new(Code::TOO_MANY).because(reason).with("seconds", too_many.wait_s())
    }
}
