//! Tests that every version can read the games that earlier versions have encoded.
//!
//! Each line of `golden.txt` has a ruleset, a digest of the lists of legal commands in all
//! positions of a game, and the game's bytes. **These lines must never change.** If a line fails,
//! archived games can no longer be read. In that case, restore the order of the list or the rule.
//! Or create a new format, and keep decoding this one in the old way.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use flagfall_archive::{decode, encode};
use flagfall_game::replay;
use flagfall_rules::{Command, Game, Phase, Ruleset};
use flagfall_tests::check_generated;
use sha2::{Digest as _, Sha256};

use super::played::game_of;
use super::signature;

/// A custom ruleset in addition to the named ones.
const CUSTOM: &str = "tournament,ties=defender,winner=any,two-squares=off,more-squares=off,quiet=400";

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/archive/golden.txt")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes everything");
        text
    })
}

fn unhex(text: &str) -> Vec<u8> {
    let byte = |place| u8::from_str_radix(&text[place..place + 2], 16).expect("hexadecimal digits");
    (0..text.len()).step_by(2).map(byte).collect()
}

/// Adds the legal commands of the side to act to a hash, in order.
fn hash_commands(hasher: &mut Sha256, game: &Game) {
    if game.phase() != Phase::Playing {
        return;
    }
    for command in game.position().legal_commands().iter() {
        hasher.update(match command {
            Command::Move(asked) => asked.to_string(),
            Command::Remove(square) => format!("-{square}"),
            Command::Place(placing) => placing.to_string(),
            Command::Color(color) => format!("={}", color.letter()),
            Command::Choose(choice) => format!("!{}", choice.0.letter()),
            _ => panic!("a command that is not on the board"),
        });
        hasher.update(" ");
    }
    hasher.update("\n");
}

/// Decodes a game, and returns the digest of its lists of legal commands.
fn digest(bytes: &[u8]) -> String {
    let log = decode(bytes).expect("an archived game");
    let (_, first) = replay::open(log.game, &log.entries[0]).expect("a header");
    let mut hasher = Sha256::new();
    hash_commands(&mut hasher, &first);
    replay::replay(log.game, &log.entries, |game, _| hash_commands(&mut hasher, game)).expect("a game");
    // Encoding the decoded log gives the same bytes, except for the hash of the log and
    // what follows it.
    let again = encode(log.game, &log.entries, log.signature.as_ref()).expect("an encoded game");
    let end = bytes.len() - 32 - 72 - 4;
    assert_eq!(again.expose()[..end], bytes[..end]);
    hex(&hasher.finalize()[..8])
}

#[test]
fn archived_games_are_read_forever() {
    let kept = fs::read_to_string(path()).unwrap_or_default();
    for line in kept.lines() {
        let [ruleset, wanted, bytes] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        assert_eq!(digest(&unhex(bytes)), wanted, "{ruleset}");
    }
    // Add lines for new rulesets. Existing lines do not change.
    let mut all = kept.clone();
    for (seed, id) in (0..).zip(Ruleset::all().iter().map(|ruleset| ruleset.id).chain([CUSTOM])) {
        if kept.lines().any(|line| line.split(' ').next() == Some(id)) {
            continue;
        }
        let ruleset = Ruleset::find(id).expect("a ruleset");
        let played = game_of(ruleset, 1_000 * seed, 150);
        let encoded = encode(played.id, &played.log, Some(&signature())).expect("an encoded game");
        let bytes = encoded.expose();
        writeln!(all, "{id} {} {}", digest(bytes), hex(bytes)).expect("a string takes everything");
    }
    check_generated(&path(), &all, "flagfall-archive --test archive");
}
