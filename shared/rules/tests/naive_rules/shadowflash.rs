//! The engine against the second implementation of Shadowflash, command by command.

use std::collections::BTreeSet;

use flagfall_board::RankSet;
use flagfall_rules::secret::{SecretRecord, to_record};
use flagfall_rules::{Command, Position, Referee};

use crate::Chance;
use crate::shadow::Shadow;

/// A command in the notation of the slow rules.
pub(crate) fn name(command: &Command) -> String {
    match command {
        Command::Move(asked) => asked.to_string(),
        Command::Place(placing) => placing.to_string(),
        Command::Remove(square) => format!("-{square}"),
        Command::Color(color) => format!("={}", color.letter()),
        other => panic!("{other:?} is not a command on the board"),
    }
}

/// How often the compared games met the cases of interest.
#[derive(Default, Debug)]
struct Met {
    plies: usize,
    strikes: usize,
    colors: usize,
    exchanges: usize,
    flashes: usize,
    narrowed: usize,
    labels: usize,
}

/// Chips in runs on nearly every square of some lines, so that lines of one color and flashes are
/// frequent.
fn with_chips(text: &str, seed: u64) -> String {
    let mut chance = Chance(seed * 2 + 1);
    (0..8).for_each(|_| _ = chance.below(2));
    let position = Position::from_text(text).expect("a position");
    let mut color = 'r';
    let mut chips = Vec::new();
    for square in position.ruleset().shape.squares().without(position.lakes()).iter() {
        if chance.below(3) == 0 {
            color = ['r', 'y', 'b', 'g'][chance.below(4)];
        }
        let has_flag = Referee
            .pieces(&position)
            .iter()
            .any(|(at, _, rank)| *at == square && *rank == Some(flagfall_board::Rank::Flag));
        if chance.below(8) > 0 && !has_flag {
            chips.push(format!("{square}{color}"));
        }
    }
    let fields: Vec<&str> = text.split(' ').collect();
    let chips = if position.ruleset().chips { chips.join(",") } else { "-".to_owned() };
    [&fields[..7], &[chips.as_str(), fields[8]]].concat().join(" ")
}

fn compare(text: &str, seed: u64, plies: usize, met: &mut Met) {
    let mut chance = Chance(seed * 2 + 1);
    (0..8).for_each(|_| _ = chance.below(2));
    let mut position = Position::from_text(text).expect("a position");
    let mut naive = Shadow::read(&Referee.position_text(&position));
    for _ in 0..plies {
        let commands = position.legal_commands();
        let names: BTreeSet<String> = commands.iter().map(|command| name(&command)).collect();
        assert_eq!(names.len(), commands.len(), "each once");
        assert_eq!(names, naive.legal(), "seed {seed}: {}", Referee.position_text(&position));
        if commands.is_empty() {
            break;
        }
        let is_move = commands.moves_len() > 0 && chance.below(6) > 0;
        let end = if is_move { commands.moves_len() } else { commands.len() };
        // Prefers strikes and flashes.
        let tries: Vec<Command> = (0..6).filter_map(|_| commands.nth(chance.below(end))).collect();
        let is_lively = |command: &&Command| match command {
            Command::Move(asked) => {
                let is_flash = position.chips().is_some() && asked.color.is_none();
                is_flash || position.occupied(position.turn().opponent()).contains(asked.squares.to)
            }
            _ => false,
        };
        let command = tries.iter().find(is_lively).unwrap_or(&tries[0]).clone();
        let events = match Referee.judge_command(&position, &command) {
            Ok(events) => events,
            Err(refusal) => panic!("seed {seed}: {} was refused: {}", name(&command), refusal.code()),
        };
        Referee.apply(&mut position, &events);
        naive.play(&name(&command));
        let found = Referee.position_text(&position);
        assert!(position.is_conserved(), "seed {seed}: {} {found}", name(&command));
        let ended = events.iter().find_map(|event| match to_record(event) {
            SecretRecord::Ended { reason, .. } => Some(reason.code()),
            _ => None,
        });
        assert_eq!(ended, naive.verdict(), "seed {seed}: {} {found}", name(&command));
        if ended.is_some() {
            break;
        }
        assert_eq!(Shadow::read(&found), naive, "seed {seed}: {} {found}", name(&command));
        met.plies += 1;
        match to_record(events.iter().next().expect("an event")) {
            SecretRecord::Moved { strike, labels, proves, laid, .. } => {
                met.strikes += usize::from(strike.is_some());
                met.labels += usize::from(labels);
                met.narrowed += usize::from(proves != RankSet::ALL);
                met.flashes += usize::from(laid.is_some_and(|laid| laid.squares().len() > 1));
            }
            SecretRecord::Colored { .. } => met.colors += 1,
            _ => met.exchanges += 1,
        }
    }
}

/// Few pieces of every kind near each other and the joints, and armies face to face.
const ARENAS: [&str; 3] = [
    "SET red 0 0 bF.b2.7b9.b4.b3bP/b4.3b1.8b8.b9/.16/.b9.14/.3~3.4~3.3/.3~3.4~3.3/.r9.3r4.10/.16/r4.2r1.3rS.3r9.2r2r3/rFr2.r9.9rP.r8 5:1 8:2,B:1 - -",
    "SET blue 0 0 bF.15/.16/.16/b2b3b4b9bPb8bBbSb1b5b6b7b4b3b2b9/.3~3.4~3.3/.3~3.4~3.3/r2r3r4r9rPr8rBrSr1r5r6r7r4r3r2r9/.16/.16/rF.15 9^:1,4:1 9:1,3^:1 - -",
    "SET red 0 0 bF.2b4.3b3.3b2.3b4/.16/.16/.16/.3~3.4~3.3/.3~3.4~3.3/.16/.16/.16/rF.2r4.3r3.3r2.3r4 - - - -",
];

fn arena(number: usize, sets: u8) -> String {
    let text = ARENAS[number].replace("SET", &format!("shadowflash-{sets}"));
    if sets > 1 {
        return text;
    }
    // Set 1 has neither Phoenix nor labels.
    text.replace("bP", ".").replace("rP", ".").replace("9^:1,4:1", "4:1").replace("9:1,3^:1", "9:1")
}

#[test]
fn both_sets_of_rules_agree_in_shadowflash() {
    for sets in 1..=3 {
        let mut met = Met::default();
        for number in 0..ARENAS.len() {
            for seed in 0..24 {
                compare(&with_chips(&arena(number, sets), seed), seed, 80, &mut met);
            }
        }
        println!("shadowflash-{sets}: {met:?}, seeds 0 to 23");
        assert!(met.strikes > 100 && met.exchanges > 100, "{met:?}");
        assert!(sets == 1 || met.colors > 20 && met.labels > 20 && met.narrowed > 50, "{met:?}");
        assert!(sets < 3 || met.flashes > 50, "{met:?}");
    }
}
