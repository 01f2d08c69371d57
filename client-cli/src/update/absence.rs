//! Players who disconnect, return or leave, and claims to games that the opponent left.

use flagfall_board::{GameId, Side};
use flagfall_protocol::{ClaimedResult, GameCommand, Presence};

use super::game;
use crate::input::{self, Action};
use crate::model::Model;
use crate::{status, text, words};

pub(super) fn presence(model: &mut Model, id: GameId, side: Side, presence: Presence, left: bool) {
    let Some(game) = model.game.as_mut().filter(|game| game.summary.id == id) else { return };
    let before = std::mem::replace(&mut game.presence[side], presence);
    let had_left = std::mem::replace(&mut game.left[side], left);
    let is_news = match presence {
        Presence::Present => before != presence,
        Presence::Reconnecting | Presence::Away if left => !had_left,
        Presence::Reconnecting | Presence::Away => before != presence || had_left,
    };
    if is_news && game.own_side() != Some(side) {
        let player = words::player(&game.summary.players[side]);
        model.say(match presence {
            Presence::Present => text!("player-here", player, side),
            Presence::Reconnecting | Presence::Away if left => text!("player-left", player, side),
            Presence::Reconnecting => text!("player-reconnecting", player, side),
            Presence::Away => text!("player-away", player, side),
        });
    }
}

/// Stores the time at which the opponent of an absent player can claim the game, and tells the
/// user.
///
/// `at` is `None` if the game cannot be claimed.
pub(super) fn claimable(model: &mut Model, id: GameId, gone: Side, at: Option<u64>) {
    let Some(game) = model.game.as_mut().filter(|game| game.summary.id == id) else { return };
    let before = std::mem::replace(&mut game.claimable_at[gone], at);
    game.is_claim_told = false;
    // Only line-based mode needs a message. The full screen shows a countdown.
    if before.is_none() && model.options.face.is_lines() {
        model.say_all(status::claim(model));
    }
    tick(model);
}

/// Tells the user once that the game can be claimed.
pub(super) fn tick(model: &mut Model) {
    let now = model.server_now();
    let prints = model.options.face.prints();
    let Some(game) = &mut model.game else { return };
    let is_due = game.claimable_in_ms(now) == Some(0) && !game.is_claim_told;
    if !is_due || model.options.face.is_program() {
        return;
    }
    game.is_claim_told = true;
    model.say(if prints {
        text!("claim-type")
    } else {
        text!("claim-press", key = input::key_for(Action::AskClaim))
    });
}

pub(super) fn claim_command(model: &mut Model, rest: &str) {
    match rest.to_ascii_lowercase().as_str() {
        "win" => claim(model, ClaimedResult::Win),
        "draw" => claim(model, ClaimedResult::Draw),
        _ => {
            model.refuse(text!("claim-usage"));
        }
    }
}

pub(super) fn claim(model: &mut Model, result: ClaimedResult) {
    game::command(model, GameCommand::Claim { result });
}
