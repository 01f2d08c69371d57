//! Chat between the two players of a game, and reports to the operators. A chat message goes to the
//! two players only, not to those who have the game open, and is not stored. A report is stored for
//! the operators.

use flagfall_board::{GameId, Side};
use flagfall_protocol::{Accepted, Code, Player, PlayerKind, Said, ServerToClient};
use thiserror::Error;

use crate::app::App;
use flagfall_game::TableError;
use flagfall_services::blocks::has_blocked;
use flagfall_services::reports::{ReportRefusal, report};

/// Why a chat message or report was refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(crate) enum ChatRefusal {
    #[error("{0}")]
    Table(#[from] TableError),
    #[error("you have no seat in this game")]
    NotYourGame,
    #[error("house players do not talk")]
    HousePlayer,
    #[error("a message has 1 to {} characters that can be printed, in one line", Said::TEXT_LEN_MAX)]
    BadText,
    #[error("you are talking too fast: wait a few seconds")]
    TooFast,
    #[error("this player has blocked you: nothing you say arrives")]
    Blocked,
    #[error("the server cannot reach its store: try again in a moment")]
    Store,
    #[error("{0}")]
    Report(#[from] ReportRefusal),
}

impl ChatRefusal {
    pub(crate) fn code(&self) -> Code {
        Code::new(match self {
            ChatRefusal::Table(error) => return Code::from(error),
            ChatRefusal::NotYourGame => Code::NOT_YOUR_GAME,
            ChatRefusal::HousePlayer => Code::HOUSE_PLAYER,
            ChatRefusal::BadText => Code::BAD_TEXT,
            ChatRefusal::TooFast => Code::TOO_MANY,
            ChatRefusal::Blocked => Code::BLOCKED,
            ChatRefusal::Store => Code::STORE_UNAVAILABLE,
            ChatRefusal::Report(refusal) => refusal.code(),
        })
    }
}

/// The player's side in a game, and their opponent.
async fn opponent(app: &App, player: &Player, game: GameId) -> Result<(Side, Player), ChatRefusal> {
    let players = app.tables.find(game).await?.summary().players;
    let side = Side::BOTH.into_iter().find(|side| players[*side].id == player.id);
    let side = side.ok_or(ChatRefusal::NotYourGame)?;
    Ok((side, players[side.opponent()].clone()))
}

/// Sends a chat message to all connections of both players, on all servers.
pub(super) async fn say(
    app: &App,
    player: &Player,
    game: GameId,
    said: Said,
) -> Result<Accepted, ChatRefusal> {
    if !said.is_fit() {
        return Err(ChatRefusal::BadText);
    }
    let (side, opponent) = opponent(app, player, game).await?;
    if opponent.kind == PlayerKind::House {
        return Err(ChatRefusal::HousePlayer);
    }
    if has_blocked(&*app.store, &opponent.id, &player.id).await.map_err(|_| ChatRefusal::Store)? {
        return Err(ChatRefusal::Blocked);
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
) -> Result<Accepted, ChatRefusal> {
    let (_, opponent) = opponent(app, player, game).await?;
    report(&*app.store, player, &opponent, game, reason).await?;
    Ok(Accepted::Done {})
}
