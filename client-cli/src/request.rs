//! HTTP requests for lists, other games and account data.

use flagfall_board::{GameId, Ply, Side};
use flagfall_protocol::{Invite, NewQueue, QueuedMove, SaveDeployment, Secret, Speed};
use hyper::Method;

/// An HTTP request. All other messages use the WebSocket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// List the player's games.
    OwnGames,
    /// Continue with the most urgent of the player's running games.
    Next,
    /// Show a game, as this player sees it or as the public sees it.
    Show { game: GameId, is_own: bool },
    /// List the moves of a game that the player may see.
    Moves { game: GameId },
    /// Fetch the record of a game that the server refused to open, probably because the game is
    /// over.
    Record { game: GameId },
    /// Show the leaderboard for a ruleset and a speed.
    Standings { ruleset: String, speed: Speed },
    /// Show a player's profile.
    Ratings { player: String },
    /// Look up the rating of one player of an open game.
    SeatRating { game: GameId, side: Side, player: String },
    /// List a player's finished games.
    Played { player: String },
    /// List the finished games between two players.
    HeadToHead { player: String, opponent: String },
    /// Load the deployments saved in the account.
    Deployments,
    /// Save a deployment in the account.
    SaveDeployment { ruleset: String, name: String, setup: Secret },
    /// List the challenges that the player has not answered.
    Challenges,
    /// Send a challenge to a player.
    Invite { challenge: String, name: String },
    /// Decline a challenge.
    Decline { challenge: String },
    /// Show the queued moves of a game.
    Queue { game: GameId },
    /// Queue moves in a game. `ply` and `epoch` identify the position that the user has seen.
    SetQueue { game: GameId, ply: Ply, epoch: u64, moves: Vec<QueuedMove> },
    /// Delete the queued moves of a game.
    ClearQueue { game: GameId },
}

impl Request {
    pub fn method(&self) -> Method {
        match self {
            Request::Invite { .. } => Method::POST,
            Request::SetQueue { .. } | Request::SaveDeployment { .. } => Method::PUT,
            Request::Decline { .. } | Request::ClearQueue { .. } => Method::DELETE,
            _ => Method::GET,
        }
    }

    pub fn path(&self) -> String {
        match self {
            Request::OwnGames | Request::Next => "/api/me/games".to_owned(),
            Request::Show { game, is_own: _ } => format!("/api/games/{game}"),
            Request::Record { game } => format!("/api/games/{game}/record"),
            Request::Moves { game } => format!("/api/games/{game}/record.txt"),
            Request::Standings { ruleset, speed } => format!("/api/leaderboards/{ruleset}/{}", speed.name()),
            Request::Ratings { player } | Request::SeatRating { player, .. } => {
                format!("/api/players/{player}")
            }
            Request::Played { player } => format!("/api/players/{player}/games"),
            Request::HeadToHead { player, opponent } => format!("/api/players/{player}/against/{opponent}"),
            Request::Deployments => "/api/me/deployments".to_owned(),
            Request::SaveDeployment { ruleset, name, setup: _ } => {
                format!("/api/me/deployments/{ruleset}/{name}")
            }
            Request::Challenges | Request::Invite { .. } => "/api/me/challenges".to_owned(),
            Request::Decline { challenge } => format!("/api/me/challenges/{}", plain(challenge)),
            Request::Queue { game } | Request::SetQueue { game, .. } | Request::ClearQueue { game } => {
                format!("/api/games/{game}/queue")
            }
        }
    }

    /// True if the request carries the player's credential.
    pub fn is_own(&self) -> bool {
        match self {
            Request::Show { is_own, .. } => *is_own,
            Request::Standings { .. } | Request::Ratings { .. } | Request::SeatRating { .. } => false,
            _ => true,
        }
    }

    /// Returns the request body, which may be empty.
    pub fn body(&self) -> Result<Vec<u8>, serde_json::Error> {
        match self {
            Request::Invite { challenge, name } => {
                serde_json::to_vec(&Invite { challenge: challenge.clone(), name: name.clone() })
            }
            Request::SaveDeployment { ruleset: _, name: _, setup } => {
                serde_json::to_vec(&SaveDeployment { setup: setup.clone() })
            }
            Request::SetQueue { game: _, ply, epoch, moves } => {
                serde_json::to_vec(&NewQueue { ply: *ply, epoch: Some(*epoch), moves: moves.clone() })
            }
            _ => Ok(Vec::new()),
        }
    }
}

/// Removes all characters except letters and digits. If none are left, returns text that matches
/// no code.
fn plain(text: &str) -> String {
    let letters: String = text.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
    if letters.is_empty() { "-".to_owned() } else { letters }
}
