//! The sample start of every ruleset, and games that are played within one process.

use flagfall_rules::rulesets::{CLASSIC, QUANTUM};
use flagfall_rules::{
    Command, EndReason, Entropy, Game, GameTerms, Move, Outcome, Phase, Position, Refusal, Ruleset, Side,
    Stamp, TimeControl,
};

const ENTROPY: Entropy = Entropy([7; 32]);

#[test]
fn every_ruleset_has_a_start_that_its_deployments_lead_to() {
    for ruleset in Ruleset::all() {
        let mut game = Game::new(GameTerms::untimed(ruleset));
        for side in Side::BOTH {
            if let Some(setup) = ruleset.sample_setup(side) {
                game.play(side, &Command::Deploy(setup), Stamp(0), &ENTROPY).expect(ruleset.id);
            }
        }
        assert_eq!(game.phase(), Phase::Playing, "{}", ruleset.id);
        let start = Position::start(ruleset);
        assert!(*game.position() == start, "{}", ruleset.id);
        assert!(start.is_conserved() && ruleset.allows_lakes(start.lakes()), "{}", ruleset.id);
        assert!(start.legal_moves().len() > 3, "{}", ruleset.id);
    }
    assert!(QUANTUM.sample_setup(Side::Red).is_none());
}

#[test]
fn a_refused_command_changes_nothing() {
    let mut game = Game::from_position(GameTerms::untimed(&CLASSIC), Position::start(&CLASSIC));
    let before = game.clone();
    let squares: Move = "a7a6".parse().expect("two squares");
    let refused = game.play(Side::Red, &squares.into(), Stamp(0), &ENTROPY);
    assert_eq!(refused.err(), Some(Refusal::NotYourPiece));
    assert!(game == before);
}

#[test]
fn a_game_expires_when_its_time_is_up_and_not_before() {
    let time = TimeControl::Fischer { base_ms: 1_000, increment_ms: 0 };
    let terms = GameTerms { time, ..GameTerms::untimed(&CLASSIC) };
    let mut game = Game::from_position(terms, Position::start(&CLASSIC));
    let flag_fall = game.flag_fall().expect("a clock");
    assert!(game.expire(flag_fall).is_empty() && game.outcome().is_none());
    assert!(!game.expire(flag_fall.plus_ms(1)).is_empty());
    assert_eq!(game.outcome(), Some(Outcome { winner: Some(Side::Blue), reason: EndReason::OutOfTime }));
}
