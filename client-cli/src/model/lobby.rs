//! Games that have not started: offers, challenges and the pool. Also the player's other games.

use std::collections::{BTreeMap, BTreeSet};

use flagfall_board::GameId;
use flagfall_protocol::{GameSummary, Invitation, LobbyLists, OwnGames, PoolStatus};

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Lobby {
    /// Other players' offers and the public games.
    pub listed: Option<LobbyLists>,
    /// The version number of the lists, if the server sends changes.
    pub number: Option<u64>,
    /// Offers that the server did not let this player accept. The lobby may still list them for a
    /// short time.
    pub refused_seeks: BTreeSet<String>,
    pub seek: Option<String>,
    /// True if the player's own offer may have been lost with the connection. The next lobby
    /// message shows whether the offer still exists.
    pub is_seek_doubtful: bool,
    /// The player's running games, as the server last sent them.
    pub own_games: Option<Vec<GameSummary>>,
    /// The player's running games in order of urgency, if the client requested that list.
    pub urgent_games: Option<OwnGames>,
    /// The games of the last welcome, and the games that have started since then. Any other game
    /// in the next welcome must have started while the connection was down.
    pub known_games: Option<Vec<GameId>>,
    pub pool: Option<PoolWait>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Challenges {
    pub own: Option<String>,
    /// The names of the challenged players, by command id, for challenges that the server has not
    /// created yet.
    pub addressed: BTreeMap<String, String>,
    /// The latest open challenge to this player.
    pub received: Option<Invitation>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PoolWait {
    pub status: PoolStatus,
    /// The time, by this machine's clock, at which the client last told the user that they are
    /// still waiting.
    pub told_at: u64,
}
