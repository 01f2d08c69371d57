//! The mind of the level *good* in games with coins (§Q). A strike is treated as a small game in
//! which both sides choose a rank at the same time. The value of the strike is that game's value
//! in equilibrium. The score of a ply is its expected gain, minus the gain of the enemy's best
//! strike in reply.

use std::cell::RefCell;
use std::collections::HashMap;

use flagfall_board::{Chance, Rank, Side, Square};
use flagfall_rules::{
    Choice, Command, Fate, Identity, Move, MoveCommand, PendingStrike, SeenPiece, View, strike_fates,
};

use super::matrix::{Mixed, solve};
use super::{SHOWN, Stock, may_be, piece_at, worth};
use crate::mind::{Best, Mind};

/// The random noise that is added to scores. If two plies differ by less than this, either may be
/// chosen.
const WHIM: f32 = 0.2;
/// The weight of the enemy's best reply. It is below one, because the enemy may have a better ply
/// elsewhere or may overlook the reply.
const ANSWER: f32 = 0.8;
/// After this many of our plies without a capture, the enemy's replies count only half as much, and
/// the additional value of striking coins doubles.
const PATIENCE_PLIES: f32 = 15.0;
/// The weight of how much closer a move brings a piece to attractive targets.
const APPROACH: f32 = 1.6;
/// The limit for a target's value when computing how strongly the target attracts distant pieces.
const TARGET_MAX: f32 = 15.0;

/// The mind of the level *good* in games with coins.
pub(crate) struct GoodQuantumMind {
    side: Side,
    /// The number of pieces on the board at our latest ply. `quiet_plies` is the number of our
    /// plies since this number last changed.
    standing: usize,
    quiet_plies: u16,
}

impl GoodQuantumMind {
    pub(crate) fn new(side: Side) -> GoodQuantumMind {
        GoodQuantumMind { side, standing: 0, quiet_plies: 0 }
    }
}

impl Mind for GoodQuantumMind {
    fn act(&mut self, view: &View, chance: &mut Chance) -> Option<Command> {
        let standing = view.pieces.len();
        let is_quiet = standing == std::mem::replace(&mut self.standing, standing);
        self.quiet_plies = if is_quiet { self.quiet_plies.saturating_add(1) } else { 0 };
        choose(&Turn::new(view, self.side, self.quiet_plies), chance)
    }
}

/// Returns a legal command. Returns `None` only if the side does not have to act.
fn choose(turn: &Turn<'_>, chance: &mut Chance) -> Option<Command> {
    let commands = turn.view.legal_commands()?;
    if let Some(strike) = &turn.view.pending_strike
        && let Some(rank) = turn.choice(strike, chance)
        && let choice = Command::Choose(Choice(rank))
        && commands.iter().any(|command| command == choice)
    {
        return Some(choice);
    }
    let mut best = Best::new(chance, WHIM);
    commands.iter().for_each(|command| best.try_out(turn.score(&command), command));
    best.choice()
}

/// The public knowledge about a piece.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Stand {
    Known(Rank),
    Coin { is_moved: bool },
}

impl Stand {
    fn of(piece: &SeenPiece) -> Stand {
        match piece.identity {
            Identity::Known(rank) => Stand::Known(rank),
            Identity::Coin | Identity::OneOf(_) | Identity::Hidden => {
                Stand::Coin { is_moved: piece.is_moved }
            }
        }
    }
}

struct Turn<'a> {
    view: &'a View,
    side: Side,
    stock: Stock,
    /// How boldly the player strikes: 1 at first, and more the longer no piece is captured.
    boldness: f32,
    /// The value of each kind of strike for the striking side, ignoring other pieces.
    worths: RefCell<HashMap<(Side, Stand, Stand), f32>>,
}

impl<'a> Turn<'a> {
    fn new(view: &'a View, side: Side, quiet_plies: u16) -> Turn<'a> {
        let boldness = 1.0 + f32::from(quiet_plies) / PATIENCE_PLIES;
        Turn { view, side, stock: Stock::of(view), boldness, worths: RefCell::default() }
    }

    /// Returns the weight of the enemy's best reply.
    fn answer(&self) -> f32 {
        ANSWER / self.boldness
    }

    fn of(&self, side: Side) -> impl Iterator<Item = &SeenPiece> + Clone {
        self.view.pieces.iter().filter(move |piece| piece.side == side)
    }

    /// Returns the ranks that a side can choose for a piece in a strike (§Q4, §Q6).
    fn ranks(&self, side: Side, stand: Stand, is_attacker: bool) -> Vec<Rank> {
        let is_moved = match stand {
            Stand::Known(rank) => return vec![rank],
            Stand::Coin { is_moved } => is_moved || is_attacker,
        };
        let is_bound = !is_moved && self.stock.is_bound(side);
        let left = Rank::ALL.into_iter().filter(|rank| self.stock.pools[side][*rank] > 0);
        left.filter(|rank| if is_bound { !may_be(*rank, true) } else { may_be(*rank, is_moved) }).collect()
    }

    /// Returns the value of a strike between these ranks for the striking side.
    fn payoff(&self, striker: Side, ours: (Stand, Rank), theirs: (Stand, Rank)) -> f32 {
        let (own_fate, foe_fate) = strike_fates(self.view.ruleset, ours.1, theirs.1);
        let cost = |fate: Fate, side: Side, (stand, rank): (Stand, Rank)| {
            let shown = if matches!(stand, Stand::Known(_)) { 0.0 } else { SHOWN };
            if fate == Fate::Leaves { self.stock.loss(side, rank) } else { shown * worth(rank) }
        };
        cost(foe_fate, striker.opponent(), theirs) - cost(own_fate, striker, ours)
    }

    /// Treats a strike as a game in which both sides choose a rank. `exposed` returns the cost of
    /// ending up on the target square with a given rank.
    fn strike_game(
        &self,
        striker: Side,
        ours: Stand,
        theirs: Stand,
        exposed: impl Fn(Rank) -> f32,
    ) -> StrikeGame {
        let (rows, columns) =
            (self.ranks(striker, ours, true), self.ranks(striker.opponent(), theirs, false));
        let pressure = match theirs {
            Stand::Known(_) => 0.0,
            Stand::Coin { is_moved } => self.stock.pressure(striker.opponent(), is_moved),
        };
        let pressure = if striker == self.side { pressure * self.boldness } else { pressure };
        let payoffs: Vec<Vec<f32>> = rows
            .iter()
            .map(|own| {
                let payoff = |foe: &Rank| {
                    let (fate, _) = strike_fates(self.view.ruleset, *own, *foe);
                    let risk = if fate == Fate::Leaves { 0.0 } else { exposed(*own) };
                    self.payoff(striker, (ours, *own), (theirs, *foe)) + pressure - risk
                };
                columns.iter().map(payoff).collect()
            })
            .collect();
        let mixed = solve(&payoffs);
        StrikeGame { rows, columns, mixed }
    }

    /// Returns the value of a strike for the striking side, ignoring other pieces.
    fn worth_of(&self, striker: Side, ours: Stand, theirs: Stand) -> f32 {
        if let Some(worth) = self.worths.borrow().get(&(striker, ours, theirs)) {
            return *worth;
        }
        let worth = self.strike_game(striker, ours, theirs, |_| 0.0).mixed.value;
        self.worths.borrow_mut().insert((striker, ours, theirs), worth);
        worth
    }

    /// Returns the largest gain that the enemy can make with a strike at the piece on a square.
    fn threat(&self, side: Side, at: Square, stand: Stand, struck: Option<Square>) -> f32 {
        let foe = side.opponent();
        let beside =
            self.of(foe).filter(|piece| piece.square.distance(at) == 1 && Some(piece.square) != struck);
        let can_strike = |piece: &&SeenPiece| match Stand::of(piece) {
            Stand::Known(rank) => may_be(rank, true),
            Stand::Coin { is_moved } => is_moved || !self.stock.is_bound(foe),
        };
        beside.filter(can_strike).map(|piece| self.worth_of(foe, Stand::of(piece), stand)).fold(0.0, f32::max)
    }

    /// Chooses a rank in the pending strike, which is treated as a game in which both sides
    /// choose at the same time.
    fn choice(&self, strike: &PendingStrike, chance: &mut Chance) -> Option<Rank> {
        let PendingStrike { side, squares: Move { from, to }, owes: _, own_choice: _ } = *strike;
        let (ours, theirs) = (Stand::of(piece_at(self.view, from)?), Stand::of(piece_at(self.view, to)?));
        let exposed = |rank| self.answer() * self.threat(side, to, Stand::Known(rank), Some(to));
        let StrikeGame { rows, columns, mixed } = self.strike_game(side, ours, theirs, exposed);
        let (ranks, weights) = if side == self.side { (rows, mixed.rows) } else { (columns, mixed.columns) };
        draw(&ranks, &weights, chance)
    }

    fn score(&self, command: &Command) -> f32 {
        let Command::Move(MoveCommand { squares, path: _, color: _ }) = command else { return 0.0 };
        let Move { from, to } = *squares;
        let Some(own) = piece_at(self.view, from) else { return 0.0 };
        let is_far = from.distance(to) > 1;
        let before = Stand::of(own);
        let after = match before {
            Stand::Coin { .. } if is_far => Stand::Known(Rank::Scout),
            Stand::Coin { .. } => Stand::Coin { is_moved: true },
            Stand::Known(_) => before,
        };
        let shown = if after == before || !is_far { 0.0 } else { SHOWN * worth(Rank::Scout) };
        let elsewhere = self
            .of(self.side)
            .filter(|piece| piece.square != from)
            .map(|piece| self.threat(self.side, piece.square, Stand::of(piece), Some(to)))
            .fold(0.0, f32::max);
        let gain = match piece_at(self.view, to) {
            Some(foe) => {
                let exposed = |rank| {
                    (self.answer() * self.threat(self.side, to, Stand::Known(rank), Some(to))).max(0.0)
                };
                self.strike_game(self.side, after, Stand::of(foe), exposed).mixed.value
                    - self.answer() * elsewhere
            }
            None => {
                let here = self.threat(self.side, to, after, None);
                APPROACH * (self.pull(to, after) - self.pull(from, before))
                    - self.answer() * here.max(elsewhere)
            }
        };
        let is_setting_out = before == Stand::Coin { is_moved: false };
        gain - shown - if is_setting_out { self.stock.cost_of_setting_out(self.side) } else { 0.0 }
    }

    /// Returns how strongly targets attract a piece on this square. Closer targets attract the
    /// piece more strongly.
    fn pull(&self, at: Square, stand: Stand) -> f32 {
        let foes = self.of(self.side.opponent());
        let pull = |foe: &SeenPiece| {
            let worth = self.worth_of(self.side, stand, Stand::of(foe)).min(TARGET_MAX);
            worth * (1.0 - f32::from(at.distance(foe.square)) / 20.0)
        };
        foes.map(pull).fold(0.0, f32::max)
    }
}

/// The ranks that each side can choose in a strike, with the best strategies for choosing.
struct StrikeGame {
    rows: Vec<Rank>,
    columns: Vec<Rank>,
    mixed: Mixed,
}

/// Draws a rank. The probability of each rank is proportional to its weight.
fn draw(ranks: &[Rank], weights: &[f32], chance: &mut Chance) -> Option<Rank> {
    let mut left = chance.below(1_000_000) as f32 / 1_000_000.0;
    for (rank, weight) in ranks.iter().zip(weights) {
        left -= weight;
        if left < 0.0 {
            return Some(*rank);
        }
    }
    ranks.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_drawn_as_often_as_their_weights_say() {
        let (ranks, weights) = ([Rank::Scout, Rank::Bomb, Rank::Marshal], [0.75, 0.0, 0.25]);
        let mut chance = Chance::new(1);
        let drawn: Vec<Rank> = (0..4000).filter_map(|_| draw(&ranks, &weights, &mut chance)).collect();
        let count = |rank: Rank| drawn.iter().filter(|it| **it == rank).count();
        assert_eq!((drawn.len(), count(Rank::Bomb)), (4000, 0));
        assert!((900..1100).contains(&count(Rank::Marshal)), "{}", count(Rank::Marshal));
        assert_eq!(draw(&[], &[], &mut chance), None);
    }
}
