use flagfall_board::{Side, Square};
use flagfall_protocol::{ClientToServer, GameCommand};

use crate::fixtures::{
    START, classic_view, deploying_view, game, key, online, options, quantum, received, shadowflash,
    waiting_strike,
};
use crate::model::{Effect, Face, Goal, How, Key, Link, Message, Model, Page, Prompt, Secret, Wish};
use crate::random::Random;
use crate::update;

mod finished;
mod guests;
mod leaving;
mod mail;
mod offers;
mod pool;
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

#[test]
fn a_new_guest_names_himself_and_a_known_one_shows_his_credential() {
    let mut model = Model::new(options(), Goal::Games, Random::Seeded(1));
    model.options.name = Some("ann".to_owned());
    assert_eq!(update(&mut model, Message::Started), [Effect::Connect { delay_ms: 0 }]);
    let effects = update(&mut model, Message::Connected);
    assert!(matches!(sent(&effects)[..], [ClientToServer::Hello { token: None, name: Some(_), .. }]));
    model.login.token = Some(Secret::new("t"));
    let effects = update(&mut model, Message::Connected);
    assert!(matches!(sent(&effects)[..], [ClientToServer::Hello { token: Some(_), name: None, .. }]));
    assert!(!format!("{model:?}").contains("Secret(\"t"), "no credential in a panic's words");
}

fn failed() -> Message {
    Message::ConnectFailed { why: "connection refused".to_owned(), advice: "Name another one.".to_owned() }
}

#[test]
fn nobody_there_at_the_start_ends_the_program() {
    let mut model = Model::new(options(), Goal::Games, Random::Seeded(1));
    let effects = update(&mut model, failed());
    assert_eq!(exit_code(&effects), Some(3));
    let said = "Cannot reach ws://127.0.0.1:7171/ws: connection refused. Name another one.";
    assert_eq!(model.last_words, [said]);
}

#[test]
fn a_lost_line_is_dialed_at_once_and_then_more_and_more_slowly() {
    let mut model = playing();
    assert_eq!(lose(&mut model, None), [Effect::Connect { delay_ms: 0 }]);
    let mut longest = 0;
    for failure in 1..=12_u32 {
        let effects = update(&mut model, failed());
        let [Effect::Connect { delay_ms }] = effects[..] else { panic!("{effects:?}") };
        let full = (100_u64 << (failure - 1)).min(5_000);
        assert!((full / 2..=full).contains(&delay_ms), "failure {failure}: {delay_ms} ms");
        longest = longest.max(delay_ms);
    }
    assert!(longest <= 5_000);
}

#[test]
fn close_codes_of_the_second_hundred_are_final() {
    for code in [4100, 4102, 4104, 4105, 4106, 4199] {
        let mut model = playing();
        let effects = lose(&mut model, Some(code));
        assert_eq!(exit_code(&effects), Some(1), "{code}");
        assert!(!effects.iter().any(|effect| matches!(effect, Effect::Connect { .. })), "{code}");
        assert!(matches!(model.connection.link, Link::Closed { .. }));
    }
    let mut model = playing();
    lose(&mut model, Some(4100));
    assert!(model.last_words[0].contains("your seat in game"), "{:?}", model.last_words);
    for code in [1006, 4000, 4001, 4002, 4004] {
        assert_eq!(lose(&mut playing(), Some(code)), [Effect::Connect { delay_ms: 0 }], "{code}");
    }
}

#[test]
fn after_a_loss_the_game_is_opened_from_where_it_was_and_commands_go_out_again_with_their_ids() {
    let mut model = playing();
    let effects = type_in(&mut model, "a5a6");
    let first = sent(&effects)[0].clone();
    assert!(matches!(&first, ClientToServer::Command { ply: 4, command: GameCommand::Move { .. }, .. }));
    lose(&mut model, None);
    let effects = welcome(&mut model, "[]");
    let [ClientToServer::OpenGame { since: Some(since), .. }, again] = sent(&effects)[..] else {
        panic!("{effects:?}");
    };
    assert_eq!((since.epoch, since.seq), (1, 7));
    assert_eq!(*again, first);
    // Answered, it is not sent again.
    let ClientToServer::Command { cmd_id, .. } = &first else { panic!("a command") };
    let answer = format!(
        r#"{{"type":"accepted","cmd_id":"{}","outcome":{{"kind":"game","game":"0123456789ab","seq":8}}}}"#,
        cmd_id.as_str()
    );
    received(&mut model, &answer);
    lose(&mut model, None);
    assert_eq!(sent(&welcome(&mut model, "[]")).len(), 1);
}

const MOVED: &str = r#"{"kind":"moved","side":"red","move":"a5a6","piece":"?"}"#;

fn event(seq: u64) -> String {
    format!(
        r#"{{"type":"event","game":"0123456789ab","seq":{seq},"event":{MOVED},"change":{{"turn":"blue","pieces":["a6r6'*"]}}}}"#
    )
}

#[test]
fn events_are_applied_in_order_doubles_are_ignored_and_a_gap_asks_for_the_game() {
    let mut model = playing();
    received(&mut model, &event(8));
    let open = model.game.as_ref().expect("a game");
    assert_eq!((open.seq, open.view.ply, open.view.turn), (8, 5, Some(Side::Blue)));
    assert_eq!(last_note(&model), "Red moves a5a6.");
    received(&mut model, &event(8));
    assert_eq!(model.game.as_ref().expect("a game").view.ply, 5);
    let effects = received(&mut model, &event(10));
    assert!(matches!(sent(&effects)[..], [ClientToServer::OpenGame { since: Some(_), .. }]));
    // It is requested once; events in the meantime are part of it.
    assert!(received(&mut model, &event(11)).is_empty());
    assert_eq!(model.game.as_ref().expect("a game").seq, 8);
}

#[test]
fn a_ping_is_answered_and_its_head_tells_that_something_was_missed() {
    let mut model = playing();
    let ping = |seq: u64| {
        format!(
            r#"{{"type":"ping","id":3,"server_time":{START},"heads":[{{"game":"0123456789ab","seq":{seq}}}]}}"#
        )
    };
    let effects = received(&mut model, &ping(7));
    assert_eq!(sent(&effects), [&ClientToServer::Pong { id: 3 }]);
    let effects = received(&mut model, &ping(9));
    assert!(matches!(sent(&effects)[..], [ClientToServer::Pong { id: 3 }, ClientToServer::OpenGame { .. }]));
}

#[test]
fn a_line_that_falls_silent_is_hung_up() {
    let mut model = playing();
    model.clock.now += 60_000;
    assert_eq!(update(&mut model, Message::Tick), [], "a server that never pings may be silent");
    received(&mut model, &format!(r#"{{"type":"ping","id":1,"server_time":{START},"heads":[]}}"#));
    model.clock.now += 19_000;
    assert_eq!(update(&mut model, Message::Tick), []);
    model.clock.now += 2_000;
    assert_eq!(update(&mut model, Message::Tick), [Effect::Disconnect]);
}

/// The game as it is in this epoch.
fn turned_back(epoch: u64) -> String {
    format!(
        r#"{{"type":"game","game":{SUMMARY},"audience":"red","driving":true,"epoch":{epoch},"seq":5,"presence":{{"red":"present","blue":"present"}},"view":{{"audience":"red","ruleset":"classic","lakes":[],"commitments":{{"red":null,"blue":null}},{}}}}}"#,
        classic_view("red")
    )
    .replace("ba9876543210", "0123456789ab")
}

#[test]
fn a_game_that_was_turned_back_says_so() {
    let mut model = playing();
    lose(&mut model, None);
    welcome(&mut model, "[]");
    received(&mut model, &turned_back(1));
    assert!(!last_note(&model).contains("older state"));
    received(&mut model, &turned_back(2));
    assert!(last_note(&model).contains("older state"), "{}", last_note(&model));
}

#[test]
fn a_command_names_its_epoch_and_one_of_a_lost_branch_is_told_in_a_line_and_not_made_again() {
    for (keys, not_done) in [("a5a6", "Your move a5a6 was not made"), ("R", "You have not resigned")] {
        let mut model = playing();
        let effects = match keys {
            "R" => {
                key(&mut model, Key::Char('R'));
                key(&mut model, Key::Char('y'))
            }
            squares => type_in(&mut model, squares),
        };
        let [ClientToServer::Command { cmd_id, epoch: Some(1), .. }] = sent(&effects)[..] else {
            panic!("{effects:?}")
        };
        let cmd_id = cmd_id.clone();
        lose(&mut model, None);
        let effects = welcome(&mut model, "[]");
        let [_, ClientToServer::Command { epoch: Some(1), .. }] = sent(&effects)[..] else {
            panic!("the command is repeated: {effects:?}")
        };
        received(&mut model, &turned_back(2));
        let refusal = format!(
            r#"{{"type":"refused","cmd_id":"{}","game":"0123456789ab","code":"stale_epoch","message":"no","seq":5}}"#,
            cmd_id.as_str()
        );
        assert_eq!(received(&mut model, &refusal), []);
        let told = format!("{not_done}: the server lost the last moves of the game. Look again.");
        assert_eq!(last_note(&model), told);
        assert!(model.connection.pending.is_empty() && model.input.was_refused);
        let effects = type_in(&mut model, "c4c5");
        assert!(
            matches!(sent(&effects)[..], [ClientToServer::Command { epoch: Some(2), .. }]),
            "{effects:?}"
        );
    }
}

#[test]
fn what_is_begun_in_view_of_a_position_goes_with_it() {
    let mut model = playing();
    key(&mut model, Key::Char('R'));
    received(&mut model, &turned_back(1));
    assert_eq!(model.ui.prompt, Some(Prompt::Resign), "the same epoch: nothing is lost");
    received(&mut model, &turned_back(2));
    assert_eq!(model.ui.prompt, None);
    assert_eq!(sent(&key(&mut model, Key::Char('y'))), [] as [&ClientToServer; 0]);
    let mut model = playing();
    model.ui.prompt = Some(Prompt::Say("well".to_owned()));
    received(&mut model, &turned_back(2));
    assert_eq!(model.ui.prompt, Some(Prompt::Say("well".to_owned())));
}

#[test]
fn who_gives_up_means_it_whatever_was_played_in_that_moment() {
    let mut model = playing();
    key(&mut model, Key::Char('R'));
    let effects = key(&mut model, Key::Char('y'));
    let [ClientToServer::Command { cmd_id, .. }] = sent(&effects)[..] else { panic!("{effects:?}") };
    let refusal = |cmd_id: &str| {
        format!(
            r#"{{"type":"refused","cmd_id":"{cmd_id}","game":"0123456789ab","code":"stale_ply","message":"that was no","seq":8}}"#
        )
    };
    received(&mut model, &event(8));
    let effects = received(&mut model, &refusal(cmd_id.as_str()));
    let [ClientToServer::Command { cmd_id: again, ply: 5, command: GameCommand::Resign {}, .. }] =
        sent(&effects)[..]
    else {
        panic!("{effects:?}")
    };
    assert_ne!(again, cmd_id);
    // Without a newer ply there is nothing to repeat.
    let effects = received(&mut model, &refusal(again.as_str()));
    assert!(sent(&effects).is_empty());
    assert!(last_note(&model).starts_with("That did not happen"));
}

#[test]
fn a_refused_move_is_told_and_a_stale_one_as_not_having_happened() {
    let mut model = playing();
    for (code, start) in
        [("stale_ply", "That did not happen: That was"), ("two_squares", "Refused: That was")]
    {
        let effects = type_in(&mut model, "a5a6");
        let [ClientToServer::Command { cmd_id, .. }] = sent(&effects)[..] else { panic!("{effects:?}") };
        let refusal = format!(
            r#"{{"type":"refused","cmd_id":"{}","game":"0123456789ab","code":"{code}","message":"that was no","seq":7}}"#,
            cmd_id.as_str()
        );
        let effects = received(&mut model, &refusal);
        assert_eq!(effects, []);
        assert!(last_note(&model).starts_with(start), "{}", last_note(&model));
        assert!(model.connection.pending.is_empty());
    }
}

#[test]
fn a_superseded_client_is_read_only_and_does_not_take_the_seat_back() {
    let mut model = playing();
    received(&mut model, r#"{"type":"superseded","game":"0123456789ab"}"#);
    assert_eq!(sent(&type_in(&mut model, "a5a6")), [] as [&ClientToServer; 0]);
    assert!(last_note(&model).contains("read-only"), "{}", last_note(&model));
    received(&mut model, &event(8));
    assert_eq!(model.game.as_ref().expect("a game").seq, 8, "it still follows the game");
    let effects = lose(&mut model, None);
    assert_eq!(exit_code(&effects), Some(0));
}

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
    // A Bomb of the first row, a lake of this game, a square without an own piece.
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
    // A legal move is sent at once. Under other rules the server refuses it and nothing is lost.
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

/// What the keys sent in the end.
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
    assert!(model.notes.iter().any(|note| note.contains("none of your home squares")));
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
fn what_a_struck_coin_is_is_a_key_and_enter() {
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
    let view = format!(r#"{},"refused_moves":["a5a4"]"#, classic_view("red"));
    let mut model = game("classic", "red", &view);
    model.game.as_mut().expect("a game").cursor = "a5".parse().expect("a square");
    key(&mut model, Key::Enter);
    model.game.as_mut().expect("a game").cursor = "a4".parse().expect("a square");
    assert_eq!(key(&mut model, Key::Enter), []);
    assert!(last_note(&model).contains("repetition"), "{}", last_note(&model));
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
    assert!(last_note(&model).contains("Flag: 0 placed, 1 wanted"), "{}", last_note(&model));
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

/// The answer to the model's own seek.
fn seek_stands(model: &mut Model, id: &str) {
    let cmd_id = model.connection.pending[0].cmd_id.as_str().to_owned();
    let answer =
        format!(r#"{{"type":"accepted","cmd_id":"{cmd_id}","outcome":{{"kind":"seek","seek":"{id}"}}}}"#);
    received(model, &answer);
}

#[test]
fn a_fitting_offer_is_taken_and_else_one_is_made() {
    let mut model = seeking(Wish::default());
    let effects = received(&mut model, &lobby(&[("s0", "p1", "classic"), ("s1", "p2", "pbm")]));
    assert!(matches!(sent(&effects)[..], [ClientToServer::AcceptSeek { seek, .. }] if seek == "s1"));
    let wish = Wish { ruleset: Some("barrage".to_owned()), ..Wish::default() };
    let mut model = seeking(wish.clone());
    let effects = received(&mut model, &lobby(&[("s1", "p2", "pbm")]));
    assert!(matches!(sent(&effects)[..], [ClientToServer::Seek { terms, .. }] if terms.ruleset == "barrage"));
    // A random side does not match the wish for Red.
    let mut model = seeking(Wish { side: Some(Side::Red), ..wish });
    let effects = received(&mut model, &lobby(&[("s1", "p2", "barrage")]));
    assert!(matches!(sent(&effects)[..], [ClientToServer::Seek { side: Some(Side::Red), .. }]));
}

#[test]
fn of_two_who_offer_the_same_at_one_moment_the_newer_gives_way() {
    let mut model = seeking(Wish::default());
    received(&mut model, &lobby(&[]));
    seek_stands(&mut model, "s2");
    let effects = received(&mut model, &lobby(&[("s2", "p1", "classic"), ("s3", "p2", "classic")]));
    assert_eq!(effects, [], "the older one waits");
    let effects = received(&mut model, &lobby(&[("s1", "p2", "classic"), ("s2", "p1", "classic")]));
    assert!(matches!(
        sent(&effects)[..],
        [ClientToServer::CancelSeek { .. }, ClientToServer::AcceptSeek { .. }]
    ));
}

#[test]
fn of_two_offers_the_one_whose_owner_would_take_the_other_gives_way() {
    // An offer for a certain side waits for a player who wants the other side, or either.
    let other = lobby(&[("s2", "p1", "classic"), ("s3", "p2", "classic")]);
    let sided = other.replace(r#""id":"s3""#, r#""side":"red","id":"s3""#);
    assert_ne!(other, sided);
    let mut model = seeking(Wish::default());
    received(&mut model, &lobby(&[]));
    seek_stands(&mut model, "s2");
    let effects = received(&mut model, &sided);
    assert!(
        matches!(sent(&effects)[..], [ClientToServer::CancelSeek { .. }, ClientToServer::AcceptSeek { seek, .. }] if seek == "s3"),
        "{effects:?}"
    );
}

#[test]
fn an_offer_that_went_with_the_line_is_made_anew_and_one_that_stands_is_kept() {
    let mut model = seeking(Wish::default());
    received(&mut model, &lobby(&[]));
    seek_stands(&mut model, "s2");
    lose(&mut model, None);
    let effects = welcome(&mut model, "[]");
    assert_eq!(sent(&effects), [&ClientToServer::OpenLobby {}]);
    assert_eq!(received(&mut model, &lobby(&[("s2", "p1", "classic")])), []);
    lose(&mut model, None);
    welcome(&mut model, "[]");
    let effects = received(&mut model, &lobby(&[]));
    assert!(matches!(sent(&effects)[..], [ClientToServer::Seek { .. }]));
}

#[test]
fn a_game_that_began_while_the_line_was_down_is_opened() {
    let mut model = seeking(Wish::default());
    received(&mut model, &lobby(&[]));
    seek_stands(&mut model, "s2");
    lose(&mut model, None);
    let effects = welcome(&mut model, &format!("[{SUMMARY}]"));
    assert!(matches!(sent(&effects)[..], [ClientToServer::OpenGame { since: None, .. }]));
}

#[test]
fn who_was_too_slow_for_an_offer_looks_again_and_a_bad_code_ends_the_program() {
    let mut model = seeking(Wish::default());
    let effects = received(&mut model, &lobby(&[("s1", "p2", "classic")]));
    let [ClientToServer::AcceptSeek { cmd_id, .. }] = sent(&effects)[..] else { panic!("{effects:?}") };
    let refusal = format!(
        r#"{{"type":"refused","cmd_id":"{}","code":"no_such_seek","message":"gone"}}"#,
        cmd_id.as_str()
    );
    assert_eq!(sent(&received(&mut model, &refusal)), [&ClientToServer::OpenLobby {}]);
    // An answer to a command that is no longer pending changes nothing.
    assert_eq!(received(&mut model, &refusal), []);
    // A list that still has the offer is not trusted.
    let effects = received(&mut model, &lobby(&[("s1", "p2", "classic")]));
    assert!(matches!(sent(&effects)[..], [ClientToServer::Seek { .. }]), "{effects:?}");

    let wish = Wish { how: How::Accept("nope".to_owned()), ..Wish::default() };
    let mut model = online(Goal::Play(wish));
    let effects = received(
        &mut model,
        r#"{"type":"refused","code":"no_such_challenge","message":"no such challenge"}"#,
    );
    assert_eq!(exit_code(&effects), Some(1));
    assert_eq!(model.last_words, ["Refused: No such challenge."]);
}

#[test]
fn a_challenge_shows_its_terms_before_it_is_accepted() {
    let wish = Wish { how: How::Accept("k7m2q9".to_owned()), secret: true, ..Wish::default() };
    let mut model = online(Goal::Play(wish));
    let terms = format!(
        r#"{{"type":"challenge","challenge":"k7m2q9","challenger":{{"id":"p2","name":"bob","kind":"guest"}},"terms":{{"ruleset":"pbm","time":{{"kind":"unlimited"}}}},"expires":{}}}"#,
        START + 3_600_000
    );
    assert_eq!(received(&mut model, &terms), []);
    assert!(matches!(&model.ui.page, Page::Terms { lines, .. } if lines[0].contains("bob challenges you")));
    let effects = key(&mut model, Key::Char('y'));
    assert!(matches!(sent(&effects)[..], [ClientToServer::AcceptChallenge { secret: true, .. }]));
}

#[test]
fn an_acceptance_without_an_answer_is_repeated_and_its_challenge_not_looked_at_again() {
    let wish = Wish { how: How::Accept("k7m2q9".to_owned()), ..Wish::default() };
    let mut model = online(Goal::Play(wish));
    lose(&mut model, None);
    let effects = welcome(&mut model, "[]");
    assert!(matches!(sent(&effects)[..], [ClientToServer::ShowChallenge { .. }]));
    let terms = r#"{"type":"challenge","challenge":"k7m2q9","challenger":{"id":"p2","name":"bob","kind":"guest"},"terms":{"ruleset":"pbm","time":{"kind":"unlimited"}},"expires":1}"#;
    received(&mut model, terms);
    let first = key(&mut model, Key::Enter);
    lose(&mut model, None);
    let effects = welcome(&mut model, "[]");
    assert_eq!(sent(&effects), sent(&first));
}

#[test]
fn nothing_is_sent_before_the_welcome_and_what_was_chosen_meanwhile_is_asked_then() {
    let mut model = online(Goal::Watch(None));
    let lobby = format!(r#"{{"type":"lobby","seeks":[],"games":[{SUMMARY}],"players_online":2}}"#);
    received(&mut model, &lobby);
    assert!(matches!(&model.ui.page, Page::Choosing(choices) if choices.entries.len() == 1));
    lose(&mut model, None);
    assert_eq!(key(&mut model, Key::Enter), []);
    let effects = welcome(&mut model, "[]");
    assert!(matches!(sent(&effects)[..], [ClientToServer::OpenGame { since: None, .. }]));
}

#[test]
fn a_rematch_leaves_the_old_game_for_the_new_one() {
    let mut model = playing();
    let ended = r#"{"type":"event","game":"0123456789ab","seq":8,"event":{"kind":"ended","outcome":{"winner":"red","reason":"resigned"},"opened":{"red":null,"blue":null}},"change":{}}"#;
    received(&mut model, ended);
    assert!(matches!(sent(&key(&mut model, Key::Char('m')))[..], [ClientToServer::Rematch { .. }]));
    let effects =
        received(&mut model, &format!(r#"{{"type":"game_started","game":{SUMMARY},"side":"red"}}"#));
    assert!(matches!(
        sent(&effects)[..],
        [ClientToServer::CloseGame { .. }, ClientToServer::OpenGame { since: None, .. }]
    ));
}

#[test]
fn who_asks_for_a_rematch_first_is_told_what_it_waits_for() {
    let mut model = playing();
    let ended = r#"{"type":"event","game":"0123456789ab","seq":8,"event":{"kind":"ended","outcome":{"winner":"red","reason":"resigned"},"opened":{"red":null,"blue":null}},"change":{}}"#;
    received(&mut model, ended);
    let effects = key(&mut model, Key::Char('m'));
    let [ClientToServer::Rematch { cmd_id, .. }] = sent(&effects)[..] else { panic!("{effects:?}") };
    received(&mut model, r#"{"type":"rematch_offered","game":"0123456789ab","side":"red"}"#);
    let accepted = serde_json::json!({"type":"accepted","cmd_id":cmd_id,"outcome":{"kind":"done"}});
    received(&mut model, &accepted.to_string());
    assert!(last_note(&model).starts_with("You ask for a rematch"), "{}", last_note(&model));
}

#[test]
fn leaving_takes_an_offer_back_and_says_how_to_go_on_with_a_game() {
    let mut model = seeking(Wish::default());
    received(&mut model, &lobby(&[]));
    seek_stands(&mut model, "s2");
    let effects = update(&mut model, Message::Stop);
    assert!(matches!(sent(&effects)[..], [ClientToServer::CancelSeek { .. }]));
    assert_eq!(exit_code(&effects), Some(0));
    let mut model = playing();
    key(&mut model, Key::Char('q'));
    assert_eq!(exit_code(&key(&mut model, Key::Char('y'))), Some(0));
    assert!(model.last_words[0].ends_with("flagfall play --game 0123456789ab"), "{:?}", model.last_words);
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
fn a_server_without_its_store_is_told_of_once_and_what_was_asked_meanwhile_is_asked_again() {
    let mut model = playing();
    let told = |model: &Model| model.notes.iter().filter(|note| note.contains("reach")).count();
    for available in [false, false] {
        assert_eq!(received(&mut model, &format!(r#"{{"type":"store_state","available":{available}}}"#)), []);
    }
    assert_eq!(told(&model), 1);
    let notes = model.notes.len();
    let asked = sent(&type_in(&mut model, "a5a6")).into_iter().cloned().collect::<Vec<_>>();
    let cmd_id = model.connection.pending[0].cmd_id.as_str().to_owned();
    let refused = format!(
        r#"{{"type":"refused","cmd_id":"{cmd_id}","game":"0123456789ab","code":"store_unavailable","message":"no"}}"#
    );
    assert_eq!(received(&mut model, &refused), []);
    assert!(model.notes.len() <= notes + 1 && told(&model) == 1, "no error for each click");
    let effects = received(&mut model, r#"{"type":"store_state","available":true}"#);
    assert_eq!(sent(&effects), asked.iter().collect::<Vec<_>>());
    assert_eq!(told(&model), 2);
}

#[test]
fn a_client_that_comes_back_while_the_store_is_away_tries_again() {
    let mut model = playing();
    model.game = None;
    lose(&mut model, None);
    update(&mut model, Message::Connected);
    let effects =
        received(&mut model, r#"{"type":"refused","code":"store_unavailable","message":"no store"}"#);
    assert_eq!(exit_code(&effects), None);
    let effects = lose(&mut model, Some(1013));
    assert!(matches!(effects[..], [Effect::Connect { .. }]), "{effects:?}");
}
