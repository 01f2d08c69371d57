//! Stores to be damaged, and the checks afterwards.

use super::*;

pub(super) fn open(folder: &Path) -> Result<EmbeddedStore, OpenError> {
    EmbeddedStore::open(folder, SystemClock, &Options::default())
}

pub(super) fn text(game: u32, seq: u32) -> String {
    format!("game {game} entry {seq} {}", "x".repeat((game * seq) as usize))
}

/// Writes entries `from..=to` of every game, and a record with each.
pub(super) async fn fill(store: &EmbeddedStore, from: u32, to: u32) {
    for seq in from..=to {
        for number in 0..GAMES {
            let expected = store.head(game(number)).await.unwrap();
            let writes = vec![put(&format!("r/{number}/{seq}"), &text(number, seq))];
            append_ok(store, Append { writes, ..append(game(number), expected, &[&text(number, seq)]) })
                .await;
        }
    }
}

/// The database of a closed store.
pub(super) fn with_database<T>(folder: &Path, work: impl FnOnce(&Database) -> T) -> T {
    let db = Database::builder(folder.join("db")).open().unwrap();
    work(&db)
}

pub(super) fn keyspace(db: &Database, name: &str) -> Keyspace {
    db.keyspace(name, KeyspaceCreateOptions::default).unwrap()
}

/// A store whose older half is only in tables, as in an old store, and whose newer half is in the
/// journal.
pub(super) async fn old_sample(folder: &Path) {
    let store = open(folder).unwrap();
    fill(&store, 1, ENTRIES / 2).await;
    drop(store);
    with_database(folder, |db| {
        for name in ["meta", "logs", "heads", "records"] {
            keyspace(db, name).rotate_memtable_and_wait().unwrap();
        }
    });
    fs::remove_file(folder.join("db/0.jnl")).unwrap();
    fs::write(folder.join("db/1.jnl"), b"").unwrap();
    let store = open(folder).unwrap();
    fill(&store, ENTRIES / 2 + 1, ENTRIES).await;
}

/// A store whose older half is in tables, and all of it in the journal.
pub(super) async fn sample(folder: &Path) {
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

pub(super) fn copy(from: &Path, to: &Path) {
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

pub(super) fn files(folder: &Path, found: &mut Vec<PathBuf>) {
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

/// The result of a damage.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Nothing is missing, and nothing was reported.
    Whole,
    /// Nothing is missing, but damage was reported.
    Mended,
    /// Something is missing, and the store reports what.
    Told(String),
    /// The store does not open without the operator's consent.
    Refused(String),
}

/// Opens a store and checks everything that was acknowledged. Unreported loss is an error.
pub(super) async fn examine(folder: &Path) -> Result<Outcome, String> {
    let store = match open(folder) {
        Ok(store) => store,
        Err(error @ (OpenError::LostTail { .. } | OpenError::NoWitness { .. })) => {
            return Ok(Outcome::Refused(error.to_string()));
        }
        Err(error) => return Err(format!("it does not open: {error}")),
    };
    let mut said = look_at_games(&store).await?;
    let salvage = store.salvage().cloned();
    let are_records_lost =
        salvage.as_ref().is_some_and(|it| it.records_lost > 0 || !it.tables_damaged.is_empty());
    for number in 0..GAMES {
        for seq in 1..=ENTRIES {
            match store.get(key(&format!("r/{number}/{seq}"))).await {
                Ok(Some(value)) if value == text(number, seq).as_bytes() => {}
                Ok(None) if are_records_lost => {}
                Ok(found) => return Err(format!("record {number}/{seq} is {found:?}")),
                Err(error) => said = error.to_string(),
            }
        }
    }
    if salvage.as_ref().is_some_and(|salvage| !salvage.is_complete()) {
        said = format!("{}", salvage.as_ref().unwrap());
    }
    Ok(match salvage {
        _ if !said.is_empty() => Outcome::Told(said),
        Some(_) => Outcome::Mended,
        None => Outcome::Whole,
    })
}

/// Checks that every game is whole and continues, or is reported as damaged and accepts nothing.
pub(super) async fn look_at_games(store: &EmbeddedStore) -> Result<String, String> {
    let mut said = String::new();
    for number in 0..GAMES {
        let expected: Vec<String> = (1..=ENTRIES).map(|seq| text(number, seq)).collect();
        let read = store.read(game(number), 0, usize::MAX).await;
        let quarantined = store.quarantined().await.unwrap();
        let quarantine = quarantined.iter().find(|(id, _)| *id == game(number));
        let bodies = |entries: Vec<StoredEntry>| -> Vec<String> {
            entries.iter().map(|it| String::from_utf8_lossy(it.body.expose()).into_owned()).collect()
        };
        match (read, quarantine) {
            (Ok(entries), None) => {
                let found = bodies(entries);
                if found != expected {
                    return Err(format!("game {number} has {} entries without a word", found.len()));
                }
                let head = match store.head(game(number)).await {
                    Ok(head) => head,
                    Err(error) => {
                        said = error.to_string();
                        continue;
                    }
                };
                let outcome = store.append(append(game(number), head, &["and on"])).await;
                if !matches!(outcome, Ok(AppendOutcome::Ok { .. })) {
                    return Err(format!("game {number} is whole and does not go on: {outcome:?}"));
                }
            }
            (Ok(entries), Some((_, reason))) => {
                if !expected.starts_with(&bodies(entries)) {
                    return Err(format!("game {number} is in quarantine and has other entries"));
                }
                said = format!("game {number}: {reason}");
            }
            (Err(ReadError::Damaged { seq, .. }), Some((_, reason))) => {
                // The entries before the damage can be read, and are what was written.
                if seq > 1
                    && let Ok(ahead) = store.read(game(number), 0, seq as usize - 1).await
                    && bodies(ahead) != expected[..seq as usize - 1]
                {
                    return Err(format!("game {number} has other entries ahead of the damage"));
                }
                let outcome = store.append(append(game(number), Head::START, &["no"])).await;
                if !matches!(outcome, Ok(AppendOutcome::Quarantined { .. })) {
                    return Err(format!("game {number} is damaged and yet: {outcome:?}"));
                }
                said = format!("game {number}: {reason}");
            }
            (Err(error), _) => return Err(format!("game {number}: {error}")),
        }
    }
    Ok(said)
}

/// The results of many damages.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) whole: u32,
    pub(super) mended: u32,
    pub(super) told: u32,
    pub(super) refused: u32,
}

impl Tally {
    pub(super) fn count(&mut self, outcome: &Outcome) {
        *match outcome {
            Outcome::Whole => &mut self.whole,
            Outcome::Mended => &mut self.mended,
            Outcome::Told(_) => &mut self.told,
            Outcome::Refused(_) => &mut self.refused,
        } += 1;
    }
}

/// Copies the sample and damages a file of the copy. It must open without unreported loss.
pub(super) async fn try_damage(
    sample: &Path,
    file: &Path,
    damage: impl FnOnce(&Path),
    what: &str,
    tally: &mut Tally,
) {
    let broken = scratch();
    copy(sample, broken.path());
    let name = file.strip_prefix(sample).unwrap();
    damage(&broken.path().join(name));
    match examine(broken.path()).await {
        Ok(Outcome::Refused(why)) => panic!("{}, {what}: {why}", name.display()),
        Ok(outcome) => tally.count(&outcome),
        Err(quiet) => panic!("{}, {what}: {quiet}", name.display()),
    }
}

pub(super) async fn sample_files(folder: &Path) -> Vec<PathBuf> {
    old_sample(folder).await;
    let mut found = Vec::new();
    files(folder, &mut found);
    found
}

pub(super) fn with_database_closed(store: EmbeddedStore, folder: &Path, work: impl FnOnce(&Database)) {
    drop(store);
    with_database(folder, work);
}
