//! Doors with leaks that only a ruleset with silent defenders makes possible (§D).

use flagfall_board::{Rank, Stamp};
use flagfall_protocol::{GameEvent, GameRecord, GameView, SeenMove, ViewChange};
use flagfall_rules::{Game, Identity, Referee, Viewer};
use flagfall_tests::Logged;

use crate::doors::{Doors, Real};

/// Returns the true rank of this ply's silent winner. `None` if there is none, or if the winner
/// has left the square where it was struck.
fn silent_winner(seen: &SeenMove, game: &Game) -> Option<Rank> {
    let strike = seen.strike.as_ref()?;
    if strike.defender != Identity::Hidden {
        return None;
    }
    let pieces = Referee.pieces(game.position());
    let winner = pieces.into_iter().find(|(at, side, _)| *at == seen.squares.to && *side != seen.side);
    winner.and_then(|(.., rank)| rank)
}

fn name_winner(seen: &mut SeenMove, game: &Game) {
    if let (Some(rank), Some(strike)) = (silent_winner(seen, game), &mut seen.strike) {
        strike.defender = Identity::Known(rank);
    }
}

/// Changes the message about a silent win.
fn patch_event(
    logged: &Logged,
    viewer: Viewer,
    patch: impl Fn(&mut SeenMove, &mut ViewChange, Rank),
) -> Option<(GameEvent, ViewChange)> {
    let (mut event, mut change) = Real.event(logged, viewer)?;
    if let GameEvent::Moved(seen) = &mut event
        && let Some(rank) = silent_winner(seen, &logged.after)
    {
        patch(seen, &mut change, rank);
    }
    Some((event, change))
}

pub(crate) struct EventNamesWinner;
impl Doors for EventNamesWinner {
    fn event(&self, logged: &Logged, viewer: Viewer) -> Option<(GameEvent, ViewChange)> {
        patch_event(logged, viewer, |seen, _, _| name_winner(seen, &logged.after))
    }
}

/// Leak: the pieces in the change name the silent winner.
pub(crate) struct PiecesNameWinner;
impl Doors for PiecesNameWinner {
    fn event(&self, logged: &Logged, viewer: Viewer) -> Option<(GameEvent, ViewChange)> {
        patch_event(logged, viewer, |seen, change, rank| {
            for piece in change.pieces.iter_mut().flatten() {
                if piece.square == seen.squares.to {
                    piece.identity = Identity::Known(rank);
                }
            }
        })
    }
}

/// Leak: the captured pieces include the silent winner.
pub(crate) struct CapturesNameWinner;
impl Doors for CapturesNameWinner {
    fn event(&self, logged: &Logged, viewer: Viewer) -> Option<(GameEvent, ViewChange)> {
        patch_event(logged, viewer, |seen, change, rank| {
            if let Some(captured) = &mut change.captured {
                captured[seen.side.opponent()][rank] += 1;
            }
        })
    }
}

/// Leak: a spectator's view names the silent winner in the last ply.
pub(crate) struct SpectatorSeesWinner;
impl Doors for SpectatorSeesWinner {
    fn view(&self, game: &Game, viewer: Viewer, now: Stamp) -> GameView {
        let mut view = Real.view(game, viewer, now);
        if let (Viewer::Public, Some(seen)) = (viewer, &mut view.last_move) {
            name_winner(seen, game);
        }
        view
    }
}

/// Leak: the record of a running game names the silent winner.
pub(crate) struct RecordNamesWinner;
impl Doors for RecordNamesWinner {
    fn record(&self, log: &[Logged], game: &Game, viewer: Viewer) -> GameRecord {
        let mut record = Real.record(log, game, viewer);
        let plies = log.iter().filter(|logged| Real.event(logged, viewer).is_some());
        for (recorded, logged) in record.events.iter_mut().zip(plies) {
            if let GameEvent::Moved(seen) = &mut recorded.event {
                name_winner(seen, &logged.after);
            }
        }
        record
    }
}

/// Leak: a Bomb that won silently counts as revealed, although its rank is not shown.
pub(crate) struct MarksWinner;
impl Doors for MarksWinner {
    fn event(&self, logged: &Logged, viewer: Viewer) -> Option<(GameEvent, ViewChange)> {
        patch_event(logged, viewer, |seen, change, rank| {
            for piece in change.pieces.iter_mut().flatten() {
                if piece.square == seen.squares.to && rank == Rank::Bomb {
                    piece.is_revealed = true;
                }
            }
        })
    }
}
