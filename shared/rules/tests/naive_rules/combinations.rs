//! Every combination of the fields in which rulesets and custom games may differ.

use flagfall_rules::rulesets::CLASSIC;
use flagfall_rules::{Bombs, Disclosure, Referee, Ruleset, Ties};

use crate::naive::{Naive, Rules};
use crate::{Met, Temper, compare_by};

/// A ruleset, and the same rules for the slow engine.
type Twice = (Ruleset, Rules);

/// Every combination, with the same rules for the slow engine.
fn combinations() -> Vec<Twice> {
    let mut all = vec![(CLASSIC, Naive::read("classic red 0 0 .").rules)];
    let mut vary = |change: &dyn Fn(&Twice) -> Vec<Twice>| {
        all = all.iter().flat_map(change).collect();
    };
    let ties = [(Ties::BothLeave, None), (Ties::AttackerWins, Some(true)), (Ties::DefenderWins, Some(false))];
    vary(&|(fast, slow)| {
        let with = |(ties, of_equals)| (Ruleset { ties, ..fast.clone() }, Rules { of_equals, ..*slow });
        ties.map(with).to_vec()
    });
    vary(&|(fast, slow)| {
        let with = |(disclosure, silent_defenders)| {
            (Ruleset { disclosure, ..fast.clone() }, Rules { silent_defenders, ..*slow })
        };
        [(Disclosure::Both, false), (Disclosure::SilentDefense, true)].map(with).to_vec()
    });
    vary(&|(fast, slow)| {
        let with = |(bombs, bombs_go)| (Ruleset { bombs, ..fast.clone() }, Rules { bombs_go, ..*slow });
        [(Bombs::Stay, false), (Bombs::LeaveWithAttacker, true)].map(with).to_vec()
    });
    vary(&|(fast, slow)| {
        let with = |strikes_afar: bool| {
            (
                Ruleset { strikes_afar, ..fast.clone() },
                Rules { scouts_move_or_strike: !strikes_afar, ..*slow },
            )
        };
        [false, true].map(with).to_vec()
    });
    vary(&|(fast, slow)| {
        let with = |winner_advances| {
            (Ruleset { winner_advances, ..fast.clone() }, Rules { defenders_go: winner_advances, ..*slow })
        };
        [false, true].map(with).to_vec()
    });
    vary(&|(fast, slow)| {
        let with = |limit: Option<u8>| {
            (
                Ruleset { two_squares_limit: limit, ..fast.clone() },
                Rules { two_squares: limit.map(usize::from), ..*slow },
            )
        };
        [None, Some(3), Some(5)].map(with).to_vec()
    });
    vary(&|(fast, slow)| {
        let with = |more_squares| (Ruleset { more_squares, ..fast.clone() }, Rules { more_squares, ..*slow });
        [false, true].map(with).to_vec()
    });
    all
}

/// Armies face to face, and a corner in which long moves, chases and lost strikes follow each
/// other.
const ARENAS: [&str; 2] = [
    "classic red 0 0 bFbB.7b6/.4bS.5/.b9b9b7b7b1b4b8bB./.10/..~2..~2../..~2..~2../.r9r9r7rBr1r8r8rB./.4rS.5/.10/rFrB.7r6",
    "classic red 0 0 bF.8b6/.10/.10/.10/..~2..~2../b9b9~2..~2../r9b9b9b7rB.5/r9r9..rB.5/b7.r6.rB.5/.r7r9.rB..rF.2",
];

/// Plays a line and returns the legal moves after it.
fn legal_after(ruleset: Ruleset, text: &str, line: &str) -> Vec<String> {
    let ruleset: &'static Ruleset = Box::leak(Box::new(ruleset));
    let mut position = Referee.read(ruleset, text).expect("a position");
    for squares in line.split(' ') {
        match Referee.play(&position, squares.parse().expect("a move")) {
            Ok(events) => Referee.apply(&mut position, &events),
            Err(refusal) => panic!("{squares}: {}", refusal.code()),
        }
    }
    position.legal_moves().iter().map(|squares| squares.to_string()).collect()
}

/// §C3 with §O1: a defender that moves keeps its chain, which holds it back only in the line of
/// its own moves.
#[test]
fn a_struck_piece_takes_its_chain_along() {
    let has = |legal: &[String], squares: &str| legal.iter().any(|other| other == squares);
    // A General wins and moves sideways: no border of its new column was crossed.
    let aside = legal_after(
        Ruleset { winner_advances: true, ..CLASSIC },
        "classic red 9 0 bFb8.8/.10/.10/.10/..~2.b7~2../..~2r2.~2../.10/.10/.10/rFr8.8",
        "e5e6 b10b9 e6e5 b9b10 e5e6 f6e6",
    );
    assert!(has(&aside, "f6f5") && has(&aside, "f6e6"), "{aside:?}");
    // A Scout beats a Scout from the other end of its path and moves there: the crossed borders
    // hold it back from that end too.
    let ends = legal_after(
        Ruleset { winner_advances: true, ties: Ties::DefenderWins, ..CLASSIC },
        "classic red 9 0 bFb8.8/.10/.10/.10/..~2..~2../..~2..~2../.10/....r9.5/.10/rFr8..b9.5",
        "e3e6 b10b9 e6e3 b9b10 e3e6 e1e6",
    );
    assert!(has(&ends, "e1e2") && has(&ends, "e1e3"), "{ends:?}");
    assert!(!has(&ends, "e1e4") && !has(&ends, "e1e6"), "{ends:?}");
}

#[test]
fn both_sets_of_rules_agree_in_every_combination_of_fields() {
    let mut met = Met::default();
    let combinations = combinations();
    for (number, (ruleset, rules)) in (0_u64..).zip(&combinations) {
        let ruleset: &'static Ruleset = Box::leak(Box::new(ruleset.clone()));
        for (text, temper) in
            [(ARENAS[0], Temper::Striking), (ARENAS[1], Temper::Striking), (ARENAS[1], Temper::Chasing)]
        {
            let position = match Referee.read(ruleset, text) {
                Ok(position) => position,
                Err(error) => panic!("{error}: {text}"),
            };
            let naive = Naive::read(text).under(*rules);
            compare_by(position, naive, temper, number, 80, &mut met);
        }
    }
    println!("{} combinations: {met:?}", combinations.len());
    assert!(met.defenders_gone > 300, "too few defenders moved: {met:?}");
}
