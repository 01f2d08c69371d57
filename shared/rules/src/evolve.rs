//! Facts become state: total, the same in live play and in a replay of the log.

use flagfall_board::{Side, Stamp};

use crate::event::{Deployed, Event, EventKind};
use crate::game::{Exchange, Game, Phase};
use crate::position::Position;

/// Carries an event out. The stamp is the one of its append. Total: no event is refused, none panics.
pub fn evolve(game: &mut Game, event: &Event, at: Stamp) {
    let at = at.max(game.latest);
    game.latest = at;
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
            // A strike that waited stays unseen, and with it whose clock stood still (§Q4).
            game.stop_clocks(at);
            game.phase = Phase::Over;
            game.paused_since = None;
            game.offers.standing = None;
            game.outcome = Some(*outcome);
        }
    }
}

/// Carries an event out after the side that acted was given back so much of its time (in milliseconds): what [`Game::lag_credit_ms`] said when it
/// was judged. Nothing is given back for an event that ends nobody's time.
pub fn evolve_compensated(game: &mut Game, event: &Event, at: Stamp, lag_ms: u32) {
    if lag_ms > 0
        && let (Some(clock), Some(side)) = (&mut game.clock, event.ends_time_of())
    {
        clock.give_back(side, lag_ms);
    }
    evolve(game, event, at);
}

/// Clocks have run again since this moment, and the time to deploy is as much longer as they stood still.
fn resume(game: &mut Game, at: Stamp) {
    if let Some(since) = game.paused_since.take() {
        game.deploy_deadline = game.deploy_deadline.plus_ms(at.ms_since(since));
    }
    if game.phase == Phase::Playing {
        game.start_clocks(at);
    }
}

/// A strike waits: the time of every side that owes a choice runs, and others see it as if nobody ever chose (§Q4).
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
        veil.clock = Some(*clock);
    }
}

/// A ply between board and reserve was made.
fn exchanged(game: &mut Game, side: Side, exchange: Exchange, at: Stamp) {
    game.last_ply = None;
    game.last_exchange = Some(exchange);
    end_turn(game, side, at);
}

/// The side has made its ply: the other's time runs, and its offer has had its answer.
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
