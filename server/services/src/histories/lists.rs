//! Lists of the games in a history.

use std::collections::HashSet;
use std::sync::Arc;

use flagfall_protocol::Speed;
use flagfall_store::{Store, StoreError};
use futures_util::future::try_join_all;
use parking_lot::Mutex;
use quick_cache::Weighter;
use quick_cache::unsync::Cache;

use super::book::{Opened, TRIES, Volume, VolumeRef, missing, read_volume};
use super::line::Line;
use super::record::Figures;

/// The maximum number of lines that are kept in memory.
const KEPT_LINES_MAX: u64 = 50_000;
/// The number of volumes with that many lines.
const KEPT_VOLUMES: usize = 500;
/// The maximum number of a history's volumes that are read at the same time.
const AT_ONCE: usize = 8;

/// Volumes by their players and numbers.
type Volumes = Cache<(String, u32), Arc<Volume>, LineCount>;

/// Reads histories, and keeps some of their volumes in memory. Clones share these volumes. They are
/// never out of date, because volumes do not change.
#[derive(Clone)]
pub(crate) struct Lines {
    store: Arc<dyn Store>,
    kept: Arc<Mutex<Volumes>>,
}

struct LineCount;

impl Weighter<(String, u32), Arc<Volume>> for LineCount {
    fn weight(&self, _: &(String, u32), volume: &Arc<Volume>) -> u64 {
        // A volume without lines counts, too, because the cache never evicts what weighs nothing.
        volume.lines.len() as u64 + 1
    }
}

/// Lines of a history, latest first, and the statistics in its volumes.
#[derive(Default)]
pub(super) struct Whole {
    pub(super) lines: Vec<Line>,
    pub(super) figures: Vec<(String, Figures)>,
    /// True if the store has no history of this player.
    pub(super) is_absent: bool,
}

impl Lines {
    pub(crate) fn new(store: Arc<dyn Store>) -> Lines {
        let kept = Volumes::with_weighter(KEPT_VOLUMES, KEPT_LINES_MAX, LineCount);
        Lines { store, kept: Arc::new(Mutex::new(kept)) }
    }

    /// Reads a volume. `None` if it was replaced.
    async fn volume(&self, player: &str, place: &VolumeRef) -> Result<Option<Arc<Volume>>, StoreError> {
        let key = (player.to_owned(), place.number);
        let kept = self.kept.lock().get(&key).cloned();
        if kept.is_some() {
            return Ok(kept);
        }
        let Some(volume) = read_volume(&*self.store, player, place.number).await? else { return Ok(None) };
        let volume = Arc::new(volume);
        self.kept.lock().insert(key, volume.clone());
        Ok(Some(volume))
    }

    /// Returns the latest wanted lines, latest first: at least `count` lines, or all if there are
    /// fewer. Skips volumes whose games all ended after `until`.
    pub(super) async fn latest(
        &self,
        player: &str,
        count: usize,
        until: u64,
        is_wanted: impl Fn(&Line) -> bool + Send + Sync,
    ) -> Result<Vec<Line>, StoreError> {
        'tries: for _ in 0..TRIES {
            let opened = Opened::read(&*self.store, player).await?;
            let mut found: Vec<Line> = opened.book.lines.into_iter().filter(&is_wanted).collect();
            sort(&mut found);
            let mut volumes = opened.book.volumes;
            volumes.retain(|volume| volume.first <= until);
            volumes.sort_by_key(|volume| std::cmp::Reverse(volume.last));
            for place in volumes {
                let is_enough = |line: &Line| line.ended > place.last;
                if count == 0 || found.get(count - 1).is_some_and(is_enough) {
                    break;
                }
                let Some(volume) = self.volume(player, &place).await? else { continue 'tries };
                found.extend(volume.lines.iter().filter(|line| is_wanted(line)).cloned());
                sort(&mut found);
            }
            return Ok(found);
        }
        Err(missing())
    }

    /// Returns all wanted lines of a history, and its statistics.
    pub(super) async fn all(
        &self,
        player: &str,
        is_wanted: impl Fn(&Line) -> bool + Send + Sync,
    ) -> Result<Whole, StoreError> {
        'tries: for _ in 0..TRIES {
            let opened = Opened::read(&*self.store, player).await?;
            let is_absent = opened.is_absent();
            let mut all = Volume { lines: opened.book.lines, figures: Vec::new() };
            all.lines.retain(&is_wanted);
            for places in opened.book.volumes.chunks(AT_ONCE) {
                let volumes = try_join_all(places.iter().map(|place| self.volume(player, place))).await?;
                for volume in volumes {
                    let Some(volume) = volume else { continue 'tries };
                    all.lines.extend(volume.lines.iter().filter(|line| is_wanted(line)).cloned());
                    all.add_figures(&volume);
                }
            }
            sort(&mut all.lines);
            return Ok(Whole { lines: all.lines, figures: all.figures, is_absent });
        }
        Err(missing())
    }

    /// Returns the lines of the games that last changed a player's rating in a class: at least
    /// `count` lines, or all if there are fewer.
    pub(crate) async fn rated(
        &self,
        player: &str,
        ruleset: &str,
        speed: Speed,
        count: usize,
    ) -> Result<Vec<Line>, StoreError> {
        self.latest(player, count, u64::MAX, |line| line.is_rated_in(ruleset, speed)).await
    }
}

/// Sorts lines, latest first. If a game has several lines, keeps only one of them.
fn sort(lines: &mut Vec<Line>) {
    lines.sort_by_cached_key(Line::place);
    let mut games = HashSet::new();
    lines.retain(|line| games.insert(line.game));
}
