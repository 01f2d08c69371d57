//! The open seeks: records in the store, which decides who gets one, and what this server knows of them, as a pure state machine.
//!
//! `seeks/ID` lies there as long as the seek is open. Accepting it, or taking it back, is one update on the condition that it still lies there, so
//! any number of servers may try. What a server shows its watchers it reads twice a second where others may write.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use flagfall_protocol::{Player, Seek};
use flagfall_store::{Expect, Key, Record, Store, Update, Write};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::refusal::LobbyRefusal;
use flagfall_base::keys::{SEEK_TURN, SEEKS};

/// Seeks read at once: more than any lobby has.
const SEEKS_READ_MAX: usize = 4_096;

/// An open seek as the store keeps it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SeekRecord {
    /// What is offered.
    pub seek: Seek,
    /// Since when, in milliseconds since 1970.
    pub since: u64,
}

impl SeekRecord {
    /// What opens it.
    pub(super) fn opening(&self) -> Result<Write, LobbyRefusal> {
        let value = serde_json::to_vec(self).map_err(|_| LobbyRefusal::Internal("unwritable seek"))?;
        Ok(Write::Put { key: key(&self.seek.id)?, value, expires: None })
    }
}

/// The open seek of this id, and what must hold for it to be taken out.
pub(super) async fn find(
    store: &Arc<dyn Store>,
    id: &str,
) -> Result<(SeekRecord, Key, Vec<u8>), LobbyRefusal> {
    let is_id = (10..=32).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let key = key(if is_id { id } else { return Err(LobbyRefusal::NoSuchSeek) })?;
    let bytes = store.get(key.clone()).await?.ok_or(LobbyRefusal::NoSuchSeek)?;
    let record = serde_json::from_slice(&bytes).map_err(|error| {
        tracing::error!(%error, "a seek cannot be read");
        LobbyRefusal::Store
    })?;
    Ok((record, key, bytes))
}

/// All seeks that are open, as far as they can be read.
pub(super) async fn read_all(store: &Arc<dyn Store>) -> Result<Vec<SeekRecord>, LobbyRefusal> {
    let records = store.scan(SEEKS.all()?, None, SEEKS_READ_MAX).await?;
    // Of another version, perhaps: then others show it.
    Ok(records.iter().filter_map(|(_, value): &Record| serde_json::from_slice(value).ok()).collect())
}

/// How long it is kept which seek was opened last, in milliseconds: longer than anybody takes between counting and opening.
const TURN_MS: u64 = 60_000;

/// The seek that was opened last, and what must hold for nobody to have opened another one since.
pub(super) async fn turn(store: &Arc<dyn Store>) -> Result<(Key, Expect), LobbyRefusal> {
    let key = turn_key()?;
    let before = store.get(key.clone()).await?;
    Ok((key, before.map_or(Expect::Absent, Expect::Value)))
}

/// This seek is opened.
pub(super) fn next_turn(store: &Arc<dyn Store>, seek_id: &str) -> Result<Write, LobbyRefusal> {
    let expires = Some(store.now().plus_ms(TURN_MS));
    Ok(Write::Put { key: turn_key()?, value: seek_id.into(), expires })
}

fn turn_key() -> Result<Key, LobbyRefusal> {
    SEEK_TURN.key([]).map_err(|_| LobbyRefusal::Internal("impossible key"))
}

/// Closes a seek if it is still open.
pub(super) async fn close(store: &Arc<dyn Store>, id: &str) -> Result<(), LobbyRefusal> {
    match find(store, id).await {
        Ok((_, key, bytes)) => {
            let conditions = vec![(key.clone(), Expect::Value(bytes))];
            store.update(Update { conditions, writes: vec![Write::Delete { key }] }).await?;
            Ok(())
        }
        Err(LobbyRefusal::NoSuchSeek) => Ok(()),
        Err(refusal) => Err(refusal),
    }
}

/// Closes what a player has open.
pub(super) async fn close_all(store: &Arc<dyn Store>, seeker: &Player) -> Result<(), LobbyRefusal> {
    for record in read_all(store).await?.iter().filter(|record| record.seek.seeker.id == seeker.id) {
        close(store, &record.seek.id).await?;
    }
    Ok(())
}

fn key(id: &str) -> Result<Key, LobbyRefusal> {
    SEEKS.key([&id]).map_err(|_| LobbyRefusal::NoSuchSeek)
}

/// Whether a player may open another seek beside these.
///
/// # Errors
/// [`LobbyRefusal::TooManySeeks`], [`LobbyRefusal::LobbyFull`].
pub(super) fn check_room(
    open: &[SeekRecord],
    player_id: &str,
    per_player: usize,
    max: usize,
) -> Result<(), LobbyRefusal> {
    let own = open.iter().filter(|record| record.seek.seeker.id == player_id).count();
    if own >= per_player {
        Err(LobbyRefusal::TooManySeeks(own))
    } else if open.len() >= max {
        Err(LobbyRefusal::LobbyFull)
    } else {
        Ok(())
    }
}

/// The open seeks as this server knows of them, oldest first.
#[derive(Default, Debug)]
pub struct Seeks {
    open: Vec<SeekRecord>,
    /// Counts what this server itself has changed.
    changes: u64,
    is_read: bool,
    /// Seekers without a connection, and since when.
    gone_since: HashMap<String, Instant>,
    looked_at: Option<Instant>,
}

impl Seeks {
    /// What this server has changed so far: a reading that began before a change is old.
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    /// Whether they were ever read.
    pub(super) fn is_read(&self) -> bool {
        self.is_read
    }

    /// Takes over what was read, unless something has changed here since it was begun.
    pub(super) fn replace(&mut self, mut open: Vec<SeekRecord>, changes: u64) {
        if changes == self.changes {
            open.sort_by(|one, other| (one.since, &one.seek.id).cmp(&(other.since, &other.seek.id)));
            self.open = open;
            self.is_read = true;
        }
    }

    /// A seek is open.
    pub(super) fn open(&mut self, record: SeekRecord) {
        self.changes += 1;
        let at =
            self.open.partition_point(|open| (open.since, &open.seek.id) < (record.since, &record.seek.id));
        self.open.insert(at, record);
    }

    /// A seek is open no more.
    pub(super) fn remove(&mut self, id: &str) {
        self.changes += 1;
        self.open.retain(|record| record.seek.id != id);
    }

    /// The seeks whose seekers have been gone for `grace`. Who did not look for a while does not know for how long anybody was gone.
    pub(super) fn abandoned(
        &mut self,
        now: Instant,
        grace: Duration,
        is_online: impl Fn(&str) -> bool,
    ) -> Vec<SeekRecord> {
        let before = self.looked_at.replace(now);
        if before.is_none_or(|before| now.saturating_duration_since(before) > grace / 2) {
            self.gone_since.clear();
        }
        let gone: BTreeSet<&str> = self.seekers().filter(|seeker| !is_online(seeker)).collect();
        let mut gone_since: HashMap<String, Instant> = HashMap::new();
        for seeker in gone {
            gone_since.insert(seeker.to_owned(), self.gone_since.get(seeker).copied().unwrap_or(now));
        }
        self.gone_since = gone_since;
        let is_abandoned = |record: &&SeekRecord| {
            let since = self.gone_since.get(&record.seek.seeker.id);
            since.is_some_and(|since| now.saturating_duration_since(*since) >= grace)
        };
        self.open.iter().filter(is_abandoned).cloned().collect()
    }

    /// Whether this server shows the seek.
    pub(super) fn has(&self, id: &str) -> bool {
        self.open.iter().any(|record| record.seek.id == id)
    }

    /// The players who seek.
    pub(super) fn seekers(&self) -> impl Iterator<Item = &str> {
        self.open.iter().map(|record| record.seek.seeker.id.as_str())
    }

    /// The open seeks, oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<Seek> {
        self.open.iter().map(|record| record.seek.clone()).collect()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use flagfall_protocol::{PlayerKind, Terms, Time};

    use super::*;

    const GRACE: Duration = Duration::from_secs(10);

    fn record(id: &str, seeker: &str, since: u64) -> SeekRecord {
        let seek = Seek {
            id: id.to_owned(),
            seeker: Player { id: seeker.to_owned(), name: seeker.to_owned(), kind: PlayerKind::Guest },
            terms: Terms {
                ruleset: "classic".to_owned(),
                time: Time::Unlimited {},
                private: false,
                secret: false,
                rated: false,
            },
            side: None,
            rating: None,
            seeker_rating: None,
        };
        SeekRecord { seek, since }
    }

    fn ids(seeks: &Seeks) -> Vec<String> {
        seeks.list().into_iter().map(|seek| seek.id).collect()
    }

    #[test]
    fn seeks_stand_in_the_order_in_which_they_were_opened_wherever_that_was() {
        let mut seeks = Seeks::default();
        seeks.open(record("s2", "bo", 2));
        seeks.replace(vec![record("s3", "cy", 3), record("s1", "ana", 1)], seeks.changes());
        seeks.open(record("s2", "bo", 2));
        assert_eq!(ids(&seeks), ["s1", "s2", "s3"]);
        seeks.remove("s1");
        assert_eq!(ids(&seeks), ["s2", "s3"]);
    }

    #[test]
    fn a_reading_that_a_change_overtook_counts_for_nothing() {
        let mut seeks = Seeks::default();
        let before = seeks.changes();
        seeks.open(record("s1", "ana", 1));
        seeks.replace(Vec::new(), before);
        assert!(ids(&seeks) == ["s1"] && !seeks.is_read());
        seeks.replace(Vec::new(), seeks.changes());
        assert!(seeks.is_empty() && seeks.is_read());
    }

    #[test]
    fn a_player_has_a_few_seeks_and_the_lobby_a_few_more() {
        let open = [record("s1", "ana", 1)];
        assert_eq!(check_room(&open, "ana", 1, 9), Err(LobbyRefusal::TooManySeeks(1)));
        assert_eq!(check_room(&open, "bo", 1, 1), Err(LobbyRefusal::LobbyFull));
        assert_eq!(check_room(&open, "bo", 1, 2), Ok(()));
    }

    /// Looks every second from `start + from` to `start + to`; the seeks found abandoned at the end.
    fn look(seeks: &mut Seeks, start: Instant, from: u64, to: u64, online: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        for second in from..=to {
            let now = start + Duration::from_secs(second);
            found = seeks.abandoned(now, GRACE, |player| online.contains(&player));
        }
        found.into_iter().map(|record| record.seek.id).collect()
    }

    #[test]
    fn seeks_go_when_the_seeker_has_been_gone_for_the_grace_time() {
        let start = Instant::now();
        let mut seeks = Seeks::default();
        seeks.open(record("s1", "ana", 1));
        seeks.open(record("s2", "bo", 2));
        assert!(look(&mut seeks, start, 0, 9, &["bo"]).is_empty());
        assert_eq!(look(&mut seeks, start, 10, 10, &["bo"]), ["s1"]);
    }

    #[test]
    fn a_seeker_who_comes_back_in_time_keeps_his_seeks() {
        let start = Instant::now();
        let mut seeks = Seeks::default();
        seeks.open(record("s1", "ana", 1));
        assert!(look(&mut seeks, start, 0, 9, &[]).is_empty());
        assert!(look(&mut seeks, start, 10, 10, &["ana"]).is_empty());
        assert!(look(&mut seeks, start, 11, 20, &[]).is_empty());
        assert_eq!(look(&mut seeks, start, 21, 21, &[]), ["s1"]);
    }

    #[test]
    fn a_server_that_slept_does_not_know_for_how_long_anybody_was_gone() {
        let start = Instant::now();
        let mut seeks = Seeks::default();
        seeks.open(record("s1", "ana", 1));
        assert!(look(&mut seeks, start, 0, 3, &[]).is_empty());
        assert!(look(&mut seeks, start, 60, 69, &[]).is_empty());
        assert_eq!(look(&mut seeks, start, 70, 70, &[]), ["s1"]);
    }
}
