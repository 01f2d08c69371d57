//! Doors with leaks that only reserves and chips make possible (§S1.7, §S3.3).

use flagfall_board::{ChipColor, PerSide, Rank, Side, Square, Stamp};
use flagfall_protocol::{GameEvent, GameRecord, GameView, Refusal, ViewChange};
use flagfall_rules::{Command, Game, Identity, Move, MoveCommand, Referee, Refusal as RuleRefusal, Viewer};
use flagfall_tests::{Logged, Step};

use crate::doors::{Doors, Real};

fn rank_at(game: &Game, square: Square) -> Option<Rank> {
    Referee.pieces(game.position()).into_iter().find(|(at, ..)| *at == square).and_then(|(.., rank)| rank)
}

/// Returns the square on which this event placed a piece from a reserve.
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
        seen.piece = Identity::Known(rank);
    }
}

/// Leak: the reserve shows its face-down pieces.
pub(crate) struct TellsReserve;
impl Doors for TellsReserve {
    fn view(&self, game: &Game, viewer: Viewer, now: Stamp) -> GameView {
        let mut view = Real.view(game, viewer, now);
        for side in Side::BOTH {
            let own = Real.view(game, Viewer::Player(side), now).reserve;
            if let (Some(reserve), Some(own)) = (&mut view.reserve, own) {
                reserve[side] = own[side];
            }
        }
        view
    }
}

pub(crate) struct NamesPlaced;
impl Doors for NamesPlaced {
    fn event(&self, logged: &Logged, viewer: Viewer) -> Option<(GameEvent, ViewChange)> {
        let (mut event, change) = Real.event(logged, viewer)?;
        name_placed(&mut event, &logged.after);
        Some((event, change))
    }
}

/// Leak: a placed piece that can move looks as if it had moved before.
pub(crate) struct RemembersMoves;
impl Doors for RemembersMoves {
    fn event(&self, logged: &Logged, viewer: Viewer) -> Option<(GameEvent, ViewChange)> {
        let (event, mut change) = Real.event(logged, viewer)?;
        if let Some(square) = placed_at(&event) {
            for piece in change.pieces.iter_mut().flatten() {
                piece.is_moved |= rank_at(&logged.after, square) != Some(Rank::Bomb);
            }
        }
        Some((event, change))
    }
}

/// Leak: the message about a removed piece names its rank.
pub(crate) struct NamesRemoved;
impl Doors for NamesRemoved {
    fn event(&self, logged: &Logged, viewer: Viewer) -> Option<(GameEvent, ViewChange)> {
        let (event, mut change) = Real.event(logged, viewer)?;
        if let GameEvent::Removed { side, square } = event
            && let (Some(reserve), Some(rank)) = (&mut change.reserve, rank_at(&logged.before, square))
        {
            reserve[side].labeled[rank] += 1;
        }
        Some((event, change))
    }
}

/// Leak: an argument of a refusal depends on the face-down pieces in the opponent's reserve.
pub(crate) struct WarnsOfReserve;
impl Doors for WarnsOfReserve {
    fn refusal(&self, game: &Game, squares: Move, refusal: RuleRefusal) -> Refusal {
        let refusal = Real.refusal(game, squares, refusal);
        let has_spy = Side::BOTH.map(|side| {
            let view = Real.view(game, Viewer::Player(side), game.latest());
            let held = view.reserve.and_then(|reserve| reserve[side].unlabeled);
            held.is_some_and(|held| held[Rank::Spy] > 0)
        });
        refusal.with("known", format!("{has_spy:?}"))
    }
}

/// Leak: a placed piece has a later stamp if its rank is the one that its side removed last.
pub(crate) struct LinksByTime;
impl Doors for LinksByTime {
    fn record(&self, log: &[Logged], game: &Game, viewer: Viewer) -> GameRecord {
        let mut record = Real.record(log, game, viewer);
        let mut removed = PerSide::<Option<Rank>>::default();
        let seen = log.iter().filter(|logged| Real.event(logged, viewer).is_some());
        for (recorded, logged) in record.events.iter_mut().zip(seen) {
            match &recorded.event {
                GameEvent::Removed { side, square } => removed[*side] = rank_at(&logged.before, *square),
                GameEvent::Placed(seen) => {
                    let is_back = removed[seen.side] == rank_at(&logged.after, seen.square);
                    recorded.at += u64::from(is_back);
                }
                _ => {}
            }
        }
        record
    }
}

/// Leak: the list of pieces in an event shows whether a Scout was placed.
pub(crate) struct LinksByOrder;
impl Doors for LinksByOrder {
    fn event(&self, logged: &Logged, viewer: Viewer) -> Option<(GameEvent, ViewChange)> {
        let (event, mut change) = Real.event(logged, viewer)?;
        if let (Some(square), Some(pieces)) = (placed_at(&event), &mut change.pieces)
            && let Some(rank) = rank_at(&logged.after, square)
        {
            // A view lists pieces in a fixed order, so encode the secret as a second copy of the
            // first piece.
            let copies = usize::from(rank == Rank::Scout);
            let first = pieces.first().copied();
            pieces.extend(first.into_iter().take(copies));
        }
        Some((event, change))
    }
}

/// Leak: a move over several squares reveals a runner, although other pieces could have used a
/// supply line (§S3.4).
pub(crate) struct TellsRunners;
impl Doors for TellsRunners {
    fn event(&self, logged: &Logged, viewer: Viewer) -> Option<(GameEvent, ViewChange)> {
        let (mut event, change) = Real.event(logged, viewer)?;
        if let GameEvent::Moved(seen) = &mut event
            && let Move { from, to } = seen.squares
            && seen.strike.is_none()
            && from.column().abs_diff(to.column()) + from.row().abs_diff(to.row()) > 1
            && rank_at(&logged.after, to) == Some(Rank::Scout)
        {
            seen.piece = Identity::Known(Rank::Scout);
        }
        Some((event, change))
    }
}

/// Leak: the answer to a failed strike names the color of the chip that was not laid (§S3.2).
pub(crate) struct TellsFailedColors;
impl Doors for TellsFailedColors {
    fn command(&self, step: &Step, logged: &[Logged], _viewer: Viewer) -> Option<String> {
        failed_color(step, logged).map(|color| format!("{color:?}"))
    }
}

/// Returns the color that was named for a strike, if the attacker did not move to the struck
/// square.
pub(crate) fn failed_color(step: &Step, logged: &[Logged]) -> Option<ChipColor> {
    let Step::Ask(side, Command::Move(MoveCommand { squares, color, .. })) = step else { return None };
    let first = logged.first()?;
    let stands = |game: &Game, side: Side| game.position().occupied(side).contains(squares.to);
    let is_strike = stands(&first.before, side.opponent());
    if is_strike && !stands(&first.after, *side) { *color } else { None }
}

/// Leak: the record of a running game names the placed pieces.
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
