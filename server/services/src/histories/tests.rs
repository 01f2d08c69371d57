//! Tests that lists are the same from lines as from records, and that a player takes up little
//! space in the store.

use std::collections::VecDeque;

use flagfall_archive::{Archive, ArchivedStore, FolderStore, Settings as ArchiveSettings};
use flagfall_base::keys::{HISTORY_DUE, KINDS, PLAYERS, VOLUMES};
use flagfall_base::transact::write;
use flagfall_board::{PerSide, Stamp};
use flagfall_protocol::{Speed, Terms, Time};
use flagfall_rules::Ruleset;
use flagfall_store::Write;
use flagfall_store::record::Form;
use flagfall_store_testing::{ManualClock, TestStore};

use super::*;
use crate::services::Services;
use crate::settings::Settings;

const NOON: u64 = 1_700_000_000_000;
const RULESETS: [&str; 2] = ["classic", "barrage"];
const TIME: Time = Time::Fischer { base_s: 600, increment_s: 5 };

struct Seeded(u64);

impl Seeded {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

fn id(number: usize) -> String {
    GameId::from_random([number as u8 + 1; 12]).to_string()
}

fn player(number: usize) -> Player {
    let kind = if number == 0 { PlayerKind::Guest } else { PlayerKind::Account };
    Player { id: id(number), name: format!("player{number}"), kind }
}

fn bot() -> Player {
    Player { id: "house-random".to_owned(), name: "random".to_owned(), kind: PlayerKind::House }
}

/// Returns a finished game between two of the players 0 to 4, or between one of them and a house
/// player. Player 0 is a guest.
fn game_of(seed: &mut Seeded, number: usize) -> (GameId, Archived) {
    let mut bytes = [0; 12];
    bytes[..8].copy_from_slice(&(number as u64).wrapping_mul(0x1234_5678_9abc_def1).to_le_bytes());
    let red = seed.below(5);
    let blue = (red + 1 + seed.below(4)) % 5;
    let players = match seed.below(8) {
        0 => PerSide::new(player(red), bot()),
        _ => PerSide::new(player(red), player(blue)),
    };
    let is_rated = Side::BOTH.iter().all(|side| players[*side].kind == PlayerKind::Account);
    let ended = Stamp(NOON + number as u64 * 60_000 - seed.below(5) as u64 * 100_000);
    let terms = Terms {
        private: seed.below(4) == 0,
        rated: is_rated && seed.below(3) > 0,
        ..Terms::casual(Ruleset::find(RULESETS[seed.below(2)]).unwrap(), TIME)
    };
    let setup = |seed: &mut Seeded| Some(Secret::new(format!("{}SETUP", "ABC".repeat(1 + seed.below(9)))));
    let finished = Finished {
        terms,
        players,
        winner: [None, Some(Side::Red), Some(Side::Blue)][seed.below(3)],
        reason: [EndReason::Resigned, EndReason::DrawAgreed, EndReason::OutOfTime][seed.below(3)],
        plies: seed.below(400) as u16,
        created: Stamp(NOON),
        ended,
    };
    (GameId::from_random(bytes), Archived { finished, deployments: PerSide::new(setup(seed), setup(seed)) })
}

/// A server, and its store without the archive.
struct World {
    services: Services,
    store: TestStore,
    /// The folder of the archive.
    folder: Option<Arc<tempfile::TempDir>>,
}

impl World {
    async fn new(form: Option<Form>, has_archive: bool) -> World {
        World::over(TestStore::new(ManualClock::new(Stamp(NOON))), form, has_archive).await
    }

    async fn over(store: TestStore, form: Option<Form>, has_archive: bool) -> World {
        let folder = has_archive.then(|| Arc::new(tempfile::tempdir().unwrap()));
        World::with_archive(store, form, folder).await
    }

    async fn with_archive(
        store: TestStore,
        form: Option<Form>,
        folder: Option<Arc<tempfile::TempDir>>,
    ) -> World {
        let over: Arc<dyn Store> = match &folder {
            Some(folder) => {
                let objects = Arc::new(FolderStore::open(folder.path()).unwrap());
                let archive = Archive::open(objects, ArchiveSettings::default()).await.unwrap();
                Arc::new(ArchivedStore::new(Arc::new(store.clone()), archive))
            }
            None => Arc::new(store.clone()),
        };
        let settings = Settings { write_format: form, ..Settings::default() };
        let services = Services::assemble(settings, over, None).await.unwrap();
        World { services, store, folder }
    }

    async fn add_player(&self, player: Player) {
        let key = PLAYERS.key([&player.id]).unwrap();
        let record = serde_json::json!({ "player": player, "name_key": player.name, "created": 1 });
        let value = record.to_string().into_bytes();
        write(&self.store, vec![Write::Put { key, value, expires: None }]).await.unwrap();
    }

    async fn enter(&self, game: GameId, archived: &Archived) {
        let mut update = Update::default();
        for side in Side::BOTH {
            self.services.histories.write_down(game, archived, side, &mut update).await.unwrap();
        }
        assert_eq!(self.store.update(update).await.unwrap(), flagfall_store::UpdateOutcome::Ok);
    }

    async fn rate(&self, game: GameId, archived: &Archived) {
        let mut update = Update::default();
        let rated = self.services.ratings.rate(game, Speed::Rapid, &archived.finished, &mut update).await;
        rated.unwrap();
        assert_eq!(self.store.update(update).await.unwrap(), flagfall_store::UpdateOutcome::Ok);
    }

    /// Does the jobs that merge and archive volumes.
    async fn shelve(&self) {
        for (key, _) in self.store.scan(HISTORY_DUE.all().unwrap(), None, 100).await.unwrap() {
            let job = Claimed::now(&self.services.store, key).await.unwrap().unwrap();
            self.services.histories.shelve(&job).await.unwrap();
        }
    }

    async fn fold(&self) {
        for number in 0..5 {
            self.services.histories.fold(&id(number)).await.unwrap();
        }
        self.shelve().await;
    }

    /// Returns everything that players and strangers can read.
    async fn lists(&self) -> Vec<(String, String)> {
        let mut lists = Vec::new();
        let histories = &self.services.histories;
        for number in 0..5 {
            let player = player(number);
            for asker in [None, Some(player.id.as_str())] {
                let mut page = Page { after: None, limit: Some(7) };
                loop {
                    let list = histories.games(player.clone(), asker, &page).await.unwrap();
                    lists.push((format!("games of {number}"), serde_json::to_string(&list).unwrap()));
                    page.after = list.next;
                    if page.after.is_none() {
                        break;
                    }
                }
                for other in (0..5).map(crate::histories::tests::player).chain([bot()]) {
                    let page = Page { after: None, limit: Some(9) };
                    let list = histories.head_to_head(player.clone(), other, asker, &page).await.unwrap();
                    lists.push((format!("{number} against"), serde_json::to_string(&list).unwrap()));
                }
                for ruleset in RULESETS {
                    let ratings = &self.services.ratings;
                    let list = ratings.history(player.clone(), asker, ruleset, Speed::Rapid).await.unwrap();
                    lists.push((format!("ratings of {number}"), serde_json::to_string(&list).unwrap()));
                }
            }
            let statistics = histories.statistics(&player.id).await.unwrap();
            lists.push((format!("statistics of {number}"), serde_json::to_string(&statistics).unwrap()));
        }
        lists
    }
}

#[tokio::test]
async fn lists_from_lines_are_those_from_records() {
    for seed in 0..2 {
        let mut seed = Seeded(seed);
        let records = World::new(Some(Form::Json), false).await;
        let lines = World::new(None, false).await;
        let archived = World::new(None, true).await;
        let worlds = [&records, &lines, &archived];
        for world in worlds {
            for number in 0..5 {
                world.add_player(player(number)).await;
            }
        }
        let mut unrated: VecDeque<(GameId, Archived)> = VecDeque::new();
        let mut all: Vec<(GameId, Archived)> = Vec::new();
        for number in 1..220 {
            let (game, entered) = game_of(&mut seed, number);
            let is_rated_later = seed.below(2) == 0;
            let erased = all.get(seed.below(2_000)).cloned();
            let is_shelved = seed.below(20) == 0;
            let rated_now =
                if entered.finished.terms.rated && !is_rated_later { Some(&entered) } else { None };
            let late = if seed.below(3) == 0 { unrated.pop_front() } else { None };
            for world in worlds {
                if let Some(entered) = rated_now {
                    world.rate(game, entered).await;
                }
                world.enter(game, &entered).await;
                if let Some((game, archived)) = &late {
                    world.rate(*game, archived).await;
                }
                if let Some((game, archived)) = &erased {
                    mark_erased(&*world.services.store, *game, &archived.finished).await.unwrap();
                }
            }
            if entered.finished.terms.rated && is_rated_later {
                unrated.push_back((game, entered.clone()));
            }
            all.push((game, entered));
            if is_shelved {
                lines.shelve().await;
                archived.fold().await;
            }
        }
        let wanted = records.lists().await;
        assert!(wanted.len() > 100);
        // Jobs that come back change nothing.
        for world in worlds {
            for (game, entered) in &all {
                world.enter(*game, entered).await;
            }
        }
        assert_eq!(records.lists().await, wanted);
        assert_eq!(lines.lists().await, wanted);
        assert_eq!(archived.lists().await, wanted);

        // After an export to version 0.1, the lists are the same.
        let older = TestStore::new(ManualClock::new(Stamp(NOON)));
        for kind in KINDS {
            let prefix = flagfall_base::keys::jobs_of(kind.name).unwrap();
            for (key, value) in Scan::all(&archived.store, prefix).await.unwrap() {
                let records = in_older_form(&*archived.services.store, (key, value, None)).await.unwrap();
                for (key, value, expires) in records {
                    write(&older, vec![Write::Put { key, value, expires }]).await.unwrap();
                }
            }
        }
        assert_eq!(World::over(older, Some(Form::Json), false).await.lists().await, wanted);

        // A server of this version shows the records of an earlier version, with an archive or
        // without one.
        for has_archive in [false, true] {
            let newer = World::over(records.store.clone(), None, has_archive).await;
            assert_eq!(newer.lists().await, wanted, "before the records are converted");
            newer.fold().await;
            assert_eq!(newer.lists().await, wanted, "after it");
            let is_account =
                |key: &Key| (1..5).any(|number| PLAYED.rest(key).unwrap().starts_with(&id(number)));
            let left = newer.store.scan(PLAYED.all().unwrap(), None, 4_096).await.unwrap();
            assert!(left.iter().all(|(key, _)| !is_account(key)), "only those of guests stay");
            // With an archive, the volumes are not in the store.
            if !has_archive {
                let kept = newer.store.scan(VOLUMES.all().unwrap(), None, 1).await;
                assert_eq!(kept.unwrap().len(), 1);
            }
        }
    }
}

#[tokio::test]
async fn a_player_takes_up_less_than_4_kb_however_much_they_have_played() {
    let world = World::new(None, true).await;
    for number in 0..5 {
        world.add_player(player(number)).await;
    }
    let mut seed = Seeded(7);
    for number in 1..=1_000 {
        let (game, mut entered) = game_of(&mut seed, number);
        let opponent = Player { id: format!("{number:012}"), ..player(2) };
        entered.finished.players = PerSide::new(player(1), opponent);
        entered.finished.terms =
            Terms { rated: true, ..Terms::casual(Ruleset::find("classic").unwrap(), TIME) };
        world.rate(game, &entered).await;
        world.enter(game, &entered).await;
        world.shelve().await;
        if number % 100 == 0 {
            let bytes = bytes_of(&world.store, &id(1)).await;
            assert!(bytes < 4_096, "{bytes} bytes after {number} games");
        }
    }
    let whole = world.services.histories.lines.all(&id(1), |_| true).await.unwrap();
    assert_eq!(whole.lines.len(), 1_000);
    assert_eq!(whole.lines.iter().filter(|line| line.change.is_some()).count(), 1_000);

    // A deleted account leaves nothing in the store or the archive.
    let archived = || world.services.store.archived_records(VOLUMES.all().unwrap());
    assert!(archived().await.unwrap().len() > 3);
    world.services.histories.forget(&player(1)).await.unwrap();
    world.services.ratings.forget(&player(1)).await.unwrap();
    assert!(archived().await.unwrap().is_empty());
    let left = keys_of(&world.store, &id(1)).await;
    assert!(left.iter().all(|key| key.starts_with("players/") || key.contains("history_due/")), "{left:?}");
    world.shelve().await;
    assert!(keys_of(&world.store, &id(1)).await.iter().all(|key| key.starts_with("players/")));
}

/// Enters games of player 1 with these numbers, and returns their ids.
async fn enter_games(world: &World, numbers: std::ops::Range<usize>) -> HashSet<GameId> {
    let mut games = HashSet::new();
    for number in numbers {
        let (game, mut entered) = game_of(&mut Seeded(7), number);
        entered.finished.players = PerSide::new(player(1), player(0));
        world.enter(game, &entered).await;
        games.insert(game);
    }
    world.shelve().await;
    games
}

#[tokio::test]
async fn numbers_of_volumes_that_the_archive_has_are_skipped_after_a_backup_was_restored() {
    let world = World::new(None, true).await;
    let backup = TestStore::new(ManualClock::new(Stamp(NOON)));
    enter_games(&world, 1..400).await;
    let restored = World::with_archive(backup, None, world.folder.clone()).await;
    let games = enter_games(&restored, 1_000..1_200).await;
    for prefix in [VOLUMES.all().unwrap(), HISTORY_DUE.all().unwrap()] {
        assert_eq!(restored.store.scan(prefix, None, 10).await, Ok(Vec::new()));
    }
    let whole = restored.services.histories.lines.all(&id(1), |_| true).await.unwrap();
    assert_eq!(whole.lines.into_iter().map(|line| line.game).collect::<HashSet<GameId>>(), games);
}

#[tokio::test]
async fn a_check_finds_the_history_of_which_a_game_or_a_volume_is_missing() {
    let world = World::new(None, true).await;
    enter_games(&world, 1..200).await;
    let store = &*world.services.store;
    let whole = world.services.histories.lines.all(&id(1), |_| true).await.unwrap().lines;
    let ends = || whole.iter().map(|line| (line.ended, line.game));
    let (first, last) = (ends().min().unwrap().1, ends().max().unwrap().1);
    let without = async |gone, all| check(store, all, async |game| Ok(Some(game) != gone)).await;
    assert_eq!(without(None, true).await, Ok(Vec::new()));
    let found = |game| Ok(vec![(id(1), format!("1 of its games are missing, {game} among them"))]);
    assert_eq!(without(Some(last), false).await, found(last));
    assert_eq!(without(Some(first), false).await, Ok(Vec::new()), "only the latest are looked for");
    assert_eq!(without(Some(first), true).await, found(first));
    let volumes = store.archived_records(VOLUMES.all().unwrap()).await.unwrap();
    store.delete_archived(volumes[1].clone()).await.unwrap();
    let missing = "a volume of a history is missing".to_owned();
    assert_eq!(without(None, false).await, Ok(vec![(id(1), missing)]));
}

#[tokio::test]
async fn a_change_in_a_line_shows_that_a_game_was_rated() {
    let world = World::new(None, false).await;
    for number in 1..3 {
        world.add_player(player(number)).await;
    }
    let (game, mut entered) = game_of(&mut Seeded(7), 1);
    entered.finished.players = PerSide::new(player(1), player(2));
    let is_rated = || world.services.ratings.is_rated(game, &entered.finished);
    world.enter(game, &entered).await;
    assert_eq!(is_rated().await, Ok(false));
    world.rate(game, &entered).await;
    assert_eq!(is_rated().await, Ok(true));
    world.services.histories.fold(&id(2)).await.unwrap();
    let rated = flagfall_base::keys::RATED.key([&game]).unwrap();
    delete(&world.store, vec![rated]).await.unwrap();
    assert_eq!(is_rated().await, Ok(true));
}

/// Returns all records whose keys name a player.
async fn records_of(store: &TestStore, player: &str) -> Vec<(Key, Vec<u8>)> {
    let mut found = Vec::new();
    for kind in KINDS {
        let prefix = flagfall_base::keys::jobs_of(kind.name).unwrap();
        let records = Scan::all(store, prefix).await.unwrap();
        let names = |key: &Key| String::from_utf8_lossy(key.as_bytes()).split('/').nth(1) == Some(player);
        let leads = |key: &Key| String::from_utf8_lossy(key.as_bytes()).ends_with(&format!("/{player}"));
        let is_leader = kind.name == "leaders";
        found.extend(records.into_iter().filter(|(key, _)| names(key) || is_leader && leads(key)));
    }
    found
}

async fn keys_of(store: &TestStore, player: &str) -> Vec<String> {
    let records = records_of(store, player).await;
    records.iter().map(|(key, _)| String::from_utf8_lossy(key.as_bytes()).into_owned()).collect()
}

async fn bytes_of(store: &TestStore, player: &str) -> usize {
    let records = records_of(store, player).await;
    records.iter().map(|(key, value)| key.as_bytes().len() + value.len()).sum()
}
