//! Checks the whole archive.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use flagfall_board::GameId;
use flagfall_game::replay;
use flagfall_store::segment::Seal;

use super::Archive;
use super::agreement::Sums;
use super::error::ArchiveError;
use super::location::Location;
use super::names;
use super::part::Line;
use super::report::{Damage, Report};
use super::view::View;
use super::walk::of_segment;
use crate::error::DecodeError;
use crate::frame::decode;
use crate::game::Log;
use crate::objects::ObjectError;
use crate::segment::{Place, Segment, SegmentError, check as check_segment};

/// The number of games that a check of the archive replays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    /// No games. Only hashes are checked.
    Hashes,
    /// About this many games, evenly distributed.
    Sample(u64),
    /// All.
    All,
}

/// An additional check of each replayed game. Returns a description of the problem, which must
/// not quote anything from the game.
pub type Examine = Arc<dyn Fn(&Log) -> Result<(), String> + Send + Sync>;

/// The results for one segment.
#[derive(Default)]
struct Inspected {
    games: HashSet<GameId>,
    replayed: u64,
    unsupported: u64,
    /// The games that cannot be replayed although their bytes are undamaged.
    broken: Vec<(GameId, String)>,
    /// The places of all games, if the segment is undamaged.
    places: Vec<(GameId, Place)>,
    fault: Option<SegmentError>,
}

impl Archive {
    /// Checks the checksums and hashes of all objects, compares the index with the segments, and
    /// replays games. Calls `told` with the number of objects checked so far and the total
    /// number.
    ///
    /// # Errors
    /// [`ArchiveError`] if the store cannot be read. Damage is not an error, but is part of the
    /// report.
    pub async fn check(&self, depth: Check, told: impl FnMut(usize, usize)) -> Result<Report, ArchiveError> {
        self.check_with(depth, Arc::new(|_| Ok(())), told).await
    }

    /// Like [`Archive::check`], but also calls `examine` with each replayed game.
    ///
    /// # Errors
    /// See [`Archive::check`].
    pub async fn check_with(
        &self,
        depth: Check,
        examine: Examine,
        mut told: impl FnMut(usize, usize),
    ) -> Result<Report, ArchiveError> {
        let mut report = Report::default();
        let view = match self.newest().await {
            Ok(view) => view,
            Err(error) if error.is_damage() => {
                report.add(&error, Vec::new());
                self.view()
            }
            Err(error) => return Err(error),
        };
        let (segments, faults) = self.segments(&view).await?;
        let are_tables_whole = faults.is_empty();
        for fault in faults {
            report.add(&fault, Vec::new());
        }
        if let Some(fault) = view.damaged_removals() {
            report.add(&fault, Vec::new());
        }
        (report.segments, report.index_parts) = (segments.len(), view.parts().count());
        let (all, mut done) = (report.segments + report.index_parts, 0);
        let games = segments.iter().map(|segment| u64::from(segment.games)).sum::<u64>();
        let every = match depth {
            Check::Hashes => None,
            Check::Sample(wanted) => Some(games.div_ceil(wanted.max(1)).max(1)),
            Check::All => Some(1),
        };
        // The segments whose footer cannot be read, so their games are known only from the index.
        // Each has the position of its damage in the report, and the games that could be read.
        let mut unknown: HashMap<u32, (usize, HashSet<GameId>)> = HashMap::new();
        let (mut before, mut sums) = (0, Sums::default());
        for segment in &segments {
            let chosen = Chosen { before, every, examine: examine.clone() };
            let checked = self.check_segment(&view, segment.number, chosen, &mut sums, &mut report);
            if let Some(seen) = checked.await? {
                unknown.insert(segment.number, (report.damage.len() - 1, seen));
            }
            before += u64::from(segment.games);
            done += 1;
            told(done, all);
        }
        let mut is_index_whole = true;
        let numbers: HashSet<u32> = segments.iter().map(|segment| segment.number).collect();
        for part in view.parts() {
            match part.read_all(self.objects()).await {
                Ok(lines) => {
                    let mut astray = Vec::new();
                    for (game, location) in lines {
                        if view.removed(game).is_some() {
                            continue;
                        }
                        if let Some((damage, seen)) = unknown.get(&location.segment)
                            && !seen.contains(&game)
                        {
                            report.damage[*damage].games.push(game);
                        }
                        if !numbers.contains(&location.segment) {
                            astray.push(game);
                        }
                        sums.add_line(&(game, location));
                    }
                    if !astray.is_empty() && are_tables_whole {
                        let object = names::index(part.line.number);
                        let what = "it names a segment that the manifest does not name".to_owned();
                        report.damage.push(Damage { object, what, games: astray });
                    }
                }
                Err(error) if error.is_damage() => {
                    report.add(&error, Vec::new());
                    is_index_whole = false;
                }
                Err(error) => return Err(error),
            }
            done += 1;
            told(done, all);
        }
        if is_index_whole {
            self.name_differences(&view, &sums.differing(), &mut report).await?;
        } else {
            self.name_lost(&view, &numbers, &mut report).await?;
        }
        self.check_records(&mut report).await?;
        Ok(report)
    }

    /// Checks a segment. If its list of games cannot be read, returns the games that were found.
    /// In that case, the last damage in the report is that of this segment.
    async fn check_segment(
        &self,
        view: &View,
        segment: u32,
        chosen: Chosen,
        sums: &mut Sums,
        report: &mut Report,
    ) -> Result<Option<HashSet<GameId>>, ArchiveError> {
        let object = view.segment(segment);
        let seal = view.seal(segment);
        let inspected = match self.whole(&object).await {
            Ok(bytes) => {
                let work = move || inspect(seal, &bytes, &chosen);
                tokio::task::spawn_blocking(work).await.map_err(|error| {
                    let error = std::io::Error::other(error);
                    ObjectError::Unavailable { name: object.clone(), error }
                })?
            }
            Err(error) if error.is_damage() => {
                report.add(&error, Vec::new());
                return Ok(Some(HashSet::new()));
            }
            Err(error) => return Err(error),
        };
        report.games += inspected.games.len() as u64;
        report.replayed += inspected.replayed;
        report.unsupported += inspected.unsupported;
        for (game, what) in inspected.broken {
            let what = format!("{what}, in the archive's object {object}");
            report.damage.push(Damage { object: object.clone(), what, games: vec![game] });
        }
        let Some(fault) = inspected.fault else {
            let line = |(game, Place { at, length, .. })| (game, Location { segment, at, length });
            let games = inspected.places.into_iter().map(line);
            sums.add_segment(segment, games.filter(|(game, _): &Line| view.removed(*game).is_none()));
            return Ok(None);
        };
        let fault = of_segment(view, segment, fault);
        match Segment::open(self.objects(), &object, seal).await {
            Ok(opened) => {
                let games = opened.games().iter().map(|(game, _)| *game);
                report.add(&fault, games.filter(|game| !inspected.games.contains(game)).collect());
                Ok(None)
            }
            Err(_) => {
                // The footer is damaged too, as `fault` says.
                report.add(&fault, Vec::new());
                Ok(Some(inspected.games))
            }
        }
    }

    /// Finds the games that are missing in the index because a part of it is damaged. Adds them
    /// to the damage of that part.
    async fn name_lost(
        &self,
        view: &View,
        segments: &HashSet<u32>,
        report: &mut Report,
    ) -> Result<(), ArchiveError> {
        for segment in segments {
            let object = view.segment(*segment);
            // The report already contains the damage of this segment.
            let Ok(opened) = Segment::open(self.objects(), &object, view.seal(*segment)).await else {
                continue;
            };
            let games = opened.games().iter().map(|(game, _)| *game);
            let games: Vec<_> = games.filter(|game| view.removed(*game).is_none()).collect();
            let (places, _) = view.places(self.objects(), &games).await?;
            for game in games.into_iter().filter(|game| !places.contains_key(game)) {
                let is_of = |damage: &&mut Damage| {
                    let mut parts = view.parts().filter(|part| part.covers(game));
                    parts.any(|part| damage.object == names::index(part.line.number))
                };
                if let Some(damage) = report.damage.iter_mut().find(is_of) {
                    damage.games.push(game);
                }
            }
        }
        for damage in &mut report.damage {
            damage.games.sort_unstable_by_key(GameId::bits);
        }
        Ok(())
    }
}

/// The choice of games to replay in a segment: each game whose number in the archive is a
/// multiple of `every`. `before` is the number of games in earlier segments.
struct Chosen {
    before: u64,
    every: Option<u64>,
    examine: Examine,
}

/// Checks the bytes of a segment, and replays the chosen games.
fn inspect(seal: Seal, bytes: &[u8], chosen: &Chosen) -> Inspected {
    let mut found = Inspected::default();
    let mut number = chosen.before;
    let checked = check_segment(seal, bytes, |game, encoded| {
        found.games.insert(game);
        let is_chosen = chosen.every.is_some_and(|every| number.is_multiple_of(every));
        number += 1;
        if !is_chosen {
            return;
        }
        match decode(encoded.expose()) {
            Ok(log) => match replay::replay(game, &log.entries, |_, _| {}) {
                Ok(_) => {
                    found.replayed += 1;
                    found.broken.extend((chosen.examine)(&log).err().map(|what| (game, what)));
                }
                // A game in format 0 may have rules that even the version that wrote it could not
                // replay.
                Err(_) if encoded.expose().first() == Some(&0) => found.unsupported += 1,
                Err(_) => found.broken.push((game, "a game cannot be replayed".to_owned())),
            },
            Err(DecodeError::Ruleset | DecodeError::NewerFormat(_)) => found.unsupported += 1,
            Err(error) => found.broken.push((game, error.to_string())),
        }
    });
    match checked {
        Ok(places) => found.places = places,
        Err(fault) => found.fault = Some(fault),
    }
    found
}
