//! The bodies of log entries: an event's [`SecretRecord`] as JSON.
//!
//! Outside the rules engine, only this module sees hidden ranks as data. Field names are short
//! because every ply writes them. Unknown fields are refused: an older server must not continue a
//! game whose log it does not understand.

use flagfall_board::{ChipColor, PerSide, Rank, Side, Square, Stamp};
use flagfall_rules::secret::{self, SecretRecord, StruckRecord};
use flagfall_rules::{EndReason, Event, Fate};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::value::SecretBytes;

/// One entry of a game's log. The first entry holds the game's header (`H`); all others are events.
#[derive(Clone, Debug)]
pub struct LogEntry<H> {
    /// The command that caused it; `None` for what happens without a command.
    pub command: Option<CommandStamp>,
    /// Lag compensation for the side that acted, in milliseconds.
    pub lag_ms: u32,
    /// Its content.
    pub body: LogBody<H>,
}

/// The content of an entry.
#[derive(Clone, Debug)]
pub enum LogBody<H> {
    /// The game was created.
    Opened(H),
    /// Something happened.
    Event(Event),
}

/// The command that caused an entry, so that a repeated command is recognized.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandStamp {
    /// Who sent it: the player's id.
    #[serde(rename = "p")]
    pub player: String,
    /// The client's id for it.
    #[serde(rename = "c")]
    pub cmd_id: String,
    /// A hash that detects another command under the same id.
    #[serde(rename = "f")]
    pub fingerprint: u64,
}

/// Why a body could not be read or written. It reveals nothing of the content.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum RecordError {
    /// The body does not have a form that this version knows.
    #[error("the entry is not of a form this version knows")]
    Form,
    /// The body does not describe a valid event.
    #[error("the entry's event holds what no event holds")]
    Event,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Body<H> {
    #[serde(rename = "cmd", default = "none", skip_serializing_if = "Option::is_none")]
    command: Option<CommandStamp>,
    #[serde(rename = "lag", default, skip_serializing_if = "is_zero")]
    lag_ms: u32,
    #[serde(rename = "open", default = "none", skip_serializing_if = "Option::is_none")]
    opened: Option<H>,
    #[serde(rename = "ev", default = "none", skip_serializing_if = "Option::is_none")]
    event: Option<EventRecord>,
}

fn none<T>() -> Option<T> {
    None
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case", deny_unknown_fields)]
enum EventRecord {
    Deployed {
        side: Side,
        setup: String,
        salt: Hex,
        #[serde(default, skip_serializing_if = "is_false")]
        change: bool,
    },
    Started {
        red: Option<Hex>,
        blue: Option<Hex>,
    },
    Moved {
        side: Side,
        from: Square,
        to: Square,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        proves: Vec<Rank>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        strike: Option<[Part; 2]>,
        #[serde(default, skip_serializing_if = "is_false")]
        labels: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        laid: Option<(Vec<Square>, ChipColor)>,
    },
    Struck {
        side: Side,
        from: Square,
        to: Square,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        proves: Vec<Rank>,
        owes: Vec<Side>,
    },
    Chosen {
        side: Side,
        rank: Rank,
    },
    Removed {
        side: Side,
        square: Square,
    },
    Placed {
        side: Side,
        square: Square,
        rank: Rank,
        #[serde(default, skip_serializing_if = "is_false")]
        labeled: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        color: Option<ChipColor>,
    },
    Colored {
        side: Side,
        square: Square,
        color: ChipColor,
    },
    DrawOffered {
        side: Side,
    },
    DrawDeclined {
        side: Side,
    },
    Paused {
        since: Stamp,
    },
    Resumed {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Stamp>,
    },
    Ended {
        winner: Option<Side>,
        reason: String,
    },
}

/// A piece's part in a strike: rank, fate, shown.
#[derive(Serialize, Deserialize)]
struct Part(Rank, PartFate, bool);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PartFate {
    Stays,
    Advances,
    Leaves,
}

/// 32 bytes as hexadecimal digits.
struct Hex([u8; 32]);

impl Serialize for Hex {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        serializer.serialize_str(&digits)
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Hex, D::Error> {
        let digits = String::deserialize(deserializer)?;
        let wrong = || serde::de::Error::custom("64 hexadecimal digits are wanted");
        if digits.len() != 64 || !digits.is_ascii() {
            return Err(wrong());
        }
        let mut bytes = [0; 32];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[2 * index..2 * index + 2], 16).map_err(|_| wrong())?;
        }
        Ok(Hex(bytes))
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks this way")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// Encodes an entry as the bytes of its body.
///
/// # Errors
/// [`RecordError::Form`] if `H` cannot be serialized as JSON.
pub fn encode<H: Serialize>(entry: LogEntry<H>) -> Result<SecretBytes, RecordError> {
    let LogEntry { command, lag_ms, body } = entry;
    let (opened, event) = match body {
        LogBody::Opened(header) => (Some(header), None),
        LogBody::Event(event) => (None, Some(EventRecord::from(secret::to_record(&event)))),
    };
    let bytes =
        serde_json::to_vec(&Body { command, lag_ms, opened, event }).map_err(|_| RecordError::Form)?;
    Ok(SecretBytes::new(bytes))
}

/// Decodes the bytes of a body.
///
/// # Errors
/// [`RecordError`] if the bytes are not what [`encode`] writes.
pub fn decode<H: DeserializeOwned>(bytes: &SecretBytes) -> Result<LogEntry<H>, RecordError> {
    // serde's message may quote the content, so it is dropped.
    let Body { command, lag_ms, opened, event } =
        serde_json::from_slice(bytes.expose()).map_err(|_| RecordError::Form)?;
    let body = match (opened, event) {
        (Some(header), None) => LogBody::Opened(header),
        (None, Some(event)) => {
            LogBody::Event(secret::from_record(event.try_into()?).map_err(|_| RecordError::Event)?)
        }
        (Some(_), Some(_)) | (None, None) => return Err(RecordError::Form),
    };
    Ok(LogEntry { command, lag_ms, body })
}

impl From<SecretRecord> for EventRecord {
    fn from(record: SecretRecord) -> EventRecord {
        match record {
            SecretRecord::Deployed { side, setup, salt, is_change } => {
                EventRecord::Deployed { side, setup, salt: Hex(salt), change: is_change }
            }
            SecretRecord::Started { commitments: PerSide { red, blue } } => {
                EventRecord::Started { red: red.map(Hex), blue: blue.map(Hex) }
            }
            SecretRecord::Moved { side, from, to, proves, strike, labels, laid } => {
                let part = |StruckRecord { rank, fate, shown }| {
                    let fate = match fate {
                        Fate::Stays => PartFate::Stays,
                        Fate::Advances => PartFate::Advances,
                        Fate::Leaves => PartFate::Leaves,
                    };
                    Part(rank, fate, shown)
                };
                let strike = strike.map(|parts| parts.map(part));
                EventRecord::Moved { side, from, to, proves, strike, labels, laid }
            }
            SecretRecord::Struck { side, from, to, proves, owes } => {
                let owes = Side::BOTH.into_iter().filter(|side| owes[*side]).collect();
                EventRecord::Struck { side, from, to, proves, owes }
            }
            SecretRecord::Chosen { side, rank } => EventRecord::Chosen { side, rank },
            SecretRecord::Removed { side, square } => EventRecord::Removed { side, square },
            SecretRecord::Placed { side, square, rank, is_labeled, color } => {
                EventRecord::Placed { side, square, rank, labeled: is_labeled, color }
            }
            SecretRecord::Colored { side, square, color } => EventRecord::Colored { side, square, color },
            SecretRecord::DrawOffered { side } => EventRecord::DrawOffered { side },
            SecretRecord::DrawDeclined { side } => EventRecord::DrawDeclined { side },
            SecretRecord::Paused { since } => EventRecord::Paused { since },
            SecretRecord::Resumed { since } => EventRecord::Resumed { since },
            SecretRecord::Ended { winner, reason } => {
                EventRecord::Ended { winner, reason: reason.code().to_owned() }
            }
        }
    }
}

impl TryFrom<EventRecord> for SecretRecord {
    type Error = RecordError;

    fn try_from(record: EventRecord) -> Result<SecretRecord, RecordError> {
        Ok(match record {
            EventRecord::Deployed { side, setup, salt, change } => {
                SecretRecord::Deployed { side, setup, salt: salt.0, is_change: change }
            }
            EventRecord::Started { red, blue } => SecretRecord::Started {
                commitments: PerSide::new(red.map(|hex| hex.0), blue.map(|hex| hex.0)),
            },
            EventRecord::Moved { side, from, to, proves, strike, labels, laid } => {
                let part = |Part(rank, fate, shown)| {
                    let fate = match fate {
                        PartFate::Stays => Fate::Stays,
                        PartFate::Advances => Fate::Advances,
                        PartFate::Leaves => Fate::Leaves,
                    };
                    StruckRecord { rank, fate, shown }
                };
                let strike = strike.map(|parts| parts.map(part));
                SecretRecord::Moved { side, from, to, proves, strike, labels, laid }
            }
            EventRecord::Struck { side, from, to, proves, owes } => {
                let owes = PerSide::from_fn(|side| owes.contains(&side));
                SecretRecord::Struck { side, from, to, proves, owes }
            }
            EventRecord::Chosen { side, rank } => SecretRecord::Chosen { side, rank },
            EventRecord::Removed { side, square } => SecretRecord::Removed { side, square },
            EventRecord::Placed { side, square, rank, labeled, color } => {
                SecretRecord::Placed { side, square, rank, is_labeled: labeled, color }
            }
            EventRecord::Colored { side, square, color } => SecretRecord::Colored { side, square, color },
            EventRecord::DrawOffered { side } => SecretRecord::DrawOffered { side },
            EventRecord::DrawDeclined { side } => SecretRecord::DrawDeclined { side },
            EventRecord::Paused { since } => SecretRecord::Paused { since },
            EventRecord::Resumed { since } => SecretRecord::Resumed { since },
            EventRecord::Ended { winner, reason } => SecretRecord::Ended {
                winner,
                reason: EndReason::from_code(&reason).ok_or(RecordError::Event)?,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use flagfall_board::GameId;
    use flagfall_rules::{Command, Entropy, Game, GameTerms, Ruleset, Setup, TimeControl, decide, evolve};

    use super::*;

    const SETUP: &str = "9394924939 56691S9575 574BB7668B 88BF7B88B9";

    fn game() -> Game {
        Game::new(GameTerms {
            game: GameId::from_random([7; 12]),
            ruleset: Ruleset::find("classic").unwrap(),
            lakes: Ruleset::find("classic").unwrap().shape.lakes,
            time: TimeControl::Unlimited,
            deploy_ms: 1000,
            created: Stamp(5),
            secret: PerSide::default(),
        })
    }

    fn deployed(game: &Game, side: Side) -> Vec<Event> {
        let setup = Setup::from_text(SETUP, side, game.terms().ruleset).unwrap();
        let events = decide(game, side, 0, &Command::Deploy(setup), Stamp(6), &Entropy([3; 32]));
        events.unwrap().into_iter().collect()
    }

    #[test]
    fn events_come_back_from_their_bytes_and_replay_to_the_same_game() {
        let (mut live, mut replayed) = (game(), game());
        let step = |live: &mut Game, replayed: &mut Game, events: Vec<Event>| {
            for event in events {
                let entry = LogEntry::<()> { command: None, lag_ms: 0, body: LogBody::Event(event.clone()) };
                let LogEntry { body: LogBody::Event(back), .. } =
                    decode::<()>(&encode(entry).unwrap()).unwrap()
                else {
                    panic!("the entry was not an event")
                };
                assert!(back == event);
                evolve(live, &event, Stamp(9));
                evolve(replayed, &back, Stamp(9));
            }
        };
        for side in Side::BOTH {
            let events = deployed(&live, side);
            step(&mut live, &mut replayed, events);
        }
        for _ in 0..300 {
            let Some(moves) = live.legal_moves() else { break };
            let squares = moves.nth(usize::from(live.ply()) * 7919 % moves.len()).unwrap();
            let side = live.turn().unwrap();
            let events =
                decide(&live, side, live.ply(), &Command::Move(squares.into()), Stamp(9), &Entropy([0; 32]))
                    .unwrap();
            step(&mut live, &mut replayed, events.into_iter().collect());
        }
        assert!(live == replayed && live.ply() > 0);
    }

    #[test]
    fn damaged_bodies_are_refused_without_a_word_of_their_content() {
        let events = deployed(&game(), Side::Red);
        let entry = LogEntry::<()> { command: None, lag_ms: 0, body: LogBody::Event(events[0].clone()) };
        let bytes = encode(entry).unwrap().into_exposed();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] = b'\x01';
            if let Err(error) = decode::<()>(&SecretBytes::new(damaged)) {
                assert!(!error.to_string().contains('9'));
            }
        }
        for text in ["", "{}", "[]", "null", r#"{"ev":{"t":"teleported"}}"#, r#"{"open":null,"ev":null}"#] {
            assert!(decode::<()>(&SecretBytes::new(text.into())).is_err(), "{text}");
        }
    }

    #[test]
    fn the_command_and_the_header_come_back() {
        let command = CommandStamp { player: "p1".into(), cmd_id: "c-1".into(), fingerprint: u64::MAX };
        let entry = LogEntry {
            command: Some(command.clone()),
            lag_ms: 250,
            body: LogBody::Opened("header".to_owned()),
        };
        let back: LogEntry<String> = decode(&encode(entry).unwrap()).unwrap();
        assert_eq!((back.command, back.lag_ms), (Some(command), 250));
        assert!(matches!(back.body, LogBody::Opened(header) if header == "header"));
    }
}
