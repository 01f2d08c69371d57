//! Imports and exports games of other programs.
//!
//! Between a record and a foreign text there is a [`Plain`] game: ruleset, players, deployments,
//! moves and the end. Both directions replay the game, so no illegal game passes.

mod pbm;
mod plain;
mod strados;
mod text;
mod told;

use flagfall_protocol::GameRecord;
use flagfall_rules::Ruleset;

use crate::read::SIZE_MAX;
use plain::Plain;

/// A format for games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Our records.
    Json,
    /// Our text for people.
    Text,
    /// The XML of Gravon's archive of games, StraDoS2.
    Strados,
    /// Deployments and moves as typed to a play-by-mail server.
    Pbm,
}

/// Why a record cannot be written in a format.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExportError {
    /// Not everything about it is known.
    #[error("the record does not open both deployments: {0} tells whole games only, after their end")]
    NotOpened(&'static str),
    /// The format does not support the ruleset.
    #[error("{format} has no games of the ruleset {ruleset}; it has those of {allowed}")]
    Ruleset {
        /// The format.
        format: &'static str,
        /// The record's ruleset.
        ruleset: String,
        /// The rulesets that it supports.
        allowed: String,
    },
    /// The game began with a set-up position.
    #[error("the game began with a position and not with deployments: only json can tell that")]
    Start,
    /// The game never started, which only a record can show.
    #[error("the game never started: only json can tell that")]
    NotStarted,
    /// The format has no word for the end.
    #[error("{format} has no word for the end {reason}")]
    End {
        /// The format.
        format: &'static str,
        /// The reason's code.
        reason: String,
    },
    /// The record is false.
    #[error("the record is false, and is not written anew: {0}; flagfall check says more")]
    False(String),
}

/// Why a text cannot be imported.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ImportError {
    /// It is too long.
    #[error("the text is longer than that of any game")]
    TooLong,
    /// A line is malformed.
    #[error("line {line}: {what}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// The text is malformed, at no particular line.
    #[error("{0}")]
    Form(String),
    /// The rules are unknown.
    #[error("{0}")]
    Rules(String),
    /// A side's deployment is invalid.
    #[error("{0}")]
    Deployment(String),
    /// A move is illegal under the assumed ruleset.
    #[error("move {ply}, {squares}, is no legal move in {ruleset}: {why}")]
    IllegalMove {
        /// Its number, from 1.
        ply: usize,
        /// From and to.
        squares: String,
        /// The ruleset.
        ruleset: &'static str,
        /// The engine's refusal.
        why: String,
    },
    /// A statement is false, such as a salt that does not match its commitment.
    #[error("the game is told falsely: {0}")]
    False(String),
    /// Under the assumed ruleset the game ends elsewhere or differently.
    #[error("after move {ply}, in {ruleset}: {why}")]
    End {
        /// How many moves come before it.
        ply: usize,
        /// The ruleset.
        ruleset: &'static str,
        /// What differs.
        why: String,
    },
}

/// The most bytes of a text, except JSON: see [`Format::bytes_max`].
const TEXT_MAX: usize = 4 * 1024 * 1024;

impl Format {
    /// Every format.
    pub const ALL: [Format; 4] = [Format::Json, Format::Text, Format::Strados, Format::Pbm];

    /// The most bytes of a text in this format.
    #[must_use]
    pub const fn bytes_max(self) -> usize {
        match self {
            Format::Json => SIZE_MAX,
            Format::Text | Format::Strados | Format::Pbm => TEXT_MAX,
        }
    }

    /// The format's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Format::Json => "json",
            Format::Text => "text",
            Format::Strados => "strados",
            Format::Pbm => "pbm",
        }
    }

    /// Guesses the format of a text.
    #[must_use]
    pub fn guess(text: &str) -> Option<Format> {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        [('{', Format::Json), ('<', Format::Strados)]
            .into_iter()
            .find(|(first, _)| text.starts_with(*first))
            .map(|(_, format)| format)
            .or_else(|| text.starts_with(text::FIRST_WORDS).then_some(Format::Text))
            .or_else(|| text.starts_with(pbm::FIRST_WORDS).then_some(Format::Pbm))
    }
}

/// Writes a record in a format.
///
/// # Errors
/// [`ExportError`] says what the format cannot express.
pub fn export(record: &GameRecord, format: Format) -> Result<String, ExportError> {
    match format {
        Format::Json => serde_json::to_string_pretty(record)
            .map(|text| text + "\n")
            .map_err(|error| ExportError::False(error.to_string())),
        Format::Text => {
            plain::check_told(record)?;
            Ok(record.to_string())
        }
        Format::Strados => strados::write(&Plain::of(record, format)?),
        Format::Pbm => pbm::write(&Plain::of(record, format)?),
    }
}

/// Reads a game. `ruleset` applies if the format does not name the ruleset. Without it, the
/// format's default applies.
///
/// # Errors
/// [`ImportError`] says where the text is malformed, or at which move the game is illegal.
pub fn import(
    text: &str,
    format: Format,
    ruleset: Option<&'static Ruleset>,
) -> Result<GameRecord, ImportError> {
    if text.len() > format.bytes_max() {
        return Err(ImportError::TooLong);
    }
    let text = text.trim_start_matches('\u{feff}');
    match format {
        Format::Json => crate::strict::from_str(text).map_err(|error| ImportError::Form(error.to_string())),
        Format::Text => text::read(text),
        Format::Strados => checked(strados::read(text, ruleset)?.into_record(format.name())?),
        Format::Pbm => checked(pbm::read(text, ruleset)?.into_record(format.name())?),
    }
}

/// Returns a record if [`check`](crate::check) accepts it. Foreign formats can express impossible
/// ends, such as a resignation without a winner, but records must not.
fn checked(record: GameRecord) -> Result<GameRecord, ImportError> {
    match crate::check(&record).findings.first() {
        Some(finding) => Err(ImportError::False(finding.detail.clone())),
        None => Ok(record),
    }
}
