//! Describes the state of a game or a wait in words: who may claim the game, the wait in the
//! pool, the piece on a square.

use flagfall_board::{Side, Square};
use flagfall_protocol::{GameView, Phase, PoolStatus, Presence};
use flagfall_rules::Identity;

use crate::input::{self, Action};
use crate::model::{Model, OpenGame, PoolWait};
use crate::{targets, text, words};

/// Says who may claim the game and when, for players and spectators.
pub(crate) fn claim(model: &Model) -> Option<String> {
    let game = model.game.as_ref().filter(|game| game.view.phase == Phase::Playing)?;
    let now = model.server_now();
    let prints = model.options.face.prints();
    Side::BOTH.into_iter().find_map(|gone| {
        let left_ms = game.claimable_at[gone]?.saturating_sub(now);
        let left = words::clock(left_ms);
        Some(match (game.own_side() == Some(gone.opponent()), left_ms) {
            (true, 0) if prints => text!("gone-claim-type", side = gone),
            (true, 0) => text!("gone-claim-press", side = gone, key = input::key_for(Action::AskClaim)),
            (true, _) => text!("gone-own", side = gone, left),
            (false, 0) => text!("gone-other", side = gone),
            (false, _) => text!("gone-other-soon", side = gone, left),
        })
    })
}

/// Describes the wait in one line. `None` if the player is not waiting, or if the server has sent
/// no status.
pub(crate) fn pool_wait(model: &Model) -> Option<String> {
    if !model.is_for_pool() {
        return None;
    }
    let PoolWait { status: PoolStatus { since, range, waiting }, .. } = model.lobby.pool?;
    let waited = minutes(model.server_now().saturating_sub(since));
    let (range, min, max) = words::rating_range(range);
    Some(text!("pool-status", waited, range, min, max, others = waiting.saturating_sub(1)))
}

/// Formats a time in minutes and seconds: `0:05`, `12:40`.
fn minutes(ms: u64) -> String {
    let seconds = ms / 1_000;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// Describes the last move and the last exchange with the reserve.
pub(crate) fn happened(view: &GameView) -> Vec<String> {
    let moved = view.last_move.as_ref().map(words::moved);
    moved.into_iter().chain(view.last_exchange.as_ref().map(words::exchanged)).collect()
}

/// Says whether a player is connected.
pub(crate) fn presence(game: &OpenGame, side: Side) -> String {
    match game.presence[side] {
        Presence::Present => text!("presence-present"),
        Presence::Reconnecting | Presence::Away if game.left[side] => text!("presence-left"),
        Presence::Reconnecting => text!("presence-reconnecting"),
        Presence::Away => text!("presence-away"),
    }
}

/// Returns the text of an alert: what the user has to do. `None` if nothing waits for the user.
pub fn waiting(model: &Model) -> Option<String> {
    let game = model.game.as_ref().filter(|game| game.is_acting() && model.ui.replay.is_none());
    let in_game = game.and_then(|game| match game.view.phase {
        Phase::Deploying if game.editor.as_ref().is_some_and(|editor| editor.handed_in.is_none()) => {
            Some(text!("deploy-note"))
        }
        Phase::Playing if game.is_own_turn() => {
            let is_low = game.own_side().is_some_and(|own| game.is_low_on_time(own, model.server_now()));
            Some(if is_low { text!("your-turn-low") } else { text!("your-turn-note") })
        }
        Phase::Deploying | Phase::Playing | Phase::Over => None,
    });
    let challenged = || {
        let invitation = model.challenges.received.as_ref()?;
        Some(text!("alert-challenge", player = words::player(&invitation.challenger)))
    };
    in_game.or_else(challenged)
}

/// Describes the piece on a square, as far as the player may know it.
pub(crate) fn square(model: &Model, game: &OpenGame, square: Square) -> String {
    let Some(piece) = targets::piece_at(&game.view, square) else {
        let is_lake = game.view.lakes.contains(square);
        return if is_lake { text!("square-lake", square) } else { text!("square-empty", square) };
    };
    let owner = if game.own_side() == Some(piece.side) { "own" } else { piece.side.name() };
    let numbering = model.options.numbering;
    let (identity, ranks) = match piece.identity {
        Identity::Known(rank) => ("rank", words::rank(rank, numbering)),
        Identity::OneOf(ranks) => {
            let ranks: Vec<&str> = ranks.iter().map(|rank| rank.figure(numbering)).collect();
            ("one_of", ranks.join(" "))
        }
        Identity::Coin => ("coin", String::new()),
        Identity::Hidden => ("hidden", String::new()),
    };
    let known = match (piece.is_revealed, piece.is_moved) {
        _ if piece.is_labeled => "labeled",
        (true, _) => "known",
        (false, true) => "moved",
        (false, false) => "unmoved",
    };
    text!("square-piece", square, owner, identity, ranks, known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{classic_view, game, quantum, shadowflash};

    #[test]
    fn a_square_is_described_as_far_as_known() {
        let told = |model: &Model, at: &str| {
            let open = model.game.as_ref().expect("a game");
            square(model, open, at.parse().expect("a square"))
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
        assert_eq!(told(&shadowflash(""), "p10"), "p10: Blue's piece (9 P), has moved");
        assert_eq!(told(&quantum(""), "a6"), "a6: Blue's coin, has moved");
    }
}
