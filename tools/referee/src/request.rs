//! A client's requests.

use flagfall_board::{GameId, Ply, Side};
use flagfall_protocol::{GameCommand, Time, Viewer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::refused::Refused;

/// A line with a request, and optionally with an id for the answer.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct RequestLine {
    /// The id, which the answer repeats.
    #[serde(default)]
    pub id: Option<RequestId>,
    /// The request.
    #[serde(flatten)]
    pub request: Request,
}

/// An id that a client chooses for a request: a whole number or a string.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RequestId {
    /// A whole number.
    Number(i64),
    /// A string.
    Text(String),
}

/// A request from a client. A request with unknown fields is refused.
///
/// Times (`at`) are in milliseconds, and time does not pass by itself. If a request has no time,
/// the time of the game's latest event is used.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Asks for facts about the program, and for the rulesets that it can play.
    About {},
    /// Begins a game in which both sides have to deploy. The new game replaces any earlier game.
    NewGame {
        /// The ruleset's id.
        ruleset: String,
        /// The time control. If absent, there is no clock.
        #[serde(default = "unlimited")]
        time: Time,
        /// The time for deployments, in milliseconds. The default is five minutes.
        #[serde(default = "deploy_ms")]
        deploy_ms: u64,
        /// The sides that keep their deployment and the full record from the public after the end.
        #[serde(default)]
        secret: Vec<Side>,
        /// The game's id, which its commitments cover. If absent, the id is random.
        #[serde(default)]
        game: Option<GameId>,
        /// The seed of the game's randomness. The same seed and the same requests give the same
        /// answers. If absent, the system's randomness is used.
        #[serde(default)]
        seed: Option<u64>,
        /// The time at which the game is created. The default is 0.
        #[serde(default)]
        at: Option<u64>,
    },
    /// Begins a game in the middle, without deployments. The new game replaces any earlier game.
    SetPosition {
        /// The position in one line, including all hidden ranks.
        position: String,
        /// The time control. The clocks start full, and the clock of the side to move runs. If
        /// absent, there is no clock.
        #[serde(default = "unlimited")]
        time: Time,
        /// The sides that keep the full record from the public after the end.
        #[serde(default)]
        secret: Vec<Side>,
        /// The game's id. If absent, the id is random.
        #[serde(default)]
        game: Option<GameId>,
        /// The seed of the game's randomness. If absent, the system's randomness is used.
        #[serde(default)]
        seed: Option<u64>,
        /// The time at which the game is created. The default is 0.
        #[serde(default)]
        at: Option<u64>,
    },
    /// Carries out a side's command. `command` is the same object as in the network protocol.
    Command {
        /// The side.
        side: Side,
        /// The command.
        command: GameCommand,
        /// The ply for which the command is meant. If the game has a different ply, the command
        /// is refused as stale. The default is the current ply.
        #[serde(default)]
        ply: Option<Ply>,
        /// The time.
        #[serde(default)]
        at: Option<u64>,
        /// If present, the answer contains the events that this audience sees, as in the network
        /// protocol.
        #[serde(default)]
        audience: Option<Viewer>,
    },
    /// Lets time pass. A side may run out of time, or the time for deployments may end.
    Wait {
        /// The time until which to wait.
        at: u64,
        /// If present, the answer contains the events that this audience sees in the meantime.
        #[serde(default)]
        audience: Option<Viewer>,
    },
    /// Asks for every legal command of a side. Commands that would be accepted but lose the game
    /// as an illegal act are left out.
    Legal {
        /// The side.
        side: Side,
        /// The time.
        #[serde(default)]
        at: Option<u64>,
    },
    /// Asks for the view of an audience, or for the whole game including all hidden facts.
    Show {
        /// The audience.
        audience: Look,
        /// The time at which the clocks are read.
        #[serde(default)]
        at: Option<u64>,
    },
    /// Goes back, or forward again, to the moment right after this ply. To go to the start, use
    /// the ply at which the game began. Later moments are kept until another command is accepted.
    GoTo {
        /// The ply. If absent, the game goes to the latest moment that is kept.
        #[serde(default)]
        ply: Option<Ply>,
    },
    /// Asks for the game's record up to the current moment, as an audience may see it.
    Record {
        /// The audience.
        audience: Viewer,
    },
}

/// The audience whose view to show, or everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    /// The player with the red pieces.
    Red,
    /// The player with the blue pieces.
    Blue,
    /// A spectator, who can see only what both players can see.
    Public,
    /// The whole game, with every rank and every deployment.
    Everything,
}

const fn unlimited() -> Time {
    Time::Unlimited {}
}

/// Returns the default of the servers, which is five minutes.
const fn deploy_ms() -> u64 {
    300_000
}

impl RequestLine {
    /// Reads a line.
    ///
    /// # Errors
    /// [`Refused::Malformed`], and the line's id if it can be read.
    pub(crate) fn parse(line: &[u8]) -> Result<RequestLine, (Option<RequestId>, Refused)> {
        serde_json::from_slice(line).map_err(|error| {
            let id = match serde_json::from_slice(line) {
                Ok(Value::Object(mut fields)) => fields.remove("id"),
                Ok(_) | Err(_) => None,
            };
            (id.and_then(|id| serde_json::from_value(id).ok()), Refused::Malformed(error.to_string()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Request, String> {
        RequestLine::parse(text.as_bytes())
            .map(|line| line.request)
            .map_err(|(_, refused)| refused.to_string())
    }

    #[test]
    fn unknown_fields_are_refused_at_every_depth() {
        for line in [
            r#"{"type":"about"}"#,
            r#"{"type":"new_game","ruleset":"classic"}"#,
            r#"{"type":"set_position","position":""}"#,
            r#"{"type":"command","side":"red","command":{"kind":"resign"}}"#,
            r#"{"type":"wait","at":1}"#,
            r#"{"type":"legal","side":"red"}"#,
            r#"{"type":"show","audience":"everything"}"#,
            r#"{"type":"go_to"}"#,
            r#"{"type":"record","audience":"public"}"#,
        ] {
            assert_eq!(parse(line).err(), None, "{line}");
            assert_eq!(parse(&line.replacen('{', r#"{"id":7,"#, 1)), parse(line), "{line}");
            let stranger = line.replacen('{', r#"{"stranger":1,"#, 1);
            assert!(parse(&stranger).unwrap_err().contains("unknown field `stranger`"), "{stranger}");
        }
        let inner = r#"{"type":"command","side":"red","command":{"kind":"resign","stranger":1}}"#;
        assert!(parse(inner).unwrap_err().contains("unknown field `stranger`"));
    }

    #[test]
    fn malformed_requests_are_refused() {
        for (line, word) in [
            ("", "EOF"),
            ("{", "EOF"),
            ("null", "expected"),
            ("[]", "expected"),
            (r#"["about"]"#, "expected"),
            ("{}", "missing field `type`"),
            (r#"{"type":"dance"}"#, "expected one of `about`"),
            (r#"{"type":"about"} x"#, "trailing"),
            (r#"{"type":"about","type":"about"}"#, "duplicate field `type`"),
            (r#"{"type":"wait","at":1,"at":2}"#, "duplicate field `at`"),
            (r#"{"id":1,"type":"about","id":1}"#, "duplicate field `id`"),
            (r#"{"type":"wait"}"#, "missing field `at`"),
            (r#"{"type":"wait","at":-1}"#, "invalid value"),
            (r#"{"type":"legal","side":"green"}"#, "green"),
            (r#"{"type":"about","id":{}}"#, "RequestId"),
        ] {
            let message = parse(line).expect_err(line);
            assert!(message.contains(word), "{line}: {message}");
        }
        let deep = format!(r#"{{"type":{}"#, "[".repeat(10_000));
        assert!(parse(&deep).unwrap_err().contains("recursion"));
        assert!(RequestLine::parse(b"{\"type\":\"\xff\"}").is_err());
    }

    #[test]
    fn the_id_of_a_malformed_request_comes_back() {
        let id = |line: &str| RequestLine::parse(line.as_bytes()).expect_err(line).0;
        assert_eq!(id(r#"{"id":7,"type":"dance"}"#), Some(RequestId::Number(7)));
        assert_eq!(id(r#"{"type":"dance","id":"seven"}"#), Some(RequestId::Text("seven".to_owned())));
        assert_eq!(id(r#"{"id":[7],"type":"about"}"#), None);
        assert_eq!(id(r#"{"id":7"#), None);
    }
}
