//! Waits in the pool, and reports aborted games.

use flagfall_board::{GameId, Side};
use flagfall_protocol::{Abort, ClientToServer, PoolStatus};

use super::goal;
use crate::model::{Model, Page, PoolWait};
use crate::{status, text, words};

/// Minimum time in milliseconds between two reports about the same wait.
const TELL_EVERY_MS: u64 = 30_000;

/// Handles the pool status that comes with each ping.
pub(super) fn status(model: &mut Model, status: Option<PoolStatus>) {
    let Some(status) = status else {
        model.lobby.pool = None;
        return;
    };
    let told_at = model.lobby.pool.map(|before| before.told_at);
    model.lobby.pool = Some(PoolWait { status, told_at: told_at.unwrap_or(0) });
    if !model.is_for_pool() || model.opening.is_some() {
        return;
    }
    // The opponent ended the game before it counted, so the server put this player back in the
    // pool.
    let spoiled = model.game.take_if(|open| open.is_spoiled());
    if let Some(spoiled) = spoiled {
        model.tell(ClientToServer::CloseGame { game: spoiled.summary.id });
        model.say(text!("pool-back"));
        goal::wait_in_pool(model);
    }
    tell(model);
}

/// Tells the user from time to time that they are still waiting (line-based mode). The full
/// screen always shows this.
fn tell(model: &mut Model) {
    let is_told = model.options.face.is_lines();
    if !is_told || !matches!(model.ui.page, Page::Waiting { .. }) {
        return;
    }
    let now = model.clock.now;
    let text = status::pool_wait(model);
    if let (Some(pool), Some(text)) = (&mut model.lobby.pool, text)
        && now.saturating_sub(pool.told_at) >= TELL_EVERY_MS
    {
        pool.told_at = now;
        model.say(text);
    }
}

/// Handles an aborted game: says who caused the abort.
pub(super) fn aborted(model: &mut Model, id: GameId, abort: &Abort) {
    let Some(game) = model.game.as_ref().filter(|game| game.summary.id == id) else { return };
    let own = game.own_side();
    let player = |side: Side| words::player(&game.summary.players[side]);
    let why = match (abort.called_off_by, &abort.not_deployed[..]) {
        (Some(side), _) if own == Some(side) => text!("aborted-own"),
        (Some(side), _) => text!("aborted-by", player = player(side), side),
        (None, [side]) if own == Some(*side) => text!("not-deployed-own"),
        (None, [side]) => text!("not-deployed", player = player(*side), side = *side),
        (None, [_, _, ..]) => text!("not-deployed-both"),
        (None, []) => text!("aborted-idle"),
    };
    model.say(why);
}
