//! Parses the text of a client's message.

use flagfall_board::{GameId, Ply};
use serde::Deserialize;
use serde_json::Value;

use crate::{ClientToServer, Code, CommandId, Move, PROTOCOL_VERSION, Refusal};

/// The maximum nesting depth of arrays and objects.
const DEPTH_MAX: usize = 16;

/// The error for text that is not a valid message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// The command's id, if it could be read.
    pub cmd_id: Option<CommandId>,
    /// The refusal that the client receives. It never repeats a value from the text, because the
    /// value could be a deployment.
    pub refusal: Refusal,
    /// True if the text is a hello with a different protocol version.
    pub is_foreign_hello: bool,
}

impl Malformed {
    /// Creates the error for text from which no command id could be read.
    fn whole(refusal: Refusal) -> Malformed {
        Malformed { cmd_id: None, refusal, is_foreign_hello: false }
    }
}

/// A plain move, the most frequent message. It can be parsed faster than [`ClientToServer`],
/// because serde must buffer all fields of tagged variants. The fields here must match those of
/// `ClientToServer`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainMove {
    #[serde(rename = "type")]
    _type: CommandType,
    cmd_id: CommandId,
    game: GameId,
    ply: Ply,
    #[serde(default)]
    epoch: Option<u64>,
    command: PlainSquares,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum CommandType {
    Command,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainSquares {
    #[serde(rename = "kind")]
    _kind: MoveKind,
    #[serde(rename = "move")]
    squares: Move,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum MoveKind {
    Move,
}

/// Parses a client's message.
///
/// # Errors
/// [`Malformed`] describes the error without repeating a value from the text.
pub fn parse_message(text: &str) -> Result<ClientToServer, Malformed> {
    // For `PlainMove`, serde would also accept arrays in place of objects. Text that contains
    // arrays therefore takes the slow path.
    if !text.contains('[')
        && let Ok(PlainMove { _type, cmd_id, game, ply, epoch, command }) = serde_json::from_str(text)
    {
        let command = command.squares.into();
        return Ok(ClientToServer::Command { cmd_id, game, ply, epoch, command });
    }
    if is_too_deep(text) {
        return Err(Malformed::whole(malformed("too_deep").with("max", DEPTH_MAX)));
    }
    // For `ClientToServer`, serde would also accept an array whose first element is the type.
    if text.trim_ascii_start().starts_with('[') {
        return Err(Malformed::whole(malformed("not_an_object")));
    }
    serde_json::from_str(text).map_err(|error| explain(text, &error))
}

/// True if brackets are nested more deeply than allowed. Brackets inside strings do not count.
fn is_too_deep(text: &str) -> bool {
    let (mut depth, mut is_in_string, mut is_escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_in_string => is_escaped = true,
            b'"' => is_in_string = !is_in_string,
            _ if is_in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH_MAX {
            return true;
        }
    }
    false
}

fn explain(text: &str, error: &serde_json::Error) -> Malformed {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return Malformed::whole(malformed("not_json").with("column", error.column()));
    };
    let cmd_id = value.get("cmd_id").and_then(Value::as_str).and_then(|id| id.parse().ok());
    let protocol = value.get("protocol").and_then(Value::as_u64);
    let is_hello = value.get("type").and_then(Value::as_str) == Some("hello");
    let is_foreign_hello = is_hello && protocol.is_some_and(|version| version != u64::from(PROTOCOL_VERSION));
    let refusal = match wrong_field(&error.to_string()) {
        Some((reason, name)) => malformed(reason).with("field", name),
        None if !value.is_object() => malformed("not_an_object"),
        None => malformed("value"),
    };
    Malformed { cmd_id, refusal, is_foreign_hello }
}

fn malformed(reason: &str) -> Refusal {
    Refusal::new(Code::MALFORMED).because(reason)
}

/// Returns what is wrong with a field, and its name, if serde's error is about a name. Everything
/// else in the error is serde's own English or may be a value, so clients get none of it.
fn wrong_field(error: &str) -> Option<(&'static str, &str)> {
    let is_name = |name: &str| {
        (1..=24).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    let reason = ["missing_field", "unknown_field", "duplicate_field"]
        .into_iter()
        .find(|reason| error.starts_with(&reason.replace('_', " ")))?;
    let name = error.split('`').nth(1).filter(|name| is_name(name))?;
    Some((reason, name))
}

#[cfg(test)]
mod tests {
    use super::{parse_message as parse, *};

    #[test]
    fn messages_are_understood() {
        assert_eq!(parse(r#"{"type":"open_lobby"}"#), Ok(ClientToServer::OPEN_LOBBY));
        assert_eq!(parse(r#"{"type":"pong","id":3}"#), Ok(ClientToServer::Pong { id: 3 }));
    }

    #[test]
    fn a_plain_move_is_the_message_that_it_is_by_the_protocol() {
        let moves = [
            r#"{"type":"command","cmd_id":"c1","game":"000000000000","ply":7,"command":{"kind":"move","move":"a4a5"}}"#,
            r#" {"command":{"move":"a4a5","kind":"move"},"ply":7,"game":"000000000000","cmd_id":"c1","type":"command"}"#,
            r#"{"type":"command","cmd_id":"c1","game":"000000000000","ply":7,"epoch":1764000000000,"command":{"kind":"move","move":"a4a5"}}"#,
            r#"{"epoch":1,"type":"command","command":{"kind":"move","move":"a4a5"},"ply":7,"game":"000000000000","cmd_id":"c1"}"#,
            r#"{"type":"command","cmd_id":"c1","game":"000000000000","ply":7,"epoch":null,"command":{"kind":"move","move":"a4a5"}}"#,
            r#"{"type":"command","cmd_id":"c1","game":"000000000000","ply":7,"epoch":1,"command":{"kind":"resign"}}"#,
            r#"{"type":"command","cmd_id":"c1","game":"000000000000","ply":7,"command":{"kind":"move","move":"a4a5","path":null}}"#,
            r#"{"type":"command","cmd_id":"c1","game":"000000000000","ply":7,"command":{"kind":"move","move":"a4a5","color":"green"}}"#,
            r#"{"type":"command","cmd_id":"c1","game":"000000000000","ply":7,"command":{"kind":"remove","square":"a4"}}"#,
        ];
        for text in moves {
            assert_eq!(parse(text), Ok(serde_json::from_str(text).unwrap()), "{text}");
        }
    }

    #[test]
    fn what_is_almost_a_plain_move_is_refused_as_ever() {
        let command = r#""cmd_id":"c1","game":"000000000000","ply":7"#;
        let squares = r#"{"kind":"move","move":"a4a5"}"#;
        for text in [
            format!(r#"{{"type":"resign",{command},"command":{squares}}}"#),
            format!(r#"{{"type":"command",{command},"command":{squares},"extra":1}}"#),
            format!(r#"{{"type":"command",{command},"command":{{"kind":"move","move":"a4a5","extra":1}}}}"#),
            format!(r#"{{"type":"command",{command},"command":{{"kind":"move","move":"a4z5"}}}}"#),
            format!(r#"{{"type":"command",{command},"epoch":-1,"command":{squares}}}"#),
            format!(r#"{{"type":"command",{command},"epoch":1,"epoch":1,"command":{squares}}}"#),
            format!(r#"{{"type":"command",{command},"ply":8,"command":{squares}}}"#),
            format!(r#"{{"type":"command",{command},"command":{squares}}} x"#),
            format!(r#"["command","c1","000000000000",7,{squares}]"#),
        ] {
            let by_the_protocol = serde_json::from_str::<ClientToServer>(&text);
            assert!(text.starts_with('[') || by_the_protocol.is_err(), "{text}");
            assert!(parse(&text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_without_repeating_values() {
        let rows = [
            ("", "column=0 reason=not_json"),
            ("{", "column=1 reason=not_json"),
            ("[]", "reason=not_an_object"),
            (r#" ["pong",1]"#, "reason=not_an_object"),
            ("7", "reason=not_an_object"),
            ("{}", "field=type reason=missing_field"),
            (r#"{"type":"pong"}"#, "field=id reason=missing_field"),
            (r#"{"type":"pong","id":1,"extra":2}"#, "field=extra reason=unknown_field"),
            (r#"{"type":"pong","id":"SECRET"}"#, "(reason=value)"),
            (r#"{"type":"SECRET"}"#, "(reason=value)"),
            (r#"{"type":"pong","id":1,"SECRET":2}"#, "(reason=value)"),
            (
                r#"{"type":"command","cmd_id":"c1","game":"SECRET","ply":0,"command":{"kind":"resign"}}"#,
                "reason=value",
            ),
            (
                r#"{"type":"command","cmd_id":"c1","game":"000000000000","ply":0,"command":{"kind":"deploy","setup":["SECRET"]}}"#,
                "(reason=value)",
            ),
        ];
        for (text, expected) in rows {
            let malformed = parse(text).unwrap_err();
            let refusal = malformed.refusal.to_string();
            assert!(refusal.contains(expected), "{text}: {refusal}");
            assert!(!refusal.contains("SECRET"), "{text}: {refusal}");
        }
    }

    #[test]
    fn the_id_of_a_malformed_command_comes_back() {
        let malformed = parse(r#"{"type":"cancel_seek","cmd_id":"c1"}"#).unwrap_err();
        assert_eq!(malformed.cmd_id, Some("c1".parse().unwrap()));
        assert_eq!(parse(r#"{"type":"cancel_seek","cmd_id":"no id"}"#).unwrap_err().cmd_id, None);
    }

    #[test]
    fn deep_texts_are_refused_and_brackets_in_strings_are_not_depth() {
        let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let refused = |depth| parse(&deep(depth)).unwrap_err().refusal.to_string();
        assert_eq!(refused(DEPTH_MAX + 1), "malformed (max=16 reason=too_deep)");
        assert_eq!(refused(DEPTH_MAX), "malformed (reason=not_an_object)");
        assert!(!is_too_deep(&format!(r#"{{"name":"{}\"{}"}}"#, "[".repeat(40), "{".repeat(40))));
        assert!(is_too_deep(&"{\"a\":".repeat(4_000)));
    }

    #[test]
    fn a_hello_of_a_later_version_is_told_apart() {
        let later = format!(r#"{{"type":"hello","protocol":{},"proof":[1]}}"#, PROTOCOL_VERSION + 1);
        assert!(parse(&later).unwrap_err().is_foreign_hello);
        let ours = format!(r#"{{"type":"hello","protocol":{PROTOCOL_VERSION},"proof":[1]}}"#);
        assert!(!parse(&ours).unwrap_err().is_foreign_hello);
    }
}
