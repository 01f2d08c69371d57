//! A table's answers to commands, and how it recognizes a repeated command.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use flagfall_board::Side;
use flagfall_protocol::{Accepted, Code};
use flagfall_store::record::CommandStamp;
use sha2::{Digest, Sha256};

use super::error::{ReadFailure, TableError};
use super::reply::Refusal;
use super::table::{Asked, Flight, Table};

/// Side and command id, as a hash that holds within this process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CommandKey(u64);

impl CommandKey {
    pub(super) fn new(side: Side, cmd_id: &str) -> CommandKey {
        let mut hasher = DefaultHasher::new();
        (side == Side::Red, cmd_id).hash(&mut hasher);
        CommandKey(hasher.finish())
    }

    /// Few enough bits to be kept for every command of a game.
    pub(super) fn bits(self) -> u16 {
        let [low, high, ..] = self.0.to_le_bytes();
        u16::from_le_bytes([low, high])
    }
}

/// The outcome of a command that was accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Done {
    pub(super) key: CommandKey,
    pub(super) fingerprint: u64,
    /// Sequence number, for its own side, of the command's last event.
    pub(super) seq: u64,
}

impl Table {
    /// The answer to a command that was accepted before.
    pub(super) fn answer_done(&self, asked: Asked, fingerprint: u64, done: &Done) {
        if done.fingerprint == fingerprint {
            self.accept(asked, done);
        } else {
            let message = "this command id was used for another command";
            self.refuse_asked(asked, Refusal::new(Code::CMD_ID_REUSED, message));
        }
    }

    pub(super) fn searched(&mut self, mut asked: Box<Asked>, found: Result<Option<Done>, ReadFailure>) {
        if matches!(self.flight, Some(Flight::Search)) {
            self.flight = None;
        }
        match found {
            Ok(Some(done)) => {
                let fingerprint = fingerprint_of(&asked);
                self.answer_done(*asked, fingerprint, &done);
            }
            Ok(None) => {
                asked.is_new = true;
                self.line.push_front(asked);
            }
            // It is unknown whether the command was accepted, so neither answer would be true.
            Err(ReadFailure::Unavailable) => self.refuse_asked(*asked, Refusal::unavailable()),
            Err(ReadFailure::Damaged) => {
                self.quarantine();
                self.refuse_quarantined(*asked);
            }
        }
    }

    /// Tells the asker that the command is in the log.
    pub(super) fn accept(&self, asked: Asked, done: &Done) {
        asked.reply.answer(self.id, asked.cmd_id, Ok(Accepted::Game { game: self.id, seq: done.seq }));
    }

    /// Tells the asker why the command is not carried out, and how far the game is for their side.
    pub(super) fn refuse_asked(&self, asked: Asked, refusal: Refusal) {
        let seq = self.header.side_of(&asked.player_id).map(|side| self.seq_of(side));
        asked.reply.answer(self.id, asked.cmd_id, Err(Refusal { seq, ..refusal }));
    }

    pub(super) fn refuse_quarantined(&self, asked: Asked) {
        self.refuse_asked(asked, Refusal::from(&TableError::Quarantined));
    }

    /// Why a player without a seat cannot act. For a private game the answer does not even show
    /// that it exists.
    pub(super) fn stranger(&self) -> Refusal {
        if self.header.terms.private {
            Refusal::from(&TableError::NotFound)
        } else {
            Refusal::new(Code::NOT_YOUR_GAME, "you have no seat in this game")
        }
    }
}

/// What the log keeps to recognize a repeated command.
pub(super) fn stamp_of(asked: &Asked, fingerprint: u64) -> CommandStamp {
    CommandStamp { player: asked.player_id.clone(), cmd_id: asked.cmd_id.as_str().to_owned(), fingerprint }
}

/// Distinguishes commands under the same id. A deployment enters only as part of a hash, which
/// stays in the log.
pub(super) fn fingerprint_of(asked: &Asked) -> u64 {
    let mut hasher = Sha256::new();
    hasher.update(asked.ply.to_be_bytes());
    // A command always has JSON; without it, all would have the same fingerprint.
    hasher.update(serde_json::to_vec(&asked.command).unwrap_or_default());
    let [a, b, c, d, e, f, g, h, ..] = <[u8; 32]>::from(hasher.finalize());
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}
