//! Measures how much memory an entry takes up in Redis.

use flagfall_board::PerSide;
use flagfall_rules::secret::{SecretRecord, to_record};
use flagfall_rules::{Phase, Ruleset, TimeControl};
use flagfall_store::SecretBytes;
use flagfall_store::record::{CommandStamp, Form, encode};
use flagfall_tests::{Chance, Match};

use super::*;

/// The maximum size of an entry in bytes.
const ENTRY_BYTES_MAX: u64 = 170;

/// The number of entries to measure.
const ENTRIES: usize = 200;

/// Returns the bodies of moves without a strike, from random games of `classic`. Each body contains
/// the command of the player who moved.
fn plain_moves(form: Form) -> Vec<SecretBytes> {
    let seats = PerSide::new("0fxm529wdncz", "m0wftb3r0p6t");
    let mut chance = Chance::new(7);
    let ruleset = Ruleset::find("classic").unwrap();
    let mut bodies = Vec::new();
    while bodies.len() < ENTRIES {
        let mut table = Match::new(ruleset, TimeControl::Unlimited, PerSide::default(), chance.clone());
        while table.game.phase() != Phase::Over {
            let step = table.random_step(&mut chance);
            for logged in table.step(&step, 700).unwrap_or_default() {
                let SecretRecord::Moved { side, strike: None, .. } = to_record(&logged.event) else {
                    continue;
                };
                let id = u128::from(chance.bits()) << 64 | u128::from(chance.bits());
                let stamp = CommandStamp {
                    player: seats[side].into(),
                    cmd_id: uuid::Uuid::from_u128(id).to_string().into(),
                    fingerprint: chance.bits(),
                };
                bodies.push(encode(form, seats, Some(&stamp), 120, &logged.event).unwrap());
            }
        }
    }
    bodies.truncate(ENTRIES);
    bodies
}

#[tokio::test]
async fn an_entry_takes_few_bytes_of_redis() {
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    for (number, form) in [(1, Form::Json), (2, Form::Binary)] {
        let bodies = plain_moves(form);
        let entries = bodies.len() as u64;
        let mut head = Head::START;
        for body in bodies {
            let append = Append {
                game: game(number),
                expected: head,
                deadline: None,
                not_before: None,
                bodies: vec![body],
                writes: Vec::new(),
            };
            head = append_ok(&store, append).await;
        }
        let key = format!("flagfall:{{{}}}:log", game(number));
        let bytes = redis.ask::<u64>(&["MEMORY", "USAGE", &key, "SAMPLES", "0"]).await;
        println!("form {}: {entries} entries take {} bytes each", form.number(), bytes / entries);
        if form == Form::Binary {
            assert!(bytes <= ENTRY_BYTES_MAX * entries, "{bytes} bytes for {entries} entries");
        }
    }
}

/// Returns how often Redis has run each command, including calls from scripts.
async fn calls(redis: &RedisServer) -> HashMap<String, u64> {
    let info: String = redis.ask(&["INFO", "commandstats"]).await;
    let parse = |line: &str| {
        let (name, counts) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
        Some((name.to_owned(), counts.split_once(',')?.0.parse().ok()?))
    };
    info.lines().filter_map(parse).collect()
}

#[tokio::test]
async fn a_scan_takes_three_commands_however_many_records_there_are() {
    const COMMANDS: [&str; 4] = ["evalsha", "zrangebylex", "hmget", "hget"];
    let redis = RedisServer::start();
    let store = redis.open(RedisOptions::default()).await;
    let writes = (0..50).map(|number| put(&format!("a/{number}"), "value")).collect();
    store.update(Update { conditions: vec![], writes }).await.unwrap();
    assert_eq!(store.scan(key("b/"), None, 200).await.unwrap(), [], "the reader is connected");
    let before = calls(&redis).await;
    assert_eq!(store.scan(key("a/"), None, 200).await.unwrap().len(), 50);
    let after = calls(&redis).await;
    let made = COMMANDS.map(|name| {
        let count = |calls: &HashMap<String, u64>| calls.get(name).copied().unwrap_or_default();
        count(&after) - count(&before)
    });
    assert_eq!(made, [1, 1, 1, 0], "{COMMANDS:?}");
}
