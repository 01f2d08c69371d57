//! Damage: bytes flipped, files cut, rows gone. Whatever happens, it is all there or it is said what is not.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{append, append_ok, game, key, put, texts};
use fjall::{Database, Keyspace, KeyspaceCreateOptions};
use flagfall_board::GameId;
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
            append_ok(store, Append { writes, ..append(game(number), expected, &[&text(number, seq)]) }).await;
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

#[tokio::test]
async fn explore() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    sample(&whole).await;
    let mut paths = Vec::new();
    files(&whole, &mut paths);
    std::panic::set_hook(Box::new(|_| {}));
    let mut tally = std::collections::BTreeMap::<String, u32>::new();
    let step: usize = std::env::var("STEP").map_or(97, |s| s.parse().unwrap());
    for path in &paths {
        let bytes = fs::read(path).unwrap();
        println!("{} {}", path.strip_prefix(&whole).unwrap().display(), bytes.len());
        for at in (0..bytes.len()).step_by(step) {
            let broken = folder.path().join("broken");
            let _ = fs::remove_dir_all(&broken);
            copy(&whole, &broken);
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << (at % 8);
            let victim = broken.join(path.strip_prefix(&whole).unwrap());
            fs::write(&victim, &bytes).unwrap();
            let t = std::time::Instant::now();
            let result = examine(&broken).await;
            if t.elapsed().as_secs() > 1 { println!("SLOW {at} {:?}", t.elapsed()); }
            let name = path.strip_prefix(&whole).unwrap().display();
            match result {
                Ok(said) => {
                    let s: String = said.chars().filter(|c| !c.is_ascii_digit()).collect::<String>().replace(folder.path().to_str().unwrap(), "").chars().take(150).collect();
                    *tally.entry(format!("{name}: {s}")).or_default() += 1 }
                Err(quiet) => println!("QUIET {name} at {at}: {quiet}"),
            }
        }
    }
    for (k, v) in tally { println!("{v:5} {k}"); }
}
