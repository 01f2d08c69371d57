//! The current names of players.

use flagfall_board::{PerSide, Side};
use flagfall_protocol::{Player, PlayerKind};
use flagfall_store::{Store, StoreError};
use serde::Deserialize;

use crate::keys::{GONE, PLAYERS};
use crate::places::Reach;

/// The name shown for players whose accounts were deleted.
pub const DELETED: &str = "deleted";

/// Returns the players of a game with their current names. Guests may have become accounts.
/// Deleted accounts get the name [`DELETED`], and so do guests whose record has expired, unless
/// `players` has their name. If the store does not answer, the names stay as they are, and a part
/// of it that is known to be silent is not asked.
pub async fn players_today(store: &dyn Store, players: &PerSide<Player>) -> PerSide<Player> {
    let mut today = players.clone();
    let reach = Reach::of(store);
    for side in Side::BOTH {
        let player = &mut today[side];
        if player.kind == PlayerKind::House || !reach.has(&PLAYERS.key([&player.id])) {
            continue;
        }
        match player_today(store, &player.id).await {
            Ok(Some(now)) => *player = now,
            // Logs and the archive have no names.
            Ok(None) if player.name.is_empty() => DELETED.clone_into(&mut player.name),
            Ok(None) | Err(_) => {}
        }
    }
    today
}

pub async fn player_shown(store: &dyn Store, id: &str, kind: PlayerKind) -> Result<Player, StoreError> {
    let known = player_today(store, id).await?;
    Ok(known.unwrap_or_else(|| Player { id: id.to_owned(), name: DELETED.to_owned(), kind }))
}

/// Returns the player with this id and their current name. `None` if the player is deleted or
/// unknown.
pub async fn player_named(store: &dyn Store, id: &str) -> Result<Option<Player>, StoreError> {
    Ok(player_today(store, id).await?.filter(|player| player.name != DELETED))
}

#[derive(Deserialize)]
struct Named {
    player: Player,
}

async fn player_today(store: &dyn Store, id: &str) -> Result<Option<Player>, StoreError> {
    if let Some(bytes) = store.get(PLAYERS.key([&id])?).await? {
        let Named { player } = serde_json::from_slice(&bytes)
            .map_err(|_| StoreError::Damaged { what: "a player's record cannot be read".to_owned() })?;
        return Ok(Some(player));
    }
    let gone = store.get(GONE.key([&id])?).await?;
    Ok(gone.map(|_| Player { id: id.to_owned(), name: DELETED.to_owned(), kind: PlayerKind::Account }))
}
