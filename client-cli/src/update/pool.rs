//! Waiting in the pool, and games that were aborted.

use flagfall_board::{GameId, Side};
use flagfall_protocol::{Abort, ClientToServer, PoolStatus};

use super::{game, goal};
use crate::model::{Effect, Goal, How, Model, Page, PoolWait};
use crate::words;

/// Shortest time in milliseconds between two lines about the same wait.
const TELL_EVERY_MS: u64 = 30_000;

/// Handles the pool status that comes with each ping.
pub(super) fn status(model: &mut Model, status: Option<PoolStatus>, out: &mut Vec<Effect>) {
    let Some(status) = status else {
        model.lobby.pool = None;
        return;
    };
    let told_at = model.lobby.pool.map(|before| before.told_at);
    model.lobby.pool = Some(PoolWait { status, told_at: told_at.unwrap_or(0) });
    if !is_for_pool(model) || model.opening.is_some() {
        return;
    }
    // The opponent caused the abort, and the server put this player back into the pool.
    let aborted = model.game.take_if(|open| game::is_over(open) && open.is_aborted());
    if let Some(aborted) = aborted {
        out.push(Effect::Send(ClientToServer::CloseGame { game: aborted.summary.id }));
        model.say("You are back at the front of the pool.");
        goal::wait_in_pool(model);
    }
    tell(model);
}

fn is_for_pool(model: &Model) -> bool {
    matches!(&model.goal, Goal::Play(wish) if wish.how == How::Pool)
}

/// In line-based mode, reports the wait from time to time. The screen always shows it.
fn tell(model: &mut Model) {
    let is_told = model.options.face.is_lines();
    if !is_told || !matches!(model.ui.page, Page::Waiting { .. }) {
        return;
    }
    let now = model.clock.now;
    let text = wait_text(model);
    if let (Some(pool), Some(text)) = (&mut model.lobby.pool, text)
        && now.saturating_sub(pool.told_at) >= TELL_EVERY_MS
    {
        pool.told_at = now;
        model.say(text);
    }
}

/// The wait in one line. `None` if the player does not wait or the server does not say.
#[must_use]
pub(crate) fn wait_text(model: &Model) -> Option<String> {
    if !is_for_pool(model) {
        return None;
    }
    let PoolWait { status: PoolStatus { since, range, waiting }, .. } = model.lobby.pool?;
    let waited = minutes(model.server_now().saturating_sub(since));
    let range = range.map_or_else(String::new, |range| format!(" Opponents: {range}."));
    let others = match waiting.saturating_sub(1) {
        0 => "Nobody else is waiting.".to_owned(),
        1 => "1 other player is waiting.".to_owned(),
        others => format!("{others} other players are waiting."),
    };
    Some(format!("Waited {waited}.{range} {others}"))
}

/// Formats `0:05`, `12:40`.
fn minutes(ms: u64) -> String {
    let seconds = ms / 1_000;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// Handles an aborted game: says who caused it.
pub(super) fn aborted(model: &mut Model, id: GameId, abort: &Abort) {
    let Some(game) = model.game.as_ref().filter(|game| game.summary.id == id) else { return };
    let own = game.own_side();
    let who = |side: Side| {
        if own == Some(side) {
            "You".to_owned()
        } else {
            format!("{} ({side})", words::player(&game.summary.players[side]))
        }
    };
    let why = match (abort.called_off_by, &abort.not_deployed[..]) {
        (Some(side), _) => format!("{} called the game off.", who(side)),
        (None, [side]) => format!("{} did not deploy in time.", who(*side)),
        (None, [_, _, ..]) => "Neither side deployed in time.".to_owned(),
        (None, []) => return,
    };
    model.say(why);
}
