use flagfall_board::Chance;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::fixtures::{
    START, classic_view, deploying_view, game, key, online, options, quantum, received, shadowflash,
    waiting_strike,
};
use crate::model::{Goal, How, Key, Model, OpenGame, Page, Prompt, Wish};
use crate::random::Random;
use crate::render::render;
use crate::replay::Replay;
use crate::replay::tests::records;
use crate::update;

const INVITATION: &str = r#"{"type":"challenged","invitation":{"challenge":"k7m2q9k7m2q9","challenger":{"id":"p2","name":"bob","kind":"bot"},"terms":{"ruleset":"pbm","time":{"kind":"correspondence","days":3}},"expires":1895270000000}}"#;
const ENDED: &str = r#"{"type":"event","game":"0123456789ab","seq":8,"event":{"kind":"ended","outcome":{"winner":"red","reason":"resigned"},"opened":{"red":null,"blue":null}},"change":{}}"#;

/// Returns the model after these keys.
fn after(mut model: Model, keys: &str) -> Model {
    for letter in keys.chars() {
        key(&mut model, Key::Char(letter));
    }
    model
}

fn playing(more: &str) -> Model {
    game("classic", "red", &format!("{}{more}", classic_view("red")))
}

/// Returns models that together cover every screen, and every state with different keys.
fn models() -> Vec<(&'static str, Model)> {
    let deploying = || game("classic", "red", &deploying_view(START + 60_000));
    let mut over = playing("");
    received(&mut over, ENDED);
    let mut first = playing("");
    first.game.as_mut().expect("a game").view.ply = 0;
    let mut gone = playing("");
    gone.game.as_mut().expect("a game").claimable_at.blue = Some(START);
    let mut superseded = playing("");
    received(&mut superseded, r#"{"type":"superseded","game":"0123456789ab"}"#);
    let mut challenged = playing("");
    received(&mut challenged, INVITATION);
    let mut choosing = online(Goal::Play(Wish::default()));
    received(
        &mut choosing,
        r#"{"type":"lobby","seeks":[{"id":"s1","seeker":{"id":"p2","name":"bob","kind":"guest"},"terms":{"ruleset":"barrage","time":{"kind":"unlimited"}}}],"games":[],"players_online":2}"#,
    );
    let mut terms = online(Goal::Play(Wish { how: How::Accept("k7m2q9".to_owned()), ..Wish::default() }));
    received(
        &mut terms,
        r#"{"type":"challenge","challenge":"k7m2q9","challenger":{"id":"p2","name":"bob","kind":"guest"},"terms":{"ruleset":"pbm","time":{"kind":"unlimited"}},"expires":1}"#,
    );
    let mut selected = playing("");
    let open = selected.game.as_mut().expect("a game");
    (open.cursor, open.selected) = ("a5".parse().expect("a square"), "a5".parse().ok());
    let mut saved = deploying();
    let text = saved.game.as_ref().and_then(|game| game.editor.as_ref()).expect("an editor").text();
    saved.deployments.saved.entry("classic".to_owned()).or_default().insert("wall".to_owned(), text.clone());
    saved.deployments.saved.entry("classic".to_owned()).or_default().insert("wing".to_owned(), text);
    let mut placing = shadowflash("");
    placing.game.as_mut().expect("a game").cursor = "c1".parse().expect("a square");
    let mut flash = shadowflash("");
    flash = after(flash, "b2b3");
    key(&mut flash, Key::Enter);
    let course = after(game("course", "red", &classic_view("red")), "d1d2");
    let mut slip = course.clone();
    key(&mut slip, Key::Enter);
    let mut record = Model::new(options(), Goal::Games, Random::Seeded(Chance::new(1)));
    let mut replay = Replay::new(records()[1].clone()).expect("a known ruleset");
    replay.go(5);
    (record.ui.page, record.game) = (Page::Game, Some(OpenGame::of_replay(&replay)));
    record.ui.replay = Some(replay);
    vec![
        ("record", record),
        ("waiting", online(Goal::Play(Wish { how: How::Pool, ..Wish::default() }))),
        ("choosing", choosing),
        ("terms", terms),
        ("deploying", deploying()),
        ("deploying, picked", after(deploying(), " ")),
        ("naming", after(deploying(), "wab")),
        ("saved", after(saved, "l")),
        ("playing", playing("")),
        ("before the first move", first.clone()),
        ("abort", after(first, "A")),
        ("selected", selected),
        ("draw offered", playing(r#","draw_offer":"blue""#)),
        ("typing", after(playing(""), "a5")),
        ("typing a draw", after(playing(""), "d")),
        ("resign", after(playing(""), "R")),
        ("claimable", gone.clone()),
        ("claim", after(gone, "C")),
        ("message", after(playing(""), ";hello")),
        ("challenged", challenged.clone()),
        ("challenge", after(challenged, "J")),
        ("superseded", superseded),
        ("history", after(playing(""), "H")),
        ("older history", {
            let mut model = after(playing(""), "H");
            model.say("Another note.");
            key(&mut model, Key::Up);
            model
        }),
        ("watching", game("classic", "public", &classic_view("public"))),
        ("over", over),
        ("reserve and chips", placing.clone()),
        ("placing", after(placing, "+")),
        ("command", after(shadowflash(""), ":remove a4")),
        ("color", flash),
        ("color owed", shadowflash(r#""owed_color":{"side":"red","square":"b2"}"#)),
        ("coins", quantum(&waiting_strike(""))),
        ("illegal move", slip),
        ("help", after(playing(""), "?")),
    ]
}

fn screen_of(model: &Model) -> String {
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).expect("a terminal");
    terminal.draw(|frame| render(model, frame)).expect("drawn");
    terminal.backend().to_string()
}

fn every_key() -> impl Iterator<Item = Key> {
    let named = [
        Key::Enter,
        Key::Escape,
        Key::Backspace,
        Key::Delete,
        Key::Up,
        Key::Down,
        Key::Left,
        Key::Right,
        Key::Home,
        Key::End,
        Key::PageUp,
        Key::PageDown,
        Key::Interrupt,
    ];
    (' '..='~').map(Key::Char).chain(named)
}

#[test]
fn every_key_that_is_shown_does_something_and_every_other_does_nothing() {
    for (name, model) in models() {
        let mut useful: Vec<KeyHint> = Vec::new();
        for pressed in every_key() {
            let mut changed = model.clone();
            let effects = key(&mut changed, pressed);
            let is_changed = changed != model || !effects.is_empty();
            let bound = keymap::bound(&model, pressed);
            assert!(!is_changed || bound.is_some(), "{name}: {pressed:?} is not in the table");
            useful.extend(bound.filter(|_| is_changed));
        }
        for shown in hints(&model, false) {
            assert!(useful.contains(&shown), "{name}: {shown:?} does nothing");
        }
    }
}

#[test]
fn the_help_shows_every_key_and_where_there_is_none_the_bar_does() {
    for (name, model) in models() {
        let has_help = action(&model, Key::Char('?')) == Some(Action::ShowHelp);
        let text = screen_of(&if has_help { after(model.clone(), "?") } else { model.clone() });
        for shown in hints(&model, false).iter().filter(|shown| has_help || !shown.label.is_empty()) {
            let words = if has_help {
                text.contains(&shown.keys.join(" ")) && text.contains(&shown.help)
            } else {
                text.contains(&format!("{} {}", shown.keys[0], shown.label))
            };
            assert!(words, "{name}: {shown:?}\n{text}");
        }
    }
}

#[test]
fn the_manual_names_the_keys_of_the_boards() {
    let manual = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/client.md");
    let manual = std::fs::read_to_string(manual).expect("the manual");
    let (_, section) = manual.split_once("## Keys of the full screen").expect("the section");
    let (section, _) = section.split_once("\n## ").expect("its end");
    let is_board = |model: &Model| {
        matches!(screen(model), Screen::Deploying | Screen::Playing | Screen::Watching | Screen::Record)
    };
    for (name, model) in models().into_iter().filter(|(_, model)| is_board(model)) {
        let hints = hints(&model, false);
        for hint in hints.iter().filter(|hint| !hint.help.is_empty()) {
            let key = match hint.keys[0].as_str() {
                "d Enter" => "d",
                "Bksp" => "Backspace",
                key => key,
            };
            let is_named = section.contains(&format!("`{key}`")) || key.len() > 1 && section.contains(key);
            assert!(is_named, "{name}: {key}");
        }
    }
}

#[test]
fn keys_that_would_be_refused_are_not_offered() {
    let bar = |model: &Model| screen_of(model).lines().last().unwrap_or_default().to_owned();
    let mut model = playing("");
    assert!(!bar(&model).contains("abort"), "after the first move");
    assert_eq!(action(&model, Key::Char('A')), None);
    assert_eq!(action(&model, Key::Char('x')), None, "no offer to decline");
    assert_eq!(action(&model, Key::Char('C')), None, "nothing to claim");
    assert_eq!(action(&model, Key::Char('J')), None, "no challenge");
    model.game.as_mut().expect("a game").view.ply = 0;
    assert!(screen_of(&after(model.clone(), "?")).contains("abort the game"));
    let wide = shadowflash("");
    assert_eq!(action(&wide, Key::Char('n')), Some(Action::Type('n')), "a column of a wide board");
    assert_eq!(action(&wide, Key::Char('N')), Some(Action::SwitchFigures));
    assert_eq!(update(&mut model, crate::model::Message::Key(Key::PageUp)), []);
}

#[test]
fn keys_of_a_russian_keyboard_act_as_those_of_a_latin_one_except_in_messages() {
    let typed = |keys: &str| after(playing(""), keys).game.map(|game| game.typed).expect("a game");
    assert_eq!(typed("ф5ф6"), "a5a6");
    assert_eq!(action(&playing(""), Key::Char('К')), Some(Action::Resign));
    assert_eq!(action(&after(playing(""), "R"), Key::Char('н')), Some(Action::Confirm));
    assert_eq!(after(playing(""), "жда").ui.prompt, Some(Prompt::Say("да".to_owned())));
}

#[test]
fn texts_name_the_keys_of_the_table() {
    assert_eq!(key_for(Action::Rematch), "m");
    assert_eq!(key_for(Action::AskClaim), "C");
    assert_eq!(answers_to_draw(), "d Enter accepts it, x declines it.");
}
