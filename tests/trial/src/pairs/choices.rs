//! Pairs in rulesets with coins. The sessions differ in a pending strike: a choice is made at
//! another moment, or a choice that is never revealed is different (§Q4).

use flagfall_board::{Chance, Direction, Rank, Side, Square, Stamp};
use flagfall_protocol::GameCommand;
use flagfall_rules::{Choice, Command, Identity, Move, Ruleset, Viewer, view};

use super::plan::PairPlan;
use super::twins::{Act, Twins, as_message, impossible_at, legal_commands};
use crate::chance::{between, once_in};

/// The maximum number of planned steps. All strikes between two coins happen earlier.
const STEPS_MAX: usize = 400;

/// Plans a course with two secrets. None if the game ends first.
pub(super) fn plan(
    (number, seed): (usize, u64),
    ruleset: &'static Ruleset,
    chance: &mut Chance,
) -> Option<PairPlan> {
    let hider = if once_in(chance, 2) { Side::Red } else { Side::Blue };
    let mut twins = Twins::new(ruleset, ruleset.shape.lakes);
    let wanted = between(chance, 1, 2);
    // The end of the game reveals the moments of choices in resolved strikes. If these moments
    // differ, the final records do, too.
    let is_by_moment = (number / Ruleset::all().len()).is_multiple_of(2);
    let mut strikes = 0;
    for _ in 0..STEPS_MAX {
        let game = &twins.games[0];
        if game.position().has_strike_pending() {
            if Side::BOTH.into_iter().all(|side| game.is_to_act(side)) {
                strikes += 1;
                if strikes > wanted {
                    leave_unseen(&mut twins, hider, chance)?;
                    if !is_by_moment {
                        twins.acts.push(Act::Fetch);
                    }
                    return Some(PairPlan {
                        number,
                        ruleset,
                        lakes: ruleset.shape.lakes,
                        hider,
                        is_end_open: false,
                        acts: twins.acts,
                        name: format!("pair {number} ({}): {hider}'s choices differ", ruleset.id),
                        seed,
                    });
                }
                choose_both(&mut twins, hider, (is_by_moment, strikes == 1), chance)?;
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
        if once_in(chance, 50) {
            twins.acts.push(Act::Drop(hider.opponent()));
        }
        make_move(&mut twins, chance)?;
    }
    None
}

/// Chooses a random legal move: preferably a strike of a coin against a coin, otherwise a move
/// forward rather than back.
fn make_move(twins: &mut Twins, chance: &mut Chance) -> Option<()> {
    let game = &twins.games[0];
    let side = game.position().actor();
    let view = view(game, Viewer::Player(side), Stamp(0));
    let commands: Vec<Command> = view.legal_commands()?.iter().collect();
    let is_coin = |square: Square| {
        view.pieces.iter().any(|piece| piece.square == square && piece.identity == Identity::Coin)
    };
    // A coin that strikes from a distance is a Scout, so there is no choice.
    let is_strike = |command: &&Command| {
        let Command::Move(asked) = command else { return false };
        let Move { from, to } = asked.squares;
        is_coin(from) && is_coin(to) && Direction::ALL.into_iter().any(|way| from.neighbor(way) == Some(to))
    };
    let strikes: Vec<&Command> = commands.iter().filter(is_strike).collect();
    let rows_ahead = |command: &&Command| {
        let Command::Move(asked) = command else { return 0 };
        let rows = [asked.squares.from, asked.squares.to].map(|square| square.row() as i16);
        if side == Side::Red { rows[1] - rows[0] } else { rows[0] - rows[1] }
    };
    let mut any = || commands.get(chance.below(commands.len().max(1)));
    let by_chance = [any(), any(), any()].into_iter().flatten().max_by_key(rows_ahead);
    let strike = strikes.get(chance.below(strikes.len().max(1))).copied();
    twins.order_alike(side, as_message(strike.or(by_chance)?)?)
}

/// Returns two different choices of a side, or the same choice twice if there is only one. The
/// Flag is excluded, because choosing it would end the game.
fn choices(twins: &Twins, side: Side, chance: &mut Chance) -> Option<[GameCommand; 2]> {
    let legal = legal_commands(&twins.games[0], side)?;
    let rank = |command| if let Command::Choose(Choice(rank)) = command { Some(rank) } else { None };
    let mut ranks: Vec<Rank> = legal.iter().filter_map(rank).filter(|rank| *rank != Rank::Flag).collect();
    chance.shuffle(&mut ranks);
    let (first, last) = (*ranks.first()?, *ranks.last()?);
    Some([first, last].map(|rank| GameCommand::Choose { rank }))
}

/// Lets both sides choose. If the hider chooses at different moments in the two sessions, these
/// moments are the secret.
fn choose_both(
    twins: &mut Twins,
    hider: Side,
    (is_by_moment, is_first): (bool, bool),
    chance: &mut Chance,
) -> Option<()> {
    let viewer = hider.opponent();
    let ([choice, _], [own, _]) = (choices(twins, hider, chance)?, choices(twins, viewer, chance)?);
    let is_early = once_in(chance, 2);
    let in_those = |are: [bool; 2]| are.map(|is_it| is_it.then(|| choice.clone()));
    let early = if is_by_moment { [is_early, !is_early] } else { [is_early; 2] };
    twins.order(hider, in_those(early))?;
    look_around(twins, hider);
    if is_first {
        twins.acts.push(Act::Outage);
    }
    twins.order(hider, in_those(early.map(|is_early| !is_early)))?;
    look_around(twins, hider);
    twins.order_alike(viewer, own)
}

/// Leaves a strike unresolved. In the other session, the hider has chosen another rank or has not
/// chosen yet.
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
    twins.end(loser, GameCommand::Resign {})
}

/// The viewer tries to find out the secret.
fn look_around(twins: &mut Twins, hider: Side) {
    probe(twins, hider);
    twins.acts.extend([Act::Drop(hider.opponent()), Act::Fetch]);
}

fn probe(twins: &mut Twins, hider: Side) {
    let viewer = hider.opponent();
    let Some(square) = twins.games[0].position().occupied(hider).first() else { return };
    impossible_at(square).into_iter().for_each(|command| twins.probe(viewer, 0, command));
    twins.probe(viewer, 1, GameCommand::OfferDraw {});
    // No army in these rulesets has a Phoenix.
    twins.probe(viewer, 0, GameCommand::Choose { rank: Rank::Phoenix });
}
