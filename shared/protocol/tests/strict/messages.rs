//! An example of every kind of message.

use flagfall_board::{GameId, Side};
use flagfall_protocol::{
    ClientToServer, CommandId, EventPosition, GameCommand, LobbyFilter, RatingWish, Speed, Terms, Time,
};

const RED: &str = "81..S9.... .......... F9........ B2........";
fn id(text: &str) -> CommandId {
    text.parse().expect("a command id")
}

fn game_id() -> GameId {
    "k3v9q2m7x4ab".parse().expect("a game id")
}

fn terms() -> Terms {
    Terms {
        ruleset: "barrage".to_owned(),
        time: Time::Fischer { base_s: 600, increment_s: 5 },
        private: false,
        secret: false,
        rated: false,
    }
}

/// Returns an example of every kind of message that a client may send.
pub(crate) fn client_messages() -> Vec<ClientToServer> {
    use ClientToServer as C;
    let game = game_id();
    let mut messages = vec![
        C::Hello {
            protocol: flagfall_protocol::PROTOCOL_VERSION,
            token: None,
            name: Some("ann".to_owned()),
            client: Some("flagfall 0.1.0".to_owned()),
            session: true,
        },
        C::Pong { id: 7 },
        C::OPEN_LOBBY,
        C::OpenLobby {
            changes: true,
            filter: LobbyFilter {
                ruleset: Some("barrage".to_owned()),
                speed: Some(Speed::Rapid),
                rated: Some(true),
            },
        },
        C::CloseLobby {},
        C::Seek { cmd_id: id("s-1"), terms: terms(), side: None, rating: None },
        C::Seek {
            cmd_id: id("s-4"),
            terms: terms(),
            side: None,
            rating: Some(RatingWish::Between { min: Some(1_400), max: None }),
        },
        C::Seek {
            cmd_id: id("s-5"),
            terms: terms(),
            side: None,
            rating: Some(RatingWish::Around { below: Some(100), above: Some(200) }),
        },
        C::CancelSeek { cmd_id: id("s-2"), seek: "q8r5".to_owned() },
        C::AcceptSeek { cmd_id: id("s-3"), seek: "q8r5".to_owned(), secret: false },
        C::Challenge {
            cmd_id: id("c-1"),
            terms: Terms { time: Time::Unlimited {}, private: true, ..terms() },
            side: Some(Side::Red),
        },
        C::CancelChallenge { cmd_id: id("c-2"), challenge: "7tn2wd".to_owned() },
        C::ShowChallenge { challenge: "7tn2wd".to_owned() },
        C::AcceptChallenge { cmd_id: id("c-3"), challenge: "7tn2wd".to_owned(), secret: true },
        C::PlayBot { cmd_id: id("b-1"), bot: "random".to_owned(), terms: terms(), side: Some(Side::Blue) },
        C::EnterPool { cmd_id: id("p-1"), terms: terms() },
        C::LeavePool { cmd_id: id("p-2") },
        C::Rematch { cmd_id: id("r-1"), game },
        C::OpenGame { game, since: Some(EventPosition { epoch: 1, seq: 12 }) },
        C::CloseGame { game },
        C::Say {
            cmd_id: id("y-1"),
            game,
            said: flagfall_protocol::Said::Phrase { phrase: flagfall_protocol::Phrase::GoodLuck },
        },
        C::Say {
            cmd_id: id("y-2"),
            game,
            said: flagfall_protocol::Said::Text { text: "well met".to_owned() },
        },
        C::Report { cmd_id: id("y-3"), game, reason: "stalls".to_owned() },
        C::MyGames {},
    ];
    messages.extend(game_commands().into_iter().enumerate().map(|(n, command)| C::Command {
        cmd_id: id(&format!("g-{}", n + 1)),
        game,
        ply: if n == 0 { 0 } else { 4 },
        epoch: (n % 2 == 1).then_some(1),
        command,
    }));
    messages
}

fn game_commands() -> Vec<GameCommand> {
    let squares: flagfall_rules::Move = "a4a5".parse().expect("a move");
    vec![
        GameCommand::Deploy { setup: RED.to_owned() },
        GameCommand::from(squares),
        GameCommand::Move {
            squares,
            path: Some(flagfall_board::Sign::Minus),
            color: Some(flagfall_board::ChipColor::Green),
        },
        GameCommand::Remove { square: squares.from },
        GameCommand::Place {
            square: squares.from,
            rank: flagfall_board::Rank::Scout,
            labeled: true,
            color: Some(flagfall_board::ChipColor::Red),
        },
        GameCommand::Color { color: flagfall_board::ChipColor::Blue },
        GameCommand::OfferDraw {},
        GameCommand::AcceptDraw {},
        GameCommand::DeclineDraw {},
        GameCommand::Resign {},
        GameCommand::Abort {},
        GameCommand::Claim { result: flagfall_protocol::ClaimedResult::Draw },
    ]
}
