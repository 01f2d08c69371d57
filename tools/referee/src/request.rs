//! What a client may ask.

use flagfall_board::{GameId, Ply, Side};
use flagfall_protocol::{GameCommand, Time, Viewer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::refused::Refused;

/// A line: what is asked, and perhaps an id that comes back with the answer.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct RequestLine {
    /// Comes back with the answer.
    #[serde(default)]
    pub id: Option<RequestId>,
    /// What is asked.
    #[serde(flatten)]
    pub request: Request,
}

/// A client's name for a request: a whole number or a text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RequestId {
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
}

/// What a client may ask. Unknown fields are refused.
///
/// Moments (`at`) are milliseconds and never run by themselves: a request without one is made at the moment of the game's latest event.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Which program answers, and what it plays.
    About {},
    /// Begins a game in which both sides are to deploy. The game before it is forgotten.
    NewGame {
        /// The ruleset's id.
        ruleset: String,
        /// The clock; none without it.
        #[serde(default = "unlimited")]
        time: Time,
        /// How long deployments are taken, in milliseconds; five minutes without it.
        #[serde(default = "deploy_ms")]
        deploy_ms: u64,
        /// Which sides keep their deployment and the full record from the public after the end.
        #[serde(default)]
        secret: Vec<Side>,
        /// The game's id, which its commitments cover; chance makes one without it.
        #[serde(default)]
        game: Option<GameId>,
        /// Where the game's chance comes from: the same seed and the same requests get the same answers. The system's without it.
        #[serde(default)]
        seed: Option<u64>,
        /// When the game is made; 0 without it.
        #[serde(default)]
        at: Option<u64>,
    },
    /// Begins a game in the middle, without deployments. The game before it is forgotten.
    SetPosition {
        /// The position in a line of text, every rank shown.
        position: String,
        /// The clock, full, and running for the side to move; none without it.
        #[serde(default = "unlimited")]
        time: Time,
        /// Which sides keep the full record from the public after the end.
        #[serde(default)]
        secret: Vec<Side>,
        /// The game's id; chance makes one without it.
        #[serde(default)]
        game: Option<GameId>,
        /// Where the game's chance comes from; the system's without it.
        #[serde(default)]
        seed: Option<u64>,
        /// When the game is made; 0 without it.
        #[serde(default)]
        at: Option<u64>,
    },
    /// A side's command, the same object as in the network protocol.
    Command {
        /// Who asks.
        side: Side,
        /// What.
        command: GameCommand,
        /// The ply the command is made at, refused as stale when the game is elsewhere; the current one without it.
        #[serde(default)]
        ply: Option<Ply>,
        /// When.
        #[serde(default)]
        at: Option<u64>,
        /// Tells what this audience sees of it, as the network protocol would.
        #[serde(default)]
        audience: Option<Viewer>,
    },
    /// Time passes: a flag may fall, the time for deployments may end.
    Wait {
        /// Until when.
        at: u64,
        /// Tells what this audience sees of it.
        #[serde(default)]
        audience: Option<Viewer>,
    },
    /// Asks for every legal command of a side: it would be accepted, and does not lose as an act against the rules.
    Legal {
        /// Which.
        side: Side,
        /// When.
        #[serde(default)]
        at: Option<u64>,
    },
    /// Asks for the game as an audience may know it, or for everything.
    Show {
        /// Who looks.
        audience: Look,
        /// When: the clocks are counted to it.
        #[serde(default)]
        at: Option<u64>,
    },
    /// Goes back, or forward again, to the moment just after this ply; the first position has the ply it began with. What came later is kept
    /// until another command is accepted.
    GoTo {
        /// Which; without it the latest moment that is kept.
        #[serde(default)]
        ply: Option<Ply>,
    },
    /// Asks for the game's record up to here, as an audience may know it.
    Record {
        /// Whose.
        audience: Viewer,
    },
}

/// As whom a client looks at the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    /// As the player with the red pieces.
    Red,
    /// As the player with the blue pieces.
    Blue,
    /// As a spectator.
    Public,
    /// Every rank, every deployment.
    Everything,
}

const fn unlimited() -> Time {
    Time::Unlimited {}
}

/// As a server's default.
const fn deploy_ms() -> u64 {
    300_000
}

impl RequestLine {
    /// Reads a line.
    ///
    /// # Errors
    /// [`Refused::Malformed`], and the line's id where one can be read.
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
    fn what_is_no_request_is_refused() {
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
