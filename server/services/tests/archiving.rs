//! Tests that a finished game moves from the store to the archive without loss, even if the store
//! or the archive's objects fail at any step.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![allow(dead_code, reason = "not every test uses every helper of the played games")]

#[path = "../../archive/tests/archive/played.rs"]
mod played;

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use flagfall_archive::{
    Archive, ArchiveStore, ArchivedStore, FolderStore, Found, KnownArchive, ObjectError, ObjectName,
    ObjectResult, Settings,
};
use flagfall_base::keys::{ENDED, FLAGS, LIVE, PLAYED_DUE, VOLUMES, time16};
use flagfall_board::{GameId, Stamp};
use flagfall_game::finished;
use flagfall_rules::rulesets::CLASSIC;
use flagfall_services::archive::{Archived, Archiver};
use flagfall_services::operator::Operator;
use flagfall_store::{
    Append, AppendOutcome, Guard, Head, ReadError, Store, StoreError, Update, UpdateOutcome, Write,
};
use flagfall_store_testing::{ManualClock, TestStore, WriteFault};
use played::{Played, game_of};

const NOON: Stamp = Stamp(1_700_000_000_000);
const AFTER: Duration = Duration::from_secs(15 * 60);

/// The archive's objects in a folder. The call with the number `fails_from` and all later calls
/// fail.
struct Objects {
    folder: FolderStore,
    calls: AtomicUsize,
    fails_from: AtomicUsize,
}

impl Objects {
    fn fail_from(&self, call: usize) {
        self.calls.store(0, Ordering::Relaxed);
        self.fails_from.store(call, Ordering::Relaxed);
    }

    fn call<'a, T>(&self, name: &ObjectName, call: ObjectResult<'a, T>) -> ObjectResult<'a, T>
    where
        T: Send + 'a,
    {
        if self.calls.fetch_add(1, Ordering::Relaxed) < self.fails_from.load(Ordering::Relaxed) {
            return call;
        }
        let (name, error) = (name.clone(), io::Error::other("out of reach"));
        Box::pin(std::future::ready(Err(ObjectError::Unavailable { name, error })))
    }
}

impl ArchiveStore for Objects {
    fn put_if_absent(&self, name: &ObjectName, bytes: Vec<u8>) -> ObjectResult<'_, bool> {
        self.call(name, self.folder.put_if_absent(name, bytes))
    }

    fn get(&self, name: &ObjectName, range: Range<u64>) -> ObjectResult<'_, Vec<u8>> {
        self.call(name, self.folder.get(name, range))
    }

    fn length(&self, name: &ObjectName) -> ObjectResult<'_, Option<u64>> {
        self.call(name, self.folder.length(name))
    }

    fn list(&self, folder: &ObjectName) -> ObjectResult<'_, Vec<ObjectName>> {
        self.call(folder, self.folder.list(folder))
    }

    fn delete(&self, name: &ObjectName) -> ObjectResult<'_, ()> {
        self.call(name, self.folder.delete(name))
    }
}

/// A store with one finished game, and an empty archive.
struct World {
    store: TestStore,
    clock: Arc<ManualClock>,
    objects: Arc<Objects>,
    played: Played,
    _folder: tempfile::TempDir,
}

impl World {
    async fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::new(NOON));
        let store = TestStore::new(clock.clone());
        let objects = Arc::new(Objects {
            folder: FolderStore::open(folder.path()).unwrap(),
            calls: AtomicUsize::new(0),
            fails_from: AtomicUsize::new(usize::MAX),
        });
        let played = game_of(&CLASSIC, 3, 12);
        let mut world = World { store, clock, objects, played, _folder: folder };
        world.put(&game_of(&CLASSIC, 3, 12)).await;
        world.clock.advance_ms(AFTER.as_millis() as u64);
        world
    }

    /// Writes a game to the store, with the record of its end.
    async fn put(&mut self, played: &Played) {
        let mut expected = Head::START;
        for entry in &played.log {
            let bodies = vec![entry.body.clone()];
            let key = ENDED.key([&time16(NOON), &played.id]).unwrap();
            let is_last = entry.seq == played.head.seq;
            let end = Write::Put { key, value: Vec::new(), expires: None };
            let writes = if is_last { vec![end] } else { Vec::new() };
            let append =
                Append { game: played.id, expected, deadline: None, not_before: None, bodies, writes };
            let outcome = self.store.append(append).await.unwrap();
            let AppendOutcome::Ok { head, .. } = outcome else { panic!("{outcome:?}") };
            expected = head;
        }
        assert_eq!(expected, played.head);
    }

    /// Opens the archive as a new server does.
    async fn archive(&self) -> Archive {
        Archive::open(self.objects.clone(), Settings::default()).await.unwrap()
    }

    /// Runs a round of archiving on a new server.
    async fn round(&self) -> Result<Archived, String> {
        let archive = Archive::open(self.objects.clone(), Settings::default()).await;
        let archive = archive.map_err(|error| error.to_string())?;
        let mut archiver = Archiver::new(Arc::new(self.store.clone()), archive, AFTER);
        archiver.archive_due(true).await.map_err(|error| error.to_string())
    }

    async fn store(&self) -> ArchivedStore {
        ArchivedStore::new(Arc::new(self.store.clone()), self.archive().await)
    }

    /// Checks that the game can be read as before.
    async fn assert_readable(&self, what: &str) {
        let Played { id, head, .. } = self.played;
        let store = self.store().await;
        assert_eq!(store.head(id).await, Ok(head), "{what}");
        let entries = store.read(id, 0, 512).await.unwrap();
        assert_eq!(entries.len() as u64, head.seq, "{what}");
        assert!(finished(&store, id).await.unwrap().is_some(), "{what}");
    }

    /// Checks that only the archive has the game, and that nothing remains to be done.
    async fn assert_archived(&self, what: &str) {
        let Played { id, head, .. } = self.played;
        assert_eq!(self.round().await, Ok(Archived::default()), "{what}");
        assert_eq!(self.store.head(id).await, Ok(Head::START), "{what}");
        assert_eq!(self.store.guard(id).await.unwrap().map(|guard| guard.head), Some(head), "{what}");
        assert!(self.store.scan(ENDED.all().unwrap(), None, 10).await.unwrap().is_empty(), "{what}");
        self.assert_readable(what).await;
    }
}

#[tokio::test]
async fn a_game_goes_to_the_archive_when_it_has_been_over_for_long_enough() {
    let mut world = World::new().await;
    let early = game_of(&CLASSIC, 3, 12);
    let waits = PLAYED_DUE.key([&early.id]).unwrap();
    let put = Write::Put { key: waits.clone(), value: b"{}".to_vec(), expires: None };
    let job = Update { conditions: Vec::new(), writes: vec![put] };
    assert_eq!(world.store.update(job).await, Ok(UpdateOutcome::Ok));
    assert_eq!(world.round().await, Ok(Archived { games: 0, waiting: 1 }), "a job still reads the log");
    let done = Update { conditions: Vec::new(), writes: vec![Write::Delete { key: waits }] };
    assert_eq!(world.store.update(done).await, Ok(UpdateOutcome::Ok));
    assert_eq!(world.round().await, Ok(Archived { games: 1, waiting: 0 }));
    world.assert_archived("at once").await;
    // A record is ignored if it is not old enough.
    world.played = game_of(&CLASSIC, 40, 12);
    let key = ENDED.key([&time16(world.clock_now()), &world.played.id]).unwrap();
    let record = Write::Put { key, value: Vec::new(), expires: None };
    world.store.update(Update { conditions: Vec::new(), writes: vec![record] }).await.unwrap();
    assert_eq!(world.round().await, Ok(Archived::default()));
}

impl World {
    fn clock_now(&self) -> Stamp {
        self.store.now()
    }
}

#[tokio::test]
async fn a_store_that_fails_at_any_step_loses_nothing_and_the_next_round_completes_it() {
    for fault in [WriteFault::Unavailable, WriteFault::UnknownBeforeWriting, WriteFault::UnknownAfterWriting]
    {
        for writes in 0..5 {
            let what = format!("{fault:?} after {writes} writes");
            let world = World::new().await;
            world.store.fail_after(writes, fault);
            let first = world.round().await;
            world.store.stop_failing();
            world.assert_readable(&what).await;
            for _ in 0..2 {
                assert!(world.round().await.is_ok(), "{what}, after {first:?}");
            }
            world.assert_archived(&what).await;
        }
    }
}

#[tokio::test]
async fn an_archive_that_fails_at_any_step_loses_nothing_and_the_next_round_completes_it() {
    let mut failed = 0;
    for call in 0.. {
        let what = format!("call {call}");
        let world = World::new().await;
        drop(world.archive().await);
        world.objects.fail_from(call);
        let first = world.round().await;
        world.objects.fail_from(usize::MAX);
        world.assert_readable(&what).await;
        if first == Ok(Archived { games: 1, waiting: 0 }) {
            break;
        }
        failed += 1;
        assert_eq!(world.round().await, Ok(Archived { games: 1, waiting: 0 }), "{what}, after {first:?}");
        world.assert_archived(&what).await;
    }
    assert!(failed > 5, "{failed} steps");
}

#[tokio::test]
async fn a_game_that_cannot_be_archived_stays_and_is_tried_once() {
    let world = World::new().await;
    world.store.damage(world.played.id, 5);
    let mut archiver = Archiver::new(Arc::new(world.store.clone()), world.archive().await, AFTER);
    for _ in 0..2 {
        assert_eq!(archiver.archive_due(true).await.unwrap(), Archived { games: 0, waiting: 1 });
    }
    assert_eq!(world.store.head(world.played.id).await, Ok(world.played.head));
    assert_eq!(world.store.guard(world.played.id).await, Ok(None));
}

/// Returns a game with an id of its own. All games of [`game_of`] have the same one.
fn another(seed: u64, number: u8) -> Played {
    let (played, id) = (game_of(&CLASSIC, seed, 12), GameId::from_random([number; 12]));
    let head = played.log.iter().fold(Head::START, |head, entry| head.then(id, &entry.body));
    Played { id, head, ..played }
}

#[tokio::test]
async fn a_store_remembers_its_archive_before_a_game_leaves_and_refuses_another_one() {
    let mut world = World::new().await;
    assert_eq!(KnownArchive::of(&world.store).await, Ok(None));
    // The archive fails when the game is about to be added.
    drop(world.archive().await);
    let mut archiver = Archiver::new(Arc::new(world.store.clone()), world.archive().await, AFTER);
    world.objects.fail_from(0);
    assert!(archiver.archive_due(true).await.is_err());
    world.objects.fail_from(usize::MAX);
    let known = KnownArchive::of(&world.store).await.unwrap().unwrap();
    assert_eq!(known.id, world.archive().await.id());
    assert_eq!(archiver.archive_due(true).await.unwrap(), Archived { games: 1, waiting: 0 });

    let folder = tempfile::tempdir().unwrap();
    let objects = Arc::new(FolderStore::open(folder.path()).unwrap());
    let other = Archive::open(objects.clone(), Settings::default()).await.unwrap();
    world.put(&another(40, 1)).await;
    let mut archiver = Archiver::new(Arc::new(world.store.clone()), other.clone(), AFTER);
    let refused = archiver.archive_due(true).await.unwrap_err().to_string();
    assert!(refused.contains(&format!("{:016x}", known.id)), "{refused}");
    assert_eq!(other.games_len(), 0);
    // Volumes of histories stay in the store, too.
    let key = VOLUMES.key([&"ana", &"1"]).unwrap();
    let put = Write::Put { key: key.clone(), value: b"volume".to_vec(), expires: None };
    world.store.update(Update { conditions: Vec::new(), writes: vec![put] }).await.unwrap();
    let store = ArchivedStore::new(Arc::new(world.store.clone()), other);
    let refused = store.archive_record(key.clone()).await;
    assert!(matches!(refused, Err(StoreError::Unavailable { .. })), "{refused:?}");
    assert_eq!(world.store.get(key).await.unwrap(), Some(b"volume".to_vec()));
    assert!(objects.list(&"records".parse().unwrap()).await.unwrap().is_empty());
    assert_eq!(KnownArchive::of(&world.store).await, Ok(Some(known)));
}

#[tokio::test]
async fn a_server_waits_until_there_are_enough_games_to_archive() {
    let mut world = World::new().await;
    let mut archiver = Archiver::new(Arc::new(world.store.clone()), world.archive().await, AFTER);
    assert_eq!(archiver.archive_group(Some(2)).await.unwrap(), Archived { games: 0, waiting: 1 });
    world.put(&another(40, 1)).await;
    assert_eq!(archiver.archive_group(None).await.unwrap(), Archived { games: 0, waiting: 2 });
    world.store.damage(world.played.id, 5);
    assert_eq!(archiver.archive_group(Some(2)).await.unwrap(), Archived { games: 1, waiting: 1 });
    // The game that cannot be archived is not counted again.
    world.put(&another(41, 2)).await;
    assert_eq!(archiver.archive_group(Some(2)).await.unwrap(), Archived { games: 0, waiting: 2 });
    assert_eq!(archiver.archive_group(Some(0)).await.unwrap(), Archived { games: 1, waiting: 1 });
}

#[tokio::test]
async fn games_are_archived_while_another_part_of_the_store_is_away() {
    let mut world = World::new().await;
    let other = GameId::from_random([10; 12]);
    let key = ENDED.key([&time16(NOON), &other]).unwrap();
    let write = Write::Put { key: key.clone(), value: Vec::new(), expires: None };
    world.store.update(Update { conditions: Vec::new(), writes: vec![write] }).await.unwrap();
    let away = std::str::from_utf8(key.as_bytes()).unwrap();
    world.store.take_away(&[away]);
    let mut archiver = Archiver::new(Arc::new(world.store.clone()), world.archive().await, AFTER);
    assert_eq!(archiver.archive_due(false).await.unwrap(), Archived { games: 0, waiting: 1 });
    assert_eq!(archiver.archive_due(true).await.unwrap(), Archived { games: 1, waiting: 0 });
    // A server that has read which archive the store has goes on without that record.
    world.store.take_away(&[away, "known_archive"]);
    world.put(&another(40, 1)).await;
    let mut new = Archiver::new(Arc::new(world.store.clone()), world.archive().await, AFTER);
    assert!(new.archive_due(true).await.is_err());
    assert_eq!(archiver.archive_due(true).await.unwrap(), Archived { games: 1, waiting: 0 });
}

#[tokio::test]
async fn of_several_servers_one_archives_and_the_others_count() {
    let world = World::new().await;
    let store: Arc<dyn Store> = Arc::new(world.store.clone());
    let mut one = Archiver::new(store.clone(), world.archive().await, AFTER);
    let mut two = Archiver::new(store.clone(), world.archive().await, AFTER);
    assert_eq!(two.archive_due(false).await.unwrap(), Archived { games: 0, waiting: 1 });
    // Two servers that archive at the same time do no harm.
    let (first, second) = tokio::join!(one.archive_due(true), two.archive_due(true));
    assert!(first.unwrap().games + second.unwrap().games >= 1);
    world.assert_archived("two at once").await;
}

#[tokio::test]
async fn an_archived_game_is_a_conflict_forever_and_can_be_deleted() {
    let world = World::new().await;
    let Played { id, head, .. } = world.played;
    assert_eq!(world.round().await, Ok(Archived { games: 1, waiting: 0 }));
    let begin = |expected| Append {
        game: id,
        expected,
        deadline: None,
        not_before: None,
        bodies: vec![world.played.log[0].body.clone()],
        writes: Vec::new(),
    };
    for has_guard in [true, false] {
        if !has_guard {
            world.clock.advance_ms(60 * 60 * 1_000);
            assert_eq!(world.store.guard(id).await, Ok(None));
        }
        let store = world.store().await;
        let guard = store.guard(id).await.unwrap();
        assert_eq!(guard.map(|Guard { head, .. }| head), Some(head));
        for expected in [Head::START, head] {
            let outcome = store.append(begin(expected)).await.unwrap();
            assert!(matches!(outcome, AppendOutcome::Conflict { .. }), "{outcome:?}");
        }
        // Reading in small parts returns the same entries.
        let mut parts = store.read(id, 0, 5).await.unwrap();
        while let Some(last) = parts.last().map(|entry| entry.seq).filter(|seq| *seq < head.seq) {
            parts.extend(store.read(id, last, 5).await.unwrap());
        }
        assert_eq!(parts, store.read(id, 0, 512).await.unwrap());
        assert_eq!(store.read(id, head.seq, 5).await, Ok(Vec::new()));
    }
    let store = world.store().await;
    assert_eq!(store.delete_log(id).await, Ok(()));
    assert_eq!(store.read(id, 0, 512).await, Ok(Vec::new()));
    assert_eq!(store.head(id).await, Ok(Head::START));
    let outcome = store.append(begin(Head::START)).await.unwrap();
    assert!(matches!(outcome, AppendOutcome::Conflict { .. }), "{outcome:?}");
}

#[tokio::test]
async fn a_game_that_is_erased_while_it_is_being_archived_does_not_come_back() {
    let world = World::new().await;
    let Played { id, .. } = world.played;
    let archive = world.archive().await;
    // A server reads the log before the erasure, and adds the game to the archive after
    // it.
    let log = world.store.read(id, 0, 512).await.unwrap();
    let encoded = flagfall_archive::encode_checked(id, &log, world.played.head, None).unwrap();
    let store = world.store().await;
    assert_eq!(Operator::new(&store, "a test").unwrap().erase(id).await, Ok(true));
    archive.add(vec![(id, encoded)]).await.unwrap();
    let record = ENDED.key([&time16(NOON), &id]).unwrap();
    let put = Write::Put { key: record, value: Vec::new(), expires: None };
    world.store.update(Update { conditions: Vec::new(), writes: vec![put] }).await.unwrap();
    assert_eq!(world.round().await, Ok(Archived::default()));
    assert!(matches!(world.archive().await.find(id).await, Ok(Some(Found::Removed { .. }))));
}

#[tokio::test]
async fn while_the_archive_is_out_of_reach_only_its_games_are() {
    let mut world = World::new().await;
    let store = world.store().await;
    assert_eq!(world.round().await, Ok(Archived { games: 1, waiting: 0 }));
    world.objects.fail_from(0);
    let id = world.played.id;
    assert!(matches!(store.read(id, 0, 512).await, Err(ReadError::Unavailable { .. })));
    assert!(matches!(store.head(id).await, Err(ReadError::Unavailable { .. })));
    assert!(store.delete_log(id).await.is_err());
    let other = GameId::from_random([30; 12]);
    let append = Append {
        game: other,
        expected: Head::START,
        deadline: None,
        not_before: None,
        bodies: vec![world.played.log[0].body.clone()],
        writes: Vec::new(),
    };
    let begun = store.append(append).await;
    assert!(matches!(begun, Ok(AppendOutcome::Ok { .. })), "games begin: {begun:?}");
    assert_eq!(store.read(other, 0, 512).await.unwrap().len(), 1, "and go on");
    assert_eq!(store.read(other, 1, 512).await, Ok(Vec::new()));
    world.objects.fail_from(usize::MAX);
    world.played = game_of(&CLASSIC, 3, 12);
    world.assert_archived("it is back").await;
}

#[tokio::test]
async fn due_times_of_games_that_are_over_are_removed_unless_they_come_soon() {
    let world = World::new().await;
    let [running, over, soon] = [1, 2, 3].map(|number| GameId::from_random([number; 12]));
    let due = |minutes: u64, game: GameId| {
        FLAGS.key([&time16(world.clock_now().plus_ms(minutes * 60_000)), &game]).unwrap()
    };
    let kept = vec![due(59, soon), due(62, running)];
    let keys = [kept.clone(), vec![due(61, over), LIVE.key([&running]).unwrap()]].concat();
    let writes = keys.into_iter().map(|key| Write::Put { key, value: Vec::new(), expires: None }).collect();
    world.store.update(Update { conditions: Vec::new(), writes }).await.unwrap();
    let archiver = Archiver::new(Arc::new(world.store.clone()), world.archive().await, AFTER);
    assert_eq!(archiver.remove_leftovers().await.unwrap(), 1);
    let left = world.store.scan(FLAGS.all().unwrap(), None, 9).await.unwrap();
    assert_eq!(left.into_iter().map(|(key, _)| key).collect::<Vec<_>>(), kept);
}
