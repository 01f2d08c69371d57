//! HTTP requests that the client makes while it plays: lists, other games, account data.

use flagfall_board::{GameId, Ply, Side};
use flagfall_protocol::{Invite, NewQueue, QueuedMove, SaveDeployment, Secret, Speed};
use hyper::Method;

/// An HTTP request beside the WebSocket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// List the player's games.
    OwnGames,
    /// Go on with the most urgent of the player's running games.
    Next,
    /// Show a game, as this player sees it or as the public does.
    Show { game: GameId, is_own: bool },
    /// List the moves of a game, as far as the player may know them.
    Moves { game: GameId },
    /// Fetch the record of a game that cannot be opened, as it may be over.
    Record { game: GameId },
    /// Show the leaderboard of a ruleset at a speed.
    Standings { ruleset: String, speed: Speed },
    /// Show a player's profile.
    Ratings { player: String },
    /// Look up the rating of a player of an open game.
    SeatRating { game: GameId, side: Side, player: String },
    /// List a player's finished games.
    Played { player: String },
    /// List the finished games of two players.
    HeadToHead { player: String, opponent: String },
    /// Load the deployments that the account keeps.
    Deployments,
    /// Save a deployment with the account.
    SaveDeployment { ruleset: String, name: String, setup: Secret },
    /// List the challenges that wait for the player's answer.
    Challenges,
    /// Address a challenge to a player.
    Invite { challenge: String, name: String },
    /// Decline a challenge.
    Decline { challenge: String },
    /// Show the moves that are queued in a game.
    Queue { game: GameId },
    /// Queue moves in a game, which stands at this ply and was shown in this epoch.
    SetQueue { game: GameId, ply: Ply, epoch: u64, moves: Vec<QueuedMove> },
    /// Drop the moves that are queued in a game.
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

    /// The request body; may be empty.
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

/// The text's letters and digits only. A text that is no code then matches nothing.
fn plain(text: &str) -> String {
    let letters: String = text.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
    if letters.is_empty() { "-".to_owned() } else { letters }
}
