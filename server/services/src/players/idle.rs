//! Finds stored guests who never played, and deletes them if they have no open offers.

use flagfall_board::Stamp;
use flagfall_protocol::{Player, PlayerKind};
use flagfall_store::{Key, Store, StoreError, SystemClock, WallClock, Write};

use super::guest::REFRESH_MS;
use super::record::PlayerRecord;
use flagfall_base::keys::{
    BLOCKS, CHALLENGES_OF, FIGURES, NAMES, PAIRED, PAIRED_OF, PLAYED, PLAYERS, POOL, SEAT, SEEKS, TOKENS,
};
use flagfall_base::transact::{delete_all, write_if};

/// The maximum number of open seeks that are searched. There are never more open seeks than this,
/// because the limits on them are lower.
const SEEKS_MAX: usize = 4_096;
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Listed {
    /// The guest never played and has nothing open. They were deleted, or would have been in a
    /// real run.
    Idle,
    /// The guest has an open offer, or is doing something at this moment.
    Busy,
    /// The player can be removed from the list, because they have played, have an account, are
    /// closed, or do not exist.
    Settled,
}

/// Returns the current kind of a player. `None` if the store does not have the player.
pub(crate) async fn player_kind(
    store: &dyn Store,
    player: &Player,
) -> Result<Option<PlayerKind>, StoreError> {
    if player.kind == PlayerKind::House {
        return Ok(Some(PlayerKind::House));
    }
    stored_kind(store, &player.id).await
}

/// Returns the kind of the player with this id. `None` if the store does not have the player.
pub(crate) async fn stored_kind(store: &dyn Store, id: &str) -> Result<Option<PlayerKind>, StoreError> {
    let record = store.get(PLAYERS.key([&id])?).await?;
    record.map(|bytes| PlayerRecord::read(&bytes).map(|record| record.player.kind)).transpose()
}

/// Deletes a stored guest who never played and has nothing open. If the guest is not deleted,
/// returns the reason.
///
/// The guest may act at any moment. Every action has the condition that the guest's record is
/// unchanged, and extends the expiry if it is close. So this function first sets the expiry to a
/// time in the near future, and then searches again for offers and games. This second search finds
/// all actions from before the change. Actions after the change extend the expiry and thus change
/// the record, so the deletion fails.
pub(crate) async fn idle_guest(store: &dyn Store, id: &str, is_dry: bool) -> Result<Listed, StoreError> {
    let own_key = PLAYERS.key([&id])?;
    let Some(bytes) = store.get(own_key.clone()).await? else { return Ok(Listed::Settled) };
    let mut record = PlayerRecord::read(&bytes)?;
    if record.player.kind != PlayerKind::Guest || record.closed.is_some() {
        return Ok(Listed::Settled);
    }
    let looked = look(store, id).await?;
    if looked != Listed::Idle || is_dry {
        return Ok(looked);
    }
    let before = record.clone();
    let soon = SystemClock.now().plus_ms(REFRESH_MS / 2).0;
    record.expires = Some(record.expires.map_or(soon, |expires| expires.saturating_sub(1).min(soon)));
    let marked = record.bytes()?;
    if !write_if(store, own_key.clone(), Some(bytes), record.writes()?).await? {
        return Ok(Listed::Busy);
    }
    let looked = look(store, id).await?;
    if looked != Listed::Idle {
        // The guest has just acted. Restore their expiry, unless a later action has changed the
        // record.
        write_if(store, own_key, Some(marked), before.writes()?).await?;
        return Ok(looked);
    }
    let mut keys = vec![own_key.clone(), NAMES.key([&record.name_key])?, PAIRED_OF.key([&id])?];
    for token in &record.tokens {
        keys.push(TOKENS.key([&token.hash])?);
    }
    let writes = keys.into_iter().map(|key| Write::Delete { key }).collect();
    if !write_if(store, own_key, Some(marked), writes).await? {
        return Ok(Listed::Busy);
    }
    store.drop_copies(id);
    delete_all(store, BLOCKS.under([&id])?).await?;
    Ok(Listed::Idle)
}

async fn look(store: &dyn Store, id: &str) -> Result<Listed, StoreError> {
    let is_any = async |prefix: Key| Ok::<bool, StoreError>(!store.scan(prefix, None, 1).await?.is_empty());
    // Search the statistics too, because they remain when the games that they count are deleted.
    for prefix in [SEAT.under([&id])?, PLAYED.under([&id])?, FIGURES.under([&id])?] {
        if is_any(prefix).await? {
            return Ok(Listed::Settled);
        }
    }
    let is_waiting = store.get(POOL.key([&id])?).await?.is_some();
    if is_waiting || is_any(CHALLENGES_OF.under([&id])?).await? {
        return Ok(Listed::Busy);
    }
    // The guest has been paired, but the game has not been created yet.
    if let Some(game) = store.get(PAIRED_OF.key([&id])?).await?
        && let Ok(game) = std::str::from_utf8(&game)
        && store.get(PAIRED.key([&game])?).await?.is_some()
    {
        return Ok(Listed::Busy);
    }
    let seeks = store.scan(SEEKS.all()?, None, SEEKS_MAX).await?;
    let has_seek = seeks.iter().any(|(_, value)| {
        let seek: Option<serde_json::Value> = serde_json::from_slice(value).ok();
        seek.is_some_and(|seek| seek["seek"]["seeker"]["id"] == id)
    });
    Ok(if has_seek { Listed::Busy } else { Listed::Idle })
}

pub(crate) fn stored_guest(record: &[u8]) -> Option<(Stamp, String)> {
    let record = PlayerRecord::read(record).ok()?;
    (record.player.kind == PlayerKind::Guest).then_some((Stamp(record.created), record.player.id))
}
