//! Tests that the bytes sent to a viewer do not depend on secrets (law 10). If two sessions show
//! a viewer the same things, the viewer must get the same bytes.
//!
//! To decide what a session shows, these tests use the moves and strikes that everyone sees, and
//! not the engine's views.

use std::collections::HashMap;
use std::ops::Range;

use flagfall_board::{Chance, ChipColor, Rank, Side, Square};
use flagfall_protocol::{ClaimedResult, Fate, GameCommand, GameEvent, Time};
use flagfall_rules::{Command, Disclosure, Identity, Move, Ruleset, Start, Viewer};

use super::harness::{Client, Hand, deploy, header, setup_text};
use crate::record;

mod beside;
mod coins;

/// A session: everything that the two sides did, in order.
#[derive(Clone)]
struct Script {
    ruleset: &'static Ruleset,
    time: Time,
    /// The final deployments of the two sides, if the ruleset has deployments.
    setups: Option<[String; 2]>,
    /// The deployments that each side sent before its final one. Only that side sees them.
    earlier: [Vec<String>; 2],
    /// The command at each moment; `None` if nobody acts at this moment.
    commands: Vec<Option<(Side, GameCommand)>>,
    /// The positions in `commands` at which the viewer tries all illegal commands first.
    tries: Range<usize>,
    /// True for viewers who may see the end. The end reveals deployments to the players, and the
    /// choices made in resolved strikes to everyone.
    is_end_seen_by: fn(Viewer) -> bool,
}

impl Script {
    /// Returns the game before the first command, and its players.
    fn hand(&self) -> (Hand, [Client; 2]) {
        let mut terms = header(self.ruleset.id);
        terms.terms.time = self.time;
        terms.secret = flagfall_board::PerSide::new(true, true);
        (Hand::new(&terms), ["ana", "bo"].map(Client::new))
    }

    fn deploy(&self, hand: &mut Hand, players: &[Client; 2]) {
        let Some(setups) = &self.setups else { return };
        for side in Side::BOTH {
            for setup in self.earlier[side as usize].iter().chain([&setups[side as usize]]) {
                let setup = setup.clone();
                let id = format!("deploy-{side:?}-{}", hand.log().len());
                hand.command_as(&players[side as usize], &id, 0, GameCommand::Deploy { setup });
            }
        }
    }

    fn letters(&self, side: Side) -> Vec<char> {
        self.setups.iter().flat_map(|setups| setups[side as usize].chars()).collect()
    }

    /// Returns the same session with a different deployment of one side.
    fn with_letters(&self, side: Side, letters: &[char]) -> Script {
        let mut other = self.clone();
        if let Some(setups) = &mut other.setups {
            setups[side as usize] = letters.iter().collect();
        }
        other
    }
}

/// The information that a planted leak reveals.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Plant {
    Nothing,
    /// The view of the other side.
    Rank,
    /// The number of all events, including those hidden from the viewer.
    Number,
    /// An empty message for every event, including those hidden from the viewer.
    Event,
    /// A number of spaces that depends on hidden information.
    Length,
    /// An order of messages that depends on hidden information: the last message may come first.
    Order,
    /// A refusal that depends on which sides have yet to act.
    Refusal,
}

/// Lets the players come and go, except for the viewer. If the viewer is a player, lets them
/// claim the game too early.
fn come_and_go(hand: &mut Hand, viewer: Viewer, watcher: &Client, players: &[Client; 2], at: usize) {
    let others = Side::BOTH.into_iter().filter(|side| viewer != Viewer::Player(*side));
    for side in others {
        match at % 17 {
            5 | 11 => hand.open(&players[side as usize], None),
            9 => hand.close(&players[side as usize]),
            15 => hand.leave(&players[side as usize]),
            _ => {}
        }
    }
    if matches!(at % 17, 7 | 10 | 12) && viewer != Viewer::Public {
        let claim = GameCommand::Claim { result: ClaimedResult::Win };
        let ply = hand.table.game.ply();
        hand.command_as(watcher, &format!("claim-{at}"), ply, claim);
    }
}

/// Returns all bytes that a viewer gets in a session, except commitments. This includes the
/// refusals of all moves that the viewer can try.
fn session(script: &Script, viewer: Viewer, plant: Plant) -> Vec<String> {
    let (mut hand, mut players) = script.hand();
    let mut watcher = match viewer {
        Viewer::Player(Side::Red) => Client::new("ana"),
        Viewer::Player(Side::Blue) => Client::new("bo"),
        Viewer::Public => Client::new("cy"),
    };
    let mut bytes = Vec::new();
    hand.open(&watcher, None);
    script.deploy(&mut hand, &players);
    for (at, act) in script.commands.iter().enumerate() {
        hand.advance(13);
        if script.tries.contains(&at) && viewer != Viewer::Public {
            try_everything(&mut hand, &mut watcher, &mut bytes);
        }
        come_and_go(&mut hand, viewer, &watcher, &players, at);
        // Resume more often during a pending strike, because the most information is hidden then.
        if hand.table.game.position().has_strike_pending() || at % 11 == 3 {
            // The viewer resumes, and is sent the game again.
            let since = hand.position(hand.seq(viewer).saturating_sub(4));
            hand.open(&watcher, Some(since));
        }
        if at == script.commands.len() * 2 / 3 {
            bytes.extend(watcher.texts());
            hand.reload();
            hand.recover(hand.now());
            hand.open(&watcher, None);
        }
        if let Some((side, command)) = act {
            let (ply, seq) = (hand.table.game.ply(), hand.table.head.seq);
            hand.command_as(&players[*side as usize], &format!("act-{at}"), ply, command.clone());
            assert!(hand.table.head.seq > seq, "both games take the same commands");
        }
        // Also read the players' messages. Otherwise their send queues would fill up, and their
        // connections would close at a moment that depends on secrets.
        players.iter_mut().for_each(|player| drop(player.texts()));
        bytes.extend(watcher.texts());
        if plant == Plant::Refusal {
            bytes.push(format!("{:?}", Side::BOTH.map(|side| hand.table.game.is_to_act(side))));
        }
    }
    let record_now = |hand: &Hand| {
        let record = record::record(hand.id, &hand.log(), viewer).unwrap();
        format!("{}\n{}", serde_json::to_string(&record).unwrap(), record)
    };
    // If both players asked for secrecy, the end reveals no deployment to the public.
    bytes.push(record_now(&hand));
    let hidden = Side::BOTH.map(|side| serde_json::to_string(&hand.view(Viewer::Player(side))).unwrap());
    if (script.is_end_seen_by)(viewer) {
        hand.command_as(&players[0], "end", hand.table.game.ply(), GameCommand::Resign {});
        bytes.extend(watcher.texts());
        bytes.push(record_now(&hand));
    }
    spill(plant, &hidden, hand.table.head.seq, &mut bytes);
    bytes.iter().map(|text| without_commitments(text)).collect()
}

/// Adds a planted leak, which reveals information from the views of the sides.
fn spill(plant: Plant, hidden: &[String; 2], seq: u64, bytes: &mut Vec<String>) {
    let sum: usize =
        hidden.iter().flat_map(|text| text.bytes().enumerate()).map(|(at, it)| at * usize::from(it)).sum();
    match plant {
        Plant::Nothing | Plant::Refusal => {}
        Plant::Rank => bytes.extend(hidden.iter().cloned()),
        Plant::Number => bytes.push(seq.to_string()),
        Plant::Event => bytes.extend((0..seq).map(|_| String::new())),
        Plant::Length => bytes.push(" ".repeat(sum % 7)),
        Plant::Order if sum.is_multiple_of(2) => bytes.rotate_right(1),
        Plant::Order => {}
    }
}

/// Tries moves between all pairs of squares, except legal moves. Legal moves can reveal nothing,
/// because the player knows that they are legal.
fn try_everything(hand: &mut Hand, watcher: &mut Client, bytes: &mut Vec<String>) {
    bytes.extend(watcher.texts());
    hand.open(watcher, None);
    bytes.extend(watcher.texts());
    let side = hand.table.header.side_of(&watcher.player.id).unwrap();
    let is_choosing = hand.table.game.position().has_strike_pending();
    let is_turn = hand.table.game.turn() == Some(side) && !is_choosing;
    let legal = hand.table.game.legal_moves().unwrap();
    let squares: Vec<Square> = hand.table.game.terms().ruleset.shape.squares().iter().collect();
    let ply = hand.table.game.ply();
    for from in &squares {
        for to in &squares {
            let squares = Move { from: *from, to: *to };
            // If an illegal act loses the game, do not try anything during the player's turn.
            let is_act = legal.contains(squares) || hand.table.game.terms().ruleset.illegal_act_loses;
            if is_turn && is_act {
                bytes.push(format!("legal {squares}"));
                continue;
            }
            let command = GameCommand::from(squares);
            hand.command_as(watcher, &format!("try-{ply}-{squares}"), ply, command);
            bytes.extend(watcher.texts());
        }
    }
    try_beside(hand, watcher, bytes, &squares);
    coins::try_choices(hand, watcher, bytes);
    for (id, command) in [("a", GameCommand::AcceptDraw {}), ("b", GameCommand::Abort {})] {
        hand.command_as(watcher, &format!("try-{ply}-{id}"), ply, command);
    }
    hand.command_as(watcher, &format!("try-{ply}-c"), ply, deploy("classic", side, 3));
    bytes.extend(watcher.texts());
}

/// Tries illegal commands with the reserve and with chips, if the ruleset has them.
fn try_beside(hand: &mut Hand, watcher: &mut Client, bytes: &mut Vec<String>, squares: &[Square]) {
    if !hand.table.game.terms().ruleset.reserve {
        return;
    }
    let side = hand.table.header.side_of(&watcher.player.id).unwrap();
    let is_turn = hand.table.game.turn() == Some(side);
    let commands = hand.table.game.position().legal_commands();
    let legal: Vec<Command> = (0..commands.len()).filter_map(|at| commands.nth(at)).collect();
    let ply = hand.table.game.ply();
    for (number, square) in squares.iter().copied().enumerate() {
        let color = hand.table.game.terms().ruleset.chips.then(|| ChipColor::ALL[number % 4]);
        let placing =
            |labeled| GameCommand::Place { square, rank: Rank::ALL[number % Rank::COUNT], labeled, color };
        let color = GameCommand::Color { color: ChipColor::ALL[number % 4] };
        for (name, command) in [
            ("remove", GameCommand::Remove { square }),
            ("place", placing(false)),
            ("label", placing(true)),
            ("color", color),
        ] {
            if is_turn
                && legal.iter().any(|legal| GameCommand::from_command(legal).as_ref() == Some(&command))
            {
                bytes.push(format!("legal {name} {square}"));
                continue;
            }
            hand.command_as(watcher, &format!("try-{ply}-{name}-{square}"), ply, command);
            bytes.extend(watcher.texts());
        }
    }
}

/// Replaces values that are random by design. They reveal nothing, but would make every
/// comparison fail.
fn without_commitments(text: &str) -> String {
    let mut parts: Vec<String> = text.split('"').map(str::to_owned).collect();
    for part in &mut parts {
        if part.len() == 64 && part.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            *part = "#".to_owned();
        }
    }
    let words = parts.join("\"");
    words
        .split(' ')
        .map(|word| {
            let digits = word.split('\n').next().unwrap_or_default();
            let is_hash = digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            if is_hash { word.replacen(digits, "#", 1) } else { word.to_owned() }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// Plays part of a random game in which the side `hider` has something to hide.
fn play(ruleset: &'static Ruleset, seed: u64, commands_max: usize, hider: Side) -> Script {
    if ruleset.start == Start::Coins {
        return coins::play(ruleset, seed, commands_max, hider);
    }
    let setups = Side::BOTH.map(|side| setup_text(ruleset.id, side, seed * 2 + side as u64));
    let mut script = Script {
        ruleset,
        time: header(ruleset.id).terms.time,
        setups: Some(setups),
        earlier: Default::default(),
        commands: Vec::new(),
        tries: 0..0,
        is_end_seen_by: |viewer| viewer == Viewer::Public,
    };
    let (mut hand, players) = script.hand();
    script.deploy(&mut hand, &players);
    let mut chance = Chance::new(seed);
    while let Some(side) = hand.table.game.turn()
        && script.commands.len() < commands_max
    {
        // Draw a few moves and prefer a strike, because strikes disclose the most.
        let opponents = hand.table.game.position().occupied(side.opponent());
        let tries: Vec<GameCommand> = (0..6).map_while(|_| hand.any_move(&mut chance)).collect();
        let is_strike = |act: &&GameCommand| match act {
            GameCommand::Move { squares, .. } => opponents.contains(squares.to),
            _ => false,
        };
        let Some(act) = tries.iter().find(is_strike).or(tries.first()).cloned() else { break };
        hand.command(&players[side as usize], hand.table.game.ply(), act.clone());
        script.commands.push(Some((side, act)));
    }
    if hand.table.is_over() {
        script.commands.pop();
    }
    if seed == 3 {
        let middle = script.commands.len() / 2;
        script.tries = middle..middle + 2;
    }
    script
}

/// The information that a game disclosed about one side's pieces. A piece is named by its place
/// in the deployment.
struct Disclosed {
    /// The places of pieces whose ranks were shown by a strike or a long move.
    shown: Vec<usize>,
    /// The places of pieces that have moved, and so are neither the Flag nor a Bomb.
    moved: Vec<usize>,
    /// The places of pieces that beat an attacker but stayed hidden, with the rank of the
    /// attacker. Others know only that the piece beat this rank (§D1).
    beat: Vec<(usize, Rank)>,
}

/// True if a defender with this letter beats the attacker. If the ranks are equal, the attacker
/// counts as the winner (§A6, §D1).
fn beats(defender: char, attacker: Rank) -> bool {
    const ORDER: &str = "S987654321";
    let place = |letter: char| ORDER.find(letter);
    match (attacker.letter(), defender) {
        (_, 'F') | ('8', 'B') | ('S', '1') => false,
        (_, 'B') => true,
        (attacker, defender) => place(defender) > place(attacker),
    }
}

fn disclosed(script: &Script, side: Side) -> Disclosed {
    let shape = script.ruleset.shape;
    let letters = script.letters(side);
    let mut at: HashMap<Square, usize> = (0..shape.home_len())
        .filter(|place| letters[*place] != '.')
        .filter_map(|place| Some((shape.home_square(side, place)?, place)))
        .collect();
    let record = {
        let (mut hand, players) = script.hand();
        script.deploy(&mut hand, &players);
        for (mover, act) in script.commands.iter().flatten() {
            hand.command(&players[*mover as usize], hand.table.game.ply(), act.clone());
        }
        record::record(hand.id, &hand.log(), Viewer::Public).unwrap()
    };
    let mut disclosed = Disclosed { shown: Vec::new(), moved: Vec::new(), beat: Vec::new() };
    let is_silent = script.ruleset.disclosure == Disclosure::SilentDefense;
    for event in record.events {
        let GameEvent::Moved(seen) = event.event else { continue };
        let Move { from, to } = seen.squares;
        let is_own = seen.side == side;
        let piece = at.remove(if is_own { &from } else { &to });
        let Some(place) = piece else { continue };
        if is_own {
            disclosed.moved.push(place);
            let steps = from.column().abs_diff(to.column()) + from.row().abs_diff(to.row());
            if steps > 1 {
                disclosed.shown.push(place);
            }
        }
        let fate = match seen.strike {
            None if is_own => Fate::Advances,
            None => unreachable!("a move to an occupied square is a strike"),
            Some(strike) => {
                match strike.attacker {
                    Identity::Known(attacker)
                        if is_silent
                            && !is_own
                            && attacker != Rank::Scout
                            && strike.defender_fate != Fate::Leaves =>
                    {
                        disclosed.beat.push((place, attacker));
                    }
                    Identity::Known(_) | Identity::OneOf(_) | Identity::Coin | Identity::Hidden => {
                        disclosed.shown.push(place);
                    }
                }
                if is_own { strike.attacker_fate } else { strike.defender_fate }
            }
        };
        let (own, other) = if is_own { (from, to) } else { (to, from) };
        match fate {
            Fate::Stays => at.insert(own, place),
            Fate::Advances => at.insert(other, place),
            Fate::Leaves => None,
        };
    }
    disclosed
}

/// Returns deployments that a side sends before its final one. Only the side that deploys first can
/// change its deployment, because the game starts as soon as the second side has deployed.
fn other_deployments(ruleset: &Ruleset, side: Side, seed: u64, chance: &mut Chance) -> [Vec<String>; 2] {
    let count = if side == Side::Red { chance.below(3) as u64 } else { 0 };
    [(0..count).map(|at| setup_text(ruleset.id, side, seed + at)).collect(), Vec::new()]
}

/// Returns sessions that look the same to the other viewers. They differ from this session in two
/// ways: pieces of this side have exchanged ranks in a way that the other viewers cannot notice,
/// and the side's earlier deployments are different.
fn twins(script: &Script, side: Side, seed: u64, count: usize) -> Vec<Script> {
    if script.setups.is_none() {
        return coins::twins(script, side, seed, count);
    }
    if script.ruleset.reserve {
        return beside::twins(script, side, seed, count);
    }
    let Disclosed { shown, moved, beat } = disclosed(script, side);
    let letters = script.letters(side);
    let mut chance = Chance::new(seed);
    let mut twins = Vec::new();
    let is_fixed =
        |letter: char| Rank::from_letter(letter).is_some_and(|r| matches!(r, Rank::Flag | Rank::Bomb));
    for _ in 0..2000 {
        let (one, other) = (chance.below(letters.len()), chance.below(letters.len()));
        let (a, b) = (letters[one], letters[other]);
        let fits = |place: usize, letter: char| {
            beat.iter().filter(|(other, _)| *other == place).all(|(_, attacker)| beats(letter, *attacker))
        };
        let may =
            |place: usize, letter: char| !(moved.contains(&place) && is_fixed(letter)) && fits(place, letter);
        let is_hidden = |place: usize| !shown.contains(&place) && letters[place] != '.';
        if a == b || !is_hidden(one) || !is_hidden(other) || !may(one, b) || !may(other, a) {
            continue;
        }
        let mut setup = letters.clone();
        setup.swap(one, other);
        let earlier = other_deployments(script.ruleset, side, seed, &mut chance);
        twins.push(Script { earlier, ..script.with_letters(side, &setup) });
        if twins.len() == count {
            break;
        }
    }
    twins
}

#[test]
fn sessions_that_differ_in_secrets_alone_are_the_same_bytes() {
    let compared: usize = std::thread::scope(|threads| {
        let of_each: Vec<_> =
            Ruleset::all().iter().map(|ruleset| threads.spawn(|| compare_twins(ruleset))).collect();
        of_each.into_iter().map(|of_one| of_one.join().expect("no difference")).sum()
    });
    println!("{compared} messages compared");
    assert!(compared > 100_000);
}

/// Compares sessions of one ruleset with their twins. Returns the number of messages that were
/// compared.
fn compare_twins(ruleset: &'static Ruleset) -> usize {
    let (mut pairs, mut compared) = (0, 0);
    for (seed, side) in (2..5).flat_map(|seed| Side::BOTH.map(|side| (seed, side))) {
        let script = play(ruleset, seed, if ruleset.army.len() < 10 { 24 } else { 150 }, side);
        if script.commands.len() < 8 {
            continue;
        }
        let twins = twins(&script, side, seed, 2);
        pairs += twins.len();
        for viewer in [Viewer::Player(side.opponent()), Viewer::Public] {
            let reference = session(&script, viewer, Plant::Nothing);
            for twin in &twins {
                let bytes = session(twin, viewer, Plant::Nothing);
                let differs = reference.iter().zip(&bytes).find(|(one, other)| one != other);
                assert_eq!(differs, None, "{} seed {seed} {side:?} seen by {viewer:?}", ruleset.id);
                assert_eq!(reference.len(), bytes.len());
                compared += reference.len();
            }
        }
    }
    println!("{}: {pairs} pairs", ruleset.id);
    assert!(pairs >= 4, "{}: {pairs} pairs are too few to mean anything", ruleset.id);
    compared
}

/// An anonymous client gets the same bytes of a public game as every other spectator.
#[test]
fn an_anonymous_spectator_gets_the_bytes_of_the_public() {
    for ruleset in Ruleset::all() {
        let script = play(ruleset, 3, 60, Side::Red);
        let (mut hand, players) = script.hand();
        let (mut spectator, mut anonymous) = (Client::new("cy"), Client::anonymous());
        let mut compared = 0;
        hand.open(&spectator, None);
        hand.open(&anonymous, None);
        script.deploy(&mut hand, &players);
        for (at, act) in script.commands.iter().enumerate() {
            hand.advance(13);
            come_and_go(&mut hand, Viewer::Public, &spectator, &players, at);
            if at % 11 == 3 {
                let since = Some(hand.position(hand.seq(Viewer::Public).saturating_sub(4)));
                hand.open(&spectator, since);
                hand.open(&anonymous, since);
            }
            if let Some((side, command)) = act {
                let ply = hand.table.game.ply();
                hand.command(&players[*side as usize], ply, command.clone());
            }
            let shown = spectator.texts();
            assert_eq!(anonymous.texts(), shown, "{} at {at}", ruleset.id);
            compared += shown.len();
        }
        assert!(compared > script.commands.len(), "{}: {compared} messages", ruleset.id);
    }
}

#[test]
fn a_planted_leak_is_found() {
    for ruleset in ["classic", "shadowflash-3", "quantum"].map(|id| Ruleset::find(id).unwrap()) {
        let script = play(ruleset, 3, 20, Side::Red);
        let twins = twins(&script, Side::Red, 3, 12);
        let has_choices = script.setups.is_none();
        for plant in [Plant::Rank, Plant::Number, Plant::Event, Plant::Length, Plant::Order, Plant::Refusal] {
            let reference = session(&script, Viewer::Public, plant);
            let found = twins.iter().filter(|twin| session(twin, Viewer::Public, plant) != reference).count();
            println!("{} {plant:?}: found in {found} of {} twins", ruleset.id, twins.len());
            match plant {
                Plant::Rank => assert_eq!(found, twins.len()),
                // In games without choices, everyone knows who has to act, so the planted leak
                // reveals nothing.
                Plant::Refusal => assert_eq!(found > 0, has_choices),
                // These leaks are found only in twins with a different number of events: the side
                // deploys more often, or has not chosen yet.
                Plant::Number | Plant::Event => assert!(found > 0 && found < twins.len()),
                Plant::Length | Plant::Order | Plant::Nothing => assert!(found > 0),
            }
        }
    }
}

#[test]
fn disclosed_secrets_make_a_difference() {
    let script = play(Ruleset::find("classic").unwrap(), 3, 200, Side::Red);
    let Disclosed { shown, .. } = disclosed(&script, Side::Red);
    let mut letters = script.letters(Side::Red);
    let other = (0..letters.len()).find(|place| !shown.contains(place) && letters[*place] == 'F').unwrap();
    letters.swap(shown[0], other);
    assert_ne!(letters, script.letters(Side::Red));
    assert!(
        std::panic::catch_unwind(|| {
            let twin = Script { tries: 0..0, ..script.with_letters(Side::Red, &letters) };
            assert_eq!(
                session(&twin, Viewer::Public, Plant::Nothing),
                session(&script, Viewer::Public, Plant::Nothing)
            );
        })
        .is_err()
    );
}
