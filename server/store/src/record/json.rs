//! Form 1: JSON. Field names are short because every ply repeats them.

use std::ops::Not;

use flagfall_board::{ChipColor, PerSide, Rank, RankSet, Side, Square, Stamp};
use flagfall_rules::secret::{self, SecretRecord, StruckRecord};
use flagfall_rules::{EndReason, Event, Laid};
use flagfall_view::HexBytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::entry::{CommandStamp, EntryError, LogEntry, Part};
use crate::value::SecretBytes;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Opened<H> {
    open: H,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Body<C> {
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    cmd: Option<C>,
    #[serde(default, skip_serializing_if = "is_zero")]
    lag: u32,
    ev: EventRecord,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case", deny_unknown_fields)]
enum EventRecord {
    Deployed {
        side: Side,
        setup: String,
        salt: HexBytes,
        #[serde(default, skip_serializing_if = "Not::not")]
        change: bool,
    },
    /// Both sides are ready.
    Started { red: Option<HexBytes>, blue: Option<HexBytes> },
    Moved {
        side: Side,
        from: Square,
        to: Square,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        proves: Vec<Rank>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        strike: Option<[Part; 2]>,
        #[serde(default, skip_serializing_if = "Not::not")]
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
    /// A side chose the rank of its struck coin.
    Chosen { side: Side, rank: Rank },
    /// A side took a piece off the board.
    Removed { side: Side, square: Square },
    Placed {
        side: Side,
        square: Square,
        rank: Rank,
        #[serde(default, skip_serializing_if = "Not::not")]
        labeled: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        color: Option<ChipColor>,
    },
    /// A side laid the chip it owed.
    Colored { side: Side, square: Square, color: ChipColor },
    /// A side offered a draw.
    DrawOffered { side: Side },
    /// A side declined a draw.
    DrawDeclined { side: Side },
    /// The clocks stopped at the moment `since`.
    Paused { since: Stamp },
    Resumed {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Stamp>,
    },
    /// The game ended. `reason` is the code of the end reason.
    Ended { winner: Option<Side>, reason: String },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks this way")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// Encodes a game's header as the body of the log's first entry.
pub fn encode_header<H: Serialize>(header: &H) -> Result<SecretBytes, EntryError> {
    to_bytes(&Opened { open: header })
}

pub(super) fn decode_header<H: DeserializeOwned>(bytes: &[u8]) -> Result<H, EntryError> {
    from_bytes(bytes).map(|Opened { open }| open)
}

pub(super) fn encode(
    command: Option<&CommandStamp<'_>>,
    lag_ms: u32,
    event: &Event,
) -> Result<SecretBytes, EntryError> {
    to_bytes(&Body { cmd: command, lag: lag_ms, ev: secret::to_record(event).into() })
}

pub(super) fn decode(bytes: &[u8]) -> Result<LogEntry, EntryError> {
    let Body { cmd: command, lag: lag_ms, ev } = from_bytes(bytes)?;
    let event = secret::from_record(ev.try_into()?).map_err(|_| EntryError::Event)?;
    Ok(LogEntry { command, lag_ms, event })
}

fn to_bytes(body: &impl Serialize) -> Result<SecretBytes, EntryError> {
    serde_json::to_vec(body).map(SecretBytes::new).map_err(|_| EntryError::Form)
}

fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, EntryError> {
    // serde's error message may quote the content, so it is not passed on.
    serde_json::from_slice(bytes).map_err(|_| EntryError::Form)
}

/// Returns the ranks as a list. Returns an empty list for the set of all ranks.
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
                EventRecord::Deployed { side, setup, salt: HexBytes(salt), change: is_change }
            }
            SecretRecord::Started { commitments: PerSide { red, blue } } => {
                EventRecord::Started { red: red.map(HexBytes), blue: blue.map(HexBytes) }
            }
            SecretRecord::Moved { side, from, to, proves, strike, labels, laid } => {
                let strike = strike.map(|parts| parts.map(Part::from));
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
    type Error = EntryError;

    fn try_from(record: EventRecord) -> Result<SecretRecord, EntryError> {
        Ok(match record {
            EventRecord::Deployed { side, setup, salt, change } => {
                SecretRecord::Deployed { side, setup, salt: salt.0, is_change: change }
            }
            EventRecord::Started { red, blue } => SecretRecord::Started {
                commitments: PerSide::new(red.map(|hex| hex.0), blue.map(|hex| hex.0)),
            },
            EventRecord::Moved { side, from, to, proves, strike, labels, laid } => {
                let strike = strike.map(|parts| parts.map(StruckRecord::from));
                let valid = |(squares, color): (Vec<Square>, _)| {
                    Laid::new(squares.into_iter().collect(), color).ok_or(EntryError::Event)
                };
                let laid = laid.map(valid).transpose()?;
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
                reason: EndReason::from_code(&reason).ok_or(EntryError::Event)?,
            },
        })
    }
}
