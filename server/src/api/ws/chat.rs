//! Chat between the two players of a game, and reports to the operators.
//!
//! The server sends a chat message only to the two players, not to spectators, and does not store
//! it. Reports are stored for the operators.

use flagfall_board::{GameId, Side};
use flagfall_protocol::{Accepted, Code, GameSummary, Player, PlayerKind, Refusal, Said, ServerToClient};

use crate::app::App;
use flagfall_base::refusals;
use flagfall_base::store_errors::note_refusal;
use flagfall_game::TableError;
use flagfall_services::blocks::are_apart;
use flagfall_services::reports::report;

async fn opponent(app: &App, player: &Player, game: GameId) -> Result<(Side, Player), Refusal> {
    let table = app.tables.find_for(Some(&player.id), game).await.map_err(|error| Refusal::from(&error))?;
    let GameSummary { players, terms, .. } = table.summary();
    let Some(side) = Side::BOTH.into_iter().find(|side| players[*side].id == player.id) else {
        // Do not reveal that a private game exists.
        return Err(if terms.private {
            (&TableError::NotFound).into()
        } else {
            Refusal::new(Code::NOT_YOUR_GAME)
        });
    };
    Ok((side, players[side.opponent()].clone()))
}

/// Sends a chat message to all connections of both players, on all servers.
pub(super) async fn say(app: &App, player: &Player, game: GameId, said: Said) -> Result<Accepted, Refusal> {
    if !said.is_fit() {
        return Err(Refusal::new(Code::BAD_TEXT).because("chat").with("max", Said::TEXT_LEN_MAX));
    }
    let (side, opponent) = opponent(app, player, game).await?;
    if opponent.kind == PlayerKind::House {
        return Err(Refusal::new(Code::HOUSE_PLAYER).because("chat"));
    }
    let is_blocked = are_apart(&*app.store, &opponent.id, &player.id).await.map_err(|error| {
        note_refusal(&error, "the store refused to read the players' blocks");
        refusals::store_away()
    })?;
    if is_blocked {
        return Err(Refusal::new(Code::BLOCKED).because("chat"));
    }
    let message = ServerToClient::Said { game, side, said };
    app.peers.notify(&app.connections, &[&player.id, &opponent.id], &message).await;
    Ok(Accepted::Done {})
}

/// Stores a player's report about their opponent for the operators.
pub(super) async fn tell_operators(
    app: &App,
    player: &Player,
    game: GameId,
    reason: &str,
) -> Result<Accepted, Refusal> {
    let (_, opponent) = opponent(app, player, game).await?;
    let reported = report(&*app.store, player, &opponent, game, reason).await;
    reported.map_err(|refused| refused.0)?;
    Ok(Accepted::Done {})
}
