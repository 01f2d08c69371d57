use flagfall_board::Chance;
use flagfall_protocol::{GameEvent, ServerToClient, ViewChange};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::fixtures::{
    CLASSIC, START, classic_view, deploying_view, game, key, online, options, quantum, received, shadowflash,
    waiting_strike,
};
use crate::model::{Goal, How, Key, Message, Model, Wish};
use crate::random::Random;
use crate::update;

fn screen_of(model: &Model, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
    terminal.draw(|frame| render(model, frame)).expect("drawn");
    terminal.backend().to_string()
}

fn screen(model: &Model) -> String {
    screen_of(model, 80, 24)
}

#[test]
fn connecting_and_waiting() {
    let model = Model::new(options(), Goal::Play(Wish::default()), Random::Seeded(Chance::new(1)));
    insta::assert_snapshot!("connecting", screen(&model));
    let mut model = online(Goal::Play(Wish { how: How::Challenge, ..Wish::default() }));
    let cmd_id = model.connection.pending[0].cmd_id.as_str().to_owned();
    let expires = START + 86_400_000;
    let answer = format!(
        r#"{{"type":"accepted","cmd_id":"{cmd_id}","outcome":{{"kind":"challenge","challenge":"k7m2q9","expires":{expires}}}}}"#
    );
    received(&mut model, &answer);
    insta::assert_snapshot!("waiting", screen(&model));
}

#[test]
fn choosing_an_offer() {
    let mut model = online(Goal::Play(Wish::default()));
    let lobby = r#"{"type":"lobby","seeks":[{"id":"s1","seeker":{"id":"p2","name":"bob","kind":"guest"},"terms":{"ruleset":"barrage","time":{"kind":"unlimited"}},"side":"red"}],"games":[],"players_online":2}"#;
    received(&mut model, lobby);
    insta::assert_snapshot!(screen(&model));
}

/// Returns the rows of the panel with the headings and the ranks of the losses.
fn losses_rows(model: &Model, width: u16, height: u16) -> Vec<(usize, String)> {
    let shape = board_of(model).expect("a ruleset").shape;
    let panel = PageLayout::new(&shape, Rect::new(0, 0, width, height)).expect("room").panel;
    let screen = screen_of(model, width, height);
    // Skip the first column of each line, which is a quotation mark.
    let panel = screen.lines().take(usize::from(panel.bottom())).enumerate().map(|(row, line)| {
        (row, line.chars().skip(usize::from(panel.x) + 1).take(usize::from(panel.width)).collect::<String>())
    });
    let is_head = |line: &str| {
        let line = line.to_lowercase();
        line.contains("lost") && !line.contains("are lost.")
    };
    panel.skip_while(|(_, line)| !is_head(line)).collect()
}

#[test]
fn messages_do_not_move_the_losses() {
    let by_mail = classic_view("red");
    let mut models: Vec<Model> =
        ["classic", "tournament", "barrage", "pbm", "original", "silent-defense", "course"]
            .map(|ruleset| game(ruleset, "red", &by_mail))
            .into();
    let small = r#""phase":"playing","ready":{"red":true,"blue":true},"pieces":["a2r9"],"captured":{"red":{},"blue":{}},"ply":4,"turn":"red""#;
    models.push(game("pbm-small", "red", small));
    models.extend([shadowflash(""), quantum("")]);
    for model in models {
        for (width, height) in [(80, 24), (100, 30), (120, 40)] {
            let before = losses_rows(&model, width, height);
            let mut after = model.clone();
            let open = after.game.as_mut().expect("a game");
            let ruleset = open.view.ruleset.clone();
            let strike = r#"{"side":"red","move":"a4a5","piece":"6","strike":{"attacker":"6","attacker_fate":"leaves","defender":"6","defender_fate":"leaves"}}"#;
            open.view.last_move = Some(serde_json::from_str(strike).expect("a move"));
            open.view.draw_offer = Some(flagfall_board::Side::Blue);
            open.view.plies_to_limit = Some(12);
            open.claimable_at.blue = Some(START + 20_000);
            after.say("Something that was said, and that takes more than one line of the panel to say.");
            let now = losses_rows(&after, width, height);
            // The headings and ranks must keep their positions. The notes follow after an empty
            // row.
            let is_empty = |(_, row): &(usize, String)| row.trim().is_empty();
            let table = before.iter().position(is_empty).unwrap_or(before.len());
            assert!(table > 5, "{ruleset} at {width}x{height}");
            assert_eq!(before[..table], now[..table], "{ruleset} at {width}x{height}");
        }
    }
}

#[test]
fn the_question_before_leaving_mentions_the_clock() {
    let mut model = game("classic", "red", &classic_view("red"));
    key(&mut model, Key::Char('q'));
    let small = screen_of(&model, 60, 10);
    assert!(small.contains("Leave the running game?") && small.contains("y yes"), "{small}");
    let screen = screen(&model);
    for words in [
        "Leave the running game?",
        "y yes  any other key no",
        "Your clock keeps running.",
        "about 30 seconds.",
    ] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
}

/// Returns a game with this deployment in the editor, instead of a suggested deployment, which
/// would be random.
fn editing(ruleset: &str, side: &str, setup: &str) -> Model {
    let mut model = game(ruleset, side, &deploying_view(START + 245_000));
    let editor = model.game.as_mut().and_then(|game| game.editor.as_mut()).expect("an editor");
    editor.load(setup).expect("a deployment");
    model
}

const MIXED: &str = "9626993195 3957946S74 57488678B9 BB85B98BFB";

/// The Major is selected, and the cursor is on a square that it can reach with a flash.
#[test]
fn a_board_of_sixteen_columns_fits_into_80x24_and_spreads_at_100x30() {
    let mut model = shadowflash("");
    let open = model.game.as_mut().expect("a game");
    open.selected = "b2".parse().ok();
    open.cursor = "b4".parse().expect("a square");
    insta::assert_snapshot!("shadowflash_80x24", screen(&model));
    insta::assert_snapshot!("shadowflash_100x30", screen_of(&model, 100, 30));
}

#[test]
fn a_piece_of_the_reserve_and_a_color_are_chosen() {
    let mut model = shadowflash("");
    model.game.as_mut().expect("a game").cursor = "c1".parse().expect("a square");
    key(&mut model, Key::Char('+'));
    insta::assert_snapshot!("shadowflash_reserve", screen(&model));
    key(&mut model, Key::Enter);
    insta::assert_snapshot!(
        "shadowflash_color",
        screen(&model).lines().rev().take(2).collect::<Vec<_>>().join("\n")
    );
    let owing = shadowflash(r#""owed_color":{"side":"red","square":"b2"}"#);
    insta::assert_snapshot!(
        "shadowflash_owed",
        screen(&owing).lines().rev().take(2).collect::<Vec<_>>().join("\n")
    );
    let mut helped = shadowflash("");
    key(&mut helped, Key::Char('?'));
    insta::assert_snapshot!("shadowflash_help", screen(&helped));
}

#[test]
fn coins_both_pools_and_the_choice_are_shown_at_80x24_and_100x30() {
    let mut model = quantum("");
    model.game.as_mut().expect("a game").selected = "c2".parse().ok();
    insta::assert_snapshot!("quantum_80x24", screen(&model));
    let mut choosing = quantum(&waiting_strike(""));
    insta::assert_snapshot!("quantum_choice_80x24", screen(&choosing));
    insta::assert_snapshot!("quantum_choice_100x30", screen_of(&choosing, 100, 30));
    let mut helped = quantum("");
    key(&mut helped, Key::Char('?'));
    insta::assert_snapshot!("quantum_help", screen(&helped));
    key(&mut choosing, Key::Char('1'));
    insta::assert_snapshot!(
        "quantum_chosen_key",
        screen(&choosing).lines().rev().take(2).collect::<Vec<_>>().join("\n")
    );
    insta::assert_snapshot!(
        "quantum_waiting_80x24",
        screen(&quantum(&waiting_strike(r#","own_choice":"marshal""#)))
    );
}

#[test]
fn deploying_on_10x10() {
    let mut model = editing("classic", "red", MIXED);
    key(&mut model, Key::Char(' '));
    key(&mut model, Key::Down);
    insta::assert_snapshot!(screen(&model));
}

#[test]
fn deploying_on_8x8_from_the_far_side() {
    let model = editing("pbm-small", "blue", "79457929 3B47985S B88BF8B7");
    insta::assert_snapshot!(screen(&model));
}

#[test]
fn deploying_with_pieces_in_hand() {
    let mut model = game("barrage", "red", &deploying_view(START + 45_000));
    for _ in 0..4 {
        for _ in 0..10 {
            key(&mut model, Key::Backspace);
            key(&mut model, Key::Right);
        }
        for _ in 0..10 {
            key(&mut model, Key::Left);
        }
        key(&mut model, Key::Down);
    }
    key(&mut model, Key::Char('f'));
    insta::assert_snapshot!(screen(&model));
}

#[test]
fn playing_with_a_selected_piece_and_running_clocks() {
    let mut model = game("classic", "red", &classic_view("red"));
    model.clock.now += 12_000;
    for _ in 0..5 {
        key(&mut model, Key::Left);
    }
    key(&mut model, Key::Up);
    key(&mut model, Key::Enter);
    insta::assert_snapshot!(screen(&model));
}

#[test]
fn typing_a_move_and_the_other_numbers_from_the_other_side() {
    let mut model = game("classic", "red", &classic_view("red"));
    for letter in ['n', 't', 'c', '4', 'b'] {
        key(&mut model, Key::Char(letter));
    }
    insta::assert_snapshot!(screen(&model));
}

#[test]
fn a_draw_offer_a_limit_and_an_absent_opponent() {
    let view = format!(r#"{},"draw_offer":"blue","plies_to_limit":12"#, classic_view("red"));
    let mut model = game("classic", "red", &view);
    received(
        &mut model,
        r#"{"type":"presence","game":"0123456789ab","side":"blue","presence":"reconnecting"}"#,
    );
    insta::assert_snapshot!(screen(&model));
}

#[test]
fn long_names_are_shortened_beside_their_state() {
    let mut model = game("classic", "red", &classic_view("red"));
    let open = model.game.as_mut().expect("a game");
    open.summary.players.blue.name = "a-name-as-long-as-20".to_owned();
    open.presence.blue = flagfall_protocol::Presence::Reconnecting;
    assert!(screen(&model).contains(" reconnecting "), "{}", screen(&model));
}

#[test]
fn a_strikes_result_stays_readable_after_a_quick_reply() {
    let mut model = game("classic", "red", &classic_view("red"));
    model.say("Red's Scout strikes Blue's Miner on e5 and is lost.");
    model.say("Blue moves e7e6.");
    let screen = screen(&model);
    for said in ["Red's Scout strikes Blue's Miner on e5 and is lost.", "Blue moves e7e6."] {
        assert_eq!(screen.matches(said).count(), 1, "{screen}");
    }
}

#[test]
fn watching() {
    let model = game("classic", "public", &classic_view("public"));
    insta::assert_snapshot!(screen(&model));
}

#[test]
fn reconnecting() {
    let mut model = game("classic", "red", &classic_view("red"));
    update(&mut model, Message::Disconnected { code: Some(4000), why: "the server stops".to_owned() });
    insta::assert_snapshot!(screen(&model));
}

#[test]
fn over() {
    let mut model = game("classic", "red", &classic_view("red"));
    let event: GameEvent = serde_json::from_str(
        r#"{"kind":"ended","outcome":{"winner":"red","reason":"flag_captured"},"opened":{"red":null,"blue":null}}"#,
    )
    .expect("an event");
    let change = ViewChange::default();
    let game = "0123456789ab".parse().expect("an id");
    let message = ServerToClient::Event { game, seq: 8, event, change, abort: None };
    update(&mut model, Message::Received(Box::new(message)));
    received(&mut model, r#"{"type":"rematch_offered","game":"0123456789ab","side":"blue"}"#);
    insta::assert_snapshot!(screen(&model));
}

#[test]
fn superseded_and_questions_and_help() {
    let mut model = game("classic", "red", &classic_view("red"));
    key(&mut model, Key::Char('R'));
    assert!(screen(&model).contains("Really resign?"));
    key(&mut model, Key::Char('n'));
    key(&mut model, Key::Char('?'));
    insta::assert_snapshot!("help", screen(&model));
    key(&mut model, Key::Char('?'));
    received(&mut model, r#"{"type":"superseded","game":"0123456789ab"}"#);
    let screen = screen(&model);
    assert!(screen.contains("READ-ONLY") && screen.contains("has taken the seat"), "{screen}");
}

#[test]
fn saved_deployments_to_load() {
    let mut model = editing("classic", "red", MIXED);
    let saved = model.deployments.saved.entry("classic".to_owned()).or_default();
    saved.insert("corner".to_owned(), CLASSIC.to_owned());
    saved.insert("wall".to_owned(), CLASSIC.to_owned());
    key(&mut model, Key::Char('l'));
    key(&mut model, Key::Down);
    insta::assert_snapshot!(screen(&model));
}

#[test]
fn small_terminals_say_what_they_need_and_large_ones_are_used() {
    let mut model = game("classic", "red", &classic_view("red"));
    insta::assert_snapshot!("small", screen_of(&model, 40, 13));
    insta::assert_snapshot!("large", screen_of(&model, 100, 30));
    // Drawing does not fail at any terminal size.
    for (width, height) in [(1, 1), (3, 80), (200, 2), (80, 23), (79, 24), (300, 100)] {
        screen_of(&model, width, height);
        model.ui.page = Page::Waiting { headline: "Waiting".to_owned(), lines: Vec::new() };
        screen_of(&model, width, height);
        model.ui.page = Page::Game;
    }
}

#[test]
fn boards_shrink_and_grow_with_the_terminal() {
    let mut model = game("classic", "red", &classic_view("red"));
    let open = model.game.as_mut().expect("a game");
    (open.cursor, open.selected) = ("a6".parse().expect("a square"), "a5".parse().ok());
    for (width, height) in [(40, 16), (60, 20), (120, 40), (130, 50)] {
        insta::assert_snapshot!(format!("classic_{width}x{height}"), screen_of(&model, width, height));
    }
    let mut model = shadowflash("");
    model.game.as_mut().expect("a game").selected = "b2".parse().ok();
    insta::assert_snapshot!("shadowflash_40x16", screen_of(&model, 40, 16));
}

#[test]
fn with_color_the_sides_have_their_colors_and_without_none_is_used() {
    let mut model = game("classic", "red", &classic_view("red"));
    let colors = |model: &Model| {
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).expect("a terminal");
        terminal.draw(|frame| render(model, frame)).expect("drawn");
        let mut colors: Vec<Color> =
            terminal.backend().buffer().content().iter().flat_map(|cell| [cell.fg, cell.bg]).collect();
        colors.sort_by_key(|color| color.to_string());
        colors.dedup();
        colors
    };
    assert_eq!(colors(&model), [Color::Reset]);
    model.options.color = true;
    assert!(colors(&model).contains(&Color::Red) && colors(&model).contains(&Color::Blue));
}

#[test]
fn a_place_on_the_screen_is_the_square_that_is_drawn_there() {
    let mut model = game("classic", "red", &classic_view("red"));
    for (width, height) in [(80, 24), (120, 40)] {
        let area = Rect::new(0, 0, width, height);
        for square in flagfall_rules::Ruleset::find("classic").expect("a ruleset").shape.squares().iter() {
            model.game.as_mut().expect("a game").cursor = square;
            let screen = screen_of(&model, width, height);
            let cursor = screen.lines().enumerate().find_map(|(row, line)| {
                let column = line.chars().position(|letter| letter == '^')?;
                // Skip the first column of each line, which is a quotation mark.
                Some((column as u16 - 1, row as u16))
            });
            let (column, row) = cursor.expect("a cursor");
            assert_eq!(square_at(&model, area, column, row), Some(square));
            assert_eq!(square_at(&model, area, column, row - 1), Some(square));
        }
        assert_eq!(square_at(&model, area, 0, 5), None);
        assert_eq!(square_at(&model, area, width - 1, 5), None);
        assert_eq!(square_at(&model, area, 5, height - 1), None);
    }
    assert_eq!(square_at(&model, Rect::new(0, 0, 39, 15), 5, 5), None, "no board is drawn");
}

#[test]
fn everything_that_happened_can_be_scrolled() {
    let mut model = game("classic", "red", &classic_view("red"));
    for ply in 0..60 {
        model.say(format!("Ply {ply} was played."));
    }
    key(&mut model, Key::Char('H'));
    assert!(screen(&model).contains("Ply 59 was") && !screen(&model).contains("Ply 30 was"));
    for _ in 0..3 {
        key(&mut model, Key::PageUp);
    }
    assert!(screen(&model).contains("Ply 29 was") && !screen(&model).contains("Ply 30 was"));
    key(&mut model, Key::Home);
    assert!(screen(&model).contains("Connected to") && !screen(&model).contains("Ply 0 was"));
    key(&mut model, Key::Escape);
    assert!(screen(&model).contains("Your turn"));
}

#[test]
fn the_help_scrolls_on_a_small_terminal() {
    let mut model = game("classic", "red", &classic_view("red"));
    let screen = |model: &Model| screen_of(model, 40, 16);
    key(&mut model, Key::Char('?'));
    let hints = crate::input::hints(&model, true);
    let (first, last) = (&hints[0].help, &hints.last().unwrap().help);
    assert!(screen(&model).contains(first.as_str()) && !screen(&model).contains(last.as_str()));
    assert!(screen(&model).contains("show more"), "the title says that it scrolls");
    for _ in 0..9 {
        key(&mut model, Key::PageDown);
    }
    assert!(screen(&model).contains("has never moved"), "the marks stand below the keys: {}", screen(&model));
    key(&mut model, Key::Up);
    assert!(screen(&model).contains(last.as_str()), "{}", screen(&model));
    key(&mut model, Key::Down);
    key(&mut model, Key::Char('x'));
    assert!(!screen(&model).contains("has never moved"), "any other key closes it");
}

#[test]
fn a_clock_that_runs_out_turns_red() {
    let mut model = game("classic", "red", &classic_view("red"));
    model.options.color = true;
    let has_red_text = |model: &Model| {
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).expect("a terminal");
        terminal.draw(|frame| render(model, frame)).expect("drawn");
        let buffer = terminal.backend().buffer();
        (70..80).any(|column| buffer[(column, 2)].fg == Color::LightRed)
    };
    assert!(!has_red_text(&model));
    assert_eq!(crate::status::waiting(&model).as_deref(), Some("Your turn"));
    model.clock.now += 560_000;
    assert!(has_red_text(&model), "21 seconds are left");
    assert_eq!(crate::status::waiting(&model).as_deref(), Some("Your turn: you are low on time"));
}

#[test]
fn an_unknown_ruleset_is_reported() {
    let model = game("future", "red", &classic_view("red"));
    assert!(screen(&model).contains("does not know the ruleset future"));
}
