//! Explains what leaving means for the game, and leaves the program.

use flagfall_protocol::{ClientToServer, Exit, Phase, PlayerKind, Time};
use flagfall_rules::TimeControl;

use super::exit::exit;
use super::{outbox, saving};
use crate::model::{Effect, Model, Prompt};
use crate::{text, words};

/// How many seconds a player must be absent before the opponent can claim a short game. Used with
/// servers of version 0.1, which do not send the value.
const CLAIM_SECONDS: u64 = 60;

/// Asks for confirmation before leaving a running game. Otherwise leaves immediately.
pub(super) fn confirm(model: &mut Model) {
    match consequences(model) {
        Some(consequences) if !model.options.face.is_unattended() => {
            if model.options.face.prints() {
                model.say(text!("leave-ask", consequences = &consequences));
            }
            model.ui.prompt = Some(Prompt::Leave(consequences));
        }
        _ => leave(model),
    }
}

/// Describes what happens to the running game if the player leaves. `None` if there is no
/// consequence.
fn consequences(model: &Model) -> Option<String> {
    let game = model.game.as_ref().filter(|game| game.is_acting() && !game.is_over())?;
    let side = game.own_side()?;
    let opponent = &game.summary.players[side.opponent()];
    let time = game.summary.terms.time;
    let is_by_mail = matches!(time, Time::Correspondence { .. });
    let counts = if is_by_mail || opponent.kind == PlayerKind::House { "no" } else { "yes" };
    let mut sentences = vec![match game.view.phase {
        Phase::Deploying if game.view.ready[side] => text!("leave-deployed"),
        Phase::Deploying => match game.view.deploy_deadline {
            Some(at) => {
                let left = words::clock(at.0.saturating_sub(model.server_now()));
                text!("leave-undeployed-within", left, counts)
            }
            None => text!("leave-undeployed", counts),
        },
        // In a game by mail, leaving between moves is normal.
        Phase::Playing if is_by_mail => return None,
        Phase::Playing if game.view.clock.is_none() => text!("leave-no-clock"),
        Phase::Playing if game.is_own_turn() => text!("leave-own-turn"),
        Phase::Playing => text!("leave-their-turn"),
        Phase::Over => return None,
    }];
    let claim_ms = model.connection.claim_seconds.unwrap_or(CLAIM_SECONDS) * 1_000;
    let wait_ms =
        TimeControl::from(time).claim_wait_ms(claim_ms).filter(|_| game.view.phase == Phase::Playing);
    if let Some(wait_ms) = wait_ms.filter(|_| opponent.kind != PlayerKind::House) {
        // If a player leaves on purpose, the opponent can claim the game in half the time.
        let (player, wait) = (words::player(opponent), words::seconds(wait_ms / 2));
        sentences.push(text!("leave-claim", player, wait));
    }
    if !saving::can_return(model) {
        sentences.push(text!("leave-no-return"));
    }
    Some(sentences.join(" "))
}

pub(super) fn leave(model: &mut Model) {
    outbox::cancel_seek(model);
    if model.game.is_none() && model.is_for_pool() {
        outbox::send_once(model, |cmd_id| ClientToServer::LeavePool { cmd_id });
    }
    if let Some(challenge) = model.challenges.own.take() {
        outbox::send_once(model, |cmd_id| ClientToServer::CancelChallenge { cmd_id, challenge });
    }
    let is_failure = model.options.face.is_unattended() && model.input.was_refused;
    let code = if is_failure { Exit::Refused } else { Exit::Done };
    match last_words(model) {
        Some(word) => exit(model, code, word),
        None => model.effects.push(Effect::Exit { code: code.code() }),
    }
}

/// Returns a message about the game that the player leaves.
fn last_words(model: &Model) -> Option<String> {
    let game = model.game.as_ref().filter(|game| game.own_side().is_some())?;
    let (server, id) = (model.options.server_flag(), game.summary.id);
    if game.is_over() {
        return Some(text!("record-of-game", server, game = id));
    }
    let consequences = consequences(model).unwrap_or_else(|| text!("leave-seat-stays"));
    Some(if saving::can_return(model) {
        text!("left-return", consequences, server, game = id)
    } else {
        text!("left", consequences)
    })
}
