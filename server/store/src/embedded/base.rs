//! What a salvage begins with: a database that holds what the damaged one has in its tables, and nothing of its journals.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use flagfall_board::{GameId, Stamp};

use super::journal::{journals, next_journal};
use super::layout::{Row, Space, entry_game, entry_seq, head_value, parse_entry, parse_head};
use super::open::{Obstacle, create, open_spaces, remove};
use super::precheck;
use super::reader::Spaces;
use super::tables::{Tables, are_there};
use crate::value::Head;

const TABLES: &str = "tables";
const CACHE_BYTES: u64 = 32 * 1024 * 1024;
/// Bytes poured in one batch, about.
const POUR_BYTES: usize = 1024 * 1024;

/// How a base is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// With the damaged database's tables as they are.
    TakenOver,
    /// Row by row, from what can be read of the tables.
    Poured,
}

/// The base.
pub(super) struct Base {
    pub(super) spaces: Spaces,
    /// What it lacks something of.
    pub(super) lacking: BTreeSet<Space>,
    /// Games whose heads had to be taken from their logs, which may be short.
    pub(super) suspects: BTreeSet<GameId>,
    pub(super) origin: Origin,
}

impl Base {
    /// Makes it here.
    pub(super) fn make(database: &Path, place: &Path, origin: Origin, now: Stamp) -> Result<Base, Obstacle> {
        remove(place).map_err(Obstacle::Io)?;
        let mut base = Base {
            spaces: match origin {
                Origin::TakenOver => take_over(database, place)?,
                Origin::Poured => {
                    create(place, now.0.max(1))?;
                    open_spaces(place, CACHE_BYTES)?
                }
            },
            origin,
            lacking: BTreeSet::new(),
            suspects: BTreeSet::new(),
        };
        if origin == Origin::Poured && are_there(database) {
            // Heads before logs, which are compared with them.
            for space in [Space::Meta, Space::Heads, Space::Records, Space::Expiries, Space::Logs] {
                base.pour(database, space)?;
            }
            base.spaces = flush(base.spaces, place)?;
            if !base.lacking.contains(&Space::Logs) {
                base.suspects.clear();
            }
        }
        Ok(base)
    }

    fn pour(&mut self, database: &Path, space: Space) -> Result<(), Obstacle> {
        let mut tables = Tables::open(database, space as u64).map_err(Obstacle::Io)?;
        let (mut rows, mut bytes) = (Vec::new(), 0);
        let mut last: Option<(GameId, Head)> = None;
        while let Some((key, value)) = tables.next_row().map_err(Obstacle::Io)? {
            let row = Row::put(space, key, value);
            if space == Space::Logs
                && let Some(game) = entry_game(&row.key)
            {
                let head = head_at(&row);
                if let Some((before, head)) = last.take_if(|(before, _)| *before != game) {
                    self.settle_head(before, head, &mut rows)?;
                }
                last = head.map(|head| (game, head));
            }
            bytes += row.key.len() + row.value.as_ref().map_or(0, Vec::len);
            rows.push(row);
            if bytes >= POUR_BYTES {
                bytes = 0;
                self.write(&mut rows)?;
            }
        }
        if let Some((game, head)) = last {
            self.settle_head(game, head, &mut rows)?;
        }
        self.write(&mut rows)?;
        if !tables.is_whole() {
            self.lacking.insert(space);
        }
        Ok(())
    }

    /// Where heads were lost, a log tells its own.
    fn settle_head(&mut self, game: GameId, head: Head, rows: &mut Vec<Row>) -> Result<(), Obstacle> {
        if !self.lacking.contains(&Space::Heads) {
            return Ok(());
        }
        let known = self.spaces.heads.get(game.as_str())?.and_then(|value| parse_head(&value));
        if known.is_none_or(|known| known.seq < head.seq) {
            self.suspects.insert(game);
            rows.push(Row::put(Space::Heads, game.as_str(), head_value(head)));
        }
        Ok(())
    }

    fn write(&self, rows: &mut Vec<Row>) -> Result<(), Obstacle> {
        let mut batch = self.spaces.db.batch();
        self.spaces.fill(&mut batch, std::mem::take(rows));
        Ok(batch.commit()?)
    }
}

/// The same database, all of it in tables, and without a journal.
fn flush(spaces: Spaces, place: &Path) -> Result<Spaces, Obstacle> {
    for space in Space::ALL {
        spaces.of(space).rotate_memtable_and_wait()?;
    }
    drop(spaces);
    begin_journal(place, place).map_err(Obstacle::Io)?;
    open_spaces(place, CACHE_BYTES)
}

/// Begins an empty journal, numbered on from those of another database, and deletes all others. Without any journal the
/// database would begin its sequence numbers anew, below those in its tables.
fn begin_journal(database: &Path, place: &Path) -> io::Result<()> {
    let next = next_journal(database)?;
    for journal in journals(place)? {
        fs::remove_file(journal)?;
    }
    File::create(place.join(next)).map(drop)
}

fn head_at(entry: &Row) -> Option<Head> {
    let (_, hash, _) = parse_entry(entry.value.as_deref()?)?;
    Some(Head { seq: entry_seq(&entry.key)?, hash })
}

/// A database with the damaged one's tables, and none of its journals.
fn take_over(database: &Path, place: &Path) -> Result<Spaces, Obstacle> {
    if !are_there(database) {
        return Err(Obstacle::Damaged("there are no tables".to_owned()));
    }
    let is_no_journal = |path: &Path| path.extension().is_none_or(|extension| extension != "jnl");
    link(database, place, &is_no_journal).map_err(Obstacle::Io)?;
    begin_journal(database, place).map_err(Obstacle::Io)?;
    if let Some(problem) = precheck::check(place).map_err(Obstacle::Io)? {
        return Err(Obstacle::Damaged(problem));
    }
    open_spaces(place, CACHE_BYTES)
}

/// Copies what is wanted of a folder. Tables are never changed, only deleted: of them a link is enough.
pub(super) fn link(from: &Path, to: &Path, is_wanted: &dyn Fn(&Path) -> bool) -> io::Result<()> {
    fs::create_dir_all(to)?;
    let is_tables = from.file_name().is_some_and(|name| name == TABLES);
    for path in precheck::entries(from)? {
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            link(&path, &target, is_wanted)?;
        } else if is_wanted(&path) {
            let is_linked = is_tables && fs::hard_link(&path, &target).is_ok();
            if !is_linked {
                fs::copy(&path, &target)?;
            }
        }
    }
    File::open(to)?.sync_all()
}
