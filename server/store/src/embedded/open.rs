//! Opens a store: locks the folder, opens the index, and reads the part of the log that is not in
//! the index.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::panic::catch_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use flagfall_board::{GameId, Stamp};
use itertools::Itertools as _;
use parking_lot::{Mutex, RwLock};
use thiserror::Error;

use super::access_error::AccessError;
use super::alive::{Alive, Signs};
use super::change::Change;
use super::convert;
use super::disk::is_no_room;
use super::error::EmbeddedOpenError;
use super::files::{Loss, Place, Point, Segments, Tail, missing, new_number};
use super::folder_lock::{FolderLock, LOCK};
use super::index::{Index, State};
use super::known_damage::KnownDamage;
use super::layer::Gap;
use super::notes::{self, Heads, Noted, Notes};
use super::options::EmbeddedOptions;
use super::place::DataFolder;
use super::progress::is_due;
use super::reader::Reader;
use super::room::Room;
use super::shared::Shared;
use super::sum;
use crate::clock::{StampClock, WallClock};
use crate::segment::{Found, HEADER_BYTES, frames};
use crate::store::Write;

pub(super) const LOG: &str = "log";
const INDEX: &str = "index";
const INDEX_BEFORE: &str = "index.before";
const INDEX_SUM: &str = "index.sum";
pub(super) const ALIVE: &str = "alive";
/// If the store was not closed properly, a log of up to this many bytes is read completely. A
/// longer log is read only from the last checkpoint on.
const REREAD_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// The upper limit of a segment's size. A segment may exceed it by one group, and positions in it
/// must stay below 4 GiB.
const SEGMENT_BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// Writes the checksum of the index's files. The index must already be closed.
pub(super) fn seal_index(folder: &Path) {
    if let Err(error) = sum::write(&folder.join(INDEX_SUM), &folder.join(INDEX)) {
        tracing::warn!(%error, "the index could not be sealed: the next start rebuilds it");
    }
}

pub(super) struct Opened {
    pub(super) reader: Reader,
    pub(super) tail: Tail,
    pub(super) notes: Notes,
    pub(super) shared: Shared,
}

struct Replayed {
    state: State,
    /// The point in the log up to which the index was complete when it was opened.
    until: Point,
    quarantined: BTreeMap<GameId, String>,
    /// Games that were found to be damaged, but whose quarantine is not in the log, or no longer.
    found: BTreeMap<GameId, String>,
    /// Records whose places in the log are lost, but which the index still has.
    records: Vec<Write>,
    /// Games whose entries are not in order in the log, because some are missing or were moved by
    /// a compaction.
    suspects: BTreeSet<GameId>,
    /// Games whose logs were deleted, each with the position in the log at which the deletion ends.
    deleted: BTreeMap<GameId, Point>,
    /// The missing or damaged data that no earlier start has reported.
    losses: Vec<Loss>,
    /// True if the whole log was read because there was no index.
    is_whole: bool,
    end: Point,
}

/// Why a store cannot be opened. The folder is added later.
#[derive(Debug, Error)]
enum Failure {
    #[error(transparent)]
    Open(#[from] EmbeddedOpenError),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Index(#[from] AccessError),
}

/// Opens the store in this folder, or creates one.
pub(super) fn open(
    folder: &Path,
    clock: impl WallClock,
    options: &EmbeddedOptions,
) -> Result<Opened, EmbeddedOpenError> {
    open_parts(folder, clock, options).map_err(|failure| {
        let folder = folder.to_owned();
        match failure {
            Failure::Open(error) => error,
            Failure::Io(source) if is_no_room(&source) => {
                EmbeddedOpenError::NoRoom { folder, why: source.to_string() }
            }
            Failure::Io(source) => EmbeddedOpenError::Io { folder, source },
            Failure::Index(AccessError::NoRoom { why }) => EmbeddedOpenError::NoRoom { folder, why },
            Failure::Index(error) => EmbeddedOpenError::Index { folder, why: error.to_string() },
        }
    })
}

fn open_parts(folder: &Path, clock: impl WallClock, options: &EmbeddedOptions) -> Result<Opened, Failure> {
    fs::create_dir_all(folder)?;
    let lock = FolderLock::take(folder)?;
    let room = Room::new(folder, options)?;
    // Refuse to open the store if the disk has too little space. Opening writes to the disk, and
    // if the disk became full halfway, the checksum of the index would be lost.
    room.check_start()?;
    let segment_bytes = options.segment_bytes.min(SEGMENT_BYTES_MAX);
    let signs = Alive::look(&folder.join(ALIVE))?;
    if signs.is_none() && !folder.join(LOG).exists() && convert::is_needed(folder) {
        convert::convert(folder, LOG, new_number(), segment_bytes).map_err(|error| {
            let folder = folder.to_owned();
            match error {
                AccessError::NoRoom { why } => EmbeddedOpenError::NoRoomToConvert { folder, why },
                other => EmbeddedOpenError::Convert { folder, why: other.to_string() },
            }
        })?;
    }
    let is_converted = convert::is_unfinished(&folder.join(LOG));
    if !is_converted && convert::has_database(folder) {
        return Err(EmbeddedOpenError::TwoStores { folder: folder.to_owned() }.into());
    }
    let noted = Notes::look(folder)?;
    let (store, first) = signs.map_or((None, 0), |signs| (Some(signs.store), signs.first));
    let (segments, mut losses) = Segments::open(&folder.join(LOG), store, first)?;
    let is_new = !is_converted
        && segments.numbers().is_empty()
        && signs.is_none()
        && noted.is_none()
        && !folder.join(INDEX).exists();
    if is_new {
        losses.clear();
        let epoch = Change::Epoch(clock.now().0.max(1));
        segments.begin(1, |frames| _ = epoch.push(frames))?;
    }
    let segments = Arc::new(segments);
    let mut known = KnownDamage::read(folder, segments.store)?;
    losses.retain(|loss| !known.contains(loss));
    let lacks_segments = !losses.is_empty();
    let log = Log { folder, segments: &segments, signs, options, known: &known, lacks_segments };
    let (index, mut replayed) = open_index(&log)?;
    let reader = Reader { index: Arc::new(index), segments };
    for game in std::mem::take(&mut replayed.suspects) {
        if let Err(AccessError::Damaged { seq, what }) = reader.verify(game)
            && !replayed.quarantined.contains_key(&game)
        {
            replayed.found.entry(game).or_insert_with(|| format!("entry {seq}: {what}"));
        }
    }
    let Reader { index, segments } = &reader;
    losses.append(&mut replayed.losses);
    replayed.losses = losses;
    if let Some(signs) = signs.filter(|signs| signs.end > replayed.end) {
        let (Point { segment, at }, acknowledged) = (replayed.end, signs.end);
        let what = format!(
            "the log ends at byte {at} of segment {segment}, and was acknowledged up to byte {} of segment {}",
            acknowledged.at, acknowledged.segment
        );
        replayed.losses.push(Loss { what, end: None });
    }
    // If the creation of a store was interrupted, the log exists, but no server has ever used it.
    let has_lived = replayed.state.at > Stamp(0) && !is_converted;
    if has_lived && signs.is_none() && noted.is_none() && replayed.is_whole {
        let what = "the files that tell how far the log was acknowledged are gone".to_owned();
        replayed.losses.push(Loss { what, end: None });
    }
    let index_before = folder.join(INDEX_BEFORE);
    let before = match index_before.exists() {
        true => look_at_index(&index_before, options.cache_bytes)?,
        false => None,
    };
    // The index shows which entries existed up to its end, and the notes show which entries came
    // after it.
    let told_until =
        if replayed.is_whole { before.as_ref().map(|(_, until)| *until) } else { Some(replayed.until) };
    let acknowledged = signs.map(|signs| signs.end);
    let are_noted = told_until.is_some_and(|until| {
        acknowledged.is_some_and(|end| end <= until)
            || noted.as_ref().is_some_and(|noted| noted.are_complete(until, acknowledged))
    });
    // The notes override the old index, because they are newer. For example, only the notes may
    // show that a log was deleted.
    let (mut heads, heads_until) = before.unwrap_or_default();
    let is_later = |game: &GameId, than: Point| replayed.deleted.get(game).is_some_and(|end| *end > than);
    heads.retain(|game, _| !is_later(game, heads_until));
    let noted_until = noted.as_ref().and_then(Noted::end).unwrap_or_default();
    // The notes lack a deletion if the process was killed after it was written to the log and
    // before it was written to the notes.
    let noted = noted.into_iter().flat_map(|noted| noted.heads);
    heads.extend(noted.filter(|(game, _)| !is_later(game, noted_until)));
    find_short(index, &mut replayed, &heads)?;
    let is_indexed = |loss: &Loss| loss.end.zip(told_until).is_some_and(|(end, until)| end <= until);
    let are_told = are_noted || replayed.losses.iter().all(is_indexed);
    let what = replayed.losses.iter().map(|loss| &loss.what).join("; ");
    if !what.is_empty() && !are_told && !options.accept_lost_tail {
        return Err(EmbeddedOpenError::LostTail { folder: folder.to_owned(), what }.into());
    }
    // No more groups are added to a segment that lost data. The log continues in a new segment.
    let end = match what.is_empty() {
        true => replayed.end,
        false => {
            let last = segments.numbers().last().copied().unwrap_or(0);
            let known = signs.map_or(0, |signs| signs.end.segment).max(replayed.state.until.segment);
            segments.begin(last.max(known) + 1, |_| {})?
        }
    };
    let mut tail = Tail::new(segments.clone(), end, segment_bytes, options.allocate_bytes)?;
    let heartbeat = signs.map(|signs| signs.heartbeat).unwrap_or_default();
    let last = heartbeat.max(replayed.state.at);
    let clock = StampClock::new(clock, last);
    clock.watch_start();
    if room.is_paused() {
        clock.pause();
    }
    let quarantine =
        |(game, reason): (&GameId, &String)| Change::Quarantine { game: *game, reason: reason.clone() };
    let mut found: Vec<Change> = replayed.found.iter().map(quarantine).collect();
    let at = replayed.state.at;
    found.extend(replayed.records.into_iter().map(|write| Change::Records { at, writes: vec![write] }));
    if !what.is_empty() {
        replayed.state.epoch = clock.stamp().0.max(replayed.state.epoch + 1);
        tracing::error!(
            reason = what,
            epoch = replayed.state.epoch,
            "the log is damaged: a new epoch begins"
        );
        found.push(Change::Epoch(replayed.state.epoch));
    }
    replayed.quarantined.extend(replayed.found);
    write_found(index, &mut tail, found)?;
    replayed.losses.iter().for_each(|loss| known.add(loss));
    // If the log continues in a new segment, the numbers before that segment may stay unused.
    missing(segments.numbers().into_iter(), first).for_each(|loss| known.add(&loss));
    let notes = Notes::begin(folder)?;
    // The old notes are removed only after a checkpoint has stored everything that was read,
    // because the new notes cover only later groups. Even a new store writes this checkpoint, so
    // a log without any checkpoint must have lost its index.
    index.freeze(tail.point).map(|checkpoint| index.store(&checkpoint)).transpose()?;
    notes::remove_until(folder, notes.number - 1)?;
    // If the first segments are lost, the number of the first one stays, so that no backup without
    // them replaces one that has them.
    let first = if first > 0 { first } else { segments.numbers().first().copied().unwrap_or_default() };
    let alive = Alive::create(&folder.join(ALIVE), segments.store, first, tail.point, heartbeat)?;
    if index_before.exists() {
        fs::remove_dir_all(&index_before)?;
    }
    File::open(folder).and_then(|folder| folder.sync_all())?;
    if is_converted {
        convert::put_aside(folder, &folder.join(LOG))?;
    }
    let place = DataFolder::new(folder, &[LOCK, LOG, INDEX, ALIVE])?;
    let shared = Shared {
        clock,
        epoch: AtomicU64::new(replayed.state.epoch),
        last_heartbeat: (!is_new && last > Stamp(0)).then_some(last),
        quarantined: RwLock::new(replayed.quarantined),
        failed: OnceLock::new(),
        alive: Mutex::new(alive),
        groups: AtomicU64::new(0),
        place,
        room,
        folder: folder.to_owned(),
        losses: replayed.losses.into_iter().map(|loss| loss.what).collect(),
        known_damage: known,
        is_complete: AtomicBool::new(false),
        _lock: lock,
    };
    Ok(Opened { reader, tail, notes, shared })
}

/// Returns the number of the last entry of each game in an index, and the point in the log up to
/// which the index is complete. Returns `None` if the index is damaged.
fn look_at_index(path: &Path, cache_bytes: u64) -> Result<Option<(Heads, Point)>, AccessError> {
    let look = || {
        let index = Index::open(path, cache_bytes)?;
        let heads = index.rows()?.map_ok(|(game, row)| (game, row.head.seq)).try_collect()?;
        Ok((heads, index.state()?.unwrap_or_default().until))
    };
    // The database library may panic if a file is damaged.
    match catch_unwind(look) {
        Ok(Err(error @ AccessError::NoRoom { .. })) => Err(error),
        looked => Ok(looked.ok().and_then(Result::ok)),
    }
}

/// Durably writes the changes that opening the store has made necessary, and adds them to the
/// index. These changes are quarantines, records, and perhaps a new epoch.
fn write_found(index: &Index, tail: &mut Tail, found: Vec<Change>) -> Result<(), AccessError> {
    if found.is_empty() {
        return Ok(());
    }
    let mut group = tail.group();
    let place = |change: Change| {
        let place = change.push(&mut group);
        (change, place)
    };
    let placed: Vec<_> = found.into_iter().map(place).collect();
    tail.make_ready()?;
    tail.write(group)?;
    index.apply(placed, || ())?;
    Ok(())
}

/// The arguments for opening an index.
struct Log<'a> {
    folder: &'a Path,
    segments: &'a Segments,
    signs: Option<Signs>,
    options: &'a EmbeddedOptions,
    /// The damage that was already reported.
    known: &'a KnownDamage,
    /// True if segments are missing or have no valid header, and this was not reported yet.
    lacks_segments: bool,
}

/// Opens the index and updates it to the end of the log. Rebuilds the index if it is damaged, or
/// if the store was not closed properly and the log is not too long.
fn open_index(log: &Log<'_>) -> Result<(Index, Replayed), Failure> {
    let (path, before) = (log.folder.join(INDEX), log.folder.join(INDEX_BEFORE));
    let is_unfinished = before.exists();
    let is_as_left = sum::take(&log.folder.join(INDEX_SUM), &path)?;
    let is_long = log.segments.total_bytes()? > REREAD_BYTES_MAX;
    if !is_unfinished && (is_as_left || is_long) {
        match read_index(log) {
            Err(Failure::Index(error)) => tracing::warn!(?error, "the index is rebuilt"),
            opened => return opened,
        }
    }
    // The old index is kept until the new one is complete. If the log is damaged, the old index
    // shows which games had more entries.
    match (is_unfinished, path.exists()) {
        (true, true) => fs::remove_dir_all(&path)?,
        (false, true) => fs::rename(&path, &before)?,
        (_, false) => {}
    }
    read_index(log)
}

fn read_index(log: &Log<'_>) -> Result<(Index, Replayed), Failure> {
    let (path, cache_bytes) = (log.folder.join(INDEX), log.options.cache_bytes);
    // The database library may panic if a file is damaged.
    let index = catch_unwind(|| Index::open(&path, cache_bytes))
        .unwrap_or_else(|_| Err(AccessError::damaged(0, "opening the index panicked")))?;
    let replayed = replay(log, &index)?;
    Ok((index, replayed))
}

/// Reads the log from the point where the index ends, and cuts off an unfinished write.
fn replay(log: &Log<'_>, index: &Index) -> Result<Replayed, Failure> {
    let Log { folder, segments, signs, options, known, lacks_segments } = *log;
    let mut state = index.state()?.unwrap_or_default();
    let mut quarantined = index.quarantines()?;
    let mut losses = Vec::new();
    let (mut suspects, mut deleted) = (BTreeSet::new(), BTreeMap::new());
    let is_whole = state.until == Point::default();
    let numbers = segments.numbers();
    let is_short = !is_whole && !segments.reach(state.until);
    if is_short {
        let what = format!("segment {} is missing, or shorter than it was", state.until.segment);
        losses.push(Loss { what, end: None });
    }
    let mut end = Point::default();
    let mut told = Instant::now();
    for number in numbers.iter().filter(|number| **number >= state.until.segment) {
        if is_due(&mut told) {
            tracing::info!(segment = number, last = numbers.last(), "reading the log");
        }
        let bytes = segments.bytes(*number)?;
        let is_last = Some(number) == numbers.last();
        let from = if *number == state.until.segment { state.until.at } else { HEADER_BYTES as u64 };
        let mut found: Vec<Found<'_>> = frames(&bytes, segments.seal(*number), from).collect();
        end = Point { segment: *number, at: bytes.len() as u64 };
        // With a damaged header, the whole segment would look like an unfinished write.
        if is_last
            && !lacks_segments
            && let Some(torn) = torn_from(&found, *number, signs)
        {
            segments.cut(Point { segment: *number, at: torn })?;
            end.at = torn;
            found.retain(|found| match found {
                Found::Frame(frame) => frame.at < torn,
                Found::Damage { from, .. } => *from < torn,
            });
        }
        // Checkpoints limit the memory needed to rebuild the index of a long log. After damage,
        // no more checkpoints are written, because the next start would not find the damage
        // again.
        let is_clean = losses.is_empty() && suspects.is_empty();
        if is_clean && index.fresh_bytes() >= options.checkpoint_bytes {
            let before = Point { segment: *number, at: from };
            index.freeze(before).map(|checkpoint| index.store(&checkpoint)).transpose()?;
        }
        for found in found {
            let frame = match found {
                Found::Frame(frame) => frame,
                Found::Damage { from, to } => {
                    let what = format!("bytes {from} to {to} of segment {number} are damaged");
                    let end = Some(Point { segment: *number, at: to });
                    losses.extend(Some(Loss { what, end }).filter(|loss| !known.contains(loss)));
                    continue;
                }
            };
            let change = Change::parse(frame.tag, &frame.payload).map_err(|unknown| {
                EmbeddedOpenError::Newer { folder: folder.to_owned(), what: unknown.to_string() }
            })?;
            state.at = state.at.max(change.at().unwrap_or_default());
            match &change {
                Change::Epoch(epoch) => state.epoch = *epoch,
                Change::Quarantine { game, reason } => drop(quarantined.insert(*game, reason.clone())),
                Change::Release(game) | Change::DeleteLog(game) => drop(quarantined.remove(game)),
                Change::Entries { .. } | Change::Moved(_) | Change::Records { .. } => {}
            }
            let place = Place::of(*number, frame.at, frame.length);
            if let Change::DeleteLog(game) = &change {
                deleted.insert(*game, place.end());
            }
            suspects.extend(index.apply([(change, place)], || ())?.into_iter().map(|Gap { game, .. }| game));
        }
    }
    // A killed process may have written its last group, but not synced it. The index and `alive`
    // must not be newer on the disk than the log.
    numbers.last().map(|last| segments.sync(*last)).transpose()?;
    let (mut found, mut records) = (BTreeMap::new(), Vec::new());
    if !is_whole && (is_short || lacks_segments) {
        let lost = index.lost(|place| !segments.reach(place.end()))?;
        let reason = |(game, seq)| (game, format!("entry {seq}: it is missing"));
        found = lost.games.into_iter().map(reason).collect();
        // The quarantines may have been in the lost parts too.
        found.extend(quarantined.clone());
        records = lost.records;
    }
    Ok(Replayed {
        state,
        until: state.until,
        quarantined,
        found,
        records,
        suspects,
        deleted,
        losses,
        is_whole,
        end,
    })
}

/// Finds the games whose logs end before their last known entry.
fn find_short(index: &Index, replayed: &mut Replayed, known: &Heads) -> Result<(), AccessError> {
    for (game, known) in known {
        let seq = index.game(*game)?.map_or(0, |row| row.head.seq);
        if seq < *known && !replayed.quarantined.contains_key(game) {
            replayed.found.entry(*game).or_insert_with(|| format!("entry {}: it is missing", seq + 1));
        }
    }
    if !replayed.found.is_empty() && replayed.losses.is_empty() {
        let what = "entries that were acknowledged are missing".to_owned();
        replayed.losses.push(Loss { what, end: None });
    }
    Ok(())
}

/// Returns the position of an unfinished write at the end of the last segment, if there is one.
/// Such a write begins at the first unacknowledged damage in the last group.
fn torn_from(found: &[Found<'_>], number: u32, signs: Option<Signs>) -> Option<u64> {
    let begins = |found: &Found<'_>| matches!(found, Found::Frame(frame) if frame.begins_group);
    let last_group = found.iter().rposition(begins).unwrap_or(0);
    found[last_group..].iter().find_map(|found| match found {
        Found::Damage { from, .. } => {
            let is_acknowledged = signs.is_some_and(|signs| signs.end > Point { segment: number, at: *from });
            (!is_acknowledged).then_some(*from)
        }
        Found::Frame(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;
    use crate::segment::FrameWriter;

    #[test]
    fn a_log_of_a_newer_version_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let open = || open(folder.path(), SystemClock, &EmbeddedOptions::default()).map(drop);
        open().unwrap();
        let (segments, _) = Segments::open(&folder.path().join(LOG), None, 0).unwrap();
        let unknown = |frames: &mut FrameWriter| {
            frames.push(99, |buffer| buffer.push(1));
        };
        segments.begin(2, unknown).unwrap();
        let refused = open();
        assert!(matches!(refused, Err(EmbeddedOpenError::Newer { .. })), "{refused:?}");
    }
}
