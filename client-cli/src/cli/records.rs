//! Arguments of the commands about records.

use std::path::PathBuf;

use clap::Args;
use flagfall_board::GameId;
use flagfall_protocol::RecordScope;
use flagfall_records::Format;

use super::read::{parse_format, parse_ruleset, parse_scope};
use crate::text;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecordSource {
    Game(GameId),
    /// The record in a file; `-` for standard input.
    File(PathBuf),
}

impl RecordSource {
    /// Parses a game's id, or the path of an existing file.
    pub fn parse(text: &str) -> Result<RecordSource, String> {
        let path = PathBuf::from(text);
        match text.parse() {
            Ok(game) => Ok(RecordSource::Game(game)),
            Err(_) if text == "-" || path.is_file() => Ok(RecordSource::File(path)),
            Err(_) => Err(text!("not-a-record-source")),
        }
    }
}

#[derive(Clone, Debug, Args)]
pub struct RecordArgs {
    #[arg(value_name = "GAME|FILE", value_parser = RecordSource::parse)]
    pub source: RecordSource,
    /// The side or audience that the record is for; `None` for everything that the player may
    /// see.
    #[arg(long = "as", value_name = "red|blue|public|all", value_parser = parse_scope)]
    pub scope: Option<RecordScope>,
    #[arg(long, conflicts_with = "text")]
    pub json: bool,
    /// Write text, which is the default.
    #[arg(long)]
    pub text: bool,
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[arg(long, conflicts_with_all = ["json", "text", "out"])]
    pub step: bool,
}

#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// Files and folders of records; `-` for standard input.
    #[arg(required = true, value_name = "RECORD")]
    pub records: Vec<PathBuf>,
    #[arg(long)]
    pub json: bool,
    #[arg(long, value_name = "FILE|HEX")]
    pub key: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub struct ConvertArgs {
    /// The file to read; `-` for standard input.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The file to write; `None` for the terminal.
    #[arg(value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// The format to read; `None` to detect it.
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    pub from: Option<Format>,
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    pub to: Option<Format>,
    #[arg(long, value_name = "RULESET", value_parser = parse_ruleset)]
    pub rules: Option<String>,
}
