//! The acts of a game. An act is what the archive stores in place of one or several events.
//!
//! Most events follow from the rules. For example, the index of a move in the list of legal
//! commands is enough to compute the move and the result of its strike. If the move ends the game,
//! the index is also enough to compute this end. [`Act::of`] returns the act that causes the next
//! events of a log, and [`Act::events`] returns the events of an act. An event that no act causes
//! is stored unchanged.

#![expect(clippy::disallowed_methods, reason = "the archive reads and writes what the log holds")]

use flagfall_board::{PerSide, Rank, Side};
use flagfall_rules::secret::{SecretRecord, from_record, to_record};
use flagfall_rules::{Choice, Command, EndReason, Entropy, Event, Game, Move, Setup, decide};
use flagfall_store::SecretBytes;
use flagfall_store::record::{self, EntryError, Form, LogEntry};

use crate::arrangement::Arrangements;
use crate::bytes::{Reader, put_bytes};
use crate::error::DecodeError;

const UNKNOWN: DecodeError = DecodeError::Damaged("an act is unknown");
const EVENT: DecodeError = DecodeError::Damaged("an event cannot be read");

/// Tags of acts. A tag of [`PLAY`] or higher is a move.
const STORED: u64 = 0;
const DEPLOY: PerSide<u64> = PerSide { red: 1, blue: 2 };
const CHOOSE: PerSide<u64> = PerSide { red: 3, blue: 4 };
const OFFER: PerSide<u64> = PerSide { red: 5, blue: 6 };
const DECLINE: PerSide<u64> = PerSide { red: 7, blue: 8 };
const END: u64 = 9;
const PLAY: u64 = 16;

/// Entropy for acts that need none. Only deployments use random bytes.
const NO_ENTROPY: Entropy = Entropy([0; 32]);

/// An act of a side, or a single event. Contains hidden ranks, so it has no `Debug`.
pub(crate) enum Act {
    /// A side chooses the deployment with this text (§P4) and this salt. If both sides have
    /// deployed, the game starts.
    Deploy { side: Side, setup: String, salt: [u8; 32] },
    /// A side chooses the rank of its coin (§Q4). The last choice resolves the strike.
    Choose { side: Side, rank: Rank },
    /// The side to act gives the legal command with this index.
    Play(usize),
    /// An event that no other act causes.
    Event(Event),
}

impl Act {
    /// Returns an act whose first event is `next`.
    pub(crate) fn of(game: &Game, next: &Event) -> Act {
        let found = match to_record(next) {
            SecretRecord::Deployed { side, setup, salt, is_change: _ } => {
                Some(Act::Deploy { side, setup, salt })
            }
            SecretRecord::Chosen { side, rank } => Some(Act::Choose { side, rank }),
            record => index_of(game, next, &record).map(Act::Play),
        };
        let fits = |act: &Act| act.events(game).is_some_and(|events| events.first() == Some(next));
        found.filter(fits).unwrap_or_else(|| Act::Event(next.clone()))
    }

    /// Returns the events of the act, at least one. `None` if the rules do not allow the act.
    pub(crate) fn events(&self, game: &Game) -> Option<Vec<Event>> {
        let (side, command, entropy) = match self {
            Act::Event(event) => return Some(vec![event.clone()]),
            Act::Deploy { side, setup, salt } => {
                let setup = Setup::from_text(setup, *side, game.terms().ruleset).ok()?;
                (*side, Command::Deploy(setup), Entropy(*salt))
            }
            Act::Choose { side, rank } => (*side, Command::Choose(Choice(*rank)), NO_ENTROPY),
            Act::Play(index) => {
                let position = game.position();
                (position.actor(), position.legal_commands().nth(*index)?, NO_ENTROPY)
            }
        };
        outcome(game, side, &command, &entropy).filter(|events| !events.is_empty())
    }

    pub(crate) fn tag(&self) -> u64 {
        match self {
            Act::Deploy { side, .. } => DEPLOY[*side],
            Act::Choose { side, .. } => CHOOSE[*side],
            Act::Play(index) => PLAY + *index as u64,
            Act::Event(event) => match to_record(event) {
                SecretRecord::DrawOffered { side } => OFFER[side],
                SecretRecord::DrawDeclined { side } => DECLINE[side],
                SecretRecord::Ended { .. } => END,
                _ => STORED,
            },
        }
    }

    /// Writes the act's data, which follows the tag and the time of the act.
    pub(crate) fn write(&self, game: &Game, out: &mut Vec<u8>) -> Result<(), EntryError> {
        match self {
            Act::Play(_) => {}
            Act::Choose { side: _, rank } => out.push(*rank as u8),
            Act::Deploy { side: _, setup, salt } => {
                let all = Arrangements::of(game.terms().ruleset);
                let number = all.and_then(|all| Some((all.number(setup)?.to_le_bytes(), all.bytes())));
                match number {
                    Some((number, bytes)) => {
                        out.push(0);
                        out.extend_from_slice(&number[..bytes]);
                    }
                    None => put_bytes(out, setup.as_bytes()),
                }
                out.extend_from_slice(salt);
            }
            Act::Event(event) => match to_record(event) {
                SecretRecord::DrawOffered { .. } | SecretRecord::DrawDeclined { .. } => {}
                SecretRecord::Ended { winner, reason } => {
                    let reason = EndReason::ALL.iter().position(|known| *known == reason).unwrap_or_default();
                    let winner = winner.map_or(0, |side| side as usize + 1);
                    out.push((reason * 3 + winner) as u8);
                }
                _ => put_bytes(out, body(event, 0)?.expose()),
            },
        }
        Ok(())
    }

    /// Reads the act's data, which follows the tag and the time of the act.
    pub(crate) fn read(tag: u64, game: &Game, reader: &mut Reader<'_>) -> Result<Act, DecodeError> {
        if let Some(index) = tag.checked_sub(PLAY) {
            return Ok(Act::Play(usize::try_from(index).map_err(|_| UNKNOWN)?));
        }
        let of = |tags: PerSide<u64>| Side::BOTH.into_iter().find(|side| tags[*side] == tag);
        if let Some(side) = of(DEPLOY) {
            return Ok(Act::Deploy { side, setup: read_setup(game, reader)?, salt: reader.array()? });
        }
        if let Some(side) = of(CHOOSE) {
            let rank = *Rank::ALL.get(usize::from(reader.byte()?)).ok_or(UNKNOWN)?;
            return Ok(Act::Choose { side, rank });
        }
        let record = match tag {
            STORED => return read_event(reader).map(Act::Event),
            END => {
                let number = usize::from(reader.byte()?);
                let winner = (number % 3).checked_sub(1).map(|side| Side::BOTH[side]);
                SecretRecord::Ended { winner, reason: *EndReason::ALL.get(number / 3).ok_or(UNKNOWN)? }
            }
            _ => match (of(OFFER), of(DECLINE)) {
                (Some(side), _) => SecretRecord::DrawOffered { side },
                (_, Some(side)) => SecretRecord::DrawDeclined { side },
                (None, None) => return Err(UNKNOWN),
            },
        };
        from_record(record).map(Act::Event).map_err(|_| EVENT)
    }
}

/// Returns the events of a command. Judges the command at the time of the latest event, because
/// the stamps of the log already show whether the time was up.
fn outcome(game: &Game, side: Side, command: &Command, entropy: &Entropy) -> Option<Vec<Event>> {
    let events = decide(game, side, game.ply(), command, game.latest(), entropy).ok()?;
    Some(events.into_iter().collect())
}

/// Returns the index of a legal command whose first event is `next`. Several commands may have
/// the same events, for example failed strikes that name different colors.
fn index_of(game: &Game, next: &Event, record: &SecretRecord) -> Option<usize> {
    let position = game.position();
    let commands = position.legal_commands();
    let may_fit = |command: &Command| match (command, record) {
        (
            Command::Move(asked),
            SecretRecord::Moved { from, to, .. } | SecretRecord::Struck { from, to, .. },
        ) => asked.squares == Move { from: *from, to: *to },
        (Command::Remove(removed), SecretRecord::Removed { square, .. }) => removed == square,
        (Command::Place(placing), SecretRecord::Placed { square, rank, .. }) => {
            placing.square == *square && placing.rank == *rank
        }
        (Command::Color(_), SecretRecord::Colored { .. }) => true,
        _ => false,
    };
    commands.iter().enumerate().filter(|(_, command)| may_fit(command)).find_map(|(index, command)| {
        let events = outcome(game, position.actor(), &command, &NO_ENTROPY)?;
        (events.first() == Some(next)).then_some(index)
    })
}

fn read_setup(game: &Game, reader: &mut Reader<'_>) -> Result<String, DecodeError> {
    const WRONG: DecodeError = DecodeError::Damaged("a deployment cannot be read");
    let text = reader.text()?;
    if !text.is_empty() {
        return Ok(text.to_owned());
    }
    let all = Arrangements::of(game.terms().ruleset).ok_or(WRONG)?;
    let mut number = [0; 16];
    let (low, _) = number.split_at_mut(all.bytes());
    low.copy_from_slice(reader.take(low.len())?);
    all.text(u128::from_le_bytes(number)).ok_or(WRONG)
}

fn read_event(reader: &mut Reader<'_>) -> Result<Event, DecodeError> {
    let body = SecretBytes::new(reader.bytes()?.to_vec());
    match record::decode(&body, PerSide::default()) {
        Ok(LogEntry { command: None, lag_ms: 0, event }) if Form::of(&body) == Some(Form::Binary) => {
            Ok(event)
        }
        Ok(_) | Err(_) => Err(EVENT),
    }
}

/// Returns an event as the body of a log entry in form 2, without a command.
pub(crate) fn body(event: &Event, lag_ms: u32) -> Result<SecretBytes, EntryError> {
    record::encode(Form::Binary, PerSide::default(), None, lag_ms, event)
}
