//! Helpers for tests of the store.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test binary uses its part; a failed unwrap is a failed test"
)]

pub(crate) mod cluster;
pub(crate) mod redis;
pub(crate) mod small_disk;

use std::time::Duration;

use flagfall_board::GameId;
use flagfall_store::{Append, AppendOutcome, Head, Key, SecretBytes, Store, StoreError, StoredEntry, Write};
use tokio::time::{sleep, timeout};

/// Creates a folder for a small store, in memory if the system supports that. Memory is faster
/// for the thousands of syncs in these tests, and safe, because the tests kill only processes and
/// not the machine.
pub(crate) fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// The time after which a test that is still waiting counts as failed. No operation in these
/// tests takes this long, not even a failover.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// Repeats a request until it returns a value.
pub(crate) async fn until<T, F: Future<Output = Option<T>>>(what: &str, ask: impl Fn() -> F) -> T {
    let asking = async {
        loop {
            match ask().await {
                Some(answer) => return answer,
                None => sleep(Duration::from_millis(5)).await,
            }
        }
    };
    timeout(TIMEOUT, asking).await.unwrap_or_else(|_| panic!("waited too long for {what}"))
}

/// Repeats an append until a Redis accepts it. Also succeeds if an earlier attempt was written
/// although its answer was lost.
pub(crate) async fn append_soon(store: &dyn Store, wanted: Append) -> Head {
    until("an append", async || match store.append(wanted.clone()).await {
        Ok(AppendOutcome::Ok { head, .. }) => Some(head),
        // An earlier attempt has written the entry, but its answer was lost.
        Ok(AppendOutcome::Conflict { head }) if head.seq > wanted.expected.seq => Some(head),
        Ok(AppendOutcome::Unknown) | Err(StoreError::Unavailable { .. }) => None,
        outcome => panic!("{outcome:?}"),
    })
    .await
}

/// Returns the id of the game with this number.
pub(crate) fn game(number: u32) -> GameId {
    let [a, b, c, d] = number.to_le_bytes();
    GameId::from_random([a & 31, a >> 5, b & 31, b >> 5, c & 31, c >> 5, d & 31, d >> 5, 0, 0, 0, 0])
}

pub(crate) fn key(text: &str) -> Key {
    Key::new(text).unwrap()
}

pub(crate) fn body(text: impl AsRef<[u8]>) -> SecretBytes {
    SecretBytes::new(text.as_ref().to_vec())
}

pub(crate) fn put(name: &str, value: &str) -> Write {
    Write::Put { key: key(name), value: value.into(), expires: None }
}

/// Returns an append that adds these bodies, on the condition that the log's head is `expected`.
pub(crate) fn append(game: GameId, expected: Head, bodies: &[&str]) -> Append {
    let bodies = bodies.iter().map(body).collect();
    Append { game, expected, deadline: None, not_before: None, bodies, writes: Vec::new() }
}

/// Performs an append, whose outcome must be `Ok`.
pub(crate) async fn append_ok(store: &dyn Store, append: Append) -> Head {
    match store.append(append).await.unwrap() {
        AppendOutcome::Ok { head, .. } => head,
        outcome => panic!("{outcome:?}"),
    }
}

pub(crate) async fn log(store: &dyn Store, game: GameId) -> Vec<StoredEntry> {
    store.read(game, 0, usize::MAX).await.unwrap()
}

/// Returns the bodies of all entries of a log, as text.
pub(crate) async fn texts(store: &dyn Store, game: GameId) -> Vec<String> {
    let text = |entry: &StoredEntry| String::from_utf8(entry.body.expose().to_vec()).unwrap();
    log(store, game).await.iter().map(text).collect()
}

pub(crate) fn copy_folder(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { copy_folder(&path, &target) } else { copy_file(&path, &target) }
    }
}

/// Copies a file as a sparse file, because the database creates long files full of zeros.
fn copy_file(from: &std::path::Path, to: &std::path::Path) {
    use std::os::unix::fs::FileExt as _;
    const PIECE: usize = 64 * 1024;
    let (from, to) = (std::fs::File::open(from).unwrap(), std::fs::File::create(to).unwrap());
    let length = from.metadata().unwrap().len();
    to.set_len(length).unwrap();
    let (mut piece, zeros) = (vec![0; PIECE], vec![0; PIECE]);
    for at in (0..length).step_by(PIECE) {
        let read = from.read_at(&mut piece, at).unwrap();
        if piece[..read] != zeros[..read] {
            to.write_all_at(&piece[..read], at).unwrap();
        }
    }
}
