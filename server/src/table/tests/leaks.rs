//! Bytes do not depend on secrets (law 10): two sessions that differ in nothing a viewer was shown are one session to him.
//!
//! What was shown is judged here, from the moves and strikes as everybody sees them, apart from the engine's views.

use std::collections::HashMap;

use flagfall_board::{Rank, Side, Square};
use flagfall_bots::Chance;
use flagfall_protocol::{GameCommand, GameEvent, MoveText, StrikeFate};
use flagfall_rules::{Disclosure, Identity, Move, Ruleset, Viewer};

use super::super::record;
use super::harness::{Client, Hand, deploy, header, setup_text};

/// A session: what both sides did, and in which order.
struct Script {
    ruleset: &'static Ruleset,
    setups: [String; 2],
    /// Deployments handed in before the last one; nobody else sees them.
    earlier: [Vec<String>; 2],
    plies: Vec<(Side, Move)>,
    /// Whether the viewer tries all moves there are.
    tries: bool,
}

/// What a planted leak tells.
#[derive(Clone, Copy, PartialEq)]
enum Plant {
    Nothing,
    /// A view of the other side.
    Rank,
    /// The number of all events, whoever may see them.
    Number,
}

/// Every byte a viewer gets in a session, commitments aside, and the refusals of all moves he could try.
fn session(script: &Script, viewer: Viewer, plant: Plant) -> Vec<String> {
    let mut terms = header(script.ruleset.id);
    terms.secret = flagfall_board::PerSide::new(true, true);
    let mut hand = Hand::new(&terms);
    let players = ["ana", "bo"].map(Client::new);
    let mut watcher = match viewer {
        Viewer::Player(Side::Red) => Client::new("ana"),
        Viewer::Player(Side::Blue) => Client::new("bo"),
        Viewer::Public => Client::new("cy"),
    };
    let mut bytes = Vec::new();
    hand.open(&watcher, None);
    for side in Side::BOTH {
        let setups = script.earlier[side as usize].iter().chain([&script.setups[side as usize]]);
        for setup in setups {
            let setup = setup.clone();
            let name = format!("deploy-{side:?}");
            let id = format!("{name}-{}", hand.log().len());
            hand.command_as(&players[side as usize], &id, 0, GameCommand::Deploy { setup });
        }
    }
    let tries_at = [script.plies.len() / 2, script.plies.len() / 2 + 1];
    for (at, (side, squares)) in script.plies.iter().enumerate() {
        hand.advance(13);
        if script.tries && tries_at.contains(&at) && viewer != Viewer::Public {
            try_everything(&mut hand, &mut watcher, &mut bytes);
        }
        if at % 11 == 3 {
            // Resume, and a second look.
            let since = hand.position(hand.seq(viewer).saturating_sub(4));
            hand.open(&watcher, Some(since));
        }
        if at == script.plies.len() * 2 / 3 {
            bytes.extend(watcher.texts());
            hand.reload();
            hand.table.recover(Some(hand.now()));
            hand.open(&watcher, None);
        }
        let ply = hand.table.game.ply();
        let command = GameCommand::from(MoveText(*squares));
        hand.command_as(&players[*side as usize], &format!("ply-{at}"), ply, command);
        assert_eq!(hand.table.game.ply(), ply + 1, "both games take the same moves");
        bytes.extend(watcher.texts());
    }
    let record_now = |hand: &Hand| {
        let record = record::record(hand.id, &hand.log(), viewer).unwrap();
        format!("{}\n{}", serde_json::to_string(&record).unwrap(), record)
    };
    bytes.push(record_now(&hand));
    if viewer == Viewer::Public {
        // Both asked for secrecy: the end opens nothing to the public.
        hand.command_as(&players[0], "end", hand.table.game.ply(), GameCommand::Resign {});
        bytes.extend(watcher.texts());
        bytes.push(record_now(&hand));
    }
    match plant {
        Plant::Nothing => {}
        Plant::Rank => {
            bytes.extend(
                Side::BOTH.map(|side| serde_json::to_string(&hand.view(Viewer::Player(side))).unwrap()),
            );
        }
        Plant::Number => bytes.push(hand.table.head.seq.to_string()),
    }
    bytes.iter().map(|text| without_commitments(text)).collect()
}

/// All from and to that he may not play; those he may, he knows.
fn try_everything(hand: &mut Hand, watcher: &mut Client, bytes: &mut Vec<String>) {
    bytes.extend(watcher.texts());
    hand.open(watcher, None);
    bytes.extend(watcher.texts());
    let side = hand.table.header().side_of(&watcher.player.id).unwrap();
    let is_turn = hand.table.game.turn() == Some(side);
    let legal = hand.table.game.legal_moves().unwrap();
    let squares: Vec<Square> = hand.table.game.terms().ruleset.shape.squares().iter().collect();
    let ply = hand.table.game.ply();
    for from in &squares {
        for to in &squares {
            let squares = Move { from: *from, to: *to };
            // Where an illegal act loses, the turn is no time to try.
            let is_act = legal.contains(squares) || hand.table.game.terms().ruleset.illegal_act_loses;
            if is_turn && is_act {
                bytes.push(format!("legal {squares}"));
                continue;
            }
            let command = GameCommand::from(MoveText(squares));
            hand.command_as(watcher, &format!("try-{ply}-{squares}"), ply, command);
            bytes.extend(watcher.texts());
        }
    }
    for (id, command) in [("a", GameCommand::AcceptDraw {}), ("b", GameCommand::Abort {})] {
        hand.command_as(watcher, &format!("try-{ply}-{id}"), ply, command);
    }
    hand.command_as(watcher, &format!("try-{ply}-c"), ply, deploy("classic", side, 3));
    bytes.extend(watcher.texts());
}

/// Values that are random by design say nothing.
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

/// A game by chance, without its end.
fn play(ruleset: &'static Ruleset, seed: u64, plies_max: usize) -> Script {
    let setups = Side::BOTH.map(|side| setup_text(ruleset.id, side, seed * 2 + side as u64));
    let mut hand = Hand::new(&header(ruleset.id));
    let players = ["ana", "bo"].map(Client::new);
    for side in Side::BOTH {
        let setup = setups[side as usize].clone();
        hand.command(&players[side as usize], 0, GameCommand::Deploy { setup });
    }
    let mut chance = Chance::new(seed);
    let mut plies = Vec::new();
    while let Some(side) = hand.table.game.turn()
        && plies.len() < plies_max
    {
        // A few tries for a strike: they disclose most.
        let foes = hand.table.game.position().occupied(side.opponent());
        let mut tries: Vec<MoveText> = Vec::new();
        while tries.len() < 6 {
            let Some(GameCommand::Move { squares, .. }) = hand.any_move(&mut chance) else { break };
            tries.push(squares);
        }
        let strike = tries.iter().find(|squares| foes.contains(squares.0.to));
        let Some(squares) = strike.or(tries.first()).copied() else { break };
        let ply = hand.table.game.ply();
        hand.command(&players[side as usize], ply, GameCommand::from(squares));
        plies.push((side, squares.0));
    }
    if hand.table.is_over() {
        plies.pop();
    }
    Script { ruleset, setups, earlier: Default::default(), plies, tries: seed == 3 }
}

/// What a game disclosed of one side's pieces, by the places in its deployment.
struct Disclosed {
    /// Places of pieces whose rank was shown, by a strike or a long move.
    shown: Vec<usize>,
    /// Places of pieces that have moved: they are neither Flag nor Bomb.
    moved: Vec<usize>,
    /// Places of pieces that beat an attacker in hiding, with the attacker's rank: that is all that is known of them (§D1).
    beat: Vec<(usize, Rank)>,
}

/// Whether a defender of this letter beats the attacker where of equals the attacker wins (§A6, §D1).
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
    let letters: Vec<char> = script.setups[side as usize].chars().collect();
    let mut at: HashMap<Square, usize> = (0..shape.home_len())
        .filter(|place| letters[*place] != '.')
        .filter_map(|place| Some((shape.home_square(side, place)?, place)))
        .collect();
    let record = {
        let mut hand = Hand::new(&header(script.ruleset.id));
        let players = ["ana", "bo"].map(Client::new);
        for side in Side::BOTH {
            let setup = script.setups[side as usize].clone();
            hand.command(&players[side as usize], 0, GameCommand::Deploy { setup });
        }
        for (mover, squares) in &script.plies {
            let ply = hand.table.game.ply();
            let command = GameCommand::from(MoveText(*squares));
            hand.command(&players[*mover as usize], ply, command);
        }
        record::record(hand.id, &hand.log(), Viewer::Public).unwrap()
    };
    let mut disclosed = Disclosed { shown: Vec::new(), moved: Vec::new(), beat: Vec::new() };
    let is_silent = script.ruleset.disclosure == Disclosure::SilentDefense;
    for event in record.events {
        let GameEvent::Moved(seen) = event.event else { continue };
        let Move { from, to } = seen.squares.0;
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
            None if is_own => StrikeFate::Advances,
            None => unreachable!("a move to an occupied square is a strike"),
            Some(strike) => {
                match strike.attacker.0 {
                    Identity::Known(attacker)
                        if is_silent
                            && !is_own
                            && attacker != Rank::Scout
                            && strike.defender_fate != StrikeFate::Leaves =>
                    {
                        disclosed.beat.push((place, attacker));
                    }
                    Identity::Known(_) | Identity::OneOf(_) | Identity::Hidden => disclosed.shown.push(place),
                }
                if is_own { strike.attacker_fate } else { strike.defender_fate }
            }
        };
        let (own, other) = if is_own { (from, to) } else { (to, from) };
        match fate {
            StrikeFate::Stays => at.insert(own, place),
            StrikeFate::Advances => at.insert(other, place),
            StrikeFate::Leaves => None,
        };
    }
    disclosed
}

/// Sessions that tell the others the same: ranks of this side exchanged that nobody else can tell apart, and other deployments before.
fn twins(script: &Script, side: Side, seed: u64, count: usize) -> Vec<Script> {
    let Disclosed { shown, moved, beat } = disclosed(script, side);
    let letters: Vec<char> = script.setups[side as usize].chars().collect();
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
        let mut setups = script.setups.clone();
        setups[side as usize] = setup.into_iter().collect();
        let mut earlier: [Vec<String>; 2] = Default::default();
        let extra = chance.below(3);
        // The second to deploy starts the game with it: only the first may think again.
        if side == Side::Red {
            earlier[0] = (0..extra as u64).map(|at| setup_text(script.ruleset.id, side, seed + at)).collect();
        }
        twins.push(Script {
            ruleset: script.ruleset,
            setups,
            earlier,
            plies: script.plies.clone(),
            tries: script.tries,
        });
        if twins.len() == count {
            break;
        }
    }
    twins
}

#[test]
fn sessions_that_differ_in_secrets_alone_are_the_same_bytes() {
    let mut compared = 0;
    // What chips prove, and what comes from a reserve, is compared in the leak tests of the engine.
    for ruleset in Ruleset::all().iter().filter(|ruleset| !ruleset.reserve) {
        for seed in 2..5 {
            let script = play(ruleset, seed, if ruleset.army.len() < 10 { 24 } else { 150 });
            if script.plies.len() < 8 {
                continue;
            }
            for side in Side::BOTH {
                for viewer in [Viewer::Player(side.opponent()), Viewer::Public] {
                    let reference = session(&script, viewer, Plant::Nothing);
                    for twin in twins(&script, side, seed, 2) {
                        let bytes = session(&twin, viewer, Plant::Nothing);
                        let differs = reference.iter().zip(&bytes).find(|(one, other)| one != other);
                        assert_eq!(differs, None, "{} seed {seed} {side:?} seen by {viewer:?}", ruleset.id);
                        assert_eq!(reference.len(), bytes.len());
                        compared += reference.len();
                    }
                }
            }
        }
    }
    println!("{compared} messages compared");
    assert!(compared > 100_000);
}

#[test]
fn a_planted_leak_is_found() {
    let script = play(Ruleset::find("classic").unwrap(), 3, 20);
    let twins = twins(&script, Side::Red, 3, 12);
    for plant in [Plant::Rank, Plant::Number] {
        let reference = session(&script, Viewer::Public, plant);
        let found = twins.iter().filter(|twin| session(twin, Viewer::Public, plant) != reference).count();
        match plant {
            Plant::Rank => assert_eq!(found, twins.len()),
            // Only some of them have deployed more often.
            _ => assert!(found > 0 && found < twins.len()),
        }
    }
}

#[test]
fn what_was_disclosed_makes_a_difference() {
    let script = play(Ruleset::find("classic").unwrap(), 3, 200);
    let Disclosed { shown, .. } = disclosed(&script, Side::Red);
    let mut letters: Vec<char> = script.setups[0].chars().collect();
    let other = (0..letters.len()).find(|place| !shown.contains(place) && letters[*place] == 'F').unwrap();
    letters.swap(shown[0], other);
    assert_ne!(letters.iter().collect::<String>(), script.setups[0]);
    assert!(
        std::panic::catch_unwind(|| {
            let mut setups = script.setups.clone();
            setups[0] = letters.iter().collect();
            let twin = Script {
                ruleset: script.ruleset,
                setups,
                earlier: Default::default(),
                plies: script.plies.clone(),
                tries: false,
            };
            assert_eq!(
                session(&twin, Viewer::Public, Plant::Nothing),
                session(&script, Viewer::Public, Plant::Nothing)
            );
        })
        .is_err()
    );
}
