//! What goes on, in words: who may claim the game, and how the wait in the pool goes.

use flagfall_board::Side;
use flagfall_protocol::{Phase, PoolStatus};

use crate::input::{self, Action};
use crate::model::{Model, PoolWait};
use crate::words;

/// Who may claim the game and when, for players and spectators.
#[must_use]
pub(crate) fn claim(model: &Model) -> Option<String> {
    let game = model.game.as_ref().filter(|game| game.view.phase == Phase::Playing)?;
    let now = model.server_now();
    let claims = if model.options.face.prints() {
        "claim win or claim draw ends it".to_owned()
    } else {
        format!("{} claims", input::key_for(Action::AskClaim))
    };
    Side::BOTH.into_iter().find_map(|gone| {
        let left_ms = game.claimable_at[gone]?.saturating_sub(now);
        let left = words::clock(left_ms);
        Some(match (game.own_side() == Some(gone.opponent()), left_ms) {
            (true, 0) => format!("{gone} is gone: {claims}."),
            (true, _) => format!("{gone} is gone. You may claim the game in {left}."),
            (false, 0) => format!("{gone} is gone: {} may claim the game.", gone.opponent()),
            (false, _) => format!("{gone} is gone. {} may claim the game in {left}.", gone.opponent()),
        })
    })
}

/// The wait in one line. `None` if the player does not wait or the server does not say.
#[must_use]
pub(crate) fn pool_wait(model: &Model) -> Option<String> {
    if !model.is_for_pool() {
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
