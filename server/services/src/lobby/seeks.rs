//! The open seeks: their records in the store, and this server's list of these seeks. The list is a
//! pure state machine.
//!
//! The record `seeks/ID` exists while the seek is open. Accepting or withdrawing a seek is one
//! update, on the condition that this record exists. So if several servers try, only one of them
//! succeeds.
//!
//! Servers that share a store tell each other about opened and closed seeks. Such a notice may be
//! lost. So a server also reads the store every few seconds, and immediately if a notice shows that
//! it has missed an opening. Every opening changes the record `seek_turn`. So this record shows
//! whether there was an opening that the server has not heard of. If a server has no open seek in
//! its list, it reads only this record. While the part of the store with this record is away, seeks
//! are opened without it, and servers read the others as often as they look. Then several servers
//! that open seeks at the same time may exceed the limits by a few.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use flagfall_protocol::{Code, CommandId, Refusal, Seek};
use flagfall_store::{Expect, Key, Reached, Record, Store, StoreError, Write};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::offer::{Closing, find_offer};
use super::refusal::{no_such_seek, too_many};
use crate::Refused;
use flagfall_base::admission::{Limit, Scope, count_hit};
use flagfall_base::keys::{SEEK_TURN, SEEKS};
use flagfall_base::places::Reach;
use flagfall_base::scan::Scan;
use flagfall_base::transact::{expect, write_if};

/// The time after which a server that shares its store reads all seeks again.
pub(super) const REREAD: Duration = Duration::from_secs(5);
/// Like [`REREAD`], for a server that knows of no open seek. It is shorter than the life of
/// `seek_turn`, so no opening is missed.
const REREAD_NONE: Duration = Duration::from_secs(30);

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct SeekRecord {
    pub(super) seek: Seek,
    /// The time at which the seek was opened, in milliseconds since 1970.
    pub(super) since: u64,
    /// The seeker's command that opened the seek. Earlier versions do not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) opened_by: Option<CommandId>,
}

pub(super) async fn find(store: &Arc<dyn Store>, id: &str) -> Result<(SeekRecord, Key, Vec<u8>), Refused> {
    find_offer(store, &SEEKS, id, no_such_seek).await
}

/// Reads all open seeks, except those whose records cannot be read. The returned flag is false if a
/// part of the store is unreachable.
pub(super) async fn read_all(store: &Arc<dyn Store>) -> Result<(Vec<SeekRecord>, bool), StoreError> {
    let Reached { records, is_whole } = Scan::all_reachable(&**store, SEEKS.all()?).await?;
    // A record that cannot be read may come from a server of another version. Servers of that
    // version show it.
    let open = records.iter().filter_map(|(_, value): &Record| serde_json::from_slice(value).ok());
    Ok((open.collect(), is_whole))
}

const TURN_MS: u64 = 60_000;

/// Returns a condition that fails if any seek is opened between this call and the update. `None`
/// while the part of the store with `seek_turn` is away.
pub(super) async fn turn(store: &Arc<dyn Store>) -> Result<Option<(Key, Expect)>, StoreError> {
    let key = SEEK_TURN.key([]);
    if !Reach::of(&**store).has(&key) {
        return Ok(None);
    }
    let key = key?;
    let before = store.get(key.clone()).await?;
    Ok(Some((key, expect(before))))
}

/// Returns the write that records this seek as the one that was opened last.
pub(super) fn next_turn(store: &Arc<dyn Store>, seek_id: &str) -> Result<Write, StoreError> {
    let expires = Some(store.now().plus_ms(TURN_MS));
    Ok(Write::Put { key: SEEK_TURN.key([])?, value: seek_id.into(), expires })
}

pub(super) async fn close(store: &Arc<dyn Store>, id: &str) -> Result<(), Refused> {
    match find(store, id).await {
        Ok((_, key, bytes)) => {
            let writes = vec![Write::Delete { key: key.clone() }, Closing::Withdrawn.note(&**store, id)?];
            write_if(&**store, key, Some(bytes), writes).await?;
            Ok(())
        }
        Err(refused) if refused.is(Code::NO_SUCH_SEEK) => Ok(()),
        Err(refused) => Err(refused),
    }
}

fn own_of(open: &[SeekRecord], player_id: &str) -> usize {
    open.iter().filter(|record| record.seek.seeker.id == player_id).count()
}

pub(super) fn check_room(
    open: &[SeekRecord],
    player_id: &str,
    per_player: usize,
    max: usize,
) -> Result<(), Refused> {
    let own = own_of(open, player_id);
    if own >= per_player {
        count_hit(Limit::Offers, Scope::Player);
        Err(too_many("seeks", own))
    } else if open.len() >= max {
        count_hit(Limit::Offers, Scope::Server);
        Err(Refusal::new(Code::TOO_MANY).because("lobby").into())
    } else {
        Ok(())
    }
}

/// The open seeks in this server's list, oldest first.
#[derive(Default, Debug)]
pub(super) struct Seeks {
    open: Vec<SeekRecord>,
    /// The number of changes that this server has made to the list. If it has grown since a read
    /// began, the result of that read is out of date.
    pub(super) changes: u64,
    pub(super) is_read: bool,
    /// The time at which all seeks were last read, and the latest state of `seek_turn` that the
    /// list includes. While `seek_turn` has this state, the list is complete.
    read: Option<(Instant, Expect)>,
    /// The time at which `seek_turn` was last read. `None` if it must be read, because an opening
    /// was missed.
    pub(super) asked: Option<Instant>,
    /// The seekers who are not connected, with the times at which they were first found absent.
    gone_since: HashMap<String, Instant>,
    looked_at: Option<Instant>,
    /// The times at which seekers were last found to be connected to another server.
    seen: HashMap<String, Instant>,
}

impl Seeks {
    /// Replaces the list with the seeks that were read, unless this server has changed the list
    /// since the read began.
    pub(super) fn replace(
        &mut self,
        mut open: Vec<SeekRecord>,
        changes: u64,
        read: Option<(Instant, Expect)>,
    ) {
        if changes == self.changes {
            open.sort_by(|one, other| (one.since, &one.seek.id).cmp(&(other.since, &other.seek.id)));
            self.open = open;
            self.is_read = true;
            self.read = read;
        }
    }

    /// Returns the seeks in this list that are not in `read`.
    pub(super) fn missed(&self, read: &[SeekRecord]) -> Vec<SeekRecord> {
        let read: HashSet<&str> = read.iter().map(|record| &*record.seek.id).collect();
        self.open.iter().filter(|record| !read.contains(&*record.seek.id)).cloned().collect()
    }

    /// True if the list has all seeks that were open at this state of `seek_turn`.
    pub(super) fn has_all_at(&self, turn: &Expect) -> bool {
        self.read.as_ref().is_some_and(|(_, known)| known == turn)
    }

    /// True if a server that shares its store must read `seek_turn` again. `hears_all` is true if
    /// all other servers announce the seeks that they open.
    pub(super) fn must_ask(&self, now: Instant, hears_all: bool) -> bool {
        let is_recent = |at: Instant| now.saturating_duration_since(at) < REREAD;
        !(hears_all && self.read.is_some() && self.asked.is_some_and(is_recent))
    }

    /// True if a server that shares its store must read the seeks again.
    pub(super) fn must_read(&self, now: Instant, turn: &Expect) -> bool {
        let limit = if self.open.is_empty() { REREAD_NONE } else { REREAD };
        !self.has_all_at(turn)
            || self.read.as_ref().is_none_or(|(at, _)| now.saturating_duration_since(*at) >= limit)
    }

    /// Adds a seek. `before` is the state of `seek_turn` before the seek was opened.
    pub(super) fn open_after(&mut self, record: SeekRecord, before: &Expect) {
        let opened = Expect::Value(record.seek.id.clone().into());
        match self.read.as_mut() {
            Some((_, turn)) if turn == before => *turn = opened,
            Some((_, turn)) if *turn == opened => {}
            Some(_) | None => self.asked = None,
        }
        self.open(record);
    }

    /// True if a player may open another seek, according to this list.
    pub(super) fn has_room(&self, player_id: &str, per_player: usize, max: usize) -> bool {
        self.open.len() < max && own_of(&self.open, player_id) < per_player
    }

    pub(super) fn open(&mut self, record: SeekRecord) {
        if self.has(&record.seek.id) {
            return;
        }
        self.changes += 1;
        let at =
            self.open.partition_point(|open| (open.since, &open.seek.id) < (record.since, &record.seek.id));
        self.open.insert(at, record);
    }

    pub(super) fn remove(&mut self, id: &str) {
        self.changes += 1;
        self.open.retain(|record| record.seek.id != id);
    }

    /// Returns the seekers among `others` who must be looked for on other servers. A seeker who
    /// was seen on another server counts as connected for half of `grace`.
    pub(super) fn not_seen(
        &mut self,
        now: Instant,
        grace: Duration,
        others: impl Fn(&str) -> bool,
    ) -> BTreeSet<String> {
        self.seen.retain(|_, seen| now.saturating_duration_since(*seen) <= grace / 2);
        let is_asked = |seeker: &&str| !self.seen.contains_key(*seeker) && others(seeker);
        self.seekers().filter(is_asked).map(str::to_owned).collect()
    }

    /// Records that a seeker is connected to another server.
    pub(super) fn note_seen(&mut self, seeker: String, now: Instant) {
        self.seen.insert(seeker, now);
    }

    /// Returns the seeks whose seekers have been gone for at least `grace`. If the last call was
    /// more than half of `grace` ago, all absences count from now.
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
        let gone: BTreeSet<&str> =
            self.seekers().filter(|seeker| !self.seen.contains_key(*seeker) && !is_online(seeker)).collect();
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

    pub(super) fn has(&self, id: &str) -> bool {
        self.open.iter().any(|record| record.seek.id == id)
    }

    /// Returns the players who have open seeks. A player with several seeks occurs several times.
    pub(super) fn seekers(&self) -> impl Iterator<Item = &str> {
        self.open.iter().map(|record| record.seek.seeker.id.as_str())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Seek> {
        self.open.iter().map(|record| &record.seek)
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }
}

#[cfg(test)]
mod tests {
    use flagfall_protocol::{Player, PlayerKind, Terms, Time};

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
        SeekRecord { seek, since, opened_by: None }
    }

    fn ids(seeks: &Seeks) -> Vec<String> {
        seeks.iter().map(|seek| seek.id.clone()).collect()
    }

    #[test]
    fn seeks_stand_in_the_order_in_which_they_were_opened_wherever_that_was() {
        let mut seeks = Seeks::default();
        seeks.open(record("s2", "bo", 2));
        seeks.replace(vec![record("s3", "cy", 3), record("s1", "ana", 1)], seeks.changes, None);
        seeks.open(record("s2", "bo", 2));
        assert_eq!(ids(&seeks), ["s1", "s2", "s3"]);
        seeks.remove("s1");
        assert_eq!(ids(&seeks), ["s2", "s3"]);
    }

    #[test]
    fn a_reading_that_a_change_overtook_counts_for_nothing() {
        let mut seeks = Seeks::default();
        let before = seeks.changes;
        seeks.open(record("s1", "ana", 1));
        seeks.replace(Vec::new(), before, None);
        assert!(ids(&seeks) == ["s1"] && !seeks.is_read);
        seeks.replace(Vec::new(), seeks.changes, None);
        assert!(seeks.len() == 0 && seeks.is_read);
    }

    #[test]
    fn seeks_are_read_again_after_an_opening_elsewhere_and_after_some_time() {
        let turn = |id: &str| Expect::Value(id.into());
        let start = Instant::now();
        let mut seeks = Seeks::default();
        assert!(seeks.must_read(start, &Expect::Absent));
        seeks.replace(vec![record("s1", "ana", 1)], 0, Some((start, turn("s1"))));
        assert!(seeks.has_all_at(&turn("s1")) && !seeks.must_read(start + REREAD / 2, &turn("s1")));
        assert!(seeks.must_read(start + REREAD, &turn("s1")));
        seeks.open_after(record("s2", "bo", 2), &turn("s1"));
        assert!(!seeks.must_read(start, &turn("s2")), "it was opened here");
        // Another server opens a seek. Then this server opens one without having read the
        // first.
        assert!(seeks.must_read(start, &turn("s3")));
        seeks.asked = Some(start);
        assert!(!seeks.must_ask(start, true) && seeks.must_ask(start, false));
        seeks.open_after(record("s4", "bo", 4), &turn("s3"));
        assert!(seeks.must_ask(start, true) && seeks.must_read(start, &turn("s4")));
        seeks.replace(Vec::new(), seeks.changes, Some((start, turn("s4"))));
        assert!(!seeks.must_read(start + REREAD, &turn("s4")), "there is nothing to read again");
        seeks.asked = Some(start);
        assert!(!seeks.must_ask(start, true) && seeks.must_ask(start + REREAD, true));
        assert!(seeks.must_read(start + REREAD, &turn("s5")), "an opening was missed");
    }

    #[test]
    fn a_player_has_a_few_seeks_and_the_lobby_a_few_more() {
        let open = [record("s1", "ana", 1)];
        let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
        metrics::with_local_recorder(&recorder, || {
            assert_eq!(check_room(&open, "ana", 1, 9), Err(too_many("seeks", 1)));
            let full = check_room(&open, "bo", 1, 1).unwrap_err().to_string();
            assert_eq!(full, "too_many (reason=lobby)");
            assert_eq!(check_room(&open, "bo", 1, 2), Ok(()));
        });
        let counted = recorder.handle().render();
        for of in ["player", "server"] {
            let line = format!("flagfall_limit_hits_total{{limit=\"offers\",of=\"{of}\"}} 1");
            assert!(counted.contains(&line), "{counted}");
        }
    }

    /// Calls `abandoned` every second from `start + from` to `start + to`, and returns the last
    /// result.
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
    fn seeks_survive_a_short_disconnection() {
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
