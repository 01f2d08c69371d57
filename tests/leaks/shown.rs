//! Tests that audiences are shown exactly what the specification says, no more and no less.

use std::collections::BTreeMap;

use flagfall_board::Rank;
use flagfall_protocol::{Fate, GameEvent, GameView};
use flagfall_rules::secret::to_record;
use flagfall_rules::{Identity, Move, Phase, Ruleset, Start, Viewer};
use flagfall_second_opinion::At;
use flagfall_tests::{Chance, Match, Step, rulesets};

use crate::disclosed::Disclosed;
use crate::doors::{Doors, Real, TellsWrongSetups};
use crate::engine_events::at;
use crate::paired::Script;

/// Checks every piece of every view and event against the specification.
fn check(ruleset: &'static Ruleset, seed: u64) -> usize {
    let mut chance = Chance::new(seed);
    let script = Script::random(ruleset, &mut chance);
    let mut checked = 0;
    for viewer in Viewer::ALL {
        let mut table = Match::new(ruleset, script.time, script.secret, Chance::new(script.salts));
        let mut disclosed = Disclosed::new(viewer, table.game.terms());
        for (step, after_ms) in &script.steps {
            let Ok(logged) = table.step(step, *after_ms) else { panic!("a script can be played again") };
            for logged in &logged {
                let said_before = disclosed.said.len();
                disclosed.note(&to_record(&logged.event));
                let event = Real.event(logged, viewer);
                assert_eq!(
                    event.is_some(),
                    disclosed.said.len() > said_before,
                    "{viewer:?} {:?}",
                    logged.event
                );
                let Some((event, change)) = event else { continue };
                for piece in change.pieces.iter().flatten() {
                    assert_eq!(piece.identity, disclosed.identity(piece.square), "{viewer:?} {event:?}");
                    assert_eq!(piece.is_revealed, disclosed.piece(piece.square).is_revealed);
                    checked += 1;
                }
                if let GameEvent::Moved(seen) = &event {
                    let Move { from, to } = seen.squares;
                    match &seen.strike {
                        None => {
                            let found = seen.piece;
                            assert_eq!(found, disclosed.identity(to), "{viewer:?} {event:?}");
                        }
                        Some(strike) => {
                            // A struck piece that stays on the board is named if its rank is
                            // known (§A7).
                            let defender_at = match strike.defender_fate {
                                Fate::Stays => Some(to),
                                Fate::Advances => Some(from),
                                Fate::Leaves => None,
                            };
                            let found = strike.defender;
                            match defender_at.map(|square| disclosed.identity(square)) {
                                // If a rank can only be narrowed down, the strike does not name
                                // it.
                                Some(known @ Identity::Known(_)) => assert_eq!(found, known, "{event:?}"),
                                Some(_) => assert_eq!(found, Identity::Hidden, "{viewer:?} {event:?}"),
                                None => assert!(matches!(found, Identity::Known(_)), "{event:?}"),
                            }
                        }
                    }
                }
                if !said_before.is_multiple_of(7) {
                    continue;
                }
                let view = Real.view(&logged.after, viewer, logged.at);
                if logged.after.phase() != Phase::Deploying {
                    assert_eq!(view.pieces.len(), disclosed.pieces().count());
                }
                for piece in &view.pieces {
                    let tracked = disclosed.piece(piece.square);
                    assert_eq!(piece.identity, disclosed.identity(piece.square), "{viewer:?} {piece:?}");
                    assert_eq!((piece.side as usize, piece.is_moved), (tracked.color, tracked.is_moved));
                    // For the audience's own pieces, this field says whether the others have seen
                    // them (§D2).
                    assert_eq!(piece.is_revealed, tracked.is_revealed, "{viewer:?} {piece:?}");
                    assert_eq!(piece.is_labeled, tracked.is_labeled, "{viewer:?} {piece:?}");
                    checked += 1;
                }
                check_shadow(&view, &disclosed, ruleset);
                // In the text that is sent, a hidden piece is only a question mark.
                let text = serde_json::to_string(&view.pieces).expect("JSON");
                let hidden = view.pieces.iter().filter(|piece| piece.identity == Identity::Hidden).count();
                assert_eq!(text.matches('?').count(), hidden);
            }
        }
    }
    checked
}

fn check_shadow(view: &GameView, disclosed: &Disclosed, ruleset: &Ruleset) {
    let Some(board) = &disclosed.board else { return };
    let chips = view.chips.iter().flat_map(|chips| chips.iter());
    let chips: BTreeMap<At, char> = chips.map(|(square, color)| (at(square), color.letter())).collect();
    let expected = board.squares().filter_map(|square| Some((square, board.chip(square)?)));
    assert_eq!(chips, expected.collect());
    let is_running = view.phase == flagfall_protocol::Phase::Playing;
    let owed = view.owed_color.map(|owed| (owed.side as usize, at(owed.square)));
    assert_eq!(owed, board.owed.filter(|_| is_running).map(|square| (board.turn, square)));
    assert_eq!(view.reserve.is_some(), ruleset.reserve);
    for side in flagfall_board::Side::BOTH {
        let Some(reserve) = view.reserve.as_ref().map(|reserves| &reserves[side]) else { continue };
        let expected = &board.reserves[side as usize];
        let held = |is_labeled: bool| -> flagfall_protocol::RankCounts {
            let held = expected.held(is_labeled).iter().filter(|(_, count)| **count > 0);
            held.map(|(letter, count)| (rank(*letter), *count as u8)).collect()
        };
        assert_eq!(u64::from(reserve.size), expected.size());
        assert_eq!(reserve.labeled, held(true));
        assert_eq!(reserve.unlabeled, disclosed.knows_reserve(side).then(|| held(false)));
    }
}

fn rank(letter: char) -> Rank {
    Rank::from_letter(letter).expect("the letter of a rank")
}

#[test]
fn every_audience_is_shown_what_the_specification_says_and_nothing_else() {
    let seed = Chance::seed_or(9_000);
    for ruleset in rulesets() {
        let check = match ruleset.start {
            Start::Deployments => check,
            Start::Coins => crate::choices::check,
        };
        let checked: usize = (0..Chance::games_or(2)).map(|game| check(ruleset, seed + game)).sum();
        println!("{}: {checked} pieces looked at, seed {seed}", ruleset.id);
    }
}

/// While a piece with a unique rank is hidden, its rank must not appear in any byte sent to
/// others.
#[test]
fn a_marked_hidden_rank_is_in_no_outgoing_byte() {
    let seed = Chance::seed_or(9_100);
    for ruleset in crate::with_deployments() {
        for game in 0..Chance::games_or(2) {
            let script = Script::random(ruleset, &mut Chance::new(seed + game));
            let mut script = script;
            script.steps.truncate(script.steps.len() / 4);
            let session = script.live(&Real, Viewer::Public).expect("a script can be played again");
            // Use the Spy if it is unique, otherwise the Flag. While this piece is hidden, no
            // piece on the board and no event names its rank.
            let spies = ruleset.army.count(Rank::Spy);
            let unique = if spies == 1 { Rank::Spy } else { Rank::Flag };
            for side in flagfall_board::Side::BOTH {
                let hides = session.disclosed.pieces().any(|piece| {
                    piece.color == side as usize
                        && piece.letter == unique.letter()
                        && !session.disclosed.knows(piece)
                });
                if hides {
                    let letter = if side == flagfall_board::Side::Red { 'r' } else { 'b' };
                    let mark = format!("{letter}{}", unique.letter());
                    assert!(session.bytes.iter().all(|text| !text.contains(&mark)), "{} {mark}", ruleset.id);
                }
            }
            for text in &session.bytes {
                assert!(!text.contains("\"setup\"") && !text.contains("own_deployment"), "{text}");
            }
        }
    }
}

/// An illegal deployment loses the game, but it is as secret as any other until both sides have
/// deployed (§U7).
#[test]
fn an_illegal_deployment_leaves_no_trace() {
    for ruleset in rulesets().into_iter().filter(|ruleset| ruleset.illegal_act_loses) {
        let mut chance = Chance::new(6);
        let (right, wrong) = (
            flagfall_tests::random_setup(ruleset, &mut chance),
            flagfall_tests::wrong_setup(ruleset, &mut chance),
        );
        let script = |text: &str| Script {
            ruleset,
            time: flagfall_rules::TimeControl::Fischer { base_ms: 1000, increment_ms: 0 },
            secret: flagfall_board::PerSide::default(),
            salts: 3,
            steps: vec![(Step::Deploy(flagfall_board::Side::Red, text.to_owned()), 10), (Step::Wait, 20)],
        };
        for viewer in [Viewer::Player(flagfall_board::Side::Blue), Viewer::Public] {
            let bytes =
                |doors: &dyn Fn(&str) -> Option<crate::paired::Session>, text| doors(text).map(|s| s.bytes);
            let real = |text: &str| script(text).live(&Real, viewer);
            assert_eq!(bytes(&real, &right), bytes(&real, &wrong), "{viewer:?}");
            let leaky = |text: &str| script(text).live(&TellsWrongSetups, viewer);
            assert_ne!(bytes(&leaky, &right), bytes(&leaky, &wrong), "a planted leak is found");
        }
    }
}

/// While the sides deploy, the others only learn that a side is ready. They must not learn how
/// often or when that side changed its deployment.
#[test]
fn redeployments_leave_no_trace() {
    for ruleset in crate::with_deployments() {
        let mut chance = Chance::new(5);
        let texts: Vec<String> = (0..4).map(|_| flagfall_tests::random_setup(ruleset, &mut chance)).collect();
        let red = |index: usize| Step::Deploy(flagfall_board::Side::Red, texts[index].clone());
        let blue = Step::Deploy(flagfall_board::Side::Blue, texts[3].clone());
        let once = vec![(red(0), 10), (Step::Wait, 20), (Step::Wait, 20), (blue.clone(), 10)];
        let often = vec![(red(1), 10), (red(2), 20), (red(0), 20), (blue, 10)];
        let script = |steps| Script {
            ruleset,
            time: flagfall_rules::TimeControl::Fischer { base_ms: 1000, increment_ms: 0 },
            secret: flagfall_board::PerSide::default(),
            salts: 3,
            steps,
        };
        for viewer in [Viewer::Player(flagfall_board::Side::Blue), Viewer::Public] {
            let one = script(once.clone()).live(&Real, viewer).expect("a game");
            let other = script(often.clone()).live(&Real, viewer).expect("a game");
            assert_eq!(one.said, other.said);
            assert_eq!(one.bytes, other.bytes, "{viewer:?}");
        }
    }
}
