//! What the client asks a server over HTTP while it plays: lists, other games, and what belongs to an account.

use flagfall_board::{GameId, Ply};
use flagfall_protocol::{Invite, NewQueue, QueuedMove, SaveDeployment, Secret, Speed};

/// Something asked beside the line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Errand {
    /// One's running games, to be listed.
    OwnGames,
    /// One's running games, to go on with the most urgent.
    Next,
    /// Another game's board: as oneself may see it, or as everybody.
    Show {
        /// The game.
        game: GameId,
        /// As oneself.
        is_own: bool,
    },
    /// The moves of a game, as one may know them.
    Moves {
        /// The game.
        game: GameId,
    },
    /// The record of a game that cannot be opened: it may be over.
    Record {
        /// The game.
        game: GameId,
    },
    /// The best of a ruleset at a speed.
    Standings {
        /// The ruleset's id.
        ruleset: String,
        /// The speed.
        speed: Speed,
    },
    /// What everybody may know of a player.
    Ratings {
        /// The player's name.
        player: String,
    },
    /// A player's games that are over.
    Played {
        /// The player's name.
        player: String,
    },
    /// Two players' games against each other.
    HeadToHead {
        /// The one's name.
        player: String,
        /// The other's.
        opponent: String,
    },
    /// The deployments that one's account keeps.
    Deployments,
    /// Keeps a deployment.
    SaveDeployment {
        /// The ruleset's id.
        ruleset: String,
        /// What it is called.
        name: String,
        /// Its text.
        setup: Secret,
    },
    /// The challenges that wait for one's answer.
    Challenges,
    /// Addresses a challenge to a player.
    Invite {
        /// Its code.
        challenge: String,
        /// The player's name.
        name: String,
    },
    /// Declines a challenge.
    Decline {
        /// Its code.
        challenge: String,
    },
    /// What is queued in a game.
    Queue {
        /// The game.
        game: GameId,
    },
    /// Queues moves in a game.
    SetQueue {
        /// The game.
        game: GameId,
        /// The ply at which it stands.
        ply: Ply,
        /// The epoch in which it was shown.
        epoch: u64,
        /// The moves.
        moves: Vec<QueuedMove>,
    },
    /// Queues nothing in a game.
    ClearQueue {
        /// The game.
        game: GameId,
    },
}

impl Errand {
    /// The method of its request.
    #[must_use]
    pub fn method(&self) -> &'static str {
        match self {
            Errand::Invite { .. } => "POST",
            Errand::SetQueue { .. } | Errand::SaveDeployment { .. } => "PUT",
            Errand::Decline { .. } | Errand::ClearQueue { .. } => "DELETE",
            _ => "GET",
        }
    }

    /// The path of its request.
    #[must_use]
    pub fn path(&self) -> String {
        match self {
            Errand::OwnGames | Errand::Next => "/api/me/games".to_owned(),
            Errand::Show { game, is_own: _ } => format!("/api/games/{game}"),
            Errand::Record { game } => format!("/api/games/{game}/record"),
            Errand::Moves { game } => format!("/api/games/{game}/record.txt"),
            Errand::Standings { ruleset, speed } => format!("/api/leaderboards/{ruleset}/{}", speed.name()),
            Errand::Ratings { player } => format!("/api/players/{player}"),
            Errand::Played { player } => format!("/api/players/{player}/games"),
            Errand::HeadToHead { player, opponent } => format!("/api/players/{player}/against/{opponent}"),
            Errand::Deployments => "/api/me/deployments".to_owned(),
            Errand::SaveDeployment { ruleset, name, setup: _ } => {
                format!("/api/me/deployments/{ruleset}/{name}")
            }
            Errand::Challenges | Errand::Invite { .. } => "/api/me/challenges".to_owned(),
            Errand::Decline { challenge } => format!("/api/me/challenges/{}", plain(challenge)),
            Errand::Queue { game } | Errand::SetQueue { game, .. } | Errand::ClearQueue { game } => {
                format!("/api/games/{game}/queue")
            }
        }
    }

    /// Whether it is asked as oneself, not as anybody.
    #[must_use]
    pub fn is_own(&self) -> bool {
        match self {
            Errand::Show { is_own, .. } => *is_own,
            Errand::Standings { .. } | Errand::Ratings { .. } => false,
            _ => true,
        }
    }

    /// The body of its request; empty without one.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn body(&self) -> Result<Vec<u8>, serde_json::Error> {
        match self {
            Errand::Invite { challenge, name } => {
                serde_json::to_vec(&Invite { challenge: challenge.clone(), name: name.clone() })
            }
            Errand::SaveDeployment { ruleset: _, name: _, setup } => {
                serde_json::to_vec(&SaveDeployment { setup: setup.clone() })
            }
            Errand::SetQueue { game: _, ply, epoch, moves } => {
                serde_json::to_vec(&NewQueue { ply: *ply, epoch: Some(*epoch), moves: moves.clone() })
            }
            _ => Ok(Vec::new()),
        }
    }
}

/// The letters and digits of a text: what cannot be a code finds none.
fn plain(text: &str) -> String {
    let letters: String = text.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
    if letters.is_empty() { "-".to_owned() } else { letters }
}
