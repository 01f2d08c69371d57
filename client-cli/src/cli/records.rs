//! Arguments of the commands about records.

use std::path::PathBuf;

use clap::Args;
use flagfall_board::GameId;
use flagfall_records::Format;

use super::read::{parse_format, parse_ruleset};

/// Where to read the record that is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecordSource {
    /// From a server.
    Game(GameId),
    /// From a file; `-` is standard input.
    File(PathBuf),
}

impl RecordSource {
    /// Parses a game's id or the path of an existing file.
    ///
    /// # Errors
    /// What is expected instead.
    pub fn parse(text: &str) -> Result<RecordSource, String> {
        let path = PathBuf::from(text);
        match text.parse() {
            Ok(game) => Ok(RecordSource::Game(game)),
            Err(_) if text == "-" || path.is_file() => Ok(RecordSource::File(path)),
            Err(_) => {
                Err("neither the id of a game (12 letters and digits) nor a file that is there".to_owned())
            }
        }
    }
}

/// What to check.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// Files of one record or several, folders of them (*.json, *.jsonl), or - for the standard
    /// input.
    #[arg(required = true, value_name = "RECORD")]
    pub records: Vec<PathBuf>,
    /// A JSON line for each record, with everything found.
    #[arg(long)]
    pub json: bool,
    /// A public key of the server: every record must be signed with it. 64 hexadecimal digits, or a
    /// file of them; or what the server answers at /api/keys. Repeat it for several.
    #[arg(long, value_name = "FILE|HEX")]
    pub key: Vec<String>,
}

/// What to write anew.
#[derive(Clone, Debug, Args)]
pub struct ConvertArgs {
    /// The file to read, or - for the standard input.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The file to write; the terminal without one. A file that is there is not written over.
    #[arg(value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// What is read: json, text, strados or pbm; without it the file's own look tells.
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    pub from: Option<Format>,
    /// What is written; without it text of what was json, and json of all else.
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    pub to: Option<Format>,
    /// The ruleset, for formats that do not tell it all: classic for strados without it.
    #[arg(long, value_name = "RULESET", value_parser = parse_ruleset)]
    pub rules: Option<String>,
}
