//! Tests that a program receives the same lines from a server as from the umpire, and that its
//! faults do not reach the server.

use std::time::Duration;

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_protocol::{GameCommand, GameEvent, GameView, ServerToClient, Time};
use flagfall_rules::rulesets::{BARRAGE, CLASSIC, COURSE, PBM, PBM_SMALL};
use flagfall_rules::{EndReason, Entropy, Outcome, Refusal, Ruleset};
use flagfall_umpire::bout::{self, Bout, BoutTerms, Input};
use flagfall_umpire::fault::Fault;
use flagfall_umpire::line::can_tell;
use flagfall_umpire::lines::Cut;

use super::host::Host;
use super::{Program, said};
use crate::faces::program::dialogue::{Dialogue, DialogueOutput, Limits};
use crate::faces::program::failure::Failure;

const NOW: Duration = Duration::from_secs(1);
const RED: &str = "FB8sB479B8 BB31555583 6724898974 967B669999";
const BLUE: &str = "967B669999 6724898974 BB31555583 FB8sB479B8";

/// A wrong answer: the side that gives it, the index of the answer that it replaces, and the
/// wrong text. Each line of the deployment counts as an answer.
type Slip = Option<(Side, usize, &'static str)>;

/// Two programs, and all lines that they received.
struct Programs {
    programs: PerSide<Program>,
    answers: PerSide<usize>,
    heard: PerSide<String>,
    slip: Slip,
}

impl Programs {
    fn new(ruleset: &'static Ruleset, seed: u64, slip: Slip) -> Programs {
        Programs {
            programs: PerSide::from_fn(|side| Program::new(ruleset, seed + side as u64)),
            answers: PerSide::new(0, 0),
            heard: PerSide::default(),
            slip,
        }
    }

    fn hear(&mut self, side: Side, text: &str) -> Vec<String> {
        self.heard[side].push_str(text);
        let mut lines = self.programs[side].hear(text);
        for line in &mut lines {
            if let Some((_, _, other)) =
                self.slip.filter(|slip| (slip.0, slip.1) == (side, self.answers[side]))
            {
                *line = other.to_owned();
            }
            self.answers[side] += 1;
        }
        lines
    }
}

/// Plays the game under the umpire. Returns the lines that each side received.
fn umpired(ruleset: &'static Ruleset, seed: u64, slip: Slip) -> PerSide<String> {
    let mut programs = Programs::new(ruleset, seed, slip);
    let mut bout = Bout::new(BoutTerms {
        game: GameId::from_random([7; 12]),
        ruleset,
        lakes: lakes(ruleset),
        created: Stamp(1),
        names: PerSide::new("ann".to_owned(), "bob".to_owned()),
        limits: bout::Limits::default(),
        entropy: PerSide::new(Entropy([1; 32]), Entropy([2; 32])),
    });
    let mut outputs = std::collections::VecDeque::from(bout.start());
    while let Some(output) = outputs.pop_front() {
        if let bout::Output::Tell(side, text) = output {
            for line in programs.hear(side, &text) {
                outputs.extend(bout.step(Duration::ZERO, Input::Said(side, Cut::Line(line))));
            }
        }
    }
    assert!(bout.ending().is_some());
    programs.heard
}

fn lakes(ruleset: &Ruleset) -> flagfall_board::SquareSet {
    ruleset.draw_lakes(&Entropy([3; 32]))
}

/// A game on a server, with a dialogue and a view for each side.
struct Table {
    host: Host,
    dialogues: PerSide<Dialogue>,
    views: PerSide<GameView>,
    /// The failures that the dialogues reported.
    failures: PerSide<Vec<Failure>>,
    over: PerSide<bool>,
}

impl Table {
    fn new(ruleset: &'static Ruleset, time: Time, limits: Limits) -> Table {
        let host = Host::new(ruleset, lakes(ruleset), time);
        let dialogues = PerSide::from_fn(|side| Dialogue::new(side, ruleset, &host.summary, limits));
        let views = PerSide::from_fn(|side| host.view(side));
        Table { host, dialogues, views, failures: PerSide::default(), over: PerSide::new(false, false) }
    }

    /// Plays until neither side has any more output.
    fn play(&mut self, programs: &mut Programs) {
        let mut outputs = std::collections::VecDeque::new();
        for side in Side::BOTH {
            let said = self.dialogues[side].open(NOW, 0, &self.views[side]);
            outputs.extend(said.into_iter().map(|output| (side, output)));
        }
        while let Some((side, output)) = outputs.pop_front() {
            match output {
                DialogueOutput::Tell(text) => {
                    for line in programs.hear(side, &text) {
                        let input = Input::Said(side, Cut::Line(line));
                        let said = self.dialogues[side].hear(NOW, input, &self.views[side]);
                        outputs.extend(said.into_iter().map(|output| (side, output)));
                    }
                }
                DialogueOutput::Command(command) => {
                    let told = match self.host.ask(side, &command) {
                        // The other side has already ended the game by giving up.
                        Err(Refusal::GameOver) => continue,
                        other => other.expect("the server sees nothing illegal"),
                    };
                    for viewer in Side::BOTH {
                        for message in &told[viewer] {
                            let said = self.show(viewer, message);
                            outputs.extend(said.into_iter().map(|output| (viewer, output)));
                        }
                    }
                    if matches!(command, GameCommand::Move { .. }) {
                        let said = self.dialogues[side].acknowledged();
                        outputs.extend(said.into_iter().map(|output| (side, output)));
                    }
                }
                DialogueOutput::Mute => {}
                DialogueOutput::Fail(failure) => self.failures[side].push(failure),
                DialogueOutput::Over => self.over[side] = true,
            }
        }
    }

    fn show(&mut self, side: Side, message: &ServerToClient) -> Vec<DialogueOutput> {
        let ServerToClient::Event { event, change, .. } = message else { panic!("{message:?}") };
        self.views[side].apply(event, change);
        self.dialogues[side].follow(NOW, std::slice::from_ref(event), &self.views[side], false)
    }
}

fn served(ruleset: &'static Ruleset, seed: u64, slip: Slip) -> (PerSide<String>, Table) {
    let mut programs = Programs::new(ruleset, seed, slip);
    let mut table = Table::new(ruleset, Time::Unlimited {}, Limits::default());
    table.play(&mut programs);
    assert!(table.over.red && table.over.blue);
    (programs.heard, table)
}

fn tellable() -> impl Iterator<Item = &'static Ruleset> {
    Ruleset::all().iter().copied().filter(|ruleset| can_tell(ruleset))
}

#[test]
fn a_program_cannot_tell_a_server_from_the_umpire() {
    let mut ends = std::collections::BTreeSet::new();
    for ruleset in tellable() {
        for seed in [1, 20] {
            let (heard, table) = served(ruleset, seed, None);
            let wanted = umpired(ruleset, seed, None);
            for side in Side::BOTH {
                assert!(
                    heard[side] == wanted[side],
                    "{} {seed} {side}:\n{}",
                    ruleset.id,
                    difference(&heard[side], &wanted[side])
                );
                assert_eq!(table.failures[side], []);
            }
            ends.extend(table.host.game.outcome().map(|outcome| outcome.reason.code()));
        }
    }
    assert!(ends.contains("flag_captured") && ends.contains("quiet_limit"), "{ends:?}");
}

/// Returns the ends of both texts, starting just before the first difference.
fn difference(left: &str, right: &str) -> String {
    let at = left.lines().zip(right.lines()).take_while(|(left, right)| left == right).count();
    let rest = |text: &str| text.lines().skip(at.saturating_sub(2)).take(16).collect::<Vec<_>>().join("\n");
    format!("{}\n--- wanted:\n{}", rest(left), rest(right))
}

#[test]
fn a_surrender_is_reported_as_by_the_umpire() {
    for ruleset in tellable() {
        let home = usize::from(ruleset.shape.home_rows);
        for slip in [(Side::Red, home, "SURRENDER"), (Side::Blue, home + 2, "SURRENDER")] {
            let (heard, table) = served(ruleset, 3, Some(slip));
            assert!(heard == umpired(ruleset, 3, Some(slip)), "{} {slip:?}", ruleset.id);
            let outcome = Outcome { winner: Some(slip.0.opponent()), reason: EndReason::Resigned };
            assert_eq!(table.host.game.outcome(), Some(outcome), "{}", ruleset.id);
        }
    }
}

#[test]
fn an_illegal_move_that_loses_is_sent_and_reported_to_the_program() {
    for (slip, code) in [
        ((Side::Red, 4, "0 0 RIGHT"), 6),
        ((Side::Blue, 5, "0 0 DOWN 4"), 6),
        ((Side::Red, 1, "FFFFFFFFFF"), 7),
        ((Side::Blue, 3, "FFFFFFFFFF"), 7),
    ] {
        let (heard, table) = served(&COURSE, 5, Some(slip));
        assert!(
            heard == umpired(&COURSE, 5, Some(slip)),
            "{slip:?}: {}",
            difference(&heard.red, &umpired(&COURSE, 5, Some(slip)).red)
        );
        let outcome = Outcome { winner: Some(slip.0.opponent()), reason: EndReason::IllegalAct };
        assert_eq!(table.host.game.outcome(), Some(outcome));
        let codes: Vec<u8> = table.failures[slip.0].iter().map(Failure::code).collect();
        assert_eq!((codes.as_slice(), table.failures[slip.0.opponent()].len()), (&[code][..], 0), "{slip:?}");
    }
}

#[test]
fn a_programs_invalid_move_resigns_its_game_unsent() {
    for ruleset in tellable().filter(|ruleset| !ruleset.illegal_act_loses) {
        let home = usize::from(ruleset.shape.home_rows);
        let row = "FFFFFFFFFFFFFFFF".get(..usize::from(ruleset.shape.columns)).expect("a row");
        for (side, answer, line, code, reason) in [
            (Side::Red, 0, row, 7, EndReason::Aborted),
            (Side::Blue, 0, "F", 7, EndReason::Aborted),
            (Side::Blue, 1, "hello", 7, EndReason::Aborted),
            (Side::Red, home, "0 0 UP 3", 6, EndReason::Aborted),
            (Side::Red, home, "hello", 5, EndReason::Aborted),
            (Side::Red, home + 1, "0 0 RIGHT", 6, EndReason::Resigned),
            (Side::Blue, home + 1, "1 2 3 4 5", 5, EndReason::Resigned),
        ] {
            let (heard, table) = served(ruleset, 8, Some((side, answer, line)));
            let codes: Vec<u8> = table.failures[side].iter().map(Failure::code).collect();
            assert_eq!(codes, [code], "{} {line}", ruleset.id);
            assert_eq!(table.failures[side.opponent()], []);
            assert_eq!(table.host.game.outcome().map(|outcome| outcome.reason), Some(reason));
            for side in Side::BOTH {
                assert!(heard[side].lines().last().is_some_and(|line| line.starts_with("QUIT ")));
            }
        }
    }
}

/// Returns a game of `classic` in which Red has been asked for its first move.
fn started(time: Time, limits: Limits) -> Table {
    let mut table = Table::new(&CLASSIC, time, limits);
    for side in Side::BOTH {
        let text = if side == Side::Red { RED } else { BLUE };
        assert_eq!(table.dialogues[side].open(NOW, 0, &table.views[side]).len(), 1);
        let mut outputs = Vec::new();
        for line in text.split(' ') {
            outputs.extend(table.dialogues[side].hear(NOW, said(line), &table.views[side]));
        }
        let [DialogueOutput::Command(command)] = &outputs[..] else { panic!("{outputs:?}") };
        let command = command.clone();
        ask(&mut table, side, &command);
    }
    table
}

/// Sends a command to the host. Returns the outputs of the dialogues.
fn ask(table: &mut Table, side: Side, command: &GameCommand) -> PerSide<Vec<DialogueOutput>> {
    let told = table.host.ask(side, command).expect("taken");
    PerSide::from_fn(|viewer| told[viewer].iter().flat_map(|message| table.show(viewer, message)).collect())
}

fn says(table: &mut Table, side: Side, line: &str) -> Vec<DialogueOutput> {
    table.dialogues[side].hear(NOW, said(line), &table.views[side])
}

fn tells(outputs: &[DialogueOutput]) -> String {
    outputs
        .iter()
        .map(|output| if let DialogueOutput::Tell(text) = output { text.as_str() } else { "" })
        .collect()
}

#[test]
fn a_program_gets_an_outcome_once_the_game_surely_goes_on() {
    let mut table = started(Time::Unlimited {}, Limits::default());
    let outputs = says(&mut table, Side::Red, "0 3 DOWN 1");
    let [DialogueOutput::Command(command)] = &outputs[..] else { panic!("{outputs:?}") };
    let told = ask(&mut table, Side::Red, command);
    assert_eq!(told.red, [], "the end might come");
    assert!(tells(&told.blue).starts_with("0 3 DOWN OK\n####"), "whether the mover said one is not known");
    assert_eq!(tells(&table.dialogues.red.acknowledged()), "0 3 DOWN 1 OK\n");
    assert_eq!(table.dialogues.red.acknowledged(), []);
}

fn events(table: &Table, messages: &[ServerToClient]) -> Vec<GameEvent> {
    assert!(!table.over.red);
    let event = |message: &ServerToClient| match message {
        ServerToClient::Event { event, .. } => event.clone(),
        other => panic!("{other:?}"),
    };
    messages.iter().map(event).collect()
}

#[test]
fn after_a_reconnection_the_program_gets_only_missed_moves() {
    let mut table = started(Time::Unlimited {}, Limits::default());
    let outputs = says(&mut table, Side::Red, "0 3 DOWN");
    let [DialogueOutput::Command(command)] = &outputs[..] else { panic!("{outputs:?}") };
    // Lose and restore the connection before the server receives the move. The dialogue must not
    // produce output or ask the program again.
    let view = table.host.view(Side::Red);
    assert_eq!(table.dialogues.red.follow(NOW, &[], &view, true), []);
    // Lose the connection once more. In the meantime, the server receives the move and restarts,
    // and Blue answers.
    let mut missed = table.host.ask(Side::Red, command).expect("taken").red;
    missed.extend(table.host.pause().red);
    missed.extend(table.host.resume().red);
    missed.extend(
        table
            .host
            .ask(Side::Blue, &GameCommand::from("a7a6".parse::<flagfall_protocol::Move>().expect("a move")))
            .expect("taken")
            .red,
    );
    let view = table.host.view(Side::Red);
    let events = events(&table, &missed);
    let told = tells(&table.dialogues.red.follow(NOW, &events, &view, true));
    assert!(told.starts_with("0 3 DOWN OK\n0 6 UP OK\nFB8sB479B8\n"), "{told}");
    assert_eq!(told.lines().count(), 12);
    assert_eq!(table.dialogues.red.acknowledged(), []);
    assert_eq!(table.dialogues.red.follow(NOW, &[], &view, true), [], "asked once");
}

#[test]
fn one_missed_ply_is_in_the_view_and_two_without_events_are_too_many() {
    let mut table = started(Time::Unlimited {}, Limits::default());
    let outputs = says(&mut table, Side::Red, "0 3 DOWN");
    let [DialogueOutput::Command(command)] = &outputs[..] else { panic!("{outputs:?}") };
    table.host.ask(Side::Red, command).expect("taken");
    let mut other = table.dialogues.red.clone();
    let told = table.dialogues.red.follow(NOW, &[], &table.host.view(Side::Red), true);
    assert_eq!(tells(&told), "0 3 DOWN OK\n");
    table
        .host
        .ask(Side::Blue, &GameCommand::from("a7a6".parse::<flagfall_protocol::Move>().expect("a move")))
        .expect("taken");
    let told = other.follow(NOW, &[], &table.host.view(Side::Red), true);
    let wanted = [
        DialogueOutput::Mute,
        DialogueOutput::Fail(Failure::Estranged),
        DialogueOutput::Command(GameCommand::Resign {}),
    ];
    assert_eq!(told, wanted);
}

#[test]
fn a_move_from_another_client_ends_the_programs_dialogue() {
    let mut table = started(Time::Unlimited {}, Limits::default());
    let told = ask(
        &mut table,
        Side::Red,
        &GameCommand::from("b4b5".parse::<flagfall_protocol::Move>().expect("a move")),
    );
    assert!(told.red.contains(&DialogueOutput::Fail(Failure::Estranged)));
}

#[test]
fn a_program_is_late_by_its_own_limit_or_after_two_seconds_or_when_its_flag_falls() {
    let second = Duration::from_secs(1);
    let clock = Time::Fischer { base_s: 60, increment_s: 0 };
    for (time, turn, limit) in [
        (Time::Unlimited {}, None, Some(2 * second)),
        (Time::Unlimited {}, Some(5 * second), Some(5 * second)),
        (clock, Some(5 * second), Some(5 * second)),
        (clock, None, None),
    ] {
        let mut table = started(time, Limits { turn, deploy: None });
        let red = &mut table.dialogues.red;
        assert_eq!(red.deadline(), limit.map(|limit| NOW + limit));
        let Some(limit) = limit else { continue };
        assert_eq!(red.hear(NOW + limit, Input::Tick, &table.views.red), []);
        let late = red.hear(NOW + limit + Duration::from_millis(1), said("0 3 DOWN"), &table.views.red);
        let failure = Failure::Fault(Fault::Late { limit });
        assert_eq!(failure.code(), 8);
        assert_eq!(
            late,
            [
                DialogueOutput::Mute,
                DialogueOutput::Fail(failure),
                DialogueOutput::Command(GameCommand::Abort {})
            ]
        );
        assert_eq!(red.deadline(), None);
    }
    let mut table = started(clock, Limits::default());
    let outcome = Outcome { winner: Some(Side::Blue), reason: EndReason::OutOfTime };
    let told = table.host.verdict(outcome);
    let ended = told.red.iter().flat_map(|message| table.show(Side::Red, message)).collect::<Vec<_>>();
    assert!(ended.contains(&DialogueOutput::Fail(Failure::FlagFell)));
    assert!(tells(&ended).starts_with("QUIT ann RED ILLEGAL 1 "), "{ended:?}");
    let ended = told.blue.iter().flat_map(|message| table.show(Side::Blue, message)).collect::<Vec<_>>();
    assert_eq!((tells(&ended).split(' ').nth(3), ended.len()), (Some("ILLEGAL"), 2));
}

#[test]
fn the_servers_deadline_is_that_of_a_deployment_in_a_game_with_a_clock() {
    let clock = Time::Fischer { base_s: 60, increment_s: 0 };
    for (time, wanted) in [(clock, Duration::from_secs(299)), (Time::Unlimited {}, Duration::from_secs(2))] {
        let mut table = Table::new(&PBM, time, Limits::default());
        let now = table.host.summary.created;
        drop(table.dialogues.red.open(NOW, now, &table.views.red));
        assert_eq!(table.dialogues.red.deadline(), Some(NOW + wanted));
    }
}

#[test]
fn acts_out_of_turn_count_at_the_next_turn() {
    for (input, code) in [
        (said("0 6 UP"), 5),
        (Input::Gone(Side::Blue), 9),
        (Input::Unread(Side::Blue), 9),
        (Input::Said(Side::Blue, Cut::TooLong), 5),
        (Input::Said(Side::Blue, Cut::NotUtf8), 5),
    ] {
        let mut table = started(Time::Unlimited {}, Limits::default());
        assert_eq!(table.dialogues.blue.hear(NOW, input, &table.views.blue), [DialogueOutput::Mute]);
        assert_eq!(
            table.dialogues.blue.hear(NOW, Input::Gone(Side::Blue), &table.views.blue),
            [DialogueOutput::Mute]
        );
        let told = ask(
            &mut table,
            Side::Red,
            &GameCommand::from("a4a5".parse::<flagfall_protocol::Move>().expect("a move")),
        )
        .blue;
        let [
            DialogueOutput::Tell(moved),
            DialogueOutput::Mute,
            DialogueOutput::Fail(failure),
            DialogueOutput::Command(GameCommand::Abort {}),
        ] = &told[..]
        else {
            panic!("{told:?}");
        };
        assert_eq!((moved.as_str(), failure.code()), ("0 3 DOWN OK\n", code));
    }
    // A fault during the program's turn takes effect immediately.
    let mut table = started(Time::Unlimited {}, Limits::default());
    let told = table.dialogues.red.hear(NOW, Input::Gone(Side::Red), &table.views.red);
    assert_eq!(told[1], DialogueOutput::Fail(Failure::Fault(Fault::Gone)));
}

#[test]
fn a_draw_offer_is_declined() {
    let mut table = started(Time::Unlimited {}, Limits::default());
    let told = ask(&mut table, Side::Blue, &GameCommand::OfferDraw {});
    assert_eq!((told.red, told.blue), (vec![DialogueOutput::Command(GameCommand::DeclineDraw {})], vec![]));
}

#[test]
fn a_game_that_is_called_off_while_deploying_has_no_turn() {
    for ruleset in [&BARRAGE, &PBM_SMALL, &COURSE] {
        let mut table = Table::new(ruleset, Time::Unlimited {}, Limits::default());
        drop(table.dialogues.red.open(NOW, 0, &table.views.red));
        let told = ask(&mut table, Side::Blue, &GameCommand::Abort {});
        assert_eq!(
            told.red,
            [DialogueOutput::Tell("QUIT ann RED INTERNAL_ERROR 0 0 0\n".to_owned()), DialogueOutput::Over]
        );
    }
}
