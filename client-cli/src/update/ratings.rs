//! The ratings of the players of the open game.

use flagfall_board::{GameId, Side};
use flagfall_protocol::{PlayerKind, Profile, RatingInfo, Speed};

use super::outbox;
use crate::model::Model;
use crate::names;
use crate::request::Request;

/// Requests the ratings of the players who have one. The screen shows them beside the names.
pub(super) fn request(model: &mut Model) {
    let Some(summary) = model.game.as_ref().map(|game| game.summary.clone()) else { return };
    if Speed::of(summary.terms.time).is_none() {
        return;
    }
    for (side, player) in Side::BOTH.map(|side| (side, &summary.players[side])) {
        let is_rated = matches!(player.kind, PlayerKind::Account | PlayerKind::Bot);
        if is_rated && let Ok(player) = names::player(&player.name) {
            outbox::request(model, Request::SeatRating { game: summary.id, side, player });
        }
    }
}

/// Stores the rating of a player of the open game, from the player's profile.
pub(super) fn take(model: &mut Model, id: GameId, side: Side, profile: &Profile) {
    let Some(game) = model.game.as_mut().filter(|game| game.summary.id == id) else { return };
    let terms = &game.summary.terms;
    let is_meant =
        |rating: &&RatingInfo| rating.ruleset == terms.ruleset && Some(rating.speed) == Speed::of(terms.time);
    game.ratings[side] = profile.ratings.iter().find(is_meant).map(|rating| rating.now);
}
