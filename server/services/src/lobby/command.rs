//! Commands to the lobby.

use flagfall_board::Side;
use flagfall_protocol::{ClientToServer, CommandId, RatingWish, Terms};
use serde::Serialize;

/// A command to the lobby. Its fingerprint is its JSON, which does not contain the command id.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum LobbyCommand {
    /// Offers a game to anyone in the lobby.
    Seek {
        terms: Terms,
        side: Option<Side>,
        #[serde(skip_serializing_if = "Option::is_none")]
        rating: Option<RatingWish>,
    },
    CancelSeek {
        seek: String,
    },
    AcceptSeek {
        seek: String,
        /// True if the accepting player wants their deployment to stay private.
        secret: bool,
    },
    /// Offers a game to anyone who has the code of the challenge.
    Challenge {
        terms: Terms,
        side: Option<Side>,
    },
    CancelChallenge {
        challenge: String,
    },
    AcceptChallenge {
        challenge: String,
        /// True if the accepting player wants their deployment to stay private.
        secret: bool,
    },
    EnterPool {
        terms: Terms,
    },
    LeavePool {},
    PlayBot {
        bot: String,
        terms: Terms,
        side: Option<Side>,
    },
}

impl LobbyCommand {
    /// Converts a message into a lobby command. Returns the message if it is not for the lobby.
    #[allow(clippy::result_large_err, reason = "the message is passed on")]
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

    /// True if the command withdraws an offer or leaves the pool. Such commands are allowed even
    /// while the server stops.
    pub const fn is_withdrawal(&self) -> bool {
        matches!(
            self,
            LobbyCommand::CancelSeek { .. }
                | LobbyCommand::CancelChallenge { .. }
                | LobbyCommand::LeavePool {}
        )
    }
}
