//! Draws random armies that the enemy may have, by exchanging the ranks of pieces (Metropolis and
//! others 1953). The probability of an army depends on how plausible its deployment is and how
//! well it explains the enemy's moves.

use flagfall_board::{Chance, Rank, RankSet, Square};

use super::belief::PerRank;
use super::prior::Prior;
use super::reading::Readings;
use crate::mind::give_way;

/// The maximum number of armies drawn for one decision.
pub(super) const ARMIES: usize = 16;
/// The first 1/`SETTLING` of the exchanges are not counted, so that the result depends less on
/// the initial army.
const SETTLING: usize = 4;
/// The number of exchanges after which the thread yields to other threads.
const EXCHANGES_A_TURN: usize = 128;
/// Every `BLOCKS`-th exchange moves the Flag together with all pieces next to it.
const BLOCKS: usize = 8;
/// The number of exchanges after which the current army is counted again.
const COUNTED: usize = 8;
/// A decision starts with this share of the previous decision's counts, because little changes from
/// one move to the next.
const KEPT: f64 = 0.5;
/// The share of a piece's probability that is spread evenly over its possible ranks. The counts
/// alone are inexact, because only a small number of armies is drawn.
const DOUBT: f64 = 0.03;

/// The clues about each enemy piece, including captured pieces.
pub(super) struct Clues<'c> {
    /// For each piece, the ranks that it can have.
    pub(super) sets: &'c [RankSet],
    /// For each piece, the square on which it was deployed, if known.
    pub(super) origins: &'c [Option<Square>],
    /// A function that returns the probabilities of deployments. The first call is slow.
    pub(super) prior: &'c dyn Fn() -> &'c Prior,
}

/// An army that fits the clues, with counts of how often each piece had each rank in earlier
/// armies.
#[derive(Default)]
pub(super) struct Army {
    pub(super) ranks: Vec<Rank>,
    counted: Vec<PerRank<f64>>,
}

impl Army {
    /// Replaces the army and discards all counts.
    pub(super) fn begin(&mut self, ranks: Vec<Rank>) {
        self.counted = vec![[0.0; Rank::COUNT]; ranks.len()];
        self.ranks = ranks;
    }

    /// Exchanges ranks until every piece has a rank that it can have. Returns false if this
    /// fails.
    pub(super) fn repair(&mut self, sets: &[RankSet]) -> bool {
        if self.ranks.len() != sets.len() {
            return false;
        }
        for number in 0..sets.len() {
            let (set, rank) = (sets[number], self.ranks[number]);
            if set.contains(rank) {
                continue;
            }
            let gives = |other: &usize| set.contains(self.ranks[*other]);
            let takes = |other: &usize| sets[*other].contains(rank);
            let needs = |other: &usize| !sets[*other].contains(self.ranks[*other]);
            let others = || (0..sets.len()).filter(gives);
            match others().find(takes).or_else(|| others().find(needs)) {
                Some(other) => self.ranks.swap(number, other),
                None => return false,
            }
        }
        sets.iter().zip(&self.ranks).all(|(set, rank)| set.contains(*rank))
    }

    /// Makes the given number of exchanges. Returns the drawn armies and, for each piece, the
    /// probability of each rank.
    pub(super) fn draw(
        &mut self,
        clues: &Clues<'_>,
        readings: &mut Readings,
        exchanges: usize,
        chance: &mut Chance,
    ) -> (Vec<Vec<Rank>>, Vec<PerRank<f64>>) {
        let free: Vec<usize> =
            (0..clues.sets.len()).filter(|number| clues.sets[*number].single().is_none()).collect();
        let mut drawn = Vec::with_capacity(ARMIES);
        if free.len() > 1 && exchanges > 0 {
            self.counted.iter_mut().flatten().for_each(|count| *count *= KEPT);
            readings.take_up(&self.ranks);
            let mut draw = Draw::new(self, clues, readings);
            let settled = exchanges / SETTLING;
            let apart = ((exchanges - settled) / ARMIES).max(1);
            for number in 1..=exchanges {
                if number.is_multiple_of(EXCHANGES_A_TURN) {
                    give_way();
                }
                let one = free[chance.below(free.len())];
                let other = free[chance.below(free.len())];
                draw.try_exchange(one, other, number.is_multiple_of(BLOCKS), chance);
                if number > settled && number.is_multiple_of(COUNTED) {
                    draw.army.count();
                }
                if number > settled && (number - settled).is_multiple_of(apart) {
                    drawn.push(draw.army.ranks.clone());
                }
            }
        }
        if drawn.is_empty() {
            drawn.push(self.ranks.clone());
        }
        (drawn, self.chances(clues.sets))
    }

    fn count(&mut self) {
        self.counted.iter_mut().zip(&self.ranks).for_each(|(row, rank)| row[*rank as usize] += 1.0);
    }

    fn chances(&self, sets: &[RankSet]) -> Vec<PerRank<f64>> {
        let row = |counted: &PerRank<f64>, set: &RankSet| {
            let within = |rank: Rank| if set.contains(rank) { counted[rank as usize] } else { 0.0 };
            let total: f64 = Rank::ALL.into_iter().map(within).sum();
            let alike = (DOUBT * total).max(0.001) / f64::from(set.len().max(1));
            let sum = total + alike * f64::from(set.len());
            Rank::ALL.map(|rank| if set.contains(rank) { (within(rank) + alike) / sum } else { 0.0 })
        };
        self.counted.iter().zip(sets).map(|(counted, set)| row(counted, set)).collect()
    }
}

/// The state of one run of exchanges.
struct Draw<'a, 'c> {
    army: &'a mut Army,
    clues: &'a Clues<'c>,
    prior: &'c Prior,
    readings: &'a mut Readings,
    /// For each piece, the logarithm of the weight of each rank.
    weights: Vec<PerRank<f32>>,
    /// For each piece, the pieces that were deployed next to it.
    beside: Vec<Vec<usize>>,
}

impl<'a, 'c> Draw<'a, 'c> {
    fn new(army: &'a mut Army, clues: &'a Clues<'c>, readings: &'a mut Readings) -> Draw<'a, 'c> {
        let prior = (clues.prior)();
        let weights = clues.origins.iter().map(|origin| prior.of(*origin)).collect();
        let neighbors = |origin: &Option<Square>| {
            let is_neighbor = |other: &Option<Square>| {
                origin.zip(*other).is_some_and(|(one, other)| one.distance(other) == 1)
            };
            (0..clues.origins.len()).filter(|number| is_neighbor(&clues.origins[*number])).collect()
        };
        let beside = clues.origins.iter().map(neighbors).collect();
        Draw { army, clues, prior, readings, weights, beside }
    }

    /// Tries to exchange the ranks of two pieces. If `is_block` is set, exchanges the Flag and
    /// its neighbors with another piece and its neighbors. If the new army is less likely, the
    /// exchange is accepted with a probability equal to the ratio of the new likelihood to the
    /// old one.
    fn try_exchange(&mut self, one: usize, other: usize, is_block: bool, chance: &mut Chance) {
        let pairs = if is_block { self.block(other) } else { vec![(one, other)] };
        if pairs.is_empty() || !pairs.iter().all(|(one, other)| self.is_open(*one, *other)) {
            return;
        }
        let is_block = pairs.len() > 1;
        let before = self.company();
        let mut log = 0.0;
        for (one, other) in pairs.iter().copied() {
            log += self.compare(one, other);
            if is_block {
                self.readings.exchange(&self.army.ranks, one, other);
            }
            self.army.ranks.swap(one, other);
        }
        log += self.company() - before;
        let is_taken = log >= 0.0 || f64::from(log).exp() * f64::from(1 << 30) > chance.below(1 << 30) as f64;
        if is_taken && !is_block {
            // `Readings::exchange` needs the army before the exchange, so undo the exchange
            // during the call.
            let (one, other) = pairs[0];
            self.army.ranks.swap(one, other);
            self.readings.exchange(&self.army.ranks, one, other);
            self.army.ranks.swap(one, other);
        } else if !is_taken {
            for (one, other) in pairs.into_iter().rev() {
                if is_block {
                    self.readings.exchange(&self.army.ranks, one, other);
                }
                self.army.ranks.swap(one, other);
            }
        }
    }

    /// Pairs the Flag with another piece, and each neighbor of the Flag with a neighbor of the
    /// other piece. Empty if a piece would appear twice.
    fn block(&self, other: usize) -> Vec<(usize, usize)> {
        let Some(flag) = self.flag() else { return Vec::new() };
        let mut pairs = vec![(flag, other)];
        pairs.extend(self.beside[flag].iter().copied().zip(self.beside[other].iter().copied()));
        let mut all: Vec<usize> = pairs.iter().flat_map(|(one, other)| [*one, *other]).collect();
        all.sort_unstable();
        if all.windows(2).any(|two| two[0] == two[1]) { Vec::new() } else { pairs }
    }

    fn is_open(&self, one: usize, other: usize) -> bool {
        let (a, b) = (self.army.ranks[one], self.army.ranks[other]);
        self.clues.sets[one].contains(b) && self.clues.sets[other].contains(a)
    }

    fn compare(&self, one: usize, other: usize) -> f32 {
        let (a, b) = (self.army.ranks[one] as usize, self.army.ranks[other] as usize);
        if a == b {
            return 0.0;
        }
        let (at_one, at_other) = (&self.weights[one], &self.weights[other]);
        at_one[b] - at_one[a] + at_other[a] - at_other[b]
            + self.readings.compare(&self.army.ranks, one, other)
    }

    fn flag(&self) -> Option<usize> {
        self.army.ranks.iter().position(|rank| *rank == Rank::Flag)
    }

    fn company(&self) -> f32 {
        let Some(flag) = self.flag() else { return 0.0 };
        let bombs = self.beside[flag].iter().filter(|other| self.army.ranks[**other] == Rank::Bomb).count();
        self.prior.company(self.beside[flag].len(), bombs)
    }
}
