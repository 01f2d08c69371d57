//! The rematch: another game of the same players, with sides swapped.
//!
//! Each server that has the game open knows who has offered a rematch, and drops an offer when its
//! player leaves or is away. A server that knows of both offers creates the rematch. If two
//! servers do so at the same time, they create the same game.

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
    /// True for each side that has offered a rematch.
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

    /// Returns the sides whose offers still wait for an answer.
    pub(super) fn open_offers(&self) -> impl Iterator<Item = Side> {
        let is_open = matches!(self.creation, Creation::NotRequested);
        self.wanted_by().filter(move |_| is_open)
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

    /// Records a side's offer, and tells all connections if it is new.
    fn note_offer(&mut self, side: Side, audiences: &Audiences) {
        if !std::mem::replace(&mut self.wanted[side], true) {
            audiences.tell_all(&ServerToClient::RematchOffered { game: audiences.id, side });
        }
    }

    /// Records an offer that was made on another server. Returns true if the rematch has to be
    /// created.
    pub(super) fn hear_offer(&mut self, side: Side, audiences: &Audiences) -> bool {
        self.note_offer(side, audiences);
        let is_due = self.wanted[side.opponent()] && matches!(self.creation, Creation::NotRequested);
        if is_due {
            self.creation = Creation::Pending(Vec::new());
        }
        is_due
    }

    /// Takes a side's offer back, and tells all connections. Too late once the rematch is being
    /// created.
    pub(super) fn withdraw(&mut self, side: Side, audiences: &Audiences) {
        if matches!(self.creation, Creation::NotRequested) && std::mem::take(&mut self.wanted[side]) {
            audiences.tell_all(&ServerToClient::RematchWithdrawn { game: audiences.id, side });
        }
    }

    /// Handles a player's request. Returns true if the rematch has to be created.
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
        self.note_offer(side, audiences);
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

    pub(super) fn note_made(&mut self, made: &Result<GameId, Refusal>, audiences: &Audiences) {
        let creation = made.as_ref().map_or(Creation::NotRequested, |game| Creation::Created(*game));
        let Creation::Pending(waiting) = std::mem::replace(&mut self.creation, creation) else { return };
        for request in waiting {
            let side = request.side;
            if made.is_err() {
                self.withdraw(side, audiences);
            }
            request.answer(audiences.id, made.clone().map(|game| started(game, side)));
        }
    }
}

/// Returns the answer to the player of this side. In the rematch, they play the other side.
fn started(game: GameId, side: Side) -> Accepted {
    Accepted::Started { game, side: side.opponent() }
}
