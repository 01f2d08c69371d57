//! Answers to commands, and where they go.

use flagfall_board::GameId;
use flagfall_protocol::{Accepted, Code, CommandId, ServerToClient};
use tokio::sync::oneshot;

use super::error::{CreateError, TableError};
use flagfall_base::delivery::{Outbox, Payload};
use flagfall_base::telemetry;

/// Why a command is not carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The stable code.
    pub code: Code,
    /// The reason in words.
    pub message: String,
    /// How far the asking side has been shown the game, if it has a side.
    pub seq: Option<u64>,
}

impl Refusal {
    /// A refusal that says nothing about the state of the game.
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Refusal {
        Refusal { code: Code::new(code), message: message.into(), seq: None }
    }

    /// The store is away.
    pub(super) fn unavailable() -> Refusal {
        let message = "the store cannot take it now; send the same command again in a moment";
        Refusal::new(Code::STORE_UNAVAILABLE, message)
    }

    /// The refusal as a message, counted among the metrics.
    pub(super) fn payload(self, game: GameId, cmd_id: Option<CommandId>) -> Payload {
        let Refusal { code, message, seq } = self;
        telemetry::refused(&code);
        Payload::new(&ServerToClient::Refused { cmd_id, game: Some(game), code, message, seq })
    }
}

impl From<&flagfall_rules::Refusal> for Refusal {
    fn from(refusal: &flagfall_rules::Refusal) -> Refusal {
        Refusal { code: Code::from(refusal), message: refusal.to_string(), seq: None }
    }
}

impl From<&TableError> for Refusal {
    fn from(error: &TableError) -> Refusal {
        Refusal { code: Code::from(error), message: error.to_string(), seq: None }
    }
}

impl From<&CreateError> for Refusal {
    fn from(error: &CreateError) -> Refusal {
        Refusal { code: Code::from(error), message: error.to_string(), seq: None }
    }
}

/// The answer to a command.
pub type Answer = Result<Accepted, Refusal>;

/// Where the answer to a command goes.
#[derive(Debug)]
pub enum Reply {
    /// To a connection, as a message that names the command. It is in the send queue after the
    /// events of the command.
    Connection(Outbox),
    /// To a caller in this process.
    Caller(oneshot::Sender<Answer>),
    /// Discarded: a house player looks at the game instead.
    Discard,
}

impl Reply {
    /// The connection that asked.
    pub(super) fn outbox(&self) -> Option<&Outbox> {
        match self {
            Reply::Connection(outbox) => Some(outbox),
            Reply::Caller(_) | Reply::Discard => None,
        }
    }

    /// Gives the answer to the command of this id in this game.
    pub(super) fn answer(self, game: GameId, cmd_id: CommandId, answer: Answer) {
        match self {
            Reply::Connection(outbox) => outbox.send(match answer {
                Ok(outcome) => Payload::new(&ServerToClient::Accepted { cmd_id, outcome }),
                Err(refusal) => refusal.payload(game, Some(cmd_id)),
            }),
            Reply::Caller(sender) => {
                if let Err(refusal) = &answer {
                    telemetry::refused(&refusal.code);
                }
                // A caller who has gone wants no answer.
                drop(sender.send(answer));
            }
            Reply::Discard => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_caller_in_this_process_is_counted_like_a_connection() {
        let handle = flagfall_base::recorder::install().unwrap();
        let (sender, mut answer) = oneshot::channel();
        let refusal = Refusal::new("refused_to_a_caller", "no");
        let game = GameId::from_random([1; 12]);
        Reply::Caller(sender).answer(game, "1".parse().unwrap(), Err(refusal.clone()));
        assert_eq!(answer.try_recv().unwrap(), Err(refusal));
        assert!(handle.render().contains("{code=\"refused_to_a_caller\"} 1"));
    }
}
