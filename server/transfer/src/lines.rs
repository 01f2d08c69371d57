//! The lines of an export, and the hash of all of them.

use std::io::{self, BufRead, Write};

use flagfall_board::{GameId, Stamp};
use flagfall_store::limits::{BODY_BYTES_MAX, KEY_BYTES_MAX, VALUE_BYTES_MAX};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Tally, TransferError};

/// The version of the format.
pub(crate) const FORMAT: u32 = 1;
/// The maximum length of a line, in bytes. JSON may escape one byte of text as six bytes.
const LINE_BYTES_MAX: u64 = (6 * (BODY_BYTES_MAX + VALUE_BYTES_MAX + KEY_BYTES_MAX)) as u64 + 1024;

/// Bytes, written as text if they are valid UTF-8, and otherwise as hexadecimal digits.
#[derive(Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(crate) enum Bytes {
    Text(String),
    Hex { hex: String },
}

impl Bytes {
    pub(crate) fn of(bytes: &[u8]) -> Bytes {
        match std::str::from_utf8(bytes) {
            Ok(text) => Bytes::Text(text.to_owned()),
            Err(_) => Bytes::Hex { hex: hex(bytes) },
        }
    }

    pub(crate) fn into_bytes(self) -> Option<Vec<u8>> {
        let digits = match self {
            Bytes::Text(text) => return Some(text.into_bytes()),
            Bytes::Hex { hex } => hex,
        };
        let pairs = digits.as_bytes().chunks(2);
        pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HeaderLine {
    pub(crate) flagfall_store: u32,
    pub(crate) epoch: u64,
    pub(crate) alive: Option<Stamp>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Line {
    Entry { game: GameId, seq: u64, at: Stamp, body: Bytes },
    Quarantine { game: GameId, reason: String },
    Record { key: Bytes, value: Bytes, expires: Option<Stamp> },
    End { games: u64, entries: u64, records: u64, sha256: String },
}

/// Writes lines, and computes the hash of all of them.
pub(crate) struct LineWriter<'a> {
    out: &'a mut (dyn Write + Send),
    hasher: Sha256,
}

impl<'a> LineWriter<'a> {
    pub(crate) fn new(out: &'a mut (dyn Write + Send)) -> LineWriter<'a> {
        LineWriter { out, hasher: Sha256::new() }
    }

    pub(crate) fn write(&mut self, line: &impl Serialize) -> Result<(), TransferError> {
        let mut bytes = serde_json::to_vec(line).map_err(io::Error::other)?;
        bytes.push(b'\n');
        self.hasher.update(&bytes);
        Ok(self.out.write_all(&bytes)?)
    }

    /// Writes the last line, with the hash of all lines before it.
    pub(crate) fn end(mut self, tally: Tally) -> Result<(), TransferError> {
        let Tally { games, entries, records } = tally;
        let sha256 = hex(&self.hasher.clone().finalize());
        self.write(&Line::End { games, entries, records, sha256 })?;
        Ok(self.out.flush()?)
    }
}

/// Reads lines, and computes the hash of all of them.
pub(crate) struct LineReader<'a> {
    input: &'a mut (dyn BufRead + Send),
    hasher: Sha256,
    line: u64,
}

impl<'a> LineReader<'a> {
    pub(crate) fn new(input: &'a mut (dyn BufRead + Send)) -> LineReader<'a> {
        LineReader { input, hasher: Sha256::new(), line: 0 }
    }

    pub(crate) fn wrong<T>(&self, what: &'static str) -> Result<T, TransferError> {
        Err(TransferError::Form { line: self.line, what })
    }

    /// Returns the next line, and the hash of all lines before it.
    pub(crate) fn next<T: for<'de> Deserialize<'de>>(&mut self) -> Result<(T, String), TransferError> {
        self.line += 1;
        let mut bytes = Vec::new();
        io::Read::take(&mut *self.input, LINE_BYTES_MAX).read_until(b'\n', &mut bytes)?;
        if bytes.last() != Some(&b'\n') {
            return self.wrong(if bytes.is_empty() {
                "the file ends too early"
            } else {
                "the line is cut off, or too long"
            });
        }
        let before = hex(&self.hasher.clone().finalize());
        self.hasher.update(&bytes);
        match serde_json::from_slice(&bytes) {
            Ok(line) => Ok((line, before)),
            // serde's error message may quote the line, so it is not passed on.
            Err(_) => self.wrong("this is no line of an export that this version knows"),
        }
    }
}
