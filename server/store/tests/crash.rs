//! Tests of crashes. A child process uses a store and reports the store's answers. The parent
//! process kills the child and checks the store.
//!
//! The child is the same test binary, with an environment variable that names the folder. The
//! parent kills the child after reading a number of answers from the child's output, so the tests
//! do not depend on timing.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use common::{body, game, key, put, scratch};
use flagfall_store::{
    Append, AppendOutcome, EmbeddedOptions, EmbeddedStore, Head, Store, StoreError, StoredEntry, SystemClock,
};

const FOLDER: &str = "FLAGFALL_STORE_TEST_FOLDER";
const KIND: &str = "FLAGFALL_STORE_TEST_KIND";
const GAMES: u32 = 60;
/// The number of kills in a short run. An environment variable can set a higher number.
const KILLS: u32 = 24;
const KILLS_VARIABLE: &str = "FLAGFALL_KILLS";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The default options.
    Plain,
    /// Options with which kills also happen during checkpoints, new segments, and compactions.
    Busy,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Kind::Plain => "plain",
            Kind::Busy => "busy",
        }
    }

    fn open(self, folder: &Path) -> Arc<dyn Store> {
        let options = match self {
            Kind::Plain => EmbeddedOptions::default(),
            Kind::Busy => EmbeddedOptions {
                segment_bytes: 50_000,
                checkpoint_bytes: 20_000,
                compact_bytes: 0,
                ..EmbeddedOptions::default()
            },
        };
        Arc::new(EmbeddedStore::open(folder, SystemClock, &options).unwrap())
    }
}

/// Returns the only valid content of entry `seq` of a game.
fn text(number: u32, seq: u64) -> String {
    format!("{number}:{seq} {}", "x".repeat((seq % 90) as usize))
}

/// This is not a test, but the code of the child process. In an ordinary test run, it returns
/// immediately.
#[test]
fn child() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        let named = std::env::var(KIND).unwrap();
        let kind = [Kind::Plain, Kind::Busy].into_iter().find(|kind| kind.name() == named).unwrap();
        let store = kind.open(&folder);
        say("ready");
        // All heads are read before the first append, because a store that has failed would
        // refuse the reads.
        let mut heads = Vec::new();
        for number in 0..GAMES {
            heads.push((number, store.head(game(number)).await.unwrap()));
        }
        let tasks: Vec<_> =
            heads.into_iter().map(|(number, head)| tokio::spawn(play(store.clone(), number, head))).collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
}

/// Appends to a game until the store refuses an append.
async fn play(store: Arc<dyn Store>, number: u32, mut head: Head) {
    loop {
        let count = 1 + u64::from(number % 3);
        let bodies = (head.seq + 1..=head.seq + count).map(|seq| body(text(number, seq))).collect();
        // This large record is overwritten repeatedly, so that compaction has something to
        // remove.
        let large = put(&format!("large/{number}"), &"x".repeat(400));
        let writes = vec![put(&format!("last/{number}"), &(head.seq + count).to_string()), large];
        let append =
            Append { game: game(number), expected: head, deadline: None, not_before: None, bodies, writes };
        match store.append(append).await {
            Ok(AppendOutcome::Ok { head: next, .. }) => {
                head = next;
                say(&format!("ack {number} {}", head.seq));
            }
            Err(StoreError::Unavailable { .. }) => return say("refused"),
            outcome => panic!("{outcome:?}"),
        }
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
}

fn start(mut command: Command, kind: Kind, folder: &Path) -> Child {
    command
        .env(FOLDER, folder)
        .env(KIND, kind.name())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

fn child_command() -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child", "--nocapture"]);
    command
}

/// The number of the last acknowledged entry of each game.
type Acknowledged = HashMap<u32, u64>;

/// Records an answer of the child. Returns false if the line is not an answer.
fn note(line: &str, acknowledged: &mut Acknowledged) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    let ["ack", number, seq] = words[..] else { return false };
    let seq = seq.parse().unwrap();
    let before = acknowledged.insert(number.parse().unwrap(), seq);
    assert!(before.is_none_or(|before| before < seq), "{line}");
    true
}

/// Checks that all acknowledged entries are stored exactly once, and that the rest of the store
/// is intact.
async fn check(store: &dyn Store, acknowledged: &Acknowledged) {
    for number in 0..GAMES {
        let mut entries: Vec<StoredEntry> = Vec::new();
        loop {
            let next = store.read(game(number), entries.len() as u64, 100).await.unwrap();
            if next.is_empty() {
                break;
            }
            entries.extend(next);
        }
        for (seq, entry) in (1..).zip(&entries) {
            assert_eq!((entry.seq, entry.body.expose()), (seq, text(number, seq).as_bytes()));
        }
        assert!(entries.is_sorted_by_key(|entry| entry.at));
        let last = entries.len() as u64;
        let known = acknowledged.get(&number).copied().unwrap_or(0);
        // An append that was not answered may also have been stored.
        let count = 1 + u64::from(number % 3);
        assert!(last == known || last == known + count, "game {number}: {known} acknowledged, {last} there");
        assert_eq!(store.head(game(number)).await.unwrap().seq, last);
        let record = store.get(key(&format!("last/{number}"))).await.unwrap();
        assert_eq!(record, (last > 0).then(|| last.to_string().into_bytes()));
    }
}

#[tokio::test]
async fn nothing_acknowledged_is_lost_by_a_kill() {
    let kind = Kind::Busy;
    let folder = scratch();
    let mut acknowledged = Acknowledged::new();
    let kills = std::env::var(KILLS_VARIABLE).map_or(KILLS, |kills| kills.parse().unwrap());
    for round in 0..kills {
        let mut child = start(child_command(), kind, folder.path());
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // From round to round, the kill comes after more answers: right after opening, in the first
        // group, or after many groups.
        let mut left = (round % KILLS).pow(2) * 3;
        for line in lines.by_ref() {
            let line = line.unwrap();
            left -= u32::from(note(&line, &mut acknowledged)).min(left);
            if left == 0 && !line.is_empty() && !line.starts_with("running") {
                break;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // Answers that the child wrote before it was killed also count.
        for line in lines.map_while(Result::ok) {
            note(&line, &mut acknowledged);
        }
        let store = kind.open(folder.path());
        check(&*store, &acknowledged).await;
        assert_eq!(store.quarantined().await, Ok(Vec::new()));
        for number in 0..GAMES {
            acknowledged.insert(number, store.head(game(number)).await.unwrap().seq);
        }
    }
    assert!(acknowledged.values().sum::<u64>() > 1_000, "{acknowledged:?}");
}

#[tokio::test]
async fn a_store_whose_files_cannot_grow_refuses_and_keeps_what_it_has() {
    let kind = Kind::Plain;
    let folder = scratch();
    // The store is created before the file size limit applies, because the index allocates its
    // journal at full length.
    drop(kind.open(folder.path()));
    let mut command = Command::new("sh");
    // Limit every file to about 100 KiB. The child ignores the signal for exceeding the limit, so
    // the write returns an error instead of ending the process.
    let script = r#"trap "" XFSZ; ulimit -f 200; exec "$0" "$@""#;
    command.args(["-c", script]).arg(std::env::current_exe().unwrap());
    command.args(["--exact", "child", "--nocapture"]);
    let mut child = start(command, kind, folder.path());
    let mut acknowledged = Acknowledged::new();
    let mut counts = HashMap::<String, u32>::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        if !note(&line, &mut acknowledged) {
            *counts.entry(line).or_default() += 1;
        }
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(counts["refused"], GAMES, "{counts:?}");
    assert!(!acknowledged.is_empty());
    check(&*kind.open(folder.path()), &acknowledged).await;
}
