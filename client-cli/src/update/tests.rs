use flagfall_board::{Chance, Side, Square};
use flagfall_protocol::{ClientToServer, GameCommand};

use crate::fixtures::{
    START, classic_view, deploying_view, game, key, online, options, quantum, received, shadowflash,
    waiting_strike,
};
use crate::model::{Effect, Face, Goal, How, Key, Link, Message, Model, Page, Prompt, Secret, Wish};
use crate::random::Random;
use crate::update;

mod connection;
mod finished;
mod guests;
mod keys;
mod leaving;
mod lobby;
mod mail;
mod offers;
mod pool;
mod questions;
mod retry;
mod scripts;
mod setups;

fn sent(effects: &[Effect]) -> Vec<&ClientToServer> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Send(message) => Some(message),
            _ => None,
        })
        .collect()
}

fn exit_code(effects: &[Effect]) -> Option<u8> {
    effects.iter().find_map(|effect| match effect {
        Effect::Exit { code } => Some(*code),
        _ => None,
    })
}

fn type_in(model: &mut Model, text: &str) -> Vec<Effect> {
    for letter in text.chars() {
        key(model, Key::Char(letter));
    }
    key(model, Key::Enter)
}

fn lose(model: &mut Model, code: Option<u16>) -> Vec<Effect> {
    update(model, Message::Disconnected { code, why: "gone".to_owned() })
}

fn welcome(model: &mut Model, games: &str) -> Vec<Effect> {
    update(model, Message::Connected);
    let text = format!(
        r#"{{"type":"welcome","protocol":1,"server":"test","player":{{"id":"p1","name":"ann","kind":"guest"}},"server_time":{START},"games":{games}}}"#
    );
    received(model, &text)
}

fn last_note(model: &Model) -> &str {
    model.notes.last().unwrap_or_default()
}

fn playing() -> Model {
    game("classic", "red", &classic_view("red"))
}

const SUMMARY: &str = r#"{"id":"ba9876543210","terms":{"ruleset":"classic","time":{"kind":"unlimited"}},"players":{"red":{"id":"p1","name":"ann","kind":"guest"},"blue":{"id":"p2","name":"bob","kind":"guest"}},"created":1,"phase":"deploying","ply":0}"#;

fn lobby(seeks: &[(&str, &str, &str)]) -> String {
    let seeks: Vec<String> = seeks
        .iter()
        .map(|(id, player, ruleset)| {
            format!(
                r#"{{"id":"{id}","seeker":{{"id":"{player}","name":"{player}","kind":"guest"}},"terms":{{"ruleset":"{ruleset}","time":{{"kind":"fischer","base_s":600,"increment_s":5}}}}}}"#
            )
        })
        .collect();
    format!(r#"{{"type":"lobby","seeks":[{}],"games":[],"players_online":2}}"#, seeks.join(","))
}

fn seeking(wish: Wish) -> Model {
    let mut model = online(Goal::Play(wish));
    model.options.face = Face::Lines;
    model
}

/// Makes the server accept the model's own seek.
fn seek_stands(model: &mut Model, id: &str) {
    let cmd_id = model.connection.pending[0].cmd_id.as_str().to_owned();
    let answer =
        format!(r#"{{"type":"accepted","cmd_id":"{cmd_id}","outcome":{{"kind":"seek","seek":"{id}"}}}}"#);
    received(model, &answer);
}
