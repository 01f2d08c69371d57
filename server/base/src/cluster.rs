//! The servers that share a store, and what each of them knows about the others.
//!
//! Each server has a record in the store. The record expires unless the server renews it. Losing a
//! record does no lasting harm. A record contains the number of players connected to the server,
//! and the server's abilities. When all servers can read a newer form of log entries, they start to
//! write log entries in that form. Servers also send each other short-lived notices (`bus`), for
//! example about the players who have a game open (`seats`).
//!
//! A notice about a game or for a player goes only to the servers that have the game open, or to
//! which the player is connected. Servers of earlier versions cannot receive notices that are
//! addressed in this way. While there may be such servers, each of these notices is also sent to
//! all servers.
//!
//! The servers take turns to look for due work (`turns`), and each does its share of the work
//! (`duties`).

mod bus;
mod duties;
mod seats;
#[cfg(test)]
mod tests;
mod turns;
mod watch;

use self::duties::{Colleague, Duties, Turn};
use self::watch::{MEETINGS, Watch};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::keys::{SERVERS, last_part};
use flagfall_store::record::Form;
use flagfall_store::{Key, Reached, Store, StoreError, Update, Write};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

pub use self::bus::{BusMessage, News, OpenedSeek};
pub use self::duties::OTHERS_WAIT_MS;
pub use self::seats::{Elsewhere, SeatNews, Seating, Seats};

/// The time after which a server that does not renew its record counts as gone, in milliseconds.
const ALIVE_MS: u64 = 3_000;
/// The maximum number of servers' records that are read.
const PEERS_MAX: usize = 1_024;

/// The record of a server in the store. It shows other servers that the server exists.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct MemberInfo {
    /// The number of players connected to the server.
    pub online: usize,
    /// The connected players who have an open seek. Empty if there are no servers of earlier
    /// versions, because only they need this list.
    pub seekers: BTreeSet<String>,
    /// The newest form of log entries that the server can read. Version 0.1 omits this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads_form: Option<u8>,
    /// The id of the archive that the server reads, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive: Option<u64>,
    /// True if the server only shows games to spectators. Such a server guards nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_relay: bool,
}

impl MemberInfo {
    /// Returns the record of a server of this version without connected players.
    #[must_use]
    pub fn of_this_version() -> MemberInfo {
        MemberInfo { reads_form: Some(Form::NEWEST.number()), ..MemberInfo::default() }
    }

    /// True for a server of version 0.1. It can only read form 1 and no volumes of histories. It
    /// receives only notices that are sent to all servers, and tells no players on other servers
    /// about games that it creates for them. It takes no turns in looking for due work.
    fn is_former(&self) -> bool {
        self.reads_form.is_none()
    }

    /// True if both servers have the same abilities.
    fn understands_same(&self, other: &MemberInfo) -> bool {
        let lasting = |info: &MemberInfo| MemberInfo { online: 0, seekers: BTreeSet::new(), ..info.clone() };
        lasting(self) == lasting(other)
    }

    fn reads_newest_form(&self) -> bool {
        self.reads_form.is_some_and(|form| form >= Form::NEWEST.number())
    }
}

/// The other servers on the store. Cheap to clone; all clones share the same state.
#[derive(Clone)]
pub struct Peers {
    inner: Option<Arc<Inner>>,
    forced_form: Option<Form>,
}

struct Inner {
    store: Arc<dyn Store>,
    id: String,
    /// The other servers and their records, in the order of their ids.
    others: Mutex<Vec<(String, MemberInfo)>>,
    duties: Mutex<Duties>,
    watch: Mutex<Watch>,
    /// This server's turn, for the tasks that wait for it.
    turn_changes: tokio::sync::watch::Sender<Turn>,
    /// The number of consecutive meetings up to now at which all servers could read the newest
    /// form, and volumes of histories.
    agreed: AtomicU32,
    /// The number of consecutive meetings up to now at which all servers had the same archive.
    archive_agreed: AtomicU32,
    /// The number of consecutive meetings up to now at which all servers followed topics.
    topics_agreed: AtomicU32,
}

/// The other servers that a meeting has found.
struct Met {
    others: Vec<(String, MemberInfo)>,
    /// False if there may be more servers, or if the others may not find this server.
    is_whole: bool,
}

impl Peers {
    /// Returns peers without any known servers. Other servers are never added if only this
    /// process can use the store.
    ///
    /// If `forced_form` is given, log entries are always written in that form. Otherwise the form
    /// depends on the other servers.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, id: String, forced_form: Option<Form>) -> Peers {
        let inner = store.announcements().is_some().then(|| Arc::new(Inner::new(store, id)));
        Peers { inner, forced_form }
    }

    /// Returns the form in which log entries are written. A server refuses games with entries in
    /// a form that it cannot read, so form 1 is written until all servers can read the newest
    /// form.
    #[must_use]
    pub fn write_form(&self) -> Form {
        let automatic = || if self.has_agreed() { Form::NEWEST } else { Form::Json };
        self.forced_form.unwrap_or_else(automatic)
    }

    fn has_agreed(&self) -> bool {
        self.inner.as_ref().is_none_or(|inner| inner.agreed.load(Ordering::Relaxed) >= MEETINGS)
    }

    /// True if games may be moved to this server's archive, because all servers on the store use
    /// the same archive.
    #[must_use]
    pub fn can_archive(&self) -> bool {
        let has_agreed = |inner: &Arc<Inner>| inner.archive_agreed.load(Ordering::Relaxed) >= MEETINGS;
        self.inner.as_ref().is_none_or(has_agreed)
    }

    /// True if there may be servers of earlier versions, which do not follow topics.
    #[must_use]
    pub fn has_former(&self) -> bool {
        self.inner.as_ref().is_some_and(|inner| inner.topics_agreed.load(Ordering::Relaxed) < MEETINGS)
    }

    /// True if finished games may be written to the volumes of histories. All servers on the
    /// store must be able to read volumes, and no older form of log entries may be forced.
    #[must_use]
    pub fn can_write_volumes(&self) -> bool {
        self.forced_form.is_none_or(|form| form == Form::NEWEST) && self.has_agreed()
    }

    /// Returns the id of this server; `None` if only this process can use the store.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.inner.as_ref().map(|inner| inner.id.as_str())
    }

    /// True if other servers can use the store.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.inner.is_some()
    }

    /// Renews this server's record, and reads the records of the other servers unless they are
    /// almost certainly unchanged. Call this once per second.
    ///
    /// # Errors
    /// [`StoreError`]: this server's record could not be renewed, or the other servers' records
    /// could not be read. Records that were not read count as unchanged.
    pub async fn meet(&self, info: &MemberInfo) -> Result<(), StoreError> {
        let Some(inner) = &self.inner else { return Ok(()) };
        let (written, met) = inner.meet(info).await;
        // Time alone may have changed it, if this server no longer hears itself.
        inner.note_turn();
        let Some(met) = met.transpose() else { return Ok(()) };
        let is_whole = met.as_ref().is_ok_and(|met| met.is_whole);
        let met = met.map(|met| met.others);
        let do_all = |has: &dyn Fn(&MemberInfo) -> bool| {
            // If records are missing, the answer is false, because their servers may lack the
            // ability.
            is_whole && met.as_ref().is_ok_and(|others| others.iter().all(|(_, info)| has(info)))
        };
        inner.note_agreement(do_all(&MemberInfo::reads_newest_form));
        let has_same = |other: &MemberInfo| info.archive.is_some() && other.archive == info.archive;
        let have_archive = has_same(info)
            && met.as_ref().is_ok_and(|others| others.iter().all(|(_, other)| has_same(other)));
        // A meeting that missed some records does not change this count if all servers that are
        // heard are known, because the archive of a running server never changes. So while a part
        // of the store is away, the games in the others are still archived.
        let may_miss = || {
            let others: Vec<&str> = met.iter().flatten().map(|(id, _)| id.as_str()).collect();
            inner.watch.lock().may_miss(&others, &inner.id, Instant::now())
        };
        if is_whole || !have_archive || may_miss() {
            count(&inner.archive_agreed, is_whole && have_archive);
        }
        if is_whole {
            // A meeting that missed some servers says nothing about them, so it does not reset this
            // count. If a server of an earlier version has joined, the next complete meeting finds
            // it. Until then, that server misses only notices whose loss does no harm.
            count(&inner.topics_agreed, do_all(&|other| !other.is_former()));
            inner.store.serve_former(self.has_former());
        }
        inner.note_met(info, met?);
        written
    }

    /// True if this server is the guardian of this game, player or kind of work, and so should do
    /// its work. Other servers do the work only if it is overdue by [`OTHERS_WAIT_MS`]. For a
    /// short time, two servers may be guardians of the same subject, so a guardian has no
    /// exclusive rights.
    #[must_use]
    pub fn guards(&self, subject: &str) -> bool {
        self.inner.as_ref().is_none_or(|inner| inner.duties.lock().includes(subject))
    }

    /// True if all other servers tell players on this server about games that they create. If
    /// false, this server has to look for such games itself. Also false if this server has not
    /// met any others.
    #[must_use]
    pub fn others_tell_starts(&self) -> bool {
        self.inner.as_ref().is_some_and(|inner| {
            let others = inner.others.lock();
            !others.is_empty() && others.iter().all(|(_, info)| !info.is_former())
        })
    }

    /// Deletes this server's record, and tells the other servers that it does no more work. Returns
    /// true if no other server can continue the games: there are none, or only relays. Returns
    /// false if the store does not answer.
    pub async fn leave(&self) -> bool {
        let Some(inner) = &self.inner else { return true };
        let left = async {
            inner.write(Write::Delete { key: inner.key()? }).await?;
            self.say_leaving(&inner.id).await;
            inner.look(true).await
        };
        left.await.is_ok_and(|met| met.is_whole && met.others.iter().all(|(_, info)| info.is_relay))
    }

    /// Returns the number of players connected to other servers.
    #[must_use]
    pub fn online(&self) -> usize {
        let online = |inner: &Arc<Inner>| inner.others.lock().iter().map(|(_, info)| info.online).sum();
        self.inner.as_ref().map_or(0, online)
    }

    /// True if a player with an open seek is connected to another server that lists such players.
    #[must_use]
    pub fn is_listed_seeker(&self, player: &str) -> bool {
        let is_listed = |(_, info): &(String, MemberInfo)| info.seekers.contains(player);
        self.inner.iter().any(|inner| inner.others.lock().iter().any(is_listed))
    }
}

impl Inner {
    fn new(store: Arc<dyn Store>, id: String) -> Inner {
        let (others, duties, watch, agreed, archive_agreed, topics_agreed) = Default::default();
        Inner {
            store,
            id,
            others,
            duties,
            watch,
            turn_changes: tokio::sync::watch::Sender::new(Turn::ALONE),
            agreed,
            archive_agreed,
            topics_agreed,
        }
    }

    /// Renews this server's record. Also returns the other servers and their records, unless they
    /// are almost certainly the same as before.
    async fn meet(&self, info: &MemberInfo) -> (Result<(), StoreError>, Result<Option<Met>, StoreError>) {
        let value = serde_json::to_vec(info).unwrap_or_default();
        let expires = Some(self.store.now().plus_ms(ALIVE_MS));
        // If this server's record is in a part of the store that does not answer, the records of
        // other servers may still be readable.
        let written = async { self.write(Write::Put { key: self.key()?, value, expires }).await }.await;
        let must_read = self.watch.lock().must_read(&self.id, Instant::now());
        if must_read || written.is_err() {
            let met = self.look(written.is_ok()).await;
            if !met.as_ref().is_ok_and(|met| met.is_whole) {
                self.watch.lock().note_failure();
            }
            (written, met.map(Some))
        } else {
            (written, Ok(None))
        }
    }

    /// Records which other servers there are. `info` is this server's record.
    fn note_met(&self, info: &MemberInfo, met: Vec<(String, MemberInfo)>) {
        let colleague =
            |(id, info): &(String, MemberInfo)| Colleague { id: id.clone(), takes_turns: !info.is_former() };
        let guardians = met.iter().filter(|(_, info)| !info.is_relay).map(colleague).collect();
        self.duties.lock().share((!info.is_relay).then_some(self.id.as_str()), guardians);
        self.note_turn();
        let known = met.iter().map(|(id, _)| id.clone()).collect();
        let before = std::mem::replace(&mut *self.others.lock(), met);
        let is_same = {
            let now = self.others.lock();
            before.len() == now.len()
                && before.iter().zip(&*now).all(|(one, other)| one.1.understands_same(&other.1))
        };
        self.watch.lock().note_read(known, is_same, Instant::now());
    }

    /// Counts a meeting at which all servers could read the newest form. Any other meeting resets
    /// the count. Logs when the form changes.
    fn note_agreement(&self, do_agree: bool) {
        let (before, after) = count(&self.agreed, do_agree);
        let form = Form::NEWEST.number();
        if before < MEETINGS && after == MEETINGS {
            tracing::info!(form, "every server on this store can read this form of log entries; writing it");
        } else if before >= MEETINGS && after == 0 {
            tracing::info!(
                form,
                "a server on this store may be unable to read this form of log entries; writing form 1"
            );
        }
    }

    fn key(&self) -> Result<Key, StoreError> {
        SERVERS.key([&self.id])
    }

    async fn write(&self, write: Write) -> Result<(), StoreError> {
        // The result does not matter, because the record is written again within a second.
        self.store.update(Update { conditions: Vec::new(), writes: vec![write] }).await.map(drop)
    }

    /// Returns the ids of the other servers, and their records. Servers may be missing if some
    /// records cannot be read, or cannot be renewed (`is_writable` is false). In these cases, known
    /// servers are included as long as they are not silent.
    async fn look(&self, is_writable: bool) -> Result<Met, StoreError> {
        let (own, all) = (self.key()?, SERVERS.all()?);
        let Reached { records, is_whole } = self.store.scan_reachable(all.clone(), None, PEERS_MAX).await?;
        let is_whole = is_writable && is_whole && records.len() < PEERS_MAX;
        let others = records.into_iter().filter(|(key, _)| *key != own);
        // A server of another version may write a record that this server cannot parse. Such a
        // server still counts.
        let info = |value: &[u8]| serde_json::from_slice(value).unwrap_or_default();
        let mut others: Vec<(String, MemberInfo)> =
            others.filter_map(|(key, value)| Some((last_part(&key, &all)?, info(&value)))).collect();
        if !is_whole {
            let found: BTreeSet<String> = others.iter().map(|(id, _)| id.clone()).collect();
            let (watch, now) = (self.watch.lock(), Instant::now());
            let is_missed = |id: &String| !found.contains(id) && watch.may_be_alive(id, &self.id, now);
            others.extend(self.others.lock().iter().filter(|(id, _)| is_missed(id)).cloned());
            others.sort_by(|(one, _), (other, _)| one.cmp(other));
        }
        Ok(Met { others, is_whole })
    }
}

/// Adds a meeting to the count of consecutive meetings at which all servers agreed. A meeting
/// without agreement resets the count. Returns the count before and after this meeting.
fn count(meetings: &AtomicU32, do_agree: bool) -> (u32, u32) {
    let before = meetings.load(Ordering::Relaxed);
    let after = if do_agree { before.saturating_add(1) } else { 0 };
    meetings.store(after, Ordering::Relaxed);
    (before, after)
}
