//! The rematch: another game of the same players, with sides swapped.

use flagfall_base::delivery::Outbox;
use flagfall_board::{GameId, PerSide, Side};
use flagfall_protocol::{Accepted, Code, CommandId, Refusal, ServerToClient};

use super::audience::Audiences;
use crate::reply::{Answer, Reply};

const WAITING_MAX: usize = 8;

pub(super) struct RematchRequest {
    pub(super) reply: Reply,
    pub(super) cmd_id: CommandId,
    pub(super) side: Side,
}

impl RematchRequest {
    /// Answers the request. Returns false, which means that no rematch has to be created.
    fn answer(self, game: GameId, answer: Answer) -> bool {
        self.reply.answer(game, self.cmd_id, answer, None);
        false
    }
}

#[derive(Default)]
pub(crate) struct Rematch {
    wanted: PerSide<bool>,
    creation: Creation,
}

#[derive(Default)]
enum Creation {
    #[default]
    NotRequested,
    /// The rematch is being created, and these requests wait for it.
    Pending(Vec<RematchRequest>),
    Created(GameId),
}

impl Rematch {
    pub(super) fn wanted_by(&self) -> impl Iterator<Item = Side> {
        Side::BOTH.into_iter().filter(|side| self.wanted[*side])
    }

    pub(super) fn is_pending(&self) -> bool {
        matches!(self.creation, Creation::Pending(_))
    }

    pub(super) fn outboxes(&self) -> impl Iterator<Item = &Outbox> {
        let waiting = match &self.creation {
            Creation::Pending(waiting) => waiting.as_slice(),
            Creation::NotRequested | Creation::Created(_) => &[],
        };
        waiting.iter().filter_map(|request| request.reply.outbox())
    }

    pub(crate) fn set_game(&mut self, game: GameId) {
        self.creation = Creation::Created(game);
    }

    pub(super) fn request(
        &mut self,
        request: RematchRequest,
        is_house_game: bool,
        is_stopping: bool,
        audiences: &Audiences,
    ) -> bool {
        let side = request.side;
        if let Creation::Created(game) = self.creation {
            return request.answer(audiences.id, Ok(started(game, side)));
        }
        if is_stopping {
            let refusal = Refusal::new(Code::STOPPING).because("no_new_games");
            return request.answer(audiences.id, Err(refusal));
        }
        if !std::mem::replace(&mut self.wanted[side], true) {
            audiences.tell_all(&ServerToClient::RematchOffered { game: audiences.id, side });
        }
        if !self.wanted[side.opponent()] && !is_house_game {
            return request.answer(audiences.id, Ok(Accepted::Done {}));
        }
        // An accepted command must be durable, so the answer waits until the rematch has been
        // created.
        match &mut self.creation {
            Creation::Pending(waiting) if waiting.len() >= WAITING_MAX => {
                let refusal = Refusal::new(Code::TOO_MANY).because("rematch");
                request.answer(audiences.id, Err(refusal))
            }
            Creation::Pending(waiting) => {
                waiting.push(request);
                false
            }
            Creation::NotRequested | Creation::Created(_) => {
                self.creation = Creation::Pending(vec![request]);
                true
            }
        }
    }

    pub(super) fn note_made(&mut self, id: GameId, made: &Result<GameId, Refusal>) {
        let creation = made.as_ref().map_or(Creation::NotRequested, |game| Creation::Created(*game));
        let Creation::Pending(waiting) = std::mem::replace(&mut self.creation, creation) else { return };
        for request in waiting {
            let side = request.side;
            if made.is_err() {
                self.wanted[side] = false;
            }
            request.answer(id, made.clone().map(|game| started(game, side)));
        }
    }
}

/// Returns the answer to the player of this side. In the rematch, they play the other side.
fn started(game: GameId, side: Side) -> Accepted {
    Accepted::Started { game, side: side.opponent() }
}
