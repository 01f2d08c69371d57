//! The engine against the second implementation of Quantum, act by act.

use std::collections::BTreeSet;

use flagfall_rules::secret::{SecretRecord, to_record};
use flagfall_rules::{Choice, Command, Position, Referee};

use crate::Chance;
use crate::coins::Coins;

fn name(command: &Command) -> String {
    match command {
        Command::Move(asked) => asked.to_string(),
        Command::Choose(Choice(rank)) => format!("!{}", rank.letter()),
        other => panic!("{other:?} is not a command on these boards"),
    }
}

/// How often the compared games met the cases of interest.
#[derive(Default, Debug)]
struct Met {
    acts: usize,
    choices: usize,
    /// Acts before which the reserve rule held coins back.
    held_back: usize,
    forfeits: usize,
    flags: usize,
    blocked: usize,
}

fn compare(text: &str, seed: u64, acts: usize, met: &mut Met) {
    let mut chance = Chance(seed * 2 + 1);
    (0..8).for_each(|_| _ = chance.below(2));
    let mut position = Position::from_text(text).expect("a position");
    let mut naive = Coins::read(text);
    for _ in 0..acts {
        let commands: Vec<Command> = position.legal_commands().iter().collect();
        let names: BTreeSet<String> = commands.iter().map(name).collect();
        assert_eq!(names, naive.legal(), "seed {seed}: {}", Referee.position_text(&position));
        if commands.is_empty() {
            break;
        }
        // Prefers strikes, and avoids choosing the Flag.
        let tries: Vec<&Command> = (0..4).map(|_| &commands[chance.below(commands.len())]).collect();
        let is_lively = |command: &&&Command| match command {
            Command::Move(asked) => position.occupied(position.turn().opponent()).contains(asked.squares.to),
            Command::Choose(Choice(rank)) => *rank != flagfall_board::Rank::Flag,
            _ => false,
        };
        let command = (*tries.iter().find(is_lively).unwrap_or(&tries[0])).clone();
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
        assert_eq!(Coins::read(&found).plain(), naive.plain(), "seed {seed}: {} {found}", name(&command));
        met.acts += 1;
        met.choices += usize::from(matches!(command, Command::Choose(_)));
        met.held_back += usize::from(naive.holds_back());
        match ended {
            None => {}
            Some("forfeited_reserve") => met.forfeits += 1,
            Some("flag_captured") => met.flags += 1,
            Some(_) => met.blocked += 1,
        }
        if ended.is_some() {
            break;
        }
    }
}

/// The start, and positions with few coins near each other.
const ARENAS: [&str; 4] = [
    "quantum red 0 0 bobobobobobobobobobo/bobobobobobobobobobo/bobobobobobobobobobo/bobobobobobobobobobo/.2~2.2~2.2/.2~2.2~2.2/rorororororororororo/rorororororororororo/rorororororororororo/rorororororororororo F:1,B:6,S:1,9:8,8:5,7:4,6:4,5:4,4:3,3:2,2:1,1:1 F:1,B:6,S:1,9:8,8:5,7:4,6:4,5:4,4:3,3:2,2:1,1:1 -",
    "quantum red 90 0 bobo.8/.10/.10/bobo'bo.7/.2~2.2~2.2/ro'.~2.2~2.2/ro.ro'.7/.10/.10/roro.8 F:1,B:2,9:1,4:1 F:1,B:1,9:1,S:1,5:1 -",
    "quantum blue 90 0 bobo.8/.10/.10/bobo.8/.2~2.2~2.2/.2~2.2~2.2/ro.9/r1'*.9/.10/roro.8 F:1,B:1,9:1 F:1,B:2,5:1 -",
    "quantum red 90 0 bo.9/.10/.10/bo.b5'*.7/.2~2.2~2.2/.2~2.2~2.2/r5'*.9/r1'*.9/.10/.9ro F:1 F:1,8:1 -",
];

#[test]
fn both_sets_of_rules_agree_in_quantum() {
    let mut all = Met::default();
    for text in ARENAS {
        let mut met = Met::default();
        for seed in 0..40 {
            compare(text, seed, 190, &mut met);
        }
        println!("{}: {met:?}, seeds 0 to 39", &text[..20]);
        all.acts += met.acts;
        all.choices += met.choices;
        all.held_back += met.held_back;
        all.forfeits += met.forfeits;
        all.flags += met.flags;
    }
    println!("{all:?}");
    assert!(all.choices > 500 && all.held_back > 200 && all.forfeits > 10 && all.flags > 10, "{all:?}");
}
