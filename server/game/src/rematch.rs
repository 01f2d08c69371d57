//! Another game of the same players, sides swapped.

use flagfall_board::{GameId, Side};
use flagfall_protocol::{Accepted, Code, CommandId, Player, ServerToClient};

use super::reply::{Refusal, Reply};
use super::table::{Output, Table};
use flagfall_base::delivery::Outbox;

/// Answers that may wait while a rematch is created.
const ASKERS_MAX: usize = 8;

/// A player whose request completed a rematch and who waits for it.
pub(super) struct RematchAsker {
    reply: Reply,
    cmd_id: CommandId,
    side: Side,
}

impl RematchAsker {
    /// The connection that asked.
    pub(super) fn outbox(&self) -> Option<&Outbox> {
        self.reply.outbox()
    }
}

impl Table {
    pub(super) fn ask_rematch(
        &mut self,
        reply: Reply,
        player: &Player,
        cmd_id: CommandId,
        outputs: &mut Vec<Output>,
    ) {
        match self.want_rematch(player) {
            Ok(Some(accepted)) => reply.answer(self.id, cmd_id, Ok(accepted)),
            Ok(None) if self.rematch_askers.len() >= ASKERS_MAX => {
                let message = "the rematch is being made: wait for its answer";
                reply.answer(self.id, cmd_id, Err(Refusal::new(Code::TOO_MANY, message)));
            }
            // Accepted means that it is on disk: the answer waits until the game is made.
            Ok(None) => {
                let Some(side) = self.header.side_of(&player.id) else { return };
                if self.rematch_askers.is_empty() {
                    outputs.push(Output::MakeRematch);
                }
                self.rematch_askers.push(RematchAsker { reply, cmd_id, side });
            }
            Err(refusal) => reply.answer(self.id, cmd_id, Err(refusal)),
        }
    }

    /// Notes that a player wants a rematch. The answer; `None` if both want it now, so that it is
    /// to be made.
    fn want_rematch(&mut self, player: &Player) -> Result<Option<Accepted>, Refusal> {
        let side = self.header.side_of(&player.id).ok_or_else(|| self.stranger())?;
        if self.game.outcome().is_none() {
            return Err(Refusal::new(Code::NOT_OVER, "a rematch can be offered after the end"));
        }
        if let Some(game) = self.rematch {
            return Ok(Some(started(game, side)));
        }
        if self.is_stopping() {
            return Err(Refusal::new(Code::STOPPING, "the server is stopping: no new games"));
        }
        let other = side.opponent();
        if !std::mem::replace(&mut self.seats[side].wants_rematch, true) {
            self.audiences.tell_all(&ServerToClient::RematchOffered { game: self.id, side });
        }
        let is_mutual = self.seats[other].wants_rematch || self.header.is_house(other);
        Ok((!is_mutual).then_some(Accepted::Done {}))
    }

    pub(super) fn rematch_made(&mut self, made: Result<GameId, Refusal>) {
        if let Ok(game) = &made {
            self.rematch = Some(*game);
        }
        for RematchAsker { reply, cmd_id, side } in std::mem::take(&mut self.rematch_askers) {
            if made.is_err() {
                self.seats[side].wants_rematch = false;
            }
            reply.answer(self.id, cmd_id, made.clone().map(|game| started(game, side)));
        }
    }
}

/// Sides are swapped.
fn started(game: GameId, side: Side) -> Accepted {
    Accepted::Started { game, side: side.opponent() }
}
