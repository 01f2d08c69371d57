//! Tests that export and import whole stores: an import restores exactly what was exported.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::path::Path;
use std::sync::Arc;

use common::cluster::Cluster;
use common::redis::RedisServer;
use common::{append, append_ok, body, game, log, put, scratch};
use flagfall_board::Stamp;
use flagfall_store::redis::buckets::BUCKETS;
use flagfall_store::{
    Append, EmbeddedOptions, EmbeddedStore, Head, RedisOptions, Store, SystemClock, Transfer, Update, Write,
};
use flagfall_store_testing::{ManualClock, import};
use flagfall_transfer::{
    Tally, TransferError, check_export, examine, export, finish_import, import_unfinished,
};

const NOON: Stamp = Stamp(1_700_000_000_000);

fn embedded(folder: &Path) -> EmbeddedStore {
    EmbeddedStore::open(folder, SystemClock, &EmbeddedOptions::default()).unwrap()
}

/// Fills a store with games of different lengths, with bodies that are text and bodies that are
/// binary, and with records of all kinds.
async fn fill(store: &dyn Store, clock: &ManualClock) -> Tally {
    let mut tally = Tally::default();
    for number in 0..20_u32 {
        let mut at = Head::START;
        for round in 0..=u64::from(number * 11 % 90) {
            clock.advance_ms(7);
            let text = format!("{number} {round} \"{}\"\n", "é".repeat((round % 9) as usize));
            let bytes = [text.as_bytes(), if round % 5 == 4 { &[0xff, 0][..] } else { b"" }].concat();
            let writes = vec![put(&format!("last/{number}"), &round.to_string())];
            let next = Append {
                game: game(number),
                expected: at,
                deadline: None,
                not_before: None,
                bodies: vec![body(bytes)],
                writes,
            };
            at = append_ok(store, next).await;
            tally.entries += 1;
        }
        tally.games += 1;
        tally.records += 1;
    }
    let expires = Some(Stamp(clock_now(clock) + 1_000_000_000_000));
    let odd =
        Write::Put { key: flagfall_store::Key::new([b'z', 0xfe, 0]).unwrap(), value: vec![0xff, 1], expires };
    let gone = Write::Put { key: common::key("gone"), value: vec![1], expires: Some(NOON) };
    let update = Update { conditions: Vec::new(), writes: vec![odd, gone, put("plain", "")] };
    store.update(update).await.unwrap();
    tally.records += 2;
    tally
}

fn clock_now(clock: &ManualClock) -> u64 {
    use flagfall_store::WallClock;
    clock.now().0
}

async fn exported(store: &dyn Transfer) -> Vec<u8> {
    let mut bytes = Vec::new();
    export(store, &mut bytes, None, None, |_| {}).await.unwrap();
    bytes
}

/// Returns all lines of an export except the first, which identifies the store, and the last,
/// which contains the hash.
fn content(export: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = export.split_inclusive(|byte| *byte == b'\n').collect();
    lines.remove(0);
    lines.pop();
    lines
}

#[tokio::test]
async fn from_the_embedded_store_to_redis_and_back_nothing_changes() {
    let (from, to, redis) = (scratch(), scratch(), RedisServer::start());
    let clock = Arc::new(ManualClock::new(NOON));
    let source = EmbeddedStore::open(from.path(), clock.clone(), &EmbeddedOptions::default()).unwrap();
    let tally = fill(&source, &clock).await;
    let first = exported(&source).await;
    assert_eq!(check_export(&mut &first[..]).await.unwrap(), tally);
    assert_eq!(examine(&source, |_| {}).await.unwrap().tally, tally);

    let middle = redis.open(RedisOptions::default()).await;
    assert_eq!(import(&middle, &first).await.unwrap(), tally);
    let second = exported(&middle).await;
    assert_eq!(content(&second), content(&first));
    assert_eq!(examine(&middle, |_| {}).await.unwrap().damaged, []);

    let target = embedded(to.path());
    import(&target, &second).await.unwrap();
    assert_eq!(content(&exported(&target).await), content(&first));
    for number in 0..20 {
        assert_eq!(target.head(game(number)).await, source.head(game(number)).await);
        assert_eq!(log(&target, game(number)).await, log(&source, game(number)).await, "stamps and all");
    }
    // An imported game can be continued, even after a restart.
    drop(target);
    let target = embedded(to.path());
    let at = target.head(game(3)).await.unwrap();
    append_ok(&target, append(game(3), at, &["on"])).await;
    let at = middle.head(game(3)).await.unwrap();
    append_ok(&middle, append(game(3), at, &["on"])).await;
}

#[tokio::test]
async fn an_import_that_was_cut_short_is_repeated_and_changes_nothing_else() {
    let (from, to) = (scratch(), scratch());
    let clock = Arc::new(ManualClock::new(NOON));
    let source = EmbeddedStore::open(from.path(), clock.clone(), &EmbeddedOptions::default()).unwrap();
    fill(&source, &clock).await;
    let whole = exported(&source).await;
    let target = embedded(to.path());
    for part in [whole.len() / 3, whole.len() / 2, whole.len() - 1] {
        let cut = import(&target, &whole[..part]).await;
        assert!(matches!(cut, Err(TransferError::Form { .. })), "{cut:?}");
    }
    import_unfinished(&target, &mut &whole[..], |_| {}).await.unwrap();
    import(&target, &whole).await.unwrap();
    assert_eq!(content(&exported(&target).await), content(&whole));
    // An import must not change a store that contains a different game under the same id.
    let other = scratch();
    let other = embedded(other.path());
    let header = whole.split_inclusive(|byte| *byte == b'\n').next().unwrap();
    assert!(import(&other, header).await.is_err(), "the import has only begun");
    append_ok(&other, append(game(5), Head::START, &["something else"])).await;
    assert!(matches!(import(&other, &whole).await, Err(TransferError::Other { .. })));
    assert_eq!(common::texts(&other, game(5)).await, ["something else"]);
}

#[tokio::test]
async fn only_an_empty_store_takes_an_import() {
    let from = scratch();
    let clock = Arc::new(ManualClock::new(NOON));
    let source = EmbeddedStore::open(from.path(), clock.clone(), &EmbeddedOptions::default()).unwrap();
    fill(&source, &clock).await;
    let whole = exported(&source).await;
    let updated = Update { conditions: Vec::new(), writes: vec![put("players/ana", "ana")] };
    for is_game in [false, true] {
        let to = scratch();
        let target = embedded(to.path());
        if is_game {
            append_ok(&target, append(game(99), Head::START, &["something"])).await;
        } else {
            target.update(updated.clone()).await.unwrap();
        }
        let before = exported(&target).await;
        assert!(matches!(import(&target, &whole).await, Err(TransferError::NotEmpty)));
        assert_eq!(content(&exported(&target).await), content(&before));
    }
    let to = scratch();
    let target = embedded(to.path());
    import_unfinished(&target, &mut &whole[..], |_| {}).await.unwrap();
    let other = exported(&embedded(scratch().path())).await;
    assert!(matches!(import(&target, &other).await, Err(TransferError::OtherImport)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn from_one_redis_to_a_cluster_and_back_nothing_changes() {
    let (redis, cluster, back) = (RedisServer::start(), Cluster::start().await, RedisServer::start());
    let clock = Arc::new(ManualClock::new(NOON));
    let with_clock = || RedisOptions { clock: Some(clock.clone()), ..RedisOptions::default() };
    let source = redis.open(with_clock()).await;
    let tally = fill(&source, &clock).await;
    let first = exported(&source).await;
    let middle = cluster.open(with_clock(), BUCKETS).await;
    let mut told = Vec::new();
    import_unfinished(&middle, &mut &first[..], |tally| told.push(*tally)).await.unwrap();
    finish_import(&middle).await.unwrap();
    assert_eq!(told.last(), Some(&tally), "the progress is complete");
    let second = exported(&middle).await;
    assert_eq!(content(&second), content(&first));
    for number in 0..20 {
        assert_eq!(middle.head(game(number)).await, source.head(game(number)).await);
        assert_eq!(log(&middle, game(number)).await, log(&source, game(number)).await, "stamps and all");
    }
    let target = back.open(with_clock()).await;
    import(&target, &second).await.unwrap();
    assert_eq!(content(&exported(&target).await), content(&first));
    let at = middle.head(game(3)).await.unwrap();
    append_ok(&middle, append(game(3), at, &["on"])).await;
    append_ok(&target, append(game(3), at, &["on"])).await;
}

#[tokio::test]
async fn a_changed_export_is_no_export() {
    let from = scratch();
    let clock = Arc::new(ManualClock::new(NOON));
    let source = EmbeddedStore::open(from.path(), clock.clone(), &EmbeddedOptions::default()).unwrap();
    append_ok(&source, append(game(1), Head::START, &["a", "b"])).await;
    let whole = exported(&source).await;
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        assert!(check_export(&mut &changed[..]).await.is_err(), "byte {at}");
    }
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    for missing in 0..lines.len() {
        let mut fewer = lines.clone();
        fewer.remove(missing);
        let error = check_export(&mut &fewer.concat()[..]).await.unwrap_err().to_string();
        assert!(error.starts_with("line "), "{error}");
    }
}

#[tokio::test]
async fn a_damaged_game_travels_as_far_as_it_is_whole_and_stays_in_quarantine() {
    let (redis, to) = (RedisServer::start(), scratch());
    let source = redis.open(RedisOptions::default()).await;
    append_ok(&source, append(game(1), Head::START, &["a", "b", "c"])).await;
    append_ok(&source, append(game(2), Head::START, &["a"])).await;
    let name = format!("flagfall:{{{}}}:log", game(1));
    let _: u64 = redis.ask(&["XDEL", &name, "3-0"]).await;
    let _: String = redis.ask(&["XADD", &name, "4-0", "e", "x"]).await;
    let examined = examine(&source, |_| {}).await.unwrap();
    assert_eq!((examined.damaged.len(), examined.tally.entries), (1, 3));
    let target = embedded(to.path());
    import(&target, &exported(&source).await).await.unwrap();
    assert_eq!(target.quarantined().await.unwrap()[0].0, game(1));
    assert_eq!(target.read(game(1), 0, 2).await.unwrap().len(), 2);
    assert_eq!(target.quarantined().await.unwrap().len(), 1);
}
