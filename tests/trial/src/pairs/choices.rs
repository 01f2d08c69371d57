//! Pairs in rulesets with coins: a choice in a strike that waits is made at another moment, or is another one that is never resolved (§Q4).

use flagfall_board::{Rank, Side};
use flagfall_bots::Chance;
use flagfall_protocol::GameCommand;
use flagfall_rules::{Choice, Command, Move, Ruleset};

use super::PairPlan;
use super::twins::{Act, Twins, as_message, impossible_at, legal_commands};
use crate::chance::{between, once_in};

/// Steps after which no strike of two coins comes any more.
const STEPS_MAX: usize = 400;

/// A course with two secrets; none when the game ends before.
pub(super) fn plan(
    (number, seed): (usize, u64),
    ruleset: &'static Ruleset,
    chance: &mut Chance,
) -> Option<PairPlan> {
    let hider = if once_in(chance, 2) { Side::Red } else { Side::Blue };
    let mut twins = Twins::new(ruleset, ruleset.shape.lakes);
    let wanted = between(chance, 3, 6);
    let mut strikes = 0;
    for _ in 0..STEPS_MAX {
        let game = &twins.games[0];
        if game.position().has_strike_pending() {
            if Side::BOTH.into_iter().all(|side| game.is_to_act(side)) {
                strikes += 1;
                if strikes > wanted {
                    leave_unseen(&mut twins, hider, chance)?;
                    return Some(PairPlan {
                        number,
                        ruleset,
                        lakes: ruleset.shape.lakes,
                        hider,
                        is_end_open: false,
                        acts: twins.acts,
                        name: format!("pair {number} ({}): {hider}'s choices are others", ruleset.id),
                        seed,
                    });
                }
                choose_both(&mut twins, hider, strikes == 1, chance)?;
            } else {
                let side = game.position().actor();
                let [choice, _] = choices(&twins, side, chance)?;
                twins.order_alike(side, choice)?;
            }
            continue;
        }
        if once_in(chance, 25) {
            probe(&mut twins, hider);
        }
        if once_in(chance, 25) {
            twins.acts.push(Act::Drop(hider.opponent()));
        }
        make_move(&mut twins, chance)?;
    }
    None
}

/// A legal move by chance: a strike, if there is one, as often as not.
fn make_move(twins: &mut Twins, chance: &mut Chance) -> Option<()> {
    let game = &twins.games[0];
    let side = game.position().actor();
    let commands: Vec<Command> = legal_commands(game, side)?.iter().collect();
    let others = game.position().occupied(side.opponent());
    let is_near = |squares: Move| {
        squares.from.column().abs_diff(squares.to.column()) + squares.from.row().abs_diff(squares.to.row())
            == 1
    };
    // A coin that strikes from afar is a Scout, and owes nothing any more.
    let is_strike = |command: &&Command| matches!(command, Command::Move(asked) if others.contains(asked.squares.to) && is_near(asked.squares));
    let strikes: Vec<&Command> = commands.iter().filter(is_strike).collect();
    let command = if !strikes.is_empty() && once_in(chance, 2) {
        strikes[chance.below(strikes.len())]
    } else {
        commands.get(chance.below(commands.len().max(1)))?
    };
    twins.order_alike(side, as_message(command)?)
}

/// Two unlike choices of a side, or one twice where there is but one; the Flag, which would end the game, is none of them.
fn choices(twins: &Twins, side: Side, chance: &mut Chance) -> Option<[GameCommand; 2]> {
    let legal = legal_commands(&twins.games[0], side)?;
    let rank = |command| if let Command::Choose(Choice(rank)) = command { Some(rank) } else { None };
    let mut ranks: Vec<Rank> = legal.iter().filter_map(rank).filter(|rank| *rank != Rank::Flag).collect();
    chance.shuffle(&mut ranks);
    let (first, last) = (*ranks.first()?, *ranks.last()?);
    Some([first, last].map(|rank| GameCommand::Choose { rank }))
}

/// Both choose. When the hider did is the secret.
fn choose_both(twins: &mut Twins, hider: Side, is_first: bool, chance: &mut Chance) -> Option<()> {
    let viewer = hider.opponent();
    let ([choice, _], [own, _]) = (choices(twins, hider, chance)?, choices(twins, viewer, chance)?);
    let is_early = once_in(chance, 2);
    let in_one = |is_it: bool| [is_it, !is_it].map(|is_it| is_it.then(|| choice.clone()));
    twins.order(hider, in_one(is_early))?;
    look_around(twins, hider);
    if is_first {
        twins.acts.push(Act::Outage);
    }
    twins.order(hider, in_one(!is_early))?;
    look_around(twins, hider);
    twins.order_alike(viewer, own)
}

/// A strike that is never resolved: the hider has chosen something else in the other session, or nothing yet.
fn leave_unseen(twins: &mut Twins, hider: Side, chance: &mut Chance) -> Option<()> {
    let [one, other] = choices(twins, hider, chance)?;
    if one == other {
        return None;
    }
    let other = (!once_in(chance, 3)).then_some(other);
    twins.order(hider, [Some(one), other])?;
    look_around(twins, hider);
    twins.acts.push(Act::Outage);
    look_around(twins, hider);
    let loser = if once_in(chance, 2) { hider } else { hider.opponent() };
    twins.end(loser, GameCommand::Resign {})?;
    twins.acts.push(Act::Fetch);
    Some(())
}

/// The viewer does what it can to find out.
fn look_around(twins: &mut Twins, hider: Side) {
    probe(twins, hider);
    twins.acts.extend([Act::Drop(hider.opponent()), Act::Fetch]);
}

fn probe(twins: &mut Twins, hider: Side) {
    let viewer = hider.opponent();
    let Some(square) = twins.games[0].position().occupied(hider).first() else { return };
    impossible_at(square).into_iter().for_each(|command| twins.probe(viewer, 0, command));
    twins.probe(viewer, 1, GameCommand::OfferDraw {});
    // No piece of this name is in any army here.
    twins.probe(viewer, 0, GameCommand::Choose { rank: Rank::Phoenix });
}
