//! Compares the index with the footers of the segments.
//!
//! The index and the footers may not fit into memory. So for each segment, two sums of hashes are
//! computed first: one over its footer, and one over the lines of the index that name the
//! segment. Only segments whose sums differ are compared line by line.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use flagfall_board::GameId;
use sha2::{Digest as _, Sha256};

use super::Archive;
use super::error::ArchiveError;
use super::location::Location;
use super::part::Line;
use super::report::{Damage, Report};
use super::view::View;
use crate::segment::Segment;

/// Two sums of hashes for each undamaged segment: over its footer, and over its lines in the
/// index.
#[derive(Default)]
pub(super) struct Sums(BTreeMap<u32, (u64, u64)>);

/// Returns a hash of a line. The hashes are added up, so the order of the lines does not matter.
fn hash((game, location): &Line) -> u64 {
    let digest = Sha256::new().chain_update(game.bits().to_le_bytes()).chain_update(location.to_bytes());
    let [a, b, c, d, e, f, g, h, ..] = <[u8; 32]>::from(digest.finalize());
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

impl Sums {
    /// Adds the games in the footer of an undamaged segment.
    pub(super) fn add_segment(&mut self, segment: u32, games: impl Iterator<Item = Line>) {
        let sum = games.fold(0, |sum: u64, line| sum.wrapping_add(hash(&line)));
        self.0.insert(segment, (sum, 0));
    }

    /// Adds a line of the index. Lines of damaged segments are ignored.
    pub(super) fn add_line(&mut self, line: &Line) {
        if let Some((_, sum)) = self.0.get_mut(&line.1.segment) {
            *sum = sum.wrapping_add(hash(line));
        }
    }

    pub(super) fn differing(&self) -> BTreeSet<u32> {
        let differing = self.0.iter().filter(|(_, (footer, index))| footer != index);
        differing.map(|(segment, _)| *segment).collect()
    }
}

impl Archive {
    /// Compares these segments with the index line by line, and adds the differences to the report.
    pub(super) async fn name_differences(
        &self,
        view: &View,
        segments: &BTreeSet<u32>,
        report: &mut Report,
    ) -> Result<(), ArchiveError> {
        if segments.is_empty() {
            return Ok(());
        }
        let mut indexed: BTreeMap<u32, HashMap<GameId, Location>> = BTreeMap::new();
        for part in view.parts() {
            for (game, location) in part.read_all(self.objects()).await? {
                if segments.contains(&location.segment) && view.removed(game).is_none() {
                    indexed.entry(location.segment).or_default().insert(game, location);
                }
            }
        }
        for segment in segments {
            let object = view.segment(*segment);
            let opened = Segment::open(self.objects(), &object, view.seal(*segment)).await;
            // The report already contains the damage of this segment.
            let Ok(opened) = opened else { continue };
            let mut lines = indexed.remove(segment).unwrap_or_default();
            let (mut missing, mut wrong) = (Vec::new(), Vec::new());
            for (game, place) in opened.games() {
                match lines.remove(game) {
                    Some(Location { at, length, .. }) if (at, length) == (place.at, place.length) => {}
                    Some(_) => wrong.push(*game),
                    None if view.removed(*game).is_none() => missing.push(*game),
                    None => {}
                }
            }
            wrong.extend(lines.into_keys());
            // A game that was added again is not missing, because the index names its newer
            // segment.
            let (places, _) = view.places(self.objects(), &missing).await?;
            missing.retain(|game| !places.contains_key(game));
            wrong.sort_unstable_by_key(GameId::bits);
            for (games, what) in [
                (missing, "the index does not have all games of"),
                (wrong, "the index has wrong places for games of"),
            ] {
                if !games.is_empty() {
                    let what = format!("{what} the archive's object {object}");
                    report.damage.push(Damage { object: object.clone(), what, games });
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use flagfall_rules::rulesets::BARRAGE;

    use super::super::part;
    use super::super::{Check, Settings, names};
    use super::*;
    use crate::check::played::game_of;
    use crate::folder::FolderStore;
    use crate::frame::encode;
    use crate::objects::ArchiveStore as _;

    #[tokio::test]
    async fn an_index_that_differs_from_the_segments_is_found() {
        let folder = tempfile::TempDir::new().unwrap();
        let store = FolderStore::open(folder.path()).unwrap();
        let read =
            || Archive::open_to_read(Arc::new(FolderStore::to_read(folder.path())), Settings::default());
        assert!(read().await.unwrap().is_none(), "there is no archive yet");
        let archive = Archive::open(Arc::new(store.clone()), Settings::default()).await.unwrap();
        let log = game_of(&BARRAGE, 1, 6).log;
        let games = (0..6).map(|number| GameId::from_bits(10 * number + 10).unwrap());
        let games = games.map(|game| (game, encode(game, &log, None).unwrap())).collect();
        let mut lines = archive.add(games).await.unwrap();
        let check = async || read().await.unwrap().unwrap().check(Check::Hashes, |_, _| ()).await.unwrap();
        assert_eq!(check().await.damage, []);

        // An index with correct checksums, but with a wrong place for one game and a
        // wrong id for another.
        let (moved, lost, other) = (lines[1].0, lines[3].0, GameId::from_bits(41).unwrap());
        lines[1].1.at += 8;
        lines[3].0 = other;
        let number = archive.view().parts().next().unwrap().line.number;
        let (bytes, _) = part::write(archive.view().seal(number), &lines).unwrap();
        store.delete(&names::index(number)).await.unwrap();
        store.put_if_absent(&names::index(number), bytes).await.unwrap();
        let damage = check().await.damage;
        let found: Vec<_> = damage.iter().map(|damage| (damage.what.as_str(), &damage.games[..])).collect();
        let object = archive.view().segment(lines[0].1.segment);
        let [missing, wrong] =
            ["the index does not have all games of", "the index has wrong places for games of"]
                .map(|what| format!("{what} the archive's object {object}"));
        assert_eq!(found, [(missing.as_str(), &[lost][..]), (wrong.as_str(), &[moved, other][..])]);
    }
}
