//! Sessions with coins that look the same to the other viewers (§Q4, §Q8). Only two things are
//! hidden: a choice in a pending strike, and the time of a choice that did not resolve its
//! strike.

use flagfall_board::{Chance, Rank, Side};
use flagfall_protocol::{GameCommand, Time};
use flagfall_rules::{Command, LegalCommands, Ruleset, Viewer, view};

use super::Script;
use crate::tests::harness::{Client, Hand};

/// The number of idle moments around a choice. In a twin of the session, the choice may be made
/// in one of these moments instead.
const STILL: usize = 2;

fn legal(hand: &Hand, side: Side) -> Option<LegalCommands> {
    view(&hand.table.game, Viewer::Player(side), hand.now()).legal_commands()
}

/// Plays a random game that stops during a strike. Both sides have to choose, and only the side
/// `hider` has chosen. If the seed is odd, there is a clock and the viewer may see the end of the
/// game. The clock reveals when the choices of resolved strikes were made.
pub(super) fn play(ruleset: &'static Ruleset, seed: u64, commands_max: usize, hider: Side) -> Script {
    let has_clock = seed % 2 == 1;
    let time = if has_clock { Time::Fischer { base_s: 3600, increment_s: 5 } } else { Time::Unlimited {} };
    let mut script = Script {
        ruleset,
        time,
        setups: None,
        earlier: Default::default(),
        commands: Vec::new(),
        tries: 0..0,
        is_end_seen_by: if has_clock { |_| true } else { |_| false },
    };
    let (mut hand, players) = script.hand();
    let mut chance = Chance::new(seed);
    let act = |hand: &mut Hand, script: &mut Script, side: Side, command: GameCommand| {
        hand.command(&players[side as usize], hand.table.game.ply(), command.clone());
        script.commands.push(Some((side, command)));
    };
    loop {
        assert!(!hand.table.is_over(), "seed {seed}: over before a strike that could be hidden in");
        let owing: Vec<Side> =
            Side::BOTH.into_iter().filter(|side| hand.table.game.is_to_act(*side)).collect();
        let is_choosing = hand.table.game.position().has_strike_pending();
        let is_last = is_choosing && owing.len() == 2 && script.commands.len() >= commands_max;
        let side = if is_last { hider } else { owing[chance.below(owing.len())] };
        let legal = legal(&hand, side).unwrap();
        let nth = |at: usize| GameCommand::from_command(&legal.nth(at).unwrap()).unwrap();
        let strikes = hand.table.game.position().occupied(side.opponent());
        let is_strike = |command: &GameCommand| matches!(command, GameCommand::Move { squares, .. } if strikes.contains(squares.to));
        let is_flag = |command: &GameCommand| matches!(command, GameCommand::Choose { rank: Rank::Flag });
        let tries: Vec<GameCommand> = (0..6).map(|_| nth(chance.below(legal.len()))).collect();
        let wanted = tries.iter().find(|it| is_strike(it)).or(tries.iter().find(|it| !is_flag(it)));
        let command = wanted.unwrap_or(&tries[0]).clone();
        if is_choosing {
            script.commands.extend([const { None }; STILL]);
        }
        act(&mut hand, &mut script, side, command);
        if is_last {
            script.commands.extend([const { None }; STILL]);
            script.tries = script.commands.len() - STILL..script.commands.len();
            return script;
        }
    }
}

/// Returns scripts that differ from this one in a hidden choice of this side. The choice has
/// another rank, has not been made yet, or was made at another moment.
pub(super) fn twins(script: &Script, side: Side, seed: u64, count: usize) -> Vec<Script> {
    let mut chance = Chance::new(seed);
    let has_clock = script.time != Time::Unlimited {};
    let (strikes, last) = hidden_choices(script, side);
    let mut twins: Vec<Script> = Vec::new();
    for _ in 0..400 {
        let mut twin = script.clone();
        if let Some(at) = last {
            match chance.below(3) {
                0 => twin.commands[at] = None,
                1 => {
                    let ranks = ranks_at(script, at, side);
                    let rank = ranks[chance.below(ranks.len())];
                    twin.commands[at] = Some((side, GameCommand::Choose { rank }));
                }
                _ => shift(&mut twin, at, &mut chance),
            }
        }
        for at in strikes.iter().filter(|_| !has_clock) {
            shift(&mut twin, *at, &mut chance);
        }
        if twin.commands != script.commands && twins.iter().all(|other| other.commands != twin.commands) {
            twins.push(twin);
        }
        if twins.len() == count {
            break;
        }
    }
    twins
}

/// Returns the moments at which this side was the first of the two to choose, in resolved strikes
/// and in the strike that is pending at the end.
fn hidden_choices(script: &Script, side: Side) -> (Vec<usize>, Option<usize>) {
    let (mut hand, players) = script.hand();
    let (mut resolved, mut last) = (Vec::new(), None);
    for (at, act) in script.commands.iter().enumerate() {
        let Some((by, command)) = act else { continue };
        hand.command(&players[*by as usize], hand.table.game.ply(), command.clone());
        let is_choice = matches!(command, GameCommand::Choose { .. });
        if is_choice && hand.table.game.position().has_strike_pending() {
            last = (*by == side).then_some(at);
        } else if is_choice {
            resolved.extend(last.take());
        }
    }
    (resolved, last)
}

/// Returns the ranks that this side could have chosen at this moment.
fn ranks_at(script: &Script, at: usize, side: Side) -> Vec<Rank> {
    let (mut hand, players) = script.hand();
    for (by, command) in script.commands[..at].iter().flatten() {
        hand.command(&players[*by as usize], hand.table.game.ply(), command.clone());
    }
    let choices = legal(&hand, side).unwrap();
    let rank = |command| if let Command::Choose(choice) = command { Some(choice.0) } else { None };
    (0..choices.len()).filter_map(|at| choices.nth(at).and_then(rank)).collect()
}

/// Moves a choice to a nearby idle moment.
fn shift(script: &mut Script, at: usize, chance: &mut Chance) {
    let other = at + chance.below(2 * STILL + 1) - STILL;
    if script.commands[other].is_none() {
        script.commands.swap(at, other);
    }
}

/// Tries illegal choices from the watcher's connection.
pub(super) fn try_choices(hand: &mut Hand, watcher: &mut Client, bytes: &mut Vec<String>) {
    let side = hand.table.header.side_of(&watcher.player.id).unwrap();
    let commands = legal(hand, side);
    let legal: Vec<GameCommand> = commands
        .iter()
        .flat_map(|commands| (0..commands.len()).filter_map(|at| commands.nth(at)))
        .filter_map(|command| GameCommand::from_command(&command))
        .collect();
    let ply = hand.table.game.ply();
    for rank in Rank::ALL {
        let command = GameCommand::Choose { rank };
        if legal.contains(&command) {
            bytes.push(format!("legal {rank}"));
            continue;
        }
        hand.command_as(watcher, &format!("try-{ply}-{rank}"), ply, command);
        bytes.extend(watcher.texts());
    }
}
