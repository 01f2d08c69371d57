//! Applies events to a game. Live play and the replay of a log use the same code.

use flagfall_board::{Side, Stamp};
use flagfall_view::Phase;

use crate::event::{Deployed, Event, EventKind};
use crate::game::{Exchange, Game};
use crate::position::Position;

/// Applies an event to a game. `at` is the time at which the store appended the event.
///
/// The function accepts every event and never panics.
pub fn evolve(game: &mut Game, event: &Event, at: Stamp) {
    let at = at.max(game.latest);
    game.latest = at;
    if !event.is_hidden() {
        game.latest_shown = at;
    }
    match &event.0 {
        EventKind::Deployed(deployed) => {
            let Deployed { side, deployment, salt, is_change: _ } = &**deployed;
            game.deployments[*side] = Some((deployment.clone(), salt.clone()));
        }
        EventKind::Started { commitments } => {
            game.commitments = **commitments;
            let deployments = flagfall_board::PerSide::from_fn(|side| {
                game.deployments[side].as_ref().map(|(deployment, _)| deployment)
            });
            game.position = Position::deployed(game.terms.ruleset, game.terms.lakes, deployments);
            game.phase = Phase::Playing;
            game.start_clocks(at);
        }
        EventKind::Struck(strike) => {
            game.position.await_choices(strike);
            await_choices(game, at);
        }
        EventKind::Chosen { side, rank } => {
            game.position.note_choice(*side, *rank);
            if let Some(clock) = &mut game.clock {
                clock.stop_side(*side, at);
            }
        }
        EventKind::Moved(moved) => {
            game.position.apply(moved);
            game.last_ply = Some(*moved);
            if game.last_exchange.is_some() {
                game.last_exchange = None;
            }
            end_turn(game, moved.side, at);
        }
        EventKind::Removed { side, square } => {
            game.position.remove(*square);
            exchanged(game, *side, Exchange::Removed { side: *side, square: *square }, at);
        }
        EventKind::Placed(placed) => {
            game.position.place(placed);
            exchanged(game, placed.side, Exchange::Placed(*placed), at);
        }
        EventKind::Colored { side: _, square, color } => game.position.lay_owed(*square, *color),
        EventKind::DrawOffered { side } => {
            game.offers.standing = Some(*side);
            game.offers.last[*side] = Some(game.position.ply());
            game.offers.last[side.opponent()] = None;
        }
        EventKind::DrawDeclined { side: _ } => game.offers.standing = None,
        EventKind::Paused { since } => {
            game.paused_since = Some(*since);
            game.stop_clocks(*since);
        }
        EventKind::Resumed => resume(game, at),
        EventKind::ResumedSince { since } => resume(game, *since),
        EventKind::Ended(outcome) => {
            // This also stops the clocks that are shown during a pending strike, which do not
            // reveal which side has already chosen (§Q4).
            game.stop_clocks(at);
            game.phase = Phase::Over;
            game.paused_since = None;
            game.offers.standing = None;
            game.outcome = Some(*outcome);
        }
    }
}

/// Gives `lag_ms` milliseconds back to the acting side, and then applies an event.
///
/// `lag_ms` is the value that [`Game::lag_credit_ms`] returned when the command was given. No
/// time is given back if the event stops no clock.
pub fn evolve_compensated(game: &mut Game, event: &Event, at: Stamp, lag_ms: u32) {
    if lag_ms > 0
        && let (Some(clock), Some(side)) = (&mut game.clock, event.ends_time_of())
    {
        clock.give_back(side, lag_ms);
    }
    evolve(game, event, at);
}

/// Restarts the clocks at the time `at` and extends the deadline for deployments by the length of
/// the pause.
fn resume(game: &mut Game, at: Stamp) {
    if let Some(since) = game.paused_since.take() {
        game.deploy_deadline = game.deploy_deadline.plus_ms(at.ms_since(since));
    }
    if game.phase == Phase::Playing {
        game.start_clocks(at);
    }
}

/// Runs the clock of each side that still has to choose. The other side and the public see clocks
/// that do not reveal whether a side has chosen (§Q4).
fn await_choices(game: &mut Game, at: Stamp) {
    let Some(clock) = &mut game.clock else { return };
    for side in Side::BOTH {
        if game.position.is_to_act(side) {
            clock.start(side, at);
        } else {
            clock.stop_side(side, at);
        }
    }
    if let Some(veil) = &mut game.veil {
        veil.clock = Some(**clock);
    }
}

/// Records a ply that moved a piece between the board and a reserve.
fn exchanged(game: &mut Game, side: Side, exchange: Exchange, at: Stamp) {
    game.last_ply = None;
    game.last_exchange = Some(exchange);
    end_turn(game, side, at);
}

/// Ends a side's turn. The other side's clock starts, and any draw offer of the other side
/// expires.
#[inline]
fn end_turn(game: &mut Game, side: Side, at: Stamp) {
    if let Some(clock) = &mut game.clock {
        clock.press(side, at);
    }
    if let Some(veil) = &mut game.veil {
        veil.clock = None;
    }
    if game.offers.standing == Some(side.opponent()) {
        game.offers.standing = None;
    }
}
