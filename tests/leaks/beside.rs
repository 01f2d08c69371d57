//! Doors with leaks that only reserves and chips make possible (§S1.7, §S3.3).

use flagfall_board::{Rank, Side, Square, Stamp};
use flagfall_protocol::{GameEvent, GameRecord, GameView, IdentityText, PieceText, ViewChange};
use flagfall_rules::{Game, Identity, Referee, Viewer};
use flagfall_tests::Logged;

use crate::doors::{Doors, Real};

fn rank_at(game: &Game, square: Square) -> Option<Rank> {
    Referee.pieces(game.position()).into_iter().find(|(at, ..)| *at == square).map(|(.., rank)| rank)
}

/// The square of a piece that came from a reserve in this event.
fn placed_at(event: &GameEvent) -> Option<Square> {
    match event {
        GameEvent::Placed(seen) => Some(seen.square),
        _ => None,
    }
}

fn name_placed(event: &mut GameEvent, game: &Game) {
    if let GameEvent::Placed(seen) = event
        && let Some(rank) = rank_at(game, seen.square)
    {
        seen.piece = IdentityText(Identity::Known(rank));
    }
}

/// Leak: the reserve tells what lies in it face down.
pub(crate) struct TellsReserve;
impl Doors for TellsReserve {
    fn view(&self, game: &Game, viewer: Viewer, now: Stamp) -> GameView {
        let mut view = Real.view(game, viewer, now);
        for side in Side::BOTH {
            let own = Real.view(game, Viewer::Player(side), now).reserve;
            if let (Some(reserve), Some(own)) = (&mut view.reserve, own) {
                reserve[side] = own[side].clone();
            }
        }
        view
    }
}

/// Leak: the event names the piece that came on.
pub(crate) struct NamesPlaced;
impl Doors for NamesPlaced {
    fn event(&self, logged: &Logged, viewer: Viewer) -> Option<(GameEvent, ViewChange)> {
        let (mut event, change) = Real.event(logged, viewer)?;
        name_placed(&mut event, &logged.after);
        Some((event, change))
    }
}

/// Leak: a piece that comes on looks as if it had moved before, if it could.
pub(crate) struct RemembersMoves;
impl Doors for RemembersMoves {
    fn event(&self, logged: &Logged, viewer: Viewer) -> Option<(GameEvent, ViewChange)> {
        let (event, mut change) = Real.event(logged, viewer)?;
        if let Some(square) = placed_at(&event) {
            for PieceText(piece) in change.pieces.iter_mut().flatten() {
                piece.is_moved |= rank_at(&logged.after, square) != Some(Rank::Bomb);
            }
        }
        Some((event, change))
    }
}

/// Leak: the message about a piece that leaves says what it was.
pub(crate) struct NamesRemoved;
impl Doors for NamesRemoved {
    fn event(&self, logged: &Logged, viewer: Viewer) -> Option<(GameEvent, ViewChange)> {
        let (event, mut change) = Real.event(logged, viewer)?;
        if let GameEvent::Removed { side, square } = event
            && let (Some(reserve), Some(rank)) = (&mut change.reserve, rank_at(&logged.before, square))
        {
            reserve[side].labeled.entry(rank).or_insert(0);
        }
        Some((event, change))
    }
}

/// Leak: the record of a running game names what came on.
pub(crate) struct RecordNamesPlaced;
impl Doors for RecordNamesPlaced {
    fn record(&self, log: &[Logged], game: &Game, viewer: Viewer) -> GameRecord {
        let mut record = Real.record(log, game, viewer);
        let seen = log.iter().filter(|logged| Real.event(logged, viewer).is_some());
        for (recorded, logged) in record.events.iter_mut().zip(seen) {
            name_placed(&mut recorded.event, &logged.after);
        }
        record
    }
}
