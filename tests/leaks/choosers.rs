//! Doors with leaks that only secret choices make possible (§Q4).

use flagfall_board::{PerSide, Side, Stamp};
use flagfall_protocol::{GameEvent, GameRecord, GameView, Refusal, ViewChange};
use flagfall_rules::secret::{SecretRecord, to_record};
use flagfall_rules::{Command, Game, Move, Phase, Refusal as RuleRefusal, Viewer};
use flagfall_tests::{Logged, Step};

use crate::doors::{Doors, Real};

/// Leak: everybody is told a choice.
pub(crate) struct TellsChoices;
impl Doors for TellsChoices {
    fn event(&self, logged: &Logged, viewer: Viewer) -> Option<(GameEvent, ViewChange)> {
        Real.event(logged, viewer).or_else(|| {
            let chooser = Side::BOTH.into_iter().find_map(|side| Real.event(logged, Viewer::Player(side)));
            chooser.map(|(event, _)| (event, ViewChange::default()))
        })
    }
}

/// Leak: the clock of a side that has chosen visibly stops.
pub(crate) struct ClockStopsEarly;
impl Doors for ClockStopsEarly {
    fn view(&self, game: &Game, viewer: Viewer, now: Stamp) -> GameView {
        let mut view = Real.view(game, viewer, now);
        let own = |side| Real.view(game, Viewer::Player(side), now).clock;
        if let (Some(clock), Some(red), Some(blue)) = (&mut view.clock, own(Side::Red), own(Side::Blue)) {
            clock.remaining_ms = PerSide::new(red.remaining_ms.red, blue.remaining_ms.blue);
        }
        view
    }
}

/// Leak: a refusal shows whether the opponent has chosen.
pub(crate) struct RefusalTells;
impl Doors for RefusalTells {
    fn refusal(&self, game: &Game, squares: Move, refusal: RuleRefusal) -> Refusal {
        let refusal = Real.refusal(game, squares, refusal);
        let waiting = Side::BOTH.into_iter().filter(|side| game.is_to_act(*side)).count();
        if game.position().has_strike_pending() && game.phase() == Phase::Playing {
            return refusal.with("count", waiting);
        }
        refusal
    }
}

/// Leak: a pool shrinks before the choice has been shown to anyone else.
pub(crate) struct PoolShrinksEarly;
impl Doors for PoolShrinksEarly {
    fn view(&self, game: &Game, viewer: Viewer, now: Stamp) -> GameView {
        let mut view = Real.view(game, viewer, now);
        for side in Side::BOTH {
            let own = Real.view(game, Viewer::Player(side), now).pending_strike;
            let chosen = own.and_then(|strike| strike.own_choice);
            if let (Some(pools), Some(rank)) = (&mut view.pools, chosen) {
                pools[side][rank] = 0;
            }
        }
        view
    }
}

/// Leak: the view says who still owes a choice.
pub(crate) struct OwesLess;
impl Doors for OwesLess {
    fn view(&self, game: &Game, viewer: Viewer, now: Stamp) -> GameView {
        let mut view = Real.view(game, viewer, now);
        if let Some(strike) = &mut view.pending_strike {
            strike.owes = PerSide::from_fn(|side| game.is_to_act(side));
        }
        view
    }
}

/// Leak: while a choice is pending, the view names the side that must still choose as the side to
/// move.
pub(crate) struct TurnTells;
impl Doors for TurnTells {
    fn view(&self, game: &Game, viewer: Viewer, now: Stamp) -> GameView {
        let mut view = Real.view(game, viewer, now);
        if view.pending_strike.is_some() {
            view.turn = Some(game.position().actor());
        }
        view
    }
}

/// Leak: the record of a running game contains every choice.
pub(crate) struct RecordTellsChoices;
impl Doors for RecordTellsChoices {
    fn record(&self, log: &[Logged], game: &Game, viewer: Viewer) -> GameRecord {
        let mut record = Real.record(log, game, viewer);
        for logged in log {
            let is_told = Real.event(logged, viewer).is_some();
            let chosen = Side::BOTH.into_iter().find_map(|side| Real.event(logged, Viewer::Player(side)));
            if let (false, Some((event, _))) = (is_told, chosen) {
                record.events.push(flagfall_protocol::RecordedEvent::new(logged.at, 0, event));
            }
        }
        record
    }
}

/// Leak: a strike is stamped with the moment of its first choice.
pub(crate) struct StampsFirstChoice;
impl Doors for StampsFirstChoice {
    fn record(&self, log: &[Logged], game: &Game, viewer: Viewer) -> GameRecord {
        let mut record = Real.record(log, game, viewer);
        let mut first = None;
        let mut seen = record.events.iter_mut();
        for logged in log {
            let event = if Real.event(logged, viewer).is_some() { seen.next() } else { None };
            match to_record(&logged.event) {
                SecretRecord::Chosen { .. } => first = first.or(Some(logged.at.0)),
                SecretRecord::Moved { .. } => {
                    if let (Some(event), Some(first)) = (event, first.take()) {
                        event.at = first;
                    }
                }
                _ => {}
            }
        }
        record
    }
}

/// Leak: there is one additional message about a strike if Red was the last to choose.
pub(crate) struct LongerForRed;
impl Doors for LongerForRed {
    fn command(&self, step: &Step, logged: &[Logged], _viewer: Viewer) -> Option<String> {
        let is_resolved = logged.last().is_some_and(|logged| !logged.after.position().has_strike_pending());
        (is_resolved && matches!(step, Step::Ask(Side::Red, Command::Choose(_)))).then(String::new)
    }
}

/// Leak: everybody is told that a side acted, but not how.
pub(crate) struct Clicks;
impl Doors for Clicks {
    fn command(&self, step: &Step, _logged: &[Logged], _viewer: Viewer) -> Option<String> {
        matches!(step, Step::Ask(_, Command::Choose(_))).then(String::new)
    }
}
