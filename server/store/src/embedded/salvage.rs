//! Salvage: from a damaged database to a whole one, game by game.
//!
//! The tables as they are (nothing in them ever changes, so they are linked, not copied) become the base of a new
//! database beside the damaged one. Then every commit that may not have reached a table yet is carried out on it again,
//! taken from the journal where that is whole, else from the mirror. Where both are damaged in the same commit, the
//! mirror's list vouches for single rows, wherever they are found; what is lost then has a name as a rule: an entry is
//! missed by its head, a head by its entry. Each game touched is checked along its chain; one that is short gets its
//! quarantine, all others go on. The damaged database is kept, under a name that says so.
//!
//! When nothing tells which games suffered, nothing is changed and the operator is asked.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use fjall::PersistMode;
use flagfall_board::{GameId, Stamp};

use super::LostTail;
use super::base::{Base, Origin};
use super::journal::Survey;
use super::layout::{
    META_COMMIT, META_EPOCH, Row, Space, entry_game, entry_seq, head_value, parse_commit, parse_entry,
    parse_game, parse_head, parse_number, quarantine_key,
};
use super::mirror::{MirroredCommit, Reflection};
use super::open::{DATABASE, MIRROR, Obstacle, OpenError, SUSPICION, remove};
use super::reader::{Spaces, Trouble, UNREADABLE};
use crate::limits::READ_MAX;
use crate::value::Head;

/// The database in the making.
const DATABASE_SALVAGED: &str = "db.salvaged";
/// The beginning of the name under which what is damaged is kept.
const KEPT: &str = "damaged-";
const REPORT: &str = "report.txt";
/// What was found in a damaged store, and what became of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Salvage {
    /// What was wrong.
    pub why: String,
    /// Where the damaged files are kept.
    pub kept: PathBuf,
    /// Commits that were carried out again on what lay in tables.
    pub commits: u64,
    /// Those of them that the journal did not have whole, taken from the mirror.
    pub commits_mended: u64,
    /// Commits of which nothing is left.
    pub commits_lost: u64,
    /// What lies in tables that are damaged: some of that is lost.
    pub tables_damaged: Vec<String>,
    /// Games with entries in these commits that are whole; all games when tables were damaged.
    pub games_whole: u64,
    /// Games that are not, with what is wrong. They are in quarantine.
    pub games_quarantined: Vec<(GameId, String)>,
    /// Small records (players, tokens, offers and the like) whose last change is lost; which ones is not known.
    pub records_lost: u64,
    /// Whether a new epoch has begun, for what was acknowledged may be missing somewhere.
    pub has_new_epoch: bool,
}

impl Salvage {
    /// Whether everything that was acknowledged is there again.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.are_records_missing() && self.tables_damaged.is_empty() && self.games_quarantined.is_empty()
    }

    /// Whether small records may be missing, lists of games among them.
    #[must_use]
    pub fn are_records_missing(&self) -> bool {
        let is_table_damaged = self.tables_damaged.iter().any(|space| space == Space::Records.name());
        is_table_damaged || self.records_lost > 0 || self.commits_lost > 0
    }
}

impl fmt::Display for Salvage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Salvage { why, commits, commits_mended, commits_lost, games_whole, records_lost, .. } = self;
        writeln!(f, "The store was damaged: {why}.")?;
        writeln!(
            f,
            "Commits gone through: {commits}; taken from the mirror: {commits_mended}; lost: {commits_lost}."
        )?;
        if !self.tables_damaged.is_empty() {
            writeln!(f, "Damaged tables, of which some rows are lost: {}.", self.tables_damaged.join(", "))?;
        }
        let quarantined = self.games_quarantined.len();
        writeln!(f, "Games looked at that are whole: {games_whole}; in quarantine: {quarantined}.")?;
        for (game, what) in &self.games_quarantined {
            writeln!(f, "  game {game}: {what}")?;
        }
        writeln!(f, "Small records (players, tokens, offers) whose last change is lost: {records_lost}.")?;
        if self.are_records_missing() {
            writeln!(f, "  A player who is told that his token is unknown has to register anew.")?;
        }
        if self.has_new_epoch {
            writeln!(f, "A new epoch has begun: clients are told where a game went back.")?;
        }
        if self.is_complete() {
            writeln!(f, "Nothing that was acknowledged is missing.")?;
        } else {
            writeln!(
                f,
                "To get back what is missing, stop the server and restore a backup of the whole folder."
            )?;
        }
        write!(
            f,
            "The damaged files are kept in {}; delete them when nobody wants to look at them any more.",
            self.kept.display()
        )
    }
}

/// What there is to salvage from, beside the tables.
pub(super) struct Sources {
    pub(super) survey: Survey,
    pub(super) reflection: Reflection,
    /// The number of the last commit that is known to have been acknowledged.
    pub(super) acknowledged: u64,
}

/// Ends a salvage that was interrupted when all was ready; forgets one that was not.
pub(super) fn finish(folder: &Path) -> io::Result<()> {
    let (database, salvaged) = (folder.join(DATABASE), folder.join(DATABASE_SALVAGED));
    if database.try_exists()? {
        return remove(&salvaged);
    }
    if salvaged.try_exists()? {
        fs::rename(&salvaged, &database)?;
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Makes a whole database of a damaged one, on the first of these bases that can be made.
pub(super) fn run(
    folder: &Path,
    why: String,
    bases: &[Origin],
    sources: &Sources,
    lost_tail: LostTail,
    now: Stamp,
) -> Result<Salvage, OpenError> {
    let failed = |source| OpenError::Io { folder: folder.to_owned(), source };
    let salvaged = folder.join(DATABASE_SALVAGED);
    let mut replayed = Err(Obstacle::Damaged(why.clone()));
    for origin in bases {
        replayed = replay(&folder.join(DATABASE), &salvaged, *origin, sources, now);
        match &replayed {
            Err(Obstacle::Damaged(why)) => {
                tracing::error!(why, ?origin, "the tables cannot be taken this way");
            }
            Ok(_) | Err(_) => break,
        }
    }
    let replay = replayed.map_err(|obstacle| obstacle.of_folder(folder))?;
    let unknown = replay.unknown();
    if unknown > 0 && lost_tail == LostTail::Refuse {
        drop(replay);
        remove(&salvaged).map_err(failed)?;
        let acknowledged = sources.acknowledged;
        return Err(OpenError::LostTail {
            folder: folder.to_owned(),
            acknowledged,
            lost: unknown,
            what: why,
        });
    }
    let mut salvage = replay.conclude(now).map_err(|obstacle| obstacle.of_folder(folder))?;
    salvage.why = why;
    salvage.kept = keep(folder, now).map_err(failed)?;
    let suspicion = folder.join(SUSPICION);
    if suspicion.try_exists().map_err(failed)? {
        fs::rename(&suspicion, salvage.kept.join(SUSPICION)).map_err(failed)?;
    }
    fs::write(salvage.kept.join(REPORT), format!("{salvage}\n")).map_err(failed)?;
    Ok(salvage)
}

fn replay<'a>(
    database: &Path,
    place: &Path,
    origin: Origin,
    sources: &'a Sources,
    now: Stamp,
) -> Result<Replay<'a>, Obstacle> {
    let mut replay = Replay::new(Base::make(database, place, origin, now)?, sources)?;
    replay.run()?;
    Ok(replay)
}

/// Puts the new database into the place of the damaged one, which is kept together with its mirror.
fn keep(folder: &Path, now: Stamp) -> io::Result<PathBuf> {
    let mut kept = folder.join(format!("{KEPT}{}", now.0));
    while kept.try_exists()? {
        kept.as_mut_os_string().push("x");
    }
    fs::create_dir(&kept)?;
    let database = folder.join(DATABASE);
    if database.try_exists()? {
        fs::rename(&database, kept.join(DATABASE))?;
    }
    fs::rename(folder.join(DATABASE_SALVAGED), &database)?;
    let mirror = folder.join(MIRROR);
    if mirror.try_exists()? {
        fs::rename(&mirror, kept.join(MIRROR))?;
    }
    File::open(folder)?.sync_all()?;
    Ok(kept)
}

/// Where a commit is found.
#[derive(Default)]
struct Places {
    /// The batch in the survey.
    batch: Option<usize>,
    /// The commit in the mirror.
    mirrored: Option<usize>,
    /// Batches without a number that came after it.
    nameless: Vec<usize>,
}

/// The commits of a damaged database, carried out again.
struct Replay<'a> {
    spaces: Spaces,
    /// What the base lacks, because of damaged tables.
    lacking: BTreeSet<Space>,
    /// Whether every game is to be checked.
    is_poured: bool,
    sources: &'a Sources,
    /// Rows from damaged stretches of the journal.
    doubtful: Vec<Row>,
    /// Games with entries in the commits, and the first of these entries.
    games: BTreeMap<GameId, u64>,
    /// Games that may be short, though nothing in their logs shows it.
    suspects: BTreeSet<GameId>,
    lost_commits: u64,
    /// Lost rows that may be of any game.
    unknown_rows: u64,
    /// Lost rows of the store's own.
    lost_meta: u64,
    committed_at: Stamp,
    salvage: Salvage,
}

impl<'a> Replay<'a> {
    fn new(base: Base, sources: &'a Sources) -> Result<Replay<'a>, Obstacle> {
        Ok(Replay {
            spaces: base.spaces,
            lacking: base.lacking,
            is_poured: base.origin == Origin::Poured,
            sources,
            doubtful: sources.survey.doubtful_rows().map_err(Obstacle::Io)?,
            games: BTreeMap::new(),
            suspects: base.suspects,
            lost_commits: 0,
            unknown_rows: 0,
            lost_meta: 0,
            committed_at: Stamp(0),
            salvage: Salvage::default(),
        })
    }

    /// Where each commit is found, from the first that may not be in a table on.
    fn places(&self) -> BTreeMap<u64, Places> {
        let Sources { survey, reflection, .. } = self.sources;
        let mut places: BTreeMap<u64, Places> = BTreeMap::new();
        for (number, mirrored) in reflection.commits.iter().enumerate() {
            places.entry(mirrored.commit).or_default().mirrored = Some(number);
        }
        let mut last = 0;
        for (number, placed) in survey.batches.iter().enumerate() {
            match placed.batch.commit {
                Some(commit) => {
                    last = commit;
                    places.entry(commit).or_default().batch = Some(number);
                }
                None => places.entry(last).or_default().nameless.push(number),
            }
        }
        places
    }

    fn run(&mut self) -> Result<(), Obstacle> {
        let places = self.places();
        let available = places.keys().copied().find(|commit| *commit > 0).into_iter();
        let available = available.chain(self.sources.reflection.first_commit.map(|first| first.max(1))).min();
        // Whatever is in no journal any more is in the tables, and so is this number then.
        let base = self.spaces.meta.get(META_COMMIT)?.and_then(|value| parse_commit(&value));
        let (in_tables, at) = base.unwrap_or((0, Stamp(0)));
        self.committed_at = at;
        let needed = if self.lacking.contains(&Space::Meta) { u64::MAX } else { in_tables + 1 };
        let last = places.keys().copied().max().unwrap_or(0).max(self.sources.acknowledged);
        let first = available.unwrap_or(u64::MAX).min(needed).min(last + 1);
        if let Some(nowhere) = places.get(&0) {
            self.carry_out(0, nowhere)?;
        }
        // Of what is missing ahead of everything else, or behind it, only the last needs its number.
        let follows = if places.contains_key(&0) { first } else { available.unwrap_or(last) };
        let begin = follows.clamp(first, last.max(first));
        self.lost_commits += begin - first;
        for commit in begin..=last {
            match places.get(&commit) {
                Some(found) => self.carry_out(commit, found)?,
                None => self.miss(commit)?,
            }
        }
        if first <= 1 && self.unknown() == 0 {
            // The commits are all there ever were: the tables are not needed.
            self.lacking.clear();
        }
        Ok(())
    }

    /// How much is lost of which nothing tells whose it is.
    fn unknown(&self) -> u64 {
        let is_any_game_lost = self.lacking.contains(&Space::Logs) && self.lacking.contains(&Space::Heads);
        self.lost_commits + self.unknown_rows + u64::from(is_any_game_lost)
    }

    fn carry_out(&mut self, commit: u64, places: &Places) -> Result<(), Obstacle> {
        let Sources { survey, reflection, .. } = self.sources;
        self.salvage.commits += u64::from(commit > 0);
        let batch = match places.batch {
            Some(batch) => survey.rows(&survey.batches[batch]).map_err(Obstacle::Io)?,
            None => None,
        };
        match (batch, places.mirrored) {
            (Some(rows), _) => self.write(rows)?,
            (None, Some(mirrored)) => self.mend(commit, &reflection.commits[mirrored])?,
            (None, None) if commit > 0 => self.miss(commit)?,
            (None, None) => {}
        }
        for nameless in &places.nameless {
            if let Some(rows) = survey.rows(&survey.batches[*nameless]).map_err(Obstacle::Io)? {
                self.write(rows)?;
            }
        }
        Ok(())
    }

    /// Nothing is left of a commit but its number.
    fn miss(&mut self, commit: u64) -> Result<(), Obstacle> {
        self.lost_commits += 1;
        self.write(vec![Row::of_commit(commit, self.committed_at)])
    }

    /// Carries out a commit as the mirror has it, and notes what it lacks.
    fn mend(&mut self, commit: u64, mirrored: &MirroredCommit) -> Result<(), Obstacle> {
        self.salvage.commits_mended += 1;
        let mut rows = vec![Row::of_commit(commit, self.committed_at)];
        let mut lost = BTreeMap::<Space, u64>::new();
        for (number, (listed, row)) in mirrored.rows().map_err(Obstacle::Io)?.into_iter().enumerate() {
            let row = row.or_else(|| self.doubtful.iter().find(|row| listed.is(row)).cloned());
            match row {
                // The first is the commit's own.
                Some(row) if number == 0 => rows[0] = row,
                Some(row) => rows.push(row),
                None if number == 0 => {}
                None => *lost.entry(listed.space).or_default() += 1,
            }
        }
        let lost = |space| lost.get(&space).copied().unwrap_or(0);
        self.salvage.records_lost += lost(Space::Records);
        self.lost_meta += lost(Space::Meta);
        self.replace_heads(&mut rows, lost(Space::Logs), lost(Space::Heads));
        self.write(rows)
    }

    /// A lost entry is missed by its head. A lost head is known by the entries beside it, unless some of these are lost
    /// as well.
    fn replace_heads(&mut self, rows: &mut Vec<Row>, lost_entries: u64, lost_heads: u64) {
        if lost_heads == 0 {
            return;
        }
        let with_head: BTreeSet<GameId> =
            of_space(rows, Space::Heads).filter_map(|row| parse_game(&row.key)).collect();
        let mut heads = BTreeMap::new();
        for row in of_space(rows, Space::Logs) {
            let hash = row.value.as_deref().and_then(parse_entry).map(|(_, hash, _)| hash);
            if let (Some(game), Some(seq), Some(hash)) = (entry_game(&row.key), entry_seq(&row.key), hash)
                && !with_head.contains(&game)
            {
                heads.insert(game, Head { seq, hash });
            }
        }
        if lost_entries > 0 {
            self.suspects.extend(heads.keys());
            self.unknown_rows += lost_heads.saturating_sub(heads.len() as u64);
        }
        rows.extend(
            heads.iter().map(|(game, head)| Row::put(Space::Heads, game.as_str(), head_value(*head))),
        );
    }

    fn write(&mut self, rows: Vec<Row>) -> Result<(), Obstacle> {
        let mut kept = Vec::with_capacity(rows.len());
        for row in rows {
            if self.note(&row)? {
                kept.push(row);
            }
        }
        let mut batch = self.spaces.db.batch();
        self.spaces.fill(&mut batch, kept);
        Ok(batch.commit()?)
    }

    /// Notes whom a row concerns; whether it is to be written.
    fn note(&mut self, row: &Row) -> Result<bool, Obstacle> {
        let value = row.value.as_deref();
        match row.space {
            Space::Logs => {
                if let (Some(game), Some(seq)) = (entry_game(&row.key), entry_seq(&row.key)) {
                    let first = self.games.entry(game).or_insert(seq);
                    *first = seq.min(*first);
                }
            }
            Space::Heads => {
                let Some(head) = value.and_then(parse_head) else { return Ok(true) };
                if let Some(game) = parse_game(&row.key) {
                    self.games.entry(game).or_insert(head.seq);
                }
                // A table may have a newer one already.
                let known = self.spaces.heads.get(&row.key)?;
                return Ok(known
                    .and_then(|known| parse_head(&known))
                    .is_none_or(|known| known.seq <= head.seq));
            }
            Space::Meta if row.key == META_COMMIT => {
                self.committed_at = value.and_then(parse_commit).map_or(self.committed_at, |(_, at)| at);
            }
            Space::Meta | Space::Records | Space::Expiries => {}
        }
        Ok(true)
    }

    /// Checks the games, notes quarantines, and makes all of it durable.
    fn conclude(mut self, now: Stamp) -> Result<Salvage, Obstacle> {
        let mut rows = Vec::new();
        if self.is_poured {
            for row in self.spaces.heads.iter() {
                self.games.extend(parse_game(&row.key()?).map(|game| (game, 1)));
            }
        }
        for (game, first) in std::mem::take(&mut self.games) {
            let what = match check(&self.spaces, game, first) {
                Ok(()) if self.suspects.contains(&game) => "its newest entries may be lost".to_owned(),
                Ok(()) => {
                    self.salvage.games_whole += 1;
                    rows.extend(self.release(game)?);
                    continue;
                }
                Err(Trouble::Damaged { seq, what }) => format!("entry {seq}: {what}"),
                Err(Trouble::Unavailable { why }) => return Err(Obstacle::Io(io::Error::other(why))),
            };
            let key = quarantine_key(game);
            if self.spaces.meta.get(&key)?.is_none() {
                rows.push(Row::put(Space::Meta, key, what.as_bytes()));
            }
            self.salvage.games_quarantined.push((game, what));
        }
        self.salvage.commits_lost = self.lost_commits;
        self.salvage.tables_damaged = self.lacking.iter().map(|space| space.name().to_owned()).collect();
        let is_epoch_lost = self.lost_meta > 0 || self.lacking.contains(&Space::Meta);
        self.salvage.has_new_epoch = self.unknown() > 0 || is_epoch_lost;
        if self.salvage.has_new_epoch {
            let known = self.spaces.meta.get(META_EPOCH)?.and_then(|value| parse_number(&value)).unwrap_or(0);
            let epoch = now.0.max(known + 1);
            rows.push(Row::put(Space::Meta, META_EPOCH, epoch.to_le_bytes()));
        }
        let mut batch = self.spaces.db.batch();
        self.spaces.fill(&mut batch, rows);
        batch.commit()?;
        self.spaces.db.persist(PersistMode::SyncAll)?;
        Ok(self.salvage)
    }

    /// Lifts the quarantine of a game whose log can be read again.
    fn release(&self, game: GameId) -> Result<Option<Row>, Obstacle> {
        let key = quarantine_key(game);
        let reason = self.spaces.meta.get(&key)?;
        let is_over = reason.is_some_and(|reason| String::from_utf8_lossy(&reason).contains(UNREADABLE));
        Ok(is_over.then(|| Row::remove(Space::Meta, key)))
    }
}

fn of_space(rows: &[Row], space: Space) -> impl Iterator<Item = &Row> {
    rows.iter().filter(move |row| row.space == space)
}

/// Follows a log from this entry on to its head.
fn check(spaces: &Spaces, game: GameId, first: u64) -> Result<(), Trouble> {
    let mut after = first.saturating_sub(1);
    while let Some(last) = spaces.read(game, after, READ_MAX)?.last() {
        after = last.seq;
    }
    spaces.head(game).map(drop)
}
