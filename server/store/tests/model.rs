//! Compares the durable stores with the store in memory, using random requests and restarts.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::future::Future;
use std::sync::Arc;

use common::redis::RedisServer;
use common::{body, game, key, scratch};
use flagfall_board::Stamp;
use flagfall_store::{
    Append, EmbeddedOptions, EmbeddedStore, Expect, Hash, Head, MemoryStore, RedisOptions, Store, Update,
    Write,
};
use flagfall_store_testing::ManualClock;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

const START: Stamp = Stamp(1_000_000);

/// The kind of head that an append expects: the right one or a wrong one.
#[derive(Clone, Copy, Debug)]
enum Belief {
    Right,
    Start,
    WrongHash,
    Ahead,
}

#[derive(Clone, Debug)]
enum Step {
    Append {
        game: u32,
        belief: Belief,
        bodies: Vec<Vec<u8>>,
        grace_ms: Option<i8>,
        wait_ms: Option<i8>,
        writes: Vec<RecordWrite>,
    },
    Update {
        conditions: Vec<(u8, Option<u8>)>,
        writes: Vec<RecordWrite>,
    },
    Read {
        game: u32,
        after_seq: u64,
        limit: usize,
    },
    Get {
        key: u8,
    },
    Scan {
        after: Option<u8>,
        limit: usize,
    },
    Sweep,
    Advance {
        ms: u64,
    },
    Reopen,
}

#[derive(Clone, Debug)]
struct RecordWrite {
    key: u8,
    value: Option<u8>,
    lifetime_ms: Option<u64>,
}

fn record_writes() -> impl Strategy<Value = Vec<RecordWrite>> {
    let write = (0..6_u8, any::<Option<u8>>(), prop::option::of(0..50_u64))
        .prop_map(|(key, value, lifetime_ms)| RecordWrite { key, value: value.map(|v| v % 3), lifetime_ms });
    vec(write, 0..4)
}

fn step() -> impl Strategy<Value = Step> {
    let belief = prop_oneof![
        6 => Just(Belief::Right),
        1 => Just(Belief::Start),
        1 => Just(Belief::WrongHash),
        1 => Just(Belief::Ahead),
    ];
    let bodies = vec(vec(any::<u8>(), 0..20), 0..4);
    let moment = || prop::option::weighted(0.3, -2..3_i8);
    prop_oneof![
        8 => (0..3_u32, belief, bodies, moment(), moment(), record_writes()).prop_map(
            |(game, belief, bodies, grace_ms, wait_ms, writes)| {
                Step::Append { game, belief, bodies, grace_ms, wait_ms, writes }
            }
        ),
        4 => (vec((0..6_u8, prop::option::of(0..3_u8)), 0..3), record_writes())
            .prop_map(|(conditions, writes)| Step::Update { conditions, writes }),
        3 => (0..3_u32, 0..20_u64, 0..20_usize)
            .prop_map(|(game, after_seq, limit)| Step::Read { game, after_seq, limit }),
        2 => (0..6_u8).prop_map(|key| Step::Get { key }),
        2 => (prop::option::of(0..6_u8), 0..6_usize).prop_map(|(after, limit)| Step::Scan { after, limit }),
        1 => Just(Step::Sweep),
        2 => (0..40_u64).prop_map(|ms| Step::Advance { ms }),
        2 => Just(Step::Reopen),
    ]
}

fn name(number: u8) -> flagfall_store::Key {
    key(&format!("k/{number}"))
}

fn writes(list: Vec<RecordWrite>, now: Stamp) -> Vec<Write> {
    list.into_iter()
        .map(|RecordWrite { key, value, lifetime_ms }| match value {
            Some(value) => Write::Put {
                key: name(key),
                value: vec![value],
                expires: lifetime_ms.map(|ms| now.plus_ms(ms)),
            },
            None => Write::Delete { key: name(key) },
        })
        .collect()
}

/// Performs the steps both on the store that `open` opens and on the model.
async fn run<S: Store, F: Future<Output = S>>(
    steps: Vec<Step>,
    clock: Arc<ManualClock>,
    open: impl Fn() -> F,
) {
    let mut now = START;
    let model = MemoryStore::new(clock.clone());
    let mut store = Some(open().await);
    for step in steps {
        let Some(real) = &store else { return };
        match step {
            Step::Append { game: number, belief, bodies, grace_ms, wait_ms, writes: list } => {
                let moment = |ms: i8| Stamp(now.0.saturating_add_signed(ms.into()));
                let head = model.head(game(number)).await.unwrap();
                let expected = match belief {
                    Belief::Right => head,
                    Belief::Start => Head::START,
                    Belief::WrongHash => Head { hash: Hash([7; 32]), ..head },
                    Belief::Ahead => Head { seq: head.seq + 1, ..head },
                };
                let append = Append {
                    game: game(number),
                    expected,
                    deadline: grace_ms.map(moment),
                    not_before: wait_ms.map(moment),
                    bodies: bodies.iter().map(body).collect(),
                    writes: writes(list, now),
                };
                assert_eq!(real.append(append.clone()).await, model.append(append).await);
                assert_eq!(real.head(game(number)).await, model.head(game(number)).await);
            }
            Step::Update { conditions, writes: list } => {
                let expect = |value: Option<u8>| value.map_or(Expect::Absent, |v| Expect::Value(vec![v]));
                let conditions =
                    conditions.into_iter().map(|(key, value)| (name(key), expect(value))).collect();
                let update = Update { conditions, writes: writes(list, now) };
                assert_eq!(real.update(update.clone()).await, model.update(update).await);
            }
            Step::Read { game: number, after_seq, limit } => assert_eq!(
                real.read(game(number), after_seq, limit).await,
                model.read(game(number), after_seq, limit).await
            ),
            Step::Get { key } => assert_eq!(real.get(name(key)).await, model.get(name(key)).await),
            Step::Scan { after, limit } => assert_eq!(
                real.scan(key("k/"), after.map(name), limit).await,
                model.scan(key("k/"), after.map(name), limit).await
            ),
            // The counts are not compared, because a store that has just been opened removes
            // expired records by itself.
            Step::Sweep => {
                real.sweep().await.unwrap();
                model.sweep().await.unwrap();
            }
            Step::Advance { ms } => {
                now = now.plus_ms(ms);
                clock.advance_ms(ms);
            }
            Step::Reopen => {
                drop(store.take());
                store = Some(open().await);
            }
        }
    }
    let Some(real) = &store else { return };
    for number in 0..3 {
        assert_eq!(real.read(game(number), 0, 4096).await, model.read(game(number), 0, 4096).await);
    }
    assert_eq!(real.quarantined().await, Ok(Vec::new()));
}

fn block_on(future: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_embedded_store_agrees(steps in vec(step(), 1..50)) {
        let folder = scratch();
        let clock = Arc::new(ManualClock::new(START));
        let open = async || EmbeddedStore::open(folder.path(), clock.clone(), &EmbeddedOptions::default()).unwrap();
        block_on(run(steps, clock.clone(), open));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn the_embedded_store_agrees_with_checkpoints_and_compaction(steps in vec(step(), 1..50), segment_bytes in 50_u64..2_000, checkpoint_bytes in 50_u64..2_000) {
        let folder = scratch();
        let clock = Arc::new(ManualClock::new(START));
        let options = EmbeddedOptions { segment_bytes, checkpoint_bytes, compact_bytes: 0, ..EmbeddedOptions::default() };
        let open = async || EmbeddedStore::open(folder.path(), clock.clone(), &options).unwrap();
        block_on(run(steps, clock.clone(), open));
    }

    #[test]
    fn the_embedded_store_agrees_after_its_index_is_lost(steps in vec(step(), 1..50), segment_bytes in 50_u64..2_000) {
        let folder = scratch();
        let clock = Arc::new(ManualClock::new(START));
        let options = EmbeddedOptions { segment_bytes, checkpoint_bytes: 300, compact_bytes: 0, ..EmbeddedOptions::default() };
        let open = async || {
            std::fs::remove_dir_all(folder.path().join("index")).ok();
            EmbeddedStore::open(folder.path(), clock.clone(), &options).unwrap()
        };
        block_on(run(steps, clock.clone(), open));
    }
}

#[test]
fn the_store_in_buckets_agrees() {
    let redis = RedisServer::start();
    let mut runner = TestRunner::new(ProptestConfig { cases: 32, ..ProptestConfig::default() });
    let ran = runner.run(&vec(step(), 1..50), |steps| {
        let clock = Arc::new(ManualClock::new(START));
        let options = RedisOptions { clock: Some(clock.clone()), ..RedisOptions::default() };
        block_on(async {
            let _: String = redis.ask(&["FLUSHALL"]).await;
            run(steps, clock, async || redis.open_buckets(options.clone(), 3).await).await;
        });
        Ok(())
    });
    ran.unwrap();
}

#[test]
fn the_store_in_redis_agrees() {
    let redis = RedisServer::start();
    let mut runner = TestRunner::new(ProptestConfig { cases: 64, ..ProptestConfig::default() });
    let ran = runner.run(&vec(step(), 1..50), |steps| {
        let clock = Arc::new(ManualClock::new(START));
        let options = RedisOptions { clock: Some(clock.clone()), ..RedisOptions::default() };
        block_on(async {
            let _: String = redis.ask(&["FLUSHALL"]).await;
            run(steps, clock, async || redis.open(options.clone()).await).await;
        });
        Ok(())
    });
    ran.unwrap();
}
