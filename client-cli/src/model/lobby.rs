//! Games that have not started: offers, challenges and the pool. Also the player's other games.

use std::collections::{BTreeMap, BTreeSet};

use flagfall_board::GameId;
use flagfall_protocol::{GameSummary, Invitation, OwnGames, PoolStatus, Seek};

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Lobby {
    /// Everyone's offers and the public games.
    pub listed: Option<(Vec<Seek>, Vec<GameSummary>)>,
    /// Offers that the server refused to this player. The lobby may still list such an offer
    /// briefly.
    pub refused_seeks: BTreeSet<String>,
    pub seek: Option<String>,
    /// True if the offer may be gone because the connection was lost. The next lobby message
    /// tells.
    pub is_seek_doubtful: bool,
    /// The player's running games, as last sent by the server.
    pub own_games: Option<Vec<GameSummary>>,
    /// The same games by urgency, if the client requested them.
    pub urgent_games: Option<OwnGames>,
    /// The player's games at the last welcome, to detect games that started since.
    pub known_games: Option<Vec<GameId>>,
    pub pool: Option<PoolWait>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Challenges {
    pub own: Option<String>,
    /// The opponents' names for challenges that are not created yet, by command id.
    pub addressed: BTreeMap<String, String>,
    /// The latest open challenge to this player.
    pub received: Option<Invitation>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PoolWait {
    pub status: PoolStatus,
    /// When the user was last told about the wait, by this machine's clock.
    pub told_at: u64,
}
