use flagfall_rules::rulesets::{BARRAGE, CLASSIC, COURSE, ORIGINAL, PBM};

use super::*;
use crate::line::LineError;

const RED: &str = "FB8sB479B8 BB31555583 6724898974 967B669999";
const BLUE: &str = "967B669999 6724898974 BB31555583 FB8sB479B8";
/// A deployment with few pieces. The only other piece in the column of each Flag is a Scout of
/// the opponent.
const RED_BARRAGE: &str = "F9B12s8..9 .......... .......... ..........";
const BLUE_BARRAGE: &str = "9......... .......... .......... .9B12s8..F";

fn bout(ruleset: &'static Ruleset) -> Bout {
    Bout::new(BoutTerms {
        game: GameId::from_random([7; 12]),
        ruleset,
        lakes: ruleset.draw_lakes(&Entropy([3; 32])),
        created: Stamp(1_790_000_000_000),
        names: PerSide::new("ann".to_owned(), "bob".to_owned()),
        limits: Limits::default(),
        entropy: PerSide::new(Entropy([1; 32]), Entropy([2; 32])),
    })
}

fn said(side: Side, line: &str) -> Input {
    Input::Said(side, Cut::Line(line.to_owned()))
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A bout, the current time in it, and all lines that each side has received.
struct Table {
    bout: Bout,
    now: Duration,
    told: PerSide<String>,
    muted: PerSide<bool>,
}

impl Table {
    fn new(ruleset: &'static Ruleset) -> Table {
        let bout = bout(ruleset);
        let outputs = bout.start();
        let mut table = Table { bout, now: ms(0), told: PerSide::default(), muted: PerSide::default() };
        table.take(outputs);
        table
    }

    fn started(ruleset: &'static Ruleset, red: &str, blue: &str) -> Table {
        let mut table = Table::new(ruleset);
        table.deploys(Side::Red, red);
        table.deploys(Side::Blue, blue);
        table
    }

    fn take(&mut self, outputs: Vec<Output>) {
        for output in outputs {
            match output {
                Output::Tell(side, text) => self.told[side].push_str(&text),
                Output::Mute(side) => self.muted[side] = true,
            }
        }
    }

    fn does(&mut self, input: Input) {
        let outputs = self.bout.step(self.now, input);
        self.take(outputs);
    }

    fn says(&mut self, side: Side, line: &str) {
        self.does(said(side, line));
    }

    fn deploys(&mut self, side: Side, text: &str) {
        text.split_whitespace().for_each(|line| self.says(side, line));
    }

    /// Returns the text that a side has received since the last call.
    fn heard(&mut self, side: Side) -> String {
        std::mem::take(&mut self.told[side])
    }

    /// Returns the last line, which both sides received, and the ending.
    fn end(&mut self) -> (String, Ending) {
        let ending = self.bout.ending().expect("an end").clone();
        for side in Side::BOTH {
            assert!(self.heard(side).ends_with(&format!("{}\n", ending.quit)), "{side} is told the end");
        }
        assert_eq!(self.bout.deadline(), None);
        (ending.quit.to_string(), ending)
    }

    fn ends(&mut self, quit: &str, winner: Option<Side>, reason: EndReason) -> PerSide<Option<Fault>> {
        let (told, ending) = self.end();
        assert_eq!(told, quit);
        assert_eq!(ending.outcome, Outcome { winner, reason });
        ending.faults
    }
}

#[test]
fn the_dialogue_is_that_of_the_protocol() {
    let mut table = Table::new(&CLASSIC);
    assert_eq!(table.heard(Side::Red), "RED ./bob 10 10\n");
    assert_eq!(table.heard(Side::Blue), "BLUE ./ann 10 10\n");
    table.deploys(Side::Blue, BLUE);
    assert_eq!(table.heard(Side::Red), "", "nobody learns when the other has deployed");
    table.deploys(Side::Red, RED);
    assert_eq!(
        table.heard(Side::Red),
        "START\nFB8sB479B8\nBB31555583\n6724898974\n967B669999\n..++..++..\n..++..++..\n##########\n##########\n##########\n##########\n"
    );
    assert_eq!(table.heard(Side::Blue), "");
    table.says(Side::Red, "0 3 DOWN 2");
    assert_eq!(table.heard(Side::Red), "0 3 DOWN 2 OK\n");
    assert_eq!(
        table.heard(Side::Blue),
        "0 3 DOWN 2 OK\n##########\n##########\n##########\n.#########\n..++..++..\n#.++..++..\n967B669999\n6724898974\nBB31555583\nFB8sB479B8\n"
    );
    // A Scout strikes a Scout, so both leave.
    table.says(Side::Blue, "0 6 UP 1");
    assert_eq!(table.heard(Side::Blue), "0 6 UP 1 BOTHDIE 9 9\n");
    assert!(table.heard(Side::Red).starts_with("0 6 UP 1 BOTHDIE 9 9\nFB8sB479B8\n"));
    // A Lieutenant moves toward a Scout and captures it.
    table.says(Side::Red, "4 3 DOWN");
    table.says(Side::Blue, "4 6 UP");
    table.heard(Side::Blue);
    table.says(Side::Red, "4 4 DOWN");
    assert_eq!(table.heard(Side::Red).lines().last(), Some("4 4 DOWN BOTHDIE 6 6"));
    table.says(Side::Blue, "5 6 UP");
    table.says(Side::Red, "8 3 DOWN 2");
    table.says(Side::Blue, "5 5 UP");
    table.heard(Side::Red);
    table.says(Side::Red, "8 5 DOWN");
    assert_eq!(table.heard(Side::Red), "8 5 DOWN BOTHDIE 9 9\n");
    table.says(Side::Blue, "SURRENDER");
    assert!(!table.told[Side::Red].contains("SURRENDER\n"), "the end is not echoed");
    let faults = table.ends("QUIT bob BLUE SURRENDER 5 139 139", Some(Side::Red), EndReason::Resigned);
    assert_eq!(faults, PerSide::default());
}

#[test]
fn a_taken_flag_is_the_movers_victory_and_is_not_echoed() {
    let mut table = Table::started(&BARRAGE, RED_BARRAGE, BLUE_BARRAGE);
    table.says(Side::Red, "9 0 DOWN 9");
    assert!(!table.told[Side::Red].contains("KILLS"));
    table.ends("QUIT ann RED VICTORY 1 27 27", Some(Side::Red), EndReason::FlagCaptured);
    let mut table = Table::started(&BARRAGE, RED_BARRAGE, BLUE_BARRAGE);
    table.says(Side::Red, "9 0 LEFT");
    table.says(Side::Blue, "0 6 UP 6");
    table.ends("QUIT bob BLUE VICTORY 1 27 27", Some(Side::Blue), EndReason::FlagCaptured);
}

#[test]
fn a_moving_defender_is_reported_as_the_attackers_loss() {
    let mut table = Table::started(&ORIGINAL, RED, BLUE);
    for (side, line) in [
        (Side::Red, "1 3 DOWN"),
        (Side::Blue, "0 6 UP 2"),
        (Side::Red, "1 4 DOWN"),
        (Side::Blue, "0 4 RIGHT"),
        (Side::Red, "9 3 DOWN"),
    ] {
        table.says(side, line);
    }
    table.heard(Side::Red);
    // Blue's Scout strikes a Lieutenant. The Lieutenant wins and moves to the Scout's square.
    table.says(Side::Blue, "1 4 DOWN");
    let heard = table.heard(Side::Red);
    assert!(heard.starts_with("1 4 DOWN DIES 9 6\n"), "{heard}");
    assert!(heard.contains("\n.6++..++.9\n"), "{heard}");
}

#[test]
fn both_sides_deploy_before_anything_is_judged() {
    let mut table = Table::new(&PBM);
    table.deploys(Side::Red, &RED.replace("FB8s", "FF8s"));
    assert!(table.bout.ending().is_none());
    table.deploys(Side::Blue, BLUE);
    let faults = table.ends("QUIT ann RED ILLEGAL 0 0 0", Some(Side::Blue), EndReason::IllegalAct);
    assert!(matches!(faults.red, Some(Fault::Deployment(_))));
    let mut table = Table::new(&PBM);
    table.deploys(Side::Blue, &BLUE.replace("FB8s", "xB8s"));
    table.deploys(Side::Red, RED);
    let faults = table.ends("QUIT ann RED DEFAULT 0 0 0", Some(Side::Red), EndReason::IllegalAct);
    assert!(matches!(faults.blue, Some(Fault::Garbage(LineError::Letter { line: 4, letter: 'x', .. }))));
}

#[test]
fn both_may_fail_to_deploy() {
    let mut table = Table::new(&PBM);
    table.deploys(Side::Red, &RED.replace("FB8s", "FF8s"));
    table.does(Input::Gone(Side::Blue));
    table.ends("QUIT ann RED BOTH_ILLEGAL 0 0 0", None, EndReason::IllegalAct);
    let mut table = Table::new(&PBM);
    table.now = ms(2_001);
    table.does(Input::Tick);
    let faults = table.ends("QUIT ann RED BOTH_ILLEGAL 0 0 0", None, EndReason::IllegalAct);
    let late = Some(Fault::Late { limit: ms(2_000) });
    assert_eq!(faults, PerSide::new(late.clone(), late));
}

#[test]
fn a_deployment_that_is_late_loses() {
    let mut table = Table::new(&PBM);
    table.deploys(Side::Blue, BLUE);
    table.says(Side::Red, "FB8sB479B8");
    assert_eq!(table.bout.deadline(), Some(ms(2_000)));
    table.now = ms(2_001);
    table.deploys(Side::Red, RED);
    table.ends("QUIT ann RED ILLEGAL 0 0 0", Some(Side::Blue), EndReason::OutOfTime);
}

#[test]
fn an_answer_at_the_limit_is_in_time_and_one_beyond_it_is_late() {
    let mut table = Table::new(&PBM);
    table.now = ms(700);
    table.deploys(Side::Red, RED);
    table.deploys(Side::Blue, BLUE);
    assert_eq!(table.bout.deadline(), Some(ms(2_700)), "time counts from the question");
    table.now = ms(2_700);
    table.does(Input::Tick);
    table.says(Side::Red, "0 3 DOWN");
    assert_eq!(table.heard(Side::Red).lines().last(), Some("0 3 DOWN OK"));
    table.now = ms(4_701);
    table.says(Side::Blue, "0 6 UP");
    let faults = table.ends("QUIT bob BLUE ILLEGAL 1 148 148", Some(Side::Red), EndReason::OutOfTime);
    assert_eq!(faults.blue, Some(Fault::Late { limit: ms(2_000) }));
    let thinking = table.bout.thinking;
    assert_eq!(thinking.red, Thinking { answers: 1, total: ms(2_000), longest: ms(2_000) });
    assert_eq!(thinking.blue, Thinking::default());
}

#[test]
fn answers_that_are_none_or_against_the_rules_lose() {
    for (line, fault) in [
        ("hello", "Garbage"),
        ("", "Garbage"),
        ("NO_MOVE", "Garbage"),
        ("0 3 DOWN 77", "Garbage"),
        // Illegal moves: from an empty square, of an enemy piece, of a piece that cannot move,
        // into a lake, too far, and onto the player's own piece.
        ("0 4 DOWN", "Move"),
        ("0 6 UP", "Move"),
        ("0 0 DOWN", "Move"),
        ("3 3 DOWN", "Move"),
        ("2 3 DOWN", "Move"),
        ("1 3 DOWN 2", "Move"),
        ("0 3 UP", "Move"),
    ] {
        let mut table = Table::started(&PBM, RED, BLUE);
        table.says(Side::Red, line);
        assert!(!table.told[Side::Red].contains("ILLEGAL\n"), "a move that ends the game is not echoed");
        let faults = table.ends("QUIT ann RED ILLEGAL 1 148 148", Some(Side::Blue), EndReason::IllegalAct);
        let found = format!("{:?}", faults.red);
        assert!(found.contains(fault), "{line:?}: {found}");
    }
    for (cut, fault) in [(Cut::TooLong, Fault::LineTooLong), (Cut::NotUtf8, Fault::NotUtf8)] {
        let mut table = Table::started(&PBM, RED, BLUE);
        table.does(Input::Said(Side::Red, cut));
        let faults = table.ends("QUIT ann RED ILLEGAL 1 148 148", Some(Side::Blue), EndReason::IllegalAct);
        assert_eq!(faults.red, Some(fault));
    }
}

#[test]
fn a_program_that_ends_or_does_not_read_at_its_turn_has_left() {
    for (input, fault) in [(Input::Gone(Side::Red), Fault::Gone), (Input::Unread(Side::Red), Fault::Unread)] {
        let mut table = Table::started(&PBM, RED, BLUE);
        table.does(input);
        let faults = table.ends("QUIT ann RED ILLEGAL 1 148 148", Some(Side::Blue), EndReason::Abandoned);
        assert_eq!(faults.red, Some(fault));
    }
}

#[test]
fn the_first_line_out_of_turn_counts_at_the_next_turn() {
    for (input, fault, reason) in [
        (said(Side::Blue, "0 6 UP"), Fault::out_of_turn("0 6 UP"), EndReason::IllegalAct),
        (Input::Said(Side::Blue, Cut::TooLong), Fault::LineTooLong, EndReason::IllegalAct),
        (Input::Said(Side::Blue, Cut::NotUtf8), Fault::NotUtf8, EndReason::IllegalAct),
        (Input::Gone(Side::Blue), Fault::Gone, EndReason::Abandoned),
        (Input::Unread(Side::Blue), Fault::Unread, EndReason::Abandoned),
    ] {
        let mut table = Table::started(&PBM, RED, BLUE);
        table.does(input.clone());
        table.does(Input::Gone(Side::Blue));
        table.does(said(Side::Blue, "SURRENDER"));
        assert!(table.bout.ending().is_none(), "Red may still win");
        table.says(Side::Red, "0 3 DOWN");
        let faults = table.ends("QUIT bob BLUE ILLEGAL 1 148 148", Some(Side::Red), reason);
        assert_eq!(faults, PerSide::new(None, Some(fault)), "{input:?}");
    }
}

#[test]
fn a_flooding_program_is_no_longer_read() {
    let mut table = Table::started(&PBM, RED, BLUE);
    table.says(Side::Blue, "0 6 UP");
    assert_eq!(table.muted, PerSide::new(false, true));
}

#[test]
fn a_win_before_the_opponents_fault_is_judged_stands() {
    let mut table = Table::started(&BARRAGE, RED_BARRAGE, BLUE_BARRAGE);
    table.does(Input::Gone(Side::Blue));
    table.says(Side::Red, "9 0 DOWN 9");
    table.ends("QUIT ann RED VICTORY 1 27 27", Some(Side::Red), EndReason::FlagCaptured);
}

#[test]
fn a_line_too_many_in_the_deployment_is_out_of_turn() {
    let mut table = Table::new(&PBM);
    table.deploys(Side::Red, &format!("{RED} 967B669999"));
    table.deploys(Side::Blue, BLUE);
    let faults = table.ends("QUIT ann RED ILLEGAL 1 148 148", Some(Side::Blue), EndReason::IllegalAct);
    assert_eq!(faults.red, Some(Fault::out_of_turn("967B669999")));
}

#[test]
fn nothing_said_after_the_end_changes_it() {
    let mut table = Table::started(&PBM, RED, BLUE);
    table.says(Side::Red, "SURRENDER");
    let (_, ending) = table.end();
    for side in Side::BOTH {
        table.says(side, "0 3 DOWN");
        table.does(Input::Gone(side));
    }
    table.now = ms(60_000);
    table.does(Input::Tick);
    table.does(Input::Stop);
    assert_eq!(table.bout.ending(), Some(&ending));
    assert_eq!(table.told, PerSide::default());
}

#[test]
fn an_interrupted_game_has_no_winner() {
    let mut table = Table::started(&PBM, RED, BLUE);
    table.says(Side::Red, "0 3 DOWN");
    table.does(Input::Stop);
    table.ends("QUIT bob BLUE INTERNAL_ERROR 1 148 148", None, EndReason::Aborted);
}

#[test]
fn a_side_that_cannot_move_at_the_start_loses() {
    // Red has Bombs on all front squares that do not face a lake, so Red cannot move.
    let walled = "F123344455 5566667777 s888889999 BB99BB99BB";
    let mut table = Table::started(&PBM, walled, BLUE);
    table.ends("QUIT ann RED DEFEAT 1 148 148", Some(Side::Blue), EndReason::NoLegalMove);
    let other = "BB99BB99BB s888889999 5566667777 F123344455";
    let mut table = Table::started(&PBM, walled, other);
    table.ends("QUIT ann RED DRAW 1 148 148", None, EndReason::BothBlocked);
    let mut table = Table::started(&PBM, RED, other);
    table.says(Side::Red, "0 3 DOWN 2");
    table.ends("QUIT ann RED VICTORY 1 148 148", Some(Side::Red), EndReason::NoLegalMove);
}

#[test]
fn turns_are_of_both_sides() {
    for (plies, side, expected) in [
        (0, Side::Red, 1),
        (1, Side::Red, 1),
        (1, Side::Blue, 1),
        (2, Side::Blue, 1),
        (2, Side::Red, 2),
        (3, Side::Red, 2),
        (5000, Side::Blue, 2500),
    ] {
        assert_eq!(turn(plies, side), expected, "{plies} {side}");
    }
}

#[test]
fn every_end_has_its_word() {
    use GameResult::{
        BothIllegal, Default, Defeat, Draw, DrawDefault, Illegal, InternalError, Surrender, Victory,
    };
    let word = |winner, reason| result(Outcome { winner, reason }, Side::Red);
    let (red, blue) = (Some(Side::Red), Some(Side::Blue));
    for (reason, won, lost, nobody) in [
        (EndReason::FlagCaptured, Victory, Defeat, InternalError),
        (EndReason::NoLegalMove, Victory, Defeat, InternalError),
        (EndReason::Resigned, Default, Surrender, InternalError),
        (EndReason::OutOfTime, Default, Illegal, BothIllegal),
        (EndReason::Abandoned, Default, Illegal, BothIllegal),
        (EndReason::IllegalAct, Default, Illegal, BothIllegal),
    ] {
        assert_eq!([word(red, reason), word(blue, reason), word(None, reason)], [won, lost, nobody]);
    }
    assert_eq!(word(None, EndReason::BothBlocked), Draw);
    assert_eq!(word(None, EndReason::DrawAgreed), Draw);
    assert_eq!(word(None, EndReason::QuietLimit), DrawDefault);
    assert_eq!(word(None, EndReason::PlyLimit), DrawDefault);
    assert_eq!(word(None, EndReason::Aborted), InternalError);
}

#[test]
fn the_record_tells_the_whole_game() {
    let mut table = Table::started(&PBM, RED, BLUE);
    table.now = ms(1_500);
    table.says(Side::Red, "0 3 DOWN 2");
    table.says(Side::Blue, "nonsense");
    let record = table.bout.record();
    assert_eq!(record.players.blue.name, "bob");
    let outcome = record.outcome.expect("an outcome");
    assert_eq!((outcome.winner, outcome.reason.as_str()), (Some(Side::Red), "illegal_act"));
    for side in Side::BOTH {
        assert!(record.deployments[side].is_some() && record.commitments[side].is_some());
    }
    let stamps: Vec<u64> = record.events.iter().map(|event| event.at - record.created).collect();
    assert_eq!(stamps, [0, 0, 0, 1_500, 1_500]);
}

#[test]
fn where_illegal_acts_lose_by_the_rules_the_protocol_says_the_same() {
    let mut table = Table::started(&COURSE, RED, BLUE);
    table.says(Side::Red, "0 0 DOWN");
    let faults = table.ends("QUIT ann RED ILLEGAL 1 148 148", Some(Side::Blue), EndReason::IllegalAct);
    assert_eq!(faults.red, Some(Fault::Move { answer: "0 0 DOWN".to_owned(), refusal: None }));
    let (red, blue) = (RED.replace("FB8s", "FF8s"), BLUE.replace("FB8s", "FF8s"));
    for (red, blue, quit, winner) in [
        (red.as_str(), BLUE, "QUIT ann RED ILLEGAL 0 0 0", Some(Side::Blue)),
        (RED, blue.as_str(), "QUIT ann RED DEFAULT 0 0 0", Some(Side::Red)),
        (red.as_str(), blue.as_str(), "QUIT ann RED BOTH_ILLEGAL 0 0 0", None),
    ] {
        let mut table = Table::started(&COURSE, red, blue);
        let faults = table.ends(quit, winner, EndReason::IllegalAct);
        assert_eq!(faults.red.is_some(), red != RED);
        assert_eq!(faults.blue.is_some(), blue != BLUE);
    }
    let mut table = Table::new(&COURSE);
    table.deploys(Side::Red, &red);
    table.does(Input::Gone(Side::Blue));
    table.ends("QUIT ann RED BOTH_ILLEGAL 0 0 0", None, EndReason::IllegalAct);
}

#[test]
fn drawn_lakes_are_shown_with_the_first_board() {
    let mut table = Table::started(&COURSE, RED, BLUE);
    let board = table.heard(Side::Red);
    let lakes: Vec<&str> = board.lines().filter(|row| row.contains('+')).collect();
    assert_eq!(lakes.len(), 2);
    assert_eq!(lakes[0], lakes[1]);
    assert_eq!(lakes[0].matches('+').count(), 4);
}
