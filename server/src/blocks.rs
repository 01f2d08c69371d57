//! Who wants nothing to do with whom: no games with each other, and nothing said.

use flagfall_protocol::{Code, Player, PlayerKind};
use flagfall_store::{Key, Store, StoreError, Update, UpdateOutcome, Write};
use thiserror::Error;

use crate::players::{Standing, player_shown};
use flagfall_base::keys::BLOCKS;

/// Players one player may block.
pub const BLOCKS_MAX: usize = 100;

/// Why somebody was not blocked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum BlockRefusal {
    /// Oneself.
    #[error("this is yourself")]
    Yourself,
    /// The list is full.
    #[error("you have blocked {BLOCKS_MAX} players already: let one go first (`flagfall unblock NAME`)")]
    TooMany,
    /// Something happened to the guest who blocks at the same moment.
    #[error("something else happened at the same moment: try again")]
    Conflict,
    /// The store does not answer as it should.
    #[error("the server cannot reach its store: try again in a moment")]
    Store,
}

impl BlockRefusal {
    /// The code of messages.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            BlockRefusal::Yourself => Code::OWN_OFFER,
            BlockRefusal::TooMany => Code::TOO_MANY,
            BlockRefusal::Conflict | BlockRefusal::Store => Code::STORE_UNAVAILABLE,
        }
    }
}

impl From<StoreError> for BlockRefusal {
    fn from(error: StoreError) -> BlockRefusal {
        flagfall_base::store_errors::note_refusal(&error, "the store did not take or tell a block");
        BlockRefusal::Store
    }
}

/// Blocks a player, or lets them go again. Repeating it changes nothing.
///
/// # Errors
/// [`BlockRefusal`].
pub(crate) async fn set_blocked(
    store: &dyn Store,
    owner: &Standing,
    other: &Player,
    is_blocked: bool,
) -> Result<(), BlockRefusal> {
    let Standing { player: owner, conditions, writes, .. } = owner;
    if other.id == owner.id {
        return Err(BlockRefusal::Yourself);
    }
    let key = block_key(&owner.id, &other.id)?;
    let mut update = Update::default();
    if is_blocked {
        let is_full = store.scan(blocks_of(&owner.id)?, None, BLOCKS_MAX).await?.len() >= BLOCKS_MAX;
        if is_full && store.get(key.clone()).await?.is_none() {
            return Err(BlockRefusal::TooMany);
        }
        update = Update { conditions: conditions.clone(), writes: writes.clone() };
        update.writes.push(Write::Put { key, value: Vec::new(), expires: None });
    } else {
        update.writes.push(Write::Delete { key });
    }
    match store.update(update).await? {
        // Unknown is as good: the list shows what came of it, and asking again does no harm.
        UpdateOutcome::Ok | UpdateOutcome::Unknown => Ok(()),
        UpdateOutcome::Conflict => Err(BlockRefusal::Conflict),
    }
}

/// Whom a player has blocked, as they are called today.
///
/// # Errors
/// [`StoreError`].
pub(crate) async fn blocked_by(store: &dyn Store, owner: &str) -> Result<Vec<Player>, StoreError> {
    let mut players = Vec::new();
    for id in blocked_ids(store, owner).await? {
        players.push(player_shown(store, &id, PlayerKind::Guest).await?);
    }
    Ok(players)
}

/// The ids of those whom a player has blocked.
///
/// # Errors
/// [`StoreError`].
pub(crate) async fn blocked_ids(store: &dyn Store, owner: &str) -> Result<Vec<String>, StoreError> {
    let prefix = blocks_of(owner)?;
    let blocked = store.scan(prefix.clone(), None, BLOCKS_MAX).await?;
    let id = |key: &Key| {
        let id = key.as_bytes().strip_prefix(prefix.as_bytes())?;
        std::str::from_utf8(id).ok().map(str::to_owned)
    };
    Ok(blocked.iter().filter_map(|(key, _)| id(key)).collect())
}

/// Whether a player has blocked another one.
///
/// # Errors
/// [`StoreError`].
pub(crate) async fn has_blocked(store: &dyn Store, owner: &str, other: &str) -> Result<bool, StoreError> {
    Ok(store.get(block_key(owner, other)?).await?.is_some())
}

/// Whether one of both has blocked the other one: they do not play each other.
///
/// # Errors
/// [`StoreError`].
pub(crate) async fn are_apart(store: &dyn Store, one: &str, other: &str) -> Result<bool, StoreError> {
    Ok(has_blocked(store, one, other).await? || has_blocked(store, other, one).await?)
}

pub(crate) fn blocks_of(owner: &str) -> Result<Key, StoreError> {
    BLOCKS.under([&owner])
}

fn block_key(owner: &str, other: &str) -> Result<Key, StoreError> {
    BLOCKS.key([&owner, &other])
}
