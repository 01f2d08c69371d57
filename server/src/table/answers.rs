//! What a table tells the one who asked, and how it knows a command again.

use flagfall_protocol::{Accepted, Code, CommandId, ServerToClient};
use flagfall_rules::Refusal;
use flagfall_store::record::CommandStamp;
use sha2::{Digest, Sha256};

use super::core::{Asked, Done, Table};
use crate::gateway::{Outbox, Payload};

impl Table {
    pub(super) fn answer_done(&self, asked: &Asked, stamp: &CommandStamp, done: &Done) {
        if done.stamp.fingerprint == stamp.fingerprint {
            self.accept(asked, done);
        } else {
            let message = "this command id was used for another command";
            self.refuse_asked(asked, Code::new(Code::CMD_ID_REUSED), message);
        }
    }

    pub(super) fn answer_old(&self, asked: &Asked, refusal: Refusal, found: Option<Done>) {
        match found {
            Some(done) => self.answer_done(asked, &stamp_of(asked), &done),
            None => self.refuse_asked(asked, Code::from(&refusal), &refusal.to_string()),
        }
    }

    pub(super) fn accept(&self, asked: &Asked, done: &Done) {
        if let Some(outbox) = &asked.outbox {
            outbox.send(Payload::new(&ServerToClient::Accepted {
                cmd_id: asked.cmd_id.clone(),
                outcome: Accepted::Game { game: self.id, seq: done.seq },
            }));
        }
    }

    pub(super) fn refuse_asked(&self, asked: &Asked, code: Code, message: &str) {
        let Some(outbox) = &asked.outbox else { return };
        metrics::counter!("flagfall_refusals_total", "code" => code.as_str().to_owned()).increment(1);
        outbox.send(Payload::new(&ServerToClient::Refused {
            cmd_id: Some(asked.cmd_id.clone()),
            game: Some(self.id),
            code,
            message: message.to_owned(),
            seq: self.header.side_of(&asked.player_id).map(|side| self.seq_of(side)),
        }));
    }

    pub(super) fn refuse_unavailable(&self, asked: &Asked) {
        let message = "the store cannot take it now; send the same command again in a moment";
        self.refuse_asked(asked, Code::new(Code::STORE_UNAVAILABLE), message);
    }

    pub(super) fn refuse_quarantined(&self, asked: &Asked) {
        let message = "this game's log is damaged; an operator must look at it. Other games go on";
        self.refuse_asked(asked, Code::new(Code::GAME_QUARANTINED), message);
    }

    pub(super) fn refuse(
        &self,
        outbox: &Outbox,
        cmd_id: Option<&CommandId>,
        code: &'static str,
        message: &str,
    ) {
        metrics::counter!("flagfall_refusals_total", "code" => code).increment(1);
        outbox.send(Payload::new(&ServerToClient::Refused {
            cmd_id: cmd_id.cloned(),
            game: Some(self.id),
            code: Code::new(code),
            message: message.to_owned(),
            seq: None,
        }));
    }
}

/// What the log keeps of a command so that it is known again. Deployments go in as a hash that stays in the log.
pub(super) fn stamp_of(asked: &Asked) -> CommandStamp {
    let mut hasher = Sha256::new();
    hasher.update(asked.ply.to_be_bytes());
    // A command has JSON always; were it not so, all would have the same fingerprint.
    hasher.update(serde_json::to_vec(&asked.command).unwrap_or_default());
    let [a, b, c, d, e, f, g, h, ..] = <[u8; 32]>::from(hasher.finalize());
    CommandStamp {
        player: asked.player_id.clone(),
        cmd_id: asked.cmd_id.as_str().to_owned(),
        fingerprint: u64::from_be_bytes([a, b, c, d, e, f, g, h]),
    }
}

/// Whether two stamps are of one command id of one player, whatever the command.
pub(super) fn is_same_command(one: &CommandStamp, other: &CommandStamp) -> bool {
    one.cmd_id == other.cmd_id && one.player == other.player
}
