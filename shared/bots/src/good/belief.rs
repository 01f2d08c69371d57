//! What hidden pieces may be: exact where counting decides it, weighed where it does not, and drawn at random as whole armies.

use flagfall_board::{Rank, RankSet};

use crate::Chance;

/// A number for every rank.
pub(super) type PerRank<T> = [T; Rank::COUNT];

/// A hidden piece: the ranks it may have and how likely each seems by itself, on any scale.
#[derive(Clone)]
pub(super) struct Suspect {
    pub(super) possible: RankSet,
    pub(super) weight: PerRank<f64>,
}

/// What is believed of a side's hidden pieces together, each rank being there as often as it is left.
pub(super) struct Belief {
    /// For each suspect the chance of each rank; sums to one.
    chances: Vec<PerRank<f64>>,
    /// One way to give every suspect a rank.
    witness: Vec<Rank>,
    left: PerRank<u8>,
}

/// Rounds of scaling rows and columns in turn.
const ROUNDS: usize = 14;
/// Drawings of a whole army before the one known to fit is taken.
const DRAWINGS: usize = 6;
/// How much likelier a Bomb is beside the Flag than the weights say.
const BOMB_BESIDE_FLAG: f64 = 3.0;

impl Belief {
    /// Brings the suspects and the counts of what is left together. Where they contradict each other, which no game's view does, the
    /// counts give way.
    pub(super) fn new(suspects: &[Suspect], left: PerRank<u8>) -> Belief {
        let mut sets: Vec<RankSet> = suspects.iter().map(|suspect| suspect.possible).collect();
        let witness = match Matching::of(&sets, left) {
            Some(matching) => {
                if left.iter().map(|count| usize::from(*count)).sum::<usize>() == sets.len() {
                    matching.narrow(&mut sets);
                }
                matching.ranks
            }
            None => sets.iter().map(|set| any_of(*set)).collect(),
        };
        let mut chances: Vec<PerRank<f64>> = suspects
            .iter()
            .zip(&sets)
            .map(|(suspect, set)| {
                Rank::ALL.map(
                    |rank| if set.contains(rank) { suspect.weight[rank as usize].max(1e-6) } else { 0.0 },
                )
            })
            .collect();
        for _ in 0..ROUNDS {
            scale_columns(&mut chances, left);
            chances.iter_mut().for_each(scale_row);
        }
        Belief { chances, witness, left }
    }

    /// The chances of each rank, a row for each suspect.
    pub(super) fn chances(&self) -> &[PerRank<f64>] {
        &self.chances
    }

    /// The rank the suspect must have, if there is but one.
    pub(super) fn certain(&self, suspect: usize) -> Option<Rank> {
        let mut ranks = Rank::ALL.into_iter().filter(|rank| self.chances[suspect][*rank as usize] > 0.0);
        ranks.next().filter(|_| ranks.next().is_none())
    }

    /// Draws a rank for every suspect, so that all fit together. `is_beside` tells which suspects are neighbors.
    pub(super) fn draw(&self, chance: &mut Chance, is_beside: impl Fn(usize, usize) -> bool) -> Vec<Rank> {
        for _ in 0..DRAWINGS {
            if let Some(ranks) = self.try_draw(chance, &is_beside) {
                return ranks;
            }
        }
        self.witness.clone()
    }

    /// Rank by rank, those that never move first: a suspect gets one with the chance it has left for it.
    fn try_draw(&self, chance: &mut Chance, is_beside: &impl Fn(usize, usize) -> bool) -> Option<Vec<Rank>> {
        let mut drawn: Vec<Option<Rank>> = vec![None; self.chances.len()];
        let mut open: Vec<f64> = vec![1.0; self.chances.len()];
        let mut flag = None;
        for rank in Rank::ALL {
            let mut weights: Vec<f64> = (self.chances.iter().zip(&open).zip(&drawn).enumerate())
                .map(|(suspect, ((row, open), drawn))| {
                    if drawn.is_some() || row[rank as usize] <= 0.0 {
                        return 0.0;
                    }
                    let is_guard = rank == Rank::Bomb && flag.is_some_and(|flag| is_beside(flag, suspect));
                    row[rank as usize] / open.max(1e-9) * if is_guard { BOMB_BESIDE_FLAG } else { 1.0 }
                })
                .collect();
            for _ in 0..self.left[rank as usize] {
                let suspect = pick(&weights, chance)?;
                weights[suspect] = 0.0;
                drawn[suspect] = Some(rank);
                if rank == Rank::Flag {
                    flag = Some(suspect);
                }
            }
            for (open, row) in open.iter_mut().zip(&self.chances) {
                *open -= row[rank as usize];
            }
        }
        drawn.into_iter().collect()
    }
}

fn any_of(set: RankSet) -> Rank {
    Rank::ALL
        .into_iter()
        .rev()
        .find(|rank| *rank != Rank::Phoenix && set.contains(*rank))
        .unwrap_or(Rank::Sergeant)
}

/// An index with a chance in proportion to its weight; none when all are zero.
fn pick(weights: &[f64], chance: &mut Chance) -> Option<usize> {
    let sum: f64 = weights.iter().sum();
    let mut at = sum * chance.below(1 << 24) as f64 / f64::from(1 << 24);
    let mut last = None;
    for (index, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
        last = Some(index);
        if at < *weight {
            break;
        }
        at -= weight;
    }
    last
}

fn scale_columns(chances: &mut [PerRank<f64>], left: PerRank<u8>) {
    for rank in Rank::ALL {
        let sum: f64 = chances.iter().map(|row| row[rank as usize]).sum();
        if sum > 0.0 {
            let factor = f64::from(left[rank as usize]) / sum;
            chances.iter_mut().for_each(|row| row[rank as usize] *= factor);
        }
    }
}

fn scale_row(row: &mut PerRank<f64>) {
    let sum: f64 = row.iter().sum();
    if sum > 0.0 {
        row.iter_mut().for_each(|chance| *chance /= sum);
    } else {
        // Nothing fits: a view that no game has.
        row[Rank::Sergeant as usize] = 1.0;
    }
}

/// Suspects given ranks, no rank more often than it is left.
struct Matching {
    ranks: Vec<Rank>,
}

impl Matching {
    /// Augments along alternating paths, suspect by suspect; none when not all can have a rank.
    fn of(sets: &[RankSet], left: PerRank<u8>) -> Option<Matching> {
        let mut given: Vec<Option<Rank>> = vec![None; sets.len()];
        for suspect in 0..sets.len() {
            let mut tried = [false; Rank::COUNT];
            if !give(suspect, sets, left, &mut given, &mut tried) {
                return None;
            }
        }
        given.into_iter().collect::<Option<Vec<Rank>>>().map(|ranks| Matching { ranks })
    }

    /// Takes out of the sets what no way of giving every rank away allows: a suspect can have another rank if its own can come back
    /// to it through others that change ranks.
    fn narrow(&self, sets: &mut [RankSet]) {
        let mut leads = [[false; Rank::COUNT]; Rank::COUNT];
        for (set, rank) in sets.iter().zip(&self.ranks) {
            for other in Rank::ALL {
                leads[*rank as usize][other as usize] |= set.contains(other);
            }
        }
        for through in 0..Rank::COUNT {
            for from in 0..Rank::COUNT {
                for to in 0..Rank::COUNT {
                    leads[from][to] |= leads[from][through] && leads[through][to];
                }
            }
        }
        for (set, own) in sets.iter_mut().zip(&self.ranks) {
            let is_open =
                |rank: &Rank| *rank == *own || (set.contains(*rank) && leads[*rank as usize][*own as usize]);
            *set = Rank::ALL.into_iter().filter(is_open).collect();
        }
    }
}

fn give(
    suspect: usize,
    sets: &[RankSet],
    left: PerRank<u8>,
    given: &mut [Option<Rank>],
    tried: &mut PerRank<bool>,
) -> bool {
    for rank in Rank::ALL {
        if !sets[suspect].contains(rank) || tried[rank as usize] {
            continue;
        }
        tried[rank as usize] = true;
        let holders: Vec<usize> = (0..given.len()).filter(|other| given[*other] == Some(rank)).collect();
        let is_free = holders.len() < usize::from(left[rank as usize]);
        if is_free || holders.into_iter().any(|holder| give(holder, sets, left, given, tried)) {
            given[suspect] = Some(rank);
            return true;
        }
    }
    false
}
