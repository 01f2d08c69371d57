//! Accounts that an operator has closed. Logins to them are refused, and their open sockets are
//! closed on all servers.

use flagfall_protocol::{CloseCode, Player, PlayerKind};
use flagfall_store::{Expect, Key, Store, StoreError, SystemClock, Update, WallClock, Write};

use crate::records::mark;
use flagfall_base::keys::{CLOSED, NAMES, PLAYERS};
use flagfall_base::scan::Scan;
use flagfall_base::transact::Transaction;
use thiserror::Error;

use super::record::{Closed, PlayerRecord};
use super::{Name, Players};

/// The time for which a closure is announced, in milliseconds. During this time, all servers
/// close the account's sockets.
const TOLD_MS: u64 = 5 * 60 * 1_000;
const REOPENED_MS: u64 = 90 * 24 * 60 * 60 * 1_000;
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ClosureError {
    #[error("there is no player with this name")]
    NoSuchPlayer,
    #[error("this account is already closed")]
    AlreadyClosed,
    #[error("this account is not closed")]
    NotClosed,
    #[error(transparent)]
    Store(#[from] StoreError),
}

pub async fn find_player(store: &dyn Store, name: &str) -> Result<(Player, bool), ClosureError> {
    let (record, _) = find(store, name).await?;
    Ok((record.player, record.closed.is_some()))
}

/// True if an operator has closed this player's account.
pub(crate) async fn is_closed(store: &dyn Store, player: &str) -> Result<bool, StoreError> {
    let Some(bytes) = store.get(PLAYERS.key([&player])?).await? else { return Ok(false) };
    Ok(PlayerRecord::read(&bytes)?.closed.is_some())
}

/// Closes or reopens an account, and writes `note` in the same update. After an error, nothing
/// has changed. The exception is [`ClosureError::Store`], after which the change may have been
/// written. Read the account to find out.
pub async fn set_closed(
    store: &dyn Store,
    name: &str,
    is_closed: bool,
    note: impl Fn(&Player) -> Result<Write, StoreError>,
) -> Result<Player, ClosureError> {
    let mut transaction = Transaction::new(store, "the player's record");
    let mut is_tried = false;
    loop {
        let (mut record, bytes) = find(store, name).await?;
        match (record.closed, is_closed) {
            // The store may have made the change in the previous attempt without confirming it, or
            // another operator was faster.
            (closed, wanted) if is_tried && closed.is_some() == wanted => return Ok(record.player),
            (Some(_), true) => return Err(ClosureError::AlreadyClosed),
            (None, false) => return Err(ClosureError::NotClosed),
            (None, true) => record.closed = Some(Closed { at: SystemClock.now().0 }),
            (Some(_), false) => record.closed = None,
        }
        if record.player.kind == PlayerKind::Guest {
            // While a guest is closed, their record must stay, because their token would be valid
            // without it.
            let reopened = SystemClock.now().plus_ms(REOPENED_MS).0;
            record.expires = (!is_closed).then_some(reopened);
        }
        let told = CLOSED.key([&record.player.id])?;
        let mut writes = record.writes()?;
        writes.push(if is_closed {
            mark(told, Some(SystemClock.now().plus_ms(TOLD_MS)))
        } else {
            Write::Delete { key: told }
        });
        writes.push(note(&record.player)?);
        let conditions = vec![(PLAYERS.key([&record.player.id])?, Expect::Value(bytes))];
        if transaction.commit(Update { conditions, writes }).await? {
            return Ok(record.player);
        }
        is_tried = true;
    }
}

async fn find(store: &dyn Store, name: &str) -> Result<(PlayerRecord, Vec<u8>), ClosureError> {
    let folded = Name::new(name).map_err(|_| ClosureError::NoSuchPlayer)?.folded();
    let id = store.get(NAMES.key([&folded])?).await?.ok_or(ClosureError::NoSuchPlayer)?;
    let id = String::from_utf8(id).map_err(|_| ClosureError::NoSuchPlayer)?;
    let bytes = store.get(PLAYERS.key([&id])?).await?.ok_or(ClosureError::NoSuchPlayer)?;
    Ok((PlayerRecord::read(&bytes)?, bytes))
}

impl Players {
    /// Closes the sockets of recently closed accounts. Returns the announcements that were found.
    pub async fn look_for_closed(&self) -> Result<Vec<Key>, StoreError> {
        let closed = Scan::all_reachable(&*self.inner.store, CLOSED.all()?).await?.records;
        for player in closed.iter().filter_map(|(key, _)| CLOSED.rest(key)) {
            self.inner.store.drop_copies(player);
            self.inner.connections.close_player(player, CloseCode::Banned);
        }
        Ok(closed.into_iter().map(|(key, _)| key).collect())
    }
}
