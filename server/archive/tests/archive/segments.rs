//! Tests of segments in a local folder.

use flagfall_archive::{
    ArchiveStore, Encoded, FolderStore, GAMES_MAX, ObjectName, Segment, SegmentError, SegmentWriter,
    check_segment, decode, encode, read_at,
};
use flagfall_board::GameId;
use flagfall_rules::rulesets::{BARRAGE, CLASSIC};
use flagfall_store::SecretBytes;
use flagfall_store::segment::Seal;
use tempfile::TempDir;

use super::played::game_of;

const SEAL: Seal = Seal { store: 77, number: 3 };

fn name(text: &str) -> ObjectName {
    text.parse().expect("a name")
}

/// Returns games of different lengths, with ids in no particular order.
fn games() -> Vec<(GameId, Encoded)> {
    let lengths = [30, 8, 90, 8, 50];
    let games = (0_u8..).zip(lengths).map(|(number, plies)| {
        let ruleset = if number % 2 == 0 { &CLASSIC } else { &BARRAGE };
        let mut played = game_of(ruleset, u64::from(number), plies);
        played.id = GameId::from_random([29 - 7 * number; 12]);
        let encoded = encode(played.id, &played.log, None).expect("an encoded game");
        (played.id, encoded)
    });
    games.collect()
}

fn segment(games: &[(GameId, Encoded)]) -> SecretBytes {
    let mut writer = SegmentWriter::new(SEAL);
    assert!(games.iter().all(|(game, encoded)| writer.add(*game, encoded)));
    writer.finish().0
}

#[tokio::test]
async fn every_game_of_a_segment_is_read() {
    let folder = TempDir::new().expect("a folder");
    let store = FolderStore::open(folder.path().join("archive")).expect("a store");
    let games = games();
    let at = name("segments/2026/11/26/00000003");
    let mut writer = SegmentWriter::new(SEAL);
    assert!(games.iter().all(|(game, encoded)| writer.add(*game, encoded)));
    assert!(!writer.add(games[0].0, &games[0].1), "the same game once more");
    let (bytes, places) = writer.finish();
    assert!(store.put_if_absent(&at, bytes.expose().to_vec()).await.expect("a segment"));

    let segment = Segment::open(&store, &at, SEAL).await.expect("a segment");
    assert_eq!(segment.games(), places);
    for (game, encoded) in &games {
        let found = segment.read(&store, *game).await.expect("a game").expect("it is there");
        assert_eq!(found.expose(), encoded.expose());
        assert!(decode(found.expose()).is_ok());
        let (_, place) = places.iter().find(|(other, _)| other == game).expect("a place");
        assert_eq!(read_at(&store, &at, SEAL, *game, *place).await.expect("a game"), found);
    }
    assert!(segment.read(&store, GameId::from_random([2; 12])).await.expect("an answer").is_none());
    let mut seen = Vec::new();
    let checked = check_segment(SEAL, bytes.expose(), |game, _| seen.push(game)).expect("a sound segment");
    assert_eq!(checked, places);
    assert_eq!(seen, places.iter().map(|(game, _)| *game).collect::<Vec<_>>());
}

#[test]
fn a_segment_is_full_at_its_limits() {
    let (_, encoded) = games().remove(1);
    let mut writer = SegmentWriter::new(SEAL);
    let id = |number: usize| GameId::from_bits(number as u64).expect("an id");
    assert!((0..GAMES_MAX).all(|number| writer.add(id(number), &encoded)));
    assert!(!writer.add(id(GAMES_MAX), &encoded));
    assert_eq!(writer.games(), GAMES_MAX);
    let (bytes, places) = writer.finish();
    assert_eq!(check_segment(SEAL, bytes.expose(), |_, _| ()).expect("a segment").len(), places.len());
}

/// Also checks that a short game can still be read if the flipped bit is in its frame.
#[test]
fn every_flipped_bit_of_a_segment_is_found() {
    let games: Vec<_> = games().into_iter().skip(1).step_by(2).collect();
    let bytes = segment(&games).into_exposed();
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let mut read = 0;
        let checked = check_segment(SEAL, &damaged, |_, _| read += 1);
        let in_header = bit / 8 < 24;
        assert!(checked.is_err() || bit / 8 >= bytes.len() - 49, "bit {bit}");
        assert!(in_header || read == 2, "bit {bit}: {read} games could be read");
    }
    for length in 0..bytes.len() {
        assert!(check_segment(SEAL, &bytes[..length], |_, _| ()).is_err(), "{length}");
    }
    let other = Seal { number: 4, ..SEAL };
    assert!(matches!(check_segment(other, &bytes, |_, _| ()), Err(SegmentError::Damaged { .. })));
}

#[tokio::test]
async fn a_damaged_game_leaves_the_others() {
    let folder = TempDir::new().expect("a folder");
    let store = FolderStore::open(folder.path()).expect("a store");
    let games = games();
    let at = name("segments/1");
    let mut bytes = segment(&games).into_exposed();
    // The first game's frame begins after the header, the prefix and the tag.
    bytes[24 + 9..24 + 9 + 40].fill(0x55);
    assert!(store.put_if_absent(&at, bytes).await.expect("a segment"));
    let segment = Segment::open(&store, &at, SEAL).await.expect("a segment");
    for (number, (game, encoded)) in games.iter().enumerate() {
        let found = segment.read(&store, *game).await;
        match number {
            0 => assert!(matches!(found, Err(SegmentError::Game { game: damaged }) if damaged == *game)),
            _ => assert_eq!(found.expect("a game").expect("it is there").expose(), encoded.expose()),
        }
    }
}
