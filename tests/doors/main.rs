//! Tests that secrets cannot leave the server by accident (HOUSE, law 1).
//!
//! Secrets must not be serialized, read or printed, and the server must not link the referee,
//! which sees everything.

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_rules::{
    Command, Deployment, Entropy, Event, Events, Game, GameTerms, Position, Salt, Setup, TimeControl, decide,
};
use static_assertions::{assert_impl_all, assert_not_impl_any};

assert_not_impl_any!(Game: serde::Serialize, std::fmt::Display);
assert_not_impl_any!(Position: serde::Serialize, std::fmt::Display);
assert_not_impl_any!(Event: serde::Serialize, std::fmt::Display);
assert_not_impl_any!(Events: serde::Serialize, std::fmt::Display);
assert_not_impl_any!(Deployment: serde::Serialize, std::fmt::Display);
assert_not_impl_any!(Setup: serde::Serialize, std::fmt::Display);
assert_not_impl_any!(Command: serde::Serialize, std::fmt::Display);
assert_not_impl_any!(Salt: serde::Serialize, std::fmt::Display);
assert_not_impl_any!(Entropy: serde::Serialize, std::fmt::Display);
assert_not_impl_any!(flagfall_rules::secret::SecretRecord: serde::Serialize, std::fmt::Debug, std::fmt::Display);
assert_not_impl_any!(flagfall_rules::secret::StruckRecord: serde::Serialize, std::fmt::Debug, std::fmt::Display);
assert_not_impl_any!(flagfall_rules::View: serde::Serialize);
// Messages and records consist only of types whose content their audience may know.
assert_impl_all!(flagfall_view::GameView: serde::Serialize);
assert_impl_all!(flagfall_view::GameEvent: serde::Serialize);
assert_impl_all!(flagfall_view::ViewChange: serde::Serialize);

/// Each program in `closed/` must fail to compile. The file beside the program states the
/// expected error.
#[test]
fn hidden_fields_are_not_accessible() {
    trybuild::TestCases::new().compile_fail("doors/closed/*.rs");
}

/// The server does not link the referee. The same check must find the referee in the client,
/// which has `flagfall referee`, and in this crate. This shows that the check works.
#[test]
fn the_server_does_not_link_the_referee() {
    let has_door =
        |package, edges| features(package, edges, "flagfall-rules", &[]).contains("feature \"referee\"");
    assert!(!has_door("flagfall-server", "normal"));
    assert!(!has_door("flagfall-bots", "normal"));
    assert!(has_door("flagfall", "normal"));
    assert!(has_door("flagfall-tests", "normal,dev"));
}

/// The engine's crate cannot serialize anything, because its dependencies do not include serde.
#[test]
fn the_rules_do_not_link_serde() {
    for package in ["flagfall-rules", "flagfall-view", "flagfall-board"] {
        let tree = tree(&["--package", package, "--edges", "normal"]);
        assert!(tree.contains(package), "{tree}");
        assert!(!tree.contains("serde"), "{package}: {tree}");
    }
}

/// The server must not contain the trial's planted faults unless a build enables them by name.
#[test]
fn the_server_has_no_planted_faults() {
    let has_faults = |edges, more| {
        features("flagfall-server", edges, "flagfall-store", more).contains("feature \"planted-faults\"")
    };
    assert!(!has_faults("normal", &[]));
    assert!(!has_faults("normal,dev", &[]));
    assert!(has_faults("normal", &["--features", "planted-faults"]));
}

fn features(package: &str, edges: &str, of: &str, more: &[&str]) -> String {
    let edges = format!("{edges},features");
    let text = tree(&[&["--package", package, "--edges", &edges, "--invert", of], more].concat());
    assert!(text.contains(of), "{text}");
    text
}

fn tree(args: &[&str]) -> String {
    let output = std::process::Command::new(env!("CARGO"))
        .args(["tree", "--offline"])
        .args(args)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[test]
fn debug_output_shows_no_rank() {
    let ruleset = &flagfall_rules::rulesets::BARRAGE;
    let terms = GameTerms {
        game: GameId::from_random([1; 12]),
        ruleset,
        lakes: ruleset.shape.lakes,
        time: TimeControl::Unlimited,
        deploy_ms: 0,
        created: Stamp(0),
        secret: PerSide::default(),
    };
    let printed = |text: &str| {
        let mut game = Game::new(terms);
        let mut printed = String::new();
        for side in Side::BOTH {
            let setup = Setup::from_text(text, side, ruleset).expect("a setup");
            let deployment = setup.deploy(side, ruleset).expect("a deployment");
            let command = Command::Deploy(setup.clone());
            let entropy = Entropy([text.len() as u8; 32]);
            let events = decide(&game, side, 0, &command, Stamp(0), &entropy).expect("events");
            printed += &format!("{setup:?} {deployment:?} {command:?} {entropy:?} {events:?}");
            events.iter().for_each(|event| flagfall_rules::evolve(&mut game, event, Stamp(0)));
        }
        let squares: flagfall_rules::Move = "a4a5".parse().expect("a move");
        let ply = decide(&game, Side::Red, 0, &Command::Move(squares.into()), Stamp(0), &Entropy([0; 32]))
            .expect("a ply");
        ply.iter().for_each(|event| flagfall_rules::evolve(&mut game, event, Stamp(0)));
        printed + &format!("{ply:?} {game:?} {:?}", game.position())
    };
    // The same squares, but with pieces of other ranks.
    let one = printed("81..S9.... .......... F9........ B2........");
    let other = printed("12..B9.... .......... S9........ F8........");
    assert_eq!(one, other);
    let terms = format!("{:?}", terms);
    let printed = one.replace(&terms, "");
    for rank in flagfall_board::Rank::ALL {
        assert!(!printed.contains(&rank.to_string()), "{rank}: {printed}");
    }
}

#[test]
fn a_message_that_is_printed_shows_no_setup() {
    let text = r#"{"type":"command","cmd_id":"1","game":"000000000000","ply":0,"command":{"kind":"deploy","setup":"SECRET"}}"#;
    let message: flagfall_protocol::ClientToServer = serde_json::from_str(text).expect("a message");
    assert!(!format!("{message:?}").contains("SECRET"));
}
