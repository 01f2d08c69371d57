//! Blocked players. A player and someone they have blocked cannot play or chat with each other.

use flagfall_protocol::{Code, Player, PlayerKind, Refusal};
use flagfall_store::{Store, StoreError, Update, Write};

use crate::Refused;
use crate::players::Standing;
use crate::records::mark;
use flagfall_base::keys::{BLOCKS, last_part};
use flagfall_base::names::player_shown;
use flagfall_base::transact::Transaction;

pub const BLOCKS_MAX: usize = 100;

/// Blocks or unblocks a player. Repeating the call changes nothing. Returns false if the caller
/// must repeat the call. This happens if the store did not confirm the change, or if the blocking
/// player is a guest whose record changed at the same moment.
pub async fn set_blocked(
    store: &dyn Store,
    transaction: &mut Transaction<'_>,
    owner: &Standing,
    other: &Player,
    is_blocked: bool,
) -> Result<bool, Refused> {
    let Standing { player: owner, conditions, writes, .. } = owner;
    if other.id == owner.id {
        return Err(Refusal::new(Code::OWN_OFFER).because("block").into());
    }
    let key = BLOCKS.key([&owner.id, &other.id])?;
    let update = if is_blocked {
        let is_full = store.scan(BLOCKS.under([&owner.id])?, None, BLOCKS_MAX).await?.len() >= BLOCKS_MAX;
        if is_full && store.get(key.clone()).await?.is_none() {
            return Err(Refusal::new(Code::TOO_MANY).because("blocks").with("count", BLOCKS_MAX).into());
        }
        let writes = writes.iter().cloned().chain([mark(key, None)]).collect();
        Update { conditions: conditions.clone(), writes }
    } else {
        Update { conditions: Vec::new(), writes: vec![Write::Delete { key }] }
    };
    Ok(transaction.commit(update).await?)
}

pub async fn blocked_by(store: &dyn Store, owner: &str) -> Result<Vec<Player>, StoreError> {
    let mut players = Vec::new();
    for id in blocked_ids(store, owner).await? {
        players.push(player_shown(store, &id, PlayerKind::Guest).await?);
    }
    Ok(players)
}

pub(crate) async fn blocked_ids(store: &dyn Store, owner: &str) -> Result<Vec<String>, StoreError> {
    let prefix = BLOCKS.under([&owner])?;
    let blocked = store.scan(prefix.clone(), None, BLOCKS_MAX).await?;
    Ok(blocked.iter().filter_map(|(key, _)| last_part(key, &prefix)).collect())
}

async fn has_blocked(store: &dyn Store, owner: &str, other: &str) -> Result<bool, StoreError> {
    Ok(store.get(BLOCKS.key([&owner, &other])?).await?.is_some())
}

/// True if one of the two players has blocked the other.
pub async fn are_apart(store: &dyn Store, one: &str, other: &str) -> Result<bool, StoreError> {
    Ok(has_blocked(store, one, other).await? || has_blocked(store, other, one).await?)
}
