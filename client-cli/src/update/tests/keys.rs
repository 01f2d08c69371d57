use super::*;

#[test]
fn giving_up_wants_a_yes() {
    for (letter, wanted) in [('R', GameCommand::Resign {}), ('A', GameCommand::Abort {})] {
        let mut model = playing();
        model.game.as_mut().expect("a game").view.ply = 0;
        key(&mut model, Key::Char(letter));
        assert_eq!(key(&mut model, Key::Char('n')), []);
        key(&mut model, Key::Char(letter));
        let effects = key(&mut model, Key::Char('y'));
        assert!(
            matches!(sent(&effects)[..], [ClientToServer::Command { command, .. }] if *command == wanted)
        );
    }
}

#[test]
fn an_illegal_move_that_would_lose_wants_a_yes() {
    // Three illegal moves: of a Bomb, into a lake of this game, and from a square without one of
    // the player's own pieces.
    for squares in ["d1d2", "a4a5", "e6e5"] {
        let mut model = game("course", "red", &classic_view("red"));
        assert_eq!(sent(&type_in(&mut model, squares)), [] as [&ClientToServer; 0]);
        assert_eq!(key(&mut model, Key::Char('n')), []);
        assert_eq!(last_note(&model), "The game goes on.");
        type_in(&mut model, squares);
        let effects = key(&mut model, Key::Char('y'));
        let [ClientToServer::Command { command: GameCommand::Move { squares: sent_squares, .. }, .. }] =
            sent(&effects)[..]
        else {
            panic!("{effects:?}");
        };
        assert_eq!(sent_squares.to_string(), squares);
    }
    // A legal move needs no confirmation. In other rulesets, an illegal move needs none either,
    // because the server only refuses it.
    let mut model = game("course", "red", &classic_view("red"));
    assert_eq!(sent(&type_in(&mut model, "c4c5")).len(), 1);
    let mut model = game("classic", "red", &classic_view("red"));
    assert_eq!(sent(&type_in(&mut model, "a4a9")).len(), 1);
}

#[test]
fn a_lone_d_and_enter_is_the_draw_and_a_move_may_begin_with_d() {
    let mut model = playing();
    let effects = type_in(&mut model, "d");
    let offer = GameCommand::OfferDraw {};
    assert!(matches!(sent(&effects)[..], [ClientToServer::Command { command, .. }] if *command == offer));
    let effects = type_in(&mut model, "d4d5");
    let [ClientToServer::Command { command: GameCommand::Move { squares, .. }, .. }] = sent(&effects)[..]
    else {
        panic!("{effects:?}");
    };
    assert_eq!(squares.to_string(), "d4d5");
    let view = format!(r#"{},"draw_offer":"blue""#, classic_view("red"));
    let mut model = game("classic", "red", &view);
    let effects = type_in(&mut model, "d");
    let accept = GameCommand::AcceptDraw {};
    assert!(matches!(sent(&effects)[..], [ClientToServer::Command { command, .. }] if *command == accept));
}

#[test]
fn the_cursor_selects_a_piece_and_sends_it_to_a_target_only() {
    let mut model = playing();
    let square = |text: &str| text.parse::<Square>().expect("a square");
    let at = |model: &mut Model, text: &str| {
        model.game.as_mut().expect("a game").cursor = square(text);
        key(model, Key::Char(' '))
    };
    assert_eq!(at(&mut model, "d1"), [], "a Miner behind its own pieces");
    assert!(last_note(&model).contains("cannot move"));
    assert_eq!(at(&mut model, "a5"), []);
    assert_eq!(at(&mut model, "j9"), []);
    assert_eq!(last_note(&model), "The piece on a5 cannot go to j9.");
    let effects = at(&mut model, "b5");
    let [ClientToServer::Command { command: GameCommand::Move { squares, .. }, .. }] = sent(&effects)[..]
    else {
        panic!("{effects:?}");
    };
    assert_eq!(squares.to_string(), "a5b5");
}

fn sent_by(model: &mut Model, keys: &str) -> Vec<GameCommand> {
    let mut commands = Vec::new();
    for letter in keys.chars() {
        let pressed = match letter {
            '>' => Key::Enter,
            '!' => Key::Escape,
            'v' => Key::Down,
            letter => Key::Char(letter),
        };
        for message in sent(&key(model, pressed)) {
            if let ClientToServer::Command { command, .. } = message {
                commands.push(command.clone());
            }
        }
    }
    commands
}

fn command(json: &str) -> GameCommand {
    serde_json::from_str(json).expect("a command")
}

#[test]
fn a_move_asks_for_its_color_and_a_flash_does_not() {
    let red = || command(r#"{"kind":"move","move":"b2b3","color":"red"}"#);
    assert_eq!(sent_by(&mut shadowflash(""), "b2b3>r"), [red()]);
    assert_eq!(sent_by(&mut shadowflash(""), "b2b3>xr"), [red()], "x is not a color");
    assert_eq!(sent_by(&mut shadowflash(""), "b2b3>!"), [], "taken back");
    let flash = command(r#"{"kind":"move","move":"b2b4"}"#);
    assert_eq!(sent_by(&mut shadowflash(""), "b2b4>"), [flash]);
}

#[test]
fn a_piece_of_the_reserve_is_chosen_and_placed() {
    let mut model = shadowflash("");
    model.game.as_mut().expect("a game").cursor = "c1".parse().expect("a square");
    let place = |labeled: bool| {
        command(&format!(
            r#"{{"kind":"place","square":"c1","rank":"miner","labeled":{labeled},"color":"blue"}}"#
        ))
    };
    assert_eq!(sent_by(&mut model.clone(), "+>b"), [place(false)]);
    assert_eq!(sent_by(&mut model.clone(), "+v>b"), [place(true)]);
    assert_eq!(sent_by(&mut model.clone(), "+8>!"), []);
    model.game.as_mut().expect("a game").cursor = "c5".parse().expect("a square");
    assert_eq!(sent_by(&mut model, "+>b"), []);
    assert!(model.notes.iter().any(|note| note.contains("only be placed on your home squares")));
}

#[test]
fn a_piece_is_taken_off_the_board_after_a_yes() {
    let mut model = shadowflash("");
    model.game.as_mut().expect("a game").cursor = "a4".parse().expect("a square");
    assert_eq!(sent_by(&mut model.clone(), "-n"), []);
    assert_eq!(sent_by(&mut model, "-y"), [command(r#"{"kind":"remove","square":"a4"}"#)]);
}

#[test]
fn a_color_that_is_owed_is_a_key() {
    let owed = r#""owed_color":{"side":"red","square":"b2"}"#;
    assert_eq!(sent_by(&mut shadowflash(owed), "g"), [command(r#"{"kind":"color","color":"green"}"#)]);
    assert_eq!(sent_by(&mut shadowflash(&owed.replace(r#""side":"red""#, r#""side":"blue""#)), "g"), []);
}

#[test]
fn the_rank_of_a_struck_coin_is_chosen_by_key() {
    let mut model = quantum(&waiting_strike(""));
    assert_eq!(sent_by(&mut model, "5"), []);
    assert_eq!(model.game.as_ref().expect("a game").typed, ":choose captain");
    assert_eq!(key(&mut model.clone(), Key::Escape), []);
    let effects = key(&mut model, Key::Enter);
    let [ClientToServer::Command { command: chosen, .. }] = sent(&effects)[..] else { panic!("{effects:?}") };
    assert_eq!(*chosen, command(r#"{"kind":"choose","rank":"captain"}"#));
    let mut chosen = quantum(&waiting_strike(r#","own_choice":"captain""#));
    sent_by(&mut chosen, "5");
    assert_eq!(chosen.game.as_ref().expect("a game").typed, "", "a choice is final");
}

#[test]
fn the_cursor_does_not_offer_what_a_repetition_rule_refuses() {
    let rules = [
        ("", "repetition"),
        (r#","more_squares":[]"#, "Two-squares rule"),
        (r#","more_squares":["a5a4"]"#, "More-squares rule"),
    ];
    for (more_squares, rule) in rules {
        let view = format!(r#"{},"refused_moves":["a5a4"]{more_squares}"#, classic_view("red"));
        let mut model = game("classic", "red", &view);
        model.game.as_mut().expect("a game").cursor = "a5".parse().expect("a square");
        key(&mut model, Key::Enter);
        model.game.as_mut().expect("a game").cursor = "a4".parse().expect("a square");
        assert_eq!(key(&mut model, Key::Enter), []);
        assert!(last_note(&model).contains(rule), "{}", last_note(&model));
    }
}

#[test]
fn a_deployment_is_checked_here_and_handed_in_again_when_it_has_changed() {
    let mut model = game("barrage", "red", &deploying_view(START + 1_000));
    let place =
        model.game.as_ref().and_then(|game| game.editor.as_ref()).expect("an editor").text().find('F');
    for _ in 0..place.expect("a Flag") / 10 {
        key(&mut model, Key::Down);
    }
    for _ in 0..place.expect("a Flag") % 10 {
        key(&mut model, Key::Right);
    }
    key(&mut model, Key::Backspace);
    assert_eq!(key(&mut model, Key::Enter), []);
    assert!(last_note(&model).contains("Flag: 0 placed, but the army has 1"), "{}", last_note(&model));
    key(&mut model, Key::Char('F'));
    let effects = key(&mut model, Key::Enter);
    let [ClientToServer::Command { command: GameCommand::Deploy { setup }, .. }] = sent(&effects)[..] else {
        panic!("{effects:?}");
    };
    let taken = format!(
        r#"{{"type":"event","game":"0123456789ab","seq":8,"event":{{"kind":"deployed","setup":"{setup}"}},"change":{{}}}}"#
    );
    received(&mut model, &taken);
    assert_eq!(key(&mut model, Key::Enter), [], "the same again says nothing new");
    key(&mut model, Key::Char('r'));
    assert_eq!(sent(&key(&mut model, Key::Enter)).len(), 1);
    key(&mut model, Key::Char('w'));
    let effects = type_in(&mut model, "corner");
    assert!(matches!(&effects[..], [Effect::SaveSetup { name, .. }] if name == "corner"));
}

#[test]
fn a_q_in_the_middle_of_a_move_does_not_leave() {
    let mut model = playing();
    key(&mut model, Key::Char('b'));
    assert_eq!(exit_code(&key(&mut model, Key::Char('q'))), None);
    key(&mut model, Key::Escape);
    key(&mut model, Key::Char('q'));
    assert!(matches!(model.ui.prompt, Some(Prompt::Leave(_))));
}

#[test]
fn a_click_selects_a_piece_and_another_one_moves_it() {
    let mut model = playing();
    let click = |model: &mut Model, at: &str| update(model, Message::Click(at.parse().expect("a square")));
    assert_eq!(click(&mut model, "e6"), [], "a piece of the opponent is only looked at");
    assert_eq!(model.game.as_ref().expect("a game").selected, None);
    assert_eq!(click(&mut model, "a5"), []);
    key(&mut model, Key::Char('?'));
    assert_eq!(click(&mut model, "b5"), [], "behind the help");
    key(&mut model, Key::Escape);
    let effects = click(&mut model, "b5");
    let [ClientToServer::Command { command: GameCommand::Move { squares, .. }, .. }] = sent(&effects)[..]
    else {
        panic!("{effects:?}");
    };
    assert_eq!(squares.to_string(), "a5b5");
    let mut model = game("barrage", "red", &deploying_view(START + 1_000));
    assert_eq!(click(&mut model, "a9"), [], "not among the home squares");
    let editor = |model: &Model| model.game.clone().and_then(|game| game.editor).expect("an editor");
    let taken = ["a1", "b1", "c1"].map(|at| at.parse().expect("a square"));
    let from = taken.into_iter().find(|at| editor(&model).rank_at(*at).is_some());
    if let Some(from) = from {
        update(&mut model, Message::Click(from));
        assert_eq!(editor(&model).picked(), Some(from));
    }
}

/// Returns a game on the full screen with a planned move, on Blue's turn.
fn planned() -> Model {
    let view = classic_view("red").replace(r#""turn":"red""#, r#""turn":"blue""#);
    let mut model = game("classic", "red", &view);
    assert_eq!(type_in(&mut model, "a5b5"), [], "nothing is sent yet");
    let premove = model.game.as_ref().and_then(|game| game.premove).expect("a planned move");
    assert_eq!(premove.squares.to_string(), "a5b5");
    model
}

/// Makes a move for Blue. Afterwards the piece is on the second square.
fn blue_moves(model: &mut Model, seq: u64, squares: &str, piece: &str) -> Vec<Effect> {
    let at = &squares[2..];
    let message = format!(
        r#"{{"type":"event","game":"0123456789ab","seq":{seq},"event":{{"kind":"moved","side":"blue","move":"{squares}","piece":"?"}},
        "change":{{"turn":"red","pieces":["{at}b{piece}'"]}}}}"#
    );
    received(model, &message)
}

#[test]
fn a_planned_move_is_sent_when_the_turn_comes() {
    let mut model = planned();
    let effects = blue_moves(&mut model, 8, "e6e5", "?");
    let [ClientToServer::Command { command: GameCommand::Move { squares, .. }, ply, .. }] =
        sent(&effects)[..]
    else {
        panic!("{effects:?}");
    };
    assert_eq!((squares.to_string().as_str(), *ply), ("a5b5", 5));
    assert_eq!(model.game.as_ref().and_then(|game| game.premove), None);
}

#[test]
fn a_planned_move_is_dropped_when_something_stands_in_its_way() {
    let mut model = planned();
    let effects = blue_moves(&mut model, 8, "b6b5", "?");
    assert_eq!(sent(&effects), [] as [&ClientToServer; 0]);
    let said = "The planned move a5b5 is dropped, because the position has changed.";
    assert!(model.notes.iter().any(|note| note.contains(said)), "{}", last_note(&model));
    assert_eq!(model.game.as_ref().and_then(|game| game.premove), None);
}

#[test]
fn a_planned_move_can_be_replaced_and_taken_back() {
    let mut model = planned();
    type_in(&mut model, "a5a6");
    key(&mut model, Key::Escape);
    assert_eq!(model.game.as_ref().and_then(|game| game.premove), None);
    assert_eq!(last_note(&model), "a5a6 is taken back.");
    assert_eq!(sent(&blue_moves(&mut model, 8, "e6e5", "?")), [] as [&ClientToServer; 0]);
}

#[test]
fn moves_are_planned_only_on_a_clock_and_only_where_the_piece_can_go() {
    let view = classic_view("red").replace(r#""turn":"red""#, r#""turn":"blue""#);
    for (squares, is_slow) in [("a5b5", true), ("a5c7", false), ("e6e5", false)] {
        let mut model = game("classic", "red", &view);
        if let Some(game) = model.game.as_mut().filter(|_| is_slow) {
            game.summary.terms.time = flagfall_protocol::Time::Correspondence { days: 3 };
        }
        assert_eq!(type_in(&mut model, squares), []);
        assert_eq!(model.game.as_ref().and_then(|game| game.premove), None, "{squares}");
        assert_eq!(last_note(&model), "It is not your turn.");
    }
}
