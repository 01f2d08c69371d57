//! Tests of questions about the game in line-based mode.

use super::*;

fn answer(model: &Model, question: &str) -> String {
    let mut model = model.clone();
    model.options.face = Face::Lines;
    model.notes.take_unprinted();
    assert_eq!(update(&mut model, Message::Line(question.to_owned())), [], "{question}");
    model.notes.take_unprinted().join("\n")
}

#[test]
fn one_question_about_the_position_gets_one_answer() {
    let mut model = game("classic", "red", &classic_view("red"));
    model.game.as_mut().expect("a game").view.captured.red[flagfall_board::Rank::Scout] = 1;
    for (question, words) in [
        ("square a5", "a5: your Lieutenant (6), known"),
        ("Square E6", "e6: Blue's hidden piece, has moved"),
        ("square k4", "Name a square on the board, for example: square a4"),
        ("square", "Name a square on the board, for example: square a4"),
        ("row 6", "c6: lake\nd6: lake\ne6: Blue's hidden piece, has moved\ng6: lake\nh6: lake"),
        ("row 11", "Name a row from 1 to 10, for example: row 4"),
        ("row 0", "Name a row from 1 to 10, for example: row 4"),
        (
            "rank marshal",
            "Red, Marshal: 0 lost, 1 left, seen on f4.\nBlue, Marshal: 0 lost, 1 left, none seen.",
        ),
        ("rank king", "Name a rank by its name or letter, for example: rank scout"),
        ("last", "Blue moves e7e6."),
        ("clocks", "Red: 9:41 left, running.\nBlue: 10:02 left."),
    ] {
        assert_eq!(answer(&model, question), words, "{question}");
    }
    assert!(answer(&model, "losses").starts_with("Red has lost: 1 Scout.\nRed still has: 1 Marshal,"));
    assert!(answer(&model, "losses").contains("\nBlue has lost nothing.\n"));
    let scouts = answer(&model, "rank 9");
    assert!(scouts.starts_with("Red, Scout: 1 lost, 7 left, seen on "), "{scouts}");
}

#[test]
fn a_row_can_be_empty_a_rank_missing_and_no_move_made() {
    let mut model = game("barrage", "red", &classic_view("red"));
    let open = model.game.as_mut().expect("a game");
    open.view.pieces.retain(|piece| piece.square.row() != 2);
    (open.view.last_move, open.view.clock) = (None, None);
    assert_eq!(answer(&model, "row 3"), "Row 3 is empty.");
    assert_eq!(answer(&model, "rank colonel"), "There is no Colonel in this game.");
    assert_eq!(answer(&model, "last"), "No move has been made.");
    assert_eq!(answer(&model, "clocks"), "No clock runs.");
    let coins = answer(&quantum(""), "rank captain");
    assert!(coins.contains("Red, Captain: 0 lost, 1 still possible, "), "{coins}");
}

#[test]
fn the_deployment_that_is_made_is_described() {
    let mut model = game("classic", "red", &deploying_view(START + 245_000));
    let editor = model.game.as_mut().and_then(|game| game.editor.as_mut()).expect("an editor");
    editor.load(crate::fixtures::CLASSIC).expect("a deployment");
    assert!(answer(&model, "square a1").starts_with("a1: "), "{}", answer(&model, "square a1"));
    assert_eq!(answer(&model, "row 4").lines().count(), 10);
    assert_eq!(answer(&model, "clocks"), "4:05 left to deploy.");
}

#[test]
fn without_a_game_there_is_no_answer() {
    let model = online(Goal::Play(Wish::default()));
    assert_eq!(answer(&model, "clocks"), "There is no game yet.");
}
