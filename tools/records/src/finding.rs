//! The findings of a check.

use flagfall_board::{GameId, Ply};
use flagfall_protocol::{GameRecord, Viewer};
use serde::Serialize;

use crate::signature::SignatureStatus;

flagfall_board::named! {
    /// A kind of false statement.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Falsehood, code {
        /// A field is missing or malformed.
        Malformed = "malformed",
        /// The record has a format that this program does not read.
        Format = "format",
        /// The ruleset is unknown, or the clock is not allowed.
        Terms = "terms",
        /// A player has no id, or an impossible name.
        Players = "players",
        /// A stamp is earlier than the previous one, or differs from the stamp of the event that
        /// caused this event.
        Stamp = "stamp",
        /// The lag compensation exceeds the quota.
        Lag = "lag",
        /// A deployment is invalid in its ruleset (§A4).
        Setup = "setup",
        /// The ruleset does not allow these lakes, or they are missing where lakes are drawn (§U2).
        Lakes = "lakes",
        /// The starting position is invalid in its ruleset.
        Start = "start",
        /// The opened deployment is not the last one that the player submitted.
        Deployment = "deployment",
        /// The published hash does not match an opened deployment and its salt.
        Commitment = "commitment",
        /// The commitments of the record differ from those in the event that starts the game.
        CommitmentsDiffer = "commitments_differ",
        /// The wrong deployments are open: one that must be hidden is open, or one that must be
        /// open is hidden. Or the record and the event at its end open different deployments.
        Opened = "opened",
        /// An event that this audience never sees.
        #[serde(rename = "audience")]
        Viewer = "audience",
        /// The change of an event is missing or wrong.
        Change = "change",
        /// The view before the first event is missing or wrong.
        FirstView = "first_view",
        /// An event that cannot happen at this point of a game.
        Unexpected = "unexpected",
        /// An event that must follow is missing.
        Missing = "missing",
        /// A move against the rules.
        IllegalMove = "illegal_move",
        /// A strike on an empty square, or a strike that the record omits.
        Strike = "strike",
        /// After a strike, a piece stays, advances or leaves in violation of the rules.
        Fate = "fate",
        /// A rank that the piece does not have.
        Rank = "rank",
        /// A rank that this audience cannot have seen, or a missing rank that this audience saw.
        Shown = "shown",
        /// An event that was caused by a player whose time had already run out.
        FlagFall = "flag_fall",
        /// The record says that a player's time ran out, but the player had time left.
        TimeLeft = "time_left",
        /// The record continues although the rules had ended the game.
        NotEnded = "not_ended",
        /// The record ends the game by a rule that does not apply.
        EndedEarly = "ended_early",
        /// The wrong winner, or the wrong reason.
        Outcome = "outcome",
        /// An event after the end of the game.
        AfterEnd = "after_end",
        /// No possible deployment is consistent with the record.
        Impossible = "impossible",
        /// The signature is valid for a different game, or for different facts about this game.
        Signature = "signature",
    }
}

flagfall_board::named! {
    /// A kind of fact that cannot be checked because the record contains too little information.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum UncheckedKind, code {
        /// The ranks of a side's pieces that were not shown.
        Ranks = "ranks",
        /// A side's commitment.
        Commitment = "commitment",
        /// Whether the deployments were submitted in time.
        Deadline = "deadline",
        /// The times of the events.
        Stamps = "stamps",
        /// An end of the game that depends on hidden ranks.
        End = "end",
        /// All events from a certain event on, because they depend on unknown positions of
        /// pieces.
        Rest = "rest",
        /// Fields that this program does not support.
        Fields = "fields",
        /// The signature. Keys were given, but the record has no signature that these keys can
        /// verify.
        Signature = "signature",
        /// A pause longer than a week. Only the server can confirm it.
        Pause = "pause",
    }
}

/// A false statement in a record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// The kind of the false statement.
    pub code: Falsehood,
    /// The index of the event in the record, if the finding is about an event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<usize>,
    /// The number of the ply, counted from 1. For an event that is not a ply, the number of the
    /// last ply before it, or 0 if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply: Option<Ply>,
    /// An explanation for people.
    pub detail: String,
}

impl Finding {
    /// Creates a finding about the whole record.
    pub(crate) fn whole((code, detail): Mismatch) -> Finding {
        Finding { code, event: None, ply: None, detail }
    }

    /// Creates a finding about an event.
    pub(crate) fn at(record: &GameRecord, index: usize, (code, detail): Mismatch) -> Finding {
        let told = record.events.iter().take(index + 1);
        let plies = told.filter(|told| told.event.is_ply()).count();
        Finding { code, event: Some(index), ply: Some(Ply::try_from(plies).unwrap_or(Ply::MAX)), detail }
    }
}

/// A false statement with an explanation, but without its place in the record.
pub(crate) type Mismatch = (Falsehood, String);

pub(crate) fn wrong<T>(code: Falsehood, detail: impl Into<String>) -> Result<T, Mismatch> {
    Err((code, detail.into()))
}

pub(crate) fn ensure(
    is_true: bool,
    code: Falsehood,
    detail: impl FnOnce() -> String,
) -> Result<(), Mismatch> {
    if is_true { Ok(()) } else { Err((code, detail())) }
}

/// A fact that could not be checked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Unchecked {
    /// The kind of the fact.
    pub code: UncheckedKind,
    /// The fact, and why it could not be checked, for people.
    pub detail: String,
}

/// The result of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Everything in the record is true.
    #[default]
    Good,
    /// The facts that could be checked are true. Other facts could not be checked.
    Partly,
    /// Something is false.
    False,
}

/// The report of a check.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Report {
    /// The result.
    pub status: Status,
    /// The game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The ruleset's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ruleset: Option<String>,
    /// The audience of the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<Viewer>,
    /// The number of plies in the record.
    pub plies: usize,
    /// The number of plies that were replayed and are true.
    pub plies_checked: usize,
    /// Why the game ended, according to the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// True if a player or an umpire decided to end the game. The check confirms only that this
    /// decision was possible.
    pub on_trust: bool,
    /// The status of the server's signature, if the record has one or keys were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<SignatureStatus>,
    /// The false statements. Statements about the whole record come first, then the first false
    /// event.
    pub findings: Vec<Finding>,
    /// The facts that could not be checked.
    pub unchecked: Vec<Unchecked>,
}
