//! Checks that a viewer's clock does not depend on events that are hidden from the viewer.
//! Otherwise, the clock could reveal that such an event happened.

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_rules::{
    Command, Entropy, Game, GameTerms, Ruleset, Setup, TimeControl, Viewer, decide, evolve, view,
};

const SETUP: &str = "9....1..9. .......... .S........ F8B2......";

fn game_with_deployments_at(moments: &[u64]) -> Game {
    let ruleset = Ruleset::find("barrage").expect("a ruleset");
    let mut game = Game::new(GameTerms {
        game: GameId::from_random([0; 12]),
        ruleset,
        lakes: ruleset.shape.lakes,
        time: TimeControl::Fischer { base_ms: 60_000, increment_ms: 0 },
        deploy_ms: 300_000,
        created: Stamp(1_000),
        secret: PerSide::default(),
    });
    for moment in moments {
        let setup = Setup::from_text(SETUP, Side::Red, ruleset).expect("a setup");
        let events = decide(&game, Side::Red, 0, &Command::Deploy(setup), Stamp(*moment), &Entropy([0; 32]));
        for event in events.expect("a deployment") {
            evolve(&mut game, &event, Stamp(*moment));
        }
    }
    game
}

#[test]
fn a4_a_clock_read_behind_a_hidden_redeployment_does_not_tell_of_it() {
    let (once, twice) = (game_with_deployments_at(&[2_000]), game_with_deployments_at(&[2_000, 9_000]));
    for viewer in [Viewer::Player(Side::Blue), Viewer::Public] {
        for now in [2_000, 5_000, 9_000, 20_000] {
            let now = Stamp(now);
            assert_eq!(view(&once, viewer, now), view(&twice, viewer, now), "{viewer:?} at {now:?}");
        }
    }
}
