//! Stores a guest in the same update as their first lasting action. So the store never contains
//! an action without its guest, or a guest without an action.

use std::time::Duration;

use flagfall_board::Stamp;
use flagfall_protocol::{Player, PlayerKind, Scope};
use flagfall_store::{Expect, Key, Store, StoreError, SystemClock, WallClock, Write};

use super::error::PlayerError;
use super::guest::{REFRESH_MS, free_name};
use super::name::Name;
use super::record::{PlayerRecord, TokenRecord};
use crate::records::mark;
use crate::settings::ms;
use flagfall_base::identity::GuestPass;
use flagfall_base::keys::{GONE, NAMES, NEW_GUESTS, PLAYERS, time16};
use flagfall_base::transact::expect;

/// Conditions and writes to add to the update that carries out a player's action. For accounts,
/// there are none.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The player who acts. If another player has taken a guest's name in the meantime, this is
    /// the guest with a number added to their name.
    pub player: Player,
    pub conditions: Vec<(Key, Expect)>,
    /// The writes that store a new guest, or extend the expiry of a stored guest.
    pub writes: Vec<Write>,
    pub is_new: bool,
}

impl Standing {
    /// Returns a standing without conditions and writes, for a player whose actions need none.
    pub fn plain(player: &Player) -> Standing {
        let (conditions, writes) = (Vec::new(), Vec::new());
        Standing { player: player.clone(), conditions, writes, is_new: false }
    }

    /// True if one of the conditions is not met. The action must then be tried again with a new
    /// standing.
    pub async fn is_outdated(&self, store: &dyn Store) -> Result<bool, StoreError> {
        for (key, expected) in &self.conditions {
            if expect(store.get(key.clone()).await?) != *expected {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns the conditions and writes to add to an action of this player. `pass` is needed only
/// for a guest who is not stored yet. `stay` is the time for which guests who do not return are
/// kept.
pub async fn standing(
    store: &dyn Store,
    player: &Player,
    pass: Option<&GuestPass>,
    stay: Duration,
) -> Result<Standing, PlayerError> {
    if player.kind != PlayerKind::Guest {
        return Ok(Standing::plain(player));
    }
    let own_key = PLAYERS.key([&player.id])?;
    let now = SystemClock.now();
    if let Some(bytes) = store.get(own_key.clone()).await? {
        let mut record = PlayerRecord::read(&bytes)?;
        if record.closed.is_some() {
            return Err(PlayerError::Closed);
        }
        let conditions = vec![(own_key, Expect::Value(bytes))];
        let writes = if record.extend_stay(now, stay) { record.writes()? } else { Vec::new() };
        return Ok(Standing { player: record.player, conditions, writes, is_new: false });
    }
    // This is a guest of version 0.1 whose record has expired. They have no pass, so they cannot
    // be stored again.
    let Some(pass) = pass else { return Ok(Standing::plain(player)) };
    let name = free_name(store, &player.id, &player.name, |_| true).await?;
    let record = PlayerRecord::of_guest(player, &name, pass, now, stay);
    let gone = GONE.key([&player.id])?;
    if store.get(gone.clone()).await?.is_some() {
        return Err(PlayerError::UnknownToken);
    }
    let conditions = vec![
        (own_key, Expect::Absent),
        (NAMES.key([&record.name_key])?, Expect::Absent),
        (gone, Expect::Absent),
    ];
    let mut writes = record.writes()?;
    let listed = NEW_GUESTS.key([&time16(store.now()), &player.id])?;
    writes.push(mark(listed, record.expires.map(Stamp)));
    Ok(Standing { player: record.player, conditions, writes, is_new: true })
}

/// Parses a key below `new_guests/`. Returns the time at which the guest was stored, and their
/// id.
pub(crate) fn new_guest(key: &Key) -> Option<(Stamp, String)> {
    let (at, id) = NEW_GUESTS.rest(key)?.split_once('/')?;
    Some((Stamp(at.parse().ok()?), id.to_owned()))
}

impl PlayerRecord {
    pub(super) fn of_guest(
        player: &Player,
        name: &Name,
        pass: &GuestPass,
        now: Stamp,
        stay: Duration,
    ) -> PlayerRecord {
        let token = TokenRecord {
            id: pass.token_id.clone(),
            hash: pass.hash.as_text(),
            name: "guest".to_owned(),
            scope: Scope::Play,
            created: now.0,
        };
        let record = PlayerRecord::new(player.id.clone(), name, PlayerKind::Guest, token, now);
        PlayerRecord { expires: Some(later(now, stay).0), ..record }
    }

    /// Extends a guest's expiry, at most once a day. Returns `false` if nothing has to be
    /// written.
    pub(super) fn extend_stay(&mut self, now: Stamp, stay: Duration) -> bool {
        let later = later(now, stay).0;
        let is_due = self.expires.is_some_and(|expires| later.saturating_sub(expires) >= REFRESH_MS);
        if is_due {
            self.expires = Some(later);
        }
        is_due
    }
}

pub(super) fn later(now: Stamp, stay: Duration) -> Stamp {
    now.plus_ms(ms(stay))
}
