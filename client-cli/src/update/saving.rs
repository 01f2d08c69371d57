//! Saves what the player needs later: the credential and the seat, to return to the game, and the
//! commitments, to check the server.

use std::path::Path;

use flagfall_board::{GameId, PerSide};
use flagfall_protocol::{Commitment, Phase};

use crate::commitments::{Shown, changed_words, verdict};
use crate::config::is_account_file;
use crate::model::{Effect, Goal, Model, Unsaved};
use crate::text;

/// Milliseconds between attempts to save a credential or a seat.
const AGAIN_MS: u64 = 15_000;

/// True if the player can return after this client ends.
pub(super) fn can_return(model: &Model) -> bool {
    model.login.unsaved.is_none()
}

/// Handles a failure to save the credential or the seat.
pub(super) fn unsaved(model: &mut Model, why: String) {
    if is_account_file(Path::new(&model.options.credential_file)) {
        // Tell the user nothing, because nothing is lost: the account's file already exists, and
        // the server lists the account's games.
        return;
    }
    // A client that only lists or watches games needs no seat.
    let is_new = model.login.unsaved.is_none() && !matches!(model.goal, Goal::Games | Goal::Watch(_));
    model.login.unsaved = Some(Unsaved { why: why.clone(), again_at: model.clock.now + AGAIN_MS });
    if is_new {
        model.say(text!("seat-unsaved", why));
    }
}

pub(super) fn saved(model: &mut Model) {
    if model.login.unsaved.take().is_some() {
        model.say(text!("seat-saved"));
    }
}

pub(super) fn tick(model: &mut Model) {
    let now = model.clock.now;
    let Some(unsaved) = model.login.unsaved.as_mut().filter(|unsaved| unsaved.again_at <= now) else {
        return;
    };
    unsaved.again_at = now + AGAIN_MS;
    let seat = model.game.as_ref().filter(|game| game.own_side().is_some());
    let seat = seat.map(|game| Effect::SaveSeat { game: game.summary.id.to_string() });
    let token = model.login.token.clone().zip(model.login.player.as_ref());
    let token = token.map(|(token, player)| Effect::SaveToken { token, name: player.name.clone() });
    // The token and the seat are stored in the same file, so either both can be saved or neither.
    model.effects.extend(token);
    model.effects.extend(seat);
}

/// Handles the commitments that the server shows: saves them the first time, and compares later
/// ones.
pub(super) fn commitments(
    model: &mut Model,
    game: GameId,
    epoch: u64,
    now: &PerSide<Option<Commitment>>,
    phase: Phase,
) {
    let before = model.commitments.get(&game).copied();
    let Some(mut shown) = before else {
        if now.red.is_some() || now.blue.is_some() {
            let shown = Shown { epoch, commitments: *now, late: phase == Phase::Over };
            keep(model, game, shown);
        }
        return;
    };
    let changed = shown.changed(now);
    let is_other_epoch = shown.epoch != epoch;
    if !changed.is_empty() {
        model.say(changed_words(&changed, is_other_epoch));
        if is_other_epoch {
            // The server lost the start of the game and started it again, so these commitments
            // replace the first ones.
            keep(model, game, Shown { epoch, commitments: *now, late: false });
        }
    } else if shown.complete(now) {
        keep(model, game, shown);
    }
}

fn keep(model: &mut Model, game: GameId, shown: Shown) {
    model.commitments.insert(game, shown);
    model.effects.push(Effect::KeepCommitments { game, shown });
}

/// Says after the game whether the opened deployments match the commitments.
pub(super) fn verify(model: &mut Model) {
    let Some(game) = &model.game else { return };
    let id = game.summary.id;
    let judged = model.commitments.get(&id).and_then(|shown| verdict(id, shown, &game.view.opened));
    model.say_all(judged.map(|judged| judged.words));
}
