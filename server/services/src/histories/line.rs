//! Lines of histories, and their binary form.
//!
//! In this form, a line of a rated game takes about 45 bytes, and another 20 for a deployment that
//! no other line of the page has. docs/internals/keyspace.md names the records that consist of
//! lines.

use std::collections::{BTreeSet, HashMap};

use flagfall_base::keys::{descending_time, time_of_descending};
use flagfall_board::{GameId, Side, Stamp};
use flagfall_protocol::{GameScore, PlayedGame, Player, PlayerKind, RatingPoint, Secret, Speed, Time};
use flagfall_rules::EndReason;
use flagfall_store::StoreError;
use serde::{Deserialize, Serialize};

use crate::records::damaged;

/// Returns the part of a key by which the games of a history are sorted, latest first.
pub(super) fn place(ended: u64, game: GameId) -> String {
    format!("{}-{game}", descending_time(Stamp(ended)))
}

/// Returns the end of the game from the text that [`place`] returned for it. For other text,
/// returns the latest possible time.
pub(super) fn ended_at(place: &str) -> u64 {
    place.get(..13).and_then(time_of_descending).map_or(u64::MAX, |at| at.0)
}

/// A finished game in the history of one of its players.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    pub(crate) game: GameId,
    pub(crate) ended: u64,
    pub(crate) ruleset: String,
    pub(crate) time: Time,
    pub(crate) rated: bool,
    pub(crate) private: bool,
    pub(crate) side: Side,
    /// The opponent's id.
    pub(crate) opponent: String,
    /// The kind of player that the opponent was in this game.
    pub(crate) kind: PlayerKind,
    pub(crate) score: GameScore,
    pub(crate) reason: EndReason,
    pub(crate) plies: u16,
    /// True if an operator has erased the game.
    pub(crate) erased: bool,
    /// True if the statistics in a record or volume include the game.
    pub(crate) is_counted: bool,
    pub(crate) change: Option<Change>,
    /// The player's deployment.
    pub(crate) setup: Option<Secret>,
}

/// The change that a game made to the ratings of both players.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Change {
    /// The number of games that the player has played in this class, including this one.
    pub(crate) number: u32,
    pub(crate) first_move: i32,
    pub(crate) before: RatingPoint,
    pub(crate) after: RatingPoint,
    /// The opponent's ratings before and after the game, if they are known.
    pub(crate) other: Option<(RatingPoint, RatingPoint)>,
    /// True if an operator has undone the effect of the game on ratings.
    pub(crate) undone: bool,
}

impl Line {
    /// Converts a record of an earlier form. `None` if this version does not know why the game
    /// ended.
    pub(super) fn of(played: PlayedGame) -> Option<Line> {
        let PlayedGame { game, ended, ruleset, time, rated, private, side, opponent, score, .. } = played;
        Some(Line {
            reason: EndReason::from_code(&played.reason)?,
            plies: played.plies,
            erased: played.erased,
            is_counted: true,
            change: None,
            setup: None,
            kind: opponent.kind,
            opponent: opponent.id,
            game,
            ended,
            ruleset,
            time,
            rated,
            private,
            side,
            score,
        })
    }

    /// Returns the entry for a list. It names the opponent only if they are a house player.
    pub(super) fn played(self) -> PlayedGame {
        let level = self.opponent.strip_prefix("house-").filter(|_| self.kind == PlayerKind::House);
        let name = level.unwrap_or_default().to_owned();
        PlayedGame {
            game: self.game,
            ended: self.ended,
            ruleset: self.ruleset,
            time: self.time,
            rated: self.rated,
            private: self.private,
            side: self.side,
            opponent: Player { name, id: self.opponent, kind: self.kind },
            score: self.score,
            reason: self.reason.code().to_owned(),
            plies: self.plies,
            erased: self.erased,
        }
    }

    /// Returns the text by which lists sort this line.
    pub(super) fn place(&self) -> String {
        place(self.ended, self.game)
    }

    /// True if the game changed a rating of this class.
    pub(crate) fn is_rated_in(&self, ruleset: &str, speed: Speed) -> bool {
        self.change.is_some() && self.ruleset == ruleset && Speed::of(self.time) == Some(speed)
    }
}

/// Lines in binary form. Text that several lines share is written only once.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Packed {
    terms: Vec<(String, PackedTime)>,
    /// The different letters of all deployments, so that each letter takes up four bits. Empty if
    /// there are more than 16.
    letters: String,
    /// The number of letters of each deployment, and the letters.
    setups: Vec<(u16, Vec<u8>)>,
    lines: Vec<PackedLine>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum PackedTime {
    Unlimited,
    Fischer(u32, u32),
    Delay(u32, u32),
    Correspondence(u32),
}

#[derive(Clone, Serialize, Deserialize)]
enum PackedId {
    /// An id of 60 random bits, which has the same form as the id of a game.
    Bits([u8; 8]),
    Text(String),
}

#[derive(Clone, Serialize, Deserialize)]
struct PackedLine {
    game: [u8; 8],
    /// The time from the end of the previous line's game to the end of this game.
    ended: i64,
    terms: u32,
    flags: u32,
    opponent: PackedId,
    /// The index of the reason in [`EndReason::ALL`].
    reason: u8,
    plies: u16,
    change: Option<PackedChange>,
    /// The number of the deployment, counted from 1; 0 if the deployment is unknown.
    setup: u32,
}

#[derive(Clone, Serialize, Deserialize)]
struct PackedChange {
    number: u32,
    first_move: i32,
    own: PackedPoints,
    other: Option<PackedPoints>,
}

/// The rating after a game, and how much higher it was before the game; then the same for the
/// deviation.
#[derive(Clone, Serialize, Deserialize)]
struct PackedPoints(u32, i32, u32, i32);

const BLUE: u32 = 1;
const SCORE: u32 = 1 << 1;
const RATED: u32 = 1 << 3;
const PRIVATE: u32 = 1 << 4;
const ERASED: u32 = 1 << 5;
const COUNTED: u32 = 1 << 6;
const KIND: u32 = 1 << 7;
const UNDONE: u32 = 1 << 9;
/// The flags for a provisional rating of the player before the game and after it.
const OWN: [u32; 2] = [1 << 10, 1 << 11];
/// The flags for a provisional rating of the opponent before the game and after it.
const OTHER: [u32; 2] = [1 << 12, 1 << 13];

const SCORES: [GameScore; 3] = [GameScore::Won, GameScore::Drawn, GameScore::Lost];
const KINDS: [PlayerKind; 4] = [PlayerKind::Guest, PlayerKind::Account, PlayerKind::Bot, PlayerKind::House];

/// Assigns numbers to different values, in the order of their first use.
struct Numbers<T> {
    values: Vec<T>,
    known: HashMap<T, u32>,
}

impl<T: Clone + Eq + std::hash::Hash> Numbers<T> {
    fn new() -> Numbers<T> {
        Numbers { values: Vec::new(), known: HashMap::new() }
    }

    fn of(&mut self, value: T) -> u32 {
        let next = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        *self.known.entry(value.clone()).or_insert_with(|| {
            self.values.push(value);
            next
        })
    }
}

/// Assigns numbers to deployments, beginning with 1.
pub(super) struct Setups(Numbers<String>);

impl Setups {
    pub(super) fn new() -> Setups {
        Setups(Numbers::new())
    }

    pub(super) fn of(&mut self, setup: Option<&str>) -> u32 {
        setup.map_or(0, |setup| self.0.of(setup.to_owned()).saturating_add(1))
    }
}

impl Packed {
    /// Packs lines, and all deployments in `setups`.
    pub(super) fn of(lines: &[Line], mut setups: Setups) -> Packed {
        let mut terms = Numbers::new();
        let mut before = 0;
        let mut packed = Vec::with_capacity(lines.len());
        for line in lines {
            packed.push(PackedLine {
                game: line.game.bits().to_le_bytes(),
                ended: line.ended.wrapping_sub(before).cast_signed(),
                terms: terms.of((line.ruleset.clone(), packed_time(line.time))),
                flags: flags(line),
                opponent: match line.opponent.parse::<GameId>() {
                    Ok(id) if id.as_str() == line.opponent => PackedId::Bits(id.bits().to_le_bytes()),
                    Ok(_) | Err(_) => PackedId::Text(line.opponent.clone()),
                },
                reason: place_in(&EndReason::ALL, line.reason) as u8,
                plies: line.plies,
                change: line.change.map(|change| PackedChange {
                    number: change.number,
                    first_move: change.first_move,
                    own: packed_points(change.before, change.after),
                    other: change.other.map(|(before, after)| packed_points(before, after)),
                }),
                setup: setups.of(line.setup.as_ref().map(Secret::expose)),
            });
            before = line.ended;
        }
        let (letters, setups) = pack_setups(&setups.0.values);
        Packed { terms: terms.values, letters, setups, lines: packed }
    }

    /// Returns the deployments in the order of their numbers. The first one has the number 1.
    pub(super) fn setups(&self) -> Result<Vec<Secret>, StoreError> {
        let letters: Vec<char> = self.letters.chars().collect();
        let unpack = |(length, bytes): &(u16, Vec<u8>)| {
            let text = if letters.is_empty() {
                String::from_utf8(bytes.clone()).ok()
            } else {
                let nibbles = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
                nibbles.take((*length).into()).map(|at| letters.get(usize::from(at))).collect()
            };
            text.map(Secret::new).ok_or_else(unreadable)
        };
        self.setups.iter().map(unpack).collect()
    }

    pub(super) fn lines(&self) -> Result<Vec<Line>, StoreError> {
        let setups = self.setups()?;
        let mut before = 0u64;
        let mut lines = Vec::with_capacity(self.lines.len());
        for packed in &self.lines {
            let line = self.line(packed, before, &setups).ok_or_else(unreadable)?;
            before = line.ended;
            lines.push(line);
        }
        Ok(lines)
    }

    fn line(&self, packed: &PackedLine, before: u64, setups: &[Secret]) -> Option<Line> {
        let flags = packed.flags;
        let has = |flag: u32| flags & flag != 0;
        let (ruleset, time) = self.terms.get(usize::try_from(packed.terms).ok()?)?;
        let change = packed.change.as_ref().map(|change| {
            let (before, after) = points(&change.own, OWN.map(has));
            let other = change.other.as_ref().map(|other| points(other, OTHER.map(has)));
            let PackedChange { number, first_move, .. } = *change;
            Change { number, first_move, before, after, other, undone: has(UNDONE) }
        });
        let setup = match usize::try_from(packed.setup).ok()?.checked_sub(1) {
            Some(number) => Some(setups.get(number)?.clone()),
            None => None,
        };
        Some(Line {
            game: GameId::from_bits(u64::from_le_bytes(packed.game))?,
            ended: before.wrapping_add(packed.ended.cast_unsigned()),
            ruleset: ruleset.clone(),
            time: time_of(*time),
            rated: has(RATED),
            private: has(PRIVATE),
            side: if has(BLUE) { Side::Blue } else { Side::Red },
            opponent: match &packed.opponent {
                PackedId::Bits(bits) => GameId::from_bits(u64::from_le_bytes(*bits))?.to_string(),
                PackedId::Text(text) => text.clone(),
            },
            kind: KINDS[(flags / KIND) as usize & 3],
            score: *SCORES.get((flags / SCORE) as usize & 3)?,
            reason: *EndReason::ALL.get(usize::from(packed.reason))?,
            plies: packed.plies,
            erased: has(ERASED),
            is_counted: has(COUNTED),
            change,
            setup,
        })
    }
}

pub(super) fn unreadable() -> StoreError {
    damaged("a history cannot be read")
}

fn place_in<T: Copy + PartialEq>(all: &[T], one: T) -> usize {
    all.iter().position(|other| *other == one).unwrap_or_default()
}

fn flags(line: &Line) -> u32 {
    let set = |flag: u32, is_set: bool| if is_set { flag } else { 0 };
    let mut flags = set(BLUE, line.side == Side::Blue)
        | (SCORE * place_in(&SCORES, line.score) as u32)
        | set(RATED, line.rated)
        | set(PRIVATE, line.private)
        | set(ERASED, line.erased)
        | set(COUNTED, line.is_counted)
        | (KIND * place_in(&KINDS, line.kind) as u32);
    if let Some(Change { before, after, other, undone, .. }) = line.change {
        flags |= set(UNDONE, undone) | set(OWN[0], before.provisional) | set(OWN[1], after.provisional);
        if let Some((before, after)) = other {
            flags |= set(OTHER[0], before.provisional) | set(OTHER[1], after.provisional);
        }
    }
    flags
}

fn packed_points(before: RatingPoint, after: RatingPoint) -> PackedPoints {
    let more = |before: u32, after: u32| before.wrapping_sub(after).cast_signed();
    PackedPoints(
        after.rating,
        more(before.rating, after.rating),
        after.deviation,
        more(before.deviation, after.deviation),
    )
}

/// Returns the ratings before and after a game.
fn points(packed: &PackedPoints, provisional: [bool; 2]) -> (RatingPoint, RatingPoint) {
    let PackedPoints(rating, more, deviation, more_deviation) = *packed;
    let before = RatingPoint {
        rating: rating.wrapping_add_signed(more),
        deviation: deviation.wrapping_add_signed(more_deviation),
        provisional: provisional[0],
    };
    (before, RatingPoint { rating, deviation, provisional: provisional[1] })
}

fn packed_time(time: Time) -> PackedTime {
    match time {
        Time::Unlimited {} => PackedTime::Unlimited,
        Time::Fischer { base_s, increment_s } => PackedTime::Fischer(base_s, increment_s),
        Time::Delay { base_s, free_s } => PackedTime::Delay(base_s, free_s),
        Time::Correspondence { days } => PackedTime::Correspondence(days),
    }
}

fn time_of(packed: PackedTime) -> Time {
    match packed {
        PackedTime::Unlimited => Time::Unlimited {},
        PackedTime::Fischer(base_s, increment_s) => Time::Fischer { base_s, increment_s },
        PackedTime::Delay(base_s, free_s) => Time::Delay { base_s, free_s },
        PackedTime::Correspondence(days) => Time::Correspondence { days },
    }
}

fn pack_setups(setups: &[String]) -> (String, Vec<(u16, Vec<u8>)>) {
    let letters: BTreeSet<char> = setups.iter().flat_map(|setup| setup.chars()).collect();
    let letters: Vec<char> = letters.into_iter().collect();
    if letters.len() > 16 {
        return (String::new(), setups.iter().map(|setup| (0, setup.clone().into_bytes())).collect());
    }
    let pack = |setup: &String| {
        let nibbles: Vec<u8> = setup.chars().map(|letter| place_in(&letters, letter) as u8).collect();
        let bytes = nibbles.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or_default());
        (u16::try_from(nibbles.len()).unwrap_or(u16::MAX), bytes.collect())
    };
    let packed = setups.iter().map(pack).collect();
    (letters.into_iter().collect(), packed)
}
