//! Imports games from other programs, and exports games to them.
//!
//! An import or export converts the game to a [`Plain`] game first: ruleset, players,
//! deployments, moves and the end. Imports and exports replay the game, so an illegal game is
//! always refused.

mod error;
mod format;
mod pbm;
mod plain;
mod strados;
mod text;
mod told;

use flagfall_protocol::GameRecord;
use flagfall_rules::Ruleset;

pub use error::{ExportError, ImportError};
pub use format::Format;
use plain::Plain;

impl Format {
    /// Guesses the format of some text from its beginning.
    pub fn guess(text: &str) -> Option<Format> {
        let start = text.trim_start_matches('\u{feff}').trim_start();
        let starts = [
            ("{", Format::Json),
            ("<", Format::Strados),
            (text::FIRST_WORDS, Format::Text),
            (pbm::FIRST_WORDS, Format::Pbm),
        ];
        starts.into_iter().find(|(first, _)| start.starts_with(first)).map(|(_, format)| format)
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

/// Reads a game.
///
/// `ruleset` is the ruleset to use if the format does not state it. Without `ruleset`, a default
/// that depends on the format is used.
///
/// # Errors
/// [`ImportError`] says where the text is malformed, or which move is illegal.
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
        Format::Text => checked(text::read(text)?),
        Format::Strados => checked(strados::read(text, ruleset)?.play(format.name())?.0),
        Format::Pbm => checked(pbm::read(text, ruleset)?.play(format.name())?.0),
    }
}

/// Returns a record if [`check`](crate::check) accepts it. This check is needed because other
/// formats can express impossible ends, such as a resignation without a winner.
fn checked(record: GameRecord) -> Result<GameRecord, ImportError> {
    match crate::check(&record).findings.first() {
        Some(finding) => Err(ImportError::False(finding.detail.clone())),
        None => Ok(record),
    }
}
