//! Format 0: the entries of a log, without the ids of commands, compressed with zstd.
//!
//! This format is for games that format 1 cannot express. For example, this version may not know
//! a game's ruleset or one of its events. In this format, such games are safe in the archive too.

use flagfall_board::{PerSide, Stamp};
use flagfall_game::GameHeader;
use flagfall_store::record::{self, LogEntry};
use flagfall_store::{SecretBytes, StoredEntry};
use serde_json::{Map, Value};

use crate::act::body;
use crate::bytes::{Reader, put_bytes, put_varint};
use crate::error::DecodeError;
use crate::game::Content;

/// The maximum total length of the entries before compression, in bytes.
const PLAIN_BYTES_MAX: usize = 16 * 1024 * 1024;
/// The level of compression. At this high level, compression still takes only milliseconds, and
/// games in this format are rare.
const LEVEL: i32 = 19;
/// Placeholders for the players' ids if the header cannot be read. They are needed only to parse
/// the commands, which are then dropped.
const NOBODY: PerSide<&str> = PerSide { red: "\0red", blue: "\0blue" };

pub(crate) fn encode(log: &[StoredEntry]) -> std::io::Result<Content> {
    let bodies = stripped(log);
    let mut plain = Vec::new();
    for (stored, body) in log.iter().zip(&bodies) {
        put_varint(&mut plain, stored.at.0);
        put_bytes(&mut plain, body.expose());
    }
    let mut bytes = Vec::new();
    put_varint(&mut bytes, plain.len() as u64);
    put_bytes(&mut bytes, &zstd::bulk::compress(&plain, LEVEL)?);
    Ok(Content { bytes, bodies: bodies.into_iter().skip(1).collect() })
}

pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Vec<StoredEntry>, DecodeError> {
    const WRONG: DecodeError = DecodeError::Damaged("its entries cannot be decompressed");
    let length = reader.varint()?;
    if length > PLAIN_BYTES_MAX {
        return Err(DecodeError::Damaged("it is too long"));
    }
    let plain = zstd::bulk::decompress(reader.bytes()?, length).map_err(|_| WRONG)?;
    let mut plain = Reader::new(&plain);
    let mut entries = Vec::new();
    while plain.left() > 0 {
        let at = Stamp(plain.varint()?);
        let body = SecretBytes::new(plain.bytes()?.to_vec());
        entries.push(StoredEntry { seq: entries.len() as u64 + 1, at, body });
    }
    Ok(entries)
}

/// Returns the bodies of a log. Ids of commands and names of people are left out, as far as this
/// version can parse the bodies.
pub(crate) fn stripped(log: &[StoredEntry]) -> Vec<SecretBytes> {
    let Some((first, rest)) = log.split_first() else { return Vec::new() };
    let header = record::decode_header::<GameHeader>(&first.body).ok();
    let seats = header.as_ref().map_or(NOBODY, GameHeader::seats);
    let rest: Vec<SecretBytes> = rest.iter().map(|stored| without_command(&stored.body, seats)).collect();
    let unnamed = header.and_then(|header| record::encode_header(&header.without_names()).ok());
    std::iter::once(unnamed.unwrap_or_else(|| first.body.clone())).chain(rest).collect()
}

fn without_command(stored: &SecretBytes, seats: PerSide<&str>) -> SecretBytes {
    let known = record::decode(stored, seats)
        .and_then(|LogEntry { command: _, lag_ms, event }| body(&event, lag_ms))
        .ok();
    known.or_else(|| unknown_without_command(stored)).unwrap_or_else(|| stored.clone())
}

/// Removes the command from a JSON entry whose event this version does not know.
fn unknown_without_command(stored: &SecretBytes) -> Option<SecretBytes> {
    let mut fields: Map<String, Value> = serde_json::from_slice(stored.expose()).ok()?;
    fields.remove("cmd")?;
    serde_json::to_vec(&fields).ok().map(SecretBytes::new)
}
