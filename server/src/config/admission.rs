//! Limits per address and player, as flags.

use clap::{Args, value_parser};

use flagfall_base::admission::{AdmissionLimits, NetworkRange, ProxyTrust};

/// Limits per address and per player, and who is exempt.
///
/// An address is an IPv4 address, or the 64-bit network of an IPv6 address. Each server counts for
/// itself, in memory.
#[derive(Args, Clone, Debug)]
pub struct AdmissionFlags {
    /// Take a client's address from the last entry of X-Forwarded-For on every connection: only for
    /// a server that nothing but proxies can reach. --trusted-proxy is safer.
    #[arg(long, env = "FLAGFALL_TRUST_PROXY", help_heading = "Limits per address and player")]
    pub trust_proxy: bool,
    /// A proxy's address or network (10.0.0.0/8). Its X-Forwarded-For is read from the end, past
    /// trusted proxies, and its own connections have no limit per address. Several: repeat the
    /// flag, or separate by commas.
    #[arg(
        long,
        env = "FLAGFALL_TRUSTED_PROXY",
        value_name = "CIDR",
        value_delimiter = ',',
        help_heading = "Limits per address and player"
    )]
    pub trusted_proxy: Vec<NetworkRange>,
    /// A network whose addresses have no limits of their own, such as that of a class or a club:
    /// only the limits per player and of the server hold. Several: repeat the flag, or separate by
    /// commas.
    #[arg(
        long,
        env = "FLAGFALL_TRUSTED_NETWORK",
        value_name = "CIDR",
        value_delimiter = ',',
        help_heading = "Limits per address and player"
    )]
    pub trusted_network: Vec<NetworkRange>,
    /// Percent of --max-connections kept for players with a known token.
    #[arg(long, env = "FLAGFALL_RESERVED_PERCENT", value_name = "PERCENT", default_value_t = 20,
          value_parser = value_parser!(u32).range(0..=90), help_heading = "Limits per address and player")]
    pub reserved_percent: u32,
    /// Open connections of one address; never more than half of those that newcomers may have.
    #[arg(long, env = "FLAGFALL_CONNECTIONS_PER_ADDRESS", value_name = "COUNT", default_value_t = 256,
          value_parser = value_parser!(u32).range(1..=1_000_000), help_heading = "Limits per address and player")]
    pub connections_per_address: u32,
    /// Of these, connections that have not said hello; a further one closes the oldest silent one.
    #[arg(long, env = "FLAGFALL_STRANGERS_PER_ADDRESS", value_name = "COUNT", default_value_t = 128,
          value_parser = value_parser!(u32).range(1..=1_000_000), help_heading = "Limits per address and player")]
    pub strangers_per_address: u32,
    /// New connections from one address in a minute, HTTP included; a third of them at once.
    #[arg(long, env = "FLAGFALL_HANDSHAKES_PER_ADDRESS", value_name = "COUNT", default_value_t = 1_800,
          value_parser = value_parser!(u32).range(3..=10_000_000), help_heading = "Limits per address and player")]
    pub handshakes_per_address: u32,
    /// Hellos of one player in a minute.
    #[arg(long, env = "FLAGFALL_HELLOS_PER_PLAYER", value_name = "COUNT", default_value_t = 120,
          value_parser = value_parser!(u32).range(1..=10_000_000), help_heading = "Limits per address and player")]
    pub hellos_per_player: u32,
    /// New guests from one address in ten minutes.
    #[arg(long, env = "FLAGFALL_GUESTS_PER_ADDRESS", value_name = "COUNT", default_value_t = 200,
          value_parser = value_parser!(u32).range(1..=10_000_000), help_heading = "Limits per address and player")]
    pub guests_per_address: u32,
    /// Open seeks, challenges and places in the pool made from one address.
    #[arg(long, env = "FLAGFALL_OFFERS_PER_ADDRESS", value_name = "COUNT", default_value_t = 120,
          value_parser = value_parser!(u32).range(1..=1_000_000), help_heading = "Limits per address and player")]
    pub offers_per_address: u32,
    /// Running games started from one address. After a restart the count begins at zero.
    #[arg(long, env = "FLAGFALL_GAMES_PER_ADDRESS", value_name = "COUNT", default_value_t = 500,
          value_parser = value_parser!(u32).range(1..=1_000_000), help_heading = "Limits per address and player")]
    pub games_per_address: u32,
    /// Of these, games against the house.
    #[arg(long, env = "FLAGFALL_HOUSE_GAMES_PER_ADDRESS", value_name = "COUNT", default_value_t = 200,
          value_parser = value_parser!(u32).range(1..=1_000_000), help_heading = "Limits per address and player")]
    pub house_games_per_address: u32,
    /// Running games of one player against the house.
    #[arg(long, env = "FLAGFALL_HOUSE_GAMES_PER_PLAYER", value_name = "COUNT", default_value_t = 10,
          value_parser = value_parser!(u32).range(1..=1_000_000), help_heading = "Limits per address and player")]
    pub house_games_per_player: u32,
    /// Games that one address watches.
    #[arg(long, env = "FLAGFALL_WATCHED_PER_ADDRESS", value_name = "COUNT", default_value_t = 1_000,
          value_parser = value_parser!(u32).range(1..=10_000_000), help_heading = "Limits per address and player")]
    pub watched_per_address: u32,
    /// Games that one player watches.
    #[arg(long, env = "FLAGFALL_WATCHED_PER_PLAYER", value_name = "COUNT", default_value_t = 64,
          value_parser = value_parser!(u32).range(1..=10_000_000), help_heading = "Limits per address and player")]
    pub watched_per_player: u32,
    /// KiB that commands from one address may add to the store in a minute. Beyond that the server
    /// reads more slowly; no move is refused.
    #[arg(long, env = "FLAGFALL_STORED_KIB_PER_ADDRESS", value_name = "KIB", default_value_t = 4_096,
          value_parser = value_parser!(u32).range(1..), help_heading = "Limits per address and player")]
    pub stored_kib_per_address: u32,
    /// The same for one player.
    #[arg(long, env = "FLAGFALL_STORED_KIB_PER_PLAYER", value_name = "KIB", default_value_t = 1_024,
          value_parser = value_parser!(u32).range(1..), help_heading = "Limits per address and player")]
    pub stored_kib_per_player: u32,
    /// Requests over HTTP from one address in a minute. A long game or its record counts as
    /// several; WebSockets and health checks do not count.
    #[arg(long, env = "FLAGFALL_REQUESTS_PER_MINUTE", value_name = "COUNT", default_value_t = 1_200,
          value_parser = value_parser!(u32).range(1..=1_000_000), help_heading = "Limits per address and player")]
    pub requests_per_minute: u32,
}

impl AdmissionFlags {
    /// The limits that the flags set.
    pub(super) fn limits(&self) -> AdmissionLimits {
        let count = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
        AdmissionLimits {
            trusted_networks: self.trusted_network.clone(),
            reserved_percent: self.reserved_percent,
            connections_per_address: self.connections_per_address,
            strangers_per_address: self.strangers_per_address,
            handshakes_per_address: self.handshakes_per_address,
            hellos_per_player: self.hellos_per_player,
            guests_per_address: self.guests_per_address,
            offers_per_address: count(self.offers_per_address),
            games_per_address: count(self.games_per_address),
            house_games_per_address: count(self.house_games_per_address),
            house_games_per_player: count(self.house_games_per_player),
            watched_per_address: self.watched_per_address,
            watched_per_player: self.watched_per_player,
            stored_kib_per_address: self.stored_kib_per_address,
            stored_kib_per_player: self.stored_kib_per_player,
            requests_per_minute: self.requests_per_minute,
        }
    }

    /// The proxies that the flags name.
    pub(super) fn proxies(&self) -> ProxyTrust {
        ProxyTrust { is_everyone: self.trust_proxy, ranges: self.trusted_proxy.clone() }
    }
}
