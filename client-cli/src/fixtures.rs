//! Fixtures for tests of the client's pure core: an online model, and games to open in it.

use flagfall_board::{Chance, Side};
use flagfall_protocol::ServerToClient;

use crate::model::{Effect, Face, Goal, How, Key, Message, Model, Options, Wish};
use crate::random::Random;
use crate::update;

pub(crate) const START: u64 = 1_795_270_000_000;

pub(crate) fn options() -> Options {
    Options {
        server: "ws://127.0.0.1:7171/ws".to_owned(),
        authority_file: None,
        name: None,
        numbering: flagfall_board::Numbering::Us,
        flip: true,
        credential_file: "guest.json".to_owned(),
        color: false,
        face: Face::Screen,
    }
}

pub(crate) fn received(model: &mut Model, json: &str) -> Vec<Effect> {
    let message: ServerToClient = serde_json::from_str(json).expect("a message");
    update(model, Message::Received(Box::new(message)))
}

pub(crate) fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    update(model, Message::Key(key))
}

pub(crate) fn online(goal: Goal) -> Model {
    let mut model = Model::new(options(), goal, Random::Seeded(Chance::new(5)));
    model.clock.now = START;
    update(&mut model, Message::Started);
    update(&mut model, Message::Connected);
    let welcome = format!(
        r#"{{"type":"welcome","protocol":1,"server":"test","player":{{"id":"p1","name":"ann","kind":"guest"}},"token":"t","server_time":{START},"games":[]}}"#
    );
    received(&mut model, &welcome);
    model
}

/// Returns a model with an open game: ann is Red, bob is Blue.
pub(crate) fn game(ruleset: &str, audience: &str, view: &str) -> Model {
    let id = "0123456789ab".parse().expect("an id");
    let goal = match audience {
        "public" => Goal::Watch(Some(id)),
        _ => Goal::Play(Wish { how: How::Game(id), ..Wish::default() }),
    };
    let mut model = online(goal);
    let lakes = match ruleset {
        "pbm-small" => r#"["c4","c5","f4","f5"]"#,
        "shadowflash-3" => r#"["d5","e5","f5","d6","e6","f6","k5","l5","m5","k6","l6","m6"]"#,
        "course" => r#"["a5","b5","a6","b6","f5","g5","f6","g6"]"#,
        _ => r#"["c5","d5","c6","d6","g5","h5","g6","h6"]"#,
    };
    let message = format!(
        r#"{{"type":"game","game":{{"id":"0123456789ab","terms":{{"ruleset":"{ruleset}","time":{{"kind":"fischer","base_s":600,"increment_s":5}}}},
        "players":{{"red":{{"id":"p1","name":"ann","kind":"guest"}},"blue":{{"id":"p2","name":"bob","kind":"guest"}}}},"created":{START},"phase":"playing","ply":0}},
        "audience":"{audience}","driving":true,"epoch":1,"seq":7,"presence":{{"red":"present","blue":"present"}},
        "view":{{"audience":"{audience}","ruleset":"{ruleset}","lakes":{lakes},"commitments":{{"red":null,"blue":null}},{view}}}}}"#
    );
    received(&mut model, &message);
    model
}

/// Returns a Shadowflash game with Red to move.
///
/// Red has a Major on a line of two red chips and a green one, a Scout, and two Miners in
/// reserve. One of the Miners is labeled. `more` is added to the view's JSON.
pub(crate) fn shadowflash(more: &str) -> Model {
    let comma = if more.is_empty() { "" } else { "," };
    let view = format!(
        r#""phase":"playing","ready":{{"red":true,"blue":true}},"pieces":["b2r4","a4r9'*","c8b?","p10b[9P]'"],
        "captured":{{"red":{{"scout":3}},"blue":{{}}}},"ply":4,"turn":"red","opened":{{"red":null,"blue":null}},
        "reserve":{{"red":{{"size":2,"labeled":{{"miner":1}},"unlabeled":{{"miner":1}}}},"blue":{{"size":7}}}},
        "chips":{{"red":["b2","b3"],"green":["b4"]}}{comma}{more}"#
    );
    game("shadowflash-3", "red", &view)
}

/// Returns a game with coins as Red sees it (§Q): moved and unmoved coins, a Scout and a Major.
/// `more` is added to the view's JSON.
pub(crate) fn quantum(more: &str) -> Model {
    let comma = if more.is_empty() { "" } else { "," };
    let view = format!(
        r#""phase":"playing","ready":{{"red":true,"blue":true}},"pieces":["a1ro","b1ro","c2ro","a5ro'","j4r9'*","a6bo'","b10bo","c10bo","e6b4'*"],
        "captured":{{"red":{{"miner":2}},"blue":{{}}}},"ply":4,"turn":"red","opened":{{"red":null,"blue":null}},
        "pools":{{"red":{{"flag":1,"scout":1,"captain":1,"marshal":1}},"blue":{{"flag":1,"bomb":1,"miner":1}}}},
        "clock":{{"at":{START},"remaining_ms":{{"red":61000,"blue":42000}},"running":"both"}}{comma}{more}"#
    );
    game("quantum", "red", &view)
}

/// Returns the JSON of a pending strike in [`quantum`]. `own_choice` is the JSON of Red's choice.
pub(crate) fn waiting_strike(own_choice: &str) -> String {
    format!(
        r#""pending_strike":{{"side":"red","move":"a5a6","owes":{{"red":true,"blue":true}}{own_choice}}}"#
    )
}

/// Returns an army in the format of messages, on a side's home squares.
///
/// `text` is a deployment as in §P4. Squares without a letter in `text` have hidden ranks.
pub(crate) fn army(ruleset: &str, side: Side, text: Option<&str>) -> Vec<String> {
    let ruleset = flagfall_rules::Ruleset::find(ruleset).expect("a ruleset");
    let letters: Vec<char> =
        text.map(|text| text.chars().filter(|c| !c.is_whitespace()).collect()).unwrap_or_default();
    (0..ruleset.shape.home_len())
        .map(|place| {
            let square = ruleset.shape.home_square(side, place).expect("a home square");
            let letter = letters.get(place).copied().unwrap_or('?');
            format!("{square}{}{letter}", if side == Side::Red { 'r' } else { 'b' })
        })
        .collect()
}

pub(crate) fn pieces(pieces: &[Vec<String>]) -> String {
    format!("{:?}", pieces.concat())
}

pub(crate) const CLASSIC: &str = "9629519469 457S379695 698374B8B9 78B8B58BFB";

pub(crate) fn classic_view(audience: &str) -> String {
    let mut own = army("classic", Side::Red, (audience != "public").then_some(CLASSIC));
    let mut enemy = army("classic", Side::Blue, None);
    own.retain(|piece| !piece.starts_with("b4"));
    enemy.retain(|piece| !piece.starts_with("e7"));
    own.retain(|piece| !piece.starts_with("a4"));
    own.push(if audience == "public" { "a5r5'*".to_owned() } else { "a5r6'*".to_owned() });
    enemy.push("e6b?'".to_owned());
    enemy.retain(|piece| !piece.starts_with("b7"));
    enemy.push("b7b4*".to_owned());
    format!(
        r#""phase":"playing","ready":{{"red":true,"blue":true}},"pieces":{},"captured":{{"red":{{"scout":1}},"blue":{{}}}},
        "ply":4,"turn":"red","last_move":{{"side":"blue","move":"e7e6","piece":"?"}},
        "clock":{{"at":{START},"remaining_ms":{{"red":581000,"blue":602500}},"running":"red"}}"#,
        pieces(&[own, enemy])
    )
}

pub(crate) fn deploying_view(deadline: u64) -> String {
    format!(
        r#""phase":"deploying","ready":{{"red":false,"blue":true}},"deploy_deadline":{deadline},"pieces":[],"captured":{{"red":{{}},"blue":{{}}}},"ply":0"#
    )
}
