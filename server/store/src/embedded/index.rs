//! The index: the position of each game's entries, and all side records. It can be rebuilt from
//! the log at any time.
//!
//! The latest changes are in memory, in a layer over a database. From time to time, a checkpoint
//! writes the layer into the database in the background. It also stores the point in the log up
//! to which the database is then complete. When a store is opened, it reads the log from that
//! point on.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fjall::{Database, Guard, Keyspace, KeyspaceCreateOptions, PersistMode, Readable};
use flagfall_board::{GameId, Stamp};
use itertools::{EitherOrBoth, Itertools};
use parking_lot::RwLock;

use super::access_error::AccessError;
use super::change::{Change, bytes_of, take};
#[cfg(test)]
use super::disk;
use super::files::{Place, Point};
use super::layer::{GameRow, Gap, Layer, RecordRow};
use crate::limits::READ_MAX;
use crate::store::{FullRecord, Write};
use crate::value::{Head, Key, KeyRange};

/// The version of the row format. A database with another version is rebuilt.
const VERSION: u32 = 2;
const META_STATE: &[u8] = b"state";
const META_QUARANTINE: &[u8] = b"quarantine/";

/// The state of the log at the last checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct State {
    /// The point in the log up to which the database is complete.
    pub(super) until: Point,
    pub(super) epoch: u64,
    /// The latest time at which a server was alive, according to the log up to `until`.
    pub(super) at: Stamp,
    /// The approximate number of bytes in the log up to `until` that the rows need.
    pub(super) live: i64,
}

pub(super) struct Index {
    folder: PathBuf,
    cache_bytes: u64,
    /// The database; `None` while it is being reopened, and if that has failed. Lock this before
    /// `layers`.
    tables: RwLock<Option<Tables>>,
    layers: RwLock<Layers>,
}

struct Tables {
    db: Database,
    games: Keyspace,
    records: Keyspace,
    /// The expiring records. Each key consists of the expiry time and the record's key.
    expiries: Keyspace,
    meta: Keyspace,
}

impl Tables {
    fn open(folder: &Path, cache_bytes: u64) -> Result<Tables, AccessError> {
        #[cfg(test)]
        disk::planted::check(folder)?;
        let db = Database::builder(folder).cache_size(cache_bytes).open()?;
        let keyspace = |name| db.keyspace(name, KeyspaceCreateOptions::default);
        let (games, records) = (keyspace("games")?, keyspace("records")?);
        let (expiries, meta) = (keyspace("expiries")?, keyspace("meta")?);
        Ok(Tables { db, games, records, expiries, meta })
    }

    fn state(&self) -> Result<Option<State>, AccessError> {
        let Some(bytes) = self.meta.get(META_STATE)? else { return Ok(None) };
        match take(&bytes) {
            Some((VERSION, until, epoch, at, live)) => Ok(Some(State { until, epoch, at, live })),
            Some(_) | None => Err(AccessError::damaged(0, "the index is of another version")),
        }
    }

    fn game(&self, game: GameId) -> Result<Option<Arc<GameRow>>, AccessError> {
        let Some(bytes) = self.games.get(game.as_str())? else { return Ok(None) };
        let row = GameRow::parse(&bytes);
        Ok(Some(Arc::new(row.ok_or_else(|| AccessError::damaged(1, "its row in the index makes no sense"))?)))
    }
}

#[derive(Default)]
struct Layers {
    /// The changes since the last checkpoint began.
    fresh: Layer,
    /// The changes that the current checkpoint is writing into the database.
    frozen: Option<Arc<Layer>>,
    /// The point in the log up to which the database is complete.
    stored: Point,
}

impl Layers {
    fn game(&self, game: GameId) -> Option<&Option<Arc<GameRow>>> {
        let frozen = || self.frozen.as_ref().and_then(|frozen| frozen.games.get(&game));
        self.fresh.games.get(&game).or_else(frozen)
    }

    fn record(&self, key: &Key) -> Option<Option<Arc<RecordRow>>> {
        let frozen = || self.frozen.as_ref().and_then(|frozen| frozen.records.get(key));
        self.fresh.records.get(key).or_else(frozen).cloned()
    }

    /// Returns the rows of records in this range, if they are in a layer.
    fn records(&self, range: (Bound<&[u8]>, Bound<&[u8]>)) -> BTreeMap<Key, Option<Arc<RecordRow>>> {
        let layers = self.frozen.as_deref().into_iter().chain([&self.fresh]);
        let rows = layers.flat_map(|layer| layer.records.range::<[u8], _>(range));
        rows.map(|(key, row)| (key.clone(), row.clone())).collect()
    }
}

/// What is at lost places of the log.
pub(super) struct Lost {
    /// The games with entries there, each with the number of the first of these entries.
    pub(super) games: Vec<(GameId, u64)>,
    /// The records there, which the index still has.
    pub(super) records: Vec<Write>,
}

pub(super) struct Checkpoint {
    layer: Arc<Layer>,
    until: Point,
}

impl Index {
    /// Opens the database in this folder, or creates one. After an error, delete the folder and
    /// try again.
    pub(super) fn open(folder: &Path, cache_bytes: u64) -> Result<Index, AccessError> {
        let tables = Tables::open(folder, cache_bytes)?;
        let stored = tables.state()?.unwrap_or_default().until;
        let layers = RwLock::new(Layers { stored, ..Layers::default() });
        Ok(Index { folder: folder.to_owned(), cache_bytes, tables: RwLock::new(Some(tables)), layers })
    }

    /// Closes the database and opens it again, because a database accepts no writes after an
    /// error. Returns true if the database contains the checkpoint that [`freeze`](Self::freeze)
    /// began.
    ///
    /// # Errors
    /// [`AccessError::NoRoom`]: the database stays closed, and only rows in memory can be read.
    /// [`AccessError::Damaged`]: the database has lost rows.
    pub(super) fn reopen(&self, checkpoint: &Checkpoint) -> Result<bool, AccessError> {
        let mut tables = self.tables.write();
        // The old database must be closed before it can be opened again.
        *tables = None;
        let opened = Tables::open(&self.folder, self.cache_bytes)?;
        let until = opened.state()?.unwrap_or_default().until;
        let mut layers = self.layers.write();
        if until < layers.stored {
            return Err(AccessError::damaged(0, "the index has lost rows"));
        }
        *tables = Some(opened);
        let is_stored = until >= checkpoint.until;
        if is_stored {
            (layers.frozen, layers.stored) = (None, until);
        }
        Ok(is_stored)
    }

    fn with<T>(&self, work: impl FnOnce(&Tables) -> Result<T, AccessError>) -> Result<T, AccessError> {
        let tables = self.tables.read();
        let closed =
            || AccessError::NoRoom { why: "the index is closed until there is room again".to_owned() };
        work(tables.as_ref().ok_or_else(closed)?)
    }

    /// Returns the state in the database; `None` if the database is new.
    pub(super) fn state(&self) -> Result<Option<State>, AccessError> {
        self.with(Tables::state)
    }

    pub(super) fn quarantines(&self) -> Result<BTreeMap<GameId, String>, AccessError> {
        self.with(|tables| quarantines_in(&tables.meta))
    }

    /// Returns the row of a game; `None` if it has no log.
    pub(super) fn game(&self, game: GameId) -> Result<Option<Arc<GameRow>>, AccessError> {
        // A layer is removed only after the database contains its rows. So a row is found even if
        // its layer is removed between these two lookups.
        let known = self.layers.read().game(game).cloned();
        match known {
            Some(row) => Ok(row),
            None => self.with(|tables| tables.game(game)),
        }
    }

    /// Returns the head of a log if the log's row is in memory. The last frame of such a log
    /// needs no check, because it was checked or written after the store was opened.
    pub(super) fn fresh_head(&self, game: GameId) -> Option<Head> {
        self.layers.read().game(game).map(|row| row.as_ref().map_or(Head::START, |row| row.head))
    }

    pub(super) fn games(&self) -> Result<Vec<GameId>, AccessError> {
        self.with(|tables| {
            let (layers, view) = {
                let layers = self.layers.read();
                let of = |layer: &Layer| -> Vec<(GameId, bool)> {
                    layer.games.iter().map(|(game, row)| (*game, row.is_some())).collect()
                };
                let frozen = layers.frozen.as_deref().map(of).unwrap_or_default();
                ([frozen, of(&layers.fresh)], tables.db.snapshot())
            };
            let stored = view.iter(&tables.games).map(|row| parse_game(&row.key()?));
            let mut games: HashSet<GameId> = stored.collect::<Result<_, AccessError>>()?;
            for (game, is_there) in layers.into_iter().flatten() {
                let _ = if is_there { games.insert(game) } else { games.remove(&game) };
            }
            Ok(games.into_iter().collect())
        })
    }

    /// Returns the rows of all games that have a log.
    pub(super) fn rows(
        &self,
    ) -> Result<impl Iterator<Item = Result<(GameId, Arc<GameRow>), AccessError>>, AccessError> {
        let row = |game| self.game(game).map(|row| row.map(|row| (game, row))).transpose();
        Ok(self.games()?.into_iter().filter_map(row))
    }

    /// Returns a side record, even if it has expired.
    pub(super) fn record(&self, key: &Key) -> Result<Option<Arc<RecordRow>>, AccessError> {
        let known = self.layers.read().record(key);
        match known {
            Some(row) => Ok(row),
            None => self.with(|tables| match tables.records.get(key.as_bytes())? {
                Some(bytes) => Ok(Some(Arc::new(parse_record(key, &bytes)?))),
                None => Ok(None),
            }),
        }
    }

    /// Returns records that have not expired, with their expiry times. If there is a prefix,
    /// returns only records whose keys begin with it.
    pub(super) fn records(
        &self,
        prefix: Option<&Key>,
        after: Option<&Key>,
        limit: usize,
        now: Stamp,
    ) -> Result<Vec<FullRecord>, AccessError> {
        // The range contains only keys with the prefix. Otherwise the search could pass many
        // deleted records before it finds the next one.
        let Some(range) = KeyRange::new(prefix, after) else { return Ok(Vec::new()) };
        let found = self.find_records(range.bounds(), limit.min(READ_MAX), |row| row.is_alive(now))?;
        Ok(found.into_iter().map(|(key, row)| (key, row.value.into(), row.expires)).collect())
    }

    /// Returns at most `limit` records in this range to which `is_wanted` applies.
    fn find_records(
        &self,
        range: (Bound<&[u8]>, Bound<&[u8]>),
        limit: usize,
        is_wanted: impl Fn(&RecordRow) -> bool,
    ) -> Result<Vec<(Key, RecordRow)>, AccessError> {
        self.with(|tables| {
            let (layers, view) = {
                let layers = self.layers.read();
                (layers.records(range), tables.db.snapshot())
            };
            let stored = view.range::<&[u8], _>(&tables.records, range).map(parse_stored);
            // If a layer and the database contain the same key, the row in the layer is newer.
            let mut rows = layers.into_iter().merge_join_by(stored, |(key, _), stored| match stored {
                Ok((stored, _)) => key.cmp(stored),
                Err(_) => Ordering::Greater,
            });
            let mut found = Vec::new();
            while found.len() < limit {
                let (key, row) = match rows.next() {
                    None => break,
                    Some(EitherOrBoth::Left((key, row)) | EitherOrBoth::Both((key, row), _)) => {
                        (key, row.map(Arc::unwrap_or_clone))
                    }
                    Some(EitherOrBoth::Right(stored)) => {
                        let (key, row) = stored?;
                        (key, Some(row))
                    }
                };
                found.extend(row.filter(&is_wanted).map(|row| (key, row)));
            }
            Ok(found)
        })
    }

    /// Returns what is at lost places of the log.
    pub(super) fn lost(&self, is_lost: impl Fn(Place) -> bool) -> Result<Lost, AccessError> {
        let mut games = Vec::new();
        for row in self.rows()? {
            let (game, row) = row?;
            // Even if a compaction has moved frames, a row lists them in the order of their
            // entries.
            games.extend(row.frames().find(|(_, place)| is_lost(*place)).map(|(seq, _)| (game, seq)));
        }
        let everything = (Bound::Unbounded, Bound::Unbounded);
        let records = self.find_records(everything, usize::MAX, |row| is_lost(row.place))?;
        let write =
            |(key, RecordRow { value, expires, .. })| Write::Put { key, value: value.into(), expires };
        Ok(Lost { games, records: records.into_iter().map(write).collect() })
    }

    /// Returns the keys of at most `most` expired records.
    pub(super) fn expired(&self, now: Stamp, most: usize) -> Result<Vec<Key>, AccessError> {
        self.with(|tables| {
            let (layers, view) = {
                let layers = self.layers.read();
                (layers.records((Bound::Unbounded, Bound::Unbounded)), tables.db.snapshot())
            };
            let is_expired =
                |row: &Option<Arc<RecordRow>>| row.as_ref().is_some_and(|row| !row.is_alive(now));
            let of_layers = layers.iter().filter(|(_, row)| is_expired(row)).map(|(key, _)| key.clone());
            let mut expired: Vec<Key> = of_layers.take(most).collect();
            let until = now.0.saturating_add(1).to_be_bytes();
            for row in view.range::<&[u8], _>(&tables.expiries, ..&until[..]) {
                if expired.len() >= most {
                    break;
                }
                let row = row.key()?;
                let key = row.get(8..).and_then(|key| Key::new(key).ok());
                let key = key.ok_or_else(|| AccessError::damaged(0, "the key of a record cannot be read"))?;
                if !layers.contains_key(&key) {
                    expired.push(key);
                }
            }
            Ok(expired)
        })
    }

    /// Applies changes at these places in the log, in order. Calls `first` after locking the index,
    /// so a read that begins later waits until the changes are applied. Returns the gaps in the
    /// logs of games.
    pub(super) fn apply(
        &self,
        changes: impl IntoIterator<Item = (Change, Place)>,
        first: impl FnOnce(),
    ) -> Result<Vec<Gap>, AccessError> {
        self.with(|tables| {
            let mut layers = self.layers.write();
            first();
            let Layers { fresh, frozen, stored: _ } = &mut *layers;
            let frozen = frozen.as_deref();
            let mut gaps = Vec::new();
            for (change, place) in changes {
                let below = |game| match frozen.and_then(|frozen| frozen.games.get(&game)) {
                    Some(row) => Ok(row.clone()),
                    None => tables.game(game),
                };
                gaps.extend(fresh.apply(change, place, below)?.err());
            }
            Ok(gaps)
        })
    }

    /// Returns the length of the log since the last checkpoint began, in bytes.
    pub(super) fn fresh_bytes(&self) -> u64 {
        self.layers.read().fresh.bytes
    }

    /// Returns the approximate number of bytes in the log that the rows need. The others are
    /// obsolete.
    pub(super) fn live_bytes(&self) -> Result<u64, AccessError> {
        self.with(|tables| {
            // The layers are locked first, so that no bytes are missed while a checkpoint is
            // written.
            let layers = self.layers.read();
            let stored = tables.state()?.map_or(0, |state| state.live);
            let frozen = layers.frozen.as_ref().map_or(0, |frozen| frozen.live);
            Ok(u64::try_from(stored + frozen + layers.fresh.live).unwrap_or(0))
        })
    }

    /// Begins a checkpoint. [`store`](Self::store) then writes all changes up to this point into
    /// the database. Returns `None` if the previous checkpoint is not stored yet.
    pub(super) fn freeze(&self, until: Point) -> Option<Checkpoint> {
        let mut layers = self.layers.write();
        if layers.frozen.is_some() {
            return None;
        }
        let layer = Arc::new(std::mem::take(&mut layers.fresh));
        layers.frozen = Some(layer.clone());
        Some(Checkpoint { layer, until })
    }

    /// Durably writes a checkpoint into the database. After an error, the rows of the checkpoint
    /// stay in memory.
    pub(super) fn store(&self, checkpoint: &Checkpoint) -> Result<(), AccessError> {
        #[cfg(test)]
        disk::planted::check(&self.folder)?;
        self.with(|tables| tables.store(checkpoint))?;
        let mut layers = self.layers.write();
        (layers.frozen, layers.stored) = (None, checkpoint.until);
        Ok(())
    }

    /// True if a checkpoint has begun but is not stored yet.
    pub(super) fn is_frozen(&self) -> bool {
        self.layers.read().frozen.is_some()
    }
}

impl Tables {
    fn store(&self, checkpoint: &Checkpoint) -> Result<(), AccessError> {
        let Checkpoint { layer, until } = checkpoint;
        let before = self.state()?.unwrap_or_default();
        let mut live = before.live + layer.live;
        let mut batch = self.db.batch().durability(Some(PersistMode::SyncAll));
        for (game, row) in &layer.games {
            match row {
                Some(row) => batch.insert(&self.games, game.as_str(), row.encode()),
                None => batch.remove(&self.games, game.as_str()),
            }
        }
        for (key, row) in &layer.records {
            if let Some(before) = self.records.get(key.as_bytes())? {
                let before = parse_record(key, &before)?;
                live -= before.log_bytes(key);
                if let Some(expires) = before.expires {
                    batch.remove(&self.expiries, expiry(expires, key));
                }
            }
            match row {
                Some(row) => {
                    if let Some(expires) = row.expires {
                        batch.insert(&self.expiries, expiry(expires, key), []);
                    }
                    batch.insert(&self.records, key.as_bytes(), bytes_of(&**row));
                }
                None => batch.remove(&self.records, key.as_bytes()),
            }
        }
        for (game, reason) in &layer.quarantines {
            let key = [META_QUARANTINE, game.as_str().as_bytes()].concat();
            match reason {
                Some(reason) => batch.insert(&self.meta, key, reason.as_bytes()),
                None => batch.remove(&self.meta, key),
            }
        }
        let (epoch, at) = (layer.epoch.unwrap_or(before.epoch), before.at.max(layer.at));
        batch.insert(&self.meta, META_STATE, bytes_of(&(VERSION, *until, epoch, at, live)));
        batch.commit()?;
        Ok(())
    }
}

fn parse_record(key: &Key, bytes: &[u8]) -> Result<RecordRow, AccessError> {
    take(bytes).ok_or_else(|| AccessError::Damaged { seq: 0, what: format!("{key:?} cannot be parsed") })
}

fn parse_stored(row: Guard) -> Result<(Key, RecordRow), AccessError> {
    let (key, bytes) = row.into_inner()?;
    let key = Key::new(key.to_vec())
        .map_err(|_| AccessError::damaged(0, "the key of a record is empty or too long"))?;
    let row = parse_record(&key, &bytes)?;
    Ok((key, row))
}

/// Returns the games in quarantine, each with the reason. Databases of the old layout store them
/// in the same form.
pub(super) fn quarantines_in(meta: &Keyspace) -> Result<BTreeMap<GameId, String>, AccessError> {
    let row = |row: Guard| {
        let (key, reason) = row.into_inner()?;
        let game = parse_game(key.strip_prefix(META_QUARANTINE).unwrap_or_default())?;
        Ok((game, String::from_utf8_lossy(&reason).into_owned()))
    };
    meta.prefix(META_QUARANTINE).map(row).collect()
}

pub(super) fn parse_game(bytes: &[u8]) -> Result<GameId, AccessError> {
    let game = std::str::from_utf8(bytes).ok().and_then(|name| name.parse().ok());
    game.ok_or_else(|| AccessError::damaged(0, "the name of a game cannot be read"))
}

fn expiry(expires: Stamp, key: &Key) -> Vec<u8> {
    [&expires.0.to_be_bytes()[..], key.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_is_opened_again_and_has_lost_rows_is_not_used() {
        let place = tempfile::tempdir().unwrap();
        let (folder, elsewhere) = (place.path().join("index"), place.path().join("elsewhere"));
        let index = Index::open(&folder, 1024 * 1024).unwrap();
        let store = |at| {
            let checkpoint = index.freeze(Point { segment: 1, at }).unwrap();
            index.store(&checkpoint).unwrap();
            checkpoint
        };
        let checkpoint = store(100);
        assert_eq!(index.reopen(&checkpoint), Ok(true));
        let later = Checkpoint { until: Point { segment: 1, at: 200 }, ..checkpoint };
        assert_eq!(index.reopen(&later), Ok(false));
        std::fs::rename(&folder, &elsewhere).unwrap();
        let lost = index.reopen(&later);
        assert!(matches!(lost, Err(AccessError::Damaged { .. })), "{lost:?}");
        assert!(index.state().is_err());
    }
}
