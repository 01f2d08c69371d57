//! Turns refusals into messages, and makes the refusals that several parts of the server need.
//!
//! Inside the server, a refusal is a value ([`Refusal`]). When the answer is sent, this module
//! adds the sentence that describes the refusal. It uses the wording that all clients share.

use flagfall_board::GameId;
use flagfall_protocol::{Code, CommandId, Refusal, ServerToClient};
use flagfall_words::english;
use tracing::field::display;

use crate::delivery::{ConnectionId, Outbox, Payload};
use crate::request_id::RequestId;
use crate::telemetry;

/// Refuses a command or another message of a connection. Also counts the refusal in the metrics,
/// and logs it with the ids of the connection and of the request.
///
/// `seq` is the number of the last entry that the requester's side has been shown, if the
/// requester has a side.
pub fn send(
    outbox: &Outbox,
    request: RequestId,
    refusal: Refusal,
    cmd_id: Option<CommandId>,
    game: Option<GameId>,
    seq: Option<u64>,
) {
    telemetry::refused(&refusal.code);
    log(&refusal, request, Some(outbox.connection()), game);
    let message = english().refusal(&refusal);
    let (Refusal { code, args }, request) = (refusal, Some(request.to_string()));
    outbox.send(Payload::new(&ServerToClient::Refused { cmd_id, game, code, args, message, seq, request }));
}

/// Returns the message that says that a game cannot be continued. `request` is the id of the
/// request that the message answers.
pub fn game_unavailable(refusal: Refusal, game: GameId, request: Option<RequestId>) -> ServerToClient {
    let message = english().refusal(&refusal);
    let request = request.map(|request| request.to_string());
    ServerToClient::GameUnavailable { game, code: Some(refusal.code), message, request }
}

/// Logs a refusal with the ids of its request, its connection and its game. Logs a defect as an
/// error, another failure of the server at info level, and any other refusal at debug level.
pub fn log(refusal: &Refusal, request: RequestId, connection: Option<ConnectionId>, game: Option<GameId>) {
    let (connection, game) = (connection.map(display), game.map(display));
    if refusal.code.as_str() == Code::INTERNAL {
        tracing::error!(%request, connection, game, %refusal, "refused because of a defect");
    } else if refusal.code.is_failure() {
        tracing::info!(%request, connection, game, %refusal, "refused because of a failure");
    } else {
        tracing::debug!(%request, connection, game, %refusal, "refused");
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
    use crate::delivery::outbox;
    use crate::delivery::reading::next;
    use crate::store_errors::tests::logged;

    #[test]
    fn what_a_player_may_report_is_logged_with_its_ids_at_the_default_level() {
        let connection = ConnectionId::next();
        let text = logged(|| {
            log(&store_away(), RequestId::numbered(1), Some(connection), None);
            log(&defect(), RequestId::numbered(2), None, None);
            log(&Refusal::new(Code::NOT_OVER), RequestId::numbered(3), Some(connection), None);
        });
        let [failure, defect] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
        assert!(failure.contains("0000000000000001") && failure.contains(&connection.to_string()), "{text}");
        assert!(defect.contains("ERROR") && defect.contains("0000000000000002"), "{text}");
    }

    #[tokio::test]
    async fn a_refusal_becomes_a_sentence_and_keeps_its_arguments() {
        let refusal = Refusal::new(Code::TOO_MANY).because("games").with("count", 20_u64);
        let (outbox, mut reader) = outbox(ConnectionId::next());
        send(&outbox, RequestId::next(), refusal.clone(), None, None, Some(4));
        let said = serde_json::from_str(next(&mut reader).await.unwrap().as_str()).unwrap();
        let ServerToClient::Refused { code, args, message, seq, .. } = said else {
            panic!("not a refusal: {said:?}");
        };
        assert_eq!(Refusal { code, args }, refusal);
        assert_eq!(message, "You are already playing 20 games. Finish one first.");
        assert_eq!(seq, Some(4));
    }
}
