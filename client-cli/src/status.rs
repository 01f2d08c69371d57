//! What goes on, in words: who may claim the game, how the wait in the pool goes, and what stands
//! under the cursor.

use flagfall_board::Side;
use flagfall_protocol::{Phase, PoolStatus};
use flagfall_rules::Identity;

use crate::input::{self, Action};
use crate::model::{Model, OpenGame, PoolWait};
use crate::{targets, words};

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

/// What waits for the user, for an alert.
#[must_use]
pub fn waiting(model: &Model) -> Option<String> {
    let game = model.game.as_ref().filter(|game| game.is_acting() && model.ui.replay.is_none());
    let in_game = game.and_then(|game| match game.view.phase {
        Phase::Deploying if game.editor.as_ref().is_some_and(|editor| editor.handed_in.is_none()) => {
            Some("Deploy your army".to_owned())
        }
        Phase::Playing if game.is_own_turn() => Some("Your turn".to_owned()),
        Phase::Deploying | Phase::Playing | Phase::Over => None,
    });
    let challenged = || {
        let invitation = model.challenges.received.as_ref()?;
        Some(format!("Challenge of {}", words::player(&invitation.challenger)))
    };
    in_game.or_else(challenged)
}

/// What stands on the square under the cursor, as far as the player may know.
#[must_use]
pub(crate) fn square(model: &Model, game: &OpenGame) -> String {
    let square = game.cursor;
    let Some(piece) = targets::piece_at(&game.view, square) else {
        let what = if game.view.lakes.contains(square) { "lake" } else { "empty" };
        return format!("{square}: {what}");
    };
    let whose =
        if game.own_side() == Some(piece.side) { "your".to_owned() } else { format!("{}'s", piece.side) };
    let numbering = model.options.numbering;
    let what = match piece.identity {
        Identity::Known(rank) => words::rank(rank, numbering),
        Identity::OneOf(ranks) => {
            let ranks: Vec<&str> = ranks.iter().map(|rank| rank.figure(numbering)).collect();
            format!("one of {}", ranks.join(" "))
        }
        Identity::Coin => "coin".to_owned(),
        Identity::Hidden => "hidden piece".to_owned(),
    };
    let known = match (piece.is_revealed, piece.is_moved) {
        _ if piece.is_labeled => ", labeled",
        (true, _) => ", known",
        (false, true) => ", has moved",
        (false, false) => ", unmoved",
    };
    format!("{square}: {whose} {what}{known}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{classic_view, game, quantum, shadowflash};

    #[test]
    fn the_square_under_the_cursor_is_told_as_far_as_it_is_known() {
        let told = |model: &Model, at: &str| {
            let mut open = model.game.clone().expect("a game");
            open.cursor = at.parse().expect("a square");
            square(model, &open)
        };
        let classic = game("classic", "red", &classic_view("red"));
        for (at, words) in [
            ("a5", "a5: your Lieutenant (6), known"),
            ("a1", "a1: your Sergeant (7), unmoved"),
            ("e6", "e6: Blue's hidden piece, has moved"),
            ("c5", "c5: lake"),
            ("a6", "a6: empty"),
        ] {
            assert_eq!(told(&classic, at), words);
        }
        assert_eq!(told(&shadowflash(""), "p10"), "p10: Blue's one of 9 P, has moved");
        assert_eq!(told(&quantum(""), "a6"), "a6: Blue's coin, has moved");
    }
}
