mod digest;
mod recorder;

use std::fmt;

use flagfall_board::{GameId, PerSide, Side, Square, Stamp};
use flagfall_rules as rules;
use flagfall_rules::EndReason;
use flagfall_view::{
    Commitment, Fate, GameEvent, GameView, HexBytes, LagQuota, Opened, SeenMove, SeenOutcome, SeenPlacing,
    ViewChange, Viewer,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::player::Player;
use crate::terms::{Terms, Time};
use crate::text::SignatureText;

pub use digest::{DIGEST_VERSION, key_id, signed_message};
pub use recorder::{NotOpened, RecordScope, Recorder};

/// The version of the [`GameRecord`] format.
pub const RECORD_FORMAT: u32 = 1;

/// A complete game, from the point of view of one audience. Until the game ends, the record hides
/// the ranks that the audience may not see.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GameRecord {
    /// The version of the record format, which is 1.
    pub format: u32,
    /// The game.
    pub game: GameId,
    /// The terms.
    pub terms: Terms,
    /// The players.
    pub players: PerSide<Player>,
    /// The time at which the game was created, in milliseconds since 1970.
    pub created: u64,
    /// The lakes, if they were drawn at random for this game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lakes: Option<Vec<Square>>,
    /// The deadline for deployments, in milliseconds after `created`. Absent in old records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deploy_ms: Option<u64>,
    /// The limits of the compensation for network delay. If absent, the server does not
    /// compensate for network delay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag_quota: Option<LagQuota>,
    /// True if each turn begins with its whole days or free seconds, even if the side has used some
    /// of that time to choose a rank in the other side's turn.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub whole_turns: bool,
    /// The audience that the record is for.
    pub audience: Viewer,
    /// The kind of record: `live` or `opened`. Absent if the events have no `change`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<RecordKind>,
    /// The audience's view before the first event. Each event and its `change` turn one view into
    /// the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_view: Option<GameView>,
    /// Each side's commitment to its deployment.
    #[schemars(with = "PerSide<Option<HexBytes>>")]
    pub commitments: PerSide<Option<Commitment>>,
    /// The deployments that this client may see.
    pub deployments: PerSide<Option<Opened>>,
    /// The starting position in the one-line notation of positions, if the game started without
    /// deployments. A rank that is hidden from this client is written `?`. Servers never write
    /// this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The events, oldest first.
    pub events: Vec<RecordedEvent>,
    /// The outcome of the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<SeenOutcome>,
    /// The source of the record, if it was imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
    /// The server's signature of the game's digest, after the end of the game. Absent if the
    /// server has no key, or if the game ended before servers signed games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<RecordSignature>,
}

/// The kind of a record. It determines which facts the changes show.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// The changes show the facts that the audience saw during play.
    Live,
    /// All changes, including the earliest, show every rank that the audience may see after the
    /// end.
    Opened,
}

/// A server's Ed25519 signature of the digest of a finished game. docs/protocol/RECORDS.md
/// defines the digest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecordSignature {
    /// The id of the public key: the first 16 hexadecimal digits of its SHA-256.
    pub key: String,
    /// The signature.
    pub value: SignatureText,
}

/// A public key that verifies the signatures of finished games. Servers may sign newer games with
/// another key.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SigningKeyInfo {
    /// The id of the key: the first 16 hexadecimal digits of its SHA-256.
    pub id: String,
    /// The Ed25519 public key.
    pub public: HexBytes,
    /// The time at which a server first used the key, in milliseconds since 1970.
    pub since: u64,
}

/// All public keys that verify the signatures of a store's finished games, including keys that
/// servers have stopped signing with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SigningKeys {
    /// The keys, sorted by id.
    pub keys: Vec<SigningKeyInfo>,
}

/// The source of an imported record. The record's times are all zero, and only the names of its
/// players are known. If the source format has no commitments, the commitments are null and each
/// salt is 32 zero bytes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Imported {
    /// The name of the format: `text`, `strados` or `pbm`.
    pub from: String,
}

/// An event and its time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecordedEvent {
    /// The time at which the event happened, in milliseconds since 1970.
    pub at: u64,
    /// The time that the acting side got back as lag compensation, in milliseconds.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub lag_ms: u32,
    /// The side that resigned, if this event ended the game by resignation. Absent in old
    /// records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Side>,
    /// The event.
    pub event: GameEvent,
    /// The part of the view's change that cannot be derived from the event itself. Absent in old
    /// records and in records imported from text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<ViewChange>,
}

impl RecordedEvent {
    /// Creates the entry of an event. The field `change` is empty.
    pub fn new(at: Stamp, lag_ms: u32, event: GameEvent) -> RecordedEvent {
        RecordedEvent { at: at.0, lag_ms, by: resigned_by(&event), event, change: None }
    }
}

/// Returns the side that resigned, if the event ended the game by resignation.
fn resigned_by(event: &GameEvent) -> Option<Side> {
    match event {
        GameEvent::Ended { outcome, opened: _ } if outcome.reason == EndReason::Resigned.code() => {
            outcome.winner.map(Side::opponent)
        }
        _ => None,
    }
}

/// Writes the record as text for people: first a line for each fact about the game, then a line for
/// each ply.
impl fmt::Display for GameRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Flagfall record {}", self.format)?;
        writeln!(f, "Game: {}", self.game)?;
        if let Some(side) = self.audience.side() {
            writeln!(f, "Told to: {side}")?;
        }
        writeln!(f, "Rules: {}", self.terms.ruleset)?;
        if let Some(lakes) = &self.lakes {
            let lakes: Vec<String> = lakes.iter().map(Square::to_string).collect();
            writeln!(f, "Lakes: {}", lakes.join(" "))?;
        }
        match self.terms.time {
            Time::Unlimited {} => writeln!(f, "Time: no clock")?,
            Time::Fischer { base_s, increment_s } => {
                writeln!(f, "Time: {base_s} s + {increment_s} s a move")?;
            }
            Time::Delay { base_s, free_s } => {
                writeln!(f, "Time: {base_s} s, {free_s} s of each turn free")?;
            }
            Time::Correspondence { days: 1 } => writeln!(f, "Time: 1 day a move")?,
            Time::Correspondence { days } => writeln!(f, "Time: {days} days a move")?,
        }
        for side in Side::BOTH {
            writeln!(f, "{side}: {}", self.players[side].name)?;
        }
        match &self.outcome {
            None => writeln!(f, "Result: none yet")?,
            Some(SeenOutcome { winner: Some(side), reason }) => {
                writeln!(f, "Result: {side} wins ({reason})")?;
            }
            Some(SeenOutcome { winner: None, reason }) => writeln!(f, "Result: no side wins ({reason})")?,
        }
        for side in Side::BOTH {
            if let Some(opened) = &self.deployments[side] {
                writeln!(f, "{side} deployed: {}", opened.setup)?;
                writeln!(f, "{side} salt: {}", opened.salt)?;
            } else if let Some(setup) = self.own_setup().filter(|_| self.audience.side() == Some(side)) {
                writeln!(f, "{side} handed in: {setup}")?;
            }
            if let Some(commitment) = &self.commitments[side] {
                writeln!(f, "{side} committed: {commitment}")?;
            }
        }
        if let Some(start) = &self.start {
            writeln!(f, "Start: {start}")?;
        } else if !self.has_started() {
            writeln!(f, "Started: no")?;
        }
        let waiting = self.waiting_strike();
        let mut ply = 0;
        for (index, RecordedEvent { at: _, lag_ms: _, by: _, event, change: _ }) in
            self.events.iter().enumerate()
        {
            match event {
                GameEvent::Moved(seen) => {
                    ply += 1;
                    write_ply(ply, seen, self.tells_pieces(seen.side), f)?;
                }
                GameEvent::Removed { side, square } => {
                    ply += 1;
                    writeln!(f, "{ply:>4} {:<4} -{square}", mover(*side))?;
                }
                GameEvent::Placed(seen) => {
                    ply += 1;
                    write_placing(ply, seen, f)?;
                }
                GameEvent::Colored { side, square, color } => {
                    writeln!(f, "{:>4} {:<4} {square}={}", "", mover(*side), color.letter())?;
                }
                // The line of a ply normally includes the choices in its strike. An unresolved
                // strike has no ply, so each of its choices gets a separate line (§Q4).
                GameEvent::Struck(strike) if Some(index) == waiting => {
                    writeln!(f, "{:>4} {:<4} {}  strikes", "", mover(strike.side), strike.squares)?;
                }
                GameEvent::Chosen { side, rank } if waiting.is_some_and(|waiting| index > waiting) => {
                    writeln!(f, "{:>4} {:<4} chooses {}", "", mover(*side), rank.letter())?;
                }
                GameEvent::Struck(_)
                | GameEvent::Chosen { .. }
                | GameEvent::Deployed { .. }
                | GameEvent::Ready { .. }
                | GameEvent::Started { .. }
                | GameEvent::DrawOffered { .. }
                | GameEvent::DrawDeclined { .. }
                | GameEvent::Paused { .. }
                | GameEvent::Resumed { .. }
                | GameEvent::Ended { .. } => {}
            }
        }
        Ok(())
    }
}

impl GameRecord {
    /// Returns the record in the form that servers of version 0.1 write: with events but without
    /// changes.
    #[must_use]
    pub fn without_changes(mut self) -> GameRecord {
        self.kind = None;
        self.first_view = None;
        self.events.iter_mut().for_each(|recorded| recorded.change = None);
        self
    }

    /// True if this is a live record of a finished game that had a strike with coins. Such a
    /// record lacks the choices that resolved the strikes (§Q4).
    pub fn omits_choices(&self) -> bool {
        self.kind == Some(RecordKind::Live)
            && self.outcome.as_ref().is_some_and(|outcome| outcome.reason != rules::EndReason::Aborted.code())
            && self.events.iter().any(|told| matches!(told.event, GameEvent::Struck(_)))
    }

    /// Returns the last deployment that the player submitted, if this is a player's record.
    pub fn own_setup(&self) -> Option<&str> {
        self.audience.side()?;
        self.events.iter().rev().find_map(|told| match &told.event {
            GameEvent::Deployed { setup } => Some(setup.as_str()),
            _ => None,
        })
    }

    /// True if play has begun. Games with coins have no deployments, so their play begins
    /// immediately (§Q1).
    pub fn has_started(&self) -> bool {
        let has_coins = |ruleset: &rules::Ruleset| ruleset.start == rules::Start::Coins;
        rules::Ruleset::find(&self.terms.ruleset).is_some_and(has_coins)
            || self.events.iter().any(|told| matches!(told.event, GameEvent::Started { .. }))
    }

    /// Returns the index of the event that began the unresolved strike, if there is such a
    /// strike.
    fn waiting_strike(&self) -> Option<usize> {
        let last = self.events.iter().rposition(|told| matches!(told.event, GameEvent::Struck(_)))?;
        let is_resolved = self.events[last..].iter().any(|told| matches!(told.event, GameEvent::Moved(_)));
        (!is_resolved).then_some(last)
    }

    /// True if the lines of a side's moves must name the moving piece. This is necessary in
    /// rulesets with a reserve, where no deployment shows the piece's rank.
    fn tells_pieces(&self, side: Side) -> bool {
        let has_reserve = |ruleset: &rules::Ruleset| ruleset.reserve;
        self.deployments[side].is_none() && rules::Ruleset::find(&self.terms.ruleset).is_some_and(has_reserve)
    }
}

fn mover(side: Side) -> &'static str {
    PerSide::new("Red", "Blue")[side]
}

fn write_placing(ply: u32, seen: &SeenPlacing, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let SeenPlacing { side, square, piece, labeled, color } = seen;
    write!(f, "{ply:>4} {:<4} {piece}{}@{square}", mover(*side), if *labeled { "^" } else { "" })?;
    if let Some(color) = color {
        write!(f, "={}", color.letter())?;
    }
    writeln!(f)
}

fn write_ply(ply: u32, seen: &SeenMove, tells_piece: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{ply:>4} {:<4} {}", mover(seen.side), seen.squares)?;
    if let Some(laid) = &seen.laid {
        write!(f, "  {laid}")?;
    }
    if tells_piece && seen.strike.is_none() && seen.piece != rules::Identity::Hidden {
        write!(f, "  is {}", seen.piece)?;
    }
    if let Some(strike) = &seen.strike {
        let (attacker, defender) = (strike.attacker, strike.defender);
        let result = match (strike.attacker_fate, strike.defender_fate) {
            (Fate::Leaves, Fate::Leaves) => "both leave",
            (Fate::Leaves, Fate::Stays | Fate::Advances) => "the attacker leaves",
            (Fate::Stays | Fate::Advances, Fate::Leaves) => "the defender leaves",
            (Fate::Stays | Fate::Advances, Fate::Stays | Fate::Advances) => "both stay",
        };
        write!(f, "  {attacker} strikes {defender}: {result}")?;
    }
    writeln!(f)
}
