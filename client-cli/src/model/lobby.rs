//! Games to be: offers, challenges, the pool, and the player's other games.

use std::collections::{BTreeMap, BTreeSet};

use flagfall_board::GameId;
use flagfall_protocol::{GameSummary, Invitation, OwnGames, PoolStatus, Seek};

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Lobby {
    /// Everyone's offers and the public games.
    pub listed: Option<(Vec<Seek>, Vec<GameSummary>)>,
    /// Offers that were refused to this player. The lobby may list one for a moment after it is
    /// gone.
    pub refused_seeks: BTreeSet<String>,
    pub seek: Option<String>,
    /// The connection was lost, so the offer may be gone. The next lobby message tells.
    pub is_seek_doubtful: bool,
    /// The player's running games, as the server last sent them.
    pub own_games: Option<Vec<GameSummary>>,
    /// The same games with their urgency, if they were requested.
    pub urgent_games: Option<OwnGames>,
    /// The player's games at the last welcome. A new one is noticed by comparison.
    pub known_games: Option<Vec<GameId>>,
    pub pool: Option<PoolWait>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Challenges {
    pub own: Option<String>,
    /// The opponents' names for challenges that are being made, by command id.
    pub addressed: BTreeMap<String, String>,
    /// The latest open challenge to this player.
    pub received: Option<Invitation>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PoolWait {
    pub status: PoolStatus,
    /// When the user was last told about it, by this machine's clock.
    pub told_at: u64,
}
