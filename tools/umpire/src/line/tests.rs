use flagfall_rules::rulesets::{BARRAGE, CLASSIC, PBM_SMALL};

use super::*;

fn lines(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// The deployment that the programs of the first competition used as Red.
const RED: &str = "FB8sB479B8 BB31555583 6724898974 967B669999";
const BLUE: &str = "967B669999 6724898974 BB31555583 FB8sB479B8";

impl FromStr for Quit {
    type Err = LineError;

    fn from_str(line: &str) -> Result<Quit, LineError> {
        let error = || LineError::Umpire { line: quoted(line), wanted: "QUIT with a result" };
        let ["QUIT", name, colour, result, turn, red, blue] = words(line)[..] else { return Err(error()) };
        Ok(Quit {
            name: name.to_owned(),
            side: side(colour).ok_or_else(error)?,
            result: GameResult::ALL.into_iter().find(|known| known.name() == result).ok_or_else(error)?,
            turn: turn.parse().map_err(|_| error())?,
            values: PerSide::new(red.parse().map_err(|_| error())?, blue.parse().map_err(|_| error())?),
        })
    }
}

#[test]
fn every_line_prints_and_reads_back() {
    for text in ["RED bob 10 10", "BLUE a.b-c_d 8 8"] {
        assert_eq!(text.parse::<Opening>().expect("an opening").to_string(), text);
    }
    for text in ["0 3 DOWN", "9 9 UP 1", "4 6 LEFT 4", "0 0 RIGHT 9", "SURRENDER"] {
        assert_eq!(text.parse::<Answer>().expect("an answer").to_string(), text);
    }
    for text in [
        "0 3 DOWN OK",
        "0 3 DOWN 2 KILLS 9 s",
        "1 1 UP 1 DIES 8 ?",
        "1 1 LEFT BOTHDIE B F",
        "1 1 LEFT ILLEGAL",
    ] {
        assert_eq!(text.parse::<MoveReport>().expect("a move with its outcome").to_string(), text);
    }
    for result in GameResult::ALL {
        let text = format!("QUIT bob BLUE {} 17 181 9", result.name());
        assert_eq!(text.parse::<Quit>().expect("a result").to_string(), text);
    }
}

#[test]
fn up_is_towards_row_1() {
    let Ok(Answer::Move(played)) = "4 6 UP".parse() else { panic!("a move") };
    assert_eq!(played.squares.to_string(), "e7e6");
    let Ok(Answer::Move(played)) = "0 3 DOWN 2".parse() else { panic!("a move") };
    assert_eq!(played.squares.to_string(), "a4a6");
    let Ok(Answer::Move(played)) = "0 3 RIGHT".parse() else { panic!("a move") };
    assert_eq!(played.squares.to_string(), "a4b4");
}

#[test]
fn blanks_around_words_are_ignored() {
    assert_eq!(" 0  3\tDOWN ".parse::<Answer>(), "0 3 DOWN".parse());
}

#[test]
fn garbage_is_no_answer() {
    for text in [
        "",
        " ",
        "0 3",
        "0 3 down",
        "0 3 NORTH",
        "a4a5",
        "0 3 DOWN 0",
        "0 3 DOWN -1",
        "0 3 DOWN x",
        "+0 3 DOWN",
        "0 3 DOWN 1 1",
        "-1 3 DOWN",
        "0.5 3 DOWN",
        "surrender",
        "SURRENDER now",
        "NO_MOVE",
        "999 3 DOWN",
    ] {
        assert!(matches!(text.parse::<Answer>(), Err(LineError::Answer { .. })), "{text:?}");
    }
    for text in ["99 3 DOWN", "0 0 UP", "0 10 UP", "0 3 LEFT", "0 3 DOWN 200"] {
        assert!(matches!(text.parse::<Answer>(), Err(LineError::OffBoard { .. })), "{text:?}");
    }
    for text in ["", "0 3 DOWN", "0 3 DOWN KILLS", "0 3 DOWN KILLS 9", "0 3 DOWN EATS 9 9", "0 3 DOWN OK 9"] {
        assert!(text.parse::<MoveReport>().is_err(), "{text:?}");
    }
}

#[test]
fn an_error_repeats_no_more_than_a_piece_of_a_long_line() {
    let line = "é".repeat(500);
    let error = line.parse::<Answer>().expect_err("no answer").to_string();
    assert!(error.chars().count() < 140, "{error}");
}

#[test]
fn the_first_line_of_a_deployment_is_the_smallest_y_for_both_sides() {
    for (side, text, flag) in [(Side::Red, RED, "a1"), (Side::Blue, BLUE, "a10")] {
        let setup = read_deployment(&lines(text), side, &CLASSIC).expect("a deployment");
        let text_p4 = setup.deploy(side, &CLASSIC).expect("an army").into_text();
        assert_eq!(deployment(&text_p4, side, &CLASSIC.shape), lines(text));
        let pieces = pieces(&text_p4, side, &CLASSIC.shape);
        assert!(pieces.contains(&(flag.parse().expect("a square"), Rank::Flag)), "{side}");
    }
}

#[test]
fn empty_squares_are_for_rulesets_that_have_them() {
    let text = ".......... ....9s.... ..1.....9. FB8...2...";
    let setup = read_deployment(&lines(text), Side::Red, &BARRAGE).expect("a deployment");
    assert!(setup.deploy(Side::Red, &BARRAGE).is_ok());
    let error = read_deployment(&lines(text), Side::Red, &CLASSIC).expect_err("none");
    assert_eq!(error, LineError::Letter { line: 1, letter: '.', empty: "" });
}

#[test]
fn deployments_of_another_form_are_refused() {
    let width = |line, have, want| Err(LineError::Width { line, have, want });
    for (text, error) in [
        (RED.replace("BB31555583", "BB3155558"), width(2, 9, 10)),
        (RED.replace("FB8sB479B8", "FB8sB479B8."), width(1, 11, 10)),
        (RED.replace(" 967B669999", ""), width(4, 0, 10)),
        (RED.replace('s', "S"), Err(LineError::Letter { line: 1, letter: 'S', empty: "" })),
        (RED.replace('s', "é"), Err(LineError::Letter { line: 1, letter: 'é', empty: "" })),
    ] {
        assert_eq!(read_deployment(&lines(&text), Side::Red, &CLASSIC).map(|_| ()), error, "{text}");
    }
    assert!(read_deployment(&lines(RED), Side::Red, &PBM_SMALL).is_err());
}

#[test]
fn values_are_those_of_the_first_competition() {
    let army: u32 =
        CLASSIC.army.iter().map(|(rank, count)| u32::from(rank.strength()) * u32::from(count)).sum();
    // The expected value is 10 + 9 + 2 x 8 + 3 x 7 + 4 x 6 + 4 x 5 + 4 x 4 + 5 x 3 + 8 x 2 + 1.
    assert_eq!(army, 148);
}

#[test]
fn names_are_one_word() {
    assert_eq!(fit_name("my bot (v2).py"), "my-bot--v2-.py");
    assert_eq!(fit_name(""), "program");
    assert_eq!(fit_name(&"x".repeat(99)).len(), 32);
}
