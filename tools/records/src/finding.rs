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
        /// A stamp is earlier than the one before it, or differs from that of its cause.
        Stamp = "stamp",
        /// More network delay is given back than the quota allows.
        Lag = "lag",
        /// A deployment is invalid in its ruleset (§A4).
        Setup = "setup",
        /// The ruleset does not allow these lakes, or they are missing where lakes are drawn (§U2).
        Lakes = "lakes",
        /// The starting position is invalid in its ruleset.
        Start = "start",
        /// The opened deployment is not the one that the player handed in last.
        Deployment = "deployment",
        /// An opened deployment and its salt do not have the published hash.
        Commitment = "commitment",
        /// The record and the start of the game have different commitments.
        CommitmentsDiffer = "commitments_differ",
        /// A deployment is open that cannot be, or hidden that must be open, or the record and its
        /// end open different ones.
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
        /// A strike where there was nothing to strike, or a missing strike.
        Strike = "strike",
        /// A piece stays, advances or leaves against the rules.
        Fate = "fate",
        /// A rank that the piece does not have.
        Rank = "rank",
        /// A rank that this audience cannot know, or a missing rank that it was shown.
        Shown = "shown",
        /// Something happened after its time had run out.
        FlagFall = "flag_fall",
        /// The record says that time ran out, but it had not.
        TimeLeft = "time_left",
        /// The record goes on although the game had ended.
        NotEnded = "not_ended",
        /// The record ends the game by a rule that did not end it.
        EndedEarly = "ended_early",
        /// The wrong winner, or the wrong reason.
        Outcome = "outcome",
        /// Something happened after the end.
        AfterEnd = "after_end",
        /// No deployment at all makes the record possible.
        Impossible = "impossible",
        /// The server signed another game, or other facts about this one.
        Signature = "signature",
    }
}

flagfall_board::named! {
    /// A kind of fact that the record has too little information to check.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum UncheckedKind, code {
        /// A side's ranks that were not shown.
        Ranks = "ranks",
        /// A side's commitment.
        Commitment = "commitment",
        /// True if deployments were in time.
        Deadline = "deadline",
        /// When things happened.
        Stamps = "stamps",
        /// An end that depends on ranks that were not opened.
        End = "end",
        /// Everything from some event on, because it depends on unknown positions of pieces.
        Rest = "rest",
        /// Fields that this program does not know.
        Fields = "fields",
        /// Keys were given, but the record has no signature that they verify.
        Signature = "signature",
        /// A pause longer than a week, for which there is only the server's word.
        Pause = "pause",
    }
}

/// A false statement in a record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// Its kind.
    pub code: Falsehood,
    /// The index of the event in the list, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<usize>,
    /// The number of the ply, from 1: of the ply itself, or the last one before the event. 0 before
    /// the first ply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply: Option<Ply>,
    /// Why, for people.
    pub detail: String,
}

impl Finding {
    /// A finding about the whole record.
    pub(crate) fn whole((code, detail): Mismatch) -> Finding {
        Finding { code, event: None, ply: None, detail }
    }

    /// A finding at an event. Its ply is the event's own or the last before it.
    pub(crate) fn at(record: &GameRecord, index: usize, (code, detail): Mismatch) -> Finding {
        let told = record.events.iter().take(index + 1);
        let plies = told.filter(|told| told.event.is_ply()).count();
        Finding { code, event: Some(index), ply: Some(Ply::try_from(plies).unwrap_or(Ply::MAX)), detail }
    }
}

/// A false statement without its place.
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
    /// Its kind.
    pub code: UncheckedKind,
    /// What and why, for people.
    pub detail: String,
}

/// The result of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Everything in the record is true.
    #[default]
    Good,
    /// What could be checked is true. The rest is listed.
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
    /// Plies in the record.
    pub plies: usize,
    /// Plies that were replayed and are true.
    pub plies_checked: usize,
    /// How the game ended according to the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// True if the end was a decision of a player or an umpire. It is possible here, but cannot be
    /// derived from the board or the clock.
    pub on_trust: bool,
    /// The status of the server's signature, if the record has one or keys were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<SignatureStatus>,
    /// False statements: about the whole record first, then the first false event.
    pub findings: Vec<Finding>,
    /// What could not be checked.
    pub unchecked: Vec<Unchecked>,
}
