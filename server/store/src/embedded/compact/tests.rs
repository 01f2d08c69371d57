//! Tests of the estimate that decides when the log is compacted.

use std::sync::Arc;

use flagfall_board::{GameId, Stamp};

use crate::clock::manual_clock::ManualClock;
use crate::embedded::change::Change;
use crate::embedded::files::Place;
use crate::embedded::layer::FRAME_BYTES;
use crate::embedded::reader::Reader;
use crate::segment::{Found, HEADER_BYTES, frames};
use crate::store::{Append, AppendOutcome, Store, Update, Write};
use crate::value::{Key, SecretBytes};
use crate::{EmbeddedOptions, EmbeddedStore};

/// Makes this number of changes to games and records, chosen at random.
async fn change(store: &EmbeddedStore, clock: &ManualClock, numbers: std::ops::Range<u64>) {
    for number in numbers {
        let random = xxhash_rust::xxh3::xxh3_64(&number.to_le_bytes());
        let pick = |at: u32, most: u64| (random >> at) % most;
        let game = GameId::from_random([pick(8, 6) as u8; 12]);
        let key = |at| Key::new(format!("record/{}", pick(at, 9))).unwrap();
        let value = vec![b'x'; pick(20, 120) as usize];
        let expires = (pick(28, 3) == 0).then(|| store.now().plus_ms(pick(30, 5_000)));
        let writes = match pick(40, 4) {
            0 => vec![Write::Delete { key: key(44) }],
            1 => vec![Write::Put { key: key(44), value, expires }, Write::Delete { key: key(48) }],
            2 => vec![Write::Put { key: key(44), value, expires }],
            _ => Vec::new(),
        };
        match pick(0, 16) {
            0 => store.delete_log(game).await.unwrap(),
            1 => _ = store.bump_epoch().await.unwrap(),
            2 => _ = store.sweep().await.unwrap(),
            3..8 => _ = store.update(Update { conditions: Vec::new(), writes }).await.unwrap(),
            _ => {
                let expected = store.head(game).await.unwrap();
                let bodies = vec![SecretBytes::new(vec![1; pick(52, 60) as usize]); 1 + pick(58, 3) as usize];
                let append = Append { game, expected, deadline: None, not_before: None, bodies, writes };
                let outcome = store.append(append).await.unwrap();
                assert!(matches!(outcome, AppendOutcome::Ok { .. }), "{outcome:?}");
            }
        }
        clock.advance_ms(pick(56, 200));
    }
}

/// Reads the whole log. Returns its length, the bytes of it that are needed, and the most by which
/// the estimate of the needed bytes may be higher.
fn count(reader: &Reader) -> (u64, u64, u64) {
    let (mut total, mut needed, mut more) = (0, 0, 0);
    for number in reader.segments.numbers() {
        let bytes = reader.segments.bytes(number).unwrap();
        total += bytes.len() as u64;
        for found in frames(&bytes, reader.segments.seal(number), HEADER_BYTES as u64) {
            let Found::Frame(frame) = found else { panic!("{found:?}") };
            let place = Place::of(number, frame.at, frame.length);
            let (entries, writes) = match Change::parse(frame.tag, &frame.payload).unwrap() {
                Change::Entries { entries, writes } => (Some(entries), writes),
                Change::Moved(entries) => (Some(entries), Vec::new()),
                Change::Records { writes, .. } => (None, writes),
                _ => (None, Vec::new()),
            };
            let is_needed = entries.is_some_and(|entries| reader.is_at(&entries, place).unwrap());
            if is_needed {
                needed += u64::from(frame.length);
            }
            for write in writes {
                let key = write.key().clone();
                let Write::Put { value, .. } = write else { continue };
                let bytes = (key.as_bytes().len() + value.len()) as u64;
                let row = reader.index.record(&key).unwrap();
                match (is_needed, row.is_some_and(|row| row.place == place)) {
                    // The whole frame counts as needed, because the row of the game does not say
                    // how much of the frame is records.
                    (true, false) => (needed, more) = (needed - bytes, more + bytes),
                    (true, true) => more += bytes + FRAME_BYTES as u64,
                    (false, true) => (needed, more) = (needed + bytes, more + FRAME_BYTES as u64),
                    (false, false) => {}
                }
            }
        }
    }
    (total, needed, more)
}

#[tokio::test]
async fn the_estimate_of_obsolete_bytes_is_close_to_a_count_whatever_happened() {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let clock = Arc::new(ManualClock::new(Stamp(1_700_000_000_000)));
    let options = EmbeddedOptions {
        segment_bytes: 2_000,
        checkpoint_bytes: 1_000,
        compact_bytes: 8_000,
        allocate_bytes: 0,
        ..EmbeddedOptions::default()
    };
    let open = || EmbeddedStore::open(folder.path(), clock.clone(), &options).unwrap();
    let mut first = Vec::new();
    for round in 0..20 {
        let store = open();
        change(&store, &clock, round * 100..(round + 1) * 100).await;
        // A stop completes the index.
        drop(store);
        if round % 4 == 3 {
            // Without this file, the index is rebuilt from the whole log.
            std::fs::remove_file(folder.path().join("index.sum")).unwrap();
        }
        let store = open();
        let reader = store.reader.as_ref().unwrap();
        let (total, needed, more) = count(reader);
        let live = reader.index.live_bytes().unwrap();
        assert!(
            (needed..=needed + more).contains(&live),
            "round {round}: {live} of {total}, {needed} + {more}"
        );
        first.extend(reader.segments.numbers().first().copied());
    }
    assert!(first.last() > Some(&20), "segments were compacted: {first:?}");
}
