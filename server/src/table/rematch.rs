//! Another game of the same players, sides swapped.

use flagfall_board::{GameId, Side};
use flagfall_protocol::{Accepted, Code, CommandId, Player, ServerToClient};

use super::core::{Output, Table};
use flagfall_base::delivery::{Outbox, Payload};

/// Answers that may wait while a rematch is created.
const ASKERS_MAX: usize = 8;

/// A player whose request completed a rematch and who waits for it.
pub(super) struct RematchAsker {
    outbox: Outbox,
    cmd_id: CommandId,
    side: Side,
}

impl RematchAsker {
    pub(super) fn outbox(&self) -> &Outbox {
        &self.outbox
    }
}

impl Table {
    pub(super) fn ask_rematch(
        &mut self,
        outbox: Outbox,
        player: &Player,
        cmd_id: CommandId,
        outputs: &mut Vec<Output>,
    ) {
        let Some(side) = self.header.side_of(&player.id) else {
            return self.refuse_stranger(&outbox, Some(&cmd_id));
        };
        if self.game.outcome().is_none() {
            let message = "a rematch can be offered after the end";
            return self.refuse(&outbox, Some(&cmd_id), Code::NOT_OVER, message);
        }
        if let Some(game) = self.rematch {
            return answer(&outbox, cmd_id, started(game, side));
        }
        if self.is_stopping {
            let message = "the server is stopping: no new games";
            return self.refuse(&outbox, Some(&cmd_id), Code::STOPPING, message);
        }
        let other = side.opponent();
        let is_news = !std::mem::replace(&mut self.seats[side].wants_rematch, true);
        if is_news {
            self.audiences.tell_all(&ServerToClient::RematchOffered { game: self.id, side });
        }
        if !self.seats[other].wants_rematch && !self.header.is_house(other) {
            return answer(&outbox, cmd_id, Accepted::Done {});
        }
        if self.rematch_askers.len() >= ASKERS_MAX {
            let message = "the rematch is being made: wait for its answer";
            return self.refuse(&outbox, Some(&cmd_id), Code::TOO_MANY, message);
        }
        // An acceptance means that the game is stored, so the answer waits until it is created.
        if self.rematch_askers.is_empty() {
            outputs.push(Output::MakeRematch);
        }
        self.rematch_askers.push(RematchAsker { outbox, cmd_id, side });
    }

    pub(super) fn rematch_made(&mut self, made: Result<GameId, (Code, String)>) {
        if let Ok(game) = &made {
            self.rematch = Some(*game);
        }
        for RematchAsker { outbox, cmd_id, side } in std::mem::take(&mut self.rematch_askers) {
            match &made {
                Ok(game) => answer(&outbox, cmd_id, started(*game, side)),
                Err((code, message)) => {
                    self.seats[side].wants_rematch = false;
                    self.refuse_with(&outbox, Some(cmd_id), code.clone(), message, None);
                }
            }
        }
    }
}

/// The answer to a player who had this side: sides are swapped.
fn started(game: GameId, side: Side) -> Accepted {
    Accepted::Started { game, side: side.opponent() }
}

fn answer(outbox: &Outbox, cmd_id: CommandId, outcome: Accepted) {
    outbox.send(Payload::new(&ServerToClient::Accepted { cmd_id, outcome }));
}
