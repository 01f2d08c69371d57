//! Turns refusals into messages, and makes the refusals that several parts of the server need.
//!
//! Inside the server, a refusal is a value ([`Refusal`]). When the answer is sent, this module
//! adds the sentence that describes the refusal. It uses the wording that all clients share.

use flagfall_board::GameId;
use flagfall_protocol::{Code, CommandId, Refusal, ServerToClient};
use flagfall_words::english;

use crate::request_id::RequestId;
use crate::telemetry;

/// Returns the message that refuses a command or another message. Also counts the refusal in the
/// metrics, and logs it with the id of the request.
///
/// `seq` is the number of the last entry that the requester's side has been shown, if the
/// requester has a side.
pub fn message(
    refusal: Refusal,
    cmd_id: Option<CommandId>,
    game: Option<GameId>,
    seq: Option<u64>,
    request: RequestId,
) -> ServerToClient {
    telemetry::refused(&refusal.code);
    log(&refusal, request);
    let message = english().refusal(&refusal);
    let Refusal { code, args } = refusal;
    ServerToClient::Refused { cmd_id, game, code, args, message, seq, request: Some(request.to_string()) }
}

/// Returns the message that says that a game cannot be continued. `request` is the id of the
/// request that the message answers.
pub fn game_unavailable(refusal: Refusal, game: GameId, request: Option<RequestId>) -> ServerToClient {
    request.into_iter().for_each(|request| log(&refusal, request));
    let message = english().refusal(&refusal);
    let request = request.map(|request| request.to_string());
    ServerToClient::GameUnavailable { game, code: Some(refusal.code), message, request }
}

/// Logs a refusal with the id of its request. A defect is logged as an error, all else at debug
/// level.
pub fn log(refusal: &Refusal, request: RequestId) {
    if refusal.code.as_str() == Code::INTERNAL {
        tracing::error!(%request, %refusal, "refused because of a defect");
    } else {
        tracing::debug!(%request, %refusal, "refused");
    }
}

/// Returns the refusal for a store that cannot be reached. The command was not carried out.
pub fn store_away() -> Refusal {
    Refusal::new(Code::STORE_UNAVAILABLE).because("away")
}

/// Returns the refusal for a store that gave no clear answer. The command may have been carried
/// out.
pub fn store_unclear() -> Refusal {
    Refusal::new(Code::STORE_UNAVAILABLE).because("unknown_outcome")
}

pub fn defect() -> Refusal {
    Refusal::new(Code::INTERNAL).because("other")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_becomes_a_sentence_and_keeps_its_arguments() {
        let refusal = Refusal::new(Code::TOO_MANY).because("games").with("count", 20_u64);
        let said = message(refusal.clone(), None, None, Some(4), RequestId::next());
        let ServerToClient::Refused { code, args, message, seq, .. } = said else {
            panic!("not a refusal: {said:?}");
        };
        assert_eq!(Refusal { code, args }, refusal);
        assert_eq!(message, "You are already playing 20 games. Finish one first.");
        assert_eq!(seq, Some(4));
    }
}
