//! Games from other programs, and for them.
//!
//! Between a record and a foreign text stands a [`Plain`] game: rules, players, deployments, moves and the end. What goes in becomes a
//! record by being played; what comes out has been played too, so that no illegal game passes either way.

mod pbm;
mod plain;
mod strados;
mod text;
mod told;

use flagfall_protocol::GameRecord;
use flagfall_rules::Ruleset;

use crate::read::SIZE_MAX;
use plain::Plain;

/// A way to write a game down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Our records.
    Json,
    /// Our text for people.
    Text,
    /// The XML of Gravon's archive of games, StraDoS2.
    Strados,
    /// Deployments and moves as one types them to a play-by-mail server.
    Pbm,
}

/// Why a record cannot be written in a format.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExportError {
    /// Not everything is known of it.
    #[error("the record does not open both deployments: {0} tells whole games only, after their end")]
    NotOpened(&'static str),
    /// Rules that the format has no word for.
    #[error("{format} has no games of the ruleset {ruleset}; it has those of {allowed}")]
    Ruleset {
        /// The format.
        format: &'static str,
        /// The record's ruleset.
        ruleset: String,
        /// Those that can be written.
        allowed: String,
    },
    /// A game that was set up.
    #[error("the game began with a position and not with deployments: only json can tell that")]
    Start,
    /// It started, or did not, in a way that only a record tells.
    #[error("the game never started: only json can tell that")]
    NotStarted,
    /// An end that the format has no word for.
    #[error("{format} has no word for the end {reason}")]
    End {
        /// The format.
        format: &'static str,
        /// The reason's code.
        reason: String,
    },
    /// A record that is false.
    #[error("the record is false, and is not written anew: {0}; flagfall check says more")]
    False(String),
}

/// Why a text is no game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ImportError {
    /// It is too long.
    #[error("the text is longer than that of any game")]
    TooLong,
    /// It is not written as the format wants.
    #[error("line {line}: {what}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// It is not written as the format wants, nowhere in particular.
    #[error("{0}")]
    Form(String),
    /// Rules that are not ours.
    #[error("{0}")]
    Rules(String),
    /// A side's deployment is none.
    #[error("{0}")]
    Deployment(String),
    /// A move against the rules that were assumed.
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
    /// It tells something that is false: a salt that is not that of the commitment, for one.
    #[error("the game is told falsely: {0}")]
    False(String),
    /// The game ends elsewhere or otherwise by the rules that were assumed.
    #[error("after move {ply}, in {ruleset}: {why}")]
    End {
        /// Moves before it.
        ply: usize,
        /// The ruleset.
        ruleset: &'static str,
        /// What differs.
        why: String,
    },
}

/// Bytes of the longest text that is read, but for JSON: see [`Format::bytes_max`].
const TEXT_MAX: usize = 4 * 1024 * 1024;

impl Format {
    /// Every format.
    pub const ALL: [Format; 4] = [Format::Json, Format::Text, Format::Strados, Format::Pbm];

    /// Bytes of the longest text that is read in this format.
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

    /// The format that a text looks like.
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
/// [`ExportError`] says what the format cannot tell.
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

/// Reads a game. Where the format does not say by which rules it was played, these are assumed, or else the format's own.
///
/// # Errors
/// [`ImportError`] says where the text is not of the format, or at which move it is not a legal game.
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

/// A record that [`check`](crate::check) accepts: an end such as a resignation that nobody wins can
/// be written in a foreign format, and no record may tell it.
fn checked(record: GameRecord) -> Result<GameRecord, ImportError> {
    match crate::check(&record).findings.first() {
        Some(finding) => Err(ImportError::False(finding.detail.clone())),
        None => Ok(record),
    }
}
