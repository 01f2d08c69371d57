//! Damage: bytes flipped, files cut, rows gone. Whatever happens, it is all there or it is said what is not.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{append, append_ok, body, game, key, put, scratch, texts};
use fjall::{Database, Keyspace, KeyspaceCreateOptions};
use flagfall_store::embedded::LostTail;
use flagfall_store::{
    Append, AppendOutcome, EmbeddedStore, Head, OpenError, Options, ReadError, Store, SystemClock,
};

const GAMES: u32 = 8;
const ENTRIES: u32 = 12;

fn open(folder: &Path) -> Result<EmbeddedStore, OpenError> {
    EmbeddedStore::open(folder, SystemClock, &Options::default())
}

fn text(game: u32, seq: u32) -> String {
    format!("game {game} entry {seq} {}", "x".repeat((game * seq) as usize))
}

/// Entries `from..=to` of every game, and a record with each.
async fn fill(store: &EmbeddedStore, from: u32, to: u32) {
    for seq in from..=to {
        for number in 0..GAMES {
            let expected = store.head(game(number)).await.unwrap();
            let writes = vec![put(&format!("r/{number}/{seq}"), &text(number, seq))];
            append_ok(store, Append { writes, ..append(game(number), expected, &[&text(number, seq)]) })
                .await;
        }
    }
}

/// The database under a store that is closed.
fn with_database<T>(folder: &Path, work: impl FnOnce(&Database) -> T) -> T {
    let db = Database::builder(folder.join("db")).open().unwrap();
    work(&db)
}

fn keyspace(db: &Database, name: &str) -> Keyspace {
    db.keyspace(name, KeyspaceCreateOptions::default).unwrap()
}

/// A store whose older half lies in tables and whose newer half lies in the journal.
async fn sample(folder: &Path) {
    let store = open(folder).unwrap();
    fill(&store, 1, ENTRIES / 2).await;
    drop(store);
    with_database(folder, |db| {
        for name in ["meta", "logs", "heads", "records"] {
            keyspace(db, name).rotate_memtable_and_wait().unwrap();
        }
    });
    let store = open(folder).unwrap();
    fill(&store, ENTRIES / 2 + 1, ENTRIES).await;
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        let target = to.join(file.file_name());
        if file.file_type().unwrap().is_dir() {
            copy(&file.path(), &target);
        } else {
            fs::copy(file.path(), target).unwrap();
        }
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut inside: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    inside.sort();
    for path in inside {
        if path.is_dir() {
            files(&path, found);
        } else if path.metadata().unwrap().len() > 0 {
            found.push(path);
        }
    }
}

/// Whether a store is whole or says what it lacks; what it said, or what it kept quiet about.
async fn examine(folder: &Path) -> Result<String, String> {
    let store = match open(folder) {
        Ok(store) => store,
        Err(error) => return Ok(error.to_string()),
    };
    let mut said = String::new();
    for number in 0..GAMES {
        let expected: Vec<String> = (1..=ENTRIES).map(|seq| text(number, seq)).collect();
        match store.read(game(number), 0, usize::MAX).await {
            Ok(_) => {
                let found = texts(&store, game(number)).await;
                if found != expected {
                    return Err(format!("game {number} has {} entries without a word", found.len()));
                }
            }
            Err(error) => said = error.to_string(),
        }
        for seq in 1..=ENTRIES {
            match store.get(key(&format!("r/{number}/{seq}"))).await {
                Ok(Some(value)) if value == text(number, seq).as_bytes() => {}
                Ok(found) => return Err(format!("record {number}/{seq} is {found:?}")),
                Err(error) => said = error.to_string(),
            }
        }
    }
    Ok(said)
}

/// What a run of damages came to: how many left the store whole, how many were reported.
#[derive(Debug, Default)]
struct Tally {
    whole: u32,
    reported: u32,
}

/// Copies the sample, damages a file of the copy, and insists that nothing is kept quiet.
async fn try_damage(sample: &Path, file: &Path, damage: impl FnOnce(&Path), what: &str, tally: &mut Tally) {
    let broken = scratch();
    copy(sample, broken.path());
    let name = file.strip_prefix(sample).unwrap();
    damage(&broken.path().join(name));
    match examine(broken.path()).await {
        Ok(said) if said.is_empty() => tally.whole += 1,
        Ok(_) => tally.reported += 1,
        Err(quiet) => panic!("{}, {what}: {quiet}", name.display()),
    }
}

async fn sample_files(folder: &Path) -> Vec<PathBuf> {
    sample(folder).await;
    let mut found = Vec::new();
    files(folder, &mut found);
    found
}

#[tokio::test]
async fn an_undamaged_copy_is_whole() {
    let folder = scratch();
    sample(folder.path()).await;
    assert_eq!(examine(folder.path()).await, Ok(String::new()));
}

#[tokio::test]
async fn a_copy_without_its_empty_files_is_whole() {
    let folder = scratch();
    sample(folder.path()).await;
    let lock = folder.path().join("db/lock");
    assert_eq!(fs::metadata(&lock).unwrap().len(), 0);
    fs::remove_file(lock).unwrap();
    assert_eq!(examine(folder.path()).await, Ok(String::new()));
}

#[tokio::test]
async fn a_flipped_bit_is_harmless_or_reported() {
    let folder = scratch();
    let mut tally = Tally::default();
    for file in sample_files(folder.path()).await {
        let bytes = fs::read(&file).unwrap();
        // A stride without a common factor with anything in the format.
        for at in (0..bytes.len()).step_by(if bytes.len() > 1_000 { 61 } else { 7 }) {
            let flip = |path: &Path| {
                let mut bytes = bytes.clone();
                bytes[at] ^= 1 << (at % 8);
                fs::write(path, bytes).unwrap();
            };
            try_damage(folder.path(), &file, flip, &format!("bit flipped at {at}"), &mut tally).await;
        }
    }
    assert!(tally.reported > 500, "{tally:?}");
}

/// The lengths and numbers the database believes without a checksum: every bit of some of them.
#[tokio::test]
async fn a_flipped_bit_in_a_header_is_harmless_or_reported() {
    let folder = scratch();
    let mut tally = Tally::default();
    for file in sample_files(folder.path()).await {
        let bytes = fs::read(&file).unwrap();
        let is_journal = file.extension().is_some_and(|extension| extension == "jnl");
        // Tag, count and sequence number of a batch follow the trailer of the one before it.
        let mark: &[u8] = if is_journal { b"FJL\x03" } else { b"TOC!" };
        let starts: Vec<usize> =
            bytes.windows(mark.len()).enumerate().filter(|(_, w)| *w == mark).map(|(at, _)| at).collect();
        for start in starts.iter().rev().skip(1).step_by(17).chain(starts.last()) {
            for bit in (mark.len() * 8..(mark.len() + 13) * 8).step_by(3) {
                let at = start + bit / 8;
                if at >= bytes.len() {
                    continue;
                }
                let flip = |path: &Path| {
                    let mut bytes = bytes.clone();
                    bytes[at] ^= 1 << (bit % 8);
                    fs::write(path, bytes).unwrap();
                };
                try_damage(folder.path(), &file, flip, &format!("bit {bit} after {start}"), &mut tally).await;
            }
        }
    }
    assert!(tally.reported > 100, "{tally:?}");
}

#[tokio::test]
async fn a_file_cut_short_is_harmless_or_reported() {
    let folder = scratch();
    let mut tally = Tally::default();
    for file in sample_files(folder.path()).await {
        let length = file.metadata().unwrap().len();
        for part in 0..12 {
            let cut = |path: &Path| {
                fs::OpenOptions::new().write(true).open(path).unwrap().set_len(length * part / 12).unwrap();
            };
            try_damage(folder.path(), &file, cut, &format!("cut to {part}/12"), &mut tally).await;
        }
    }
    assert!(tally.reported > 100, "{tally:?}");
}

#[tokio::test]
async fn a_sector_of_zeros_is_harmless_or_reported() {
    let folder = scratch();
    let mut tally = Tally::default();
    for file in sample_files(folder.path()).await {
        let bytes = fs::read(&file).unwrap();
        for start in (0..bytes.len()).step_by(512) {
            let zero = |path: &Path| {
                let mut bytes = bytes.clone();
                let end = bytes.len().min(start + 512);
                bytes[start..end].fill(0);
                fs::write(path, bytes).unwrap();
            };
            try_damage(folder.path(), &file, zero, &format!("zeros at {start}"), &mut tally).await;
        }
    }
    assert!(tally.reported > 50, "{tally:?}");
}

#[tokio::test]
async fn a_file_that_is_gone_is_harmless_or_reported() {
    let folder = scratch();
    let mut tally = Tally::default();
    for file in sample_files(folder.path()).await {
        try_damage(folder.path(), &file, |path| fs::remove_file(path).unwrap(), "removed", &mut tally).await;
    }
    assert!(tally.reported > 10, "{tally:?}");
}

#[tokio::test]
async fn an_unfinished_write_at_the_end_of_the_journal_is_forgotten() {
    let folder = scratch();
    let mut tally = Tally::default();
    for file in sample_files(folder.path()).await {
        if file.extension().is_none_or(|extension| extension != "jnl") {
            continue;
        }
        let bytes = fs::read(&file).unwrap();
        // A batch that was begun: a header with the next number, and then some of an item.
        let mut begun = vec![1, 3, 0, 0, 0];
        begun.extend_from_slice(&100_000_u64.to_le_bytes());
        begun.extend_from_slice(&[
            2, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 6, 0, 16, 0, 0, 0, 16, 0, 0, 0, b'c', b'o',
        ]);
        for length in 0..=begun.len() {
            let tear = |path: &Path| fs::write(path, [&bytes[..], &begun[..length]].concat()).unwrap();
            try_damage(folder.path(), &file, tear, &format!("{length} bytes more"), &mut tally).await;
        }
    }
    assert_eq!(tally.reported, 0, "{tally:?}");
    assert!(tally.whole > 30, "{tally:?}");
}

#[tokio::test]
async fn a_lost_tail_can_be_accepted_and_begins_an_epoch() {
    let folder = scratch();
    let files = sample_files(folder.path()).await;
    let journal =
        files.iter().find(|file| file.extension().is_some_and(|extension| extension == "jnl")).unwrap();
    let epoch = open(folder.path()).unwrap().epoch().await.unwrap();
    let length = journal.metadata().unwrap().len();
    fs::OpenOptions::new().write(true).open(journal).unwrap().set_len(length * 2 / 3).unwrap();
    let error = open(folder.path()).map(drop);
    assert!(matches!(error, Err(OpenError::LostTail { .. })), "{error:?}");
    let accept = Options { lost_tail: LostTail::Accept, ..Options::default() };
    let store = EmbeddedStore::open(folder.path(), SystemClock, &accept).unwrap();
    assert!(store.epoch().await.unwrap() > epoch);
    for number in 0..GAMES {
        let found = texts(&store, game(number)).await;
        let expected: Vec<String> = (1..=ENTRIES).map(|seq| text(number, seq)).collect();
        assert!(found.len() < expected.len() && expected.starts_with(&found), "{found:?}");
        let head = store.head(game(number)).await.unwrap();
        append_ok(&store, append(game(number), head, &["and on"])).await;
    }
    drop(store);
    open(folder.path()).unwrap();
}

fn entry_key(number: u32, seq: u64) -> Vec<u8> {
    [game(number).as_str().as_bytes(), &seq.to_be_bytes()].concat()
}

/// Damages the log of game 1 in the database: the read names it, the game alone is stopped, and stays so.
async fn one_game_alone(seq: u64, damage: impl FnOnce(&Keyspace, &Keyspace)) -> (tempfile::TempDir, Head) {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    fill(&store, 1, 6).await;
    let head = store.head(game(1)).await.unwrap();
    drop(store);
    with_database(folder.path(), |db| damage(&keyspace(db, "logs"), &keyspace(db, "heads")));
    let store = open(folder.path()).unwrap();
    let found = store.read(game(1), 0, 100).await;
    let Err(ReadError::Damaged { game: named, seq: at, .. }) = found else { panic!("{found:?}") };
    assert_eq!((named, at), (game(1), seq));
    drop(store);
    for _ in 0..2 {
        let store = open(folder.path()).unwrap();
        let outcome = store.append(append(game(1), head, &["x"])).await;
        assert!(matches!(outcome, Ok(AppendOutcome::Quarantined { .. })), "{outcome:?}");
        let listed = store.quarantined().await.unwrap();
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0].0, game(1));
        let other = store.head(game(2)).await.unwrap();
        append_ok(&store, append(game(2), other, &["goes on"])).await;
        assert!(store.recheck(game(1)).await.is_err());
    }
    (folder, head)
}

#[tokio::test]
async fn a_missing_entry_stops_its_game_alone() {
    one_game_alone(3, |logs, _| logs.remove(entry_key(1, 3)).unwrap()).await;
}

#[tokio::test]
async fn a_vanished_tail_stops_its_game_alone() {
    one_game_alone(6, |logs, _| logs.remove(entry_key(1, 6)).unwrap()).await;
}

#[tokio::test]
async fn a_vanished_log_stops_its_game_alone() {
    let all = |logs: &Keyspace, _: &Keyspace| {
        for seq in 1..=6 {
            logs.remove(entry_key(1, seq)).unwrap();
        }
    };
    one_game_alone(1, all).await;
}

#[tokio::test]
async fn an_altered_entry_stops_its_game_alone() {
    let alter = |logs: &Keyspace, _: &Keyspace| {
        let mut value = logs.get(entry_key(1, 4)).unwrap().unwrap().to_vec();
        *value.last_mut().unwrap() ^= 1;
        logs.insert(entry_key(1, 4), value).unwrap();
    };
    one_game_alone(4, alter).await;
}

#[tokio::test]
async fn an_entry_of_another_game_stops_its_game_alone() {
    let exchange = |logs: &Keyspace, _: &Keyspace| {
        let value = logs.get(entry_key(2, 1)).unwrap().unwrap();
        logs.insert(entry_key(1, 1), value).unwrap();
    };
    one_game_alone(1, exchange).await;
}

#[tokio::test]
async fn an_entry_too_short_stops_its_game_alone() {
    one_game_alone(2, |logs, _| logs.insert(entry_key(1, 2), b"short").unwrap()).await;
}

#[tokio::test]
async fn an_entry_beyond_the_head_stops_its_game_alone() {
    let add = |logs: &Keyspace, _: &Keyspace| {
        let value = logs.get(entry_key(1, 6)).unwrap().unwrap();
        logs.insert(entry_key(1, 7), value).unwrap();
    };
    one_game_alone(7, add).await;
}

#[tokio::test]
async fn a_missing_head_stops_its_game_alone() {
    one_game_alone(1, |_, heads| heads.remove(game(1).as_str()).unwrap()).await;
}

#[tokio::test]
async fn a_head_that_makes_no_sense_stops_its_game_alone() {
    one_game_alone(1, |_, heads| heads.insert(game(1).as_str(), b"?").unwrap()).await;
}

#[tokio::test]
async fn damage_is_noticed_by_the_first_append_as_well() {
    let folder = scratch();
    let store = open(folder.path()).unwrap();
    fill(&store, 1, 6).await;
    let head = store.head(game(1)).await.unwrap();
    drop(store);
    with_database(folder.path(), |db| keyspace(db, "logs").remove(entry_key(1, 6)).unwrap());
    let store = open(folder.path()).unwrap();
    let outcome = store.append(append(game(1), head, &["x"])).await;
    assert!(matches!(outcome, Ok(AppendOutcome::Quarantined { .. })), "{outcome:?}");
    drop(store);
    assert_eq!(open(folder.path()).unwrap().quarantined().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_log_that_is_whole_again_leaves_quarantine() {
    let mut kept = None;
    let take = |logs: &Keyspace, _: &Keyspace| {
        kept = logs.get(entry_key(1, 3)).unwrap();
        logs.remove(entry_key(1, 3)).unwrap();
    };
    let (folder, head) = one_game_alone(3, take).await;
    with_database(folder.path(), |db| keyspace(db, "logs").insert(entry_key(1, 3), kept.unwrap()).unwrap());
    let store = open(folder.path()).unwrap();
    let outcome = store.append(append(game(1), head, &["x"])).await;
    assert!(matches!(outcome, Ok(AppendOutcome::Quarantined { .. })), "not before somebody has looked");
    assert_eq!(store.recheck(game(1)).await, Ok(head));
    let next = append_ok(&store, append(game(1), head, &["x"])).await;
    assert_eq!(next, head.then(game(1), &body("x")));
    drop(store);
    assert_eq!(open(folder.path()).unwrap().quarantined().await, Ok(Vec::new()));
}
