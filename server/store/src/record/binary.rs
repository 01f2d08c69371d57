//! Form 2: one byte that identifies the form, followed by the command, the lag and the event,
//! encoded with postcard.
//!
//! Each entry has exactly one valid encoding, and decoding any other is an error. So the order of
//! fields and variants must never change, neither in this module nor in the types of ranks and
//! colors.

use flagfall_board::{ChipColor, PerSide, Rank, RankSet, Side, Square, SquareSet, Stamp};
use flagfall_rules::secret::{self, SecretRecord};
use flagfall_rules::{EndReason, Event, Laid};
use postcard::ser_flavors::Flavor;
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use super::entry::{CommandStamp, EntryError, LogEntry, Part};
use crate::value::SecretBytes;

/// The first byte of a body in this form.
pub(super) const FORM: u8 = 2;
/// The initial capacity of a body, enough for a move with its command. Few bodies are longer.
const USUAL_LENGTH: usize = 48;
/// The maximum length, in bytes, of a command's id that is not a UUID.
const CMD_ID_MAX: usize = 36;

#[derive(Serialize, Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    command: Command<'a>,
    lag_ms: u32,
    #[serde(borrow)]
    event: EventRecord<'a>,
}

/// The command that caused an entry, if there was one: its sender, its id, and the bytes of its
/// fingerprint.
#[derive(Serialize, Deserialize)]
enum Command<'a> {
    None,
    /// The command's id is a UUID in lowercase with hyphens.
    Uuid(#[serde(borrow)] Sender<'a>, [u8; 16], [u8; 8]),
    /// The command's id is any other text.
    Text(#[serde(borrow)] Sender<'a>, &'a str, [u8; 8]),
}

#[derive(Serialize, Deserialize)]
enum Sender<'a> {
    Red,
    Blue,
    /// The id of a player who has no seat.
    Other(&'a str),
}

/// An event. `Moved` is a move without any other effect.
#[derive(Serialize, Deserialize)]
enum EventRecord<'a> {
    Moved(Step),
    MovedWith { step: Step, strike: Option<Strike>, laid: Option<LaidChips> },
    Struck { step: Step, owes: PerSide<bool> },
    Chosen { side: Side, rank: Rank },
    Removed { side: Side, square: SquareNumber },
    Placed { side: Side, square: SquareNumber, rank: Rank, is_labeled: bool, color: Option<ChipColor> },
    Colored { side: Side, square: SquareNumber, color: ChipColor },
    Deployed { side: Side, setup: &'a str, salt: [u8; 32], is_change: bool },
    Started(PerSide<Option<[u8; 32]>>),
    DrawOffered(Side),
    DrawDeclined(Side),
    Paused { since: Stamp },
    Resumed { since: Option<Stamp> },
    Ended { winner: Option<Side>, reason: &'a str },
}

#[derive(Serialize, Deserialize)]
struct Step {
    side: Side,
    from: SquareNumber,
    to: SquareNumber,
    /// The ranks that the piece cannot have, because the move rules them out. They are encoded as
    /// bits, and usually no bit is set.
    ruled_out: u16,
}

#[derive(Serialize, Deserialize)]
struct SquareNumber(u8);

#[derive(Serialize, Deserialize)]
struct Strike {
    attacker: Part,
    defender: Part,
    labels: bool,
}

#[derive(Serialize, Deserialize)]
struct LaidChips(Vec<SquareNumber>, ChipColor);

pub(super) fn encode(
    seats: PerSide<&str>,
    command: Option<&CommandStamp<'_>>,
    lag_ms: u32,
    event: &Event,
) -> Result<SecretBytes, EntryError> {
    let record = secret::to_record(event);
    let body = Body { command: Command::of(seats, command)?, lag_ms, event: EventRecord::from(&record) };
    let mut bytes = Vec::with_capacity(USUAL_LENGTH);
    bytes.push(FORM);
    postcard::to_extend(&body, bytes).map(SecretBytes::new).map_err(|_| EntryError::Form)
}

/// Decodes the bytes after the first byte, which identifies the form.
pub(super) fn decode(bytes: &[u8], seats: PerSide<&str>) -> Result<LogEntry, EntryError> {
    let (Body { command, lag_ms, event }, _) =
        postcard::take_from_bytes(bytes).map_err(|_| EntryError::Form)?;
    let command = command.into_stamp(seats);
    let event = secret::from_record(event.try_into()?).map_err(|_| EntryError::Event)?;
    let record = secret::to_record(&event);
    let again =
        Body { command: Command::of(seats, command.as_ref())?, lag_ms, event: EventRecord::from(&record) };
    postcard::serialize_with_flavor(&again, Same(bytes)).map_err(|_| EntryError::Form)?;
    Ok(LogEntry { command, lag_ms, event })
}

/// A writer that fails unless exactly these bytes are written to it.
struct Same<'a>(&'a [u8]);

impl Flavor for Same<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.try_extend(&[byte])
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0 = self.0.strip_prefix(bytes).ok_or(postcard::Error::SerializeBufferFull)?;
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(postcard::Error::SerializeBufferFull) }
    }
}

impl<'a> Command<'a> {
    fn of(seats: PerSide<&str>, command: Option<&'a CommandStamp<'_>>) -> Result<Command<'a>, EntryError> {
        let Some(CommandStamp { player, cmd_id, fingerprint }) = command else { return Ok(Command::None) };
        let sender = match Side::BOTH.into_iter().find(|side| seats[*side] == player) {
            Some(Side::Red) => Sender::Red,
            Some(Side::Blue) => Sender::Blue,
            None => Sender::Other(player),
        };
        let fingerprint = fingerprint.to_le_bytes();
        match canonical_uuid(cmd_id) {
            Some(id) => Ok(Command::Uuid(sender, id.into_bytes(), fingerprint)),
            None if (1..=CMD_ID_MAX).contains(&cmd_id.len()) => {
                Ok(Command::Text(sender, cmd_id, fingerprint))
            }
            None => Err(EntryError::Form),
        }
    }

    fn into_stamp(self, seats: PerSide<&str>) -> Option<CommandStamp<'static>> {
        let (sender, cmd_id, fingerprint) = match self {
            Command::None => return None,
            Command::Uuid(sender, id, fingerprint) => {
                (sender, Uuid::from_bytes(id).hyphenated().to_string(), fingerprint)
            }
            Command::Text(sender, id, fingerprint) => (sender, id.to_owned(), fingerprint),
        };
        let player = match sender {
            Sender::Red => seats.red,
            Sender::Blue => seats.blue,
            Sender::Other(player) => player,
        };
        let fingerprint = u64::from_le_bytes(fingerprint);
        Some(CommandStamp { player: player.to_owned().into(), cmd_id: cmd_id.into(), fingerprint })
    }
}

/// Parses a UUID, but only in its canonical form: lowercase with hyphens.
fn canonical_uuid(text: &str) -> Option<Uuid> {
    let id = Uuid::try_parse(text).ok()?;
    let mut written = [0; Hyphenated::LENGTH];
    (id.hyphenated().encode_lower(&mut written) == text).then_some(id)
}

impl From<Square> for SquareNumber {
    fn from(square: Square) -> SquareNumber {
        let [number, ..] = square.index().to_le_bytes();
        SquareNumber(number)
    }
}

impl TryFrom<SquareNumber> for Square {
    type Error = EntryError;

    fn try_from(number: SquareNumber) -> Result<Square, EntryError> {
        Square::from_index(number.0.into()).ok_or(EntryError::Event)
    }
}

impl Step {
    fn of(side: Side, from: Square, to: Square, proves: RankSet) -> Step {
        Step { side, from: from.into(), to: to.into(), ruled_out: RankSet::ALL.without(proves).bits() }
    }

    fn proves(&self) -> Result<RankSet, EntryError> {
        let ruled_out = RankSet::from_bits(self.ruled_out).ok_or(EntryError::Event)?;
        Ok(RankSet::ALL.without(ruled_out))
    }
}

impl From<Laid> for LaidChips {
    fn from(laid: Laid) -> LaidChips {
        LaidChips(laid.squares().iter().map(SquareNumber::from).collect(), laid.color())
    }
}

impl TryFrom<LaidChips> for Laid {
    type Error = EntryError;

    fn try_from(LaidChips(squares, color): LaidChips) -> Result<Laid, EntryError> {
        let squares = squares.into_iter().map(Square::try_from).collect::<Result<SquareSet, _>>()?;
        Laid::new(squares, color).ok_or(EntryError::Event)
    }
}

impl<'a> From<&'a SecretRecord> for EventRecord<'a> {
    fn from(record: &'a SecretRecord) -> EventRecord<'a> {
        match *record {
            SecretRecord::Moved { side, from, to, proves, strike, labels, laid } => {
                let step = Step::of(side, from, to, proves);
                if strike.is_none() && laid.is_none() {
                    return EventRecord::Moved(step);
                }
                let strike = strike.map(|[attacker, defender]| Strike {
                    attacker: attacker.into(),
                    defender: defender.into(),
                    labels,
                });
                EventRecord::MovedWith { step, strike, laid: laid.map(LaidChips::from) }
            }
            SecretRecord::Struck { side, from, to, proves, owes } => {
                EventRecord::Struck { step: Step::of(side, from, to, proves), owes }
            }
            SecretRecord::Chosen { side, rank } => EventRecord::Chosen { side, rank },
            SecretRecord::Removed { side, square } => EventRecord::Removed { side, square: square.into() },
            SecretRecord::Placed { side, square, rank, is_labeled, color } => {
                EventRecord::Placed { side, square: square.into(), rank, is_labeled, color }
            }
            SecretRecord::Colored { side, square, color } => {
                EventRecord::Colored { side, square: square.into(), color }
            }
            SecretRecord::Deployed { side, ref setup, salt, is_change } => {
                EventRecord::Deployed { side, setup, salt, is_change }
            }
            SecretRecord::Started { commitments } => EventRecord::Started(commitments),
            SecretRecord::DrawOffered { side } => EventRecord::DrawOffered(side),
            SecretRecord::DrawDeclined { side } => EventRecord::DrawDeclined(side),
            SecretRecord::Paused { since } => EventRecord::Paused { since },
            SecretRecord::Resumed { since } => EventRecord::Resumed { since },
            SecretRecord::Ended { winner, reason } => EventRecord::Ended { winner, reason: reason.code() },
        }
    }
}

impl TryFrom<EventRecord<'_>> for SecretRecord {
    type Error = EntryError;

    fn try_from(record: EventRecord<'_>) -> Result<SecretRecord, EntryError> {
        let moved = |step: Step, strike: Option<Strike>, laid: Option<LaidChips>| {
            Ok(SecretRecord::Moved {
                side: step.side,
                proves: step.proves()?,
                from: step.from.try_into()?,
                to: step.to.try_into()?,
                labels: strike.as_ref().is_some_and(|strike| strike.labels),
                strike: strike.map(|strike| [strike.attacker.into(), strike.defender.into()]),
                laid: laid.map(Laid::try_from).transpose()?,
            })
        };
        Ok(match record {
            EventRecord::Moved(step) => return moved(step, None, None),
            EventRecord::MovedWith { step, strike, laid } => return moved(step, strike, laid),
            EventRecord::Struck { step, owes } => SecretRecord::Struck {
                side: step.side,
                proves: step.proves()?,
                from: step.from.try_into()?,
                to: step.to.try_into()?,
                owes,
            },
            EventRecord::Chosen { side, rank } => SecretRecord::Chosen { side, rank },
            EventRecord::Removed { side, square } => {
                SecretRecord::Removed { side, square: square.try_into()? }
            }
            EventRecord::Placed { side, square, rank, is_labeled, color } => {
                SecretRecord::Placed { side, square: square.try_into()?, rank, is_labeled, color }
            }
            EventRecord::Colored { side, square, color } => {
                SecretRecord::Colored { side, square: square.try_into()?, color }
            }
            EventRecord::Deployed { side, setup, salt, is_change } => {
                SecretRecord::Deployed { side, setup: setup.to_owned(), salt, is_change }
            }
            EventRecord::Started(commitments) => SecretRecord::Started { commitments },
            EventRecord::DrawOffered(side) => SecretRecord::DrawOffered { side },
            EventRecord::DrawDeclined(side) => SecretRecord::DrawDeclined { side },
            EventRecord::Paused { since } => SecretRecord::Paused { since },
            EventRecord::Resumed { since } => SecretRecord::Resumed { since },
            EventRecord::Ended { winner, reason } => {
                SecretRecord::Ended { winner, reason: EndReason::from_code(reason).ok_or(EntryError::Event)? }
            }
        })
    }
}
