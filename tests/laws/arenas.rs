//! Compares the engine with the second opinion in situations that random games seldom reach: long
//! chases, few pieces near each other, and every combination of rules.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use flagfall_board::{Rank, RankSet};
use flagfall_rules::secret::{SecretRecord, to_record};
use flagfall_rules::{Choice, Command, Position, Referee, Ruleset};
use flagfall_second_opinion::{At, Board, COIN, Piece, read_move};
use flagfall_tests::Chance;

use crate::engine_events::at;
use crate::moves::name;

/// How often the compared games reached each interesting case.
#[derive(Default, Debug)]
struct Met(BTreeMap<&'static str, usize>);

impl Met {
    fn count(&mut self, what: &'static str, number: usize) {
        *self.0.entry(what).or_default() += number;
    }

    #[track_caller]
    fn has(&self, what: &str, at_least: usize) {
        assert!(self.0.get(what).is_some_and(|found| *found >= at_least), "too few {what}: {:?}", self.0);
    }
}

/// The kind of moves that random play prefers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Temper {
    /// Prefers chases and flight to strikes.
    Chasing,
    /// Prefers strikes and flashes, and avoids choosing the Flag.
    Striking,
}

/// True if a square is next to a piece for which `is_meant` is true.
fn is_near(board: &Board, square: At, is_meant: impl Fn(At) -> bool) -> bool {
    board.pieces().any(|(other, _)| {
        (square.row - other.row).abs() + (square.column - other.column).abs() == 1 && is_meant(other)
    })
}

fn weight(command: &Command, board: &Board, temper: Temper, last: Option<At>, chance: &mut Chance) -> usize {
    let random = chance.below(100);
    let Command::Move(asked) = command else {
        let gives_flag = *command == Command::Choose(Choice(Rank::Flag));
        return if gives_flag { random / 8 } else { random };
    };
    let (from, to) = (at(asked.squares.from), at(asked.squares.to));
    let is_strike = board.piece(to).is_some();
    let is_flash = board.rules.chips && asked.color.is_none();
    match temper {
        Temper::Striking if is_strike || is_flash => random + 60,
        Temper::Striking => random,
        Temper::Chasing if is_strike => random / 4,
        Temper::Chasing => {
            let flees = is_near(board, from, |other| Some(other) == last);
            let is_enemy = |other| board.piece(other).is_some_and(|piece| piece.color != board.turn);
            random + if flees { 60 } else { 0 } + if is_near(board, to, is_enemy) { 40 } else { 0 }
        }
    }
}

/// Counts the moves that the more-squares rule forbids, and the moves that it would forbid if it
/// did not distinguish pieces of equal rank (§T3).
fn count_chases(board: &Board, legal: &BTreeSet<String>, met: &mut Met) {
    if !board.rules.more_squares {
        return;
    }
    let ranks: BTreeMap<u16, (usize, char)> =
        board.pieces().map(|(_, piece)| (piece.id, (piece.color, piece.letter))).collect();
    let is_chase = |squares: &(At, At), by_rank: bool| {
        let alike = |one, other| one == other || by_rank && ranks.get(&one) == ranks.get(&other);
        board.is_endless_chase(board.turn, *squares, alike)
    };
    let refused = board.refused(board.turn);
    met.count("chases", refused.iter().filter(|squares| is_chase(squares, false)).count());
    let moves = legal.iter().filter_map(|text| read_move(text));
    met.count("saved by T3", moves.filter(|squares| is_chase(squares, true)).count());
}

/// Plays at random. At every act, compares all commands, the whole position and the verdict with
/// those of the second opinion.
///
/// # Errors The first difference that was found.
fn play_both(
    text: &str,
    mut board: Board,
    (temper, seed, acts): (Temper, u64, usize),
    met: &mut Met,
) -> Result<(), String> {
    let mut chance = Chance::new(seed);
    let mut position = Position::from_text(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut last = None;
    for _ in 0..acts {
        let commands: Vec<Command> = position.legal_commands().iter().collect();
        let legal: BTreeSet<String> = commands.iter().map(name).collect();
        assert_eq!(legal.len(), commands.len(), "each once");
        if legal != board.legal() {
            let before = Referee.position_text(&position);
            return Err(format!("{before}: {legal:?} and not {:?}", board.legal()));
        }
        count_chases(&board, &legal, met);
        let is_unmoved_coin =
            |piece: &Piece| piece.color == board.turn && piece.letter == COIN && !piece.is_moved;
        let is_held = board.rules.coins
            && board.pending.is_none()
            && !board.may_spare(board.turn)
            && board.pieces().any(|(_, piece)| is_unmoved_coin(&piece));
        met.count("held back", usize::from(is_held));
        // Prefer moves, because with a reserve, most commands place pieces.
        let tries: Vec<Command> = if board.rules.reserve {
            let moves = position.legal_commands().moves_len();
            let end = if moves > 0 && !chance.once_in(6) { moves } else { commands.len() };
            (0..6).filter_map(|_| commands.get(chance.below(end.max(1))).cloned()).collect()
        } else {
            commands
        };
        let weighed =
            tries.into_iter().map(|command| (weight(&command, &board, temper, last, &mut chance), command));
        let Some((_, command)) = weighed.max_by_key(|(weight, _)| *weight) else { break };
        let act = name(&command);
        let events = match Referee.judge_command(&position, &command) {
            Ok(events) => events,
            Err(refusal) => panic!("seed {seed}: {act} was refused: {}", refusal.code()),
        };
        Referee.apply(&mut position, &events);
        let found = Referee.position_text(&position);
        board.play(&act).map_err(|why| format!("{why}, but it leads to {found}"))?;
        assert!(position.is_conserved(), "seed {seed}: {act} {found}");
        let ended = events.iter().find_map(|event| match to_record(event) {
            SecretRecord::Ended { reason, winner } => Some((reason.code(), winner.map(|side| side as usize))),
            _ => None,
        });
        let verdict = board.verdict().map(|verdict| (verdict.reason, verdict.winner));
        if ended != verdict {
            return Err(format!("{act} leads to {found}: {ended:?} and not {verdict:?}"));
        }
        if let Some((reason, _)) = ended {
            met.count(reason, 1);
            break;
        }
        if !board.is_same_position(&Board::read(&found).expect("a position")) {
            return Err(format!("{act} leads to {found} and not to {board:?}"));
        }
        met.count("acts", 1);
        last = match &command {
            Command::Move(asked) => Some(at(asked.squares.to)),
            _ => None,
        };
        match to_record(events.iter().next().expect("an event")) {
            SecretRecord::Moved { strike, labels, proves, laid, from, .. } => {
                let is_defender_gone = strike.is_some() && board.piece(at(from)).is_some();
                met.count("strikes", usize::from(strike.is_some()));
                met.count("labels", usize::from(labels));
                met.count("narrowed", usize::from(proves != RankSet::ALL));
                met.count("flashes", usize::from(laid.is_some_and(|laid| laid.squares().len() > 1)));
                met.count("defenders that moved", usize::from(is_defender_gone));
            }
            SecretRecord::Colored { .. } => met.count("colors", 1),
            SecretRecord::Chosen { .. } => met.count("choices", 1),
            SecretRecord::Removed { .. } | SecretRecord::Placed { .. } => met.count("exchanges", 1),
            _ => {}
        }
    }
    Ok(())
}

#[track_caller]
fn compare(text: &str, temper: Temper, seed: u64, acts: usize, met: &mut Met) {
    let board = Board::read(text).unwrap_or_else(|| panic!("{text}"));
    if let Err(why) = play_both(text, board, (temper, seed, acts), met) {
        panic!("{text}, seed {seed}: {why}");
    }
}

/// Positions with few pieces in a small space, where chases are long and positions recur: rooms
/// walled in by Bombs, the corner a1–d3, or the squares between the lakes.
const ROOMS: [&str; 5] = [
    "tournament red 0 0 bF.8b6/.10/.10/.10/..~2..~2../..~2..~2../rBrBrB.7/...rB.6/.b7b7rB.6/r2..rB.rF..r6.",
    "barrage red 0 0 bF.8b9/.10/.10/.10/..~2..~2../..~2..~2../.10/.10/.b1.r2..b8.3/..r9....rF.2",
    "classic red 0 0 bF.8b6/.10/.10/.10/..~2..~2../..~2..~2../rBrBrB.7/...rB.6/.b7b7rB.6/r2..rB.rF..r6.",
    "tournament red 0 0 bF.8b6/.10/.10/....bBbB..../..~2b7.~2../..~2r5.~2../....rBrB..../.10/.10/rF.8r6",
    "pbm red 0 0 bF.8b6/.10/.10/.10/..~2..~2../..~2..~2../rBrBrB.7/...rB.6/.b7b7rB.6/r2..rB.rF..r6.",
];

#[test]
fn the_second_opinion_agrees_in_chases() {
    let mut met = Met::default();
    for text in ROOMS {
        (0..40).for_each(|seed| compare(text, Temper::Chasing, seed, 150, &mut met));
    }
    // Two blue Sergeants flee from a General in a small room, so sooner or later they swap
    // squares.
    (40..240).for_each(|seed| compare(ROOMS[0], Temper::Chasing, seed, 150, &mut met));
    println!("{met:?}, seeds 0 to 239");
    met.has("chases", 100);
    met.has("saved by T3", 1);
}

/// Positions in which the armies face each other, and one corner has a mix of long moves, chases
/// and lost strikes.
const ARENAS: [&str; 2] = [
    "red 0 0 bFbB.7b6/.4bS.5/.b9b9b7b7b1b4b8bB./.10/..~2..~2../..~2..~2../.r9r9r7rBr1r8r8rB./.4rS.5/.10/rFrB.7r6",
    "red 0 0 bF.8b6/.10/.10/.10/..~2..~2../b9b9~2..~2../r9b9b9b7rB.5/r9r9..rB.5/b7.r6.rB.5/.r7r9.rB..rF.2",
];

/// Every combination of the rules that custom games of `classic` may change.
fn combinations() -> Vec<String> {
    const CHANGES: [&[&str]; 7] = [
        &["", ",ties=attacker", ",ties=defender"],
        &["", ",disclosure=silent"],
        &["", ",bombs=leave"],
        &["", ",scout-strike=near"],
        &["", ",winner=any"],
        &["", ",two-squares=off", ",two-squares=5"],
        &["", ",more-squares=on"],
    ];
    CHANGES.iter().fold(vec!["classic".to_owned()], |ids, values| {
        ids.iter().flat_map(|id| values.iter().map(move |value| format!("{id}{value}"))).collect()
    })
}

#[test]
fn the_second_opinion_agrees_in_every_combination_of_rules() {
    let mut met = Met::default();
    let combinations = combinations();
    for (seed, id) in (0..).zip(&combinations) {
        for (arena, temper) in
            [(ARENAS[0], Temper::Striking), (ARENAS[1], Temper::Striking), (ARENAS[1], Temper::Chasing)]
        {
            compare(&format!("{id} {arena}"), temper, seed, 80, &mut met);
        }
    }
    println!("{} combinations: {met:?}", combinations.len());
    met.has("defenders that moved", 300);
}

/// Rules that replace those of `classic` in the second opinion.
const WRONG_RULES: [&str; 11] = [
    "classic,ties=attacker",
    "classic,ties=defender",
    "classic,disclosure=silent",
    "classic,bombs=leave",
    "classic,scout-strike=near",
    "classic,winner=any",
    "classic,two-squares=off",
    "classic,two-squares=5",
    "classic,more-squares=on",
    "classic,quiet=100",
    "original",
];

/// If one rule differs, the comparison must find a difference. Otherwise, it could miss real
/// differences.
#[test]
fn wrong_rules_are_found() {
    let arenas = ARENAS.map(|arena| format!("classic {arena}"));
    let places = arenas.iter().map(|arena| (arena.as_str(), Temper::Striking));
    let places: Vec<_> = places.chain([(ROOMS[2], Temper::Chasing)]).collect();
    for wrong in WRONG_RULES {
        let is_found = |seed: u64| {
            places.iter().any(|(text, temper)| {
                let board = Board::read(&text.replacen("classic", wrong, 1)).expect("a position");
                play_both(text, board, (*temper, seed, 150), &mut Met::default()).is_err()
            })
        };
        assert!((0..40).any(is_found), "{wrong} was not found");
    }
}

/// The start of Quantum, and positions with few coins near each other.
const COINS: [&str; 4] = [
    "quantum red 0 0 bobobobobobobobobobo/bobobobobobobobobobo/bobobobobobobobobobo/bobobobobobobobobobo/.2~2.2~2.2/.2~2.2~2.2/rorororororororororo/rorororororororororo/rorororororororororo/rorororororororororo F:1,B:6,S:1,9:8,8:5,7:4,6:4,5:4,4:3,3:2,2:1,1:1 F:1,B:6,S:1,9:8,8:5,7:4,6:4,5:4,4:3,3:2,2:1,1:1 -",
    "quantum red 90 0 bobo.8/.10/.10/bobo'bo.7/.2~2.2~2.2/ro'.~2.2~2.2/ro.ro'.7/.10/.10/roro.8 F:1,B:2,9:1,4:1 F:1,B:1,9:1,S:1,5:1 -",
    "quantum blue 90 0 bobo.8/.10/.10/bobo.8/.2~2.2~2.2/.2~2.2~2.2/ro.9/r1'*.9/.10/roro.8 F:1,B:1,9:1 F:1,B:2,5:1 -",
    "quantum red 90 0 bo.9/.10/.10/bo.b5'*.7/.2~2.2~2.2/.2~2.2~2.2/r5'*.9/r1'*.9/.10/.9ro F:1 F:1,8:1 -",
];

#[test]
fn the_second_opinion_agrees_among_coins() {
    let mut met = Met::default();
    for text in COINS {
        (0..40).for_each(|seed| compare(text, Temper::Striking, seed, 190, &mut met));
    }
    println!("{met:?}, seeds 0 to 39");
    for (what, at_least) in
        [("choices", 500), ("held back", 200), ("forfeited_reserve", 10), ("flag_captured", 10)]
    {
        met.has(what, at_least);
    }
}

/// Positions with a few pieces of every kind near each other and near the joints, and positions
/// in which the armies face each other.
const ISLANDS: [&str; 3] = [
    "SET red 0 0 bF.b2.7b9.b4.b3bP/b4.3b1.8b8.b9/.16/.b9.14/.3~3.4~3.3/.3~3.4~3.3/.r9.3r4.10/.16/r4.2r1.3rS.3r9.2r2r3/rFr2.r9.9rP.r8 5:1 8:2,B:1 - -",
    "SET blue 0 0 bF.15/.16/.16/b2b3b4b9bPb8bBbSb1b5b6b7b4b3b2b9/.3~3.4~3.3/.3~3.4~3.3/r2r3r4r9rPr8rBrSr1r5r6r7r4r3r2r9/.16/.16/rF.15 9^:1,4:1 9:1,3^:1 - -",
    "SET red 0 0 bF.2b4.3b3.3b2.3b4/.16/.16/.16/.3~3.4~3.3/.3~3.4~3.3/.16/.16/.16/rF.2r4.3r3.3r2.3r4 - - - -",
];

fn islands(number: usize, sets: u8) -> String {
    let text = ISLANDS[number].replace("SET", &format!("shadowflash-{sets}"));
    if sets > 1 {
        return text;
    }
    // The ruleset of Set 1 has neither Phoenixes nor labels.
    text.replace("bP", ".").replace("rP", ".").replace("9^:1,4:1", "4:1").replace("9:1,3^:1", "9:1")
}

/// Adds runs of chips to nearly every square of some lines, so that lines of one color and
/// flashes are frequent.
fn with_chips(text: &str, seed: u64) -> String {
    let mut chance = Chance::new(seed);
    let board = Board::read(text).expect("a position");
    let mut color = 'r';
    let mut chips = Vec::new();
    for square in board.squares().filter(|square| board.is_open(*square)) {
        if chance.once_in(3) {
            color = ['r', 'y', 'b', 'g'][chance.below(4)];
        }
        let has_flag = board.piece(square).is_some_and(|piece| piece.letter == 'F');
        if !chance.once_in(8) && !has_flag {
            chips.push(format!("{}{color}", square.text()));
        }
    }
    let fields: Vec<&str> = text.split(' ').collect();
    let chips = if board.rules.chips { chips.join(",") } else { "-".to_owned() };
    [&fields[..7], &[chips.as_str(), fields[8]]].concat().join(" ")
}

#[test]
fn the_second_opinion_agrees_in_shadowflash() {
    for sets in 1..=3 {
        let mut met = Met::default();
        for number in 0..ISLANDS.len() {
            for seed in 0..24 {
                let text = with_chips(&islands(number, sets), seed);
                compare(&text, Temper::Striking, seed, 80, &mut met);
            }
        }
        println!("shadowflash-{sets}: {met:?}, seeds 0 to 23");
        met.has("strikes", 100);
        met.has("exchanges", 100);
        if sets > 1 {
            for (what, at_least) in [("colors", 20), ("labels", 20), ("narrowed", 50)] {
                met.has(what, at_least);
            }
        }
        if sets > 2 {
            met.has("flashes", 50);
        }
    }
}

/// Plays a line and returns the legal moves after it.
fn legal_after(text: &str, line: &str) -> Vec<String> {
    let mut position = Position::from_text(text).expect("a position");
    for squares in line.split(' ') {
        match Referee.judge_command(&position, &Command::Move(squares.parse().expect("a move"))) {
            Ok(events) => Referee.apply(&mut position, &events),
            Err(refusal) => panic!("{squares}: {}", refusal.code()),
        }
    }
    position.legal_moves().iter().map(|squares| squares.to_string()).collect()
}

/// §C3 with §O1: if a defender moves to the attacker's square, its earlier moves still count for
/// the two-squares rule. They limit the defender only along the line of these moves.
#[test]
fn a_struck_piece_takes_its_chain_along() {
    let has = |legal: &[String], squares: &str| legal.iter().any(|other| other == squares);
    // A General wins and moves sideways, so it has not crossed any border of its new column.
    let aside = legal_after(
        "classic,winner=any red 9 0 bFb8.8/.10/.10/.10/..~2.b7~2../..~2r2.~2../.10/.10/.10/rFr8.8",
        "e5e6 b10b9 e6e5 b9b10 e5e6 f6e6",
    );
    assert!(has(&aside, "f6f5") && has(&aside, "f6e6"), "{aside:?}");
    // Red's Scout on e6 beats a Scout that strikes from e1, and moves to e1. From there, the rule
    // also forbids it to cross the borders between e3 and e6 again.
    let ends = legal_after(
        "classic,ties=defender,winner=any red 9 0 bFb8.8/.10/.10/.10/..~2..~2../..~2..~2../.10/....r9.5/.10/rFr8..b9.5",
        "e3e6 b10b9 e6e3 b9b10 e3e6 e1e6",
    );
    assert!(has(&ends, "e1e2") && has(&ends, "e1e3"), "{ends:?}");
    assert!(!has(&ends, "e1e4") && !has(&ends, "e1e6"), "{ends:?}");
}

fn engine_perft(position: &Position, depth: u32) -> u64 {
    let legal = position.legal_commands();
    if depth == 1 {
        return legal.len() as u64;
    }
    let after = |command: Command| {
        let events = match Referee.judge_command(position, &command) {
            Ok(events) => events,
            Err(refusal) => panic!("{command:?} was refused: {}", refusal.code()),
        };
        let takes_flag = events.iter().any(|event| {
            matches!(to_record(event), SecretRecord::Ended { reason, .. } if reason.code() == "flag_captured")
        });
        if takes_flag {
            return 0;
        }
        let mut after = position.clone();
        Referee.apply(&mut after, &events);
        engine_perft(&after, depth - 1)
    };
    legal.iter().map(after).sum()
}

/// Each line of the file consists of a position and its counts. With `FLAGFALL_UPDATE=1`, the
/// counts are computed again.
#[test]
fn positions_count_as_the_fixtures_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("laws/perft.txt");
    let text = std::fs::read_to_string(&path).expect("the fixtures");
    let is_update = std::env::var_os("FLAGFALL_UPDATE").is_some();
    let mut wanted = String::new();
    let mut rulesets = BTreeSet::new();
    for line in text.lines() {
        let Some((position_text, counts)) = line.split_once(" ; ").filter(|_| !line.starts_with('#')) else {
            wanted += &format!("{line}\n");
            continue;
        };
        let position = Position::from_text(position_text).expect("a position");
        rulesets.insert(position.ruleset().id);
        let depth = if counts.trim().is_empty() { 3 } else { counts.split_whitespace().count() as u32 };
        let count = |depth: u32| engine_perft(&position, depth).to_string();
        let by_engine: Vec<String> = (1..=depth).map(count).collect();
        // The second opinion is slow, so it computes the count for the last depth only for new
        // fixtures.
        let slow_depth = if is_update { depth } else { depth.min(2) };
        let board = Board::read(position_text).expect("a position");
        let second: Vec<String> = (1..=slow_depth).map(|depth| board.perft(depth).to_string()).collect();
        assert_eq!(by_engine[..slow_depth as usize], second, "{position_text}");
        if !is_update {
            assert_eq!(by_engine.join(" "), counts.trim(), "{position_text}");
        }
        wanted += &format!("{position_text} ; {}\n", by_engine.join(" "));
    }
    assert_eq!(rulesets.len(), Ruleset::all().len(), "a ruleset without a fixture");
    if is_update {
        std::fs::write(&path, wanted).expect("the fixtures can be written");
    }
}
