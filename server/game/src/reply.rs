//! Answers to commands, and where they go.

use flagfall_base::delivery::{Outbox, Payload};
use flagfall_base::request_id::RequestId;
use flagfall_base::{refusals, telemetry};
use flagfall_board::GameId;
use flagfall_protocol::{Accepted, CommandId, EventPosition, Refusal, ServerToClient};
use tokio::sync::oneshot;

pub type Answer = Result<Accepted, Refusal>;

/// The place to which the answer to a command goes.
#[derive(Debug)]
pub enum Reply {
    /// To a connection. The answer is a message with the command's id, sent after the command's
    /// events.
    Connection {
        outbox: Outbox,
        request: RequestId,
    },
    Caller(oneshot::Sender<Answer>),
    /// The answer is discarded. This is used for house players, who look at the game instead of
    /// waiting for an answer.
    Discard,
}

impl Reply {
    pub(super) fn outbox(&self) -> Option<&Outbox> {
        match self {
            Reply::Connection { outbox, .. } => Some(outbox),
            Reply::Caller(_) | Reply::Discard => None,
        }
    }

    pub(super) fn request(&self) -> Option<RequestId> {
        match self {
            Reply::Connection { request, .. } => Some(*request),
            Reply::Caller(_) | Reply::Discard => None,
        }
    }

    pub(super) fn answer(self, game: GameId, cmd_id: CommandId, answer: Answer, seq: Option<u64>) {
        match self {
            Reply::Connection { outbox, request } => match answer {
                Ok(outcome) => {
                    outbox.send(Payload::new(&ServerToClient::Accepted { cmd_id, outcome }));
                }
                Err(refusal) => refusals::send(&outbox, request, refusal, Some(cmd_id), Some(game), seq),
            },
            Reply::Caller(sender) => {
                if let Err(refusal) = &answer {
                    telemetry::refused(&refusal.code);
                }
                // Ignore a failure. It means that the caller has gone, so no answer is needed.
                drop(sender.send(answer));
            }
            Reply::Discard => {}
        }
    }
}

/// A connection that asks to be shown a game.
#[derive(Clone, Debug)]
pub struct Opener {
    pub outbox: Outbox,
    /// The player's id; `None` for an anonymous client, which sees public games only.
    pub player: Option<String>,
    /// The position up to which the client has already seen the game.
    pub since: Option<EventPosition>,
    pub request: RequestId,
}

#[cfg(test)]
mod tests {
    use flagfall_protocol::Code;

    use super::*;

    #[test]
    fn a_refused_caller_in_this_process_is_counted_like_a_connection() {
        let handle = flagfall_base::recorder::install().unwrap();
        let (sender, mut answer) = oneshot::channel();
        let refusal = Refusal::new(Code::NOT_OVER);
        let game = GameId::from_random([1; 12]);
        Reply::Caller(sender).answer(game, "1".parse().unwrap(), Err(refusal.clone()), None);
        assert_eq!(answer.try_recv().unwrap(), Err(refusal));
        assert!(handle.render().contains("{code=\"not_over\"} 1"));
    }
}
