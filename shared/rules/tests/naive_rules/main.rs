//! The engine against an independent second implementation of the rules, move by move and by
//! counting positions (perft).
//!
//! Each line of `../fixtures/perft.txt` has a position and its counts. `FLAGFALL_UPDATE=1` counts
//! again, with the slow rules.

#![expect(clippy::disallowed_methods, reason = "fixtures are files")]

mod coins;
mod combinations;
mod naive;
mod quantum;
mod shadow;
mod shadowflash;

use std::collections::BTreeSet;
use std::path::Path;

use flagfall_rules::secret::{SecretRecord, to_record};
use flagfall_rules::{Command, Move, Position, Referee, Start};

use crate::naive::{At, Naive};

/// xorshift64* (Vigna 2016).
pub(crate) struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) * end as u64) >> 32) as usize
    }
}

fn at(square: flagfall_board::Square) -> At {
    (square.column() as i8, square.row() as i8)
}

/// All men and their state: square, side, rank, moved, shown.
fn board(naive: &Naive) -> Vec<(At, bool, char, bool, bool)> {
    naive.men.iter().map(|(at, man)| (*at, man.is_red, man.letter, man.has_moved, man.is_shown)).collect()
}

/// How often the compared games met the cases of interest.
#[derive(Default, Debug)]
struct Met {
    plies: usize,
    more_squares: usize,
    saved_by_t3: usize,
    /// Defenders that moved to their attacker's square.
    defenders_gone: usize,
}

/// Compares under a position's own ruleset; see [`compare_by`].
fn compare(text: &str, seed: u64, plies: usize, met: &mut Met) {
    let position = Position::from_text(text).expect("a position");
    compare_by(position, Naive::read(text), Temper::Chasing, seed, plies, met);
}

/// How random moves are weighted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Temper {
    /// Prefers chasing and fleeing to strikes.
    Chasing,
    /// Prefers strikes.
    Striking,
}

/// Plays at random, and at every ply compares all legal moves, the whole board and the verdict.
fn compare_by(
    mut position: Position,
    mut naive: Naive,
    temper: Temper,
    seed: u64,
    plies: usize,
    met: &mut Met,
) {
    let mut chance = Chance(seed * 2 + 1);
    (0..8).for_each(|_| {
        chance.below(2);
    });
    for _ in 0..plies {
        let legal = position.legal_moves();
        let names: BTreeSet<String> = legal.iter().map(|squares| squares.to_string()).collect();
        assert_eq!(names, naive.legal(), "seed {seed}: {}", Referee.position_text(&position));
        met.plies += 1;
        met.more_squares += naive.refused_by_t2();
        met.saved_by_t3 += naive.saved_by_t3();
        if legal.is_empty() {
            break;
        }
        let mut best: Option<(usize, Move)> = None;
        for squares in legal.iter() {
            let is_strike = naive.men.contains_key(&at(squares.to));
            let mut weight = chance.below(100);
            if temper == Temper::Striking {
                weight += if is_strike { 60 } else { 0 };
            } else if is_strike {
                weight /= 4;
            } else {
                weight += if naive.is_chased(at(squares.from)) { 60 } else { 0 };
                weight += if naive.threatens_from(at(squares.to)) { 40 } else { 0 };
            }
            if best.is_none_or(|(other, _)| weight > other) {
                best = Some((weight, squares));
            }
        }
        let Some((_, squares)) = best else { break };
        let is_strike = naive.men.contains_key(&at(squares.to));
        let events = match Referee.play(&position, squares) {
            Ok(events) => events,
            Err(refusal) => panic!("seed {seed}: {squares} was refused: {}", refusal.code()),
        };
        Referee.apply(&mut position, &events);
        naive.play(at(squares.from), at(squares.to));
        let found = Referee.position_text(&position);
        assert!(position.is_conserved(), "seed {seed}: {squares} {found}");
        assert_eq!(board(&Naive::read(&found)), board(&naive), "seed {seed}: {squares}");
        let ended = events.iter().find_map(|event| match to_record(event) {
            SecretRecord::Ended { reason, .. } => Some(reason.code()),
            _ => None,
        });
        assert_eq!(ended, naive.verdict(), "seed {seed}: {squares} {found}");
        met.defenders_gone += usize::from(is_strike && naive.men.contains_key(&at(squares.from)));
        if ended.is_some() {
            break;
        }
    }
}

/// Few pieces in a small space, where chases are long and positions recur.
const ARENAS: [&str; 5] = [
    "tournament red 0 0 ROOM2",
    "barrage red 0 0 ROOM3",
    "classic red 0 0 ROOM2",
    "tournament red 0 0 ROOM4",
    "pbm red 0 0 ROOM2",
];

/// Rooms walled in by Bombs: the corner a1 to d3, or the squares between the lakes.
fn arena(text: &str) -> String {
    let lakes = "..~2..~2../..~2..~2..";
    text.replace("ROOM2", &format!("bF.8b6/.10/.10/.10/{lakes}/rBrBrB.7/...rB.6/.b7b7rB.6/r2..rB.rF..r6."))
        .replace("ROOM3", &format!("bF.8b9/.10/.10/.10/{lakes}/.10/.10/.b1.r2..b8.3/..r9....rF.2"))
        .replace("ROOM4", "bF.8b6/.10/.10/....bBbB..../..~2b7.~2../..~2r5.~2../....rBrB..../.10/.10/rF.8r6")
}

#[test]
fn both_sets_of_rules_agree_in_chases() {
    let mut all = Met::default();
    for text in ARENAS {
        let text = arena(text);
        let mut met = Met::default();
        for seed in 0..40 {
            compare(&text, seed, 150, &mut met);
        }
        println!("{text}: {met:?}, seeds 0 to 39");
        all.plies += met.plies;
        all.more_squares += met.more_squares;
        all.saved_by_t3 += met.saved_by_t3;
    }
    assert!(all.more_squares > 100, "the more-squares rule refused too few moves: {all:?}");
}

#[test]
fn t3_equal_ranks_that_changed_squares_are_another_placement() {
    // Two blue Sergeants flee from a General in a small room: sooner or later they swap squares.
    let mut met = Met::default();
    for seed in 0..240 {
        compare(&arena(ARENAS[0]), seed, 150, &mut met);
    }
    println!("{met:?}, seeds 0 to 239");
    assert!(met.saved_by_t3 > 0, "no chase in which comparing ranks would refuse more: {met:?}");
}

fn engine_perft(position: &Position, depth: u32) -> u64 {
    let legal = position.legal_commands();
    if depth == 1 {
        return legal.len() as u64;
    }
    legal
        .iter()
        .map(|command| {
            let events = match Referee.judge_command(position, &command) {
                Ok(events) => events,
                Err(refusal) => panic!("{command:?} was refused: {}", refusal.code()),
            };
            if !position.ruleset().reserve
                && events.iter().any(flagfall_rules::Event::is_end)
                && position.has_strike_pending()
            {
                return 0;
            }
            let Command::Move(asked) = command else {
                let mut after = position.clone();
                Referee.apply(&mut after, &events);
                return engine_perft(&after, depth - 1);
            };
            let to = asked.squares.to;
            let takes_flag = events.iter().any(|event| {
                event.is_end()
                    && Referee
                        .pieces(position)
                        .iter()
                        .any(|(square, _, rank)| *square == to && *rank == Some(flagfall_board::Rank::Flag))
            });
            if takes_flag {
                return 0;
            }
            let mut after = position.clone();
            Referee.apply(&mut after, &events);
            engine_perft(&after, depth - 1)
        })
        .sum()
}

#[test]
fn positions_count_as_the_fixtures_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/perft.txt");
    let text = std::fs::read_to_string(&path).expect("the fixtures");
    let is_update = std::env::var_os("FLAGFALL_UPDATE").is_some();
    let mut wanted = String::new();
    let mut rulesets = BTreeSet::new();
    for line in text.lines() {
        let Some((position_text, counts)) = line.split_once(';').filter(|_| !line.starts_with('#')) else {
            wanted += &format!("{line}\n");
            continue;
        };
        let position = Position::from_text(position_text.trim()).expect("a position");
        rulesets.insert(position.ruleset().id);
        let naive_perft = |depth: u32| {
            if position.ruleset().start == Start::Coins {
                coins::Coins::read(position_text.trim()).perft(depth)
            } else if position.ruleset().reserve {
                shadow::Shadow::read(position_text.trim()).perft(depth)
            } else {
                Naive::read(position_text.trim()).perft(depth)
            }
        };
        let depth = if counts.trim().is_empty() { 3 } else { counts.split_whitespace().count() as u32 };
        let by_engine: Vec<String> =
            (1..=depth).map(|depth| engine_perft(&position, depth).to_string()).collect();
        // The slow rules count the last depth only for new fixtures.
        let slow_depth = if is_update { depth } else { depth.min(2) };
        let by_naive: Vec<String> = (1..=slow_depth).map(|depth| naive_perft(depth).to_string()).collect();
        assert_eq!(by_engine[..slow_depth as usize], by_naive, "{position_text}");
        if !is_update {
            assert_eq!(by_engine.join(" "), counts.trim(), "{position_text}");
        }
        wanted += &format!("{} ; {}\n", position_text.trim(), by_engine.join(" "));
    }
    assert_eq!(rulesets.len(), flagfall_rules::Ruleset::all().len(), "a ruleset without a fixture");
    if is_update {
        std::fs::write(&path, wanted).expect("the fixtures can be written");
    }
}
