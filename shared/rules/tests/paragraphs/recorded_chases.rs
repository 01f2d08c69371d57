//! Recorded games in which the more-squares rule must forbid the last move, but none of the
//! earlier moves (RULES §T).

use std::path::PathBuf;

use flagfall_board::Side;
use flagfall_rules::rulesets::{CLASSIC, TOURNAMENT};
use flagfall_rules::{Command, Position, Referee, Ruleset};

fn data() -> PathBuf {
    std::env::var_os("FLAGFALL_TEST_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    )
}

/// Returns the recorded games. The result is empty if the test data is missing.
fn games() -> Vec<(String, String)> {
    let folder = data().join("chase-games");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!(
            "skipped: no recorded chases in {} (set FLAGFALL_TEST_DATA to their folder)",
            folder.display()
        );
        return Vec::new();
    };
    let mut games: Vec<_> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .map(|path| {
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("a readable file"))
        })
        .collect();
    games.sort();
    games
}

fn position(ruleset: &Ruleset, text: &str) -> Position {
    let rows = text.lines().filter(|line| !line.starts_with('#')).take(10).map(|line| {
        line.split_whitespace()
            .map(|cell| match cell {
                ".." => ".".to_owned(),
                "~~" => "~".to_owned(),
                piece => piece.to_owned(),
            })
            .collect::<String>()
    });
    let board = rows.collect::<Vec<_>>().join("/");
    Position::from_text(&format!("{} red 0 0 {board}", ruleset.id)).expect("a position")
}

/// Plays a recorded game. Returns its number of moves and, if the last move was refused, the code
/// of the refusal.
fn replay(ruleset: &Ruleset, name: &str, text: &str) -> (usize, Option<&'static str>) {
    let moves: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).skip(10).collect();
    let mut position = position(ruleset, text);
    let mut refused = None;
    for (index, squares) in moves.iter().enumerate() {
        let is_last = index + 1 == moves.len();
        let verdict = Referee.judge_command(&position, &Command::Move(squares.parse().expect("a move")));
        let legal = position.legal_moves();
        assert_eq!(legal.contains(squares.parse().expect("a move")), verdict.is_ok(), "{name}: {squares}");
        match verdict {
            Ok(events) => Referee.apply(&mut position, &events),
            Err(refusal) => {
                assert!(is_last, "{name}: ply {index} {squares} was refused: {}", refusal.code());
                refused = Some(refusal.code());
            }
        }
    }
    (moves.len(), refused)
}

#[test]
fn t2_refuses_the_last_move_and_no_other_of_every_recorded_chase() {
    let mut plies = 0;
    let games = games();
    for (name, text) in &games {
        let (length, refused) = replay(&TOURNAMENT, name, text);
        assert_eq!(refused, Some("more_squares"), "{name}");
        plies += length;
    }
    println!("{} recorded chases, {plies} plies", games.len());
}

#[test]
fn c3_alone_lets_every_recorded_chase_go_on() {
    for (name, text) in games() {
        assert_eq!(replay(&CLASSIC, &name, &text).1, None, "{name}");
    }
}

#[test]
fn the_recorded_chases_begin_with_red() {
    for (name, text) in games() {
        assert_eq!(position(&TOURNAMENT, &text).turn(), Side::Red, "{name}");
    }
}
