//! A table's answers to commands.

use flagfall_protocol::{Accepted, Code, CommandId, Player, Refusal};

use super::command::{Asked, Done};
use super::input::Output;
use super::rematch::RematchRequest;
use super::state::Table;
use crate::error::TableError;
use crate::reply::Reply;

impl Table {
    /// Tells the asker that the command is in the log.
    pub(super) fn accept(&self, asked: Asked, done: &Done) {
        let accepted = Accepted::Game { game: self.id(), seq: done.seq };
        asked.reply.answer(self.id(), asked.cmd_id, Ok(accepted), None);
    }

    /// The answer to a command that was accepted before.
    pub(super) fn accept_again(&self, asked: Asked, done: &Done) {
        if done.fingerprint == asked.fingerprint() {
            self.accept(asked, done);
        } else {
            self.refuse(asked, Refusal::new(Code::CMD_ID_REUSED));
        }
    }

    /// Tells the asker why the command is not carried out, and how far the game is for their side.
    pub(super) fn refuse(&self, asked: Asked, refusal: Refusal) {
        let seq = self.header.side_of(&asked.player_id).map(|side| self.seq_of(side));
        asked.reply.answer(self.id(), asked.cmd_id, Err(refusal), seq);
    }

    pub(super) fn refuse_quarantined(&self, asked: Asked) {
        self.refuse(asked, Refusal::from(&TableError::Quarantined));
    }

    /// Why a player without a seat cannot act. For a private game the answer does not even show
    /// that it exists.
    pub(super) fn stranger(&self) -> Refusal {
        if self.header.terms.private {
            Refusal::from(&TableError::NotFound)
        } else {
            Refusal::new(Code::NOT_YOUR_GAME)
        }
    }

    /// Puts a command in the queue.
    pub(super) fn enqueue(&mut self, asked: Box<Asked>) {
        if self.header.side_of(&asked.player_id).is_none() {
            return asked.reply.answer(self.id(), asked.cmd_id, Err(self.stranger()), None);
        }
        if self.work.is_full_for(&asked.player_id) {
            return self.refuse(*asked, Refusal::new(Code::TOO_MANY).because("commands"));
        }
        self.work.queue.push_back(asked);
    }

    pub(super) fn request_rematch(
        &mut self,
        reply: Reply,
        player: &Player,
        cmd_id: CommandId,
        outputs: &mut Vec<Output>,
    ) {
        let Some(side) = self.header.side_of(&player.id) else {
            return reply.answer(self.id(), cmd_id, Err(self.stranger()), None);
        };
        if !self.is_over() {
            return reply.answer(self.id(), cmd_id, Err(Refusal::new(Code::NOT_OVER)), None);
        }
        let is_stopping = self.is_stopping();
        let is_house_game = self.header.is_house(side.opponent());
        let request = RematchRequest { reply, cmd_id, side };
        if self.rematch.request(request, is_house_game, is_stopping, &self.audiences) {
            outputs.push(Output::MakeRematch);
        }
    }
}
