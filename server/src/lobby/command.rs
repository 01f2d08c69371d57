//! What a player may ask of the lobby.

use flagfall_board::Side;
use flagfall_protocol::{ClientToServer, CommandId, RatingWish, Terms};
use serde::Serialize;

/// A command to the lobby. Its JSON, without the id, is what tells two commands of one id apart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum LobbyCommand {
    /// Offer a game to anybody.
    Seek {
        /// What is offered.
        terms: Terms,
        /// The side the seeker wants.
        side: Option<Side>,
        /// Whose ratings it is for.
        #[serde(skip_serializing_if = "Option::is_none")]
        rating: Option<RatingWish>,
    },
    /// Take a seek back.
    CancelSeek {
        /// Which.
        seek: String,
    },
    /// Accept somebody's seek.
    AcceptSeek {
        /// Which.
        seek: String,
        /// Whether the acceptor wants secrecy.
        secret: bool,
    },
    /// Offer a game to whoever has the code.
    Challenge {
        /// What is offered.
        terms: Terms,
        /// The side the challenger wants.
        side: Option<Side>,
    },
    /// Take a challenge back.
    CancelChallenge {
        /// Its code.
        challenge: String,
    },
    /// Accept a challenge.
    AcceptChallenge {
        /// Its code.
        challenge: String,
        /// Whether the acceptor wants secrecy.
        secret: bool,
    },
    /// Wait to be paired.
    EnterPool {
        /// What is played.
        terms: Terms,
    },
    /// Wait no longer.
    LeavePool {},
    /// Play a house player.
    PlayBot {
        /// Its level.
        bot: String,
        /// What is played.
        terms: Terms,
        /// The side the player wants.
        side: Option<Side>,
    },
}

impl LobbyCommand {
    /// The lobby command in a message, or the message back.
    ///
    /// # Errors
    /// The message, when it is none to the lobby.
    #[allow(clippy::result_large_err, reason = "the message goes on to whoever it is for")]
    pub fn from_message(message: ClientToServer) -> Result<(CommandId, LobbyCommand), ClientToServer> {
        Ok(match message {
            ClientToServer::Seek { cmd_id, terms, side, rating } => {
                (cmd_id, LobbyCommand::Seek { terms, side, rating })
            }
            ClientToServer::CancelSeek { cmd_id, seek } => (cmd_id, LobbyCommand::CancelSeek { seek }),
            ClientToServer::AcceptSeek { cmd_id, seek, secret } => {
                (cmd_id, LobbyCommand::AcceptSeek { seek, secret })
            }
            ClientToServer::Challenge { cmd_id, terms, side } => {
                (cmd_id, LobbyCommand::Challenge { terms, side })
            }
            ClientToServer::CancelChallenge { cmd_id, challenge } => {
                (cmd_id, LobbyCommand::CancelChallenge { challenge })
            }
            ClientToServer::AcceptChallenge { cmd_id, challenge, secret } => {
                (cmd_id, LobbyCommand::AcceptChallenge { challenge, secret })
            }
            ClientToServer::PlayBot { cmd_id, bot, terms, side } => {
                (cmd_id, LobbyCommand::PlayBot { bot, terms, side })
            }
            ClientToServer::EnterPool { cmd_id, terms } => (cmd_id, LobbyCommand::EnterPool { terms }),
            ClientToServer::LeavePool { cmd_id } => (cmd_id, LobbyCommand::LeavePool {}),
            other => return Err(other),
        })
    }

    /// Its name in messages and metrics.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            LobbyCommand::Seek { .. } => "seek",
            LobbyCommand::CancelSeek { .. } => "cancel_seek",
            LobbyCommand::AcceptSeek { .. } => "accept_seek",
            LobbyCommand::Challenge { .. } => "challenge",
            LobbyCommand::CancelChallenge { .. } => "cancel_challenge",
            LobbyCommand::AcceptChallenge { .. } => "accept_challenge",
            LobbyCommand::PlayBot { .. } => "play_bot",
            LobbyCommand::EnterPool { .. } => "enter_pool",
            LobbyCommand::LeavePool {} => "leave_pool",
        }
    }

    /// Whether it takes something back: allowed even while the server stops.
    #[must_use]
    pub const fn is_withdrawal(&self) -> bool {
        matches!(
            self,
            LobbyCommand::CancelSeek { .. }
                | LobbyCommand::CancelChallenge { .. }
                | LobbyCommand::LeavePool {}
        )
    }
}
