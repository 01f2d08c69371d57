//! Tests laws that hold for the referee in every ruleset. The tests print their seeds.
//! `FLAGFALL_SEED` sets a different seed.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a law says what it looked at, and stops when it is broken"
)]

mod common;

use std::collections::BTreeSet;

use common::Client;
use flagfall_board::{ChipColor, GameId, PerSide, Rank, Side, Sign, Square, SquareSet, Stamp};
use flagfall_protocol::{ClaimedResult, GameCommand, GameEvent, GameView, ViewChange, Viewer};
use flagfall_rules::{
    Command, Entropy, Event, Game, GameTerms, Move, MoveCommand, Phase, Ruleset, Start, TimeControl, decide,
    evolve,
};
use flagfall_tests::{Chance, random_setup};
use serde_json::{Value, json};

const SEED: u64 = 20_261_121;
const GAMES: u64 = 6;

/// Runs `game` for games of every ruleset, each with its own random numbers.
fn games(name: &str, mut game: impl FnMut(&'static Ruleset, Chance)) {
    let seed = Chance::seed_or(SEED);
    for (number, ruleset) in (0..).zip(Ruleset::all()) {
        println!("{name}: {GAMES} games of {}, seed {seed}", ruleset.id);
        (0..GAMES).for_each(|n| game(ruleset, Chance::new(seed + number * 1000 + n)));
    }
}

/// A game that the test plays with the engine, in parallel with the referee's game.
struct Mirror {
    game: Game,
}

impl Mirror {
    fn new(ruleset: &'static Ruleset, lakes: SquareSet) -> Mirror {
        let terms = GameTerms {
            game: GameId::from_random([3; 12]),
            ruleset,
            lakes,
            time: TimeControl::Fischer { base_ms: 60_000, increment_ms: 1_000 },
            deploy_ms: 10_000,
            created: Stamp(0),
            secret: PerSide::default(),
        };
        Mirror { game: Game::new(terms) }
    }

    fn accepts(&self, side: Side, command: &GameCommand, at: u64) -> bool {
        let command = command.to_command(side, self.game.terms().ruleset).unwrap();
        let events = decide(&self.game, side, self.game.ply(), &command, Stamp(at), &Entropy([0; 32]));
        // The engine accepts an illegal move that loses the game (§U7), but the referee does not
        // list it as legal.
        let is_move = matches!(command, Command::Move(_));
        events.is_ok_and(|events| !(is_move && events.iter().next().is_some_and(Event::is_end)))
    }

    fn carry_out(&mut self, side: Side, command: &GameCommand, at: u64) {
        let command = command.to_command(side, self.game.terms().ruleset).unwrap();
        let events =
            decide(&self.game, side, self.game.ply(), &command, Stamp(at), &Entropy([0; 32])).unwrap();
        events.iter().for_each(|event| evolve(&mut self.game, event, Stamp(at)));
    }
}

/// Returns every possible command except deployments. If a kind of command is missing here, the
/// code does not compile.
fn candidates(ruleset: &Ruleset) -> Vec<GameCommand> {
    let squares = || (0..Square::LIMIT).filter_map(Square::from_index);
    let moves = squares().flat_map(|from| squares().map(move |to| Move { from, to }));
    let colors = if ruleset.chips {
        vec![
            None,
            Some(ChipColor::Red),
            Some(ChipColor::Yellow),
            Some(ChipColor::Blue),
            Some(ChipColor::Green),
        ]
    } else {
        vec![None]
    };
    // On a board with joints, a move may have two possible paths, so the list of legal commands
    // names the path.
    let paths =
        if ruleset.shape.has_joints() { vec![Some(Sign::Plus), Some(Sign::Minus)] } else { vec![None] };
    let mut all: Vec<GameCommand> = moves
        .filter(|squares| {
            squares.from.column() == squares.to.column() || squares.from.row() == squares.to.row()
        })
        .flat_map(|squares| {
            let colors = &colors;
            paths.iter().flat_map(move |path| {
                colors.iter().map(move |color| MoveCommand { squares, path: *path, color: *color }.into())
            })
        })
        .collect();
    for square in squares() {
        all.push(GameCommand::Remove { square });
        for rank in Rank::ALL {
            for labeled in [false, true] {
                let place =
                    |color: &Option<ChipColor>| GameCommand::Place { square, rank, labeled, color: *color };
                all.extend(colors.iter().map(place));
            }
        }
    }
    all.extend(ChipColor::ALL.map(|color| GameCommand::Color { color }));
    all.extend(Rank::ALL.map(|rank| GameCommand::Choose { rank }));
    for command in [
        GameCommand::OfferDraw {},
        GameCommand::AcceptDraw {},
        GameCommand::DeclineDraw {},
        GameCommand::Resign {},
        GameCommand::Abort {},
        GameCommand::Claim { result: ClaimedResult::Win },
        GameCommand::Claim { result: ClaimedResult::Draw },
    ] {
        match command {
            GameCommand::Deploy { .. }
            | GameCommand::Move { .. }
            | GameCommand::Remove { .. }
            | GameCommand::Place { .. }
            | GameCommand::Color { .. }
            | GameCommand::Choose { .. } => {}
            GameCommand::OfferDraw {}
            | GameCommand::AcceptDraw {}
            | GameCommand::DeclineDraw {}
            | GameCommand::Resign {}
            | GameCommand::Abort {}
            | GameCommand::Claim { .. } => all.push(command),
        }
    }
    all
}

fn texts(commands: impl IntoIterator<Item = Value>) -> BTreeSet<String> {
    commands.into_iter().map(|command| command.to_string()).collect()
}

#[test]
fn legal_is_what_decide_accepts() {
    games("legal commands", |ruleset, mut chance| {
        let candidates = candidates(ruleset);
        let mut client = Client::default();
        client.done(json!({
            "type": "new_game", "ruleset": ruleset.id, "seed": 1, "deploy_ms": 10_000,
            "time": { "kind": "fischer", "base_s": 60, "increment_s": 1 },
        }));
        let shown = client.done(json!({ "type": "show", "audience": "public" }));
        let lakes: Vec<Square> = serde_json::from_value(shown["view"]["lakes"].clone()).unwrap();
        let mut mirror = Mirror::new(ruleset, lakes.into_iter().collect());
        let mut at = 0;
        for step in 0..240 {
            let look = step < 4 || chance.once_in(30) || mirror.game.phase() == Phase::Over;
            // Sometimes ask for a time after the flag has fallen, when no command is legal.
            let moment = if chance.once_in(8) { at + 70_000 } else { at };
            for side in Side::BOTH.into_iter().filter(|_| look) {
                let legal = client.done(json!({ "type": "legal", "side": side, "at": moment }));
                let accepted = candidates.iter().filter(|command| mirror.accepts(side, command, moment));
                let accepted = texts(accepted.map(|command| serde_json::to_value(command).unwrap()));
                let listed = legal["commands"].as_array().unwrap();
                assert_eq!(texts(listed.iter().cloned()), accepted, "{} {side}", ruleset.id);
                assert_eq!(listed.len(), accepted.len(), "each command once");
                let deploy = GameCommand::Deploy { setup: random_setup(ruleset, &mut chance) };
                assert_eq!(legal["may_deploy"], mirror.accepts(side, &deploy, moment), "{}", ruleset.id);
            }
            if mirror.game.phase() == Phase::Over {
                break;
            }
            at += chance.below(300) as u64;
            let (side, command) = match mirror.game.turn() {
                None => {
                    assert_eq!(ruleset.start, Start::Deployments, "{} has begun", ruleset.id);
                    let side = if mirror.game.is_ready(Side::Red) { Side::Blue } else { Side::Red };
                    (side, GameCommand::Deploy { setup: random_setup(ruleset, &mut chance) })
                }
                Some(turn) => {
                    let is_pending = mirror.game.position().has_strike_pending();
                    let side =
                        if chance.once_in(if is_pending { 2 } else { 10 }) { turn.opponent() } else { turn };
                    let legal = client.done(json!({ "type": "legal", "side": side, "at": at }));
                    let mut commands = legal["commands"].as_array().unwrap().clone();
                    // Leave out the commands that end the game early.
                    commands
                        .retain(|command| !["resign", "abort"].contains(&command["kind"].as_str().unwrap()));
                    // Choosing the Flag would also end the game.
                    let flag = json!({ "kind": "choose", "rank": "flag" });
                    if commands.len() > 1 {
                        commands.retain(|command| *command != flag);
                    }
                    if commands.is_empty() {
                        continue;
                    }
                    let command = commands.swap_remove(chance.below(commands.len()));
                    (side, serde_json::from_value(command).unwrap())
                }
            };
            let command_json = serde_json::to_value(&command).unwrap();
            client.done(json!({ "type": "command", "side": side, "command": command_json, "at": at }));
            mirror.carry_out(side, &command, at);
        }
    });
}

/// Returns a random command that the referee accepts. Most of these commands are moves.
fn random_command(client: &mut Client, turn: &Value, chance: &mut Chance) -> Value {
    let side = match (turn.as_str(), chance.once_in(12)) {
        (Some("red"), true) | (Some("blue"), false) => "blue",
        _ => "red",
    };
    let legal = client.done(json!({ "type": "legal", "side": side }));
    let mut commands = legal["commands"].as_array().unwrap().clone();
    commands.retain(|command| !["resign", "abort"].contains(&command["kind"].as_str().unwrap()));
    // This side may have no command while a strike waits for the opponent's choice. Try again,
    // because another attempt may pick the other side.
    if commands.is_empty() {
        return random_command(client, turn, chance);
    }
    let command = commands.swap_remove(chance.below(commands.len()));
    json!({ "type": "command", "side": side, "command": command, "audience": "blue" })
}

#[test]
fn going_back_and_doing_the_same_again_gets_the_same_answers() {
    games("back and again", |ruleset, mut chance| {
        let mut client = Client::default();
        client.done(json!({ "type": "new_game", "ruleset": ruleset.id, "seed": 5 }));
        let mut stands = client.deploy(ruleset, &mut chance);
        // `after_ply` contains the number of commands up to each ply. `done` contains every
        // command and its answer.
        let mut after_ply = vec![0];
        let mut done: Vec<(Value, Value)> = Vec::new();
        while stands["phase"] == "playing" && done.len() < 150 {
            let request = random_command(&mut client, &stands["turn"], &mut chance);
            stands = client.done(request.clone());
            done.push((request, stands.clone()));
            if stands["ply"] == json!(after_ply.len()) {
                after_ply.push(done.len());
            }
        }
        let (end, record) = (client.everything(), client.ask(json!({ "type": "record", "audience": "red" })));
        for _ in 0..4 {
            let ply = chance.below(after_ply.len());
            client.done(json!({ "type": "go_to", "ply": ply }));
            // Go to the latest moment again, without repeating any command.
            client.done(json!({ "type": "go_to" }));
            assert_eq!(client.everything(), end);
            let back = client.done(json!({ "type": "go_to", "ply": ply }));
            assert_eq!(back["ply"], json!(ply));
            for (request, answer) in &done[after_ply[ply]..] {
                assert_eq!(client.ask(request.clone()), *answer, "{} after ply {ply}", ruleset.id);
            }
            assert_eq!(client.everything(), end);
            assert_eq!(client.ask(json!({ "type": "record", "audience": "red" })), record);
        }
        // A new command must drop the later moments.
        client.done(json!({ "type": "go_to", "ply": 0 }));
        client.done(json!({ "type": "command", "side": "blue", "command": { "kind": "resign" } }));
        assert_eq!(client.done(json!({ "type": "go_to" }))["outcome"]["reason"], "resigned");
    });
}

#[test]
fn a_seed_repeats_a_session_and_no_seed_does_not() {
    games("seeds", |ruleset, mut chance| {
        let setups = [random_setup(ruleset, &mut chance), random_setup(ruleset, &mut chance)];
        let session = |seed: Option<u64>| {
            let mut client = Client::default();
            let mut answers = vec![match seed {
                Some(seed) => client.done(json!({ "type": "new_game", "ruleset": ruleset.id, "seed": seed })),
                None => client.done(json!({ "type": "new_game", "ruleset": ruleset.id })),
            }];
            let has_deployments = ruleset.start == Start::Deployments;
            for (side, setup) in ["red", "blue"].into_iter().zip(&setups).filter(|_| has_deployments) {
                let command = json!({ "kind": "deploy", "setup": setup });
                answers.push(client.done(json!({ "type": "command", "side": side, "command": command })));
            }
            answers.push(client.everything());
            answers
        };
        assert_eq!(session(Some(9)), session(Some(9)));
        assert_ne!(session(Some(9)), session(Some(10)));
        assert_ne!(session(None), session(None));
    });
}

#[test]
fn seen_events_keep_an_audiences_view_current() {
    games("views", |ruleset, mut chance| {
        let audience =
            [Viewer::Player(Side::Red), Viewer::Player(Side::Blue), Viewer::Public][chance.below(3)];
        let mut client = Client::default();
        let view = |client: &mut Client| -> GameView {
            let answer = client.done(json!({ "type": "show", "audience": audience }));
            serde_json::from_value(answer["view"].clone()).unwrap()
        };
        client.done(json!({ "type": "new_game", "ruleset": ruleset.id, "seed": 2 }));
        let mut kept = view(&mut client);
        let mut turn = json!("red");
        for step in 0..120 {
            let request = match step {
                0 | 1 if ruleset.start == Start::Deployments => {
                    let command = json!({ "kind": "deploy", "setup": random_setup(ruleset, &mut chance) });
                    json!({ "type": "command", "side": Side::BOTH[step], "command": command })
                }
                _ => random_command(&mut client, &turn, &mut chance),
            };
            let mut request = request;
            request["audience"] = json!(audience);
            let stands = client.done(request);
            for seen in stands["seen"].as_array().unwrap() {
                let event: GameEvent = serde_json::from_value(seen["event"].clone()).unwrap();
                let change: ViewChange = serde_json::from_value(seen["change"].clone()).unwrap();
                kept.apply(&event, &change);
            }
            assert_eq!(kept, view(&mut client), "{} {audience:?}", ruleset.id);
            turn = stands["turn"].clone();
            if stands["phase"] == "over" {
                break;
            }
        }
    });
}

#[test]
fn a_position_that_was_shown_can_be_set() {
    games("positions", |ruleset, mut chance| {
        let mut client = Client::default();
        client.done(json!({ "type": "new_game", "ruleset": ruleset.id, "seed": 3 }));
        let mut stands = client.deploy(ruleset, &mut chance);
        for _ in 0..chance.below(80) {
            if stands["phase"] == "over" {
                return;
            }
            let request = random_command(&mut client, &stands["turn"], &mut chance);
            stands = client.done(request);
        }
        if stands["phase"] == "over" {
            return;
        }
        let everything = client.everything();
        let legal = json!({ "type": "legal", "side": stands["turn"] });
        let moves = |answer: Value| {
            let commands = answer["commands"].as_array().unwrap().clone();
            texts(commands.into_iter().filter(|command| command["kind"] == "move"))
        };
        let legal_before = moves(client.done(legal.clone()));
        let set = client.done(json!({ "type": "set_position", "position": everything["position"] }));
        assert_eq!(set["ply"], everything["ply"]);
        let set = client.everything();
        assert_eq!((&set["position"], &set["pieces"]), (&everything["position"], &everything["pieces"]));
        // A position does not contain the history for the repetition rules, so more moves may be
        // legal.
        let legal_after = moves(client.done(legal));
        assert!(legal_before.is_subset(&legal_after));
        if ruleset.two_squares_limit.is_none() && !ruleset.more_squares {
            assert_eq!(legal_before, legal_after);
        }
    });
}
