//! The stored history of an account: one record with the latest games, and volumes.
//!
//! The record (`history/PLAYER`) contains a page: the lines of the latest games. When the page is
//! full, its lines become a volume (`volumes/PLAYER/NUMBER`). A volume never changes, and its
//! number is never reused, so volumes can be cached and archived. To change a line in a volume,
//! the server replaces the whole volume with one that has a new number. Only after the store was
//! set back to a backup, the archive may have other volumes with the same numbers. New volumes then
//! get other numbers before they are archived.

use flagfall_base::keys::{GONE, HISTORY, HISTORY_DUE, VOLUMES};
use flagfall_base::scan::Scan;
use flagfall_base::transact::{delete, delete_all, expect};
use flagfall_board::{GameId, PerSide, Stamp};
use flagfall_protocol::Tally;
use flagfall_store::{Expect, Key, Store, StoreError, Update, Write};
use futures_util::stream::{self, StreamExt as _};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::line::{Line, Packed, Setups, unreadable};
use super::record::{Figures, KeptDeployment};
use crate::records::damaged;

/// The first byte of a record in this form.
const FORM: u8 = 1;
/// The number of lines at which a page is full.
const LINES_MAX: usize = 64;
/// The number of bytes at which a page is full. This limit keeps all records of a player,
/// including ratings, below 3 KB, so that they take about 4 KB of Redis's memory.
const BYTES_MAX: usize = 1_100;
const HOUR_MS: u64 = 60 * 60 * 1_000;
/// The number of histories that a check reads at the same time.
const READS_MAX: usize = 16;
/// How many times a history is read before giving up, if its volumes are replaced during the
/// read.
pub(super) const TRIES: usize = 4;

/// The history of an account.
#[derive(Clone, Default)]
pub(super) struct Book {
    /// The number of the next volume.
    next: u32,
    pub(super) volumes: Vec<VolumeRef>,
    /// The volumes that were replaced. They may still be in the archive.
    pub(super) retired: Vec<Retired>,
    pub(super) lines: Vec<Line>,
}

/// A volume, and the times at which its first and its last game ended, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct VolumeRef {
    pub(super) number: u32,
    /// True if the volume was made by merging smaller ones. It is not merged again.
    pub(super) is_merged: bool,
    pub(super) first: u64,
    pub(super) last: u64,
}

/// The number of a replaced volume, and the time of the replacement, in hours since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Retired {
    pub(super) number: u32,
    at: u64,
}

impl Retired {
    /// True if the volume was replaced more than a day ago. Before that, a backup may still need
    /// it, because a backup copies the store first and the archive later.
    pub(super) fn is_old(self, now: Stamp) -> bool {
        now.0 / HOUR_MS > self.at.saturating_add(24)
    }
}

/// Lines of a history, and the statistics of games that were counted before they became lines.
#[derive(Clone, Default)]
pub(super) struct Volume {
    pub(super) lines: Vec<Line>,
    pub(super) figures: Vec<(String, Figures)>,
}

#[derive(Serialize, Deserialize)]
struct PackedBook {
    next: u32,
    /// For each volume: twice its number, plus 1 if it is merged; the time of its first game,
    /// relative to the previous volume; and the time from its first to its last game. Times are
    /// in seconds.
    volumes: Vec<(u32, i64, u64)>,
    retired: Vec<Retired>,
    page: Packed,
}

#[derive(Serialize, Deserialize)]
struct PackedVolume {
    page: Packed,
    figures: Vec<PackedFigures>,
}

#[derive(Serialize, Deserialize)]
struct PackedFigures {
    ruleset: String,
    by_side: PerSide<Tally>,
    /// For each deployment: its number, the player's results with it, and the end of the latest
    /// game.
    deployments: Vec<(u32, Tally, u64)>,
}

fn to_bytes(record: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    postcard::to_extend(record, vec![FORM]).map_err(|_| unreadable())
}

fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, StoreError> {
    match bytes.split_first() {
        Some((&FORM, rest)) => postcard::from_bytes(rest).map_err(|_| unreadable()),
        _ => Err(unreadable()),
    }
}

impl Book {
    fn parse(bytes: &[u8]) -> Result<Book, StoreError> {
        let PackedBook { next, volumes, retired, page } = from_bytes(bytes)?;
        let mut before = 0i64;
        let unpack = |(number, since, length): (u32, i64, u64)| {
            before = before.wrapping_add(since);
            let first = before.cast_unsigned();
            let (first, last) =
                (first.saturating_mul(1_000), first.saturating_add(length).saturating_mul(1_000));
            VolumeRef { number: number >> 1, is_merged: number & 1 != 0, first, last }
        };
        Ok(Book { next, volumes: volumes.into_iter().map(unpack).collect(), retired, lines: page.lines()? })
    }

    fn bytes(&self) -> Result<Vec<u8>, StoreError> {
        let mut before = 0i64;
        let pack = |volume: &VolumeRef| {
            let first = (volume.first / 1_000).cast_signed();
            let since = first.wrapping_sub(before);
            before = first;
            let number = volume.number << 1 | u32::from(volume.is_merged);
            (number, since, volume.last.div_ceil(1_000).saturating_sub(volume.first / 1_000))
        };
        let volumes = self.volumes.iter().map(pack).collect();
        let (next, retired) = (self.next, self.retired.clone());
        to_bytes(&PackedBook { next, volumes, retired, page: Packed::of(&self.lines, Setups::new()) })
    }
}

impl Volume {
    pub(super) fn parse(bytes: &[u8]) -> Result<Volume, StoreError> {
        let PackedVolume { page, figures } = from_bytes(bytes)?;
        let setups = page.setups()?;
        let deployment = |(setup, tally, last): (u32, Tally, u64)| {
            let setup = usize::try_from(setup).ok()?.checked_sub(1).and_then(|at| setups.get(at))?;
            Some(KeptDeployment { setup: setup.expose().to_owned(), tally, last })
        };
        let mut unpacked = Vec::with_capacity(figures.len());
        for PackedFigures { ruleset, by_side, deployments } in figures {
            let deployments: Option<Vec<_>> = deployments.into_iter().map(deployment).collect();
            unpacked.push((ruleset, Figures { by_side, deployments: deployments.ok_or_else(unreadable)? }));
        }
        Ok(Volume { lines: page.lines()?, figures: unpacked })
    }

    pub(super) fn bytes(&self) -> Result<Vec<u8>, StoreError> {
        let mut setups = Setups::new();
        let mut figures = Vec::with_capacity(self.figures.len());
        for (ruleset, counted) in &self.figures {
            let deployment = |kept: &KeptDeployment| (setups.of(Some(&kept.setup)), kept.tally, kept.last);
            let deployments = counted.deployments.iter().map(deployment).collect();
            let (ruleset, by_side) = (ruleset.clone(), counted.by_side);
            figures.push(PackedFigures { ruleset, by_side, deployments });
        }
        to_bytes(&PackedVolume { page: Packed::of(&self.lines, setups), figures })
    }

    /// Adds the statistics of another volume to those of this one.
    pub(super) fn add_figures(&mut self, other: &Volume) {
        for (ruleset, figures) in &other.figures {
            match self.figures.iter_mut().find(|(known, _)| known == ruleset) {
                Some((_, known)) => known.merge(figures),
                None => self.figures.push((ruleset.clone(), figures.clone())),
            }
        }
    }

    fn range(&self) -> (u64, u64) {
        let ended = self.lines.iter().map(|line| line.ended);
        (ended.clone().min().unwrap_or_default(), ended.max().unwrap_or_default())
    }
}

/// A history that was read from the store and can be changed and saved.
pub(super) struct Opened {
    player: String,
    pub(super) book: Book,
    /// The bytes of the stored record.
    value: Option<Vec<u8>>,
}

impl Opened {
    pub(super) async fn read(store: &dyn Store, player: &str) -> Result<Opened, StoreError> {
        let value = store.get(HISTORY.key([&player])?).await?;
        let book = value.as_deref().map(Book::parse).transpose()?.unwrap_or_default();
        Ok(Opened { player: player.to_owned(), book, value })
    }

    /// True if the store has no history of this player.
    pub(super) fn is_absent(&self) -> bool {
        self.value.is_none()
    }

    /// Adds the writes that store this history to an update. The update then fails if the stored
    /// history has changed since it was read. If the page is full, its lines become a volume.
    pub(super) fn save(mut self, update: &mut Update) -> Result<(), StoreError> {
        let key = HISTORY.key([&self.player])?;
        let mut bytes = self.book.bytes()?;
        if self.book.lines.len() >= LINES_MAX || bytes.len() > BYTES_MAX && self.is_page_full()? {
            let volume = Volume { lines: std::mem::take(&mut self.book.lines), figures: Vec::new() };
            self.add(volume, false, update)?;
            bytes = self.book.bytes()?;
        }
        // A player who deleted their account has no history and must not get a new one.
        update.conditions.push((GONE.key([&self.player])?, Expect::Absent));
        update.conditions.push((key.clone(), expect(self.value)));
        update.writes.push(Write::Put { key, value: bytes, expires: None });
        Ok(())
    }

    /// True if the lines alone fill the page. The list of volumes does not count.
    fn is_page_full(&self) -> Result<bool, StoreError> {
        Ok(to_bytes(&Packed::of(&self.book.lines, Setups::new()))?.len() > BYTES_MAX)
    }

    /// Adds a volume, and the job that merges and archives volumes.
    pub(super) fn add(
        &mut self,
        mut volume: Volume,
        is_merged: bool,
        update: &mut Update,
    ) -> Result<(), StoreError> {
        volume.lines.sort_by_cached_key(|line| std::cmp::Reverse(line.place()));
        let (first, last) = volume.range();
        let number = self.book.next;
        self.book.next = number.checked_add(1).ok_or_else(unreadable)?;
        self.book.volumes.push(VolumeRef { number, is_merged, first, last });
        let key = volume_key(&self.player, number)?;
        update.writes.push(Write::Put { key, value: volume.bytes()?, expires: None });
        self.look_after(update)
    }

    /// Removes a volume. The caller must add another volume with the same games.
    pub(super) fn retire(&mut self, number: u32, now: Stamp, update: &mut Update) -> Result<(), StoreError> {
        self.book.volumes.retain(|volume| volume.number != number);
        self.book.retired.push(Retired { number, at: now.0 / HOUR_MS });
        update.writes.push(Write::Delete { key: volume_key(&self.player, number)? });
        Ok(())
    }

    /// Writes the job that merges and archives volumes.
    fn look_after(&self, update: &mut Update) -> Result<(), StoreError> {
        let key = HISTORY_DUE.key([&self.player])?;
        if update.writes.iter().all(|write| *write.key() != key) {
            update.writes.push(Write::Put { key, value: b"{}".to_vec(), expires: None });
        }
        Ok(())
    }
}

pub(super) fn volume_key(player: &str, number: u32) -> Result<Key, StoreError> {
    VOLUMES.key([&player, &format_args!("{number:08}")])
}

/// Reads a volume. `None` if it was replaced.
pub(super) async fn read_volume(
    store: &dyn Store,
    player: &str,
    number: u32,
) -> Result<Option<Volume>, StoreError> {
    let value = store.get(volume_key(player, number)?).await?;
    value.as_deref().map(Volume::parse).transpose()
}

pub(super) async fn forget(store: &dyn Store, player: &str) -> Result<(), StoreError> {
    // Delete the record first, because without it no volume can be added.
    delete(store, vec![HISTORY.key([&player])?]).await?;
    delete_volumes(store, player).await
}

pub(super) async fn delete_volumes(store: &dyn Store, player: &str) -> Result<(), StoreError> {
    let prefix = VOLUMES.under([&player])?;
    delete_all(store, prefix.clone()).await?;
    for key in store.archived_records(prefix).await? {
        store.delete_archived(key).await?;
    }
    Ok(())
}

/// The place of a game's line.
pub(super) enum Place {
    /// The index of the line in the page.
    Page(usize),
    /// A volume, and the index of the line in it.
    Volume(VolumeRef, Volume, usize),
}

/// Finds the line of a game in the history of a player. If the end of the game is not known,
/// searches all volumes.
pub(super) async fn find(
    store: &dyn Store,
    player: &str,
    game: GameId,
    ended: Option<u64>,
) -> Result<Option<(Opened, Place)>, StoreError> {
    'tries: for _ in 0..TRIES {
        let opened = Opened::read(store, player).await?;
        let of_game = |line: &Line| line.game == game;
        if let Some(at) = opened.book.lines.iter().position(of_game) {
            return Ok(Some((opened, Place::Page(at))));
        }
        let volumes = opened.book.volumes.iter();
        let may_have =
            |volume: &&VolumeRef| ended.is_none_or(|ended| (volume.first..=volume.last).contains(&ended));
        for place in volumes.filter(may_have) {
            let Some(volume) = read_volume(store, player, place.number).await? else { continue 'tries };
            if let Some(at) = volume.lines.iter().position(of_game) {
                let place = Place::Volume(*place, volume, at);
                return Ok(Some((opened, place)));
            }
        }
        return Ok(None);
    }
    Err(missing())
}

pub(super) fn missing() -> StoreError {
    damaged("a volume of a history is missing")
}

/// Returns a game's line in the history of a player, if it has one.
pub(crate) async fn line_of(
    store: &dyn Store,
    player: &str,
    game: GameId,
    ended: u64,
) -> Result<Option<Line>, StoreError> {
    Ok(find(store, player, game, Some(ended)).await?.map(|(mut opened, place)| match place {
        Place::Page(at) => opened.book.lines.swap_remove(at),
        Place::Volume(_, mut volume, at) => volume.lines.swap_remove(at),
    }))
}

/// Adds to an update the writes that change a game's line in the history of a player. Returns
/// false if the history does not have the game.
pub(crate) async fn amend(
    store: &dyn Store,
    player: &str,
    game: GameId,
    ended: u64,
    change: impl FnOnce(&mut Line),
    update: &mut Update,
) -> Result<bool, StoreError> {
    let Some((mut opened, place)) = find(store, player, game, Some(ended)).await? else { return Ok(false) };
    match place {
        Place::Page(at) => change(&mut opened.book.lines[at]),
        Place::Volume(place, mut volume, at) => {
            change(&mut volume.lines[at]);
            opened.retire(place.number, store.now(), update)?;
            opened.add(volume, place.is_merged, update)?;
        }
    }
    opened.save(update)?;
    Ok(true)
}

/// Reads all histories with all their volumes, and looks for their games. Returns the players whose
/// histories cannot be read or name missing games, each with the reason.
///
/// `has_game` is true if a game can be read. It is asked for the latest games of each player, or
/// for all games if `all` is true.
pub async fn check(
    store: &dyn Store,
    all: bool,
    has_game: impl AsyncFn(GameId) -> Result<bool, StoreError>,
) -> Result<Vec<(String, String)>, StoreError> {
    let (mut scan, mut found) = (Scan::new(store, HISTORY.all()?), Vec::new());
    let latest = if all { usize::MAX } else { LINES_MAX };
    while let Some(records) = scan.next().await? {
        let players = records.iter().filter_map(|(key, _)| HISTORY.rest(key));
        let reading = players
            .map(async |player| (player.to_owned(), missing_games(store, player, latest, &has_game).await));
        let mut reading = stream::iter(reading).buffered(READS_MAX);
        while let Some((player, read)) = reading.next().await {
            match read {
                Ok(games) if games.is_empty() => {}
                Ok(games) => {
                    let (count, first) = (games.len(), games[0]);
                    found.push((player, format!("{count} of its games are missing, {first} among them")));
                }
                Err(StoreError::Damaged { what }) => found.push((player, what)),
                Err(error) => return Err(error),
            }
        }
    }
    Ok(found)
}

/// Reads a whole history. Returns those of its latest games that are missing, although no operator
/// has erased them.
async fn missing_games(
    store: &dyn Store,
    player: &str,
    latest: usize,
    has_game: impl AsyncFn(GameId) -> Result<bool, StoreError>,
) -> Result<Vec<GameId>, StoreError> {
    let mut lines = read_whole(store, player).await?.lines;
    lines.sort_by_key(|line| std::cmp::Reverse(line.ended));
    let mut missing = Vec::new();
    for line in lines.iter().take(latest) {
        if !line.erased && !has_game(line.game).await? {
            missing.push(line.game);
        }
    }
    Ok(missing)
}

/// Returns the lines of all games that changed a player's ratings.
pub(crate) async fn rated_lines(store: &dyn Store, player: &str) -> Result<Vec<Line>, StoreError> {
    let mut lines = read_whole(store, player).await?.lines;
    lines.retain(|line| line.change.is_some());
    Ok(lines)
}

/// Returns all lines of a history, and the statistics in its volumes, as one volume.
pub(super) async fn read_whole(store: &dyn Store, player: &str) -> Result<Volume, StoreError> {
    'tries: for _ in 0..TRIES {
        let Opened { book, .. } = Opened::read(store, player).await?;
        let mut whole = Volume { lines: book.lines, figures: Vec::new() };
        for place in &book.volumes {
            let Some(volume) = read_volume(store, player, place.number).await? else { continue 'tries };
            whole.add_figures(&volume);
            whole.lines.extend(volume.lines);
        }
        return Ok(whole);
    }
    Err(missing())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_figures_keep_their_bytes() {
        let tally = |won| Tally { won, drawn: won + 1, lost: won + 2 };
        let by_side = PerSide::new(tally(1), tally(4));
        let ruleset = "duel".to_owned();
        let figures = PackedFigures { ruleset, by_side, deployments: vec![(1, tally(7), 300)] };
        let bytes = b"\x04duel\x01\x02\x03\x04\x05\x06\x01\x01\x07\x08\x09\xac\x02";
        assert_eq!(postcard::to_allocvec(&figures).unwrap(), bytes);
    }
}
