//! Form 1: JSON. Field names are short because every ply writes them.

use flagfall_board::{ChipColor, PerSide, Rank, RankSet, Side, Square, Stamp};
use flagfall_rules::secret::{self, SecretRecord, StruckRecord};
use flagfall_rules::{EndReason, Event, Fate, Laid};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

use super::entry::{CommandStamp, LogEntry, RecordError};
use crate::value::SecretBytes;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Opened<H> {
    open: H,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Body<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cmd: Option<Command<'a>>,
    #[serde(default, skip_serializing_if = "is_zero")]
    lag: u32,
    ev: EventRecord,
}

/// A command: the player, its id, its fingerprint.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Command<'a> {
    p: Cow<'a, str>,
    c: Cow<'a, str>,
    f: u64,
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

pub(super) fn encode_header<H: Serialize>(header: &H) -> Result<SecretBytes, RecordError> {
    to_bytes(&Opened { open: header })
}

pub(super) fn decode_header<H: DeserializeOwned>(bytes: &[u8]) -> Result<H, RecordError> {
    from_bytes(bytes).map(|Opened { open }| open)
}

pub(super) fn encode(
    command: Option<&CommandStamp<'_>>,
    lag_ms: u32,
    event: &Event,
) -> Result<SecretBytes, RecordError> {
    let cmd = command.map(|CommandStamp { player, cmd_id, fingerprint }| Command {
        p: Cow::Borrowed(player),
        c: Cow::Borrowed(cmd_id),
        f: *fingerprint,
    });
    to_bytes(&Body { cmd, lag: lag_ms, ev: secret::to_record(event).into() })
}

pub(super) fn decode(bytes: &[u8]) -> Result<LogEntry, RecordError> {
    let Body { cmd, lag, ev } = from_bytes(bytes)?;
    let event = secret::from_record(ev.try_into()?).map_err(|_| RecordError::Event)?;
    let command = cmd.map(|Command { p, c, f }| CommandStamp {
        player: p.into_owned().into(),
        cmd_id: c.into_owned().into(),
        fingerprint: f,
    });
    Ok(LogEntry { command, lag_ms: lag, event })
}

fn to_bytes(body: &impl Serialize) -> Result<SecretBytes, RecordError> {
    serde_json::to_vec(body).map(SecretBytes::new).map_err(|_| RecordError::Form)
}

fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, RecordError> {
    // serde's message may quote the content, so it is dropped.
    serde_json::from_slice(bytes).map_err(|_| RecordError::Form)
}

/// The ranks as a list. All ranks are written as an empty list.
fn listed(ranks: RankSet) -> Vec<Rank> {
    if ranks == RankSet::ALL { Vec::new() } else { ranks.iter().collect() }
}

fn allowed(ranks: &[Rank]) -> RankSet {
    if ranks.is_empty() { RankSet::ALL } else { ranks.iter().copied().collect() }
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
                let laid = laid.map(|laid| (laid.squares().iter().collect(), laid.color()));
                EventRecord::Moved { side, from, to, proves: listed(proves), strike, labels, laid }
            }
            SecretRecord::Struck { side, from, to, proves, owes } => {
                let owes = Side::BOTH.into_iter().filter(|side| owes[*side]).collect();
                EventRecord::Struck { side, from, to, proves: listed(proves), owes }
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
                let laid = laid
                    .map(|(squares, color)| Laid::new(squares.into_iter().collect(), color))
                    .map(|laid| laid.ok_or(RecordError::Event))
                    .transpose()?;
                SecretRecord::Moved { side, from, to, proves: allowed(&proves), strike, labels, laid }
            }
            EventRecord::Struck { side, from, to, proves, owes } => {
                let owes = PerSide::from_fn(|side| owes.contains(&side));
                SecretRecord::Struck { side, from, to, proves: allowed(&proves), owes }
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
